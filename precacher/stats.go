package precacher

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"xship/sources"
	"xship/sources/link"
)

// statsLimit bounds the last look at the hoster table, so that a cycle that
// was cancelled still ends in time.
const statsLimit = 500 * time.Millisecond

// observe tells what a cycle did that came to its end with err, and when the next one
// begins.
func (p *Precacher) observe(ctx context.Context, c *cycle, err error, next time.Time) {
	if p.cfg.Observer == nil {
		return
	}
	p.cfg.Observer.Observe(ctx, sources.CycleEnded{
		CycleSummary: c.sum, Hosters: p.stats(ctx, c.recorder, err), Err: err, Interrupted: err != nil && ctx.Err() != nil, Next: next,
	})
}

// stats tells how each hoster did that was touched in the cycle or is blocked now, by
// name.
func (p *Precacher) stats(ctx context.Context, r *recorder, cycleErr error) []sources.HosterCycle {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), statsLimit)
	defer cancel()
	hosters, err := p.cfg.Hosters(ctx)
	if err != nil && (cycleErr == nil || errors.Is(cycleErr, context.Canceled)) {
		p.cfg.Logger.Warn("the hoster table could not be read for the stats", "error", err)
	}
	counts, now := r.reported(), p.cfg.Now()
	fails := make(map[string]int, len(counts))
	for name := range counts {
		fails[name] = 0
	}
	for _, h := range hosters {
		if _, touched := counts[h.Name]; touched || h.BackoffUntil.After(now) {
			fails[h.Name] = h.ConsecutiveFails
		}
	}
	delete(fails, link.HosterLocal)
	stats := make([]sources.HosterCycle, 0, len(fails))
	for _, name := range slices.Sorted(maps.Keys(fails)) {
		stats = append(stats, sources.HosterCycle{Name: name, OK: counts[name].ok, Fail: counts[name].fail, ConsecutiveFails: fails[name]})
	}
	return stats
}
