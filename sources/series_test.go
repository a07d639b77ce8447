package sources_test

import (
	"fmt"
	"testing"
	"time"

	"xship/sources"
)

func TestTitle_series(t *testing.T) {
	episode := func(change func(*sources.Title)) sources.Title {
		e := sources.Title{Kind: sources.KindEpisode, Name: "Harbour Nine", Season: 1, Episode: 1}
		change(&e)
		return e
	}
	first := episode(func(*sources.Title) {})
	for _, c := range []struct {
		name string
		a, b sources.Title
		same bool
		next bool // whether b comes after a
	}{
		{"itself", first, first, true, false},
		{"an episode later", first, episode(func(e *sources.Title) { e.Episode = 2 }), true, true},
		{"a season later", episode(func(e *sources.Title) { e.Episode = 9 }), episode(func(e *sources.Title) { e.Season = 2 }), true, true},
		{"another spelling", first, episode(func(e *sources.Title) { e.Name = "harbour  nine" }), true, false},
		{"another name", first, episode(func(e *sources.Title) { e.Name = "Harbour Ten" }), false, false},
		{"one has an id", first, episode(func(e *sources.Title) { e.IMDb = "tt0000001" }), true, false},
		{
			"the same id", episode(func(e *sources.Title) { e.IMDb = "tt0000001" }),
			episode(func(e *sources.Title) { e.Name, e.IMDb = "Hafen Neun", "tt0000001" }), true, false,
		},
		{"another id", episode(func(e *sources.Title) { e.IMDb = "tt0000002" }), episode(func(e *sources.Title) { e.IMDb = "tt0000001" }), false, false},
		{"one has a year", first, episode(func(e *sources.Title) { e.Year = 2018 }), true, false},
		{"another year", episode(func(e *sources.Title) { e.Year = 1974 }), episode(func(e *sources.Title) { e.Year = 2018 }), false, false},
		{"specials", first, episode(func(e *sources.Title) { e.Season = 0 }), false, false},
		{"a film", first, sources.Title{Kind: sources.KindMovie, Name: "Harbour Nine"}, false, false},
	} {
		if got := c.a.SameSeries(c.b); got != c.same {
			t.Errorf("%s: same %t, want %t", c.name, got, c.same)
		}
		if got := c.b.ComesAfter(c.a); c.same && got != c.next {
			t.Errorf("%s: after %t, want %t", c.name, got, c.next)
		}
	}
}

func TestTitle_next(t *testing.T) {
	first := sources.Title{Kind: sources.KindEpisode, Name: "Harbour Nine", Aliases: []string{"Hafen Neun"}, Season: 2, Episode: 7}
	if next := first.NextEpisode(); next.Season != 2 || next.Episode != 8 || next.Name != first.Name {
		t.Errorf("the next episode is %v", next)
	}
	next, ok := first.NextSeason()
	if !ok || next.Season != 3 || next.Episode != 1 {
		t.Errorf("the next season begins with %v, %t", next, ok)
	}
	if next.Aliases[0] = "changed"; first.Aliases[0] != "Hafen Neun" {
		t.Error("the titles share their aliases")
	}
	first.Season = 0
	if next, ok := first.NextSeason(); ok {
		t.Errorf("specials are followed by %v", next)
	}
}

// TestTitleFacts_After follows a series through its seasons.
func TestTitleFacts_After(t *testing.T) {
	now := time.Date(2026, time.December, 1, 12, 0, 0, 0, time.UTC)
	day := func(days int) time.Time { return now.AddDate(0, 0, days) }
	at := func(season, episode int, aired time.Time) sources.EpisodeFacts {
		return sources.EpisodeFacts{Season: season, Episode: episode, AiredAt: aired}
	}
	var never time.Time
	running := sources.TitleFacts{Episodes: []sources.EpisodeFacts{
		at(0, 1, never), at(0, 2, never), at(0, 9, day(30)),
		at(1, 1, never), at(1, 2, day(-300)), at(1, 4, day(-200)),
		at(3, 2, day(-1)), at(3, 3, now), at(3, 4, now.Add(time.Second)), at(3, 5, never),
	}}
	ended := running
	ended.Ended = true
	undated := sources.TitleFacts{Episodes: []sources.EpisodeFacts{at(1, 1, never), at(1, 2, never)}}
	for _, c := range []struct {
		name            string
		facts           sources.TitleFacts
		season, episode int
		want            string
	}{
		{"the next one, whose date is not known", running, 0, 1, "unaired S00E02"},
		{"in its season", running, 1, 1, "aired S01E02"},
		{"over a gap", running, 1, 2, "aired S01E04"},
		{"the next season there is", running, 1, 4, "aired S03E02"},
		{"aired right now", running, 3, 2, "aired S03E03"},
		{"in a second", running, 3, 3, "unaired S03E04"},
		{"to be announced", running, 3, 4, "unaired S03E05"},
		{"it goes on", running, 3, 5, " S00E00"},
		{"it has ended", ended, 3, 5, "nothing S00E00"},
		{"to be announced in a series that has ended", ended, 3, 4, "aired S03E05"},
		{"another special", running, 0, 2, "unaired S00E09"},
		{"the last special", running, 0, 9, "nothing S00E00"},
		{"an episode that is not listed", running, 1, 3, " S00E00"},
		{"a season that is not listed", running, 2, 1, " S00E00"},
		{"no dates at all", undated, 1, 1, "aired S01E02"},
		{"no episodes", sources.TitleFacts{Ended: true}, 1, 1, " S00E00"},
	} {
		title := sources.Title{Kind: sources.KindEpisode, Name: "Harbour Nine", Season: c.season, Episode: c.episode, Aliases: []string{"Hafen Neun"}}
		next, e, follows := c.facts.After(title, now)
		if got := fmt.Sprintf("%s S%02dE%02d", follows, e.Season, e.Episode); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if follows == sources.FollowsAired && (next.Season != e.Season || next.Episode != e.Episode || next.Name != title.Name || next.Aliases[0] != title.Aliases[0]) {
			t.Errorf("%s: the title is %+v", c.name, next)
		}
	}
}

func TestEpisodeFacts_AirDate(t *testing.T) {
	for at, want := range map[string]string{
		"2026-12-25T02:00:00Z": "2026-12-24", "2026-12-24T20:00:00Z": "2026-12-24", "2026-12-24T00:00:00Z": "2026-12-24", "2026-12-24T01:30:00+02:00": "2026-12-23",
	} {
		parsed, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		if got := (sources.EpisodeFacts{AiredAt: parsed}).AirDate(); got != want {
			t.Errorf("%s is %q, want %s", at, got, want)
		}
	}
	if got := (sources.EpisodeFacts{}).AirDate(); got != "" {
		t.Errorf("no time is %q", got)
	}
}
