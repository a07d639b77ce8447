package sourcetest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/sources"
	"xship/sources/link"
)

// RunQueue checks that a store keeps the contract of sources.Queue.
func RunQueue(t *testing.T, newStore StoreBackend) {
	t.Helper()
	runStoreChecks(t, newStore, []storeCheck{
		{"the way of a source", checkSourceWay},
		{"only watched titles", checkQueueWatched},
		{"what nobody works on ahead of time", checkQueueLeftOut},
		{"the way of the user's own", checkQueueOwn},
		{"the user's own and its hoster", checkQueueOwnHoster},
		{"the user's own that does not work", checkQueueOwnTried},
		{"the user's own among others", checkQueueOwnOrder},
		{"what becomes the user's own", checkQueueBecomesOwn},
		{"most useful first", checkQueueOrder},
		{"of one day the better quality", checkQueueDay},
		{"the hosters with a good record first", checkQueueRecord},
		{"the hosters that fail now later", checkQueueFailing},
		{"only hosters that may be tried", checkQueueBlocked},
		{"bounds", checkQueueBounds},
		{"a source of several sites", checkQueueSites},
		{"tried once a cycle", checkQueueTried},
		{"held back", checkHoldBack},
		{"what cannot be resolved rests for a day", checkQueueUnsupported},
		{"what cannot be resolved, with another link", checkQueueUnsupportedLink},
		{"what cannot be resolved and a clock that was set back", checkQueueUnsupportedClock},
		{"streams that end are renewed", checkQueueRenew},
		{"streams that do not tell their end", checkQueueRenewTTL},
		{"a stream once a cycle", checkQueueRenewOnce},
		{"streams and cycles of another clock", checkQueueRenewClock},
		{"cycles count up", checkCycles},
		{"many are let go", checkQueueMany},
	})
}

func jobNames(jobs []sources.Job) string {
	all := make([]string, len(jobs))
	for i, j := range jobs {
		all[i] = j.Source.Name
	}
	return strings.Join(all, " ")
}

// queues compares the names in both queues, in order, with streams renewed 15
// minutes before their end, and at most five of a hoster.
func (s *storeSubject) queues(what, resolve, probe string) {
	s.Helper()
	s.want(what+", to resolve", s.queue(s.ResolveQueue(s.Context(), 15*time.Minute, 50, 5)), resolve)
	s.want(what+", to probe", s.queue(s.ProbeQueue(s.Context(), 50, 5)), probe)
}

func (s *storeSubject) queue(jobs []sources.Job, err error) string {
	s.Helper()
	s.must(err)
	return jobNames(jobs)
}

func (s *storeSubject) beginCycle() {
	s.Helper()
	_, err := s.BeginCycle(s.Context())
	s.must(err)
}

// tried makes an attempt at a source.
func (s *storeSubject) tried(src sources.Source, class sources.Class) {
	s.Helper()
	a, ok, err := s.BeginAttempt(s.Context(), src.Hoster, src.URL, false)
	s.must(err)
	if !ok {
		s.Fatalf("no attempt at %s was allowed", src.Hoster)
	}
	s.end(a, class)
}

func (s *storeSubject) resolved(src sources.Source, life time.Duration) {
	s.Helper()
	stream := sources.Stream{URL: "https://cdn.example/" + src.Name}
	if life > 0 {
		stream.ExpiresAt = s.now().Add(life)
	}
	s.must(s.PutStream(s.Context(), src.ID, stream))
}

func (s *storeSubject) probed(src sources.Source) {
	s.Helper()
	s.must(s.PutMediaInfo(s.Context(), src.ID, storeInfo()))
}

// watchedPair is a watched film with a source a, and b of lesser quality.
func (s *storeSubject) watchedPair() (t sources.Title, a, b sources.Source) {
	s.Helper()
	t = storeMovie()
	s.watchIt(t)
	a, b = s.link(t, "h.example", "a", sources.Quality4K), s.link(t, "h.example", "b", sources.Quality1080p)
	s.offer(t, a, b)
	return t, a, b
}

func checkSourceWay(s *storeSubject) {
	t := storeMovie()
	s.watchIt(t)
	src := s.link(t, "h.example", "a", sources.Quality1080p)
	src.Headers, src.Info = map[string]string{"Referer": "x"}, []string{"HEVC"}
	s.offer(t, src)
	s.queues("found", "a", "")
	jobs, err := s.ResolveQueue(s.Context(), 0, 1, 1)
	s.must(err)
	if diff := cmp.Diff([]sources.Job{{Source: src}}, jobs); diff != "" {
		s.Errorf("job (-want +got):\n%s", diff)
	}
	s.resolved(src, time.Hour)
	s.queues("resolved", "", "a")
	s.probed(src)
	s.queues("probed", "", "")
	s.resolved(src, time.Hour)
	s.queues("resolved again", "", "a")
	s.must(s.DropStream(s.Context(), src.ID))
	s.queues("dropped", "a", "")
	s.must(s.MarkDead(s.Context(), src.ID))
	s.queues("dead", "", "")
	s.advance(24 * time.Hour)
	s.offer(t, src)
	s.queues("named again", "a", "")
}

func checkQueueWatched(s *storeSubject) {
	t := storeMovie()
	s.offer(t, s.link(t, "h.example", "a", sources.Quality4K))
	s.queues("nobody watches it", "", "")
	entry := s.watchIt(t)
	s.queues("watched", "a", "")
	s.saveAt(otherInterface, t, s.answer("one", s.link(t, "h.example", "b", sources.Quality1080p)))
	s.queues("at two interfaces", "a b", "")
	s.must(s.SetWatchTitle(s.Context(), entry.ID, storeEpisode(1)))
	s.queues("another title is watched", "", "")
	s.must(s.SetWatchTitle(s.Context(), entry.ID, t))
	s.queues("watched again", "a b", "")
	_, err := s.RemoveWatch(s.Context(), entry.ID)
	s.must(err)
	s.queues("not any more", "", "")
}

func checkQueueLeftOut(s *storeSubject) {
	t := storeMovie()
	s.watchIt(t)
	trailer, parser := s.link(t, "h.example", "trailer", sources.Quality4K), s.link(t, "h.example", "parser", sources.Quality4K)
	trailer.Trailer, parser.Unplayable = true, "needs a parser"
	local, nobody := s.link(t, link.HosterLocal, "local", sources.Quality4K), s.link(t, "", "nobody", sources.Quality4K)
	s.offer(t, trailer, parser, local, nobody, s.link(t, "h.example", "a", sources.QualitySD))
	s.queues("left out", "a", "")
}

// own is a source of the user's own.
func (s *storeSubject) own(t sources.Title, hoster, name string, q sources.Quality) sources.Source {
	src := s.link(t, hoster, name, q)
	src.Own = true
	return src
}

func checkQueueOwn(s *storeSubject) {
	t := storeMovie()
	s.watchIt(t)
	trailer, broken := s.own(t, link.HosterLocal, "trailer", sources.Quality4K), s.own(t, link.HosterLocal, "broken", sources.Quality4K)
	trailer.Trailer, broken.Unplayable = true, "a disc image"
	local, server := s.own(t, link.HosterLocal, "local", sources.Quality1080p), s.own(t, "nas.example", "server", sources.Quality720p)
	server.Headers = map[string]string{"Referer": "x"}
	nobody := s.own(t, "", "nobody", sources.QualitySD)
	s.offer(t, trailer, broken, local, server, nobody)
	s.queues("found", "local server nobody", "")
	jobs, err := s.ResolveQueue(s.Context(), 0, 9, 1)
	s.must(err)
	if diff := cmp.Diff([]sources.Job{{Source: local}, {Source: server}, {Source: nobody}}, jobs); diff != "" {
		s.Errorf("jobs (-want +got):\n%s", diff)
	}
	s.resolved(local, time.Hour)
	s.resolved(server, time.Hour)
	s.queues("resolved", "nobody", "local server")
	s.probed(local)
	s.must(s.MarkDead(s.Context(), nobody.ID))
	s.queues("probed, and dead", "", "server")
	s.must(s.DropStream(s.Context(), local.ID))
	s.queues("dropped", "local", "server")
}

// checkQueueOwnHoster has the user's own wait at hosters that are unknown, blocked and
// leased: it does not look at them, and nothing is learnt of them by it.
func checkQueueOwnHoster(s *storeSubject) {
	t := storeMovie()
	s.watchIt(t)
	own, local := s.own(t, "h.example", "own", sources.Quality4K), s.own(t, link.HosterLocal, "local", sources.QualitySD)
	s.offer(t, own, local)
	s.queues("unknown", "own local", "")
	s.beginCycle()
	s.must(s.HoldBack(s.Context(), own.ID))
	s.resolved(local, time.Hour)
	s.probed(local)
	hosters, err := s.Hosters(s.Context())
	s.must(err)
	s.want("the hoster table", hosters, []sources.HosterHealth(nil))
	s.beginCycle()
	s.offer(t, own, local, s.link(t, "h.example", "public", sources.QualitySD))
	s.queues("beside another one", "own public", "")
	s.attempt("good.example", sources.ClassOK)
	s.attempt("h.example", sources.ClassHosterFault)
	s.queues("blocked", "own", "")
	s.advance(5 * time.Second)
	s.queues("its block is over", "own public", "")
	s.want("links to test it by", s.retests(nil, 9), []sources.Retest{{Hoster: "h.example", Link: "https://h.example/public"}})
	s.begin("h.example")
	s.queues("somebody tries it", "own", "")
}

func checkQueueOwnTried(s *storeSubject) {
	t := storeMovie()
	s.watchIt(t)
	all := []sources.Source{s.own(t, link.HosterLocal, "a", sources.Quality4K), s.own(t, "nas.example", "b", sources.Quality1080p), s.own(t, link.HosterLocal, "c", sources.Quality720p)}
	s.offer(t, all...)
	s.resolved(all[1], time.Hour)
	for range 2 {
		s.beginCycle()
		s.queues("in a new cycle", "a c", "b")
		s.must(s.HoldBack(s.Context(), all[0].ID))
		s.must(s.HoldBack(s.Context(), all[1].ID))
		s.queues("held back", "c", "")
		s.offer(t, all...)
		s.queues("named again", "c", "")
	}
	s.must(s.MarkDead(s.Context(), all[0].ID))
	s.beginCycle()
	s.queues("gone", "c", "b")
	s.advance(24 * time.Hour)
	s.offer(t, all...)
	s.beginCycle()
	s.queues("named after a day", "a b c", "")
}

func checkQueueOwnOrder(s *storeSubject) {
	t := storeMovie()
	s.watchIt(t)
	var all []sources.Source
	for i, q := range sources.Qualities() {
		all = append(all,
			s.link(t, "h.example", fmt.Sprint("h", i), q), s.own(t, "h.example", fmt.Sprint("own", i), q),
			s.own(t, link.HosterLocal, fmt.Sprint("local", i), q), s.own(t, "nas.example", fmt.Sprint("nas", i), q))
	}
	s.offer(t, all...)
	s.attempt("good.example", sources.ClassOK)
	s.attempt("h.example", sources.ClassHosterFault) // set back by three steps
	s.advance(5 * time.Second)
	for _, tt := range []struct {
		limit, perHoster int
		want             string
	}{
		{50, 1, "own0 local0 nas0 h0"}, {50, 2, "own0 local0 nas0 own1 local1 nas1 h0 h1"}, {4, 2, "own0 local0 nas0 own1"},
	} {
		what := fmt.Sprintf("limit %d, %d a hoster", tt.limit, tt.perHoster)
		s.want(what, s.queue(s.ResolveQueue(s.Context(), 0, tt.limit, tt.perHoster)), tt.want)
	}
}

// checkQueueBecomesOwn has a site that says of its sources now and then that they are
// the user's own.
func checkQueueBecomesOwn(s *storeSubject) {
	t := storeMovie()
	s.watchIt(t)
	src := s.link(t, "h.example", "a", sources.Quality4K)
	local := s.link(t, link.HosterLocal, "b", sources.Quality4K)
	s.offer(t, src, local)
	s.attempt("good.example", sources.ClassOK)
	s.attempt("h.example", sources.ClassHosterFault)
	s.beginCycle()
	s.queues("of others", "", "")
	src.Own, local.Own = true, true
	s.offer(t, src, local)
	s.queues("the user's own", "a b", "")
	src.Own, local.Own = false, false
	s.offer(t, src, local)
	s.queues("of others again", "", "")
	s.advance(5 * time.Second)
	s.queues("whose block is over", "a", "")
}

func checkQueueOrder(s *storeSubject) {
	early, late := storeEpisode(1), storeEpisode(2)
	s.watchIt(early)
	s.advance(24 * time.Hour)
	s.watchIt(late)
	last := s.link(late, "a.example", "last", sources.Quality4K)
	last.Priority = sources.PriorityLast
	s.offer(early, s.link(early, "a.example", "early-4k", sources.Quality4K), s.link(early, "b.example", "early-sd", sources.QualitySD))
	s.offer(late,
		last, s.link(late, "b.example", "late-unknown", sources.QualityUnknown), s.link(late, "b.example", "late-sd", sources.QualitySD),
		s.link(late, "c.example", "late-720p", sources.Quality720p), s.link(late, "d.example", "late-4k", sources.Quality4K))
	want := "late-4k late-720p late-unknown late-sd last early-4k early-sd"
	s.queues("the title wanted on the later day first", want, "")
	for _, src := range append(s.load(early).Answers[0].Sources, s.load(late).Answers[0].Sources...) {
		s.resolved(src, time.Hour)
	}
	s.queues("resolved", "", want)
	s.watchIt(early)
	s.queues("wanted again", "", "early-4k late-4k late-720p early-sd late-unknown late-sd last")
}

func checkQueueDay(s *storeSubject) {
	first, second := storeEpisode(1), storeEpisode(2)
	for _, t := range []sources.Title{first, second} {
		s.watchIt(t)
		s.advance(time.Minute)
	}
	s.offer(second, s.link(second, "h.example", "second", sources.QualitySD))
	s.offer(first, s.link(first, "h.example", "first", sources.Quality4K))
	s.queues("of one day", "first second", "")
}

func checkQueueRecord(s *storeSubject) {
	t := storeMovie()
	s.watchIt(t)
	s.offer(t,
		s.link(t, "bad.example", "bad-4k", sources.Quality4K),
		s.link(t, "good.example", "good-1440p", sources.Quality1440p), s.link(t, "good.example", "good-sd", sources.QualitySD))
	s.queues("by quality alone", "bad-4k good-1440p good-sd", "")
	s.attempt("good.example", sources.ClassOK)
	s.attempt("bad.example", sources.ClassHosterFault)
	s.advance(5 * time.Second)
	s.queues("failing", "good-1440p bad-4k good-sd", "")
	s.attempt("bad.example", sources.ClassOK)
	s.queues("works again, with a record", "good-1440p bad-4k good-sd", "")
	for range 20 {
		s.attempt("bad.example", sources.ClassOK)
	}
	s.queues("with a good record", "bad-4k good-1440p good-sd", "")
}

// checkQueueFailing has two hosters that failed in half of their attempts or more,
// so that their lifetime weighs the same. One of them has not worked since: each of
// its fails sets its sources back by one step more, up to six.
func checkQueueFailing(s *storeSubject) {
	t := storeMovie()
	s.watchIt(t)
	var all []sources.Source
	for _, q := range sources.Qualities() {
		player := s.link(t, "works.example", string(q), q)
		parser := s.link(t, "works.example", "last-"+string(q), q)
		parser.Priority = sources.PriorityLast
		all = append(all, player, parser)
	}
	s.offer(t, append(all, s.link(t, "fails.example", "best", sources.Quality4K), s.link(t, "fails.example", "worst", sources.QualitySD))...)
	for i, want := range []string{
		"4K 1440p best 1080p 720p SD worst last-4K last-1440p last-1080p last-720p last-SD",
		"4K 1440p 1080p best 720p SD worst last-4K last-1440p last-1080p last-720p last-SD",
		"4K 1440p 1080p 720p best SD worst last-4K last-1440p last-1080p last-720p last-SD",
		"4K 1440p 1080p 720p SD best last-4K worst last-1440p last-1080p last-720p last-SD",
		"4K 1440p 1080p 720p SD best last-4K last-1440p worst last-1080p last-720p last-SD",
		"4K 1440p 1080p 720p SD best last-4K last-1440p last-1080p worst last-720p last-SD",
		"4K 1440p 1080p 720p SD best last-4K last-1440p last-1080p worst last-720p last-SD",
	} {
		for _, hoster := range []string{"fails.example", "works.example"} {
			s.attempt("good.example", sources.ClassOK)
			s.attempt(hoster, sources.ClassHosterFault)
		}
		s.advance(time.Hour)
		s.attempt("works.example", sources.ClassOK)
		s.want(fmt.Sprintf("after %d fails", i+1), s.queue(s.ResolveQueue(s.Context(), 0, 50, 50)), want)
	}
}

func checkQueueBlocked(s *storeSubject) {
	s.attempt("good.example", sources.ClassOK)
	s.watchedPair()
	s.attempt("h.example", sources.ClassHosterFault)
	s.beginCycle()
	s.queues("blocked", "", "")
	s.advance(5*time.Second - time.Second)
	s.queues("a second before its end", "", "")
	s.advance(time.Second)
	s.queues("its block is over", "a b", "")
	a := s.begin("h.example")
	s.queues("somebody tries it", "", "")
	s.end(a, sources.ClassCancelled)
	s.queues("free again", "a b", "")
	s.begin("h.example")
	s.advance(30 * time.Second)
	s.queues("who tried it died", "a b", "")
	s.attempt("good.example", sources.ClassOK)
	s.attempt("h.example", sources.ClassHosterFault)
	s.advance(-time.Hour)
	s.queues("a block that the clock makes impossible", "a b", "")
}

func checkQueueBounds(s *storeSubject) {
	t := storeMovie()
	s.watchIt(t)
	var all []sources.Source
	for i := range 4 {
		for _, h := range []string{"h", "i", "j"} {
			all = append(all, s.link(t, h+".example", fmt.Sprint(h, i), sources.Qualities()[i]))
		}
	}
	s.offer(t, all...)
	for _, tt := range []struct {
		limit, perHoster int
		want             string
	}{
		{50, 2, "h0 i0 j0 h1 i1 j1"}, {4, 2, "h0 i0 j0 h1"}, {50, 1, "h0 i0 j0"}, {2, 50, "h0 i0"}, {0, 5, ""}, {5, 0, ""},
	} {
		what := fmt.Sprintf("limit %d, %d a hoster", tt.limit, tt.perHoster)
		s.want(what, s.queue(s.ResolveQueue(s.Context(), 0, tt.limit, tt.perHoster)), tt.want)
	}
	for _, src := range all {
		s.resolved(src, time.Hour)
	}
	s.want("to probe", s.queue(s.ProbeQueue(s.Context(), 4, 2)), "h0 i0 j0 h1")
}

func checkQueueSites(s *storeSubject) {
	t := storeMovie()
	s.watchIt(t)
	a, b := s.link(t, "h.example", "a", sources.Quality4K), s.link(t, "h.example", "b", sources.QualitySD)
	s.save(t, s.answer("one", a), s.answer("two", a, b))
	s.queues("once", "a b", "")
	s.resolved(a, time.Hour)
	s.queues("for all sites", "b", "a")
}

// checkQueueTried has attempts of all classes: what was tried waits for the next
// cycle, but for what was cancelled, and for what works.
func checkQueueTried(s *storeSubject) {
	for _, tt := range []struct {
		class      sources.Class
		want, next string
	}{
		{sources.ClassHosterFault, "b", "a b"},
		{sources.ClassDeadLink, "b", "a b"}, // until it is marked dead
		{sources.ClassBug, "b", "a b"},
		{sources.ClassProviderCooling, "b", "a b"},
		{sources.ClassUnsupported, "b", "b"},
		{sources.ClassCancelled, "a b", "a b"},
	} {
		s.Run(string(tt.class), func(t *testing.T) {
			s := &storeSubject{T: t, Store: s.Store, clock: s.clock}
			title := sources.Title{Kind: sources.KindMovie, Name: string(tt.class)}
			entry := s.watchIt(title)
			hoster := string(tt.class) + ".example"
			a, b := s.link(title, hoster, "a", sources.Quality4K), s.link(title, hoster, "b", sources.Quality1080p)
			s.offer(title, a, b)
			s.beginCycle()
			s.tried(a, tt.class) // nothing has worked: no fail counts
			s.queues("tried", tt.want, "")
			s.offer(title, a, b)
			s.must(s.DropStream(s.Context(), a.ID))
			s.queues("named again, and without a stream", tt.want, "")
			s.beginCycle()
			s.queues("in the next cycle", tt.next, "")
			s.tried(a, tt.class)
			s.resolved(a, time.Hour)
			s.queues("resolved after all", "b", "a")
			_, err := s.RemoveWatch(s.Context(), entry.ID)
			s.must(err)
		})
	}
}

func checkHoldBack(s *storeSubject) {
	_, a, b := s.watchedPair()
	s.resolved(b, time.Hour)
	s.must(s.HoldBack(s.Context(), a.ID))
	s.must(s.HoldBack(s.Context(), b.ID))
	s.must(s.HoldBack(s.Context(), "nobody"))
	s.queues("held back", "", "")
	s.beginCycle()
	s.queues("in the next cycle", "a", "b")
	s.probed(b)
	s.must(s.HoldBack(s.Context(), b.ID))
	s.must(s.DropStream(s.Context(), b.ID))
	s.queues("what waited for nothing", "a b", "")
}

func checkQueueUnsupported(s *storeSubject) {
	t, a, b := s.watchedPair()
	s.beginCycle()
	s.tried(a, sources.ClassUnsupported)
	s.advance(24*time.Hour - time.Second)
	s.offer(t, a, b)
	s.beginCycle()
	s.queues("for a day", "b", "")
	s.advance(time.Second)
	s.beginCycle()
	s.queues("after a day", "a b", "")
}

func checkQueueUnsupportedLink(s *storeSubject) {
	t, a, b := s.watchedPair()
	s.tried(a, sources.ClassUnsupported)
	s.queues("it rests", "b", "")
	a.URL += "#anew"
	s.offer(t, a, b)
	s.queues("with another link", "a b", "")
	s.tried(a, sources.ClassUnsupported)
	s.resolved(a, time.Hour)
	s.must(s.DropStream(s.Context(), a.ID))
	s.queues("resolved after all, and lost", "a b", "")
}

func checkQueueUnsupportedClock(s *storeSubject) {
	_, a, _ := s.watchedPair()
	s.tried(a, sources.ClassUnsupported)
	s.advance(-time.Hour)
	s.beginCycle()
	s.queues("a rest that the clock makes impossible", "a b", "")
}

func checkQueueRenew(s *storeSubject) {
	a := s.ending(time.Hour)
	if s.stream(a.ID) == nil {
		s.Error("the stream that still plays is gone")
	}
	s.resolved(a, time.Hour)
	s.queues("renewed", "b", "a")
}

// checkQueueRenewTTL has streams that are taken to live for an hour.
func checkQueueRenewTTL(s *storeSubject) { s.ending(0) }

// ending has the two streams of a watched pair, which end after an hour, come up to
// be renewed, and gives the first source. They tell their end where told > 0.
func (s *storeSubject) ending(told time.Duration) (a sources.Source) {
	s.Helper()
	_, a, b := s.watchedPair()
	for _, src := range []sources.Source{a, b} {
		s.resolved(src, told)
		s.probed(src)
	}
	s.advance(45*time.Minute - time.Second)
	s.beginCycle()
	s.queues("a second too early", "", "")
	s.advance(time.Second)
	s.queues("15 minutes before the end", "a b", "")
	return a
}

func checkQueueRenewOnce(s *storeSubject) {
	_, a, b := s.watchedPair()
	s.tried(b, sources.ClassBug)
	s.resolved(a, time.Minute)
	s.probed(a)
	s.queues("before any cycle", "", "")
	s.advance(time.Second)
	s.beginCycle()
	s.tried(b, sources.ClassBug)
	s.queues("in the next cycle", "a", "")
	s.resolved(a, time.Minute)
	s.probed(a)
	s.queues("again in the same", "", "")
	s.advance(time.Second)
	s.beginCycle()
	s.tried(b, sources.ClassBug)
	s.queues("in the one after", "a", "")
	s.resolved(a, 0)
	s.probed(a)
	s.want("one that does not tell its end", s.queue(s.ResolveQueue(s.Context(), 2*time.Hour, 50, 5)), "")
	s.advance(time.Second)
	s.beginCycle()
	s.tried(b, sources.ClassBug)
	s.want("in the one after that", s.queue(s.ResolveQueue(s.Context(), 2*time.Hour, 50, 5)), "a")
}

// checkQueueRenewClock has streams and a cycle of a clock that ran ahead: such a stream
// is renewed, whatever end it tells, and such a cycle renews nothing that is new.
func checkQueueRenewClock(s *storeSubject) {
	_, a, b := s.watchedPair()
	for _, ahead := range []time.Duration{25 * time.Hour, 10 * 365 * 24 * time.Hour} {
		s.advance(ahead)
		s.beginCycle()
		s.resolved(a, 0)
		s.probed(a)
		s.resolved(b, 20*365*24*time.Hour)
		s.probed(b)
		s.queues("as the clock says", "", "")
		s.advance(-ahead)
		s.beginCycle()
		s.queues("when it was set back", "a b", "")
		s.advance(ahead)
		s.beginCycle()
		s.advance(-ahead)
		s.resolved(a, 0)
		s.resolved(b, 0)
		s.queues("just resolved, in a cycle of the other clock", "", "a b")
		s.probed(a)
		s.probed(b)
	}
}

func checkCycles(s *storeSubject) {
	for want := range int64(3) {
		got, err := s.BeginCycle(s.Context())
		s.must(err)
		s.want("cycle", got, want+1)
	}
}

func checkQueueMany(s *storeSubject) {
	t := storeMovie()
	s.watchIt(t)
	var all []sources.Source
	for i := range 250 {
		all = append(all, s.link(t, "h.example", fmt.Sprint(i), sources.QualitySD))
	}
	s.offer(t, all...)
	for i, src := range all {
		if i%2 == 0 {
			s.must(s.HoldBack(s.Context(), src.ID))
		}
	}
	jobs, err := s.ResolveQueue(s.Context(), 0, 1000, 1000)
	s.must(err)
	s.want("waiting", len(jobs), 125)
	s.beginCycle()
	jobs, err = s.ResolveQueue(s.Context(), 0, 1000, 1000)
	s.must(err)
	s.want("waiting in the next cycle", len(jobs), 250)
}
