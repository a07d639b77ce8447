package precacher

import (
	"maps"
	"slices"
	"time"

	"xship/sources"
)

// Doing is what a Precacher does at a moment.
type Doing int

// What a Precacher does, in the order of a cycle.
const (
	DoingLoad   Doing = iota // it finds out which titles are due
	DoingScans               // it scans titles
	DoingWork                // it resolves and probes sources
	DoingOutage              // it waits for the network
	DoingWait                // it waits for the next cycle
)

// Progress is how far a cycle is, or how it ended.
type Progress struct {
	Doing Doing
	sources.CycleSummary
	Due     int       // titles that this cycle scans
	Sources int       // that it works on, as far as is known by now
	Done    int       // of these
	Busy    []string  // titles that are scanned now, or else hosters that are asked now
	Next    time.Time // when the next cycle begins, where it waits for that
}

// tell tells Config.Progress how far the cycle is.
func (c *cycle) tell() {
	if c.cfg.Progress == nil {
		return
	}
	p := Progress{Doing: c.doing, CycleSummary: c.sum, Due: c.due, Sources: len(c.seen), Done: len(c.seen) - len(c.pending) - c.jobs}
	p.Duration = c.cfg.Now().Sub(c.started)
	switch {
	case c.doing == DoingScans:
		p.Busy = slices.Clone(c.titles)
	case c.network.out:
		p.Doing = DoingOutage
	default:
		p.Busy = slices.Sorted(maps.Keys(c.running))
	}
	c.cfg.Progress(p)
}

// do goes on to another part of the cycle.
func (c *cycle) do(what Doing) {
	c.doing = what
	c.tell()
}

// tellWaiting tells that a cycle is over, and that another one follows.
func (p *Precacher) tellWaiting(sum sources.CycleSummary, next time.Time) {
	if p.cfg.Progress != nil && !next.IsZero() {
		p.cfg.Progress(Progress{Doing: DoingWait, CycleSummary: sum, Next: next})
	}
}
