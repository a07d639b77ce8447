package cooldown

import (
	"cmp"
	"context"
	"crypto/rand"
	"maps"
	"slices"
	"sync"
	"time"

	"xship/sources"
	"xship/sources/cooldown/state"
)

// Memory is the cooldowns of one process. It keeps to the monotonic clock where
// its times have one.
type Memory struct {
	now   func() time.Time
	start time.Time // with the reading of that clock
	epoch int64     // of start, in Unix nanoseconds

	mu       sync.Mutex
	entries  map[sources.CooldownKey]*entry
	sweepAt  int                                   // entries at which the dead ones are removed
	refusals map[sources.CooldownKey]state.Refusal // swept where there are as many
}

// entry is what is known of one key. Its times are Unix nanoseconds by the clock
// that nobody sets. Without an entry, nothing is known.
type entry struct {
	state.State
	touched int64 // last mark
}

// limits are those of entries.
var limits = state.Limits{
	Longest: int64(sources.MaxCooldown), Memory: int64(sources.CooldownMemory),
	Lease: int64(sources.CooldownLeaseOf), Slack: int64(time.Second),
}

// beginning is how a call begins.
type beginning int64

const (
	beginFree beginning = iota
	beginCooling
	beginWait // for the call that goes first
	beginFirst
)

// minSweep keeps small tables from being swept all the time.
const minSweep = 64

// NewMemory makes an empty Memory. A nil clock is time.Now.
func NewMemory(now func() time.Time) *Memory {
	now = sources.OrNow(now)
	start := now()
	return &Memory{now: now, start: start, epoch: start.UnixNano(), entries: make(map[sources.CooldownKey]*entry), sweepAt: minSweep, refusals: make(map[sources.CooldownKey]state.Refusal)}
}

// clock is the time now, in the unit of entries.
func (m *Memory) clock() int64 { return m.unit(m.now()) }

// unit is a time in the unit of entries.
func (m *Memory) unit(t time.Time) int64 { return m.epoch + int64(t.Sub(m.start)) }

var _ sources.ProviderCooldown = (*Memory)(nil)

// IsCoolingDown implements sources.ProviderCooldown.
func (m *Memory) IsCoolingDown(_ context.Context, key sources.CooldownKey) (sources.Cooldown, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.entries[key]
	if !ok {
		return sources.Cooldown{}, nil
	}
	return e.cooldown(m.clock()), nil
}

// MarkCooldown implements sources.ProviderCooldown.
func (m *Memory) MarkCooldown(_ context.Context, key sources.CooldownKey, mark sources.CooldownMark) (sources.Cooldown, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.clock()
	if mark.For <= 0 {
		if e := m.live(key, now); e != nil {
			return e.cooldown(now), nil
		}
		return sources.Cooldown{}, nil
	}
	e := m.entryOf(key, now)
	e.mark(mark, now)
	return e.cooldown(now), nil
}

// Begin implements sources.ProviderCooldown.
func (m *Memory) Begin(_ context.Context, key sources.CooldownKey) (sources.CooldownLease, sources.Cooldown, error) {
	_, l, c := m.begin(key)
	return l, c, nil
}

// begin is Begin, telling how the call begins.
func (m *Memory) begin(key sources.CooldownKey) (beginning, sources.CooldownLease, sources.Cooldown) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.entries[key]; !ok {
		return beginFree, sources.CooldownLease{}, sources.Cooldown{}
	}
	now := m.clock()
	e := m.live(key, now)
	switch {
	case e == nil:
		return beginFree, sources.CooldownLease{}, sources.Cooldown{}
	case e.Running(now):
		return beginCooling, sources.CooldownLease{}, e.cooldown(now)
	case e.Leased(now, limits):
		return beginWait, sources.CooldownLease{}, sources.Cooldown{Remaining: time.Duration(e.LeaseUntil - now), Reason: e.Reason}
	}
	e.Lease(rand.Text(), now, limits)
	return beginFirst, sources.CooldownLease{Key: key, Token: e.LeaseToken}, sources.Cooldown{}
}

// End implements sources.ProviderCooldown.
func (m *Memory) End(_ context.Context, l sources.CooldownLease, answered bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.entries[l.Key]
	if !ok {
		return nil
	}
	if e.End(l.Token, answered); e.State == (state.State{}) {
		delete(m.entries, l.Key)
	}
	return nil
}

// Refused implements sources.ProviderCooldown.
func (m *Memory) Refused(_ context.Context, key sources.CooldownKey, r sources.Refusal) (again bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.clock()
	if len(m.refusals) >= minSweep {
		maps.DeleteFunc(m.refusals, func(_ sources.CooldownKey, r state.Refusal) bool { return r.Until <= now })
	}
	last := m.refusals[key]
	again = last.Again(r.Link, r.Answer, now, int64(sources.RefusalMemory))
	m.refusals[key] = last
	return again, nil
}

// Answered implements sources.ProviderCooldown.
func (m *Memory) Answered(_ context.Context, key sources.CooldownKey) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.refusals, key)
	return nil
}

// Cooldowns implements sources.ProviderCooldown.
func (m *Memory) Cooldowns(context.Context) ([]sources.CooldownEntry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.clock()
	var all []sources.CooldownEntry
	for key, e := range m.entries {
		if c := e.cooldown(now); c.Remaining > 0 {
			all = append(all, sources.CooldownEntry{CooldownKey: key, Cooldown: c})
		}
	}
	sortEntries(all)
	return all, nil
}

// Clear implements sources.ProviderCooldown. What made the next cooldown grow is
// forgotten as well.
func (m *Memory) Clear(_ context.Context, key sources.CooldownKey) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.clock()
	n := 0
	for k, e := range m.entries {
		if !covers(key, k) {
			continue
		}
		if e.cooldown(now).Remaining > 0 {
			n++
		}
		delete(m.entries, k)
	}
	maps.DeleteFunc(m.refusals, func(k sources.CooldownKey, _ state.Refusal) bool { return covers(key, k) })
	return n, nil
}

// live is the entry of key, nil where it has none that still matters.
func (m *Memory) live(key sources.CooldownKey, now int64) *entry {
	e, ok := m.entries[key]
	if ok && e.Forgotten(now, limits) {
		delete(m.entries, key)
		return nil
	}
	return e
}

// entryOf is the entry of key, a new one where it has none that matters.
func (m *Memory) entryOf(key sources.CooldownKey, now int64) *entry {
	if e := m.live(key, now); e != nil {
		return e
	}
	m.sweep(now)
	e := &entry{}
	m.entries[key] = e
	return e
}

// sweep removes the entries that nothing remembers when the table has doubled
// since the last time.
func (m *Memory) sweep(now int64) {
	if len(m.entries) < m.sweepAt {
		return
	}
	for key, e := range m.entries {
		if e.Forgotten(now, limits) {
			delete(m.entries, key)
		}
	}
	m.sweepAt = max(minSweep, 2*len(m.entries))
}

// cooldown is what remains now.
func (e *entry) cooldown(now int64) sources.Cooldown {
	if !e.Running(now) || e.Forgotten(now, limits) {
		return sources.Cooldown{}
	}
	return sources.Cooldown{Remaining: time.Duration(e.Until - now), Reason: e.Reason}
}

// mark applies m, which marks something.
func (e *entry) mark(m sources.CooldownMark, now int64) {
	e.Mark(state.Mark{For: int64(m.For), Grow: m.Grow, Reason: m.Reason}, now, limits)
	e.touched = now
}

// covers tells whether what is asked for, with 0 and "" for all, covers k.
func covers(asked, k sources.CooldownKey) bool {
	return (asked.User == 0 || asked.User == k.User) && (asked.Provider == "" || asked.Provider == k.Provider)
}

func sortEntries(all []sources.CooldownEntry) {
	slices.SortFunc(all, func(a, b sources.CooldownEntry) int {
		return cmp.Or(cmp.Compare(a.User, b.User), cmp.Compare(a.Provider, b.Provider))
	})
}
