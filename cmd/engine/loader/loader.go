// Package loader loads interfaces. It joins the store, which keeps what was
// loaded, the client that fetches, config/vod, which decodes, and
// config/failover, which moves on where an interface cannot be loaded (document
// "interface failover", sections 2 to 8).
package loader

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"sync"
	"time"

	"xship/config/failover"
	"xship/config/vod"
	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/link"
)

// Options are what a Loader works with.
type Options struct {
	Store sources.InterfaceStore
	Order *failover.InterfaceOrderStore
	Get   func(ctx context.Context, r fetch.Request) (*fetch.Response, error)
	Trust func(url string)    // told the addresses that the operator named; nil: nobody
	Books *sources.Bookkeeper // makes what is recorded; nil: that is part of a load

	Now      func() time.Time
	Logger   *slog.Logger
	Observer sources.Observer // told of loads and switches; nil: nobody
	Timeout  time.Duration    // one load
	MaxAge   time.Duration    // how long what was loaded is used without asking; 0 = never
	Archive  string           // address of the Internet Archive in the built-in interface, "" = without it
}

// Loader loads interfaces for many callers at once: what is fresh in the store from
// there, all else in rounds of failover, which those who want the same share. It is
// safe for concurrent use.
type Loader struct {
	Options
	notes   notes
	folders folders

	mu     sync.Mutex // guards what follows, and the shared part of each round
	rounds map[roundKey]*round
	looks  map[lookKey]*look // while one is under way, the one that begins then; nil where nobody waits for that
}

// New makes a Loader.
func New(o Options) *Loader {
	if o.Trust == nil {
		o.Trust = func(string) {}
	}
	return &Loader{Options: o, rounds: make(map[roundKey]*round), looks: make(map[lookKey]*look)}
}

// Request says what to load.
type Request struct {
	Ref     string        // URL, path or name of an interface, for this load only; "" = the one in use
	Refresh bool          // ask again, however young the stored config is
	Limit   time.Duration // how long this caller waits, without the time that the user takes; 0 = as long as it takes
	Caller
}

// Caller is who waits for a load. What is nil nobody is told. Others may wait for the
// same load: who takes its time in Announce and Loaded holds up none of them.
type Caller struct {
	// Ask lets the user choose where to go on in manual mode; nil: there is nobody to
	// ask. Of several callers the first one that can be asked is. Its error is that of
	// ctx, or of what it asks with: then the next one is asked.
	Ask      func(ctx context.Context, q Question) (Answer, error)
	Announce func(s Switch) // told of each switch in auto mode, while that goes on
	// Loaded is told how the load ended, once, before Load returns, however many
	// interfaces were tried (sections 8.2 and 8.3). A load that was cancelled or retired
	// has no end to tell.
	Loaded func(e Event)
}

// Result is a loaded interface.
type Result struct {
	Interface sources.Interface // the one that was loaded
	// FailedOverFrom are the URLs of those that were tried before, in order.
	FailedOverFrom []string
	Content
	Waited time.Duration // that the user took to choose
	// Stale says that no interface could be loaded, and why: this is what the
	// interface answered at StaleFrom. nil: it is not.
	Stale     error
	StaleFrom time.Time
}

// Failure is a load that failed.
type Failure struct {
	Interface sources.Interface
	Err       error // usually a *vod.Error
}

// Event tells how a load came to its end.
type Event struct {
	Origin sources.Interface
	Result Result // what is in use now; zero where nothing could be loaded
	Err    error  // nil: it was loaded
}

// ErrRetired says that a choice of the user's ended each round of a load: what is in
// use changed again and again before it could be loaded. Such a choice is another
// interface put in use, by a command or by the answer to a question, in this process
// or another. A load whose round it ends begins a new one with what is in use then,
// maxRounds times at most. Nothing else retires a round: no other load does, nor does
// a switch that failover makes in this process. That failover is switched off ends a
// round with the error of the interface that it began with.
var ErrRetired = fmt.Errorf("the interface in use changed again and again while it was loaded: %w", context.Canceled)

// maxRounds is how many rounds one load takes part in.
const maxRounds = 32

// Load loads an interface, and where it cannot be loaded goes on by the failover
// mode. What is fresh in the store takes no round and no request. Otherwise the load
// joins the round that runs for the same interface, mode and Refresh, or begins it;
// with Ref it has one of its own. The round ends when nobody waits for it any more.
//
// The error is a *vod.Error where one interface was tried, a *FailedError where
// several were or could have been, ErrRetired, or that of ctx. When nothing could be
// loaded, and failover is on, what an interface answered earlier is the result,
// see Result.Stale. A success in another interface than the one in use puts that
// in use.
func (l *Loader) Load(ctx context.Context, req Request) (Result, error) {
	c := newWaiter(l, req)
	for range maxRounds {
		origin, result, err := l.loadOnce(ctx, c)
		switch {
		case ctx.Err() != nil:
			return Result{}, ctx.Err()
		case errors.Is(err, errChosenAnew):
			continue
		case origin.URL == "": // nothing was to be loaded
			return Result{}, err
		}
		if err != nil && req.Ref == "" {
			err = l.advised(ctx, err, origin)
		}
		event := Event{Origin: origin, Result: result, Err: err}
		if result.Stale != nil {
			event.Err = result.Stale
		}
		if req.Loaded != nil {
			req.Loaded(event)
		}
		return result, err
	}
	return Result{}, ErrRetired
}

// loadOnce loads for a caller, in one round where it takes one. errChosenAnew says
// that the round counts for nothing.
func (l *Loader) loadOnce(ctx context.Context, c *waiter) (origin sources.Interface, _ Result, _ error) {
	seen, err := l.see(ctx, c.Request)
	if err != nil {
		return origin, Result{}, err
	}
	if seen.content != nil {
		if c.Ref == "" {
			l.recordUse(ctx, seen.origin)
		}
		return seen.origin, Result{Interface: seen.origin, Content: seen.content.Content, Waited: c.waited}, nil
	}
	result, err := l.join(ctx, seen, c).wait(ctx, c)
	return seen.origin, result, err
}

// storedMode is the failover mode as it is stored now.
func (l *Loader) storedMode() failover.Mode {
	mode, err := l.Order.Mode()
	if err != nil {
		l.Logger.Warn("the failover mode could not be read, auto is used", "error", err)
	}
	return mode
}

// Interfaces gives all interfaces in the user's order, and the one in use: that
// which was chosen, else the first. Where the user has added none, both are the
// built-in one.
func (l *Loader) Interfaces(ctx context.Context) (rows []sources.Interface, current sources.Interface, err error) {
	rows, current, _, err = l.interfaces(ctx)
	return rows, current, err
}

// interfaces is Interfaces, with the URL that was chosen, "" where none was.
func (l *Loader) interfaces(ctx context.Context) (rows []sources.Interface, current sources.Interface, chosen string, err error) {
	rows, err = l.Store.Interfaces(ctx)
	if err != nil {
		return nil, current, "", err
	}
	if chosen, err = l.Store.CurrentInterface(ctx); err != nil {
		return nil, current, "", err
	}
	if len(rows) == 0 {
		rows = []sources.Interface{Builtin()}
		return rows, rows[0], chosen, nil
	}
	order, err := l.Order.Order()
	if err != nil {
		l.Logger.Warn("the order of the interfaces could not be read", "error", err)
	}
	rows = failover.SortConfigs(rows, func(r sources.Interface) string { return r.URL }, order)
	for _, row := range rows {
		if row.URL == chosen {
			return rows, row, chosen, nil
		}
	}
	return rows, rows[0], chosen, nil
}

// Active is the interface that ref names by URL, name or path, and the one in use
// where ref is "". A ref that is none of these, a misspelt name perhaps, is a
// *vod.Error: nothing else may be loaded in its place.
func (l *Loader) Active(ctx context.Context, ref string) (sources.Interface, error) {
	rows, current, err := l.Interfaces(ctx)
	if err != nil {
		return current, err
	}
	return l.named(ctx, rows, current, ref)
}

// named is Active for interfaces that are known already.
func (l *Loader) named(ctx context.Context, rows []sources.Interface, current sources.Interface, ref string) (row sources.Interface, err error) {
	if ref == "" {
		return current, nil
	}
	if row, ok := Find(append(slices.Clone(rows), Builtin()), ref); ok {
		return row, nil
	}
	if row.URL, err = URLOf(ref); err != nil || IsURL(row.URL) {
		return row, err
	}
	if seen, ok := l.folders.look(ctx, row.URL); ok && seen.missing { // a disk that hangs, loading it tells
		return row, &vod.Error{
			URL: link.RedactInterface(ref), Cause: vod.CauseFile, Detail: "there is no interface of this name, and no such file",
			Hint: missingHint(ref, NearHint(rows, ref, "see xship interfaces list")), Err: fs.ErrNotExist,
		}
	}
	return row, nil
}
