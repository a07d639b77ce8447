package sources_test

import (
	"testing"

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
