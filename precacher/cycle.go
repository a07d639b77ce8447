package precacher

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"xship/sources"
)

// batchPerWorker and batchPerHoster size one pull from a queue: enough work
// for every worker, and of one hoster a few times what may run on it at once.
const (
	batchPerWorker = 8
	batchPerHoster = 4
)

// cycle is one run of a Precacher. One goroutine schedules; jobs run on a crew.
//
// A job waits in pending until a worker is free and fewer than PerHoster jobs run
// at its hoster. Jobs behind it may be started before it, so that a slow hoster
// keeps no worker from the others. As long as nothing has worked in the cycle,
// jobs of hosters in trouble wait for those of hosters with a good record: a fail
// means something only once it is known whether the network is up.
type cycle struct {
	cfg      Config
	recorder *recorder
	streams  *sources.StreamResolve // Config.Streams with both of its stores wrapped
	renew    time.Duration
	started  time.Time
	crew     *crew
	sum      sources.CycleSummary

	pending []sources.Source
	seen    map[string]bool // ids of sources that are pending or were begun in this cycle
	running map[string]int  // jobs by hoster
	sound   int             // running jobs of hosters that were not in trouble
	news    bool            // the queues may hold something that the last pull did not see

	mu       sync.Mutex
	storeErr error // the first error of the store; it ends the cycle
}

func newCycle(p *Precacher, renewBefore time.Duration) *cycle {
	cfg, streams := p.cfg, p.cfg.Streams
	c := &cycle{
		cfg: cfg, renew: renewBefore, started: cfg.Now(), news: true,
		crew: newCrew(max(cfg.Workers, cfg.Scans), cfg.Logger),
		seen: make(map[string]bool), running: make(map[string]int),
	}
	c.recorder = newRecorder(streams.Attempts.Store, cfg.Now, cfg.Workers, c.storeFailed, c.crew.poke)
	c.streams = streams.With(c.recorder, &freshStreams{
		StreamStore: streams.Streams, now: cfg.Now, renewBefore: renewBefore,
		ttl: sources.OrDefault(streams.TTL, sources.DefaultStreamTTL), failed: c.storeFailed,
	})
	return c
}

func (c *cycle) run(ctx context.Context) error {
	if _, err := c.cfg.Queue.BeginCycle(ctx); err != nil {
		return cmp.Or(ctx.Err(), fmt.Errorf("begin a cycle: %w", err))
	}
	hosters, err := c.cfg.Hosters(ctx)
	if err != nil {
		return cmp.Or(ctx.Err(), fmt.Errorf("read the hosters: %w", err))
	}
	c.recorder.noteTrouble(hosters)
	c.scan(ctx)
	c.dispatch(ctx)
	return cmp.Or(ctx.Err(), c.storeError())
}

// scan scans the titles that are due, a few at a time.
func (c *cycle) scan(ctx context.Context) {
	titles, err := c.cfg.Due(ctx)
	if err != nil {
		c.storeFailed(fmt.Errorf("read the titles that are due: %w", err))
	}
	for _, t := range titles {
		for c.crew.running >= c.cfg.Scans && c.wait(ctx) {
		}
		if !c.goesOn(ctx) {
			break
		}
		c.crew.start(task{
			name:   "scanning " + t.String(),
			run:    func() sources.CycleSummary { return c.scanSingle(ctx, t) },
			broken: sources.CycleSummary{TitlesFailed: 1},
		})
	}
	c.drain(ctx)
}

func (c *cycle) scanSingle(ctx context.Context, t sources.Title) sources.CycleSummary {
	err := c.cfg.Scan(ctx, t)
	switch {
	case err == nil:
		return sources.CycleSummary{Titles: 1}
	case ctx.Err() != nil:
		return sources.CycleSummary{}
	}
	c.cfg.Logger.Warn("a title could not be scanned", "title", t.String(), "error", err)
	return sources.CycleSummary{TitlesFailed: 1}
}

// dispatch resolves and probes until nothing is left that may be tried.
func (c *cycle) dispatch(ctx context.Context) {
	for c.goesOn(ctx) {
		switch {
		case c.crew.running < c.cfg.Workers && c.startSome(ctx):
		case c.crew.running > 0:
			c.wait(ctx)
		case c.recorder.reportHeld(ctx, c.streams.Attempts):
			c.news = true
		default:
			return
		}
	}
	c.drain(ctx)
	c.recorder.end(ctx, c.streams.Attempts)
}

// startSome starts a job, or pulls new ones, and tells whether it did either.
// Hosters in trouble come last as long as nothing worked.
func (c *cycle) startSome(ctx context.Context) bool {
	return c.startNext(ctx, c.recorder.anySuccess()) || c.pull(ctx) || c.sound == 0 && c.startNext(ctx, true)
}

// startNext starts a pending job and tells whether there was one that may run
// now: the first of those whose hosters have the fewest running jobs, so that the
// load is spread and no hoster's share is left to the end. Jobs of hosters in
// trouble are started only where troubled is set, one at a time for each hoster.
func (c *cycle) startNext(ctx context.Context, troubled bool) bool {
	next, least := -1, c.cfg.PerHoster
	for i, src := range c.pending {
		busy := c.running[src.Hoster]
		if busy >= least {
			continue
		}
		st := c.recorder.standing(src.Hoster)
		if st.resting || st.trouble && (!troubled || busy > 0) {
			continue
		}
		if next, least = i, busy; busy == 0 {
			break
		}
	}
	if next < 0 {
		return false
	}
	src := c.pending[next]
	c.pending = slices.Delete(c.pending, next, next+1)
	c.start(ctx, src, !c.recorder.standing(src.Hoster).trouble)
	return true
}

// start starts a job. Sound tells whether its hoster has a good record.
func (c *cycle) start(ctx context.Context, src sources.Source, sound bool) {
	c.running[src.Hoster]++
	if sound {
		c.sound++
	}
	c.crew.start(task{
		name:   "precaching source " + src.ID,
		run:    func() sources.CycleSummary { return c.work(ctx, src) },
		broken: sources.CycleSummary{Failed: 1},
		ended:  func() { c.ended(src.Hoster, sound) },
	})
}

// ended takes note of the end of a job. Where its hoster rests now, the other
// pending jobs of that hoster are given back to the queue: a later pull takes them
// again as soon as the store lets the hoster be tried.
func (c *cycle) ended(hoster string, sound bool) {
	c.news = true
	c.running[hoster]--
	if sound {
		c.sound--
	}
	if c.recorder.standing(hoster).resting {
		c.pending = slices.DeleteFunc(c.pending, func(src sources.Source) bool {
			if src.Hoster == hoster {
				delete(c.seen, src.ID)
			}
			return src.Hoster == hoster
		})
	}
}

// pull takes new jobs from the queues, those to resolve first, and tells
// whether there were any. It asks only after something has changed.
func (c *cycle) pull(ctx context.Context) bool {
	if !c.news {
		return false
	}
	c.news = false
	waiting := len(c.pending) + c.crew.running // the queue still holds these
	limit, perHoster := batchPerWorker*c.cfg.Workers+waiting, batchPerHoster*c.cfg.PerHoster
	queues := []func() ([]sources.Job, error){
		func() ([]sources.Job, error) { return c.cfg.Queue.ResolveQueue(ctx, c.renew, limit, perHoster) },
		func() ([]sources.Job, error) { return c.cfg.Queue.ProbeQueue(ctx, limit, perHoster) },
	}
	for _, queue := range queues {
		jobs, err := queue()
		if err != nil && ctx.Err() == nil {
			c.storeFailed(fmt.Errorf("read the queue: %w", err))
		}
		if err != nil || c.admit(jobs) {
			return err == nil
		}
	}
	return false
}

// admit takes in the jobs that are new in this cycle, and tells whether there
// were any.
func (c *cycle) admit(jobs []sources.Job) bool {
	before := len(c.pending)
	for _, j := range jobs {
		if id := j.Source.ID; !c.seen[id] && !c.recorder.standing(j.Source.Hoster).resting {
			c.seen[id] = true
			c.pending = append(c.pending, j.Source)
		}
	}
	return len(c.pending) > before
}

// work resolves a source and probes its stream. A source that a killed cycle left
// with a stream is resolved too, and not only probed: where the stream has ended
// since, Resolve makes a new one, and neither hoster nor link is blamed.
func (c *cycle) work(ctx context.Context, src sources.Source) sources.CycleSummary {
	stream, err := resolveSingle(ctx, c.streams, src)
	if stream.Provider != "" || viaAccount(err) {
		c.holdBack(ctx, src)
	}
	if err != nil {
		return c.failure(ctx, "resolve", src, err)
	}
	err = mediainfoSingle(ctx, c.streams, c.cfg.Prober, src, stream, c.cfg.ProbeTimeout)
	sum := sources.CycleSummary{Resolved: 1}
	if err != nil {
		sum.Add(c.failure(ctx, "probe", src, err))
	} else {
		sum.Probed = 1
	}
	return sum
}

// viaAccount tells whether err is that of an account which was to unlock a link.
func viaAccount(err error) bool {
	_, ok := errors.AsType[*sources.AccountsError](err)
	return ok
}

// holdBack takes a source out of the queue until the next cycle. For other sources
// the attempt at the hoster does so; one that an account unlocks has none.
func (c *cycle) holdBack(ctx context.Context, src sources.Source) {
	if err := c.cfg.Queue.HoldBack(ctx, src.ID); err != nil && ctx.Err() == nil {
		c.storeFailed(fmt.Errorf("hold back a source: %w", err))
	}
}

// resolveSingle is the port of _resolve_single: one attempt to resolve src,
// which touches its hoster once.
func resolveSingle(ctx context.Context, r *sources.StreamResolve, src sources.Source) (sources.Stream, error) {
	return r.Resolve(ctx, src, sources.ResolveOptions{User: sources.DefaultUser, Background: true})
}

// mediainfoSingle is the port of _mediainfo_single: one attempt to read what
// the stream of src holds, which touches its hoster once.
func mediainfoSingle(ctx context.Context, r *sources.StreamResolve, p sources.Prober, src sources.Source, s sources.Stream, timeout time.Duration) error {
	_, err := r.Probe(ctx, p, src, s, timeout)
	return err
}

func (c *cycle) failure(ctx context.Context, doing string, src sources.Source, err error) sources.CycleSummary {
	switch {
	case ctx.Err() != nil:
		return sources.CycleSummary{}
	case errors.Is(err, sources.ErrHosterResting), sources.WasSkipped(err):
		return sources.CycleSummary{Skipped: 1}
	}
	c.cfg.Logger.Debug("could not "+doing+" a source", "source", src.ID, "hoster", src.Hoster, "class", string(sources.ClassOf(err)), "error", err)
	return sources.CycleSummary{Failed: 1}
}

// goesOn tells whether something new may be begun.
func (c *cycle) goesOn(ctx context.Context) bool {
	return ctx.Err() == nil && c.storeError() == nil && c.cfg.Now().Sub(c.started) < c.cfg.Budget
}

// wait takes in the outcome of a job. False: none comes any more.
func (c *cycle) wait(ctx context.Context) bool {
	sum, ok := c.crew.wait(ctx)
	if !ok {
		return false
	}
	c.sum.Add(sum)
	if c.cfg.Progress != nil {
		c.cfg.Progress(c.sum)
	}
	return true
}

// drain waits for all jobs.
func (c *cycle) drain(ctx context.Context) {
	for c.crew.running > 0 && c.wait(ctx) {
	}
}

func (c *cycle) storeFailed(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.storeErr == nil {
		c.storeErr = err
	}
}

func (c *cycle) storeError() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.storeErr
}
