package engine

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"xship/sources"
	"xship/sources/match"
	"xship/sources/text"
)

// Watch puts a title on the watchlist, and tells whether it is new there. One that is
// there already comes first now.
func (e *Engine) Watch(ctx context.Context, t sources.Title) (entry sources.WatchEntry, added bool, err error) {
	if err := t.Validate(); err != nil {
		return entry, false, &RequestError{Text: strings.ReplaceAll(err.Error(), "\n", "; ")}
	}
	return e.cfg.Store.AddWatch(ctx, t, sources.WatchUser)
}

// Watchlist gives the watchlist, what is watched soonest first.
func (e *Engine) Watchlist(ctx context.Context) ([]sources.WatchEntry, error) {
	return e.cfg.Store.Watchlist(ctx)
}

// WatchEntry gives an entry of the watchlist. The error is a *NotWatchedError where it has
// none of that id.
func (e *Engine) WatchEntry(ctx context.Context, id int64) (sources.WatchEntry, error) {
	entries, err := e.cfg.Store.Watchlist(ctx)
	if err != nil {
		return sources.WatchEntry{}, err
	}
	i := slices.IndexFunc(entries, func(e sources.WatchEntry) bool { return e.ID == id })
	if i < 0 {
		return sources.WatchEntry{}, &NotWatchedError{ID: id}
	}
	return entries[i], nil
}

// Unwatch takes the entries off the watchlist that refs name by their numbers or by their
// titles, all or none, and gives them. A title is meant as people type it: one that says
// neither year nor episode is all of that name, and has to be one.
func (e *Engine) Unwatch(ctx context.Context, refs []string) ([]sources.WatchEntry, error) {
	all, err := e.cfg.Store.Watchlist(ctx)
	if err != nil {
		return nil, err
	}
	var named []sources.WatchEntry
	for _, ref := range refs {
		entry, err := watchNamed(all, ref)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(named, func(e sources.WatchEntry) bool { return e.ID == entry.ID }) {
			named = append(named, entry)
		}
	}
	ids := make([]int64, len(named))
	for i, entry := range named {
		ids[i] = entry.ID
	}
	missing, err := e.cfg.Store.RemoveWatchlist(ctx, ids)
	if err == nil && len(missing) > 0 { // another process was faster
		err = &NotWatchedError{ID: missing[0]}
	}
	return named, err
}

// watchNamed finds the entry that ref names by its number or its title.
func watchNamed(all []sources.WatchEntry, ref string) (sources.WatchEntry, error) {
	ref = strings.TrimSpace(ref)
	id, err := strconv.ParseInt(ref, 10, 64)
	isNumber := err == nil && id > 0
	if i := slices.IndexFunc(all, func(e sources.WatchEntry) bool { return e.ID == id }); isNumber && i >= 0 {
		return all[i], nil
	}
	var found []sources.WatchEntry
	read := match.ReadTyped(ref)
	for _, e := range all {
		if strings.EqualFold(e.Title.String(), ref) {
			return e, nil
		}
		if meansTitle(ref, read, e.Title) {
			found = append(found, e)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return sources.WatchEntry{}, &RequestError{
			Text: fmt.Sprintf("%q names %d titles of the watchlist: %s", text.Clean(ref), len(found), watchNumbers(found)),
			Hint: "give the number of the one that is meant",
		}
	case isNumber:
		return sources.WatchEntry{}, &NotWatchedError{ID: id}
	}
	return sources.WatchEntry{}, text.WithHint(fmt.Errorf("%q is not on the watchlist", text.Clean(ref)), nearWatched(all, ref))
}

// meansTitle tells whether a title is one that somebody may mean who types ref, which is
// read as given.
func meansTitle(ref string, read match.Typed, t sources.Title) bool {
	names := slices.Concat([]string{t.Name, t.OriginalName}, t.Aliases)
	called := func(name string) bool {
		name = text.NormalizeName(name)
		return name != "" && slices.ContainsFunc(names, func(n string) bool { return text.NormalizeName(n) == name })
	}
	isEpisode := t.Kind == sources.KindEpisode
	switch {
	case read.Year == 0 && called(ref):
		return true
	case !called(read.Name), read.Year != 0 && t.Year != 0 && read.Year != t.Year:
		return false
	case read.Season >= 0 && (!isEpisode || t.Season != read.Season):
		return false
	default:
		return read.Episode < 0 || isEpisode && t.Episode == read.Episode
	}
}

// watchNumbers names entries in a sentence, the first few of many.
func watchNumbers(entries []sources.WatchEntry) string {
	const most = 5
	var all []string
	for _, e := range entries[:min(len(entries), most)] {
		all = append(all, fmt.Sprintf("number %d, %s", e.ID, text.Clean(e.Title.String())))
	}
	if more := len(entries) - most; more > 0 {
		all = append(all, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(all, "; ")
}

// nearWatched is advice on a title that is not on the watchlist.
func nearWatched(all []sources.WatchEntry, ref string) string {
	if numbers := watchNumbersMeant(ref); numbers != "" {
		return numbers
	}
	var titles, names []string
	for _, e := range all {
		titles = append(titles, e.Title.String())
		if !slices.Contains(names, e.Title.Name) {
			names = append(names, e.Title.Name)
		}
	}
	return text.DidYouMean(ref, slices.Concat(titles, names), text.DidYouMean(ref, names, "xship watch list shows what is"))
}

var (
	marked = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^#([0-9]{1,9})$`)
	})
	apart = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[0-9]{1,9}(?:\s*[,;]\s*[0-9]{1,9})+$`)
	})
	numberSpan = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^([0-9]{1,9})\s*(?:-|–|\.\.)\s*([0-9]{1,9})$`)
	})
)

// watchNumbersMeant is the line to type for numbers as other programs take them, "" where
// ref is none.
func watchNumbersMeant(ref string) string {
	const longestSpan = 10
	line := func(numbers ...string) string { return "xship watch remove " + strings.Join(numbers, " ") }
	if m := marked().FindStringSubmatch(ref); m != nil {
		return "a number stands alone: " + line(m[1])
	}
	if apart().MatchString(ref) {
		return "several stand apart: " + line(strings.FieldsFunc(ref, func(r rune) bool { return r < '0' || r > '9' })...)
	}
	m := numberSpan().FindStringSubmatch(ref)
	if m == nil {
		return ""
	}
	from, _ := strconv.Atoi(m[1])
	to, _ := strconv.Atoi(m[2])
	if to <= from || to-from >= longestSpan {
		return "each stands for itself: " + line(m[1], m[2])
	}
	var all []string
	for n := from; n <= to; n++ {
		all = append(all, strconv.Itoa(n))
	}
	return "each stands for itself: " + line(all...)
}

// Moved is an entry of the watchlist that has moved on.
type Moved struct {
	Entry sources.WatchEntry
	// Ended says that it has not: the series has ended, or has no further special.
	Ended bool
	// Unaired says that its episode is yet to be broadcast, on AirDate, "" where that is
	// not known.
	Unaired bool
	AirDate string
	Added   bool // false: an entry that was there already stands for both now
	// Unsure is why it could not be found out whether there is Entry's title, nil where
	// it could.
	Unsure   error
	UnsureOf sources.Title // of which that could not be found out
}

// MoveOn moves a series of the watchlist on to its next episode: the next one of its
// season, or the first of the next season. Where the id service does not know which that
// is, the interface tells, by scans that scan makes.
func (e *Engine) MoveOn(ctx context.Context, id int64, scan func(sources.Title) (sources.ScanResult, error)) (Moved, error) {
	if err := e.prepare(); err != nil { // which no scan could find out
		return Moved{}, err
	}
	entry, err := e.WatchEntry(ctx, id)
	if err != nil {
		return Moved{}, err
	}
	if entry.Title.Kind != sources.KindEpisode {
		return Moved{}, &RequestError{Text: fmt.Sprintf("%s is a film, which has no next episode", entry.Title)}
	}
	facts, known := e.seriesFacts(ctx, entry.Title)
	if ctx.Err() != nil {
		return Moved{}, ctx.Err()
	}
	if next, episode, follows := facts.After(entry.Title, e.cfg.Now()); known && follows != sources.FollowsUnknown {
		return e.moveTo(ctx, entry, next, episode, follows)
	}
	var moved Moved
	next := entry.Title.NextEpisode()
	found, err := orNextSeason(next, scan)
	switch {
	case ctx.Err() != nil:
		return Moved{}, ctx.Err()
	case err != nil:
		moved.Unsure, moved.UnsureOf = err, found
	default:
		next = found
	}
	moved.Entry, moved.Added, err = e.setWatched(ctx, entry, next, sources.WatchUser)
	return moved, err
}

// moveTo moves an entry on to what the id service says that follows.
func (e *Engine) moveTo(
	ctx context.Context, entry sources.WatchEntry, next sources.Title, episode sources.EpisodeFacts, follows sources.Follows,
) (moved Moved, err error) {
	if follows == sources.FollowsNothing {
		return Moved{Entry: entry, Ended: true}, nil
	}
	moved = Moved{Unaired: follows == sources.FollowsUnaired, AirDate: episode.AirDate()}
	moved.Entry, moved.Added, err = e.setWatched(ctx, entry, next, sources.WatchUser)
	return moved, err
}

// orNextSeason is the episode t, or the first one of the next season where the
// interface has only that: a season ends where no further episode is found. With an
// error the title is the one whose scan failed.
func orNextSeason(t sources.Title, scan func(sources.Title) (sources.ScanResult, error)) (sources.Title, error) {
	candidates := []sources.Title{t}
	if next, ok := t.NextSeason(); ok {
		candidates = append(candidates, next)
	}
	for _, candidate := range candidates {
		result, err := scan(candidate)
		if err != nil {
			return candidate, err
		}
		if slices.ContainsFunc(result.Sources, func(src sources.Source) bool { return !src.Trailer }) {
			return candidate, nil
		}
	}
	return t, nil
}

// setWatched makes an entry that of next. Where next is on the watchlist already,
// that entry stands for both, as if origin had added it.
func (e *Engine) setWatched(
	ctx context.Context, entry sources.WatchEntry, next sources.Title, origin sources.WatchOrigin,
) (_ sources.WatchEntry, added bool, err error) {
	err = e.cfg.Store.SetWatchTitle(ctx, entry.ID, next)
	switch {
	case errors.Is(err, sources.ErrWatched):
		standing, _, err := e.cfg.Store.AddWatch(ctx, next, origin)
		if err != nil {
			return standing, false, err
		}
		_, err = e.cfg.Store.RemoveWatch(ctx, entry.ID)
		return standing, false, err
	case err != nil:
		return sources.WatchEntry{}, false, err
	}
	entry.Title, entry.WantedAt = next, e.cfg.Now()
	return entry, true, nil
}

// WatchNextEpisode puts the episode after t on the watchlist, where the settings want
// that. It is no part of what the user waits for: a store that fails is logged, and the
// id service is not asked. What it said before counts; else the precacher finds out
// whether there is such an episode.
func (e *Engine) WatchNextEpisode(ctx context.Context, t sources.Title) {
	if !e.cfg.Settings.Precache.NextEpisode || t.Kind != sources.KindEpisode {
		return
	}
	e.books.Keep(ctx, watchWait, watchTimeout, func(ctx context.Context) {
		next, follows := e.storedNext(ctx, t)
		if err := e.watchInPlace(ctx, t, next, follows); err != nil {
			e.cfg.Logger.Warn("the next episode could not be put on the watchlist", "title", next.String(), "error", err)
			return
		}
		e.cfg.Logger.Debug("the next episode is on the watchlist, where one follows", "title", next.String(), "follows", follows)
	})
}

// storedNext is the episode after t, as far as is known without asking. follows is false
// where none does.
func (e *Engine) storedNext(ctx context.Context, t sources.Title) (next sources.Title, follows bool) {
	if facts, known := e.storedSeries(ctx, t); known {
		switch next, _, what := facts.After(t, e.cfg.Now()); what {
		case sources.FollowsAired, sources.FollowsUnaired:
			return next, true
		case sources.FollowsNothing:
			return t.NextEpisode(), false
		case sources.FollowsUnknown:
		}
	}
	return t.NextEpisode(), true
}

const (
	// watchWait is how long a scan waits for the next episode to be on the watchlist.
	watchWait = 250 * time.Millisecond
	// watchTimeout is how long that may take: longer than a store waits for a locked
	// database.
	watchTimeout = 30 * time.Second
)

// watchInPlace moves the entries that the series of t has for an episode to come on
// to next, so that one is left. Where it has none, next is added. Where nothing follows
// t, they are removed.
func (e *Engine) watchInPlace(ctx context.Context, t, next sources.Title, follows bool) error {
	entries, err := e.cfg.Store.Watchlist(ctx)
	if err != nil {
		return err
	}
	moved := false
	for _, entry := range entries {
		if entry.Origin != sources.WatchNext || !entry.Title.SameSeries(t) || entry.Title.ComesAfter(t) {
			continue
		}
		if !follows {
			if _, err := e.cfg.Store.RemoveWatch(ctx, entry.ID); err != nil {
				return err
			}
			continue
		}
		if _, _, err := e.setWatched(ctx, entry, next, sources.WatchNext); err != nil {
			return err
		}
		moved = true
	}
	if follows && !moved {
		_, _, err = e.cfg.Store.AddWatch(ctx, next, sources.WatchNext)
	}
	return err
}
