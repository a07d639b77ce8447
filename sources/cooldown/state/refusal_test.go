package state_test

import (
	"testing"

	"xship/sources/cooldown/state"
)

func TestRefusal_Again(t *testing.T) {
	t.Parallel()
	const memory = 600
	for _, tt := range []struct {
		name string
		was  state.Refusal
		want bool
	}{
		{"none", state.Refusal{}, false},
		{"another link", state.Refusal{Link: "a", Answer: "451", Until: now + 1}, true},
		{"another link, noted now", state.Refusal{Link: "a", Answer: "451", Until: now + memory}, true},
		{"the same link", state.Refusal{Link: "b", Answer: "451", Until: now + 1}, false},
		{"another answer", state.Refusal{Link: "a", Answer: "410", Until: now + 1}, false},
		{"long ago", state.Refusal{Link: "a", Answer: "451", Until: now}, false},
		{"another clock", state.Refusal{Link: "a", Answer: "451", Until: now + memory + 1}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := tt.was
			got := r.Again("b", "451", now, memory)
			if want := (state.Refusal{Link: "b", Answer: "451", Until: now + memory}); got != tt.want || r != want {
				t.Errorf("%t and %+v, want %t and %+v", got, r, tt.want, want)
			}
		})
	}
}
