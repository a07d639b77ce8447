package cmd

import (
	"database/sql"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"xship/cmd/term"
	"xship/config"
	"xship/sourcecache"
	"xship/sources"
)

// BenchmarkStatus is all of xship status but the start of the program, on a database of
// 200,000 sources of 1,000 watched titles on 500 hosters: open, read, write, close.
func BenchmarkStatus(b *testing.B) {
	dir := b.TempDir()
	path := config.DatabasePath(dir)
	store, err := sourcecache.Open(b.Context(), sourcecache.Options{Path: path})
	if err != nil {
		b.Fatal(err)
	}
	entries := make([]sources.WatchEntry, 1000)
	for i := range entries {
		entries[i] = sources.WatchEntry{Title: sources.Title{Kind: sources.KindMovie, Name: fmt.Sprintf("Film %d", i)}, Origin: sources.WatchUser}
	}
	if err := store.AddWatchlist(b.Context(), entries); err != nil {
		b.Fatal(err)
	}
	if err := store.Close(); err != nil {
		b.Fatal(err)
	}
	fillStatus(b, path)
	env := map[string]string{"HOME": dir, "XSHIP_DATA_DIR": dir}
	b.ReportAllocs()
	for b.Loop() {
		a := newApp(System{
			Now: time.Now, LookupEnv: func(name string) (string, bool) { v, ok := env[name]; return v, ok },
			Stdout: term.Stream{Writer: io.Discard}, Stderr: term.Stream{Writer: io.Discard},
		})
		if err := runStatus(b.Context(), a, false); !errors.Is(err, errReported) { // as no cycle ever ran
			b.Fatal(err)
		}
		if err := a.close(); err != nil {
			b.Fatal(err)
		}
	}
}

// fillStatus stores sources of all watched titles, five of each proven, on hosters of which
// a tenth is in trouble.
func fillStatus(b *testing.B, path string) {
	b.Helper()
	raw, err := sql.Open("sqlite", path)
	if err != nil {
		b.Fatal(err)
	}
	defer raw.Close()
	_, err = raw.ExecContext(b.Context(), `BEGIN;
		WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 500 - 1)
		INSERT INTO hoster (name, ok_count, consecutive_fails) SELECT 'hoster' || i || '.example', 1, i % 10 = 0 FROM n;
		INSERT INTO title (id, interface_url, key, kind, name, scanned_at) SELECT id, 'builtin:open', title_key, 'movie', name, added_at FROM watch;
		WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 200000 - 1)
		INSERT INTO sources (title_id, site, source_id, position, hoster, name, url, quality, proven)
		SELECT i % 1000 + 1, 'site' || (i / 1000 % 20), printf('%012x', i), i / 1000, 'hoster' || (i * 7 % 500) || '.example',
			'Some Film 2008 1080p WEB-DL H264 DDP5.1 release ' || i, 'https://hoster.example/files/some-film-2008/' || i || '.mkv', '1080p', iif(i / 1000 < 5, 3, 0) FROM n;
		COMMIT`)
	if err != nil {
		b.Fatal(err)
	}
}
