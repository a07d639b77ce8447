package engine

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"xship/cmd/engine/loader"
	"xship/sources"
	"xship/sources/sourcetest/world"
)

// harbour is a series of which the second season is about to begin; days are from now.
func harbour(status string, more ...world.IDEpisode) world.IDTitle {
	return world.IDTitle{ID: "tt9900010", Series: true, Name: "Harbour Nine", ReleaseInfo: "2011-", Status: status, Episodes: append([]world.IDEpisode{
		{Season: 0, Episode: 1, Name: "Making of", Released: time.Now().AddDate(-2, 0, 0)},
		{Season: 1, Episode: 1, Name: "Fog", Released: time.Now().AddDate(-2, 0, 0)},
		{Season: 1, Episode: 2, Name: "Tide", Released: time.Now().AddDate(-1, 0, 0)},
	}, more...)}
}

func harbourEpisode(season, episode int) sources.Title {
	return sources.Title{Kind: sources.KindEpisode, Name: "Harbour Nine", Season: season, Episode: episode}
}

// seasonTwo is the first episode of a season, some days from now.
func seasonTwo(days int) world.IDEpisode {
	return world.IDEpisode{Season: 2, Episode: 1, Name: "Gulls", Released: time.Date(time.Now().Year(), time.Now().Month(), time.Now().Day()+days, 0, 0, 0, 0, time.UTC)}
}

// TestMoveOn has the id service say which episode comes next, and scans only where it
// does not know.
func TestMoveOn(t *testing.T) {
	announced := seasonTwo(30)
	unsure := harbour("Continuing")
	unsure.ID = "tt9900011"
	for name, c := range map[string]struct {
		settings map[string]any
		titles   []world.IDTitle
		mode     world.Mode
		from     sources.Title
		want     Moved // the entry by its title alone
		scans    int
	}{
		"in its season":         {titles: []world.IDTitle{harbour("Continuing")}, from: harbourEpisode(1, 1), want: Moved{Entry: sources.WatchEntry{Title: harbourEpisode(1, 2)}}},
		"the next season":       {titles: []world.IDTitle{harbour("Continuing", seasonTwo(-3))}, from: harbourEpisode(1, 2), want: Moved{Entry: sources.WatchEntry{Title: harbourEpisode(2, 1)}}},
		"before it airs":        {titles: []world.IDTitle{harbour("Continuing", announced)}, from: harbourEpisode(1, 2), want: Moved{Entry: sources.WatchEntry{Title: harbourEpisode(2, 1)}, Unaired: true, AirDate: announced.Released.Format(time.DateOnly)}},
		"to be announced":       {titles: []world.IDTitle{harbour("Continuing", world.IDEpisode{Season: 2, Episode: 1})}, from: harbourEpisode(1, 2), want: Moved{Entry: sources.WatchEntry{Title: harbourEpisode(2, 1)}, Unaired: true}},
		"it has ended":          {titles: []world.IDTitle{harbour("Ended")}, from: harbourEpisode(1, 2), want: Moved{Entry: sources.WatchEntry{Title: harbourEpisode(1, 2)}, Ended: true}},
		"the last special":      {titles: []world.IDTitle{harbour("Continuing")}, from: harbourEpisode(0, 1), want: Moved{Entry: sources.WatchEntry{Title: harbourEpisode(0, 1)}, Ended: true}},
		"nothing is announced":  {titles: []world.IDTitle{harbour("Continuing")}, from: harbourEpisode(1, 2), want: Moved{Entry: sources.WatchEntry{Title: harbourEpisode(1, 3)}}, scans: 2},
		"it knows no episode":   {titles: []world.IDTitle{harbour("Ended")}, from: harbourEpisode(5, 1), want: Moved{Entry: sources.WatchEntry{Title: harbourEpisode(5, 2)}}, scans: 2},
		"it knows no series":    {from: harbourEpisode(1, 2), want: Moved{Entry: sources.WatchEntry{Title: harbourEpisode(1, 3)}}, scans: 2},
		"two are called so":     {titles: []world.IDTitle{harbour("Ended"), unsure}, from: harbourEpisode(1, 2), want: Moved{Entry: sources.WatchEntry{Title: harbourEpisode(1, 3)}}, scans: 2},
		"it fails":              {titles: []world.IDTitle{harbour("Ended")}, mode: world.Mode500, from: harbourEpisode(1, 2), want: Moved{Entry: sources.WatchEntry{Title: harbourEpisode(1, 3)}}, scans: 2},
		"it is off":             {settings: map[string]any{"ids.enabled": false}, titles: []world.IDTitle{harbour("Ended")}, from: harbourEpisode(1, 2), want: Moved{Entry: sources.WatchEntry{Title: harbourEpisode(1, 3)}}, scans: 2},
		"by its id, and a name": {titles: []world.IDTitle{harbour("Ended"), unsure}, from: sources.Title{Kind: sources.KindEpisode, Name: "Anything", IMDb: "tt9900010", Season: 1, Episode: 1}, want: Moved{Entry: sources.WatchEntry{Title: sources.Title{Kind: sources.KindEpisode, Name: "Anything", IMDb: "tt9900010", Season: 1, Episode: 2}}}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newIDsRig(t, c.settings, c.titles...)
			if c.mode != "" {
				r.service.SetMode(c.mode)
			}
			entry, err := r.watch(c.from)
			if err != nil {
				t.Fatal(err)
			}
			scans := 0
			moved, err := r.MoveOn(t.Context(), entry.ID, func(sources.Title) (sources.ScanResult, error) {
				scans++
				return sources.ScanResult{}, nil
			})
			if err != nil || scans != c.scans {
				t.Errorf("%d scans, %v", scans, err)
			}
			if moved.Entry.Title.Key() != c.want.Entry.Title.Key() || moved.Ended != c.want.Ended || moved.Unaired != c.want.Unaired || moved.Unaired && moved.AirDate != c.want.AirDate {
				t.Errorf("%+v, want %+v", moved, c.want)
			}
			if kept := r.watched(); !slices.Equal(kept, []string{c.want.Entry.Title.String()}) {
				t.Errorf("the watchlist is %q", kept)
			}
		})
	}
}

// watch puts a title on the watchlist.
func (r *idsRig) watch(title sources.Title) (sources.WatchEntry, error) {
	entry, _, err := r.Watch(r.Context(), title)
	return entry, err
}

// watched are the titles of the watchlist.
func (r *idsRig) watched() []string {
	r.Helper()
	entries, err := r.Watchlist(r.Context())
	if err != nil {
		r.Fatal(err)
	}
	var titles []string
	for _, e := range entries {
		titles = append(titles, e.Title.String())
	}
	return titles
}

// TestScanWatched looks for no episode before it airs, and for none that does not exist.
func TestScanWatched(t *testing.T) {
	for name, c := range map[string]struct {
		titles []world.IDTitle
		origin sources.WatchOrigin
		title  sources.Title
		known  bool // the service was asked for the series before
		want   []string
		scans  string // of titles
	}{
		"it aired":                    {titles: []world.IDTitle{harbour("Continuing")}, title: harbourEpisode(1, 2), want: []string{"Harbour Nine S01E02"}, scans: "Harbour Nine S01E02"},
		"before it airs":              {titles: []world.IDTitle{harbour("Continuing", seasonTwo(30))}, title: harbourEpisode(2, 1), want: []string{"Harbour Nine S02E01"}},
		"to be announced":             {titles: []world.IDTitle{harbour("Continuing", world.IDEpisode{Season: 2, Episode: 1})}, title: harbourEpisode(2, 1), want: []string{"Harbour Nine S02E01"}},
		"the season is over":          {titles: []world.IDTitle{harbour("Continuing", seasonTwo(-3))}, title: harbourEpisode(1, 3), want: []string{"Harbour Nine S02E01"}, scans: "Harbour Nine S02E01"},
		"the season is to begin":      {titles: []world.IDTitle{harbour("Continuing", seasonTwo(30))}, title: harbourEpisode(1, 3), want: []string{"Harbour Nine S02E01"}},
		"the series is over":          {titles: []world.IDTitle{harbour("Ended")}, title: harbourEpisode(1, 3)},
		"nothing is announced":        {titles: []world.IDTitle{harbour("Continuing")}, title: harbourEpisode(1, 3), want: []string{"Harbour Nine S01E03"}, scans: "Harbour Nine S01E03 Harbour Nine S02E01"},
		"it is not known":             {title: harbourEpisode(1, 3), want: []string{"Harbour Nine S01E03"}, scans: "Harbour Nine S01E03 Harbour Nine S02E01"},
		"the user wants it":           {titles: []world.IDTitle{harbour("Ended")}, origin: sources.WatchUser, title: harbourEpisode(1, 3), want: []string{"Harbour Nine S01E03"}, scans: "Harbour Nine S01E03"},
		"the user's, and not known":   {titles: []world.IDTitle{harbour("Continuing", seasonTwo(30))}, origin: sources.WatchUser, title: harbourEpisode(2, 1), want: []string{"Harbour Nine S02E01"}, scans: "Harbour Nine S02E01"},
		"the user's, before it airs":  {titles: []world.IDTitle{harbour("Continuing", seasonTwo(30))}, origin: sources.WatchUser, known: true, title: harbourEpisode(2, 1), want: []string{"Harbour Nine S02E01"}},
		"the user's, to be announced": {titles: []world.IDTitle{harbour("Continuing", world.IDEpisode{Season: 2, Episode: 1})}, origin: sources.WatchUser, known: true, title: harbourEpisode(2, 1), want: []string{"Harbour Nine S02E01"}, scans: "Harbour Nine S02E01"},
		"a film":                      {origin: sources.WatchUser, title: movie("Paper Lanterns", 2014), want: []string{"Paper Lanterns (2014)"}, scans: "Paper Lanterns (2014)"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newIDsRig(t, nil, c.titles...)
			origin := sources.WatchNext
			if c.origin != "" {
				origin = c.origin
			}
			if _, _, err := r.store.AddWatch(t.Context(), c.title, origin); err != nil {
				t.Fatal(err)
			}
			if c.known {
				r.seriesFacts(t.Context(), c.title)
				r.service.ResetCounters()
			}
			watched := &watched{}
			w := &watcher{Engine: r.Engine, loaded: loader.Result{Interface: sources.Interface{URL: "http://if.example"}}, scan: watched.scan}
			if err := w.scanWatched(t.Context(), c.title); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(watched.titles, " "); got != c.scans {
				t.Errorf("scanned %q, want %q", got, c.scans)
			}
			if got := r.watched(); !slices.Equal(got, c.want) {
				t.Errorf("the watchlist is %q, want %q", got, c.want)
			}
			if n := r.service.Requests(); origin == sources.WatchUser && n != 0 {
				t.Errorf("the service was asked %d times for what the user chose", n)
			}
		})
	}
}

// watched notes what is scanned.
type watched struct{ titles []string }

func (w *watched) scan(_ context.Context, t sources.Title) (sources.ScanResult, error) {
	w.titles = append(w.titles, t.String())
	return sources.ScanResult{}, nil
}

// TestWatchNextEpisode goes by what the id service said before, and asks it nothing.
func TestWatchNextEpisode(t *testing.T) {
	for name, c := range map[string]struct {
		titles []world.IDTitle
		known  bool
		before sources.Title // that is on the watchlist because it came next
		want   []string
	}{
		"over at last":    {titles: []world.IDTitle{harbour("Ended")}, known: true, before: harbourEpisode(1, 2)},
		"over for others": {titles: []world.IDTitle{harbour("Ended")}, known: true, before: sources.Title{Kind: sources.KindEpisode, Name: "Iron Ferry", Season: 1, Episode: 2}, want: []string{"Iron Ferry S01E02"}},
		"it moves on":     {titles: []world.IDTitle{harbour("Continuing", seasonTwo(30))}, known: true, before: harbourEpisode(1, 2), want: []string{"Harbour Nine S02E01"}},
		"not known":       {titles: []world.IDTitle{harbour("Ended")}, want: []string{"Harbour Nine S01E03"}},
		"it has ended":    {titles: []world.IDTitle{harbour("Ended")}, known: true},
		"the next season": {titles: []world.IDTitle{harbour("Continuing", seasonTwo(30))}, known: true, want: []string{"Harbour Nine S02E01"}},
		"it goes on":      {titles: []world.IDTitle{harbour("Continuing")}, known: true, want: []string{"Harbour Nine S01E03"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newIDsRig(t, nil, c.titles...)
			if c.known {
				r.seriesFacts(t.Context(), harbourEpisode(1, 2))
			}
			if c.before.Name != "" {
				if _, _, err := r.store.AddWatch(t.Context(), c.before, sources.WatchNext); err != nil {
					t.Fatal(err)
				}
			}
			before := r.service.Requests()
			r.WatchNextEpisode(t.Context(), harbourEpisode(1, 2))
			r.Close() // which waits for it
			if got := r.watched(); !slices.Equal(got, c.want) || r.service.Requests() != before {
				t.Errorf("the watchlist is %q after %d requests", got, r.service.Requests()-before)
			}
		})
	}
}
