package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"xship/sources"
	"xship/sources/text"
)

// PlayRequest says what is played, and for whom.
type PlayRequest struct {
	ScanRequest
	Pick    int    // row of the list to begin with, 0 = the first
	Source  string // id of the source to begin with, listed or not; "" = that of Pick
	Trailer bool   // a trailer in place of the title
	User    int64  // whose accounts serve links
	// Resolving is called when the list is there; what it gives is called when a stream
	// was found, or none. nil: nobody is told.
	Resolving func() (ended func())
	// Unlocking is told each provider that is called meanwhile, see
	// sources.ResolveOptions.
	Unlocking func(provider string) (ended func())
}

// Played is a stream that plays, and how it was found. Its headers are for the player
// alone: they may hold a login.
type Played struct {
	Stream  sources.Stream
	Login   bool // the headers hold a login of the user's
	Source  sources.Listed
	Row     int                     // of Source in the list, 0 where it is not in it
	Media   *sources.MediaInfo      // nil where it is not known
	Tried   []Tried                 // before, in vain
	Resting []*sources.SkippedError // the accounts of the user that are not asked now
	Series  []SeenSeries            // of the same name, of which an episode may have been meant
}

// Tried is a source that did not play.
type Tried struct {
	sources.Tried
	Row int // in the list, 0 where it is not in it
}

// Play scans for a title and gives the first stream that works: of the list, from the
// row that was picked on, and behind it of links to web pages where these may be
// resolved. The episode after one that plays joins the watchlist.
//
// Where nothing plays the error is a *NothingPlayableError; Tried and Resting tell
// why. It is that of Scan where there is nothing to choose from.
func (e *Engine) Play(ctx context.Context, req PlayRequest) (Played, error) {
	scan, err := e.Scan(ctx, req.ScanRequest)
	if err != nil && (ctx.Err() != nil || len(scan.Sources) == 0) {
		return Played{}, err
	}
	list, servedKnown, err := e.playlist(ctx, scan, req)
	if err != nil {
		return Played{}, err
	}
	resolving, err := e.resolving.get()
	if err != nil {
		return Played{}, err
	}
	queue, start, err := list.queue(req, resolving.pages || !servedKnown)
	if err != nil {
		return Played{Resting: e.Resting(ctx, req.User)}, err
	}
	played, err := e.playFrom(ctx, list, queue, start, req)
	if err == nil {
		e.WatchNextEpisode(ctx, list.Title)
	}
	played.Series = list.Series()
	return played, err
}

// playlist is the list of a scan as Play takes it. servedKnown is false where a
// provider may serve more than is known.
func (e *Engine) playlist(ctx context.Context, scan Scan, req PlayRequest) (list *List, servedKnown bool, err error) {
	scan.Sources = trailersOr(scan.Sources, req.Trailer)
	wanted := e.listOptions()
	if req.Trailer { // which is as short as it should be
		scan.Facts, wanted.MinSize = nil, 0
	}
	wanted.Served, servedKnown = e.served(ctx, req.User, scan)
	list, err = e.newList(ctx, scan, wanted)
	return list, servedKnown, err
}

// playFrom resolves the first source of queue that works, from start on.
func (e *Engine) playFrom(ctx context.Context, list *List, queue []sources.Source, start int, req PlayRequest) (Played, error) {
	stream, at, tried, err := e.resolveFirst(ctx, queue, start, req)
	if failed, ok := errors.AsType[*sources.NothingPlaysError](err); ok {
		tried = failed.Tried
	}
	played := Played{Tried: make([]Tried, 0, len(tried)), Resting: e.Resting(ctx, req.User)}
	for _, t := range tried {
		played.Tried = append(played.Tried, Tried{Tried: t, Row: list.Row(t.Source.ID)})
	}
	if err != nil {
		return played, playVerdict(list.Title, err)
	}
	chosen := queue[at]
	played.Row = list.Row(chosen.ID)
	played.Stream, played.Login = e.logins.forPlayer(chosen, stream)
	chosen.State, chosen.Needs = sources.StateResolved, ""
	if media, err := e.cfg.Store.SourceMediaInfo(ctx, []string{chosen.ID}); err == nil { // it plays without
		if m, ok := media[chosen.ID]; ok {
			played.Media, chosen.State = &m, sources.StateProbed
		}
	}
	played.Source = sources.Listed{Source: chosen, Healthy: list.Health.Lists(&chosen)}
	return played, nil
}

func (e *Engine) resolveFirst(ctx context.Context, queue []sources.Source, start int, req PlayRequest) (sources.Stream, int, []sources.Tried, error) {
	resolving, err := e.resolving.get()
	if err != nil {
		return sources.Stream{}, 0, nil, err
	}
	if req.Resolving != nil {
		defer req.Resolving()()
	}
	ctx, end := e.holdFails(ctx, resolving.streams.Attempts, 1)
	defer end()
	return sources.Resolve(ctx, resolving.streams, queue, start, sources.ResolveOptions{User: req.User, Unlocking: req.Unlocking})
}

// trailersOr gives the trailers of a scan, as sources like any other, or all
// that are none.
func trailersOr(all []sources.Source, trailers bool) []sources.Source {
	kept := make([]sources.Source, 0, len(all))
	for _, src := range all {
		if src.Trailer == trailers {
			src.Trailer = false
			kept = append(kept, src)
		}
	}
	return kept
}

// queue gives the sources to try, those listed and behind them links to web pages
// where these may be resolved, and where to begin.
func (l *List) queue(req PlayRequest, pages bool) (queue []sources.Source, start int, err error) {
	for _, src := range l.Listing.Sources {
		queue = append(queue, src.Source)
	}
	if pages {
		for _, src := range l.Sources {
			if src.Unplayable != "" && src.State != sources.StateDead && l.Health.Lists(&src) {
				queue = append(queue, src)
			}
		}
	}
	switch {
	case req.Source != "":
		return l.chosenFirst(queue, req.Source)
	case req.Pick > len(l.Listing.Sources) && len(queue) > 0:
		return nil, 0, &NothingPlayableError{
			Text: fmt.Sprintf("there is no row %d for %s: the list has %s", req.Pick, l.Title, text.Plural(len(l.Listing.Sources), "row")),
			Hint: "xship scan shows the list",
		}
	case len(queue) == 0:
		return nil, 0, l.nothingToPlay(req.Trailer)
	}
	return queue, max(req.Pick, 1) - 1, nil
}

// nothingToPlay is the error of a list that holds nothing to try.
func (l *List) nothingToPlay(trailer bool) error {
	if err := l.verdict("xship scan TITLE --all -o tsv lists them with their ids"); err != nil {
		return err
	}
	what := "nothing found"
	if trailer {
		what = "no trailer found"
	}
	err := &NothingPlayableError{Text: fmt.Sprintf("%s for %s", what, l.Asked()), Hint: cmp.Or(l.YearHint(), "try another spelling, --year or --alias")}
	if !trailer {
		err.Meant, err.Hint = &l.Scan, cmp.Or(l.meantHint("play"), err.Hint)
		if series := l.Series(); len(series) > 0 && l.Title.Kind == sources.KindMovie {
			err.Text = text.Clean(series[0].Name) + " is a series: name an episode to play"
		}
	}
	return err
}

// chosenFirst finds where the queue has the source with the given id. One that is
// not listed comes at the front, in place of those that stand before it.
func (l *List) chosenFirst(queue []sources.Source, id string) ([]sources.Source, int, error) {
	is := func(src sources.Source) bool { return src.ID == id }
	if i := slices.IndexFunc(queue, is); i >= 0 {
		return queue, i, nil
	}
	at := slices.IndexFunc(l.Sources, is)
	if at < 0 {
		return nil, 0, &NothingPlayableError{
			Text: fmt.Sprintf("%s has no source with the id %q", l.Title, id),
			Hint: "xship scan -o tsv shows the ids",
		}
	}
	below := make(map[string]bool)
	for _, src := range l.Sources[at:] {
		below[src.ID] = true
	}
	chosen := []sources.Source{l.Sources[at]}
	for _, src := range queue {
		if below[src.ID] {
			chosen = append(chosen, src)
		}
	}
	return chosen, 0, nil
}

// playVerdict is the error of a list of which nothing plays.
func playVerdict(title sources.Title, err error) error {
	failed, ok := errors.AsType[*sources.NothingPlaysError](err)
	if !ok {
		return err
	}
	tried := failed.Tried
	wait, all := soonest(tried)
	switch {
	case all && onlyOf(tried, sources.ClassProviderCooling, sources.ClassProviderQuota):
		return &NothingPlayableError{
			Text: fmt.Sprintf("nothing plays for %s now: every provider is resting, the first one for %d s more", title, text.WholeSeconds(wait)),
			Hint: "try again then; xship cooldowns list and xship accounts list tell why, xship cooldowns clear ends it",
		}
	case onlyOf(tried, sources.ClassProviderHoster),
		all && onlyOf(tried, sources.ClassProviderCooling, sources.ClassProviderQuota, sources.ClassProviderHoster):
		again := ""
		if wait > 0 {
			again = fmt.Sprintf(", the first one again in %d s", text.WholeSeconds(wait))
		}
		return &NothingPlayableError{
			Text: fmt.Sprintf("nothing plays for %s now: no provider can serve these hosters now%s", title, again),
			Hint: "try again then; xship cooldowns list tells why, xship cooldowns clear ends it",
		}
	case onlyOf(tried, sources.ClassProviderCooling, sources.ClassProviderQuota, sources.ClassProviderHoster, sources.ClassProviderAuth, sources.ClassProviderItem):
		return &NothingPlayableError{
			Text: fmt.Sprintf("nothing plays for %s: %s could not be unlocked: %s", title, text.Plural(len(tried), "source"), tried[0].Error),
			Hint: "xship accounts list tells how the accounts are",
		}
	case onlyOf(tried, sources.ClassUnsupported) && !slices.ContainsFunc(tried, func(t sources.Tried) bool { return !t.Message }):
		return &NothingPlayableError{
			Text: fmt.Sprintf("nothing plays for %s: %s told why there is no film: %s", title, text.Plural(len(tried), "source"), tried[0].Error),
			Hint: "see how the account is that the add-on uses, or configure the add-on again and add the link that its page gives",
		}
	case onlyOf(tried, sources.ClassUnsupported) && onlyOwn(tried):
		return &NothingPlayableError{
			Text: fmt.Sprintf("nothing plays for %s: %s cannot be played as it is: %s", title, text.Plural(len(tried), "file"), tried[0].Error),
			Hint: "check that the files are whole, and that xship may read them",
		}
	case onlyOf(tried, sources.ClassUnsupported):
		return &NothingPlayableError{
			Text: fmt.Sprintf("nothing plays for %s: %s cannot be played as it is: %s", title, text.Plural(len(tried), "source"), tried[0].Error),
			Hint: "links to web pages need an account that serves their hoster (xship accounts add PROVIDER), or yt-dlp",
		}
	default:
		return &NothingPlayableError{
			Text: fmt.Sprintf("nothing plays for %s: %s failed", title, text.Plural(len(tried), "source")),
			Hint: "xship scan lists them; xship hosters stats shows how their hosters fare",
		}
	}
}

// onlyOwn tells whether all that was tried is the user's own.
func onlyOwn(tried []sources.Tried) bool {
	return !slices.ContainsFunc(tried, func(t sources.Tried) bool { return !t.Source.Own })
}

// onlyOf tells whether something was tried, and all of it ended in one of the
// classes.
func onlyOf(tried []sources.Tried, classes ...sources.Class) bool {
	return len(tried) > 0 && !slices.ContainsFunc(tried, func(t sources.Tried) bool { return !slices.Contains(classes, t.Class) })
}

// soonest is when the first provider may be called again, 0 where none rests; all is
// false where something was tried that does not rest.
func soonest(tried []sources.Tried) (wait time.Duration, all bool) {
	all = len(tried) > 0
	for _, t := range tried {
		switch {
		case t.RetryIn <= 0:
			all = false
		case wait == 0 || t.RetryIn < wait:
			wait = t.RetryIn
		}
	}
	return wait, all
}
