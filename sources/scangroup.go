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
// cost one scan. Each hears its progress, from the state on that it finds, and waits
// for as long as its own Timeout says; the last one to leave ends it. The zero value
// is ready; it is safe for concurrent use.
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
	limit := OrDefault(s.Timeout, defaultScanTimeout)
	// Who needs all stored at the end, and who waits for no store, share no scan.
	key := fmt.Sprintf("%t %t %s %s", o.Refresh, s.Books == nil, t.Key(), iface.URL)
	f := g.join(ctx, key, s, t, iface, sites, o.Refresh)
	out := g.wait(ctx, limit, key, f, o.Progress)
	out.result.Sources = slices.Clone(out.result.Sources) // others may have the same
	return out.result, out.err
}

// wait tells progress, where it is not nil, how a scan goes, until that ends, or ctx,
// or the limit of the caller is over, which stands still while a user chooses.
func (g *ScanGroup) wait(ctx context.Context, limit time.Duration, key string, f *scanFlight, progress func(ScanProgress)) scanOutcome {
	began, before := time.Now(), f.run.pauses.total()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	var resumed <-chan struct{} // the clock, nil where it does not stand still
	var news <-chan ScanProgress
	if progress != nil {
		listener := f.run.progress.add()
		defer f.run.progress.remove(listener)
		news = listener
	}
	tell := func(p ScanProgress) {
		_ = Contain(f.run.Logger, "telling how a scan goes", func() error { // which logs it
			progress(p)
			return nil
		})
	}
	for {
		select {
		case p := <-news:
			tell(p)
		case <-f.done:
			select {
			case p := <-news: // the last of it
				tell(p)
			default:
			}
			g.leave(key, f, false)
			return f.scanOutcome
		case <-timer.C:
			stood, open := f.run.pauses.state()
			left := limit - time.Since(began) + stood - before
			switch resumed = open; {
			case open != nil:
			case left > 0:
				timer.Reset(left)
			default:
				return g.leave(key, f, false)
			}
		case <-resumed:
			resumed = nil
			timer.Reset(max(0, limit-time.Since(began)+f.run.pauses.total()-before))
		case <-ctx.Done():
			out := g.leave(key, f, true)
			out.err = ctx.Err()
			return out
		}
	}
}

// join gives the scan of key, which it starts where there is none.
func (g *ScanGroup) join(ctx context.Context, key string, s *Scanner, t Title, iface Interface, sites []Site, refresh bool) *scanFlight {
	g.mu.Lock()
	defer g.mu.Unlock()
	f := g.flights[key]
	if f == nil {
		f = g.start(ctx, key, s, t, iface, sites, refresh)
	}
	f.waiting++
	return f
}

// start starts a scan that goes on while somebody waits for it.
func (g *ScanGroup) start(ctx context.Context, key string, s *Scanner, t Title, iface Interface, sites []Site, refresh bool) *scanFlight {
	ctx, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	f := &scanFlight{run: s.newRun(t, iface, sites, refresh), stop: stop, done: make(chan struct{})}
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

// audience is everybody who wants to hear how a scan goes. Each has a channel of its
// own, which holds the latest that it has not heard: nobody waits for it to listen. An
// audience is told by one goroutine, and safe for concurrent use.
type audience struct {
	joined chan struct{} // that somebody is there who has heard nothing yet

	mu        sync.Mutex
	listeners []chan ScanProgress
}

func newAudience() *audience { return &audience{joined: make(chan struct{}, 1)} }

// add gives a new listener its channel.
func (a *audience) add() chan ScanProgress {
	a.mu.Lock()
	defer a.mu.Unlock()
	listener := make(chan ScanProgress, 1)
	a.listeners = append(a.listeners, listener)
	select {
	case a.joined <- struct{}{}:
	default:
	}
	return listener
}

func (a *audience) remove(listener chan ScanProgress) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.listeners = slices.DeleteFunc(a.listeners, func(l chan ScanProgress) bool { return l == listener })
}

// any tells whether somebody listens.
func (a *audience) any() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.listeners) > 0
}

// tell tells all of them.
func (a *audience) tell(p ScanProgress) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, listener := range a.listeners {
		select {
		case <-listener: // it is out of date
		default:
		}
		listener <- p
	}
}
