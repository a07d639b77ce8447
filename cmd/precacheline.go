package cmd

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"xship/cmd/term"
	"xship/precacher"
	"xship/sources/text"
)

// precacheLine is the live line of a precacher.
type precacheLine struct {
	width func() int
	now   func() time.Time

	mu   sync.Mutex
	last precacher.Progress
	came time.Time // last
}

// startPrecacheLine shows how far a precacher is until stop is called, where a person is
// looking. Without one, update is nil.
func (a *app) startPrecacheLine(ctx context.Context) (update func(precacher.Progress), stop func()) {
	if !a.showsProgress() {
		return nil, func() {}
	}
	l := &precacheLine{width: a.Stderr.Columns, now: a.Now, came: a.Now()}
	return l.update, a.status.Live(ctx, l.line)
}

func (l *precacheLine) update(p precacher.Progress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last, l.came = p, l.now()
}

// line is what the precacher does, in one line that fits the terminal: the fullest of its
// versions that does.
func (l *precacheLine) line() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return term.Fullest(l.width(), l.versions())
}

// versions are the parts of the line, shorter from one to the next.
func (l *precacheLine) versions() [][]string {
	p, now := l.last, l.now()
	took := wholeSeconds(p.Duration + now.Sub(l.came))
	done := fmt.Sprintf("sources %d/%d", p.Done, p.Sources)
	results := []string{fmt.Sprintf("%d ok", p.Probed), fmt.Sprintf("%d failed", p.Failed)}
	switch p.Doing {
	case precacher.DoingLoad:
		return [][]string{{"looking for titles that are due", took}}
	case precacher.DoingScans:
		scanned := fmt.Sprintf("scanning titles %d/%d", p.Titles+p.TitlesFailed, p.Due)
		return shortened([]string{scanned}, "", p.Busy, took)
	case precacher.DoingOutage:
		return [][]string{{"waiting for the network", done, took}, {"waiting for the network", done}}
	case precacher.DoingWait:
		return waitingVersions(p, now)
	default:
		if p.Sources == 0 {
			return [][]string{{"looking for sources that are due", took}}
		}
		return append(shortened(append([]string{done}, results...), "at ", p.Busy, took), []string{done, took})
	}
}

// shortened are parts with the names of what is busy behind them, all and fewer and fewer.
func shortened(parts []string, at string, busy []string, took string) [][]string {
	var versions [][]string
	for most := min(len(busy), progressNames); most > 0; most-- {
		versions = append(versions, slices.Concat(parts, []string{at + someNames(busy, most), took}))
	}
	return append(versions, slices.Concat(parts, []string{took}))
}

// waitingVersions tell when the next cycle comes, and how the last one went.
func waitingVersions(p precacher.Progress, now time.Time) [][]string {
	left := p.Next.Sub(now)
	if left <= 0 {
		return [][]string{{"the next cycle begins"}}
	}
	next := "next cycle at " + readable(slog.TimeValue(p.Next), now)
	in := "in " + text.ShortDuration(left)
	last := fmt.Sprintf("last one: %s, %d ok, %d failed", text.Plural(p.Titles, "title"), p.Probed, p.Failed)
	if p.TitlesFailed > 0 {
		last = fmt.Sprintf("last one: %d of %s, %d ok, %d failed", p.Titles, text.Plural(p.Titles+p.TitlesFailed, "title"), p.Probed, p.Failed)
	}
	return [][]string{{next, in, last}, {next, in}, {next}}
}

// wholeSeconds is a time that runs, for people: "0 s", "59 s", "1m 23s".
func wholeSeconds(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%d s", int(d.Seconds()))
	}
	return elapsed(d.Truncate(time.Second))
}
