package engine

import (
	"context"
	"sync/atomic"
	"time"

	"xship/sources"
)

const (
	// recordWait is how long a cycle waits for what is kept of it at its end.
	recordWait = 250 * time.Millisecond
	// recordTimeout is how long that may take: longer than a store waits for a locked
	// database.
	recordTimeout = 30 * time.Second
)

// readiness watches for titles of the watchlist that become ready on the interface of a
// cycle: with each source that is proven, so that they are told of at once, and at the end
// of each cycle, for what other commands proved and for what was lost.
type readiness struct {
	engine *Engine
	at     atomic.Pointer[string] // URL of the interface of the cycle, nil before the first one
}

// use tells on which interface a cycle works.
func (r *readiness) use(interfaceURL string) { r.at.Store(&interfaceURL) }

// note tells of the titles that became ready, of those that have the source; "" = of all.
// It is no part of a cycle's work: a store that fails is logged.
func (r *readiness) note(ctx context.Context, sourceID string) {
	at := r.at.Load()
	if at == nil {
		return
	}
	ready, err := r.engine.cfg.Store.NoteReady(ctx, *at, sourceID)
	if err != nil {
		r.engine.cfg.Logger.Debug("it could not be found out which titles are ready", "error", err)
		return
	}
	for _, s := range ready {
		r.engine.observer.Observe(ctx, sources.TitleReady{Title: s.Title, Quality: s.Best})
	}
}

// streams is a store of streams that has titles noted whose sources are proven.
func (r *readiness) streams(store sources.StreamStore) sources.StreamStore {
	return &provingStreams{StreamStore: store, readiness: r}
}

// provingStreams is what readiness.streams gives.
type provingStreams struct {
	sources.StreamStore
	readiness *readiness
}

// PutMediaInfo implements sources.StreamStore.
func (s *provingStreams) PutMediaInfo(ctx context.Context, sourceID string, m sources.MediaInfo) error {
	if err := s.StreamStore.PutMediaInfo(ctx, sourceID, m); err != nil {
		return err
	}
	s.readiness.note(ctx, sourceID)
	return nil
}

// cycleKeeper is an Observer that keeps what cycles did, before another one is told.
type cycleKeeper struct {
	sources.Observer
	readiness *readiness
}

// Observe implements sources.Observer.
func (k *cycleKeeper) Observe(ctx context.Context, e sources.Event) {
	if ended, ok := e.(sources.CycleEnded); ok {
		k.keep(ctx, ended)
	}
	k.Observer.Observe(ctx, e)
}

// keep stores what a cycle did. One that is to end does not wait longer than a moment for
// a store that is busy.
func (k *cycleKeeper) keep(ctx context.Context, e sources.CycleEnded) {
	engine := k.readiness.engine
	now := engine.cfg.Now()
	record := sources.CycleRecord{CycleSummary: e.CycleSummary, BegunAt: now.Add(-e.Duration), EndedAt: now, NextAt: e.Next, Interrupted: e.Interrupted}
	if e.Err != nil {
		record.Error = e.Err.Error()
	}
	engine.books.Keep(ctx, recordWait, recordTimeout, func(ctx context.Context) {
		if err := engine.cfg.Store.PutCycle(ctx, record); err != nil {
			engine.cfg.Logger.Warn("what the cycle did could not be stored", "error", err)
			return
		}
		k.readiness.note(ctx, "")
	})
}
