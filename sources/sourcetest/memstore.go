package sourcetest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"xship/sources"
)

// guardAge is how old the last success may be for a fail to count.
const guardAge = 30 * time.Second

// restAfter is how long a site rests after that many fails in a row.
func restAfter(fails int) time.Duration {
	seconds := []int{5, 10, 20, 30, 60, 300}
	return time.Duration(seconds[min(fails, len(seconds))-1]) * time.Second
}

// MemStore is a sources.ScanStore in memory. Make it with NewMemStore. Its
// methods are safe for concurrent use.
type MemStore struct {
	now func() time.Time

	mu          sync.Mutex
	err         error
	scans       map[scanKey]sources.StoredScan
	sites       map[siteKey]siteHealth
	lastSuccess time.Time // of any site or hoster
	emptied     int
}

type scanKey struct{ interfaceURL, title string }

type siteKey struct{ interfaceURL, site string }

type siteHealth struct {
	fails int
	rest  sources.SiteRest
}

// NewMemStore is an empty store that takes the time from now.
func NewMemStore(now func() time.Time) *MemStore {
	return &MemStore{
		now:   now,
		scans: map[scanKey]sources.StoredScan{},
		sites: map[siteKey]siteHealth{},
	}
}

// SetError makes all methods that implement ScanStore fail with err and do
// nothing; nil makes them work again.
func (m *MemStore) SetError(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.err = err
}

// HosterSucceeded records that some hoster succeeded at the given time, so
// that fails of sites count for the 30 s after it.
func (m *MemStore) HosterSucceeded(at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.succeeded(at)
}

// Emptied counts the scans that said that nobody has their title.
func (m *MemStore) Emptied() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.emptied
}

// LoadScan implements sources.ScanStore.
func (m *MemStore) LoadScan(ctx context.Context, interfaceURL string, t sources.Title) (*sources.StoredScan, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.fault(ctx); err != nil {
		return nil, err
	}
	scan, ok := m.scans[scanKey{interfaceURL, t.Key()}]
	if !ok {
		return nil, nil
	}
	scan = cloneScan(scan)
	return &scan, nil
}

// SaveScan implements sources.ScanStore. An answer without sources replaces
// nothing, and a scan without sources changes nothing.
func (m *MemStore) SaveScan(ctx context.Context, interfaceURL string, t sources.Title, scan sources.StoredScan) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.fault(ctx); err != nil {
		return err
	}
	scan = cloneScan(scan)
	scan.Answers = slices.DeleteFunc(scan.Answers, func(a sources.SiteAnswer) bool { return len(a.Sources) == 0 })
	if len(scan.Answers) == 0 {
		m.emptied++
		return nil
	}
	key := scanKey{interfaceURL, t.Key()}
	for _, old := range m.scans[key].Answers {
		if !slices.ContainsFunc(scan.Answers, func(a sources.SiteAnswer) bool { return a.Site == old.Site }) {
			scan.Answers = append(scan.Answers, old)
		}
	}
	sortBySites(scan.Answers, scan.Sites)
	m.scans[key] = scan
	return nil
}

// sortBySites brings answers into the order of the reports; those of sites
// without a report come last.
func sortBySites(answers []sources.SiteAnswer, reports []sources.SiteReport) {
	rank := func(a sources.SiteAnswer) int {
		i := slices.IndexFunc(reports, func(r sources.SiteReport) bool { return r.Key == a.Site })
		if i < 0 {
			return len(reports)
		}
		return i
	}
	slices.SortStableFunc(answers, func(a, b sources.SiteAnswer) int { return cmp.Compare(rank(a), rank(b)) })
}

// RestingSites implements sources.ScanStore.
func (m *MemStore) RestingSites(ctx context.Context, interfaceURL string) (map[string]sources.SiteRest, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.fault(ctx); err != nil {
		return nil, err
	}
	now := m.now()
	resting := map[string]sources.SiteRest{}
	for key, health := range m.sites {
		if key.interfaceURL == interfaceURL && health.rest.Until.After(now) {
			resting[key.site] = health.rest
		}
	}
	return resting, nil
}

// SiteTouch implements sources.ScanStore. All outcomes are of one moment, so
// that a success among them makes the fails count, wherever it stands. A fail
// of an attempt that began before the site's rest was over is the one that
// the site rests for, and changes nothing.
func (m *MemStore) SiteTouch(ctx context.Context, interfaceURL string, outcomes []sources.SiteOutcome) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.fault(ctx); err != nil {
		return err
	}
	now := m.now()
	for _, o := range outcomes {
		if o.OK {
			m.succeeded(now)
			delete(m.sites, siteKey{interfaceURL, o.Site})
		}
	}
	if m.lastSuccess.IsZero() || now.Sub(m.lastSuccess) > guardAge {
		return nil
	}
	for _, o := range outcomes {
		key := siteKey{interfaceURL, o.Site}
		health := m.sites[key]
		if o.OK || o.Started.Before(health.rest.Until) {
			continue
		}
		health.fails++
		health.rest = sources.SiteRest{Until: now.Add(restAfter(health.fails)), Reason: o.Error}
		m.sites[key] = health
	}
	return nil
}

func (m *MemStore) succeeded(at time.Time) {
	if at.After(m.lastSuccess) {
		m.lastSuccess = at
	}
}

func (m *MemStore) fault(ctx context.Context) error {
	if m.err != nil {
		return m.err
	}
	return ctx.Err()
}

func cloneScan(s sources.StoredScan) sources.StoredScan {
	s.Sites = slices.Clone(s.Sites)
	s.Answers = slices.Clone(s.Answers)
	for i, a := range s.Answers {
		s.Answers[i].Sources = slices.Clone(a.Sources)
		for j, src := range s.Answers[i].Sources {
			s.Answers[i].Sources[j].Headers = maps.Clone(src.Headers)
			s.Answers[i].Sources[j].Info = slices.Clone(src.Info)
		}
	}
	return s
}
