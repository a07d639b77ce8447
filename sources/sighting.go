package sources

import (
	"cmp"
	"context"
)

// Sighting is a title that a site has, as the site calls it: what was searched for, or
// what its answer held beside that.
type Sighting struct {
	Name         string
	OriginalName string // "" where it has none
	Year         int    // of the first release, 0 where unknown
	Kind         Kind   // KindEpisode: a series
	IMDb         string // "" where unknown
	// Episodes are those of a series that the site has, by season and episode, each once;
	// nil where it does not tell.
	Episodes []EpisodeNumber
}

// EpisodeNumber names an episode of a series. Season 0 are specials.
type EpisodeNumber struct{ Season, Episode int }

// Compare orders episodes by season and number.
func (e EpisodeNumber) Compare(o EpisodeNumber) int {
	return cmp.Or(cmp.Compare(e.Season, o.Season), cmp.Compare(e.Episode, o.Episode))
}

type sightingsKey struct{}

// WithSightings has saw told, one at a time for each site, which titles the sites come
// across that search with ctx. They ask nothing more for it.
func WithSightings(ctx context.Context, saw func(Sighting)) context.Context {
	return context.WithValue(ctx, sightingsKey{}, saw)
}

// Saw tells who searches with ctx that the site came across a title. Sites call it from
// the goroutine of Search, for what they have of any title or episode, matching or not.
func Saw(ctx context.Context, s Sighting) {
	if saw, ok := ctx.Value(sightingsKey{}).(func(Sighting)); ok {
		saw(s)
	}
}

// WantsSightings tells a site whether anybody wants to know, where telling takes work.
func WantsSightings(ctx context.Context) bool {
	_, ok := ctx.Value(sightingsKey{}).(func(Sighting))
	return ok
}
