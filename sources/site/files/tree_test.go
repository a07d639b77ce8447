package files_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"xship/sources"
	"xship/sources/site/files"
)

// fakeTree is a tree in memory. The stamp of a folder is what lies in it.
type fakeTree struct {
	mu      sync.Mutex
	files   map[string]string // contents by path; a path that ends in "/" is an empty folder
	errs    map[string]error  // of List, by folder
	stamps  bool              // it has stamps
	bare    bool              // its listings tell neither sizes nor times
	listed  []string          // folders, as they were listed
	reads   []string          // files
	modTime time.Time
	hook    func(folder string) // called by List
}

func newTree(paths ...string) *fakeTree {
	t := &fakeTree{files: make(map[string]string), errs: make(map[string]error), stamps: true, modTime: time.Unix(1700000000, 0)}
	for _, p := range paths {
		t.files[p] = ""
	}
	return t
}

func (t *fakeTree) Root() string { return "fake:/media" }

func (t *fakeTree) Link(file string) string { return "/media/" + file }

func (t *fakeTree) entries(folder string) []files.Entry {
	prefix := folder + "/"
	if folder == "" {
		prefix = ""
	}
	var all []files.Entry
	for p, content := range t.files {
		rest, ok := strings.CutPrefix(p, prefix)
		if !ok || rest == "" {
			continue
		}
		name, _, isFolder := strings.Cut(rest, "/")
		e := files.Entry{Name: name, Folder: isFolder, Size: int64(len(content)), ModTime: t.modTime}
		if t.bare {
			e.Size, e.ModTime = -1, time.Time{}
		}
		if !slices.ContainsFunc(all, func(o files.Entry) bool { return o.Name == name }) {
			all = append(all, e)
		}
	}
	return all
}

func (t *fakeTree) List(ctx context.Context, folder string) ([]files.Entry, error) {
	if t.hook != nil {
		t.hook(folder)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.listed = append(t.listed, folder)
	if err := t.errs[folder]; err != nil {
		return nil, err
	}
	return t.entries(folder), nil
}

func (t *fakeTree) Stamp(_ context.Context, folder string) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.stamps {
		return "", nil
	}
	var names []string
	for _, e := range t.entries(folder) {
		names = append(names, e.Name)
	}
	slices.Sort(names)
	return "s" + strings.Join(names, "\x00"), nil
}

func (t *fakeTree) Read(_ context.Context, file string, most int64) ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reads = append(t.reads, file)
	content, ok := t.files[file]
	switch {
	case t.errs[file] != nil:
		return nil, t.errs[file]
	case !ok:
		return nil, sources.Errorf(sources.ClassDeadLink, "file %s is gone", file)
	case int64(len(content)) > most:
		return nil, sources.Errorf(sources.ClassUnsupported, "file %s is too large", file)
	}
	return []byte(content), nil
}
