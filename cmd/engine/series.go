package engine

import (
	"context"

	"xship/sources"
	"xship/sources/ids"
)

// seriesFacts is what the id service knows of the series of an episode, where that is
// known beyond a guess. It is asked where what it answered is too old.
func (e *Engine) seriesFacts(ctx context.Context, t sources.Title) (f sources.TitleFacts, known bool) {
	service, err := e.ids.get()
	if err != nil {
		return f, false
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	f, err = service.Find(ctx, t, false)
	if err == nil && ids.Sure(t, f) {
		f, err = service.Details(ctx, f)
	}
	if err != nil {
		e.cfg.Logger.Debug("it is not known how a series goes on", "title", t.String(), "error", err)
	}
	return f, err == nil && ids.Sure(t, f) && len(f.Episodes) > 0
}

// storedSeries is seriesFacts without asking: what was answered before, however long ago.
func (e *Engine) storedSeries(ctx context.Context, t sources.Title) (f sources.TitleFacts, known bool) {
	service, err := e.ids.get()
	if err != nil {
		return f, false
	}
	f = service.Known(ctx, t)
	return f, ids.Sure(t, f) && len(f.Episodes) > 0
}
