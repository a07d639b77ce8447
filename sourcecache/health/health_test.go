package health_test

import (
	"testing"

	"xship/sourcecache/health"
)

// t0 is a moment of no importance.
const t0 = 1_700_000_000

func TestPolicy_Backoff(t *testing.T) {
	t.Parallel()
	tests := []struct{ fails, hoster, site int64 }{
		{-1, 0, 0},
		{0, 0, 0},
		{1, 5, 5},
		{2, 10, 10},
		{3, 20, 20},
		{4, 30, 30},
		{5, 60, 60},
		{6, 300, 300},
		{7, 3600, 300},
		{8, 3600, 300},
		{1 << 40, 3600, 300},
	}
	for _, tt := range tests {
		if got := health.Hosters().Backoff(tt.fails); got != tt.hoster {
			t.Errorf("hoster with %d fails: backoff %d s, want %d", tt.fails, got, tt.hoster)
		}
		if got := health.Sites().Backoff(tt.fails); got != tt.site {
			t.Errorf("site with %d fails: backoff %d s, want %d", tt.fails, got, tt.site)
		}
	}
}

func TestPolicy_Until(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		h     health.Hoster
		until int64
	}{
		{"no block", health.Hoster{}, 0},
		{"running", health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0 + 5}, t0 + 5},
		{"over", health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0 - 5}, t0 - 5},
		{"a second of slack", health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0 + 6}, t0 + 6},
		{"impossible by a second", health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0 + 7}, 0},
		{"possible with more fails", health.Hoster{ConsecutiveFails: 2, BackoffUntil: t0 + 7}, t0 + 7},
		{"without fails", health.Hoster{BackoffUntil: t0 + 2}, 0},
		{"clock set back by an hour", health.Hoster{ConsecutiveFails: 7, BackoffUntil: t0 + 7200}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := health.Hosters().Until(tt.h, t0); got != tt.until {
				t.Errorf("until %d, want %d", got, tt.until)
			}
			if got := health.Document().Until(tt.h, t0); got != tt.h.BackoffUntil {
				t.Errorf("by the document until %d, want %d as stored", got, tt.h.BackoffUntil)
			}
		})
	}
}

func TestPolicy_Available(t *testing.T) {
	t.Parallel()
	failed := health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0 + 5, LastFailAt: t0}
	tests := []struct {
		name     string
		h        health.Hoster
		cooldown int64
		now      int64
		want     bool
	}{
		{"unknown", health.Hoster{}, 0, t0, true},
		{"unknown with cooldown", health.Hoster{}, 60, t0, true},
		{"just failed", failed, 0, t0, false},
		{"last second of the block", failed, 0, t0 + 4, false},
		{"end of the block", failed, 0, t0 + 5, true},
		{"free but cooling", failed, 60, t0 + 59, false},
		{"end of the cooldown", failed, 60, t0 + 60, true},
		{"negative cooldown", failed, -1, t0 + 5, true},
		{"healthy but cooling", health.Hoster{LastFailAt: t0}, 60, t0 + 1, false},
		{"last fail in the future", health.Hoster{LastFailAt: t0 + 9}, 60, t0, true},
		{"impossible block", health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0 + 7}, 0, t0, true},
		{"somebody tries it", health.Hoster{ConsecutiveFails: 1, LeaseUntil: t0 + 1}, 0, t0, false},
		{"somebody tried it and died", health.Hoster{ConsecutiveFails: 1, LeaseUntil: t0}, 0, t0, true},
		{"impossible lease", health.Hoster{ConsecutiveFails: 1, LeaseUntil: t0 + 31}, 0, t0, true},
		{"healthy and leased", health.Hoster{LeaseUntil: t0 + 9}, 0, t0, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := health.Hosters().Available(tt.h, tt.cooldown, tt.now); got != tt.want {
				t.Errorf("available %t, want %t", got, tt.want)
			}
		})
	}
}

func TestGuard_Vouches(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name        string
		lastSuccess int64
		now         int64
		want        bool
	}{
		{"no success yet", 0, t0, false},
		{"no success yet, clock at the epoch", 0, 10, false},
		{"this second", t0, t0, true},
		{"30 s ago", t0 - 30, t0, true},
		{"31 s ago", t0 - 31, t0, false},
		{"in the future", t0 + 1, t0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := (health.Guard{LastSuccessAt: tt.lastSuccess}).Vouches(tt.now); got != tt.want {
				t.Errorf("vouches %t, want %t", got, tt.want)
			}
		})
	}
}

func TestHoster_Setback(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		h    health.Hoster
		want int64
	}{
		{health.Hoster{}, 0},
		{health.Hoster{OKCount: 9}, 0},
		{health.Hoster{OKCount: 4, FailCount: 1}, 0},
		{health.Hoster{OKCount: 3, FailCount: 1}, 1},
		{health.Hoster{OKCount: 1, FailCount: 1}, 2},
		{health.Hoster{FailCount: 9}, 2},
		{health.Hoster{ConsecutiveFails: 3}, 3},
		{health.Hoster{ConsecutiveFails: 40, FailCount: 40}, 8},
	} {
		if got := tt.h.Setback(); got != tt.want {
			t.Errorf("%+v is set back by %d, want %d", tt.h, got, tt.want)
		}
	}
}

func TestHoster_InTrouble(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		h    health.Hoster
		want bool
	}{
		{health.Hoster{}, false},
		{health.Hoster{ConsecutiveFails: 1}, true},
		{health.Hoster{BackoffUntil: t0}, true},
		{health.Hoster{OKCount: 1, FailCount: 1, LastFailAt: t0, GoodLink: "good", LastError: "503"}, false},
	} {
		if got := tt.h.InTrouble(); got != tt.want {
			t.Errorf("%+v: in trouble %t, want %t", tt.h, got, tt.want)
		}
		if tt.h.Reset(); tt.h.InTrouble() {
			t.Errorf("%+v is in trouble after its reset", tt.h)
		}
	}
}
