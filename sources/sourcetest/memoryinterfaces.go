package sourcetest

import (
	"cmp"
	"context"
	"slices"
	"time"

	"xship/sources"
)

// added finds an interface, -1 where there is none.
func (m *Memory) added(url string) int {
	return slices.IndexFunc(m.interfaces, func(i sources.Interface) bool { return i.URL == url })
}

// past is a time that lies behind, and the zero time for one in the future: that was
// recorded under another clock.
func (m *Memory) past(t time.Time) time.Time {
	if t.After(m.now()) {
		return time.Time{}
	}
	return t
}

// Interfaces implements sources.InterfaceStore.
func (m *Memory) Interfaces(ctx context.Context) (all []sources.Interface, err error) {
	err = m.do(ctx, "Interfaces", func() {
		all = slices.Clone(m.interfaces)
		slices.SortStableFunc(all, func(a, b sources.Interface) int { return m.past(b.UsedAt).Compare(m.past(a.UsedAt)) })
	})
	return all, err
}

// AddInterface implements sources.InterfaceStore.
func (m *Memory) AddInterface(ctx context.Context, url, name string) (added bool, err error) {
	err = m.do(ctx, "AddInterface", func() {
		added = m.addInterfaces([]sources.Interface{{URL: url, Name: name}}, "") > 0
	})
	return added, err
}

// AddInterfaces implements sources.InterfaceStore.
func (m *Memory) AddInterfaces(ctx context.Context, all []sources.Interface, current string) (added int, err error) {
	err = m.do(ctx, "AddInterfaces", func() { added = m.addInterfaces(all, current) })
	return added, err
}

func (m *Memory) addInterfaces(all []sources.Interface, current string) int {
	before := len(m.interfaces)
	for _, i := range all {
		switch at := m.added(i.URL); {
		case at < 0:
			m.interfaces = append(m.interfaces, sources.Interface{URL: i.URL, Name: i.Name})
		case i.Name != "":
			m.interfaces[at].Name = i.Name
		}
	}
	if before == 0 && len(all) > 0 {
		m.current = cmp.Or(current, all[0].URL)
		m.use = sources.InterfaceUse{URL: m.current, How: sources.UseFirst, At: seconds(m.now())}
	}
	return len(m.interfaces) - before
}

// RemoveInterface implements sources.InterfaceStore.
func (m *Memory) RemoveInterface(ctx context.Context, url, next string) (removed bool, err error) {
	err = m.do(ctx, "RemoveInterface", func() {
		at := m.added(url)
		if removed = at >= 0; !removed {
			return
		}
		m.interfaces = slices.Delete(m.interfaces, at, at+1)
		delete(m.configs, url)
		m.use.From = slices.DeleteFunc(slices.Clone(m.use.From), func(from string) bool { return from == url })
		if m.current == url && !m.putInUse(next, sources.UseRemoved, nil) {
			m.current = ""
		}
	})
	return removed, err
}

// CurrentInterface implements sources.InterfaceStore.
func (m *Memory) CurrentInterface(ctx context.Context) (url string, err error) {
	err = m.do(ctx, "CurrentInterface", func() { url = m.current })
	return url, err
}

// SetCurrentInterface implements sources.InterfaceStore.
func (m *Memory) SetCurrentInterface(ctx context.Context, url string) error {
	listed := false
	err := m.do(ctx, "SetCurrentInterface", func() { listed = m.putInUse(url, sources.UseChosen, nil) })
	if err == nil && !listed {
		return sources.ErrNotListed
	}
	return err
}

// SwitchInterface implements sources.InterfaceStore.
func (m *Memory) SwitchInterface(ctx context.Context, from, to string) (switched bool, err error) {
	err = m.do(ctx, "SwitchInterface", func() { switched = m.switchInterface(from, to) })
	return switched, err
}

func (m *Memory) switchInterface(from, to string) bool {
	if m.current != from {
		return false
	}
	var before []string
	if m.use.URL == m.current && m.use.How == sources.UseSwitched {
		before = slices.Clone(m.use.From)
	}
	if from != "" {
		before = append(before, from)
	}
	if i := slices.Index(before, to); i >= 0 {
		before = before[:i]
	}
	return m.putInUse(to, sources.UseSwitched, before[max(0, len(before)-mostSwitches):])
}

// RecordInterfaceLoad implements sources.InterfaceStore.
func (m *Memory) RecordInterfaceLoad(ctx context.Context, url string, at time.Time, loadErr string, used bool) error {
	return m.do(ctx, "RecordInterfaceLoad", func() {
		i := m.added(url)
		if i < 0 {
			return
		}
		row := &m.interfaces[i]
		if row.LastError = loadErr; loadErr != "" {
			return
		}
		row.LastLoadedAt = seconds(at)
		if used {
			row.UsedAt = row.LastLoadedAt
		}
	})
}

// RecordInterfaceUse implements sources.InterfaceStore.
func (m *Memory) RecordInterfaceUse(ctx context.Context, url string, at time.Time) error {
	return m.do(ctx, "RecordInterfaceUse", func() {
		if i := m.added(url); i >= 0 {
			m.interfaces[i].UsedAt = seconds(at)
		}
	})
}

// CachedConfig implements sources.InterfaceStore.
func (m *Memory) CachedConfig(ctx context.Context, url string) (config *sources.StoredConfig, err error) {
	err = m.do(ctx, "CachedConfig", func() {
		if c, ok := m.configs[url]; ok {
			c.Body = slices.Clone(c.Body)
			config = &c
		}
	})
	return config, err
}

// PutConfig implements sources.InterfaceStore.
func (m *Memory) PutConfig(ctx context.Context, url string, c sources.StoredConfig, of string) error {
	return m.do(ctx, "PutConfig", func() {
		if of != "" && m.added(of) < 0 {
			return
		}
		c.Body, c.FetchedAt = append([]byte{}, c.Body...), seconds(c.FetchedAt)
		m.configs[url] = c
	})
}

// TouchConfig implements sources.InterfaceStore.
func (m *Memory) TouchConfig(ctx context.Context, url string, at time.Time) error {
	return m.do(ctx, "TouchConfig", func() {
		if c, ok := m.configs[url]; ok {
			c.FetchedAt = seconds(at)
			m.configs[url] = c
		}
	})
}
