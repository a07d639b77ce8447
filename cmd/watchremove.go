package cmd

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"xship/cmd/api"
	"xship/sources/text"
)

func newWatchRemoveCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "remove ID|TITLE...",
		Short: "Take titles off the watchlist",
		Long: `Take titles off the watchlist, each named by its number or its title. A name alone
is enough where it is that of one title only; else the message lists the numbers. Where
one of them is not found, all stay.`,
		Example: `  xship watch remove 3 5
  xship watch remove "Big Buck Bunny"
  xship watch remove "Some Series S01E02"`,
		Args: func(_ *cobra.Command, args []string) error {
			for _, arg := range args {
				if strings.TrimSpace(arg) == "" {
					args = nil
				}
			}
			if len(args) == 0 {
				return &usageError{msg: "watch remove needs the number or the title of an entry", hint: "xship watch list shows them"}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runWatchRemove(cmd.Context(), a, args) },
	}
}

func runWatchRemove(ctx context.Context, a *app, refs []string) error {
	e, err := a.engineWith(ctx, nil)
	if err != nil {
		return err
	}
	removed, err := e.Unwatch(ctx, refs)
	if err != nil {
		return err
	}
	doc := api.WatchRemoved{Removed: removed[0].ID}
	for _, entry := range removed {
		a.note("number %d, %s, is off the watchlist", entry.ID, text.Clean(entry.Title.String()))
		doc.All = append(doc.All, entry.ID)
	}
	if a.asJSON() {
		return a.writeJSON(doc)
	}
	return nil
}
