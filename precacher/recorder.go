package precacher

import (
	"context"
	"maps"
	"sync"
	"time"

	"xship/sourcecache/health"
	"xship/sources"
)

// failRest is how long a hoster that failed gets no new job of the same cycle:
// the first step of the ladder. The store's block is usually longer, but there
// is none where the fail is held back or the guard did not count it.
func failRest() time.Duration { return time.Duration(health.Hosters().Backoff(1)) * time.Second }

// recorder stands between the attempts of one cycle and the hoster table. It
// counts what is reported, remembers which hosters are in trouble, and holds fails
// back as health.Holder says.
type recorder struct {
	sources.HosterStore
	now     func() time.Time
	failed  func(error) // told of each error of the store
	firstOK func()      // called at the first success, must not block
	holder  *health.Holder[outcome]

	mu        sync.Mutex
	counts    map[string]count     // reported in this cycle, by hoster
	trouble   map[string]bool      // failed since its last success, by hoster
	restUntil map[string]time.Time // by hoster
	succeeded bool                 // something worked in this cycle
	doubt     bool                 // something was reported that may be the network's fault
}

// count is how the attempts at one hoster went.
type count struct{ ok, fail int }

// outcome is what the store is told of an attempt.
type outcome struct {
	attempt sources.Attempt
	class   sources.Class
	detail  string
}

func newRecorder(store sources.HosterStore, now func() time.Time, atOnce int, failed func(error), firstOK func()) *recorder {
	return &recorder{
		HosterStore: store, now: now, failed: failed, firstOK: firstOK, holder: health.NewHolder[outcome](atOnce, new(sync.Mutex)),
		counts: make(map[string]count), trouble: make(map[string]bool), restUntil: make(map[string]time.Time),
	}
}

// noteTrouble notes which hosters are in trouble, and that the others are not: before
// the cycle, or after an outage.
func (r *recorder) noteTrouble(hosters []sources.HosterHealth) {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.trouble)
	clear(r.restUntil)
	for _, h := range hosters {
		if !h.Healthy() {
			r.trouble[h.Name] = true
		}
	}
}

// BeginAttempt implements sources.HosterStore. A store that fails lets nothing
// begin: the cycle is about to end.
func (r *recorder) BeginAttempt(ctx context.Context, hoster, link string, force bool) (sources.Attempt, bool, error) {
	a, ok, err := r.HosterStore.BeginAttempt(ctx, hoster, link, force)
	if err != nil {
		if ctx.Err() != nil {
			return a, false, err
		}
		r.failed(err)
		ok = false
	}
	if !ok {
		r.restHoster(hoster)
	}
	return a, ok, nil
}

// EndAttempt implements sources.HosterStore.
func (r *recorder) EndAttempt(ctx context.Context, a sources.Attempt, class sources.Class, detail string) (canary *sources.Canary, err error) {
	o := outcome{attempt: a, class: class, detail: detail}
	switch class {
	case sources.ClassHosterFault:
		r.restHoster(a.Hoster)
	case sources.ClassOK:
		defer r.noteSuccess(a.Hoster)
	default:
		return r.report(ctx, o), nil
	}
	try := health.Try[outcome]{Hoster: a.Hoster, Started: a.Started.UnixNano(), Ended: r.now().UnixNano(), Success: class == sources.ClassOK, Report: o}
	r.holder.Report(try, func(o outcome) {
		if c := r.report(ctx, o); c != nil || o.class == sources.ClassOK { // which shows that the network is up: no canary is needed
			canary = c
		}
	})
	return canary, nil
}

// report tells the store. Its errors end the cycle and are told there.
func (r *recorder) report(ctx context.Context, o outcome) *sources.Canary {
	a := o.attempt
	r.mu.Lock()
	c := r.counts[a.Hoster]
	switch o.class {
	case sources.ClassOK:
		c.ok++
		r.counts[a.Hoster] = c
	case sources.ClassHosterFault:
		c.fail++
		r.counts[a.Hoster] = c
		r.doubt = true
	case sources.ClassDeadLink:
		r.doubt = true
	default:
	}
	r.mu.Unlock()
	canary, err := r.HosterStore.EndAttempt(ctx, a, o.class, o.detail)
	if err != nil {
		r.failed(err)
		return nil
	}
	return canary
}

// EndCanary implements sources.HosterStore.
func (r *recorder) EndCanary(ctx context.Context, c sources.Canary, class sources.Class) (*sources.Canary, error) {
	next, err := r.HosterStore.EndCanary(ctx, c, class)
	r.noteDoubt()
	if err != nil {
		r.failed(err)
		return nil, nil
	}
	if class == sources.ClassOK {
		r.noteUp()
	}
	return next, nil
}

// noteDoubt has the guard looked at.
func (r *recorder) noteDoubt() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.doubt = true
}

// takeDoubt tells whether the guard is to be looked at.
func (r *recorder) takeDoubt() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	doubt := r.doubt
	r.doubt = false
	return doubt
}

// restHoster keeps new jobs from a hoster for failRest.
func (r *recorder) restHoster(hoster string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.trouble[hoster] = true
	r.restUntil[hoster] = r.now().Add(failRest())
}

// noteSuccess ends the trouble of a hoster.
func (r *recorder) noteSuccess(hoster string) {
	r.mu.Lock()
	delete(r.trouble, hoster)
	delete(r.restUntil, hoster)
	r.mu.Unlock()
	r.noteUp()
}

// noteUp notes that the network is up.
func (r *recorder) noteUp() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.succeeded {
		r.succeeded = true
		r.firstOK()
	}
}

// anyTrouble tells whether any hoster is in trouble.
func (r *recorder) anyTrouble() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.trouble) > 0
}

// reportHeld makes the reports that are held back and tells whether there were any.
func (r *recorder) reportHeld(ctx context.Context, attempts *sources.Attempts) bool {
	return r.holder.Flush(r.late(ctx, attempts))
}

// end makes the reports that are held back at the end of the cycle.
func (r *recorder) end(ctx context.Context, attempts *sources.Attempts) {
	r.holder.End(r.late(ctx, attempts))
}

// late makes reports after the end of their attempts, testing a canary included.
// After the end of ctx they are reported as cancelled.
func (r *recorder) late(ctx context.Context, attempts *sources.Attempts) func(outcome) {
	attempts = attempts.With(passing{r})
	return func(o outcome) {
		if ctx.Err() != nil {
			o.class = sources.ClassCancelled
		}
		_ = attempts.End(ctx, o.attempt, o.class, o.detail) // errors of the store end the cycle and are told there
	}
}

// passing is the hoster table for reports that were held back.
type passing struct{ *recorder }

// EndAttempt implements sources.HosterStore.
func (p passing) EndAttempt(ctx context.Context, a sources.Attempt, class sources.Class, detail string) (*sources.Canary, error) {
	return p.report(ctx, outcome{attempt: a, class: class, detail: detail}), nil
}

// reported gives the counts of this cycle by hoster.
func (r *recorder) reported() map[string]count {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.counts)
}

// standing is what decides whether a job may be started at a hoster.
type standing struct {
	trouble bool // it failed since its last success
	resting bool // no new job may go to it
}

func (r *recorder) standing(hoster string) standing {
	r.mu.Lock()
	defer r.mu.Unlock()
	until, ok := r.restUntil[hoster]
	return standing{trouble: r.trouble[hoster], resting: ok && r.now().Before(until)}
}

// anySuccess tells whether something worked in this cycle.
func (r *recorder) anySuccess() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.succeeded
}
