package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"xship/sources"
	"xship/sources/all"
	"xship/sources/release"
)

// Search asks the sites for titles of the name of req.Title, films and series, and makes
// the Scan whose Titles they are. It is a Scan of the film in all else. Sites that find
// nothing by a name are asked for the series of that name too, within the same time.
func (e *Engine) Search(ctx context.Context, req ScanRequest) (Scan, error) {
	req.Title = asMovie(req.Title)
	scan, err := e.Scan(ctx, req)
	resolving, unusable := e.resolving.get()
	if unusable != nil || ctx.Err() != nil || e.cfg.Now().After(scan.ListBy) {
		return scan, err
	}
	sites := all.Sites(e.logins.withoutStrangers(scan.loaded.Sites), resolving.sites)
	sites = slices.DeleteFunc(sites, func(s sources.Site) bool { return !s.Info().WantsIMDb })
	if len(sites) == 0 {
		return scan, err
	}
	first := req
	first.Title.Kind, first.Title.Season, first.Title.Episode, first.Choose = sources.KindEpisode, 1, 1, nil
	scanner := &sources.Scanner{ // which stores nothing: it is no scan of the whole interface
		Now: e.cfg.Now, Logger: e.cfg.Logger, Observer: e.observer, Describe: release.Describe, Likeness: likeness, Workers: e.cfg.Settings.Scan.Workers,
		Timeout: scan.ListBy.Sub(e.cfg.Now()), SiteTimeout: e.cfg.Settings.Scan.SiteTimeout, Facts: e.facts(first),
	}
	result, _ := scanner.Scan(ctx, first.Title, scan.Interface, sites, sources.ScanOptions{Refresh: req.Refresh}) // its reports say what failed
	scan.series = result.Facts
	scan.addSeen(result.Sites)
	if _, none := errors.AsType[*sources.NoAnswerError](err); none && slices.ContainsFunc(scan.Sites, func(r sources.SiteReport) bool { return r.Status.Answered() }) {
		err = nil
	}
	return scan, cmp.Or(err, ctx.Err())
}

// asMovie is t as it is asked for by its name alone.
func asMovie(t sources.Title) sources.Title {
	t.Kind, t.Season, t.Episode = sources.KindMovie, 0, 0
	return t
}

// addSeen adds what sites came across when they were asked once more. One that answered
// only then has done so.
func (s *Scan) addSeen(more []sources.SiteReport) {
	s.Sites = slices.Clone(s.Sites)
	for _, report := range more {
		for i := range s.Sites {
			if own := &s.Sites[i]; own.Key == report.Key {
				seen := slices.Concat(own.Seen, report.Seen)
				if !own.Status.Answered() && report.Status.Answered() {
					*own = report
				}
				own.Seen = seen
				break
			}
		}
	}
}
