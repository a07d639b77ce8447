package files_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"xship/sources"
	"xship/sources/site/files"
	"xship/sources/sourcetest"
)

// hugeTree has 100,000 files: half of them films in folders of their own, half of them
// episodes.
type hugeTree struct {
	entries map[string][]files.Entry
}

const hugeFiles = 100_000

func newHugeTree() *hugeTree {
	t := &hugeTree{entries: make(map[string][]files.Entry)}
	add := func(folder, name string, isFolder bool) {
		t.entries[folder] = append(t.entries[folder], files.Entry{Name: name, Folder: isFolder, Size: 1 << 30, ModTime: time.Unix(1_700_000_000, 0)})
	}
	add("", "Films", true)
	add("", "Series", true)
	for i := range hugeFiles / 2 {
		name := fmt.Sprintf("Film %s (%d)", words(i), 1950+i%70)
		add("Films", name, true)
		add("Films/"+name, name+" - 1080p.mkv", false)
	}
	for i := range hugeFiles / 2 / 100 {
		show := fmt.Sprintf("Show %s (%d)", words(i), 1990+i%30)
		add("Series", show, true)
		for season := range 5 {
			folder := fmt.Sprintf("Season %02d", season+1)
			add("Series/"+show, folder, true)
			for number := range 20 {
				add("Series/"+show+"/"+folder, fmt.Sprintf("Show.%s.S%02dE%02d.1080p.WEB-DL.x264-GRP.mkv", words(i), season+1, number+1), false)
			}
		}
	}
	return t
}

// words is a number in words.
func words(i int) string {
	digits := [...]string{"Alpha", "Bravo", "Carpet", "Delta", "Ember", "Falcon", "Garden", "Harbour", "Island", "Jasmine"}
	s := ""
	for ; ; i /= 10 {
		s = digits[i%10] + s
		if i < 10 {
			return s
		}
	}
}

func (t *hugeTree) Root() string { return "fake:/huge" }

func (t *hugeTree) Link(file string) string { return "/huge/" + file }

func (t *hugeTree) List(_ context.Context, folder string) ([]files.Entry, error) {
	return t.entries[folder], nil
}

func (t *hugeTree) Stamp(context.Context, string) (string, error) { return "same", nil }

func (t *hugeTree) Read(context.Context, string, int64) ([]byte, error) { return nil, nil }

func BenchmarkUpdate(b *testing.B) {
	tree := newHugeTree()
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			w := files.Walker{Index: sourcetest.NewMemory(nil), Limits: files.Limits{Parallel: 4}}
			if root, err := w.Update(b.Context(), tree, nil); err != nil || root.Files != hugeFiles {
				b.Fatal(root, err)
			}
		}
	})
	w := files.Walker{Index: sourcetest.NewMemory(nil), Limits: files.Limits{Parallel: 4}}
	if _, err := w.Update(b.Context(), tree, nil); err != nil {
		b.Fatal(err)
	}
	b.Run("second", func(b *testing.B) {
		for b.Loop() {
			if root, err := w.Update(b.Context(), tree, nil); err != nil || root.Files != hugeFiles {
				b.Fatal(root, err)
			}
		}
	})
	for _, t := range []sources.Title{film("Film "+words(4321), 1950+4321%70), episode("Show "+words(123), 3, 4), film("Nothing", 2000)} {
		b.Run("search/"+string(t.Kind)+"/"+t.Name, func(b *testing.B) {
			for b.Loop() {
				if _, err := files.Search(b.Context(), w.Index, tree, t, true); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
