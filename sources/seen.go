package sources

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"xship/sources/text"
)

// Bounds of what is kept of one site, see SiteReport.Seen.
const (
	maxSeen         = 30
	maxSeenEpisodes = 3000 // of all titles
	maxSeenName     = 200  // characters
)

// seenTitles are what a site came across. The zero value is ready.
type seenTitles struct {
	likeness func(Sighting) float64
	titles   []seenTitle
	episodes int
}

type seenTitle struct {
	Sighting
	likeness float64
	measured bool // likeness is known
}

// add keeps a title within the bounds. What was seen of it before is joined with it, and
// of too many the one goes that is least like what was asked for.
func (s *seenTitles) add(n Sighting) {
	n.Name, n.OriginalName = text.Clip(text.Clean(n.Name), maxSeenName), text.Clip(text.Clean(n.OriginalName), maxSeenName)
	if !strings.ContainsFunc(n.Name, isLetterOrNumber) {
		return
	}
	n.Year, n.Kind, n.IMDb = knownYear(n.Year), cmp.Or(n.Kind, KindMovie), knownIMDb(n.IMDb)
	for i := range s.titles {
		if t := &s.titles[i]; t.Kind == n.Kind && strings.EqualFold(t.Name, n.Name) && t.Year == n.Year && t.IMDb == n.IMDb {
			t.OriginalName = cmp.Or(t.OriginalName, n.OriginalName)
			s.join(t, n.Episodes)
			return
		}
	}
	episodes := n.Episodes
	n.Episodes = nil
	title := seenTitle{Sighting: n}
	if len(s.titles) < maxSeen {
		s.titles = append(s.titles, title)
		s.join(&s.titles[len(s.titles)-1], episodes)
		return
	}
	s.measure(&title)
	least := 0
	for i := range s.titles {
		s.measure(&s.titles[i])
		if s.titles[i].likeness <= s.titles[least].likeness {
			least = i
		}
	}
	if title.likeness > s.titles[least].likeness {
		s.episodes -= len(s.titles[least].Episodes)
		s.titles = append(slices.Delete(s.titles, least, least+1), title)
		s.join(&s.titles[len(s.titles)-1], episodes)
	}
}

// measure finds out the likeness of a title, which matters only where there are too many.
func (s *seenTitles) measure(t *seenTitle) {
	if !t.measured {
		t.likeness, t.measured = s.likeness(t.Sighting), true
	}
}

// join adds episodes to those of a title, as many as there is room for.
func (s *seenTitles) join(t *seenTitle, more []EpisodeNumber) {
	if len(more) == 0 {
		return
	}
	before := len(t.Episodes)
	all := slices.Concat(t.Episodes, more)
	all = slices.DeleteFunc(all, func(e EpisodeNumber) bool { return e.Season < 0 || e.Episode < 0 })
	slices.SortFunc(all, EpisodeNumber.Compare)
	all = slices.Compact(all)
	room := before + maxSeenEpisodes - s.episodes
	t.Episodes = slices.Clip(all[:min(len(all), max(room, before))])
	s.episodes += len(t.Episodes) - before
}

// all are the titles, in the order in which they were first seen.
func (s *seenTitles) all() []Sighting {
	if len(s.titles) == 0 {
		return nil
	}
	all := make([]Sighting, len(s.titles))
	for i, t := range s.titles {
		all[i] = t.Sighting
	}
	return all
}

func isLetterOrNumber(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// knownYear is a year that a title can have, 0 for others.
func knownYear(year int) int {
	if year < MinYear || year > MaxYear {
		return 0
	}
	return year
}

func knownIMDb(id string) string {
	if !IsIMDbID(id) {
		return ""
	}
	return id
}
