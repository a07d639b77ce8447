package cmd

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"xship/cmd/engine"
	"xship/config"
	"xship/sources"
	"xship/sources/link"
	"xship/sources/match"
	"xship/sources/text"
)

// titleOptions are the flags that, with the name, make a title.
type titleOptions struct {
	year    int
	imdb    string
	season  int
	episode int
	aliases []string
}

func (o *titleOptions) addFlags(flags *pflag.FlagSet) {
	decimalVar(flags, &o.year, "year", "y", "`YEAR` of the first release")
	flags.StringVar(&o.imdb, "imdb", "", "IMDb `ID` (tt...)")
	decimalVar(flags, &o.season, "season", "s", "season `NUMBER` of a series, 0 = specials")
	decimalVar(flags, &o.episode, "episode", "e", "`NUMBER` of an episode in its season")
	flags.StringArrayVar(&o.aliases, "alias", nil, "another `NAME` of the title; may be given more than once")
}

// asked is what a user asks for, as the words and flags of a command say it.
type asked struct {
	engine.Reading
	otherwise *engine.Reading // what the words may mean as well, nil: nothing
	note      string          // how the words are read, "" where they are nothing but a name
}

// request adds to a request for a scan what is asked for by words and by the flags of cmd.
// The user is told how the words are read, and where the other reading is asked for.
func (o *titleOptions) request(a *app, cmd *cobra.Command, words string, req *engine.ScanRequest) error {
	q, err := o.ask(cmd, words)
	if err != nil {
		return err
	}
	if q.note != "" {
		a.note("%s", q.note)
	}
	req.Title, req.OfSeason, req.Otherwise = q.Title, q.OfSeason, q.otherwise
	if q.otherwise != nil {
		req.Again = func() { a.note("%s", againNote(q)) }
	}
	return nil
}

// ask reads what is asked for by words and by the flags of cmd. What is wrong with it is
// a usage error. Which flags were given counts: 0 is a season like any other.
func (o *titleOptions) ask(cmd *cobra.Command, words string) (asked, error) {
	words = strings.TrimSpace(words)
	if err := o.check(cmd.Flags(), words); err != nil {
		return asked{}, err
	}
	typed := match.ReadTyped(words)
	read, untold, agree := o.withFlags(cmd.Flags(), typed)
	q := asked{Reading: o.reading(read)}
	switch err := q.Title.Validate(); { // first of all: a link is not quoted
	case errors.Is(err, sources.ErrLinkForTitle):
		return asked{}, linkForTitle()
	case err != nil:
		return asked{}, usagef("%s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	switch line := engine.TitleLine(commandName(cmd), q.Title, q.OfSeason); {
	case !agree:
		return asked{}, &usageError{msg: fmt.Sprintf("%q says otherwise than %s", words, o.given(cmd.Flags())), hint: "type " + line}
	case read.Season < 0 && typed.Episode < 0 && read.Episode >= 0:
		return asked{}, &usageError{msg: "--episode needs --season", hint: "type " + line}
	}
	q.otherwise = otherReading(words, q.Reading, typed.Season >= 0 && untold)
	if untold {
		q.note = fmt.Sprintf("%q is read as %s", words, readingName(q.Reading))
	}
	return q, nil
}

// check refuses flags and names that make no title, whatever the others are.
func (o *titleOptions) check(flags *pflag.FlagSet, name string) error {
	switch {
	case flags.Changed("year") && o.year == 0:
		return usagef("--year 0 is not between %d and %d", sources.MinYear, sources.MaxYear)
	case o.season < 0 || o.episode < 0:
		return usagef("season and episode must not be negative")
	}
	return o.checkName(flags, name)
}

// withFlags is what was typed for a title with what flags say. untold tells that the words
// say what no flag does, agree that they say nothing else than the flags.
func (o *titleOptions) withFlags(flags *pflag.FlagSet, typed match.Typed) (read match.Typed, untold, agree bool) {
	read, agree = typed, true
	for _, f := range []struct {
		name    string
		value   int
		inWords bool
		read    *int
	}{
		{"year", o.year, typed.Year != 0, &read.Year},
		{"season", o.season, typed.Season >= 0, &read.Season},
		{"episode", o.episode, typed.Episode >= 0, &read.Episode},
	} {
		if !flags.Changed(f.name) {
			untold = untold || f.inWords
			continue
		}
		agree = agree && (!f.inWords || *f.read == f.value)
		*f.read = f.value
	}
	return read, untold, agree
}

// given are the flags that say which year, season or episode is meant, as they were given.
func (o *titleOptions) given(flags *pflag.FlagSet) string {
	var given []string
	for _, name := range []string{"year", "season", "episode"} {
		if flags.Changed(name) {
			given = append(given, fmt.Sprintf("--%s %s", name, flags.Lookup(name).Value))
		}
	}
	return strings.Join(given, " ")
}

// reading is the title that was typed.
func (o *titleOptions) reading(read match.Typed) engine.Reading {
	r := engine.Reading{Title: sources.Title{Kind: sources.KindMovie, Name: read.Name, Year: read.Year, IMDb: o.imdb, Aliases: o.aliases}}
	switch {
	case read.Episode >= 0:
		r.Title.Kind, r.Title.Season, r.Title.Episode = sources.KindEpisode, read.EpisodeSeason(), read.Episode
	case read.Season >= 0:
		r.OfSeason = &read.Season
	}
	return r
}

// otherReading is what words may mean beside the first reading of them, nil for nothing:
// a year at their end may be of the title, and what says a season of its name, where
// seasonInWords tells that they do.
func otherReading(words string, first engine.Reading, seasonInWords bool) *engine.Reading {
	other := first
	if base, year := match.SplitBareYear(first.Title.Name); year != 0 && first.Title.Year == 0 {
		other.Title.Name, other.Title.Year = base, year
		return &other
	}
	if first.OfSeason == nil || !seasonInWords {
		return nil
	}
	other.OfSeason = nil
	other.Title.Name, _ = match.SplitYear(words)
	return &other
}

// readingName is a title in words, as far as a user has to know how it is read:
// `season 1, episode 2 of "Show" of 2014`.
func readingName(r engine.Reading) string {
	name := strconv.Quote(r.Title.Name)
	if r.Title.Year != 0 {
		name = fmt.Sprintf("%s of %d", name, r.Title.Year)
	}
	switch {
	case r.Title.Kind == sources.KindEpisode:
		return fmt.Sprintf("season %d, episode %d of %s", r.Title.Season, r.Title.Episode, name)
	case r.OfSeason != nil:
		return fmt.Sprintf("season %d of %s", *r.OfSeason, name)
	default:
		return name
	}
}

// againNote says that the first reading found nothing, and the other one is asked for.
func againNote(q asked) string {
	return fmt.Sprintf("nobody has %s: asking for %s", readingName(q.Reading), readingName(*q.otherwise))
}

// idBehind is a name with an IMDb id behind it, as lists have it.
var idBehind = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(.*\S)\s+[[(]?(tt[0-9]{7,10})[])]?$`)
})

// checkName refuses what is no name but an id, or what scripts write for none.
func (o *titleOptions) checkName(flags *pflag.FlagSet, name string) error {
	if sources.IsIMDbID(strings.ToLower(name)) {
		return &usageError{
			msg:  fmt.Sprintf("%q is an IMDb id, not the name of a title", name),
			hint: fmt.Sprintf("sites are asked by name: give it, and the id with --imdb %s", strings.ToLower(name)),
		}
	}
	if m := idBehind().FindStringSubmatch(name); m != nil {
		return &usageError{
			msg:  fmt.Sprintf("%q holds an IMDb id, which is no part of a name", text.Clean(name)),
			hint: fmt.Sprintf("give it as a flag: %s --imdb %s", commandLine([]string{text.Clean(m[1])}), strings.ToLower(m[2])),
		}
	}
	if sources.IsPlaceholder(name) && !flags.Changed("year") && !flags.Changed("imdb") && len(o.aliases) == 0 {
		return &usageError{
			msg:  fmt.Sprintf("%q is what a script writes where it has no name", name),
			hint: "if a title is called so, give its --year too",
		}
	}
	return nil
}

// linkForTitle is the usage error of a link in place of a title.
func linkForTitle() *usageError {
	return &usageError{
		msg:  sources.ErrLinkForTitle.Error(),
		hint: "name the film or the series; an IMDb id goes with it: --imdb tt0083658; xship play URL plays a link",
	}
}

// oneTitle accepts exactly one argument, a title.
func oneTitle(cmd *cobra.Command, args []string) error {
	if slices.ContainsFunc(args, link.InTitle) {
		return linkForTitle()
	}
	if len(args) > 1 {
		return &usageError{
			msg:  commandName(cmd) + " takes one title",
			hint: "put it in quotes: " + typed(cmd, "TITLE", strings.Join(args, " ")),
		}
	}
	return oneArg("a title")(cmd, args)
}

// settingFlags gives the values of those flags that were given and stand for a
// setting, by its key.
func settingFlags(flags *pflag.FlagSet, keys map[string]string) map[string]any {
	overrides := make(map[string]any)
	for name, key := range keys {
		if f := flags.Lookup(name); f.Changed {
			overrides[key] = f.Value.String()
		}
	}
	return overrides
}

// userFlag adds --user, whose default is XSHIP_USER, else user 1.
func (a *app) userFlag(flags *pflag.FlagSet) *string {
	return flags.String("user", "", "user `NUMBER` whose debrid accounts are used (default 1, or XSHIP_USER)")
}

// user reads the value of --user.
func (a *app) user(flag string) (int64, error) {
	name := "--user"
	if flag == "" {
		flag, name = config.Unquoted(a.getenv("XSHIP_USER")), "XSHIP_USER"
	}
	if flag == "" {
		return sources.DefaultUser, nil
	}
	n, err := strconv.ParseInt(strings.TrimSpace(flag), 10, 64)
	if err != nil || n < 1 {
		return 0, &usageError{msg: fmt.Sprintf("%s %q is no user", name, text.Clean(flag)), hint: "users are numbers from 1"}
	}
	return n, nil
}
