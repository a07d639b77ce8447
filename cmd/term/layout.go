package term

import (
	"io"
	"slices"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/text"
)

// Table is a list in lines that fit a terminal, without their ends.
type Table struct {
	Head []string
	Rows [][]string // the lines of each row
}

func (t Table) write(w io.Writer) error {
	var b strings.Builder
	for _, line := range t.Head {
		b.WriteString(line + "\n")
	}
	for _, row := range t.Rows {
		for _, line := range row {
			b.WriteString(line + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// layout says which columns of a list stand side by side, how wide they are, and which
// ones take lines of their own beneath their rows.
type layout struct {
	List
	width   int   // of the terminal
	natural []int // width of each column's longest cell
	shown   []int // columns side by side
	beneath []int
	widths  []int // of each column; 0 where it is not shown
}

// layout fits the list into a terminal of so many columns.
func (l List) layout(width int) layout {
	t := layout{List: l, width: max(width, 1), natural: make([]int, len(l.Columns)), widths: make([]int, len(l.Columns))}
	for i, c := range l.Columns {
		t.natural[i] = CellWidth(c.Name)
		for _, row := range l.Rows {
			t.natural[i] = max(t.natural[i], CellWidth(row[i]))
		}
		t.shown = append(t.shown, i)
	}
	t.drop()
	t.shrink()
	t.force()
	return t
}

// drop leaves columns out until the others have room for their least.
func (t *layout) drop() {
	var order []int
	for i, c := range t.Columns {
		switch {
		case c.Beneath && t.width < t.Narrow:
			t.leaveOut(i)
		case c.Drop > 0:
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return t.Columns[a].Drop - t.Columns[b].Drop })
	for _, i := range order {
		if t.total(t.least) <= t.width {
			return
		}
		t.leaveOut(i)
	}
}

// leaveOut takes a column out of those that stand side by side.
func (t *layout) leaveOut(i int) {
	t.shown = slices.DeleteFunc(t.shown, func(shown int) bool { return shown == i })
	if t.Columns[i].Beneath {
		t.beneath = append(t.beneath, i)
		slices.Sort(t.beneath)
	}
}

// least is the width that a column has at least while another one can be left out.
func (t *layout) least(i int) int {
	if c := t.Columns[i]; c.Shrink > 0 || c.Wrap {
		return min(t.natural[i], c.Min)
	}
	return t.natural[i]
}

// total is the width of the table where its columns have those that width gives.
func (t *layout) total(width func(i int) int) int {
	total := 0
	for n, i := range t.shown {
		total += t.gap(n) + width(i)
	}
	return total
}

// gap is the number of spaces before the nth column that is shown.
func (t *layout) gap(n int) int {
	switch {
	case n == 0:
		return 0
	case t.Columns[t.shown[n]].Tight:
		return 1
	default:
		return ColumnGap
	}
}

func (t *layout) over() int {
	return t.total(func(i int) int { return t.widths[i] }) - t.width
}

// shrink gives each column its width: that of its longest cell, less where the line would
// be longer than the terminal. Columns shrink in their order to their minimum, then once
// more to the narrowest that can be told apart.
func (t *layout) shrink() {
	groups := make(map[int][]int) // by Shrink, those that wrap in 0
	for _, i := range t.shown {
		t.widths[i] = t.natural[i]
		switch c := t.Columns[i]; {
		case c.Wrap:
			groups[0] = append(groups[0], i)
		case c.Shrink > 0:
			groups[c.Shrink] = append(groups[c.Shrink], i)
		}
	}
	var order []int
	for n := range groups {
		order = append(order, n)
	}
	slices.Sort(order)
	for _, n := range order {
		t.shrinkTo(groups[n], func(i int) int { return t.Columns[i].Min })
	}
	if len(order) > 0 && order[0] == 0 { // those that wrap lose nothing, but become long: last
		order = append(order[1:], 0)
	}
	for _, n := range order {
		t.shrinkTo(groups[n], func(int) int { return narrowestShown })
	}
}

// shrinkTo makes columns narrower, the widest first, until the table fits or all of them
// have their least.
func (t *layout) shrinkTo(columns []int, least func(i int) int) {
	for cut := t.over(); cut > 0; cut-- {
		widest := -1
		for _, i := range columns {
			if t.widths[i] > least(i) && (widest < 0 || t.widths[i] > t.widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		t.widths[widest]--
	}
}

// force makes what is still too wide fit: the widest columns take lines of their own,
// whole, and the one that is left is cut.
func (t *layout) force() {
	for t.over() > 0 {
		if len(t.shown) == 1 {
			t.widths[t.shown[0]] = t.width
			return
		}
		widest := t.shown[1]
		for _, i := range t.shown[1:] {
			if t.widths[i] >= t.widths[widest] {
				widest = i
			}
		}
		t.Columns = slices.Clone(t.Columns)
		t.Columns[widest].Beneath, t.Columns[widest].Whole = true, t.Columns[widest].Shrink == 0
		t.leaveOut(widest)
		t.shrink()
	}
}

// table is the list in lines.
func (t layout) table() Table {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = strings.ToUpper(c.Name)
	}
	for _, i := range t.shown {
		if t.widths[i] < t.natural[i] {
			t.widths[i] = t.taken(i)
		}
	}
	used := make([]string, len(names)) // of the columns beneath that have something to say
	copy(used, names)
	for _, i := range t.beneath {
		if !slices.ContainsFunc(t.Rows, func(row []string) bool { return row[i] != "" }) {
			used[i] = ""
		}
	}
	table := Table{Head: t.lines(-1, used), Rows: make([][]string, 0, len(t.Rows))}
	for n, row := range t.Rows {
		table.Rows = append(table.Rows, t.lines(n, row))
	}
	return table
}

// taken is the width that a column takes whose cells were broken or cut, which may be
// less than it has.
func (t *layout) taken(i int) int {
	width := CellWidth(Snip(t.Columns[i].Name, t.widths[i]))
	for _, row := range t.Rows {
		for _, line := range t.fitted(i, row[i]) {
			width = max(width, CellWidth(line))
		}
	}
	return width
}

// fitted is a cell in the lines that it takes in its column.
func (t *layout) fitted(i int, cell string) []string {
	if t.Columns[i].Wrap {
		return wrap(cell, t.widths[i])
	}
	return []string{Snip(cell, t.widths[i])}
}

// lines are those of a row, -1 that with the names.
func (t *layout) lines(row int, cells []string) []string {
	cell := make([][]string, len(t.shown)) // the lines of each cell
	height := 1
	for n, i := range t.shown {
		cell[n] = []string{Snip(cells[i], t.widths[i])}
		if row >= 0 {
			cell[n] = t.fitted(i, cells[i])
		}
		height = max(height, len(cell[n]))
	}
	lines := make([]string, 0, height+len(t.beneath))
	for at := range height {
		lines = append(lines, t.line(row, at, cell))
	}
	for _, i := range t.beneath {
		lines = append(lines, t.under(row, i, cells[i])...)
	}
	return lines
}

// line is one line of the cells that stand side by side.
func (t *layout) line(row, at int, cell [][]string) string {
	var b strings.Builder
	spaces := 0 // that come before the next text
	for n, i := range t.shown {
		text := ""
		if at < len(cell[n]) {
			text = cell[n][at]
		}
		spaces += t.gap(n)
		padding := max(t.widths[i]-CellWidth(text), 0)
		if t.Columns[i].Right {
			spaces += padding
			padding = 0
		}
		if text != "" {
			b.WriteString(strings.Repeat(" ", spaces))
			b.WriteString(t.painted(row, i, text))
			spaces = 0
		}
		spaces += padding
	}
	return b.String()
}

// under is a cell that stands beneath its row.
func (t *layout) under(row, i int, cell string) []string {
	const usual, roomFor = 4, 12
	if cell == "" {
		return nil
	}
	indent := usual
	if t.Columns[i].Whole && CellWidth(cell)+usual > t.width || t.width < usual+roomFor {
		indent = 0 // so that it can be copied
	}
	width := t.width - indent
	lines := []string{Snip(cell, width)}
	switch c := t.Columns[i]; {
	case row < 0:
	case c.Wrap:
		lines = wrap(cell, width)
	case c.Whole:
		lines = strings.Split(pretty.WrapHard(cell, width), "\n")
	}
	for n := range lines {
		lines[n] = Snip(lines[n], width)
	}
	for n, line := range lines {
		if line != "" {
			lines[n] = strings.Repeat(" ", indent) + t.painted(row, i, line)
		}
	}
	return lines
}

func (t *layout) painted(row, column int, text string) string {
	if t.Paint == nil || row < 0 {
		return text
	}
	return t.Paint(row, column, text)
}

// wrap breaks s into lines of width terminal columns. A character that is wider is cut.
func wrap(s string, width int) []string {
	lines := strings.Split(pretty.WrapSoft(s, max(width, 1)), "\n")
	for i, line := range lines {
		lines[i] = Snip(strings.TrimRight(line, " "), width)
	}
	return lines
}
