package sourcecache_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/sourcecache"
	"xship/sources"
)

func (s *store) hoster(tb testing.TB, name string) sources.HosterHealth {
	tb.Helper()
	all, err := s.Hosters(tb.Context())
	must(tb, err)
	i := slices.IndexFunc(all, func(h sources.HosterHealth) bool { return h.Name == name })
	if i < 0 {
		return sources.HosterHealth{}
	}
	return all[i]
}

func (s *store) touch(tb testing.TB, name string, success bool) {
	tb.Helper()
	must(tb, s.HosterTouch(tb.Context(), name, success))
}

// fail makes name fail n times, each after the end of its block, while the
// network is known to be up.
func (s *store) fail(tb testing.TB, name string, n int) {
	tb.Helper()
	for range n {
		if until := s.hoster(tb, name).BackoffUntil; until.After(s.clock.Now()) {
			s.clock.Advance(until.Sub(s.clock.Now()))
		}
		s.touch(tb, "up.example", true)
		s.touch(tb, name, false)
	}
}

func TestDB_HosterTouch_ladder(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	for i, seconds := range []int{5, 10, 20, 30, 60, 300, 3600, 3600} {
		s.fail(t, "bad.example", 1)
		h := s.hoster(t, "bad.example")
		if h.ConsecutiveFails != i+1 || h.BackoffUntil.Sub(s.clock.Now()) != time.Duration(seconds)*time.Second {
			t.Errorf("fail %d: %d consecutive fails, blocked for %v, want %d s", i+1, h.ConsecutiveFails, h.BackoffUntil.Sub(s.clock.Now()), seconds)
		}
		if healthy, err := s.HosterHealthy(t.Context(), "bad.example"); err != nil || healthy {
			t.Errorf("fail %d: healthy %t, %v", i+1, healthy, err)
		}
	}
	want := `level=WARN msg="[xShip-Backoff] bad.example: 4 consecutive fails, backoff 30s"
level=WARN msg="[xShip-Backoff] bad.example: 5 consecutive fails, backoff 60s"
level=WARN msg="[xShip-Backoff] bad.example: 6 consecutive fails, backoff 300s"
level=WARN msg="[xShip-Backoff] bad.example: 7 consecutive fails, backoff 3600s"
level=WARN msg="[xShip-Backoff] bad.example: 8 consecutive fails, backoff 3600s"
`
	if diff := cmp.Diff(want, s.log.String()); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}

	s.touch(t, "bad.example", true)
	h := s.hoster(t, "bad.example")
	if !h.Healthy() || !h.BackoffUntil.IsZero() || h.OKCount != 1 || h.FailCount != 8 {
		t.Errorf("after a success: %+v", h)
	}
}

func TestDB_HosterTouch_guard(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	s.touch(t, "bad.example", false)
	want := sources.HosterHealth{Name: "bad.example", FailCount: 1, LastFailAt: s.clock.Now()}
	if diff := cmp.Diff(want, s.hoster(t, "bad.example")); diff != "" {
		t.Errorf("fail before the first success (-want +got):\n%s", diff)
	}
	if at, err := s.LastSuccessAt(t.Context()); err != nil || !at.IsZero() {
		t.Errorf("last success %v, %v; want none", at, err)
	}

	// Another process succeeds: its success vouches for this one too.
	must(t, s.open(t).HosterTouch(t.Context(), "good.example", true))
	if at, err := s.LastSuccessAt(t.Context()); err != nil || !at.Equal(s.clock.Now()) {
		t.Errorf("last success %v, %v; want now", at, err)
	}
	s.clock.Advance(31 * time.Second)
	s.touch(t, "bad.example", false)
	if n := s.hoster(t, "bad.example").ConsecutiveFails; n != 0 {
		t.Errorf("31 s after the last success: %d consecutive fails, want 0", n)
	}
	s.clock.Advance(-time.Second)
	s.touch(t, "bad.example", false)
	if n := s.hoster(t, "bad.example").ConsecutiveFails; n != 1 {
		t.Errorf("30 s after the last success: %d consecutive fails, want 1", n)
	}
	s.clock.Advance(-time.Hour)
	s.touch(t, "worse.example", false)
	if n := s.hoster(t, "worse.example").ConsecutiveFails; n != 0 {
		t.Errorf("last success in the future: %d consecutive fails, want 0", n)
	}
}

func TestDB_HosterTouch_insideBlock(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	s.fail(t, "bad.example", 1)
	before := s.hoster(t, "bad.example")
	s.clock.Advance(4 * time.Second)
	s.touch(t, "bad.example", false)
	before.FailCount++
	if diff := cmp.Diff(before, s.hoster(t, "bad.example")); diff != "" {
		t.Errorf("fail inside the block (-want +got):\n%s", diff)
	}
}

func TestDB_EndAttempt_parallelFails(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	s.touch(t, "up.example", true)
	started := s.clock.Now()
	s.clock.Advance(3 * time.Second)
	for range 8 {
		_, err := s.EndAttempt(t.Context(), sources.Attempt{Hoster: "bad.example", Started: started}, sources.ClassHosterFault, "connection refused")
		must(t, err)
	}
	want := sources.HosterHealth{
		Name: "bad.example", ConsecutiveFails: 1, BackoffUntil: s.clock.Now().Add(5 * time.Second),
		FailCount: 8, LastFailAt: s.clock.Now(), LastError: "connection refused", Provisional: true,
	}
	if diff := cmp.Diff(want, s.hoster(t, "bad.example")); diff != "" {
		t.Errorf("eight parallel fails (-want +got):\n%s", diff)
	}
}

func TestDB_HosterTouch_untracked(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	for _, name := range []string{"", "local"} {
		s.touch(t, name, true)
		s.touch(t, name, false)
		healthy, err := s.HosterHealthy(t.Context(), name)
		must(t, err)
		available, err := s.HosterAvailable(t.Context(), name, time.Hour)
		must(t, err)
		if !healthy || !available {
			t.Errorf("hoster %q: healthy %t, available %t", name, healthy, available)
		}
	}
	if all, err := s.Hosters(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("hosters %v, %v; want none", all, err)
	}
	if at, err := s.LastSuccessAt(t.Context()); err != nil || !at.IsZero() {
		t.Errorf("last success %v, %v; want none", at, err)
	}
}

func TestDB_HosterAvailable(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	s.fail(t, "bad.example", 2) // blocked for 10 s
	tests := []struct {
		after, cooldown time.Duration
		want            bool
	}{
		{0, 0, false},
		{9 * time.Second, 0, false},
		{10 * time.Second, 0, true},
		{10 * time.Second, 60 * time.Second, false},
		{59 * time.Second, 60 * time.Second, false},
		{60 * time.Second, 60 * time.Second, true},
		{60 * time.Second, 60*time.Second + 1, false},
		{61 * time.Second, 60*time.Second + 1, true},
		{-time.Hour, 0, true}, // the block is impossible now
	}
	for _, tt := range tests {
		s.clock.Advance(tt.after)
		got, err := s.HosterAvailable(t.Context(), "bad.example", tt.cooldown)
		s.clock.Advance(-tt.after)
		if err != nil || got != tt.want {
			t.Errorf("%v after the fail, cooldown %v: available %t, %v; want %t", tt.after, tt.cooldown, got, err, tt.want)
		}
	}
}

func TestDB_HosterSnapshot(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	s.fail(t, "bad.example", 1)
	now := s.clock.Now().Unix()
	s.exec(t, `INSERT INTO hoster (name, consecutive_fails, backoff_until) VALUES ('clock.example', 2, ?), ('fine.example', 0, ?)`, now+12, now+12)
	got, err := s.HosterSnapshot(t.Context())
	must(t, err)
	want := sources.HosterSnapshot{
		"bad.example":   {Name: "bad.example", ConsecutiveFails: 1, BackoffUntil: s.clock.Now().Add(5 * time.Second), FailCount: 1, LastFailAt: s.clock.Now()},
		"clock.example": {Name: "clock.example", ConsecutiveFails: 2, RetestDue: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("snapshot (-want +got):\n%s", diff)
	}
	all, err := s.Hosters(t.Context())
	must(t, err)
	var names []string
	for _, h := range all {
		names = append(names, h.Name)
		if h.Name == "fine.example" && !h.BackoffUntil.IsZero() {
			t.Errorf("impossible block shown: %v", h.BackoffUntil)
		}
	}
	if !slices.Equal(names, []string{"bad.example", "clock.example", "fine.example", "up.example"}) {
		t.Errorf("names %v", names)
	}
}

func TestDB_ResetHosters(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	s.fail(t, "a.example", 3)
	s.fail(t, "b.example", 3)
	s.fail(t, "c.example", 3)
	unknown, err := s.ResetHosters(t.Context(), []string{"a.example", "nobody.example", "up.example", ""})
	must(t, err)
	if !slices.Equal(unknown, []string{"nobody.example", ""}) {
		t.Errorf("unknown %q", unknown)
	}
	a, b := s.hoster(t, "a.example"), s.hoster(t, "b.example")
	if !a.Healthy() || !a.BackoffUntil.IsZero() || a.FailCount != 3 || a.LastFailAt.IsZero() {
		t.Errorf("a after its reset: %+v", a)
	}
	if b.Healthy() {
		t.Errorf("b was not to be reset: %+v", b)
	}
	if n, err := s.ResetAllHosters(t.Context()); err != nil || n != 2 {
		t.Errorf("reset of all: %d, %v; want 2", n, err)
	}
	if snapshot, err := s.HosterSnapshot(t.Context()); err != nil || len(snapshot) != 0 {
		t.Errorf("failing after the reset: %v, %v", snapshot, err)
	}
}

func TestDB_hostileHosterNames(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	for _, name := range hostileTexts() {
		s.touch(t, "up.example", true)
		_, err := s.EndAttempt(t.Context(), sources.Attempt{Hoster: name}, sources.ClassHosterFault, name)
		must(t, err)
		h := s.hoster(t, name)
		if h.ConsecutiveFails != 1 || h.LastError != name {
			t.Errorf("hoster %q: %+v", name, h)
		}
		if unknown, err := s.ResetHosters(t.Context(), []string{name}); err != nil || len(unknown) != 0 {
			t.Errorf("hoster %q: reset %q, %v", name, unknown, err)
		}
	}
	s.fail(t, "x\x1b[31m\n.example", 4)
	if log := s.log.String(); strings.Count(log, "\n") != 1 || strings.ContainsAny(log, "\x1b") || strings.Contains(log, `\x1b`) {
		t.Errorf("control characters in the log: %q", log)
	}
}

func hostileTexts() []string {
	return []string{
		`'; DROP TABLE hoster; --`, "nul\x00inside", "\x00", "bad utf8 \xff\xfe", "片\u202e", "esc \x1b[2J", strings.Repeat("long", 10_000), `"`, "?1", "a\r\nb",
	}
}

func TestDB_HosterTouch_parallel(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	handles := []*sourcecache.DB{s.DB, s.open(t)}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := range 50 {
				if err := handles[i%2].HosterTouch(t.Context(), hosterNumber(n), n%2 == 0); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	all, err := s.Hosters(t.Context())
	must(t, err)
	for _, h := range all {
		if h.OKCount+h.FailCount != 8 {
			t.Errorf("%s: %d touches, want 8", h.Name, h.OKCount+h.FailCount)
		}
	}
}

// TestDB_fakeTime shows that the store works under synctest, whose time also
// runs the deadlines of contexts.
func TestDB_fakeTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db, err := sourcecache.Open(t.Context(), sourcecache.Options{Path: t.TempDir() + "/xship.db", Now: time.Now})
		must(t, err)
		defer db.Close()
		must(t, db.HosterTouch(t.Context(), "up.example", true))
		must(t, db.HosterTouch(t.Context(), "bad.example", false))
		for _, want := range []bool{false, true} {
			if got, err := db.HosterAvailable(t.Context(), "bad.example", 0); err != nil || got != want {
				t.Errorf("available %t, %v; want %t", got, err, want)
			}
			time.Sleep(5 * time.Second)
		}
	})
}

func TestDB_afterClose(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	must(t, s.Close())
	_, err := s.HosterHealthy(t.Context(), "good.example")
	if err == nil || errors.As(err, new(*sourcecache.OpenError)) {
		t.Errorf("read after close: %v", err)
	}
}
