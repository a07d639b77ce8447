package sources

import (
	"context"
	"slices"
	"time"
)

// Indexer is a Site that answers from an Index. Its searches update that where it is old.
type Indexer interface {
	Site
	// Root names what it answers from in the Index. It holds no secret.
	Root() string
	// UpdateIndex does so now, for as long as it takes, and tells what there is then.
	// progress, which may be nil, is told how many folders and files were seen so far, by
	// the goroutine that called.
	UpdateIndex(ctx context.Context, progress func(folders, files int)) (IndexedRoot, error)
}

type refreshKey struct{}

// WantsRefresh tells an Indexer whether the scan that searches it is a refreshed one, so
// that it updates its index first.
func WantsRefresh(ctx context.Context) bool {
	wants, _ := ctx.Value(refreshKey{}).(bool)
	return wants
}

// IndexedRoot tells how a root of an Index was walked.
type IndexedRoot struct {
	WalkedAt time.Time // when the last walk ended, zero where none did
	Files    int       // that were found
	Left     string    // what was left out and why, for people; "" = nothing
}

// IndexedFolder is a folder of an Index with the media files that lie directly in it.
type IndexedFolder struct {
	Path  string
	Stamp string // another one where the folder has changed, "" = it cannot be told
	Files []IndexedFile
}

// IndexedFile is a media file of an Index.
type IndexedFile struct {
	Path  string
	Keys  []string // under which it is found, in UTF-8
	Facts []byte   // what is known of it, as whoever put it wrote it
}

// Bounds of what an Index keeps of a file.
const (
	MaxIndexKeys  = 32
	MaxIndexKey   = 512      // bytes of a key
	MaxIndexFacts = 16 << 10 // bytes
)

// Kept gives f as an Index keeps it, which is a copy, and tells whether it does.
func (f IndexedFile) Kept() (kept IndexedFile, ok bool) {
	if len(f.Facts) > MaxIndexFacts {
		return IndexedFile{}, false
	}
	kept.Path = f.Path
	if len(f.Facts) > 0 {
		kept.Facts = slices.Clone(f.Facts)
	}
	for _, key := range f.Keys {
		if len(kept.Keys) < MaxIndexKeys && len(key) <= MaxIndexKey && !slices.Contains(kept.Keys, key) {
			kept.Keys = append(kept.Keys, key)
		}
	}
	return kept, true
}

// HasKey tells whether f is found under one of keys.
func (f IndexedFile) HasKey(keys []string) bool {
	return slices.ContainsFunc(f.Keys, func(key string) bool { return slices.Contains(keys, key) })
}
