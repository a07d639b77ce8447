package health

import (
	"maps"
	"slices"
)

// Memory is a Table in memory, for simulations and tests. It is not safe for
// concurrent use, and its methods give no errors.
type Memory struct {
	Hosters map[string]Hoster
	Links   map[string]Link
	Network Guard
	Revive  func(link string) // called for each link that UndoLinks lets be tried again, may be nil
}

// NewMemory makes an empty one.
func NewMemory() *Memory {
	return &Memory{Hosters: make(map[string]Hoster), Links: make(map[string]Link)}
}

// Hoster implements Table.
func (m *Memory) Hoster(name string) (Hoster, error) { return m.Hosters[name], nil }

// PutHoster implements Table.
func (m *Memory) PutHoster(name string, h Hoster) error {
	m.Hosters[name] = h
	return nil
}

// Link implements Table.
func (m *Memory) Link(link string) (Link, error) { return m.Links[link], nil }

// PutLink implements Table.
func (m *Memory) PutLink(link string, l Link) error {
	if l == (Link{}) {
		delete(m.Links, link)
	} else {
		m.Links[link] = l
	}
	return nil
}

// Guard implements Table.
func (m *Memory) Guard() (Guard, error) { return m.Network, nil }

// PutGuard implements Table.
func (m *Memory) PutGuard(g Guard) error {
	m.Network = g
	return nil
}

// FailedIn implements Table.
func (m *Memory) FailedIn(run int64) ([]Named, error) {
	return m.which(func(h Hoster) bool { return h.FailedIn(run) }), nil
}

// Awaiting implements Table.
func (m *Memory) Awaiting(canary int64) ([]Named, error) {
	return m.which(func(h Hoster) bool { return h.AwaitsCanary(canary) }), nil
}

// UndoLinks implements Table.
func (m *Memory) UndoLinks(run int64) error {
	for _, link := range slices.Sorted(maps.Keys(m.Links)) {
		l := m.Links[link]
		if gone := l.Undo(run); gone && m.Revive != nil {
			m.Revive(link)
		}
		_ = m.PutLink(link, l)
	}
	return nil
}

// NextCanary implements Table.
func (m *Memory) NextCanary(run, now int64) (h Named, found bool, err error) {
	return m.first(func(h Hoster) bool { return h.MayBeCanary(run, now) }, func(h Hoster) int64 { return -h.LastSuccessAt })
}

// NextOutageTest implements Table.
func (m *Memory) NextOutageTest(recent bool, now int64) (h Named, found bool, err error) {
	return m.first(func(h Hoster) bool { return h.MayTestOutage(recent, now) }, func(h Hoster) int64 { return h.Tried(now) })
}

func (m *Memory) which(holds func(Hoster) bool) (all []Named) {
	for _, name := range slices.Sorted(maps.Keys(m.Hosters)) {
		if h := m.Hosters[name]; holds(h) {
			all = append(all, Named{name, h})
		}
	}
	return all
}

// first gives the hoster of those with the least place, and of these the first by
// name.
func (m *Memory) first(holds func(Hoster) bool, place func(Hoster) int64) (best Named, found bool, err error) {
	for name, h := range m.Hosters {
		if !holds(h) {
			continue
		}
		if at, least := place(h), place(best.Hoster); !found || at < least || at == least && name < best.Name {
			best, found = Named{name, h}, true
		}
	}
	return best, found, nil
}
