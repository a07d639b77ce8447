//go:build unix

package engine

import (
	"errors"
	"os"

	sys "golang.org/x/sys/unix"
)

// lockFile locks f until it is closed, at once or not at all.
func lockFile(f *os.File) error {
	for {
		err := sys.Flock(int(f.Fd()), sys.LOCK_EX|sys.LOCK_NB)
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
