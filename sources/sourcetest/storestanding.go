package sourcetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"xship/sources"
)

// RunStanding checks that a store tells how things stand: watched titles, cycles, the
// hours of hosters, the plans of accounts, and how the interface in use came to be that.
func RunStanding(t *testing.T, newStore StoreBackend) {
	t.Helper()
	runStoreChecks(t, newStore, []storeCheck{
		{"what is proven of a title", checkProven},
		{"a source of two sites is one", checkProvenOnce},
		{"a source that is named anew", checkProvenNamed},
		{"what is proven on a hoster that is hidden", checkProvenHidden},
		{"when titles were looked for", checkStateTimes},
		{"a title becomes ready once", checkNoteReady},
		{"a title that is ready at another interface", checkNoteReadyElsewhere},
		{"an entry with another title waits anew", checkWaitsAnew},
		{"cycles", checkCycleRecords},
		{"cycles under another clock", checkCyclesClock},
		{"the hours of hosters", checkHosterHours},
		{"what an outage takes back stays in its hour", checkHoursOutage},
		{"plans of accounts", checkAccountPlan},
		{"how an interface came into use", checkHowUsed},
	})
}

// states writes the states as "name: proven+hidden best since", the time as that which
// has passed.
func (s *storeSubject) states(interfaceURL string) string {
	s.Helper()
	all, err := s.WatchStates(s.Context(), interfaceURL)
	s.must(err)
	total, waiting, err := s.WatchWaiting(s.Context(), interfaceURL)
	s.want("the whole watchlist", total, len(all))
	s.want("those that wait", s.stated(waiting, err), s.stated(slices.DeleteFunc(slices.Clone(all), sources.WatchState.Ready), nil))
	return s.stated(all, nil)
}

func (s *storeSubject) stated(all []sources.WatchState, err error) string {
	s.Helper()
	s.must(err)
	texts := make([]string, len(all))
	for i, w := range all {
		since := ""
		if !w.WaitsSince.IsZero() {
			since = " waits " + s.now().Sub(w.WaitsSince).String()
		}
		texts[i] = fmt.Sprintf("%s: %d+%d %s%s", w.Title.Name, w.Proven, w.Hidden, w.Best, since)
	}
	return strings.Join(texts, ", ")
}

func (s *storeSubject) noted(interfaceURL, sourceID string) string {
	s.Helper()
	return s.stated(s.NoteReady(s.Context(), interfaceURL, sourceID))
}

// prove resolves and probes a source, whose picture has so many lines; 0: none is known.
func (s *storeSubject) prove(id string, lines int) {
	s.Helper()
	s.must(s.PutStream(s.Context(), id, sources.Stream{URL: "https://cdn.example/" + id}))
	info := sources.MediaInfo{Container: "matroska"}
	if lines > 0 {
		info.Video = &sources.VideoTrack{Height: lines, Width: lines * 16 / 9}
	}
	s.must(s.PutMediaInfo(s.Context(), id, info))
}

func checkProven(s *storeSubject) {
	s.want("nothing watched", s.states(storeInterface), "")
	t := storeMovie()
	s.watchIt(t)
	s.want("nothing known", s.states(storeInterface), t.Name+": 0+0  waits 0s")
	good, other, trailer := s.link(t, "a.example", "good", sources.Quality4K), s.link(t, "b.example", "other", sources.QualitySD), s.link(t, "a.example", "trailer", sources.Quality4K)
	trailer.Trailer = true
	s.offer(t, good, other, trailer)
	s.want("found", s.states(storeInterface), t.Name+": 0+0  waits 0s")
	s.prove(trailer.ID, 2160)
	s.must(s.PutStream(s.Context(), good.ID, sources.Stream{URL: "https://cdn.example/1"}))
	s.want("resolved", s.states(storeInterface), t.Name+": 0+0  waits 0s")
	s.prove(good.ID, 1080)
	s.want("read, less than its name says", s.states(storeInterface), t.Name+": 1+0 1080p waits 0s")
	s.prove(other.ID, 0)
	s.want("read, and its size is not known", s.states(storeInterface), t.Name+": 2+0 1080p waits 0s")
	s.must(s.PutStream(s.Context(), good.ID, sources.Stream{URL: "https://cdn.example/2"}))
	s.want("resolved again", s.states(storeInterface), t.Name+": 2+0 1080p waits 0s")
	s.want("another interface", s.states(otherInterface), t.Name+": 0+0  waits 0s")
	s.must(s.DropStream(s.Context(), good.ID))
	s.want("its stream failed", s.states(storeInterface), t.Name+": 1+0 SD waits 0s")
	s.must(s.MarkDead(s.Context(), other.ID))
	s.want("dead", s.states(storeInterface), t.Name+": 0+0  waits 0s")
}

func checkProvenOnce(s *storeSubject) {
	t := storeMovie()
	s.watchIt(t)
	src := s.link(t, "a.example", "good", sources.Quality720p)
	s.save(t, s.answer("one", src), s.answer("two", src))
	s.prove(src.ID, 720)
	s.want("named twice", s.states(storeInterface), t.Name+": 1+0 720p waits 0s")
}

func checkProvenNamed(s *storeSubject) {
	t := storeMovie()
	s.watchIt(t)
	src := s.link(t, "a.example", "good", sources.Quality720p)
	s.offer(t, src)
	s.prove(src.ID, 720)
	s.advance(time.Hour)
	s.offer(t, src)
	s.want("named again", s.states(storeInterface), t.Name+": 1+0 720p waits 1h0m0s")
	s.saveAt(otherInterface, t, s.answer("one", src))
	s.want("named at another interface", s.states(otherInterface), t.Name+": 1+0 720p waits 1h0m0s")
	s.advance(time.Hour)
	s.offer(t, s.link(t, "a.example", "new", sources.Quality720p))
	s.want("not named any more", s.states(storeInterface), t.Name+": 0+0  waits 2h0m0s")
	s.want("named there still", s.states(otherInterface), t.Name+": 1+0 720p waits 2h0m0s")
}

func checkProvenHidden(s *storeSubject) {
	t := storeMovie()
	s.watchIt(t)
	bad, own := s.link(t, "bad.example", "bad", sources.Quality4K), s.link(t, "bad.example", "own", sources.QualitySD)
	own.Own = true
	s.offer(t, bad, own)
	s.prove(bad.ID, 2160)
	s.prove(own.ID, 480)
	s.want("at first", s.states(storeInterface), t.Name+": 2+0 4K waits 0s")
	s.attempt("good.example", sources.ClassOK)
	s.attempt("bad.example", sources.ClassHosterFault)
	s.want("its hoster failed", s.states(storeInterface), t.Name+": 1+1 SD waits 0s")
	_, err := s.ResetHosters(s.Context(), []string{"bad.example"})
	s.must(err)
	s.want("and is healthy again", s.states(storeInterface), t.Name+": 2+0 4K waits 0s")
}

func checkStateTimes(s *storeSubject) {
	t := storeMovie()
	s.watchIt(t)
	state := func() []time.Duration {
		all, err := s.WatchStates(s.Context(), storeInterface)
		s.must(err)
		var ago []time.Duration
		for _, at := range []time.Time{all[0].ScannedAt, all[0].EmptiedAt, all[0].RestUntil, all[0].CheckedAt()} {
			if at.IsZero() {
				ago = append(ago, -1)
				continue
			}
			ago = append(ago, s.now().Sub(at).Abs())
		}
		return ago
	}
	s.want("never", state(), []time.Duration{-1, -1, -1, -1})
	s.must(s.NoteLooked(s.Context(), storeEpisode(1)))
	s.want("another title", state(), []time.Duration{-1, -1, -1, -1})
	s.must(s.NoteLooked(s.Context(), t))
	s.advance(time.Second)
	s.want("looked for in vain", state(), []time.Duration{-1, -1, -1, time.Second})
	s.offer(t, s.link(t, "a.example", "good", sources.Quality720p))
	s.advance(time.Hour)
	s.want("found", state(), []time.Duration{time.Hour, -1, -1, time.Hour})
	s.save(t)
	s.advance(time.Minute)
	s.want("nothing found", state(), []time.Duration{61 * time.Minute, time.Minute, 59 * time.Minute, time.Minute})
	s.advance(time.Hour)
	s.want("the rest is over", state(), []time.Duration{121 * time.Minute, 61 * time.Minute, -1, 61 * time.Minute})
	s.advance(-24 * time.Hour)
	s.want("under another clock", state(), []time.Duration{-1, -1, -1, -1})
}

func checkNoteReady(s *storeSubject) {
	film, series := storeMovie(), storeEpisode(1)
	a, b := s.link(film, "a.example", "a", sources.Quality720p), s.link(series, "a.example", "b", sources.Quality4K)
	s.watchIt(film)
	s.watchIt(series)
	s.offer(film, a)
	s.offer(series, b)
	s.want("at first", s.noted(storeInterface, ""), "")
	s.prove(a.ID, 720)
	s.prove(b.ID, 2160)
	s.want("a source of none", s.noted(storeInterface, "none"), "")
	s.want("by its source", s.noted(storeInterface, a.ID), film.Name+": 1+0 720p")
	s.want("once", s.noted(storeInterface, a.ID), "")
	s.want("the other", s.noted(storeInterface, ""), series.Name+": 1+0 4K")
	s.want("both stay so", s.states(storeInterface), series.Name+": 1+0 4K, "+film.Name+": 1+0 720p")
	s.attempt("good.example", sources.ClassOK)
	s.attempt("a.example", sources.ClassHosterFault)
	s.want("hidden for a while", s.noted(storeInterface, ""), "")
	s.want("which is no loss", s.states(storeInterface), series.Name+": 0+1 , "+film.Name+": 0+1 ")
	s.advance(time.Minute)
	s.attempt("a.example", sources.ClassOK)
	s.want("and back", s.noted(storeInterface, ""), "")
	s.must(s.DropStream(s.Context(), a.ID))
	s.want("lost", s.noted(storeInterface, ""), "")
	s.advance(time.Minute)
	s.want("waits", s.states(storeInterface), series.Name+": 1+0 4K, "+film.Name+": 0+0  waits 1m0s")
	s.prove(a.ID, 720)
	s.want("ready again", s.noted(storeInterface, a.ID), film.Name+": 1+0 720p")
}

func checkNoteReadyElsewhere(s *storeSubject) {
	t := storeMovie()
	src := s.link(t, "a.example", "a", sources.Quality720p)
	s.watchIt(t)
	s.offer(t, src)
	s.prove(src.ID, 720)
	s.want("at another interface", s.noted(otherInterface, ""), "")
	s.want("ready", s.noted(storeInterface, ""), t.Name+": 1+0 720p")
	s.want("not there", s.noted(otherInterface, ""), "")
	s.want("it was said already", s.noted(storeInterface, ""), "")
}

func checkWaitsAnew(s *storeSubject) {
	t := storeEpisode(1)
	src := s.link(t, "a.example", "a", sources.Quality720p)
	entry := s.watchIt(t)
	s.offer(t, src)
	s.prove(src.ID, 720)
	s.want("ready", s.noted(storeInterface, ""), t.Name+": 1+0 720p")
	s.advance(time.Hour)
	s.watchIt(t)
	s.want("wanted again", s.states(storeInterface), t.Name+": 1+0 720p")
	s.must(s.SetWatchTitle(s.Context(), entry.ID, t))
	s.want("the same title", s.states(storeInterface), t.Name+": 1+0 720p")
	s.must(s.NoteLooked(s.Context(), t))
	s.must(s.SetWatchTitle(s.Context(), entry.ID, storeEpisode(2)))
	all, err := s.WatchStates(s.Context(), storeInterface)
	s.must(err)
	s.want("the next episode was not looked for", all[0].CheckedAt(), time.Time{})
	s.advance(time.Minute)
	s.want("the next episode", s.states(storeInterface), t.Name+": 0+0  waits 1m0s")
}

// cyclesText writes the last cycles as "titles ended", the time as that which has passed.
func (s *storeSubject) cyclesText(limit int) string {
	s.Helper()
	all, err := s.Cycles(s.Context(), limit)
	s.must(err)
	texts := make([]string, len(all))
	for i, c := range all {
		texts[i] = fmt.Sprintf("%d %s", c.Titles, s.now().Sub(c.EndedAt))
	}
	return strings.Join(texts, ", ")
}

func checkCycleRecords(s *storeSubject) {
	s.want("none", s.cyclesText(5), "")
	record := sources.CycleRecord{
		CycleSummary: sources.CycleSummary{Titles: 1, TitlesFailed: 2, Resolved: 3, Probed: 4, Failed: 5, Skipped: 6, Duration: 2 * time.Minute},
		BegunAt:      s.now().Add(-2 * time.Minute), EndedAt: s.now(), NextAt: s.now().Add(time.Hour), Error: "the disk is full", Interrupted: true,
	}
	s.must(s.PutCycle(s.Context(), record))
	all, err := s.Cycles(s.Context(), 5)
	s.must(err)
	s.want("one", all, []sources.CycleRecord{record})
	for n := range 102 {
		s.advance(time.Second)
		s.must(s.PutCycle(s.Context(), sources.CycleRecord{CycleSummary: sources.CycleSummary{Titles: n}, BegunAt: s.now(), EndedAt: s.now()}))
	}
	s.want("the last", s.cyclesText(2), "101 0s, 100 1s")
	all, err = s.Cycles(s.Context(), 1000)
	s.must(err)
	s.want("a hundred", len(all), 100)
	s.want("no cycle", s.cyclesText(0), "")

	begun, err := s.CycleBegun(s.Context())
	s.must(err)
	s.want("none began", begun, time.Time{})
	_, err = s.BeginCycle(s.Context())
	s.must(err)
	begun, err = s.CycleBegun(s.Context())
	s.must(err)
	s.want("one began", begun, s.now())
}

func checkCyclesClock(s *storeSubject) {
	s.must(s.PutCycle(s.Context(), sources.CycleRecord{BegunAt: s.now(), EndedAt: s.now()}))
	_, err := s.BeginCycle(s.Context())
	s.must(err)
	s.advance(-time.Hour)
	s.want("cycles", s.cyclesText(5), "")
	begun, err := s.CycleBegun(s.Context())
	s.must(err)
	s.want("the one that runs", begun, time.Time{})
}

// hoursText writes the hours of a hoster as "ok/fail", from the one that is so many hours
// ago on.
func (s *storeSubject) hoursText(hoster string, ago int) string {
	s.Helper()
	all, err := s.HosterHours(s.Context(), s.now().Add(-time.Duration(ago)*time.Hour))
	s.must(err)
	var texts []string
	for _, h := range all[hoster] {
		texts = append(texts, fmt.Sprintf("%s %d/%d", h.At.Format("15:04"), h.OK, h.Fail))
	}
	return strings.Join(texts, ", ")
}

func checkHosterHours(s *storeSubject) { // it is 22:13
	s.want("none", s.hoursText("a.example", 24), "")
	n, err := s.CountHosters(s.Context())
	s.must(err)
	s.want("hosters", n, 0)
	s.attempt("a.example", sources.ClassOK)
	s.attempt("a.example", sources.ClassHosterFault)
	s.attempt("b.example", sources.ClassDeadLink)
	s.advance(46 * time.Minute)
	s.attempt("a.example", sources.ClassOK)
	s.advance(time.Minute)
	s.attempt("a.example", sources.ClassOK)
	s.attempt("", sources.ClassOK)
	s.want("two hours", s.hoursText("a.example", 24), "22:00 2/1, 23:00 1/0")
	s.want("this hour", s.hoursText("a.example", 0), "23:00 1/0")
	s.want("gone links are no attempts", s.hoursText("b.example", 24), "")
	n, err = s.CountHosters(s.Context())
	s.must(err)
	s.want("hosters", n, 2)
	s.advance(-2 * time.Hour)
	s.want("under another clock", s.hoursText("a.example", 24), "")
	s.advance(2*time.Hour + 47*time.Hour)
	s.attempt("a.example", sources.ClassHosterFault)
	s.want("two days", s.hoursText("a.example", 100), "23:00 1/0, 22:00 0/1")
}

func checkHoursOutage(s *storeSubject) {
	for _, name := range []string{"a.example", "b.example"} {
		s.attempt(name, sources.ClassHosterFault)
	}
	s.want("counts", s.hoster("a.example").ConsecutiveFails, 0)
	s.want("hours", s.hoursText("a.example", 24), "22:00 0/1")
}

func checkAccountPlan(s *storeSubject) {
	a := sources.Account{User: 1, Provider: "real_debrid", Key: "one"}
	plan := func(a sources.Account) sources.AccountPlan {
		p, err := s.AccountPlan(s.Context(), a)
		s.must(err)
		return p
	}
	s.want("nothing", plan(a), sources.AccountPlan{})
	told := sources.AccountPlan{Plan: "premium", Premium: true, EndsAt: s.now().Add(100 * time.Hour)}
	s.must(s.SetAccountPlan(s.Context(), a, told))
	told.CheckedAt = s.now()
	s.advance(time.Hour)
	s.want("told", plan(a), told)
	other := a
	other.Key = "two"
	s.want("another key", plan(other), sources.AccountPlan{})
	s.must(s.SetAccountPlan(s.Context(), other, sources.AccountPlan{Plan: "free", CheckedAt: s.now().Add(-time.Minute)}))
	s.want("replaced", plan(other), sources.AccountPlan{Plan: "free", CheckedAt: s.now().Add(-time.Minute)})
	s.want("the key before", plan(a), sources.AccountPlan{})
	s.advance(-24 * time.Hour)
	s.want("under another clock", plan(other), sources.AccountPlan{})
	s.advance(24 * time.Hour)
	s.must(s.ForgetAccount(s.Context(), sources.CooldownKey{User: 1, Provider: "real_debrid"}))
	s.want("forgotten", plan(other), sources.AccountPlan{})
}

func checkHowUsed(s *storeSubject) {
	use := func(what, want string) {
		s.Helper()
		u, err := s.InterfaceUse(s.Context())
		s.must(err)
		ago := ""
		if !u.At.IsZero() {
			ago = s.now().Sub(u.At).String()
		}
		s.want(what, fmt.Sprint(u.URL, " ", u.How, " ", u.From, " ", ago), want)
	}
	switched := func(from, to string) {
		s.Helper()
		_, err := s.SwitchInterface(s.Context(), from, to)
		s.must(err)
	}
	use("none", "  [] ")
	for _, url := range []string{"a", "b", "c"} {
		_, err := s.AddInterface(s.Context(), url, "")
		s.must(err)
	}
	s.advance(time.Minute)
	use("the first one", "a first [] 1m0s")
	switched("a", "b")
	use("switched", "b switched [a] 0s")
	switched("a", "c")
	use("from one that is not in use", "b switched [a] 0s")
	switched("b", "c")
	s.advance(time.Minute)
	use("twice", "c switched [a b] 1m0s")
	switched("c", "b")
	use("back", "b switched [a] 0s")
	_, err := s.AddInterface(s.Context(), "d", "")
	s.must(err)
	switched("b", "d")
	_, err = s.RemoveInterface(s.Context(), "a", "")
	s.must(err)
	use("one that could not be loaded is removed", "d switched [b] 0s")
	_, err = s.AddInterface(s.Context(), "a", "")
	s.must(err)
	switched("d", "b")
	use("back to the first", "b switched [] 0s")
	s.advance(-time.Minute)
	use("under another clock", "b switched [] ")
	s.must(s.SetCurrentInterface(s.Context(), "a"))
	use("chosen", "a chosen [] 0s")
	_, err = s.RemoveInterface(s.Context(), "c", "b")
	s.must(err)
	use("another one is removed", "a chosen [] 0s")
	_, err = s.RemoveInterface(s.Context(), "a", "b")
	s.must(err)
	use("removed", "b removed [] 0s")
	_, err = s.RemoveInterface(s.Context(), "b", "")
	s.must(err)
	use("the one in use is removed", "  [] ")
}
