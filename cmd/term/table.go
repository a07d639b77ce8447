package term

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	pretty "github.com/jedib0t/go-pretty/v6/text"

	"xship/sources/text"
)

// List is a result made of rows.
type List struct {
	Columns []Column
	Rows    [][]string // a cell for each column
	// Paint colours a cell of the row with the given index; nil = plain.
	Paint func(row, column int, cell string) string
}

// Column is one column of a list.
type Column struct {
	Name    string
	Right   bool // numbers
	Shrink  int  // columns with the lowest number above 0 shrink first; 0 = never
	Min     int  // to this width, before the next column shrinks
	Wrap    bool // its cells are broken into lines, never cut; it shrinks before the others
	TSVOnly bool
	NoTSV   bool
	Exact   bool // ids, URLs and settings: no cell is changed in TSV, see asText
}

// ColumnGap is the gap between two columns, narrowestShown the narrowest of them.
const (
	ColumnGap      = 2
	narrowestShown = 4
)

// WriteTSV writes the list as tab separated values.
func (l List) WriteTSV(w io.Writer) error {
	return writeTSV(w, l.pick(func(c Column) bool { return !c.NoTSV }))
}

// WriteTable writes the list as a table that fits a terminal. An empty one is nothing.
func (l List) WriteTable(w io.Writer, columns int, colour bool) error {
	if len(l.Rows) == 0 {
		return nil
	}
	l = l.pick(func(c Column) bool { return !c.TSVOnly })
	if !colour {
		l.Paint = nil
	}
	return writeTable(w, l, columns)
}

// pick keeps the columns that keep names.
func (l List) pick(keep func(Column) bool) List {
	var kept []int
	out := List{}
	for i, c := range l.Columns {
		if keep(c) {
			kept = append(kept, i)
			out.Columns = append(out.Columns, c)
		}
	}
	for _, row := range l.Rows {
		cells := make([]string, 0, len(kept))
		for _, i := range kept {
			cells = append(cells, row[i])
		}
		out.Rows = append(out.Rows, cells)
	}
	if l.Paint != nil {
		out.Paint = func(row, column int, cell string) string { return l.Paint(row, kept[column], cell) }
	}
	return out
}

// writeTSV writes a line with the names of the columns, and one for each row.
func writeTSV(w io.Writer, l List) error {
	field := strings.NewReplacer("\t", " ", "\n", " ", "\r", " ")
	var b strings.Builder
	for i, c := range l.Columns {
		if i > 0 {
			b.WriteByte('\t')
		}
		b.WriteString(strings.ReplaceAll(c.Name, " ", "_"))
	}
	b.WriteByte('\n')
	for _, row := range l.Rows {
		for i, cell := range row {
			if i > 0 {
				b.WriteByte('\t')
			}
			cell = field.Replace(cell)
			if c := l.Columns[i]; !c.Right && !c.Exact {
				cell = asText(cell)
			}
			b.WriteString(cell)
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// asText is a cell of free text as a spreadsheet takes it for text. What begins with
// one of these characters is a formula there, which may read files and call programs,
// and the text of sites is hostile.
func asText(cell string) string {
	if cell == "" || !strings.ContainsRune("=+@-＝＋＠－", []rune(cell)[0]) {
		return cell
	}
	if _, err := strconv.ParseFloat(cell, 64); err == nil {
		return cell
	}
	return "'" + cell
}

// writeTable writes the list in lines of at most width columns, save where a
// column must not be shortened.
func writeTable(w io.Writer, l List, width int) error {
	t := table.NewWriter()
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft, style.Box.PaddingRight = "", strings.Repeat(" ", ColumnGap)
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	header := make(table.Row, len(l.Columns))
	configs := make([]table.ColumnConfig, len(l.Columns))
	for i, c := range l.Columns {
		configs[i] = table.ColumnConfig{Number: i + 1, Align: pretty.AlignLeft, AlignHeader: pretty.AlignLeft}
		if c.Right {
			configs[i].Align, configs[i].AlignHeader = pretty.AlignRight, pretty.AlignRight
		}
	}
	t.SetColumnConfigs(configs)
	widths := fitColumns(l, width)
	for i, c := range l.Columns {
		header[i] = Snip(c.Name, widths[i])
	}
	t.AppendHeader(header)
	for i, cells := range l.Rows {
		row := make(table.Row, len(cells))
		for j, cell := range cells {
			lines := []string{Snip(cell, widths[j])}
			if l.Columns[j].Wrap {
				lines = wrap(cell, widths[j])
			}
			for n, line := range lines {
				if l.Paint != nil && line != "" {
					lines[n] = l.Paint(i, j, line)
				}
			}
			row[j] = strings.Join(lines, "\n")
		}
		t.AppendRow(row)
	}
	_, err := io.WriteString(w, t.Render()+"\n")
	return err
}

// fitColumns gives each column its width: that of its longest cell, less where
// the line would be longer than width. Columns shrink in their order to their
// minimum, then once more to the narrowest that can be told apart.
func fitColumns(l List, width int) []int {
	widths := make([]int, len(l.Columns))
	total := ColumnGap * (len(widths) - 1)
	for i, c := range l.Columns {
		widths[i] = CellWidth(c.Name)
		for _, row := range l.Rows {
			widths[i] = max(widths[i], CellWidth(row[i]))
		}
		total += widths[i]
	}
	order := make([]int, 0, len(widths))
	for i, c := range l.Columns {
		if c.Shrink > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return l.Columns[a].Shrink - l.Columns[b].Shrink })
	for i, c := range l.Columns {
		if c.Wrap {
			order = slices.Insert(order, 0, i)
		}
	}
	shrink := func(i, least int) {
		cut := min(total-width, widths[i]-least)
		if cut > 0 {
			widths[i] -= cut
			total -= cut
		}
	}
	for _, i := range order {
		shrink(i, l.Columns[i].Min)
	}
	for _, i := range order {
		if !l.Columns[i].Wrap {
			shrink(i, narrowestShown)
		}
	}
	for _, i := range order { // those that wrap
		shrink(i, narrowestShown)
	}
	return widths
}

// wrap breaks s into lines of width terminal columns.
func wrap(s string, width int) []string {
	lines := strings.Split(pretty.WrapSoft(s, max(width, 1)), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return lines
}

// CellWidth is the number of terminal columns that s takes.
func CellWidth(s string) int { return pretty.StringWidthWithoutEscSequences(s) }

// Snip shortens s to width terminal columns.
func Snip(s string, width int) string {
	if width <= 0 {
		return ""
	}
	snipped := pretty.Snip(s, width, "…")
	if kept, ok := strings.CutSuffix(snipped, "…"); ok && strings.HasPrefix(s, kept) {
		return s[:text.WholeBefore(s, len(kept))] + "…"
	}
	return snipped
}

// The colours of lists, as parameters of the terminal's SGR sequence.
const (
	ColourGood = "32"
	ColourWarn = "33"
	ColourBad  = "31"
	ColourDim  = "2"
)

// Paint colours a text.
func Paint(colour, s string) string { return "\x1b[" + colour + "m" + s + "\x1b[0m" }
