package term

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	xterm "golang.org/x/term"
)

// What a terminal is told, and the keys that end a view.
const (
	enterScreen = "\x1b[?1049h\x1b[?25l" // another screen, without a cursor
	leaveScreen = "\x1b[?25h\x1b[?1049l"
	topOfScreen = "\x1b[H"
	eraseToEnd  = "\x1b[K" // of the line
	eraseBelow  = "\x1b[J"

	keyCtrlC = 3
	keyCtrlD = 4
)

// Watch shows what draw gives in place, drawn anew after every so long, until q or
// Ctrl-C is pressed or ctx ends. What it showed last stays on the screen.
func Watch(ctx context.Context, stdin io.Reader, stdout Stream, every time.Duration, draw func(context.Context) ([]byte, error)) error {
	restore, err := rawInput(stdin)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go endAtKey(stdin, cancel)
	screenWrite(stdout, enterScreen)
	last, err := redraw(ctx, stdout, every, draw)
	screenWrite(stdout, leaveScreen)
	restore()
	if err == nil {
		_, err = stdout.Write(last)
	}
	return err
}

// redraw draws again and again until ctx ends, and gives what it drew last.
func redraw(ctx context.Context, stdout Stream, every time.Duration, draw func(context.Context) ([]byte, error)) ([]byte, error) {
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	var last []byte
	for {
		drawn, err := draw(ctx)
		switch {
		case ctx.Err() != nil:
			return last, nil
		case err != nil:
			return nil, err
		}
		last = drawn
		screenWrite(stdout, frame(last, stdout.Lines()))
		select {
		case <-ctx.Done():
			return last, nil
		case <-ticks.C:
		}
	}
}

// rawInput makes a terminal at stdin give each key at once.
func rawInput(stdin io.Reader) (restore func(), err error) {
	f, ok := stdin.(*os.File)
	if !ok || !IsTerminal(f) {
		return func() {}, nil
	}
	state, err := xterm.MakeRaw(int(f.Fd()))
	if err != nil {
		return nil, fmt.Errorf("read keys: %w", err)
	}
	return func() { _ = xterm.Restore(int(f.Fd()), state) }, nil // it worked the other way round
}

// endAtKey calls end when a key is read that ends a view. It may stay behind in
// a read, which ends with the process.
func endAtKey(stdin io.Reader, end func()) {
	key := make([]byte, 1)
	for {
		n, err := stdin.Read(key)
		if n > 0 && (key[0] == 'q' || key[0] == 'Q' || key[0] == keyCtrlC || key[0] == keyCtrlD) {
			end()
			return
		}
		if err != nil {
			return
		}
	}
}

func screenWrite(w io.Writer, s string) {
	_, _ = io.WriteString(w, s) // a terminal that is gone shows nothing anyway
}

// frame draws text over the one before it, with the lines that a screen of the
// given height has room for. A terminal that gives each key at once does not
// return at the end of a line by itself.
func frame(text []byte, height int) string {
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if more := len(lines) - (height - 1); more > 0 && height > 1 {
		lines = append(lines[:height-2], fmt.Sprintf("… and %d more lines", more+1))
	}
	var b strings.Builder
	b.WriteString(topOfScreen)
	for _, line := range lines {
		b.WriteString(line + eraseToEnd + "\r\n")
	}
	b.WriteString(eraseBelow)
	return b.String()
}
