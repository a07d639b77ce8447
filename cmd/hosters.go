package cmd

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"xship/cmd/api"
	"xship/cmd/engine"
	"xship/cmd/term"
	"xship/sources"
	"xship/sources/text"
)

func newHostersCmd(a *app) *cobra.Command {
	return newGroupCmd("hosters", "The health of the hosters", newHostersStatsCmd(a), newHostersLogCmd(a), newHostersResetCmd(a))
}

// hostersEvery is the time between two looks at the hoster table.
const hostersEvery = 2 * time.Second

func newHostersStatsCmd(a *app) *cobra.Command {
	var failing, watch bool
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Show the hoster table, those in most trouble first",
		Long: `Show what is known of the hosters, those in most trouble first. A hoster that
failed is hidden until it works again: it is backing off, or waits for the next
probe.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if watch {
				return runHostersWatch(cmd.Context(), a, failing)
			}
			return runHostersStats(cmd.Context(), a, failing)
		},
	}
	cmd.Flags().BoolVar(&failing, "failing", false, "only hosters in trouble")
	cmd.Flags().BoolVar(&watch, "watch", false, "show it again and again; q ends it")
	return cmd
}

func runHostersStats(ctx context.Context, a *app, failing bool) error {
	e, err := a.engineWith(ctx, nil)
	if err != nil {
		return err
	}
	doc, err := a.collectHosters(ctx, e, failing)
	if err != nil {
		return err
	}
	if a.asJSON() {
		return a.writeJSON(doc)
	}
	switch {
	case len(doc.Hosters) > 0 && a.format() == outputTable:
		return a.writeHostersTable(a.Stdout, doc)
	case len(doc.Hosters) > 0:
	case failing:
		a.note("no hoster is in trouble")
	default:
		a.note("no hoster has been tried yet")
	}
	return a.write(hostersList(doc.Hosters))
}

func (a *app) collectHosters(ctx context.Context, e *engine.Engine, failing bool) (api.Hosters, error) {
	all, guard, err := e.Hosters(ctx, failing)
	if err != nil {
		return api.Hosters{}, err
	}
	hours, err := e.HosterHours(ctx)
	if err != nil {
		return api.Hosters{}, err
	}
	doc := api.NewHosters(all, guard, a.Now())
	doc.SetHours(hours)
	return doc, nil
}

// runHostersWatch shows the hoster table in place until q or Ctrl-C. What it
// showed last stays on the screen.
func runHostersWatch(ctx context.Context, a *app, failing bool) error {
	if !a.Stdout.Terminal || a.format() != outputTable {
		return &usageError{msg: "hosters stats --watch needs a terminal, and -o table", hint: "leave out --watch to see the table once"}
	}
	e, err := a.engineWith(ctx, nil)
	if err != nil {
		return err
	}
	return term.Watch(ctx, a.Stdin, a.Stdout, hostersEvery, func(ctx context.Context) ([]byte, error) {
		doc, err := a.collectHosters(ctx, e, failing)
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		err = a.writeHostersTable(&b, doc)
		return b.Bytes(), err
	})
}

// writeHostersTable writes the guard and the hoster table for people.
func (a *app) writeHostersTable(w io.Writer, doc api.Hosters) error {
	if _, err := fmt.Fprintln(w, guardLine(doc.Guard, a.Now())); err != nil {
		return err
	}
	if len(doc.Hosters) == 0 {
		_, err := fmt.Fprintln(w, "no hoster to show")
		return err
	}
	l := hostersList(doc.Hosters)
	addStrip(&l, doc.Hosters, a.Now(), a.Stdout.Columns(), a.showsUnicode)
	return l.WriteTable(w, a.Stdout.Columns(), a.colour(a.Stdout))
}

// guardLine is the guard in one line for people.
func guardLine(g api.Guard, now time.Time) string {
	last := "no hoster has worked yet"
	if g.LastSuccessAt != 0 {
		last = "last success " + text.ShortDuration(now.Sub(time.Unix(g.LastSuccessAt, 0))) + " ago"
	}
	meaning := ""
	switch sources.NetworkState(g.Network) {
	case sources.NetworkSuspect:
		meaning = " (several failed, none worked since)"
	case sources.NetworkOutage:
		meaning = " (no fail counts until something works)"
	case sources.NetworkUnknown:
		meaning = " (nothing has worked lately)"
	case sources.NetworkOK:
	}
	return fmt.Sprintf("network %s%s, %s", g.Network, meaning, last)
}

// shortState is the state of a hoster for a table: it tells how long a hoster is still blocked,
// not until when, and whether it ever worked.
func shortState(h api.Hoster) string {
	switch never := !h.Healthy && h.OKCount == 0; {
	case never && h.BackoffRemainingSeconds > 0:
		return fmt.Sprintf("never worked, hidden %d s", h.BackoffRemainingSeconds)
	case never:
		return "hidden, never worked"
	case h.BackoffRemainingSeconds > 0:
		return fmt.Sprintf("hidden, backing off %d s", h.BackoffRemainingSeconds)
	default:
		return h.State
	}
}

// withoutLink is the error of a hoster without the request that it begins with:
// its row says where that went.
func withoutLink(message string) string {
	request, what, ok := strings.Cut(message, ": ")
	if method, link, found := strings.Cut(request, " "); ok && found && method == "GET" && !strings.Contains(link, " ") {
		return what
	}
	return message
}

// rateBar draws a success rate: "██░  80 %".
func rateBar(percent int) string {
	const width = 3
	full := (percent*width + 50) / 100
	return fmt.Sprintf("%s%s %3d %%", strings.Repeat("█", full), strings.Repeat("░", width-full), percent)
}

// shortWhy is what a table says of what else decides about a hoster: not that the network
// is down, which its first line says, nor that fails are provisional, as all are at first.
func shortWhy(h api.Hoster) string {
	why := slices.DeleteFunc(slices.Clone(h.Why), func(w string) bool { return w == api.WhyProvisional || w == api.WhyOutage })
	return strings.Join(why, ", ")
}

// hostersList is the hoster table as rows. In a narrow terminal the counts give way, then
// the error; name and state stay.
func hostersList(hosters []api.Hoster) term.List {
	notable := slices.ContainsFunc(hosters, func(h api.Hoster) bool { return shortWhy(h) != "" })
	l := term.List{Narrow: twoLines, Columns: []term.Column{
		{Name: "hoster", Shrink: 2, Min: 12},
		{Name: "state", NoTSV: true, Wrap: notable, Min: 15, Drop: 9, Beneath: true},
		{Name: "state", TSVOnly: true},
		{Name: "fails", Right: true, Drop: 6},
		{Name: "ok", Right: true, Drop: 3},
		{Name: "fail", Right: true, Drop: 4},
		{Name: "success", NoTSV: true, Drop: 5},
		{Name: "success percent", TSVOnly: true},
		{Name: "last error", NoTSV: true, Shrink: 1, Min: 10, Drop: 7},
		{Name: "last error", TSVOnly: true},
		{Name: "last error class", TSVOnly: true},
		{Name: "why", TSVOnly: true},
	}}
	if notable {
		l.Columns = append(l.Columns, term.Column{Name: "why", NoTSV: true, Wrap: true, Min: 14, Drop: 8})
	}
	for _, h := range hosters {
		bar, percent, lastError := "", "", withoutLink(h.LastError)
		if h.SuccessRate != nil {
			bar, percent = rateBar(*h.SuccessRate), strconv.Itoa(*h.SuccessRate)
		}
		if lastError != "" {
			lastError += " (" + h.LastErrorClass + ")"
		}
		row := []string{
			h.Name, shortState(h), h.State, strconv.Itoa(h.ConsecutiveFails), strconv.FormatInt(h.OKCount, 10), strconv.FormatInt(h.FailCount, 10), bar, percent,
			lastError, h.LastError, h.LastErrorClass, strings.Join(h.Why, ", "),
		}
		if notable {
			row = append(row, shortWhy(h))
		}
		l.Rows = append(l.Rows, row)
	}
	l.Paint = func(row, column int, cell string) string {
		switch h := hosters[row]; {
		case l.Columns[column].Name != "state":
			return cell
		case h.Healthy && h.OKCount == 0:
			return term.Paint(term.ColourWarn, cell) // nothing good is known of it
		case h.Healthy:
			return term.Paint(term.ColourGood, cell)
		case h.Available:
			return term.Paint(term.ColourWarn, cell)
		default:
			return term.Paint(term.ColourBad, cell)
		}
	}
	return l
}

func newHostersResetCmd(a *app) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "reset NAME... | --all",
		Short: "Set back the health of hosters by hand",
		Long:  "Take back the fails and blocks of hosters, so that their sources are listed again.",
		Args: func(cmd *cobra.Command, args []string) error {
			hint := "usage: " + cmd.UseLine()
			switch {
			case len(args) == 0 && !all:
				return &usageError{msg: "hosters reset needs the name of a hoster, or --all", hint: hint}
			case len(args) > 0 && all:
				return &usageError{msg: "hosters reset takes names or --all, not both", hint: hint}
			default:
				return nil
			}
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runHostersReset(cmd.Context(), a, args) },
	}
	cmd.Flags().BoolVar(&all, "all", false, "all hosters")
	return cmd
}

// runHostersReset sets back the named hosters, all where there are no names.
func runHostersReset(ctx context.Context, a *app, names []string) error {
	e, err := a.engineWith(ctx, nil)
	if err != nil {
		return err
	}
	reset, unknown, err := e.ResetHosters(ctx, names)
	if err != nil {
		return err
	}
	a.note("set back %s", text.Plural(reset, "hoster"))
	if a.asJSON() {
		if err := a.writeJSON(api.HostersReset{Reset: reset, Unknown: append([]string{}, unknown...)}); err != nil {
			return err
		}
	}
	if len(unknown) > 0 {
		return unknownHosters(ctx, e, unknown)
	}
	return nil
}

// unknownHosters is the error of names that the hoster table does not have. It names those
// that were probably meant.
func unknownHosters(ctx context.Context, e *engine.Engine, names []string) error {
	all, _, err := e.Hosters(ctx, false)
	if err != nil {
		return err
	}
	known := make([]string, len(all))
	for i, h := range all {
		known[i] = h.Name
	}
	var near []string
	for _, name := range names {
		if n := text.Nearest(name, known); n != "" && !slices.Contains(near, n) {
			near = append(near, n)
		}
	}
	hint := "see xship hosters stats"
	if len(near) > 0 {
		hint = "did you mean " + strings.Join(near, ", ") + "?"
	}
	return text.WithHint(fmt.Errorf("the hoster table has no %s", text.Clean(strings.Join(names, ", "))), hint)
}
