package cmd

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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
	flags.IntVar(&o.year, "year", 0, "`YEAR` of the first release")
	flags.StringVar(&o.imdb, "imdb", "", "IMDb `ID` (tt...)")
	flags.IntVar(&o.season, "season", 0, "season `NUMBER` of an episode, 0 = specials")
	flags.IntVar(&o.episode, "episode", 0, "`NUMBER` of an episode in its season")
	flags.StringArrayVar(&o.aliases, "alias", nil, "another `NAME` of the title; may be given more than once")
}

// title makes the title called name. What is wrong with it is a usage error. Which
// flags were given counts: 0 is a season like any other. A note tells where more than
// the name was read from name.
func (o *titleOptions) title(a *app, flags *pflag.FlagSet, name string) (sources.Title, error) {
	const hint = "for an episode give both: --season 1 --episode 2"
	hasSeason, hasEpisode := flags.Changed("season"), flags.Changed("episode")
	switch {
	case hasEpisode && !hasSeason:
		return sources.Title{}, &usageError{msg: "--episode needs --season", hint: hint}
	case hasSeason && !hasEpisode:
		return sources.Title{}, &usageError{msg: "--season needs --episode", hint: hint}
	case flags.Changed("year") && o.year == 0:
		return sources.Title{}, usagef("--year 0 is not between %d and %d", sources.MinYear, sources.MaxYear)
	}
	t := sources.Title{Kind: sources.KindMovie, Name: strings.TrimSpace(name), Year: o.year, IMDb: o.imdb, Aliases: o.aliases}
	if err := o.checkName(flags, t.Name); err != nil {
		return sources.Title{}, err
	}
	if hasSeason {
		t.Kind, t.Season, t.Episode = sources.KindEpisode, o.season, o.episode
	}
	if err := readEpisode(a, &t, hasSeason); err != nil {
		return sources.Title{}, err
	}
	switch err := t.Validate(); {
	case errors.Is(err, sources.ErrLinkForTitle):
		return sources.Title{}, linkForTitle()
	case err != nil:
		return sources.Title{}, usagef("%s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return t, nil
}

// checkName refuses what is no name but an id, or what scripts write for none.
func (o *titleOptions) checkName(flags *pflag.FlagSet, name string) error {
	if sources.IsIMDbID(strings.ToLower(name)) {
		return &usageError{
			msg:  fmt.Sprintf("%q is an IMDb id, not the name of a title", name),
			hint: fmt.Sprintf("sites are asked by name: give it, and the id with --imdb %s", strings.ToLower(name)),
		}
	}
	switch strings.ToLower(name) {
	case "none", "null", "nil", "nan", "undefined", "[object object]":
		if !flags.Changed("year") && !flags.Changed("imdb") && len(o.aliases) == 0 {
			return &usageError{
				msg:  fmt.Sprintf("%q is what a script writes where it has no name", name),
				hint: "if a title is called so, give its --year too",
			}
		}
	}
	return nil
}

// readEpisode takes the mark of an episode off the name of t, as in "Show S01E05". Flags
// that say another one are an error.
func readEpisode(a *app, t *sources.Title, flagged bool) error {
	base, r, ok := match.SplitEpisode(t.Name)
	if !ok || r.First != r.Last || r.Season < 0 && !strings.ContainsAny(t.Name, "第제") {
		return nil
	}
	season := r.Season
	if season < 0 {
		season = 1
		if _, n, ok := match.SplitSeason(base); ok {
			season = n
		}
	}
	switch {
	case !flagged:
		a.note("%q is read as season %d, episode %d of %q", t.Name, season, r.First, base)
	case r.Season >= 0 && season != t.Season, r.First != t.Episode:
		return &usageError{
			msg:  fmt.Sprintf("%q names another episode than --season %d --episode %d", t.Name, t.Season, t.Episode),
			hint: fmt.Sprintf("give the name alone: %q", base),
		}
	default:
		season = t.Season
	}
	t.Kind, t.Name, t.Season, t.Episode = sources.KindEpisode, base, season, r.First
	return nil
}

// linkForTitle is the usage error of a link in place of a title.
func linkForTitle() *usageError {
	return &usageError{
		msg:  sources.ErrLinkForTitle.Error(),
		hint: "name the film or the series; an IMDb id goes with it: --imdb tt0083658",
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
			hint: fmt.Sprintf("put it in quotes: %s %q", cmd.CommandPath(), strings.Join(args, " ")),
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
