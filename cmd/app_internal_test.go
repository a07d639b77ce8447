package cmd

import (
	"testing"
	"time"

	"xship/config"
	"xship/sourcecache/health"
)

func TestHosterPolicy(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		settings config.Hosters
		change   func(*health.Policy)
	}{
		{config.Hosters{}, func(*health.Policy) {}},
		{config.Hosters{Look: 10 * time.Minute}, func(p *health.Policy) { p.Look = 600 }},
		{config.Hosters{Look: time.Millisecond}, func(p *health.Policy) { p.Look = 1 }},
		{config.Hosters{Floor: 3}, func(*health.Policy) {}}, // it is the list's
		{config.Hosters{Count5xxWithoutGuard: true}, func(p *health.Policy) { p.ServerFail = true }},
	} {
		want := health.Hosters()
		tt.change(&want)
		if got := *hosterPolicy(tt.settings); got != want {
			t.Errorf("%+v: %+v, want %+v", tt.settings, got, want)
		}
	}
}
