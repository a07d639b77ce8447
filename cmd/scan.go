package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"xship/sources"
	"xship/sources/text"
)

// scanOptions are the flags of xship scan.
type scanOptions struct {
	title     titleOptions
	all       bool
	refresh   bool
	iface     string
	showURLs  bool
	probe     bool
	noProbe   bool
	user      int64
	overrides map[string]any // settings that flags gave, by key
}

// titleOptions are the flags that, with the name, make a title.
type titleOptions struct {
	year       int
	imdb       string
	season     int
	episode    int
	aliases    []string
	hasYear    bool
	hasSeason  bool
	hasEpisode bool
}

func (o *titleOptions) addFlags(flags *pflag.FlagSet) {
	flags.IntVar(&o.year, "year", 0, "`YEAR` of the first release")
	flags.StringVar(&o.imdb, "imdb", "", "IMDb `ID` (tt...)")
	flags.IntVar(&o.season, "season", 0, "season `NUMBER` of an episode, 0 = specials")
	flags.IntVar(&o.episode, "episode", 0, "`NUMBER` of an episode in its season")
	flags.StringArrayVar(&o.aliases, "alias", nil, "another `NAME` of the title; may be given more than once")
}

// noteFlags remembers which flags were given: 0 is a season like any other.
func (o *titleOptions) noteFlags(flags *pflag.FlagSet) {
	o.hasYear, o.hasSeason, o.hasEpisode = flags.Changed("year"), flags.Changed("season"), flags.Changed("episode")
}

// title makes the title called name. What is wrong with it is a usage error.
func (o *titleOptions) title(name string) (sources.Title, error) {
	const hint = "for an episode give both: --season 1 --episode 2"
	switch {
	case o.hasEpisode && !o.hasSeason:
		return sources.Title{}, &usageError{msg: "--episode needs --season", hint: hint}
	case o.hasSeason && !o.hasEpisode:
		return sources.Title{}, &usageError{msg: "--season needs --episode", hint: hint}
	case o.hasYear && o.year == 0:
		return sources.Title{}, usagef("--year 0 is not between %d and %d", sources.MinYear, sources.MaxYear)
	}
	t := sources.Title{Kind: sources.KindMovie, Name: strings.TrimSpace(name), Year: o.year, IMDb: o.imdb, Aliases: o.aliases}
	if o.hasSeason {
		t.Kind, t.Season, t.Episode = sources.KindEpisode, o.season, o.episode
	}
	if err := t.Validate(); err != nil {
		return sources.Title{}, usagef("%s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return t, nil
}

func newScanCmd(a *app) *cobra.Command {
	var o scanOptions
	var user *string
	cmd := &cobra.Command{
		Use:   "scan TITLE",
		Short: "List the playable sources of a film or an episode, best first",
		Long: `Ask the sites of the interface in use for a title and list its sources, best
first. Sources of hosters that are failing are hidden, and counted.

On a terminal the sources are probed after that, hidden ones too, so that xship
learns which hosters work: the list is complete, and Ctrl-C ends it at any time.
A scan of an episode puts the next one on the watchlist
(setting precache.next_episode).`,
		Example: `  xship scan "Big Buck Bunny"
  xship scan "Night of the Living Dead" --year 1968 --quality 720p
  xship scan "Some Series" --season 2 --episode 1 -o json`,
		Args:              oneTitle,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.probe && o.noProbe {
				return usagef("scan takes --probe or --no-probe, not both")
			}
			o.title.noteFlags(cmd.Flags())
			var err error
			if o.user, err = a.user(*user); err != nil {
				return err
			}
			o.overrides = settingFlags(cmd.Flags(), map[string]string{"limit": "scan.limit", "quality": "scan.quality", "timeout": "scan.timeout"})
			return runScan(cmd.Context(), a, args[0], o)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	o.title.addFlags(flags)
	flags.BoolVar(&o.all, "all", false, "also list hidden, dead and unplayable sources, marked")
	flags.BoolVar(&o.refresh, "refresh", false, "ask again, whatever the cache has and whichever site rests")
	flags.StringVar(&o.iface, "interface", "", "use the interface at this `URL`, path or name for this run only")
	flags.String("limit", "", "list `N` sources at most (setting scan.limit)")
	flags.String("quality", "", "best `QUALITY` listed: 4K, 1440p, 1080p, 720p, SD (setting scan.quality)")
	flags.String("timeout", "", "`TIME` for the whole scan, such as 20s (setting scan.timeout)")
	flags.BoolVar(&o.probe, "probe", false, "probe the sources after the list, also without a terminal")
	flags.BoolVar(&o.noProbe, "no-probe", false, "do not probe the sources after the list")
	flags.BoolVar(&o.showURLs, "show-urls", false, "show URLs, with the tokens that they hold")
	user = a.userFlag(flags)
	return cmd
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

// runScan looks for the title called name and writes the list. Where the scan
// ends with an error, the list is written as far as it came; as JSON also an
// empty one that tells how the sites failed. After that it probes the sources.
func runScan(ctx context.Context, a *app, name string, o scanOptions) error {
	title, err := o.title.title(name)
	if err != nil {
		return err
	}
	p, err := a.openPipeline(ctx, o.overrides)
	if err != nil {
		return err
	}
	defer p.close()
	result, scanErr := p.scanShown(ctx, title, scanRequest{iface: o.iface, refresh: o.refresh})
	_, noAnswer := errors.AsType[*sources.NoAnswerError](scanErr)
	if worthWriting := len(result.Sources) > 0 || noAnswer && a.asJSON(); scanErr != nil && !worthWriting {
		return scanErr
	}
	view, err := p.view(ctx, result, o)
	if err != nil {
		return errors.Join(scanErr, err)
	}
	if err := a.writeScan(view); err != nil {
		return errors.Join(scanErr, err)
	}
	p.noteResting(context.WithoutCancel(ctx), o.user, nil)
	if scanErr != nil {
		return scanErr
	}
	if len(result.Sources) > 0 {
		p.watchNext(ctx, title)
	}
	works := 0
	if o.probe || a.Stderr.Terminal && !o.noProbe {
		if works, err = p.probeList(ctx, view, o.user); err != nil {
			return err
		}
	}
	err = view.verdict()
	if empty, ok := errors.AsType[*nothingPlayableError](err); ok && works > 0 {
		empty.hint = fmt.Sprintf("the probe reached %s: scan once more", plural(works, "source"))
	}
	return err
}

// view makes the list of a scan, also of one that was cancelled: what has come is
// still read and written.
func (p *pipeline) view(ctx context.Context, result sources.ScanResult, o scanOptions) (scanView, error) {
	wanted := p.listOptions()
	wanted.All = o.all
	wanted.Served, _ = p.served(ctx, o.user, result.Sources)
	ctx = context.WithoutCancel(ctx)
	health, err := p.store.HosterSnapshot(ctx)
	if err != nil {
		return scanView{}, err
	}
	v := scanView{
		result: result, listing: sources.Filter(p.app.logger, result.Sources, health, wanted), health: health,
		wanted: wanted, all: o.all, showURLs: o.showURLs,
	}
	if p.app.asJSON() {
		ids := make([]string, 0, len(v.listing.Sources))
		for _, src := range v.listing.Sources {
			ids = append(ids, src.ID)
		}
		v.media, err = p.store.SourceMediaInfo(ctx, ids)
	}
	return v, err
}

// scanView is a scan as it is written.
type scanView struct {
	result   sources.ScanResult
	listing  sources.Listing
	health   sources.HosterSnapshot
	wanted   sources.ListOptions
	media    map[string]sources.MediaInfo // by source id, only for JSON
	all      bool
	showURLs bool
}

// verdict is the error of a scan whose list is empty although sources exist.
// That nothing exists is none.
func (v scanView) verdict() error {
	l := v.listing
	if len(l.Sources) > 0 || len(v.result.Sources) == l.Trailers {
		return nil
	}
	reasons := v.leftOut()
	return &nothingPlayableError{
		msg:  fmt.Sprintf("nothing playable for %s: %s", v.result.Title, strings.Join(reasons, "; ")),
		hint: v.wayOut(),
	}
}

// leftOut says what exists and is not listed, one reason each.
func (v scanView) leftOut() []string {
	l := v.listing
	var reasons []string
	if n := l.HiddenSources(); n > 0 && !v.all {
		reasons = append(reasons, fmt.Sprintf("%s hidden on failing hosters: %s", plural(n, "source"), v.hiddenHosters()))
	}
	for _, r := range []struct {
		n   int
		why string
	}{
		{l.Dead, "dead"},
		{l.Unplayable, "that no player can take"},
		{l.Unwanted, "of another quality or language than wanted"},
		{l.CutOff, "beyond the limit"},
	} {
		if r.n > 0 {
			reasons = append(reasons, plural(r.n, "source")+" "+r.why)
		}
	}
	return reasons
}

// hiddenHosters names the hosters whose sources are hidden, with the reason.
func (v scanView) hiddenHosters() string {
	hosters := make([]string, 0, len(v.listing.Hidden))
	for _, h := range v.listing.Hidden {
		hosters = append(hosters, fmt.Sprintf("%s (%s)", hosterTitle(h.Hoster), hiddenReason(h.ConsecutiveFails, h.AvailableIn)))
	}
	return strings.Join(hosters, ", ")
}

// wayOut says how to see what is not listed.
func (v scanView) wayOut() string {
	l := v.listing
	if l.HiddenSources()+l.Dead+l.Unplayable > 0 {
		return "--all lists them too; xship hosters reset NAME sets back a hoster"
	}
	return "raise --quality, or widen scan.languages"
}

// hiddenReason says why a hoster is hidden, and for how long.
func hiddenReason(fails int, availableIn time.Duration) string {
	reason := plural(fails, "fail")
	if s := wholeSeconds(availableIn); s > 0 {
		return fmt.Sprintf("%s, %d s", reason, s)
	}
	return reason + ", now free"
}

// hosterTitle is the name of a hoster in a sentence.
func hosterTitle(name string) string {
	if name == "" {
		return "no hoster"
	}
	return text.Clean(name)
}
