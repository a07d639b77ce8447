package cmd

import (
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	pretty "github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
)

// The output formats.
const (
	outputTable = "table"
	outputJSON  = "json"
	outputTSV   = "tsv"
)

// outputsAnnotation names, with commas, the output formats of a command that
// has others than most.
const outputsAnnotation = "outputs"

// outputs lists the output formats of a command.
func outputs(cmd *cobra.Command) []string {
	if own := cmd.Annotations[outputsAnnotation]; own != "" {
		return strings.Split(own, ",")
	}
	return []string{outputTable, outputJSON, outputTSV}
}

func (a *app) checkOutput(cmd *cobra.Command) error {
	if known := outputs(cmd); a.flags.output != "" && !slices.Contains(known, a.flags.output) {
		return usagef("--output %q of %s is none of %s", a.flags.output, commandName(cmd), strings.Join(known, ", "))
	}
	return nil
}

// format is the output format of lists.
func (a *app) format() string {
	switch {
	case a.flags.output != "":
		return a.flags.output
	case a.Stdout.Terminal:
		return outputTable
	default:
		return outputTSV
	}
}

// asJSON tells whether results are written as JSON.
func (a *app) asJSON() bool { return a.flags.output == outputJSON }

// writeJSON writes the one document of a command.
func (a *app) writeJSON(doc any) error {
	enc := json.NewEncoder(a.Stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(doc)
}

// writeLine writes a line of text as the result.
func (a *app) writeLine(line string) error {
	_, err := io.WriteString(a.Stdout, line+"\n")
	return err
}

// list is a result made of rows.
type list struct {
	columns []column
	rows    [][]string // a cell for each column
	// paint colours a cell of the row with the given index; nil = plain.
	paint func(row, column int, cell string) string
}

// column is one column of a list.
type column struct {
	name    string
	right   bool // numbers
	shrink  int  // columns with the lowest number above 0 shrink first; 0 = never
	min     int  // to this width, before the next column shrinks
	tsvOnly bool
	noTSV   bool
}

// Gap and narrowest width of columns.
const (
	columnGap      = 2
	narrowestShown = 4
)

// write writes the list as a table, or as tab separated values. An empty table
// is nothing.
func (a *app) write(l list) error {
	if a.format() == outputTSV {
		return writeTSV(a.Stdout, l.pick(func(c column) bool { return !c.noTSV }))
	}
	if len(l.rows) == 0 {
		return nil
	}
	return a.writeTableTo(a.Stdout, l)
}

// writeTableTo writes the list as a table that fits stdout.
func (a *app) writeTableTo(w io.Writer, l list) error {
	l = l.pick(func(c column) bool { return !c.tsvOnly })
	if !a.colour(a.Stdout) {
		l.paint = nil
	}
	return writeTable(w, l, a.Stdout.width())
}

// pick keeps the columns that keep names.
func (l list) pick(keep func(column) bool) list {
	var kept []int
	out := list{}
	for i, c := range l.columns {
		if keep(c) {
			kept = append(kept, i)
			out.columns = append(out.columns, c)
		}
	}
	for _, row := range l.rows {
		cells := make([]string, 0, len(kept))
		for _, i := range kept {
			cells = append(cells, row[i])
		}
		out.rows = append(out.rows, cells)
	}
	if l.paint != nil {
		out.paint = func(row, column int, cell string) string { return l.paint(row, kept[column], cell) }
	}
	return out
}

// writeTSV writes a line with the names of the columns, and one for each row.
func writeTSV(w io.Writer, l list) error {
	field := strings.NewReplacer("\t", " ", "\n", " ", "\r", " ")
	var b strings.Builder
	for i, c := range l.columns {
		if i > 0 {
			b.WriteByte('\t')
		}
		b.WriteString(strings.ReplaceAll(c.name, " ", "_"))
	}
	b.WriteByte('\n')
	for _, row := range l.rows {
		for i, cell := range row {
			if i > 0 {
				b.WriteByte('\t')
			}
			b.WriteString(field.Replace(cell))
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeTable writes the list in lines of at most width columns, save where a
// column must not be shortened.
func writeTable(w io.Writer, l list, width int) error {
	t := table.NewWriter()
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft, style.Box.PaddingRight = "", strings.Repeat(" ", columnGap)
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	header := make(table.Row, len(l.columns))
	configs := make([]table.ColumnConfig, len(l.columns))
	for i, c := range l.columns {
		configs[i] = table.ColumnConfig{Number: i + 1, Align: pretty.AlignLeft, AlignHeader: pretty.AlignLeft}
		if c.right {
			configs[i].Align, configs[i].AlignHeader = pretty.AlignRight, pretty.AlignRight
		}
	}
	t.SetColumnConfigs(configs)
	widths := fitColumns(l, width)
	for i, c := range l.columns {
		header[i] = snip(c.name, widths[i])
	}
	t.AppendHeader(header)
	for i, cells := range l.rows {
		row := make(table.Row, len(cells))
		for j, cell := range cells {
			cell = snip(cell, widths[j])
			if l.paint != nil && cell != "" {
				cell = l.paint(i, j, cell)
			}
			row[j] = cell
		}
		t.AppendRow(row)
	}
	_, err := io.WriteString(w, t.Render()+"\n")
	return err
}

// fitColumns gives each column its width: that of its longest cell, less where
// the line would be longer than width. Columns shrink in their order to their
// minimum, then once more to the narrowest that can be told apart.
func fitColumns(l list, width int) []int {
	widths := make([]int, len(l.columns))
	total := columnGap * (len(widths) - 1)
	for i, c := range l.columns {
		widths[i] = cellWidth(c.name)
		for _, row := range l.rows {
			widths[i] = max(widths[i], cellWidth(row[i]))
		}
		total += widths[i]
	}
	order := make([]int, 0, len(widths))
	for i, c := range l.columns {
		if c.shrink > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return l.columns[a].shrink - l.columns[b].shrink })
	shrink := func(i, least int) {
		cut := min(total-width, widths[i]-least)
		if cut > 0 {
			widths[i] -= cut
			total -= cut
		}
	}
	for _, i := range order {
		shrink(i, l.columns[i].min)
	}
	for _, i := range order {
		shrink(i, narrowestShown)
	}
	return widths
}

// cellWidth is the number of terminal columns that s takes.
func cellWidth(s string) int { return pretty.StringWidthWithoutEscSequences(s) }

// snip shortens s to width terminal columns.
func snip(s string, width int) string {
	if width <= 0 {
		return ""
	}
	return pretty.Snip(s, width, "…")
}

// The colours of lists, as parameters of the terminal's SGR sequence.
const (
	colourGood = "32"
	colourWarn = "33"
	colourBad  = "31"
	colourDim  = "2"
)

func paint(colour, s string) string { return "\x1b[" + colour + "m" + s + "\x1b[0m" }
