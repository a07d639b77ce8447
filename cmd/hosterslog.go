package cmd

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"xship/cmd/api"
	"xship/cmd/term"
	"xship/sources"
	"xship/sources/text"
)

func newHostersLogCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "log NAME",
		Short: "Show what became of the last attempts at a hoster",
		Long: `Show the last attempts at a hoster, newest first: the link, whose fault the outcome
was, and what that changed.

Effects: recovered, counted, same_incident (of a block that ran already), unguarded
(nothing showed that the network was up), in_outage, awaits_canary (it counts if a
link that worked lately still does), suspect_link (the link's fault: it failed before,
and its hoster worked since), link_gone, taken_back (the network turned out to be
down), none.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return &usageError{msg: "hosters log needs the name of one hoster", hint: "see xship hosters stats"}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runHostersLog(cmd.Context(), a, args[0]) },
	}
}

func runHostersLog(ctx context.Context, a *app, name string) error {
	e, err := a.engineWith(ctx, nil)
	if err != nil {
		return err
	}
	hoster, events, err := e.HosterEvents(ctx, name)
	if errors.Is(err, sources.ErrUnknownHoster) {
		return unknownHosters(ctx, e, []string{hoster})
	}
	if err != nil {
		return err
	}
	doc := api.NewHosterLog(hoster, events)
	if a.asJSON() {
		return a.writeJSON(doc)
	}
	if len(doc.Events) == 0 {
		a.note("no attempt at %s is on record", doc.Hoster)
	}
	return a.write(hosterLogList(doc.Events, a.Now()))
}

func hosterLogList(events []api.HosterEvent, now time.Time) term.List {
	l := term.List{Columns: []term.Column{
		{Name: "ago", NoTSV: true, Right: true},
		{Name: "at", TSVOnly: true},
		{Name: "class"},
		{Name: "effect"},
		{Name: "fails", Right: true},
		{Name: "backoff", NoTSV: true, Right: true},
		{Name: "backoff seconds", TSVOnly: true},
		{Name: "link", Shrink: 1, Min: 12},
	}}
	for _, e := range events {
		backoff := ""
		if e.BackoffSeconds > 0 {
			backoff = fmt.Sprintf("%d s", e.BackoffSeconds)
		}
		l.Rows = append(l.Rows, []string{
			text.ShortDuration(max(0, now.Sub(time.Unix(e.At, 0)))), strconv.FormatInt(e.At, 10), e.Class, e.Effect,
			strconv.Itoa(e.Fails), backoff, strconv.FormatInt(e.BackoffSeconds, 10), e.Link,
		})
	}
	return l
}
