package loader

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"xship/config/vod"
	"xship/sources/link"
	"xship/sources/text"
)

// local are interfaces on this machine: folders, and files that are TVBox configs.
type local struct{}

func (local) recognises(url string) bool { return !IsURL(url) }

func (local) load(ctx context.Context, path string, a access) (*loaded, error) {
	seen, ok := a.folders.look(ctx, path)
	switch {
	case ctx.Err() != nil && errors.Is(ctx.Err(), context.Canceled):
		return nil, fmt.Errorf("load interface %s: %w", link.RedactInterface(path), ctx.Err())
	case !ok:
		return nil, &vod.Error{
			URL: link.RedactInterface(path), Cause: vod.CauseTimeout, Detail: "the disk did not answer within " + text.ShortDuration(LookTime),
			Hint: "check that the disk or the network drive is there",
		}
	case !seen.isFolder:
		cfg, err := vod.Load(ctx, path, a.get, a.LoadOptions)
		if err != nil {
			return nil, filmAdvised(err, path)
		}
		return configContent(cfg), nil
	case seen.err != nil:
		return nil, &vod.Error{
			URL: link.RedactInterface(path), Cause: vod.CauseFile, Detail: "cannot read the folder: " + text.Clean(seen.err.Error()),
			Hint: "check that xship may read it", Err: seen.err,
		}
	}
	l := folderContent(path)
	if seen.isEmpty {
		l.Warnings = append(l.Warnings, "the folder is empty: check that its disk or network drive is there")
	}
	return l, nil
}

// filmAdvised is err with what to do with a film that was taken for an interface.
func filmAdvised(err error, path string) error {
	failed, ok := errors.AsType[*vod.Error](err)
	if !ok || failed.Cause == vod.CauseFile || !link.MediaOf(path).Video {
		return err
	}
	advised := *failed
	advised.Hint = "a film is no interface; add the folder that it lies in"
	return &advised
}

// IsFolder tells whether an interface is a folder of this machine, false where its disk
// does not answer.
func (l *Loader) IsFolder(ctx context.Context, url string) bool {
	if IsURL(url) {
		return false
	}
	seen, ok := l.folders.look(ctx, url)
	return ok && seen.isFolder
}

// folderContent is the interface that a folder is.
func folderContent(path string) *loaded {
	name := text.Clean(filepath.Base(path))
	spec := ownSite(KindFolder, name, path)
	spec.Offline = true
	return oneSite(KindFolder, name, spec)
}

// LookTime is how long a disk may take to say what lies at a path: one that is not there
// any more hangs for ever.
const LookTime = 2 * time.Second

// folders look at paths, once at a time each, so that a disk that hangs holds up one
// goroutine and not one for each load.
type folders struct {
	see func(path string) glance // nil: seePath

	mu      sync.Mutex
	looking map[string]*glimpse
}

// glimpse is one look at a path.
type glimpse struct {
	done chan struct{} // closed when seen is set
	seen glance
}

// glance is what lies at a path.
type glance struct {
	missing  bool // there is nothing
	isFolder bool
	isEmpty  bool
	err      error // of reading the folder
}

// look tells what lies at path; ok is false where the disk does not answer, or ctx ends
// before.
func (f *folders) look(ctx context.Context, path string) (seen glance, ok bool) {
	l := f.begin(path)
	timer := time.NewTimer(LookTime)
	defer timer.Stop()
	select {
	case <-l.done:
		return l.seen, true
	case <-timer.C:
	case <-ctx.Done():
	}
	return glance{}, false
}

// begin gives the look at path that goes on, or begins one.
func (f *folders) begin(path string) *glimpse {
	f.mu.Lock()
	defer f.mu.Unlock()
	if l := f.looking[path]; l != nil {
		return l
	}
	if f.looking == nil {
		f.looking = make(map[string]*glimpse)
	}
	see := f.see
	if see == nil {
		see = seePath
	}
	l := &glimpse{done: make(chan struct{})}
	f.looking[path] = l
	go func() {
		l.seen = see(path)
		f.mu.Lock()
		delete(f.looking, path)
		f.mu.Unlock()
		close(l.done)
	}()
	return l
}

// seePath looks at a path. What is there that is no folder, reading it says.
func seePath(path string) (seen glance) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		seen.missing = errors.Is(err, fs.ErrNotExist)
		return seen
	}
	seen.isFolder = true
	d, err := os.Open(path)
	if err != nil {
		seen.err = err
		return seen
	}
	defer d.Close()
	if _, err = d.Readdirnames(1); errors.Is(err, io.EOF) {
		seen.isEmpty = true
	} else {
		seen.err = err
	}
	return seen
}
