package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"xship/sources"
	"xship/sources/text"
)

func newWatchCmd(a *app) *cobra.Command {
	return newGroupCmd("watch", "The watchlist, which the precacher works through",
		newWatchAddCmd(a), newWatchListCmd(a), newWatchRemoveCmd(a), newWatchNextCmd(a))
}

// watchDoc is an entry of the watchlist in JSON. Times are Unix seconds.
type watchDoc struct {
	ID       int64    `json:"id"`
	Title    titleDoc `json:"title"`
	Origin   string   `json:"origin"` // user, or next: it came after an episode that was scanned or played
	AddedAt  int64    `json:"added_at"`
	WantedAt int64    `json:"wanted_at"` // the latest is watched soonest
}

func newWatchDoc(e sources.WatchEntry) watchDoc {
	return watchDoc{ID: e.ID, Title: newTitleDoc(e.Title), Origin: string(e.Origin), AddedAt: unix(e.AddedAt), WantedAt: unix(e.WantedAt)}
}

// watchChangedDoc is the JSON document of the commands that change an entry.
type watchChangedDoc struct {
	watchDoc
	Added bool `json:"added"` // false: it was on the watchlist already
}

func newWatchAddCmd(a *app) *cobra.Command {
	var o titleOptions
	cmd := &cobra.Command{
		Use:   "add TITLE",
		Short: "Put a film or an episode on the watchlist",
		Example: `  xship watch add "Big Buck Bunny"
  xship watch add "Some Series" --season 1 --episode 1`,
		Args:              oneTitle,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.noteFlags(cmd.Flags())
			title, err := o.title(args[0])
			if err != nil {
				return err
			}
			return runWatchAdd(cmd.Context(), a, title)
		},
	}
	cmd.Flags().SortFlags = false
	o.addFlags(cmd.Flags())
	return cmd
}

func runWatchAdd(ctx context.Context, a *app, title sources.Title) error {
	store, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	entry, added, err := store.AddWatch(ctx, title, sources.WatchUser)
	if err != nil {
		return err
	}
	if added {
		a.note("%s is on the watchlist as number %d", entry.Title, entry.ID)
	} else {
		a.note("%s was on the watchlist already, as number %d; it comes first now", entry.Title, entry.ID)
	}
	if a.asJSON() {
		return a.writeJSON(watchChangedDoc{watchDoc: newWatchDoc(entry), Added: added})
	}
	return nil
}

// watchlistDoc is the JSON document of xship watch list.
type watchlistDoc struct {
	Watchlist []watchDoc `json:"watchlist"`
}

func newWatchListCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the watchlist, what is watched soonest first",
		Args:  noArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return runWatchList(cmd.Context(), a) },
	}
}

func runWatchList(ctx context.Context, a *app) error {
	store, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	entries, err := store.Watchlist(ctx)
	if err != nil {
		return err
	}
	if a.asJSON() {
		doc := watchlistDoc{Watchlist: make([]watchDoc, 0, len(entries))}
		for _, e := range entries {
			doc.Watchlist = append(doc.Watchlist, newWatchDoc(e))
		}
		return a.writeJSON(doc)
	}
	if len(entries) == 0 {
		a.note("the watchlist is empty; xship watch add TITLE fills it")
	}
	return a.write(watchList(entries, a.Now()))
}

// watchList is the watchlist as rows.
func watchList(entries []sources.WatchEntry, now time.Time) list {
	l := list{columns: []column{
		{name: "id", right: true},
		{name: "title", noTSV: true, shrink: 1, min: 16},
		{name: "kind", tsvOnly: true},
		{name: "name", tsvOnly: true},
		{name: "year", tsvOnly: true},
		{name: "imdb", tsvOnly: true},
		{name: "season", tsvOnly: true},
		{name: "episode", tsvOnly: true},
		{name: "origin"},
		{name: "added", noTSV: true},
		{name: "added at", tsvOnly: true},
	}}
	for _, e := range entries {
		t := e.Title
		var year, season, episode string
		if t.Year != 0 {
			year = strconv.Itoa(t.Year)
		}
		if t.Kind == sources.KindEpisode {
			season, episode = strconv.Itoa(t.Season), strconv.Itoa(t.Episode)
		}
		l.rows = append(l.rows, []string{
			strconv.FormatInt(e.ID, 10), text.Clean(t.String()), string(t.Kind), text.Clean(t.Name), year, t.IMDb, season, episode,
			string(e.Origin), shortDuration(now.Sub(e.AddedAt)) + " ago", strconv.FormatInt(unix(e.AddedAt), 10),
		})
	}
	return l
}

// watchID reads the id of an entry.
func watchID(arg string) (int64, error) {
	id, err := strconv.ParseInt(arg, 10, 64)
	if err != nil || id < 1 {
		return 0, &usageError{msg: fmt.Sprintf("%q is no id of the watchlist", arg), hint: "xship watch list shows the ids"}
	}
	return id, nil
}

// notWatched is the error of an id that the watchlist does not have.
func notWatched(id int64) error {
	return &hintError{err: fmt.Errorf("the watchlist has no number %d", id), hint: "xship watch list shows the ids"}
}

// watchRemovedDoc is the JSON document of xship watch remove.
type watchRemovedDoc struct {
	Removed int64 `json:"removed"`
}

func newWatchRemoveCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "remove ID",
		Short: "Take a title off the watchlist",
		Args:  oneArg("the id of an entry"),
		RunE:  func(cmd *cobra.Command, args []string) error { return runWatchRemove(cmd.Context(), a, args[0]) },
	}
}

func runWatchRemove(ctx context.Context, a *app, arg string) error {
	id, err := watchID(arg)
	if err != nil {
		return err
	}
	store, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	removed, err := store.RemoveWatch(ctx, id)
	if err != nil {
		return err
	}
	if !removed {
		return notWatched(id)
	}
	a.note("number %d is off the watchlist", id)
	if a.asJSON() {
		return a.writeJSON(watchRemovedDoc{Removed: id})
	}
	return nil
}

func newWatchNextCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "next ID",
		Short: "Move a series on to its next episode",
		Long: `Move a series on to its next episode. Where no site has that one, but the first
of the next season, it is that.`,
		Args: oneArg("the id of an entry"),
		RunE: func(cmd *cobra.Command, args []string) error { return runWatchNext(cmd.Context(), a, args[0]) },
	}
}

func runWatchNext(ctx context.Context, a *app, arg string) error {
	id, err := watchID(arg)
	if err != nil {
		return err
	}
	p, err := a.openPipeline(ctx, nil)
	if err != nil {
		return err
	}
	defer p.close()
	entries, err := p.store.Watchlist(ctx)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(entries, func(e sources.WatchEntry) bool { return e.ID == id })
	if i < 0 {
		return notWatched(id)
	}
	if entries[i].Title.Kind != sources.KindEpisode {
		return usagef("%s is a film, which has no next episode", entries[i].Title)
	}
	next, err := p.nextEpisode(ctx, entries[i].Title)
	if err != nil {
		return err
	}
	entry, added, err := p.moveOn(ctx, entries[i], next, sources.WatchUser)
	if err != nil {
		return err
	}
	a.note("number %d is %s now", entry.ID, entry.Title)
	if a.asJSON() {
		return a.writeJSON(watchChangedDoc{watchDoc: newWatchDoc(entry), Added: added})
	}
	return nil
}

// nextEpisode is the episode after t: the next one of its season, or the first
// of the next season where the interface has only that. Where it cannot be
// asked it is the former. The error is that of ctx.
func (p *pipeline) nextEpisode(ctx context.Context, t sources.Title) (sources.Title, error) {
	next := t.NextEpisode()
	found, err := p.orNextSeason(ctx, next, p.scanShown)
	switch {
	case ctx.Err() != nil:
		return t, ctx.Err()
	case err != nil:
		p.app.warn("warning: it could not be found out whether there is %s: %v", found, err)
		return next, nil
	default:
		return found, nil
	}
}

// scanFunc is scan or scanShown.
type scanFunc func(context.Context, sources.Title, scanRequest) (sources.ScanResult, error)

// orNextSeason is the episode t, or the first one of the next season where the
// interface has only that: a season ends where no further episode is found. No
// season follows specials. With an error the title is the one whose scan failed.
func (p *pipeline) orNextSeason(ctx context.Context, t sources.Title, scan scanFunc) (sources.Title, error) {
	candidates := []sources.Title{t}
	if next, ok := t.NextSeason(); ok {
		candidates = append(candidates, next)
	}
	for _, candidate := range candidates {
		result, err := scan(ctx, candidate, scanRequest{})
		if err != nil {
			return candidate, err
		}
		if slices.ContainsFunc(result.Sources, func(src sources.Source) bool { return !src.Trailer }) {
			return candidate, nil
		}
	}
	return t, nil
}

// moveOn makes an entry that of next. Where next is on the watchlist already,
// that entry stands for both, as if origin had added it.
func (p *pipeline) moveOn(
	ctx context.Context, e sources.WatchEntry, next sources.Title, origin sources.WatchOrigin,
) (entry sources.WatchEntry, added bool, err error) {
	err = p.store.SetWatchTitle(ctx, e.ID, next)
	switch {
	case errors.Is(err, sources.ErrWatched):
		if entry, _, err = p.store.AddWatch(ctx, next, origin); err != nil {
			return entry, false, err
		}
		_, err = p.store.RemoveWatch(ctx, e.ID)
		return entry, false, err
	case err != nil:
		return entry, false, err
	}
	e.Title, e.WantedAt = next, p.app.Now()
	return e, true, nil
}
