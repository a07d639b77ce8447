package config

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/natefinch/atomic"
)

const (
	lockWait = 2 * time.Second      // for another process that changes a file
	lockPoll = 5 * time.Millisecond // a change takes about as long
)

// LockedError says that another process kept a file locked all the time.
type LockedError struct {
	Path string // of the lock
	Wait time.Duration
}

func (e *LockedError) Error() string {
	return fmt.Sprintf("another process has held the lock %s for %s; try again, or end that process", e.Path, e.Wait)
}

// ErrorCode implements text.Coded.
func (*LockedError) ErrorCode() string { return "locked" }

// turns has a channel for each file that this process changes, by path: it is full
// while one of its goroutines changes the file, or waits for another process. The
// others stand in line. Who only polls the lock may never find it free.
var turns sync.Map

// exclusively runs change while no other process, and no other goroutine, runs one
// for the file at path. The lock is a file beside it, which stays; its directory
// must exist.
func exclusively(path string, wait time.Duration, change func() error) error {
	lock := flock.New(path + ".lock")
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	made, _ := turns.LoadOrStore(path, make(chan struct{}, 1))
	turn := made.(chan struct{})
	select {
	case turn <- struct{}{}:
		defer func() { <-turn }()
	case <-ctx.Done():
		return &LockedError{Path: lock.Path(), Wait: wait}
	}
	switch _, err := lock.TryLockContext(ctx, lockPoll); {
	case errors.Is(err, context.DeadlineExceeded):
		return &LockedError{Path: lock.Path(), Wait: wait}
	case err != nil:
		return fmt.Errorf("lock: %w", err)
	}
	return errors.Join(change(), lock.Unlock())
}

// changePrivate runs change for the file at path, or the one that a link names, as
// exclusively does. The directory is made where it is missing.
func changePrivate(path string, change func(path string) error) error {
	path = linked(path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return exclusively(path, lockWait, func() error { return change(path) })
}

// linked is the file that a link names, or path itself.
func linked(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}

// writePrivate replaces a file, or the one that a link names, by v as JSON, in one
// step. It is for its owner only.
func writePrivate(path string, v any) error {
	text, err := encode(v)
	if err != nil {
		return err
	}
	path = linked(path)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no regular file", path)
	default:
		// The replacement takes over the mode of the file that is there.
		if err := os.Chmod(path, 0o600); err != nil {
			return err
		}
	}
	return atomic.WriteFile(path, bytes.NewReader(text))
}

// encode is v as indented JSON, its addresses unescaped.
func encode(v any) ([]byte, error) {
	var compact, text bytes.Buffer
	e := json.NewEncoder(&compact)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	err := json.Indent(&text, compact.Bytes(), "", "  ")
	return text.Bytes(), err
}

// readLimited reads a file of limit bytes at most.
func readLimited(path string, limit int64) (text []byte, mode fs.FileMode, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	text, err = io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = fmt.Errorf("it is larger than %d KiB", limit>>10)
	}
	return text, info.Mode(), err
}

// plain is the text of a JSON file without a byte order mark and white space
// around it.
func plain(text []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff")))
}

// jsonProblem says what is wrong with a JSON file without naming types of Go.
func jsonProblem(err error) error {
	e, ok := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case !ok:
		return err
	case e.Field == "":
		return fmt.Errorf("it is not a JSON object (%s)", e.Value)
	default:
		return fmt.Errorf("%s cannot be a %s", e.Field, e.Value)
	}
}
