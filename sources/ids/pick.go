package ids

import (
	"strings"

	"xship/sources"
	"xship/sources/match"
	"xship/sources/text"
)

// maxOthers bounds the other titles that a name may mean.
const maxOthers = 10

// query is a name as it is looked for, without its year in brackets.
func query(name string) string {
	base, _ := match.SplitYear(name)
	clean := []rune(text.Clean(base))
	return strings.TrimSpace(string(clean[:min(len(clean), maxQuery)]))
}

// pick gives the title that t means best, with the others that it may mean as well,
// nothing where it means none of them.
func pick(t sources.Title, found []sources.TitleFacts) sources.TitleFacts {
	best := match.None
	var fitting []sources.TitleFacts
	m := seriesMatcher(t)
	for _, f := range found {
		switch fit := fitOf(m, t, f); {
		case fit == match.None || fit < best || f.Kind != "" && f.Kind != t.Kind:
		case fit > best:
			best, fitting = fit, append(fitting[:0], f)
		default:
			fitting = append(fitting, f)
		}
	}
	if len(fitting) == 0 {
		return sources.TitleFacts{}
	}
	for i := range fitting {
		fitting[i].Kind = t.Kind
	}
	first := fitting[0]
	if rest := fitting[1:]; len(rest) > 0 {
		first.Others = rest[:min(len(rest), maxOthers)]
	}
	return first
}

// Sure tells whether f is the title that t means beyond a guess: the id was typed or
// chosen, or there is but one of that name and year.
func Sure(t sources.Title, f sources.TitleFacts) bool {
	if f.Exact {
		return true
	}
	return f.IMDb != "" && len(f.Others) == 0 && fitOf(seriesMatcher(t), t, f) == match.Exact
}

// seriesMatcher compares titles with t as the service lists them: a series as a whole.
func seriesMatcher(t sources.Title) *match.Matcher {
	t.IMDb = ""
	if t.Kind == sources.KindEpisode {
		t.Season, t.Episode = 1, 1
	}
	return match.For(t)
}

// fitOf compares f with t. A season of a series may be years younger than t; a whole
// series may not.
func fitOf(m *match.Matcher, t sources.Title, f sources.TitleFacts) match.Fit {
	if t.Year != 0 && f.Year != 0 && (f.Year > t.Year+1 || f.Year < t.Year-1) {
		return match.None
	}
	return m.Title(match.Candidate{Names: append([]string{f.Name, f.OriginalName}, f.Aliases...), Year: f.Year})
}
