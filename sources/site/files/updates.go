package files

import (
	"context"
	"sync"

	"xship/sources"
)

// Updates are the updates of indexes that searches began, one a root at a time. They are
// shared by all sites of a process, and go on when nobody waits for them any more, until
// Close.
type Updates struct {
	goOn bool // without anybody who waits

	mu      sync.Mutex
	running map[string]*update // by root
	closed  bool
	all     sync.WaitGroup
}

// update is one that is under way.
type update struct {
	waiting int // who does, valid under the lock
	cancel  context.CancelFunc
	done    chan struct{} // closed at its end
	err     error         // valid then
}

// NewUpdates makes an Updates.
func NewUpdates() *Updates { return &Updates{goOn: true, running: make(map[string]*update)} }

// Close ends the updates that run, waits until they have, and lets none begin any more.
// The index must be there till then. The error is nil.
func (u *Updates) Close() error {
	u.mu.Lock()
	u.closed = true
	for _, running := range u.running {
		running.cancel()
	}
	u.mu.Unlock()
	u.all.Wait()
	return nil
}

// join gives the update of root that runs, or begins it with do. Who no longer waits for
// it calls leave.
func (u *Updates) join(root string, do func(context.Context) error) (running *update, leave func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if running = u.running[root]; running == nil {
		running = u.begin(root, do)
	}
	running.waiting++
	return running, func() { u.leave(root, running) }
}

func (u *Updates) begin(root string, do func(context.Context) error) *update {
	ctx, cancel := context.WithCancel(context.Background())
	running := &update{cancel: cancel, done: make(chan struct{})}
	if u.closed {
		cancel()
		running.err = context.Canceled
		close(running.done)
		return running
	}
	u.running[root] = running
	u.all.Go(func() {
		defer cancel()
		running.err = sources.Contain(nil, "indexing files", func() error { return do(ctx) })
		u.mu.Lock()
		u.forget(root, running)
		u.mu.Unlock()
		close(running.done)
	})
	return running
}

func (u *Updates) leave(root string, running *update) {
	u.mu.Lock()
	running.waiting--
	last := running.waiting == 0 && !u.goOn
	if last {
		u.forget(root, running) // nobody joins what ends
	}
	u.mu.Unlock()
	if last {
		running.cancel()
		<-running.done
	}
}

// forget takes an update off those that run, under the lock.
func (u *Updates) forget(root string, running *update) {
	if u.running[root] == running {
		delete(u.running, root)
	}
}
