package files

import (
	"context"
	"sync"

	"xship/sources"
)

// Updates are the updates of indexes that searches began and do not wait for, one a root.
// They are shared by all sites of a process. A nil *Updates has none: each update ends
// with the search that began it.
type Updates struct {
	mu      sync.Mutex
	running map[string]*update // by root
	closed  bool
	ends    context.Context //nolint:containedctx // that of the process, not of a call
	end     context.CancelFunc
	wg      sync.WaitGroup
}

// update is one that is under way.
type update struct {
	done chan struct{} // closed at its end
	err  error         // valid then
}

// NewUpdates makes an Updates.
func NewUpdates() *Updates {
	ends, end := context.WithCancel(context.Background())
	return &Updates{running: make(map[string]*update), ends: ends, end: end}
}

// Close ends the updates that run, and waits until they have.
func (u *Updates) Close() {
	u.mu.Lock()
	u.closed = true
	u.mu.Unlock()
	u.end()
	u.wg.Wait()
}

// begin gives the update of root that runs, or begins it. leave is called by who no
// longer waits for it.
func (u *Updates) begin(ctx context.Context, root string, do func(context.Context) error) (running *update, leave func()) {
	if u == nil {
		ctx, cancel := context.WithCancel(ctx)
		running = start(ctx, do, func() {})
		return running, func() {
			cancel()
			<-running.done
		}
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if running = u.running[root]; running != nil {
		return running, func() {}
	}
	if u.closed {
		running = &update{done: make(chan struct{}), err: context.Canceled}
		close(running.done)
		return running, func() {}
	}
	u.wg.Add(1)
	running = start(u.ends, do, func() {
		u.mu.Lock()
		delete(u.running, root)
		u.mu.Unlock()
		u.wg.Done()
	})
	u.running[root] = running
	return running, func() {}
}

// start runs do and then ended.
func start(ctx context.Context, do func(context.Context) error, ended func()) *update {
	running := &update{done: make(chan struct{})}
	go func() {
		defer ended()
		defer close(running.done)
		running.err = sources.Contain(nil, "indexing files", func() error { return do(ctx) })
	}()
	return running
}
