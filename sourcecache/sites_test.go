package sourcecache_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/sources"
)

func (s *store) siteTouch(tb testing.TB, outcomes ...sources.SiteOutcome) {
	tb.Helper()
	must(tb, s.SiteTouch(tb.Context(), iface, outcomes))
}

func (s *store) resting(tb testing.TB) map[string]sources.SiteRest {
	tb.Helper()
	rests, err := s.RestingSites(tb.Context(), iface)
	must(tb, err)
	return rests
}

func TestDB_SiteTouch_ladder(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	for i, seconds := range []int{5, 10, 20, 30, 60, 300, 300, 300} {
		// The success that vouches for the network comes last, and in the
		// same scan.
		s.siteTouch(
			t,
			sources.SiteOutcome{Site: "hung", Started: s.clock.Now(), Error: "no answer in 10s"},
			sources.SiteOutcome{Site: "fine", Started: s.clock.Now(), OK: true},
		)
		until := s.clock.Now().Add(time.Duration(seconds) * time.Second)
		want := map[string]sources.SiteRest{"hung": {Until: until, Reason: "no answer in 10s"}}
		if diff := cmp.Diff(want, s.resting(t)); diff != "" {
			t.Errorf("fail %d (-want +got):\n%s", i+1, diff)
		}
		s.clock.Advance(until.Sub(s.clock.Now()))
		if got := s.resting(t); len(got) != 0 {
			t.Errorf("fail %d: still resting after %d s: %v", i+1, seconds, got)
		}
	}
	s.siteTouch(t, sources.SiteOutcome{Site: "hung", OK: true})
	s.siteTouch(t, sources.SiteOutcome{Site: "hung", Error: "again"})
	if got := s.resting(t)["hung"].Until.Sub(s.clock.Now()); got != 5*time.Second {
		t.Errorf("first fail after a success: rests for %v, want 5 s", got)
	}
}

func TestDB_SiteTouch_guard(t *testing.T) {
	t.Parallel()
	fail := sources.SiteOutcome{Site: "hung", Error: "no answer"}
	tests := []struct {
		name   string
		before func(t *testing.T, s *store)
		rests  bool
	}{
		{"nothing ever succeeded", func(*testing.T, *store) {}, false},
		{"a hoster did just now", func(t *testing.T, s *store) { s.touch(t, "up.example", true) }, true},
		{"a site of another interface did 30 s ago", func(t *testing.T, s *store) {
			must(t, s.SiteTouch(t.Context(), iface+"?other", []sources.SiteOutcome{{Site: "fine", OK: true}}))
			s.clock.Advance(30 * time.Second)
		}, true},
		{"a site did 31 s ago", func(t *testing.T, s *store) {
			s.siteTouch(t, sources.SiteOutcome{Site: "fine", OK: true})
			s.clock.Advance(31 * time.Second)
		}, false},
		{"a hoster did 31 s ago", func(t *testing.T, s *store) {
			s.touch(t, "up.example", true)
			s.clock.Advance(31 * time.Second)
		}, false},
		{"a site did in the future, a hoster just now", func(t *testing.T, s *store) {
			s.siteTouch(t, sources.SiteOutcome{Site: "fine", OK: true})
			s.clock.Advance(-time.Hour)
			s.touch(t, "up.example", true)
		}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			tt.before(t, s)
			s.siteTouch(t, fail)
			if _, rests := s.resting(t)["hung"]; rests != tt.rests {
				t.Errorf("rests %t, want %t", rests, tt.rests)
			}
		})
	}
}

func TestDB_SiteTouch_movesNoHosterGuard(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	s.siteTouch(t, sources.SiteOutcome{Site: "fine", OK: true})
	s.touch(t, "bad.example", false)
	if n := s.hoster(t, "bad.example").ConsecutiveFails; n != 0 {
		t.Errorf("%d consecutive fails of a hoster, though none ever succeeded", n)
	}
	if at, err := s.LastSuccessAt(t.Context()); err != nil || !at.IsZero() {
		t.Errorf("last success of a hoster %v, %v; want none", at, err)
	}
}

func TestDB_RestingSites_ofOneInterface(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	s.siteTouch(t, sources.SiteOutcome{Site: "fine", OK: true}, sources.SiteOutcome{Site: "hung"})
	if rests, err := s.RestingSites(t.Context(), iface+"?other"); err != nil || len(rests) != 0 {
		t.Errorf("sites of another interface rest: %v, %v", rests, err)
	}
	s.clock.Advance(-time.Hour)
	if got := s.resting(t); len(got) != 0 {
		t.Errorf("an impossible rest is kept: %v", got)
	}
	must(t, s.SiteTouch(t.Context(), iface, nil))
}
