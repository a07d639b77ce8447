package files

import (
	"context"
	"encoding/json"
	"slices"

	"xship/sources"
	"xship/sources/match"
)

// mostFound bounds how many files of one title are looked at.
const mostFound = 500

// Search gives the sources that the index has of t in tree, in a stable order. own says
// that they are the user's own.
func Search(ctx context.Context, index sources.Index, tree Tree, t sources.Title, own bool) ([]sources.Source, error) {
	files, err := index.FindFiles(ctx, tree.Root(), keysFor(t), mostFound)
	if err != nil {
		return nil, err
	}
	matcher := match.For(t)
	var near, exact []sources.Source
	for _, file := range files {
		var f facts
		if json.Unmarshal(file.Facts, &f) != nil {
			continue // of another version; the next walk mends it
		}
		src := sources.Source{Name: displayName(file.Path), URL: tree.Link(file.Path), SizeBytes: f.Size, Own: own}
		switch f.fit(matcher, t) {
		case match.Exact:
			exact = append(exact, src)
		case match.Near:
			src.Priority = sources.PriorityNear
			near = append(near, src)
		}
	}
	if len(exact) > 0 {
		return exact, nil
	}
	return near, nil
}

// fit tells how well the file fits t.
func (f facts) fit(m *match.Matcher, t sources.Title) match.Fit {
	if f.Episode != (t.Kind == sources.KindEpisode) {
		return match.None
	}
	if f.Episode {
		season := f.Season
		if season < 0 {
			season = 1
		}
		r := match.EpisodeRange{Season: season, First: f.First, Last: f.Last}
		if season != t.Season || !r.Contains(t.Episode) {
			return match.None
		}
	}
	return m.Title(match.Candidate{Names: slices.Clone(f.Names), Year: f.Year, IMDb: f.IMDb})
}
