package loader

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"xship/sources"
)

const (
	// closeTime is how long Close waits for what is still to be recorded.
	closeTime = 250 * time.Millisecond
	// maxEntries bounds what waits to be recorded: more comes only where the store
	// takes nothing.
	maxEntries = 256
	// useEvery is how often the use of an interface is recorded at most.
	useEvery = time.Minute
)

// books are what a Loader records in the store, one entry after the other, in the
// background: nobody who loads an interface waits for a store that others hold.
type books struct {
	logger  *slog.Logger
	mu      sync.Mutex
	entries []func(ctx context.Context)
	idle    chan struct{}      // closed once all is recorded, nil where nothing is under way
	giveUp  context.CancelFunc // ends what is under way
	configs map[string]*sources.StoredConfig
	used    map[string]time.Time
}

// add records an entry when those before it are. It is false where too many wait.
func (b *books) add(ctx context.Context, entry func(ctx context.Context)) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.entries) >= maxEntries {
		return false
	}
	b.entries = append(b.entries, entry)
	if b.idle != nil {
		return true
	}
	ctx, b.giveUp = context.WithCancel(context.WithoutCancel(ctx))
	b.idle = make(chan struct{})
	go b.write(ctx, b.giveUp)
	return true
}

// write records what waits, until that is nothing.
func (b *books) write(ctx context.Context, cancel context.CancelFunc) {
	defer cancel()
	for {
		b.mu.Lock()
		if len(b.entries) == 0 {
			close(b.idle)
			b.idle = nil
			b.mu.Unlock()
			return
		}
		entry := b.entries[0]
		b.entries = b.entries[1:]
		b.mu.Unlock()
		_ = sources.Contain(b.logger, "recording what was loaded", func() error { // which logs it
			entry(ctx)
			return nil
		})
	}
}

// settle waits until all is recorded, or for ctx, whose error it gives.
func (b *books) settle(ctx context.Context) error {
	for {
		b.mu.Lock()
		idle := b.idle
		b.mu.Unlock()
		if idle == nil {
			return nil
		}
		select {
		case <-idle:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// close settles the books, and gives up on what takes longer than closeTime. It waits
// no longer than another moment for that to end.
func (b *books) close() {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	if b.settle(ctx) == nil {
		return
	}
	b.mu.Lock()
	b.entries = nil
	b.giveUp()
	b.mu.Unlock()
	ctx, cancel = context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	_ = b.settle(ctx)
}

// putConfig records what an address answered; until that is done, config gives it.
func (b *books) putConfig(ctx context.Context, url string, c sources.StoredConfig, put func(ctx context.Context)) {
	b.mu.Lock()
	if b.configs == nil {
		b.configs = make(map[string]*sources.StoredConfig)
	}
	entry := &c
	b.configs[url] = entry
	b.mu.Unlock()
	recorded := func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.configs[url] == entry {
			delete(b.configs, url)
		}
	}
	added := b.add(ctx, func(ctx context.Context) {
		put(ctx)
		recorded()
	})
	if !added {
		recorded()
	}
}

// config is what an address answered where that is still to be recorded, else nil.
func (b *books) config(url string) *sources.StoredConfig {
	b.mu.Lock()
	defer b.mu.Unlock()
	c, ok := b.configs[url]
	if !ok {
		return nil
	}
	given := *c
	return &given
}

// using tells whether the use of an interface at the given time is to be recorded,
// and takes note of it; before is what the store knows of its last use.
func (b *books) using(url string, at, before time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, last := range []time.Time{before, b.used[url]} {
		if since := at.Sub(last); since >= 0 && since < useEvery {
			return false
		}
	}
	if b.used == nil {
		b.used = make(map[string]time.Time)
	}
	b.used[url] = at
	return true
}
