package sourcetest

import (
	"context"
	"slices"
	"sync"

	"xship/sources"
)

// Observed is an Observer that keeps what it is told. It is safe for concurrent use.
type Observed struct {
	mu     sync.Mutex
	events []sources.Event
}

// Observe implements sources.Observer.
func (o *Observed) Observe(_ context.Context, e sources.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.events = append(o.events, e)
}

// Events gives what was told, in its order.
func (o *Observed) Events() []sources.Event {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.events)
}

// EventsOf gives the events of one type that were told, in their order.
func EventsOf[E sources.Event](o *Observed) []E {
	var all []E
	for _, e := range o.Events() {
		if of, ok := e.(E); ok {
			all = append(all, of)
		}
	}
	return all
}
