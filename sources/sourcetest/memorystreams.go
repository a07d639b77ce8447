package sourcetest

import (
	"context"
	"time"

	"xship/sources"
)

// storedStream is what became of a source.
type storedStream struct {
	sources.StoredStream // without its MediaInfo
	probedAt             time.Time
	info                 *sources.MediaInfo // of the last stream of the source that was read
	overdue              bool               // to be resolved again
}

// State is the state that a source last got, StateFound where it got none.
func (m *Memory) State(sourceID string) sources.State {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s, ok := m.states[sourceID]; ok {
		return s
	}
	return sources.StateFound
}

// CachedStream implements sources.StreamStore.
func (m *Memory) CachedStream(ctx context.Context, sourceID string) (stream *sources.StoredStream, err error) {
	err = m.do(ctx, "CachedStream", func() {
		s, ok := m.streams[sourceID]
		if !ok {
			return
		}
		stream = &sources.StoredStream{Stream: cloneStream(s.Stream), ResolvedAt: s.ResolvedAt}
		if !s.probedAt.IsZero() {
			info := cloneInfo(*s.info)
			stream.MediaInfo = &info
		}
	})
	return stream, err
}

// PutStream implements sources.StreamStore.
func (m *Memory) PutStream(ctx context.Context, sourceID string, s sources.Stream) error {
	return m.do(ctx, "PutStream", func() {
		s.Provider = ""
		stored := &storedStream{StoredStream: sources.StoredStream{Stream: cloneStream(s), ResolvedAt: seconds(m.now())}}
		if before := m.streams[sourceID]; before != nil {
			stored.info = before.info
		}
		m.streams[sourceID] = stored
		m.setState(sourceID, sources.StateResolved)
	})
}

// PutMediaInfo implements sources.StreamStore.
func (m *Memory) PutMediaInfo(ctx context.Context, sourceID string, info sources.MediaInfo) error {
	return m.do(ctx, "PutMediaInfo", func() {
		if s := m.streams[sourceID]; s != nil {
			info = cloneInfo(info)
			s.info, s.probedAt = &info, m.now()
			m.setState(sourceID, sources.StateProbed)
			m.prove(sourceID, info)
		}
	})
}

// DropStream implements sources.StreamStore.
func (m *Memory) DropStream(ctx context.Context, sourceID string) error {
	return m.do(ctx, "DropStream", func() {
		delete(m.streams, sourceID)
		m.setState(sourceID, sources.StateFound)
	})
}

// revive makes the dead sources with a link found again.
func (m *Memory) revive(link string) {
	for row := range m.rows() {
		if row.URL == link && row.State == sources.StateDead {
			m.setState(row.ID, sources.StateFound)
		}
	}
}

// stateOfDead is dead, but for a source that was found to be gone while the network was
// down. After the outage that is said of one finding, and the next one is believed.
func (m *Memory) stateOfDead(sourceID string) sources.State {
	for row := range m.rowsOf(sourceID) {
		l := m.table.Links[row.URL]
		if !l.Disbelieved() {
			continue
		}
		if !m.table.Network.Outage {
			l.GoneRun = 0
			_ = m.table.PutLink(row.URL, l) // it gives no errors
		}
		return sources.StateFound
	}
	return sources.StateDead
}

// MarkDead implements sources.StreamStore.
func (m *Memory) MarkDead(ctx context.Context, sourceID string) error {
	return m.do(ctx, "MarkDead", func() {
		delete(m.streams, sourceID)
		m.setState(sourceID, m.stateOfDead(sourceID))
	})
}

// MarkNeeds implements sources.StreamStore.
func (m *Memory) MarkNeeds(ctx context.Context, sourceID, needs string) error {
	return m.do(ctx, "MarkNeeds", func() {
		for row := range m.rowsOf(sourceID) {
			row.Needs = needs
		}
	})
}

// setState gives all rows of a source a state, and its place in the queues. A
// source that works is no longer held back, nor does it rest or need anything.
func (m *Memory) setState(sourceID string, state sources.State) {
	m.states[sourceID] = state
	works := state == sources.StateResolved || state == sources.StateProbed
	if !works {
		delete(m.proven, sourceID)
	}
	for row, t := range m.rowsOf(sourceID) {
		row.State, row.stateAt = state, seconds(m.now())
		if works {
			row.restUntil, row.Needs = time.Time{}, ""
		}
		m.place(t, works, func(r *storedSource) bool { return r == row })
	}
}

// SourceMediaInfo implements sources.StreamStore.
func (m *Memory) SourceMediaInfo(ctx context.Context, ids []string) (map[string]sources.MediaInfo, error) {
	known := map[string]sources.MediaInfo{}
	err := m.do(ctx, "SourceMediaInfo", func() {
		for _, id := range ids {
			if s := m.streams[id]; s != nil && s.info != nil {
				known[id] = cloneInfo(*s.info)
			}
		}
	})
	return known, err
}

func cloneInfo(info sources.MediaInfo) sources.MediaInfo {
	if info.Video != nil {
		video := *info.Video
		info.Video = &video
	}
	info.Audio, info.Subtitles = cloneList(info.Audio), cloneList(info.Subtitles)
	return info
}
