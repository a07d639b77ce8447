package engine

import (
	"context"
	"maps"
	"slices"

	"xship/sources"
)

// Relist makes the list of the same scan again, by what is known now: where its sources
// were probed meanwhile this is the list that Play picks from, with its rows and their
// numbers. works holds the sources that are known to work, with their media, also where
// the store was not told yet.
func (e *Engine) Relist(ctx context.Context, l *List, works map[string]sources.MediaInfo) (*List, error) {
	ctx = context.WithoutCancel(ctx)
	wanted := e.listOptions()
	wanted.All, wanted.Served = l.Options.All, l.Options.Served
	scan := l.Scan
	scan.Sources = slices.Clone(l.found)
	stored := e.storedStates(ctx, l)
	for i := range scan.Sources {
		src := &scan.Sources[i]
		if now, ok := stored[src.ID]; ok {
			src.State, src.Needs = now.State, now.Needs
		}
		if _, ok := works[src.ID]; ok && src.State != sources.StateProbed {
			src.State, src.Needs = sources.StateProbed, ""
		}
	}
	again, err := e.newListOf(ctx, scan, wanted, works, nil) // what was hidden was logged with the first list
	if err == nil && l.hosters != nil {
		again.hosters, err = e.hostersByName(ctx)
	}
	return again, err
}

// storedStates gives the sources of a list as they are stored now, by their ID. Where
// that cannot be read they stay as they were.
func (e *Engine) storedStates(ctx context.Context, l *List) map[string]sources.Source {
	scan, err := e.cfg.Store.LoadScan(ctx, l.Interface.URL, l.Title)
	if err != nil {
		e.cfg.Logger.Warn("the list could not be read again", "title", l.Title.String(), "error", err)
	}
	if scan == nil {
		return nil
	}
	states := make(map[string]sources.Source)
	for _, answer := range scan.Answers {
		for _, src := range answer.Sources {
			states[src.ID] = src
		}
	}
	return states
}

// withMedia gives media with what works is known to hold, where that is not in it.
func withMedia(media, works map[string]sources.MediaInfo) map[string]sources.MediaInfo {
	if len(works) == 0 {
		return media
	}
	all := maps.Clone(works)
	maps.Copy(all, media)
	return all
}
