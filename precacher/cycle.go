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
// A job waits in pending until its place in the cycle has come, a worker is free and
// fewer than PerHoster jobs run at its hoster. Jobs behind it may be started before it,
// so that a slow hoster keeps no worker from the others.
//
// As long as nothing has worked in the cycle, jobs of hosters in trouble wait for those
// of hosters with a good record: a fail means something only once it is known whether
// the network is up. Then they come first, one at a time, as nobody is shown what such
// a hoster has until it is known that it came back; but on no more than half of the
// workers while there is other work, as most of them still hang.
//
// Of the user's own nothing is learnt, and nothing that is known of its hoster or of the
// network keeps it from being tried. It counts among the jobs that run at its hoster.
type cycle struct {
	cfg      Config
	recorder *recorder
	streams  *sources.StreamResolve // Config.Streams with both of its stores wrapped
	renew    time.Duration
	interval time.Duration // to the next cycle, 0: there is none
	started  time.Time
	begun    time.Time // started by a clock that nobody sets
	crew     *crew
	sum      sources.CycleSummary

	pending  []*job
	seen     map[string]bool // ids of sources that are pending or were begun in this cycle
	running  map[string]int  // jobs and tests by hoster
	scanning int             // titles
	jobs     int             // that run
	sound    int             // running jobs of hosters that were not in trouble, but for the user's own
	troubled int             // running jobs and tests of those that were
	news     bool            // the queues may hold something that the last pull did not see
	patience *patience
	pace     pace
	network  network

	doing     Doing
	due       int      // titles that are to be scanned
	titles    []string // that are scanned now
	unscanned unscanned

	mu       sync.Mutex
	storeErr error // the first error of the store; it ends the cycle
}

// job is a source to be worked on.
type job struct {
	sources.Source
	from   time.Time // its place: it begins no sooner
	again  time.Time // nor before this, after a try that tells nothing
	tries  int
	begun  time.Time // the last try
	ended  time.Time // by the clock of the store
	failed bool      // for what may be the hoster's fault, or as the link is gone
}

// waits tells until when a job has to wait.
func (j *job) waits() time.Time {
	if j.again.After(j.from) {
		return j.again
	}
	return j.from
}

func newCycle(p *Precacher, renewBefore, interval time.Duration) *cycle {
	cfg, streams := p.cfg, p.cfg.Streams
	c := &cycle{
		cfg: cfg, renew: renewBefore, interval: interval, started: cfg.Now(), begun: time.Now(), news: true,
		crew: newCrew(cfg.Workers+cfg.Scans+outageTests, cfg.Logger),
		seen: make(map[string]bool), running: make(map[string]int), patience: &p.patience,
	}
	c.recorder = newRecorder(streams.Attempts.Store, cfg.Now, cfg.Workers, c.storeFailed, c.crew.poke)
	fresh := &freshStreams{
		StreamStore: streams.Streams, now: cfg.Now, renewBefore: renewBefore,
		ttl: sources.OrDefault(streams.TTL, sources.DefaultStreamTTL), failed: c.storeFailed,
	}
	c.streams = streams.With(c.recorder, fresh)
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

// scan scans the titles that are due, a few at a time, while hosters are tested that
// are due for that.
func (c *cycle) scan(ctx context.Context) {
	c.testWhileScanning(ctx)
	c.do(DoingLoad)
	titles, err := c.cfg.Due(ctx)
	if err != nil {
		c.storeFailed(fmt.Errorf("find what is due: %w", err))
	}
	c.due = len(titles)
	c.do(DoingScans)
	defer func() { c.unscanned.log(c.cfg.Logger) }()
	for _, t := range titles {
		for c.scanning >= c.cfg.Scans && c.wait(ctx) {
			c.testWhileScanning(ctx)
		}
		if !c.goesOn(ctx) {
			break
		}
		c.startScan(ctx, t)
	}
	for c.scanning > 0 && c.wait(ctx) {
		c.testWhileScanning(ctx)
	}
}

// startScan starts the scan of a title.
func (c *cycle) startScan(ctx context.Context, t sources.Title) {
	var failed error
	c.scanning++
	c.titles = append(c.titles, t.String())
	c.crew.start(task{
		name: "scanning " + t.String(),
		run: func() sources.CycleSummary {
			err := c.cfg.Scan(ctx, t)
			switch {
			case err == nil:
				return sources.CycleSummary{Titles: 1}
			case ctx.Err() != nil:
				return sources.CycleSummary{}
			}
			failed = err
			return sources.CycleSummary{TitlesFailed: 1}
		},
		broken: sources.CycleSummary{TitlesFailed: 1},
		ended: func() {
			c.scanning--
			if i := slices.Index(c.titles, t.String()); i >= 0 {
				c.titles = slices.Delete(c.titles, i, i+1)
			}
			if failed != nil {
				c.unscanned.add(t, failed)
			}
		},
	})
}

// dispatch resolves and probes until nothing is left that may be tried, or the network
// is down for too long.
func (c *cycle) dispatch(ctx context.Context) {
	c.pace.begin(c)
	c.do(DoingWork)
	for done := false; !done && c.goesOn(ctx); {
		c.look(ctx)
		switch {
		case c.crew.running < c.cfg.Workers && c.startSome(ctx):
		case c.crew.running > 0:
			c.wait(ctx)
		case c.recorder.reportHeld(ctx, c.streams.Attempts):
			c.news = true
		case c.network.out && c.waitsForNetwork(), !c.network.out && c.hasLater():
			c.wait(ctx)
		default:
			done = true
		}
	}
	c.drain(ctx)
	c.recorder.end(ctx, c.streams.Attempts)
}

// startSome starts a job or a test, or pulls new jobs, and tells whether it did any of
// these. While the network is down it starts only what is the user's own.
func (c *cycle) startSome(ctx context.Context) bool {
	if c.network.out {
		return c.startNext(ctx, false) || c.pull(ctx)
	}
	up := c.recorder.anySuccess()
	if c.troubled < max(1, c.cfg.Workers/2) && (c.startRetest(ctx) || up && c.startNext(ctx, true)) {
		return true
	}
	if c.startNext(ctx, false) || c.pull(ctx) || c.startRetest(ctx) {
		return true
	}
	return (up || c.sound == 0 && !c.hasSoundLater()) && c.startNext(ctx, true)
}

// startNext starts a pending job and tells whether there was one that may run
// now: the first of those whose hosters have the fewest running jobs, so that the
// load is spread and no hoster's share is left to the end. Troubled asks for those of
// hosters in trouble, which wait for no place, one at a time for each hoster.
func (c *cycle) startNext(ctx context.Context, troubled bool) bool {
	if troubled && !c.recorder.anyTrouble() {
		return false
	}
	now := time.Now()
	next, least := -1, c.cfg.PerHoster
	for i, j := range c.pending {
		busy := c.running[j.Hoster]
		if busy >= least || j.again.After(now) || !troubled && j.from.After(now) || c.network.out && !j.Own {
			continue
		}
		st := c.standing(j)
		if st.resting || st.trouble != troubled || troubled && busy > 0 {
			continue
		}
		if next, least = i, busy; busy == 0 {
			break
		}
	}
	if next < 0 {
		return false
	}
	j := c.pending[next]
	c.pending = slices.Delete(c.pending, next, next+1)
	c.start(ctx, j, troubled)
	return true
}

// standing tells whether a job may be started.
func (c *cycle) standing(j *job) standing {
	if j.Own {
		return standing{}
	}
	return c.recorder.standing(j.Hoster)
}

// start starts a job. Troubled tells whether its hoster is in trouble.
func (c *cycle) start(ctx context.Context, j *job, troubled bool) {
	j.tries++
	j.begun, j.failed = time.Now(), false
	ended := c.occupy(j.Hoster, troubled)
	c.jobs++
	sound := !troubled && !j.Own
	if sound {
		c.sound++
	}
	failed := false
	c.crew.start(task{
		name: "precaching source " + j.ID,
		run: func() (sum sources.CycleSummary) {
			sum, failed = c.work(ctx, j.Source)
			if sum.Resolved > 0 && !failed && !j.Own {
				c.patience.ended(j.Hoster, false)
			}
			return sum
		},
		broken: sources.CycleSummary{Failed: 1},
		ended: func() {
			c.jobs--
			if sound {
				c.sound--
			}
			ended()
			if failed {
				j.failed = true
				c.noteFailed(j)
			}
		},
	})
}

// occupy takes note of a task at a hoster, and gives what is called at its end. Where
// the hoster rests then, its pending jobs are given back to the queue: a later pull
// takes them again as soon as the store lets the hoster be tried. Those that are to be
// tried again in this cycle are in no queue, and stay.
func (c *cycle) occupy(hoster string, troubled bool) (ended func()) {
	c.running[hoster]++
	if troubled {
		c.troubled++
	}
	return func() {
		c.news = true
		if c.running[hoster]--; c.running[hoster] == 0 {
			delete(c.running, hoster)
		}
		if troubled {
			c.troubled--
		}
		if !c.recorder.standing(hoster).resting {
			return
		}
		c.pending = slices.DeleteFunc(c.pending, func(j *job) bool {
			back := j.Hoster == hoster && j.tries == 0 && !j.Own
			if back {
				delete(c.seen, j.ID)
			}
			return back
		})
	}
}

// hasLater tells whether a pending job is one that may begin later in this cycle.
func (c *cycle) hasLater() bool {
	now := time.Now()
	return slices.ContainsFunc(c.pending, func(j *job) bool {
		return j.waits().After(now) || j.tries > 0 && c.standing(j).resting
	})
}

// hasSoundLater tells whether such a job is one at a hoster with a good record.
func (c *cycle) hasSoundLater() bool {
	now := time.Now()
	return slices.ContainsFunc(c.pending, func(j *job) bool { return j.waits().After(now) && !j.Own && !c.standing(j).trouble })
}

// pull takes new jobs from the queues, those to resolve first, and tells
// whether there were any. It asks only after something has changed. Where the cycle
// spreads its work it takes from both queues, and asks now and then only.
func (c *cycle) pull(ctx context.Context) bool {
	if !c.news || len(c.pending) > 0 && time.Now().Before(c.pace.pullAt) {
		return false
	}
	c.news = false
	limit, perHoster, all := c.batch()
	renew := c.renewNow()
	queues := []func() ([]sources.Job, error){
		func() ([]sources.Job, error) { return c.cfg.Queue.ResolveQueue(ctx, renew, limit, perHoster) },
		func() ([]sources.Job, error) { return c.cfg.Queue.ProbeQueue(ctx, limit, perHoster) },
	}
	var fresh []*job
	for _, queue := range queues {
		jobs, err := queue()
		if err != nil {
			if ctx.Err() == nil {
				c.storeFailed(fmt.Errorf("read the queue: %w", err))
			}
			break
		}
		if fresh = append(fresh, c.admit(jobs)...); len(fresh) > 0 && !all {
			break
		}
	}
	if len(fresh) > 0 {
		c.pending = append(c.pending, c.place(fresh)...)
	}
	c.pace.pulled(len(c.pending) > batchPerWorker*c.cfg.Workers)
	return len(fresh) > 0
}

// admit gives the jobs that are new in this cycle.
func (c *cycle) admit(jobs []sources.Job) []*job {
	var fresh []*job
	for _, waiting := range jobs {
		j := &job{Source: waiting.Source}
		if !c.seen[j.ID] && !c.standing(j).resting {
			c.seen[j.ID] = true
			fresh = append(fresh, j)
		}
	}
	return fresh
}

// work resolves a source and probes its stream. A source that a killed cycle left
// with a stream is resolved too, and not only probed: where the stream has ended
// since, Resolve makes a new one, and neither hoster nor link is blamed.
//
// Failed tells that it did not work, for what may be the fault of the hoster or as the
// link is gone.
func (c *cycle) work(ctx context.Context, src sources.Source) (sum sources.CycleSummary, failed bool) {
	stream, err := resolveSingle(ctx, c.streams, src)
	if stream.Provider != "" || viaAccount(err) {
		c.holdBack(ctx, src)
	}
	if err != nil {
		return c.failure(ctx, "resolve", src, err), tellsOfHoster(src, err)
	}
	err = mediainfoSingle(ctx, c.streams, c.cfg.Prober, src, stream, c.cfg.ProbeTimeout)
	sum = sources.CycleSummary{Resolved: 1}
	if err != nil {
		sum.Add(c.failure(ctx, "probe", src, err))
	} else {
		sum.Probed = 1
	}
	return sum, tellsOfHoster(src, err)
}

// tellsOfHoster tells whether err would be taken back in an outage.
func tellsOfHoster(src sources.Source, err error) bool {
	class := sources.ClassOf(err)
	return !src.Own && (class == sources.ClassHosterFault || class == sources.ClassDeadLink)
}

// viaAccount tells whether err is that of an account which was to unlock a link.
func viaAccount(err error) bool {
	_, ok := errors.AsType[*sources.AccountsError](err)
	return ok
}

// holdBack takes a source out of the queue until the next cycle. For other sources
// the attempt at the hoster does so; one that an account unlocks has none, nor has what
// is the user's own.
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
	if src.Own {
		c.holdBack(ctx, src)
	}
	c.cfg.Logger.Debug("could not "+doing+" a source", "source", src.ID, "hoster", src.Hoster, "class", string(sources.ClassOf(err)), "error", err)
	return sources.CycleSummary{Failed: 1}
}

// goesOn tells whether something new may be begun.
func (c *cycle) goesOn(ctx context.Context) bool {
	return ctx.Err() == nil && c.storeError() == nil && c.cfg.Now().Sub(c.started) < c.cfg.Budget
}

// wait takes in the outcome of a job, or returns when something else is to be done.
// False: no outcome comes any more.
func (c *cycle) wait(ctx context.Context) bool {
	now := time.Now()
	until := c.network.lookAt
	for _, j := range c.pending {
		if at := j.waits(); at.After(now) && at.Before(until) {
			until = at
		}
	}
	return c.waitFor(ctx, until.Sub(now))
}

func (c *cycle) waitFor(ctx context.Context, most time.Duration) bool {
	c.tell() // what was begun since
	sum, ok := c.crew.wait(ctx, most)
	if !ok {
		return false
	}
	c.sum.Add(sum)
	c.tell()
	return true
}

// drain waits for all jobs.
func (c *cycle) drain(ctx context.Context) {
	for c.crew.running > 0 && c.waitFor(ctx, c.cfg.Budget) {
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
