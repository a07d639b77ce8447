package cmd

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"xship/cmd/api"
	"xship/cmd/engine"
	"xship/cmd/term"
	"xship/sources"
	"xship/sources/text"
)

func newWatchCmd(a *app) *cobra.Command {
	return newGroupCmd("watch", "The watchlist, which the precacher works through",
		newWatchAddCmd(a, runWatchAdd), newWatchListCmd(a), newWatchRemoveCmd(a), newWatchNextCmd(a), newWatchImportCmd(a))
}

// newWatchAddCmd is xship watch add; run gets the title that its flags mean.
func newWatchAddCmd(a *app, run func(context.Context, *app, sources.Title) error) *cobra.Command {
	var o titleOptions
	cmd := &cobra.Command{
		Use:   "add TITLE",
		Short: "Put a film or an episode on the watchlist",
		Long: `Put a film or an episode on the watchlist. A title may hold the episode (S01E02,
1x02) or a year in brackets. No site is asked: what may be of the name stays there,
and a season (--season alone) begins with its first episode.`,
		Example: `  xship watch add "Big Buck Bunny"
  xship watch add "Some Series" --season 1 --episode 1`,
		Args:              oneTitle,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			title, err := watchedTitle(a, cmd, &o, args[0])
			if err != nil {
				return err
			}
			return run(cmd.Context(), a, title)
		},
	}
	cmd.Flags().SortFlags = false
	o.addFlags(cmd.Flags())
	return cmd
}

// watchedTitle is what goes on the watchlist for the words and flags of cmd. No site is
// asked which reading of the words is right: what may be of the name stays there, and a
// note says how else it is given. Of a season it is the first episode, from which the
// entry moves on.
func watchedTitle(a *app, cmd *cobra.Command, o *titleOptions, words string) (sources.Title, error) {
	asked, err := o.ask(cmd, words)
	if err != nil {
		return asked.Title, err
	}
	t, other := asked.Title, asked.otherwise
	if asked.OfSeason != nil {
		t = t.FirstOf(*asked.OfSeason)
	}
	again := func(t sources.Title) string { return engine.TitleLine(commandName(cmd), t, nil) }
	switch {
	case asked.OfSeason != nil && other != nil && other.OfSeason == nil:
		a.note("%q is taken for a film; where season %d of %q is meant: %s", other.Title.Name, t.Season, t.Name, again(t))
		return other.Title, nil
	case asked.note != "":
		a.note("%s", asked.note)
	case other != nil && other.OfSeason == nil:
		a.note("%q is taken for the name; where %d is the year: %s", t.Name, other.Title.Year, again(other.Title))
	case t.Kind == sources.KindMovie && t.Year == 0 && t.IMDb == "":
		a.note("%q is taken for a film; where it is a series: %s", t.Name, again(t.FirstOf(1)))
	}
	if asked.OfSeason != nil {
		a.note("a season is watched from its first episode on")
	}
	return t, nil
}

func runWatchAdd(ctx context.Context, a *app, title sources.Title) error {
	e, err := a.engineWith(ctx, nil)
	if err != nil {
		return err
	}
	entry, added, err := e.Watch(ctx, title)
	if err != nil {
		return err
	}
	if added {
		a.note("%s is on the watchlist as number %d", entry.Title, entry.ID)
	} else {
		a.note("%s was on the watchlist already, as number %d; it comes first now", entry.Title, entry.ID)
	}
	if a.asJSON() {
		return a.writeJSON(api.WatchChanged{WatchEntry: api.NewWatchEntry(entry), Added: added})
	}
	return nil
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
	e, err := a.engineWith(ctx, nil)
	if err != nil {
		return err
	}
	states, daemon, err := e.WatchStates(ctx)
	if err != nil {
		return err
	}
	if a.asJSON() {
		return a.writeJSON(api.NewWatchlist(states))
	}
	switch {
	case len(states) == 0:
		a.note("the watchlist is empty; xship watch add TITLE fills it")
	case !daemon.Running:
		a.note("the precacher does not run, so nothing is looked for; xship precache starts it")
	}
	return a.write(watchList(states, a.Now()))
}

// watchList is the watchlist as rows.
func watchList(states []engine.TitleState, now time.Time) term.List {
	l := term.List{Columns: []term.Column{
		{Name: "id", Right: true},
		{Name: "title", NoTSV: true, Shrink: 1, Min: 16},
		{Name: "kind", TSVOnly: true},
		{Name: "name", TSVOnly: true},
		{Name: "year", TSVOnly: true},
		{Name: "imdb", TSVOnly: true, Exact: true},
		{Name: "season", TSVOnly: true},
		{Name: "episode", TSVOnly: true},
		{Name: "ready", NoTSV: true, Drop: 5, Beneath: true},
		{Name: "checked", NoTSV: true, Drop: 4},
		{Name: "next", NoTSV: true, Drop: 3},
		{Name: "origin", Drop: 1},
		{Name: "added", NoTSV: true, Drop: 2},
		{Name: "added at", TSVOnly: true},
		{Name: "proven", TSVOnly: true, Right: true},
		{Name: "hidden", TSVOnly: true, Right: true},
		{Name: "best quality", TSVOnly: true},
		{Name: "checked at", TSVOnly: true, Right: true},
		{Name: "next at", TSVOnly: true, Right: true},
	}}
	for _, e := range states {
		t := e.Title
		var year, season, episode string
		if t.Year != 0 {
			year = strconv.Itoa(t.Year)
		}
		if t.Kind == sources.KindEpisode {
			season, episode = strconv.Itoa(t.Season), strconv.Itoa(t.Episode)
		}
		l.Rows = append(l.Rows, []string{
			strconv.FormatInt(e.ID, 10), text.Clean(t.String()), string(t.Kind), text.Clean(t.Name), year, t.IMDb, season, episode,
			readyText(e), checkedText(e, now), nextText(e, now),
			string(e.Origin), text.ShortDuration(now.Sub(e.AddedAt)) + " ago", strconv.FormatInt(api.Unix(e.AddedAt), 10),
			strconv.Itoa(e.Proven), strconv.Itoa(e.Hidden), string(e.Best), strconv.FormatInt(api.Unix(e.CheckedAt()), 10), strconv.FormatInt(api.Unix(e.NextAt), 10),
		})
	}
	l.Paint = func(row, column int, cell string) string {
		switch {
		case l.Columns[column].Name != "ready":
			return cell
		case states[row].Ready():
			return term.Paint(term.ColourGood, cell)
		default:
			return term.Paint(term.ColourWarn, cell)
		}
	}
	return l
}

// readyText says what of a title can be played: "3, 1080p".
func readyText(s engine.TitleState) string {
	switch {
	case s.Proven > 0 && s.Best != sources.QualityUnknown:
		return fmt.Sprintf("%d, %s", s.Proven, s.Best)
	case s.Proven > 0:
		return strconv.Itoa(s.Proven)
	case s.Hidden > 0:
		return fmt.Sprintf("%d hidden", s.Hidden)
	default:
		return "no"
	}
}

// checkedText says when a title was last looked for.
func checkedText(s engine.TitleState, now time.Time) string {
	if s.CheckedAt().IsZero() {
		return "never"
	}
	return ago(api.Unix(s.CheckedAt()), now)
}

// nextText says when a title is looked for next, "" where nobody does.
func nextText(s engine.TitleState, now time.Time) string {
	switch {
	case s.AirDate != "":
		return "airs " + s.AirDate
	case s.NextAt.IsZero():
		return ""
	default:
		return in(api.Unix(s.NextAt), now)
	}
}

// watchID reads the id of an entry.
func watchID(arg string) (int64, error) {
	id, err := strconv.ParseInt(arg, 10, 64)
	if err != nil || id < 1 {
		return 0, &usageError{msg: fmt.Sprintf("%q is no id of the watchlist", arg), hint: "xship watch list shows the ids"}
	}
	return id, nil
}

func newWatchNextCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "next ID",
		Short: "Move a series on to its next episode",
		Long: `Move a series on to its next episode, or to the first of the next season. The id
service knows which that is, and when it airs (setting ids.enabled); where it does
not, the sites of the interface in use tell. The precacher does not look for an
episode before it airs.`,
		Args: oneArg("the id of an entry"),
		RunE: func(cmd *cobra.Command, args []string) error { return runWatchNext(cmd.Context(), a, args[0]) },
	}
}

func runWatchNext(ctx context.Context, a *app, arg string) error {
	id, err := watchID(arg)
	if err != nil {
		return err
	}
	e, err := a.openEngine(ctx, nil)
	if err != nil {
		return err
	}
	moved, err := e.MoveOn(ctx, id, func(t sources.Title) (sources.ScanResult, error) {
		scan, err := a.scan(ctx, e, engine.ScanRequest{Title: t})
		return scan.ScanResult, err
	})
	if moved.Unsure != nil {
		a.warn("warning: it could not be found out whether there is %s: %v", moved.UnsureOf, moved.Unsure)
	}
	if err != nil {
		return err
	}
	a.note("%s", movedNote(moved))
	if a.asJSON() {
		doc := api.WatchChanged{WatchEntry: api.NewWatchEntry(moved.Entry), Added: moved.Added, Ended: moved.Ended, Unaired: moved.Unaired}
		if moved.Unaired {
			doc.AirsOn = moved.AirDate
		}
		return a.writeJSON(doc)
	}
	return nil
}

// movedNote says what became of an entry that was to move on.
func movedNote(moved engine.Moved) string {
	entry := moved.Entry
	switch {
	case moved.Ended:
		return fmt.Sprintf("%s is the last episode, nothing follows: number %d stays as it is", entry.Title, entry.ID)
	case moved.Unaired && moved.AirDate == "":
		return fmt.Sprintf("number %d is %s now, which has no air date yet", entry.ID, entry.Title)
	case moved.Unaired:
		return fmt.Sprintf("number %d is %s now, which airs on %s", entry.ID, entry.Title, moved.AirDate)
	default:
		return fmt.Sprintf("number %d is %s now", entry.ID, entry.Title)
	}
}
