package archive

import (
	"slices"

	"xship/sources"
	"xship/sources/match"
)

// see has the lookout note what an item is: that of an episode, where its title is that
// of one, a series, where its files are, or else a film. looked is the item with its
// files, nil where it was not looked into.
func (q *search) see(f facts, looked *item) {
	if q.lookout == nil || len(f.Titles) == 0 || q.told[f.ID] {
		return
	}
	q.told[f.ID] = true
	c := match.Candidate{Names: []string{withoutPraise(f.Titles[0])}, Year: f.Year}
	if len(f.IMDb) > 0 {
		c.IMDb = f.IMDb[0]
	}
	kind := sources.KindMovie
	series, own, isEpisode := episodeOf(c.Names[0])
	if isEpisode {
		c.Names[0], c.Year, kind = series, 0, sources.KindEpisode // the year is that of the episode
	} else {
		c.Names = append(c.Names, f.Titles[1:]...)
	}
	q.lookout.See(c, kind, func(s *sources.Sighting, season int) {
		var set match.EpisodeSet
		switch {
		case isEpisode && own.Season < 0:
			own.Season = season
			fallthrough
		case isEpisode:
			set.Add(own)
		case looked != nil:
			looked.addEpisodes(&set, season)
		}
		if s.Episodes = set.All(); len(s.Episodes) > 1 {
			s.Kind = sources.KindEpisode
		}
		if s.Kind == sources.KindMovie {
			s.Episodes = nil
		}
	})
}

// seeRest has the lookout note what was not looked into, and tell of all.
func (q *search) seeRest() {
	for _, c := range slices.Concat(q.exact, q.near) {
		q.see(c.facts, nil)
	}
	q.lookout.Tell()
}

// addEpisodes adds the episodes that the files of an item are called by, of the season
// that its title says, -1 where it says none.
func (i *item) addEpisodes(set *match.EpisodeSet, season int) {
	in := match.Item{Season: season, Names: slices.Clone(i.Titles)}
	for _, title := range i.Titles {
		if base, _, ok := match.SplitSeason(title); ok {
			in.Names = append(in.Names, base)
		}
	}
	for _, v := range i.versions() {
		within, regular := v.within(in)
		e, kind := match.ReadLabel(v.label, in.Names...)
		if !regular || kind != match.LabelEpisode || e.Season >= 0 && within.Season >= 0 && e.Season != within.Season {
			continue
		}
		if e.Season < 0 {
			e.Season = within.Season
		}
		set.Add(e)
	}
}
