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
	"xship/sources/site/openfilms"
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
	Attempts   []Attempt // in the order in which they were made
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
	case len(e.Attempts) == 1:
		b.WriteString("the interface could not be loaded")
	default:
		fmt.Fprintf(&b, "none of %d interfaces could be loaded", len(e.Attempts))
	}
	for _, a := range e.Attempts {
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

// Unwrap gives the errors of the attempts.
func (e *FailedError) Unwrap() []error {
	errs := make([]error, len(e.Attempts))
	for i, a := range e.Attempts {
		errs[i] = a.Err
	}
	return errs
}

// Hint is what the user can do.
func (e *FailedError) Hint() string {
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

// try is one round of failover.
type try struct {
	*Loader
	req     Request
	mode    failover.Mode // as the round began
	round   *failover.Round[sources.Interface]
	origin  sources.Interface
	chosen  string // the interface in use when the round began, "" where it does not matter
	started time.Time
	waited  time.Duration
	tried   []Attempt
	asked   map[string]reply // in this round, by vod.AddressKey: no address is asked twice
}

// newTry starts a round; before is the one that a new choice of the user retired,
// whose time counts, or nil.
func (l *Loader) newTry(ctx context.Context, id int64, req Request, before *try) (*try, error) {
	rows, current, err := l.Interfaces(ctx)
	if err != nil {
		return nil, err
	}
	row, err := named(rows, current, req.Ref)
	if err != nil {
		return nil, err
	}
	t := &try{
		Loader: l, req: req, mode: l.storedMode(), origin: row, started: l.Now(), asked: make(map[string]reply),
	}
	if before != nil {
		t.started, t.waited = before.started, before.waited
	}
	ordered := make([]sources.Interface, 0, len(rows))
	known := map[string]bool{vod.AddressKey(t.origin.URL): true}
	for _, r := range rows {
		key := vod.AddressKey(r.URL)
		if r.URL == t.origin.URL || r.URL != openfilms.InterfaceURL && !known[key] { // the built-in one is never a candidate
			ordered = append(ordered, r)
		}
		known[key] = true
	}
	if req.Ref == "" {
		if t.chosen, err = l.Store.CurrentInterface(ctx); err != nil {
			return nil, err
		}
	}
	t.round = failover.NewRound(t.mode, t.origin, ordered, urlOf)
	return t, nil
}

func urlOf(i sources.Interface) string { return i.URL }

// run loads the origin, and goes on as the round says.
func (t *try) run(ctx context.Context) (Result, error) {
	for {
		current := t.round.Current()
		var cfg *vod.Config
		var cause error
		if err := t.watched(ctx, func(ctx context.Context) { cfg, cause = t.load(ctx, current) }); err != nil {
			return Result{}, err
		}
		if cause == nil {
			t.round.Succeeded()
			return t.succeed(ctx, current, cfg), nil
		}
		t.tried = append(t.tried, Attempt{Interface: current, Err: cause})
		step := t.round.Failed(t.storedMode())
		if step.Kind == failover.StepAsk {
			if t.Ask == nil {
				return t.fail(ctx, &FailedError{Attempts: t.tried, Unasked: true, Candidates: step.Candidates})
			}
			candidates := step.Candidates
			var err error
			if step, err = t.ask(ctx, current, cause, candidates); err != nil {
				return Result{}, err
			}
			if step.End == failover.EndCancelled {
				return Result{}, &FailedError{Attempts: t.tried, Cancelled: true, Candidates: candidates}
			}
		}
		switch {
		case step.Kind == failover.StepEnd:
			return t.end(ctx, step.End, cause)
		case t.left() <= 0:
			return t.fail(ctx, &FailedError{Attempts: t.tried, OutOfTime: true})
		case t.mode == failover.Auto:
			t.Announce(Switch{From: current, To: step.Load, Cause: cause})
		}
	}
}

// watchEvery is how often it is looked whether something else ends a round.
const watchEvery = 200 * time.Millisecond

// watched runs a part of the round, whose context ends at once when another
// interface is put in use or failover switched off, in this process or another.
// Then, or where the part ended meanwhile all the same, its outcome counts for
// nothing, and the error is that of the round; it is that of ctx where that ended.
func (t *try) watched(ctx context.Context, part func(ctx context.Context)) error {
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
				if err := t.interrupted(partCtx); err != nil {
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
	return t.interrupted(ctx)
}

// interrupted tells what ends the round from outside, nil where that is nothing.
// Off ends it once the origin has failed, with the error that it had.
func (t *try) interrupted(ctx context.Context) error {
	switch {
	case t.chosenAnew(ctx):
		return errChosenAnew
	case t.mode != failover.Off && len(t.tried) > 0 && t.storedMode() == failover.Off:
		return t.tried[0].Err
	default:
		return nil
	}
}

// end gives the outcome of a round in which nothing was loaded. With failover off
// that is the error alone.
func (t *try) end(ctx context.Context, why failover.End, cause error) (Result, error) {
	switch {
	case why == failover.EndOff || t.mode == failover.Off:
		return Result{}, t.tried[0].Err
	case len(t.tried) == 1:
		return t.fail(ctx, cause)
	default:
		return t.fail(ctx, &FailedError{Attempts: t.tried})
	}
}

// ask lets the user choose, and takes the time that this takes.
func (t *try) ask(ctx context.Context, failed sources.Interface, cause error, candidates []sources.Interface) (failover.Step[sources.Interface], error) {
	began := t.Now()
	var answer Answer
	var askErr error
	err := t.watched(ctx, func(ctx context.Context) {
		answer, askErr = t.Ask(ctx, Question{Failed: failed, Cause: cause, Candidates: candidates})
	})
	t.waited += max(t.Now().Sub(began), 0)
	switch {
	case err != nil:
		return failover.Step[sources.Interface]{}, err
	case askErr != nil:
		return failover.Step[sources.Interface]{}, askErr
	case answer.Cancel:
		return t.round.Cancel(), nil
	}
	return t.round.Choose(answer.URL, t.storedMode()), nil
}

// left is what the round has of its limit.
func (t *try) left() time.Duration {
	if t.req.Limit <= 0 {
		return t.Timeout
	}
	return t.req.Limit - max(t.Now().Sub(t.started)-t.waited, 0)
}

// chosenAnew tells whether the user put another interface in use, in this
// process or another, since the round began.
func (t *try) chosenAnew(ctx context.Context) bool {
	if t.req.Ref != "" {
		return false
	}
	now, err := t.Store.CurrentInterface(ctx)
	return err == nil && now != t.chosen
}

// succeed makes the result of a load, and puts the interface in use where
// failover found it.
func (t *try) succeed(ctx context.Context, loaded sources.Interface, cfg *vod.Config) Result {
	if t.req.Ref == "" && loaded.URL != t.origin.URL && !t.chosenAnew(ctx) {
		if err := t.Store.SetCurrentInterface(ctx, loaded.URL); err != nil {
			t.Logger.Warn("the interface could not be put in use", "interface", RedactURL(loaded.URL), "error", err)
		}
	}
	return t.result(loaded, cfg)
}

func (t *try) result(loaded sources.Interface, cfg *vod.Config) Result {
	r := Result{Interface: loaded, Config: cfg, Sites: siteSpecs(cfg), Waited: t.waited}
	for _, a := range t.tried {
		if a.Interface.URL != loaded.URL {
			r.FailedOverFrom = append(r.FailedOverFrom, a.Interface.URL)
		}
	}
	return r
}

// fail ends a round in which all that could be tried failed: with what one of the interfaces
// tried answered earlier, else with err.
func (t *try) fail(ctx context.Context, err error) (Result, error) {
	for _, a := range t.tried {
		cfg, at := t.stale(ctx, a.Interface.URL)
		if cfg == nil {
			continue
		}
		r := t.result(a.Interface, cfg)
		r.FailedOverFrom = nil // nothing else was loaded
		r.Stale, r.StaleFrom = err, at
		return r, nil
	}
	return Result{}, err
}
