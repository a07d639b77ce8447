package sourcetest

import (
	"context"
	"sync"
	"time"

	"xship/sources"
)

// MemStreams is a sources.StreamStore in memory. Make it with NewMemStreams.
// Its methods are safe for concurrent use.
type MemStreams struct {
	now func() time.Time

	mu      sync.Mutex
	err     error
	streams map[string]sources.StoredStream
	states  map[string]sources.State
}

var _ sources.StreamStore = (*MemStreams)(nil)

// NewMemStreams is an empty store that takes the time from now.
func NewMemStreams(now func() time.Time) *MemStreams {
	return &MemStreams{now: now, streams: map[string]sources.StoredStream{}, states: map[string]sources.State{}}
}

// SetError makes all methods that implement StreamStore fail with err and do
// nothing; nil makes them work again.
func (m *MemStreams) SetError(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.err = err
}

// State is the state of a source, StateFound where nothing was stored.
func (m *MemStreams) State(sourceID string) sources.State {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s, ok := m.states[sourceID]; ok {
		return s
	}
	return sources.StateFound
}

// CachedStream implements sources.StreamStore.
func (m *MemStreams) CachedStream(ctx context.Context, sourceID string) (*sources.StoredStream, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.fault(ctx); err != nil {
		return nil, err
	}
	s, ok := m.streams[sourceID]
	if !ok {
		return nil, nil
	}
	return &s, nil
}

// PutStream implements sources.StreamStore.
func (m *MemStreams) PutStream(ctx context.Context, sourceID string, s sources.Stream) error {
	return m.change(ctx, sourceID, sources.StateResolved, func() {
		m.streams[sourceID] = sources.StoredStream{Stream: s, ResolvedAt: m.now()}
	})
}

// PutMediaInfo implements sources.StreamStore.
func (m *MemStreams) PutMediaInfo(ctx context.Context, sourceID string, info sources.MediaInfo) error {
	return m.change(ctx, sourceID, sources.StateProbed, func() {
		if s, ok := m.streams[sourceID]; ok {
			s.MediaInfo = &info
			m.streams[sourceID] = s
		}
	})
}

// SourceMediaInfo implements sources.StreamStore.
func (m *MemStreams) SourceMediaInfo(ctx context.Context, ids []string) (map[string]sources.MediaInfo, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.fault(ctx); err != nil {
		return nil, err
	}
	known := map[string]sources.MediaInfo{}
	for _, id := range ids {
		if s, ok := m.streams[id]; ok && s.MediaInfo != nil {
			known[id] = *s.MediaInfo
		}
	}
	return known, nil
}

// DropStream implements sources.StreamStore.
func (m *MemStreams) DropStream(ctx context.Context, sourceID string) error {
	return m.change(ctx, sourceID, sources.StateFound, func() { delete(m.streams, sourceID) })
}

// MarkDead implements sources.StreamStore.
func (m *MemStreams) MarkDead(ctx context.Context, sourceID string) error {
	return m.change(ctx, sourceID, sources.StateDead, func() {})
}

func (m *MemStreams) change(ctx context.Context, sourceID string, state sources.State, apply func()) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.fault(ctx); err != nil {
		return err
	}
	apply()
	m.states[sourceID] = state
	return nil
}

func (m *MemStreams) fault(ctx context.Context) error {
	if m.err != nil {
		return m.err
	}
	return ctx.Err()
}
