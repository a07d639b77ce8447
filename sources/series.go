package sources

import (
	"cmp"
	"slices"
)

// SameSeries tells whether t and o are episodes of one series: they have the same
// IMDb id, or the same names where one has none, of the same year where both have one.
// Specials are a series of their own.
func (t Title) SameSeries(o Title) bool {
	if t.Kind != KindEpisode || o.Kind != KindEpisode || (t.Season == 0) != (o.Season == 0) {
		return false
	}
	if t.IMDb != "" && o.IMDb != "" {
		return t.IMDb == o.IMDb
	}
	t.Season, t.Episode, t.IMDb = o.Season, o.Episode, o.IMDb
	if t.Year == 0 || o.Year == 0 {
		t.Year = o.Year
	}
	return t.Key() == o.Key()
}

// ComesAfter tells whether the episode t comes after o of the same series.
func (t Title) ComesAfter(o Title) bool {
	return cmp.Or(cmp.Compare(t.Season, o.Season), cmp.Compare(t.Episode, o.Episode)) > 0
}

// NextEpisode is the episode after t in its season.
func (t Title) NextEpisode() Title {
	t.Aliases = slices.Clone(t.Aliases)
	t.Episode++
	return t
}

// FirstOf is the first episode of a season of the series t: who asks to watch a season
// begins there.
func (t Title) FirstOf(season int) Title {
	t.Aliases = slices.Clone(t.Aliases)
	t.Kind, t.Season, t.Episode = KindEpisode, season, 1
	return t
}

// NextSeason is the first episode of the season after that of t. Nothing follows
// specials; ok is false then.
func (t Title) NextSeason() (next Title, ok bool) {
	if t.Season == 0 {
		return t, false
	}
	return t.FirstOf(t.Season + 1), true
}
