package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"xship/cmd/api"
	"xship/cmd/engine"
	"xship/sources/text"
)

func newWatchImportCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE|-",
		Short: "Put a list of titles on the watchlist",
		Long: `Put a list of titles on the watchlist: one a line, as people write them, from a file or
with - from standard input. Blank lines, lines that begin with # and marks such as "- "
and "1. " do not count.

  Big Buck Bunny (2008)
  - Some Series S01E02
  Night of the Living Dead (1968) tt0063350

What xship watch list writes (-o json or tsv) comes back, and a table with the columns
name or title, year and such is read, as Letterboxd and IMDb export it. A line that is no
title is named and left out, and the exit code is 1. The first title is watched soonest.`,
		Example: `  xship watch import films.txt
  xship watch list -o json | ssh other xship watch import -`,
		Args: oneArg("a file, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error { return runWatchImport(cmd.Context(), a, args[0]) },
	}
}

// maxTitleList bounds a list of titles, in bytes.
const maxTitleList = 16 << 20

// mostNamed is how many lines that are left out the user is told of.
const mostNamed = 20

func runWatchImport(ctx context.Context, a *app, file string) error {
	raw, err := a.readInput(ctx, file, maxTitleList, "type a title a line; Ctrl-D ends the list")
	if err != nil {
		return text.WithHint(err, "xship watch import FILE reads a list of titles, and xship watch add TITLE takes one title")
	}
	name := inputName(file)
	list, err := engine.ReadTitleList(raw)
	if err != nil {
		return fmt.Errorf("%s is no list of titles: %w", name, err)
	}
	e, err := a.engineWith(ctx, nil)
	if err != nil {
		return err
	}
	doc := api.WatchImported{File: file, LeftOut: []api.LeftOutLine{}}
	if len(list.Entries) > 0 {
		if doc.Added, doc.Already, err = e.WatchAll(ctx, list.Entries); err != nil {
			return err
		}
	}
	for _, l := range list.LeftOut {
		doc.LeftOut = append(doc.LeftOut, api.LeftOutLine{Line: l.Line, Text: l.Text, Why: l.Why})
	}
	part, parts := "line", "lines"
	if list.Document {
		part, parts = "entry", "entries"
	}
	a.noteImported(name, part, doc)
	if a.asJSON() {
		if err := a.writeJSON(doc); err != nil {
			return err
		}
	}
	if n := len(doc.LeftOut); n > 0 {
		return text.WithHint(fmt.Errorf("%d %s of %s %s no title and %s left out", n, oneOrMore(n, part, parts), name, oneOrMore(n, "holds", "hold"), oneOrMore(n, "was", "were")),
			"correct the list and import it again: what was on the watchlist already is there once")
	}
	return nil
}

// oneOrMore is the form of a word for n things.
func oneOrMore(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

// noteImported tells what became of a list, each part of which is called so.
func (a *app) noteImported(name, part string, doc api.WatchImported) {
	if !a.asJSON() {
		for i, l := range doc.LeftOut {
			if i == mostNamed {
				a.warn("and %d more; -o json lists them all", len(doc.LeftOut)-mostNamed)
				break
			}
			a.warn("%s %d is left out: %s: %s", part, l.Line, text.Quote(l.Text), l.Why)
		}
	}
	switch {
	case doc.Added+doc.Already == 0:
		a.note("%s holds no title", name)
	case doc.Already == 0:
		a.note("added %s to the watchlist", text.Plural(doc.Added, "title"))
	default:
		a.note("added %s to the watchlist; %d %s on it already", text.Plural(doc.Added, "title"), doc.Already, oneOrMore(doc.Already, "was", "were"))
	}
}
