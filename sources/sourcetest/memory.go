package sourcetest

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"xship/sourcecache/health"
	"xship/sources"
	"xship/sources/cooldown"
)

// Memory is a sources.Store in memory, which keeps to the contract of the ports
// as any other store does: the suites of this package run against it too. Tests
// make it fail, block hosters and look at what it was told. Make it with
// NewMemory. Its methods are safe for concurrent use.
type Memory struct {
	now       func() time.Time
	cooldowns *cooldown.Memory
	budgets   *cooldown.MemoryBudgets

	mu   sync.Mutex
	errs map[string]error // by method, "" = all

	table    *health.Memory
	policy   health.Policy
	attempts int64 // begun
	open     int   // begun and not ended
	reports  []Report
	canary   *sources.Canary // for the next report
	canaries []sources.Class
	events   []hosterEvent

	sites       map[siteKey]health.Hoster
	siteSuccess int64 // when a site last answered
	titles      map[titleKey]*storedTitle
	lastID      int64 // of rows of titles
	empty       map[titleKey]emptyScan
	emptied     int
	cycle       int64
	cycleAt     time.Time

	streams map[string]*storedStream
	states  map[string]sources.State
	proven  map[string]sources.Quality // by source, of what was read of those that are proven

	accounts        map[sources.Account]sources.AccountState
	plans           map[sources.Account]sources.AccountPlan
	rests           map[hosterKey]hosterRest
	unlocked        map[unlockedKey]sources.StoredStream
	providerHosters map[sources.CooldownKey]hosterList

	watch     []sources.WatchEntry // as they were added
	lastWatch int64
	waits     map[int64]time.Time // by entry, since when nothing is proven of its title
	looked    map[int64]time.Time // by entry, when that was last looked for
	cycles    []sources.CycleRecord
	hours     map[string]map[int64]*sources.HosterHour // by hoster and hour

	interfaces []sources.Interface // as they were added
	current    string
	use        sources.InterfaceUse
	configs    map[string]sources.StoredConfig

	roots   map[string]*memoryRoot
	answers map[string]memoryAnswer
	told    map[string]bool
}

var _ sources.Store = (*Memory)(nil)

// NewMemory is an empty store that takes the time from now; nil is time.Now.
func NewMemory(now func() time.Time) *Memory {
	now = sources.OrNow(now)
	m := &Memory{
		now: now, cooldowns: cooldown.NewMemory(now), budgets: cooldown.NewMemoryBudgets(now), errs: map[string]error{},
		table: health.NewMemory(), policy: health.Hosters(), sites: map[siteKey]health.Hoster{},
		titles: map[titleKey]*storedTitle{}, empty: map[titleKey]emptyScan{},
		streams: map[string]*storedStream{}, states: map[string]sources.State{}, proven: map[string]sources.Quality{},
		accounts: map[sources.Account]sources.AccountState{}, plans: map[sources.Account]sources.AccountPlan{}, rests: map[hosterKey]hosterRest{},
		unlocked: map[unlockedKey]sources.StoredStream{}, providerHosters: map[sources.CooldownKey]hosterList{},
		configs: map[string]sources.StoredConfig{}, waits: map[int64]time.Time{}, looked: map[int64]time.Time{}, hours: map[string]map[int64]*sources.HosterHour{},
		roots: map[string]*memoryRoot{}, answers: map[string]memoryAnswer{}, told: map[string]bool{},
	}
	m.table.Revive = m.revive
	return m
}

// SetError makes the named methods fail with err and do nothing, all methods of
// the ports where none is named; nil makes them work again.
func (m *Memory) SetError(err error, methods ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(methods) == 0 {
		methods = []string{""}
		clear(m.errs)
	}
	for _, method := range methods {
		m.errs[method] = err
	}
}

// do runs fn, which is what a method does, with the store to itself, and at one
// moment. Where the method is to fail, or ctx has ended, nothing is done.
func (m *Memory) do(ctx context.Context, method string, fn func()) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, err := range []error{m.errs[""], m.errs[method], ctx.Err()} {
		if err != nil {
			return err
		}
	}
	fn()
	return nil
}

// unix is the time now as the policy of health counts it.
func (m *Memory) unix() int64 { return m.now().Unix() }

// seconds is a time as it is stored: whole seconds, UTC.
func seconds(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return fromUnix(t.Unix())
}

// toUnix is a time as the policy of health counts it, 0 where it is not set.
func toUnix(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

// fromUnix is the time of such a number.
func fromUnix(at int64) time.Time {
	if at == 0 {
		return time.Time{}
	}
	return time.Unix(at, 0).UTC()
}

// within tells whether a state that began at the given time and lasts d runs now.
// One from the future was recorded under another clock.
func within(since time.Time, d time.Duration, now time.Time) bool {
	return !now.Before(since) && now.Sub(since) < d
}

// Cooldowns implements sources.Store.
func (m *Memory) Cooldowns() sources.ProviderCooldown { return m.cooldowns }

// CallBudgets implements sources.Store.
func (m *Memory) CallBudgets() sources.CallBudgets { return m.budgets }

// Inspect implements sources.Store. Nothing is ever damaged.
func (m *Memory) Inspect(ctx context.Context) (sources.Inspection, error) {
	var in sources.Inspection
	err := m.do(ctx, "Inspect", func() { in.Version = 1 })
	return in, err
}

// Moved implements sources.Store. Memory stays where it is.
func (m *Memory) Moved() error { return nil }

func cloneStream(s sources.Stream) sources.Stream {
	s.Headers, s.ExpiresAt = cloneMap(s.Headers), seconds(s.ExpiresAt)
	return s
}

// cloneMap is a copy of headers, nil where there are none.
func cloneMap(headers map[string]string) map[string]string {
	if len(headers) == 0 {
		return nil
	}
	return maps.Clone(headers)
}

// cloneList is a copy of a list, nil where it is empty.
func cloneList[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return slices.Clone(list)
}
