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
// It holds fails back until the first success of the cycle. Between two cycles
// the last success grows too old to vouch for the network, so that a fail which
// comes first would not count, and count if it came second. A success whose
// attempt was under way when the fail ended shows that the network was up then;
// one that began later shows nothing, and neither does the older fail of a
// hoster that works by now: these are reported before the success. Fails are held back no
// longer than until as many hosters failed as jobs run at once: then nothing
// works, and the store has to find out whether the network is down.
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
	heldOn    map[string]bool // hosters in held
	succeeded bool            // something worked in this cycle
	passing   bool            // nothing is held back any more
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
		heldOn: make(map[string]bool),
	}
}

// know tells the recorder which hosters were in trouble before the cycle.
func (r *recorder) know(hosters []sources.HosterHealth) {
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
		r.rest(hoster)
	}
	return a, ok, nil
}

// EndAttempt implements sources.HosterStore.
func (r *recorder) EndAttempt(ctx context.Context, a sources.Attempt, class sources.Class, detail string) (*sources.Canary, error) {
	if class == sources.ClassHosterFault {
		r.rest(a.Hoster)
		if r.hold(heldReport{attempt: a, ended: r.now(), err: sources.Errorf(class, "%s", detail)}) {
			return nil, nil
		}
	}
	if class == sources.ClassOK {
		for _, h := range r.takeUnvouched(a) {
			_ = r.report(ctx, h.attempt, sources.ClassOf(h.err), h.err.Error()) // the success that follows answers any doubt
		}
	}
	canary := r.report(ctx, a, class, detail)
	if class == sources.ClassOK {
		r.worked(a.Hoster) // only now: the store has to know it before the fails held back
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

func (r *recorder) rest(hoster string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.trouble[hoster] = true
	r.restUntil[hoster] = r.now().Add(failRest)
}

func (r *recorder) worked(hoster string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.trouble, hoster)
	delete(r.restUntil, hoster)
	if !r.succeeded {
		r.succeeded, r.passing = true, true
		r.firstOK()
	}
}

func (r *recorder) hold(h heldReport) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.passing {
		return false
	}
	r.held = append(r.held, h)
	r.heldOn[h.attempt.Hoster] = true
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
	clear(r.heldOn)
	for _, h := range held {
		r.heldOn[h.attempt.Hoster] = true
	}
	return unvouched
}

// settle makes the reports held back, as soon as a success or their number
// allows it or all is set, and tells whether there were any. Where ctx has
// ended they count for nothing.
func (r *recorder) settle(ctx context.Context, attempts sources.Attempts, all bool) bool {
	r.mu.Lock()
	if len(r.heldOn) >= r.maxHeld {
		r.passing = true
	}
	var due []heldReport
	if r.passing || all {
		due, r.held = r.held, nil
		clear(r.heldOn)
	}
	r.mu.Unlock()
	for _, h := range due {
		// As an attempt of its own kind it is reported, and a canary tested,
		// the way all others are.
		attempts.Store = replay{recorder: r, attempt: h.attempt}
		src := sources.Source{Hoster: h.attempt.Hoster, URL: h.attempt.Link}
		_ = attempts.Do(ctx, src, true, func(context.Context) error { return h.err }) // its error is h.err
	}
	return len(due) > 0
}

// replay is a store in which one attempt has already begun.
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

// standing is what the scheduler has to know of a hoster.
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
