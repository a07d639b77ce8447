package sourcetest

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/sources"
)

// RunScans checks that a store keeps the contract of sources.ScanStore.
func RunScans(t *testing.T, newStore StoreBackend) {
	t.Helper()
	runStoreChecks(t, newStore, []storeCheck{
		{"nothing", checkNoScan},
		{"what is stored comes back", checkScanRoundTrip},
		{"a source of which its site tells something else", checkScanRewritten},
		{"an answer replaces that of its site", checkReplaceAnswer},
		{"nothing found changes nothing", checkEmptyScan},
		{"scans stored in the wrong order", checkScanOrder},
		{"answers and a clock that was set back", checkScanClock},
		{"titles and interfaces apart", checkScanKeys},
		{"a title by its key", checkSameKey},
		{"each source once", checkSourceOnce},
		{"what became of a source stays", checkStateStays},
		{"a dead source", checkDeadness},
		{"a refreshed scan", checkRefreshed},
		{"a source that left comes back anew", checkSourceLeft},
		{"many sources", checkManySources},
		{"callers keep their copies", checkScanCopies},
		{"sites climb the ladder up to 300 s", checkSiteLadder},
		{"sites are guarded", checkSiteGuard},
		{"a hoster vouches for sites", checkHosterVouches},
		{"one incident of a site counts once", checkSiteIncident},
		{"successes of one call come first", checkSiteOrder},
		{"sites of interfaces apart", checkSiteKeys},
		{"sites move no hoster", checkSitesApart},
		{"rests and a clock that was set back", checkSiteClock},
	})
}

func checkNoScan(s *storeSubject) {
	if scan := s.load(storeMovie()); scan != nil {
		s.Errorf("a fresh store has %+v", scan)
	}
	rests, err := s.RestingSites(s.Context(), storeInterface)
	s.must(err)
	s.want("resting", len(rests), 0)
	s.must(s.SiteTouch(s.Context(), storeInterface, nil))
}

func checkScanRoundTrip(s *storeSubject) {
	t := storeMovie()
	full := s.link(t, "h.example", "full\u202e\x1b[31m", sources.Quality4K)
	full.Headers = map[string]string{"Referer": "https://h.example/", "User-Agent": "x"}
	full.Language, full.Info, full.SizeBytes = "de", []string{"HEVC", "5.1"}, 1<<40
	full.Priority, full.Trailer, full.Unplayable = sources.PriorityLast, true, "needs a parser"
	full.Own, full.Duration, full.Group = true, 5400, "pack\x1b"
	full.Subtitles = []sources.Subtitle{{URL: "https://h.example/a.srt?x=\u202e", Language: "de"}, {URL: "file:///b.vtt"}}
	full.ID = sources.SourceID(t, full.URL)
	plain := s.link(t, "h.example", "plain", sources.QualityUnknown)
	scan := sources.StoredScan{
		ScannedAt: s.now(),
		Sites: []sources.SiteReport{
			{SiteInfo: sources.SiteInfo{Key: "two", Name: "Two", Type: "1", Timeout: 3 * time.Second}, Status: sources.SiteOK, Sources: 1, Elapsed: 1500 * time.Millisecond},
			{SiteInfo: sources.SiteInfo{Key: "broken"}, Status: sources.SiteError, Error: "status 500"},
			{SiteInfo: sources.SiteInfo{Key: "one"}, Status: sources.SiteOK, Sources: 2, Note: "12 torrents", Seen: []sources.Sighting{
				{Name: "Paper Lanterns", OriginalName: "纸灯笼", Year: 2014, Kind: sources.KindMovie, IMDb: "tt9000001"},
				{Name: "Paper Lanterns", Kind: sources.KindEpisode, Episodes: []sources.EpisodeNumber{
					{Season: 0, Episode: 1}, {Season: 1, Episode: 1}, {Season: 1, Episode: 2}, {Season: 1, Episode: 4}, {Season: 2, Episode: 5}, {Season: 2, Episode: 6},
				}},
			}},
		},
		Answers: []sources.SiteAnswer{s.answer("two", full), s.answer("one", plain, s.link(t, "i.example", "other", sources.QualitySD))},
	}
	s.must(s.SaveScan(s.Context(), storeInterface, t, scan))
	if diff := cmp.Diff(&scan, s.load(t)); diff != "" {
		s.Errorf("loaded (-want +got):\n%s", diff)
	}
	t.Aliases[0], t.Aliases[1] = t.Aliases[1], t.Aliases[0]
	if diff := cmp.Diff(&scan, s.load(t)); diff != "" {
		s.Errorf("with its aliases in another order (-want +got):\n%s", diff)
	}
}

// checkScanRewritten has a site tell each thing of a source otherwise.
func checkScanRewritten(s *storeSubject) {
	t := storeMovie()
	src := s.link(t, "h.example", "a", sources.QualitySD)
	s.offer(t, src)
	for what, change := range map[string]func(){
		"hoster": func() { src.Hoster = "i.example" }, "name": func() { src.Name = "b" }, "headers": func() { src.Headers = map[string]string{"Referer": "x"} },
		"quality": func() { src.Quality = sources.Quality4K }, "language": func() { src.Language = "de" }, "info": func() { src.Info = []string{"HEVC"} },
		"size": func() { src.SizeBytes = 7 }, "priority": func() { src.Priority = 7 }, "trailer": func() { src.Trailer = true },
		"unplayable": func() { src.Unplayable = "x" }, "own": func() { src.Own = true }, "duration": func() { src.Duration = 60 },
		"group": func() { src.Group = "pack" }, "subtitles": func() { src.Subtitles = []sources.Subtitle{{URL: "https://h.example/a.srt"}} },
		"link": func() { src.URL += "#b" },
	} {
		change()
		s.offer(t, src)
		if diff := cmp.Diff([]sources.Source{src}, s.load(t).Answers[0].Sources); diff != "" {
			s.Errorf("another %s (-want +got):\n%s", what, diff)
		}
	}
}

func checkReplaceAnswer(s *storeSubject) {
	t := storeMovie()
	a, b, c := s.link(t, "h.example", "a", sources.QualitySD), s.link(t, "h.example", "b", sources.QualitySD), s.link(t, "h.example", "c", sources.QualitySD)
	s.save(t, s.answer("one", a, b), s.answer("two", c))
	first := s.now()
	s.advance(time.Hour)
	s.save(t, s.answer("one", c, b), s.answer("three"))
	s.want("list", s.listed(t), "one: c found, b found; two: c found")
	scan := s.load(t)
	if !scan.ScannedAt.Equal(s.now()) || !scan.Answers[0].SeenAt.Equal(s.now()) || !scan.Answers[1].SeenAt.Equal(first) {
		s.Errorf("times of %+v, want each answer's own", scan)
	}
	s.save(t, s.answer("two", a), s.answer("one", b))
	s.want("in the order of the last report", s.listed(t), "two: a found; one: b found")
}

func checkEmptyScan(s *storeSubject) {
	t := storeMovie()
	s.must(s.SaveScan(s.Context(), storeInterface, t, sources.StoredScan{ScannedAt: s.now()}))
	s.want("list of a title that nobody has", s.listed(t), "nothing")
	s.offer(t, s.link(t, "h.example", "a", sources.QualitySD))
	before := s.load(t)
	s.advance(time.Hour)
	s.save(t, s.answer("one"), s.answer("two"))
	if diff := cmp.Diff(before, s.load(t)); diff != "" {
		s.Errorf("a scan that found nothing (-want +got):\n%s", diff)
	}
}

// checkScanOrder stores scans that were made before what the store has.
func checkScanOrder(s *storeSubject) {
	t := storeMovie()
	a, b := s.link(t, "h.example", "a", sources.QualitySD), s.link(t, "h.example", "b", sources.QualitySD)
	reports := func(sites ...string) (all []sources.SiteReport) {
		for _, site := range sites {
			all = append(all, sources.SiteReport{SiteInfo: sources.SiteInfo{Key: site}, Status: sources.SiteOK})
		}
		return all
	}
	older := sources.StoredScan{ScannedAt: s.now(), Sites: reports("three", "two", "one"), Answers: []sources.SiteAnswer{
		s.answer("one", a), s.answer("two", a), s.answer("three", a),
	}}
	nothing := sources.StoredScan{ScannedAt: s.now(), Sites: reports("one", "two")}
	s.advance(time.Second)
	newer := sources.StoredScan{ScannedAt: s.now().Add(-time.Hour), Sites: reports("one", "two"), Answers: []sources.SiteAnswer{ // it was cut off
		s.answer("one", b), s.answer("two", b),
	}}
	s.must(s.SaveScan(s.Context(), storeInterface, t, newer))
	s.must(s.PutStream(s.Context(), b.ID, sources.Stream{URL: "https://cdn.example/b"}))
	s.advance(time.Second)
	s.must(s.SaveScan(s.Context(), storeInterface, t, older))
	s.want("list", s.listed(t), "one: b resolved; two: b resolved; three: a found")
	if scan := s.load(t); !scan.ScannedAt.Equal(newer.ScannedAt) || len(scan.Sites) != 2 || !scan.Answers[0].SeenAt.Equal(newer.Answers[0].SeenAt) {
		s.Errorf("an older scan, stored later, changed time or report: %+v", scan)
	}
	_, _, err := s.AddWatch(s.Context(), t, sources.WatchUser)
	s.must(err)
	s.must(s.SaveScan(s.Context(), storeInterface, t, nothing))
	due, err := s.WatchDue(s.Context(), storeInterface, time.Minute)
	s.must(err)
	s.want("due after an older scan that found nothing", len(due), 1)

	again := s.answer("one", a)
	s.must(s.SaveScan(s.Context(), storeInterface, t, sources.StoredScan{ScannedAt: s.now(), Sites: reports("one"), Answers: []sources.SiteAnswer{again}}))
	s.want("after a later scan", s.listed(t), "one: a found; three: a found; two: b resolved")
	s.offer(t, b)
	s.want("within the second", s.listed(t), "one: b found; three: a found; two: b resolved")
	if scan := s.load(t); !scan.ScannedAt.Equal(s.now()) {
		s.Errorf("scanned at %s, want %s", scan.ScannedAt, s.now())
	}
}

// checkScanClock stores a scan after the clock was set back: what is stored seems to be
// later.
func checkScanClock(s *storeSubject) {
	t := storeMovie()
	a, b := s.link(t, "h.example", "a", sources.QualitySD), s.link(t, "h.example", "b", sources.QualitySD)
	s.save(t, s.answer("one", a), s.answer("two", a))
	s.advance(-time.Hour)
	s.offer(t, b)
	s.want("list", s.listed(t), "one: b found; two: a found")
	if scan := s.load(t); !scan.ScannedAt.Equal(s.now()) || len(scan.Sites) != 1 {
		s.Errorf("time and report are those of the future: %+v", scan)
	}
}

func checkScanKeys(s *storeSubject) {
	t := storeMovie()
	s.offer(t, s.link(t, "h.example", "a", sources.QualitySD))
	s.saveAt(otherInterface, t, s.answer("one", s.link(t, "h.example", "b", sources.QualitySD)))
	s.want("list", s.listed(t), "one: a found")
	for name, change := range map[string]func(*sources.Title){
		"year": func(t *sources.Title) { t.Year++ }, "imdb": func(t *sources.Title) { t.IMDb = "" },
		"alias": func(t *sources.Title) { t.Aliases = t.Aliases[:1] }, "original name": func(t *sources.Title) { t.OriginalName = "" },
	} {
		other := storeMovie()
		change(&other)
		s.want("with another "+name, s.listed(other), "nothing")
	}
	first := storeEpisode(1)
	s.offer(first, s.link(first, "h.example", "e1", sources.QualitySD))
	s.want("another episode", s.listed(storeEpisode(2)), "nothing")
}

func checkSameKey(s *storeSubject) {
	t := storeMovie()
	s.offer(t, s.link(t, "h.example", "a", sources.QualitySD))
	t.Name = "paper  SUBMARINES"
	s.want("with a name that is written otherwise", s.listed(t), "one: a found")
}

func checkSourceOnce(s *storeSubject) {
	t := storeMovie()
	a := s.link(t, "h.example", "a", sources.QualitySD)
	again, unnamed := a, s.link(t, "h.example", "b", sources.QualitySD)
	again.Name = "a again"
	unnamed.ID = ""
	s.offer(t, a, again, unnamed)
	s.want("list", s.listed(t), "one: a found, b found")
	if got := s.load(t).Answers[0].Sources[1].ID; got != sources.SourceID(t, unnamed.URL) {
		s.Errorf("a source without id is %q, want its SourceID", got)
	}
}

func checkStateStays(s *storeSubject) {
	t := storeMovie()
	a := s.link(t, "h.example", "a", sources.QualitySD)
	s.offer(t, a)
	s.must(s.PutStream(s.Context(), a.ID, sources.Stream{URL: "https://cdn.example/a"}))
	s.advance(time.Hour)
	a.Name = "a renamed"
	s.offer(t, a)
	s.want("list", s.listed(t), "one: a renamed resolved")
	if s.stream(a.ID) == nil {
		s.Error("its stream is gone")
	}
}

func checkDeadness(s *storeSubject) {
	t := storeMovie()
	a := s.link(t, "h.example", "a", sources.QualitySD)
	s.offer(t, a)
	s.must(s.MarkDead(s.Context(), a.ID))
	s.advance(24*time.Hour - time.Second)
	s.offer(t, a)
	s.want("named within a day", s.listed(t), "one: a dead")
	s.advance(time.Second)
	s.offer(t, a)
	s.want("named after a day", s.listed(t), "one: a found")
	s.must(s.MarkDead(s.Context(), a.ID))
	s.advance(-time.Hour)
	s.offer(t, a)
	s.want("dead in the future", s.listed(t), "one: a found")
}

// checkRefreshed has a scan that somebody wants all asked again for.
func checkRefreshed(s *storeSubject) {
	t := storeMovie()
	dead, works, left := s.link(t, "h.example", "a", sources.QualitySD), s.link(t, "h.example", "b", sources.QualitySD), s.link(t, "h.example", "c", sources.QualitySD)
	s.watchIt(t)
	s.save(t, s.answer("one", dead, works), s.answer("two", left))
	s.must(s.PutStream(s.Context(), works.ID, sources.Stream{URL: "https://cdn.example/b"}))
	for _, src := range []sources.Source{dead, left} {
		s.must(s.MarkDead(s.Context(), src.ID))
	}
	s.must(s.SaveScan(s.Context(), storeInterface, t, sources.StoredScan{
		ScannedAt: s.now(), Answers: []sources.SiteAnswer{s.answer("one", dead, works)}, Refreshed: true,
	}))
	s.want("list", s.listed(t), "one: a found, b resolved; two: c dead")
	_, err := s.BeginCycle(s.Context())
	s.must(err)
	jobs, err := s.ResolveQueue(s.Context(), 0, 9, 9)
	s.must(err)
	if len(jobs) != 1 || jobs[0].Source.ID != dead.ID {
		s.Errorf("to be resolved: %+v, want the one that was dead", jobs)
	}
	if s.load(t).Refreshed {
		s.Error("a stored scan is refreshed")
	}
}

func checkSourceLeft(s *storeSubject) {
	t := storeMovie()
	a, b := s.link(t, "h.example", "a", sources.QualitySD), s.link(t, "h.example", "b", sources.QualitySD)
	s.save(t, s.answer("one", a, b), s.answer("two", b))
	for _, src := range []sources.Source{a, b} {
		s.must(s.PutStream(s.Context(), src.ID, sources.Stream{URL: "https://cdn.example/" + src.Name}))
		s.must(s.PutUnlockedStream(s.Context(), userKey(1), src.ID, sources.Stream{URL: "https://cdn.example/" + src.Name}))
	}
	s.offer(t, s.link(t, "h.example", "c", sources.QualitySD))
	for src, kept := range map[string]bool{a.ID: false, b.ID: true} { // b is in the list of site two
		unlocked, err := s.UnlockedStream(s.Context(), userKey(1), src)
		s.must(err)
		if stream := s.stream(src); (stream != nil) != kept || (unlocked != nil) != kept {
			s.Errorf("streams %+v and %+v, want them kept: %t", stream, unlocked, kept)
		}
	}
	s.offer(t, a)
	s.want("list", s.listed(t), "one: a found; two: b resolved")
}

func checkManySources(s *storeSubject) {
	t := storeMovie()
	var answers []sources.SiteAnswer
	for _, site := range []string{"a", "b", "c"} {
		var all []sources.Source
		for i := range 130 {
			all = append(all, s.link(t, "h.example", site+strings.Repeat("x", i), sources.QualitySD))
		}
		answers = append(answers, s.answer(site, all...))
	}
	s.save(t, answers...)
	if diff := cmp.Diff(answers, s.load(t).Answers); diff != "" {
		s.Errorf("loaded (-want +got):\n%s", diff)
	}
}

func checkScanCopies(s *storeSubject) {
	t := storeMovie()
	a := s.link(t, "h.example", "a", sources.QualitySD)
	a.Headers, a.Info = map[string]string{"Referer": "x"}, []string{"HEVC"}
	a.Subtitles = []sources.Subtitle{{URL: "https://h.example/a.srt"}}
	scan := sources.StoredScan{ScannedAt: s.now(), Answers: []sources.SiteAnswer{s.answer("one", a)}, Sites: []sources.SiteReport{{
		SiteInfo: sources.SiteInfo{Key: "one"}, Status: sources.SiteOK,
		Seen: []sources.Sighting{{Name: "Film", Kind: sources.KindEpisode, Episodes: []sources.EpisodeNumber{{Season: 1, Episode: 1}}}},
	}}}
	s.must(s.SaveScan(s.Context(), storeInterface, t, scan))
	want := s.load(t)
	for _, held := range []*sources.StoredScan{&scan, s.load(t)} {
		src := &held.Answers[0].Sources[0]
		src.Name, src.Headers["Referer"], src.Info[0], src.Subtitles[0].URL = "changed", "changed", "changed", "changed"
		seen := &held.Sites[0].Seen[0]
		seen.Name, seen.Episodes[0].Season = "changed", 9
	}
	if diff := cmp.Diff(want, s.load(t)); diff != "" {
		s.Errorf("what callers hold changes the store (-want +got):\n%s", diff)
	}
}

func (s *storeSubject) touchSites(outcomes ...sources.SiteOutcome) {
	s.Helper()
	s.must(s.SiteTouch(s.Context(), storeInterface, outcomes))
}

// siteRest is how long site bad of the interface rests from now on.
func (s *storeSubject) siteRest() time.Duration {
	s.Helper()
	rests, err := s.RestingSites(s.Context(), storeInterface)
	s.must(err)
	rest, ok := rests["bad"]
	if !ok {
		return 0
	}
	return rest.Until.Sub(s.now())
}

func (s *storeSubject) siteFail(site string) sources.SiteOutcome {
	return sources.SiteOutcome{Site: site, Started: s.now(), Error: "status 500"}
}

func (s *storeSubject) siteOK(site string) sources.SiteOutcome {
	return sources.SiteOutcome{Site: site, Started: s.now(), OK: true}
}

func checkSiteLadder(s *storeSubject) {
	for _, seconds := range []int{5, 10, 20, 30, 60, 300, 300} {
		s.touchSites(s.siteFail("bad"), s.siteOK("good"))
		rests, err := s.RestingSites(s.Context(), storeInterface)
		s.must(err)
		rest := time.Duration(seconds) * time.Second
		s.want("resting", rests, map[string]sources.SiteRest{"bad": {Until: s.now().Add(rest), Reason: "status 500"}})
		s.advance(rest - time.Second)
		s.want("a second before its end", s.siteRest(), time.Second)
		s.advance(time.Second)
		s.want("at its end", s.siteRest(), time.Duration(0))
	}
	s.touchSites(s.siteOK("bad"))
	s.touchSites(s.siteFail("bad"))
	s.want("after a success", s.siteRest(), 5*time.Second)
	s.touchSites(s.siteOK("bad"))
	s.want("a success ends the rest", s.siteRest(), time.Duration(0))
}

func checkSiteGuard(s *storeSubject) {
	s.touchSites(s.siteFail("bad"))
	s.want("before any success", s.siteRest(), time.Duration(0))
	s.touchSites(s.siteOK("good"))
	s.advance(31 * time.Second)
	s.touchSites(s.siteFail("bad"))
	s.want("31 s after a success", s.siteRest(), time.Duration(0))
	s.touchSites(s.siteOK("good"))
	s.advance(30 * time.Second)
	s.touchSites(s.siteFail("bad"))
	s.want("30 s after a success", s.siteRest(), 5*time.Second)
}

func checkHosterVouches(s *storeSubject) {
	s.attempt("good.example", sources.ClassOK)
	s.advance(30 * time.Second)
	s.touchSites(s.siteFail("bad"))
	s.want("30 s after a hoster's success", s.siteRest(), 5*time.Second)
}

func checkSiteIncident(s *storeSubject) {
	s.touchSites(s.siteOK("good"))
	fail := s.siteFail("bad")
	s.advance(time.Second)
	s.touchSites(fail)
	s.touchSites(fail)
	s.want("two fails of one incident", s.siteRest(), 5*time.Second)
}

func checkSiteOrder(s *storeSubject) {
	s.touchSites(s.siteFail("bad"), s.siteOK("good"))
	s.want("a fail before the success of its scan", s.siteRest(), 5*time.Second)
}

func checkSiteKeys(s *storeSubject) {
	s.touchSites(s.siteOK("good"), s.siteFail("bad"))
	rests, err := s.RestingSites(s.Context(), otherInterface)
	s.must(err)
	s.want("resting at another interface", len(rests), 0)
}

func checkSitesApart(s *storeSubject) {
	s.touchSites(s.siteOK("one"), s.siteFail("two"))
	s.want("network", s.network(), sources.NetworkUnknown)
	s.attempt("bad.example", sources.ClassHosterFault)
	s.want("a site vouches for hosters", s.fails(), "")
}

func checkSiteClock(s *storeSubject) {
	s.touchSites(s.siteOK("good"), s.siteFail("bad"))
	s.advance(-time.Hour)
	s.want("an impossible rest", s.siteRest(), time.Duration(0))
}
