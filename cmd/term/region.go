package term

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// regionEvery is the least time between two drawings of a region.
const regionEvery = 50 * time.Millisecond

// Region is lines at the end of a terminal that are drawn in place, again and again until
// it ends. Only what changed is written, at most 20 times a second. What is written to the
// Status of the same terminal goes above it, and the terminal may change its size
// meanwhile. The screen stays the one that the user has; what is typed is not shown, since
// that would move the lines, and is left to who reads next.
type Region struct {
	status *Status
	out    Stream
	lines  func(columns, rows int) []string
	gone   func() // called once where the terminal cannot be written to

	drawn   []string // on the terminal; the cursor stands behind the last one
	columns int      // of the terminal when they were drawn
	size    [2]int   // for which lines was asked last
	fresh   bool     // lines is to be asked, though the size is the same
	err     error

	restore func() // shows again what is typed; nil where it is shown
	cancel  context.CancelFunc
	done    sync.WaitGroup
}

// StartRegion draws lines on out, at once and whenever they Changed or the terminal has
// another size, until the region ends or ctx does. lines gives as many as it wants of the
// rows that there are, none of them wider than the columns. It must not write. Where out
// cannot be written to, gone is called. The status is that of the same terminal; where it
// is written to elsewhere, shared is false.
func (s *Status) StartRegion(ctx context.Context, out Stream, shared bool, lines func(columns, rows int) []string, gone func()) *Region {
	ctx, cancel := context.WithCancel(ctx)
	r := &Region{status: s, out: out, lines: lines, gone: gone, fresh: true, restore: hideTyped(out), cancel: cancel}
	s.mu.Lock()
	if shared {
		s.draw("")
		s.region = r
	}
	r.draw()
	s.mu.Unlock()
	r.done.Go(func() { r.keepDrawing(ctx) })
	return r
}

// Changed tells that the lines are others now.
func (r *Region) Changed() {
	r.status.mu.Lock()
	defer r.status.mu.Unlock()
	r.fresh = true
}

func (r *Region) keepDrawing(ctx context.Context) {
	ticks := time.NewTicker(regionEvery)
	defer ticks.Stop()
	resumed, stop := notifyResumed(r.out)
	defer stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-resumed:
			r.startAfresh()
		case <-ticks.C:
		}
		r.status.mu.Lock()
		if !r.status.held {
			r.draw()
		}
		r.status.mu.Unlock()
	}
}

// startAfresh draws below what is on the terminal: others have written there while this
// process was stopped.
func (r *Region) startAfresh() {
	r.status.mu.Lock()
	defer r.status.mu.Unlock()
	if restore := hideTyped(r.out); r.restore == nil {
		r.restore = restore
	}
	r.drawn, r.fresh = nil, true
}

// End leaves text in the place of the lines. The error is that of the terminal.
func (r *Region) End(text []byte) error {
	r.cancel()
	r.done.Wait()
	r.status.mu.Lock()
	defer r.status.mu.Unlock()
	r.leave()
	if r.err == nil {
		r.write(r.erase() + strings.ReplaceAll(string(text), "\n", "\r\n"))
	}
	return r.err
}

// leave ends the hold of the region on the terminal.
func (r *Region) leave() {
	if r.status.region == r {
		r.status.region = nil
	}
	if r.restore != nil {
		r.restore()
		r.restore = nil
	}
}

// above writes p to w, above the lines.
func (r *Region) above(w io.Writer, p []byte) (int, error) {
	drawn := r.drawn
	r.write(r.erase())
	n, err := w.Write(p)
	r.drawn = nil
	r.write(r.change(drawn))
	return n, err
}

// hide takes the lines from the terminal, until the next drawing.
func (r *Region) hide() {
	r.write(r.erase())
	r.drawn, r.fresh = nil, true
}

// draw brings the terminal to what the lines are now, for who has the lock.
func (r *Region) draw() {
	columns, rows := r.out.Columns(), r.out.Lines()
	size := [2]int{columns, rows}
	if !r.fresh && size == r.size || r.err != nil {
		return
	}
	r.size, r.fresh = size, false
	next := r.lines(columns, rows)
	if most := max(rows-1, 1); len(next) > most {
		next = next[len(next)-most:] // what is above the screen cannot be drawn in place
	}
	erase := ""
	if columns != r.columns {
		erase = r.erase()
		r.drawn = nil
	}
	r.columns = columns
	r.write(erase + r.change(next))
}

// change is what turns the lines that are drawn into next, of which the cursor is left
// behind the last one.
func (r *Region) change(next []string) string {
	var b strings.Builder
	at := max(len(r.drawn)-1, 0) // the line in which the cursor is
	moveTo := func(line int) {
		switch {
		case line < at:
			fmt.Fprintf(&b, "\x1b[%dA", at-line)
		case line > at:
			fmt.Fprintf(&b, "\x1b[%dB", line-at)
		}
		at = line
	}
	for i, line := range next {
		switch {
		case i < len(r.drawn) && r.drawn[i] == line:
			continue
		case i < len(r.drawn), i == 0:
			moveTo(i)
			b.WriteString(eraseLine + line)
		default:
			moveTo(i - 1)
			b.WriteString("\r\n" + eraseToEnd + line)
			at = i
		}
	}
	if len(next) < len(r.drawn) {
		moveTo(len(next))
		b.WriteString("\r" + eraseBelow)
	}
	if b.Len() > 0 && len(next) > 0 {
		moveTo(len(next) - 1)
		b.WriteByte('\r')
		if width := CellWidth(next[len(next)-1]); width > 0 {
			fmt.Fprintf(&b, "\x1b[%dC", width)
		}
	}
	r.drawn = next
	return b.String()
}

// erase is what takes the lines from the terminal, with the cursor left where they
// began. A terminal that became narrower has broken them into more lines.
func (r *Region) erase() string {
	if len(r.drawn) == 0 {
		return ""
	}
	columns, up := max(r.out.Columns(), 1), -1
	for _, line := range r.drawn {
		up += max((CellWidth(line)+columns-1)/columns, 1)
	}
	if up == 0 {
		return eraseLine
	}
	// Line by line: some terminals keep what is erased from the top of the screen on.
	back := fmt.Sprintf("\r\x1b[%dA", up)
	return back + strings.Repeat(eraseToEnd+"\x1b[B", up) + eraseBelow + back
}

func (r *Region) write(s string) {
	if s == "" || r.err != nil {
		return
	}
	if _, r.err = io.WriteString(r.out, s); r.err != nil {
		r.gone()
	}
}
