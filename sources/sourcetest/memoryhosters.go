package sourcetest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"xship/sourcecache/health"
	"xship/sources"
	"xship/sources/link"
)

// Report is the outcome of one attempt, as a Memory was told.
type Report struct {
	Hoster string
	Class  sources.Class
	Detail string
}

// Block blocks a hoster until the given time, an hour ahead at most, by as many
// fails as it takes.
func (m *Memory) Block(hoster string, until time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	h := m.hosters[hoster]
	h.BackoffUntil = until.Unix()
	if until.Nanosecond() > 0 {
		h.BackoffUntil++
	}
	p := health.Hosters()
	for h.ConsecutiveFails = max(1, h.ConsecutiveFails); p.Until(h, m.unix()) == 0 && p.Backoff(h.ConsecutiveFails) < p.Max; {
		h.ConsecutiveFails++
	}
	m.hosters[hoster] = h
}

// Hoster gives all that is known of a hoster.
func (m *Memory) Hoster(name string) health.Hoster {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.hosters[name]
}

// SetHoster sets all that is known of a hoster.
func (m *Memory) SetHoster(name string, h health.Hoster) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.hosters[name] = h
}

// SetCanary makes the next report give c to be tested.
func (m *Memory) SetCanary(c sources.Canary) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.canary = &c
}

// Reports lists the outcomes in the order in which they were reported.
func (m *Memory) Reports() []Report {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.reports)
}

// Canaries lists what became of canaries.
func (m *Memory) Canaries() []sources.Class {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.canaries)
}

// Open is how many attempts have begun and not ended.
func (m *Memory) Open() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.open
}

// tracked tells whether anything is learnt of a hoster.
func tracked(hoster string) bool { return hoster != "" && hoster != link.HosterLocal }

// token is the name under which an attempt takes a lease.
func token(a sources.Attempt) string { return fmt.Sprint(a.Started.UnixNano()) }

// BeginAttempt implements sources.HosterStore. The nanoseconds of the start tell
// attempts apart, as it is what one is known by.
func (m *Memory) BeginAttempt(ctx context.Context, hoster, link string, force bool) (a sources.Attempt, ok bool, err error) {
	err = m.do(ctx, "BeginAttempt", func() {
		m.attempts++
		started := m.now().UTC().Truncate(time.Microsecond).Add(time.Duration(m.attempts % 1000))
		a, ok = sources.Attempt{Hoster: hoster, Link: link, Started: started}, true
		if !tracked(hoster) {
			return
		}
		h := m.hosters[hoster]
		if ok = health.Hosters().Begin(&h, force, token(a), m.unix()); !ok {
			return
		}
		m.open++
		if !h.Healthy() {
			m.hosters[hoster] = h
		}
	})
	return a, ok && err == nil, err
}

// EndAttempt implements sources.HosterStore.
func (m *Memory) EndAttempt(ctx context.Context, a sources.Attempt, class sources.Class, detail string) (canary *sources.Canary, err error) {
	err = m.do(ctx, "EndAttempt", func() {
		if !tracked(a.Hoster) {
			return
		}
		m.open--
		m.reports = append(m.reports, Report{Hoster: a.Hoster, Class: class, Detail: detail})
		switch class {
		case sources.ClassOK, sources.ClassHosterFault:
			e := health.Event{StartedAt: toUnix(a.Started), Success: class == sources.ClassOK, Error: detail, Token: token(a)}
			if !a.Unfit {
				e.Link = a.Link
			}
			if m.report(a.Hoster, e).Effect == health.Counted {
				canary = m.checkNetwork()
			}
		default:
			if h, ok := m.hosters[a.Hoster]; ok {
				h.End(token(a))
				m.hosters[a.Hoster] = h
			}
		}
		switch class {
		case sources.ClassOK, sources.ClassCancelled:
		case sources.ClassUnsupported:
			m.restLink(a.Link)
		default:
			m.holdBack(a.Link)
		}
		if m.canary != nil {
			canary, m.canary = m.canary, nil
		}
	})
	return canary, err
}

func (m *Memory) report(hoster string, e health.Event) health.Outcome {
	h := m.hosters[hoster]
	outcome := health.Hosters().Report(&h, &m.guard, e, m.unix())
	m.hosters[hoster] = h
	return outcome
}

// checkNetwork looks at what a fail that counted says of the network.
func (m *Memory) checkNetwork() *sources.Canary {
	best := ""
	for name, h := range m.hosters {
		if h.MayBeCanary(m.unix()) && (best == "" || h.LastSuccessAt > m.hosters[best].LastSuccessAt) {
			best = name
		}
	}
	run := m.guard.Run
	switch m.guard.Decide(best != "", m.unix()) {
	case health.TestCanary:
		return &sources.Canary{Hoster: best, Link: m.hosters[best].GoodLink, Lease: run}
	case health.NetworkDown:
		m.undo(run)
	default:
	}
	return nil
}

func (m *Memory) undo(run int64) {
	for name, h := range m.hosters {
		h.Undo(run)
		m.hosters[name] = h
	}
}

// EndCanary implements sources.HosterStore.
func (m *Memory) EndCanary(ctx context.Context, c sources.Canary, class sources.Class) error {
	return m.do(ctx, "EndCanary", func() {
		m.canaries = append(m.canaries, class)
		run := m.guard.Run
		switch class {
		case sources.ClassOK:
			m.report(c.Hoster, health.Event{Success: true, Canary: true, Link: c.Link})
		case sources.ClassHosterFault, sources.ClassDeadLink:
			if m.guard.EndCanary(c.Lease, class == sources.ClassDeadLink, m.unix()) == health.NetworkDown {
				m.undo(run)
			}
		default:
			m.guard.CancelCanary(c.Lease)
		}
	})
}

// HosterAvailable implements sources.HosterTable.
func (m *Memory) HosterAvailable(ctx context.Context, hoster string, cooldown time.Duration) (ok bool, err error) {
	err = m.do(ctx, "HosterAvailable", func() {
		ok = health.Hosters().Available(m.hosters[hoster], int64((cooldown+time.Second-1)/time.Second), m.unix())
	})
	return ok, err
}

// Hosters implements sources.HosterTable.
func (m *Memory) Hosters(ctx context.Context) (all []sources.HosterHealth, err error) {
	err = m.do(ctx, "Hosters", func() {
		for _, name := range slices.Sorted(maps.Keys(m.hosters)) {
			all = append(all, m.hosterHealth(name))
		}
	})
	return all, err
}

func (m *Memory) hosterHealth(name string) sources.HosterHealth {
	h := m.hosters[name]
	return sources.HosterHealth{
		Name: name, ConsecutiveFails: int(h.ConsecutiveFails), BackoffUntil: fromUnix(health.Hosters().Until(h, m.unix())),
		OKCount: h.OKCount, FailCount: h.FailCount,
		LastSuccessAt: fromUnix(h.LastSuccessAt), LastFailAt: fromUnix(h.LastFailAt), LastError: h.LastError,
	}
}

// HosterSnapshot implements sources.HosterTable.
func (m *Memory) HosterSnapshot(ctx context.Context) (sources.HosterSnapshot, error) {
	snapshot := sources.HosterSnapshot{}
	err := m.do(ctx, "HosterSnapshot", func() {
		for name, h := range m.hosters {
			if !h.Healthy() {
				snapshot[name] = m.hosterHealth(name)
			}
		}
	})
	return snapshot, err
}

// Guard implements sources.HosterTable.
func (m *Memory) Guard(ctx context.Context) (state sources.GuardState, err error) {
	err = m.do(ctx, "Guard", func() {
		state = sources.GuardState{LastSuccessAt: fromUnix(m.guard.LastSuccessAt), Network: sources.NetworkUnknown}
		switch {
		case m.guard.Outage:
			state.Network = sources.NetworkOutage
		case m.guard.Suspect():
			state.Network = sources.NetworkSuspect
		case m.guard.Vouches(m.unix()):
			state.Network = sources.NetworkOK
		}
	})
	return state, err
}

// ResetHosters implements sources.HosterTable.
func (m *Memory) ResetHosters(ctx context.Context, names []string) (unknown []string, err error) {
	err = m.do(ctx, "ResetHosters", func() {
		for _, name := range names {
			h, ok := m.hosters[name]
			if !ok {
				unknown = append(unknown, name)
				continue
			}
			h.Reset()
			m.hosters[name] = h
		}
	})
	return unknown, err
}

// ResetAllHosters implements sources.HosterTable.
func (m *Memory) ResetAllHosters(ctx context.Context) (n int, err error) {
	err = m.do(ctx, "ResetAllHosters", func() {
		for name, h := range m.hosters {
			if !h.InTrouble() {
				continue
			}
			n++
			h.Reset()
			m.hosters[name] = h
		}
	})
	return n, err
}
