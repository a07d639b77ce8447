package health_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xship/sourcecache/health"
)

// table is a hoster table driven by the policy, as a store does it.
type table struct {
	g       health.Guard
	hosters []health.Hoster
	now     int64
	pending []int64 // runs of the canaries under way
}

func newTable(hosters int) *table {
	return &table{g: health.Guard{LastSuccessAt: t0}, hosters: make([]health.Hoster, hosters), now: t0}
}

// link tells whether a canary could be found, and at which hoster.
func (t *table) link() (int, bool) {
	best := -1
	for i, h := range t.hosters {
		if h.MayBeCanary(t.now) && (best < 0 || h.LastSuccessAt > t.hosters[best].LastSuccessAt) {
			best = i
		}
	}
	return best, best >= 0
}

func (t *table) undo(run int64) {
	for i := range t.hosters {
		t.hosters[i].Undo(run)
	}
}

func (t *table) ok(i int) {
	health.Hosters().Report(&t.hosters[i], &t.g, health.Event{StartedAt: t.now, Success: true, Link: "good"}, t.now)
}

func (t *table) fail(i int, startedAt int64) (health.Outcome, health.Verdict) {
	out := health.Hosters().Report(&t.hosters[i], &t.g, health.Event{StartedAt: startedAt}, t.now)
	if out.Effect != health.Counted {
		return out, health.Undecided
	}
	_, have := t.link()
	run := t.g.Run
	verdict := t.g.Decide(have, t.now)
	switch verdict {
	case health.NetworkDown:
		t.undo(run)
	case health.TestCanary:
		t.pending = append(t.pending, t.g.Run)
	case health.Undecided:
	}
	return out, verdict
}

func (t *table) endCanary(answered bool) {
	run := t.pending[0]
	t.pending = t.pending[1:]
	if t.g.EndCanary(run, answered, t.now) == health.NetworkDown {
		t.undo(run)
	}
}

func (t *table) fails() []int64 {
	fails := make([]int64, len(t.hosters))
	for i, h := range t.hosters {
		fails[i] = h.ConsecutiveFails
	}
	return fails
}

func TestGuard_outage(t *testing.T) {
	t.Parallel()
	const good, a, b, c = 0, 1, 2, 3
	fail := func(w *table, i int) { w.fail(i, w.now) }
	doubted := func(w *table) { // two hosters failed, the second one again
		w.hosters[b] = health.Hoster{ConsecutiveFails: 2, BackoffUntil: t0 - 7, FailCount: 2}
		fail(w, a)
		fail(w, b)
	}
	tests := []struct {
		name   string
		play   func(w *table)
		want   []int64 // fails by hoster
		outage bool
		asked  int // canaries under way
	}{
		{"one hoster fails", func(w *table) { fail(w, a) }, []int64{0, 1, 0, 0}, false, 0},
		{"one hoster fails often", func(w *table) { fail(w, a); w.now += 5; fail(w, a) }, []int64{0, 2, 0, 0}, false, 0},
		{"a second one fails", doubted, []int64{0, 1, 3, 0}, false, 1},
		{"a third one waits for the same canary", func(w *table) { doubted(w); fail(w, c) }, []int64{0, 1, 3, 1}, false, 1},
		{"the canary fails", func(w *table) { doubted(w); fail(w, c); w.endCanary(false) }, []int64{0, 0, 2, 0}, true, 0},
		{"its link is gone", func(w *table) { doubted(w); w.endCanary(true); fail(w, c) }, []int64{0, 1, 3, 1}, false, 0},
		{"success between", func(w *table) { fail(w, a); w.ok(good); fail(w, b) }, []int64{0, 1, 1, 0}, false, 0},
		{"success before the canary fails", func(w *table) { doubted(w); w.ok(good); w.endCanary(false) }, []int64{0, 1, 3, 0}, false, 0},
		{"cancelled canary, next fail asks again", func(w *table) {
			doubted(w)
			w.g.CancelCanary(w.pending[0])
			w.pending = nil
			fail(w, c)
		}, []int64{0, 1, 3, 1}, false, 1},
		{"canary of a process that died", func(w *table) { doubted(w); w.now += 30; fail(w, c) }, []int64{0, 1, 3, 1}, false, 2},
		{"no link to test", func(w *table) { w.hosters[good] = health.Hoster{}; doubted(w) }, []int64{0, 0, 2, 0}, true, 0},
		{"link too old", func(w *table) { w.hosters[good].LastSuccessAt = t0 - health.CanaryMaxAge - 1; doubted(w) }, []int64{0, 0, 2, 0}, true, 0},
		{"nothing counts in the outage", func(w *table) {
			doubted(w)
			w.endCanary(false)
			fail(w, a)
			fail(w, c)
			w.now += 10
			fail(w, c)
		}, []int64{0, 0, 2, 0}, true, 0},
		{"fails after the outage count", func(w *table) {
			doubted(w)
			w.endCanary(false)
			w.now += 10
			w.ok(good)
			fail(w, a)
		}, []int64{0, 1, 2, 0}, false, 0},
		{"fail begun in the outage", func(w *table) {
			doubted(w)
			w.endCanary(false)
			w.now += 10
			w.ok(good)
			w.fail(a, w.now-1)
		}, []int64{0, 0, 2, 0}, false, 0},
		{"fail begun before an outage that ends in the future", func(w *table) {
			w.g.OutageEnd = t0 + 99
			w.fail(a, w.now-1)
		}, []int64{0, 1, 0, 0}, false, 0},
		{"the last canary failed 14 s ago", func(w *table) {
			doubted(w)
			w.endCanary(false)
			w.ok(good)
			w.now += 14
			fail(w, a)
			fail(w, c)
		}, []int64{0, 0, 2, 0}, true, 0},
		{"the last canary failed 15 s ago", func(w *table) {
			doubted(w)
			w.endCanary(false)
			w.ok(good)
			w.now += 15
			fail(w, a)
			fail(w, c)
		}, []int64{0, 1, 2, 1}, false, 1},
		{"parallel fails of one incident are one hoster's", func(w *table) {
			for range 8 {
				fail(w, a)
			}
		}, []int64{0, 1, 0, 0}, false, 0},
		{"unguarded fails raise no doubt", func(w *table) {
			w.now += 31
			fail(w, a)
			fail(w, b)
		}, []int64{0, 0, 0, 0}, false, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newTable(4)
			w.ok(good)
			tt.play(w)
			if got := w.fails(); !slices.Equal(got, tt.want) || w.g.Outage != tt.outage || len(w.pending) != tt.asked {
				t.Errorf("fails %v, outage %t, %d canaries; want %v, %t, %d", got, w.g.Outage, len(w.pending), tt.want, tt.outage, tt.asked)
			}
		})
	}
}

func TestGuard_outageRestoresBlocks(t *testing.T) {
	t.Parallel()
	w := newTable(2)
	w.hosters[1] = health.Hoster{ConsecutiveFails: 6, BackoffUntil: t0 - 3, FailCount: 6, LastFailAt: t0 - 303}
	before := w.hosters[1]
	w.fail(0, t0)
	w.fail(1, t0)
	before.FailCount, before.LastFailAt = 7, t0
	if diff := cmp.Diff(before, w.hosters[1]); diff != "" {
		t.Errorf("hoster after the outage (-want +got):\n%s", diff)
	}
}

func TestPolicy_canaryThatWorks(t *testing.T) {
	t.Parallel()
	w := newTable(3)
	w.ok(0)
	w.fail(1, t0)
	w.fail(2, t0)
	health.Hosters().Report(&w.hosters[0], &w.g, health.Event{StartedAt: t0, Success: true, Canary: true}, t0)
	if got := w.fails(); !slices.Equal(got, []int64{0, 1, 1}) || !w.g.RunOK || w.hosters[0].OKCount != 2 || w.hosters[0].GoodLink != "good" {
		t.Errorf("fails %v, guard %+v, canary's hoster %+v", got, w.g, w.hosters[0])
	}
	w.now += 5
	for _, i := range []int{1, 2} {
		if _, verdict := w.fail(i, w.now); verdict != health.Undecided {
			t.Errorf("hoster %d: verdict %v after a canary that worked", i, verdict)
		}
	}
	w.ok(0)
	w.now += 10
	w.fail(1, w.now)
	if _, verdict := w.fail(2, w.now); verdict != health.TestCanary {
		t.Errorf("verdict %v in the next run, want another canary", verdict)
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
	}{
		{"healthy", health.Hoster{}, false, true, 0},
		{"failed before", failed, false, true, t0 + 30},
		{"blocked", blocked, false, false, 0},
		{"blocked, forced", blocked, true, true, t0 + 30},
		{"leased", leased, false, false, t0 + 8},
		{"leased, forced", leased, true, true, t0 + 8},
		{"impossible lease", health.Hoster{ConsecutiveFails: 1, LeaseUntil: t0 + 99}, false, true, t0 + 30},
		{"lease of a process that died", health.Hoster{ConsecutiveFails: 1, LeaseUntil: t0}, false, true, t0 + 30},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := tt.h
			if got := health.Hosters().Begin(&h, tt.force, "mine", t0); got != tt.want || h.LeaseUntil != tt.lease {
				t.Errorf("begun %t, leased until %d; want %t, %d", got, h.LeaseUntil, tt.want, tt.lease)
			}
		})
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

// outageModel is the outage memory once more, over the history of what counted.
type outageModel struct {
	fails   [][]modelFail // by hoster, since its last success
	success []int64       // by hoster, the last one with a link
	last    int64         // success of anybody
	sure    bool          // a canary answered in this run
	down    bool
	downEnd int64
	canary  int64 // when the one under way was asked for, 0 = none
	run     int
	bad     int64 // when a canary failed
}

type modelFail struct {
	at, step int64
	run      int // in which it is provisional, -1: final
}

func (m *outageModel) until(i int, now int64) int64 {
	f := m.fails[i]
	if len(f) == 0 {
		return 0
	}
	last := f[len(f)-1]
	if until := last.at + last.step; until <= now+last.step+1 {
		return until
	}
	return 0
}

func (m *outageModel) endRun() {
	for i := range m.fails {
		for j := range m.fails[i] {
			m.fails[i][j].run = -1
		}
	}
	m.run++
	m.canary, m.sure = 0, false
}

func (m *outageModel) ok(i int, now int64) {
	m.fails[i], m.success[i], m.last = nil, now, now
	if m.down {
		m.down, m.downEnd = false, now
	}
	m.endRun()
}

func (m *outageModel) outage() {
	for i, fails := range m.fails {
		m.fails[i] = slices.DeleteFunc(fails, func(f modelFail) bool { return f.run == m.run })
	}
	m.down = true
	m.endRun()
}

// fail reports one and tells whether a canary is asked for.
func (m *outageModel) fail(i int, begun, now int64) bool {
	age := now - m.last
	if begun < m.until(i, now) || m.down || begun < m.downEnd && m.downEnd <= now || age < 0 || age > 30 {
		return false
	}
	steps := []int64{5, 10, 20, 30, 60, 300, 3600}
	run := m.run
	if m.sure {
		run = -1
	}
	m.fails[i] = append(m.fails[i], modelFail{at: now, step: steps[min(len(m.fails[i]), 6)], run: run})
	failed := 0
	link := false
	for j, fails := range m.fails {
		if slices.ContainsFunc(fails, func(f modelFail) bool { return f.run == m.run }) {
			failed++
		}
		age := now - m.success[j]
		link = link || len(fails) == 0 && m.success[j] != 0 && 0 <= age && age <= 86400
	}
	waiting := m.canary != 0 && now >= m.canary && now-m.canary < 30
	switch {
	case failed < 2 || m.sure || waiting:
		return false
	case !link || m.bad <= now && now-m.bad < 15:
		m.outage()
		return false
	default:
		m.canary = now
		return true
	}
}

// FuzzGuard plays reports of four hosters and ends of canaries, under a clock
// that may jump both ways, against the model. Each step takes three bytes: what
// happens, at which hoster and how the clock moved.
func FuzzGuard(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 1, 0, 0, 2, 0, 3, 0, 0})
	f.Add([]byte{1, 0, 0, 0, 1, 0, 0, 2, 0, 2, 0, 1, 0, 3, 5, 1, 0, 0, 0, 2, 0, 0, 3, 0})
	f.Add([]byte{0, 1, 1, 0, 2, 1, 1, 0, 20, 0, 1, 0, 0, 2, 0, 4, 0, 3, 0, 3, 0})
	f.Add([]byte{1, 0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 31, 1, 0, 9, 8, 1, 2, 0, 1, 3})
	f.Fuzz(func(t *testing.T, script []byte) {
		const hosters = 4
		w := newTable(hosters)
		m := &outageModel{fails: make([][]modelFail, hosters), success: make([]int64, hosters), last: t0}
		for len(script) >= 3 {
			what, i, move := script[0]%9, int(script[1])%hosters, int64(script[2])
			script = script[3:]
			w.now += move % 64
			if move >= 250 {
				w.now -= 7200 * (move - 249)
			}
			switch what {
			case 1:
				w.ok(i)
				m.ok(i, w.now)
			case 2, 3:
				if len(w.pending) == 0 {
					break
				}
				stale := int(w.pending[0]) != int(w.g.Run)
				w.endCanary(what == 3)
				switch {
				case stale:
				case what == 3:
					m.endRun()
					m.sure = true
				default:
					m.bad = w.now
					m.outage()
				}
			default:
				begun := w.now - int64(what)*3
				_, verdict := w.fail(i, begun)
				if asked := m.fail(i, begun, w.now); asked != (verdict == health.TestCanary) {
					t.Fatalf("at %d: verdict %v, the model asks for a canary: %t", w.now-t0, verdict, asked)
				}
			}
			if w.g.Outage != m.down || w.g.LastSuccessAt != m.last {
				t.Fatalf("at %d: outage %t, last success %d; model has %t, %d", w.now-t0, w.g.Outage, w.g.LastSuccessAt-t0, m.down, m.last-t0)
			}
			for i, h := range w.hosters {
				if h.ConsecutiveFails != int64(len(m.fails[i])) || health.Hosters().Until(h, w.now) != m.until(i, w.now) {
					t.Fatalf("at %d: hoster %d has %d fails, blocked until %d; model has %d, %d", w.now-t0, i,
						h.ConsecutiveFails, health.Hosters().Until(h, w.now)-t0, len(m.fails[i]), m.until(i, w.now)-t0)
				}
			}
		}
	})
}
