package loader

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"xship/config/failover"
	"xship/config/vod"
	"xship/sources"
	"xship/sources/link"
)

// Switch is a move to the next interface.
type Switch struct {
	From, To sources.Interface
	Cause    error // why From could not be loaded
}

// Question asks the user where to go on.
type Question struct {
	Failed     sources.Interface
	Cause      error
	Candidates []sources.Interface // at least one, in their order
}

// Answer is what the user wants: the interface with this URL, or none of them.
type Answer struct {
	URL    string
	Cancel bool
}

// FailedError says that no interface could be loaded.
type FailedError struct {
	Failures   []Failure // in the order of the loads
	Cancelled  bool      // the user wanted none of Candidates
	Unasked    bool      // there was nobody to ask about Candidates
	OutOfTime  bool      // the time was over before all candidates were tried
	Candidates []sources.Interface
}

// Error names each interface that was tried and why it failed, a line each.
func (e *FailedError) Error() string {
	var b strings.Builder
	switch {
	case e.Cancelled:
		b.WriteString("interface switch cancelled")
	case len(e.Failures) == 1:
		b.WriteString("the interface could not be loaded")
	default:
		fmt.Fprintf(&b, "none of %d interfaces could be loaded", len(e.Failures))
	}
	for _, a := range e.Failures {
		fmt.Fprintf(&b, "\n  %s: %s", a.Interface.Title(), causeText(a.Err))
	}
	if e.OutOfTime {
		b.WriteString("\nthe time was over before all interfaces were tried")
	}
	if e.Unasked {
		b.WriteString("\nnobody could be asked to choose another one:")
		for _, c := range e.Candidates {
			fmt.Fprintf(&b, "\n  %s", c.Title())
		}
	}
	return b.String()
}

// Unwrap gives the errors of the loads.
func (e *FailedError) Unwrap() []error {
	errs := make([]error, len(e.Failures))
	for i, a := range e.Failures {
		errs[i] = a.Err
	}
	return errs
}

// ErrorCode implements text.Coded.
func (*FailedError) ErrorCode() string { return "no_interface" }

// ErrorHint implements text.Hinted.
func (e *FailedError) ErrorHint() string {
	switch {
	case len(e.Candidates) > 0:
		return "switch with: xship interfaces use NAME"
	default:
		return "see xship interfaces check, and add another one with xship interfaces add"
	}
}

// causeText is why a load failed, without the interface that the line names.
func causeText(err error) string {
	if failed, ok := errors.AsType[*vod.Error](err); ok {
		text := failed.Detail
		if failed.FinalURL != "" {
			text += " (redirected to " + failed.FinalURL + ")"
		}
		return text
	}
	return err.Error()
}

// errChosenAnew says that the user chose another interface while a round ran.
var errChosenAnew = errors.New("another interface was chosen")

// roundKey is what loads have in common that share a round.
type roundKey struct {
	origin  string // URL of the interface to load
	mode    failover.Mode
	refresh bool
}

// round is one round of failover, for all who wait for it.
type round struct {
	*Loader
	key    roundKey // as the round began
	own    bool     // of one caller, whose Ref is not the interface in use
	origin sources.Interface
	rows   []sources.Interface // the user's, as the round began
	chosen string              // the interface in use when the round began
	asked  map[string]reply    // in this round, by vod.AddressKey: no address is asked twice
	cancel context.CancelCauseFunc

	done   chan struct{} // closed when the outcome is set
	result Result
	err    error

	switched bool // another interface was put in use
	told     bool // the end of it, to the observer

	// Guarded by Loader.mu; failures, steps and switches change by run alone.
	waiters  []*waiter // in the order in which they came
	steps    *failover.Round[sources.Interface]
	failures []Failure
	loading  *sources.Interface // nil: none
	loaded   *Result            // what came of that, nil where nothing has yet
	since    time.Time          // of loading, or of the question
	question *Question          // that waits for its answer; nil: none
	switches []Switch
	moved    string // put in use by the failover of another round, which is no choice of the user's
}

// join has a caller wait for the round that runs for what it saw, or a new one.
func (l *Loader) join(ctx context.Context, seen sight, c *waiter) *round {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.joins(l.Now())
	key := roundKey{origin: seen.origin.URL, mode: seen.mode, refresh: c.Refresh}
	if r := l.rounds[key]; r != nil && c.Ref == "" {
		r.waiters = append(r.waiters, c)
		return r
	}
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	r := &round{
		Loader: l, key: key, own: c.Ref != "", origin: seen.origin, rows: seen.rows, chosen: seen.chosen, asked: make(map[string]reply), cancel: cancel,
		done: make(chan struct{}), waiters: []*waiter{c}, loading: &seen.origin, since: c.joined,
		steps: failover.NewRound(seen.mode, seen.origin, distinctAddresses(seen.rows, seen.origin), urlOf),
	}
	if !r.own {
		l.rounds[key] = r
	}
	go func() {
		defer cancel(nil)
		r.err = sources.Contain(l.Logger, "loading an interface", func() (err error) {
			r.result, err = r.run(ctx)
			return err
		}, "interface", link.RedactInterface(r.origin.URL))
		if r.told = ctx.Err() == nil && !errors.Is(r.err, errChosenAnew); r.told {
			r.observeEnd(ctx, r.result, r.err, r.attended())
		}
		l.mu.Lock()
		r.closeToOthers()
		l.mu.Unlock()
		close(r.done)
	}()
	return r
}

// observeEnd tells how the round came to its end.
func (r *round) observeEnd(ctx context.Context, result Result, err error, attended bool) {
	r.observe(ctx, func() sources.Event {
		e := sources.InterfaceLoaded{
			Origin: r.origin, Interface: result.Interface, FailedOverFrom: result.FailedOverFrom, Switched: r.switched,
			Err: err, StaleFrom: result.StaleFrom, Attended: attended,
		}
		if result.Stale != nil {
			e.Err = result.Stale
		}
		return e
	})
}

// attended tells whether a user looks on.
func (r *round) attended() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.waiters, (*waiter).attends)
}

// closeToOthers lets nobody join any more. Loader.mu is held.
func (r *round) closeToOthers() {
	if r.rounds[r.key] == r {
		delete(r.rounds, r.key)
	}
}

// distinctAddresses are the interfaces that a round may load, in their order: of
// those that share an address the first one, and the origin. The built-in one is
// never a candidate.
func distinctAddresses(rows []sources.Interface, origin sources.Interface) []sources.Interface {
	distinct := make([]sources.Interface, 0, len(rows))
	known := map[string]bool{vod.AddressKey(origin.URL): true}
	for _, row := range rows {
		key := vod.AddressKey(row.URL)
		if row.URL == origin.URL || !IsBuiltin(row.URL) && !known[key] {
			distinct = append(distinct, row)
		}
		known[key] = true
	}
	return distinct
}

func urlOf(i sources.Interface) string { return i.URL }

// run loads the origin, and goes on as the round says.
func (r *round) run(ctx context.Context) (Result, error) {
	for {
		current := r.steps.Current()
		var cause error
		if err := r.watched(ctx, func(ctx context.Context) { cause = r.loadNext(ctx, current) }); err != nil {
			if r.inHand() != nil && outOfTime(ctx) { // the last caller has it
				r.use(ctx, current)
			}
			return Result{}, err
		}
		if cause == nil {
			r.switched = r.use(ctx, current)
			return *r.inHand(), nil
		}
		step := r.failed(Failure{Interface: current, Err: cause})
		if step.Kind == failover.StepAsk {
			candidates := step.Candidates
			answer, asked, err := r.ask(ctx, Question{Failed: current, Cause: cause, Candidates: candidates})
			switch {
			case err != nil:
				return Result{}, err
			case !asked:
				return r.fail(ctx, r.failures, &FailedError{Failures: r.failures, Unasked: true, Candidates: candidates})
			}
			if step = r.choose(answer); step.End == failover.EndCancelled {
				return Result{}, &FailedError{Failures: r.failures, Cancelled: true, Candidates: candidates}
			}
		}
		if step.Kind == failover.StepEnd {
			return r.end(ctx, step.End, cause)
		}
		r.observe(ctx, func() sources.Event {
			return sources.InterfaceSwitched{From: current, To: step.Load, Cause: cause, Attended: r.attended()}
		})
		if r.key.mode == failover.Auto {
			r.announce(Switch{From: current, To: step.Load, Cause: cause})
		}
		r.loads(step.Load)
	}
}

// failed takes note of a failure, and gives what follows.
func (r *round) failed(f Failure) failover.Step[sources.Interface] {
	stored := r.storedMode()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, f)
	r.loading = nil
	return r.steps.Failed(stored)
}

// loadNext loads an interface. What it gives is in hand at once, for callers who do
// not wait for what follows.
func (r *round) loadNext(ctx context.Context, i sources.Interface) error {
	content, err := r.load(ctx, i)
	if err != nil {
		return err
	}
	result := newResult(i, content, r.failures)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.steps.Succeeded()
	r.loaded = &result
	return nil
}

// inHand is what was loaded, nil where nothing was.
func (r *round) inHand() *Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.loaded
}

// loads takes note of the interface that is loaded next.
func (r *round) loads(i sources.Interface) {
	now := r.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.loading, r.since = &i, now
}

// watchEvery is how often it is looked whether something else ends a round.
const watchEvery = 200 * time.Millisecond

// watched runs a part of the round, whose context ends at once when another
// interface is put in use or failover switched off, in this process or another.
// Then, or where the part ended meanwhile all the same, its outcome counts for
// nothing, and the error is that of the round; it is that of ctx where that ended.
func (r *round) watched(ctx context.Context, part func(ctx context.Context)) error {
	partCtx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	var ended error // what ended the part, which may be undone by now
	wg.Go(func() {
		ticks := time.NewTicker(watchEvery)
		defer ticks.Stop()
		for {
			select {
			case <-partCtx.Done():
				return
			case <-ticks.C:
				if ended = r.interrupted(partCtx); ended != nil {
					cancel()
					return
				}
			}
		}
	})
	part(partCtx)
	cancel()
	wg.Wait()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case ended != nil:
		return ended
	}
	return r.interrupted(ctx)
}

// interrupted tells what ends the round from outside, nil where that is nothing.
// Off ends it once the origin has failed, with the error that it had.
func (r *round) interrupted(ctx context.Context) error {
	switch {
	case r.chosenAnew(ctx):
		return errChosenAnew
	case r.key.mode != failover.Off && len(r.failures) > 0 && r.storedMode() == failover.Off:
		return r.failures[0].Err
	default:
		return nil
	}
}

// end gives the outcome of a round in which nothing was loaded. With failover off
// that is the error alone.
func (r *round) end(ctx context.Context, why failover.End, cause error) (Result, error) {
	switch {
	case why == failover.EndOff || r.key.mode == failover.Off:
		return Result{}, r.failures[0].Err
	case len(r.failures) == 1:
		return r.fail(ctx, r.failures, cause)
	default:
		return r.fail(ctx, r.failures, &FailedError{Failures: r.failures})
	}
}

// chosenAnew tells whether the user put another interface in use, in this
// process or another, since the round began. A switch that failover made in another
// process looks the same.
func (r *round) chosenAnew(ctx context.Context) bool {
	if r.own {
		return false
	}
	now, err := r.Store.CurrentInterface(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	return err == nil && now != r.chosen && now != r.moved
}

// outOfTime tells whether a round ended because the time of its last caller was over.
func outOfTime(ctx context.Context) bool {
	return ctx.Err() != nil && !errors.Is(context.Cause(ctx), context.Canceled)
}

// useTime bounds how long a round waits for the store to put an interface in use.
const useTime = time.Second

// use puts the interface in use that failover found, unless the user chose another one,
// and tells whether it did. Where ctx ends before, that goes on, so that the next round
// begins with what this one found.
func (r *round) use(ctx context.Context, i sources.Interface) (switched bool) {
	if r.own || i.URL == r.origin.URL {
		return false
	}
	done := make(chan bool, 1)
	r.Books.Keep(ctx, 0, useTime, func(ctx context.Context) {
		defer close(done) // also where the store has a bug
		done <- r.putInUse(ctx, i)
	})
	select {
	case switched = <-done:
		return switched
	case <-ctx.Done():
		return false
	}
}

// putInUse is the part of use that the store has to do.
func (r *round) putInUse(ctx context.Context, i sources.Interface) (switched bool) {
	for _, from := range r.moves(i.URL) {
		switched, err := r.Store.SwitchInterface(ctx, from, i.URL)
		if err != nil {
			r.Logger.Warn("the interface could not be put in use", "interface", link.RedactInterface(i.URL), "error", err)
		}
		if err != nil || switched {
			return switched
		}
	}
	return false
}

// moves gives what may be in use where the user chose nothing since the round began.
// Where the switch is no choice of the user's either, it tells the other rounds of it.
func (r *round) moves(url string) (from []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, other := range r.rounds {
		if r.key.mode == failover.Auto && other != r && other.chosen == r.chosen {
			other.moved = url
		}
	}
	if r.moved == "" {
		return []string{r.chosen}
	}
	return []string{r.chosen, r.moved}
}

func newResult(i sources.Interface, content *loaded, failures []Failure) Result {
	result := Result{Interface: i, Content: content.Content}
	for _, failed := range failures {
		if failed.Interface.URL != i.URL {
			result.FailedOverFrom = append(result.FailedOverFrom, failed.Interface.URL)
		}
	}
	return result
}

// fail is the outcome where all that could be tried failed: what one of the interfaces
// tried answered earlier, else err.
func (r *round) fail(ctx context.Context, failures []Failure, err error) (Result, error) {
	for _, failed := range failures {
		content, at := r.stale(ctx, failed.Interface.URL)
		if content == nil {
			continue
		}
		result := newResult(failed.Interface, content, nil) // nothing else was loaded
		result.Stale, result.StaleFrom = err, at
		return result, nil
	}
	return Result{}, err
}
