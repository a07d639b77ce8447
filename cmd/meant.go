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
// that is near. Then it tells how to ask for that at once.
func (a *app) scanMeant(ctx context.Context, e *engine.Engine, req engine.ScanRequest) (engine.Scan, error) {
	next := func(engine.Reading) {}
	for {
		scan, err := a.scan(ctx, e, req)
		if err != nil {
			return scan, err
		}
		chosen, ok, err := a.chooseMeant(ctx, &scan)
		if err != nil || !ok {
			next(engine.Reading{Title: req.Title, OfSeason: req.OfSeason})
			return scan, err
		}
		req = req.GoOn(&scan, chosen)
		next = a.nextTime("scan")
	}
}

// playMeant is collectPlay, and goes on with what the user chooses as scanMeant does.
func (a *app) playMeant(ctx context.Context, e *engine.Engine, o playOptions) (engine.Played, error) {
	next := func(engine.Reading) {}
	for {
		played, err := a.collectPlay(ctx, e, o)
		nothing, ok := errors.AsType[*engine.NothingPlayableError](err)
		var chosen engine.Reading
		var askErr error
		if ok = ok && nothing.Meant != nil; ok {
			chosen, ok, askErr = a.chooseMeant(ctx, nothing.Meant)
		}
		if askErr != nil {
			return played, askErr
		}
		if !ok {
			next(engine.Reading{Title: o.request.Title, OfSeason: o.request.OfSeason})
			a.notes(playNotes(played, nothing))
			return played, err
		}
		o.request.ScanRequest = o.request.GoOn(nothing.Meant, chosen)
		next = a.nextTime("play")
	}
}

// nextTime tells what to type for what was chosen.
func (a *app) nextTime(command string) func(engine.Reading) {
	return func(chosen engine.Reading) {
		a.note("next time: %s", engine.TitleLine(command, chosen.Title, chosen.OfSeason))
	}
}

// playNotes are the series of the name of what played, and those of a name of which
// nothing does: what to type is the hint of the error then. nothing may be nil.
func playNotes(played engine.Played, nothing *engine.NothingPlayableError) []string {
	if nothing == nil || nothing.Meant == nil {
		return otherSeriesNotes("play", played.Series)
	}
	return seriesNotes(nothing.Meant.Series(), nothing.Meant)
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

// chooseMeant asks the user what was meant by a title of which a scan found nothing, where
// there is anything to choose from. Esc makes no choice.
func (a *app) chooseMeant(ctx context.Context, scan *engine.Scan) (chosen engine.Reading, ok bool, err error) {
	if !a.asks() || scan.Found() {
		return chosen, false, nil
	}
	if series := withEpisodes(scan.Series()); len(series) > 0 {
		chosen.Title, err = a.chooseEpisode(ctx, series)
	} else if near := scan.Near(); len(near) > 0 {
		chosen, err = a.chooseNear(ctx, scan, near)
	} else {
		return chosen, false, nil
	}
	if errors.Is(err, term.ErrNoAnswer) {
		return chosen, false, nil
	}
	return chosen, err == nil, err
}

// withEpisodes are those series of which episodes are known.
func withEpisodes(all []engine.SeenSeries) []engine.SeenSeries {
	return slices.DeleteFunc(slices.Clone(all), func(s engine.SeenSeries) bool { return len(s.Seasons) == 0 })
}

// chooseNear asks which of the titles is meant that are near what was asked for, or none
// of them.
func (a *app) chooseNear(ctx context.Context, scan *engine.Scan, near []engine.NearTitle) (engine.Reading, error) {
	n, err := choose(ctx, a, near, nearChoice(a.messages(), scan.Asked(), near))
	if err != nil {
		return engine.Reading{}, err
	}
	return scan.Instead(n), nil
}

// chooseEpisode asks for an episode of one of the series: for the series, its season and
// the episode, each where there are several.
func (a *app) chooseEpisode(ctx context.Context, all []engine.SeenSeries) (sources.Title, error) {
	m := a.messages()
	series, err := chooseUnlessOne(ctx, a, all, seriesChoice(m, all))
	if err != nil {
		return sources.Title{}, err
	}
	season, err := chooseUnlessOne(ctx, a, series.Seasons, seasonChoice(m, series))
	if err != nil {
		return sources.Title{}, err
	}
	episode, err := chooseUnlessOne(ctx, a, season.Episodes, episodeChoice(m, series, season))
	return series.Episode(season.Season, episode), err
}

func chooseUnlessOne[T any](ctx context.Context, a *app, all []T, c term.Choice) (T, error) {
	if len(all) == 1 {
		return all[0], nil
	}
	return choose(ctx, a, all, c)
}

// choose asks for one of all by a choice that indexed made of them. The last answer is
// none.
func choose[T any](ctx context.Context, a *app, all []T, c term.Choice) (one T, err error) {
	answer, err := a.dialog().Ask(ctx, c)
	if err != nil {
		return one, err
	}
	i, err := strconv.Atoi(answer)
	if err == nil && i == len(all) {
		err = term.ErrNoAnswer
	}
	if err != nil {
		return one, err
	}
	return all[i], nil
}

// indexed is a choice between texts, whose values are their indexes, and none, which is
// what stands where nothing is entered.
func indexed(m messages, title, why string, texts []string, none string) term.Choice {
	c := term.Choice{Title: title, Why: why, Default: strconv.Itoa(len(texts)), Words: m.words()}
	for i, t := range append(texts, none) {
		c.Options = append(c.Options, term.Option{Text: t, Value: strconv.Itoa(i)})
	}
	return c
}

// nearChoice asks which of the titles near what was asked for is meant.
func nearChoice(m messages, asked string, near []engine.NearTitle) term.Choice {
	texts := make([]string, 0, len(near))
	for _, n := range near {
		texts = append(texts, fmt.Sprintf("%s, %s", engine.NameAndYear(n.Name, n.Year), m.kind(n.Kind)))
	}
	return indexed(m, m.didYouMean, fmt.Sprintf(m.nobodyHas, text.Clean(asked)), texts, m.none)
}

// seriesChoice asks which of several series of one name is meant.
func seriesChoice(m messages, all []engine.SeenSeries) term.Choice {
	texts := make([]string, 0, len(all))
	for _, s := range all {
		texts = append(texts, engine.NameAndYear(s.Name, s.Year)+sitesInBrackets(s.Sites))
	}
	return indexed(m, m.whichTitle, "", texts, m.cancel)
}

// seasonChoice asks for a season of a series.
func seasonChoice(m messages, series engine.SeenSeries) term.Choice {
	texts := make([]string, 0, len(series.Seasons))
	for _, s := range series.Seasons {
		has := m.seasonHas
		if len(s.Episodes) == 1 {
			has = m.seasonHasOne
		}
		texts = append(texts, fmt.Sprintf(has, m.seasonName(s.Season), ranges(s.Episodes))+sitesInBrackets(s.Sites))
	}
	return indexed(m, m.whichSeason, engine.NameAndYear(series.Name, series.Year), texts, m.cancel)
}

// episodeChoice asks for an episode of a season.
func episodeChoice(m messages, series engine.SeenSeries, season engine.SeenSeason) term.Choice {
	texts := make([]string, 0, len(season.Episodes))
	for _, n := range season.Episodes {
		texts = append(texts, fmt.Sprintf(m.episode, n))
	}
	why := fmt.Sprintf("%s, %s", engine.NameAndYear(series.Name, series.Year), m.seasonName(season.Season))
	return indexed(m, m.whichEpisode, why, texts, m.cancel)
}

// The most that is told of what may have been meant: -o json has all.
const (
	toldSeries  = 3
	toldSeasons = 12
	toldSites   = 3
	toldRanges  = 12 // of episodes
)

// meantNotes say what a scan for command that found nothing knows of what may have been
// meant, and what to type for it.
func meantNotes(command string, scan *engine.Scan) []string {
	all := scan.Series()
	if len(all) == 0 {
		return scan.DidYouMean(command)
	}
	lines := seriesNotes(all, scan)
	for _, s := range all[:min(len(all), toldSeries)] {
		lines = append(lines, episodeLine(command, scan.EpisodeOf(s)))
	}
	return lines
}

// episodeLine says what to type for an episode of a series, such as this one.
func episodeLine(command string, episode sources.Title) string {
	return "for an episode of it: " + engine.TitleLine(command, episode, nil)
}

// otherSeriesNotes tell of series that have the name of a film that was found.
func otherSeriesNotes(command string, all []engine.SeenSeries) []string {
	var lines []string
	for _, s := range all[:min(len(all), toldSeries)] {
		lines = append(lines, fmt.Sprintf("%s is a series, too; %s", engine.NameAndYear(s.Name, s.Year), episodeLine(command, s.FirstEpisode())))
	}
	return lines
}

// seriesNotes are an overview of series, a line each season, of which a scan found nothing
// else.
func seriesNotes(all []engine.SeenSeries, scan *engine.Scan) []string {
	var lines []string
	for _, s := range all[:min(len(all), toldSeries)] {
		name := engine.NameAndYear(s.Name, s.Year)
		switch n := scan.OfSeason; {
		case n != nil && len(s.Seasons) > 0 && !s.Has(*n):
			name = fmt.Sprintf("nobody has season %d of %s, but", *n, name)
		case scan.Title.Kind == sources.KindMovie:
			name += " is a series"
		}
		lines = append(append(lines, name+":"), seasonLines(s)...)
	}
	if n := len(all) - toldSeries; n > 0 {
		lines = append(lines, fmt.Sprintf("and %d more series of this name; xship search lists them", n))
	}
	return lines
}

// seasonLines are the seasons of a series, a line each: "  season 1: episodes 1-12 (site)".
func seasonLines(s engine.SeenSeries) []string {
	if len(s.Seasons) == 0 {
		return []string{"  no site tells its episodes" + sitesInBrackets(s.Sites)}
	}
	var lines []string
	for i, season := range s.Seasons {
		if len(lines) == toldSeasons {
			return append(lines, fmt.Sprintf("  and %s more; -o json has them all", text.Plural(len(s.Seasons)-i, "season")))
		}
		name := fmt.Sprintf("season %d", season.Season)
		if season.Season == 0 {
			name = "specials"
		}
		lines = append(lines, fmt.Sprintf("  %s: %s %s%s", name, oneOrMore(len(season.Episodes), "episode", "episodes"), ranges(season.Episodes), sitesInBrackets(season.Sites)))
	}
	return lines
}

// ranges are numbers, which are sorted, with runs of them as one: "1-12, 14".
func ranges(numbers []int) string {
	var parts []string
	for i := 0; i < len(numbers); {
		if len(parts) == toldRanges {
			parts = append(parts, "…")
			break
		}
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
	return " (" + someNames(names, toldSites) + ")"
}
