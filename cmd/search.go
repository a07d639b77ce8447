package cmd

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"xship/cmd/api"
	"xship/cmd/engine"
	"xship/cmd/term"
	"xship/sources"
	"xship/sources/match"
	"xship/sources/text"
)

// searchOptions are what the flags of xship search mean.
type searchOptions struct {
	request   engine.ScanRequest
	overrides map[string]any // settings that flags gave, by key
}

// newSearchCmd is xship search; run gets what its flags mean.
func newSearchCmd(a *app, run func(context.Context, *app, searchOptions) error) *cobra.Command {
	var o searchOptions
	var year int
	cmd := &cobra.Command{
		Use:   "search TITLE",
		Short: "List the titles that the sites know: films and series",
		Long: `Ask the sites of the interface in use for a name, and list the films and series
that they have of it or of one like it, the most alike first: from there scan and
play go on. EPISODES counts those that some site has.`,
		Example: `  xship search "big buck"
  xship search "Some Series" -o json
  xship search "Night of the Living Dead" -y 1968`,
		Args:              oneTitle,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if o.request.Title, err = searchedTitle(a, cmd, year, args[0]); err != nil {
				return err
			}
			o.overrides = settingFlags(cmd.Flags(), map[string]string{"timeout": "scan.timeout"})
			return run(cmd.Context(), a, o)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	decimalVar(flags, &year, "year", "y", "`YEAR` of the first release")
	flags.BoolVar(&o.request.Refresh, "refresh", false, "ask again, whatever the cache has and whichever site rests")
	flags.StringVar(&o.request.Interface, "interface", "", "use the interface at this `URL`, path or name for this run only")
	flags.String("timeout", "", "`TIME` for the whole search, such as 20s (setting scan.timeout)")
	return cmd
}

// searchedTitle is what is searched for with words: the name, and the year if there is
// one. An episode is left out of it; what may be of the name stays.
func searchedTitle(a *app, cmd *cobra.Command, year int, words string) (sources.Title, error) {
	o := titleOptions{year: year}
	asked, err := o.ask(cmd, words)
	if err != nil {
		return sources.Title{}, err
	}
	t := sources.Title{Kind: sources.KindMovie, Name: asked.Title.Name, Year: asked.Title.Year}
	if asked.OfSeason != nil {
		t.Name, _ = match.SplitYear(strings.TrimSpace(words))
	}
	if asked.note != "" && t.Name != strings.TrimSpace(words) {
		a.note("%q is searched for as %s", strings.TrimSpace(words), readingName(engine.Reading{Title: t}))
	}
	return t, nil
}

// runSearch lists the titles that sites know. Where the search ends with an error, the
// list is written as far as it came; as JSON also an empty one, where no site answered.
func runSearch(ctx context.Context, a *app, o searchOptions) error {
	e, err := a.openEngine(ctx, o.overrides)
	if err != nil {
		return err
	}
	update, stop := a.startProgress(ctx)
	o.request.Progress = update
	a.attend(&o.request)
	o.request.Taken = nil // a name is what is searched for, and no title in particular
	scan, err := e.Search(ctx, o.request)
	stop()
	titles := scan.Titles()
	if _, noAnswer := errors.AsType[*sources.NoAnswerError](err); err != nil && len(titles) == 0 && (!noAnswer || !a.asJSON()) {
		return err
	}
	if writeErr := a.writeTitles(titles); writeErr != nil {
		return errors.Join(err, writeErr)
	}
	if err == nil || len(titles) > 0 { // otherwise the error says it
		a.notes(searchNotes(&scan, titles))
	}
	return err
}

func (a *app) writeTitles(titles []engine.SeenTitle) error {
	if a.asJSON() {
		return a.writeJSON(api.NewTitles(titles))
	}
	return a.write(titleList(titles))
}

// titleList are titles as rows.
func titleList(titles []engine.SeenTitle) term.List {
	l := term.List{Columns: []term.Column{
		{Name: "name", Shrink: 2, Min: 16},
		{Name: "year", Right: true},
		{Name: "kind"},
		{Name: "episodes", Right: true},
		{Name: "sites", TSVOnly: true},
		{Name: "sites", NoTSV: true, Shrink: 1, Min: 8},
	}}
	for i, doc := range api.NewTitles(titles).Titles {
		year, episodes := "", ""
		if doc.Year != nil {
			year = strconv.Itoa(*doc.Year)
		}
		if doc.Episodes > 0 {
			episodes = strconv.Itoa(doc.Episodes)
		}
		l.Rows = append(l.Rows, []string{doc.Name, year, doc.Kind, episodes, strings.Join(doc.Sites, ","), someNames(titles[i].Sites, toldSites)})
	}
	return l
}

// searchNotes say how the search went, and how to go on from what it found.
func searchNotes(scan *engine.Scan, titles []engine.SeenTitle) []string {
	answered := answeredSites(scan)
	var lines []string
	switch {
	case len(titles) == 0:
		lines = append(lines, fmt.Sprintf("no title found for %s: %s answered and none knows one", scan.Title, text.Plural(answered, "site")))
	case scan.FromCache:
		lines = append(lines, text.Plural(len(titles), "title")+" from the cache; --refresh asks again")
	default:
		lines = append(lines, fmt.Sprintf("%s from %s in %s", text.Plural(len(titles), "title"), text.Plural(answered, "site"), elapsed(scan.Elapsed)))
	}
	return append(append(lines, siteNotes(&engine.List{Scan: *scan})...), wayOnNotes(titles)...)
}

// wayOnNotes say what to type for the first film and the first series.
func wayOnNotes(titles []engine.SeenTitle) []string {
	var lines []string
	told := make(map[sources.Kind]bool)
	for _, t := range titles {
		if told[t.Kind] {
			continue
		}
		told[t.Kind] = true
		what := "sources"
		if t.Kind == sources.KindEpisode {
			what = "episodes"
		}
		lines = append(lines, fmt.Sprintf("for the %s of %s: %s", what, engine.NameAndYear(t.Name, t.Year), engine.TitleLine("scan", t.Title, nil)))
	}
	return lines
}
