package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"xship/cmd/engine/loader"
	"xship/config"
	"xship/precacher"
	"xship/sources"
	"xship/sources/text"
)

// CheckSchedule tells whether the daemon can keep the schedule of the settings.
func CheckSchedule(s *config.Settings) error {
	if err := precacher.ParseSchedule(s.Precache.Schedule); err != nil {
		return &RequestError{Text: "precache.schedule: " + err.Error()}
	}
	return nil
}

// PrecacherLock is held by the one precacher of a data directory.
type PrecacherLock struct {
	lock *processLock
	path string
}

// Release gives the lock back.
func (l *PrecacherLock) Release() error { return l.lock.release() }

// LockPrecacher makes this process the one precacher of a data directory, until
// the lock is released.
func LockPrecacher(dataDir string, logger *slog.Logger) (*PrecacherLock, error) {
	path := config.PrecacherLockPath(dataDir)
	lock, err := acquireLock(path)
	if held, ok := errors.AsType[*lockHeldError](err); ok {
		who := "another process"
		if held.pid != 0 {
			who = fmt.Sprintf("process %d", held.pid)
		}
		return nil, text.WithHint(fmt.Errorf("a precacher runs on %s already: %s", dataDir, who),
			"end that one first, or name another directory with --data-dir")
	}
	if err != nil {
		return nil, err
	}
	if err := lock.writePID(); err != nil {
		logger.Warn("the lock file does not name this process; it holds the lock all the same", "error", err)
	}
	return &PrecacherLock{lock: lock, path: path}, nil
}

// stillThere tells whether what the daemon works on is where others look for it. Where
// the data directory was moved or removed, it would work on files that nobody sees, and
// another one could start beside it.
func (e *Engine) stillThere(lock *PrecacherLock) error {
	const hint = "start it again where the data is; nothing of what it does here would be seen"
	if err := e.cfg.Store.Moved(); err != nil {
		return text.WithHint(fmt.Errorf("the precacher ends: %w", err), hint)
	}
	if lock != nil && !lock.lock.held(lock.path) {
		return text.WithHint(fmt.Errorf("the precacher ends: its lock %s was moved or removed, and another one may run", lock.path), hint)
	}
	return nil
}

// PrecacheOnce runs one cycle of the precacher.
func (e *Engine) PrecacheOnce(ctx context.Context) error {
	cacher, err := e.newPrecacher(nil)
	if err != nil {
		return err
	}
	_, err = cacher.Cycle(ctx)
	return err
}

// Precache runs a cycle at once and then by the schedule of the settings, until ctx
// ends: that is no error. That its data was moved or removed is one; lock is what
// LockPrecacher gave, nil for none.
func (e *Engine) Precache(ctx context.Context, lock *PrecacherLock) error {
	cacher, err := e.newPrecacher(func() error { return e.stillThere(lock) })
	if err != nil {
		return err
	}
	schedule := e.cfg.Settings.Precache.Schedule
	e.cfg.Logger.Info("the precacher runs", "schedule", schedule, "data_dir", e.cfg.DataDir)
	if err := cacher.Run(ctx, schedule); err != nil {
		return err
	}
	e.cfg.Logger.Info("the precacher ends")
	return nil
}

// newPrecacher makes the precacher. It works through the watchlist on the interface
// that is in use when a cycle begins.
func (e *Engine) newPrecacher(ready func() error) (*precacher.Precacher, error) {
	if err := e.prepare(); err != nil {
		return nil, err
	}
	resolving, err := e.resolving.get()
	if err != nil {
		return nil, err
	}
	s := e.cfg.Settings
	w := &watcher{Engine: e}
	return precacher.New(precacher.Config{
		Queue:        e.cfg.Store,
		Hosters:      e.cfg.Store.Hosters,
		Guard:        e.cfg.Store.Guard,
		Due:          w.due,
		Scan:         w.scanWatched,
		Streams:      resolving.streams,
		Prober:       resolving.prober,
		Ready:        ready,
		Logger:       e.cfg.Logger,
		Observer:     e.observer,
		Now:          e.cfg.Now,
		Workers:      s.Precache.Workers,
		Pace:         s.Precache.Pace,
		PerHoster:    s.Precache.PerHoster,
		ProbeTimeout: s.Probe.Timeout,
	})
}

// watcher scans the watchlist for a precacher, on one interface a cycle.
type watcher struct {
	*Engine
	loaded loader.Result // in this cycle; at first what the one before had
}

// use takes over what a load gave. Where that is nothing, the last good config
// stays in use.
func (w *watcher) use(e loader.Event) {
	if e.Result.Interface.URL != "" {
		w.loaded = e.Result
	}
}

// errNotLoaded is why a title cannot be scanned in a cycle that has no interface;
// why that could not be loaded was logged.
var errNotLoaded = errors.New("no interface could be loaded")

// due loads the interface in use, once for the cycle, and gives the watched
// titles whose list at it the cache does not answer any more. Those are due, and
// cannot be scanned, where none could be loaded.
func (w *watcher) due(ctx context.Context) ([]sources.Title, error) {
	interfaces, err := w.loader.get()
	if err != nil {
		return nil, err
	}
	if _, err := interfaces.Load(ctx, loader.Request{Caller: loader.Caller{Loaded: w.use}}); err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	at := w.loaded.Interface.URL
	if at == "" {
		chosen, err := interfaces.Active(ctx, "")
		if err != nil {
			return nil, err
		}
		at = chosen.URL
	}
	entries, err := w.cfg.Store.WatchDue(ctx, at, w.cfg.Settings.Scan.CacheTTL)
	titles := make([]sources.Title, 0, len(entries))
	for _, e := range entries {
		titles = append(titles, e.Title)
	}
	return titles, err
}

// scanWatched scans a title of the watchlist on the interface of this cycle. An
// episode that is there because it comes next gives way to the first one of the next
// season where the interface has only that.
func (w *watcher) scanWatched(ctx context.Context, t sources.Title) error {
	if w.loaded.Interface.URL == "" {
		return errNotLoaded
	}
	scan := func(t sources.Title) (sources.ScanResult, error) {
		return w.scanLoaded(ctx, w.loaded, w.cfg.Now(), ScanRequest{Title: t}, nil)
	}
	entry, waits, err := w.nextEntry(ctx, t)
	if err != nil {
		return err
	}
	if !waits {
		_, err := scan(t)
		return err
	}
	found, err := orNextSeason(t, scan)
	if err != nil || found.Key() == t.Key() {
		return err
	}
	if _, _, err := w.setWatched(ctx, entry, found, sources.WatchNext); err != nil {
		return err
	}
	w.cfg.Logger.Info("a series moves on to its next season", "title", found.String())
	return nil
}

// nextEntry gives the entry of the watchlist that has the episode t because it
// comes next.
func (w *watcher) nextEntry(ctx context.Context, t sources.Title) (entry sources.WatchEntry, found bool, err error) {
	if t.Kind != sources.KindEpisode {
		return entry, false, nil
	}
	entries, err := w.cfg.Store.Watchlist(ctx)
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
