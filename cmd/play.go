package cmd

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"xship/cmd/api"
	"xship/cmd/engine"
	"xship/sources"
	"xship/sources/link"
	"xship/sources/text"
)

// The output formats of xship play.
const (
	outputURL  = "url"
	outputKodi = "kodi"
)

// playOptions are what the flags of xship play mean.
type playOptions struct {
	request   engine.PlayRequest
	player    string
	showURLs  bool
	overrides map[string]any // settings that flags gave, by key
}

// newPlayCmd is xship play; run gets what its flags mean.
func newPlayCmd(a *app, run func(context.Context, *app, playOptions) error) *cobra.Command {
	var o playOptions
	var title titleOptions
	var user *string
	cmd := &cobra.Command{
		Use:   "play TITLE",
		Short: "Print a stream of a film or an episode that plays",
		Long: `Scan for a title, as xship scan does, and resolve the first source of the list
to a stream. A source that does not work is told on stderr, and the next one
below it is tried. Where no source works, the exit code is 3.

A player of --exec that fails makes the exit code 1, whatever its own is, which
the message tells. Headers that a stream wants are given to mpv only, in a file
that other users cannot read.

The output formats are url (the default), kodi (the URL with the headers behind
it) and json. What lies on a server of your own that wants a login plays with kodi,
json and --exec mpv: these hold the login of that server, so keep them to yourself.

Playing an episode puts the next one on the watchlist
(setting precache.next_episode).`,
		Example: `  mpv "$(xship play "Big Buck Bunny")"
  xship play "Big Buck Bunny" --exec mpv
  xship play "Some Series" -s 2 -e 1 --pick 3 -o kodi`,
		Args:              oneTitle,
		ValidArgsFunction: cobra.NoFileCompletions,
		Annotations:       map[string]string{outputsAnnotation: strings.Join([]string{outputURL, outputKodi, outputJSON}, ",")},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case cmd.Flags().Changed("pick") && o.request.Pick < 1:
				return &usageError{msg: fmt.Sprintf("--pick %d is no row", o.request.Pick), hint: "rows count from 1"}
			case o.request.Pick > 0 && o.request.Source != "":
				return usagef("play takes --pick or --source, not both")
			case cmd.Flags().Changed("source") && strings.TrimSpace(o.request.Source) == "":
				return &usageError{msg: "--source needs the id of a source", hint: "xship scan -o tsv shows the ids"}
			case cmd.Flags().Changed("exec") && strings.TrimSpace(o.player) == "":
				return usagef("--exec needs the command of a player")
			case o.player != "" && a.flags.output != "":
				return usagef("play takes --exec or --output, not both")
			}
			var err error
			if o.request.User, err = a.user(*user); err != nil {
				return err
			}
			asked, err := title.ask(cmd, args[0])
			if err != nil {
				return err
			}
			asked.request(a, &o.request.ScanRequest)
			o.overrides = settingFlags(cmd.Flags(), map[string]string{"quality": "scan.quality", "timeout": "scan.timeout"})
			return run(cmd.Context(), a, o)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	title.addFlags(flags)
	flags.IntVar(&o.request.Pick, "pick", 0, "begin with row `N` of the list")
	flags.StringVar(&o.request.Source, "source", "", "begin with the source that has this `ID`, listed or not")
	flags.BoolVar(&o.request.Trailer, "trailer", false, "play a trailer")
	flags.StringVar(&o.player, "exec", "", "hand the stream to the player `COMMAND` in place of printing it")
	flags.BoolVar(&o.request.Refresh, "refresh", false, "ask again, whatever the cache has and whichever site rests")
	flags.StringVar(&o.request.Interface, "interface", "", "use the interface at this `URL`, path or name for this run only")
	flags.String("quality", "", "best `QUALITY` listed: 4K, 1440p, 1080p, 720p, SD (setting scan.quality)")
	flags.String("timeout", "", "`TIME` for the scan, such as 20s (setting scan.timeout)")
	user = a.userFlag(flags)
	flags.BoolVar(&o.showURLs, "show-urls", false, "show the URL of the source in JSON with the tokens that it holds")
	return cmd
}

// runPlay finds a stream for a title, and prints it or hands it to a player.
func runPlay(ctx context.Context, a *app, o playOptions) error {
	var player *player
	if o.player != "" {
		var err error
		if player, err = findPlayer(o.player); err != nil {
			return err
		}
	}
	played, err := a.playMeant(ctx, o)
	if err != nil {
		return err
	}
	if player != nil {
		a.note("playing %s", listedName(played))
		if player.dropsHeaders(played.Stream) {
			a.warn("warning: the stream wants headers, which %s is not given; mpv is, and -o kodi and -o json tell them", player.name())
		}
		return player.play(ctx, a.System, played.Stream)
	}
	return a.writePlay(played, o.showURLs)
}

// collectPlay finds a stream, and tells why others do not play.
func (a *app) collectPlay(ctx context.Context, e *engine.Engine, o playOptions) (engine.Played, error) {
	update, stop := a.startProgress(ctx)
	defer stop()
	var unlocking atomic.Pointer[string]
	o.request.Progress = update
	a.attend(&o.request.ScanRequest)
	o.request.Resolving = func() func() {
		stop()
		started := a.Now()
		return a.live(ctx, func() []string {
			what := "resolving"
			if provider := unlocking.Load(); provider != nil {
				what = "waiting for " + sources.ProviderTitle(*provider)
			}
			return []string{what, fmt.Sprintf("%.1f s", a.Now().Sub(started).Seconds())}
		})
	}
	o.request.Unlocking = func(provider string) func() {
		unlocking.Store(&provider)
		return func() { unlocking.Store(nil) }
	}
	played, err := e.Play(ctx, o.request)
	stop()
	var tried []api.Tried
	for _, t := range played.Tried {
		tried = append(tried, api.NewTried(t))
	}
	a.noteTried(tried)
	a.noteResting(o.request.User, played.Resting, tried)
	return played, err
}

// writePlay writes a stream in the format that was asked for.
func (a *app) writePlay(played engine.Played, showURLs bool) error {
	stream := played.Stream
	switch {
	case a.asJSON():
		return a.writeJSON(api.NewPlay(played, api.ShownURLs{Secrets: showURLs}))
	case a.flags.output == outputKodi:
		return a.writeLine(link.Kodi(stream.URL, stream.Headers))
	default:
		switch {
		case played.Login:
			a.warn("warning: the server wants a login, which a URL does not carry: -o kodi and -o json tell it, and --exec mpv hands it over")
		case len(stream.Headers) > 0:
			a.note("the stream wants headers; -o kodi and -o json tell them")
		}
		return a.writeLine(stream.URL)
	}
}

func listedName(p engine.Played) string {
	name := fmt.Sprintf("%s on %s", text.Clean(p.Source.Name), engine.HosterTitle(p.Source.Hoster))
	if p.Row > 0 {
		name = fmt.Sprintf("%d. %s", p.Row, name)
	}
	return name
}

// noteTried says why sources do not play, a line each.
func (a *app) noteTried(tried []api.Tried) {
	for _, t := range tried {
		row := ""
		if t.N > 0 {
			row = fmt.Sprintf("%d. ", t.N)
		}
		a.note("%s%s: %s (%s)", row, engine.HosterTitle(t.Hoster), t.Error, t.Class)
	}
}

// noteResting tells which accounts of the user are not asked now, but for those of
// which that is said in told already, and the commands that have them asked again.
func (a *app) noteResting(user int64, resting []*sources.SkippedError, told []api.Tried) {
	for _, skipped := range resting {
		if !slices.ContainsFunc(told, func(t api.Tried) bool { return tellsOf(t.Error, skipped) }) {
			a.note("%s; %s has it asked again", skipped, engine.RestStateOf(skipped.Kind).Lift(user, skipped.Provider))
		}
	}
}

// tellsOf tells whether line says that an account is skipped, whatever time is left,
// or how a call of it began its rest.
func tellsOf(line string, skipped *sources.SkippedError) bool {
	begins := (&sources.SkippedError{Provider: skipped.Provider, Kind: skipped.Kind}).Error()
	called := sources.ProviderTitle(skipped.Provider) + ": " + text.Clean(skipped.Reason)
	return strings.Contains(line, begins) || skipped.Reason != "" && strings.Contains(line, called)
}
