package match_test

import (
	"slices"
	"testing"

	"xship/sources"
	"xship/sources/match"
)

// fitOf is match.Title, and sees that what fits is found by its keys: every table and
// fuzz test of Title is one of Keys.
func fitOf(tb testing.TB, t sources.Title, c match.Candidate) match.Fit {
	tb.Helper()
	fit := match.Title(t, c)
	if fit == match.None || match.IMDbKey(t.IMDb) != "" && match.IMDbKey(t.IMDb) == match.IMDbKey(c.IMDb) {
		return fit
	}
	of, wanted := c.Keys(t.Kind), match.For(t).Keys()
	if !slices.ContainsFunc(of, func(key match.Key) bool { return slices.Contains(wanted, key.Name) }) {
		tb.Errorf("%v fits %+v, and is not found by it: keys %q and %v", t, c, wanted, of)
	}
	return fit
}

func TestKeys(t *testing.T) {
	for _, tt := range []struct {
		kind sources.Kind
		name string
		want []match.Key
	}{
		{sources.KindMovie, "Some Film", []match.Key{{"somefilm", -1}}},
		{sources.KindMovie, "Matrix, The", []match.Key{{"thematrix", -1}}},
		{sources.KindMovie, "Some Film (2008) 1080p", []match.Key{{"somefilm1080p", -1}, {"somefilm", -1}}},
		{sources.KindMovie, "Some Film Season 2", []match.Key{{"somefilmseason2", -1}}},
		{sources.KindEpisode, "Some Show Season 2", []match.Key{{"someshowseason2", -1}, {"someshow", 2}}},
		{sources.KindEpisode, "某剧2", []match.Key{{"某剧2", -1}, {"某剧", 2}}},
		{sources.KindEpisode, "...", nil},
	} {
		if got := (match.Candidate{Names: []string{tt.name}}).Keys(tt.kind); !slices.Equal(got, tt.want) {
			t.Errorf("%q as %s: %v, want %v", tt.name, tt.kind, got, tt.want)
		}
	}
	title := sources.Title{Kind: sources.KindMovie, Name: "Some Film", OriginalName: "某片", Aliases: []string{"Some Film"}}
	if got, want := match.For(title).Keys(), []string{"somefilm", "somefilm某片", "某片", "某片somefilm"}; !slices.Equal(got, want) {
		t.Errorf("keys of %v: %q, want %q", title, got, want)
	}
}

func BenchmarkKeys(b *testing.B) {
	c := match.Candidate{Names: []string{"Some Film", "某片"}, Year: 2008}
	for b.Loop() {
		c.Keys(sources.KindMovie)
	}
}
