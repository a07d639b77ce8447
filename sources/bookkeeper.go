package sources

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"
)

const (
	// bookWait is how long an answer waits for a write that is no part of it: long
	// enough that what follows sees it, unless the store is locked.
	bookWait = 250 * time.Millisecond
	// bookFlush is how long Close waits for the writes left behind.
	bookFlush = 250 * time.Millisecond
	// maxBehind bounds the writes that are left behind at once.
	maxBehind = 64
	// maxInTurn bounds the writes that wait for their turn.
	maxInTurn = 256
)

// Bookkeeper makes the writes that an answer does not depend on: how interfaces and
// sites fared, what was found, which streams work. An answer waits a moment for one. A
// write that takes longer, because somebody else has the store locked, goes on behind
// it within its own limit; and while one is behind, nothing waits for further ones.
// For those that are made in turn nothing waits at all.
//
// A nil Bookkeeper waits for each write as long as the caller's context lives, and to
// the limit of the write after that. It is safe for concurrent use.
type Bookkeeper struct {
	Logger *slog.Logger // of bugs in writes; nil: silent

	mu      sync.Mutex
	running map[*bookEntry]struct{}
	behind  int
	inTurn  int
	last    *bookEntry // of those in turn; nil: there is none
	closed  bool
}

// bookEntry is one write under way.
type bookEntry struct {
	cancel  context.CancelFunc
	done    chan struct{}
	lasting bool
	behind  bool
	inTurn  bool
}

// Write makes a write within limit, whether ctx ends or not. The caller waits for it
// as long as wait allows, and never longer than a moment. One that is still under way
// when the Bookkeeper is closed is lost.
func (b *Bookkeeper) Write(ctx context.Context, wait, limit time.Duration, write func(context.Context)) {
	b.do(ctx, wait, limit, false, write)
}

// Keep is Write for what must not be lost: Close waits for it to the end of its limit.
func (b *Bookkeeper) Keep(ctx context.Context, wait, limit time.Duration, write func(context.Context)) {
	b.do(ctx, wait, limit, true, write)
}

// InTurn makes a write behind its answer: when those made in turn before are done, and
// within limit from then on. It tells whether it does, which is not so where too many
// wait, nor once the Bookkeeper is closed. One that is not done then is lost.
func (b *Bookkeeper) InTurn(ctx context.Context, limit time.Duration, write func(context.Context)) bool {
	if b == nil {
		b.do(ctx, 0, limit, false, write)
		return true
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	entry := &bookEntry{cancel: cancel, done: make(chan struct{}), inTurn: true}
	before, ok := b.queue(entry)
	if !ok {
		cancel()
		return false
	}
	go b.run(ctx, entry, func(ctx context.Context) {
		if before != nil {
			<-before.done
		}
		if ctx.Err() != nil { // broken off before its turn
			return
		}
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		write(ctx)
	})
	return true
}

// Wait waits for the writes that are made in turn, or for ctx, whose error it gives.
func (b *Bookkeeper) Wait(ctx context.Context) error {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	last := b.last
	b.mu.Unlock()
	if last == nil {
		return nil
	}
	select {
	case <-last.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Bound gives ctx the end of the moment that an answer waits for a store, for what
// cannot be made behind it.
func (b *Bookkeeper) Bound(ctx context.Context) (context.Context, context.CancelFunc) {
	if b == nil {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, bookWait)
}

func (b *Bookkeeper) do(ctx context.Context, wait, limit time.Duration, lasting bool, write func(context.Context)) {
	if b == nil {
		ctx, cancel := outliving(ctx, limit)
		defer cancel()
		write(ctx)
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	entry := &bookEntry{cancel: cancel, done: make(chan struct{}), lasting: lasting}
	overdue, ok := b.begin(entry)
	if !ok { // closed, or too many are behind
		defer cancel()
		if !lasting {
			ctx, cancel = context.WithTimeout(ctx, bookWait)
			defer cancel()
		}
		write(ctx)
		return
	}
	go b.run(ctx, entry, write)
	if wait = min(wait, bookWait); overdue {
		wait = 0
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-entry.done:
	case <-timer.C:
		b.leave(entry)
	}
}

// run makes a write that was noted.
func (b *Bookkeeper) run(ctx context.Context, entry *bookEntry, write func(context.Context)) {
	defer close(entry.done)
	defer b.end(entry)
	defer entry.cancel()
	_ = Contain(b.Logger, "writing to the store", func() error { // which logs it
		write(ctx)
		return nil
	})
}

// outliving gives a context that ends as long after ctx as d says.
func outliving(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	lasting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel()
		case <-lasting.Done():
		}
	})
	return lasting, func() {
		stop()
		cancel()
	}
}

// begin notes a write; overdue tells whether another one is behind its answer.
func (b *Bookkeeper) begin(entry *bookEntry) (overdue, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || b.behind >= maxBehind {
		return false, false
	}
	b.note(entry)
	return b.behind > 0, true
}

// queue notes a write that is made in turn; before is the one that it waits for.
func (b *Bookkeeper) queue(entry *bookEntry) (before *bookEntry, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || b.inTurn >= maxInTurn {
		return nil, false
	}
	b.note(entry)
	b.inTurn++
	before, b.last = b.last, entry
	return before, true
}

func (b *Bookkeeper) note(entry *bookEntry) {
	if b.running == nil {
		b.running = make(map[*bookEntry]struct{})
	}
	b.running[entry] = struct{}{}
}

// leave notes that nobody waits for a write any more.
func (b *Bookkeeper) leave(entry *bookEntry) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, running := b.running[entry]; running {
		entry.behind = true
		b.behind++
	}
}

func (b *Bookkeeper) end(entry *bookEntry) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.running, entry)
	if entry.behind {
		b.behind--
	}
	if entry.inTurn {
		b.inTurn--
	}
	if b.last == entry {
		b.last = nil
	}
}

// Close waits a moment for the writes left behind and breaks off those that are not
// done then, but for those to be kept. It waits no longer than another moment for a
// write to heed that.
func (b *Bookkeeper) Close() error {
	b.mu.Lock()
	b.closed = true
	left := slices.Collect(maps.Keys(b.running))
	b.mu.Unlock()
	await(left, time.After(bookFlush))
	for _, entry := range left {
		if !entry.lasting {
			entry.cancel()
		}
	}
	for _, entry := range left {
		if entry.lasting {
			<-entry.done
		}
	}
	await(left, time.After(bookFlush))
	return nil
}

// await waits until all entries are done, or for the end of the time.
func await(entries []*bookEntry, over <-chan time.Time) {
	for _, entry := range entries {
		select {
		case <-entry.done:
		case <-over:
			return
		}
	}
}
