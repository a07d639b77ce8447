package cmd

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"xship/cmd/api"
	"xship/cmd/engine"
	"xship/cmd/term"
	"xship/config"
	"xship/sourcecache"
	"xship/sources/text"
)

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
	doc, err := a.collectFindings(ctx)
	if err != nil {
		return err
	}
	switch a.format() {
	case outputJSON:
		err = a.writeJSON(doc)
	case outputTable:
		err = a.writeLine(a.doctorText(doc.Checks))
	default:
		err = a.write(doctorList(doc.Checks))
	}
	switch {
	case err != nil:
		return err
	case !doc.OK:
		return fmt.Errorf("the doctor found %s and %s", text.Plural(doc.Problems, "problem"), text.Plural(doc.Warnings, "warning"))
	case doc.Warnings > 0:
		a.note("no problem, %s", text.Plural(doc.Warnings, "warning"))
	default:
		a.note("all is well")
	}
	return nil
}

func (a *app) collectFindings(ctx context.Context) (api.Doctor, error) {
	d, err := a.newDoctor(ctx)
	if err != nil {
		return api.Doctor{}, err
	}
	findings := d.examine(ctx)
	for i, f := range findings {
		findings[i].Detail, findings[i].Hint = text.Clean(f.Detail), text.Clean(f.Hint)
	}
	return api.NewDoctor(findings), ctx.Err()
}

func doctorList(findings []api.Finding) term.List {
	l := term.List{Columns: []term.Column{{Name: "check"}, {Name: "state"}, {Name: "detail"}, {Name: "hint"}}}
	for _, f := range findings {
		l.Rows = append(l.Rows, []string{f.Check, f.State, f.Detail, f.Hint})
	}
	return l
}

// doctorText is what was found for people: whole texts, in lines that fit.
func (a *app) doctorText(findings []api.Finding) string {
	colours := map[string]string{api.FindingOK: term.ColourGood, api.FindingWarning: term.ColourWarn, api.FindingProblem: term.ColourBad}
	name := 0
	for _, f := range findings {
		name = max(name, term.CellWidth(f.Check))
	}
	margin := len(api.FindingProblem) + name + 2*term.ColumnGap
	var lines []string
	for _, f := range findings {
		state := fmt.Sprintf("%-*s", len(api.FindingProblem), f.State)
		if a.colour(a.Stdout) {
			state = term.Paint(colours[f.State], state)
		}
		label := f.Check + strings.Repeat(" ", name-term.CellWidth(f.Check))
		lines = append(lines, term.Hanging(state+"  "+label+"  ", margin, f.Detail, a.Stdout.Columns())...)
		if f.Hint != "" {
			lines = append(lines, term.Hanging(strings.Repeat(" ", margin)+"-> ", margin+3, f.Hint, a.Stdout.Columns())...)
		}
	}
	return strings.Join(lines, "\n")
}

// doctor words what an engine.Doctor finds, and checks what only a run of the program
// knows. What cannot be opened is nil, and found to be so.
type doctor struct {
	*engine.Doctor
	app         *app
	settings    *config.Settings // the defaults where those of the user are broken
	settingsErr error
	store       *sourcecache.DB
	storeErr    error
	dirExisted  bool

	mu   sync.Mutex
	busy []string // checks under way
}

// newDoctor opens what a run has, as far as that works.
func (a *app) newDoctor(ctx context.Context) (*doctor, error) {
	d := &doctor{app: a, dirExisted: isDirectory(a.dataDir())}
	if d.settings, d.settingsErr = a.loadSettings(nil); d.settingsErr != nil {
		d.settings, _ = config.Load(config.LoadOptions{}) // the defaults are right
	}
	d.store, d.storeErr = a.openStore(ctx, d.settings)
	c := a.engineConfig(d.settings, d.store)
	c.Warn = func(string) {} // the findings tell it
	e, err := engine.Open(c)
	if err != nil {
		return nil, err
	}
	a.engine, d.Doctor = e, e.NewDoctor()
	return d, nil
}

// check is one part of the examination.
type check struct {
	name string
	run  func(ctx context.Context) []api.Finding
	most time.Duration
}

// examine runs all checks, those that wait for others at once, and gives what
// they found in a fixed order.
func (d *doctor) examine(ctx context.Context) []api.Finding {
	const local, remote = 10 * time.Second, 30 * time.Second
	checks := []check{
		{"settings", d.settingsFindings, local},
		{"data directory", d.dataDirFindings, local},
		{"database", d.databaseFindings, 2 * time.Minute},
		{"preferences", d.preferencesFindings, local},
		{"proxy", d.proxyFindings, local},
		{"precacher", d.precacherFindings, local},
		{"interfaces", d.interfacesFindings, 2 * time.Minute},
		{"ffprobe", d.ffprobeFindings, local},
		{"yt-dlp", d.ytdlpFindings, remote},
		{"notify", d.notifyFindings, local},
		{"redis", d.redisFindings, local},
		{"accounts", d.accountsFindings, 2 * time.Minute},
	}
	defer d.app.live(ctx, d.parts)()
	found := make([][]api.Finding, len(checks))
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
	var all []api.Finding
	for _, f := range found {
		all = append(all, f...)
	}
	return append(all, d.clockFindings(ctx)...) // by what the others heard
}

func (d *doctor) begin(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.busy = append(d.busy, name)
}

func (d *doctor) end(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if i := slices.Index(d.busy, name); i >= 0 {
		d.busy = slices.Delete(d.busy, i, i+1)
	}
}

// parts are those of the live line.
func (d *doctor) parts() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return []string{"checking " + strings.Join(d.busy, ", ")}
}

func good(check, format string, args ...any) api.Finding {
	return api.Finding{Check: check, State: api.FindingOK, Detail: fmt.Sprintf(format, args...)}
}

func warn(check, hint, format string, args ...any) api.Finding {
	return api.Finding{Check: check, State: api.FindingWarning, Detail: fmt.Sprintf(format, args...), Hint: hint}
}

func problem(check, hint, format string, args ...any) api.Finding {
	return api.Finding{Check: check, State: api.FindingProblem, Detail: fmt.Sprintf(format, args...), Hint: hint}
}

// failed is a problem with the advice that the error has.
func failed(check string, err error) api.Finding {
	f := api.FailureOf(err)
	return problem(check, f.Hint, "%s", strings.ReplaceAll(f.Message, "\n  ", " "))
}
