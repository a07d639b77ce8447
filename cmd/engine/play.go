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
	Force   bool   // also what is hidden for the health of its hoster, where it would stand in the list
	User    int64  // whose accounts serve links
	// ChooseSource lets the user choose with which source to begin, by its index; ok is
	// false where no choice was made, and nothing is played. It is not called where there
	// is nothing to choose from. nil: Pick and Source say.
	ChooseSource func(ctx context.Context, from []Candidate) (i int, ok bool, err error)
	// Resolving is called when the list is there; what it gives is called when a stream
	// was found, or none. nil: nobody is told.
	Resolving func() (ended func())
	// Unlocking is told each provider that is called meanwhile, see
	// sources.ResolveOptions.
	Unlocking func(provider string) (ended func())
}

// Candidate is a source that a user may choose to play.
type Candidate struct {
	sources.Listed
	Row  int    // in the list, 0 where it is not in it
	Mark string // why it would not be listed, "" where it is
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
// resolved. Last come the sources of hosters that are hidden, while their hoster may be
// tried. The episode after one that plays joins the watchlist.
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
	queue, err := list.queue(req, resolving.pages || !servedKnown)
	if err == nil && req.ChooseSource != nil {
		err = list.choose(ctx, &queue, req.ChooseSource)
	}
	if err != nil {
		return Played{Resting: e.Resting(ctx, req.User)}, err
	}
	played, err := e.playFrom(ctx, list, queue, req)
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

// playFrom resolves the first source of queue that works.
func (e *Engine) playFrom(ctx context.Context, list *List, queue playQueue, req PlayRequest) (Played, error) {
	stream, chosen, tried, err := e.resolveFirst(ctx, queue, req)
	played := Played{Tried: make([]Tried, 0, len(tried)), Resting: e.Resting(ctx, req.User)}
	for _, t := range tried {
		played.Tried = append(played.Tried, Tried{Tried: t, Row: list.Row(t.Source.ID)})
	}
	if err != nil {
		return played, list.nothingPlays(queue, req, err)
	}
	played.Row = list.Row(chosen.ID)
	played.Stream, played.Login = e.logins.forPlayer(chosen, stream)
	chosen.State, chosen.Needs = sources.StateResolved, ""
	if media, err := e.cfg.Store.SourceMediaInfo(ctx, []string{chosen.ID}); err == nil { // it plays without
		if m, ok := media[chosen.ID]; ok {
			played.Media, chosen.State = &m, sources.StateProbed
		}
	}
	played.Source = listedAs(chosen, stream, list.Health)
	return played, nil
}

// listedAs is a source as it is listed, by what became of it.
func listedAs(src sources.Source, stream sources.Stream, health sources.HosterSnapshot) sources.Listed {
	return sources.Listed{Source: src, Healthy: stream.Provider != "" || health.Lists(&src), Provider: stream.Provider}
}

// resolveFirst gives the stream of the first source of queue that works, that source, and
// what was tried before.
func (e *Engine) resolveFirst(ctx context.Context, queue playQueue, req PlayRequest) (sources.Stream, sources.Source, []sources.Tried, error) {
	resolving, err := e.resolving.get()
	if err != nil {
		return sources.Stream{}, sources.Source{}, nil, err
	}
	if req.Resolving != nil {
		defer req.Resolving()()
	}
	ctx, end := e.holdFails(ctx, resolving.streams.Attempts, 1)
	defer end()
	o := sources.ResolveOptions{User: req.User, Unlocking: req.Unlocking}
	stream, at, tried, err := sources.Resolve(ctx, resolving.streams, queue.sources, queue.start, o)
	if err == nil {
		return stream, queue.sources[at], tried, nil
	}
	if _, nothing := errors.AsType[*sources.NothingPlaysError](err); !nothing {
		return sources.Stream{}, sources.Source{}, tried, err
	}
	stream, at, more, err := sources.ResolveAvailable(ctx, resolving.streams, queue.last, o)
	tried = append(tried, more...)
	if err == nil {
		return stream, queue.last[at], tried, nil
	}
	if failed, ok := errors.AsType[*sources.NothingPlaysError](err); ok {
		failed.Tried = tried
	}
	return sources.Stream{}, sources.Source{}, tried, err
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

// playQueue are the sources that Play tries, in order.
type playQueue struct {
	sources []sources.Source // tried as what a user clicks, whatever their hoster's health
	rows    int              // of those, how many stand before the links to web pages
	start   int              // where to begin in them
	last    []sources.Source // tried where none of the others plays, each while its hoster may be tried
}

// queue gives the sources to try, those listed and behind them links to web pages
// where these may be resolved, and where to begin. What is hidden comes last, or, where it
// is forced, where it would stand.
func (l *List) queue(req PlayRequest, pages bool) (q playQueue, err error) {
	listed := make(map[string]bool, len(l.Listing.Sources))
	for _, src := range l.Listing.Sources {
		q.sources = append(q.sources, src.Source)
		listed[src.ID] = true
	}
	if playable := l.Unproven(); req.Force {
		q.sources = playable
	} else {
		q.last = slices.DeleteFunc(playable, func(src sources.Source) bool { return listed[src.ID] })
	}
	q.rows = len(q.sources)
	if pages {
		q.addPages(l, listed, req.Force)
	}
	switch {
	case req.Source != "":
		return l.chosenFirst(q, req.Source)
	case req.Pick > len(l.Listing.Sources) && len(q.sources) > 0:
		return playQueue{}, &NothingPlayableError{
			Text: fmt.Sprintf("there is no row %d for %s: the list has %s", req.Pick, l.Title, text.Plural(len(l.Listing.Sources), "row")),
			Hint: "xship scan shows the list",
		}
	case len(q.sources)+len(q.last) == 0:
		return playQueue{}, l.nothingToPlay(req.Trailer)
	case req.Pick > 0 && len(q.sources) > 0:
		q.start = q.index(l.Listing.Sources[req.Pick-1].ID)
	}
	return q, nil
}

// addPages adds the links to web pages that are not listed.
func (q *playQueue) addPages(l *List, listed map[string]bool, force bool) {
	for _, src := range l.Sources {
		switch {
		case src.Unplayable == "" || src.State == sources.StateDead || listed[src.ID]:
		case force || l.Health.Lists(&src):
			q.sources = append(q.sources, src)
		default:
			q.last = append(q.last, src)
		}
	}
}

// index is where the source with the given id stands, -1 where it does not.
func (q *playQueue) index(id string) int {
	return slices.IndexFunc(q.sources, func(src sources.Source) bool { return src.ID == id })
}

// choose has the user choose where to begin.
func (l *List) choose(ctx context.Context, q *playQueue, choose func(context.Context, []Candidate) (int, bool, error)) error {
	if q.rows == 0 {
		return nil
	}
	from := make([]Candidate, 0, q.rows)
	for i := range q.sources[:q.rows] {
		listed := l.Options.Listed(&q.sources[i], l.Health)
		from = append(from, Candidate{Listed: listed, Row: l.Row(listed.ID), Mark: l.Mark(listed)})
	}
	i, ok, err := choose(ctx, from)
	if err == nil && !ok {
		err = &NothingPlayableError{
			Text: fmt.Sprintf("no source of %s was chosen, so nothing plays", l.Title),
			Hint: "xship play TITLE without --choose plays the first one that works",
		}
	}
	q.start = i
	return err
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
func (l *List) chosenFirst(q playQueue, id string) (playQueue, error) {
	is := func(src sources.Source) bool { return src.ID == id }
	if q.start = q.index(id); q.start >= 0 {
		return q, nil
	}
	at := slices.IndexFunc(l.Sources, is)
	if at < 0 {
		return playQueue{}, &NothingPlayableError{
			Text: fmt.Sprintf("%s has no source with the id %q", l.Title, id),
			Hint: "xship scan -o tsv shows the ids",
		}
	}
	below := make(map[string]bool)
	for _, src := range l.Sources[at+1:] {
		below[src.ID] = true
	}
	above := func(src sources.Source) bool { return !below[src.ID] }
	return playQueue{
		sources: append([]sources.Source{l.Sources[at]}, slices.DeleteFunc(q.sources, above)...),
		last:    slices.DeleteFunc(q.last, is),
	}, nil
}

// nothingPlays is the error of a queue that was tried in vain.
func (l *List) nothingPlays(queue playQueue, req PlayRequest, err error) error {
	failed, ok := errors.AsType[*sources.NothingPlaysError](err)
	if !ok {
		return err
	}
	if len(failed.Tried) == 0 { // all that there is is hidden, and no hoster may be tried
		return l.nothingToPlay(req.Trailer)
	}
	verdict := playVerdict(l.Title, err)
	nothing, ok := errors.AsType[*NothingPlayableError](verdict)
	if skipped := len(queue.sources) - queue.start + len(queue.last) - len(failed.Tried); ok && skipped > 0 {
		nothing.Text += fmt.Sprintf("; %s on failing hosters not tried", text.Plural(skipped, "source"))
		nothing.Hint = "xship play TITLE --force tries hidden sources too; " + nothing.Hint
	}
	return verdict
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
