package engine

import (
	"context"
	"slices"
	"time"

	"xship/sourcecache/health"
	"xship/sources"
)

// Probed is what a probe found out.
type Probed struct {
	Total   int // sources that were to be probed
	OK      int
	Failed  int
	Skipped int // their hoster is in its backoff

	Outage bool // nothing was probed, since the network is down
}

// Unproven gives the sources of the list that a probe looks at, and those hidden only
// for the health of their hoster, in the order of the list.
func (l *List) Unproven() []sources.Source {
	listed := make(map[string]bool, len(l.Listing.Sources))
	for _, src := range l.Listing.Sources {
		listed[src.ID] = true
	}
	playable := l.Options
	playable.All, playable.Limit = false, 0
	var all []sources.Source
	for _, src := range sources.Filter(nil, l.Sources, nil, playable).Sources {
		if listed[src.ID] || !l.Health.Lists(&src.Source) {
			all = append(all, src.Source)
		}
	}
	return all
}

// elsewhere is how many hidden hosters are tested besides those of a list, so that
// they come back without the daemon too.
const elsewhere = 8

// ProbeRequest says for whom sources are probed, and who is told how that goes. Both
// may be nil; each is called once at a time.
type ProbeRequest struct {
	User     int64 // whose accounts serve links
	Progress func(sources.ProbeProgress)
	Outcome  func(sources.ProbeOutcome)
}

// Probe resolves and reads sources in the background of a list, and so learns which
// hosters work. In an outage one link that worked is tested first, and where that does
// not work nothing else is probed but what is the user's own. At the end hidden hosters
// elsewhere are tested, and again those that failed now, when their block ends, as long
// as health.LingerTime says. It ends at probe.total, when the network turns out to be
// down, or at once with ctx.
func (e *Engine) Probe(ctx context.Context, all []sources.Source, req ProbeRequest) (Probed, error) {
	resolving, err := e.resolving.get()
	if err != nil {
		return Probed{}, err
	}
	s := e.cfg.Settings.Probe
	started := e.cfg.Now()
	ctx, cancel := context.WithTimeout(ctx, s.Total) // with the test of a canary at the end
	defer cancel()
	p := Probed{Total: len(all)}
	attempts := resolving.streams.Attempts
	if e.inOutage(ctx, attempts) {
		all = slices.DeleteFunc(slices.Clone(all), func(src sources.Source) bool { return !src.Own })
		if p.Outage = len(all) == 0; p.Outage {
			return p, nil
		}
	}
	before := e.failing(ctx)
	run, end := e.holdFails(ctx, attempts, min(s.Workers, len(all)))
	probe := &sources.BGProbe{
		Streams: resolving.streams, Prober: resolving.prober, Hosters: e.cfg.Store, User: req.User, Logger: e.cfg.Logger,
		Workers: s.Workers, Timeout: s.Timeout, Total: s.Total, Progress: req.Progress, Outcome: req.Outcome,
	}
	p.OK, p.Failed, p.Skipped = probe.Probe(run, all)
	end()
	if e.outage(ctx) { // found out by now
		return p, nil
	}
	e.testElsewhere(ctx, attempts, all, before)
	e.linger(ctx, attempts, all, started)
	return p, nil
}

// inOutage tells whether the network is down, also after a test of it.
func (e *Engine) inOutage(ctx context.Context, attempts *sources.Attempts) bool {
	if !e.outage(ctx) {
		return false
	}
	if _, err := attempts.TestOutage(ctx, true); err != nil && ctx.Err() == nil {
		e.cfg.Logger.Warn("the network could not be tested", "error", err)
	}
	return e.outage(ctx)
}

// outage tells whether the network is down, as far as that is known.
func (e *Engine) outage(ctx context.Context) bool {
	guard, err := e.cfg.Store.Guard(ctx)
	return err == nil && guard.Network == sources.NetworkOutage
}

// failing gives the hosters that are hidden.
func (e *Engine) failing(ctx context.Context) sources.HosterSnapshot {
	failing, err := e.cfg.Store.HosterSnapshot(ctx)
	if err != nil && ctx.Err() == nil {
		e.cfg.Logger.Warn("the hoster table could not be read", "error", err)
	}
	return failing
}

// testElsewhere tests hosters that were hidden, other than those of a list.
func (e *Engine) testElsewhere(ctx context.Context, attempts *sources.Attempts, list []sources.Source, hidden sources.HosterSnapshot) {
	for i := range list {
		if !list[i].Own {
			delete(hidden, list[i].Hoster)
		}
	}
	hosters := make([]sources.Retest, 0, len(hidden))
	for name := range hidden {
		hosters = append(hosters, sources.Retest{Hoster: name})
	}
	if len(hosters) > 0 && ctx.Err() == nil {
		e.retest(ctx, attempts, hosters, elsewhere)
	}
}

// linger tests hosters of a list again that fail, when their block ends. One that a
// test leaves as it was, since it has no link that can be tested, is let be.
func (e *Engine) linger(ctx context.Context, attempts *sources.Attempts, list []sources.Source, started time.Time) {
	end := started.Add(health.LingerTime * time.Second)
	tested := make(map[string]time.Time) // the block after which it was
	hosters := retestsOf(list)
	for {
		failing := e.failing(ctx)
		again := func(r sources.Retest) time.Time { return failing[r.Hoster].BackoffUntil.Add(time.Second) }
		waiting := slices.DeleteFunc(slices.Clone(hosters), func(r sources.Retest) bool {
			h, fails := failing[r.Hoster]
			last, ok := tested[r.Hoster]
			return !fails || !again(r).Before(end) || ok && last.Equal(h.BackoffUntil)
		})
		if len(waiting) == 0 {
			return
		}
		slices.SortFunc(waiting, func(a, b sources.Retest) int { return again(a).Compare(again(b)) })
		first := again(waiting[0])
		if !wait(ctx, first.Sub(e.cfg.Now())) || e.inOutage(ctx, attempts) {
			return
		}
		due := slices.DeleteFunc(waiting, func(r sources.Retest) bool { return again(r).After(first) })
		for _, r := range due {
			tested[r.Hoster] = failing[r.Hoster].BackoffUntil
		}
		e.retest(ctx, attempts, due, len(due))
	}
}

// wait waits for d and tells whether ctx lived as long.
func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
