package cmd

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"xship/cmd/term"
	"xship/sources"
	"xship/sources/text"
)

// progressNames is how many sites the live line names.
const progressNames = 3

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
	p := &progress{width: a.Stderr.Columns, now: a.Now, loading: a.switching.doing, started: a.Now(), counts: make(map[sources.Quality]int)}
	return p.update, a.status.Live(ctx, p.line)
}

// update takes in the state of the scan.
func (p *progress) update(s sources.ScanProgress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(s.Sources) < p.found { // of another reading of the title
		p.found = 0
		clear(p.counts)
	}
	for _, src := range s.Sources[p.found:] {
		p.counts[src.Quality]++
	}
	p.found, p.loaded = len(s.Sources), true
	s.Sources = nil
	p.last = s
}

// line is the state of the scan in one line that fits the terminal. Where it is
// narrow, how far the scan is and who keeps it waiting matter more than which
// qualities have come.
func (p *progress) line() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	seconds := running(p.now().Sub(p.started))
	width := p.width()
	switch {
	case !p.loaded:
		return term.Line(width, p.loading(), seconds)
	case p.last.Total == 0:
		return term.Line(width, "asking the sites", seconds)
	}
	state := []string{fmt.Sprintf("total %d", p.found), fmt.Sprintf("%d/%d sites", p.last.Done, p.last.Total), seconds}
	detailed := state
	if counts := p.qualities(); counts != "" {
		detailed = slices.Concat([]string{counts}, state)
	}
	return term.Fullest(width, [][]string{p.withWaiting(detailed, progressNames), p.withWaiting(detailed, 1), p.withWaiting(state, 1)})
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
	return slices.Concat(parts, []string{"waiting for " + someNames(waiting, most)})
}

// someNames are the first of some names, as many as most, and how many more there are.
func someNames(names []string, most int) string {
	shown := make([]string, 0, most)
	for _, name := range names[:min(len(names), most)] {
		shown = append(shown, text.Clean(name))
	}
	more := ""
	if n := len(names) - len(shown); n > 0 {
		more = fmt.Sprintf(" +%d", n)
	}
	return strings.Join(shown, ", ") + more
}

// qualityName is q for people.
func qualityName(q sources.Quality) string {
	if q == sources.QualityUnknown {
		return "?"
	}
	return string(q)
}

// probeLine is the live line of a running probe.
type probeLine struct {
	mu   sync.Mutex
	last sources.ProbeProgress
}

func (l *probeLine) update(p sources.ProbeProgress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = p
}

func (l *probeLine) parts() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	doing := fmt.Sprintf("probing %d/%d", l.last.Done, l.last.Total)
	if l.last.Done == l.last.Total {
		doing = fmt.Sprintf("probed %d, testing hosters again", l.last.Total)
	}
	return []string{
		doing, fmt.Sprintf("%d ok", l.last.OK), fmt.Sprintf("%d failed", l.last.Failed), "Ctrl-C ends it",
	}
}
