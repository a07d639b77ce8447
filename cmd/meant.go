package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"xship/cmd/engine"
	"xship/cmd/term"
	"xship/sources"
	"xship/sources/text"
)

// scanMeant is scan, and goes on with what the user chooses where nothing was found but
// something may have been meant: with an episode of a series, or with a title of a name
// that is near.
func (a *app) scanMeant(ctx context.Context, e *engine.Engine, req engine.ScanRequest) (engine.Scan, error) {
	for {
		scan, err := a.scan(ctx, e, req)
		if err != nil {
			return scan, err
		}
		chosen, ok, err := a.chooseMeant(ctx, "scan", &scan)
		if err != nil || !ok {
			return scan, err
		}
		req.Title, req.OfSeason, req.Otherwise = chosen.Title, chosen.OfSeason, nil
	}
}

// playMeant is collectPlay, and goes on with what the user chooses as scanMeant does.
func (a *app) playMeant(ctx context.Context, o playOptions) (engine.Played, error) {
	e, err := a.openEngine(ctx, o.overrides)
	if err != nil {
		return engine.Played{}, err
	}
	for {
		played, err := a.collectPlay(ctx, e, o)
		nothing, ok := errors.AsType[*engine.NothingPlayableError](err)
		if !ok || nothing.Meant == nil {
			a.notes(otherSeriesNotes("play", played.Series))
			return played, err
		}
		chosen, ok, askErr := a.chooseMeant(ctx, "play", nothing.Meant)
		if askErr != nil {
			return played, askErr
		}
		if !ok { // what to type is the hint of the error
			a.notes(seriesNotes(nothing.Meant.Series(), nothing.Meant))
			return played, err
		}
		o.request.Title, o.request.OfSeason, o.request.Otherwise = chosen.Title, chosen.OfSeason, nil
	}
}

// notes tells the user something in lines.
func (a *app) notes(lines []string) {
	for _, line := range lines {
		a.note("%s", line)
	}
}

// asks tells whether the user is asked what was meant: where somebody is there, and
// wants to read more than the result.
func (a *app) asks() bool { return a.prompts() && !a.flags.quiet && !a.asJSON() }

// chooseMeant asks the user what was meant by a title of which a scan for command found
// nothing, where there is anything to choose from, and tells how to ask for that at once.
// Esc makes no choice.
func (a *app) chooseMeant(ctx context.Context, command string, scan *engine.Scan) (chosen engine.Reading, ok bool, err error) {
	if !a.asks() || scan.Found() {
		return chosen, false, nil
	}
	if series := withEpisodes(scan.Series()); len(series) > 0 {
		chosen.Title, err = a.chooseEpisode(ctx, series, scan.OfSeason)
	} else if near := scan.Near(); len(near) > 0 {
		chosen, err = a.chooseNear(ctx, scan, near)
	} else {
		return chosen, false, nil
	}
	switch {
	case errors.Is(err, term.ErrNoAnswer):
		return chosen, false, nil
	case err != nil:
		return chosen, false, err
	}
	a.note("next time: %s", engine.TitleLine(command, chosen.Title, chosen.OfSeason))
	return chosen, true, nil
}

// withEpisodes are those series of which episodes are known.
func withEpisodes(all []engine.SeenSeries) []engine.SeenSeries {
	return slices.DeleteFunc(slices.Clone(all), func(s engine.SeenSeries) bool { return len(s.Seasons) == 0 })
}

// chooseNear asks which of the titles is meant that are near what was asked for, or none
// of them.
func (a *app) chooseNear(ctx context.Context, scan *engine.Scan, near []engine.NearTitle) (engine.Reading, error) {
	i, err := a.askIndex(ctx, nearChoice(a.messages(), scan.Title, near))
	switch {
	case err != nil:
		return engine.Reading{}, err
	case i == len(near):
		return engine.Reading{}, term.ErrNoAnswer
	}
	return scan.Instead(near[i]), nil
}

// askIndex asks which option of a choice it is, whose values are their indexes.
func (a *app) askIndex(ctx context.Context, c term.Choice) (int, error) {
	answer, err := a.dialog().Ask(ctx, c)
	if err != nil {
		return -1, err
	}
	return strconv.Atoi(answer)
}

// indexed is a choice between texts, whose values are their indexes. Who enters nothing
// has the one at index standard.
func indexed(m failoverMessages, title string, standard int, texts []string) term.Choice {
	c := term.Choice{Title: title, Default: strconv.Itoa(standard), Words: m.words()}
	for i, t := range texts {
		c.Options = append(c.Options, term.Option{Text: t, Value: strconv.Itoa(i)})
	}
	return c
}

// nearChoice asks which of the titles near t is meant; the last answer is none.
func nearChoice(m failoverMessages, t sources.Title, near []engine.NearTitle) term.Choice {
	texts := make([]string, 0, len(near)+1)
	for _, n := range near {
		texts = append(texts, fmt.Sprintf("%s, %s", engine.NameAndYear(n.Name, n.Year), m.kind(n.Kind)))
	}
	c := indexed(m, m.didYouMean, len(near), append(texts, m.none))
	c.Why = fmt.Sprintf(m.nobodyHas, text.Clean(t.String()))
	return c
}

// chooseEpisode asks for an episode of one of the series: for the series, its season and
// the episode, each where there are several.
func (a *app) chooseEpisode(ctx context.Context, all []engine.SeenSeries, ofSeason *int) (sources.Title, error) {
	m := a.messages()
	series, err := choose(ctx, a, all, func() term.Choice { return seriesChoice(m, all) })
	if err != nil {
		return sources.Title{}, err
	}
	seasons := slices.DeleteFunc(slices.Clone(series.Seasons), func(s engine.SeenSeason) bool {
		return len(s.Episodes) == 0 || ofSeason != nil && series.Has(*ofSeason) && s.Season != *ofSeason
	})
	if len(seasons) == 0 {
		return sources.Title{}, term.ErrNoAnswer
	}
	season, err := choose(ctx, a, seasons, func() term.Choice { return seasonChoice(m, series, seasons) })
	if err != nil {
		return sources.Title{}, err
	}
	episode, err := choose(ctx, a, season.Episodes, func() term.Choice { return episodeChoice(m, series, season) })
	return series.Episode(season.Season, episode), err
}

// choose asks for one of all, unless there is only one.
func choose[T any](ctx context.Context, a *app, all []T, question func() term.Choice) (T, error) {
	if len(all) == 1 {
		return all[0], nil
	}
	i, err := a.askIndex(ctx, question())
	if err != nil {
		var none T
		return none, err
	}
	return all[i], nil
}

// seriesChoice asks which of several series of one name is meant.
func seriesChoice(m failoverMessages, all []engine.SeenSeries) term.Choice {
	texts := make([]string, 0, len(all))
	for _, s := range all {
		texts = append(texts, engine.NameAndYear(s.Name, s.Year)+sitesInBrackets(s.Sites))
	}
	return indexed(m, m.whichTitle, 0, texts)
}

// seasonChoice asks for a season of a series.
func seasonChoice(m failoverMessages, series engine.SeenSeries, seasons []engine.SeenSeason) term.Choice {
	texts := make([]string, 0, len(seasons))
	for _, s := range seasons {
		texts = append(texts, fmt.Sprintf(m.seasonHas, m.seasonName(s.Season), ranges(s.Episodes))+sitesInBrackets(s.Sites))
	}
	c := indexed(m, m.whichSeason, 0, texts)
	c.Why = engine.NameAndYear(series.Name, series.Year)
	return c
}

// episodeChoice asks for an episode of a season.
func episodeChoice(m failoverMessages, series engine.SeenSeries, season engine.SeenSeason) term.Choice {
	texts := make([]string, 0, len(season.Episodes))
	for _, n := range season.Episodes {
		texts = append(texts, fmt.Sprintf(m.episode, n))
	}
	c := indexed(m, m.whichEpisode, 0, texts)
	c.Why = fmt.Sprintf("%s, %s", engine.NameAndYear(series.Name, series.Year), m.seasonName(season.Season))
	return c
}

// The most that is told of what may have been meant: -o json has all.
const (
	toldSeries  = 3
	toldSeasons = 12
	toldSites   = 3
)

// meantNotes say what a scan for command that found nothing knows of what may have been
// meant, and what to type for it.
func meantNotes(command string, scan *engine.Scan) []string {
	if all := scan.Series(); len(all) > 0 {
		lines := seriesNotes(all, scan)
		for _, s := range all[:min(len(all), toldSeries)] {
			lines = append(lines, episodeLine(command, s, scan.OfSeason))
		}
		return lines
	}
	var lines []string
	for _, n := range scan.Near() {
		question := "did you mean"
		if len(lines) > 0 {
			question = "or"
		}
		instead := scan.Instead(n)
		lines = append(lines, fmt.Sprintf("%s %s? %s", question, engine.NameAndYear(n.Name, n.Year), engine.TitleLine(command, instead.Title, instead.OfSeason)))
	}
	return lines
}

// episodeLine says what to type for an episode of a series.
func episodeLine(command string, s engine.SeenSeries, ofSeason *int) string {
	return "for an episode of it: " + engine.TitleLine(command, s.FirstEpisode(ofSeason), nil)
}

// otherSeriesNotes tell of series that have the name of a film that was found.
func otherSeriesNotes(command string, all []engine.SeenSeries) []string {
	var lines []string
	for _, s := range all[:min(len(all), toldSeries)] {
		lines = append(lines, fmt.Sprintf("%s is a series, too; %s", engine.NameAndYear(s.Name, s.Year), episodeLine(command, s, nil)))
	}
	return lines
}

// seriesNotes are an overview of series, a line each season, of which a scan found nothing
// else.
func seriesNotes(all []engine.SeenSeries, scan *engine.Scan) []string {
	var lines []string
	for _, s := range all[:min(len(all), toldSeries)] {
		name, ofSeason := engine.NameAndYear(s.Name, s.Year), scan.OfSeason
		switch {
		case ofSeason != nil && len(s.Seasons) > 0 && !s.Has(*ofSeason):
			name, ofSeason = fmt.Sprintf("nobody has season %d of %s", *ofSeason, name), nil
		case scan.Title.Kind == sources.KindMovie:
			name += " is a series"
		}
		lines = append(append(lines, name+":"), seasonLines(s, ofSeason)...)
	}
	if n := len(all) - toldSeries; n > 0 {
		lines = append(lines, fmt.Sprintf("and %d more series of this name; xship search lists them", n))
	}
	return lines
}

// seasonLines are the seasons of a series, a line each: "  season 1: episodes 1-12 (site)".
// Where one was asked for and is there, it is the only one.
func seasonLines(s engine.SeenSeries, ofSeason *int) []string {
	if len(s.Seasons) == 0 {
		return []string{"  no site tells its episodes" + sitesInBrackets(s.Sites)}
	}
	var lines []string
	for i, season := range s.Seasons {
		switch {
		case ofSeason != nil && season.Season != *ofSeason:
			continue
		case len(lines) == toldSeasons:
			return append(lines, fmt.Sprintf("  and %s more; -o json has them all", text.Plural(len(s.Seasons)-i, "season")))
		}
		name := fmt.Sprintf("season %d", season.Season)
		if season.Season == 0 {
			name = "specials"
		}
		episodes := "episode"
		if len(season.Episodes) != 1 {
			episodes = "episodes"
		}
		lines = append(lines, fmt.Sprintf("  %s: %s %s%s", name, episodes, ranges(season.Episodes), sitesInBrackets(season.Sites)))
	}
	return lines
}

// ranges are numbers, which are sorted, with runs of them as one: "1-12, 14".
func ranges(numbers []int) string {
	var parts []string
	for i := 0; i < len(numbers); {
		last := i
		for last+1 < len(numbers) && numbers[last+1] == numbers[last]+1 {
			last++
		}
		part := strconv.Itoa(numbers[i])
		if last > i {
			part += "-" + strconv.Itoa(numbers[last])
		}
		parts = append(parts, part)
		i = last + 1
	}
	return strings.Join(parts, ", ")
}

// sitesInBrackets names the first of some sites behind what they have.
func sitesInBrackets(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return " (" + someNames(names) + ")"
}

// someNames are the first of some names, and how many more there are.
func someNames(names []string) string {
	shown := make([]string, 0, toldSites)
	for _, name := range names[:min(len(names), toldSites)] {
		shown = append(shown, text.Clean(name))
	}
	more := ""
	if n := len(names) - len(shown); n > 0 {
		more = fmt.Sprintf(" +%d", n)
	}
	return strings.Join(shown, ", ") + more
}
