package cmd

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"xship/sourcecache"
	"xship/sources"
	"xship/sources/text"
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
	LastErrorClass          string `json:"last_error_class"`
	State                   string `json:"state"`
	SuccessRate             *int   `json:"success_rate_percent"` // of all attempts, null where there was none
}

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
	store, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	doc, err := readHosters(ctx, store, failing, a.Now())
	if err != nil {
		return err
	}
	if a.asJSON() {
		return a.writeJSON(doc)
	}
	switch {
	case len(doc.Hosters) > 0 && a.format() == outputTable:
		table, err := a.hostersTable(doc)
		if err != nil {
			return err
		}
		_, err = a.Stdout.Write(table)
		return err
	case len(doc.Hosters) > 0:
	case failing:
		a.note("no hoster is in trouble")
	default:
		a.note("no hoster has been tried yet")
	}
	return a.write(hostersList(doc.Hosters))
}

// readHosters reads the hoster table as it is at now.
func readHosters(ctx context.Context, store *sourcecache.DB, failing bool, now time.Time) (hostersDoc, error) {
	all, err := store.Hosters(ctx)
	if err != nil {
		return hostersDoc{}, err
	}
	guard, err := store.Guard(ctx)
	if err != nil {
		return hostersDoc{}, err
	}
	doc := hostersDoc{
		Guard:   guardDoc{LastSuccessAt: unix(guard.LastSuccessAt), Network: string(guard.Network)},
		Hosters: make([]hosterDoc, 0, len(all)),
	}
	for _, h := range all {
		if !failing || !h.Healthy() {
			doc.Hosters = append(doc.Hosters, newHosterDoc(h, now))
		}
	}
	slices.SortStableFunc(doc.Hosters, byTrouble)
	return doc, nil
}

// byTrouble orders hosters: most fails first, then the longest block, then the
// worst record.
func byTrouble(a, b hosterDoc) int {
	return cmp.Or(
		cmp.Compare(b.ConsecutiveFails, a.ConsecutiveFails),
		cmp.Compare(b.BackoffRemainingSeconds, a.BackoffRemainingSeconds),
		cmp.Compare(a.rate(), b.rate()),
		cmp.Compare(a.Name, b.Name),
	)
}

// String is the guard in one line for people.
func (g guardDoc) String(now time.Time) string {
	last := "no hoster has worked yet"
	if g.LastSuccessAt != 0 {
		last = "last success " + shortDuration(now.Sub(time.Unix(g.LastSuccessAt, 0))) + " ago"
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

func newHosterDoc(h sources.HosterHealth, now time.Time) hosterDoc {
	remaining := h.BackoffUntil.Sub(now)
	doc := hosterDoc{
		Name:                    text.Clean(h.Name),
		ConsecutiveFails:        h.ConsecutiveFails,
		BackoffUntil:            unix(h.BackoffUntil),
		BackoffRemainingSeconds: wholeSeconds(remaining),
		Healthy:                 h.Healthy(),
		Available:               remaining <= 0,
		OKCount:                 h.OKCount,
		FailCount:               h.FailCount,
		LastSuccessAt:           unix(h.LastSuccessAt),
		LastFailAt:              unix(h.LastFailAt),
		LastError:               text.Clean(h.LastError),
		State:                   hosterState(h, now),
	}
	if doc.LastError != "" {
		doc.LastErrorClass = string(sources.ClassHosterFault) // nothing else touches a hoster
	}
	if n := h.OKCount + h.FailCount; n > 0 {
		rate := int(100 * h.OKCount / n)
		doc.SuccessRate = &rate
	}
	return doc
}

// hosterState is the health of a hoster in words.
func hosterState(h sources.HosterHealth, now time.Time) string {
	switch remaining := h.BackoffUntil.Sub(now); {
	case h.Healthy():
		return "healthy"
	case remaining <= 0:
		return "hidden, waiting for a probe"
	default:
		return fmt.Sprintf("hidden, backing off until %s (%d s)", h.BackoffUntil.In(now.Location()).Format(time.TimeOnly), wholeSeconds(remaining))
	}
}

// rate is the success rate in percent; a hoster that was never tried is good.
func (h hosterDoc) rate() int {
	if h.SuccessRate == nil {
		return 100
	}
	return *h.SuccessRate
}

// shortState is State for a table: it tells how long a hoster is still blocked,
// not until when.
func (h hosterDoc) shortState() string {
	if h.BackoffRemainingSeconds == 0 {
		return h.State
	}
	return fmt.Sprintf("hidden, backing off %d s", h.BackoffRemainingSeconds)
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

func hostersList(hosters []hosterDoc) list {
	l := list{columns: []column{
		{name: "hoster", shrink: 2, min: 14},
		{name: "state", noTSV: true},
		{name: "state", tsvOnly: true},
		{name: "fails", right: true},
		{name: "ok", right: true},
		{name: "fail", right: true},
		{name: "success", noTSV: true},
		{name: "success percent", tsvOnly: true},
		{name: "last error", noTSV: true, shrink: 1, min: 6},
		{name: "last error", tsvOnly: true},
		{name: "last error class", tsvOnly: true},
	}}
	for _, h := range hosters {
		bar, percent, lastError := "", "", withoutLink(h.LastError)
		if h.SuccessRate != nil {
			bar, percent = rateBar(*h.SuccessRate), strconv.Itoa(*h.SuccessRate)
		}
		if lastError != "" {
			lastError += " (" + h.LastErrorClass + ")"
		}
		l.rows = append(l.rows, []string{
			h.Name, h.shortState(), h.State, strconv.Itoa(h.ConsecutiveFails), strconv.FormatInt(h.OKCount, 10), strconv.FormatInt(h.FailCount, 10), bar, percent,
			lastError, h.LastError, h.LastErrorClass,
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
