package engine

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"

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
	switch {
	case errors.Is(err, errLocked):
		err = &lockHeldError{pid: readPID(f)}
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

// writePID names this process in the file, for those who find it locked. The
// lock is held whether that works or not.
func (l *processLock) writePID() error {
	if err := l.file.Truncate(0); err != nil {
		return err
	}
	_, err := l.file.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

// readPID reads the process that a lock file names, 0 where it names none.
func readPID(f *os.File) int {
	const longest = 32
	written, err := io.ReadAll(io.NewSectionReader(f, 0, longest))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(string(bytes.TrimSpace(written)))
	if err != nil {
		return 0
	}
	return pid
}
