package cmd

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	pretty "github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"xship/config"
	"xship/sourcecache"
	"xship/sources/text"
)

// The states of a check.
const (
	checkOK      = "ok"
	checkWarning = "warning" // xship works, and could do better
	checkProblem = "problem"
)

// finding is what a check found.
type finding struct {
	Check  string `json:"check"`
	State  string `json:"state"` // ok, warning or problem
	Detail string `json:"detail"`
	Hint   string `json:"hint"` // what to do, "" where there is nothing
}

// doctorDoc is the JSON document of xship doctor.
type doctorDoc struct {
	OK       bool      `json:"ok"` // no check found a problem
	Problems int       `json:"problems"`
	Warnings int       `json:"warnings"`
	Checks   []finding `json:"checks"`
}

func newDoctorCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Check everything that xship needs, and say what to do",
		Long: `Check the settings, the database, the interfaces, the programs and services that
xship works with, and the clock. Each line is ok, a warning, or a problem with
what to do about it. With a problem the exit code is 1.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd.Context(), a) },
	}
}

func runDoctor(ctx context.Context, a *app) error {
	d := a.newDoctor(ctx)
	findings := d.examine(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	doc := doctorDoc{Checks: findings}
	for i, f := range findings {
		findings[i].Detail, findings[i].Hint = text.Clean(f.Detail), text.Clean(f.Hint)
		switch f.State {
		case checkProblem:
			doc.Problems++
		case checkWarning:
			doc.Warnings++
		}
	}
	doc.OK = doc.Problems == 0
	var err error
	switch a.format() {
	case outputJSON:
		err = a.writeJSON(doc)
	case outputTable:
		err = a.writeLine(a.doctorText(findings))
	default:
		err = a.write(doctorList(findings))
	}
	switch {
	case err != nil:
		return err
	case !doc.OK:
		return fmt.Errorf("the doctor found %s and %s", plural(doc.Problems, "problem"), plural(doc.Warnings, "warning"))
	case doc.Warnings > 0:
		a.note("no problem, %s", plural(doc.Warnings, "warning"))
	default:
		a.note("all is well")
	}
	return nil
}

func doctorList(findings []finding) list {
	l := list{columns: []column{{name: "check"}, {name: "state"}, {name: "detail"}, {name: "hint"}}}
	for _, f := range findings {
		l.rows = append(l.rows, []string{f.Check, f.State, f.Detail, f.Hint})
	}
	return l
}

// doctorText is what was found for people: whole texts, in lines that fit.
func (a *app) doctorText(findings []finding) string {
	colours := map[string]string{checkOK: colourGood, checkWarning: colourWarn, checkProblem: colourBad}
	name := 0
	for _, f := range findings {
		name = max(name, cellWidth(f.Check))
	}
	margin := len(checkProblem) + name + 2*columnGap
	var lines []string
	for _, f := range findings {
		state := fmt.Sprintf("%-*s", len(checkProblem), f.State)
		if a.colour(a.Stdout) {
			state = paint(colours[f.State], state)
		}
		label := f.Check + strings.Repeat(" ", name-cellWidth(f.Check))
		lines = append(lines, hanging(state+"  "+label+"  ", margin, f.Detail, a.Stdout.width())...)
		if f.Hint != "" {
			lines = append(lines, hanging(strings.Repeat(" ", margin)+"-> ", margin+3, f.Hint, a.Stdout.width())...)
		}
	}
	return strings.Join(lines, "\n")
}

// hanging is a text behind a head of so many columns, broken to fit width.
func hanging(head string, columns int, s string, width int) []string {
	const narrowest = 20
	lines := strings.Split(pretty.WrapSoft(s, max(width-columns, narrowest)), "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, " ")
		if i == 0 {
			lines[i] = head + line
		} else {
			lines[i] = strings.Repeat(" ", columns) + line
		}
	}
	return lines
}

// doctor examines a run. What cannot be opened is nil, and found to be so.
type doctor struct {
	app         *app
	settings    *config.Settings // the defaults where those of the user are broken
	settingsErr error
	store       *sourcecache.DB
	storeErr    error
	network     *network
	dates       *dates
	dirExisted  bool

	mu   sync.Mutex
	busy []string // checks under way
}

// newDoctor opens what a run has, as far as that works.
func (a *app) newDoctor(ctx context.Context) *doctor {
	d := &doctor{app: a, dates: &dates{now: a.Now}, dirExisted: isDirectory(a.dataDir())}
	if d.settings, d.settingsErr = a.settings(nil); d.settingsErr != nil {
		d.settings, _ = config.Load(config.LoadOptions{}) // the defaults are right
	}
	d.network = newNetwork(d.settings)
	d.store, d.storeErr = a.openStoreFor(ctx, d.settings)
	return d
}

// check is one part of the examination.
type check struct {
	name string
	run  func(ctx context.Context) []finding
	most time.Duration
}

// examine runs all checks, those that wait for others at once, and gives what
// they found in a fixed order.
func (d *doctor) examine(ctx context.Context) []finding {
	defer d.network.CloseIdleConnections()
	const local, remote = 10 * time.Second, 30 * time.Second
	checks := []check{
		{"settings", d.checkSettings, local},
		{"data directory", d.checkDataDir, local},
		{"database", d.checkDatabase, 2 * time.Minute},
		{"preferences", d.checkPreferences, local},
		{"interfaces", d.checkInterfaces, 2 * time.Minute},
		{"ffprobe", d.checkFFprobe, local},
		{"yt-dlp", d.checkYTDLP, remote},
		{"redis", d.checkRedis, local},
		{"accounts", d.checkAccounts, 2 * time.Minute},
	}
	if d.app.showsProgress() {
		defer d.app.startLive(ctx, d.line)()
	}
	found := make([][]finding, len(checks))
	var wg sync.WaitGroup
	for i, c := range checks {
		d.begin(c.name)
		wg.Go(func() {
			defer d.end(c.name)
			ctx, cancel := context.WithTimeout(ctx, c.most)
			defer cancel()
			found[i] = c.run(ctx)
		})
	}
	wg.Wait()
	var all []finding
	for _, f := range found {
		all = append(all, f...)
	}
	return append(all, d.checkClock(ctx)...) // by what the others heard
}

func (d *doctor) begin(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.busy = append(d.busy, name)
}

func (d *doctor) end(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, busy := range d.busy {
		if busy == name {
			d.busy = append(d.busy[:i], d.busy[i+1:]...)
			return
		}
	}
}

// line is the live line.
func (d *doctor) line() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return liveLine(d.app.Stderr.width(), []string{"checking " + strings.Join(d.busy, ", ")})
}

func good(check, format string, args ...any) finding {
	return finding{Check: check, State: checkOK, Detail: fmt.Sprintf(format, args...)}
}

func warn(check, hint, format string, args ...any) finding {
	return finding{Check: check, State: checkWarning, Detail: fmt.Sprintf(format, args...), Hint: hint}
}

func problem(check, hint, format string, args ...any) finding {
	return finding{Check: check, State: checkProblem, Detail: fmt.Sprintf(format, args...), Hint: hint}
}

// failed is a problem with the advice that the error has.
func failed(check string, err error) finding {
	f := failureOf(err)
	return problem(check, f.Hint, "%s", strings.ReplaceAll(f.Message, "\n  ", " "))
}
