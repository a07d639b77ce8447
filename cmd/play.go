package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"xship/sources"
	"xship/sources/link"
	"xship/sources/text"
)

// The output formats of xship play.
const (
	outputURL  = "url"
	outputKodi = "kodi"
)

// playOptions are the flags of xship play.
type playOptions struct {
	title     titleOptions
	pick      int // row of the list, 0 = the first
	source    string
	trailer   bool
	player    string
	refresh   bool
	iface     string
	showURLs  bool
	user      int64
	overrides map[string]any // settings that flags gave, by key
}

// playDoc is the JSON document of xship play. Its URL and headers are those
// that a player needs, with the tokens that they hold.
type playDoc struct {
	URL       string            `json:"url"`
	Headers   map[string]string `json:"headers"`
	MIME      string            `json:"mime"`
	ExpiresAt int64             `json:"expires_at"` // Unix seconds, 0 = not known
	Source    sourceDoc         `json:"source"`
	Tried     []triedDoc        `json:"tried"`
}

// triedDoc is a source that was tried before the one that plays. N is its row
// in the list of xship scan, 0 where it is not in that.
type triedDoc struct {
	N      int    `json:"n"`
	Hoster string `json:"hoster"`
	Class  string `json:"class"`
	Error  string `json:"error"`
}

func newPlayCmd(a *app) *cobra.Command {
	var o playOptions
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
it) and json.

Playing an episode puts the next one on the watchlist
(setting precache.next_episode).`,
		Example: `  mpv "$(xship play "Big Buck Bunny")"
  xship play "Big Buck Bunny" --exec mpv
  xship play "Some Series" --season 2 --episode 1 --pick 3 -o kodi`,
		Args:              oneTitle,
		ValidArgsFunction: cobra.NoFileCompletions,
		Annotations:       map[string]string{outputsAnnotation: strings.Join([]string{outputURL, outputKodi, outputJSON}, ",")},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case cmd.Flags().Changed("pick") && o.pick < 1:
				return &usageError{msg: fmt.Sprintf("--pick %d is no row", o.pick), hint: "rows count from 1"}
			case o.pick > 0 && o.source != "":
				return usagef("play takes --pick or --source, not both")
			case cmd.Flags().Changed("source") && strings.TrimSpace(o.source) == "":
				return &usageError{msg: "--source needs the id of a source", hint: "xship scan -o tsv shows the ids"}
			case cmd.Flags().Changed("exec") && strings.TrimSpace(o.player) == "":
				return usagef("--exec needs the command of a player")
			case o.player != "" && a.flags.output != "":
				return usagef("play takes --exec or --output, not both")
			}
			o.title.noteFlags(cmd.Flags())
			var err error
			if o.user, err = a.user(*user); err != nil {
				return err
			}
			o.overrides = settingFlags(cmd.Flags(), map[string]string{"quality": "scan.quality", "timeout": "scan.timeout"})
			return runPlay(cmd.Context(), a, args[0], o)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	o.title.addFlags(flags)
	flags.IntVar(&o.pick, "pick", 0, "begin with row `N` of the list")
	flags.StringVar(&o.source, "source", "", "begin with the source that has this `ID`, listed or not")
	flags.BoolVar(&o.trailer, "trailer", false, "play a trailer")
	flags.StringVar(&o.player, "exec", "", "hand the stream to the player `COMMAND` in place of printing it")
	flags.BoolVar(&o.refresh, "refresh", false, "ask again, whatever the cache has and whichever site rests")
	flags.StringVar(&o.iface, "interface", "", "use the interface at this `URL`, path or name for this run only")
	flags.String("quality", "", "best `QUALITY` listed: 4K, 1440p, 1080p, 720p, SD (setting scan.quality)")
	flags.String("timeout", "", "`TIME` for the scan, such as 20s (setting scan.timeout)")
	user = a.userFlag(flags)
	flags.BoolVar(&o.showURLs, "show-urls", false, "show the URL of the source in JSON with the tokens that it holds")
	return cmd
}

// runPlay finds a stream for the title called name, and prints it or hands it to
// a player.
func runPlay(ctx context.Context, a *app, name string, o playOptions) error {
	title, err := o.title.title(name)
	if err != nil {
		return err
	}
	var player *player
	if o.player != "" {
		if player, err = findPlayer(o.player); err != nil {
			return err
		}
	}
	p, err := a.openPipeline(ctx, o.overrides)
	if err != nil {
		return err
	}
	defer p.close()
	doc, stream, err := p.play(ctx, title, o)
	if err != nil {
		return err
	}
	p.watchNext(ctx, title)
	switch {
	case player != nil:
		a.note("playing %s", listedName(doc.Source))
		if player.dropsHeaders(stream) {
			a.warn("warning: the stream wants headers, which %s is not given; mpv is, and -o kodi and -o json tell them", player.name())
		}
		return player.play(ctx, a.System, stream)
	case a.asJSON():
		return a.writeJSON(doc)
	case a.flags.output == outputKodi:
		_, err = fmt.Fprintln(a.Stdout, link.Kodi(stream.URL, stream.Headers))
	default:
		if len(stream.Headers) > 0 {
			a.note("the stream wants headers; -o kodi and -o json tell them")
		}
		_, err = fmt.Fprintln(a.Stdout, stream.URL)
	}
	return err
}

func listedName(src sourceDoc) string {
	name := fmt.Sprintf("%s on %s", src.Name, hosterTitle(src.Hoster))
	if src.N > 0 {
		name = fmt.Sprintf("%d. %s", src.N, name)
	}
	return name
}

// play scans for a title and resolves a source of its list.
func (p *pipeline) play(ctx context.Context, title sources.Title, o playOptions) (playDoc, sources.Stream, error) {
	result, err := p.scanShown(ctx, title, scanRequest{iface: o.iface, refresh: o.refresh})
	if err != nil && (ctx.Err() != nil || len(result.Sources) == 0) {
		return playDoc{}, sources.Stream{}, err
	}
	health, err := p.store.HosterSnapshot(ctx)
	if err != nil {
		return playDoc{}, sources.Stream{}, err
	}
	result.Sources = trailersOr(result.Sources, o.trailer)
	wanted := p.listOptions()
	var known bool
	wanted.Served, known = p.served(ctx, o.user, result.Sources)
	view := scanView{result: result, listing: sources.Filter(p.app.logger, result.Sources, health, wanted), health: health, wanted: wanted}
	list, start, err := p.playlist(view, o, p.pages || !known)
	if err != nil {
		p.noteResting(ctx, o.user, nil)
		return playDoc{}, sources.Stream{}, err
	}
	rows := make(map[string]int, len(view.listing.Sources))
	for i, src := range view.listing.Sources {
		rows[src.ID] = i + 1
	}
	stream, at, tried, err := p.resolve(ctx, list, start, o.user)
	if err != nil {
		tried = nothingPlays(err)
	}
	doc := playDoc{Tried: make([]triedDoc, 0, len(tried))}
	for _, t := range tried {
		doc.Tried = append(doc.Tried, newTriedDoc(rows[t.Source.ID], t))
	}
	p.noteTried(doc.Tried)
	p.noteResting(ctx, o.user, doc.Tried)
	if err != nil {
		return playDoc{}, sources.Stream{}, playVerdict(title, err)
	}
	chosen := sources.Listed{Source: list[at], Healthy: health[list[at].Hoster].Healthy()}
	doc.URL, doc.MIME, doc.ExpiresAt = stream.URL, stream.MIME, unix(stream.ExpiresAt)
	doc.Headers = make(map[string]string, len(stream.Headers))
	for name, value := range stream.Headers {
		doc.Headers[name] = value
	}
	doc.Source = newSourceDoc(rows[chosen.ID], chosen, urlShower(o.showURLs))
	doc.Source.State = string(sources.StateResolved)
	if media, err := p.store.SourceMediaInfo(ctx, []string{chosen.ID}); err == nil {
		if m, ok := media[chosen.ID]; ok {
			doc.Source.MediaInfo, doc.Source.State = &m, string(sources.StateProbed)
		}
	}
	return doc, stream, nil
}

// trailersOr gives the trailers of a scan, as sources like any other, or all
// that are none.
func trailersOr(all []sources.Source, trailers bool) []sources.Source {
	kept := make([]sources.Source, 0, len(all))
	for _, src := range all {
		if src.Trailer == trailers {
			src.Trailer = false
			kept = append(kept, src)
		}
	}
	return kept
}

// playlist gives the sources to try, those listed and behind them links to web
// pages where these may be resolved, and where to begin.
func (p *pipeline) playlist(v scanView, o playOptions, pages bool) (list []sources.Source, start int, err error) {
	for _, src := range v.listing.Sources {
		list = append(list, src.Source)
	}
	if pages {
		for _, src := range v.result.Sources {
			if src.Unplayable != "" && src.State != sources.StateDead && v.health[src.Hoster].Healthy() {
				list = append(list, src)
			}
		}
	}
	switch {
	case o.source != "":
		return chosenFirst(list, v.result, o.source)
	case o.pick > len(v.listing.Sources) && len(list) > 0:
		return nil, 0, &nothingPlayableError{
			msg:  fmt.Sprintf("there is no row %d for %s: the list has %s", o.pick, v.result.Title, plural(len(v.listing.Sources), "row")),
			hint: "xship scan shows the list",
		}
	case len(list) == 0:
		if err := v.verdict(); err != nil {
			return nil, 0, err
		}
		what := "nothing found"
		if o.trailer {
			what = "no trailer found"
		}
		return nil, 0, &nothingPlayableError{msg: fmt.Sprintf("%s for %s", what, v.result.Title), hint: "try another spelling, --year or --alias"}
	}
	return list, max(o.pick, 1) - 1, nil
}

// chosenFirst finds where the list has the source with the given id. One that
// is not listed comes at the front, in place of those that stand before it.
func chosenFirst(list []sources.Source, r sources.ScanResult, id string) ([]sources.Source, int, error) {
	if i := slices.IndexFunc(list, func(src sources.Source) bool { return src.ID == id }); i >= 0 {
		return list, i, nil
	}
	at := slices.IndexFunc(r.Sources, func(src sources.Source) bool { return src.ID == id })
	if at < 0 {
		return nil, 0, &nothingPlayableError{
			msg:  fmt.Sprintf("%s has no source with the id %q", r.Title, id),
			hint: "xship scan -o tsv shows the ids",
		}
	}
	below := make(map[string]bool)
	for _, src := range r.Sources[at:] {
		below[src.ID] = true
	}
	chosen := []sources.Source{r.Sources[at]}
	for _, src := range list {
		if below[src.ID] {
			chosen = append(chosen, src)
		}
	}
	return chosen, 0, nil
}

// resolve gives the stream of the first source of list that works, from start
// on.
func (p *pipeline) resolve(ctx context.Context, list []sources.Source, start int, user int64) (sources.Stream, int, []sources.Tried, error) {
	if p.app.showsProgress() {
		started := p.app.Now()
		defer p.app.startLive(ctx, func() string {
			return liveLine(p.app.Stderr.width(), []string{"resolving", fmt.Sprintf("%.1f s", p.app.Now().Sub(started).Seconds())})
		})()
	}
	return sources.Resolve(ctx, p.streams, list, start, user)
}

// nothingPlays gives what was tried in vain.
func nothingPlays(err error) []sources.Tried {
	if failed, ok := errors.AsType[*sources.NothingPlaysError](err); ok {
		return failed.Tried
	}
	return nil
}

func newTriedDoc(row int, t sources.Tried) triedDoc {
	return triedDoc{
		N: row, Hoster: text.Clean(t.Source.Hoster), Class: string(t.Class),
		// Which link that was is said by the row.
		Error: strings.TrimPrefix(t.Error, "GET "+link.Redact(t.Source.URL)+": "),
	}
}

// noteTried says why sources do not play, a line each.
func (p *pipeline) noteTried(tried []triedDoc) {
	for _, t := range tried {
		row := ""
		if t.N > 0 {
			row = fmt.Sprintf("%d. ", t.N)
		}
		p.app.note("%s%s: %s (%s)", row, hosterTitle(t.Hoster), t.Error, t.Class)
	}
}

// playVerdict is the error of a list of which nothing plays.
func playVerdict(title sources.Title, err error) error {
	failed, ok := errors.AsType[*sources.NothingPlaysError](err)
	if !ok {
		return err
	}
	tried := failed.Tried
	wait, all := soonest(tried)
	switch {
	case all && onlyOf(tried, sources.ClassProviderCooling, sources.ClassProviderQuota):
		return &nothingPlayableError{
			msg:  fmt.Sprintf("nothing plays for %s now: every provider is resting, the first one for %d s more", title, wholeSeconds(wait)),
			hint: "try again then; xship cooldowns list and xship accounts list tell why",
		}
	case onlyOf(tried, sources.ClassProviderHoster),
		all && onlyOf(tried, sources.ClassProviderCooling, sources.ClassProviderQuota, sources.ClassProviderHoster):
		again := ""
		if wait > 0 {
			again = fmt.Sprintf(", the first one again in %d s", wholeSeconds(wait))
		}
		return &nothingPlayableError{
			msg:  fmt.Sprintf("nothing plays for %s now: no provider can serve these hosters now%s", title, again),
			hint: "try again then; xship cooldowns list tells why",
		}
	case onlyOf(tried, sources.ClassProviderCooling, sources.ClassProviderQuota, sources.ClassProviderHoster, sources.ClassProviderAuth, sources.ClassProviderItem):
		return &nothingPlayableError{
			msg:  fmt.Sprintf("nothing plays for %s: %s could not be unlocked: %s", title, plural(len(tried), "source"), tried[0].Error),
			hint: "xship accounts list tells how the accounts are",
		}
	default:
		return &nothingPlayableError{
			msg:  fmt.Sprintf("nothing plays for %s: %s failed", title, plural(len(tried), "source")),
			hint: "xship scan lists them; xship hosters stats shows how their hosters fare",
		}
	}
}

// onlyOf tells whether something was tried, and all of it ended in one of the
// classes.
func onlyOf(tried []sources.Tried, classes ...sources.Class) bool {
	return len(tried) > 0 && !slices.ContainsFunc(tried, func(t sources.Tried) bool { return !slices.Contains(classes, t.Class) })
}

// soonest is when the first provider may be called again, 0 where none rests; all is
// false where something was tried that does not rest.
func soonest(tried []sources.Tried) (wait time.Duration, all bool) {
	all = len(tried) > 0
	for _, t := range tried {
		switch {
		case t.RetryIn <= 0:
			all = false
		case wait == 0 || t.RetryIn < wait:
			wait = t.RetryIn
		}
	}
	return wait, all
}
