package sourcecache_test

import (
	"fmt"
	"testing"
	"time"

	"xship/sourcecache"
	"xship/sources"
)

func BenchmarkHosterTouch(b *testing.B) {
	s := newStore(b)
	for i := range 500 {
		must(b, s.HosterTouch(b.Context(), fmt.Sprintf("hoster%03d.example", i), true))
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		must(b, s.HosterTouch(b.Context(), fmt.Sprintf("hoster%03d.example", i%500), i%2 == 0))
	}
}

// BenchmarkHosterSnapshot reads 500 hosters that all fail.
func BenchmarkHosterSnapshot(b *testing.B) {
	s := newStore(b)
	s.exec(b, `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
		INSERT INTO hoster (name, consecutive_fails, backoff_until, fail_count, last_error) SELECT 'hoster' || i || '.example', 1, ?, 1, 'connection refused' FROM n`, s.clock.Now().Unix())
	b.ReportAllocs()
	for b.Loop() {
		snapshot, err := s.HosterSnapshot(b.Context())
		must(b, err)
		if len(snapshot) != 500 {
			b.Fatalf("%d hosters", len(snapshot))
		}
	}
}

// BenchmarkOpen is what every command pays: open, read the hoster table of 500,
// close.
func BenchmarkOpen(b *testing.B) {
	s := newStore(b)
	s.exec(b, `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
		INSERT INTO hoster (name) SELECT 'hoster' || i || '.example' FROM n`)
	must(b, s.Close())
	b.ReportAllocs()
	for b.Loop() {
		db, err := sourcecache.Open(b.Context(), sourcecache.Options{Path: s.path})
		must(b, err)
		_, err = db.Hosters(b.Context())
		must(b, err)
		must(b, db.Close())
	}
}

// BenchmarkLoadScan reads a title of 200 sources among 200,000. The rows of
// each title lie scattered over the whole table.
func BenchmarkLoadScan(b *testing.B) {
	s := newStore(b)
	title := movie()
	s.save(b, title, answer(title, s.clock.Now(), "site0", "x"))
	s.exec(b, `
		PRAGMA foreign_keys = OFF;
		WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
		INSERT INTO title (id, interface_url, key, kind, name, scanned_at) SELECT i, '', i, 'movie', i, 1 FROM n;
		DELETE FROM sources;
		DELETE FROM site_answer;
		WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 20000 - 1)
		INSERT INTO site_answer (title_id, site, seen_at) SELECT i % 1000 + 1, 'site' || (i / 1000), 1700000000 FROM n;
		WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 200000 - 1)
		INSERT INTO sources (title_id, site, source_id, position, hoster, name, url, headers, quality, info)
		SELECT i % 1000 + 1, 'site' || (i / 1000 % 20), printf('%012x', i), i / 1000, 'hoster' || (i % 500) || '.example',
			'Some Film 2008 1080p WEB-DL H264 DDP5.1 release ' || i, 'https://hoster.example/files/some-film-2008/' || i || '.mkv',
			'{"Referer":"https://hoster.example/"}', '1080p', '["HEVC","5.1"]' FROM n;`)
	load := func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			n := 0
			for _, a := range s.load(b, title).Answers {
				n += len(a.Sources)
			}
			if n != 200 {
				b.Fatalf("%d sources", n)
			}
		}
	}
	scan := sources.StoredScan{ScannedAt: s.clock.Now(), Answers: []sources.SiteAnswer{answer(title, s.clock.Now(), "site20", "x")}}
	for i := range 20 {
		scan.Sites = append(scan.Sites, report(fmt.Sprintf("site%d", i))...)
	}
	reload := func(b *testing.B) {
		b.Helper()
		must(b, s.SaveScan(b.Context(), iface, title, scan))
		s.exec(b, `DELETE FROM sources WHERE site = 'site20'; DELETE FROM site_answer WHERE site = 'site20';`)
	}
	b.Run("sources", func(b *testing.B) {
		reload(b)
		load(b)
	})
	b.Run("with titles seen", func(b *testing.B) {
		for i := range scan.Sites {
			scan.Sites[i].Seen = benchSeen(i)
		}
		reload(b)
		load(b)
	})
}

// benchSeen is what a site came across beside a film: nine others and a series.
func benchSeen(site int) []sources.Sighting {
	series := sources.Sighting{Name: "Some Film The Series", Kind: sources.KindEpisode}
	for n := range 24 {
		series.Episodes = append(series.Episodes, sources.EpisodeNumber{Season: 1 + n/12, Episode: 1 + n%12})
	}
	seen := []sources.Sighting{series}
	for n := range 9 {
		seen = append(seen, sources.Sighting{Name: fmt.Sprintf("Some Film %d of Site %d", n, site), OriginalName: "某片", Year: 2000 + n, Kind: sources.KindMovie})
	}
	return seen
}

// BenchmarkSaveScan stores what 20 sites gave, 20 sources each.
func BenchmarkSaveScan(b *testing.B) {
	scanOf := func(t sources.Title, at time.Time, version int) sources.StoredScan {
		scan := sources.StoredScan{ScannedAt: at}
		for i := range 20 {
			var paths []string
			for j := range 20 {
				paths = append(paths, fmt.Sprintf("%d/%d?v=%d", i, j, version))
			}
			site := fmt.Sprintf("site%d", i)
			scan.Answers = append(scan.Answers, answer(t, at, site, paths...))
			scan.Sites = append(scan.Sites, report(site)...)
		}
		return scan
	}
	b.Run("new", func(b *testing.B) {
		s := newStore(b)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			title := sources.Title{Kind: sources.KindMovie, Name: fmt.Sprintf("Film %d", i)}
			must(b, s.SaveScan(b.Context(), iface, title, scanOf(title, s.clock.Now(), 0)))
		}
	})
	b.Run("new, with titles seen", func(b *testing.B) {
		s := newStore(b)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			title := sources.Title{Kind: sources.KindMovie, Name: fmt.Sprintf("Film %d", i)}
			scan := scanOf(title, s.clock.Now(), 0)
			for i := range scan.Sites {
				scan.Sites[i].Seen = benchSeen(i)
			}
			must(b, s.SaveScan(b.Context(), iface, title, scan))
		}
	})
	b.Run("unchanged", func(b *testing.B) {
		s := newStore(b)
		scan := scanOf(movie(), s.clock.Now(), 0)
		b.ReportAllocs()
		for b.Loop() {
			must(b, s.SaveScan(b.Context(), iface, movie(), scan))
		}
	})
	b.Run("all replaced", func(b *testing.B) {
		s := newStore(b)
		scans := []sources.StoredScan{scanOf(movie(), s.clock.Now(), 0), scanOf(movie(), s.clock.Now(), 1)}
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			must(b, s.SaveScan(b.Context(), iface, movie(), scans[i%2]))
		}
	})
}

// BenchmarkManyHosters has 22,000 hosters, as of a site that names others in each
// answer.
func BenchmarkManyHosters(b *testing.B) {
	s := newStore(b)
	now := s.clock.Now().Unix()
	calls := map[string]func() error{
		"table":    func() error { _, err := s.Hosters(b.Context()); return err },
		"snapshot": func() error { _, err := s.HosterSnapshot(b.Context()); return err },
		"retests":  func() error { _, err := s.DueRetests(b.Context(), nil, nil, 8); return err },
		"touch":    func() error { return s.HosterTouch(b.Context(), "up.example", true) },
		"queue":    func() error { _, err := s.ResolveQueue(b.Context(), 0, 50, 5); return err },
	}
	for _, state := range []string{"healthy", "failing, no link", "failing, with a link"} {
		s.exec(b, `DELETE FROM hoster; WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 22000)
			INSERT INTO hoster (name, consecutive_fails, fail_count, backoff_until, last_fail_at, good_link)
			SELECT 'h' || i || '.example', ?1, ?1, ?2 * ?1, ?2 * ?1, iif(?3, 'https://h' || i || '.example/a', '') FROM n`,
			state != "healthy", now-100, state == "failing, with a link")
		for name, call := range calls {
			b.Run(state+"/"+name, func(b *testing.B) {
				for b.Loop() {
					must(b, call())
				}
			})
		}
	}
}
