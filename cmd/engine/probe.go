package engine

import (
	"context"

	"xship/sources"
)

// Probed is what a probe found out.
type Probed struct {
	Total   int // sources that were to be probed
	OK      int
	Failed  int
	Skipped int // their hoster is in its backoff
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
		if listed[src.ID] || !l.Health[src.Hoster].Healthy() {
			all = append(all, src.Source)
		}
	}
	return all
}

// Probe resolves and reads sources in the background of a list, and so learns which
// hosters work. It ends at probe.total, or at once with ctx.
func (e *Engine) Probe(ctx context.Context, all []sources.Source, user int64, progress func(sources.ProbeProgress)) (Probed, error) {
	resolving, err := e.resolving.get()
	if err != nil {
		return Probed{}, err
	}
	s := e.cfg.Settings.Probe
	ctx, cancel := context.WithTimeout(ctx, s.Total) // with the test of a canary at the end
	defer cancel()
	ctx, end := e.holdFails(ctx, resolving.streams.Attempts, min(s.Workers, len(all)))
	defer end()
	probe := &sources.BGProbe{
		Streams: resolving.streams, Prober: resolving.prober, Hosters: e.cfg.Store, User: user, Logger: e.cfg.Logger,
		Workers: s.Workers, Timeout: s.Timeout, Total: s.Total, Progress: progress,
	}
	p := Probed{Total: len(all)}
	p.OK, p.Failed, p.Skipped = probe.Probe(ctx, all)
	return p, nil
}
