package direct

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/text"
)

// localPath is the file of this machine that link names: an absolute path or a
// file URL without a host.
func localPath(link string) (path string, ok bool) {
	link = strings.TrimSpace(link)
	if filepath.IsAbs(link) {
		return link, true
	}
	u, err := url.Parse(link)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" || !filepath.IsAbs(u.Path) {
		return "", false
	}
	return u.Path, true
}

// file is the stream of a file of this machine.
func (r *Resolver) file(ctx context.Context, path string) (sources.Stream, error) {
	found, err := openFile(ctx, path)
	if err != nil {
		return sources.Stream{}, err
	}
	if found.link != "" {
		return r.followLink(ctx, path, found.link, 0)
	}
	return sources.Stream{URL: path, MIME: found.mime}, nil
}

func openFile(ctx context.Context, path string) (content, error) {
	head, _, err := ReadFile(ctx, path, 0, headSize)
	if err != nil {
		return content{}, err
	}
	found, err := look(fetch.Page{Name: path, Body: head})
	if err != nil {
		return content{}, fmt.Errorf("file %s: %w", text.Clean(path), err)
	}
	return found, nil
}

const (
	// filePatience is how long a file may take, also where ctx has no end.
	filePatience = 10 * time.Second
	// mostHanging is how many reads may hang before no other file is opened.
	mostHanging = 8
)

// hanging counts the reads of this process that nobody waits for any more: a call to the
// system that hangs, as on a disk whose server is gone, cannot be ended.
var hanging atomic.Int64

// ReadFile reads n bytes of a regular file of this machine from offset off, less where it
// ends before, and its size. It opens what the path leads to at that moment, through
// symbolic links wherever they lead: who names a file has seen to it that it may be read.
// Its errors are classified: a file that is not there is a dead link, one that does not
// answer the fault of what it lies on, anything else unsupported.
func ReadFile(ctx context.Context, path string, off, n int64) (data []byte, size int64, err error) {
	return patiently(ctx, path, func() ([]byte, int64, error) { return readFile(path, off, n) })
}

// patiently reads the file at path, for as long as a file may take.
func patiently(ctx context.Context, path string, read func() ([]byte, int64, error)) (data []byte, size int64, err error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	if hanging.Load() >= mostHanging {
		return nil, 0, sources.Errorf(sources.ClassUnsupported, "file %s: not opened, as %d other files hang", text.Clean(path), mostHanging)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, filePatience, errHangs)
	defer cancel()
	type result struct {
		data []byte
		size int64
		err  error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		r.err = sources.Contain(nil, "reading a file", func() (err error) {
			r.data, r.size, err = read()
			return err
		})
		done <- r
	}()
	select {
	case r := <-done:
		return r.data, r.size, r.err
	case <-ctx.Done():
		hanging.Add(1)
		go func() {
			<-done
			hanging.Add(-1)
		}()
		if cause := context.Cause(ctx); errors.Is(cause, errHangs) {
			return nil, 0, sources.Errorf(sources.ClassHosterFault, "file %s: %w", text.Clean(path), cause)
		}
		return nil, 0, ctx.Err()
	}
}

var errHangs = fmt.Errorf("nothing was read within %s: its disk or server hangs", filePatience)

func readFile(path string, off, n int64) (data []byte, size int64, err error) {
	info, err := os.Stat(path) // before it is opened: opening a pipe waits
	if err != nil {
		return nil, 0, fileError(path, err)
	}
	if !info.Mode().IsRegular() {
		return nil, 0, fileError(path, errors.New("it is no regular file"))
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, fileError(path, err)
	}
	defer func() { _ = f.Close() }() // only read
	data, err = io.ReadAll(io.NewSectionReader(f, off, n))
	if err != nil {
		return nil, 0, fileError(path, err)
	}
	return data, info.Size(), nil
}

func fileError(path string, err error) error {
	class := sources.ClassUnsupported
	if errors.Is(err, fs.ErrNotExist) {
		class = sources.ClassDeadLink
	}
	var failed *fs.PathError
	if errors.As(err, &failed) {
		err = failed.Err // the path is said already
	}
	return sources.Errorf(class, "file %s: %w", text.Clean(path), err)
}
