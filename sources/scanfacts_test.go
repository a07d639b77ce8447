package sources_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"xship/sources"
	"xship/sources/sourcetest"
)

var (
	knownFilm = sources.TitleFacts{IMDb: "tt9900001", Kind: sources.KindMovie, Name: "Film of Films", Year: 2008}
	errNoIDs  = errors.New("the id service does not answer")
)

// wanting is a site that wants an IMDb id.
func wanting(key string) *sourcetest.FakeSite {
	site := sourcetest.NewFakeSite(key, sourcetest.Answer(linkAt(key, key, "")))
	site.SiteInfo.WantsIMDb = true
	return site
}

// lookups counts how often facts are looked up, which takes a while.
type lookups struct {
	facts sources.TitleFacts
	err   error
	delay time.Duration
	deaf  bool // it heeds no context
	calls int
}

func (l *lookups) get(ctx context.Context) (sources.TitleFacts, error) {
	l.calls++
	ctx, cancel := context.WithTimeout(ctx, time.Hour)
	defer cancel()
	if l.deaf {
		ctx = context.WithoutCancel(ctx)
	}
	select {
	case <-time.After(l.delay):
		return l.facts, l.err
	case <-ctx.Done():
		return sources.TitleFacts{}, ctx.Err()
	}
}

// TestScanner_Scan_facts asks sites that want an id with the one that is known, once
// for all of them, and lets no other site wait for it.
func TestScanner_Scan_facts(t *testing.T) {
	withID := film
	withID.IMDb = "tt9900009"
	for name, c := range map[string]struct {
		title  sources.Title
		lookup *lookups // nil: nobody looks up
		want   string   // of the sites
		calls  int
		asked  string // id that "two" is asked with, "" = it is not asked
		reason string
		took   time.Duration
	}{
		"known":               {title: film, lookup: &lookups{facts: knownFilm, delay: time.Second}, want: "one=ok two=ok three=ok", calls: 1, asked: "tt9900001", took: time.Second},
		"typed":               {title: withID, lookup: &lookups{facts: knownFilm}, want: "one=ok two=ok three=ok", asked: "tt9900009"},
		"nothing is known":    {title: film, lookup: &lookups{}, want: "one=ok two=skipped three=skipped", calls: 1, reason: "no IMDb id is known of this title; give it with --imdb"},
		"it cannot be known":  {title: film, lookup: &lookups{err: errNoIDs}, want: "one=ok two=skipped three=skipped", calls: 1, reason: "the id service does not answer; give the IMDb id with --imdb"},
		"nobody looks up":     {title: film, want: "one=ok two=skipped three=skipped", reason: "no IMDb id is known of this title; give it with --imdb"},
		"it takes too long":   {title: film, lookup: &lookups{delay: time.Minute}, want: "one=ok two=skipped three=skipped", calls: 1, reason: "what is known of this title was not found out within 3s; give the IMDb id with --imdb", took: 3 * time.Second},
		"it heeds no context": {title: film, lookup: &lookups{delay: time.Minute, deaf: true}, want: "one=ok two=skipped three=skipped", calls: 1, reason: "what is known of this title was not found out within 3s; give the IMDb id with --imdb", took: 3 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := sourcetest.NewMemory(time.Now)
				s := newScanner(store)
				s.Workers = 1 // those that wait for the id take nobody's place
				if c.lookup != nil {
					s.Facts = c.lookup.get
				}
				one, two, three := sourcetest.NewFakeSite("one", sourcetest.Answer(linkAt("one", "one", ""))), wanting("two"), wanting("three")
				got, err := s.Scan(t.Context(), c.title, iface, []sources.Site{two, one, three}, sources.ScanOptions{})
				if err != nil {
					t.Fatal(err)
				}
				slices.SortFunc(got.Sites, func(a, b sources.SiteReport) int {
					return slices.Index([]string{"one", "two", "three"}, a.Key) - slices.Index([]string{"one", "two", "three"}, b.Key)
				})
				if statuses(got.Sites) != c.want || got.Sites[1].Error != c.reason || got.Elapsed != c.took {
					t.Errorf("%s, %q after %s", statuses(got.Sites), got.Sites[1].Error, got.Elapsed)
				}
				time.Sleep(time.Minute) // for what is left behind
				if c.lookup != nil && c.lookup.calls != c.calls {
					t.Errorf("looked up %d times, want %d", c.lookup.calls, c.calls)
				}
				asked := ""
				for _, call := range two.Calls() {
					asked += call.IMDb
				}
				if asked != c.asked {
					t.Errorf("asked with %q, want %q", asked, c.asked)
				}
				if call := one.Calls()[0]; call.Key() != c.title.Key() {
					t.Errorf("a site that wants no id is asked for %+v", call)
				}
				if known := got.Facts != nil; known != (c.calls == 1 && c.asked != "") || known && got.Facts.Name != knownFilm.Name {
					t.Errorf("facts: %+v", got.Facts)
				}
				for _, src := range got.Sources {
					if src.ID != sources.SourceID(c.title, src.URL) {
						t.Errorf("the id of a source is not that of the title that was typed: %+v", src)
					}
				}
				if rests, err := store.RestingSites(t.Context(), iface.URL); err != nil || len(rests) > 0 {
					t.Errorf("sites rest: %v, %v", rests, err)
				}
			})
		})
	}
}

// TestScanner_Scan_factsAsked looks up nothing where no site wants it, where those that
// do rest, and where the cache has the answer.
func TestScanner_Scan_factsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lookup := &lookups{facts: knownFilm}
		s := newScanner(sourcetest.NewMemory(time.Now))
		s.Facts = lookup.get
		one, two := sourcetest.NewFakeSite("one", sourcetest.Answer(linkAt("one", "one", ""))), wanting("two")
		scan(t, s, sources.ScanOptions{}, one)
		if lookup.calls != 0 {
			t.Errorf("looked up %d times for a site that does not want it", lookup.calls)
		}
		scan(t, s, sources.ScanOptions{}, one, two)
		got := scan(t, s, sources.ScanOptions{}, one, two)
		if lookup.calls != 1 || !got.FromCache || got.Facts != nil {
			t.Errorf("looked up %d times, from the cache: %t", lookup.calls, got.FromCache)
		}
		two.SearchFunc = sourcetest.Fail(sources.Errorf(sources.ClassHosterFault, "refused"))
		scan(t, s, sources.ScanOptions{Refresh: true}, one, two) // now it rests
		s.CacheTTL = 0
		got = scan(t, s, sources.ScanOptions{}, one, two)
		if lookup.calls != 2 || statuses(got.Sites) != "one=ok two=skipped" {
			t.Errorf("looked up %d times, %s", lookup.calls, statuses(got.Sites))
		}
	})
}

// TestScanner_Scan_factsLearned has a list that lacks sites for want of an id be the
// answer for as long as no id is known, and no longer.
func TestScanner_Scan_factsLearned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lookup := &lookups{err: errNoIDs}
		s := newScanner(sourcetest.NewMemory(time.Now))
		s.Facts = lookup.get
		one, two := sourcetest.NewFakeSite("one", sourcetest.Answer(linkAt("one", "one", ""))), wanting("two")
		for i, step := range []struct {
			facts     sources.TitleFacts
			err       error
			fromCache bool
			want      string
		}{
			{err: errNoIDs, want: "one=ok two=skipped"},
			{err: errNoIDs, fromCache: true, want: "one=ok two=skipped"},
			{fromCache: true, want: "one=ok two=skipped"},
			{facts: knownFilm, want: "one=ok two=ok"},
			{err: errNoIDs, fromCache: true, want: "one=ok two=ok"},
		} {
			lookup.facts, lookup.err = step.facts, step.err
			time.Sleep(time.Minute)
			got := scan(t, s, sources.ScanOptions{}, one, two)
			if got.FromCache != step.fromCache || statuses(got.Sites) != step.want {
				t.Errorf("step %d: from the cache: %t, %s", i, got.FromCache, statuses(got.Sites))
			}
		}
		if lookup.calls != 4 || len(one.Calls()) != 2 {
			t.Errorf("looked up %d times, asked %d times", lookup.calls, len(one.Calls()))
		}
	})
}

// choice is a user who chooses after a while.
type choice struct {
	takes  time.Duration
	chosen string // id, "" = the best one
	err    error
	asked  int
	ended  int
}

func (c *choice) choose(ctx context.Context, f sources.TitleFacts) (sources.TitleFacts, error) {
	c.asked++
	defer func() { c.ended++ }()
	select {
	case <-time.After(c.takes):
	case <-ctx.Done():
		return sources.TitleFacts{}, ctx.Err()
	}
	for _, o := range f.Others {
		if o.IMDb == c.chosen {
			f = o
		}
	}
	f.Others = nil
	return f, c.err
}

func ambiguous() sources.TitleFacts {
	f := knownFilm
	f.Others = []sources.TitleFacts{{IMDb: "tt9900002", Kind: sources.KindMovie, Name: "Film", Year: 1999}}
	return f
}

// TestScanner_Scan_choose lets the user choose between titles, for as long as that takes:
// no time of the scan goes by.
func TestScanner_Scan_choose(t *testing.T) {
	for name, c := range map[string]struct {
		choice choice
		want   string // id that the site is asked with
		log    string
	}{
		"another one":      {choice{takes: time.Hour, chosen: "tt9900002"}, "tt9900002", ""},
		"the best one":     {choice{takes: time.Minute}, "tt9900001", ""},
		"nobody is there":  {choice{err: errors.New("no terminal")}, "tt9900001", "no terminal"},
		"at once":          {choice{chosen: "tt9900002"}, "tt9900002", ""},
		"longer than most": {choice{takes: 1000 * time.Hour, chosen: "tt9900002"}, "tt9900002", ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				s := newScanner(sourcetest.NewMemory(time.Now))
				s.Logger, s.Timeout = slog.New(slog.NewTextHandler(&log, nil)), 5*time.Second
				s.Facts, s.Choose = (&lookups{facts: ambiguous(), delay: time.Second}).get, c.choice.choose
				slow, site := sourcetest.NewFakeSite("slow", sourcetest.After(2*time.Second, sourcetest.Answer(linkAt("slow", "slow", "")))), wanting("two")
				site.SearchFunc = sourcetest.After(3*time.Second, site.SearchFunc)
				got := scan(t, s, sources.ScanOptions{}, slow, site)
				if statuses(got.Sites) != "slow=ok two=ok" || site.Calls()[0].IMDb != c.want || got.Facts.IMDb != c.want {
					t.Errorf("%s, asked with %+v", statuses(got.Sites), site.Calls())
				}
				if got.Waited != c.choice.takes || got.Elapsed != 4*time.Second {
					t.Errorf("waited %s, took %s", got.Waited, got.Elapsed)
				}
				if (c.log == "") != (log.Len() == 0) || !strings.Contains(log.String(), c.log) {
					t.Errorf("log: %s", log.String())
				}
			})
		})
	}
}

// TestScanner_Scan_chooseTimeOver ends a scan at its time, counted without the user's.
func TestScanner_Scan_chooseTimeOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		user := &choice{takes: time.Minute, chosen: "tt9900002"}
		s := newScanner(nil)
		s.Timeout, s.SiteTimeout = 5*time.Second, time.Hour
		s.Facts, s.Choose = (&lookups{facts: ambiguous(), delay: time.Second}).get, user.choose
		one, two := sourcetest.NewFakeSite("one", sourcetest.Answer(linkAt("one", "one", ""))), wanting("two")
		two.SearchFunc = sourcetest.Hang()
		began := time.Now()
		got := scan(t, s, sources.ScanOptions{}, one, two)
		if took := time.Since(began); took != 65*time.Second || statuses(got.Sites) != "one=ok two=timeout" || got.Elapsed != 5*time.Second {
			t.Errorf("%s after %s, told as %s", statuses(got.Sites), took, got.Elapsed)
		}
	})
}

// TestScanner_Scan_chooseCancel ends the question before the scan of a user who leaves.
func TestScanner_Scan_chooseCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		user := &choice{takes: time.Hour}
		s := newScanner(nil)
		s.Facts, s.Choose = (&lookups{facts: ambiguous()}).get, user.choose
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Minute, cancel)
		got, err := s.Scan(ctx, film, iface, []sources.Site{wanting("two")}, sources.ScanOptions{})
		if !errors.Is(err, context.Canceled) || user.asked != 1 || user.ended != 1 || statuses(got.Sites) != "two=skipped" {
			t.Errorf("%s, %v; asked %d, ended %d", statuses(got.Sites), err, user.asked, user.ended)
		}
	})
}

// TestScanner_Scan_chooseCached asks which title is meant also where a list of the best
// one is stored, and asks the sites anew only where it is another.
func TestScanner_Scan_chooseCached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScanner(sourcetest.NewMemory(time.Now))
		s.Facts = (&lookups{facts: ambiguous()}).get
		site := wanting("two")
		scan(t, s, sources.ScanOptions{}, site)
		for _, step := range []struct {
			chosen    string
			fromCache bool
		}{{"", true}, {"tt9900002", false}} {
			s.Choose = (&choice{takes: time.Minute, chosen: step.chosen}).choose
			if got := scan(t, s, sources.ScanOptions{}, site); got.FromCache != step.fromCache || got.Waited != time.Minute {
				t.Errorf("%q: from the cache: %t, waited %s", step.chosen, got.FromCache, got.Waited)
			}
		}
	})
}

// TestScanGroup_choose counts nobody's time while one of them chooses, that of who comes
// meanwhile included.
func TestScanGroup_choose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var group sources.ScanGroup
		user := &choice{takes: time.Minute, chosen: "tt9900002"}
		site := wanting("two")
		site.SearchFunc = sourcetest.After(3*time.Second, site.SearchFunc)
		var wg sync.WaitGroup
		for _, after := range []time.Duration{0, 30 * time.Second, 61 * time.Second} {
			wg.Go(func() {
				time.Sleep(after)
				s := newScanner(nil)
				s.Timeout = 4 * time.Second
				s.Facts, s.Choose = (&lookups{facts: ambiguous()}).get, user.choose
				got, err := group.Scan(t.Context(), s, film, iface, []sources.Site{site}, sources.ScanOptions{})
				if err != nil || statuses(got.Sites) != "two=ok" || got.Facts.IMDb != "tt9900002" {
					t.Errorf("who came after %s: %s, %v", after, statuses(got.Sites), err)
				}
			})
		}
		wg.Wait()
		if user.asked != 1 || len(site.Calls()) != 1 {
			t.Errorf("asked %d times, scanned %d times", user.asked, len(site.Calls()))
		}
	})
}
