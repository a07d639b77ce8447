package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

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

// PrecacheRequest says how the precacher runs.
type PrecacheRequest struct {
	Lock     *PrecacherLock           // what LockPrecacher gave, nil for none
	Progress func(precacher.Progress) // told how far it is, and not held up by that; nil: nobody
}

// PrecacheOnce runs one cycle of the precacher.
func (e *Engine) PrecacheOnce(ctx context.Context, r PrecacheRequest) error {
	cacher, err := e.newPrecacher(r, nil)
	if err != nil {
		return err
	}
	wait := beside(ctx, func(ctx context.Context) { e.newAccountWatch().look(ctx) })
	_, err = cacher.Cycle(ctx)
	wait(accountsGrace)
	return err
}

// beside begins do. wait waits for its end, and ends its context where that takes longer
// than grace.
func beside(ctx context.Context, do func(context.Context)) (wait func(grace time.Duration)) {
	ctx, end := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		do(ctx)
	}()
	return func(grace time.Duration) {
		limit := time.AfterFunc(grace, end)
		<-ended
		limit.Stop()
		end()
	}
}

// accountsGrace is how long a single cycle waits at its end for what providers are asked
// about accounts. The next one asks again.
const accountsGrace = 5 * time.Second

// Precache runs a cycle at once and then by the schedule of the settings, until ctx
// ends: that is no error. That its data was moved or removed is one.
func (e *Engine) Precache(ctx context.Context, r PrecacheRequest) error {
	cacher, err := e.newPrecacher(r, func() error { return e.stillThere(r.Lock) })
	if err != nil {
		return err
	}
	schedule := e.cfg.Settings.Precache.Schedule
	e.cfg.Logger.Info("the precacher runs", "schedule", schedule, "data_dir", e.cfg.DataDir)
	e.tellOthers(r.Lock)
	watching, end := context.WithCancel(ctx)
	wait := e.watchAccounts(watching)
	defer wait()
	defer end()
	if err := cacher.Run(ctx, schedule); err != nil {
		return err
	}
	e.cfg.Logger.Info("the precacher ends")
	return nil
}

// newPrecacher makes the precacher. It works through the watchlist on the interface
// that is in use when a cycle begins.
func (e *Engine) newPrecacher(r PrecacheRequest, ready func() error) (*precacher.Precacher, error) {
	if err := e.prepare(); err != nil {
		return nil, err
	}
	resolving, err := e.resolving.get()
	if err != nil {
		return nil, err
	}
	s := e.cfg.Settings
	w := e.newWatcher()
	return precacher.New(precacher.Config{
		Queue:        e.cfg.Store,
		Hosters:      e.cfg.Store.Hosters,
		Guard:        e.cfg.Store.Guard,
		Due:          w.due,
		Scan:         w.scanWatched,
		Streams:      resolving.streams.With(resolving.streams.Attempts.Store, w.ready.streams(resolving.streams.Streams)),
		Prober:       resolving.prober,
		Ready:        ready,
		Logger:       e.cfg.Logger,
		Observer:     &cycleKeeper{Observer: e.observer, readiness: w.ready},
		Now:          e.cfg.Now,
		Progress:     r.Progress,
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
	ready  *readiness
	idle   bool // the watchlist was empty in the cycle before
	scan   func(ctx context.Context, t sources.Title) (sources.ScanResult, error)
}

func (e *Engine) newWatcher() *watcher {
	w := &watcher{Engine: e, ready: &readiness{engine: e}}
	w.scan = func(ctx context.Context, t sources.Title) (sources.ScanResult, error) {
		return w.scanLoaded(ctx, w.loaded, w.cfg.Now(), ScanRequest{Title: t}, nil)
	}
	return w
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
	w.ready.use(at)
	entries, err := w.cfg.Store.WatchDue(ctx, at, w.cfg.Settings.Scan.CacheTTL)
	if err == nil {
		w.tellIdle(ctx, len(entries) == 0)
	}
	titles := make([]sources.Title, 0, len(entries))
	for _, e := range entries {
		titles = append(titles, e.Title)
	}
	return titles, err
}

// tellIdle says what to do where the watchlist is empty, when that is first found.
func (w *watcher) tellIdle(ctx context.Context, nothingDue bool) {
	idle := false
	if nothingDue {
		all, err := w.cfg.Store.Watchlist(ctx)
		if err != nil {
			return // the next question to the store tells why
		}
		idle = len(all) == 0
	}
	if idle && !w.idle {
		w.cfg.Logger.Info("the watchlist is empty, so no title is scanned; put one on it: xship watch add TITLE")
	}
	w.idle = idle
}

// scanWatched scans a title of the watchlist on the interface of this cycle. An
// episode that is yet to be broadcast is not looked for. One that is there because it
// comes next gives way to the first one of the next season where its own has no more, as
// the id service knows, or else the interface tells.
func (w *watcher) scanWatched(ctx context.Context, t sources.Title) error {
	if w.loaded.Interface.URL == "" {
		return errNotLoaded
	}
	scan := func(t sources.Title) (sources.ScanResult, error) {
		found, err := w.scan(ctx, t)
		w.noteLooked(ctx, t)
		return found, err
	}
	entry, waits, err := w.nextEntry(ctx, t)
	if err != nil {
		return err
	}
	facts, current := w.factsOf(ctx, t, waits)
	if w.awaitsAiring(facts, current, t) {
		w.cfg.Logger.Debug("an episode is not looked for before it is broadcast", "title", t.String())
		return nil
	}
	if _, exists := facts.Episode(t.Season, t.Episode); !waits || exists {
		_, err := scan(t)
		return err
	}
	if done, err := w.endSeason(ctx, entry, facts, scan); done || err != nil {
		return err
	}
	found, err := orNextSeason(t, scan)
	if err != nil || found.Key() == t.Key() {
		return err
	}
	return w.beginSeason(ctx, entry, found)
}

// noteLooked notes that a title was looked for, unless the cycle is to end. It is no part of
// that: a store that fails is logged.
func (w *watcher) noteLooked(ctx context.Context, t sources.Title) {
	if ctx.Err() != nil {
		return
	}
	if err := w.cfg.Store.NoteLooked(ctx, t); err != nil {
		w.cfg.Logger.Debug("it could not be noted that a title was looked for", "title", t.String(), "error", err)
	}
}

// beginSeason moves the entry of a series on to its next season.
func (w *watcher) beginSeason(ctx context.Context, entry sources.WatchEntry, first sources.Title) error {
	if _, _, err := w.setWatched(ctx, entry, first, sources.WatchNext); err != nil {
		return err
	}
	w.cfg.Logger.Info("a series moves on to its next season", "title", first.String())
	return nil
}

// factsOf is what the id service knows of the series of t, the zero value where that is
// nothing. It is asked only for an episode that is there because it comes next; current
// is false for what it answered before.
func (w *watcher) factsOf(ctx context.Context, t sources.Title, waits bool) (facts sources.TitleFacts, current bool) {
	if t.Kind != sources.KindEpisode {
		return facts, false
	}
	if waits {
		if facts, known := w.seriesFacts(ctx, t); known {
			return facts, true
		}
	}
	if facts, known := w.storedSeries(ctx, t); known {
		return facts, false
	}
	return sources.TitleFacts{}, false
}

// awaitsAiring tells whether an episode is yet to be broadcast. A day that was known
// stays known; that one is to be announced may be out of date.
func (w *watcher) awaitsAiring(facts sources.TitleFacts, current bool, t sources.Title) bool {
	e, listed := facts.Episode(t.Season, t.Episode)
	return listed && !facts.Aired(e, w.cfg.Now()) && (current || !e.AiredAt.IsZero())
}

// endSeason is for an entry whose episode does not exist as far as is known, though the
// one before it does: it moves on to the next season, which is scanned, or is removed
// where the series has ended. done is false where neither is known.
func (w *watcher) endSeason(
	ctx context.Context, entry sources.WatchEntry, facts sources.TitleFacts, scan func(sources.Title) (sources.ScanResult, error),
) (done bool, err error) {
	last := entry.Title
	last.Episode--
	next, _, follows := facts.After(last, w.cfg.Now())
	switch follows {
	case sources.FollowsAired, sources.FollowsUnaired:
		if err = w.beginSeason(ctx, entry, next); err == nil && follows == sources.FollowsAired {
			_, err = scan(next)
		}
		return true, err
	case sources.FollowsNothing:
		if _, err = w.cfg.Store.RemoveWatch(ctx, entry.ID); err == nil {
			w.cfg.Logger.Info("no episode follows, the series is not watched any more", "last", last.String())
		}
		return true, err
	default:
		return false, nil
	}
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
