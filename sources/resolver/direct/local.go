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
	if err := ctx.Err(); err != nil {
		return content{}, err
	}
	head, _, err := ReadFile(path, 0, headSize)
	if err != nil {
		return content{}, err
	}
	found, err := look(fetch.Page{Name: path, Body: head})
	if err != nil {
		return content{}, fmt.Errorf("file %s: %w", text.Clean(path), err)
	}
	return found, nil
}

// ReadFile reads n bytes of a regular file of this machine from offset off,
// less where it ends before, and its size. Its errors are classified: a file
// that is not there is a dead link, anything else unsupported.
func ReadFile(path string, off, n int64) (data []byte, size int64, err error) {
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
