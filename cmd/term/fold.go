package term

import (
	"io"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/text"
)

// Hanging is a text behind a head of so many columns, broken to fit width. Where there is
// too little room behind the head, the text is beneath it.
func Hanging(head string, columns int, s string, width int) []string {
	const narrowest, indent = 20, 2
	if width-columns >= narrowest {
		return hanging(head, columns, s, width)
	}
	margin := strings.Repeat(" ", indent)
	switch head = strings.Join(strings.Fields(head), " "); {
	case head == "":
		return hanging(margin, indent, s, width)
	case CellWidth(head) <= indent: // a mark of the text, not of a row
		return hanging(margin+head+" ", indent+CellWidth(head)+1, s, width)
	default:
		return append([]string{head}, hanging(margin, indent, s, width)...)
	}
}

func hanging(head string, columns int, s string, width int) []string {
	lines := strings.Split(pretty.WrapSoft(s, max(width-columns, 1)), "\n")
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

// FoldWriter breaks lines that are longer than Width at their spaces. What is
// written has to end with a line.
type FoldWriter struct {
	W     io.Writer
	Width int
}

// Write implements io.Writer.
func (f *FoldWriter) Write(p []byte) (int, error) {
	var b strings.Builder
	for line := range strings.Lines(string(p)) {
		f.fold(&b, line)
	}
	if _, err := io.WriteString(f.W, b.String()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// fold writes a line; what does not fit goes on in the next one, indented.
func (f *FoldWriter) fold(b *strings.Builder, line string) {
	const indent = "    "
	start := 0 // of the text
	for CellWidth(strings.TrimSuffix(line, "\n")) > f.Width {
		end, used := 0, 0
		for i, r := range line {
			if used += CellWidth(string(r)); used > f.Width+1 && end > 0 {
				break
			}
			if r == ' ' && i > start { // behind a word that is too long at last
				end = i
			}
		}
		if end == 0 {
			break // one long word
		}
		b.WriteString(line[:end] + "\n")
		line, start = indent+line[end+1:], len(indent)
	}
	b.WriteString(line)
}
