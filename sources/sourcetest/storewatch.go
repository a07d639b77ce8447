package sourcetest

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/sources"
)

// RunWatchlist checks that a store keeps the contract of sources.WatchStore.
func RunWatchlist(t *testing.T, newStore StoreBackend) {
	t.Helper()
	runStoreChecks(t, newStore, []storeCheck{
		{"what is added comes back", checkWatchRoundTrip},
		{"the title wanted last is watched soonest", checkWatchOrder},
		{"added again", checkWatchAgain},
		{"a list", checkWatchlist},
		{"numbers are not used again", checkWatchNumbers},
		{"removed", checkWatchRemove},
		{"several removed", checkWatchRemoveSeveral},
		{"another title", checkWatchTitle},
		{"another title that is refused", checkWatchRefused},
		{"due", checkWatchDue},
		{"due by interface", checkWatchDueInterface},
		{"nothing found rests, longer each time", checkEmptyRests},
		{"a rest that a scan ended", checkEmptyRestEnds},
		{"due and a clock that was set back", checkWatchClock},
	})
}

// watching writes entries as "name id, ...".
func (s *storeSubject) watching(all []sources.WatchEntry, err error) string {
	s.Helper()
	s.must(err)
	texts := make([]string, len(all))
	for i, e := range all {
		texts[i] = fmt.Sprint(e.Title, " ", e.ID)
	}
	return strings.Join(texts, ", ")
}

func (s *storeSubject) watchlist() string {
	s.Helper()
	return s.watching(s.Watchlist(s.Context()))
}

// due writes the entries that are due at the interface, with a maximum age of an
// hour.
func (s *storeSubject) due() string {
	s.Helper()
	return s.watching(s.WatchDue(s.Context(), storeInterface, time.Hour))
}

func checkWatchRoundTrip(s *storeSubject) {
	s.want("at first", s.watchlist(), "")
	for _, t := range []sources.Title{storeMovie(), storeEpisode(0)} {
		entry, added, err := s.AddWatch(s.Context(), t, sources.WatchNext)
		s.must(err)
		want := sources.WatchEntry{ID: entry.ID, Title: t, Origin: sources.WatchNext, AddedAt: s.now(), WantedAt: s.now()}
		if diff := cmp.Diff(want, entry); diff != "" || !added || entry.ID <= 0 {
			s.Errorf("added %t (-want +got):\n%s", added, diff)
		}
		all, err := s.Watchlist(s.Context())
		s.must(err)
		if diff := cmp.Diff(want, all[0]); diff != "" {
			s.Errorf("listed (-want +got):\n%s", diff)
		}
	}
}

func checkWatchOrder(s *storeSubject) {
	s.watchIt(storeEpisode(1))
	s.watchIt(storeEpisode(2))
	s.advance(time.Second)
	s.watchIt(storeEpisode(3))
	s.want("watchlist", s.watchlist(), "Harbour Nine S01E03 3, Harbour Nine S01E02 2, Harbour Nine S01E01 1")
	s.want("due", s.due(), "Harbour Nine S01E03 3, Harbour Nine S01E02 2, Harbour Nine S01E01 1")
}

func checkWatchAgain(s *storeSubject) {
	first, _, err := s.AddWatch(s.Context(), storeEpisode(1), sources.WatchNext)
	s.must(err)
	s.watchIt(storeEpisode(2))
	s.advance(time.Second)
	entry, added, err := s.AddWatch(s.Context(), storeEpisode(1), sources.WatchNext)
	s.must(err)
	if diff := cmp.Diff(first, entry); added || diff != "" {
		s.Errorf("the next episode again: added %t (-want +got):\n%s", added, diff)
	}
	s.want("watchlist", s.watchlist(), "Harbour Nine S01E02 2, Harbour Nine S01E01 1")
	again := storeEpisode(1)
	again.Name = "HARBOUR nine"
	entry, added, err = s.AddWatch(s.Context(), again, sources.WatchUser)
	s.must(err)
	first.Origin, first.WantedAt = sources.WatchUser, s.now()
	if diff := cmp.Diff(first, entry); added || diff != "" {
		s.Errorf("by the user: added %t (-want +got):\n%s", added, diff)
	}
	s.want("watchlist", s.watchlist(), "Harbour Nine S01E01 1, Harbour Nine S01E02 2")
}

func checkWatchlist(s *storeSubject) {
	s.must(s.AddWatchlist(s.Context(), nil))
	s.watchIt(storeEpisode(2))
	s.advance(time.Second)
	s.must(s.AddWatchlist(s.Context(), []sources.WatchEntry{
		{ID: 77, Title: storeEpisode(1), Origin: sources.WatchUser},
		{Title: storeEpisode(2), Origin: sources.WatchUser},
		{Title: storeEpisode(3), Origin: sources.WatchNext},
	}))
	all, err := s.Watchlist(s.Context())
	s.must(err)
	var episodes []int
	for _, e := range all {
		episodes = append(episodes, e.Title.Episode)
	}
	s.want("watchlist, of one moment the one added last first", episodes, []int{1, 3, 2})
}

func checkWatchNumbers(s *storeSubject) {
	first := s.watchIt(storeEpisode(1))
	_, err := s.RemoveWatch(s.Context(), first.ID)
	s.must(err)
	if again := s.watchIt(storeEpisode(1)); again.ID <= first.ID {
		s.Errorf("number %d after %d", again.ID, first.ID)
	}
}

func checkWatchRemove(s *storeSubject) {
	entry := s.watchIt(storeEpisode(1))
	s.watchIt(storeEpisode(2))
	for _, want := range []bool{true, false} {
		removed, err := s.RemoveWatch(s.Context(), entry.ID)
		s.must(err)
		s.want("removed", removed, want)
	}
	s.want("watchlist", s.watchlist(), "Harbour Nine S01E02 2")
}

func checkWatchRemoveSeveral(s *storeSubject) {
	for episode := range 4 {
		s.watchIt(storeEpisode(episode + 1))
	}
	for _, c := range []struct {
		ids, missing []int64
		left         string
	}{
		{[]int64{2, 77, 4, 5}, []int64{77, 5}, "Harbour Nine S01E04 4, Harbour Nine S01E03 3, Harbour Nine S01E02 2, Harbour Nine S01E01 1"},
		{nil, nil, "Harbour Nine S01E04 4, Harbour Nine S01E03 3, Harbour Nine S01E02 2, Harbour Nine S01E01 1"},
		{[]int64{4, 2, 4}, nil, "Harbour Nine S01E03 3, Harbour Nine S01E01 1"},
		{[]int64{3, 4}, []int64{4}, "Harbour Nine S01E03 3, Harbour Nine S01E01 1"},
	} {
		missing, err := s.RemoveWatchlist(s.Context(), c.ids)
		s.must(err)
		s.want(fmt.Sprint("missing of ", c.ids), missing, c.missing)
		s.want(fmt.Sprint("watchlist without ", c.ids), s.watchlist(), c.left)
	}
}

func checkWatchTitle(s *storeSubject) {
	entry := s.watchIt(storeEpisode(1))
	s.watchIt(storeMovie())
	s.advance(time.Second)
	s.must(s.SetWatchTitle(s.Context(), entry.ID, storeEpisode(2)))
	all, err := s.Watchlist(s.Context())
	s.must(err)
	entry.Title, entry.WantedAt = storeEpisode(2), s.now()
	if diff := cmp.Diff(entry, all[0]); diff != "" {
		s.Errorf("moved on (-want +got):\n%s", diff)
	}
	s.must(s.SetWatchTitle(s.Context(), entry.ID, storeEpisode(2)))
	renamed := storeEpisode(2)
	renamed.Name = "HARBOUR NINE"
	s.must(s.SetWatchTitle(s.Context(), entry.ID, renamed))
	s.want("written otherwise", s.watchlist(), "HARBOUR NINE S01E02 1, Paper Submarines (2016) 2")
	if _, added, err := s.AddWatch(s.Context(), storeEpisode(1), sources.WatchNext); err != nil || !added {
		s.Errorf("the title that it left: added %t, %v", added, err)
	}
}

func checkWatchRefused(s *storeSubject) {
	entry := s.watchIt(storeEpisode(1))
	s.watchIt(storeEpisode(2))
	before := s.watchlist()
	if err := s.SetWatchTitle(s.Context(), entry.ID, storeEpisode(2)); !errors.Is(err, sources.ErrWatched) {
		s.Errorf("the title of another: %v", err)
	}
	for _, t := range []sources.Title{storeEpisode(2), storeEpisode(3)} {
		if err := s.SetWatchTitle(s.Context(), 99, t); !errors.Is(err, sources.ErrNotWatched) {
			s.Errorf("no such entry: %v", err)
		}
	}
	s.want("watchlist", s.watchlist(), before)
}

func checkWatchDue(s *storeSubject) {
	t := storeMovie()
	s.watchIt(t)
	s.want("never scanned", s.due(), "Paper Submarines (2016) 1")
	s.offer(t, s.link(t, "h.example", "a", sources.QualitySD))
	s.want("just scanned", s.due(), "")
	s.advance(time.Hour)
	s.want("as old as it may be", s.due(), "")
	s.advance(time.Second)
	s.want("too old", s.due(), "Paper Submarines (2016) 1")
	s.save(t, s.answer("one"))
	s.advance(time.Hour)
	s.want("an empty scan does not renew it", s.due(), "Paper Submarines (2016) 1")
}

func checkWatchDueInterface(s *storeSubject) {
	t := storeMovie()
	s.watchIt(t)
	s.saveAt(otherInterface, t, s.answer("one", s.link(t, "h.example", "a", sources.QualitySD)))
	s.saveAt(otherInterface, storeEpisode(1))
	s.want("scanned at another interface", s.due(), "Paper Submarines (2016) 1")
	s.watchIt(storeEpisode(1))
	s.want("empty at another interface", s.due(), "Harbour Nine S01E01 2, Paper Submarines (2016) 1")
}

func checkEmptyRests(s *storeSubject) {
	t := storeMovie()
	s.watchIt(t)
	for _, hours := range []int{1, 2, 4, 8, 16, 24, 24} {
		s.save(t)
		s.advance(time.Duration(hours)*time.Hour - time.Second)
		s.want(fmt.Sprintf("a second before %d h", hours), s.due(), "")
		s.save(t) // by somebody who did not wait
		s.advance(time.Second)
		s.want(fmt.Sprintf("after %d h", hours), s.due(), "Paper Submarines (2016) 1")
	}
}

func checkEmptyRestEnds(s *storeSubject) {
	t := storeMovie()
	s.watchIt(t)
	s.save(t)
	s.advance(time.Hour)
	s.save(t)
	s.offer(t, s.link(t, "h.example", "a", sources.QualitySD))
	s.advance(time.Hour + time.Second)
	s.want("a scan that found something ended the rest of two hours", s.due(), "Paper Submarines (2016) 1")
	s.save(t)
	s.advance(time.Hour)
	s.want("the next rest is the first again", s.due(), "Paper Submarines (2016) 1")
}

func checkWatchClock(s *storeSubject) {
	found, empty := storeMovie(), storeEpisode(1)
	s.watchIt(found)
	s.watchIt(empty)
	s.offer(found, s.link(found, "h.example", "a", sources.QualitySD))
	s.save(empty)
	s.want("scanned", s.due(), "")
	s.advance(-time.Second)
	s.want("scanned in the future", s.due(), "Harbour Nine S01E01 2, Paper Submarines (2016) 1")
}
