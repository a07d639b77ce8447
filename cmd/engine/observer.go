package engine

import (
	"context"

	"xship/sources"
)

// observers tell one after the other.
type observers []sources.Observer

// newObserver tells the log of an Engine, and who else wants to be told.
func newObserver(c Config) sources.Observer {
	log := sources.EventLog{Logger: c.Logger}
	if c.Observer == nil {
		return log
	}
	return observers{log, c.Observer}
}

// Observe implements sources.Observer.
func (all observers) Observe(ctx context.Context, e sources.Event) {
	for _, o := range all {
		o.Observe(ctx, e)
	}
}
