package sourcecache_test

import (
	"fmt"
	"testing"

	"xship/sources"
)

// manyWatched has 200,000 sources of 1,000 watched titles on 500 hosters, so many of each
// title proven.
func manyWatched(b *testing.B, proven int) *store {
	b.Helper()
	s := newStore(b)
	entries := make([]sources.WatchEntry, 1000)
	for i := range entries {
		entries[i] = sources.WatchEntry{Title: sources.Title{Kind: sources.KindMovie, Name: fmt.Sprintf("Film %d", i)}, Origin: sources.WatchUser}
	}
	must(b, s.AddWatchlist(b.Context(), entries))
	s.exec(b, `
		PRAGMA foreign_keys = OFF;
		WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 500 - 1)
		INSERT INTO hoster (name, ok_count, consecutive_fails) SELECT 'hoster' || i || '.example', 1, i % 10 = 0 FROM n;
		INSERT INTO title (id, interface_url, key, kind, name, scanned_at) SELECT id, ?1, title_key, 'movie', name, ?2 FROM watch;
		WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 200000 - 1)
		INSERT INTO sources (title_id, site, source_id, position, hoster, name, url, quality, proven)
		SELECT i % 1000 + 1, 'site' || (i / 1000 % 20), printf('%012x', i), i / 1000, 'hoster' || (i * 7 % 500) || '.example',
			'Some Film 2008 1080p WEB-DL H264 DDP5.1 release ' || i, 'https://hoster.example/files/some-film-2008/' || i || '.mkv', '1080p', iif(i / 1000 < ?3, 3, 0) FROM n;`,
		iface, s.clock.Now().Unix(), proven)
	return s
}

// BenchmarkWatchStates reads how 1,000 titles stand with 200,000 sources.
func BenchmarkWatchStates(b *testing.B) {
	for _, proven := range []int{0, 5, 40} {
		b.Run(fmt.Sprintf("%d proven of each", proven), func(b *testing.B) {
			s := manyWatched(b, proven)
			b.ReportAllocs()
			for b.Loop() {
				states, err := s.WatchStates(b.Context(), iface)
				must(b, err)
				if len(states) != 1000 || states[0].Proven+states[0].Hidden != proven {
					b.Fatalf("%d states, the first %+v", len(states), states[0])
				}
			}
		})
	}
}

// BenchmarkWatchWaiting is what the status reads of 1,000 titles with 200,000 sources.
func BenchmarkWatchWaiting(b *testing.B) {
	for _, proven := range []int{0, 5, 40} {
		b.Run(fmt.Sprintf("%d proven of each", proven), func(b *testing.B) {
			s := manyWatched(b, proven)
			b.ReportAllocs()
			for b.Loop() {
				total, _, err := s.WatchWaiting(b.Context(), iface)
				must(b, err)
				if total != 1000 {
					b.Fatalf("%d titles", total)
				}
			}
		})
	}
}

// BenchmarkNoteReady looks whether a source made its title ready, as after each probe.
func BenchmarkNoteReady(b *testing.B) {
	s := manyWatched(b, 5)
	_, err := s.NoteReady(b.Context(), iface, "")
	must(b, err)
	b.ReportAllocs()
	for b.Loop() {
		_, err := s.NoteReady(b.Context(), iface, "000000000007")
		must(b, err)
	}
}

// BenchmarkEndAttempt is what each attempt writes.
func BenchmarkEndAttempt(b *testing.B) {
	s := newStore(b)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		name := fmt.Sprintf("hoster%03d.example", i%500)
		a, _, err := s.BeginAttempt(b.Context(), name, "https://"+name+"/x", true)
		must(b, err)
		_, err = s.EndAttempt(b.Context(), a, sources.ClassOK, "")
		must(b, err)
	}
}
