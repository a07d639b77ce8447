package sources

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"xship/sources/link"
)

// Bounds of a BGProbe whose fields are zero.
const (
	defaultProbeTotal   = 30 * time.Second
	defaultProbeWorkers = 8
)

// BGProbe probes a list in the background: it resolves each source and reads
// what the stream holds, and so learns which hosters work.
type BGProbe struct {
	Streams  *StreamResolve
	Prober   Prober
	Hosters  HosterTable
	User     int64         // whose accounts serve links, 0 = nobody's
	Logger   *slog.Logger  // nil: silent
	Workers  int           // probes at once
	Timeout  time.Duration // one probe
	Total    time.Duration // the whole list
	Progress func(ProbeProgress)
	// Outcome is told what becomes of each source, one call at a time; nil: nobody is.
	Outcome func(ProbeOutcome)
}

// ProbeStep is how far a probe is with one source.
type ProbeStep string

// The steps of a source. One that was begun ends in one of the others.
const (
	ProbeBegan   ProbeStep = "began"
	ProbeWorks   ProbeStep = "works"
	ProbeFailed  ProbeStep = "failed"
	ProbeSkipped ProbeStep = "skipped" // nothing was tried, since its hoster, its providers or the network rest
	ProbeLeft    ProbeStep = "left"    // the probe ended before it
)

// ProbeOutcome is what became of one source of a probe.
type ProbeOutcome struct {
	ID       string // of the source
	Step     ProbeStep
	Media    MediaInfo // of one that works
	Provider string    // that served it, "" = none
	Err      error     // of one that failed or was skipped
}

// ErrNetworkDown says that nothing was tried, since the network is down.
var ErrNetworkDown = errors.New("the network is down")

// ProbeProgress is the state of a running probe of a list.
type ProbeProgress struct {
	Done, OK, Failed, Total int
}

// Probe probes sources that are listed or hidden only for their hoster's
// health, and gives how many worked and failed, and how many were skipped
// because their hoster is in its backoff. It ends at Total, or at once with
// ctx; what was under way then counts for nothing. Where fails show that the network is
// down, one link that worked is tested, and if that fails too nothing more is begun but
// what is the user's own: that waits for no hoster, and its fails show nothing.
func (p *BGProbe) Probe(ctx context.Context, all []Source) (ok, failed, skipped int) {
	ctx, cancel := context.WithTimeout(ctx, OrDefault(p.Total, defaultProbeTotal))
	defer cancel()
	todo := make([]Source, 0, len(all))
	for _, src := range all {
		if src.Own {
			todo = append(todo, src)
			continue
		}
		available, err := p.Hosters.HosterAvailable(ctx, src.Hoster, 0)
		switch {
		case err != nil && ctx.Err() == nil:
			p.logger().Warn("the hoster table could not be read, probing anyway", "hoster", src.Hoster, "error", err)
		case err == nil && !available:
			skipped++
			p.tell(ProbeOutcome{ID: src.ID, Step: ProbeSkipped, Err: ErrHosterResting})
			continue
		}
		todo = append(todo, src)
	}
	if skipped > 0 {
		p.logger().Info(fmt.Sprintf("[BG-Probe] %d Quellen uebersprungen (Hoster im Backoff)", skipped))
	}
	ok, failed = p.run(ctx, todo)
	return ok, failed, skipped
}

func (p *BGProbe) run(ctx context.Context, todo []Source) (ok, failed int) {
	queue := make(chan Source, len(todo))
	for _, src := range todo {
		queue <- src
	}
	close(queue)
	var (
		mu    sync.Mutex
		wg    sync.WaitGroup
		done  int
		fails bool // of what is not the user's own
		line  line
	)
	tell := func(o ProbeOutcome) {
		mu.Lock()
		defer mu.Unlock()
		p.tell(o)
	}
	for range min(OrDefault(p.Workers, defaultProbeWorkers), len(todo)) {
		wg.Go(func() {
			for src := range queue {
				mu.Lock()
				doubt := fails && !src.Own
				mu.Unlock()
				switch {
				case ctx.Err() != nil:
					return
				case doubt && line.isDown(ctx, p):
					tell(ProbeOutcome{ID: src.ID, Step: ProbeSkipped, Err: ErrNetworkDown})
					continue
				}
				tell(ProbeOutcome{ID: src.ID, Step: ProbeBegan})
				outcome := p.probe(ctx, src)
				mu.Lock()
				switch outcome.Step {
				case ProbeWorks:
					ok++
				case ProbeFailed:
					failed++
					fails = fails || !src.Own
				default:
				}
				done++
				p.tell(outcome)
				if p.Progress != nil {
					p.Progress(ProbeProgress{Done: done, OK: ok, Failed: failed, Total: len(todo)})
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return ok, failed
}

// probe probes one source and says what became of it.
func (p *BGProbe) probe(ctx context.Context, src Source) ProbeOutcome {
	info, provider, err := probeSingle(ctx, p, src)
	o := ProbeOutcome{ID: src.ID, Step: ProbeFailed, Provider: provider, Err: err}
	switch {
	case err == nil:
		o.Step, o.Media = ProbeWorks, info
	case ctx.Err() != nil:
		o.Step, o.Err = ProbeLeft, nil
	case errors.Is(err, ErrHosterResting), WasSkipped(err):
		o.Step = ProbeSkipped
	}
	if o.Err != nil {
		p.logger().Debug("a source failed its probe", "source", src.ID, "hoster", src.Hoster, "class", string(ClassOf(err)), "error", err)
	}
	return o
}

// tell tells the outcome of a source; one call at a time is made.
func (p *BGProbe) tell(o ProbeOutcome) {
	if p.Outcome != nil {
		p.Outcome(o)
	}
}

// line is what a BGProbe knows of the network.
type line struct {
	mu   sync.Mutex // one test at a time
	down bool
}

// isDown tells whether the network is down, also after a test of it: an outage in
// which nothing can be tested is none.
func (l *line) isDown(ctx context.Context, p *BGProbe) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down || !p.inOutage(ctx) {
		return l.down
	}
	if _, err := p.Streams.Attempts.TestOutage(ctx, true); err != nil && ctx.Err() == nil {
		p.logger().Warn("the network could not be tested", "error", err)
	}
	l.down = p.inOutage(ctx)
	return l.down
}

// inOutage tells whether the network is known to be down.
func (p *BGProbe) inOutage(ctx context.Context) bool {
	guard, err := p.Hosters.Guard(ctx)
	return err == nil && guard.Network == NetworkOutage
}

// probeSingle is the port of _probe_single: it resolves one source, reads what
// its stream holds, stores both, and touches the hoster by each. It gives what the
// stream holds, and the provider that served it.
func probeSingle(ctx context.Context, p *BGProbe, src Source) (info MediaInfo, provider string, err error) {
	stream, err := p.Streams.Resolve(ctx, src, ResolveOptions{User: p.User, Background: true})
	if err != nil {
		return MediaInfo{}, "", err
	}
	info, err = p.Streams.Probe(ctx, p.Prober, src, stream, OrDefault(p.Timeout, DefaultProbeTimeout))
	return info, stream.Provider, err
}

// Probe reads what the stream of src holds, within timeout, as one attempt at
// src's hoster, and stores it.
func (r *StreamResolve) Probe(ctx context.Context, prober Prober, src Source, stream Stream, timeout time.Duration) (MediaInfo, error) {
	var info MediaInfo
	attempts := r.Attempts
	if stream.Provider != "" {
		attempts = nil
	}
	err := attempts.Do(ctx, src, false, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(r.contextFor(ctx, src), timeout)
		defer cancel()
		return Contain(r.logger(), "probing this source", func() error {
			var err error
			info, err = prober.Probe(ctx, stream)
			if stream.Provider != "" {
				err = link.RedactError(err)
			}
			return err
		}, "source", src.ID)
	})
	switch {
	case stream.Provider != "": // the store keeps what public streams hold, and the next resolve checks this one
	case err == nil:
		r.store(ctx, src, "media info", func(ctx context.Context) error { return r.Streams.PutMediaInfo(ctx, src.ID, info) })
	case ctx.Err() != nil:
	case ClassOf(err) == ClassDeadLink && isOwnLink(src, stream):
		r.store(ctx, src, "dead mark", func(ctx context.Context) error { return r.Streams.MarkDead(ctx, src.ID) })
	case ClassOf(err) == ClassDeadLink:
		r.store(ctx, src, "end of a stream", func(ctx context.Context) error { return r.Streams.DropStream(ctx, src.ID) })
	}
	return info, err
}

// isOwnLink tells whether stream is the link of src itself. A link that was
// found behind it may be gone while the source is not.
func isOwnLink(src Source, stream Stream) bool {
	address, _ := link.SplitHeaders(src.URL)
	return link.Escape(address) == stream.URL
}

func (p *BGProbe) logger() *slog.Logger { return OrSilent(p.Logger) }
