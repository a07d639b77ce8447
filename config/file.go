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
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gofrs/flock"
	"github.com/natefinch/atomic"
	"golang.org/x/text/encoding/unicode"
)

const (
	lockWait = 2 * time.Second      // for another process that changes a file
	lockPoll = 5 * time.Millisecond // a change takes about as long
)

// AnotherUsers is what to do about a file of the data directory that this user may not
// open, most often because xship ran there once as root.
const AnotherUsers = "it belongs to another user: give the data directory and all in it to this one (chown -R), or run xship as that user"

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

// line is where the goroutines of this process stand that change a file. Who only polls
// the lock may never find it free.
type line struct {
	turn chan struct{} // full while one of them changes the file, or waits for another process
	// heldSince is since when another process was seen to hold the lock each time, zero
	// where it was free the last time. Who has the turn sees to it.
	heldSince time.Time
}

// lines has the line of each file, by path.
var lines sync.Map

// exclusively runs change while no other process, and no other goroutine, runs one
// for the file at path. The lock is a file beside it, which stays; its directory
// must exist. It waits for its turn among the goroutines as long as those before it
// take, and for another process until that was seen to hold the lock for wait.
func exclusively(path string, wait time.Duration, change func() error) error {
	lock := flock.New(path + ".lock")
	if info, err := os.Stat(lock.Path()); err == nil && info.Mode()&fs.ModeNamedPipe != 0 { // to open it waits
		return fmt.Errorf("lock: %s is a pipe, not a regular file; move it away", lock.Path())
	}
	found, _ := lines.LoadOrStore(path, &line{turn: make(chan struct{}, 1)})
	l := found.(*line)
	came := time.Now()
	l.turn <- struct{}{}
	defer func() { <-l.turn }()
	switch err := l.lock(lock, came, wait); {
	case errors.Is(err, context.DeadlineExceeded):
		return &LockedError{Path: lock.Path(), Wait: wait}
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("lock: %w; %s", err, AnotherUsers)
	case err != nil:
		return fmt.Errorf("lock: %w", err)
	}
	return errors.Join(change(), lock.Unlock())
}

// lock takes the lock for one who came to the line at the given time. What those before
// it have waited for another process counts, so that the last one does not wait for all.
func (l *line) lock(lock *flock.Flock, came time.Time, wait time.Duration) error {
	free, err := lock.TryLock()
	switch {
	case free:
		l.heldSince = time.Time{}
		return nil
	case err != nil:
		return err
	case l.heldSince.IsZero():
		l.heldSince = time.Now()
	}
	from := l.heldSince
	if came.After(from) {
		from = came
	}
	ctx, cancel := context.WithDeadline(context.Background(), from.Add(wait))
	defer cancel()
	if free, err = lock.TryLockContext(ctx, lockPoll); free {
		l.heldSince = time.Time{}
	}
	return err
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
// step. It is for its owner only. A file that is a mount of its own, as containers
// have them, cannot be replaced: it is written in place, which mounted tells, while a
// copy of it lies beside it.
func writePrivate(path string, v any) (mounted bool, err error) {
	text, err := encode(v)
	if err != nil {
		return false, err
	}
	return replaceText(linked(path), text, 0o600)
}

// replaceText is writePrivate for text as it is and a file of another mode, which is no
// link.
func replaceText(path string, text []byte, mode fs.FileMode) (mounted bool, err error) {
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return false, err
	case !info.Mode().IsRegular():
		return false, fmt.Errorf("%s is no regular file", path)
	}
	made, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)) // with mode 0600
	if err != nil {
		return false, err
	}
	if mode.Perm() != 0o600 {
		err = made.Chmod(mode.Perm())
	}
	if err = errors.Join(err, writeSynced(made, text)); err == nil {
		err = replaceFile(made.Name(), path)
	}
	if err == nil {
		return false, nil
	}
	err = errors.Join(err, os.Remove(made.Name()))
	if isMount(err) {
		return true, writeInPlace(path, text, mode)
	}
	return false, err
}

// How a file is moved to the place of another one, and to a free one. Tests stand in
// for a mount.
var (
	replaceFile = atomic.ReplaceFile
	renameFile  = os.Rename
)

// isMount tells whether a file could not be moved or replaced because it is a mount
// of its own.
func isMount(err error) bool { return errors.Is(err, syscall.EBUSY) || errors.Is(err, syscall.EXDEV) }

// mountedWarning says that a file was written in place.
func mountedWarning(path string) string {
	return fmt.Sprintf("%s is a mount of its own and was written in place; mount its directory, so that a change is never half done", path)
}

// inPlaceCopy ends the name of the copy of a file that is being written in place.
const inPlaceCopy = ".before"

// writeInPlace writes a file that is there. A copy of what it held is beside it until
// that is done, for who is broken off in between.
func writeInPlace(path string, text []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0) // before anything is changed
	if err != nil {
		return fmt.Errorf("%s is a mount of its own that cannot be written: %w; mount it, or better its directory, for writing", path, bare(err))
	}
	saved := path + inPlaceCopy
	if err := copyFile(path, saved); err != nil {
		return errors.Join(fmt.Errorf("copy %s before it is written in place: %w", path, err), f.Close())
	}
	// One that is there may be another user's, whose mode stays.
	if err := f.Chmod(mode.Perm()); err != nil && !errors.Is(err, fs.ErrPermission) {
		return errors.Join(err, f.Close())
	}
	err = f.Truncate(0)
	if err != nil {
		err = errors.Join(err, f.Close())
	} else {
		err = writeSynced(f, text)
	}
	if err != nil {
		return fmt.Errorf("write %s in place, its copy is %s: %w", path, saved, err)
	}
	return os.Remove(saved)
}

// copyFile copies a file over another one, or to a free place, for its owner only.
func copyFile(path, to string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return bare(err)
	}
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return bare(err)
	}
	return writeSynced(f, text)
}

// writeSynced fills an open file, and closes it once it is on the disk.
func writeSynced(f *os.File, text []byte) error {
	_, err := f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
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

// readLimited reads a file of limit bytes at most. It is looked at before it is
// opened: opening a pipe waits for who writes it, and a device may never end.
func readLimited(path string, limit int64) (text []byte, mode fs.FileMode, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	if err := readable(path, info.Mode()); err != nil {
		return nil, 0, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	text, err = io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = fmt.Errorf("it is larger than %d KiB", limit>>10)
	}
	return text, info.Mode(), err
}

// readWritten reads a JSON object that writePrivate wrote, without white space around
// it. Where the writing in place was broken off, or is under way, that is what was
// there before.
func readWritten(path string, limit int64) (text []byte, mode fs.FileMode, err error) {
	text, mode, err = readLimited(path, limit)
	if err != nil {
		return nil, mode, err
	}
	if text = plain(text); isObject(text) {
		return text, mode, nil
	}
	before, _, err := readLimited(linked(path)+inPlaceCopy, limit)
	if before = plain(before); err == nil && isObject(before) {
		return before, mode, nil
	}
	return text, mode, nil
}

func isObject(text []byte) bool {
	return len(text) > 0 && text[0] == '{' && json.Valid(text)
}

// readable tells what a file is that is not to be read. What the caller opened for
// this process, such as the pipe of a shell's <(…), is read, and so is the empty
// device.
func readable(path string, mode fs.FileMode) error {
	switch {
	case mode.IsRegular(), path == os.DevNull, inherited(path):
		return nil
	case mode.IsDir():
		return errors.New("it is a directory")
	case mode&fs.ModeNamedPipe != 0:
		return errors.New("it is a pipe, not a regular file")
	case mode&fs.ModeSocket != 0:
		return errors.New("it is a socket, not a regular file")
	default:
		return errors.New("it is a device, not a regular file")
	}
}

// inherited tells whether a path names an open file of this process.
func inherited(path string) bool {
	path = filepath.Clean(path)
	return path == "/dev/stdin" || strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/self/fd/")
}

// plain is the text of a JSON file without a byte order mark and white space
// around it. One in UTF-16, as some editors and shells of Windows write, is read too.
func plain(text []byte) []byte {
	if bytes.HasPrefix(text, []byte{0xff, 0xfe}) || bytes.HasPrefix(text, []byte{0xfe, 0xff}) {
		if decoded, err := unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Bytes(text); err == nil {
			text = decoded
		}
	}
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
