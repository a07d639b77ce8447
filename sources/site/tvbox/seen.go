package tvbox

import (
	"slices"
	"strings"

	"xship/sources"
	"xship/sources/match"
)

// see has the lookout note a row, which is compared as c, with the episodes that its links
// are called by. It is a film where it has links of that.
func (q *finding) see(r *Row, c match.Candidate, film bool) {
	if q.lookout == nil || r.unreadable() || r.isTrailer(q.title) {
		return
	}
	kind := sources.KindMovie
	if !film && r.saysSeries() {
		kind = sources.KindEpisode
	}
	if film {
		q.lookout.See(c, kind, nil)
		return
	}
	q.lookout.See(c, kind, func(s *sources.Sighting, season int) {
		if strings.TrimSpace(r.PlayURL) == "" || s.Kind == sources.KindMovie && r.isOneFilm() {
			return
		}
		groups := q.Parse(string(r.PlayFrom), r.PlayURL)
		if s.Kind == sources.KindEpisode || !r.hasFilm(s.Name, groups) {
			s.Kind, s.Episodes = sources.KindEpisode, r.episodes(groups, season)
		}
	})
}

// isTrailer tells whether the row is that of a trailer, where no film is called so.
func (r *Row) isTrailer(t sources.Title) bool {
	return saysTrailer(r.TypeName.Clean()) || saysTrailer(r.Name.Clean()) && !saysTrailer(strings.Join(t.Names(), " "))
}

// isOneFilm tells at a glance of a row with one link that it is a film, as most are.
func (r *Row) isOneFilm() bool {
	if strings.Contains(r.PlayURL, "#") || strings.Contains(r.PlayURL, GroupSeparator) {
		return false
	}
	label, _, labelled := strings.Cut(r.PlayURL, "$")
	_, kind := match.ReadLabel(Text(label).Clean())
	return labelled && kind == match.LabelPlain
}

// hasFilm tells whether one of the links of the row may be a film of that name.
func (r *Row) hasFilm(name string, groups []Group) bool {
	unfit := r.unfit(sources.Title{Kind: sources.KindMovie, Name: name}, groups)
	return slices.ContainsFunc(unfit, func(group []bool) bool { return slices.Contains(group, false) })
}

// episodes are those that the links of a series are called by, of the season that its
// name says, -1 where it says none. Extras are none of them.
func (r *Row) episodes(groups []Group, season int) []sources.EpisodeNumber {
	name := r.Name.Clean()
	var set match.EpisodeSet
	if _, own, ok := match.SplitEpisode(name); ok && single(groups) && !r.isIssue(groups) {
		set.Add(own)
		return set.All()
	}
	in := match.Item{Season: season, Names: []string{name}}
	if base, _, ok := match.SplitSeason(name); ok {
		in.Names = append(in.Names, base)
	}
	for i := range groups {
		within, regular := groups[i].within(in)
		for j := 0; regular && j < len(groups[i].Items); j++ {
			e, kind := match.ReadLabel(groups[i].Items[j].episodeLabel(), in.Names...)
			switch {
			case kind != match.LabelEpisode, e.Season >= 0 && within.Season >= 0 && e.Season != within.Season:
				continue
			case e.Season < 0:
				e.Season = within.Season
			}
			set.Add(e)
		}
	}
	return set.All()
}
