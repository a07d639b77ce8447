package engine

import (
	"strings"
	"testing"

	"xship/sources"
)

func TestWatchNamed(t *testing.T) {
	t.Parallel()
	film := func(id int64, name string, year int) sources.WatchEntry {
		return sources.WatchEntry{ID: id, Title: sources.Title{Kind: sources.KindMovie, Name: name, Year: year}}
	}
	episode := func(id int64, name string, season, number int) sources.WatchEntry {
		return sources.WatchEntry{ID: id, Title: sources.Title{Kind: sources.KindEpisode, Name: name, Season: season, Episode: number}}
	}
	all := []sources.WatchEntry{
		film(1, "Paper Lanterns", 2014), film(2, "Paper Lanterns", 2020), film(3, "Cogwheel Summer", 0), film(4, "300", 2006), film(5, "1917", 2019),
		episode(6, "Harbour Nine", 1, 2), episode(7, "Harbour Nine", 2, 2), episode(8, "某剧", 1, 3), film(9, "Open Season 2", 2008),
	}
	all[2].Title.OriginalName, all[2].Title.Aliases = "Zahnradsommer", []string{"Cog"}
	for ref, want := range map[string]int64{
		"1": 1, " 3 ": 3, "Paper Lanterns (2014)": 1, "paper lanterns (2020)": 2, "Cogwheel Summer": 3, "cogwheel-summer": 3, "Cogwheel Summer (1999)": 3,
		"Zahnradsommer": 3, "cog": 3, "300": 4, "1917": 5, "Harbour Nine S01E02": 6, "harbour nine 2x02": 7, "Harbour Nine S02": 7, "某剧 第3集": 8, "Open Season 2": 9,
	} {
		if e, err := watchNamed(all, ref); err != nil || e.ID != want {
			t.Errorf("%q is number %d, %v, want %d", ref, e.ID, err, want)
		}
	}
	for ref, want := range map[string]string{
		"Paper Lanterns":         `"Paper Lanterns" names 2 titles of the watchlist: number 1, Paper Lanterns (2014); number 2, Paper Lanterns (2020)`,
		"harbour nine":           `names 2 titles of the watchlist: number 6, Harbour Nine S01E02; number 7, Harbour Nine S02E02`,
		"Paper Lanterns (2015)":  "is not on the watchlist",
		"Harbour Nine S03E01":    "is not on the watchlist",
		"Cogwheel Summer S01E01": "is not on the watchlist",
		"Nothing":                "is not on the watchlist",
		"77":                     "the watchlist has no number 77",
		"-1":                     "is not on the watchlist",
	} {
		if e, err := watchNamed(all, ref); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v, want %q", ref, e, err, want)
		}
	}
	for ref, want := range map[string]string{
		"Cogwheel":              "did you mean Cogwheel Summer?", // the only one that begins with it
		"Paper Lantrens (2014)": "did you mean Paper Lanterns (2014)?",
		"open sea":              "did you mean Open Season 2?",
		"paper":                 "did you mean Paper Lanterns?",
		"nothing":               "xship watch list shows what is",
		"2-99":                  "each stands for itself: xship watch remove 2 99",
		"1, 2,3":                "several stand apart: xship watch remove 1 2 3",
	} {
		if got := nearWatched(all, ref); got != want {
			t.Errorf("%q: %q, want %q", ref, got, want)
		}
	}
}
