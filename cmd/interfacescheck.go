package cmd

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"xship/cmd/engine/loader"
	"xship/config/vod"
	"xship/sources"
	"xship/sources/text"
)

const (
	checksAtOnce  = 4
	warningsShown = 5 // of one interface, in a table
)

// interfacesCheckDoc is the JSON document of xship interfaces check.
type interfacesCheckDoc struct {
	Interfaces []interfaceCheckDoc `json:"interfaces"`
}

type interfaceCheckDoc struct {
	URL      string         `json:"url"`
	Name     string         `json:"name"`
	OK       bool           `json:"ok"`
	Sites    int            `json:"sites"`
	Usable   int            `json:"usable"` // of these, that xship can ask
	Types    map[string]int `json:"types"`  // sites by type
	Depot    string         `json:"depot"`  // where the interface lists others: the one that was loaded, else ""
	Warnings []string       `json:"warnings"`
	Cause    string         `json:"cause"` // why it failed, in a word, else ""
	Error    string         `json:"error"`
	Elapsed  int64          `json:"elapsed_ms"`
}

func newInterfacesCheckCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "check [URL|PATH|NAME]...",
		Short: "Load interfaces and say what is wrong with them",
		Long: `Load each interface of the list, or those that are named, and say which sites
it has, of which types, how many of them xship can ask, and what is wrong. A folder
stands for the files in it. Where one fails, the exit code is 1.`,
		RunE: func(cmd *cobra.Command, args []string) error { return runInterfacesCheck(cmd.Context(), a, args) },
	}
}

func runInterfacesCheck(ctx context.Context, a *app, refs []string) error {
	interfaces, err := a.openLoader(ctx)
	if err != nil {
		return err
	}
	rows, err := checkedInterfaces(ctx, interfaces, refs)
	if err != nil {
		return err
	}
	doc := interfacesCheckDoc{Interfaces: a.checkAll(ctx, interfaces, rows)}
	if err := ctx.Err(); err != nil {
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
		err = fmt.Errorf("%d of %s could not be loaded", failed, plural(len(rows), "interface"))
	}
	return err
}

// checkedInterfaces gives the interfaces that refs name, or all of the list.
func checkedInterfaces(ctx context.Context, interfaces *loader.Loader, refs []string) ([]sources.Interface, error) {
	if len(refs) == 0 {
		rows, _, err := interfaces.Interfaces(ctx)
		return rows, err
	}
	var rows []sources.Interface
	for _, ref := range refs {
		row, err := interfaces.Active(ctx, ref)
		if _, missing := errors.AsType[*vod.Error](err); err != nil && !missing { // else its line says so
			return nil, refError(err)
		}
		files, err := folderFiles(row.URL)
		if err != nil {
			return nil, err
		}
		if files == nil {
			rows = append(rows, row)
		}
		for _, file := range files {
			rows = append(rows, sources.Interface{URL: file, Name: filepath.Base(file)})
		}
	}
	return rows, nil
}

// folderFiles lists the files of a folder, at least one, and is nil where path is no
// folder.
func folderFiles(path string) ([]string, error) {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return nil, nil //nolint:nilerr // what is not there is no folder; loading it says so
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, fmt.Errorf("read the folder: %w", err)
	}
	var files []string
	for _, e := range entries {
		if !e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			files = append(files, filepath.Join(path, e.Name()))
		}
	}
	if files == nil {
		return nil, fmt.Errorf("the folder %s has no files", path)
	}
	return files, nil
}

// checkAll loads interfaces, several at once, and gives how that went in their
// order.
func (a *app) checkAll(ctx context.Context, interfaces *loader.Loader, rows []sources.Interface) []interfaceCheckDoc {
	var (
		mu   sync.Mutex
		done int
		wg   sync.WaitGroup
	)
	if a.showsProgress() {
		defer a.startLive(ctx, func() string {
			mu.Lock()
			defer mu.Unlock()
			return liveLine(a.Stderr.width(), []string{fmt.Sprintf("checking interfaces %d/%d", done, len(rows))})
		})()
	}
	docs := make([]interfaceCheckDoc, len(rows))
	next := make(chan int, len(rows))
	for i := range rows {
		next <- i
	}
	close(next)
	for range min(checksAtOnce, len(rows)) {
		wg.Go(func() {
			for i := range next {
				docs[i] = a.checkInterface(ctx, interfaces, rows[i])
				mu.Lock()
				done++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return docs
}

func (a *app) checkInterface(ctx context.Context, interfaces *loader.Loader, row sources.Interface) interfaceCheckDoc {
	doc := interfaceCheckDoc{URL: loader.RedactURL(row.URL), Name: text.Clean(row.Name), Types: map[string]int{}, Warnings: []string{}}
	started := a.Now()
	result, err := interfaces.Check(ctx, row.URL)
	doc.Elapsed = a.Now().Sub(started).Milliseconds()
	if err != nil {
		doc.Cause, doc.Error = "failure", text.Clean(err.Error())
		if failed, ok := errors.AsType[*vod.Error](err); ok {
			doc.Cause, doc.Error = string(failed.Cause), text.Clean(failed.Detail)
			if failed.FinalURL != "" {
				doc.Error += " (redirected to " + text.Clean(failed.FinalURL) + ")"
			}
		}
		return doc
	}
	doc.OK, doc.Sites, doc.Usable = true, len(result.Sites), len(result.Sites)
	if c := result.Config; c != nil {
		doc.Types, doc.Usable = c.Count(), c.Usable()
		if c.Depot != "" {
			doc.Depot = loader.RedactURL(c.URL)
		}
		for _, w := range c.Warnings {
			doc.Warnings = append(doc.Warnings, text.Clean(w.String()))
		}
	} else {
		doc.Types = map[string]int{result.Sites[0].Type: len(result.Sites)}
	}
	return doc
}

// writeChecks writes a line for each interface, and on a table what is wrong with
// it below.
func (a *app) writeChecks(doc interfacesCheckDoc) error {
	l := list{columns: []column{
		{name: "name", shrink: 3, min: 12},
		{name: "url", shrink: 1, min: 12},
		{name: "result"},
		{name: "sites", right: true},
		{name: "usable", right: true},
		{name: "types", shrink: 2, min: 12},
		{name: "warnings", right: true},
		{name: "cause", tsvOnly: true},
		{name: "error", tsvOnly: true},
	}}
	var problems []string
	for _, c := range doc.Interfaces {
		result := "ok"
		if !c.OK {
			result = "failed"
		}
		l.rows = append(l.rows, []string{
			c.Name, c.URL, result, strconv.Itoa(c.Sites), strconv.Itoa(c.Usable), typesText(c.Types), strconv.Itoa(len(c.Warnings)), c.Cause, c.Error,
		})
		problems = append(problems, c.problems()...)
	}
	l.paint = func(row, column int, cell string) string {
		if column != 2 {
			return cell
		}
		if doc.Interfaces[row].OK {
			return paint(colourGood, cell)
		}
		return paint(colourBad, cell)
	}
	if err := a.write(l); err != nil || a.format() == outputTSV || len(problems) == 0 {
		return err
	}
	return a.writeLine("\n" + strings.Join(problems, "\n"))
}

// problems says what is wrong with an interface, a line each.
func (c interfaceCheckDoc) problems() []string {
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
			lines = append(lines, fmt.Sprintf("%s: and %s more, see -o json", name, plural(len(c.Warnings)-i, "warning")))
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
