package sourcecache_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/sourcecache"
	"xship/sources"
	"xship/sources/link"
)

// begin begins an attempt that must be allowed.
func (s *store) begin(tb testing.TB, hoster string) sources.Attempt {
	tb.Helper()
	a, ok, err := s.BeginAttempt(tb.Context(), hoster, "https://"+hoster+"/x", false)
	must(tb, err)
	if !ok {
		tb.Fatalf("no attempt at %s was allowed", hoster)
	}
	return a
}

func (s *store) end(tb testing.TB, a sources.Attempt, class sources.Class) *sources.Canary {
	tb.Helper()
	canary, err := s.EndAttempt(tb.Context(), a, class, string(class))
	must(tb, err)
	return canary
}

// endCanary tells what became of a canary and gives the next one.
func (s *store) endCanary(tb testing.TB, c *sources.Canary, class sources.Class) *sources.Canary {
	tb.Helper()
	next, err := s.EndCanary(tb.Context(), *c, class)
	must(tb, err)
	return next
}

// attempt makes one attempt of the given outcome.
func (s *store) attempt(tb testing.TB, hoster string, class sources.Class) *sources.Canary {
	tb.Helper()
	return s.end(tb, s.begin(tb, hoster), class)
}

func (s *store) network(tb testing.TB) sources.NetworkState {
	tb.Helper()
	g, err := s.Guard(tb.Context())
	must(tb, err)
	return g.Network
}

// fails writes the consecutive fails of hosters as "a 1, b 2".
func (s *store) fails(tb testing.TB) string {
	tb.Helper()
	return strings.Join(s.query(tb, `SELECT name || ' ' || consecutive_fails FROM hoster WHERE consecutive_fails > 0 ORDER BY name`), ", ")
}

func TestDB_EndAttempt_ladder(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	for i, seconds := range []int{5, 10, 20, 30, 60, 300, 3600, 3600} {
		s.attempt(t, "good", sources.ClassOK)
		if canary := s.attempt(t, "bad", sources.ClassHosterFault); canary != nil {
			t.Fatalf("one hoster that fails raised a doubt: %+v", canary)
		}
		h := s.hoster(t, "bad")
		if block := h.BackoffUntil.Sub(s.clock.Now()); h.ConsecutiveFails != i+1 || block != time.Duration(seconds)*time.Second {
			t.Errorf("fail %d: %d consecutive fails, blocked for %v, want %d s", i+1, h.ConsecutiveFails, block, seconds)
		}
		s.clock.Advance(time.Duration(seconds) * time.Second)
	}
	s.attempt(t, "good", sources.ClassOK)
	s.attempt(t, "bad", sources.ClassOK)
	if got := s.fails(t); got != "" {
		t.Errorf("fails after a success: %s", got)
	}
	if got := strings.Count(s.log.String(), "[xShip-Backoff] bad: "); got != 5 {
		t.Errorf("%d lines of the 4th to 8th fail:\n%s", got, s.log)
	}
}

func TestDB_EndAttempt_classes(t *testing.T) {
	t.Parallel()
	for class, want := range map[sources.Class]sources.HosterHealth{
		sources.ClassOK:          {OKCount: 1},
		sources.ClassHosterFault: {ConsecutiveFails: 2, FailCount: 2},
		sources.ClassDeadLink:    {ConsecutiveFails: 1, FailCount: 1},
		sources.ClassUnsupported: {ConsecutiveFails: 1, FailCount: 1},
		sources.ClassCancelled:   {ConsecutiveFails: 1, FailCount: 1},
		sources.ClassBug:         {ConsecutiveFails: 1, FailCount: 1},
	} {
		t.Run(string(class), func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			s.attempt(t, "good", sources.ClassOK)
			s.attempt(t, "bad", sources.ClassHosterFault)
			s.clock.Advance(5 * time.Second)
			s.attempt(t, "bad", class)
			if class == sources.ClassOK {
				want.FailCount = 1
			}
			h := s.hoster(t, "bad")
			if h.ConsecutiveFails != want.ConsecutiveFails || h.OKCount != want.OKCount || h.FailCount != want.FailCount {
				t.Errorf("%+v, want fails %d, ok %d, fail %d", h, want.ConsecutiveFails, want.OKCount, want.FailCount)
			}
			// Any class gives the lease back.
			if class != sources.ClassHosterFault {
				s.begin(t, "bad")
			}
		})
	}
}

func TestDB_BeginAttempt_oneAtATime(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	s.fail(t, "bad", 1)
	handles := []*sourcecache.DB{s.DB, s.open(t)}
	count := func() int64 {
		var begun atomic.Int64
		var wg sync.WaitGroup
		for i := range 50 {
			wg.Go(func() {
				_, ok, err := handles[i%2].BeginAttempt(t.Context(), "bad", "x", false)
				if err != nil {
					t.Error(err)
				}
				if ok {
					begun.Add(1)
				}
			})
		}
		wg.Wait()
		return begun.Load()
	}
	for _, step := range []struct {
		after time.Duration
		want  int64
		why   string
	}{
		{4 * time.Second, 0, "in the block"},
		{time.Second, 1, "at its end"},
		{29 * time.Second, 0, "while the holder of the lease may live"},
		{time.Second, 1, "after a holder that died"},
	} {
		s.clock.Advance(step.after)
		if got := count(); got != step.want {
			t.Errorf("%d of 50 attempts allowed %s, want %d", got, step.why, step.want)
		}
	}
	if available, err := s.HosterAvailable(t.Context(), "bad", 0); err != nil || available {
		t.Errorf("available %t, %v while leased", available, err)
	}
	if _, ok, err := s.BeginAttempt(t.Context(), "bad", "x", true); err != nil || !ok {
		t.Errorf("forced attempt: %t, %v", ok, err)
	}
	for range 50 {
		s.begin(t, "good") // healthy hosters take as many as come
	}
}

// TestDB_EndAttempt_ofTheSameSecond has a forced attempt beside one that has the
// lease, by this and another process: it does not give that back.
func TestDB_EndAttempt_ofTheSameSecond(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	s.fail(t, "bad", 1)
	s.clock.Advance(5 * time.Second)
	holder := s.begin(t, "bad")
	for name, db := range map[string]*sourcecache.DB{"this process": s.DB, "another process": s.open(t)} {
		for range 3 {
			forced, ok, err := db.BeginAttempt(t.Context(), "bad", holder.Link, true)
			if err != nil || !ok || forced.Started.Unix() != holder.Started.Unix() {
				t.Fatalf("forced attempt %+v, %t, %v", forced, ok, err)
			}
			if _, err := db.EndAttempt(t.Context(), forced, sources.ClassDeadLink, ""); err != nil {
				t.Fatal(err)
			}
			if available, err := s.HosterAvailable(t.Context(), "bad", 0); err != nil || available {
				t.Errorf("available %t, %v: an attempt of %s gave back the lease of another", available, err, name)
			}
		}
	}
	s.end(t, holder, sources.ClassDeadLink)
	if available, err := s.HosterAvailable(t.Context(), "bad", 0); err != nil || !available {
		t.Errorf("available %t, %v after the holder's end", available, err)
	}
}

func TestDB_Attempts_untracked(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	for _, name := range []string{"", link.HosterLocal} {
		s.attempt(t, name, sources.ClassOK)
		s.attempt(t, name, sources.ClassHosterFault)
	}
	if all, err := s.Hosters(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("hosters %v, %v; want none", all, err)
	}
}

func TestDB_outage(t *testing.T) {
	t.Parallel()
	doubted := func(t *testing.T) (*store, *sources.Canary) {
		s := newStore(t)
		s.attempt(t, "older", sources.ClassOK)
		s.clock.Advance(time.Second)
		s.attempt(t, "good", sources.ClassOK)
		s.clock.Advance(10 * time.Second)
		s.attempt(t, "a", sources.ClassHosterFault)
		canary := s.attempt(t, "b", sources.ClassHosterFault)
		want := &sources.Canary{Hoster: "good", Link: "https://good/x"}
		if canary != nil {
			want.ID = canary.ID
		}
		if diff := cmp.Diff(want, canary); diff != "" {
			t.Fatalf("canary (-want +got):\n%s", diff)
		}
		if again := s.attempt(t, "c", sources.ClassHosterFault); again != nil {
			t.Errorf("a second canary beside the first: %+v", again)
		}
		if got := s.network(t); got != sources.NetworkSuspect {
			t.Errorf("network %s, want suspect", got)
		}
		return s, canary
	}
	tests := []struct {
		class   sources.Class
		fails   string
		network sources.NetworkState
		okCount int64
	}{
		{sources.ClassOK, "a 1, b 1, c 1", sources.NetworkOK, 2},
		{sources.ClassDeadLink, "", sources.NetworkOutage, 1},
		{sources.ClassHosterFault, "", sources.NetworkOutage, 1},
		{sources.ClassCancelled, "a 1, b 1, c 1", sources.NetworkSuspect, 1},
		{sources.ClassBug, "a 1, b 1, c 1", sources.NetworkSuspect, 1},
	}
	for _, tt := range tests {
		t.Run(string(tt.class), func(t *testing.T) {
			t.Parallel()
			s, canary := doubted(t)
			for canary != nil {
				canary = s.endCanary(t, canary, tt.class)
			}
			if got := s.fails(t); got != tt.fails {
				t.Errorf("fails %q, want %q", got, tt.fails)
			}
			if got := s.network(t); got != tt.network {
				t.Errorf("network %s, want %s", got, tt.network)
			}
			if h := s.hoster(t, "good"); !h.Healthy() || h.FailCount != 0 || h.OKCount != tt.okCount {
				t.Errorf("the canary's hoster: %+v", h)
			}
		})
	}

	t.Run("nothing counts until a success", func(t *testing.T) {
		t.Parallel()
		s, canary := doubted(t)
		for canary != nil {
			canary = s.endCanary(t, canary, sources.ClassHosterFault)
		}
		early := s.begin(t, "a")
		for _, name := range []string{"a", "b", "c", "d"} {
			if c := s.attempt(t, name, sources.ClassHosterFault); c != nil {
				t.Errorf("canary in the outage: %+v", c)
			}
		}
		s.clock.Advance(time.Second)
		s.attempt(t, "good", sources.ClassOK)
		s.end(t, early, sources.ClassHosterFault)
		if got := s.fails(t); got != "" {
			t.Errorf("fails %q, want none", got)
		}
		s.attempt(t, "a", sources.ClassHosterFault)
		if got := s.fails(t); got != "a 1" {
			t.Errorf("fails after the outage %q, want those of a", got)
		}
		for _, line := range []string{"the network seems to be down", "the network is back"} {
			if strings.Count(s.log.String(), line) != 1 {
				t.Errorf("%q should be logged once:\n%s", line, s.log)
			}
		}
	})

	t.Run("no link to test", func(t *testing.T) {
		t.Parallel()
		s := newStore(t)
		s.touch(t, "good", true) // without a link
		s.attempt(t, "a", sources.ClassHosterFault)
		if c := s.attempt(t, "b", sources.ClassHosterFault); c != nil || s.network(t) != sources.NetworkOutage || s.fails(t) != "" {
			t.Errorf("canary %+v, network %s, fails %q", c, s.network(t), s.fails(t))
		}
	})

	t.Run("no link to test it by", func(t *testing.T) {
		t.Parallel()
		s := newStore(t)
		s.attempt(t, "a", sources.ClassHosterFault)
		s.attempt(t, "b", sources.ClassHosterFault)
		if c, err := s.TestOutage(t.Context(), true); c != nil || err != nil || s.network(t) == sources.NetworkOutage {
			t.Errorf("test %+v, %v, network %s", c, err, s.network(t))
		}
		if got := s.log.String(); strings.Count(got, "no link is known") != 1 {
			t.Errorf("it says %s", got)
		}
	})

	t.Run("plain touches decide nothing", func(t *testing.T) {
		t.Parallel()
		s := newStore(t)
		s.touch(t, "good", true)
		s.touch(t, "a", false)
		s.touch(t, "b", false)
		if s.network(t) != sources.NetworkSuspect || s.fails(t) != "a 1, b 1" {
			t.Errorf("network %s, fails %q", s.network(t), s.fails(t))
		}
		// An attempt that fails next decides for all.
		s.attempt(t, "c", sources.ClassHosterFault)
		if s.network(t) != sources.NetworkOutage || s.fails(t) != "" {
			t.Errorf("network %s, fails %q", s.network(t), s.fails(t))
		}
	})

	t.Run("old fails come back", func(t *testing.T) {
		t.Parallel()
		s := newStore(t)
		s.fail(t, "a", 3)
		s.clock.Advance(20 * time.Second)
		s.attempt(t, "good", sources.ClassOK)
		s.attempt(t, "a", sources.ClassHosterFault)
		canary := s.attempt(t, "b", sources.ClassHosterFault)
		if got := s.fails(t); got != "a 4, b 1" {
			t.Errorf("fails %q before the verdict", got)
		}
		s.endCanary(t, canary, sources.ClassHosterFault)
		if got := s.fails(t); got != "a 3" {
			t.Errorf("fails %q after it, want those of before", got)
		}
		if available, err := s.HosterAvailable(t.Context(), "a", 0); err != nil || !available {
			t.Errorf("available %t, %v; its old block was over", available, err)
		}
	})
}

// TestDB_allHostersDead is what a dead line looks like: cycle after cycle
// everything fails, and nothing is counted after the first moments.
func TestDB_allHostersDead(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	for i := range 5 {
		s.attempt(t, fmt.Sprint("hoster", i), sources.ClassOK)
	}
	s.clock.Advance(31 * time.Second)
	asked := 0
	for range 20 {
		for i := range 5 {
			for c := s.attempt(t, fmt.Sprint("hoster", i), sources.ClassHosterFault); c != nil; asked++ {
				c = s.endCanary(t, c, sources.ClassHosterFault)
			}
		}
		s.clock.Advance(time.Minute)
	}
	if got := s.fails(t); got != "" {
		t.Errorf("counted: %s", got)
	}
	if got := s.network(t); got != sources.NetworkOutage || asked != 3 {
		t.Errorf("network %s after %d canaries, want an outage after three", got, asked)
	}
}

// TestDB_attemptsAndStore plays sources.Attempts on the store.
func TestDB_attemptsAndStore(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	fault := sources.Errorf(sources.ClassHosterFault, "connection refused")
	var checked []string
	up := true
	attempts := &sources.Attempts{Store: s, Check: func(_ context.Context, link string) error {
		checked = append(checked, link)
		if up {
			return nil
		}
		return fault
	}}
	do := func(hoster string, err error) {
		_ = attempts.Do(t.Context(), sources.Source{Hoster: hoster, URL: "https://" + hoster + "/f"}, false, func(context.Context) error { return err })
	}
	do("good", nil)
	do("a", fault)
	do("b", fault)
	if got := s.fails(t); got != "a 1, b 1" || len(checked) != 1 || checked[0] != "https://good/f" {
		t.Errorf("fails %q, tested %q", got, checked)
	}
	do("good", nil)
	up = false
	s.clock.Advance(5 * time.Second)
	do("a", fault)
	do("b", fault)
	if got := s.fails(t); got != "a 1, b 1" || s.network(t) != sources.NetworkOutage {
		t.Errorf("fails %q, network %s", got, s.network(t))
	}
}

func TestDB_Guard(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	check := func(want sources.NetworkState, at time.Time) {
		t.Helper()
		got, err := s.Guard(t.Context())
		must(t, err)
		if diff := cmp.Diff(sources.GuardState{LastSuccessAt: at, Network: want}, got); diff != "" {
			t.Errorf("guard (-want +got):\n%s", diff)
		}
	}
	check(sources.NetworkUnknown, time.Time{})
	at := s.clock.Now()
	s.attempt(t, "good", sources.ClassOK)
	s.clock.Advance(30 * time.Second)
	check(sources.NetworkOK, at)
	s.clock.Advance(time.Second)
	check(sources.NetworkUnknown, at)
	s.exec(t, `DELETE FROM guard`)
	check(sources.NetworkUnknown, time.Time{})
	at = s.clock.Now()
	s.attempt(t, "good", sources.ClassOK)
	check(sources.NetworkOK, at)
}
