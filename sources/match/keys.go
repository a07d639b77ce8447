package match

import (
	"slices"
	"strings"

	"xship/sources"
	"xship/sources/text"
)

// Key is one under which a candidate is kept, so that it is found without comparing each
// title with each candidate.
type Key struct {
	Name   string
	Season int // that the name was marked with, -1 for none
}

// Keys are the keys of c among candidates for titles of a kind: where Title fits, one of
// them is among the Keys of the title's Matcher. The other way round that is not so, for
// of years and marks of seasons the keys know nothing. Ids have no keys.
func (c Candidate) Keys(kind sources.Kind) []Key {
	k := keyMaker{kind: kind, year: saidYear(c)}
	for _, name := range c.Names {
		if len(name) > maxName {
			continue
		}
		name = nameText(name)
		k.cuts(name)
		for _, year := range []int{k.year, bracketedYear(name)} {
			k.cuts(behindYear(name, year))
		}
		k.cuts(withoutKind(kind, name))
		k.cuts(dropTranslations(kind, name))
		base, year, _ := splitFileName(name)
		if k.cuts(base); year != 0 {
			k.year = year
		}
		k.cuts(withoutGroup(base))
	}
	return k.keys
}

// keyMaker collects the keys of a candidate.
type keyMaker struct {
	kind sources.Kind
	year int // that the candidate says
	done []cutName
	keys []Key
}

// cutName is a name of which something was cut off.
type cutName struct {
	name   string
	season int
}

// cuts adds the keys of name and of all that matchCuts may come to from it.
func (k *keyMaker) cuts(name string) {
	season := -1
	for name != "" {
		if slices.Contains(k.done, cutName{name, season}) {
			return
		}
		k.done = append(k.done, cutName{name, season})
		k.add(name, season)
		if k.kind == sources.KindEpisode {
			if rest, _, _, ok := cutSeasons(name); ok {
				name = rest
				continue
			}
			if rest, n, ok := cutSeason(name); ok {
				if season >= 0 {
					return
				}
				name, season = rest, n
				continue
			}
		}
		if rest, ok := cutDecoration(k.kind, name); ok {
			name = rest
			continue
		}
		if rest, ok := cutEdition(k.kind, name); ok {
			name = rest
			continue
		}
		if k.kind == sources.KindEpisode && season < 0 && strings.IndexByte("0123456789IVXivx", name[len(name)-1]) >= 0 {
			for n := 2; n <= text.MostRoman; n++ {
				if rest, fit := cutNumber(name, n); fit != None {
					k.add(rest, n)
				}
			}
		}
		rest, year := cutYear(name, k.year)
		if year == 0 {
			return
		}
		name = rest
	}
}

func (k *keyMaker) add(name string, season int) {
	key := Key{keyOf(k.kind, name).key, season}
	if key.Name != "" && !slices.Contains(k.keys, key) {
		k.keys = append(k.keys, key)
	}
}

// mostPaired is how many names of a title are looked for two in a row.
const mostPaired = 12

// Keys are those by which candidates for the title are found, see Candidate.Keys.
func (m *Matcher) Keys() []string {
	keys := make([]string, 0, len(m.keys)*len(m.keys))
	for _, k := range m.keys {
		keys = append(keys, k.key)
	}
	paired := m.keys[:min(len(m.keys), mostPaired)]
	for i, first := range paired {
		for j, second := range paired {
			if i != j {
				keys = append(keys, first.key+second.key)
			}
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// IMDbKey is what of an IMDb id is compared, "" where id is none.
func IMDbKey(id string) string { return imdbNumber(id) }
