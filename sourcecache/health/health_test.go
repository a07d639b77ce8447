package health_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

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

func TestPolicy_Report(t *testing.T) {
	t.Parallel()
	fresh := health.Guard{LastSuccessAt: t0 - 1}
	fail := health.Event{Error: "refused"}
	tests := []struct {
		name      string
		h         health.Hoster
		g         health.Guard
		a         health.Event
		want      health.Outcome
		wantH     health.Hoster
		wantGuard int64
	}{
		{
			name:      "first success",
			a:         health.Event{Success: true},
			want:      health.Outcome{Effect: health.Recovered},
			wantH:     health.Hoster{OKCount: 1, LastSuccessAt: t0},
			wantGuard: t0,
		},
		{
			name:      "success inside a block, begun before it",
			h:         health.Hoster{ConsecutiveFails: 7, BackoffUntil: t0 + 3600, OKCount: 2, FailCount: 9, LastFailAt: t0, LastError: "refused"},
			g:         fresh,
			a:         health.Event{Success: true, StartedAt: t0 - 9},
			want:      health.Outcome{Effect: health.Recovered},
			wantH:     health.Hoster{OKCount: 3, FailCount: 9, LastSuccessAt: t0, LastFailAt: t0, LastError: "refused"},
			wantGuard: t0,
		},
		{
			name:      "first fail",
			g:         fresh,
			a:         fail,
			want:      health.Outcome{Effect: health.Counted, Fails: 1, Backoff: 5},
			wantH:     health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0 + 5, FailCount: 1, LastFailAt: t0, LastError: "refused"},
			wantGuard: t0 - 1,
		},
		{
			name:  "fail in a new database",
			a:     fail,
			want:  health.Outcome{Effect: health.Unguarded},
			wantH: health.Hoster{FailCount: 1, LastFailAt: t0, LastError: "refused"},
		},
		{
			name:      "fail 31 s after the last success",
			h:         health.Hoster{ConsecutiveFails: 2, BackoffUntil: t0 - 1, FailCount: 2},
			g:         health.Guard{LastSuccessAt: t0 - 31},
			a:         fail,
			want:      health.Outcome{Effect: health.Unguarded, Fails: 2},
			wantH:     health.Hoster{ConsecutiveFails: 2, BackoffUntil: t0 - 1, FailCount: 3, LastFailAt: t0, LastError: "refused"},
			wantGuard: t0 - 31,
		},
		{
			name:      "fail of the same incident",
			h:         health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0 + 3, FailCount: 1, LastFailAt: t0 - 2, LastError: "timeout"},
			g:         fresh,
			a:         health.Event{StartedAt: t0 - 9, Error: "refused"},
			want:      health.Outcome{Effect: health.SameIncident, Fails: 1},
			wantH:     health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0 + 3, FailCount: 2, LastFailAt: t0 - 2, LastError: "timeout"},
			wantGuard: t0 - 1,
		},
		{
			name:      "begun inside the block, ended after it",
			h:         health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0 - 3, FailCount: 1},
			g:         fresh,
			a:         health.Event{StartedAt: t0 - 4},
			want:      health.Outcome{Effect: health.SameIncident, Fails: 1},
			wantH:     health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0 - 3, FailCount: 2},
			wantGuard: t0 - 1,
		},
		{
			name:      "begun as the block ended",
			h:         health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0 - 3, FailCount: 1},
			g:         fresh,
			a:         health.Event{StartedAt: t0 - 3, Error: "refused"},
			want:      health.Outcome{Effect: health.Counted, Fails: 2, Backoff: 10},
			wantH:     health.Hoster{ConsecutiveFails: 2, BackoffUntil: t0 + 10, FailCount: 2, LastFailAt: t0, LastError: "refused"},
			wantGuard: t0 - 1,
		},
		{
			name:      "begun in the future stands for now",
			h:         health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0 + 5, FailCount: 1},
			g:         fresh,
			a:         health.Event{StartedAt: t0 + 99},
			want:      health.Outcome{Effect: health.SameIncident, Fails: 1},
			wantH:     health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0 + 5, FailCount: 2},
			wantGuard: t0 - 1,
		},
		{
			name:      "an impossible block hides no fail",
			h:         health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0 + 3600, FailCount: 1},
			g:         fresh,
			a:         fail,
			want:      health.Outcome{Effect: health.Counted, Fails: 2, Backoff: 10},
			wantH:     health.Hoster{ConsecutiveFails: 2, BackoffUntil: t0 + 10, FailCount: 2, LastFailAt: t0, LastError: "refused"},
			wantGuard: t0 - 1,
		},
		{
			name:      "guard in the future",
			g:         health.Guard{LastSuccessAt: t0 + 1},
			a:         fail,
			want:      health.Outcome{Effect: health.Unguarded},
			wantH:     health.Hoster{FailCount: 1, LastFailAt: t0, LastError: "refused"},
			wantGuard: t0 + 1,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h, g := tt.h, tt.g
			got := health.Policy{Max: 3600}.Report(&h, &g, tt.a, t0)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("outcome (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.wantH, h); diff != "" {
				t.Errorf("hoster (-want +got):\n%s", diff)
			}
			if g.LastSuccessAt != tt.wantGuard {
				t.Errorf("guard at %d, want %d", g.LastSuccessAt, tt.wantGuard)
			}
		})
	}
}

func TestPolicy_Report_parallelFailsCountOnce(t *testing.T) {
	t.Parallel()
	h, g := health.Hoster{}, health.Guard{LastSuccessAt: t0}
	for i := range int64(8) {
		health.Hosters().Report(&h, &g, health.Event{StartedAt: t0}, t0+1+i/4)
	}
	want := health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0 + 6, FailCount: 8, LastFailAt: t0 + 1, FailRun: 1}
	if diff := cmp.Diff(want, h); diff != "" {
		t.Errorf("hoster (-want +got):\n%s", diff)
	}
}

// model is the policy once more, as plainly as the document puts it, over the
// history of everything reported.
type model struct {
	max     int64
	counted []int64 // when the fails since the last success were counted
	success int64   // the last one
	ok, bad int64
}

func (m *model) until(now int64) int64 {
	if len(m.counted) == 0 {
		return 0
	}
	steps := []int64{5, 10, 20, 30, 60, 300, 3600}
	step := min(steps[min(len(m.counted), len(steps))-1], m.max)
	until := m.counted[len(m.counted)-1] + step
	if until > now+step+1 {
		return 0
	}
	return until
}

func (m *model) report(success bool, begun, now int64) {
	if success {
		m.counted, m.success = nil, now
		m.ok++
		return
	}
	m.bad++
	age := now - m.success
	if m.success == 0 || age < 0 || age > 30 || begun < m.until(now) {
		return
	}
	m.counted = append(m.counted, now)
}

// FuzzPolicy_Report plays any sequence of reports, under a clock that may jump
// both ways, against the model. Each report takes three bytes: what happened,
// how the clock moved and how long the attempt took.
func FuzzPolicy_Report(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 1, 0, 0, 5, 0, 0, 10, 0}, false)
	f.Add([]byte{1, 0, 0, 0, 1, 9, 0, 1, 9, 0, 20, 1, 1, 0, 0}, true)
	f.Add([]byte{1, 0, 0, 0, 1, 0, 4, 200, 0, 0, 1, 0}, false)
	f.Add([]byte{1, 0, 0, 0, 31, 0, 1, 0, 0, 0, 30, 0, 8, 255, 0, 1, 0, 0, 0, 2, 0}, false)
	f.Fuzz(func(t *testing.T, script []byte, site bool) {
		p := health.Hosters()
		if site {
			p = health.Sites()
		}
		h, g, m, now := health.Hoster{}, health.Guard{}, model{max: p.Max}, int64(t0)
		for len(script) >= 3 {
			what, move, took := script[0], int64(script[1]), int64(script[2])
			script = script[3:]
			switch {
			case what&4 != 0:
				now -= move * 20
			case what&8 != 0:
				now += move * 20
			default:
				now += move
			}
			a := health.Event{Success: what&1 != 0, StartedAt: now - took}
			out := p.Report(&h, &g, a, now)
			m.report(a.Success, a.StartedAt, now)

			if h.ConsecutiveFails != int64(len(m.counted)) || h.Healthy() != (len(m.counted) == 0) {
				t.Fatalf("at %d: %d consecutive fails, model has %d", now-t0, h.ConsecutiveFails, len(m.counted))
			}
			if got, want := p.Until(h, now), m.until(now); got != want {
				t.Fatalf("at %d: blocked until %d, model says %d", now-t0, got-t0, want-t0)
			}
			if h.OKCount != m.ok || h.FailCount != m.bad || g.LastSuccessAt != m.success {
				t.Fatalf("at %d: ok %d, fail %d, guard %d; model has %d, %d, %d", now-t0, h.OKCount, h.FailCount, g.LastSuccessAt, m.ok, m.bad, m.success)
			}
			if out.Effect == health.Counted && (p.Available(h, 0, now) || !p.Available(h, 0, now+out.Backoff)) {
				t.Fatalf("at %d: a counted fail must block for exactly %d s", now-t0, out.Backoff)
			}
			if p.Until(h, now) > now+p.Max+1 {
				t.Fatalf("at %d: blocked until %d, longer than %d s", now-t0, p.Until(h, now)-t0, p.Max)
			}
		}
	})
}

func BenchmarkPolicy_Report(b *testing.B) {
	p, h, g := health.Hosters(), health.Hoster{}, health.Guard{LastSuccessAt: t0}
	b.ReportAllocs()
	for b.Loop() {
		p.Report(&h, &g, health.Event{StartedAt: t0}, t0)
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
