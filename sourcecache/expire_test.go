package sourcecache_test

import (
	"fmt"
	"testing"
	"time"

	"xship/sourcecache"
	"xship/sources"
)

func (s *store) count(tb testing.TB, table string) string {
	tb.Helper()
	return s.query(tb, `SELECT count(*) FROM `+table)[0]
}

func TestDB_DeleteExpired(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	old, mixed, fresh := sources.Title{Kind: sources.KindMovie, Name: "Old"}, sources.Title{Kind: sources.KindMovie, Name: "Mixed"}, sources.Title{Kind: sources.KindMovie, Name: "Fresh"}
	var paths []string
	for i := range 250 {
		paths = append(paths, fmt.Sprint(i))
	}
	first := s.clock.Now()
	s.save(t, old, answer(old, first, "one", paths...))
	s.save(t, mixed, answer(mixed, first, "gone", "a", "b"))
	s.siteTouch(t, sources.SiteOutcome{Site: "gone", OK: true})
	s.add(t, "https://mine.example", "")
	for _, url := range []string{"https://mine.example", "https://once.example"} {
		must(t, s.PutConfig(t.Context(), url, sources.StoredConfig{FetchedAt: first}, ""))
	}
	s.clock.Advance(time.Hour)
	s.save(t, mixed, answer(mixed, s.clock.Now(), "one", "c"))
	s.save(t, fresh, answer(fresh, s.clock.Now(), "one", "d"))
	s.siteTouch(t, sources.SiteOutcome{Site: "one", OK: true})

	if n, err := s.DeleteExpired(t.Context(), first); err != nil || n != 0 {
		t.Errorf("removed %d, %v; want nothing, as nothing is older", n, err)
	}
	if n, err := s.DeleteExpired(t.Context(), first.Add(time.Second)); err != nil || n != 252 {
		t.Errorf("removed %d, %v; want 252", n, err)
	}
	if s.load(t, old) != nil {
		t.Error("the old title is still there")
	}
	if got := listing(s.load(t, mixed)) + " " + listing(s.load(t, fresh)); got != "one:c one:d" {
		t.Errorf("left: %q", got)
	}
	for table, want := range map[string]string{"title": "2", "site_answer": "2", "sources": "2", "site_health": "1", "config_cache": "1", "config": "1"} {
		if got := s.count(t, table); got != want {
			t.Errorf("%s rows in %s, want %s", got, table, want)
		}
	}
}

// TestDB_DeleteExpired_health removes what is kept of hosters and links that nobody
// needs any more.
func TestDB_DeleteExpired_health(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	title := movie()
	s.watch(t, title)
	named := offer(title, "named.example", "a", sources.Quality1080p)
	dead := offer(title, "dead.example", "b", sources.Quality1080p)
	own := offer(title, "own.example", "c", sources.Quality1080p)
	own.Own = true
	s.offers(t, title, named, dead, own)
	must(t, s.MarkDead(t.Context(), dead.ID))
	s.exec(t, `INSERT INTO hoster (name) VALUES ('listed.example'), ('own.example')`) // by an answer of before
	s.attempt(t, "failed.example", sources.ClassHosterFault)
	s.attempt(t, "good.example", sources.ClassOK)
	s.attempt(t, "worked.example", sources.ClassOK)
	for range 2 {
		s.attempt(t, "failed.example", sources.ClassHosterFault)
		s.clock.Advance(10 * time.Second)
		s.attempt(t, "good.example", sources.ClassOK)
	}
	const day = 24 * time.Hour
	clean := func(wantHosters, wantLinks, wantEvents string) {
		t.Helper()
		_, err := s.DeleteExpired(t.Context(), s.clock.Now().Add(-sourcecache.Retention))
		must(t, err)
		for query, want := range map[string]string{
			`SELECT coalesce(group_concat(name, ' '), '') FROM (SELECT replace(name, '.example', '') AS name FROM hoster ORDER BY name)`: wantHosters,
			`SELECT count(*) FROM link`:             wantLinks,
			`SELECT count(*) > 0 FROM hoster_event`: wantEvents,
		} {
			if got := s.query(t, query); got[0] != want {
				t.Errorf("%s: %s, want %s", query, got[0], want)
			}
		}
	}
	clean("dead failed good named worked", "1", "1")
	s.clock.Advance(day - time.Minute)
	clean("dead failed good named worked", "1", "1")
	now := s.clock.Now().Unix()
	s.exec(t, `INSERT INTO hoster (name, consecutive_fails, backoff_until, lease_until, last_fail_at) VALUES ('blocked.example', 7, ?1 + 3600, 0, 0), ('leased.example', 1, 0, ?1 + 10, 0),
		('clock.example', 2, ?1 + 900000, 0, ?1 + 900000)`, now)
	clean("blocked dead failed good leased named worked", "1", "1")
	s.clock.Advance(2 * time.Minute)
	clean("blocked dead named", "1", "0")
	s.clock.Advance(29 * day)
	clean("", "0", "0")
}

// TestDB_DeleteExpired_hours keeps two days of each hoster, and none of what another clock
// counted.
func TestDB_DeleteExpired_hours(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	hour := s.clock.Now().Unix() / 3600
	s.exec(t, `INSERT INTO hoster_hour (hoster, hour, ok) VALUES ('a.example', ?1 - 48, 1), ('a.example', ?1 - 47, 1), ('a.example', ?1, 1),
		('b.example', ?1 + 1, 1), ('b.example', ?1 + 900000, 1)`, hour)
	_, err := s.DeleteExpired(t.Context(), s.clock.Now().Add(-sourcecache.Retention))
	must(t, err)
	if got := s.query(t, `SELECT group_concat(hoster || ' ' || (hour - ?1), ', ') FROM (SELECT * FROM hoster_hour ORDER BY hour)`, hour); got[0] != "a.example -47, a.example 0" {
		t.Errorf("%s is left", got[0])
	}
}

// TestDB_manyHosters has a site that names other hosters in each answer: those of
// before go.
func TestDB_manyHosters(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	title := movie()
	s.watch(t, title)
	const answers, each = 4, 300
	for i := range answers {
		var all []sources.Source
		for j := range each {
			all = append(all, offer(title, fmt.Sprintf("h%d-%d.example", i, j), "a", sources.Quality1080p))
		}
		s.offers(t, title, all...)
		s.clock.Advance(time.Hour)
	}
	if got := s.count(t, "hoster"); got != fmt.Sprint(answers*each) {
		t.Errorf("%s hosters", got)
	}
	s.clock.Advance(25 * time.Hour)
	for range 2 { // each cleans up a little
		s.offers(t, title, offer(title, "last.example", "a", sources.Quality1080p))
	}
	if got := s.count(t, "hoster"); got != "1" {
		t.Errorf("%s hosters are left, want the one that is named", got)
	}
	jobs, err := s.ResolveQueue(t.Context(), 0, 9, 9)
	must(t, err)
	if len(jobs) != 1 {
		t.Errorf("%d jobs", len(jobs))
	}
}

// TestDB_HosterEvents_bound keeps to the bound of all hosters together.
func TestDB_HosterEvents_bound(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	s.exec(t, `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
		INSERT INTO hoster_event (hoster, id, at, link, class, effect, fails, backoff) SELECT 'h' || i, 1, i, '', 'ok', 'recovered', 0, 0 FROM n`)
	s.exec(t, `INSERT INTO hoster (name) VALUES ('waits.example')`)
	if events, err := s.HosterEvents(t.Context(), "waits.example"); err != nil || len(events) > 0 {
		t.Errorf("of a hoster that waits for its first attempt: %v, %v", events, err)
	}
	dbs := []*sourcecache.DB{s.DB, s.open(t)}
	for i := range 250 {
		must(t, dbs[i%2].HosterTouch(t.Context(), hosterNumber(i), true))
		if got := s.query(t, `SELECT count(*) FROM hoster_event`)[0]; got > "20000" || len(got) != 5 {
			t.Fatalf("%s events after %d more", got, i+1)
		}
	}
	if got := s.query(t, `SELECT hoster FROM hoster_event WHERE hoster IN ('h1', 'h20000')`); len(got) != 1 || got[0] != "h20000" {
		t.Errorf("%q are left of the first and the last one, want the last", got)
	}
	if events, err := s.HosterEvents(t.Context(), hosterNumber(249)); err != nil || len(events) == 0 {
		t.Errorf("the newest: %v, %v", events, err)
	}
}

func TestDB_SaveScan_removesOldScans(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	s.exec(t, `
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
		INSERT INTO title (id, interface_url, key, kind, name, scanned_at) SELECT i, '', i, 'movie', i, 1 FROM n;
		INSERT INTO site_answer SELECT id, 'one', 1 FROM title;
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
		INSERT INTO sources (title_id, site, source_id, position, hoster, name, url) SELECT i % 20 + 1, 'one', i, i, '', '', '' FROM n;`)
	title := movie()
	scan := func() { s.save(t, title, answer(title, s.clock.Now(), "one", "a")) }

	scan() // a scan removes a little
	if got := s.count(t, "sources"); got != "1001" {
		t.Errorf("%s sources after the first scan, want 1001", got)
	}
	scan()
	scan()
	if got := s.count(t, "sources") + " " + s.count(t, "site_answer") + " " + s.count(t, "title"); got != "1 1 1" {
		t.Errorf("%s sources, answers and titles after the third scan, want 1 of each", got)
	}

	other := sources.Title{Kind: sources.KindMovie, Name: "Sintel"}
	s.save(t, other, answer(other, s.clock.Now(), "one", "b"))
	s.clock.Advance(sourcecache.Retention)
	scan()
	if s.load(t, other) == nil {
		t.Errorf("removed at the end of its retention, not after it")
	}
	s.clock.Advance(time.Second)
	scan()
	if s.load(t, other) == nil {
		t.Errorf("a clean-up took place twice a day")
	}
	s.clock.Advance(24 * time.Hour)
	scan()
	if s.load(t, other) != nil {
		t.Errorf("kept for ever")
	}
	if s.load(t, title) == nil {
		t.Errorf("the title just scanned was removed")
	}
	if s.log.Len() != 0 {
		t.Errorf("log: %s", s.log)
	}
}
