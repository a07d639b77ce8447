package files

import (
	"context"
	"fmt"

	"xship/sources"
	"xship/sources/match"
)

// mostSeen bounds how many files are looked at for what there is beside the title.
const mostSeen = 2000

// seriesKey is that of all episodes of a series of a name.
func seriesKey(name string) string { return "series:" + name }

// seriesIDKey is that of all episodes of a series with an id.
func seriesIDKey(id string) string { return "series-id:" + id }

// see tells who wants to know what the index has of the names of t: films, and series
// with all their episodes.
func (s *Site) see(ctx context.Context, t sources.Title) error {
	lookout := match.NewLookout(ctx, t)
	if lookout == nil {
		return nil
	}
	files, err := s.o.Index.FindFiles(ctx, s.tree.Root(), seenKeys(t), mostSeen)
	if err != nil {
		return err
	}
	type seen struct {
		facts
		kind     sources.Kind
		episodes match.EpisodeSet
	}
	var order []*seen
	byName := make(map[string]*seen)
	for _, file := range files {
		f, ok := parseFacts(file.Facts)
		if !ok || f.Trailer {
			continue
		}
		kind, c := sources.KindMovie, f.film(file.Path)
		if f.Episode && (!f.Weak || t.Kind == sources.KindEpisode) {
			kind, c = sources.KindEpisode, f.candidate()
		}
		if len(c.Names) == 0 {
			continue
		}
		key := fmt.Sprintf("%s %s %d %s", kind, c.IMDb, c.Year, c.Names[0])
		group := byName[key]
		if group == nil {
			group = &seen{facts: facts{Names: c.Names, Year: c.Year, IMDb: c.IMDb}, kind: kind}
			byName[key] = group
			order = append(order, group)
		}
		if kind == sources.KindEpisode {
			group.episodes.Add(match.EpisodeRange{Season: seasonOf(f.Season), First: f.First, Last: f.Last})
		}
	}
	for _, group := range order {
		lookout.See(group.candidate(), group.kind, func(s *sources.Sighting, _ int) { s.Episodes = group.episodes.All() })
	}
	lookout.Tell()
	return nil
}

// seenKeys are the keys of all films and series that have a name or the id of t.
func seenKeys(t sources.Title) []string {
	film := t
	film.Kind, film.Season, film.Episode = sources.KindMovie, 0, 0
	keys := keysFor(film, match.For(film))
	series := t
	if series.Kind = sources.KindEpisode; t.Kind == sources.KindMovie {
		series.Season = 1
	}
	for _, name := range match.For(series).Keys() {
		keys = append(keys, seriesKey(name))
	}
	if id := match.IMDbKey(t.IMDb); id != "" {
		keys = append(keys, seriesIDKey(id))
	}
	return keys
}
