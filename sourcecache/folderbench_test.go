package sourcecache_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"xship/sources"
	"xship/sources/site/folder"
)

// BenchmarkFolder is a folder of 100,000 files with its index in the database: indexed for
// the first time, again, and asked.
func BenchmarkFolder(b *testing.B) {
	const total = 100_000
	dir := b.TempDir()
	for i := range total {
		show, season, number := fmt.Sprintf("Show No %dx", i/100), i/20%5+1, i%20+1
		in, name := filepath.Join(dir, "Series", show, fmt.Sprintf("Season %02d", season)), fmt.Sprintf("%s S%02dE%02d 1080p.mkv", show, season, number)
		if i < total/10 {
			name = fmt.Sprintf("Film No %dx (%d)", i, 1950+i%70)
			in, name = filepath.Join(dir, "Films", name), name+" - 1080p.mkv"
		}
		if err := os.MkdirAll(in, 0o700); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(in, name), nil, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	newSite := func() sources.Indexer {
		s := newStore(b)
		s.clock.Advance(time.Since(s.clock.Now()) + time.Minute)
		site, err := folder.New(
			sources.SiteSpec{SiteInfo: sources.SiteInfo{Key: "k", Name: "n", Type: folder.Type}, API: dir, Trusted: true},
			folder.Deps{Index: s, Now: s.clock.Now})
		if err != nil {
			b.Fatal(err)
		}
		indexer, _ := site.(sources.Indexer)
		return indexer
	}
	update := func(site sources.Indexer) {
		if root, err := site.UpdateIndex(b.Context(), nil); err != nil || root.Files != total {
			b.Fatal(root, err)
		}
	}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			update(newSite())
		}
	})
	site := newSite()
	update(site)
	b.Run("second", func(b *testing.B) {
		for b.Loop() {
			update(site)
		}
	})
	t := sources.Title{Kind: sources.KindEpisode, Name: "Show No 123x", Season: 3, Episode: 4}
	b.Run("search", func(b *testing.B) {
		for b.Loop() {
			n := 0
			if err := site.Search(b.Context(), t, func(sources.Source) { n++ }); err != nil || n != 1 {
				b.Fatal(n, err)
			}
		}
	})
}
