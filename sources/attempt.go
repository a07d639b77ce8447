package sources

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"xship/sources/link"
	"xship/sources/text"
)

// ErrHosterResting says that a hoster may not be tried now: it is in its
// backoff, or somebody else is trying it. Nothing was tried.
var ErrHosterResting = errors.New("the hoster is in its backoff")

// Attempt is one try at a hoster, from its start to its report.
type Attempt struct {
	Hoster  string
	Link    string // the link tried, kept as a good one when it works
	Unfit   bool   // the link works only with headers of its own, which a canary would lack
	Started time.Time

	ServerFault bool // its fail is an answer of the hoster: 5xx
	FirstOnly   bool // only the first bytes of the link are tried
}

// Canary is one recently good link that a store wants tested before it
// believes that several hosters failed at once.
type Canary struct {
	Hoster string
	Link   string
	ID     int64 // the store's own mark
}

// Retest is a failing hoster that a store wants tested.
type Retest struct {
	Hoster  string
	Link    string
	Blocked bool // it is looked into although its block has not ended
}

// Attempts makes tries at hosters and reports each of them once. It is where
// it is decided what touches a hoster. Without a Store nothing is touched.
type Attempts struct {
	Store    HosterStore
	Books    *Bookkeeper                                  // makes the reports to Store; nil: they are part of an attempt
	Check    func(ctx context.Context, link string) error // tests a canary's link; nil: no canaries
	Observer Observer                                     // told of each try at a hoster; nil: nobody
	Now      func() time.Time                             // of what Observer is told; nil: time.Now
	Logger   *slog.Logger
}

// With gives attempts like those of a, nil included, that are reported to
// another store, before they end.
func (a *Attempts) With(store HosterStore) *Attempts {
	var with Attempts
	if a != nil {
		with = *a
	}
	with.Store, with.Books = store, nil
	return &with
}

// DoFirst is Do for a try of the first bytes of a link: that these come shows that the
// hoster works, and not that what follows does.
func (a *Attempts) DoFirst(ctx context.Context, src Source, force bool, try func(context.Context) error) error {
	return a.do(ctx, src, force, true, try)
}

// Do runs try as one attempt at src's hoster and returns its error, or
// ErrHosterResting where it may not be tried now and the attempt is not forced.
// A file of this machine, what is the user's own and a link without hoster are tried
// untouched. A failing store is logged and does not keep try from running.
func (a *Attempts) Do(ctx context.Context, src Source, force bool, try func(context.Context) error) error {
	return a.do(ctx, src, force, false, try)
}

func (a *Attempts) do(ctx context.Context, src Source, force, firstOnly bool, try func(context.Context) error) error {
	if a == nil || a.Store == nil || src.Hoster == "" || src.Hoster == link.HosterLocal || src.Own {
		return try(ctx)
	}
	attempt, ok, err := a.begin(ctx, src, force)
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		a.logger().Warn("the hoster table could not be read, trying anyway", "hoster", src.Hoster, "error", err)
		return try(ctx)
	case !ok:
		return ErrHosterResting
	}
	attempt.FirstOnly = firstOnly
	attempt.Unfit = len(src.Headers) > 0 || strings.Contains(src.URL, "|")
	began, ended := a.now(), false
	end := func(class Class, detail string) {
		ended = true
		if a.Observer != nil {
			a.Observer.Observe(ctx, AttemptEnded{Attempt: attempt, Source: src.ID, Class: class, Detail: text.Clean(detail), Elapsed: a.now().Sub(began)})
		}
		a.end(ctx, attempt, class, detail)
	}
	defer func() {
		if !ended { // a panic in try: end what was begun
			end(ClassBug, "")
		}
	}()
	err = try(ctx)
	class := ClassOf(err)
	if class != ClassOK && ctx.Err() != nil {
		class = ClassCancelled // the caller ended it, whatever it looked like from inside
	}
	detail := ""
	if err != nil {
		detail = err.Error()
		answered, ok := errors.AsType[interface {
			error
			HTTPStatus() int
		}](err)
		attempt.ServerFault = ok && answered.HTTPStatus() >= http.StatusInternalServerError
	}
	end(class, detail)
	return err
}

func (a *Attempts) begin(ctx context.Context, src Source, force bool) (Attempt, bool, error) {
	ctx, cancel := a.Books.Bound(ctx)
	defer cancel()
	return a.Store.BeginAttempt(ctx, src.Hoster, src.URL, force)
}

// end reports what became of an attempt, also when ctx has ended.
func (a *Attempts) end(ctx context.Context, attempt Attempt, class Class, detail string) {
	a.report(ctx, attempt, class, detail, func(err error) {
		if err != nil {
			a.logger().Warn("the outcome of an attempt could not be stored", "hoster", attempt.Hoster, "class", string(class), "error", err)
		}
	})
}

// End reports the outcome of an attempt as Do does, tests the canary that the store
// asks for, and waits for both. It is for those whose report was held back.
func (a *Attempts) End(ctx context.Context, attempt Attempt, class Class, detail string) error {
	waiting := *a
	waiting.Books = nil
	var errs []error
	waiting.report(ctx, attempt, class, detail, func(err error) { errs = append(errs, err) })
	return errors.Join(errs...)
}

// report tells the store, and told what the store said. A canary is tested before the
// next attempt. Where the report itself is behind, it is given back: nobody is there
// to test it.
func (a *Attempts) report(ctx context.Context, attempt Attempt, class Class, detail string, told func(error)) {
	canary := a.ask(ctx, told, func(ctx context.Context) (*Canary, error) {
		return a.Store.EndAttempt(ctx, attempt, class, text.Clean(detail))
	})
	a.test(ctx, canary, told)
}

// ask makes a report and gives the canary that the store wants tested.
func (a *Attempts) ask(ctx context.Context, told func(error), report func(context.Context) (*Canary, error)) *Canary {
	var (
		mu     sync.Mutex
		left   bool
		canary *Canary
	)
	a.Books.Write(ctx, bookWait, reportTimeout, func(ctx context.Context) {
		given, err := report(ctx)
		told(err)
		mu.Lock()
		canary = given
		behind := left
		mu.Unlock()
		if behind && given != nil {
			_, err := a.Store.EndCanary(ctx, *given, ClassCancelled)
			told(err)
		}
	})
	mu.Lock()
	defer mu.Unlock()
	left = true
	return canary
}

// test asks a canary whether the network is up, nil for none, and those that the
// store wants tested after it. As somebody may wait, these get half of the time each.
func (a *Attempts) test(ctx context.Context, c *Canary, told func(error)) {
	for most := canaryTimeout; c != nil; most = canaryTimeout / 2 {
		tested, class := *c, ClassCancelled
		if a.Check != nil {
			checkCtx, cancel := context.WithTimeout(ctx, most)
			class = ClassOf(Contain(a.logger(), "testing the network", func() error { return a.Check(checkCtx, tested.Link) }))
			cancel()
			if ctx.Err() != nil {
				class = ClassCancelled
			}
		}
		c = a.ask(ctx, told, func(ctx context.Context) (*Canary, error) { return a.Store.EndCanary(ctx, tested, class) })
	}
}

// TestOutage tests whether an outage is over, where the store wants that, and tells
// whether a link was tested. See HosterStore.TestOutage.
func (a *Attempts) TestOutage(ctx context.Context, asked bool) (tested bool, err error) {
	c, err := a.Store.TestOutage(ctx, asked)
	if err != nil || c == nil {
		return false, err
	}
	var errs []error
	a.test(ctx, c, func(err error) { errs = append(errs, err) })
	return true, errors.Join(errs...)
}

// Retest makes one attempt at a failing hoster, by its link.
func (a *Attempts) Retest(ctx context.Context, r Retest) error {
	return a.DoFirst(ctx, Source{Hoster: r.Hoster, URL: r.Link}, r.Blocked, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, canaryTimeout)
		defer cancel()
		return Contain(a.logger(), "testing a hoster", func() error { return a.Check(ctx, r.Link) })
	})
}

const (
	// canaryTimeout bounds the test of one link that worked a moment ago.
	canaryTimeout = 5 * time.Second
	// reportTimeout bounds a report that nobody waits for, so that a locked store
	// delays no shutdown for long.
	reportTimeout = 2 * time.Second
)

func (a *Attempts) now() time.Time { return OrNow(a.Now)() }

func (a *Attempts) logger() *slog.Logger { return OrSilent(a.Logger) }
