package cmd

import (
	"slices"
	"strings"
	"time"

	"xship/cmd/api"
	"xship/cmd/term"
)

// stripHours is how many hours a strip shows.
const stripHours = 24

// stripCell is what a strip shows of a part of the day.
type stripCell struct{ ok, fail int64 }

// stripCells are the parts of the last day of a hoster, the earliest first, of so many hours
// each.
func stripCells(hours []api.HosterHour, now time.Time, hoursEach int) []stripCell {
	cells := make([]stripCell, stripHours/hoursEach)
	first := now.Truncate(time.Hour).Add(-(stripHours - 1) * time.Hour).Unix()
	for _, h := range hours {
		hour := (h.At - first) / int64(time.Hour/time.Second)
		if h.At < first || hour >= stripHours {
			continue
		}
		cell := &cells[hour/int64(hoursEach)]
		cell.ok, cell.fail = cell.ok+h.OK, cell.fail+h.Fail
	}
	return cells
}

// The marks of a strip, by how many of the attempts worked, from none to all, and that of
// a time without any.
const (
	stripBlocks = "▁▂▄▆█"
	stripASCII  = "!-=+#"
	stripNone   = "·"
	noneASCII   = "."
)

// mark is a cell as it is drawn, and its colour.
func (c stripCell) mark(unicode bool) (mark, colour string) {
	marks, none := []rune(stripBlocks), stripNone
	if !unicode {
		marks, none = []rune(stripASCII), noneASCII
	}
	all := c.ok + c.fail
	if all == 0 {
		return none, term.ColourDim
	}
	level := int(c.ok * int64(len(marks)-1) / all)
	if level == 0 && c.ok > 0 { // something worked
		level = 1
	}
	switch {
	case c.fail == 0:
		colour = term.ColourGood
	case 2*c.ok < all:
		colour = term.ColourBad
	default:
		colour = term.ColourWarn
	}
	return string(marks[level]), colour
}

// strip draws cells, plain.
func strip(cells []stripCell, unicode bool) string {
	var b strings.Builder
	for _, c := range cells {
		mark, _ := c.mark(unicode)
		b.WriteString(mark)
	}
	return b.String()
}

// paintStrip draws cells in colours, those that follow each other in one go.
func paintStrip(cells []stripCell, unicode bool) string {
	var b strings.Builder
	for i := 0; i < len(cells); {
		marks, colour := cells[i].mark(unicode)
		for i++; i < len(cells); i++ {
			mark, next := cells[i].mark(unicode)
			if next != colour {
				break
			}
			marks += mark
		}
		b.WriteString(term.Paint(colour, marks))
	}
	return b.String()
}

const (
	stripColumn   = "last day"
	stripNarrow   = 3  // hours of a cell where there is no room for one each
	stripKeepsFor = 20 // columns of an error that a strip leaves to it
)

// addStrip adds a column with the last day of each hoster to their list, where a terminal
// of so many columns has room for it; shows tells whether that shows more than ASCII.
func addStrip(l *term.List, hosters []api.Hoster, now time.Time, columns int, shows func() bool) {
	if !slices.ContainsFunc(hosters, func(h api.Hoster) bool { return len(h.Hours) > 0 }) {
		return
	}
	each := stripRoom(*l, columns)
	if each == 0 {
		return
	}
	unicode := shows()
	days := make([][]stripCell, len(hosters))
	at := len(l.Columns)
	l.Columns = append(l.Columns, term.Column{Name: stripColumn, NoTSV: true})
	for i, h := range hosters {
		days[i] = stripCells(h.Hours, now, each)
		l.Rows[i] = append(l.Rows[i], strip(days[i], unicode))
	}
	paint := l.Paint
	l.Paint = func(row, column int, cell string) string {
		if column == at {
			return paintStrip(days[row], unicode)
		}
		return paint(row, column, cell)
	}
}

// stripRoom is how many hours a cell has to have so that the strip fits beside the other
// columns, 0 where there is no room for it.
func stripRoom(l term.List, columns int) int {
	left := columns
	for i, c := range l.Columns {
		if c.TSVOnly {
			continue
		}
		width := term.CellWidth(c.Name)
		for _, row := range l.Rows {
			width = max(width, term.CellWidth(row[i]))
		}
		if c.Shrink > 0 && c.Min < stripKeepsFor && width > stripKeepsFor || c.Wrap {
			width = min(width, stripKeepsFor)
		}
		left -= width + term.ColumnGap
	}
	for _, each := range []int{1, stripNarrow} {
		if left >= max(stripHours/each, len(stripColumn)) {
			return each
		}
	}
	return 0
}
