package cmd

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"xship/cmd/api"
	"xship/cmd/term"
	"xship/sources/text"
)

// warningsShown is how many warnings of one interface a table has.
const warningsShown = 5

func newInterfacesCheckCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "check [URL|PATH|NAME]...",
		Short: "Load interfaces and say what is wrong with them",
		Long: `Load each interface of the list, or those that are named, and say which sites
it has, of which types, how many of them xship can ask, and what is wrong. A folder
that is not in the list and has configs in it stands for its files. Where one fails,
the exit code is 1.`,
		RunE: func(cmd *cobra.Command, args []string) error { return runInterfacesCheck(cmd.Context(), a, args) },
	}
}

func runInterfacesCheck(ctx context.Context, a *app, refs []string) error {
	doc, err := a.collectChecks(ctx, refs)
	if err != nil {
		return err
	}
	if a.asJSON() {
		err = a.writeJSON(doc)
	} else {
		err = a.writeChecks(doc)
	}
	failed := 0
	for _, c := range doc.Interfaces {
		if !c.OK {
			failed++
		}
	}
	if err == nil && failed > 0 {
		err = fmt.Errorf("%d of %s could not be loaded", failed, text.Plural(len(doc.Interfaces), "interface"))
	}
	return err
}

// collectChecks loads the interfaces that refs name, or all of the list.
func (a *app) collectChecks(ctx context.Context, refs []string) (api.InterfacesCheck, error) {
	doc := api.InterfacesCheck{Interfaces: []api.InterfaceCheck{}}
	e, err := a.openEngine(ctx, nil)
	if err != nil {
		return doc, err
	}
	all, err := e.CheckedInterfaces(ctx, refs)
	if err != nil {
		return doc, err
	}
	done, stop := a.counting(ctx, "checking interfaces", len(all))
	checks, err := e.CheckInterfaces(ctx, all, done)
	stop()
	if err != nil {
		return doc, err
	}
	for _, c := range checks {
		doc.Interfaces = append(doc.Interfaces, api.NewInterfaceCheck(c))
	}
	return doc, ctx.Err()
}

// writeChecks writes a line for each interface, and on a table what is wrong with
// it below.
func (a *app) writeChecks(doc api.InterfacesCheck) error {
	l := term.List{Columns: []term.Column{
		{Name: "name", Shrink: 3, Min: 12},
		{Name: "url", Exact: true, Drop: 1, Beneath: true, Whole: true},
		{Name: "result"},
		{Name: "sites", Right: true},
		{Name: "usable", Right: true},
		{Name: "types", Shrink: 2, Min: 12, Drop: 2},
		{Name: "warnings", Right: true, Drop: 3},
		{Name: "cause", TSVOnly: true},
		{Name: "error", TSVOnly: true},
	}}
	var problems []string
	for _, c := range doc.Interfaces {
		result := "ok"
		if !c.OK {
			result = "failed"
		}
		l.Rows = append(l.Rows, []string{
			c.Name, c.URL, result, strconv.Itoa(c.Sites), strconv.Itoa(c.Usable), typesText(c.Types), strconv.Itoa(len(c.Warnings)), c.Cause, c.Error,
		})
		problems = append(problems, checkProblems(c)...)
	}
	l.Paint = func(row, column int, cell string) string {
		if column != 2 {
			return cell
		}
		if doc.Interfaces[row].OK {
			return term.Paint(term.ColourGood, cell)
		}
		return term.Paint(term.ColourBad, cell)
	}
	if err := a.write(l); err != nil || a.format() == outputTSV || len(problems) == 0 {
		return err
	}
	if !a.Stdout.Terminal {
		return a.writeLine("\n" + strings.Join(problems, "\n"))
	}
	_, err := io.WriteString(&term.FoldWriter{W: a.Stdout, Width: a.Stdout.Columns()}, "\n"+strings.Join(problems, "\n")+"\n")
	return err
}

// checkProblems says what is wrong with an interface, a line each.
func checkProblems(c api.InterfaceCheck) []string {
	name := c.Name
	if name == "" {
		name = c.URL
	}
	var lines []string
	if !c.OK {
		lines = append(lines, name+": "+c.Error)
	}
	for i, w := range c.Warnings {
		if i == warningsShown {
			lines = append(lines, fmt.Sprintf("%s: and %s more, see -o json", name, text.Plural(len(c.Warnings)-i, "warning")))
			break
		}
		lines = append(lines, name+": "+w)
	}
	return lines
}

// typesText counts sites by type, such as "0: 2, 3: 40".
func typesText(types map[string]int) string {
	var parts []string
	for _, t := range slices.Sorted(maps.Keys(types)) {
		parts = append(parts, fmt.Sprintf("%s: %d", text.Clean(t), types[t]))
	}
	return strings.Join(parts, ", ")
}
