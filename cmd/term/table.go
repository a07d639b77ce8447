package term

import (
	"io"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"xship/sources/text"
)

// List is a result made of rows.
type List struct {
	Columns []Column
	Rows    [][]string // a cell for each column
	// Paint colours a cell of the row with the given index; nil = plain.
	Paint func(row, column int, cell string) string
	// Narrow is the width of a terminal below which the Beneath columns always are on
	// lines of their own; 0 = only where there is no room for them.
	Narrow int
}

// Column is one column of a list. Where a table does not fit its terminal, columns with a
// Drop are left out, one after the other, until the others have their Min; what is still
// too much shrinks below that. What never shrinks is put beneath its row in the end.
type Column struct {
	Name    string
	Right   bool // numbers
	Shrink  int  // columns with the lowest number above 0 shrink first, those with the same one together; 0 = never
	Min     int  // to this width, before the next column shrinks
	Wrap    bool // its cells are broken into lines, never cut; it shrinks before the others
	Drop    int  // columns with the lowest number above 0 are left out first; 0 = never
	Beneath bool // where it is left out, its cells take lines of their own beneath their rows
	Whole   bool // beneath its row it is broken and not cut: URLs
	Tight   bool // one space stands before it
	TSVOnly bool
	NoTSV   bool
	Exact   bool // ids, URLs and settings: no cell is changed in TSV, see text.ForSheet
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
	return l.Table(columns, colour).write(w)
}

// Table is a list as it is shown in a terminal of so many columns.
func (l List) Table(columns int, colour bool) Table {
	l = l.pick(func(c Column) bool { return !c.TSVOnly })
	if !colour {
		l.Paint = nil
	}
	return l.layout(columns).table()
}

// pick keeps the columns that keep names.
func (l List) pick(keep func(Column) bool) List {
	var kept []int
	out := List{Narrow: l.Narrow}
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
				cell = text.ForSheet(cell)
			}
			b.WriteString(cell)
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
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

// The colours of lists, as parameters of the terminal's SGR sequence. All of them can be
// read on light and on dark grounds, which yellow cannot.
const (
	ColourGood = "32"
	ColourWarn = "35"
	ColourBad  = "31"
	ColourDim  = "2"

	ColourStrong = "1" // bold, in the colour of the text
)

// Paint colours a text.
func Paint(colour, s string) string { return "\x1b[" + colour + "m" + s + "\x1b[0m" }
