package precacher

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"xship/sources"
)

const (
	// lookEvery is how often it is looked which hosters are to be tested, and in an
	// outage whether the network is to be.
	lookEvery = 5 * time.Second
	// mostRetests bounds how many hosters that are due are asked for at once.
	mostRetests = 64
	// outageTests is how many links are tested at once in an outage.
	outageTests = 1
	// outageWait is how long a cycle of the daemon waits for the network at least, before
	// it leaves what is left to the next one. A single cycle has it tested once.
	outageWait = 30 * time.Second
	// mostTries bounds the tries of one source in a cycle, where outages take them back.
	mostTries = 3
)

// network is what a cycle knows of the network, and of the hosters that are to be tested.
type network struct {
	lookAt  time.Time // when to look next
	tested  bool      // it was asked which hosters are to be tested
	retests []sources.Retest

	out     bool      // the network is down: no job is started
	outAt   time.Time // since when the cycle knows it
	since   time.Time // the same by the clock of the store
	backAt  time.Time // when it was back
	testing bool      // a link is being tested for that
	asks    bool      // it is not put off: this is a single cycle, or nothing ever worked, so nothing can be tested
	failed  []*job    // jobs that failed since the last success
	lost    []*job    // those that failed in the outage, or led to it
}

// look looks at the network after a fail and now and then. In an outage it has a link
// tested where that is due; else it finds the hosters that are to be tested.
func (c *cycle) look(ctx context.Context) {
	if c.streams.Attempts.Check == nil { // nothing can be tested
		c.network.lookAt = time.Now().Add(lookEvery)
		return
	}
	if c.recorder.takeDoubt() || c.dueToLook() {
		c.readGuard(ctx)
	}
	if !c.dueToLook() || ctx.Err() != nil || c.storeError() != nil {
		return
	}
	c.network.lookAt = time.Now().Add(lookEvery)
	c.news = c.news || c.pace.spread
	switch {
	case c.network.out:
		c.testOutage(ctx)
	case len(c.network.retests) == 0 && (!c.network.tested || c.sound > 0 || len(c.pending) > 0): // tests alone keep no cycle going
		c.network.tested = true
		due, err := c.streams.Attempts.Store.DueRetests(ctx, nil, c.patience.waiting(), mostRetests)
		if err != nil && ctx.Err() == nil {
			c.storeFailed(fmt.Errorf("look for hosters to test: %w", err))
		}
		c.network.retests = due
	}
}

func (c *cycle) dueToLook() bool { return !time.Now().Before(c.network.lookAt) }

// testWhileScanning looks, and starts the tests that are due.
func (c *cycle) testWhileScanning(ctx context.Context) {
	for c.look(ctx); c.goesOn(ctx) && !c.network.out && c.crew.running-c.scanning < c.cfg.Workers && c.startRetest(ctx); {
	}
}

// startRetest starts the test of a hoster that is due and tells whether there was one.
func (c *cycle) startRetest(ctx context.Context) bool {
	for len(c.network.retests) > 0 {
		r := c.network.retests[0]
		c.network.retests = c.network.retests[1:]
		if c.running[r.Hoster] > 0 || !c.patience.due(r.Hoster) { // a job tries it now
			continue
		}
		c.crew.start(task{
			name: "testing hoster " + r.Hoster,
			run: func() sources.CycleSummary {
				c.patience.retest(ctx, c.streams.Attempts, r)
				return sources.CycleSummary{}
			},
			ended: c.occupy(r.Hoster, true),
		})
		return true
	}
	return false
}

// testOutage starts a test of the network where one is due.
func (c *cycle) testOutage(ctx context.Context) {
	if c.network.testing {
		return
	}
	c.network.testing = true
	asked := c.network.asks
	c.crew.start(task{
		name: "testing the network",
		run: func() sources.CycleSummary {
			if _, err := c.streams.Attempts.TestOutage(ctx, asked); err != nil && ctx.Err() == nil {
				c.storeFailed(fmt.Errorf("test the network: %w", err))
			}
			c.recorder.noteDoubt()
			return sources.CycleSummary{}
		},
		ended: func() { c.network.testing = false },
	})
}

// waitsForNetwork tells whether the cycle waits for the network: as long as one that spreads its
// work, so that the next one begins when it should.
func (c *cycle) waitsForNetwork() bool {
	return c.interval > 0 && (time.Since(c.network.outAt) < outageWait || time.Since(c.begun) < window(c.interval))
}

// readGuard finds out whether the network is down.
func (c *cycle) readGuard(ctx context.Context) {
	guard, err := c.cfg.Guard(ctx)
	out := guard.Network == sources.NetworkOutage
	switch {
	case err != nil:
		if ctx.Err() == nil {
			c.storeFailed(fmt.Errorf("read the guard: %w", err))
		}
	case out && !c.network.out:
		c.outageBegins(guard)
	case !out && c.network.out:
		c.outageEnds(ctx, guard)
	case !out:
		c.network.failed = slices.DeleteFunc(c.network.failed, func(j *job) bool { return isBefore(j.ended, guard.LastSuccessAt) })
	}
}

// isBefore tells whether a time lies in an earlier second than another one.
func isBefore(t, u time.Time) bool { return t.Unix() < u.Unix() }

// outageBegins takes note of an outage. What failed since the last success was taken back.
func (c *cycle) outageBegins(guard sources.GuardState) {
	l := &c.network
	l.out, l.outAt, l.since = true, time.Now(), c.cfg.Now()
	if l.asks = c.interval == 0 || guard.LastSuccessAt.IsZero(); !l.asks {
		l.lookAt = l.outAt.Add(lookEvery)
	} else {
		l.lookAt = l.outAt
	}
	for _, j := range l.failed {
		if !isBefore(j.ended, guard.LastSuccessAt) {
			l.lost = append(l.lost, j)
		}
	}
	l.failed, l.retests = nil, nil
}

// outageEnds takes note of the end of an outage: the hosters are as they were before,
// and what failed in it is tried again. Where the outage ended only as nothing could be
// tested, all is as after any fail.
func (c *cycle) outageEnds(ctx context.Context, guard sources.GuardState) {
	l := &c.network
	l.out, c.news = false, true
	lost := l.lost
	l.lost = nil
	if isBefore(guard.LastSuccessAt, l.since) {
		return
	}
	l.backAt = time.Now()
	hosters, err := c.cfg.Hosters(ctx)
	if err != nil {
		if ctx.Err() == nil {
			c.storeFailed(fmt.Errorf("read the hosters: %w", err))
		}
		return
	}
	c.recorder.noteTrouble(hosters)
	for _, j := range lost {
		c.tryAgain(j)
	}
	if len(c.pending) > 0 {
		c.pending = c.place(c.pending)
	}
}

// noteFailed keeps a job that failed as long as its fail may have been the network's.
func (c *cycle) noteFailed(j *job) {
	j.ended, j.again = c.cfg.Now(), time.Now().Add(failRest())
	switch l := &c.network; {
	case l.out:
		l.lost = append(l.lost, j)
	case j.begun.Before(l.backAt):
		c.tryAgain(j)
	default:
		l.failed = append(l.failed, j)
	}
}

// tryAgain has a job tried again whose fail was taken back.
func (c *cycle) tryAgain(j *job) {
	if j.tries < mostTries {
		c.pending = append(c.pending, j)
	}
}

// betweenCycles tests what is due while no cycle runs, until ctx ends.
func (p *Precacher) betweenCycles(ctx context.Context) {
	attempts := p.cfg.Streams.Attempts.With(p.cfg.Streams.Attempts.Store)
	if attempts.Check == nil {
		return
	}
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if p.cycling.Load() {
			continue
		}
		err := sources.Contain(p.cfg.Logger, "testing hosters", func() error { return p.testDue(ctx, attempts) })
		if err != nil && ctx.Err() == nil {
			p.cfg.Logger.Debug("the hosters could not be tested", "error", err) // the next cycle tells why
		}
	}
}

// testDue tests the network in an outage, and else the hosters that are due. Where
// nothing is, nothing is written.
func (p *Precacher) testDue(ctx context.Context, attempts *sources.Attempts) error {
	guard, err := p.cfg.Guard(ctx)
	if err != nil {
		return err
	}
	if guard.Network == sources.NetworkOutage {
		_, err := attempts.TestOutage(ctx, false)
		return err
	}
	due, err := attempts.Store.DueRetests(ctx, nil, p.patience.waiting(), p.cfg.Workers)
	var tests sync.WaitGroup
	for _, r := range due {
		tests.Go(func() { p.patience.retest(ctx, attempts, r) })
	}
	tests.Wait()
	return err
}
