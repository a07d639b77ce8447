package cooldown

import (
	"cmp"
	"context"
	"crypto/rand"
	"slices"
	"sync"
	"time"

	"xship/sources"
)

// Memory is the cooldowns of one process. It keeps to the monotonic clock where
// its times have one.
type Memory struct {
	now func() time.Time

	mu      sync.Mutex
	entries map[sources.CooldownKey]*entry
	sweepAt int // entries at which the dead ones are removed
}

// entry is what is known of one key. Without an entry, nothing is.
type entry struct {
	until      time.Time     // the end of the cooldown
	length     time.Duration // of the cooldown, what the next one grows from
	reason     string
	lease      string    // the token of the call that goes first, "" = nobody's
	leaseUntil time.Time // when it is free again
	touched    time.Time // last mark
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
	if now == nil {
		now = time.Now
	}
	return &Memory{now: now, entries: make(map[sources.CooldownKey]*entry), sweepAt: minSweep}
}

var _ sources.ProviderCooldown = (*Memory)(nil)

// IsCoolingDown implements sources.ProviderCooldown.
func (m *Memory) IsCoolingDown(_ context.Context, key sources.CooldownKey) (sources.Cooldown, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.entries[key]
	if !ok {
		return sources.Cooldown{}, nil
	}
	return e.cooldown(m.now()), nil
}

// MarkCooldown implements sources.ProviderCooldown.
func (m *Memory) MarkCooldown(_ context.Context, key sources.CooldownKey, mark sources.CooldownMark) (sources.Cooldown, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := m.now()
	if mark.For <= 0 {
		if e := m.live(key, at); e != nil {
			return e.cooldown(at), nil
		}
		return sources.Cooldown{}, nil
	}
	mark.For = min(mark.For, sources.MaxCooldown)
	e := m.entryOf(key, at)
	e.mark(at, mark)
	return e.cooldown(at), nil
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
	at := m.now()
	e := m.live(key, at)
	switch {
	case e == nil:
		return beginFree, sources.CooldownLease{}, sources.Cooldown{}
	case at.Before(e.until):
		return beginCooling, sources.CooldownLease{}, e.cooldown(at)
	case e.lease != "" && at.Before(e.leaseUntil):
		return beginWait, sources.CooldownLease{}, sources.Cooldown{Remaining: e.leaseUntil.Sub(at), Reason: e.reason}
	}
	e.lease, e.leaseUntil = rand.Text(), at.Add(sources.CooldownLeaseOf)
	return beginFirst, sources.CooldownLease{Key: key, Token: e.lease}, sources.Cooldown{}
}

// End implements sources.ProviderCooldown.
func (m *Memory) End(_ context.Context, l sources.CooldownLease, answered bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.entries[l.Key]
	switch {
	case !ok || l.Token == "" || e.lease != l.Token:
	case answered:
		delete(m.entries, l.Key)
	default:
		e.lease = ""
	}
	return nil
}

// Cooldowns implements sources.ProviderCooldown.
func (m *Memory) Cooldowns(context.Context) ([]sources.CooldownEntry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := m.now()
	var all []sources.CooldownEntry
	for key, e := range m.entries {
		if at.Before(e.until) {
			all = append(all, sources.CooldownEntry{CooldownKey: key, Cooldown: e.cooldown(at)})
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
	at := m.now()
	n := 0
	for k, e := range m.entries {
		if !covers(key, k) {
			continue
		}
		if at.Before(e.until) {
			n++
		}
		delete(m.entries, k)
	}
	return n, nil
}

// live is the entry of key, nil where it has none that still matters.
func (m *Memory) live(key sources.CooldownKey, at time.Time) *entry {
	e, ok := m.entries[key]
	if ok && e.dead(at) {
		delete(m.entries, key)
		return nil
	}
	return e
}

// entryOf is the entry of key, a new one where it has none that matters.
func (m *Memory) entryOf(key sources.CooldownKey, at time.Time) *entry {
	if e := m.live(key, at); e != nil {
		return e
	}
	m.sweep(at)
	e := &entry{}
	m.entries[key] = e
	return e
}

// sweep removes the dead entries when the table has doubled since the last time.
func (m *Memory) sweep(at time.Time) {
	if len(m.entries) < m.sweepAt {
		return
	}
	for key, e := range m.entries {
		if e.dead(at) {
			delete(m.entries, key)
		}
	}
	m.sweepAt = max(minSweep, 2*len(m.entries))
}

// cooldown is what remains at a time.
func (e *entry) cooldown(at time.Time) sources.Cooldown {
	if !at.Before(e.until) {
		return sources.Cooldown{}
	}
	return sources.Cooldown{Remaining: e.until.Sub(at), Reason: e.reason}
}

// dead tells whether nothing about e matters any more. A lease lasts no longer
// than the memory of its cooldown.
func (e *entry) dead(at time.Time) bool {
	return !at.Before(e.until.Add(sources.CooldownMemory))
}

// mark extends e. A mark made while the cooldown runs is of a call that was
// under way: it neither grows nor makes the next one grow less.
func (e *entry) mark(at time.Time, m sources.CooldownMark) {
	length := m.For
	if at.Before(e.until) {
		e.length = max(e.length, length)
	} else {
		if m.Grow {
			length = max(length, grown(e.length))
		}
		e.length = length
	}
	e.lease, e.touched = "", at
	if end := at.Add(length); end.After(e.until) {
		e.until, e.reason = end, m.Reason
	}
}

// grown is the length of the cooldown after one of length d.
func grown(d time.Duration) time.Duration {
	return min(d+d/2, sources.MaxCooldown)
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
