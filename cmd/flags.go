package cmd

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"xship/sources"
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
// flags were given counts: 0 is a season like any other.
func (o *titleOptions) title(flags *pflag.FlagSet, name string) (sources.Title, error) {
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
	if hasSeason {
		t.Kind, t.Season, t.Episode = sources.KindEpisode, o.season, o.episode
	}
	if err := t.Validate(); err != nil {
		return sources.Title{}, usagef("%s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return t, nil
}

// oneTitle accepts exactly one argument, a title.
func oneTitle(cmd *cobra.Command, args []string) error {
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
		flag, name = a.getenv("XSHIP_USER"), "XSHIP_USER"
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
