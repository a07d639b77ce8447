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
	now := m.clock()
	m.entryOf(key, now).mark(sources.CooldownMark{For: c.Remaining, Reason: c.Reason}, now)
}

// stop notes that the server knows of no cooldown that runs.
func (m *Memory) stop(key sources.CooldownKey, since time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.clock()
	if e, ok := m.entries[key]; ok && e.Running(now) && e.touched < m.unit(since) {
		e.Until = now
	}
}

// forget notes that the server knows nothing.
func (m *Memory) forget(key sources.CooldownKey, since time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e, ok := m.entries[key]; ok && e.touched < m.unit(since) {
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
	now := m.clock()
	var all []running
	for key, e := range m.entries {
		if c := e.cooldown(now); c.Remaining > 0 && e.touched >= m.unit(since) {
			all = append(all, running{sources.CooldownEntry{CooldownKey: key, Cooldown: c}, time.Duration(e.Step)})
		}
	}
	slices.SortFunc(all, func(a, b running) int { return cmp.Compare(b.Remaining, a.Remaining) })
	return all[:min(n, len(all))]
}
