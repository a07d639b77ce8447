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
		"recent":          {health.OutageRecent, 7200},
		"lease":           {health.LeaseTime, 30},
		"linger":          {health.LingerTime, 30},
		"slack":           {health.Slack, 1},
		"block of hoster": {health.Hosters().Max, 3600},
		"block of site":   {health.Sites().Max, 300},
		"last step":       {health.Policy{Max: 1 << 40}.Backoff(7), 3600},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %d s, want %d", name, tt.got, tt.want)
		}
	}
}

// The rules of each policy, all of them.
func TestPolicies(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ got, want health.Policy }{
		"hosters": {health.Hosters(), health.Policy{Max: 3600, Rules: health.Rules{
			Clock: true, OneFail: true, Lease: true, Gone: true, Suspect: true, Canary: true, Early: true,
			Outage: true, Undo: true, Hold: true, Retest: true, Linger: true, First: true,
		}}},
		"sites":    {health.Sites(), health.Policy{Max: 300, Rules: health.Rules{Clock: true, OneFail: true, Outage: true}}},
		"document": {health.Document(), health.Policy{Max: 3600}},
	} {
		if diff := cmp.Diff(tt.want, tt.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestPolicy_Ladder(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff([]int64{5, 10, 20, 30, 60, 300, 3600}, health.Hosters().Ladder()); diff != "" {
		t.Errorf("hosters (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int64{5, 10, 20, 30, 60, 300, 300}, health.Sites().Ladder()); diff != "" {
		t.Errorf("sites (-want +got):\n%s", diff)
	}
}

func TestPolicy_Begin(t *testing.T) {
	t.Parallel()
	failed := health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0}
	blocked := health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0 + 5}
	leased := health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0, LeaseUntil: t0 + 8}
	tests := []struct {
		name  string
		h     health.Hoster
		force bool
		want  bool
		lease int64
		tried int64
	}{
		{"healthy", health.Hoster{}, false, true, 0, 0},
		{"healthy, a fail was not counted this second", health.Hoster{LastFailAt: t0}, false, true, 0, 0},
		{"failed before", failed, false, true, t0 + 30, t0},
		{"blocked", blocked, false, false, 0, 0},
		{"blocked, forced", blocked, true, true, t0 + 30, t0},
		{"leased", leased, false, false, t0 + 8, 0},
		{"leased, forced", leased, true, true, t0 + 8, t0},
		{"impossible lease", health.Hoster{ConsecutiveFails: 1, LeaseUntil: t0 + 99}, false, true, t0 + 30, t0},
		{"lease of a process that died", health.Hoster{ConsecutiveFails: 1, LeaseUntil: t0}, false, true, t0 + 30, t0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := tt.h
			if got := health.Hosters().Begin(&h, tt.force, "mine", t0); got != tt.want || h.LeaseUntil != tt.lease || h.LastTryAt != tt.tried {
				t.Errorf("begun %t, leased until %d, tried at %d; want %t, %d, %d", got, h.LeaseUntil, h.LastTryAt, tt.want, tt.lease, tt.tried)
			}
			wantToken := ""
			if h.LeaseUntil != tt.h.LeaseUntil {
				wantToken = "mine"
			}
			if h.LeaseToken != wantToken {
				t.Errorf("leased to %q, want %q", h.LeaseToken, wantToken)
			}
		})
	}
}

// Fifty workers see the end of a block, and one of them makes an attempt.
func TestPolicy_Begin_atExpiry(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		p    health.Policy
		want int
	}{"ours": {health.Hosters(), 1}, "document": {health.Document(), 50}} {
		h, begun := health.Hoster{ConsecutiveFails: 3, BackoffUntil: t0}, 0
		for range 50 {
			if tt.p.Begin(&h, false, "mine", t0) {
				begun++
			}
		}
		if begun != tt.want {
			t.Errorf("%s: %d attempts, want %d", name, begun, tt.want)
		}
		// Its process is killed.
		if tt.p.Lease && (tt.p.Available(h, 0, t0+29) || !tt.p.Available(h, 0, t0+30)) {
			t.Errorf("%s: the lease of a process that was killed has to end after 30 s", name)
		}
	}
}

func TestHoster_End(t *testing.T) {
	t.Parallel()
	h := health.Hoster{ConsecutiveFails: 1}
	health.Hosters().Begin(&h, false, "mine", t0)
	health.Hosters().Begin(&h, true, "forced", t0)
	for _, token := range []string{"forced", ""} {
		if h.End(token); h.LeaseUntil == 0 {
			t.Errorf("the attempt %q gave back the lease of another", token)
		}
	}
	if h.End("mine"); h.LeaseUntil != 0 || h.LeaseToken != "" {
		t.Errorf("leased until %d to %q, which ended", h.LeaseUntil, h.LeaseToken)
	}
}

// Reset and Undo leave nothing of what they take back.
func TestHoster_takeBack(t *testing.T) {
	t.Parallel()
	full := health.Hoster{
		ConsecutiveFails: 3, BackoffUntil: t0 + 20, OKCount: 4, FailCount: 5, LastSuccessAt: 1, LastFailAt: 2, LastError: "refused",
		LeaseUntil: t0 + 30, LeaseToken: "mine", LastTryAt: 3, GoodLink: "good", Retests: 6,
		DoubtRun: 7, FailRun: 7, UndoFails: 2, UndoUntil: t0 - 9, Awaits: 8, AwaitsSince: 4,
	}
	history := health.Hoster{
		OKCount: 4, FailCount: 5, LastSuccessAt: 1, LastFailAt: 2, LastError: "refused",
		LastTryAt: 3, GoodLink: "good", Retests: 6, DoubtRun: 7,
	}
	undone := full
	undone.ConsecutiveFails, undone.BackoffUntil, undone.FailRun, undone.UndoFails, undone.UndoUntil = 2, t0-9, 0, 0, 0
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

func TestLink_Undo(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		l    health.Link
		run  int64
		want health.Link
		gone bool
	}{
		{"failed first in the run", health.Link{Fails: 2, FirstFailAt: t0, FailRun: 7}, 7, health.Link{}, false},
		{"failed before", health.Link{Fails: 2, FirstFailAt: t0, FailRun: 7, UndoFails: 1}, 7, health.Link{Fails: 1, FirstFailAt: t0}, false},
		{"failed in another run", health.Link{Fails: 2, FirstFailAt: t0, FailRun: 6}, 7, health.Link{Fails: 2, FirstFailAt: t0, FailRun: 6}, false},
		{"no run", health.Link{Fails: 2, FirstFailAt: t0}, 0, health.Link{Fails: 2, FirstFailAt: t0}, false},
		{"gone in another run", health.Link{GoneRun: 6}, 7, health.Link{GoneRun: 6}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := tt.l
			if gone := l.Undo(tt.run); gone != tt.gone {
				t.Errorf("gone %t, want %t", gone, tt.gone)
			}
			if diff := cmp.Diff(tt.want, l); diff != "" {
				t.Errorf("link (-want +got):\n%s", diff)
			}
		})
	}
	gone := health.Link{GoneRun: 7}
	if !gone.Undo(7) || gone.Undo(7) {
		t.Error("a link that was gone in the run is to be tried again, once")
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

// When a failing hoster is tested again.
func TestPolicy_DueRetest(t *testing.T) {
	t.Parallel()
	look := health.Hosters()
	look.Look = 600
	noRetest := look
	noRetest.Retest = false
	blocked := health.Hoster{ConsecutiveFails: 7, BackoffUntil: t0 + 3000, LastTryAt: t0 - 600}
	with := func(h health.Hoster, change func(*health.Hoster)) health.Hoster {
		change(&h)
		return h
	}
	tests := []struct {
		name string
		p    health.Policy
		h    health.Hoster
		want bool
	}{
		{"healthy", look, health.Hoster{}, false},
		{"its block ended", health.Hosters(), health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0}, true},
		{"its block ended, no such rule", noRetest, health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0}, false},
		{"blocked", health.Hosters(), health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0 + 1}, false},
		{"somebody tries it", health.Hosters(), health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0, LeaseUntil: t0 + 1}, false},
		{"a long block is not looked into unless asked for", health.Hosters(), blocked, false},
		{"a long block", look, blocked, true},
		{"a long block, no re-tests", noRetest, blocked, true},
		{"looked into a moment ago", look, with(blocked, func(h *health.Hoster) { h.LastTryAt++ }), false},
		{"failed a moment ago", look, with(blocked, func(h *health.Hoster) { h.LastFailAt = t0 - 1 }), false},
		{"worked a moment ago", look, with(blocked, func(h *health.Hoster) { h.LastSuccessAt = t0 - 1 }), false},
		{"worked in the future, looked into a moment ago", look, with(blocked, func(h *health.Hoster) {
			h.LastSuccessAt, h.LastTryAt = t0+3600, t0-1
		}), false},
		{"tried in the future only", look, with(blocked, func(h *health.Hoster) { h.LastTryAt = t0 + 3600 }), true},
		{"somebody looks into it", look, with(blocked, func(h *health.Hoster) { h.LeaseUntil = t0 + 9 }), false},
		{"six fails are long", look, with(blocked, func(h *health.Hoster) { h.ConsecutiveFails, h.BackoffUntil = 6, t0+1 }), true},
		{"five are not", look, with(blocked, func(h *health.Hoster) { h.ConsecutiveFails, h.BackoffUntil = 5, t0+1 }), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.p.DueRetest(tt.h, t0); got != tt.want {
				t.Errorf("due %t, want %t", got, tt.want)
			}
		})
	}
}

// Re-tests take the good link and the others in turn, and each of the others.
func TestHoster_NextRetest(t *testing.T) {
	t.Parallel()
	h := health.Hoster{GoodLink: "good"}
	var goods []bool
	var others []int64
	for range 6 {
		good, other := h.NextRetest()
		if goods = append(goods, good); !good {
			others = append(others, other)
		}
	}
	if diff := cmp.Diff([]bool{true, false, true, false, true, false}, goods); diff != "" {
		t.Errorf("good ones (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int64{1, 2, 3}, others); diff != "" {
		t.Errorf("others (-want +got):\n%s", diff)
	}
	h = health.Hoster{}
	if good, other := h.NextRetest(); good || other != 0 {
		t.Errorf("without a good link: good %t, other %d", good, other)
	}
}

func TestHoster_MayBeCanary(t *testing.T) {
	t.Parallel()
	good := health.Hoster{GoodLink: "good", LastSuccessAt: t0 - 86_400, DoubtRun: 6}
	with := func(change func(*health.Hoster)) health.Hoster {
		h := good
		change(&h)
		return h
	}
	for name, tt := range map[string]struct {
		h    health.Hoster
		want bool
	}{
		"worked within a day": {good, true},
		"before":              {with(func(h *health.Hoster) { h.LastSuccessAt-- }), false},
		"in the future":       {with(func(h *health.Hoster) { h.LastSuccessAt = t0 + 1 }), false},
		"no link":             {with(func(h *health.Hoster) { h.GoodLink = "" }), false},
		"fails":               {with(func(h *health.Hoster) { h.ConsecutiveFails = 1 }), false},
		"doubted":             {with(func(h *health.Hoster) { h.DoubtRun = 7 }), false},
	} {
		if got := tt.h.MayBeCanary(7, t0); got != tt.want {
			t.Errorf("%s: %t, want %t", name, got, tt.want)
		}
	}
	if !(health.Hoster{GoodLink: "good", LastSuccessAt: t0}).MayBeCanary(0, t0) {
		t.Error("in run 0 nobody was doubted")
	}
}

func TestHoster_MayTestOutage(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		h           health.Hoster
		recent, any bool
	}{
		"worked within two hours": {health.Hoster{GoodLink: "good", LastSuccessAt: t0 - 7200, ConsecutiveFails: 7, BackoffUntil: t0 + 9}, true, true},
		"before":                  {health.Hoster{GoodLink: "good", LastSuccessAt: t0 - 7201}, false, true},
		"in the future":           {health.Hoster{GoodLink: "good", LastSuccessAt: t0 + 1}, false, true},
		"no link":                 {health.Hoster{LastSuccessAt: t0}, false, false},
		"somebody tries it":       {health.Hoster{GoodLink: "good", LastSuccessAt: t0, LeaseUntil: t0 + 1}, false, true},
	} {
		if recent, anyTime := tt.h.MayTestOutage(true, t0), tt.h.MayTestOutage(false, t0); recent != tt.recent || anyTime != tt.any {
			t.Errorf("%s: among recent ones %t, among all %t; want %t, %t", name, recent, anyTime, tt.recent, tt.any)
		}
	}
}

func TestHoster_Tried(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		h    health.Hoster
		want int64
	}{
		{health.Hoster{}, 0},
		{health.Hoster{LastTryAt: 3, LastSuccessAt: 2, LastFailAt: 1}, 3},
		{health.Hoster{LastTryAt: 1, LastSuccessAt: 3, LastFailAt: 2}, 3},
		{health.Hoster{LastTryAt: 2, LastSuccessAt: 1, LastFailAt: 3}, 3},
		{health.Hoster{LastTryAt: t0, LastSuccessAt: t0 + 1, LastFailAt: 3}, t0},
	} {
		if got := tt.h.Tried(t0); got != tt.want {
			t.Errorf("%+v was tried at %d, want %d", tt.h, got, tt.want)
		}
	}
}

func TestGuard_OutageTestDue(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		g    health.Guard
		want bool
	}{
		"no outage":           {health.Guard{TestAt: t0}, false},
		"now":                 {health.Guard{Outage: true, TestAt: t0}, true},
		"in a second":         {health.Guard{Outage: true, TestAt: t0 + 1}, false},
		"in 30 s":             {health.Guard{Outage: true, TestAt: t0 + 30}, false},
		"later than any wait": {health.Guard{Outage: true, TestAt: t0 + 31}, true},
	} {
		if got := tt.g.OutageTestDue(t0); got != tt.want {
			t.Errorf("%s: due %t, want %t", name, got, tt.want)
		}
	}
}

// Rules that need a table are left out without one.
func TestPolicy_Touch_withoutTable(t *testing.T) {
	t.Parallel()
	h, g := health.Hoster{}, health.Guard{LastSuccessAt: t0}
	e := health.Event{Link: "link", Class: health.Fail}
	health.Hosters().Touch(&h, &g, e, t0)
	want := health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0 + 5, FailCount: 1, LastFailAt: t0}
	if diff := cmp.Diff(want, h); diff != "" {
		t.Errorf("after a fail (-want +got):\n%s", diff)
	}
	if out := health.Hosters().Touch(&h, &g, e, t0+40); out.Effect != health.Unguarded {
		t.Errorf("effect %d of a fail that nothing vouches for", out.Effect)
	}
	e.Class = health.OK
	if out := health.Hosters().Touch(&h, &g, e, t0+50); out.Effect != health.Recovered || h.GoodLink != "link" {
		t.Errorf("effect %d of a success, %+v", out.Effect, h)
	}
}

// Sites are told of without a table.
func TestPolicy_Touch(t *testing.T) {
	t.Parallel()
	guard := health.Guard{LastSuccessAt: t0 - 1, Run: 7, RunHosters: 1}
	tests := []struct {
		name  string
		h     health.Hoster
		g     health.Guard
		e     health.Event
		want  health.Outcome
		wantH health.Hoster
		wantG health.Guard
	}{
		{
			"works",
			health.Hoster{ConsecutiveFails: 2, BackoffUntil: t0 + 3},
			guard,
			health.Event{Class: health.OK},
			health.Outcome{Effect: health.Recovered},
			health.Hoster{OKCount: 1, LastSuccessAt: t0},
			health.Guard{LastSuccessAt: t0, Run: 8},
		},
		{
			"fails, which is no reason to doubt the network of hosters",
			health.Hoster{},
			guard,
			health.Event{Class: health.Fail, Error: "refused"},
			health.Outcome{Effect: health.Counted, Fails: 1, Backoff: 5},
			health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0 + 5, FailCount: 1, LastFailAt: t0, LastError: "refused"},
			guard,
		},
		{
			"fails, and nothing vouches",
			health.Hoster{},
			health.Guard{LastSuccessAt: t0 - 31},
			health.Event{Class: health.Fail},
			health.Outcome{Effect: health.Unguarded},
			health.Hoster{FailCount: 1, LastFailAt: t0},
			health.Guard{LastSuccessAt: t0 - 31},
		},
		{
			"fails in its block",
			health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0 + 3},
			guard,
			health.Event{Class: health.Fail, StartedAt: t0 - 9},
			health.Outcome{Effect: health.SameIncident, Fails: 1},
			health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0 + 3, FailCount: 1},
			guard,
		},
		{
			"a fail that began in an outage",
			health.Hoster{},
			health.Guard{LastSuccessAt: t0, OutageEnd: t0},
			health.Event{Class: health.Fail, StartedAt: t0 - 1},
			health.Outcome{Effect: health.InOutage},
			health.Hoster{FailCount: 1, LastFailAt: t0},
			health.Guard{LastSuccessAt: t0, OutageEnd: t0},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h, g := tt.h, tt.g
			got := health.Sites().Touch(&h, &g, tt.e, t0)
			for what, diff := range map[string]string{
				"outcome": cmp.Diff(tt.want, got), "site": cmp.Diff(tt.wantH, h), "guard": cmp.Diff(tt.wantG, g),
			} {
				if diff != "" {
					t.Errorf("%s (-want +got):\n%s", what, diff)
				}
			}
		})
	}
}
