package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"xship/sourcecache/health"
	"xship/sources"
)

// holding is the hoster table as the attempts of an Engine see it. Those of a run,
// see holdFails, are reported when health.Holder says so, all others at once.
//
// The run is in the context, and not a table of its own for each: the resolve of a
// source is one attempt for all who ask for it at once, whatever they do. It is of
// the run that began it.
type holding struct {
	sources.HosterStore
	now func() time.Time
}

// outcome is what the store is told of an attempt.
type outcome struct {
	attempt sources.Attempt
	class   sources.Class
	detail  string
}

type runKey struct{}

// EndAttempt implements sources.HosterStore.
func (h *holding) EndAttempt(ctx context.Context, a sources.Attempt, class sources.Class, detail string) (canary *sources.Canary, err error) {
	run, ok := ctx.Value(runKey{}).(*health.Holder[outcome])
	if !ok || class != sources.ClassOK && class != sources.ClassHosterFault {
		return h.HosterStore.EndAttempt(ctx, a, class, detail)
	}
	try := health.Try[outcome]{
		Hoster: a.Hoster, Started: a.Started.UnixNano(), Ended: h.now().UnixNano(), Success: class == sources.ClassOK,
		Report: outcome{attempt: a, class: class, detail: detail},
	}
	run.Report(try, func(o outcome) {
		c, failed := h.HosterStore.EndAttempt(ctx, o.attempt, o.class, o.detail)
		if err = errors.Join(err, failed); c != nil || o.class == sources.ClassOK { // which shows that the network is up: no canary is needed
			canary = c
		}
	})
	return canary, err
}

// holdFails begins a run of attempts, at most so many at once: their fails wait until
// it is known whether the network was up. It gives the context of the attempts. End
// has to be called when they have ended; it reports what still waits, also after the
// end of ctx, as these attempts had ended before.
func (e *Engine) holdFails(ctx context.Context, attempts *sources.Attempts, atOnce int) (runCtx context.Context, end func()) {
	run := health.NewHolder[outcome](atOnce, new(sync.Mutex))
	return context.WithValue(ctx, runKey{}, run), func() {
		failed := false
		run.End(func(o outcome) {
			if failed { // the others would wait for the store as long
				return
			}
			if err := attempts.End(ctx, o.attempt, o.class, o.detail); err != nil {
				failed = true
				e.cfg.Logger.Warn("the outcome of an attempt could not be stored", "hoster", o.attempt.Hoster, "class", string(o.class), "error", err)
			}
		})
	}
}
