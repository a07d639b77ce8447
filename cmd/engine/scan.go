package engine

import (
	"context"
	"time"

	"xship/cmd/engine/loader"
	"xship/sources"
	"xship/sources/all"
	"xship/sources/release"
)

// ScanRequest says how one title is scanned.
type ScanRequest struct {
	Title     sources.Title
	Interface string // URL, path or name of the one to use for this scan only, "" = the one in use
	Refresh   bool   // ask again, whatever the store has and whichever site rests
	Caller    loader.Caller
	// OfSeason is the season that is asked for of a series, Title, which is then of
	// KindMovie: a film of its name is no answer. nil: none is.
	OfSeason *int
	// Otherwise is what the user may have meant as well, and is asked for where nothing was
	// found; nil: nothing.
	Otherwise *Reading
	// After is the scan that this one goes on from, whose interface is taken as it is; nil:
	// none is.
	After *Scan
	// Again is called when Otherwise is asked for; nil: nobody wants to know.
	Again func()
	// Choose lets the user choose between titles that the name may mean, the best one
	// first, where a site wants to know which. ok is false where no choice was made. What
	// is chosen is kept, until Refresh asks again. nil: there is nobody to ask.
	Choose func(ctx context.Context, found []sources.TitleFacts) (chosen sources.TitleFacts, ok bool, err error)
	// Taken is told, once the scan is over, for what the title was taken where nobody
	// chose and it may mean another one; nil: nobody wants to know.
	Taken func(sources.TitleFacts)
	// Progress is told how the scan goes; before that, with nothing, that the interface
	// is loaded. nil: nobody.
	Progress func(sources.ScanProgress)
}

// GoOn is the request for another reading, after a scan that found nothing of the first.
func (r ScanRequest) GoOn(after *Scan, as Reading) ScanRequest {
	r.Title, r.OfSeason, r.Otherwise, r.After = as.Title, as.OfSeason, nil, after
	return r
}

// Scan is what a scan found.
type Scan struct {
	sources.ScanResult
	ListBy    time.Time // when the list has to be there, by scan.timeout
	OfSeason  *int      // the season that was asked for, nil: none was
	AskedAlso *Reading  // the other reading, which was asked for too, in vain; nil: none was

	at     time.Time           // of the scan
	loaded loader.Result       // of its interface
	series *sources.TitleFacts // of the series, where titles were searched for
	own    []sources.Sighting  // titles of the watchlist, where nothing else is near
}

// againAtLeast is what scan.timeout must have left for a title to be asked for in
// another reading.
const againAtLeast = time.Second

// Scan loads the interface and asks its sites for a title, all of it within
// scan.timeout. Hosters that are hidden although their block has ended are tested
// meanwhile. Those who want one title of one interface at the same time share a
// scan. With the error of ctx, and with a *sources.NoAnswerError, what has arrived is
// given all the same.
//
// Where that finds nothing, the other reading of what the user typed is asked for, if
// there is one and scan.timeout leaves time for it. The Scan is that of the reading that
// found something, or something near, and else the first.
func (e *Engine) Scan(ctx context.Context, req ScanRequest) (Scan, error) {
	scan, err := e.scanOnce(ctx, req, e.cfg.Now())
	if err == nil && req.Otherwise != nil && scan.missed() && scan.ListBy.Sub(e.cfg.Now()) >= againAtLeast {
		scan, err = e.scanAgain(ctx, req, scan)
	}
	if req.Taken != nil && guessed(scan.Title, scan.Facts) {
		req.Taken(*scan.Facts)
	}
	return scan, err
}

// scanAgain asks for the other reading of a request, of which the first found nothing.
func (e *Engine) scanAgain(ctx context.Context, req ScanRequest, first Scan) (Scan, error) {
	if req.Again != nil {
		req.Again()
	}
	first.AskedAlso = req.Otherwise
	second, err := e.scanOnce(ctx, req.GoOn(&first, *req.Otherwise), first.ListBy.Add(-e.cfg.Settings.Scan.Timeout))
	switch {
	case ctx.Err() != nil:
		return second, err
	case len(second.Sources) > 0:
		return second, err
	case err != nil, len(first.Series()) > 0 && (second.OfSeason == nil || second.missed()):
		return first, nil //nolint:nilerr // the sites that answered at first do count, and a series that lacks a season is told
	case !second.missed(), len(second.Near()) > 0, len(first.Near()) == 0 && second.OfSeason != first.OfSeason:
		// Of two that found nothing the one is told that has the words as typed.
		second.AskedAlso = &Reading{Title: first.Title, OfSeason: first.OfSeason}
		return second, nil
	default:
		return first, nil
	}
}

// scanOnce is Scan for one reading, within what scan.timeout has left since started.
func (e *Engine) scanOnce(ctx context.Context, req ScanRequest, started time.Time) (Scan, error) {
	if err := e.prepare(); err != nil {
		return Scan{}, err
	}
	timeout := e.cfg.Settings.Scan.Timeout
	looked := e.beginFirstTest(ctx)
	loaded, err := e.interfaceFor(ctx, req, timeout)
	if err != nil {
		return Scan{}, err
	}
	first := <-looked
	first.seeStored(ctx, loaded.Interface.URL, req.Title)
	req.Progress = first.progress(req.Progress)
	result, err := e.scanLoaded(ctx, loaded, started, req, e.books)
	scan := Scan{ScanResult: result, ListBy: started.Add(timeout + loaded.Waited + result.Waited), OfSeason: req.OfSeason, at: started, loaded: loaded}
	if req.OfSeason != nil { // of which no film is an answer
		scan.Sources = nil
	}
	first.wait(ctx, scan.Sources, min(firstTestWait, scan.ListBy.Sub(e.cfg.Now())))
	scan.own = e.nearOnWatchlist(ctx, &scan)
	if err == nil {
		err = ctx.Err()
	}
	return scan, err
}

// interfaceFor loads the interface of a scan, or gives that of the scan it goes on from.
func (e *Engine) interfaceFor(ctx context.Context, req ScanRequest, limit time.Duration) (loader.Result, error) {
	if req.After != nil {
		loaded := req.After.loaded
		loaded.Waited = 0
		return loaded, nil
	}
	interfaces, err := e.loader.get()
	if err != nil {
		return loader.Result{}, err
	}
	return interfaces.Load(ctx, loader.Request{Ref: req.Interface, Refresh: req.Refresh, Limit: limit, Caller: req.Caller})
}

// scanLoaded asks the sites of a loaded interface for a title, within what
// scan.timeout has left since started. Without books all is stored when it returns.
func (e *Engine) scanLoaded(
	ctx context.Context, loaded loader.Result, started time.Time, req ScanRequest, books *sources.Bookkeeper,
) (sources.ScanResult, error) {
	resolving, err := e.resolving.get()
	if err != nil {
		return sources.ScanResult{}, err
	}
	if req.Progress != nil {
		req.Progress(sources.ScanProgress{})
	}
	s := e.cfg.Settings.Scan
	scanner := &sources.Scanner{
		Store: e.cfg.Store, Books: books, Now: e.cfg.Now, Logger: e.cfg.Logger, Observer: e.observer, Describe: release.Describe, Likeness: likeness,
		Workers: s.Workers, Timeout: timeLeft(s.Timeout, e.cfg.Now().Sub(started), loaded.Waited), SiteTimeout: s.SiteTimeout, CacheTTL: s.CacheTTL,
		Facts: e.facts(req), Choose: e.choose(ctx, req),
	}
	sites := all.Sites(e.logins.withoutStrangers(loaded.Sites), resolving.sites)
	result, err := e.scans.Scan(ctx, scanner, req.Title, loaded.Interface, sites, sources.ScanOptions{
		Refresh: req.Refresh, Progress: req.Progress,
	})
	if result.Facts == nil {
		result.Facts = e.knownFacts(context.WithoutCancel(ctx), req.Title, sites)
	}
	if guessed(req.Title, result.Facts) {
		e.cfg.Logger.Debug("a title is taken for the best match of its name", "title", req.Title.String(), "imdb", result.Facts.IMDb)
	}
	result.FailedOverFrom = loaded.FailedOverFrom
	return result, err
}

// timeLeft is what a scan has left of its time after its interface was loaded. The
// time that the user took to choose is not the scan's.
func timeLeft(limit, elapsed, waited time.Duration) time.Duration {
	return max(limit-max(elapsed-waited, 0), time.Nanosecond) // 0 would be the scanner's default
}

// AskedSiteTypes are the types of sites that xship can ask.
func AskedSiteTypes() []string { return all.AskedTypes() }
