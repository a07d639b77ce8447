package fetch

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
)

const (
	// maxPauses bounds what is remembered of hosts that asked for a pause.
	maxPauses = 1024
	// A Retry-After counts for at least and at most so long.
	minPause = time.Second
	maxPause = 5 * time.Minute
)

// hosts bounds the requests that one host gets at once, and remembers which
// hosts asked for a pause. A host is told apart by name and port.
type hosts struct {
	now     func() time.Time
	perHost int

	mu     sync.Mutex
	queues map[string]*queue // of hosts that have requests now
	pauses map[string]pause
}

type queue struct {
	slots chan struct{}
	users int // holding a slot or waiting for one
}

// pause is a host's wish to be left alone.
type pause struct {
	until  time.Time
	status int // of the answer that asked for it
}

// pauseError is a request that was not made because its host asked for a pause.
type pauseError struct {
	left   time.Duration
	status int
}

func (e *pauseError) Error() string {
	return fmt.Sprintf("not asked: the host answered %s a moment ago and wants no request for another %s", statusText(e.status), e.left)
}

// busyError is a request that was not made because the host was busy with our
// own ones until the caller's time was over.
type busyError struct {
	limit int
	err   error // of the context
}

func (e *busyError) Error() string {
	return fmt.Sprintf("not asked: the %d requests that a host gets at once were still under way", e.limit)
}

func (e *busyError) Unwrap() error { return e.err }

func newHosts(perHost int, now func() time.Time) *hosts {
	return &hosts{now: now, perHost: perHost, queues: make(map[string]*queue), pauses: make(map[string]pause)}
}

// enter waits until host may get one more request, and refuses where it asked
// for a pause. leave must be called when its answer has been read. The error is
// a *pauseError or a *busyError.
func (h *hosts) enter(ctx context.Context, host string) (leave func(), err error) {
	if err := h.paused(host); err != nil {
		return nil, err
	}
	if leave, err = h.wait(ctx, host); err != nil {
		return nil, err
	}
	if err := h.paused(host); err != nil { // asked for while this request waited
		leave()
		return nil, err
	}
	return leave, nil
}

// wait is enter for requests that no pause stops. The error is a *busyError.
func (h *hosts) wait(ctx context.Context, host string) (leave func(), err error) {
	host = strings.ToLower(host)
	q := h.join(host)
	select {
	case q.slots <- struct{}{}:
	case <-ctx.Done():
		h.quit(host, q)
		return nil, &busyError{limit: h.perHost, err: ctx.Err()}
	}
	return sync.OnceFunc(func() {
		<-q.slots
		h.quit(host, q)
	}), nil
}

func (h *hosts) join(host string) *queue {
	h.mu.Lock()
	defer h.mu.Unlock()
	q := h.queues[host]
	if q == nil {
		q = &queue{slots: make(chan struct{}, h.perHost)}
		h.queues[host] = q
	}
	q.users++
	return q
}

func (h *hosts) quit(host string, q *queue) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if q.users--; q.users == 0 {
		delete(h.queues, host)
	}
}

func (h *hosts) paused(host string) error {
	host = strings.ToLower(host)
	h.mu.Lock()
	defer h.mu.Unlock()
	p, ok := h.pauses[host]
	if !ok {
		return nil
	}
	left := p.until.Sub(h.now())
	if left <= 0 || left > maxPause { // over, or the clock was set back
		delete(h.pauses, host)
		return nil
	}
	return &pauseError{left: left.Round(time.Second), status: p.status}
}

// rest remembers that host asked for a pause. Pauses only grow.
func (h *hosts) rest(host string, d time.Duration, status int) {
	host = strings.ToLower(host)
	h.mu.Lock()
	defer h.mu.Unlock()
	until := h.now().Add(d)
	if p, ok := h.pauses[host]; ok && p.until.After(until) {
		return
	}
	if len(h.pauses) >= maxPauses {
		h.evict()
	}
	h.pauses[host] = pause{until: until, status: status}
}

// evict forgets the pauses that are over, or else the one that ends first.
func (h *hosts) evict() {
	now := h.now()
	first := ""
	for host, p := range h.pauses {
		if !p.until.After(now) {
			delete(h.pauses, host)
		} else if first == "" || p.until.Before(h.pauses[first].until) {
			first = host
		}
	}
	if len(h.pauses) >= maxPauses {
		delete(h.pauses, first)
	}
}
