//go:build unix

package engine

import (
	"errors"
	"os"

	sys "golang.org/x/sys/unix"
)

// lockFile locks f until it is closed, at once or not at all.
func lockFile(f *os.File) error { return lockAs(f, sys.LOCK_EX) }

// shareLock is lockFile for those who only look whether another one has f locked. Many may
// at once.
func shareLock(f *os.File) error { return lockAs(f, sys.LOCK_SH) }

func lockAs(f *os.File, how int) error {
	for {
		err := sys.Flock(int(f.Fd()), how|sys.LOCK_NB)
		switch {
		case errors.Is(err, sys.EINTR):
			continue
		case errors.Is(err, sys.EWOULDBLOCK):
			return errLocked
		default:
			return err
		}
	}
}
