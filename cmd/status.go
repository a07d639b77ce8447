package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"xship/cmd/api"
	"xship/cmd/engine"
	"xship/cmd/term"
	"xship/config"
	"xship/sources"
	"xship/sources/text"
)

func newStatusCmd(a *app) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show how things stand: the daemon, watched titles, hosters, accounts",
		Long: `Show what the precacher does, which titles of the watchlist can be played, which
hosters are in trouble, which interface is in use and how that came, and what the
accounts are paid for. Nothing is asked of the network.

The exit code is 1 where something is to be done about a problem: an account is
refused, or what it is paid for ends within 14 days; no interface could be loaded
the last time, and there is no older copy; the database or the settings cannot be
used; or there is a watchlist, and no cycle of the precacher ran to its end within
three of its intervals. A hoster in trouble and a title without a source are none.`,
		Example: `  xship status
  xship status -o json | jq .problems`,
		Args:        noArgs,
		Annotations: map[string]string{outputsAnnotation: outputTable + "," + outputJSON},
		RunE:        func(cmd *cobra.Command, _ []string) error { return runStatus(cmd.Context(), a, all) },
	}
	cmd.Flags().BoolVar(&all, "all", false, "all titles without a source and all hosters in trouble, not only the first")
	return cmd
}

// statusWait is how long the status waits for a database that is locked.
const statusWait = time.Second

func runStatus(ctx context.Context, a *app, all bool) error {
	status, err := a.collectStatus(ctx)
	if err != nil {
		return err
	}
	doc := api.NewStatus(status)
	if a.asJSON() {
		err = a.writeJSON(doc)
	} else {
		err = a.writeLine(strings.Join(a.statusLines(doc, all), "\n"))
	}
	if err == nil && len(doc.Problems) > 0 {
		err = errReported
	}
	return err
}

// collectStatus finds out how things stand with what can be opened. It makes nothing.
func (a *app) collectStatus(ctx context.Context) (*engine.Status, error) {
	var req engine.StatusRequest
	a.warnIgnored()
	settings, err := a.loadSettings(nil)
	if err != nil {
		req.SettingsErr = err
		settings, _ = config.Load(config.LoadOptions{}) // the defaults are right
	}
	a.storeWait = statusWait
	dir := a.dataDir()
	switch {
	case dir == "":
		req.StoreErr = text.WithHint(errors.New("there is no home directory to keep data in"), "name a directory with --data-dir")
	case !engine.NothingStored(dir):
		store, err := a.openStore(ctx, settings)
		if req.StoreErr = err; err == nil {
			req.StoreErr = store.ReadOnly()
		}
	}
	c := a.engineConfig(settings, a.store)
	c.Warn = func(string) {} // the doctor tells it
	e, err := engine.Open(c)
	if err != nil {
		return nil, err
	}
	a.engine = e
	return e.Status(ctx, req), ctx.Err()
}

// statusSection is what the status says of one thing: lines, and entries of which only the
// first are shown where there is no room for more.
type statusSection struct {
	name    string
	lines   []string
	entries []string
	colour  string // "" = plain
}

// statusLines is the status for people, on one screen unless all is wanted.
func (a *app) statusLines(doc api.Status, all bool) []string {
	sections := statusSections(doc, a.Now())
	width := 0
	for _, s := range sections {
		width = max(width, len(s.name))
	}
	width += term.ColumnGap
	shown := func(limit int) []string {
		var lines []string
		for _, s := range sections {
			lines = append(lines, a.sectionLines(s, width, limit)...)
		}
		return lines
	}
	limit := 0
	for _, s := range sections {
		limit = max(limit, len(s.entries))
	}
	lines := shown(limit)
	for !all && limit > 0 && len(lines) >= a.Stdout.Lines() { // the last line is for the prompt
		if limit > a.Stdout.Lines() {
			limit = a.Stdout.Lines()
		}
		limit--
		lines = shown(limit)
	}
	return lines
}

// sectionLines are the lines of a section whose entries are at most limit.
func (a *app) sectionLines(s statusSection, width, limit int) []string {
	texts := slices.Clone(s.lines)
	if more := len(s.entries) - limit; more > 1 || more == 1 && limit == 0 { // what is left takes as much room as to say so
		if limit > 0 {
			texts = append(texts, s.entries[:limit]...)
			texts = append(texts, fmt.Sprintf("and %d more", more))
		}
	} else {
		texts = append(texts, s.entries...)
	}
	var lines []string
	for i, what := range texts {
		head := strings.Repeat(" ", width)
		if i == 0 {
			head = fmt.Sprintf("%-*s", width, s.name)
			if s.colour != "" && a.colour(a.Stdout) {
				head = term.Paint(s.colour, head)
			}
		}
		lines = append(lines, term.Hanging(head, width, what, a.Stdout.Columns())...)
	}
	return lines
}

// notRead is said of what stands in a database that cannot be read.
const notRead = "not known"

func statusSections(doc api.Status, now time.Time) []statusSection {
	sections := []statusSection{
		{name: "daemon", lines: daemonTexts(doc.Daemon, now), colour: goodIf(doc.Daemon.Running)},
		titlesSection(doc, now),
		hostersSection(doc),
		{name: "network", lines: []string{doc.Network}, colour: networkColour(doc.Network)},
		{name: "interface", lines: []string{interfaceText(doc, now)}, colour: goodIf(doc.Interface.LastError == "")},
	}
	accounts := statusSection{name: "accounts", colour: term.ColourGood}
	for _, account := range doc.Accounts {
		accounts.lines = append(accounts.lines, accountText(account, now))
		if account.State != string(engine.RestNone) {
			accounts.colour = term.ColourWarn
		}
	}
	if len(accounts.lines) == 0 {
		accounts.lines, accounts.colour = []string{"none; xship works without"}, ""
	}
	sections = append(sections, accounts)
	if len(doc.Problems) > 0 {
		sections = append(sections, statusSection{name: "problems", lines: doc.Problems, colour: term.ColourBad})
	}
	return sections
}

func goodIf(good bool) string {
	if good {
		return term.ColourGood
	}
	return term.ColourWarn
}

func networkColour(network string) string {
	switch sources.NetworkState(network) {
	case sources.NetworkOK:
		return term.ColourGood
	case sources.NetworkOutage:
		return term.ColourBad
	case sources.NetworkSuspect:
		return term.ColourWarn
	default:
		return ""
	}
}

// howLong is the time since a moment, for people.
func howLong(since int64, now time.Time) string {
	return text.ShortDuration(max(0, now.Sub(time.Unix(since, 0))))
}

// ago is how long ago something was, for people.
func ago(at int64, now time.Time) string { return howLong(at, now) + " ago" }

// in is how long something takes to come, for people.
func in(at int64, now time.Time) string {
	left := time.Unix(at, 0).Sub(now)
	if left <= 0 {
		return "now"
	}
	return "in " + text.ShortDuration(left)
}

// startDaemon is the advice on a daemon that does not run.
const startDaemon = "; xship precache starts it"

func daemonTexts(d api.StatusDaemon, now time.Time) []string {
	var first string
	switch {
	case d.Once && d.Since != 0:
		first = "runs a single cycle, for " + howLong(d.Since, now)
	case d.Once:
		first = "runs a single cycle"
	case d.Running && d.Since != 0:
		first = "has run for " + howLong(d.Since, now)
	case d.Running:
		first = "runs"
	default:
		first = "does not run" + startDaemon
	}
	if d.PID != 0 {
		first += fmt.Sprintf(" (process %d)", d.PID)
	}
	if d.Older {
		first += ", of an older xship that tells of no cycle"
	}
	texts := []string{first}
	if d.LastCycle != nil {
		texts = append(texts, "last cycle "+ago(d.LastCycle.EndedAt, now)+": "+cycleText(*d.LastCycle))
	}
	switch {
	case d.CycleSince != 0:
		texts = append(texts, "a cycle has been running for "+howLong(d.CycleSince, now))
	case d.NextCycleAt != 0:
		texts = append(texts, "next cycle "+in(d.NextCycleAt, now))
	}
	return texts
}

// cycleText is what a cycle did, for people.
func cycleText(c api.Cycle) string {
	switch {
	case c.Interrupted:
		return "interrupted"
	case c.Error != "":
		return "broken off, " + c.Error
	}
	parts := []string{text.Plural(c.Titles, "title")}
	for _, p := range []struct {
		n    int
		what string
	}{{c.TitlesFailed, "not scanned"}, {c.Resolved, "resolved"}, {c.Probed, "proven"}, {c.Failed, "failed"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	return strings.Join(parts, ", ")
}

func titlesSection(doc api.Status, now time.Time) statusSection {
	t := doc.Titles
	s := statusSection{name: "titles", colour: goodIf(t.WithoutSource == 0)}
	if t.Total == 0 {
		s.lines, s.colour = []string{"none watched; xship watch add TITLE"}, ""
		if doc.Unread {
			s.lines = []string{notRead}
		}
		return s
	}
	s.lines = []string{fmt.Sprintf("%d of %d ready", t.Ready, t.Total)}
	for _, w := range t.Waiting {
		s.entries = append(s.entries, titleText(w.Title)+": "+waitingText(w, now))
	}
	return s
}

// titleText is a title in one line.
func titleText(t api.Title) string {
	title := sources.Title{Kind: sources.Kind(t.Kind), Name: t.Name}
	if t.Year != nil {
		title.Year = *t.Year
	}
	if t.Season != nil && t.Episode != nil {
		title.Season, title.Episode = *t.Season, *t.Episode
	}
	return title.String()
}

// waitingText is why a title cannot be played.
func waitingText(w api.StatusWaiting, now time.Time) string {
	switch {
	case w.AirsOn != "":
		return "airs on " + w.AirsOn
	case w.Hidden > 0:
		return fmt.Sprintf("%d hidden", w.Hidden)
	case w.CheckedAt == 0:
		return "not looked for yet"
	case w.Since != 0:
		return "no source for " + howLong(w.Since, now)
	default:
		return "no source"
	}
}

func hostersSection(doc api.Status) statusSection {
	h := doc.Hosters
	s := statusSection{name: "hosters", colour: goodIf(h.Failing == 0), entries: h.InTrouble}
	switch {
	case h.Total == 0 && doc.Unread:
		s.lines, s.colour = []string{notRead}, ""
	case h.Total == 0:
		s.lines, s.colour = []string{"none tried yet"}, ""
	case h.Failing == 0:
		s.lines = []string{fmt.Sprintf("%d known, none in trouble", h.Total)}
	default:
		s.lines = []string{fmt.Sprintf("%d known, %d in trouble", h.Total, h.Failing)}
	}
	return s
}

// interfaceText is the interface in use, and how it came to be that.
func interfaceText(doc api.Status, now time.Time) string {
	i := doc.Interface
	if doc.Unread && i.How == api.HowBuiltin { // which is that of who has added none
		return notRead
	}
	what := cmp.Or(i.Name, i.URL)
	since := ""
	if i.Since != 0 {
		since = " " + ago(i.Since, now)
	}
	switch sources.InterfaceHow(i.How) {
	case sources.UseFirst:
		what += ", the first one that was added"
	case sources.UseChosen:
		what += ", chosen" + since
	case sources.UseSwitched:
		what += ", failed over" + since
		if n := len(i.FailedOverFrom); n > 0 {
			what += " from " + strings.Join(i.FailedOverFrom, ", ")
		}
	case sources.UseRemoved:
		what += ", in use as the one before was removed" + since
	case sources.UseUnknown:
	}
	if i.LastError != "" {
		what += "; could not be loaded: " + i.LastError
	}
	return what
}

func accountText(a api.StatusAccount, now time.Time) string {
	what := fmt.Sprintf("%s of user %d: %s", sources.ProviderTitle(a.Provider), a.User, a.State)
	if a.RemainingSeconds > 0 {
		what += ", " + text.ShortDuration(time.Duration(a.RemainingSeconds)*time.Second) + " more"
	}
	if a.EndsAt != 0 {
		what += ", " + engine.EndText(time.Unix(a.EndsAt, 0), now)
	}
	return what
}
