package sources_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"xship/sources"
	"xship/sources/sourcetest"
)

var (
	film  = sources.Title{Kind: sources.KindMovie, Name: "Film", Year: 2008}
	iface = sources.Interface{URL: "http://if.example/config.json", Name: "if"}
)

// linkAt is a source as a site yields it.
func linkAt(host, name string, q sources.Quality) sources.Source {
	return sources.Source{URL: "https://" + host + ".example/" + name, Name: name, Quality: q}
}

func newScanner(store sources.ScanStore) *sources.Scanner {
	return &sources.Scanner{
		Store: store, Now: time.Now, Workers: 20,
		Timeout: 30 * time.Second, SiteTimeout: 10 * time.Second, CacheTTL: 30 * time.Minute,
	}
}

// scan runs one scan and fails the test on an error.
func scan(t *testing.T, s *sources.Scanner, o sources.ScanOptions, sites ...sources.Site) sources.ScanResult {
	t.Helper()
	got, err := s.Scan(t.Context(), film, iface, sites, o)
	if err != nil {
		t.Fatalf("Scan() = %v", err)
	}
	return got
}

func names(r sources.ScanResult) string {
	return ids(r.Sources, func(s sources.Source) string { return s.Name })
}

func statuses(reports []sources.SiteReport) string {
	return ids(reports, func(r sources.SiteReport) string { return r.Key + "=" + string(r.Status) })
}

func TestScanner_Scan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refused := sources.Errorf(sources.ClassHosterFault, "GET http://c.example: connection refused")
		got := scan(t, newScanner(nil), sources.ScanOptions{},
			sourcetest.NewFakeSite("slow", sourcetest.After(3*time.Second, sourcetest.Answer(linkAt("a", "sd", sources.QualitySD), linkAt("www.A", "hd", sources.Quality720p)))),
			sourcetest.NewFakeSite("quick", sourcetest.Answer(linkAt("b", "hd2", sources.Quality720p), linkAt("a", "sd", sources.QualityUnknown))),
			sourcetest.NewFakeSite("broken", sourcetest.Fail(refused)),
			sourcetest.NewFakeSite("partial", sourcetest.Fail(refused, linkAt("d", "uhd", sources.Quality4K))),
			sourcetest.NewFakeSite("none", nil),
			sourcetest.NewFakeSite("hung", sourcetest.Hang()),
			sourcetest.NewFakeSite("mad", sourcetest.Panic("boom")),
			sourcetest.NewFakeSite("spider", sourcetest.Fail(sources.Errorf(sources.ClassUnsupported, "type 3 spider"))),
		)
		if got, want := names(got), "uhd hd hd2 sd"; got != want {
			t.Errorf("sources %q, want %q", got, want)
		}
		const want = "slow=ok quick=ok broken=error partial=error none=empty hung=timeout mad=error spider=unsupported"
		if got := statuses(got.Sites); got != want {
			t.Errorf("sites %s,\nwant  %s", got, want)
		}
		if got.Elapsed != 10*time.Second {
			t.Errorf("took %s, want the deadline of the hung site, 10s", got.Elapsed)
		}
		if first := got.Sources[1]; first.Hoster != "a.example" || first.Site != "slow" || first.ID == "" ||
			first.State != sources.StateFound || first.Priority != sources.PriorityDefault {
			t.Errorf("not filled in: %+v", first)
		}
		if n := got.Sites[1].Sources; n != 2 {
			t.Errorf("quick counts %d sources, want 2: those before duplicates are removed", n)
		}
	})
}

// TestScanner_Scan_trailerTitle: what the name of a source tells of trailers is not
// believed where the title itself is named so.
func TestScanner_Scan_trailerTitle(t *testing.T) {
	s := newScanner(nil)
	s.Describe = func(src *sources.Source) { src.Trailer = src.Trailer || strings.Contains(src.Name, "预告") }
	trailer := linkAt("b", "死亡预告 预告片", "")
	trailer.Trailer = true
	site := sourcetest.NewFakeSite("site", sourcetest.Answer(linkAt("a", "死亡预告", ""), trailer))
	for _, tt := range []struct {
		title sources.Title
		want  string
	}{
		{sources.Title{Kind: sources.KindMovie, Name: "死亡预告"}, "a.example=false b.example=true"},
		{sources.Title{Kind: sources.KindMovie, Name: "Death Notice", Aliases: []string{"死亡预告"}}, "a.example=false b.example=true"},
		{film, "a.example=true b.example=true"},
	} {
		got, err := s.Scan(t.Context(), tt.title, iface, []sources.Site{site}, sources.ScanOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if told := ids(got.Sources, func(s sources.Source) string { return fmt.Sprintf("%s=%v", s.Hoster, s.Trailer) }); told != tt.want {
			t.Errorf("%s: %s, want %s", tt.title.Name, told, tt.want)
		}
	}
}

func TestScanner_Scan_wholeDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := sourcetest.NewMemory(time.Now)
		s := newScanner(store)
		s.Timeout, s.Workers = 4*time.Second, 2
		deaf := make(chan struct{})
		defer close(deaf)
		got := scan(t, s, sources.ScanOptions{},
			sourcetest.NewFakeSite("deaf", func(context.Context, sources.Title, func(sources.Source)) error {
				<-deaf // heeds no context
				return nil
			}),
			sourcetest.NewFakeSite("first", sourcetest.After(3*time.Second, sourcetest.Answer(linkAt("a", "one", "")))),
			sourcetest.NewFakeSite("late", sourcetest.After(3500*time.Millisecond, sourcetest.Answer())),
			sourcetest.NewFakeSite("queued", sourcetest.After(3*time.Second, sourcetest.Answer())),
		)
		if got.Elapsed != 4*time.Second || names(got) != "one" {
			t.Errorf("after %s: %q, want what arrived within 4s", got.Elapsed, names(got))
		}
		counts := map[sources.SiteStatus]int{}
		for _, r := range got.Sites {
			counts[r.Status]++
		}
		if counts[sources.SiteOK] != 1 || counts[sources.SiteTimeout] != 2 || counts[sources.SiteSkipped] != 1 {
			t.Errorf("sites: %s, want one ok, two timed out and one never asked", statuses(got.Sites))
		}
		rests, err := store.RestingSites(t.Context(), iface.URL)
		if _, ok := rests["queued"]; err != nil || ok {
			t.Errorf("a site that was not asked rests: %v, %v", rests, err)
		}
	})
}

// A list that was cut short by the deadline is not the answer of the next scan.
func TestScanner_Scan_cutShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScanner(sourcetest.NewMemory(time.Now))
		s.Timeout = 900 * time.Millisecond
		slow := sourcetest.NewFakeSite("slow", sourcetest.After(time.Second, sourcetest.Answer(linkAt("b", "two", ""))))
		good := sourcetest.NewFakeSite("good", sourcetest.Answer(linkAt("a", "one", "")))
		if got := scan(t, s, sources.ScanOptions{}, slow, good); names(got) != "one" {
			t.Fatalf("first scan: %q", names(got))
		}
		s.Timeout = 10 * time.Second
		if got := scan(t, s, sources.ScanOptions{}, slow, good); got.FromCache || names(got) != "two one" {
			t.Errorf("second scan: from cache %v, %q, want the slow site asked", got.FromCache, names(got))
		}
	})
}

// A good site behind more hanging ones than can be asked at once has its turn.
func TestScanner_Scan_takesTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScanner(nil)
		s.Workers, s.Timeout = 2, 5*time.Second
		all := make([]sources.Site, 0, 6)
		for i := range 5 {
			all = append(all, sourcetest.NewFakeSite(fmt.Sprint("hung", i), sourcetest.Hang()))
		}
		all = append(all, sourcetest.NewFakeSite("good", sourcetest.Answer(linkAt("a", "one", ""))))
		for range 3 {
			got, err := s.Scan(t.Context(), film, iface, all, sources.ScanOptions{})
			if err == nil && names(got) == "one" {
				return
			}
			time.Sleep(2 * time.Second)
		}
		t.Error("the good site was never asked")
	})
}

func TestScanner_Scan_siteTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := sourcetest.NewFakeSite("own", sourcetest.Hang())
		site.SiteInfo.Timeout = 2 * time.Second
		long := sourcetest.NewFakeSite("long", sourcetest.Hang())
		long.SiteInfo.Timeout = time.Minute
		got, err := newScanner(nil).Scan(t.Context(), film, iface, []sources.Site{site, long}, sources.ScanOptions{})
		var none *sources.NoAnswerError
		if !errors.As(err, &none) || len(none.Sites) != 2 {
			t.Fatalf("Scan() = %v, want a NoAnswerError naming both sites", err)
		}
		if got.Sites[0].Elapsed != 2*time.Second || got.Sites[1].Elapsed != 10*time.Second {
			t.Errorf("gave up after %s and %s, want 2s (its own timeout) and 10s (ours is shorter)", got.Sites[0].Elapsed, got.Sites[1].Elapsed)
		}
	})
}

func TestScanner_Scan_hangIsPaidOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScanner(sourcetest.NewMemory(time.Now))
		s.CacheTTL = 0
		hung, good := sourcetest.NewFakeSite("hung", sourcetest.Hang()), sourcetest.NewFakeSite("good", sourcetest.Answer(linkAt("a", "one", "")))
		if first := scan(t, s, sources.ScanOptions{}, hung, good); first.Elapsed != 10*time.Second {
			t.Errorf("first scan took %s, want 10s", first.Elapsed)
		}
		second := scan(t, s, sources.ScanOptions{}, hung, good)
		if second.Elapsed != 0 || statuses(second.Sites) != "hung=skipped good=ok" || len(hung.Calls()) != 1 {
			t.Errorf("second scan took %s: %s, %d calls", second.Elapsed, statuses(second.Sites), len(hung.Calls()))
		}
		if reason := second.Sites[0].Error; !strings.Contains(reason, "rests for another 5s") || !strings.Contains(reason, "no answer within 10s") {
			t.Errorf("reason %q says neither how long nor why", reason)
		}
		if refreshed := scan(t, s, sources.ScanOptions{Refresh: true}, hung, good); statuses(refreshed.Sites) != "hung=timeout good=ok" {
			t.Errorf("refresh: %s, want all asked", statuses(refreshed.Sites))
		}
	})
}

func TestScanner_Scan_allRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScanner(sourcetest.NewMemory(time.Now))
		s.CacheTTL = 0
		bad := sources.Errorf(sources.ClassHosterFault, "down")
		a := sourcetest.NewFakeSite("a", sourcetest.Sequence(sourcetest.Answer(linkAt("a", "one", "")), sourcetest.Fail(bad)))
		spider := sourcetest.NewFakeSite("spider", sourcetest.Fail(sources.Errorf(sources.ClassUnsupported, "type 3")))
		scan(t, s, sources.ScanOptions{}, a, spider)
		for range 3 {
			if _, err := s.Scan(t.Context(), film, iface, []sources.Site{a, spider}, sources.ScanOptions{}); err == nil {
				t.Fatal("no error although no site answered")
			}
		}
		if n := len(a.Calls()); n != 4 {
			t.Errorf("the only usable site was asked %d times in 4 scans: if all rest, all are asked", n)
		}
	})
}

func TestScanner_Scan_cancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := sourcetest.NewMemory(time.Now)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(2*time.Second, cancel)
		sites := []sources.Site{
			sourcetest.NewFakeSite("good", sourcetest.Answer(linkAt("a", "one", ""))),
			sourcetest.NewFakeSite("hung", sourcetest.Hang()),
		}
		got, err := newScanner(store).Scan(ctx, film, iface, sites, sources.ScanOptions{})
		if !errors.Is(err, context.Canceled) || got.Elapsed != 2*time.Second || names(got) != "one" {
			t.Errorf("Scan() = %q, %v after %s; want what arrived, at once", names(got), err, got.Elapsed)
		}
		rests, err := store.RestingSites(t.Context(), iface.URL)
		if err != nil || len(rests) > 0 {
			t.Errorf("a cancelled site rests: %v, %v", rests, err)
		}
		stored, err := store.LoadScan(t.Context(), iface.URL, film)
		if err != nil || stored != nil {
			t.Errorf("half a scan was stored: %+v, %v", stored, err)
		}
	})
}

func TestScanner_Scan_cache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScanner(sourcetest.NewMemory(time.Now))
		site := sourcetest.NewFakeSite("a", sourcetest.Answer(linkAt("a", "sd", sources.QualitySD), linkAt("a", "hd", sources.Quality720p)))
		live := scan(t, s, sources.ScanOptions{}, site)
		time.Sleep(30*time.Minute - time.Second)
		cached := scan(t, s, sources.ScanOptions{}, site)
		if !cached.FromCache || names(cached) != names(live) || statuses(cached.Sites) != "a=ok" {
			t.Errorf("within the TTL: from cache %v, %q, %s", cached.FromCache, names(cached), statuses(cached.Sites))
		}
		if again := scan(t, s, sources.ScanOptions{Refresh: true}, site); again.FromCache {
			t.Error("a refresh was answered from the cache")
		}
		time.Sleep(30 * time.Minute)
		if late := scan(t, s, sources.ScanOptions{}, site); late.FromCache {
			t.Error("an answer as old as the TTL came from the cache")
		}
		other := film
		other.Year = 2009
		if got, err := s.Scan(t.Context(), other, iface, []sources.Site{site}, sources.ScanOptions{}); err != nil || got.FromCache {
			t.Errorf("another title was answered from the cache (%v)", err)
		}
		elsewhere := sources.Interface{URL: "http://other.example"}
		if got, err := s.Scan(t.Context(), film, elsewhere, []sources.Site{site}, sources.ScanOptions{}); err != nil || got.FromCache {
			t.Errorf("another interface was answered from the cache (%v)", err)
		}
		if n := len(site.Calls()); n != 5 {
			t.Errorf("the site was asked %d times, want 5", n)
		}
	})
}

// A broken or empty answer never takes away what a site gave before.
func TestScanner_Scan_brokenAnswerKeepsGoodOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScanner(sourcetest.NewMemory(time.Now))
		s.CacheTTL = time.Minute
		a := sourcetest.NewFakeSite("a", sourcetest.Sequence(
			sourcetest.Answer(linkAt("a", "one", "")), sourcetest.Fail(errors.New("500")), sourcetest.Answer(), sourcetest.Answer(linkAt("a", "two", ""))))
		b := sourcetest.NewFakeSite("b", sourcetest.Answer(linkAt("b", "other", "")))
		for i, want := range []string{"one other", "one other", "one other", "two other"} {
			if got := names(scan(t, s, sources.ScanOptions{Refresh: true}, a, b)); got != want {
				t.Errorf("scan %d: %q, want %q", i, got, want)
			}
			if got := names(scan(t, s, sources.ScanOptions{}, a, b)); got != want {
				t.Errorf("scan %d again, from the cache: %q, want %q", i, got, want)
			}
		}
		a.SearchFunc = sourcetest.Fail(errors.New("500"))
		time.Sleep(6 * time.Hour)
		if got := names(scan(t, s, sources.ScanOptions{}, a, b)); got != "other" {
			t.Errorf("after six hours: %q, want only what sites still give", got)
		}
	})
}

// An answer that broke off does not replace a whole one; where there is none it
// is better than nothing.
func TestScanner_Scan_partialAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScanner(sourcetest.NewMemory(time.Now))
		broken := errors.New("503")
		a := sourcetest.NewFakeSite("a", sourcetest.Sequence(
			sourcetest.Answer(linkAt("a", "one", ""), linkAt("a", "two", "")), sourcetest.Fail(broken, linkAt("a", "three", ""))))
		b := sourcetest.NewFakeSite("b", sourcetest.Sequence(sourcetest.Fail(broken, linkAt("b", "part", "")), sourcetest.Answer()))
		scan(t, s, sources.ScanOptions{Refresh: true}, a, b)
		if got := names(scan(t, s, sources.ScanOptions{Refresh: true}, a, b)); got != "three one two part" {
			t.Errorf("live: %q, want what came and what is known", got)
		}
		if got := scan(t, s, sources.ScanOptions{}, a, b); !got.FromCache || names(got) != "one two part" {
			t.Errorf("stored: from cache %v, %q, want the whole answer kept", got.FromCache, names(got))
		}
	})
}

// A scan in which no site answered whole is listed and not the answer of the
// next one.
func TestScanner_Scan_onlyPartialAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScanner(sourcetest.NewMemory(time.Now))
		a := sourcetest.NewFakeSite("a", sourcetest.Fail(errors.New("503"), linkAt("a", "one", "")))
		for range 2 {
			if got := scan(t, s, sources.ScanOptions{}, a); got.FromCache || names(got) != "one" || got.Sites[0].Status != sources.SiteError {
				t.Errorf("from cache %v, %q, %s", got.FromCache, names(got), statuses(got.Sites))
			}
		}
	})
}

// The address of a site is of the config of an interface, whose server may have given
// it to one user.
func TestScanner_Scan_errorHoldsNoSecret(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScanner(sourcetest.NewMemory(time.Now))
		site := sourcetest.NewFakeSite("a", sourcetest.Fail(errors.New("GET http://h.example/Zq9k02Xw7Lm4Tr8Yp2Bn6/api?s=x9y8z7&wd=M3GAN+2: 404 Not Found")))
		const want = "GET http://h.example/REDACTED/api?s=REDACTED&wd=M3GAN+2: 404 Not Found"
		other := sourcetest.NewFakeSite("b", sourcetest.Answer(linkAt("b", "one", "")))
		if got := scan(t, s, sources.ScanOptions{}, site, other).Sites[0].Error; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

// A site that left something out of its answer has answered, and its report says what.
func TestScanner_Scan_note(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScanner(sourcetest.NewMemory(time.Now))
		note := &sources.NoteError{Note: "12 torrents\x1b[31m of http://u:pw@h.example/"}
		got := scan(t, s, sources.ScanOptions{}, sourcetest.NewFakeSite("some", sourcetest.Fail(note, linkAt("a", "one", ""))), sourcetest.NewFakeSite("none", sourcetest.Fail(note)))
		if statuses(got.Sites) != "some=ok none=empty" || names(got) != "one" {
			t.Errorf("%q, %s", names(got), statuses(got.Sites))
		}
		for _, report := range got.Sites {
			if want := "12 torrents of http://REDACTED@h.example/"; report.Note != want || report.Error != "" {
				t.Errorf("%s: note %q, error %q", report.Key, report.Note, report.Error)
			}
		}
	})
}

// A list is not the answer for an interface whose sites have changed since.
func TestScanner_Scan_sitesChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScanner(sourcetest.NewMemory(time.Now))
		a, b := sourcetest.NewFakeSite("a", sourcetest.Answer(linkAt("a", "one", ""))), sourcetest.NewFakeSite("b", sourcetest.Answer(linkAt("b", "two", "")))
		scan(t, s, sources.ScanOptions{}, a)
		if got := scan(t, s, sources.ScanOptions{}, a, b); got.FromCache || names(got) != "one two" {
			t.Errorf("a site more: from cache %v, %q", got.FromCache, names(got))
		}
		if got := scan(t, s, sources.ScanOptions{}, b); got.FromCache || names(got) != "two" {
			t.Errorf("a site less: from cache %v, %q", got.FromCache, names(got))
		}
	})
}

// Only what a site of the network did touches its rest: neither our own bugs
// nor a site that asks nobody.
func TestScanner_Scan_touchesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := sourcetest.NewMemory(time.Now)
		s := newScanner(store)
		offline := sourcetest.NewFakeSite("offline", sourcetest.Answer(linkAt("a", "one", "")))
		offline.SiteInfo.Offline = true
		down := sourcetest.NewFakeSite("down", sourcetest.Fail(sources.Errorf(sources.ClassHosterFault, "refused")))
		mad, bug := sourcetest.NewFakeSite("mad", sourcetest.Panic("boom")), sourcetest.NewFakeSite("bug", sourcetest.Fail(errors.New("index")))
		scan(t, s, sources.ScanOptions{Refresh: true}, offline, down, mad, bug)
		if rests, err := store.RestingSites(t.Context(), iface.URL); err != nil || len(rests) > 0 {
			t.Errorf("rests %v, %v: the catalogue vouched for the network", rests, err)
		}
		scan(t, s, sources.ScanOptions{Refresh: true}, sourcetest.NewFakeSite("up", nil), offline, down, mad, bug)
		rests, err := store.RestingSites(t.Context(), iface.URL)
		if _, ok := rests["down"]; err != nil || len(rests) != 1 || !ok {
			t.Errorf("rests %v, %v, want only the site that is down", rests, err)
		}
	})
}

// A site that is asked beside the others costs its own time where it fails, and is asked
// again by the next scan; the others neither rest nor lose a source by it.
func TestScanner_Scan_beside(t *testing.T) {
	refused := sources.Errorf(sources.ClassHosterFault, "refused")
	for name, c := range map[string]struct {
		search  sourcetest.SearchFunc
		status  sources.SiteStatus
		elapsed time.Duration
		cached  bool // by the next scan
	}{
		"refused":     {sourcetest.Fail(refused), sources.SiteError, 0, false},
		"hangs":       {sourcetest.Hang(), sources.SiteTimeout, 3 * time.Second, false},
		"is cut off":  {sourcetest.Hang(), sources.SiteTimeout, 2 * time.Second, false},
		"rests":       {sourcetest.Fail(sources.Errorf(sources.ClassCancelled, "not asked")), sources.SiteSkipped, 0, false},
		"empty":       {sourcetest.Answer(), sources.SiteEmpty, 0, true},
		"unsupported": {sourcetest.Fail(sources.Errorf(sources.ClassUnsupported, "no URL")), sources.SiteUnsupported, 0, true},
		"found":       {sourcetest.Answer(linkAt("b", "two", "")), sources.SiteOK, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := sourcetest.NewMemory(time.Now)
				s := newScanner(store)
				if name == "is cut off" {
					s.Timeout = c.elapsed
				}
				open := sourcetest.NewFakeSite("open", sourcetest.Answer(linkAt("a", "one", "")))
				beside := sourcetest.NewFakeSite("beside", c.search)
				beside.SiteInfo.Beside, beside.SiteInfo.Timeout = true, 3*time.Second
				got := scan(t, s, sources.ScanOptions{}, open, beside)
				if got.Sites[1].Status != c.status || got.Elapsed != c.elapsed || got.Sources[0].Name != "one" {
					t.Errorf("%s in %s: %q, want status %s in %s", statuses(got.Sites), got.Elapsed, names(got), c.status, c.elapsed)
				}
				if rests, err := store.RestingSites(t.Context(), iface.URL); err != nil || len(rests) > 0 {
					t.Errorf("rests %v, %v", rests, err)
				}
				answers := sourcetest.NewFakeSite("beside", sourcetest.Answer(linkAt("b", "two", ""))) // the other one may still hang
				answers.SiteInfo = beside.SiteInfo
				next := scan(t, s, sources.ScanOptions{}, open, answers)
				want := "one two"
				if c.status == sources.SiteEmpty || c.status == sources.SiteUnsupported {
					want = "one"
				}
				if next.FromCache != c.cached || names(next) != want {
					t.Errorf("the next scan: from the cache %t, %q, want %t, %q", next.FromCache, names(next), c.cached, want)
				}
			})
		})
	}
}

// A stored scan stands for no site that tells what lies on this machine now.
func TestScanner_Scan_local(t *testing.T) {
	for name, others := range map[string]int{"alone": 0, "beside another": 1} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := sourcetest.NewMemory(time.Now)
				s := newScanner(store)
				local := sourcetest.NewFakeSite("local", nil)
				local.SiteInfo.Local, local.SiteInfo.Offline = true, true
				other := sourcetest.NewFakeSite("other", sourcetest.Answer(linkAt("o", "far", "")))
				sites, far := []sources.Site{local, other}[:1+others], []string{"", " far"}[others]
				file := func(name string) sources.Source {
					return sources.Source{URL: "/films/" + name, Name: name, Own: true}
				}
				for _, step := range []struct {
					does string
					has  []sources.Source
					want string
				}{
					{"has a file", []sources.Source{file("one")}, "one" + far},
					{"has another one", []sources.Source{file("two")}, "two" + far},
					{"has none", nil, strings.TrimSpace(far)},
					{"has one again", []sources.Source{file("two")}, "two" + far},
				} {
					local.SearchFunc = sourcetest.Answer(step.has...)
					got := scan(t, s, sources.ScanOptions{}, sites...)
					if names(got) != step.want || got.Sites[0].Sources != len(step.has) {
						t.Errorf("it %s: found %q, %+v; want %q", step.does, names(got), got.Sites[0], step.want)
					}
					if len(got.Sources) > 0 && got.Sources[0].Own && got.Sources[0].State != sources.StateFound {
						t.Errorf("it %s: state %s", step.does, got.Sources[0].State)
					}
					if err := store.MarkDead(t.Context(), sources.SourceID(film, "/films/two")); err != nil {
						t.Fatal(err)
					}
					time.Sleep(time.Minute)
				}
				if n := len(other.Calls()); n != others {
					t.Errorf("the other one was asked %d times, want %d", n, others)
				}
			})
		})
	}
}

func TestScanner_Scan_emptyIsNotStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScanner(sourcetest.NewMemory(time.Now))
		site := sourcetest.NewFakeSite("a", sourcetest.Sequence(sourcetest.Answer(), sourcetest.Answer(linkAt("a", "one", ""))))
		if got := scan(t, s, sources.ScanOptions{}, site); len(got.Sources) != 0 || got.Sites[0].Status != sources.SiteEmpty {
			t.Errorf("first scan: %q, %s", names(got), statuses(got.Sites))
		}
		if got := names(scan(t, s, sources.ScanOptions{}, site)); got != "one" {
			t.Errorf("second scan: %q, want the site asked again", got)
		}
	})
}

// The store is told that nobody has a title only where everybody said so.
func TestScanner_Scan_nobodyHas(t *testing.T) {
	empty := func(key string) sources.Site { return sourcetest.NewFakeSite(key, nil) }
	failing := sourcetest.NewFakeSite("down", sourcetest.Fail(sources.Errorf(sources.ClassHosterFault, "503")))
	foreign := sourcetest.NewFakeSite("spider", sourcetest.Fail(sources.Errorf(sources.ClassUnsupported, "code")))
	for name, c := range map[string]struct {
		sites []sources.Site
		want  int
	}{
		"all empty":               {[]sources.Site{empty("a"), empty("b")}, 1},
		"one cannot be asked":     {[]sources.Site{empty("a"), foreign}, 1},
		"one fails":               {[]sources.Site{empty("a"), failing}, 0},
		"one had it a moment ago": {[]sources.Site{sourcetest.NewFakeSite("a", sourcetest.Sequence(sourcetest.Answer(linkAt("a", "one", "")), sourcetest.Answer()))}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := sourcetest.NewMemory(time.Now)
				s := newScanner(store)
				if name == "one had it a moment ago" {
					scan(t, s, sources.ScanOptions{}, c.sites...)
				}
				scan(t, s, sources.ScanOptions{Refresh: true}, c.sites...)
				if got := store.Emptied(); got != c.want {
					t.Errorf("told %d times, want %d", got, c.want)
				}
			})
		})
	}
}

func TestScanner_Scan_storeFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := sourcetest.NewMemory(time.Now)
		store.SetError(errors.New("disk full"))
		var log bytes.Buffer
		s := newScanner(store)
		s.Logger = slog.New(slog.NewTextHandler(&log, nil))
		site := sourcetest.NewFakeSite("a", sourcetest.Answer(linkAt("a", "one", "")))
		if got := names(scan(t, s, sources.ScanOptions{}, site)); got != "one" {
			t.Errorf("sources %q, want them although the store fails", got)
		}
		if !strings.Contains(log.String(), "disk full") {
			t.Errorf("logged %q, want the store's error", log.String())
		}
	})
}

// A stored state outlives a new scan that finds the link again, but for a dead one that
// somebody wants asked again.
func TestScanner_Scan_keepsState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := sourcetest.NewMemory(time.Now)
		src := linkAt("a", "one", "")
		dead := src
		dead.ID, dead.State = sources.SourceID(film, src.URL), sources.StateDead
		stored := sources.StoredScan{ScannedAt: time.Now().Add(-23 * time.Hour), Answers: []sources.SiteAnswer{{Site: "a", SeenAt: time.Now(), Sources: []sources.Source{dead}}}}
		if err := store.SaveScan(t.Context(), iface.URL, film, stored); err != nil {
			t.Fatal(err)
		}
		for refresh, want := range []sources.State{sources.StateDead, sources.StateFound} {
			got := scan(t, newScanner(store), sources.ScanOptions{Refresh: refresh == 1}, sourcetest.NewFakeSite("a", sourcetest.Answer(src)))
			if got.FromCache || got.Sources[0].State != want {
				t.Errorf("refreshed %d: from the store %t, state %s, want %s", refresh, got.FromCache, got.Sources[0].State, want)
			}
			kept, err := store.LoadScan(t.Context(), iface.URL, film)
			if err != nil || kept.Answers[0].Sources[0].State != want {
				t.Errorf("refreshed %d: stored is %+v, %v", refresh, kept.Answers[0].Sources[0], err)
			}
		}
	})
}

func TestScanner_Scan_progress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen []string
		var at time.Duration // of the last one
		o := sources.ScanOptions{Progress: func(p sources.ScanProgress) {
			now := time.Duration(time.Now().UnixNano() % int64(time.Minute))
			if len(seen) > 0 && at == now { // of one moment, the last one counts
				seen = seen[:len(seen)-1]
			}
			at, seen = now, append(seen, fmt.Sprintf("%s: %d/%d, %d sources, waiting %v", now, p.Done, p.Total, len(p.Sources), p.Waiting))
		}}
		scan(t, newScanner(nil), o,
			sourcetest.NewFakeSite("quick", sourcetest.After(time.Second, sourcetest.Answer(linkAt("a", "one", "")))),
			sourcetest.NewFakeSite("slow", sourcetest.After(3*time.Second, sourcetest.Answer())),
		)
		want := []string{
			"0s: 0/2, 0 sources, waiting [quick slow]",
			"1s: 1/2, 1 sources, waiting [slow]",
			"3s: 2/2, 1 sources, waiting []",
		}
		if strings.Join(seen, "\n") != strings.Join(want, "\n") {
			t.Errorf("progress:\n%s\nwant:\n%s", strings.Join(seen, "\n"), strings.Join(want, "\n"))
		}
	})
}

func TestScanner_Scan_hostileName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := linkAt("a", "x", "")
		src.Name = "Film\x1b]0;owned\x07\x1b[31m\r\n1080p"
		got := scan(t, newScanner(nil), sources.ScanOptions{}, sourcetest.NewFakeSite("a", sourcetest.Answer(src)))
		if name := got.Sources[0].Name; strings.ContainsAny(name, "\x1b\x07\r\n") {
			t.Errorf("name %q reaches the list as the site sent it", name)
		}
	})
}

func TestScanner_Scan_badTitle(t *testing.T) {
	if _, err := newScanner(nil).Scan(t.Context(), sources.Title{Kind: sources.KindMovie}, iface, nil, sources.ScanOptions{}); err == nil {
		t.Error("a title without a name was looked for")
	}
}

func TestScanner_Scan_noSites(t *testing.T) {
	_, err := newScanner(nil).Scan(t.Context(), film, iface, nil, sources.ScanOptions{})
	var none *sources.NoAnswerError
	if !errors.As(err, &none) {
		t.Errorf("Scan() = %v, want a NoAnswerError", err)
	}
}
