// Package termtest has a terminal for tests: what is written to it stands on a screen.
package termtest

import (
	"strconv"
	"strings"
	"sync"
)

// Screen is a terminal of a size. It knows what xship writes: text, the ends of lines,
// movements of the cursor and the erasing of lines; colours it ignores. It is safe for
// concurrent use.
type Screen struct {
	mu            sync.Mutex
	columns, rows int
	reflow        bool
	lines         []line // with those that have scrolled off at the front
	top           int    // the first line of the screen
	x, y          int    // of the cursor; y counts in lines
	pending       []byte // the start of a sequence that is not complete
	writes        int
}

// line is what stands in one line, a string for each column; that behind a wide
// character is "".
type line struct {
	cells   []string
	wrapped bool // it goes on in the next one
}

// NewScreen is an empty terminal. One that reflows breaks lines anew when it is resized,
// as most do; others cut them.
func NewScreen(columns, rows int, reflow bool) *Screen {
	return &Screen{columns: columns, rows: rows, reflow: reflow, lines: make([]line, 1)}
}

// Size gives columns and rows.
func (s *Screen) Size() (columns, rows int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.columns, s.rows
}

// Writes is how often something was written.
func (s *Screen) Writes() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writes
}

// String is the screen, without the spaces at the ends of lines and empty lines below.
func (s *Screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return text(s.lines[s.top:])
}

// All is String with what has scrolled off.
func (s *Screen) All() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return text(s.lines)
}

func text(lines []line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(strings.TrimRight(strings.Join(l.cells, ""), " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// Write implements io.Writer.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes++
	s.pending = append(s.pending, p...)
	for len(s.pending) > 0 {
		n := s.take(string(s.pending))
		if n == 0 {
			break
		}
		s.pending = s.pending[n:]
	}
	return len(p), nil
}

// take does what the first character or sequence says and gives its length, 0 where the
// rest of it is to come.
func (s *Screen) take(text string) int {
	switch text[0] {
	case '\r':
		s.x = 0
	case '\n':
		s.x = 0 // as terminals do for programs, unless they are told otherwise
		s.down()
	case '\x1b':
		return s.sequence(text)
	default:
		for i, r := range text {
			if r == '\uFFFD' && len(text) < 4 {
				return 0
			}
			if i == 0 {
				s.put(r)
				return len(string(r))
			}
		}
	}
	return 1
}

func (s *Screen) sequence(text string) int {
	if len(text) < 2 {
		return 0
	}
	if text[1] != '[' {
		return 2
	}
	end := strings.IndexFunc(text[2:], func(r rune) bool { return r >= '@' && r <= '~' })
	if end < 0 {
		return 0
	}
	parameters, command := text[2:2+end], text[2+end]
	n, err := strconv.Atoi(parameters)
	if err != nil || n == 0 {
		n = 1
	}
	switch command {
	case 'A':
		s.y = max(s.y-n, s.top)
	case 'B':
		s.y = min(s.y+n, s.top+s.rows-1)
		s.reach()
	case 'C':
		s.x = min(min(s.x, s.columns-1)+n, s.columns-1)
	case 'K':
		s.cut(s.y, min(s.x, s.columns-1))
	case 'J':
		s.cut(s.y, min(s.x, s.columns-1))
		s.lines = s.lines[:s.y+1]
	}
	return 2 + end + 1
}

// cut removes what stands in a line from a column on.
func (s *Screen) cut(y, x int) {
	l := &s.lines[y]
	l.cells = l.cells[:min(len(l.cells), x)]
	l.wrapped = false
}

// reach makes the lines go down to the cursor.
func (s *Screen) reach() {
	for s.y >= len(s.lines) {
		s.lines = append(s.lines, line{})
	}
}

func (s *Screen) down() {
	s.y++
	s.reach()
	s.top = max(s.top, s.y-s.rows+1)
}

func (s *Screen) put(r rune) {
	width := 1
	if r >= 0x1100 && r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 || r >= 0xf900 && r <= 0xfaff || r >= 0xff00 && r <= 0xff60 {
		width = 2
	}
	if s.x+width > s.columns {
		s.lines[s.y].wrapped = true
		s.x = 0
		s.down()
	}
	l := &s.lines[s.y]
	for len(l.cells) < s.x+width {
		l.cells = append(l.cells, " ")
	}
	l.cells[s.x] = string(r)
	if width == 2 {
		l.cells[s.x+1] = ""
	}
	s.x += width
}

// Resize gives the terminal another size.
func (s *Screen) Resize(columns, rows int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reflow {
		s.breakAnew(columns)
	} else {
		for i := range s.lines {
			s.lines[i].cells = s.lines[i].cells[:min(len(s.lines[i].cells), columns)]
		}
		s.x = min(s.x, columns)
	}
	s.columns, s.rows = columns, rows
	s.top = max(s.y-rows+1, min(s.top, len(s.lines)-1), 0)
	if len(s.lines) <= rows {
		s.top = 0
	}
}

// breakAnew breaks the lines for another width; the cursor stays at its character.
func (s *Screen) breakAnew(columns int) {
	var lines []line
	var whole []string
	x, y, at := 0, 0, -1 // at: of the cursor in whole
	for i, l := range s.lines {
		if i == s.y {
			at = len(whole) + s.x
		}
		whole = append(whole, l.cells...)
		if l.wrapped {
			continue
		}
		first := len(lines)
		lines = append(lines, broken(whole, columns)...)
		if at >= 0 {
			y, x = min(first+at/columns, len(lines)-1), at%columns
			if at > 0 && x == 0 && at == len(whole) {
				y, x = min(first+(at-1)/columns, len(lines)-1), columns
			}
			at = -1
		}
		whole = nil
	}
	s.lines, s.x, s.y = lines, x, y
}

func broken(cells []string, columns int) []line {
	var lines []line
	for len(cells) > columns {
		lines = append(lines, line{cells: append([]string{}, cells[:columns]...), wrapped: true})
		cells = cells[columns:]
	}
	return append(lines, line{cells: append([]string{}, cells...)})
}
