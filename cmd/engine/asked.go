package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"xship/sources"
	"xship/sources/match"
	"xship/sources/text"
)

// Reading is a way to read what a user asks for.
type Reading struct {
	Title    sources.Title
	OfSeason *int // see ScanRequest
}

// missed tells whether a scan found nothing of what was asked for.
func (s *Scan) missed() bool {
	all := s.Series()
	if s.OfSeason != nil {
		return !slices.ContainsFunc(all, func(series SeenSeries) bool { return series.Has(*s.OfSeason) })
	}
	return !s.Found() && len(all) == 0
}

// Asked is what was asked for, in words: "Show S01E02", "Show, season 2".
func (s *Scan) Asked() string {
	if s.OfSeason != nil {
		return fmt.Sprintf("%s, season %d", s.Title, *s.OfSeason)
	}
	return s.Title.String()
}

// ofSeason is what is left of series where a season was asked for: those that have it,
// with nothing else. Where none has, that is all of them.
func (s *Scan) ofSeason(all []SeenSeries) []SeenSeries {
	if s.OfSeason == nil {
		return all
	}
	var left []SeenSeries
	for _, series := range all {
		if series.Has(*s.OfSeason) {
			series.Seasons = slices.DeleteFunc(series.Seasons, func(seen SeenSeason) bool { return seen.Season != *s.OfSeason })
			left = append(left, series)
		}
	}
	if len(left) == 0 {
		return all
	}
	return left
}

// Has tells whether a season of the series is known.
func (s *SeenSeries) Has(season int) bool {
	return slices.ContainsFunc(s.Seasons, func(seen SeenSeason) bool { return seen.Season == season })
}

// Episode is the title of an episode of the series. Where a year was asked for, it is
// that of the series, which may be another one.
func (s *SeenSeries) Episode(season, episode int) sources.Title {
	t := s.Title
	if t.Year != 0 {
		t.Year = cmp.Or(s.Year, t.Year)
	}
	t.Kind, t.Season, t.Episode = sources.KindEpisode, season, episode
	return t
}

// FirstEpisode is the first episode that is known of the series, and where none is, the
// very first.
func (s *SeenSeries) FirstEpisode() sources.Title {
	for _, seen := range s.Seasons {
		if len(seen.Episodes) > 0 {
			return s.Episode(seen.Season, seen.Episodes[0])
		}
	}
	return s.Episode(1, 1)
}

// EpisodeOf is an episode of a series of the scan, for an example: the first one of the
// season that was asked for, and where nobody knows that, the first of all.
func (s *Scan) EpisodeOf(series SeenSeries) sources.Title {
	for _, seen := range series.Seasons {
		if s.Title.Kind == sources.KindEpisode && seen.Season == s.Title.Season && len(seen.Episodes) > 0 {
			return series.Episode(seen.Season, seen.Episodes[0])
		}
	}
	return series.FirstEpisode()
}

// Instead is what to ask for in place of what was asked for, where n was meant: of a
// series the same episode or season, if one was asked for.
func (s *Scan) Instead(n NearTitle) Reading {
	r := Reading{Title: n.Title}
	if n.Kind == sources.KindEpisode && r.Title.Kind == sources.KindMovie {
		r.OfSeason = s.OfSeason
	}
	return r
}

// TitleLine is the command line that asks for a title, for users to type: of a season of
// a series where ofSeason says so. Names come from the network: no shell finds anything in
// them to run.
func TitleLine(command string, t sources.Title, ofSeason *int) string {
	name := text.ShellQuote(text.Clean(t.Name))
	flags := ""
	switch {
	case t.Kind == sources.KindEpisode:
		flags = fmt.Sprintf(" -s %d -e %d", t.Season, t.Episode)
	case ofSeason != nil:
		flags = fmt.Sprintf(" -s %d", *ofSeason)
	}
	if t.Year != 0 {
		flags += fmt.Sprintf(" -y %d", t.Year)
	}
	if t.IMDb != "" {
		flags += " --imdb " + t.IMDb
	}
	if strings.HasPrefix(t.Name, "-") {
		return "xship " + command + flags + " -- " + name
	}
	return "xship " + command + " " + name + flags
}

// NameAndYear is a title as people tell it from others of its name: "Paper Boats (2014)".
func NameAndYear(name string, year int) string {
	if year == 0 {
		return text.Clean(name)
	}
	return fmt.Sprintf("%s (%d)", text.Clean(name), year)
}

// YearHint says how a year that stands at the end of the name is given, "" where none
// does, or it was asked for as such.
func (s *Scan) YearHint() string {
	base, year := match.SplitBareYear(s.Title.Name)
	if year == 0 || s.Title.Year != 0 || s.AskedAlso != nil {
		return ""
	}
	return fmt.Sprintf("where %d is the year, give it as %s", year, text.Quote(fmt.Sprintf("%s (%d)", base, year)))
}

// meantHint is what to type where a scan for command found nothing, but knows what may
// have been meant; "" where it does not.
func (s *Scan) meantHint(command string) string {
	if all := s.Series(); len(all) > 0 {
		return "ask for an episode: " + TitleLine(command, s.EpisodeOf(all[0]), nil)
	}
	return cmp.Or(strings.Join(s.DidYouMean(command), "\n"), s.YearHint())
}

// DidYouMean asks for each title that is near whether it was meant, with the line to type
// for it to command.
func (s *Scan) DidYouMean(command string) []string {
	var lines []string
	question := "did you mean"
	for _, n := range s.Near() {
		instead := s.Instead(n)
		lines = append(lines, fmt.Sprintf("%s %s? %s", question, NameAndYear(n.Name, n.Year), TitleLine(command, instead.Title, instead.OfSeason)))
		question = "or"
	}
	return lines
}
