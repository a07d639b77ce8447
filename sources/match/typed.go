package match

import (
	"regexp"
	"strings"
	"sync"

	"xship/sources/text"
)

// Typed is a title as somebody typed it, read.
type Typed struct {
	Name    string // without what is read beside it
	Year    int    // that stands in brackets, 0 where none does
	Season  int    // -1 where none is named
	Episode int    // -1 where none is named
}

// EpisodeSeason is the season that an episode is of: the first one where none is named.
func (t Typed) EpisodeSeason() int {
	if t.Season < 0 {
		return 1
	}
	return t.Season
}

// ReadTyped reads what people type beside the name of a title: a year in brackets, an
// episode ("S01E02", "1x02", "第2季第3集"), a season ("S02", "Season 2", "第二季"). What
// says a season in words may be of the name all the same ("Open Season 2"), and so may a
// year that stands there without brackets, which SplitBareYear reads. A number alone is
// of the name, an episode without a season is one only where it is marked as in "第3集".
func ReadTyped(name string) Typed {
	t := Typed{Name: strings.TrimSpace(name), Season: -1, Episode: -1}
	t.takeYear()
	if t.takeEpisode(); t.Episode < 0 {
		t.takeSeason()
	}
	t.takeYear() // "Show (2014) S01E02"
	return t
}

// take has base in place of the name, where it is one.
func (t *Typed) take(base string) bool {
	base = strings.TrimSpace(base)
	if text.NormalizeName(base) == "" {
		return false
	}
	t.Name = base
	return true
}

// takeYear takes a year in brackets off the end of the name, and words of quality that
// stand behind it.
func (t *Typed) takeYear() {
	if t.Year != 0 {
		return
	}
	name := t.Name
	if open := strings.LastIndexAny(name, openBrackets); open > 0 {
		if end := strings.IndexAny(name[open:], closeBrackets); end >= 0 {
			end += open + len(firstRune(name[open+end:]))
			if behind := strings.TrimSpace(name[end:]); behind != "" && IsTag(behind) {
				name = name[:end]
			}
		}
	}
	_, year := SplitYear(name)
	if year == 0 {
		return
	}
	if open := strings.LastIndexAny(name, openBrackets); open > 0 && t.take(name[:open]) {
		t.Year = year
	}
}

const openBrackets, closeBrackets = "([（［【", ")]）］】"

func firstRune(s string) string {
	for _, r := range s {
		return string(r)
	}
	return ""
}

// episodeTitled is a name in which the title of an episode stands behind its mark.
var episodeTitled = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(.+?)[ .–-]*\b(S[0-9]{1,2} ?E[0-9]{1,4}|[0-9]{1,2}x[0-9]{2,3}) +[-–] +\S`)
})

// takeEpisode takes the mark of an episode off the end of the name, and words of quality
// or the title of the episode that stand behind it.
func (t *Typed) takeEpisode() {
	base, r, ok := SplitEpisode(t.Name)
	if !ok {
		if m := episodeTitled().FindStringSubmatch(t.Name); m != nil {
			base, r, ok = SplitEpisode(m[1] + " " + m[2])
		}
	}
	// An episode without a season may be of the name: "Star Wars Episode 4".
	if !ok || r.First != r.Last || r.Season < 0 && !strings.ContainsAny(t.Name, "第제") {
		return
	}
	season := r.Season
	if named, n, ok := SplitSeason(base); ok && season < 0 && named != "" {
		base, season = named, n
	}
	if t.take(withInitials(base, t.Name)) {
		t.Season, t.Episode = season, r.First
	}
}

// takeSeason takes the mark of a season off the end of the name.
func (t *Typed) takeSeason() {
	base, season, ok := SplitSeason(t.Name)
	// "Show Specials" is a name, as far as anybody can tell.
	if !ok || season == 0 && !strings.ContainsAny(t.Name, "0０") {
		return
	}
	if t.take(withInitials(base, t.Name)) {
		t.Season = season
	}
}

// withInitials is base, which name starts with, with the stop of its last initial:
// "S.W.A.T." of "S.W.A.T. S01E01".
func withInitials(base, name string) string {
	if n := len(base); n > 2 && base[n-2] == '.' && strings.HasPrefix(name, base+". ") {
		return base + "."
	}
	return base
}

// bareYear is a name that ends in a year, which may be one of the film.
var bareYear = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(.*[^\s,:;._–-])[\s,:;._–-]+((?:19|20)[0-9]{2})$`)
})

// SplitBareYear takes a year without brackets off the end of a name: "Some Film 2020" is
// "Some Film", 2020. It may be of the name all the same, as in "Blade Runner 2049".
// Without one base is name and the year 0.
func SplitBareYear(name string) (base string, year int) {
	if len(name) > maxName {
		return name, 0
	}
	m := bareYear().FindStringSubmatch(strings.TrimSpace(name))
	if m == nil || text.NormalizeName(m[1]) == "" {
		return name, 0
	}
	year, _ = leadingYear(m[2])
	return m[1], year
}
