package cooldown

import (
	"cmp"
	"slices"
	"time"

	"xship/sources"
)

// What a Redis keeps in its Memory beside its own marks: what the server said.
// Since a mark of this process may be made while the server answers another
// operation, news that stop a cooldown count only for marks from before that
// operation.

// extend notes a cooldown that the server knows.
func (m *Memory) extend(key sources.CooldownKey, c sources.Cooldown) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := m.now()
	m.entryOf(key, at).mark(at, sources.CooldownMark{For: c.Remaining, Reason: c.Reason})
}

// stop notes that the server knows of no cooldown that runs.
func (m *Memory) stop(key sources.CooldownKey, since time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := m.now()
	if e, ok := m.entries[key]; ok && at.Before(e.until) && e.touched.Before(since) {
		e.until = at
	}
}

// forget notes that the server knows nothing.
func (m *Memory) forget(key sources.CooldownKey, since time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e, ok := m.entries[key]; ok && e.touched.Before(since) {
		delete(m.entries, key)
	}
}

// running is a cooldown and the length that the next one grows from.
type running struct {
	sources.CooldownEntry
	length time.Duration
}

// running lists the cooldowns marked since then, at most n, those that last
// longest.
func (m *Memory) running(n int, since time.Time) []running {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := m.now()
	var all []running
	for key, e := range m.entries {
		if at.Before(e.until) && !e.touched.Before(since) {
			all = append(all, running{sources.CooldownEntry{CooldownKey: key, Cooldown: e.cooldown(at)}, e.length})
		}
	}
	slices.SortFunc(all, func(a, b running) int { return cmp.Compare(b.Remaining, a.Remaining) })
	return all[:min(n, len(all))]
}
