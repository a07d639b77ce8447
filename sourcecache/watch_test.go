package sourcecache_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/sources"
)

func episode(number int) sources.Title {
	return sources.Title{Kind: sources.KindEpisode, Name: "Show", Season: 0, Episode: number, Year: 2010, Aliases: []string{"Serie"}}
}

func (s *store) watch(tb testing.TB, title sources.Title) sources.WatchEntry {
	tb.Helper()
	entry, _, err := s.AddWatch(tb.Context(), title, sources.WatchUser)
	must(tb, err)
	return entry
}

func titles(entries []sources.WatchEntry) []string {
	var all []string
	for _, e := range entries {
		all = append(all, e.Title.String())
	}
	return all
}

func TestDB_watchlist(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	first := s.clock.Now()
	show := episode(1)
	entry, added, err := s.AddWatch(t.Context(), show, sources.WatchUser)
	must(t, err)
	want := sources.WatchEntry{ID: entry.ID, Title: show, Origin: sources.WatchUser, AddedAt: first, WantedAt: first}
	if diff := cmp.Diff(want, entry); diff != "" || !added || entry.ID == 0 {
		t.Errorf("added %t, entry (-want +got):\n%s", added, diff)
	}
	s.clock.Advance(time.Hour)
	film, added, err := s.AddWatch(t.Context(), movie(), sources.WatchNext)
	if err != nil || !added || film.Origin != sources.WatchNext {
		t.Errorf("second entry: %+v, added %t, %v", film, added, err)
	}
	list := func(want ...string) []sources.WatchEntry {
		t.Helper()
		all, err := s.Watchlist(t.Context())
		must(t, err)
		if got := titles(all); !slices.Equal(got, want) {
			t.Errorf("watchlist %q, want %q", got, want)
		}
		return all
	}
	list("Big Buck Bunny (2008)", "Show S00E01")

	// Asked for once more it is wanted soonest; found once more it is not.
	s.clock.Advance(time.Hour)
	if again, added, err := s.AddWatch(t.Context(), show, sources.WatchNext); err != nil || added || !again.WantedAt.Equal(first) {
		t.Errorf("found again: %+v, added %t, %v", again, added, err)
	}
	if again, added, err := s.AddWatch(t.Context(), show, sources.WatchUser); err != nil || added || again.ID != entry.ID || !again.AddedAt.Equal(first) || !again.WantedAt.Equal(s.clock.Now()) {
		t.Errorf("added again: %+v, added %t, %v", again, added, err)
	}
	list("Show S00E01", "Big Buck Bunny (2008)")

	s.clock.Advance(time.Hour)
	must(t, s.SetWatchTitle(t.Context(), entry.ID, episode(2)))
	if moved := list("Show S00E02", "Big Buck Bunny (2008)")[0]; moved.ID != entry.ID || !moved.AddedAt.Equal(first) || !moved.WantedAt.Equal(s.clock.Now()) {
		t.Errorf("moved on: %+v", moved)
	}
	if err := s.SetWatchTitle(t.Context(), entry.ID, movie()); !errors.Is(err, sources.ErrWatched) {
		t.Errorf("title of another entry: %v", err)
	}
	if err := s.SetWatchTitle(t.Context(), 99, show); !errors.Is(err, sources.ErrNotWatched) {
		t.Errorf("no entry: %v", err)
	}
	must(t, s.SetWatchTitle(t.Context(), entry.ID, episode(2)))

	for _, want := range []bool{true, false} {
		if removed, err := s.RemoveWatch(t.Context(), entry.ID); err != nil || removed != want {
			t.Errorf("removed %t, %v; want %t", removed, err, want)
		}
	}
	list("Big Buck Bunny (2008)")
}

func TestDB_WatchDue(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	s.watch(t, movie())
	s.clock.Advance(time.Second)
	s.watch(t, episode(1))
	due := func(url string, want ...string) {
		t.Helper()
		entries, err := s.WatchDue(t.Context(), url, time.Hour)
		must(t, err)
		if got := titles(entries); !slices.Equal(got, want) {
			t.Errorf("due %q, want %q", got, want)
		}
	}
	due(iface, "Show S00E01", "Big Buck Bunny (2008)")
	s.save(t, movie(), answer(movie(), s.clock.Now(), "one", "a"))
	due(iface, "Show S00E01")
	due(iface+"?other", "Show S00E01", "Big Buck Bunny (2008)")
	s.clock.Advance(time.Hour)
	due(iface, "Show S00E01")
	s.clock.Advance(time.Second)
	due(iface, "Show S00E01", "Big Buck Bunny (2008)")
	s.clock.Advance(-2 * time.Hour)
	due(iface, "Show S00E01", "Big Buck Bunny (2008)")
}

// TestDB_WatchDue_empty has a title that nobody has.
func TestDB_WatchDue_empty(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	s.watch(t, movie())
	due := func(url string, want bool, why string) {
		t.Helper()
		entries, err := s.WatchDue(t.Context(), url, 30*time.Minute)
		must(t, err)
		if got := len(entries) > 0; got != want {
			t.Errorf("due %t %s, want %t", got, why, want)
		}
	}
	for i, hours := range []int{1, 2, 4, 8, 16, 24, 24} {
		s.save(t, movie())
		rest := time.Duration(hours) * time.Hour
		s.clock.Advance(rest / 2)
		s.save(t, movie(), answer(movie(), s.clock.Now(), "one")) // by a user: it shortens and lengthens nothing
		s.clock.Advance(rest/2 - time.Second)
		due(iface, false, fmt.Sprintf("in the rest after %d scans", i+1))
		due(iface+"?other", true, "at another interface")
		s.clock.Advance(time.Second)
		due(iface, true, fmt.Sprintf("at the end of the rest after %d scans", i+1))
	}
	if s.load(t, movie()) != nil {
		t.Error("scans that found nothing are a list")
	}

	s.save(t, movie())
	s.clock.Advance(-time.Second)
	due(iface, true, "before a scan of another clock")
	s.save(t, movie())
	due(iface, false, "after one of this clock")
	s.save(t, movie(), answer(movie(), s.clock.Now(), "one", "a"))
	s.clock.Advance(30*time.Minute + time.Second)
	due(iface, true, "after a scan that found something")
	s.save(t, movie())
	s.clock.Advance(time.Hour)
	due(iface, true, "after the first rest since then")

	s.save(t, movie())
	if _, err := s.DeleteExpired(t.Context(), s.clock.Now().Add(time.Second)); err != nil || s.count(t, "empty_scan") != "0" {
		t.Errorf("%s empty scans left, %v", s.count(t, "empty_scan"), err)
	}
}

func TestDB_watchlist_hostileText(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	for i, text := range hostileTexts() {
		title := sources.Title{Kind: sources.KindMovie, Name: fmt.Sprintf("%d %s", i, text), OriginalName: text}
		s.watch(t, title)
		all, err := s.Watchlist(t.Context())
		must(t, err)
		if !slices.ContainsFunc(all, func(e sources.WatchEntry) bool { return e.Title.Name == title.Name }) {
			t.Errorf("%.40q is not on the list", text)
		}
	}
}

// A number that a user has seen never comes to mean another title.
func TestDB_watchlist_idsAreNotReused(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	first := s.watch(t, episode(1))
	if removed, err := s.RemoveWatch(t.Context(), first.ID); err != nil || !removed {
		t.Fatalf("RemoveWatch() = %v, %v", removed, err)
	}
	if second := s.watch(t, episode(2)); second.ID == first.ID {
		t.Errorf("%d is the number of %s and then of %s", first.ID, first.Title, second.Title)
	}
}

func TestDB_AddWatchlist(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	s.watch(t, episode(3))
	s.clock.Advance(time.Hour)
	entries := []sources.WatchEntry{
		{Title: episode(1), Origin: sources.WatchNext}, {Title: movie(), Origin: sources.WatchUser}, {Title: episode(2), Origin: sources.WatchUser},
	}
	for range 2 {
		must(t, s.AddWatchlist(t.Context(), entries))
		all, err := s.Watchlist(t.Context())
		must(t, err)
		if got, want := titles(all), []string{"Show S00E01", "Big Buck Bunny (2008)", "Show S00E02", "Show S00E03"}; !slices.Equal(got, want) {
			t.Errorf("watchlist %q, want %q", got, want)
		}
		if all[0].Origin != sources.WatchNext || all[1].Origin != sources.WatchUser {
			t.Errorf("origins %s, %s", all[0].Origin, all[1].Origin)
		}
	}

	s.exec(t, `CREATE TRIGGER full BEFORE INSERT ON watch WHEN new.name = 'Last' BEGIN SELECT raise(ABORT, 'full'); END`)
	last := sources.Title{Kind: sources.KindMovie, Name: "Last"}
	if err := s.AddWatchlist(t.Context(), []sources.WatchEntry{{Title: last, Origin: sources.WatchUser}, {Title: episode(9), Origin: sources.WatchUser}}); err == nil {
		t.Error("no error")
	}
	if got := s.count(t, "watch"); got != "4" {
		t.Errorf("%s entries, want the 4 of before", got)
	}
}
