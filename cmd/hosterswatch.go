package cmd

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"xship/sourcecache"
)

// hostersEvery is the time between two looks at the hoster table.
const hostersEvery = 2 * time.Second

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

// runHostersWatch shows the hoster table in place until q or Ctrl-C. What it
// showed last stays on the screen.
func runHostersWatch(ctx context.Context, a *app, failing bool) error {
	if !a.Stdout.Terminal || a.format() != outputTable {
		return &usageError{msg: "hosters stats --watch needs a terminal, and -o table", hint: "leave out --watch to see the table once"}
	}
	store, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	restore, err := a.rawInput()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go endAtKey(a.Stdin, cancel)
	a.screenWrite(enterScreen)
	last, err := a.watchHosters(ctx, store, failing, hostersEvery)
	a.screenWrite(leaveScreen)
	restore()
	if err == nil {
		_, err = a.Stdout.Write(last)
	}
	return err
}

// rawInput makes a terminal at stdin give each key at once.
func (a *app) rawInput() (restore func(), err error) {
	f, ok := a.Stdin.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return func() {}, nil
	}
	state, err := term.MakeRaw(int(f.Fd()))
	if err != nil {
		return nil, fmt.Errorf("read keys: %w", err)
	}
	return func() { _ = term.Restore(int(f.Fd()), state) }, nil // it worked the other way round
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

func (a *app) screenWrite(s string) {
	_, _ = io.WriteString(a.Stdout, s) // a terminal that is gone shows nothing anyway
}

// watchHosters draws the table again and again until ctx ends, and gives the
// last one.
func (a *app) watchHosters(ctx context.Context, store *sourcecache.DB, failing bool, every time.Duration) ([]byte, error) {
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	var table []byte
	for {
		doc, err := readHosters(ctx, store, failing, a.Now())
		switch {
		case ctx.Err() != nil:
			return table, nil
		case err != nil:
			return nil, err
		}
		if table, err = a.hostersTable(doc); err != nil {
			return nil, err
		}
		a.screenWrite(frame(table, a.Stdout.height()))
		select {
		case <-ctx.Done():
			return table, nil
		case <-ticks.C:
		}
	}
}

// hostersTable is the guard and the hoster table for people.
func (a *app) hostersTable(doc hostersDoc) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintln(&b, doc.Guard.String(a.Now()))
	l := hostersList(doc.Hosters)
	if len(l.rows) == 0 {
		fmt.Fprintln(&b, "no hoster to show")
		return b.Bytes(), nil
	}
	err := a.writeTableTo(&b, l)
	return b.Bytes(), err
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
