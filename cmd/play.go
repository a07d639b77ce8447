package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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
	links     []string // in place of a title, as engine.ParseLink gives them
	stdin     bool     // the links come from standard input, one a line
	watchID   int64    // entry of the watchlist that says the title, 0 = none
	choose    bool     // the user chooses from the list
	player    string
	showURLs  bool
	overrides map[string]any // settings that flags gave, by key
}

// newPlayCmd is xship play; run gets what its flags mean.
func newPlayCmd(a *app, run func(context.Context, *app, playOptions) error) *cobra.Command {
	var o playOptions
	var title titleOptions
	var user *string
	var watched string
	cmd := &cobra.Command{
		Use:   "play TITLE | URL...",
		Short: "Print a stream of a film, an episode or a link that plays",
		Long: `Scan for a title, as xship scan does, and resolve the first source of the list
to a stream. A source that does not work is told on stderr, and the next one
below it is tried. Where none works, those of hidden hosters whose block has
ended are tried last; --force tries all hidden ones, each where it would stand
in the list. Where no source works, the exit code is 3.

A link is looked for at no site: it is resolved through an account that serves
its hoster, by yt-dlp or as it is. It may have headers, as Kodi writes them:
URL|Name=value&Name=value. Of several links, or with - of those on standard
input, one a line, each that plays is a line of the output, in their order; the
others are told on stderr, and make the exit code 3. With -o json each link is
a document in a line of its own, also one that does not play.

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
  xship play "Some Series" -s 2 -e 1 --pick 3 -o kodi
  xship play "Some Film" --choose --exec mpv
  xship play --watch-id 3 --exec mpv
  xship play https://example.org/film.mkv --exec mpv
  xship play - -o json < links.txt`,
		Args:              playArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		Annotations:       map[string]string{outputsAnnotation: strings.Join([]string{outputURL, outputKodi, outputJSON}, ",")},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkPlay(a, cmd.Flags(), o); err != nil {
				return err
			}
			var err error
			if o.request.User, err = a.user(*user); err != nil {
				return err
			}
			switch {
			case takesLinks(args):
				o.links, o.stdin, err = readLinkArgs(cmd.Flags(), args)
			case cmd.Flags().Changed("watch-id"):
				o.watchID, err = watchID(watched)
			default:
				err = title.request(a, cmd, args[0], &o.request.ScanRequest)
			}
			if err != nil {
				return err
			}
			o.overrides = settingFlags(cmd.Flags(), map[string]string{"quality": "scan.quality", "timeout": "scan.timeout"})
			return run(cmd.Context(), a, o)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	title.addFlags(flags)
	decimalVar(flags, &o.request.Pick, "pick", "", "begin with row `N` of the list")
	flags.StringVar(&o.request.Source, "source", "", "begin with the source that has this `ID`, listed or not")
	flags.BoolVar(&o.choose, "choose", false, "choose from the list on the terminal")
	flags.StringVar(&watched, "watch-id", "", "play what the entry `ID` of the watchlist names, in place of a title")
	flags.BoolVar(&o.request.Force, "force", false, "also try what is hidden for the health of its hoster")
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

// checkPlay refuses flags that make no sense.
func checkPlay(a *app, flags *pflag.FlagSet, o playOptions) error {
	switch {
	case flags.Changed("pick") && o.request.Pick < 1:
		return &usageError{msg: fmt.Sprintf("--pick %d is no row", o.request.Pick), hint: "rows count from 1"}
	case o.request.Pick > 0 && o.request.Source != "":
		return usagef("play takes --pick or --source, not both")
	case flags.Changed("source") && strings.TrimSpace(o.request.Source) == "":
		return &usageError{msg: "--source needs the id of a source", hint: "xship scan -o tsv shows the ids"}
	case o.choose && (o.request.Pick > 0 || o.request.Source != ""):
		return usagef("play takes --choose, --pick or --source, one of them")
	case o.choose && !a.prompts():
		return &usageError{msg: "--choose needs a terminal", hint: "xship play TITLE --pick N takes row N of the list that xship scan shows"}
	case flags.Changed("exec") && strings.TrimSpace(o.player) == "":
		return usagef("--exec needs the command of a player")
	case o.player != "" && a.flags.output != "":
		return usagef("play takes --exec or --output, not both")
	}
	return nil
}

// runPlay finds a stream for a title, or for each of some links, and prints it or hands it
// to a player.
func runPlay(ctx context.Context, a *app, o playOptions) error {
	var player *player
	if o.player != "" {
		var err error
		if player, err = findPlayer(o.player); err != nil {
			return err
		}
	}
	if len(o.links) > 0 || o.stdin {
		return a.playLinks(ctx, o, player)
	}
	e, err := a.playEngine(ctx, &o)
	if err != nil {
		return err
	}
	played, err := a.playMeant(ctx, e, o)
	if err != nil {
		return err
	}
	if player != nil {
		return a.handOver(ctx, player, played)
	}
	return a.writePlay(played, o.showURLs)
}

// collectPlay finds a stream, and tells why others do not play.
func (a *app) collectPlay(ctx context.Context, e *engine.Engine, o playOptions) (engine.Played, error) {
	update, stop := a.startProgress(ctx)
	defer stop()
	o.request.Progress = update
	a.attend(&o.request.ScanRequest)
	if o.choose {
		o.request.ChooseSource = func(ctx context.Context, from []engine.Candidate) (int, bool, error) {
			stop()
			return a.askSource(ctx, from)
		}
	}
	unlocking := new(unlocking)
	o.request.Unlocking = unlocking.began
	o.request.Resolving = func() func() {
		stop()
		started := a.Now()
		return a.live(ctx, func() []string { return []string{unlocking.doing("resolving"), running(a.Now().Sub(started))} })
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

// handOver hands a stream to a player.
func (a *app) handOver(ctx context.Context, player *player, played engine.Played) error {
	a.note("playing %s", listedName(played))
	if player.dropsHeaders(played.Stream) {
		a.warn("warning: the stream wants headers, which %s is not given; mpv is, and -o kodi and -o json tell them", player.name())
	}
	return player.play(ctx, a.System, played.Stream)
}

// playEngine opens the engine for a play, and says in o what is played where the watchlist
// does.
func (a *app) playEngine(ctx context.Context, o *playOptions) (*engine.Engine, error) {
	e, err := a.openEngine(ctx, o.overrides)
	if err != nil || o.watchID == 0 {
		return e, err
	}
	entry, err := e.WatchEntry(ctx, o.watchID)
	if missing, ok := errors.AsType[*engine.NotWatchedError](err); ok {
		return nil, &engine.NothingPlayableError{Text: missing.Error(), Hint: missing.ErrorHint()}
	}
	if err != nil {
		return nil, err
	}
	a.note("number %d is %s", entry.ID, entry.Title)
	o.request.Title = entry.Title
	return e, nil
}

// unlocking is the provider that is called now, for the live line.
type unlocking struct{ provider atomic.Pointer[string] }

// began is told that a provider is called, and gives what is called when that has ended.
func (u *unlocking) began(provider string) (ended func()) {
	u.provider.Store(&provider)
	return func() { u.provider.CompareAndSwap(&provider, nil) }
}

// doing is what is done now, otherwise when no provider is called.
func (u *unlocking) doing(otherwise string) string {
	if provider := u.provider.Load(); provider != nil {
		return "waiting for " + sources.ProviderTitle(*provider)
	}
	return otherwise
}

// writePlay writes a stream in the format that was asked for.
func (a *app) writePlay(played engine.Played, showURLs bool) error {
	if a.asJSON() {
		return a.writeJSON(api.NewPlay(played, api.ShownURLs{Secrets: showURLs}))
	}
	a.noteHeaders(played)
	return a.writeStream(played.Stream)
}

// writeStream writes a stream in a line, as a URL or as Kodi has it.
func (a *app) writeStream(stream sources.Stream) error {
	if a.flags.output == outputKodi {
		return a.writeLine(link.Kodi(stream.URL, stream.Headers))
	}
	return a.writeLine(stream.URL)
}

// noteHeaders tells of headers that the output leaves out, and whether there are some.
func (a *app) noteHeaders(played engine.Played) (told bool) {
	switch {
	case a.flags.output == outputKodi:
		return false
	case played.Login:
		a.warn("warning: the server wants a login, which a URL does not carry: -o kodi and -o json tell it, and --exec mpv hands it over")
		return true
	case len(played.Stream.Headers) > 0:
		a.note("the stream wants headers; -o kodi and -o json tell them")
		return true
	}
	return false
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
