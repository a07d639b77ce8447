package cmd

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	"xship/sources"
)

// probeList probes the sources of a list, and those hidden only for the health
// of their hoster, and tells how many work. Nobody waits for it: stdout is
// closed before, and when ctx ends it just stops.
func (p *pipeline) probeList(ctx context.Context, v scanView, user int64) (ok int, err error) {
	if p.app.closeStdout != nil {
		if err := p.app.closeStdout(); err != nil {
			return 0, fmt.Errorf("end the list: %w", err)
		}
	}
	all := v.probed()
	if len(all) == 0 {
		return 0, nil
	}
	s := p.settings.Probe
	live := &probeLine{width: p.app.Stderr.width, total: len(all)}
	stop := func() {}
	if p.app.showsProgress() {
		stop = p.app.startLive(ctx, live.line)
	}
	probe := &sources.BGProbe{
		Streams: p.streams, Prober: p.prober, Hosters: p.store, User: user, Logger: p.app.logger,
		Workers: s.Workers, Timeout: s.Timeout, Total: s.Total, Progress: live.update,
	}
	ok, failed, skipped := probe.Probe(ctx, all)
	stop()
	p.app.note("%s", probeNote(len(all), ok, failed, skipped))
	return ok, nil
}

// probed gives the sources to probe, in the order of the list.
func (v scanView) probed() []sources.Source {
	listed := make(map[string]bool, len(v.listing.Sources))
	for _, src := range v.listing.Sources {
		listed[src.ID] = true
	}
	playable := v.wanted
	playable.All, playable.Limit = false, 0
	var all []sources.Source
	for _, src := range sources.Filter(nil, v.result.Sources, nil, playable).Sources {
		if listed[src.ID] || !v.health[src.Hoster].Healthy() {
			all = append(all, src.Source)
		}
	}
	return all
}

// probeNote says what a probe found out.
func probeNote(total, ok, failed, skipped int) string {
	note := fmt.Sprintf("probed %d of %s: %d ok, %d failed", ok+failed, plural(total, "source"), ok, failed)
	if skipped > 0 {
		note += fmt.Sprintf(", %d skipped while their hoster is in its backoff", skipped)
	}
	return note
}

// probeLine is the live line of a running probe.
type probeLine struct {
	width func() int

	mu    sync.Mutex
	total int
	last  sources.ProbeProgress
}

func (l *probeLine) update(p sources.ProbeProgress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last, l.total = p, p.Total
}

func (l *probeLine) line() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return liveLine(l.width(), []string{
		fmt.Sprintf("probing %d/%d", l.last.Done, l.total),
		strconv.Itoa(l.last.OK) + " ok", strconv.Itoa(l.last.Failed) + " failed", "Ctrl-C ends it",
	})
}
