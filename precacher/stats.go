package precacher

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"xship/sources"
	"xship/sources/link"
)

// statsLimit bounds the last look at the hoster table, so that a cycle that
// was cancelled still ends in time.
const statsLimit = 500 * time.Millisecond

// logStats logs one line for each hoster that was touched in the cycle or is
// blocked now, by name.
func (p *Precacher) logStats(ctx context.Context, r *recorder, cycleErr error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), statsLimit)
	defer cancel()
	hosters, err := p.cfg.Hosters(ctx)
	if err != nil && (cycleErr == nil || errors.Is(cycleErr, context.Canceled)) {
		p.cfg.Logger.Warn("the hoster table could not be read for the stats", "error", err)
	}
	for _, line := range statsLines(r.reported(), hosters, p.cfg.Now()) {
		p.cfg.Logger.Info(line)
	}
}

func statsLines(counts map[string]count, hosters []sources.HosterHealth, now time.Time) []string {
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
	lines := make([]string, 0, len(fails))
	for _, name := range slices.Sorted(maps.Keys(fails)) {
		line := fmt.Sprintf("[Hoster-Stats] %s: ok %d, fail %d", name, counts[name].ok, counts[name].fail)
		if n := fails[name]; n > 0 {
			line += fmt.Sprintf(", backoff %d fails", n)
		}
		lines = append(lines, line)
	}
	return lines
}

// logSummary logs what the cycle did and, where it did not run to its end, why.
func (p *Precacher) logSummary(ctx context.Context, s Summary, err error) {
	attrs := []slog.Attr{
		slog.Int("titles", s.Titles), slog.Int("titles_failed", s.TitlesFailed),
		slog.Int("resolved", s.Resolved), slog.Int("probed", s.Probed),
		slog.Int("failed", s.Failed), slog.Int("skipped", s.Skipped),
		slog.Duration("duration", s.Duration.Round(time.Millisecond)),
	}
	level, msg := slog.LevelInfo, "precache cycle done"
	switch {
	case err != nil && ctx.Err() != nil:
		msg = "precache cycle interrupted"
	case err != nil:
		level, msg = slog.LevelError, "precache cycle broken off, the next one goes on from here"
		attrs = append(attrs, slog.String("reason", err.Error()))
	}
	p.cfg.Logger.LogAttrs(ctx, level, msg, attrs...)
}
