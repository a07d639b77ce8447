package sources

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// ScanGroup joins scans: callers who want one title of one interface at the same time
// cost one scan. Each hears its progress and waits for as long as its own Timeout
// says; the last one to leave ends it. The zero value is ready; it is safe for
// concurrent use.
type ScanGroup struct {
	mu      sync.Mutex
	flights map[string]*scanFlight
}

// scanFlight is a scan under way.
type scanFlight struct {
	run     *scanRun
	stop    context.CancelCauseFunc
	waiting int // callers
	done    chan struct{}
	scanOutcome
}

type scanOutcome struct {
	result ScanResult
	err    error
}

// peek is a caller that leaves a scan.
type peek struct {
	cancelled bool // by the user; else its time is over
	reply     chan<- scanOutcome
}

// errTimeUp ends a scan whose last caller has no time left.
var errTimeUp = errors.New("the time of the scan is over")

// wasCancelled tells whether a scan was ended by its users, and not by its time.
func wasCancelled(ctx context.Context) bool {
	return ctx.Err() != nil && !errors.Is(context.Cause(ctx), errTimeUp)
}

// Scan is Scanner.Scan for s, joined with those that are under way. Sites and
// everything else but Timeout is that of the first caller.
func (g *ScanGroup) Scan(ctx context.Context, s *Scanner, t Title, iface Interface, sites []Site, o ScanOptions) (ScanResult, error) {
	if err := t.Validate(); err != nil {
		return ScanResult{}, err
	}
	timer := time.NewTimer(OrDefault(s.Timeout, defaultScanTimeout))
	defer timer.Stop()
	// Who needs all stored at the end, and who waits for no store, share no scan.
	key := fmt.Sprintf("%t %t %s %s", o.Refresh, s.Books == nil, t.Key(), iface.URL)
	f, leave := g.join(ctx, key, s, t, iface, sites, o)
	var out scanOutcome
	select {
	case <-f.done:
		out = f.scanOutcome
		leave(false)
	case <-timer.C:
		out = leave(false)
	case <-ctx.Done():
		out = leave(true)
		out.err = ctx.Err()
	}
	out.result.Sources = slices.Clone(out.result.Sources) // others may have the same
	return out.result, out.err
}

// join gives the scan of key, which it starts where there is none, and how to leave
// it: that gives what has arrived.
func (g *ScanGroup) join(
	ctx context.Context, key string, s *Scanner, t Title, iface Interface, sites []Site, o ScanOptions,
) (f *scanFlight, leave func(cancelled bool) scanOutcome) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f = g.flights[key]
	if f == nil {
		f = g.start(ctx, key, s, t, iface, sites, o.Refresh)
	}
	f.waiting++
	mute := f.run.progress.add(o.Progress)
	return f, func(cancelled bool) scanOutcome {
		mute()
		return g.leave(key, f, cancelled)
	}
}

// start starts a scan that goes on while somebody waits for it.
func (g *ScanGroup) start(ctx context.Context, key string, s *Scanner, t Title, iface Interface, sites []Site, refresh bool) *scanFlight {
	ctx, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	f := &scanFlight{run: s.newRun(t, iface, sites, refresh, new(audience)), stop: stop, done: make(chan struct{})}
	if g.flights == nil {
		g.flights = make(map[string]*scanFlight)
	}
	g.flights[key] = f
	go func() {
		defer stop(nil)
		var result ScanResult
		err := Contain(s.Logger, "scanning", func() (err error) {
			result, err = f.run.run(ctx)
			return err
		}, "title", t.String())
		g.mu.Lock()
		defer g.mu.Unlock()
		f.scanOutcome = scanOutcome{result: result, err: err}
		if g.flights[key] == f {
			delete(g.flights, key)
		}
		close(f.done)
	}()
	return f
}

// leave gives a caller what has arrived. The last one ends the scan, and gets what it
// comes to.
func (g *ScanGroup) leave(key string, f *scanFlight, cancelled bool) scanOutcome {
	g.mu.Lock()
	f.waiting--
	last := f.waiting == 0
	if last && g.flights[key] == f {
		delete(g.flights, key)
	}
	g.mu.Unlock()
	if last {
		cause := errTimeUp
		if cancelled {
			cause = context.Canceled
		}
		f.stop(cause)
		<-f.done
		return f.scanOutcome
	}
	reply := make(chan scanOutcome, 1)
	select {
	case f.run.peeks <- peek{cancelled: cancelled, reply: reply}:
		return <-reply
	case <-f.done:
		return f.scanOutcome
	}
}

// audience is everybody who wants to hear how a scan goes. It is told by one
// goroutine, and safe for concurrent use.
type audience struct {
	mu        sync.Mutex
	listeners []*func(ScanProgress)
}

// add has listener told until mute is called; nil wants to hear nothing.
func (a *audience) add(listener func(ScanProgress)) (mute func()) {
	if listener == nil {
		return func() {}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.listeners = append(a.listeners, &listener)
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.listeners = slices.DeleteFunc(a.listeners, func(l *func(ScanProgress)) bool { return l == &listener })
	}
}

// any tells whether somebody listens.
func (a *audience) any() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.listeners) > 0
}

// tell tells all of them. None of them is told after it was muted.
func (a *audience) tell(p ScanProgress) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, listener := range a.listeners {
		(*listener)(p)
	}
}
