package precacher

import (
	"context"
	"maps"
	"sync"
	"time"

	"xship/sources"
)

// failRest is how long a hoster that failed gets no new job of the same cycle:
// the first step of the ladder. The store's block is usually longer, but there
// is none where the fail is held back or the guard did not count it.
const failRest = 5 * time.Second

// recorder stands between the attempts of one cycle and the hoster table. It
// counts what is reported, and remembers which hosters are in trouble.
//
// It holds the reports of fails back until the first success of the cycle.
// Between two cycles the last success grows too old to vouch for the network, so
// that a fail reported before the first success would not be counted, and the
// same fail reported after it would. A success vouches for the fails that ended
// while its attempt was under way: the network was up then. It does not vouch for
// a fail that ended before its attempt began, nor for an earlier fail of the
// hoster that works now; these are reported before the success, and so are not
// counted. When as many hosters have failed as jobs run at once, nothing works:
// then everything is reported, and the store finds out whether the network is
// down.
type recorder struct {
	sources.HosterStore
	now     func() time.Time
	maxHeld int         // hosters
	failed  func(error) // told of each error of the store
	firstOK func()      // called at the first success, must not block

	mu        sync.Mutex
	counts    map[string]count     // reported in this cycle, by hoster
	trouble   map[string]bool      // failed since its last success, by hoster
	restUntil map[string]time.Time // by hoster
	held      []heldReport
	succeeded bool // something worked in this cycle
	passing   bool // fails are reported at once and no longer held back
}

// count is how the attempts at one hoster went.
type count struct{ ok, fail int }

// heldReport is the report of a fail that waits for a success.
type heldReport struct {
	attempt sources.Attempt
	ended   time.Time
	err     error
}

func newRecorder(store sources.HosterStore, now func() time.Time, maxHeld int, failed func(error), firstOK func()) *recorder {
	return &recorder{
		HosterStore: store, now: now, maxHeld: maxHeld, failed: failed, firstOK: firstOK,
		counts: make(map[string]count), trouble: make(map[string]bool), restUntil: make(map[string]time.Time),
	}
}

// noteTrouble notes which hosters were in trouble before the cycle.
func (r *recorder) noteTrouble(hosters []sources.HosterHealth) {
	r.mu.Lock()
	defer r.mu.Unlock()
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
func (r *recorder) EndAttempt(ctx context.Context, a sources.Attempt, class sources.Class, detail string) (*sources.Canary, error) {
	if class == sources.ClassHosterFault {
		r.restHoster(a.Hoster)
		if r.holdFail(heldReport{attempt: a, ended: r.now(), err: sources.Errorf(class, "%s", detail)}) {
			return nil, nil
		}
	}
	if class == sources.ClassOK {
		for _, h := range r.takeUnvouched(a) {
			_ = r.report(ctx, h.attempt, sources.ClassOf(h.err), h.err.Error()) // no canary is needed: the success that is reported next shows that the network is up
		}
	}
	canary := r.report(ctx, a, class, detail)
	if class == sources.ClassOK {
		r.noteSuccess(a.Hoster) // after the report: only a success in the store makes the fails held back count
	}
	return canary, nil
}

// report tells the store. Its errors end the cycle and are told there.
func (r *recorder) report(ctx context.Context, a sources.Attempt, class sources.Class, detail string) *sources.Canary {
	r.mu.Lock()
	c := r.counts[a.Hoster]
	switch class {
	case sources.ClassOK:
		c.ok++
		r.counts[a.Hoster] = c
	case sources.ClassHosterFault:
		c.fail++
		r.counts[a.Hoster] = c
	default:
	}
	r.mu.Unlock()
	canary, err := r.HosterStore.EndAttempt(ctx, a, class, detail)
	if err != nil {
		r.failed(err)
		return nil
	}
	return canary
}

// EndCanary implements sources.HosterStore.
func (r *recorder) EndCanary(ctx context.Context, c sources.Canary, class sources.Class) error {
	if err := r.HosterStore.EndCanary(ctx, c, class); err != nil {
		r.failed(err)
	}
	return nil
}

// restHoster keeps new jobs from a hoster for failRest.
func (r *recorder) restHoster(hoster string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.trouble[hoster] = true
	r.restUntil[hoster] = r.now().Add(failRest)
}

// noteSuccess ends the trouble of a hoster. After the first success of the cycle
// no fail is held back any more.
func (r *recorder) noteSuccess(hoster string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.trouble, hoster)
	delete(r.restUntil, hoster)
	if !r.succeeded {
		r.succeeded, r.passing = true, true
		r.firstOK()
	}
}

// holdFail holds the report of a fail back, where fails are held back at all.
func (r *recorder) holdFail(h heldReport) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.passing {
		return false
	}
	r.held = append(r.held, h)
	return true
}

// takeUnvouched removes and gives the fails held back for which the success of
// a does not vouch.
func (r *recorder) takeUnvouched(a sources.Attempt) []heldReport {
	r.mu.Lock()
	defer r.mu.Unlock()
	var unvouched, held []heldReport
	for _, h := range r.held {
		if h.attempt.Hoster == a.Hoster || h.ended.Before(a.Started) {
			unvouched = append(unvouched, h)
		} else {
			held = append(held, h)
		}
	}
	r.held = held
	return unvouched
}

// reportHeld makes the reports that were held back, where there was a success,
// enough hosters failed, or all is set, and tells whether it made any. After the
// end of ctx they are reported as cancelled.
func (r *recorder) reportHeld(ctx context.Context, attempts *sources.Attempts, all bool) bool {
	r.mu.Lock()
	if hostersOf(r.held) >= r.maxHeld {
		r.passing = true
	}
	var due []heldReport
	if r.passing || all {
		due, r.held = r.held, nil
	}
	r.mu.Unlock()
	for _, h := range due {
		// Attempts.Do does with the outcome what it does with any other, testing a
		// canary included.
		src := sources.Source{Hoster: h.attempt.Hoster, URL: h.attempt.Link}
		_ = attempts.With(replay{recorder: r, attempt: h.attempt}).Do(ctx, src, true, func(context.Context) error { return h.err }) // its error is h.err
	}
	return len(due) > 0
}

// hostersOf counts the hosters that failed.
func hostersOf(held []heldReport) int {
	hosters := make(map[string]bool, len(held))
	for _, h := range held {
		hosters[h.attempt.Hoster] = true
	}
	return len(hosters)
}

// replay is the hoster table for the report of one attempt that was held back: it
// gives that attempt instead of beginning another one.
type replay struct {
	*recorder
	attempt sources.Attempt
}

// BeginAttempt implements sources.HosterStore.
func (r replay) BeginAttempt(context.Context, string, string, bool) (sources.Attempt, bool, error) {
	return r.attempt, true, nil
}

// EndAttempt implements sources.HosterStore.
func (r replay) EndAttempt(ctx context.Context, a sources.Attempt, class sources.Class, detail string) (*sources.Canary, error) {
	return r.report(ctx, a, class, detail), nil
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
