package cmd

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"xship/sources"
)

func newHostersCmd(a *app) *cobra.Command {
	return newGroupCmd("hosters", "The health of the hosters", newHostersStatsCmd(a), newHostersResetCmd(a))
}

// hostersDoc is the JSON document of xship hosters stats. Times are Unix
// seconds, 0 = never.
type hostersDoc struct {
	Guard   guardDoc    `json:"guard"`
	Hosters []hosterDoc `json:"hosters"`
}

type guardDoc struct {
	LastSuccessAt int64  `json:"last_success_at"`
	Network       string `json:"network"`
}

type hosterDoc struct {
	Name                    string `json:"name"`
	ConsecutiveFails        int    `json:"consecutive_fails"`
	BackoffUntil            int64  `json:"backoff_until"`
	BackoffRemainingSeconds int64  `json:"backoff_remaining_seconds"`
	Healthy                 bool   `json:"healthy"`
	Available               bool   `json:"available"`
	OKCount                 int64  `json:"ok_count"`
	FailCount               int64  `json:"fail_count"`
	LastSuccessAt           int64  `json:"last_success_at"`
	LastFailAt              int64  `json:"last_fail_at"`
	LastError               string `json:"last_error"`
}

func newHostersStatsCmd(a *app) *cobra.Command {
	var failing bool
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Show the hoster table",
		Args:  noArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return runHostersStats(cmd.Context(), a, failing) },
	}
	cmd.Flags().BoolVar(&failing, "failing", false, "only hosters in trouble")
	return cmd
}

func runHostersStats(ctx context.Context, a *app, failing bool) error {
	store, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	all, err := store.Hosters(ctx)
	if err != nil {
		return err
	}
	lastSuccess, err := store.LastSuccessAt(ctx)
	if err != nil {
		return err
	}
	now := a.Now()
	doc := hostersDoc{
		Guard:   guardDoc{LastSuccessAt: unix(lastSuccess), Network: networkState(lastSuccess, now)},
		Hosters: make([]hosterDoc, 0, len(all)),
	}
	for _, h := range all {
		if failing && h.Healthy() {
			continue
		}
		doc.Hosters = append(doc.Hosters, newHosterDoc(h, now))
	}
	if a.asJSON() {
		return a.writeJSON(doc)
	}
	if len(doc.Hosters) == 0 {
		if failing && len(all) > 0 {
			a.note("no hoster is in trouble")
		} else {
			a.note("no hoster has been tried yet")
		}
	}
	return a.write(hostersList(doc.Hosters))
}

// networkKnownFor is how long after a success the network counts as working.
const networkKnownFor = 30 * time.Second

// networkState says what the last success of any hoster tells of the network.
func networkState(lastSuccess, now time.Time) string {
	if age := now.Sub(lastSuccess); lastSuccess.IsZero() || age < -time.Second || age > networkKnownFor {
		return "unknown"
	}
	return "ok"
}

func newHosterDoc(h sources.HosterHealth, now time.Time) hosterDoc {
	remaining := h.BackoffUntil.Sub(now)
	return hosterDoc{
		Name:                    sources.CleanText(h.Name),
		ConsecutiveFails:        h.ConsecutiveFails,
		BackoffUntil:            unix(h.BackoffUntil),
		BackoffRemainingSeconds: wholeSeconds(remaining),
		Healthy:                 h.Healthy(),
		Available:               remaining <= 0,
		OKCount:                 h.OKCount,
		FailCount:               h.FailCount,
		LastSuccessAt:           unix(h.LastSuccessAt),
		LastFailAt:              unix(h.LastFailAt),
		LastError:               sources.CleanText(h.LastError),
	}
}

// state is the health of a hoster in words.
func (h hosterDoc) state() string {
	switch {
	case h.Healthy:
		return "healthy"
	case h.Available:
		return "hidden, free to retry"
	default:
		return fmt.Sprintf("hidden, backing off %d s", h.BackoffRemainingSeconds)
	}
}

func hostersList(hosters []hosterDoc) list {
	l := list{columns: []column{
		{name: "hoster", shrink: 2, min: 16},
		{name: "state", shrink: 3, min: 14},
		{name: "fails", right: true},
		{name: "ok", right: true},
		{name: "fail", right: true},
		{name: "last error", shrink: 1, min: 10},
	}}
	for _, h := range hosters {
		l.rows = append(l.rows, []string{
			h.Name, h.state(), strconv.Itoa(h.ConsecutiveFails), strconv.FormatInt(h.OKCount, 10), strconv.FormatInt(h.FailCount, 10), h.LastError,
		})
	}
	l.paint = func(row, column int, cell string) string {
		switch h := hosters[row]; {
		case l.columns[column].name != "state":
			return cell
		case h.Healthy:
			return paint(colourGood, cell)
		case h.Available:
			return paint(colourWarn, cell)
		default:
			return paint(colourBad, cell)
		}
	}
	return l
}

// hostersResetDoc is the JSON document of xship hosters reset.
type hostersResetDoc struct {
	Reset   int      `json:"reset"`
	Unknown []string `json:"unknown"`
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
	store, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	doc := hostersResetDoc{Unknown: []string{}}
	if len(names) == 0 {
		doc.Reset, err = store.ResetAllHosters(ctx)
	} else {
		for i, name := range names {
			names[i] = strings.ToLower(name)
		}
		var unknown []string
		unknown, err = store.ResetHosters(ctx, names)
		doc.Unknown = append(doc.Unknown, unknown...)
		doc.Reset = len(names) - len(unknown)
	}
	if err != nil {
		return err
	}
	a.note("set back %s", plural(doc.Reset, "hoster"))
	if a.asJSON() {
		if err := a.writeJSON(doc); err != nil {
			return err
		}
	}
	if len(doc.Unknown) > 0 {
		return &hintError{
			err:  fmt.Errorf("the hoster table has no %s", strings.Join(doc.Unknown, ", ")),
			hint: "see xship hosters stats",
		}
	}
	return nil
}

// unix is t in Unix seconds, 0 where it is not set.
func unix(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

// wholeSeconds is d rounded up, 0 where it is over.
func wholeSeconds(d time.Duration) int64 {
	return int64(math.Ceil(max(0, d).Seconds()))
}

// shortDuration is d for people: "7 s", "12 min", "3 h", "2 d".
func shortDuration(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", wholeSeconds(d))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	default:
		return fmt.Sprintf("%d d", int(d.Hours()/24))
	}
}
