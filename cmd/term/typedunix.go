//go:build unix

package term

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// hideTyped has a terminal not show what is typed, until restore is called. Keys do what
// they did: Ctrl-C interrupts, and lines are left to who reads next. A terminal that is
// another job's is let be: setting it would stop this process. restore is nil where nothing
// was changed.
func hideTyped(out Stream) (restore func()) {
	f, ok := out.Writer.(*os.File)
	if !ok {
		return nil
	}
	fd := int(f.Fd())
	state, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil || state.Lflag&unix.ECHO == 0 || !inForeground(fd) {
		return nil
	}
	hidden := *state
	hidden.Lflag &^= unix.ECHO
	if unix.IoctlSetTermios(fd, setTermios, &hidden) != nil {
		return nil
	}
	return func() {
		if inForeground(fd) {
			_ = unix.IoctlSetTermios(fd, setTermios, state) // the terminal is gone otherwise
		}
	}
}

// inForeground tells whether this process is one of those that the terminal listens to.
func inForeground(fd int) bool {
	group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// inBackground tells whether the terminal listens to other processes. One that does not
// tell has no jobs.
func inBackground(out Stream) bool {
	f, ok := out.Writer.(*os.File)
	if !ok {
		return false
	}
	group, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	return err == nil && group > 0 && group != unix.Getpgrp()
}

// notifyResumed tells when this process goes on after it was stopped, until stop is
// called, where out is a terminal on which others wrote meanwhile.
func notifyResumed(out Stream) (resumed <-chan os.Signal, stop func()) {
	if _, ok := out.Writer.(*os.File); !ok {
		return nil, func() {}
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGCONT)
	return signals, func() { signal.Stop(signals) }
}
