package api_test

import (
	"testing"
	"time"

	"xship/cmd/api"
	"xship/sources"
)

// TestNewHoster_state says of a hoster what is known of it, and no more.
func TestNewHoster_state(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	for _, tt := range []struct {
		hoster sources.HosterHealth
		want   string
	}{
		{sources.HosterHealth{OKCount: 3}, "healthy"},
		{sources.HosterHealth{OKCount: 1, FailCount: 9}, "healthy"},
		{sources.HosterHealth{FailCount: 3}, "never worked here"},
		{sources.HosterHealth{}, "not tried yet"},
		{sources.HosterHealth{FailCount: 3, ConsecutiveFails: 3}, "hidden, waiting for a probe"},
	} {
		got := api.NewHoster(tt.hoster, sources.GuardState{}, now)
		if got.State != tt.want || got.Healthy != (tt.hoster.ConsecutiveFails == 0) {
			t.Errorf("%+v: %q, healthy %t, want %q", tt.hoster, got.State, got.Healthy, tt.want)
		}
	}
}
