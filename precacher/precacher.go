package precacher

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"xship/sources"
)

// Bounds of a Config whose fields are zero.
const (
	defaultWorkers     = 8
	defaultPerHoster   = 2
	defaultScans       = 3
	defaultRenewBefore = 15 * time.Minute
	defaultBudget      = 30 * time.Minute
)

// Config is what a Precacher works with. Zero bounds have defaults.
type Config struct {
	Queue   sources.Queue
	Hosters func(ctx context.Context) ([]sources.HosterHealth, error) // the whole hoster table
	Guard   func(ctx context.Context) (sources.GuardState, error)     // quick: it is asked after each fail
	Due     func(ctx context.Context) ([]sources.Title, error)        // titles whose scan is too old, soonest watched first
	Scan    func(ctx context.Context, t sources.Title) error          // scans t and stores what it finds
	Streams *sources.StreamResolve                                    // each cycle works with one like it whose stores are wrapped
	Prober  sources.Prober

	// Ready is asked before each cycle of Run, which ends with its error: there is no
	// sense in going on. nil: always.
	Ready func() error

	Logger   *slog.Logger     // nil: silent
	Observer sources.Observer // told of each cycle; nil: nobody
	Now      func() time.Time // nil: time.Now
	Progress func(Progress)   // called when a piece of work begins or ends, from one goroutine, which it must not hold up; nil: none

	Workers      int           // resolves and probes at once
	PerHoster    int           // of those, on one hoster
	Scans        int           // titles scanned at once
	ProbeTimeout time.Duration // one probe
	RenewBefore  time.Duration // streams that end this soon are renewed; Run looks ahead to its next cycle at least
	Budget       time.Duration // nothing new is begun in a cycle after this; the rest is for the next one, behind the titles due by then
	Pace         bool          // the cycles of Run are spread over the time to the next one, or over Budget where that is less, see Spread
}

// Precacher runs cycles, one at a time.
type Precacher struct {
	cfg      Config
	cycling  atomic.Bool // a cycle of Run runs
	patience patience
}

// New checks c and makes a Precacher of it.
func New(c Config) (*Precacher, error) {
	switch {
	case c.Queue == nil, c.Hosters == nil, c.Guard == nil, c.Due == nil, c.Scan == nil, c.Prober == nil:
		return nil, errors.New("precacher: Queue, Hosters, Guard, Due, Scan and Prober are needed")
	case c.Streams == nil || c.Streams.Attempts == nil || c.Streams.Attempts.Store == nil || c.Streams.Streams == nil:
		return nil, errors.New("precacher: Streams needs a hoster table and a store of streams")
	}
	c.Workers = sources.OrDefault(c.Workers, defaultWorkers)
	c.PerHoster = sources.OrDefault(c.PerHoster, defaultPerHoster)
	c.Scans = sources.OrDefault(c.Scans, defaultScans)
	c.ProbeTimeout = sources.OrDefault(c.ProbeTimeout, sources.DefaultProbeTimeout)
	c.RenewBefore = sources.OrDefault(c.RenewBefore, defaultRenewBefore)
	c.Budget = sources.OrDefault(c.Budget, defaultBudget)
	c.Logger = sources.OrSilent(c.Logger)
	c.Now = sources.OrNow(c.Now)
	return &Precacher{cfg: c}, nil
}

// Cycle runs one cycle: it tests the hosters that are due for that, scans the titles
// that are due, then resolves and probes until nothing is left that may be tried now. It
// waits for no backoff, and what failed is not tried again, unless that was while the
// network was down: that has a link tested once, and goes on where it works. At its end
// Config.Observer is told; sources.EventLog prints the hoster stats and one summary line.
//
// The error is that of ctx, after which Cycle returns within two seconds, or
// says why the cycle could not run to its end: the store failed. One title,
// source or hoster that fails is no error.
func (p *Precacher) Cycle(ctx context.Context) (sources.CycleSummary, error) {
	return p.cycle(ctx, p.cfg.RenewBefore, 0, nil)
}

// cycle runs one cycle. After what it is told at its end nextAfter gives when the next
// one begins; nil: none follows.
func (p *Precacher) cycle(ctx context.Context, renewBefore, interval time.Duration, nextAfter func(ended time.Time) time.Time) (sources.CycleSummary, error) {
	c := newCycle(p, renewBefore, interval)
	err := c.run(ctx)
	ended := p.cfg.Now()
	c.sum.Duration = ended.Sub(c.started)
	var next time.Time
	if nextAfter != nil && ctx.Err() == nil {
		next = nextAfter(ended)
	}
	p.observe(ctx, c, err, next)
	p.tellWaiting(c.sum, next)
	return c.sum, err
}
