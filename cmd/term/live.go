package term

import (
	"context"
	"io"
	"strings"
	"sync"
	"time"
)

// liveEvery is the time between two versions of the live line.
const liveEvery = 100 * time.Millisecond

// eraseLine removes the line that the cursor is in.
const eraseLine = "\r\x1b[K"

// Status is stderr with at most one live line at its end. What is written to it goes
// above that line. It is safe for concurrent use.
type Status struct {
	mu   sync.Mutex
	w    io.Writer
	line string // on screen, "" = none
	held bool   // a question is on screen: nothing else is written
	kept []byte // what was to be written meanwhile

	region *Region // at the end of the terminal in the place of the line; nil: none

	away func() bool // the terminal is another job's, as after "xship precache &"
}

// NewStatus is a Status on w.
func NewStatus(w io.Writer) *Status {
	s := &Status{w: w, away: func() bool { return false }}
	if out, ok := w.(Stream); ok && out.Terminal {
		s.away = func() bool { return inBackground(out) }
	}
	return s
}

// Write implements io.Writer. Callers write whole lines.
func (s *Status) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held {
		s.kept = append(s.kept, p...)
		return len(p), nil
	}
	if s.region != nil {
		return s.region.above(s.w, p)
	}
	if s.line == "" {
		return s.w.Write(p)
	}
	if _, err := io.WriteString(s.w, eraseLine); err != nil {
		return 0, err
	}
	n, err := s.w.Write(p)
	if err == nil {
		_, err = io.WriteString(s.w, s.line)
	}
	return n, err
}

// Show replaces the live line.
func (s *Status) Show(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.held && s.region == nil {
		s.draw(line)
	}
}

// showLive is Show of a line that is drawn again and again. While somebody types at another
// job it would end up among what they type: there is none then.
func (s *Status) showLive(line func() string) {
	if !s.away() {
		s.Show(line())
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.line = "" // the cursor is elsewhere
}

// draw is Show for who has the lock.
func (s *Status) draw(line string) {
	if line == s.line {
		return
	}
	out := line
	if s.line != "" {
		out = eraseLine + line
	}
	s.line = line
	_, _ = io.WriteString(s.w, out) // progress that nobody can see is no error
}

// Clear removes the live line, and leaves a region as it stands.
func (s *Status) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.region; r != nil {
		r.leave()
		r.write("\r\n")
		r.drawn = nil
	}
	s.draw("")
}

// Hold leaves the terminal to a question: the live line is removed, and what is
// written waits until Release is called.
func (s *Status) Hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.draw("")
	if s.region != nil {
		s.region.hide()
	}
	s.held = true
}

// Release ends a Hold.
func (s *Status) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = false
	_, _ = s.w.Write(s.kept) // there is nowhere left to complain
	s.kept = nil
}

// Live shows what line gives as the live line, drawn anew again and again until stop
// is called.
func (s *Status) Live(ctx context.Context, line func() string) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		ticks := time.NewTicker(liveEvery)
		defer ticks.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticks.C:
				s.showLive(line)
			}
		}
	})
	return func() {
		cancel()
		wg.Wait()
		s.Clear()
	}
}

const partGap = " · "

// Line joins the parts of a live line and makes it fit: a full line would make some
// terminals wrap.
func Line(width int, parts ...string) string { return Snip(strings.Join(parts, partGap), width-1) }

// Fullest is the Line of the first of some versions that need not be shortened, else of
// the last: they are in the order of what they leave out.
func Fullest(width int, versions [][]string) string {
	for _, parts := range versions[:len(versions)-1] {
		if CellWidth(strings.Join(parts, partGap)) < width {
			return Line(width, parts...)
		}
	}
	return Line(width, versions[len(versions)-1]...)
}
