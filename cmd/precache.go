package cmd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"xship/cmd/engine/loader"
	"xship/precacher"
	"xship/sources"
)

// precacheOptions are the flags of xship precache.
type precacheOptions struct {
	once      bool
	overrides map[string]any // settings that flags gave, by key
}

func newPrecacheCmd(a *app) *cobra.Command {
	var o precacheOptions
	cmd := &cobra.Command{
		Use:   "precache",
		Short: "Scan, resolve and probe the watchlist ahead of time, again and again",
		Long: `Work through the watchlist in the background: scan its titles, resolve their
sources and read what the streams hold, and so learn which hosters work. The
first cycle begins at once, further ones by schedule. Logs go to stderr.

One precacher runs on a data directory. SIGTERM ends it in good order, within
three seconds and with exit code 0; what was under way counts for nothing. With
--once the exit code is 130 then, as the cycle did not run to its end.`,
		Example: `  xship precache
  xship precache --schedule "*/30 * * * *"
  xship precache --once`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.once && cmd.Flags().Changed("schedule") {
				return usagef("precache takes --once or --schedule, not both")
			}
			o.overrides = settingFlags(cmd.Flags(), map[string]string{"schedule": "precache.schedule"})
			return runPrecache(cmd.Context(), a, o)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.once, "once", false, "run one cycle and end")
	flags.String("schedule", "", "`CRON` expression of five fields, or a descriptor such as @hourly (setting precache.schedule)")
	return cmd
}

func runPrecache(ctx context.Context, a *app, o precacheOptions) (err error) {
	settings, err := a.settings(o.overrides)
	if err != nil {
		return err
	}
	schedule := settings.Precache.Schedule
	if err := precacher.ParseSchedule(schedule); err != nil {
		return &usageError{msg: "precache.schedule: " + err.Error()}
	}
	lock, err := a.lockPrecacher()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.release()) }()
	p, err := a.openPipeline(ctx, o.overrides)
	if err != nil {
		return err
	}
	defer p.close()
	cacher, err := p.precacher()
	if err != nil {
		return err
	}
	if o.once {
		_, err = cacher.Cycle(ctx)
		return err
	}
	a.logger.Info("the precacher runs", "schedule", schedule, "data_dir", a.dataDir())
	if err := cacher.Run(ctx, schedule); err != nil {
		return err
	}
	a.logger.Info("the precacher ends")
	if terminated(ctx) {
		return nil
	}
	return ctx.Err()
}

// lockPrecacher makes this process the one precacher of the data directory.
func (a *app) lockPrecacher() (*processLock, error) {
	if err := a.makeDataDir(); err != nil {
		return nil, err
	}
	lock, err := acquireLock(filepath.Join(a.dataDir(), "precache.lock"))
	if held, ok := errors.AsType[*lockHeldError](err); ok {
		who := "another process"
		if held.pid != 0 {
			who = fmt.Sprintf("process %d", held.pid)
		}
		return nil, &hintError{
			err:  fmt.Errorf("a precacher runs on %s already: %s", a.dataDir(), who),
			hint: "end that one first, or name another directory with --data-dir",
		}
	}
	if err != nil {
		return nil, err
	}
	if err := lock.writePID(); err != nil {
		a.logger.Warn("the lock file does not name this process; it holds the lock all the same", "error", err)
	}
	return lock, nil
}

// watcher scans the watchlist for a precacher, on one interface a cycle.
type watcher struct {
	*pipeline
	loaded loader.Result // in this cycle; at first what the one before had
}

// precacher makes the precacher of the pipeline. It works through the watchlist
// on the interface that is in use when a cycle begins.
func (p *pipeline) precacher() (*precacher.Precacher, error) {
	s := p.settings
	w := &watcher{pipeline: p}
	return precacher.New(precacher.Config{
		Queue:        p.store,
		Hosters:      p.store.Hosters,
		Due:          w.due,
		Scan:         w.scanWatched,
		Streams:      p.streams,
		Prober:       p.prober,
		Logger:       p.app.logger,
		Now:          p.app.Now,
		Workers:      s.Precache.Workers,
		PerHoster:    s.Precache.PerHoster,
		ProbeTimeout: s.Probe.Timeout,
	})
}

// announce logs a switch: nobody can be asked, and nobody looks on.
func (w *watcher) announce(s loader.Switch) {
	w.app.logger.Warn("an interface could not be loaded, trying the next one", "interface", loader.Title(s.From), "next", loader.Title(s.To), "error", s.Cause)
}

// use takes over what a load gave. Where that is nothing, the last good config
// stays in use.
func (w *watcher) use(e loader.Event) {
	log := w.app.logger
	switch {
	case e.Result.Interface.URL == "":
		log.Warn("no interface could be loaded", "error", e.Err)
		return
	case e.Err != nil:
		log.Warn("no interface could be loaded, an older copy is used", "interface", loader.RedactURL(e.Result.Interface.URL), "from", e.Result.StaleFrom, "error", e.Err)
	case len(e.Result.FailedOverFrom) > 0:
		log.Info("another interface is in use now", "interface", loader.RedactURL(e.Result.Interface.URL))
	}
	w.loaded = e.Result
}

// errNotLoaded is why a title cannot be scanned in a cycle that has no interface;
// why that could not be loaded was logged.
var errNotLoaded = errors.New("no interface could be loaded")

// due loads the interface in use, once for the cycle, and gives the watched
// titles whose list at it the cache does not answer any more. Those are due, and
// cannot be scanned, where none could be loaded.
func (w *watcher) due(ctx context.Context) ([]sources.Title, error) {
	caller := loader.Caller{Announce: w.announce, Loaded: w.use}
	if _, err := w.loader.Load(ctx, loader.Request{Caller: caller}); err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	at := w.loaded.Interface.URL
	if at == "" {
		chosen, err := w.loader.Active(ctx, "")
		if err != nil {
			return nil, err
		}
		at = chosen.URL
	}
	entries, err := w.store.WatchDue(ctx, at, w.settings.Scan.CacheTTL)
	titles := make([]sources.Title, 0, len(entries))
	for _, e := range entries {
		titles = append(titles, e.Title)
	}
	return titles, err
}

// scan scans a title on the interface of this cycle.
func (w *watcher) scan(ctx context.Context, t sources.Title, req scanRequest) (sources.ScanResult, error) {
	return w.scanLoaded(ctx, t, w.loaded, w.app.Now(), req)
}

// scanWatched scans a title of the watchlist. An episode that is there because
// it comes next gives way to the first one of the next season where the
// interface has only that.
func (w *watcher) scanWatched(ctx context.Context, t sources.Title) error {
	if w.loaded.Interface.URL == "" {
		return errNotLoaded
	}
	entry, waits, err := w.nextEntry(ctx, t)
	if err != nil {
		return err
	}
	if !waits {
		_, err := w.scan(ctx, t, scanRequest{})
		return err
	}
	found, err := w.orNextSeason(ctx, t, w.scan)
	if err != nil || found.Key() == t.Key() {
		return err
	}
	if _, _, err := w.moveOn(ctx, entry, found, sources.WatchNext); err != nil {
		return err
	}
	w.app.logger.Info("a series moves on to its next season", "title", found.String())
	return nil
}

// nextEntry gives the entry of the watchlist that has the episode t because it
// comes next.
func (p *pipeline) nextEntry(ctx context.Context, t sources.Title) (entry sources.WatchEntry, found bool, err error) {
	if t.Kind != sources.KindEpisode {
		return entry, false, nil
	}
	entries, err := p.store.Watchlist(ctx)
	if err != nil {
		return entry, false, err
	}
	for _, e := range entries {
		if e.Origin == sources.WatchNext && e.Title.Key() == t.Key() {
			return e, true, nil
		}
	}
	return entry, false, nil
}
