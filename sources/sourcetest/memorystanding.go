package sourcetest

import (
	"context"
	"maps"
	"slices"
	"time"

	"xship/sources"
)

// Bounds that the ports name.
const (
	keptCycles   = 100
	keptHours    = 48
	mostSwitches = 20
)

// prove notes that a source was read.
func (m *Memory) prove(sourceID string, info sources.MediaInfo) {
	if len(m.rowsOf(sourceID)) == 0 {
		return
	}
	m.proven[sourceID] = sources.QualityUnknown
	if info.Video != nil {
		m.proven[sourceID] = sources.QualityOf(info.Video.Width, info.Video.Height)
	}
}

// provenOf gives the proven sources of a title, by id.
func (m *Memory) provenOf(t *storedTitle) map[string]sources.Source {
	found := map[string]sources.Source{}
	if t == nil {
		return found
	}
	for _, answer := range t.answers {
		for _, row := range answer.rows {
			if quality, proven := m.proven[row.ID]; proven && !row.Trailer && row.Unplayable == "" {
				src := row.Source
				if quality != sources.QualityUnknown {
					src.Quality = quality
				}
				found[row.ID] = src
			}
		}
	}
	return found
}

// WatchStates implements sources.WatchStore.
func (m *Memory) WatchStates(ctx context.Context, interfaceURL string) (all []sources.WatchState, err error) {
	err = m.do(ctx, "WatchStates", func() { all = m.watchStates(interfaceURL) })
	return all, err
}

// WatchWaiting implements sources.WatchStore.
func (m *Memory) WatchWaiting(ctx context.Context, interfaceURL string) (total int, waiting []sources.WatchState, err error) {
	err = m.do(ctx, "WatchWaiting", func() {
		total = len(m.watch)
		waiting = slices.DeleteFunc(m.watchStates(interfaceURL), sources.WatchState.Ready)
	})
	return total, waiting, err
}

func (m *Memory) watchStates(interfaceURL string) (all []sources.WatchState) {
	for _, e := range m.soonestFirst() {
		key := titleKey{e.Title.Key(), interfaceURL}
		s := sources.WatchState{WatchEntry: e, WaitsSince: m.past(m.waits[e.ID]), LookedAt: m.past(m.looked[e.ID])}
		if t := m.titles[key]; t != nil {
			s.ScannedAt = m.past(t.scannedAt)
		}
		if empty, ok := m.empty[key]; ok && !empty.at.After(m.now()) {
			s.EmptiedAt = empty.at
			if until := empty.at.Add(empty.rest); until.After(m.now()) {
				s.RestUntil = until
			}
		}
		best := -1
		for _, src := range m.provenOf(m.titles[key]) {
			if !src.Own && !m.table.Hosters[src.Hoster].Healthy() {
				s.Hidden++
				continue
			}
			s.Proven++
			place := slices.Index(append(sources.Qualities(), sources.QualityUnknown), src.Quality)
			if best < 0 || place < best {
				best, s.Best = place, src.Quality
			}
		}
		all = append(all, s)
	}
	return all
}

// NoteLooked implements sources.WatchStore.
func (m *Memory) NoteLooked(ctx context.Context, t sources.Title) error {
	return m.do(ctx, "NoteLooked", func() {
		if i := m.watched(t.Key()); i >= 0 {
			m.looked[m.watch[i].ID] = seconds(m.now())
		}
	})
}

// NoteReady implements sources.WatchStore.
func (m *Memory) NoteReady(ctx context.Context, interfaceURL, sourceID string) (ready []sources.WatchState, err error) {
	err = m.do(ctx, "NoteReady", func() {
		for _, s := range m.watchStates(interfaceURL) {
			anywhere, concerned := false, sourceID == ""
			for key, t := range m.titles {
				if key.title != s.Title.Key() {
					continue
				}
				anywhere = anywhere || len(m.provenOf(t)) > 0
				for _, row := range m.rowsOf(sourceID) {
					concerned = concerned || row == t
				}
			}
			switch {
			case !concerned:
			case s.Ready() && !s.WaitsSince.IsZero():
				delete(m.waits, s.ID)
				s.WaitsSince = time.Time{}
				ready = append(ready, s)
			case !anywhere && s.WaitsSince.IsZero():
				m.waits[s.ID] = seconds(m.now())
			}
		}
	})
	return ready, err
}

// PutCycle implements sources.CycleStore.
func (m *Memory) PutCycle(ctx context.Context, c sources.CycleRecord) error {
	return m.do(ctx, "PutCycle", func() {
		c.BegunAt, c.EndedAt, c.NextAt = seconds(c.BegunAt), seconds(c.EndedAt), seconds(c.NextAt)
		c.Duration = max(0, c.EndedAt.Sub(c.BegunAt))
		m.cycles = append(m.cycles, c)
		m.cycles = m.cycles[max(0, len(m.cycles)-keptCycles):]
	})
}

// Cycles implements sources.CycleStore.
func (m *Memory) Cycles(ctx context.Context, limit int) (all []sources.CycleRecord, err error) {
	err = m.do(ctx, "Cycles", func() {
		for _, c := range slices.Backward(m.cycles) {
			if len(all) < limit && !c.EndedAt.After(m.now()) {
				all = append(all, c)
			}
		}
	})
	return all, err
}

// CycleBegun implements sources.CycleStore.
func (m *Memory) CycleBegun(ctx context.Context) (at time.Time, err error) {
	err = m.do(ctx, "CycleBegun", func() { at = m.past(m.cycleAt) })
	return at, err
}

// countHour counts the end of an attempt in its hour.
func (m *Memory) countHour(hoster string, class sources.Class) {
	if class != sources.ClassOK && class != sources.ClassHosterFault {
		return
	}
	hour := m.unix() / 3600
	if m.hours[hoster] == nil {
		m.hours[hoster] = map[int64]*sources.HosterHour{}
	}
	h := m.hours[hoster][hour]
	if h == nil {
		h = &sources.HosterHour{At: fromUnix(hour * 3600)}
		m.hours[hoster][hour] = h
		maps.DeleteFunc(m.hours[hoster], func(old int64, _ *sources.HosterHour) bool { return old <= hour-keptHours })
	}
	if class == sources.ClassOK {
		h.OK++
	} else {
		h.Fail++
	}
}

// HosterHours implements sources.HosterTable.
func (m *Memory) HosterHours(ctx context.Context, since time.Time) (map[string][]sources.HosterHour, error) {
	all := map[string][]sources.HosterHour{}
	err := m.do(ctx, "HosterHours", func() {
		for hoster, hours := range m.hours {
			for _, hour := range slices.Sorted(maps.Keys(hours)) {
				if hour >= since.Unix()/3600 && hour <= m.unix()/3600 {
					all[hoster] = append(all[hoster], *hours[hour])
				}
			}
		}
	})
	return all, err
}

// CountHosters implements sources.HosterTable.
func (m *Memory) CountHosters(ctx context.Context) (n int, err error) {
	err = m.do(ctx, "CountHosters", func() { n = len(m.table.Hosters) })
	return n, err
}

// InterfaceUse implements sources.InterfaceStore.
func (m *Memory) InterfaceUse(ctx context.Context) (u sources.InterfaceUse, err error) {
	err = m.do(ctx, "InterfaceUse", func() {
		if u = (sources.InterfaceUse{URL: m.current}); m.current != "" && m.use.URL == m.current {
			u = m.use
			u.From, u.At = slices.Clone(u.From), m.past(u.At)
		}
	})
	return u, err
}

// putInUse puts an interface in use that is listed, and notes how that came.
func (m *Memory) putInUse(url string, how sources.InterfaceHow, from []string) bool {
	if m.added(url) < 0 {
		return false
	}
	m.current = url
	m.use = sources.InterfaceUse{URL: url, How: how, From: from, At: seconds(m.now())}
	return true
}
