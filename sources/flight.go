package sources

import (
	"context"
	"errors"
	"sync"
	"time"
)

// rememberFailure is how long a failed resolve answers the same question.
const rememberFailure = 5 * time.Second

// leaveTime bounds the wait for a cancelled flight.
const leaveTime = time.Second

// flightGroup makes concurrent calls with one key a single flight, and
// remembers failures for a while. A flight goes on while somebody waits for it
// and is cancelled when the last one leaves.
type flightGroup struct {
	mu       sync.Mutex
	flights  map[string]*flight
	failures map[string]failure
}

type flight struct {
	waiting int
	cancel  context.CancelFunc
	done    chan struct{}
	stream  Stream
	err     error
}

type failure struct {
	err   error
	until time.Time
}

func (g *flightGroup) do(ctx context.Context, key string, now func() time.Time, fn func(context.Context) (Stream, error)) (Stream, error) {
	f, err := g.join(ctx, key, now, fn)
	if err != nil {
		return Stream{}, err
	}
	select {
	case <-f.done:
		return f.stream, f.err
	case <-ctx.Done():
		g.leave(key, f)
		return Stream{}, ctx.Err()
	}
}

// join gives the flight of key, starting it where there is none, or the
// failure that is remembered.
func (g *flightGroup) join(ctx context.Context, key string, now func() time.Time, fn func(context.Context) (Stream, error)) (*flight, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if f, ok := g.flights[key]; ok {
		f.waiting++
		return f, nil
	}
	at := now()
	for k, failed := range g.failures {
		if !at.Before(failed.until) {
			delete(g.failures, k)
		}
	}
	if failed, ok := g.failures[key]; ok {
		return nil, failed.err
	}
	flightCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	f := &flight{waiting: 1, cancel: cancel, done: make(chan struct{})}
	if g.flights == nil {
		g.flights, g.failures = make(map[string]*flight), make(map[string]failure)
	}
	g.flights[key] = f
	go func() {
		defer cancel()
		stream, err := fn(flightCtx) // on a goroutine of its own, where nobody would catch a panic
		g.mu.Lock()
		defer g.mu.Unlock()
		f.stream, f.err = stream, err
		if g.flights[key] == f {
			delete(g.flights, key)
		}
		if err != nil && ClassOf(err) != ClassCancelled && !errors.Is(err, ErrHosterResting) && !WasSkipped(err) {
			g.failures[key] = failure{err: err, until: now().Add(rememberFailure)}
		}
		close(f.done)
	}()
	return f, nil
}

// leave gives up waiting for f. The last one to leave cancels it, makes room
// for a new flight at once, and lets this one end and report, within
// leaveTime.
func (g *flightGroup) leave(key string, f *flight) {
	g.mu.Lock()
	f.waiting--
	last := f.waiting == 0
	if last && g.flights[key] == f {
		delete(g.flights, key)
	}
	g.mu.Unlock()
	if !last {
		return
	}
	f.cancel()
	timer := time.NewTimer(leaveTime)
	defer timer.Stop()
	select {
	case <-f.done:
	case <-timer.C:
	}
}
