package loader

import (
	"context"
	"runtime"

	"xship/config/failover"
	"xship/sources"
)

// sight is what a load begins with.
type sight struct {
	rows    []sources.Interface // in the user's order
	origin  sources.Interface   // to load
	chosen  string              // the interface in use, "" where none was chosen
	mode    failover.Mode
	content *loaded // of the origin, where it is at hand; else nil
}

// lookKey is what is looked for.
type lookKey struct {
	ref     string
	refresh bool // whatever is at hand
}

// look is one look at the store for all who began to wait before it began, so that
// none of them sees less than what was there when it came.
type look struct {
	done chan struct{} // closed when the rest is set
	seen sight
	err  error
}

// see tells what a load begins with. Many callers at once take two looks, the one
// under way and the next.
func (l *Loader) see(ctx context.Context, req Request) (sight, error) {
	key := lookKey{ref: req.Ref, refresh: req.Refresh}
	l.mu.Lock()
	next, looks := l.looks[key]
	if next == nil {
		next = &look{done: make(chan struct{})}
		l.looks[key] = next
	}
	l.mu.Unlock()
	if !looks {
		go l.lookOn(context.WithoutCancel(ctx), key)
	}
	select {
	case <-next.done:
		return next.seen, next.err
	case <-ctx.Done():
		return sight{}, ctx.Err()
	}
}

// lookOn looks until nobody waits for another look.
func (l *Loader) lookOn(ctx context.Context, key lookKey) {
	for {
		runtime.Gosched() // who comes at the same moment is there then
		l.mu.Lock()
		next := l.looks[key]
		if next == nil {
			delete(l.looks, key)
			l.mu.Unlock()
			return
		}
		l.looks[key] = nil
		l.mu.Unlock()
		next.err = sources.Contain(l.Logger, "looking for an interface", func() (err error) {
			next.seen, err = l.look(ctx, key)
			return err
		})
		close(next.done)
	}
}

func (l *Loader) look(ctx context.Context, key lookKey) (sight, error) {
	rows, current, chosen, err := l.interfaces(ctx)
	if err != nil {
		return sight{}, err
	}
	s := sight{rows: rows, chosen: chosen, mode: l.storedMode()}
	if s.origin, err = l.named(ctx, rows, current, key.ref); err != nil {
		return sight{}, err
	}
	if !key.refresh || IsBuiltin(s.origin.URL) {
		s.content = l.fresh(ctx, s.origin.URL, s.mode)
	}
	return s, nil
}
