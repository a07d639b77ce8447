package term

import (
	"context"
	"io"
	"os"

	xterm "golang.org/x/term"
)

// ReadSecret reads a line of stdin: what is typed unseen where that is a terminal,
// which is told what, else what read gives. It does not wait when ctx has ended.
func (d Dialog) ReadSecret(ctx context.Context, what string, read func() (string, error)) (string, error) {
	restore := func() {}
	if f, ok := d.Stdin.(*os.File); ok && IsTerminal(f) {
		fd := int(f.Fd())
		state, err := xterm.GetState(fd)
		if err != nil {
			return "", err
		}
		restore = func() { _ = xterm.Restore(fd, state) } // the terminal is gone otherwise
		read = func() (string, error) {
			secret, err := xterm.ReadPassword(fd)
			return string(secret), err
		}
		d.Status.Hold()
		defer d.Status.Release()
		_, _ = io.WriteString(d.Stderr, what) // who does not see it types all the same
		defer func() { _, _ = io.WriteString(d.Stderr, "\n") }()
	}
	type result struct {
		line string
		err  error
	}
	got := make(chan result, 1)
	go func() {
		line, err := read()
		got <- result{line, err}
	}()
	select {
	case <-ctx.Done():
		restore()
		return "", ctx.Err()
	case r := <-got:
		return r.line, r.err
	}
}
