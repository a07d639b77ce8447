package state_test

import (
	"testing"

	"xship/sources/cooldown/state"
)

const now = 1_700_000_000_000

func limits() state.Limits { return state.Limits{Longest: 300, Memory: 600, Lease: 30, Slack: 1} }

func TestState_Mark(t *testing.T) {
	t.Parallel()
	ended := state.State{Until: now - 1, Step: 40, Reason: "before"}
	running := state.State{Until: now + 50, Step: 100, Reason: "before"}
	for _, tt := range []struct {
		name string
		was  state.State
		mark state.Mark
		want state.State
	}{
		{"first", state.State{}, state.Mark{For: 30, Grow: true, Reason: "now"}, state.State{Until: now + 30, Step: 30, Reason: "now"}},
		{"shorter than the unit", state.State{}, state.Mark{}, state.State{Until: now + 1, Step: 1}},
		{"longer than the longest", state.State{}, state.Mark{For: 1 << 62}, state.State{Until: now + 300, Step: 300}},
		{"grows by half", ended, state.Mark{For: 30, Grow: true, Reason: "now"}, state.State{Until: now + 60, Step: 60, Reason: "now"}},
		{"grows from an odd length", state.State{Until: now, Step: 33}, state.Mark{For: 1, Grow: true}, state.State{Until: now + 49, Step: 49}},
		{"is longer than what would grow", ended, state.Mark{For: 61, Grow: true}, state.State{Until: now + 61, Step: 61}},
		{"grows to the longest", state.State{Until: now - 1, Step: 201}, state.Mark{For: 30, Grow: true}, state.State{Until: now + 300, Step: 300}},
		{"does not grow", ended, state.Mark{For: 30}, state.State{Until: now + 30, Step: 30}},
		{"while it runs, shorter", running, state.Mark{For: 30, Grow: true, Reason: "now"}, running},
		{"while it runs, as long", running, state.Mark{For: 50, Grow: true, Reason: "now"}, running},
		{"while it runs, ending later", running, state.Mark{For: 51, Grow: true, Reason: "now"}, state.State{Until: now + 51, Step: 100, Reason: "now"}},
		{"while it runs, longer", running, state.Mark{For: 101}, state.State{Until: now + 101, Step: 101}},
		{"ends the lease", state.State{Until: now - 1, LeaseUntil: now + 9, LeaseToken: "x"}, state.Mark{For: 30}, state.State{Until: now + 30, Step: 30}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := tt.was
			if s.Mark(tt.mark, now, limits()); s != tt.want {
				t.Errorf("%+v, want %+v", s, tt.want)
			}
		})
	}
}

func TestState_times(t *testing.T) {
	t.Parallel()
	type told struct{ running, ended, leased, forgotten bool }
	for _, tt := range []struct {
		name string
		s    state.State
		want told
	}{
		{"nothing", state.State{}, told{forgotten: true}},
		{"runs", state.State{Until: now + 1}, told{running: true}},
		{"just over", state.State{Until: now}, told{ended: true}},
		{"remembered", state.State{Until: now - 599}, told{ended: true}},
		{"forgotten", state.State{Until: now - 600}, told{ended: true, forgotten: true}},
		{"the longest, rounded up", state.State{Until: now + 301}, told{running: true}},
		{"impossible", state.State{Until: now + 302}, told{running: true, forgotten: true}},
		{"leased", state.State{Until: now, LeaseUntil: now + 1, LeaseToken: "x"}, told{ended: true, leased: true}},
		{"leased for the longest", state.State{Until: now, LeaseUntil: now + 30, LeaseToken: "x"}, told{ended: true, leased: true}},
		{"lease over", state.State{Until: now, LeaseUntil: now, LeaseToken: "x"}, told{ended: true}},
		{"lease of another clock", state.State{Until: now, LeaseUntil: now + 31, LeaseToken: "x"}, told{ended: true}},
		{"lease of nobody", state.State{Until: now, LeaseUntil: now + 1}, told{ended: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := told{tt.s.Running(now), tt.s.Ended(now), tt.s.Leased(now, limits()), tt.s.Forgotten(now, limits())}
			if got != tt.want {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
			want := tt.s
			if tt.want.forgotten {
				want = state.State{}
			}
			if e := tt.s.Effective(now, limits()); e != want {
				t.Errorf("effective %+v, want %+v", e, want)
			}
		})
	}
}

func TestState_Lease(t *testing.T) {
	t.Parallel()
	over := state.State{Until: now - 1, Step: 40}
	leased := state.State{Until: now - 1, Step: 40, LeaseUntil: now + 30, LeaseToken: "x"}
	dead := state.State{Until: now - 1, Step: 40, LeaseUntil: now, LeaseToken: "dead"}
	for _, tt := range []struct {
		name string
		was  state.State
		want state.State
	}{
		{"nothing ended", state.State{}, state.State{}},
		{"runs", state.State{Until: now + 1}, state.State{Until: now + 1}},
		{"over", over, leased},
		{"its holder died", dead, leased},
		{"another goes first", state.State{Until: now - 1, LeaseUntil: now + 1, LeaseToken: "y"}, state.State{Until: now - 1, LeaseUntil: now + 1, LeaseToken: "y"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := tt.was
			if got := s.Lease("x", now, limits()); s != tt.want || got != (tt.was != tt.want) {
				t.Errorf("%t and %+v, want %+v", got, s, tt.want)
			}
		})
	}
}

func TestState_End(t *testing.T) {
	t.Parallel()
	over := state.State{Until: now - 1, Step: 40, Reason: "limited"}
	leased := over
	leased.LeaseUntil, leased.LeaseToken = now+1, "x"
	for _, tt := range []struct {
		name     string
		was      state.State
		token    string
		answered bool
		want     state.State
	}{
		{"answered", leased, "x", true, state.State{}},
		{"not answered", leased, "x", false, over},
		{"answered by another", leased, "y", true, leased},
		{"not answered by another", leased, "y", false, leased},
		{"without a lease", over, "", true, over},
		{"without the lease of another", leased, "", true, leased},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := tt.was
			if s.End(tt.token, tt.answered); s != tt.want {
				t.Errorf("%+v, want %+v", s, tt.want)
			}
		})
	}
}

func TestState_Extend(t *testing.T) {
	t.Parallel()
	a, b := state.State{Until: now, Reason: "a"}, state.State{Until: now + 1, Reason: "b"}
	for _, s := range []state.State{a, b} {
		if s.Extend(a); s.Until < a.Until {
			t.Errorf("%+v was shortened", s)
		}
		if s.Extend(b); s != b {
			t.Errorf("%+v, want %+v", s, b)
		}
	}
	same := a
	if same.Extend(state.State{Until: now, Reason: "other"}); same != a {
		t.Errorf("%+v was replaced by one that ends no later", same)
	}
}
