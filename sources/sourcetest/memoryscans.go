package sourcetest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"xship/sourcecache/health"
	"xship/sources"
)

// Bounds that the ports name.
const (
	deadness     = 24 * time.Hour // of a dead source that its site still names
	emptyRest    = time.Hour      // of a title that nobody has, at first
	maxEmptyRest = 24 * time.Hour
)

type (
	siteKey  struct{ interfaceURL, site string }
	titleKey struct{ title, interfaceURL string }

	// storedTitle is what is known of a title at an interface.
	storedTitle struct {
		scannedAt time.Time
		reports   []sources.SiteReport
		answers   map[string]*storedAnswer // by site
		wantedAt  time.Time                // by the watchlist, zero = it is not on it
	}
	storedAnswer struct {
		seenAt time.Time
		rows   []*storedSource // in the site's order
	}
	// storedSource is a source as one site named it.
	storedSource struct {
		sources.Source
		number    int64 // of the row, in the order in which they were added
		stateAt   time.Time
		queue     queue
		rank      int64
		restUntil time.Time
	}
	emptyScan struct {
		at   time.Time
		rest time.Duration
	}
)

// HosterSucceeded records that some hoster succeeded at the given time, so
// that fails count for the 30 s after it.
func (m *Memory) HosterSucceeded(at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.table.Network.LastSuccessAt = max(m.table.Network.LastSuccessAt, at.Unix())
}

// Emptied counts the scans that said that nobody has their title.
func (m *Memory) Emptied() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.emptied
}

// LoadScan implements sources.ScanStore.
func (m *Memory) LoadScan(ctx context.Context, interfaceURL string, t sources.Title) (scan *sources.StoredScan, err error) {
	err = m.do(ctx, "LoadScan", func() {
		stored, ok := m.titles[titleKey{t.Key(), interfaceURL}]
		if !ok {
			return
		}
		scan = &sources.StoredScan{ScannedAt: stored.scannedAt, Sites: cloneReports(stored.reports)}
		place := func(site string) int {
			if i := slices.IndexFunc(stored.reports, func(r sources.SiteReport) bool { return r.Key == site }); i >= 0 {
				return i
			}
			return len(stored.reports)
		}
		for site, answer := range stored.answers {
			a := sources.SiteAnswer{Site: site, SeenAt: answer.seenAt}
			for _, row := range answer.rows {
				a.Sources = append(a.Sources, cloneSource(row.Source))
			}
			scan.Answers = append(scan.Answers, a)
		}
		slices.SortFunc(scan.Answers, func(a, b sources.SiteAnswer) int {
			return cmp.Or(cmp.Compare(place(a.Site), place(b.Site)), cmp.Compare(a.Site, b.Site))
		})
	})
	return scan, err
}

// SaveScan implements sources.ScanStore. An answer without sources replaces
// nothing.
func (m *Memory) SaveScan(ctx context.Context, interfaceURL string, t sources.Title, scan sources.StoredScan) error {
	return m.do(ctx, "SaveScan", func() {
		key := titleKey{t.Key(), interfaceURL}
		answers := slices.DeleteFunc(slices.Clone(scan.Answers), func(a sources.SiteAnswer) bool { return len(a.Sources) == 0 })
		stored := m.titles[key]
		if len(answers) == 0 {
			if !m.isBehind(stored, scan.ScannedAt) {
				m.emptied++
				m.saveEmpty(key)
			}
			return
		}
		if stored == nil {
			stored = &storedTitle{answers: map[string]*storedAnswer{}}
			m.titles[key] = stored
		}
		stored.wantedAt = m.wantedAt(key.title)
		var given time.Time
		for _, a := range answers {
			if before := stored.answers[a.Site]; before == nil || !m.isLater(before, a.SeenAt) {
				m.replaceAnswer(stored, t, a, scan.Refreshed)
			}
			if a.SeenAt.After(given) {
				given = a.SeenAt
			}
		}
		if !m.isBehind(stored, given) {
			stored.scannedAt, stored.reports = seconds(scan.ScannedAt), cloneReports(scan.Sites)
			delete(m.empty, key)
		}
		m.place(stored, false, nil)
	})
}

// isBehind tells whether a title, nil where it is not stored, has an answer that was
// given later.
func (m *Memory) isBehind(stored *storedTitle, given time.Time) bool {
	if stored == nil {
		return false
	}
	for _, a := range stored.answers {
		if m.isLater(a, given) {
			return true
		}
	}
	return false
}

// isLater tells whether a was given after the given time, and not in the future.
func (m *Memory) isLater(a *storedAnswer, given time.Time) bool {
	return a.seenAt.After(seconds(given)) && !a.seenAt.After(m.now())
}

// saveEmpty records a scan that found nothing.
func (m *Memory) saveEmpty(key titleKey) {
	now := m.now()
	last, known := m.empty[key]
	switch {
	case !known:
		m.empty[key] = emptyScan{at: seconds(now), rest: emptyRest}
	case !within(last.at, last.rest, now):
		m.empty[key] = emptyScan{at: seconds(now), rest: min(2*last.rest, maxEmptyRest)}
	}
}

// replaceAnswer makes the rows of one site those of a. What became of sources that
// no row names any more is forgotten.
func (m *Memory) replaceAnswer(stored *storedTitle, t sources.Title, a sources.SiteAnswer, refreshed bool) {
	old := map[string]*storedSource{}
	if before := stored.answers[a.Site]; before != nil {
		for _, row := range before.rows {
			old[row.ID] = row
		}
	}
	answer := &storedAnswer{seenAt: seconds(a.SeenAt)}
	named := map[string]bool{}
	for _, src := range a.Sources {
		if src.ID == "" {
			src.ID = sources.SourceID(t, src.URL)
		}
		if named[src.ID] {
			continue
		}
		named[src.ID] = true
		answer.rows = append(answer.rows, m.successor(old[src.ID], src, a.Site, refreshed))
		delete(old, src.ID)
	}
	stored.answers[a.Site] = answer
	for id := range old {
		if len(m.rowsOf(id)) == 0 {
			delete(m.streams, id)
			delete(m.proven, id)
			maps.DeleteFunc(m.unlocked, func(k unlockedKey, _ sources.StoredStream) bool { return k.sourceID == id })
		}
	}
}

// successor is the row of a source that its site names, with what became of the
// row before, nil where it is new.
func (m *Memory) successor(old *storedSource, src sources.Source, site string, refreshed bool) *storedSource {
	row := &storedSource{Source: cloneSource(src), stateAt: seconds(m.now())}
	row.Site, row.Label, row.Needs = site, "", ""
	if !slices.Contains([]sources.State{sources.StateResolved, sources.StateProbed, sources.StateDead}, row.State) {
		row.State = sources.StateFound
	}
	if old == nil {
		m.lastID++
		row.number = m.lastID
		return row
	}
	row.number, row.queue, row.rank = old.number, old.queue, old.rank
	if row.URL == old.URL {
		row.restUntil, row.Needs = old.restUntil, old.Needs
	}
	dead := old.State == sources.StateDead
	if !dead || !refreshed && within(old.stateAt, deadness, m.now()) || row.State == sources.StateDead {
		row.State, row.stateAt = old.State, old.stateAt
	}
	return row
}

// rows gives all rows, of all titles.
func (m *Memory) rows() map[*storedSource]*storedTitle {
	all := map[*storedSource]*storedTitle{}
	for _, t := range m.titles {
		for _, a := range t.answers {
			for _, row := range a.rows {
				all[row] = t
			}
		}
	}
	return all
}

// rowsOf gives the rows of a source.
func (m *Memory) rowsOf(sourceID string) map[*storedSource]*storedTitle {
	all := m.rows()
	maps.DeleteFunc(all, func(row *storedSource, _ *storedTitle) bool { return row.ID != sourceID })
	return all
}

// RestingSites implements sources.ScanStore.
func (m *Memory) RestingSites(ctx context.Context, interfaceURL string) (map[string]sources.SiteRest, error) {
	resting := map[string]sources.SiteRest{}
	err := m.do(ctx, "RestingSites", func() {
		for key, h := range m.sites {
			if until := health.Sites().Until(h, m.unix()); key.interfaceURL == interfaceURL && until > m.unix() {
				resting[key.site] = sources.SiteRest{Until: fromUnix(until), Reason: h.LastError}
			}
		}
	})
	return resting, err
}

// SiteTouch implements sources.ScanStore. All outcomes are of one moment, so that
// a success among them makes the fails count, wherever it stands.
func (m *Memory) SiteTouch(ctx context.Context, interfaceURL string, outcomes []sources.SiteOutcome) error {
	return m.do(ctx, "SiteTouch", func() {
		guard := health.Guard{LastSuccessAt: m.siteSuccess}
		if !guard.Vouches(m.unix()) {
			guard.LastSuccessAt = m.table.Network.LastSuccessAt
		}
		before := guard
		for _, wantOK := range []bool{true, false} {
			for _, o := range outcomes {
				if o.OK != wantOK {
					continue
				}
				key := siteKey{interfaceURL, o.Site}
				h := m.sites[key]
				class := health.Fail
				if o.OK {
					class = health.OK
				}
				health.Sites().Touch(&h, &guard, health.Event{StartedAt: toUnix(o.Started), Class: class, Error: o.Error}, m.unix())
				m.sites[key] = h
			}
		}
		if guard != before {
			m.siteSuccess = guard.LastSuccessAt
		}
	})
}

func cloneSource(src sources.Source) sources.Source {
	src.Headers, src.Info, src.Subtitles = cloneMap(src.Headers), cloneList(src.Info), cloneList(src.Subtitles)
	return src
}

func cloneReports(all []sources.SiteReport) []sources.SiteReport {
	all = slices.Clone(all)
	for i := range all {
		all[i].Seen = cloneList(all[i].Seen)
		for j := range all[i].Seen {
			all[i].Seen[j].Episodes = cloneList(all[i].Seen[j].Episodes)
		}
	}
	return all
}
