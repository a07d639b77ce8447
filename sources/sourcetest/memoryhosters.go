package sourcetest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
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
	h := m.table.Hosters[hoster]
	h.BackoffUntil = until.Unix()
	if until.Nanosecond() > 0 {
		h.BackoffUntil++
	}
	p := m.policy
	for h.ConsecutiveFails = max(1, h.ConsecutiveFails); p.Until(h, m.unix()) == 0 && p.Backoff(h.ConsecutiveFails) < p.Max; {
		h.ConsecutiveFails++
	}
	m.table.Hosters[hoster] = h
}

// Hoster gives all that is known of a hoster.
func (m *Memory) Hoster(name string) health.Hoster {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.table.Hosters[name]
}

// SetHoster sets all that is known of a hoster.
func (m *Memory) SetHoster(name string, h health.Hoster) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.table.Hosters[name] = h
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
		h := m.table.Hosters[hoster]
		if ok = m.policy.Begin(&h, force, token(a), m.unix()); !ok {
			return
		}
		m.open++
		if !h.Healthy() {
			m.table.Hosters[hoster] = h
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
		out, _ := m.policy.End(m.table, health.Event{ // it gives no errors
			Hoster: a.Hoster, Link: a.Link, Unfit: a.Unfit, FirstOnly: a.FirstOnly, StartedAt: toUnix(a.Started),
			Class: attemptClass(class, a.ServerFault), Error: detail, Token: token(a),
		}, m.unix())
		m.countHour(a.Hoster, class)
		m.logEvents(a.Hoster, a.Link, class, out)
		canary = canaryOf(out.Canary)
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

// attemptClass is what a class says of a hoster.
func attemptClass(class sources.Class, serverFault bool) health.Class {
	switch {
	case class == sources.ClassOK:
		return health.OK
	case class == sources.ClassHosterFault && serverFault:
		return health.ServerFail
	case class == sources.ClassHosterFault:
		return health.Fail
	case class == sources.ClassDeadLink:
		return health.Gone
	default:
		return health.Nothing
	}
}

func canaryOf(c *health.Canary) *sources.Canary {
	if c == nil {
		return nil
	}
	return &sources.Canary{Hoster: c.Hoster, Link: c.Link, ID: c.ID}
}

// EndCanary implements sources.HosterStore.
func (m *Memory) EndCanary(ctx context.Context, c sources.Canary, class sources.Class) (next *sources.Canary, err error) {
	err = m.do(ctx, "EndCanary", func() {
		m.canaries = append(m.canaries, class)
		out, _ := m.policy.EndCanary(m.table, health.Canary{ID: c.ID, Hoster: c.Hoster, Link: c.Link}, attemptClass(class, false), m.unix())
		if class == sources.ClassOK { // no other one counts against its hoster
			m.countHour(c.Hoster, class)
		}
		if c.ID != 0 || class == sources.ClassOK { // tests of one outage would fill the log
			m.logEvents(c.Hoster, c.Link, class, out)
		}
		next = canaryOf(out.Canary)
	})
	return next, err
}

// TestOutage implements sources.HosterStore.
func (m *Memory) TestOutage(ctx context.Context, asked bool) (c *sources.Canary, err error) {
	err = m.do(ctx, "TestOutage", func() {
		given, _ := m.policy.TestOutage(m.table, asked, m.unix())
		c = canaryOf(given)
	})
	return c, err
}

// DueRetests implements sources.HosterStore.
func (m *Memory) DueRetests(ctx context.Context, among []sources.Retest, except []string, limit int) (due []sources.Retest, err error) {
	err = m.do(ctx, "DueRetests", func() {
		known := make(map[string]string)
		for _, r := range among {
			known[r.Hoster] = r.Link
		}
		failing := slices.DeleteFunc(slices.Sorted(maps.Keys(m.table.Hosters)), func(name string) bool {
			_, wanted := known[name]
			return among != nil && !wanted || slices.Contains(except, name) || !m.policy.DueRetest(m.table.Hosters[name], m.unix())
		})
		slices.SortStableFunc(failing, func(a, b string) int {
			return cmp.Compare(m.table.Hosters[a].Tried(m.unix()), m.table.Hosters[b].Tried(m.unix()))
		})
		for _, name := range failing {
			h := m.table.Hosters[name]
			link := m.retestLink(name, known[name], &h)
			if len(due) == limit || link == "" {
				continue
			}
			m.table.Hosters[name] = h
			due = append(due, sources.Retest{Hoster: name, Link: link, Blocked: !m.policy.Available(h, 0, m.unix())})
		}
	})
	return due, err
}

// retestLink chooses the link by which a hoster is tested, "" where there is none.
func (m *Memory) retestLink(name, known string, h *health.Hoster) string {
	good, other := h.NextRetest()
	if good {
		return h.GoodLink
	}
	links := []string{known}
	if known == "" {
		links = m.waitingLinks(name)
	}
	if len(links) == 0 {
		return h.GoodLink
	}
	return links[other%int64(len(links))]
}

// waitingLinks gives the first links of a hoster that wait in a queue and are not the
// user's own.
func (m *Memory) waitingLinks(name string) (links []string) {
	const most = 8
	for _, from := range []queue{queueResolve, queueProbe, queueHeld} {
		rows := slices.Collect(maps.Keys(m.rows()))
		rows = slices.DeleteFunc(rows, func(row *storedSource) bool {
			return row.queue != from || row.Own || row.Hoster != name || len(row.Headers) > 0 || strings.Contains(row.URL, "|")
		})
		slices.SortFunc(rows, func(a, b *storedSource) int { return cmp.Compare(a.rank, b.rank) })
		for _, row := range rows {
			links = append(links, row.URL)
		}
	}
	return links[:min(most, len(links))]
}

// HosterAvailable implements sources.HosterTable.
func (m *Memory) HosterAvailable(ctx context.Context, hoster string, cooldown time.Duration) (ok bool, err error) {
	err = m.do(ctx, "HosterAvailable", func() {
		ok = m.policy.Available(m.table.Hosters[hoster], int64((cooldown+time.Second-1)/time.Second), m.unix())
	})
	return ok, err
}

// Hosters implements sources.HosterTable.
func (m *Memory) Hosters(ctx context.Context) (all []sources.HosterHealth, err error) {
	err = m.do(ctx, "Hosters", func() {
		for _, name := range slices.Sorted(maps.Keys(m.table.Hosters)) {
			h, g := m.hosterHealth(name), m.table.Network
			h.Provisional = m.table.Hosters[name].FailedIn(g.Run)
			h.Awaiting = g.CanaryRuns(m.unix()) && m.table.Hosters[name].AwaitsCanary(g.Canary)
			for url, l := range m.table.Links {
				if link.Hoster(url) == name && m.policy.Suspects(l, m.table.Hosters[name], m.unix()) {
					h.SuspectLinks++
				}
			}
			all = append(all, h)
		}
	})
	return all, err
}

func (m *Memory) hosterHealth(name string) sources.HosterHealth {
	h := m.table.Hosters[name]
	return sources.HosterHealth{
		Name: name, ConsecutiveFails: int(h.ConsecutiveFails), BackoffUntil: fromUnix(m.policy.Until(h, m.unix())),
		OKCount: h.OKCount, FailCount: h.FailCount,
		LastSuccessAt: fromUnix(h.LastSuccessAt), LastFailAt: fromUnix(h.LastFailAt), LastError: h.LastError,
		GoodLink: h.GoodLink, LeasedUntil: fromUnix(m.policy.LeasedUntil(h, m.unix())), RetestDue: m.policy.DueRetest(h, m.unix()),
	}
}

// HosterSnapshot implements sources.HosterTable.
func (m *Memory) HosterSnapshot(ctx context.Context) (sources.HosterSnapshot, error) {
	snapshot := sources.HosterSnapshot{}
	err := m.do(ctx, "HosterSnapshot", func() {
		for name, h := range m.table.Hosters {
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
		state = sources.GuardState{LastSuccessAt: fromUnix(m.table.Network.LastSuccessAt), Network: sources.NetworkUnknown}
		switch {
		case m.table.Network.Outage:
			state.Network = sources.NetworkOutage
		case m.table.Network.Suspect(m.unix()):
			state.Network = sources.NetworkSuspect
		case m.table.Network.Vouches(m.unix()):
			state.Network = sources.NetworkOK
		}
	})
	return state, err
}

// HosterEvents implements sources.HosterTable.
func (m *Memory) HosterEvents(ctx context.Context, hoster string) (all []sources.HosterEvent, err error) {
	known := false
	err = m.do(ctx, "HosterEvents", func() {
		_, known = m.table.Hosters[hoster]
		for _, e := range slices.Backward(m.events) {
			if e.hoster == hoster && len(all) < hosterEvents {
				all = append(all, e.HosterEvent)
			}
		}
	})
	if err == nil && !known && len(all) == 0 {
		err = sources.ErrUnknownHoster
	}
	return all, err
}

// Bounds that the ports name.
const (
	hosterEvents = 50
	allEvents    = 20_000
)

// hosterEvent is an event with its hoster.
type hosterEvent struct {
	hoster string
	sources.HosterEvent
}

// logEvents keeps what a report changed.
func (m *Memory) logEvents(hoster, url string, class sources.Class, out health.Outcome) {
	if class == sources.ClassCancelled {
		return
	}
	add := func(hoster, url string, class sources.Class, effect string, fails, backoff int64) {
		m.events = append(m.events, hosterEvent{hoster, sources.HosterEvent{
			At: seconds(m.now()), Link: link.Redact(url), Class: class, Effect: effect, Fails: int(fails), Backoff: time.Duration(backoff) * time.Second,
		}})
		m.events = m.events[max(0, len(m.events)-allEvents):]
	}
	add(hoster, url, class, out.Effect.String(), out.Fails, out.Backoff)
	for _, c := range out.Counted {
		add(c.Hoster, "", sources.ClassHosterFault, health.Counted.String(), c.Fails, c.Backoff)
	}
	for _, name := range out.Undone {
		add(name, "", sources.ClassHosterFault, sources.EffectTakenBack, m.table.Hosters[name].ConsecutiveFails, 0)
	}
}

// ResetHosters implements sources.HosterTable.
func (m *Memory) ResetHosters(ctx context.Context, names []string) (unknown []string, err error) {
	err = m.do(ctx, "ResetHosters", func() {
		for _, name := range names {
			h, ok := m.table.Hosters[name]
			if !ok {
				unknown = append(unknown, name)
				continue
			}
			h.Reset()
			m.table.Hosters[name] = h
		}
	})
	return unknown, err
}

// ResetAllHosters implements sources.HosterTable.
func (m *Memory) ResetAllHosters(ctx context.Context) (n int, err error) {
	err = m.do(ctx, "ResetAllHosters", func() {
		for name, h := range m.table.Hosters {
			if !h.InTrouble() {
				continue
			}
			n++
			h.Reset()
			m.table.Hosters[name] = h
		}
	})
	return n, err
}
