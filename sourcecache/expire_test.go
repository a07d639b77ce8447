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
	s.touch(t, "hoster.example", true)
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
	for table, want := range map[string]string{"title": "2", "site_answer": "2", "sources": "2", "site_health": "1", "config_cache": "1", "config": "1", "hoster": "1"} {
		if got := s.count(t, table); got != want {
			t.Errorf("%s rows in %s, want %s", got, table, want)
		}
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
