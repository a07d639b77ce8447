package sourcetest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"xship/sources"
)

// queue is where a source waits.
type queue int

const (
	queueNone    queue = iota
	queueResolve       // it has no stream, or one that ends soon
	queueProbe         // its stream was not read yet
	queueHeld          // it was tried in this cycle
	queueRest          // nobody can resolve it
)

const (
	unsupportedRest = 24 * time.Hour // of a source that nobody can resolve
	streamTTL       = time.Hour      // of a stream that does not tell its end
)

// place puts the rows of a title that which selects, all where it is nil, into the
// queues where they belong. Release lets go those that are held back.
func (m *Memory) place(t *storedTitle, release bool, which func(*storedSource) bool) {
	for _, a := range t.answers {
		for _, row := range a.rows {
			if which == nil || which(row) {
				row.queue, row.rank = m.queueOf(t, row, release), rankOf(t, row, m.now())
			}
		}
	}
}

// placeAll is place for all titles.
func (m *Memory) placeAll(release bool, which func(*storedSource) bool) {
	for _, t := range m.titles {
		m.place(t, release, which)
	}
}

func (m *Memory) queueOf(t *storedTitle, row *storedSource, release bool) queue {
	s := m.streams[row.ID]
	rest := row.restUntil.Sub(m.now())
	switch {
	case t.wantedAt.IsZero() || row.State == sources.StateDead || row.Trailer || row.Unplayable != "" || !row.Own && !tracked(row.Hoster):
		return queueNone
	case !row.restUntil.IsZero() && rest > 0 && rest <= unsupportedRest:
		return queueRest
	case row.queue == queueHeld && !release:
		return queueHeld
	case s == nil || s.overdue:
		return queueResolve
	case s.probedAt.IsZero():
		return queueProbe
	default:
		return queueNone
	}
}

// rankOf is the place of a source in its queue, lower is sooner: of the titles
// wanted on the latest day, the best quality, and last what needs more than a
// player.
func rankOf(t *storedTitle, row *storedSource, now time.Time) int64 {
	steps := int64(row.Quality.Rank())
	if row.Priority > sources.PriorityDefault {
		steps += 8
	}
	wanted, today := t.wantedAt.Unix()/86400, now.Unix()/86400
	if wanted > today { // under another clock
		wanted = 0
	}
	day := max(0, 1<<16-wanted)
	return (day*16+steps)<<32 | row.number
}

// BeginCycle implements sources.Queue.
func (m *Memory) BeginCycle(ctx context.Context) (cycle int64, err error) {
	err = m.do(ctx, "BeginCycle", func() {
		m.cycle++
		cycle, m.cycleAt = m.cycle, seconds(m.now())
		m.renewWhere(func(s *storedStream) bool { return s.ResolvedAt.After(m.cycleAt) }) // under another clock
		m.placeAll(true, func(row *storedSource) bool { return row.queue == queueHeld || row.queue == queueRest })
	})
	return cycle, err
}

// ResolveQueue implements sources.Queue.
func (m *Memory) ResolveQueue(ctx context.Context, renewBefore time.Duration, limit, perHoster int) (jobs []sources.Job, err error) {
	err = m.do(ctx, "ResolveQueue", func() {
		m.renew(renewBefore)
		jobs = m.dispatch(queueResolve, limit, perHoster)
	})
	return jobs, err
}

// ProbeQueue implements sources.Queue.
func (m *Memory) ProbeQueue(ctx context.Context, limit, perHoster int) (jobs []sources.Job, err error) {
	err = m.do(ctx, "ProbeQueue", func() {
		m.renew(0)
		jobs = m.dispatch(queueProbe, limit, perHoster)
	})
	return jobs, err
}

// renew puts sources whose stream ends within before into the queue of those to be
// resolved, except those that were resolved since the cycle began.
func (m *Memory) renew(before time.Duration) {
	due := m.now().Add(before)
	m.renewWhere(func(s *storedStream) bool {
		end := s.ExpiresAt
		if end.IsZero() {
			end = s.ResolvedAt.Add(streamTTL)
		}
		return !end.After(due) && s.ResolvedAt.Before(m.cycleAt)
	})
}

// renewWhere puts sources into the queue of those to be resolved whose stream is due.
func (m *Memory) renewWhere(due func(*storedStream) bool) {
	for id, s := range m.streams {
		if !s.overdue && due(s) {
			s.overdue = true
			m.placeAll(false, func(row *storedSource) bool { return row.ID == id })
		}
	}
}

// dispatch gives the sources of a queue that are the user's own or whose hoster may be
// tried, the first ones first.
func (m *Memory) dispatch(from queue, limit, perHoster int) []sources.Job {
	waiting := slices.Collect(maps.Keys(m.rows()))
	waiting = slices.DeleteFunc(waiting, func(row *storedSource) bool {
		return row.queue != from || !row.Own && !m.policy.Available(m.table.Hosters[row.Hoster], 0, m.unix())
	})
	place := func(row *storedSource) int64 {
		if row.Own {
			return row.rank
		}
		return row.rank + m.table.Hosters[row.Hoster].Setback()<<32
	}
	slices.SortFunc(waiting, func(a, b *storedSource) int { return cmp.Compare(place(a), place(b)) })
	jobs := []sources.Job{}
	type lane struct {
		hoster string
		own    bool
	}
	taken, seen := map[lane]int{}, map[string]bool{} // a source may have several rows
	for _, row := range waiting {
		if limit == 0 {
			break
		}
		at := lane{row.Hoster, row.Own}
		if taken[at] >= perHoster {
			continue
		}
		limit--
		taken[at]++
		if !seen[row.ID] {
			seen[row.ID] = true
			jobs = append(jobs, sources.Job{Source: cloneSource(row.Source)})
		}
	}
	return jobs
}

// HoldBack implements sources.Queue.
func (m *Memory) HoldBack(ctx context.Context, sourceID string) error {
	return m.do(ctx, "HoldBack", func() {
		for row := range m.rowsOf(sourceID) {
			if row.queue == queueResolve || row.queue == queueProbe {
				row.queue = queueHeld
			}
		}
	})
}

// waitingAt gives the sources with a link that are in some queue.
func (m *Memory) waitingAt(link string) []*storedSource {
	var all []*storedSource
	for row := range m.rows() {
		if row.URL == link && row.queue != queueNone {
			all = append(all, row)
		}
	}
	return all
}

// holdBack keeps the sources with a link out of the queues until the next cycle.
func (m *Memory) holdBack(link string) {
	for _, row := range m.waitingAt(link) {
		row.queue = queueHeld
	}
}

// restLink lets the sources with a link rest.
func (m *Memory) restLink(link string) {
	for _, row := range m.waitingAt(link) {
		row.queue, row.restUntil = queueRest, seconds(m.now()).Add(unsupportedRest)
	}
}
