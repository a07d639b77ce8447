package engine

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"xship/sources"
	"xship/sources/link"
	"xship/sources/text"
)

// ListRequest says what of a scan is listed, and for whom.
type ListRequest struct {
	All  bool  // also what is hidden, dead or unplayable, marked
	User int64 // whose accounts serve links

	Explain bool // with what is known of all hosters, see List.Why
}

// List is a scan as a user is shown it.
type List struct {
	Scan
	Listing sources.Listing
	Health  sources.HosterSnapshot
	Options sources.ListOptions // Media in it is what is known of the media of the sources

	found   []sources.Source                // those of the scan as it gave them
	hosters map[string]sources.HosterHealth // all of them, nil unless the list is to be explained
}

// List makes the list of a scan, also of one that was cancelled: what has come is
// still read.
func (e *Engine) List(ctx context.Context, scan Scan, req ListRequest) (*List, error) {
	wanted := e.listOptions()
	wanted.All = req.All
	wanted.Served, _ = e.served(ctx, req.User, scan)
	ctx = context.WithoutCancel(ctx)
	l, err := e.newList(ctx, scan, wanted)
	if err == nil && req.Explain {
		l.hosters, err = e.hostersByName(ctx)
	}
	return l, err
}

func (e *Engine) newList(ctx context.Context, scan Scan, wanted sources.ListOptions) (*List, error) {
	return e.newListOf(ctx, scan, wanted, nil, e.cfg.Logger)
}

// newListOf is newList with the media of sources that are known to work, whatever the
// store has. The logger is told what is hidden; nil: nobody is.
func (e *Engine) newListOf(
	ctx context.Context, scan Scan, wanted sources.ListOptions, works map[string]sources.MediaInfo, logger *slog.Logger,
) (*List, error) {
	health, err := e.cfg.Store.HosterSnapshot(ctx)
	if err != nil {
		return nil, err
	}
	if wanted.Media, err = e.media(ctx, scan.Sources); err != nil {
		return nil, err
	}
	wanted.Media = withMedia(wanted.Media, works)
	wanted.Facts = scan.Facts
	found := scan.Sources
	scan.Sources = wanted.Judge(found)
	return &List{found: found, Scan: scan, Listing: sources.Filter(logger, scan.Sources, health, wanted), Health: health, Options: wanted}, nil
}

// media gives what is known of the media of sources, by their ID.
func (e *Engine) media(ctx context.Context, all []sources.Source) (map[string]sources.MediaInfo, error) {
	var ids []string
	for _, src := range all {
		if src.State != sources.StateFound { // of which nothing is known
			ids = append(ids, src.ID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return e.cfg.Store.SourceMediaInfo(ctx, ids)
}

// listOptions are those of a list as the settings want it.
func (e *Engine) listOptions() sources.ListOptions {
	s := e.cfg.Settings.Scan
	o := sources.ListOptions{
		Quality: sources.Quality(s.Quality), Languages: s.Languages, MinSize: int64(s.MinSize), MaxSize: int64(s.MaxSize),
		Limit: s.Limit, Floor: e.cfg.Settings.Hosters.Floor, Now: e.cfg.Now(),
	}
	for _, word := range s.Exclude {
		o.Exclude = append(o.Exclude, sources.Exclusion(word))
	}
	if resolving, err := e.resolving.get(); err == nil { // else the scan would have said so
		o.Pages = resolving.pages
	}
	return o
}

// servedLate is how long a list that is late, or was broken off, waits for what
// providers serve.
const servedLate = 300 * time.Millisecond

// served tells through which providers the user gets pages of the hosters of a
// scan; complete is false where that is not known of all. Providers that are asked
// for it have what the scan left of its time.
func (e *Engine) served(ctx context.Context, user int64, scan Scan) (by map[string]string, complete bool) {
	resolving, err := e.resolving.get()
	if err != nil { // the scan would have said so
		return nil, true
	}
	limit := max(scan.ListBy.Sub(e.cfg.Now()), servedLate)
	if ctx.Err() != nil {
		ctx, limit = context.WithoutCancel(ctx), servedLate
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var hosters []string
	seen := make(map[string]bool)
	for _, src := range scan.Sources {
		if src.Hoster != "" && !src.Own && !seen[src.Hoster] && link.IsPage(src.URL) {
			seen[src.Hoster] = true
			hosters = append(hosters, src.Hoster)
		}
	}
	return resolving.accounts.Served(ctx, user, hosters)
}

// Resting tells which accounts of a user are not asked now, and why.
func (e *Engine) Resting(ctx context.Context, user int64) []*sources.SkippedError {
	resolving, err := e.resolving.get()
	if err != nil {
		return nil
	}
	return resolving.accounts.Resting(ctx, user)
}

// Verdict is the error of a list that is empty although sources exist, a
// *NothingPlayableError. That nothing exists is none.
func (l *List) Verdict() error { return l.verdict("--all lists them too") }

// verdict is Verdict, with the way to see what is not listed.
func (l *List) verdict(see string) error {
	if len(l.Listing.Sources) > 0 || len(l.Sources) == l.Listing.Trailers {
		return nil
	}
	return &NothingPlayableError{
		Text: fmt.Sprintf("nothing playable for %s: %s", l.Title, strings.Join(l.LeftOut(), "; ")),
		Hint: l.wayOut(see),
	}
}

// wayOut is what a user can do about what is not listed.
func (l *List) wayOut(see string) string {
	hidden, dead, unplayable := l.Listing.HiddenSources(), l.Listing.Dead, l.Listing.Unplayable
	var ways []string
	if hidden+dead+unplayable > 0 {
		ways = append(ways, see)
	}
	if dead > 0 {
		ways = append(ways, "xship play TITLE --source ID tries one now")
	}
	if hidden > 0 {
		ways = append(ways, "xship play TITLE --force tries hidden ones now")
		ways = append(ways, "xship hosters reset NAME sets back a hoster")
	}
	if dead > 0 {
		ways = append(ways, "a dead link that its site still names is taken for a new one after a day")
	}
	if unplayable > 0 && hidden+dead == 0 {
		ways = append(ways, "links to web pages need an account that serves them (xship accounts add PROVIDER) or yt-dlp")
	}
	if l.Listing.ExcludedSources() > 0 {
		ways = append(ways, "scan.exclude, scan.min_size and scan.max_size say what is left out")
	}
	if len(ways) == 0 {
		ways = append(ways, "raise --quality, or widen scan.languages")
	}
	return strings.Join(ways, "; ")
}

// LeftOut says what exists and is not listed, one reason each.
func (l *List) LeftOut() []string {
	var reasons []string
	if n := l.Listing.HiddenSources(); n > 0 && !l.Options.All {
		reasons = append(reasons, fmt.Sprintf("%s hidden on failing hosters: %s", text.Plural(n, "source"), l.HiddenHosters()))
	}
	for _, r := range []struct {
		n   int
		why string
	}{
		{l.Listing.Dead, "dead"},
		{l.Listing.Unplayable, "that no player can take"},
		{l.Listing.Unwanted, "of another quality or language than wanted"},
		{l.Listing.CutOff, "beyond the limit"},
	} {
		if r.n > 0 {
			reasons = append(reasons, text.Plural(r.n, "source")+" "+r.why)
		}
	}
	for _, e := range l.Listing.Excluded {
		reasons = append(reasons, text.Plural(e.Sources, "source")+" by "+text.Clean(e.Rule))
	}
	return reasons
}

// HiddenHosters names the hosters whose sources are hidden, with the reason.
func (l *List) HiddenHosters() string {
	hosters := make([]string, 0, len(l.Listing.Hidden))
	for _, h := range l.Listing.Hidden {
		hosters = append(hosters, fmt.Sprintf("%s (%s)", HosterTitle(h.Hoster), hiddenReason(h.ConsecutiveFails, h.AvailableIn)))
	}
	return strings.Join(hosters, ", ")
}

// Mark says why a source would not be listed without All, "" where it would.
func (l *List) Mark(src sources.Listed) string {
	switch {
	case src.State == sources.StateDead:
		return "dead"
	case src.Unplayable != "" && src.Provider == "":
		return text.Clean(src.Unplayable)
	case !src.Healthy:
		h := l.Health[src.Hoster]
		return hiddenReason(h.ConsecutiveFails, h.BackoffUntil.Sub(l.Options.Now))
	default:
		return ""
	}
}

// hiddenReason says why a hoster is hidden, and for how long.
func hiddenReason(fails int, availableIn time.Duration) string {
	reason := text.Plural(fails, "fail")
	if s := text.WholeSeconds(availableIn); s > 0 {
		return fmt.Sprintf("%s, %d s", reason, s)
	}
	return reason + ", now free"
}

// HosterTitle is the name of a hoster in a sentence.
func HosterTitle(name string) string {
	if name == "" {
		return "no hoster"
	}
	return text.Clean(name)
}

// Row is the row of a source in the list, from 1, and 0 where it is not in it.
func (l *List) Row(sourceID string) int {
	for i, src := range l.Listing.Sources {
		if src.ID == sourceID {
			return i + 1
		}
	}
	return 0
}
