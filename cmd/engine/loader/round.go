package loader

import (
	"context"
	"errors"
	"fmt"
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
		fmt.Fprintf(&b, "\n  %s: %s", Title(a.Interface), causeText(a.Err))
	}
	if e.OutOfTime {
		b.WriteString("\nthe time was over before all interfaces were tried")
	}
	if e.Unasked {
		b.WriteString("\nnobody could be asked to choose another one:")
		for _, c := range e.Candidates {
			fmt.Fprintf(&b, "\n  %s", Title(c))
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

// roundRun is one round of failover.
type roundRun struct {
	*Loader
	req      Request
	mode     failover.Mode // as the round began
	round    *failover.Round[sources.Interface]
	origin   sources.Interface
	chosen   string // the interface in use when the round began, "" where it does not matter
	started  time.Time
	waited   time.Duration
	failures []Failure
	asked    map[string]reply // in this round, by vod.AddressKey: no address is asked twice
}

// newRound starts a round; before is the one that a new choice of the user retired,
// whose time counts, or nil.
func (l *Loader) newRound(ctx context.Context, req Request, before *roundRun) (*roundRun, error) {
	rows, current, err := l.Interfaces(ctx)
	if err != nil {
		return nil, err
	}
	row, err := named(rows, current, req.Ref)
	if err != nil {
		return nil, err
	}
	r := &roundRun{
		Loader: l, req: req, mode: l.storedMode(), origin: row, started: l.Now(), asked: make(map[string]reply),
	}
	if before != nil {
		r.started, r.waited = before.started, before.waited
	}
	if req.Ref == "" {
		if r.chosen, err = l.Store.CurrentInterface(ctx); err != nil {
			return nil, err
		}
	}
	r.round = failover.NewRound(r.mode, r.origin, distinctAddresses(rows, r.origin), urlOf)
	return r, nil
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
func (r *roundRun) run(ctx context.Context) (Result, error) {
	for {
		current := r.round.Current()
		var content *loaded
		var cause error
		if err := r.watched(ctx, func(ctx context.Context) { content, cause = r.load(ctx, current) }); err != nil {
			return Result{}, err
		}
		if cause == nil {
			r.round.Succeeded()
			return r.succeed(ctx, current, content), nil
		}
		r.failures = append(r.failures, Failure{Interface: current, Err: cause})
		step := r.round.Failed(r.storedMode())
		if step.Kind == failover.StepAsk {
			if r.req.Ask == nil {
				return r.fail(ctx, &FailedError{Failures: r.failures, Unasked: true, Candidates: step.Candidates})
			}
			candidates := step.Candidates
			var err error
			if step, err = r.ask(ctx, current, cause, candidates); err != nil {
				return Result{}, err
			}
			if step.End == failover.EndCancelled {
				return Result{}, &FailedError{Failures: r.failures, Cancelled: true, Candidates: candidates}
			}
		}
		switch {
		case step.Kind == failover.StepEnd:
			return r.end(ctx, step.End, cause)
		case r.left() <= 0:
			return r.fail(ctx, &FailedError{Failures: r.failures, OutOfTime: true})
		case r.mode == failover.Auto:
			r.announce(Switch{From: current, To: step.Load, Cause: cause})
		}
	}
}

func (r *roundRun) announce(s Switch) {
	if r.req.Announce != nil {
		r.req.Announce(s)
	}
}

// watchEvery is how often it is looked whether something else ends a round.
const watchEvery = 200 * time.Millisecond

// watched runs a part of the round, whose context ends at once when another
// interface is put in use or failover switched off, in this process or another.
// Then, or where the part ended meanwhile all the same, its outcome counts for
// nothing, and the error is that of the round; it is that of ctx where that ended.
func (r *roundRun) watched(ctx context.Context, part func(ctx context.Context)) error {
	partCtx, cancel := context.WithCancelCause(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		ticks := time.NewTicker(watchEvery)
		defer ticks.Stop()
		for {
			select {
			case <-partCtx.Done():
				return
			case <-ticks.C:
				if err := r.interrupted(partCtx); err != nil {
					cancel(err)
				}
			}
		}
	})
	part(partCtx)
	cancel(nil)
	wg.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return r.interrupted(ctx)
}

// interrupted tells what ends the round from outside, nil where that is nothing.
// Off ends it once the origin has failed, with the error that it had.
func (r *roundRun) interrupted(ctx context.Context) error {
	switch {
	case r.chosenAnew(ctx):
		return errChosenAnew
	case r.mode != failover.Off && len(r.failures) > 0 && r.storedMode() == failover.Off:
		return r.failures[0].Err
	default:
		return nil
	}
}

// end gives the outcome of a round in which nothing was loaded. With failover off
// that is the error alone.
func (r *roundRun) end(ctx context.Context, why failover.End, cause error) (Result, error) {
	switch {
	case why == failover.EndOff || r.mode == failover.Off:
		return Result{}, r.failures[0].Err
	case len(r.failures) == 1:
		return r.fail(ctx, cause)
	default:
		return r.fail(ctx, &FailedError{Failures: r.failures})
	}
}

// ask lets the user choose, and takes the time that this takes.
func (r *roundRun) ask(ctx context.Context, failed sources.Interface, cause error, candidates []sources.Interface) (failover.Step[sources.Interface], error) {
	began := r.Now()
	var answer Answer
	var askErr error
	err := r.watched(ctx, func(ctx context.Context) {
		answer, askErr = r.req.Ask(ctx, Question{Failed: failed, Cause: cause, Candidates: candidates})
	})
	r.waited += max(r.Now().Sub(began), 0)
	switch {
	case err != nil:
		return failover.Step[sources.Interface]{}, err
	case askErr != nil:
		return failover.Step[sources.Interface]{}, askErr
	case answer.Cancel:
		return r.round.Cancel(), nil
	}
	return r.round.Choose(answer.URL, r.storedMode()), nil
}

// left is what the round has of its limit.
func (r *roundRun) left() time.Duration {
	if r.req.Limit <= 0 {
		return r.Timeout
	}
	return r.req.Limit - max(r.Now().Sub(r.started)-r.waited, 0)
}

// chosenAnew tells whether the user put another interface in use, in this
// process or another, since the round began.
func (r *roundRun) chosenAnew(ctx context.Context) bool {
	if r.req.Ref != "" {
		return false
	}
	now, err := r.Store.CurrentInterface(ctx)
	return err == nil && now != r.chosen
}

// succeed makes the result of a load, and puts the interface in use where
// failover found it.
func (r *roundRun) succeed(ctx context.Context, i sources.Interface, content *loaded) Result {
	if r.req.Ref == "" && i.URL != r.origin.URL && !r.chosenAnew(ctx) {
		if err := r.Store.SetCurrentInterface(ctx, i.URL); err != nil {
			r.Logger.Warn("the interface could not be put in use", "interface", link.RedactInterface(i.URL), "error", err)
		}
	}
	return r.result(i, content)
}

func (r *roundRun) result(i sources.Interface, content *loaded) Result {
	result := Result{Interface: i, Content: content.Content, Waited: r.waited}
	for _, failed := range r.failures {
		if failed.Interface.URL != i.URL {
			result.FailedOverFrom = append(result.FailedOverFrom, failed.Interface.URL)
		}
	}
	return result
}

// fail ends a round in which all that could be tried failed: with what one of the interfaces
// tried answered earlier, else with err.
func (r *roundRun) fail(ctx context.Context, err error) (Result, error) {
	for _, failed := range r.failures {
		content, at := r.stale(ctx, failed.Interface.URL)
		if content == nil {
			continue
		}
		result := r.result(failed.Interface, content)
		result.FailedOverFrom = nil // nothing else was loaded
		result.Stale, result.StaleFrom = err, at
		return result, nil
	}
	return Result{}, err
}
