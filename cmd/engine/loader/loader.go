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
	"os"
	"slices"
	"sync"
	"time"

	"xship/config/failover"
	"xship/config/vod"
	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/text"
)

// Options are what a Loader works with.
type Options struct {
	Store sources.InterfaceStore
	Order *failover.InterfaceOrderStore
	Get   func(ctx context.Context, r fetch.Request) (*fetch.Response, error)
	Trust func(url string) // told the addresses that the operator named; nil: nobody

	Now     func() time.Time
	Logger  *slog.Logger
	Timeout time.Duration // one load
	MaxAge  time.Duration // how long what was loaded is used without asking; 0 = never
}

// Loader loads interfaces, one round of failover at a time. It is safe for
// concurrent use.
type Loader struct {
	Options

	mu      sync.Mutex
	rounds  int64
	running context.CancelCauseFunc // of the running round, nil = none
}

// New makes a Loader.
func New(o Options) *Loader {
	if o.Trust == nil {
		o.Trust = func(string) {}
	}
	return &Loader{Options: o}
}

// Request says what to load.
type Request struct {
	Ref     string        // URL, path or name of an interface, for this load only; "" = the one in use
	Refresh bool          // ask again, however young the stored config is
	Limit   time.Duration // all loads of the round, without the time that the user takes; 0 = none
	Caller
}

// Caller is who waits for a load. What is nil nobody is told.
type Caller struct {
	// Ask lets the user choose where to go on in manual mode; nil: there is nobody to
	// ask. Its error is that of ctx.
	Ask      func(ctx context.Context, q Question) (Answer, error)
	Announce func(s Switch) // told before each switch in auto mode
	// Loaded is told how the load ended, once, before Load returns, however many
	// interfaces were tried (sections 8.2 and 8.3). A load that was cancelled or that a
	// newer one retired has no end to tell.
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

// ErrRetired says that a newer load ended this one.
var ErrRetired = fmt.Errorf("a newer load of an interface replaced this one: %w", context.Canceled)

// Load loads an interface, and where it cannot be loaded goes on by the failover
// mode. It begins a round and retires the one that runs.
//
// The error is a *vod.Error where one interface was tried, a *FailedError where
// several were or could have been, ErrRetired, or that of ctx. When nothing could be
// loaded, and failover is on, what an interface answered earlier is the result,
// see Result.Stale. A success in another interface than the one in use puts that
// in use.
func (l *Loader) Load(ctx context.Context, req Request) (Result, error) {
	ctx, id, end := l.begin(ctx)
	defer end()
	var r *roundRun
	for {
		var err error
		if r, err = l.newRound(ctx, req, r); err != nil {
			return Result{}, err
		}
		result, err := r.run(ctx)
		switch {
		case errors.Is(context.Cause(ctx), ErrRetired):
			return Result{}, ErrRetired
		case ctx.Err() != nil:
			return Result{}, ctx.Err()
		case errors.Is(err, errChosenAnew):
			continue
		}
		event := Event{Origin: r.origin, Result: result, Err: err}
		if result.Stale != nil {
			event.Err = result.Stale
		}
		if !l.tell(id, req.Loaded, event) {
			return Result{}, ErrRetired
		}
		return result, err
	}
}

// tell tells the caller how its load ended, unless a newer load retired its round.
func (l *Loader) tell(id int64, loaded func(Event), e Event) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if id != l.rounds {
		return false
	}
	if loaded != nil {
		loaded(e)
	}
	return true
}

// begin starts a round and retires the one that runs.
func (l *Loader) begin(ctx context.Context) (_ context.Context, id int64, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running != nil {
		l.running(ErrRetired)
	}
	l.rounds++
	id = l.rounds
	l.running = cancel
	return ctx, id, func() {
		cancel(nil)
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.rounds == id {
			l.running = nil
		}
	}
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
	rows, err = l.Store.Interfaces(ctx)
	if err != nil {
		return nil, current, err
	}
	if len(rows) == 0 {
		rows = []sources.Interface{Builtin()}
		return rows, rows[0], nil
	}
	order, err := l.Order.Order()
	if err != nil {
		l.Logger.Warn("the order of the interfaces could not be read", "error", err)
	}
	rows = failover.SortConfigs(rows, func(r sources.Interface) string { return r.URL }, order)
	chosen, err := l.Store.CurrentInterface(ctx)
	if err != nil {
		return nil, current, err
	}
	for _, row := range rows {
		if row.URL == chosen {
			return rows, row, nil
		}
	}
	return rows, rows[0], nil
}

// Active is the interface that ref names by URL, name or path, and the one in use
// where ref is "". A ref that is none of these, a misspelt name perhaps, is a
// *vod.Error: nothing else may be loaded in its place.
func (l *Loader) Active(ctx context.Context, ref string) (sources.Interface, error) {
	rows, current, err := l.Interfaces(ctx)
	if err != nil {
		return current, err
	}
	return named(rows, current, ref)
}

// named is Active for interfaces that are known already.
func named(rows []sources.Interface, current sources.Interface, ref string) (row sources.Interface, err error) {
	if ref == "" {
		return current, nil
	}
	if row, ok := Find(append(slices.Clone(rows), Builtin()), ref); ok {
		return row, nil
	}
	if row.URL, err = URLOf(ref); err != nil || IsURL(row.URL) {
		return row, err
	}
	if _, err := os.Stat(row.URL); errors.Is(err, fs.ErrNotExist) {
		return row, &vod.Error{
			URL: text.Clean(ref), Cause: vod.CauseFile, Detail: "there is no interface of this name, and no such file", Hint: "see xship interfaces list", Err: err,
		}
	}
	return row, nil
}
