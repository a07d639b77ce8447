package sources_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/sources"
	"xship/sources/link"
	"xship/sources/sourcetest"
)

// own is a source of the user's own.
func own(hoster, name string) sources.Source {
	src := at(hoster, name)
	src.Own = true
	return src
}

// What is the user's own is listed however its hoster fares, and not by an account.
func TestFilter_own(t *testing.T) {
	health := sources.HosterSnapshot{"nas.example": {ConsecutiveFails: 2}, link.HosterLocal: {ConsecutiveFails: 1}}
	all := []sources.Source{own("nas.example", "own"), at("nas.example", "public"), own(link.HosterLocal, "local")}
	for _, o := range []sources.ListOptions{
		{}, {Served: map[string]string{"other.example": "real_debrid"}}, {Floor: 2}, {Served: map[string]string{link.HosterLocal: "real_debrid"}},
	} {
		l := sources.Filter(nil, all, health, o)
		if got := listedIDs(l); got != "nas.example/own local/local" || l.HiddenSources() != 1 {
			t.Errorf("%+v: listed %q, %d hidden", o, got, l.HiddenSources())
		}
		for _, s := range l.Sources {
			if !s.Healthy || s.Provider != "" {
				t.Errorf("%+v: %+v", o, s)
			}
		}
	}
	dead := own("nas.example", "dead")
	dead.State = sources.StateDead
	if l := sources.Filter(nil, []sources.Source{dead}, nil, sources.ListOptions{}); l.Dead != 1 {
		t.Errorf("a file that is gone: %+v", l)
	}
}

// Of one link that is the user's own at one site and not at another, the user's own is
// listed.
func TestDeduplicate_prefersOwn(t *testing.T) {
	mine, other := own("nas.example", "a"), at("nas.example", "a")
	mine.Priority, other.Priority = sources.PriorityLast, sources.PriorityDefault
	for _, all := range [][]sources.Source{{mine, other}, {other, mine}} {
		if diff := cmp.Diff([]sources.Source{mine}, sources.Deduplicate(all)); diff != "" {
			t.Error(diff)
		}
	}
}

// A probe looks at what is the user's own however its hoster fares, and reports nothing
// of it.
func TestBGProbe_own(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hosters := sourcetest.NewMemory(time.Now)
		hosters.Block("nas.example", time.Now().Add(time.Hour))
		p := newProbe(hosters, &sourcetest.FakeResolver{ResolveFunc: answers}, &sourcetest.FakeProber{ProbeFunc: probed})
		ok, failed, skipped := p.Probe(t.Context(), []sources.Source{
			own("nas.example", "ok"), own("nas.example", "fault"), own(link.HosterLocal, "ok"), own(link.HosterLocal, "dead"), at("nas.example", "ok"),
		})
		if ok != 2 || failed != 2 || skipped != 1 || len(hosters.Reports()) > 0 {
			t.Errorf("%d ok, %d failed, %d skipped, reported %v", ok, failed, skipped, hosters.Reports())
		}
	})
}

// Fails of what is the user's own tell nothing of the network, and where that is down
// the rest of it is probed all the same.
func TestBGProbe_ownInAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hosters := sourcetest.NewMemory(time.Now)
		p := newProbe(hosters, &sourcetest.FakeResolver{ResolveFunc: answers}, &sourcetest.FakeProber{ProbeFunc: probed})
		p.Workers = 1
		tests := 0
		p.Streams.Attempts.Check = func(context.Context, string) error {
			tests++
			return sources.Errorf(sources.ClassHosterFault, "no route")
		}
		probe := func(wantOK, wantFailed, wantTests int, all ...sources.Source) {
			t.Helper()
			if ok, failed, _ := p.Probe(t.Context(), all); ok != wantOK || failed != wantFailed || tests != wantTests {
				t.Errorf("%d ok, %d failed, %d tests of the network; want %d, %d and %d", ok, failed, tests, wantOK, wantFailed, wantTests)
			}
		}
		probe(1, 0, 0, at("good.example", "ok"))
		probe(0, 3, 0, own("a.example", "fault"), own("b.example", "fault"), own("c.example", "fault"))
		time.Sleep(time.Minute)
		probe(1, 1, 2, at("a.example", "fault"), at("b.example", "fault"), at("c.example", "ok"), own("d.example", "ok"), at("e.example", "ok"))
	})
}

// No provider is told of what is the user's own.
func TestAccounts_own(t *testing.T) {
	for name, address := range map[string]string{"a page": "https://page.example/a/ok", "a page that is named like media": "https://page.example/a/film.mkv"} {
		t.Run(name, func(t *testing.T) {
			a := newAccountsTest(t)
			a.public.ResolveFunc = func(context.Context, sources.Source) (sources.Stream, error) {
				return sources.Stream{}, sources.Errorf(sources.ClassHosterFault, "no media: %w", sources.ErrPage)
			}
			src := sources.Source{ID: address, URL: address, Hoster: link.Hoster(address), Own: true}
			_, err := a.Resolve(t.Context(), src, sources.ResolveOptions{Force: true, User: 1})
			if err == nil || len(a.rd.Calls()) > 0 || len(a.hosters.Reports()) > 0 {
				t.Errorf("%v, calls %v, reports %v", err, a.rd.Calls(), a.hosters.Reports())
			}
		})
	}
}
