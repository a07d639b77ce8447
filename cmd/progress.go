package cmd

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"xship/sources"
	"xship/sources/text"
)

// Of the live line.
const (
	progressEvery = 100 * time.Millisecond // between two versions of it
	progressNames = 3                      // sites named in it
)

const eraseLine = "\r\x1b[K"

// statusWriter is stderr with at most one live line at its end. What is written
// to it goes above that line.
type statusWriter struct {
	mu   sync.Mutex
	w    io.Writer
	line string // on screen, "" = none
	held bool   // a question is on screen: nothing else is written
	kept []byte // what was to be written meanwhile
}

// Write implements io.Writer. Callers write whole lines.
func (s *statusWriter) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held {
		s.kept = append(s.kept, p...)
		return len(p), nil
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

// show replaces the live line.
func (s *statusWriter) show(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.held {
		s.draw(line)
	}
}

// draw is show for who has the lock.
func (s *statusWriter) draw(line string) {
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

// clear removes the live line.
func (s *statusWriter) clear() { s.show("") }

// hold leaves the terminal to a question: the live line is removed, and what is
// written waits until release is called.
func (s *statusWriter) hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.draw("")
	s.held = true
}

func (s *statusWriter) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = false
	_, _ = s.w.Write(s.kept) // there is nowhere left to complain
	s.kept = nil
}

// progress is the live line of a running scan.
type progress struct {
	width   func() int
	now     func() time.Time
	loading func() string // what is done until the interface is loaded

	started time.Time
	mu      sync.Mutex
	counts  map[sources.Quality]int
	found   int
	loaded  bool                 // the interface is
	last    sources.ScanProgress // without its sources
}

// startProgress shows the live line of a scan until stop is called, where a
// person is looking. Without it, update is nil.
func (a *app) startProgress(ctx context.Context) (update func(sources.ScanProgress), stop func()) {
	if !a.showsProgress() {
		return nil, func() {}
	}
	p := &progress{width: a.Stderr.width, now: a.Now, loading: a.switching.doing, started: a.Now(), counts: make(map[sources.Quality]int)}
	return p.update, a.startLive(ctx, p.line)
}

// showsProgress tells whether a person is looking: stderr is a terminal, and
// neither --quiet nor logs for machines were asked for.
func (a *app) showsProgress() bool {
	return a.Stderr.Terminal && !a.flags.quiet && a.flags.logFormat == "text"
}

// startLive shows what line gives as the live line, drawn anew again and again
// until stop is called.
func (a *app) startLive(ctx context.Context, line func() string) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		ticks := time.NewTicker(progressEvery)
		defer ticks.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticks.C:
				a.status.show(line())
			}
		}
	})
	return func() {
		cancel()
		wg.Wait()
		a.status.clear()
	}
}

// update takes in the state of the scan.
func (p *progress) update(s sources.ScanProgress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, src := range s.Sources[min(p.found, len(s.Sources)):] {
		p.counts[src.Quality]++
	}
	p.found, p.loaded = len(s.Sources), true
	s.Sources, s.Site = nil, nil
	p.last = s
}

// line is the state of the scan in one line that fits the terminal. Where it is
// narrow, how far the scan is and who keeps it waiting matter more than which
// qualities have come.
func (p *progress) line() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	seconds := fmt.Sprintf("%.1f s", p.now().Sub(p.started).Seconds())
	width := p.width()
	switch {
	case !p.loaded:
		return liveLine(width, []string{p.loading(), seconds})
	case p.last.Total == 0:
		return liveLine(width, []string{"asking the sites", seconds})
	}
	state := []string{fmt.Sprintf("total %d", p.found), fmt.Sprintf("%d/%d sites", p.last.Done, p.last.Total), seconds}
	detailed := state
	if counts := p.qualities(); counts != "" {
		detailed = slices.Concat([]string{counts}, state)
	}
	for _, names := range []int{progressNames, 1} {
		if parts := p.withWaiting(detailed, names); fits(width, parts) {
			return liveLine(width, parts)
		}
	}
	return liveLine(width, p.withWaiting(state, 1))
}

// qualities counts what was found, best first, such as "4K 2 1080p 5".
func (p *progress) qualities() string {
	var counts []string
	for _, q := range append(sources.Qualities(), sources.QualityUnknown) {
		if n := p.counts[q]; n > 0 {
			counts = append(counts, fmt.Sprintf("%s %d", qualityName(q), n))
		}
	}
	return strings.Join(counts, " ")
}

// withWaiting is parts and the sites still out, at most so many by name.
func (p *progress) withWaiting(parts []string, most int) []string {
	waiting := p.last.Waiting
	if len(waiting) == 0 {
		return parts
	}
	names := make([]string, 0, most)
	for _, name := range waiting[:min(len(waiting), most)] {
		names = append(names, text.Clean(name))
	}
	more := ""
	if n := len(waiting) - len(names); n > 0 {
		more = fmt.Sprintf(" +%d", n)
	}
	return slices.Concat(parts, []string{"waiting for " + strings.Join(names, ", ") + more})
}

const partGap = " · "

// fits tells whether liveLine need not shorten the parts.
func fits(width int, parts []string) bool { return cellWidth(strings.Join(parts, partGap)) < width }

// liveLine joins the parts of a live line and makes it fit: a full line would
// make some terminals wrap.
func liveLine(width int, parts []string) string { return snip(strings.Join(parts, partGap), width-1) }

// qualityName is q for people.
func qualityName(q sources.Quality) string {
	if q == sources.QualityUnknown {
		return "?"
	}
	return string(q)
}
