package sourcetest

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"xship/sources"
)

// Report is the outcome of one attempt, as a MemHosters was told.
type Report struct {
	Hoster string
	Class  sources.Class
	Detail string
}

// MemHosters is a sources.HosterStore and sources.HosterTable in memory. It
// blocks the hosters that it is told to, and takes down what is reported. Its
// methods are safe for concurrent use.
type MemHosters struct {
	now func() time.Time

	mu       sync.Mutex
	err      error
	blocked  map[string]time.Time // until when, by hoster
	open     int
	reports  []Report
	canary   *sources.Canary
	canaries []sources.Class
}

var (
	_ sources.HosterStore = (*MemHosters)(nil)
	_ sources.HosterTable = (*MemHosters)(nil)
)

// NewMemHosters is a table without hosters that takes the time from now.
func NewMemHosters(now func() time.Time) *MemHosters {
	return &MemHosters{now: now, blocked: map[string]time.Time{}}
}

// SetError makes all methods that implement the ports fail with err and do
// nothing; nil makes them work again.
func (m *MemHosters) SetError(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.err = err
}

// Block lets no attempt that is not forced go to hoster until the given time.
func (m *MemHosters) Block(hoster string, until time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.blocked[hoster] = until
}

// SetCanary makes the next report give c to be tested.
func (m *MemHosters) SetCanary(c sources.Canary) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.canary = &c
}

// Reports lists the outcomes in the order in which they were reported.
func (m *MemHosters) Reports() []Report {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.reports)
}

// Canaries lists what became of canaries.
func (m *MemHosters) Canaries() []sources.Class {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.canaries)
}

// Open is how many attempts have begun and not ended.
func (m *MemHosters) Open() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.open
}

// BeginAttempt implements sources.HosterStore.
func (m *MemHosters) BeginAttempt(ctx context.Context, hoster, link string, force bool) (sources.Attempt, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.fault(ctx); err != nil {
		return sources.Attempt{}, false, err
	}
	if !force && m.blocked[hoster].After(m.now()) {
		return sources.Attempt{}, false, nil
	}
	m.open++
	return sources.Attempt{Hoster: hoster, Link: link, Started: m.now()}, true, nil
}

// EndAttempt implements sources.HosterStore.
func (m *MemHosters) EndAttempt(ctx context.Context, a sources.Attempt, class sources.Class, detail string) (*sources.Canary, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.fault(ctx); err != nil {
		return nil, err
	}
	m.open--
	m.reports = append(m.reports, Report{Hoster: a.Hoster, Class: class, Detail: detail})
	canary := m.canary
	m.canary = nil
	return canary, nil
}

// EndCanary implements sources.HosterStore.
func (m *MemHosters) EndCanary(ctx context.Context, _ sources.Canary, class sources.Class) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.fault(ctx); err != nil {
		return err
	}
	m.canaries = append(m.canaries, class)
	return nil
}

// HosterAvailable implements sources.HosterTable. There is no last fail that
// cooldown could be about.
func (m *MemHosters) HosterAvailable(ctx context.Context, hoster string, _ time.Duration) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.fault(ctx); err != nil {
		return false, err
	}
	return !m.blocked[hoster].After(m.now()), nil
}

// Hosters implements sources.HosterTable. Only blocks are known.
func (m *MemHosters) Hosters(ctx context.Context) ([]sources.HosterHealth, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []sources.HosterHealth
	for _, name := range slices.Sorted(maps.Keys(m.blocked)) {
		all = append(all, sources.HosterHealth{Name: name, ConsecutiveFails: 1, BackoffUntil: m.blocked[name]})
	}
	return all, m.fault(ctx)
}

// HosterSnapshot implements sources.HosterTable.
func (m *MemHosters) HosterSnapshot(ctx context.Context) (sources.HosterSnapshot, error) {
	all, err := m.Hosters(ctx)
	snapshot := make(sources.HosterSnapshot, len(all))
	for _, h := range all {
		snapshot[h.Name] = h
	}
	return snapshot, err
}

// Guard implements sources.HosterTable.
func (m *MemHosters) Guard(ctx context.Context) (sources.GuardState, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return sources.GuardState{Network: sources.NetworkUnknown}, m.fault(ctx)
}

// ResetHosters implements sources.HosterTable.
func (m *MemHosters) ResetHosters(ctx context.Context, names []string) (unknown []string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.fault(ctx); err != nil {
		return nil, err
	}
	for _, name := range names {
		if _, ok := m.blocked[name]; !ok {
			unknown = append(unknown, name)
		}
		delete(m.blocked, name)
	}
	return unknown, nil
}

// ResetAllHosters implements sources.HosterTable.
func (m *MemHosters) ResetAllHosters(ctx context.Context) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.fault(ctx); err != nil {
		return 0, err
	}
	n := len(m.blocked)
	clear(m.blocked)
	return n, nil
}

func (m *MemHosters) fault(ctx context.Context) error {
	if m.err != nil {
		return m.err
	}
	return ctx.Err()
}
