package term

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	xterm "golang.org/x/term"
)

// ReadSecret reads a line of stdin: what is typed unseen where that is a terminal,
// which is told what, else what read gives. It does not wait when ctx has ended. The
// error is ErrNoAnswer where nothing is typed on a terminal, or its end comes first.
func (d Dialog) ReadSecret(ctx context.Context, what string, read func() (string, error)) (string, error) {
	restore := func() {}
	if f, ok := d.Stdin.(*os.File); ok && IsTerminal(f) {
		fd := int(f.Fd())
		state, err := xterm.MakeRaw(fd)
		if err != nil {
			return "", fmt.Errorf("read the terminal: %w", err)
		}
		restore = func() { _ = xterm.Restore(fd, state) } // the terminal is gone otherwise
		read = func() (string, error) { return d.typed(f, what) }
		d.Status.Hold()
		defer d.Status.Release()
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
		restore()
		return r.line, r.err
	}
}

// typed reads a line that is typed unseen on a terminal which gives each key at once.
func (d Dialog) typed(f *os.File, what string) (string, error) {
	keys := &keyReader{Reader: f}
	screen := xterm.NewTerminal(struct {
		io.Reader
		io.Writer
	}{keys, d.Stderr}, "")
	line, err := screen.ReadPassword(what)
	if errors.Is(err, xterm.ErrPasteIndicator) {
		err = nil // all of the line was pasted, its end too
	}
	switch {
	case err == nil && line != "":
		return line, nil
	case err != nil:
		screenWrite(d.Stderr, "\r\n")
	}
	if keys.interrupted {
		d.Interrupt()
		return "", context.Canceled
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	return "", ErrNoAnswer
}

// keyReader notices Ctrl-C among the keys that are read. Ctrl-D ends the line as Enter
// does: the terminal takes it for the end on an empty line only, and for a deletion on
// others.
type keyReader struct {
	io.Reader
	interrupted bool
}

// Read implements io.Reader.
func (k *keyReader) Read(p []byte) (int, error) {
	n, err := k.Reader.Read(p)
	k.interrupted = k.interrupted || bytes.IndexByte(p[:n], keyCtrlC) >= 0
	for i, key := range p[:n] {
		if key == keyCtrlD {
			p[i] = '\r'
		}
	}
	return n, err
}
