package sourcetest

import (
	"cmp"
	"context"
	"slices"
	"time"

	"xship/sources"
)

// watched finds an entry of the watchlist by its title's key, -1 where there is
// none.
func (m *Memory) watched(key string) int {
	return slices.IndexFunc(m.watch, func(e sources.WatchEntry) bool { return e.Title.Key() == key })
}

// wantedAt is what the watchlist says of a title.
func (m *Memory) wantedAt(key string) time.Time {
	if i := m.watched(key); i >= 0 {
		return m.watch[i].WantedAt
	}
	return time.Time{}
}

// want tells the stored titles with a key what the watchlist says of them.
func (m *Memory) want(key string) {
	for k, t := range m.titles {
		if k.title == key {
			t.wantedAt = m.wantedAt(key)
			m.place(t, false, nil)
		}
	}
}

// AddWatch implements sources.WatchStore.
func (m *Memory) AddWatch(ctx context.Context, t sources.Title, origin sources.WatchOrigin) (entry sources.WatchEntry, added bool, err error) {
	err = m.do(ctx, "AddWatch", func() { entry, added = m.addWatch(t, origin) })
	return entry, added, err
}

func (m *Memory) addWatch(t sources.Title, origin sources.WatchOrigin) (sources.WatchEntry, bool) {
	key, now := t.Key(), seconds(m.now())
	i := m.watched(key)
	added := i < 0
	switch {
	case added:
		m.lastWatch++
		i = len(m.watch)
		m.waits[m.lastWatch] = now
		m.watch = append(m.watch, sources.WatchEntry{ID: m.lastWatch, Title: cloneTitle(t), Origin: origin, AddedAt: now, WantedAt: now})
	case origin == sources.WatchUser:
		m.watch[i].WantedAt, m.watch[i].Origin = now, origin
	}
	m.want(key)
	return cloneEntry(m.watch[i]), added
}

// AddWatchlist implements sources.WatchStore.
func (m *Memory) AddWatchlist(ctx context.Context, entries []sources.WatchEntry) error {
	return m.do(ctx, "AddWatchlist", func() {
		for _, e := range slices.Backward(entries) { // of one moment, the latest is watched soonest
			m.addWatch(e.Title, e.Origin)
		}
	})
}

// Watchlist implements sources.WatchStore.
func (m *Memory) Watchlist(ctx context.Context) (all []sources.WatchEntry, err error) {
	err = m.do(ctx, "Watchlist", func() { all = m.soonestFirst() })
	return all, err
}

func (m *Memory) soonestFirst() []sources.WatchEntry {
	var all []sources.WatchEntry
	for _, e := range m.watch {
		all = append(all, cloneEntry(e))
	}
	slices.SortFunc(all, func(a, b sources.WatchEntry) int {
		return cmp.Or(m.past(b.WantedAt).Compare(m.past(a.WantedAt)), cmp.Compare(b.ID, a.ID))
	})
	return all
}

// WatchDue implements sources.WatchStore.
func (m *Memory) WatchDue(ctx context.Context, interfaceURL string, maxAge time.Duration) (due []sources.WatchEntry, err error) {
	err = m.do(ctx, "WatchDue", func() {
		now := m.now()
		due = slices.DeleteFunc(m.soonestFirst(), func(e sources.WatchEntry) bool {
			key := titleKey{e.Title.Key(), interfaceURL}
			if t := m.titles[key]; t != nil && !t.scannedAt.After(now) && now.Sub(t.scannedAt) <= maxAge {
				return true
			}
			last, known := m.empty[key]
			return known && within(last.at, last.rest, now)
		})
	})
	return due, err
}

// RemoveWatch implements sources.WatchStore.
func (m *Memory) RemoveWatch(ctx context.Context, id int64) (removed bool, err error) {
	err = m.do(ctx, "RemoveWatch", func() {
		i := slices.IndexFunc(m.watch, func(e sources.WatchEntry) bool { return e.ID == id })
		if removed = i >= 0; removed {
			key := m.watch[i].Title.Key()
			m.watch = slices.Delete(m.watch, i, i+1)
			m.want(key)
		}
	})
	return removed, err
}

// RemoveWatchlist implements sources.WatchStore.
func (m *Memory) RemoveWatchlist(ctx context.Context, ids []int64) (missing []int64, err error) {
	err = m.do(ctx, "RemoveWatchlist", func() {
		for _, id := range ids {
			if !slices.ContainsFunc(m.watch, func(e sources.WatchEntry) bool { return e.ID == id }) {
				missing = append(missing, id)
			}
		}
		if len(missing) > 0 {
			return
		}
		var keys []string
		m.watch = slices.DeleteFunc(m.watch, func(e sources.WatchEntry) bool {
			removed := slices.Contains(ids, e.ID)
			if removed {
				keys = append(keys, e.Title.Key())
			}
			return removed
		})
		for _, key := range keys {
			m.want(key)
		}
	})
	return missing, err
}

// SetWatchTitle implements sources.WatchStore.
func (m *Memory) SetWatchTitle(ctx context.Context, id int64, t sources.Title) error {
	var refused error
	err := m.do(ctx, "SetWatchTitle", func() {
		key := t.Key()
		i := slices.IndexFunc(m.watch, func(e sources.WatchEntry) bool { return e.ID == id })
		if i < 0 {
			refused = sources.ErrNotWatched
			return
		}
		if j := m.watched(key); j >= 0 && j != i {
			refused = sources.ErrWatched
			return
		}
		before := m.watch[i].Title
		if before.Key() != key {
			m.waits[id] = seconds(m.now())
			delete(m.looked, id)
		}
		m.watch[i].Title, m.watch[i].WantedAt = cloneTitle(t), seconds(m.now())
		m.want(before.Key())
		m.want(key)
	})
	return cmp.Or(err, refused)
}

func cloneEntry(e sources.WatchEntry) sources.WatchEntry {
	e.Title = cloneTitle(e.Title)
	return e
}

func cloneTitle(t sources.Title) sources.Title {
	t.Aliases = cloneList(t.Aliases)
	if t.Kind != sources.KindEpisode {
		t.Season, t.Episode = 0, 0
	}
	return t
}
