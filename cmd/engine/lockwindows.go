//go:build windows

package engine

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockFile locks f until it is closed, at once or not at all. The byte that it
// locks lies far behind the end, since a locked one cannot be read by others.
func lockFile(f *os.File) error { return lockByte(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// shareLock is lockFile for those who only look whether another one has f locked. Many may
// at once.
func shareLock(f *os.File) error { return lockByte(f, 0) }

func lockByte(f *os.File, how uint32) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()), how|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return errLocked
	}
	return err
}
