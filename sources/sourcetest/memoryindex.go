package sourcetest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"xship/sources"
)

// memoryRoot is a root of the index.
type memoryRoot struct {
	walked  sources.IndexedRoot
	folders map[string]sources.IndexedFolder
	byKey   map[string][]sources.IndexedFile // nil: to be made of folders
}

// files are the files below the root that have a key.
func (r *memoryRoot) files(key string) []sources.IndexedFile {
	if r.byKey == nil {
		r.byKey = make(map[string][]sources.IndexedFile)
		for folder := range maps.Values(r.folders) {
			for _, f := range folder.Files {
				for _, key := range f.Keys {
					r.byKey[key] = append(r.byKey[key], f)
				}
			}
		}
	}
	return r.byKey[key]
}

// memoryAnswer is what was put under a key.
type memoryAnswer struct {
	body []byte
	at   time.Time
}

// root gives a root of the index, which is made where there is none.
func (m *Memory) root(root string) *memoryRoot {
	if m.roots[root] == nil {
		m.roots[root] = &memoryRoot{folders: map[string]sources.IndexedFolder{}}
	}
	return m.roots[root]
}

// IndexedRoot implements sources.Index.
func (m *Memory) IndexedRoot(ctx context.Context, root string) (r sources.IndexedRoot, err error) {
	err = m.do(ctx, "IndexedRoot", func() {
		r = m.root(root).walked
		r.WalkedAt = m.past(r.WalkedAt)
	})
	return r, err
}

// IndexedFolders implements sources.Index.
func (m *Memory) IndexedFolders(ctx context.Context, root string) (stamps map[string]string, err error) {
	err = m.do(ctx, "IndexedFolders", func() {
		stamps = make(map[string]string)
		for path, folder := range m.root(root).folders {
			stamps[path] = folder.Stamp
		}
	})
	return stamps, err
}

// PutFolders implements sources.Index.
func (m *Memory) PutFolders(ctx context.Context, root string, folders []sources.IndexedFolder) error {
	return m.do(ctx, "PutFolders", func() {
		m.root(root).byKey = nil
		for _, folder := range folders {
			files := map[string]sources.IndexedFile{}
			for _, f := range folder.Files {
				if kept, ok := f.Kept(); ok {
					files[kept.Path] = kept
				}
			}
			folder.Files = slices.Collect(maps.Values(files))
			m.root(root).folders[folder.Path] = folder
		}
	})
}

// DropFolders implements sources.Index.
func (m *Memory) DropFolders(ctx context.Context, root string, paths []string) error {
	return m.do(ctx, "DropFolders", func() {
		m.root(root).byKey = nil
		for _, path := range paths {
			delete(m.root(root).folders, path)
		}
	})
}

// EndWalk implements sources.Index.
func (m *Memory) EndWalk(ctx context.Context, root string, r sources.IndexedRoot) error {
	r.WalkedAt = seconds(r.WalkedAt)
	return m.do(ctx, "EndWalk", func() { m.root(root).walked = r })
}

// FindFiles implements sources.Index.
func (m *Memory) FindFiles(ctx context.Context, root string, keys []string, limit int) (found []sources.IndexedFile, err error) {
	err = m.do(ctx, "FindFiles", func() {
		for _, key := range keys {
			for _, f := range m.root(root).files(key) {
				copied, _ := f.Kept()
				found = append(found, copied)
			}
		}
		slices.SortFunc(found, func(a, b sources.IndexedFile) int { return cmp.Compare(a.Path, b.Path) })
		found = slices.CompactFunc(found, func(a, b sources.IndexedFile) bool { return a.Path == b.Path })
		found = found[:min(len(found), max(limit, 0))]
	})
	return found, err
}

// ForgetRoot implements sources.Index.
func (m *Memory) ForgetRoot(ctx context.Context, root string) error {
	return m.do(ctx, "ForgetRoot", func() { delete(m.roots, root) })
}

// Answer implements sources.Answers.
func (m *Memory) Answer(ctx context.Context, key string) (body []byte, at time.Time, err error) {
	err = m.do(ctx, "Answer", func() {
		if a, ok := m.answers[key]; ok && !a.at.After(m.now()) {
			body, at = slices.Clone(a.body), a.at
		}
	})
	return body, at, err
}

// PutAnswer implements sources.Answers.
func (m *Memory) PutAnswer(ctx context.Context, key string, body []byte) error {
	return m.do(ctx, "PutAnswer", func() { m.answers[key] = memoryAnswer{append([]byte{}, body...), seconds(m.now())} })
}

// FirstTime implements sources.Answers.
func (m *Memory) FirstTime(ctx context.Context, what string) (first bool, err error) {
	err = m.do(ctx, "FirstTime", func() {
		first = !m.told[what]
		m.told[what] = true
	})
	return first, err
}
