package folder_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"xship/sources"
	"xship/sources/site/folder"
	"xship/sources/sourcetest"
)

const benchFiles = 100_000

// benchFolder makes a folder with as many files: a tenth of them films in folders of
// their own, the others episodes.
func benchFolder(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	make1 := func(folder, name string) {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o700); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, folder, name), nil, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	for i := range benchFiles / 10 {
		name := fmt.Sprintf("Film No %dx (%d)", i, 1950+i%70)
		make1(filepath.Join("Films", name), name+" - 1080p.mkv")
	}
	for i := range benchFiles * 9 / 10 {
		show, season, number := fmt.Sprintf("Show No %dx", i/100), i/20%5+1, i%20+1
		make1(filepath.Join("Series", show, fmt.Sprintf("Season %02d", season)), fmt.Sprintf("%s S%02dE%02d 1080p.mkv", show, season, number))
	}
	age(b, dir, time.Now().Add(-time.Hour))
	return dir
}

// BenchmarkFolder is a folder of 100,000 files: indexed for the first time, again, and
// asked.
func BenchmarkFolder(b *testing.B) {
	dir := benchFolder(b)
	at := time.Now()
	newSite := func() sources.Indexer {
		site, err := folder.New(spec(dir), folder.Deps{Index: sourcetest.NewMemory(nil), Now: func() time.Time { return at }})
		if err != nil {
			b.Fatal(err)
		}
		indexer, _ := site.(sources.Indexer)
		return indexer
	}
	update := func(site sources.Indexer) {
		if root, err := site.UpdateIndex(b.Context(), nil); err != nil || root.Files != benchFiles {
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
	search := func() {
		n := 0
		if err := site.Search(b.Context(), t, func(sources.Source) { n++ }); err != nil || n != 1 {
			b.Fatal(n, err)
		}
	}
	search() // the store in memory sorts itself then
	b.Run("search", func(b *testing.B) {
		for b.Loop() {
			search()
		}
	})
}
