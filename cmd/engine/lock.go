package engine

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"xship/config"
	"xship/sources/text"
)

// errLocked says that another process holds a lock.
var errLocked = errors.New("locked by another process")

// processLock is a lock that a process holds until it ends, however it ends. Its
// file stays behind.
type processLock struct{ file *os.File }

// lockHeldError says who holds a lock.
type lockHeldError struct {
	pid int // 0 where it is not known
}

func (e *lockHeldError) Error() string {
	if e.pid == 0 {
		return "another process holds the lock"
	}
	return fmt.Sprintf("process %d holds the lock", e.pid)
}

// One who looks whether a lock is held has it for a moment.
const (
	lockTries = 5
	lockPause = 20 * time.Millisecond
)

// acquireLock takes the lock of the file at path. Where another process has it,
// the error is a *lockHeldError.
func acquireLock(path string) (*processLock, error) {
	if info, err := os.Stat(path); err == nil && info.Mode()&fs.ModeNamedPipe != 0 { // to open it may wait
		return nil, fmt.Errorf("the lock file %s is a pipe; move it away", path)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if errors.Is(err, fs.ErrPermission) {
		return nil, text.WithHint(fmt.Errorf("open the lock file: %w", err), config.AnotherUsers)
	}
	if err != nil {
		return nil, fmt.Errorf("open the lock file: %w", err)
	}
	err = lockFile(f)
	for try := 1; errors.Is(err, errLocked) && try < lockTries; try++ {
		time.Sleep(lockPause)
		err = lockFile(f)
	}
	switch {
	case errors.Is(err, errLocked):
		err = &lockHeldError{pid: readHolder(f).pid}
	case err != nil:
		err = fmt.Errorf("lock %s: %w", path, err)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &processLock{file: f}, nil
}

// held tells whether the file at path still is the one that is locked. Where it is not,
// another process may hold a lock there.
func (l *processLock) held(path string) bool {
	own, err := l.file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(own, there)
}

// release gives the lock back. A file that cannot be emptied names a process
// that holds nothing, and is not asked until another one holds the lock.
func (l *processLock) release() error {
	_ = l.file.Truncate(0)
	return l.file.Close()
}

// lockHolder is what a lock file tells of who holds the lock.
type lockHolder struct {
	pid      int       // 0 where it is not known
	since    time.Time // zero where it is not known
	schedule string    // by which it works again and again, "" = it does not
	told     bool      // the last two; xships before version 9 of the database name the process alone
}

// writePID names this process in the file, for those who find it locked. The
// lock is held whether that works or not.
func (l *processLock) writePID() error { return l.write(lockHolder{}) }

// write is writePID with what else others may want to know. Users read the process from the
// first line, see docs/daemon.md.
func (l *processLock) write(h lockHolder) error {
	since := int64(0)
	if !h.since.IsZero() {
		since = h.since.Unix()
	}
	lines := fmt.Sprintf("%d\n%d\n%s\n", os.Getpid(), since, h.schedule)
	if err := l.file.Truncate(0); err != nil {
		return err
	}
	_, err := l.file.WriteAt([]byte(lines), 0)
	return err
}

// readHolder reads whom a lock file names. Where it does not tell since when the lock is
// held, the file was written then.
func readHolder(f *os.File) (h lockHolder) {
	const longest = 1024
	written, err := io.ReadAll(io.NewSectionReader(f, 0, longest))
	if err != nil {
		return h
	}
	lines := strings.Split(string(written), "\n")
	if h.pid, err = strconv.Atoi(strings.TrimSpace(lines[0])); err != nil || h.pid < 1 {
		return lockHolder{}
	}
	if info, err := f.Stat(); err == nil {
		h.since = info.ModTime()
	}
	if len(lines) < 3 {
		return h
	}
	if at, err := strconv.ParseInt(strings.TrimSpace(lines[1]), 10, 64); err == nil && at > 0 {
		h.since = time.Unix(at, 0)
	}
	h.schedule, h.told = text.Clean(lines[2]), true
	return h
}

// lookAtLock tells who holds the lock of the file at path, nil where nobody does. It makes
// no file.
func lookAtLock(path string) (*lockHolder, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular(): // to open it may wait
		return nil, fmt.Errorf("the lock file %s is no file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // which lets go of the lock
	err = shareLock(f)
	if errors.Is(err, errLocked) {
		h := readHolder(f)
		return &h, nil
	}
	return nil, err
}
