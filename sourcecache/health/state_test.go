package health_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"xship/sourcecache/health"
)

// The times that the documents fix.
func TestTimes(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ got, want int64 }{
		"guard window":    {health.GuardWindow, 30},
		"canary's age":    {health.CanaryMaxAge, 86_400},
		"lease":           {health.LeaseTime, 30},
		"slack":           {health.Slack, 1},
		"block of hoster": {health.Hosters().Max, 3600},
		"block of site":   {health.Sites().Max, 300},
		"last step":       {health.Policy{Max: 1 << 40}.Backoff(7), 3600},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %d s, want %d", name, tt.got, tt.want)
		}
	}
	if !health.Hosters().Provisional || health.Sites().Provisional {
		t.Error("the fails of hosters are provisional, those of sites are not")
	}
}

// What each step leaves in the guard, all of it: a store keeps it as it is.
func TestGuard_state(t *testing.T) {
	t.Parallel()
	succeed := func(canary bool) func(*health.Guard) health.Verdict {
		return func(g *health.Guard) health.Verdict {
			var h health.Hoster
			health.Hosters().Report(&h, g, health.Event{Success: true, Canary: canary}, t0)
			return health.Undecided
		}
	}
	doubt := func(haveLink bool) func(*health.Guard) health.Verdict {
		return func(g *health.Guard) health.Verdict { return g.Decide(haveLink, t0) }
	}
	end := func(run int64, answered bool) func(*health.Guard) health.Verdict {
		return func(g *health.Guard) health.Verdict { return g.EndCanary(run, answered, t0) }
	}
	cancel := func(run int64) func(*health.Guard) health.Verdict {
		return func(g *health.Guard) health.Verdict { g.CancelCanary(run); return health.Undecided }
	}
	fail := func(g *health.Guard) health.Verdict {
		var h health.Hoster
		health.Hosters().Report(&h, g, health.Event{}, t0)
		return health.Undecided
	}
	tests := []struct {
		name string
		g    health.Guard
		step func(*health.Guard) health.Verdict
		want health.Guard
		says health.Verdict
	}{
		{
			"a success with nothing provisional begins no run",
			health.Guard{LastSuccessAt: 9, Run: 3},
			succeed(false),
			health.Guard{LastSuccessAt: t0, Run: 3},
			health.Undecided,
		},
		{
			"a success after a provisional fail begins one",
			health.Guard{Run: 3, RunHosters: 1, CanaryUntil: t0 + 5, CanaryBadAt: 7},
			succeed(false),
			health.Guard{LastSuccessAt: t0, Run: 4, CanaryBadAt: 7},
			health.Undecided,
		},
		{
			"a canary that works makes fails stand",
			health.Guard{Run: 3, RunHosters: 2, CanaryUntil: t0 + 5},
			succeed(true),
			health.Guard{LastSuccessAt: t0, Run: 4, RunOK: true},
			health.Undecided,
		},
		{
			"that ends with the next success",
			health.Guard{Run: 4, RunOK: true},
			succeed(false),
			health.Guard{LastSuccessAt: t0, Run: 4},
			health.Undecided,
		},
		{
			"a success ends an outage",
			health.Guard{Run: 4, Outage: true, OutageEnd: 5},
			succeed(false),
			health.Guard{LastSuccessAt: t0, Run: 4, OutageEnd: t0},
			health.Undecided,
		},
		{
			"the first fail of a database begins the first run",
			health.Guard{LastSuccessAt: t0},
			fail,
			health.Guard{LastSuccessAt: t0, Run: 1, RunHosters: 1},
			health.Undecided,
		},
		{
			"a fail while fails stand is not provisional",
			health.Guard{LastSuccessAt: t0, Run: 2, RunOK: true},
			fail,
			health.Guard{LastSuccessAt: t0, Run: 2, RunOK: true},
			health.Undecided,
		},
		{
			"one hoster is no reason for a canary",
			health.Guard{Run: 3, RunHosters: 1},
			doubt(true),
			health.Guard{Run: 3, RunHosters: 1},
			health.Undecided,
		},
		{
			"two are",
			health.Guard{Run: 3, RunHosters: 2},
			doubt(true),
			health.Guard{Run: 3, RunHosters: 2, CanaryUntil: t0 + 30},
			health.TestCanary,
		},
		{
			"no link to test",
			health.Guard{Run: 3, RunHosters: 2},
			doubt(false),
			health.Guard{Run: 4, Outage: true},
			health.NetworkDown,
		},
		{
			"no link, and a canary is under way",
			health.Guard{Run: 3, RunHosters: 2, CanaryUntil: t0 + 1},
			doubt(false),
			health.Guard{Run: 3, RunHosters: 2, CanaryUntil: t0 + 1},
			health.Undecided,
		},
		{
			"a canary failed this second",
			health.Guard{Run: 3, RunHosters: 2, CanaryBadAt: t0},
			doubt(true),
			health.Guard{Run: 4, Outage: true, CanaryBadAt: t0},
			health.NetworkDown,
		},
		{
			"a canary failed in the future",
			health.Guard{Run: 3, RunHosters: 2, CanaryBadAt: t0 + 1},
			doubt(true),
			health.Guard{Run: 3, RunHosters: 2, CanaryBadAt: t0 + 1, CanaryUntil: t0 + 30},
			health.TestCanary,
		},
		{
			"a canary fails",
			health.Guard{Run: 3, RunHosters: 2, CanaryUntil: t0 + 30},
			end(3, false),
			health.Guard{Run: 4, Outage: true, CanaryBadAt: t0},
			health.NetworkDown,
		},
		{
			"a canary fails, and nothing is suspect any more",
			health.Guard{Run: 3, RunHosters: 1, CanaryUntil: t0 + 30},
			end(3, false),
			health.Guard{Run: 3, RunHosters: 1},
			health.Undecided,
		},
		{
			"its link is gone",
			health.Guard{Run: 3, RunHosters: 2, CanaryUntil: t0 + 30},
			end(3, true),
			health.Guard{Run: 4, RunOK: true},
			health.Undecided,
		},
		{
			"a canary of a run that ended",
			health.Guard{Run: 4, RunHosters: 2, CanaryUntil: t0 + 30},
			end(3, false),
			health.Guard{Run: 4, RunHosters: 2, CanaryUntil: t0 + 30},
			health.Undecided,
		},
		{
			"a canary is cancelled",
			health.Guard{Run: 3, RunHosters: 2, CanaryUntil: t0 + 30},
			cancel(3),
			health.Guard{Run: 3, RunHosters: 2},
			health.Undecided,
		},
		{
			"a canary of a run that ended is cancelled",
			health.Guard{Run: 4, RunHosters: 2, CanaryUntil: t0 + 30},
			cancel(3),
			health.Guard{Run: 4, RunHosters: 2, CanaryUntil: t0 + 30},
			health.Undecided,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := tt.g
			if says := tt.step(&g); says != tt.says {
				t.Errorf("verdict %d, want %d", says, tt.says)
			}
			if diff := cmp.Diff(tt.want, g); diff != "" {
				t.Errorf("guard (-want +got):\n%s", diff)
			}
		})
	}
}

// Reset and Undo leave nothing of what they take back.
func TestHoster_takeBack(t *testing.T) {
	t.Parallel()
	full := health.Hoster{
		ConsecutiveFails: 3, BackoffUntil: t0 + 20, OKCount: 4, FailCount: 5, LastSuccessAt: 1, LastFailAt: 2, LastError: "refused",
		LeaseUntil: t0 + 30, LeaseToken: "mine", GoodLink: "good", FailRun: 7, UndoFails: 2, UndoUntil: t0 - 9,
	}
	history := health.Hoster{OKCount: 4, FailCount: 5, LastSuccessAt: 1, LastFailAt: 2, LastError: "refused", GoodLink: "good"}
	undone := history
	undone.ConsecutiveFails, undone.BackoffUntil, undone.LeaseUntil, undone.LeaseToken = 2, t0-9, t0+30, "mine"
	noRun := full
	noRun.FailRun = 0
	tests := []struct {
		name string
		h    health.Hoster
		step func(*health.Hoster)
		want health.Hoster
	}{
		{"reset", full, (*health.Hoster).Reset, history},
		{"undo", full, func(h *health.Hoster) { h.Undo(7) }, undone},
		{"undo of another run", full, func(h *health.Hoster) { h.Undo(6) }, full},
		{"undo where no run began", noRun, func(h *health.Hoster) { h.Undo(0) }, noRun},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := tt.h
			tt.step(&h)
			if diff := cmp.Diff(tt.want, h); diff != "" {
				t.Errorf("hoster (-want +got):\n%s", diff)
			}
		})
	}
}

// A clock that has just begun is a clock.
func TestGuard_Vouches_epoch(t *testing.T) {
	t.Parallel()
	if g := (health.Guard{LastSuccessAt: 1}); !g.Vouches(1) || !g.Vouches(31) || g.Vouches(32) {
		t.Error("a success at second 1 has to vouch until second 31")
	}
}

// The cooldown counts whole seconds from the last fail, from the first second of
// the clock on.
func TestPolicy_Available_cooldown(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name               string
		lastFail, cooldown int64
		now                int64
		want               bool
	}{
		{"failed this second", t0, 60, t0, false},
		{"failed this second, a second of cooldown", t0, 1, t0, false},
		{"failed this second, none", t0, 0, t0, true},
		{"never failed, clock at the epoch", 0, 60, 10, true},
		{"failed in the first second of the clock", 1, 60, 10, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := health.Hoster{LastFailAt: tt.lastFail}
			if got := health.Hosters().Available(h, tt.cooldown, tt.now); got != tt.want {
				t.Errorf("available %t, want %t", got, tt.want)
			}
		})
	}
}

// A fail that was not counted keeps nobody from the next attempt.
func TestPolicy_Begin_afterUncounted(t *testing.T) {
	t.Parallel()
	h := health.Hoster{LastFailAt: t0}
	if !health.Hosters().Begin(&h, false, "mine", t0) {
		t.Error("an attempt in the second of an uncounted fail was refused")
	}
}

// A fail gives back the lease of its own attempt, whatever its effect.
func TestPolicy_Report_endsLease(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		g      health.Guard
		h      health.Hoster
		effect health.Effect
	}{
		{"counted", health.Guard{LastSuccessAt: t0}, health.Hoster{ConsecutiveFails: 1}, health.Counted},
		{"unguarded", health.Guard{}, health.Hoster{ConsecutiveFails: 1}, health.Unguarded},
		{"in an outage", health.Guard{LastSuccessAt: t0, Outage: true}, health.Hoster{ConsecutiveFails: 1}, health.InOutage},
		{"in a block", health.Guard{LastSuccessAt: t0}, health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0 + 5}, health.SameIncident},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for token, until := range map[string]int64{"mine": 0, "another": t0 + 30, "": t0 + 30} {
				h, g := tt.h, tt.g
				h.LeaseUntil, h.LeaseToken = t0+30, "mine"
				if out := health.Hosters().Report(&h, &g, health.Event{Token: token}, t0); out.Effect != tt.effect || h.LeaseUntil != until {
					t.Errorf("token %q: effect %d, leased until %d; want %d, %d", token, out.Effect, h.LeaseUntil, tt.effect, until)
				}
			}
		})
	}
}

// An attempt that began in the first second of the clock began then.
func TestPolicy_Report_epoch(t *testing.T) {
	t.Parallel()
	h, g := health.Hoster{ConsecutiveFails: 1, BackoffUntil: 50}, health.Guard{LastSuccessAt: 90}
	if out := health.Hosters().Report(&h, &g, health.Event{StartedAt: 1}, 100); out.Effect != health.SameIncident {
		t.Errorf("effect %d, want that of the incident whose block it began in", out.Effect)
	}
}
