package precacher

import (
	"context"
	"errors"
	"log/slog"
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
	Due     func(ctx context.Context) ([]sources.Title, error)        // titles whose scan is too old, soonest watched first
	Scan    func(ctx context.Context, t sources.Title) error          // scans t and stores what it finds
	Streams *sources.StreamResolve                                    // each cycle works with one like it whose stores are wrapped
	Prober  sources.Prober

	// Ready is asked before each cycle of Run, which ends with its error: there is no
	// sense in going on. nil: always.
	Ready func() error

	Logger   *slog.Logger               // nil: silent
	Observer sources.Observer           // told of each cycle; nil: nobody
	Now      func() time.Time           // nil: time.Now
	Progress func(sources.CycleSummary) // called after each piece of work, from one goroutine; nil: none

	Workers      int           // resolves and probes at once
	PerHoster    int           // of those, on one hoster
	Scans        int           // titles scanned at once
	ProbeTimeout time.Duration // one probe
	RenewBefore  time.Duration // streams that end this soon are renewed; Run looks ahead to its next cycle at least
	Budget       time.Duration // nothing new is begun in a cycle after this; the rest is for the next one, behind the titles due by then
}

// Precacher runs cycles, one at a time.
type Precacher struct {
	cfg Config
}

// New checks c and makes a Precacher of it.
func New(c Config) (*Precacher, error) {
	switch {
	case c.Queue == nil, c.Hosters == nil, c.Due == nil, c.Scan == nil, c.Prober == nil:
		return nil, errors.New("precacher: Queue, Hosters, Due, Scan and Prober are needed")
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

// Cycle runs one cycle: it scans the titles that are due, then resolves and
// probes until nothing is left that may be tried now. It waits for no backoff,
// and what failed is not tried again. At its end Config.Observer is told; sources.EventLog
// prints the hoster stats and one summary line.
//
// The error is that of ctx, after which Cycle returns within two seconds, or
// says why the cycle could not run to its end: the store failed. One title,
// source or hoster that fails is no error.
func (p *Precacher) Cycle(ctx context.Context) (sources.CycleSummary, error) {
	return p.cycle(ctx, p.cfg.RenewBefore)
}

func (p *Precacher) cycle(ctx context.Context, renewBefore time.Duration) (sources.CycleSummary, error) {
	c := newCycle(p, renewBefore)
	err := c.run(ctx)
	c.sum.Duration = p.cfg.Now().Sub(c.started)
	p.observe(ctx, c, err)
	return c.sum, err
}
