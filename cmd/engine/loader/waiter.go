package loader

import (
	"context"
	"slices"
	"time"

	"xship/config/failover"
	"xship/sources"
)

// waiter is a caller in a round.
type waiter struct {
	Request
	began time.Time
	news  chan struct{} // that something changed which the caller acts on

	// Guarded by Loader.mu.
	joined time.Time          // the round
	waited time.Duration      // that users took to choose meanwhile, in all rounds
	told   int                // of the switches of the round
	failed error              // why the caller could not be asked, nil where it could
	left   bool               // the round
	hangUp context.CancelFunc // ends the question that the caller is asked, nil where it never was
	hungUp chan struct{}      // closed when that has ended
}

func newWaiter(l *Loader, req Request) *waiter {
	return &waiter{Request: req, began: l.Now(), news: make(chan struct{}, 1)}
}

// attends tells whether a user looks on.
func (c *waiter) attends() bool { return c.Announce != nil || c.Ask != nil }

// joins begins the wait for a round. Loader.mu is held.
func (c *waiter) joins(at time.Time) {
	c.joined, c.told, c.failed, c.left, c.hangUp, c.hungUp = at, 0, nil, false, nil, nil
}

// wake tells a caller that there is news.
func (c *waiter) wake() {
	select {
	case c.news <- struct{}{}:
	default:
	}
}

// leftAt is what a caller has of its limit at the given time. Loader.mu is held.
func (c *waiter) leftAt(at time.Time) time.Duration {
	return c.Limit - max(at.Sub(c.began)-c.waited, 0)
}

// wait gives a caller the outcome of the round, or what ends its waiting before.
func (r *round) wait(ctx context.Context, c *waiter) (Result, error) {
	result, err := r.await(ctx, c)
	r.leave(c)
	result.Waited = c.waited
	return result, err
}

func (r *round) await(ctx context.Context, c *waiter) (Result, error) {
	for {
		r.tell(c)
		if end := r.endFor(c); end != nil {
			return end(ctx)
		}
		over, stop := r.timeOver(c)
		select {
		case <-c.news:
			stop()
			continue
		case <-ctx.Done():
			stop()
			return Result{}, ctx.Err()
		case <-r.done:
		case <-over:
		}
		stop()
		r.tell(c)
		select {
		case <-r.done: // perhaps just in time
			return r.result, r.err
		default:
			return r.outOfTime(ctx, c)
		}
	}
}

// endFor gives the end of a caller whom the round does not serve any further, nil
// where it does: one that could not be asked, and one that cannot be while others are.
func (r *round) endFor(c *waiter) func(ctx context.Context) (Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c.failed != nil {
		failed := c.failed
		return func(context.Context) (Result, error) { return Result{}, failed }
	}
	if r.question == nil || c.Ask != nil {
		return nil
	}
	failures, candidates := slices.Clone(r.failures), r.question.Candidates
	return func(ctx context.Context) (Result, error) {
		return r.fail(ctx, failures, &FailedError{Failures: failures, Unasked: true, Candidates: candidates})
	}
}

// timeOver tells when the time of a caller is over. While a user is asked it stands
// still.
func (r *round) timeOver(c *waiter) (over <-chan time.Time, stop func()) {
	now := r.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if c.Limit <= 0 || r.question != nil {
		return nil, func() {}
	}
	timer := time.NewTimer(c.leftAt(now))
	return timer.C, func() { timer.Stop() }
}

// outOfTime is the end of a caller whose time was over before the round. What was
// loaded by then is its result. Where nobody else waits for the round, it is told as
// the end of that.
func (r *round) outOfTime(ctx context.Context, c *waiter) (Result, error) {
	r.mu.Lock()
	failures, more := slices.Clone(r.failures), r.steps.More()
	var cut error
	if r.loading != nil {
		from := r.since
		if c.joined.After(from) {
			from = c.joined
		}
		cut = cutShort(*r.loading, c.leftAt(from))
		failures = append(failures, Failure{Interface: *r.loading, Err: cut})
	}
	last := r.remove(c, cut)
	r.mu.Unlock()
	if last {
		<-r.done // or an answer that comes right now would be none
	}
	result, err := r.soFar(ctx, failures, more)
	if last && !r.told {
		r.observeEnd(ctx, result, err, c.attends())
	}
	return result, err
}

// soFar is what the round has come to by now, with the failures until now; more tells
// that there is more to try.
func (r *round) soFar(ctx context.Context, failures []Failure, more bool) (Result, error) {
	if result := r.inHand(); result != nil {
		return *result, nil
	}
	switch {
	case r.key.mode == failover.Off:
		return Result{}, failures[0].Err
	case len(failures) == 1 && !more:
		return r.fail(ctx, failures, failures[0].Err)
	default:
		return r.fail(ctx, failures, &FailedError{Failures: failures, OutOfTime: more})
	}
}

// leave ends the wait of a caller: nothing is told or asked any more when it returns.
// The round ends with the last one.
func (r *round) leave(c *waiter) {
	r.mu.Lock()
	last, asked := r.remove(c, nil), c.hungUp
	r.mu.Unlock()
	if last {
		<-r.done
		return
	}
	if asked != nil {
		<-asked
	}
}

// remove takes a caller out of the round, and tells whether nobody is left in it. Then
// the round ends; cut is why what it loads now is not loaded, nil where it is given up
// without that. Loader.mu is held.
func (r *round) remove(c *waiter, cut error) (last bool) {
	if c.hangUp != nil {
		c.hangUp()
	}
	c.left = true
	r.waiters = slices.DeleteFunc(r.waiters, func(w *waiter) bool { return w == c })
	if len(r.waiters) > 0 {
		return false
	}
	r.closeToOthers()
	r.cancel(cut)
	return true
}

// announce lets all callers know of a switch.
func (r *round) announce(s Switch) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.switches = append(r.switches, s)
	r.wakeAll()
}

// tell tells a caller of the switches that it does not know of. It is called by who
// waits, so that a caller that takes its time holds up nobody else.
func (r *round) tell(c *waiter) {
	r.mu.Lock()
	untold := r.switches[c.told:]
	c.told = len(r.switches)
	r.mu.Unlock()
	if c.Announce == nil {
		return
	}
	for _, s := range untold {
		_ = sources.Contain(r.Logger, "telling of a switch", func() error { // which logs it
			c.Announce(s)
			return nil
		})
	}
}

// ask lets a user choose: the first one that can be asked, while the others wait for
// that answer. asked is false where there is none.
func (r *round) ask(ctx context.Context, q Question) (answer Answer, asked bool, err error) {
	first := r.pose(q)
	if first == nil {
		return answer, false, nil
	}
	err = r.watched(ctx, func(ctx context.Context) {
		for c := first; c != nil && !asked && ctx.Err() == nil; c = r.nextAsked() {
			answer, asked = r.askOne(ctx, c, q)
		}
	})
	r.answered()
	return answer, asked, err
}

// pose opens a question, where somebody can be asked.
func (r *round) pose(q Question) (first *waiter) {
	now := r.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if first = r.asker(); first == nil {
		r.closeToOthers() // or one who comes now would not be asked
		return nil
	}
	r.question, r.since = &q, now
	r.wakeAll()
	return first
}

// answered closes the question. The clocks of those who waited for it go on.
func (r *round) answered() {
	now := r.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.question = nil
	for _, c := range r.waiters {
		from := r.since
		if c.joined.After(from) {
			from = c.joined
		}
		c.waited += max(now.Sub(from), 0)
	}
	r.wakeAll()
}

// nextAsked is who is asked when somebody could not be.
func (r *round) nextAsked() *waiter {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.asker()
	if c == nil {
		r.closeToOthers()
	}
	return c
}

// asker is the first caller that can be asked. Loader.mu is held.
func (r *round) asker() *waiter {
	for _, c := range r.waiters {
		if c.Ask != nil && c.failed == nil {
			return c
		}
	}
	return nil
}

// wakeAll tells all callers that there is news. Loader.mu is held.
func (r *round) wakeAll() {
	for _, c := range r.waiters {
		c.wake()
	}
}

// askOne asks a caller. It is false where that has left, or could not be asked.
func (r *round) askOne(ctx context.Context, c *waiter, q Question) (Answer, bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan struct{})
	defer close(ended)
	if !r.callUp(c, cancel, ended) {
		return Answer{}, false
	}
	answer, err := c.Ask(ctx, q)
	r.mu.Lock()
	defer r.mu.Unlock()
	if c.left || ctx.Err() != nil {
		return Answer{}, false
	}
	if err != nil {
		c.failed = err
		c.wake()
	}
	return answer, err == nil
}

// callUp has a caller that leaves hang up, and wait until that has ended the question.
// It is false where the caller has left.
func (r *round) callUp(c *waiter, hangUp context.CancelFunc, ended chan struct{}) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !c.left {
		c.hangUp, c.hungUp = hangUp, ended
	}
	return !c.left
}

// choose takes the answer of a user.
func (r *round) choose(answer Answer) failover.Step[sources.Interface] {
	stored := r.storedMode()
	r.mu.Lock()
	defer r.mu.Unlock()
	if answer.Cancel {
		return r.steps.Cancel()
	}
	return r.steps.Choose(answer.URL, stored)
}
