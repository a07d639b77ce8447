package cmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"xship/cmd/api"
	"xship/cmd/engine"
	"xship/sources"
	"xship/sources/text"
)

// scanOptions are what the flags of xship scan mean.
type scanOptions struct {
	request   engine.ScanRequest
	all       bool
	showURLs  bool
	probe     bool
	noProbe   bool
	explain   bool
	ids       bool
	user      int64
	overrides map[string]any // settings that flags gave, by key
}

// newScanCmd is xship scan; run gets what its flags mean.
func newScanCmd(a *app, run func(context.Context, *app, scanOptions) error) *cobra.Command {
	var o scanOptions
	var title titleOptions
	var user *string
	cmd := &cobra.Command{
		Use:   "scan TITLE",
		Short: "List the playable sources of a film or an episode, best first",
		Long: `Ask the sites of the interface in use for a title and list its sources, best
first. Sources of hosters that are failing are hidden, and counted.

On a terminal the list is there at once and is then filled in while its sources
are probed: which ones work and what they hold, or why they fail. Hidden sources
are probed too, and join the list where they work. Ctrl-C ends that at any time.
At the end the rows have the numbers that xship play --pick takes.
A scan of an episode puts the next one on the watchlist
(setting precache.next_episode).

A title may hold the episode (S01E02, 1x02), a season or a year in brackets. Of a
series without an episode, and of a name that nobody has, what may have been meant
is told, and on a terminal offered to choose from.`,
		Example: `  xship scan "Big Buck Bunny"
  xship scan "Some Series S02E01"
  xship scan "Night of the Living Dead" --year 1968 --quality 720p
  xship scan "Some Series" --season 2 --episode 1 -o json`,
		Args:              oneTitle,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.probe && o.noProbe {
				return usagef("scan takes --probe or --no-probe, not both")
			}
			var err error
			if o.user, err = a.user(*user); err != nil {
				return err
			}
			if err = title.request(a, cmd, args[0], &o.request); err != nil {
				return err
			}
			o.overrides = settingFlags(cmd.Flags(), map[string]string{"limit": "scan.limit", "quality": "scan.quality", "timeout": "scan.timeout"})
			return run(cmd.Context(), a, o)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	title.addFlags(flags)
	flags.BoolVar(&o.all, "all", false, "also list hidden, dead and unplayable sources, marked")
	flags.BoolVar(&o.request.Refresh, "refresh", false, "ask again, whatever the cache has and whichever site rests")
	flags.StringVar(&o.request.Interface, "interface", "", "use the interface at this `URL`, path or name for this run only")
	flags.String("limit", "", "list `N` sources at most (setting scan.limit)")
	flags.String("quality", "", "best `QUALITY` listed: 4K, 1440p, 1080p, 720p, SD (setting scan.quality)")
	flags.String("timeout", "", "`TIME` for the whole scan, such as 20s (setting scan.timeout)")
	flags.BoolVar(&o.probe, "probe", false, "probe the sources after the list, also without a terminal")
	flags.BoolVar(&o.noProbe, "no-probe", false, "do not probe the sources after the list")
	flags.BoolVar(&o.explain, "explain", false, "say of each source why it stands where it stands, or is not listed")
	flags.BoolVar(&o.ids, "ids", false, "show the ids of the sources, which xship play --source takes")
	flags.BoolVar(&o.showURLs, "show-urls", false, "show URLs, with the tokens that they hold")
	user = a.userFlag(flags)
	return cmd
}

// shown says how the list is shown.
func (o scanOptions) shown() shownList {
	return shownList{urls: api.ShownURLs{Secrets: o.showURLs}, explain: o.explain, ids: o.ids}
}

// runScan looks for a title and writes the list. Where the scan ends with an error,
// the list is written as far as it came; as JSON also an empty one that tells how the
// sites failed. After that it probes the sources: a table on a terminal is filled in
// place meanwhile.
func runScan(ctx context.Context, a *app, o scanOptions) error {
	e, err := a.openEngine(ctx, o.overrides)
	if err != nil {
		return err
	}
	list, scanErr, err := a.collectScan(ctx, e, o)
	if list == nil {
		return errors.Join(scanErr, err)
	}
	probes := scanErr == nil && (o.probe || a.Stderr.Terminal && !o.noProbe)
	if probes && a.drawsInPlace() {
		if all := list.Unproven(); len(all) > 0 {
			return a.scanLive(ctx, e, list, all, o)
		}
	}
	if err := a.writeScan(list, o.shown()); err != nil {
		return errors.Join(scanErr, err)
	}
	a.noteResting(o.user, e.Resting(context.WithoutCancel(ctx), o.user), nil)
	if scanErr != nil {
		return scanErr
	}
	if len(list.Sources) > 0 {
		e.WatchNextEpisode(ctx, list.Title)
	}
	works := 0
	if probes {
		if works, err = a.probe(ctx, e, list, o.user); err != nil {
			return err
		}
	}
	err = list.Verdict()
	if empty, ok := errors.AsType[*engine.NothingPlayableError](err); ok && works > 0 {
		empty.Hint = fmt.Sprintf("the probe reached %s: scan once more", text.Plural(works, "source"))
	}
	return err
}

// collectScan scans and makes the list. It is nil where there is nothing worth
// writing; scanErr is that of the scan, err another one.
func (a *app) collectScan(ctx context.Context, e *engine.Engine, o scanOptions) (list *engine.List, scanErr, err error) {
	scan, scanErr := a.scanMeant(ctx, e, o.request)
	_, noAnswer := errors.AsType[*sources.NoAnswerError](scanErr)
	if worthWriting := len(scan.Sources) > 0 || noAnswer && a.asJSON(); scanErr != nil && !worthWriting {
		return nil, scanErr, nil
	}
	list, err = e.List(ctx, scan, engine.ListRequest{All: o.all, User: o.user, Explain: o.explain})
	if err != nil {
		return nil, scanErr, err
	}
	return list, scanErr, nil
}

// scan is engine.Scan for the user: with its progress where a person is looking, and
// with questions where somebody can answer them.
func (a *app) scan(ctx context.Context, e *engine.Engine, req engine.ScanRequest) (engine.Scan, error) {
	update, stop := a.startProgress(ctx)
	defer stop()
	req.Progress = update
	a.attend(&req)
	return e.Scan(ctx, req)
}

// probe probes the sources of a list, and those hidden only for the health of their
// hoster, and tells how many work. Nobody waits for it: stdout is closed before, and
// when ctx ends it just stops.
func (a *app) probe(ctx context.Context, e *engine.Engine, list *engine.List, user int64) (ok int, err error) {
	if a.closeStdout != nil {
		if err := a.closeStdout(); err != nil {
			return 0, fmt.Errorf("end the list: %w", err)
		}
	}
	all := list.Unproven()
	if len(all) == 0 {
		return 0, nil
	}
	line := &probeLine{last: sources.ProbeProgress{Total: len(all)}}
	stop := a.live(ctx, line.parts)
	probed, err := e.Probe(ctx, all, engine.ProbeRequest{User: user, Progress: line.update})
	stop()
	if err != nil {
		return 0, err
	}
	a.note("%s", probeNote(probed))
	return probed.OK, nil
}

// probeNote says what a probe found out.
func probeNote(p engine.Probed) string {
	if p.Outage {
		return "nothing was probed: the network seems to be down, and no fail counts until something works again"
	}
	note := fmt.Sprintf("probed %d of %s: %d ok, %d failed", p.OK+p.Failed, text.Plural(p.Total, "source"), p.OK, p.Failed)
	if p.Skipped > 0 {
		note += fmt.Sprintf(", %d skipped while their hoster is in its backoff", p.Skipped)
	}
	return note
}
