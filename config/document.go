package config

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// document is the text of a settings file, and where in it settings stand. It makes
// proposals how to change a line of it, each of which may turn out to be wrong: whoever
// takes one reads what comes of it.
type document struct {
	text  string
	lines []span // without their ends
	eol   string
	root  *yaml.Node // a mapping, nil where the file holds nothing
}

// span is a part of a text, from one byte to before another.
type span struct{ from, to int }

// entry is a key in a mapping, with its value.
type entry struct {
	key, value *yaml.Node
	flow       bool // it stands in braces
}

// lineEnd ends a line where the parser, which numbers them, takes one for ended.
var lineEnd = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("\r\n|[\n\r\u0085\u2028\u2029]")
})

// newDocument reads the text of a settings file, which is YAML. It has no byte order mark.
func newDocument(text string) (*document, error) {
	d := &document{text: text, eol: "\n"}
	switch {
	case strings.Contains(text, "\r\n"):
		d.eol = "\r\n"
	case strings.Contains(text, "\r") && !strings.Contains(text, "\n"):
		d.eol = "\r"
	}
	for from := 0; from < len(text); {
		end := lineEnd().FindStringIndex(text[from:])
		if end == nil {
			d.lines = append(d.lines, span{from, len(text)})
			break
		}
		d.lines = append(d.lines, span{from, from + end[0]})
		from += end[1]
	}
	var node yaml.Node
	if err := yaml.Unmarshal([]byte(text), &node); err != nil {
		return nil, err
	}
	if len(node.Content) > 0 && node.Content[0].Kind == yaml.MappingNode {
		d.root = node.Content[0]
	}
	return d, nil
}

// line is the text of line n, from 0.
func (d *document) line(n int) string { return d.text[d.lines[n].from:d.lines[n].to] }

// offset is where a node begins. The parser counts lines and characters from 1.
func (d *document) offset(node *yaml.Node) int {
	if node.Line < 1 || node.Line > len(d.lines) {
		return len(d.text)
	}
	at := d.lines[node.Line-1].from
	for range node.Column - 1 {
		_, size := utf8.DecodeRuneInString(d.text[at:])
		at += size
	}
	return at
}

// find gives the entries that set a key, however its groups are written.
func (d *document) find(key string) []entry {
	var found []entry
	eachEntry(d.root, "", func(name string, e entry) {
		if name == key {
			found = append(found, e)
		}
	})
	return found
}

// eachEntry tells do of the entries of a mapping and of those below, by their full names.
func eachEntry(mapping *yaml.Node, group string, do func(name string, e entry)) {
	if mapping == nil {
		return
	}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		e := entry{mapping.Content[i], mapping.Content[i+1], mapping.Style&yaml.FlowStyle != 0}
		name := group + strings.ToLower(e.key.Value)
		do(name, e)
		if e.value.Kind == yaml.MappingNode {
			eachEntry(e.value, name+".", do)
		}
	}
}

// replaced is the text with a part of it replaced.
func (d *document) replaced(s span, by string) string { return d.text[:s.from] + by + d.text[s.to:] }

// inserted is the text with lines put before line n.
func (d *document) inserted(n int, lines ...string) string {
	added := strings.Join(lines, d.eol) + d.eol
	if n < len(d.lines) {
		return d.text[:d.lines[n].from] + added + d.text[d.lines[n].from:]
	}
	if d.text != "" && !strings.HasSuffix(d.text, d.eol) && !strings.HasSuffix(d.text, "\n") {
		added = d.eol + added
	}
	return d.text + added
}

// withLines is the text with the lines from one to before another replaced.
func (d *document) withLines(from, to int, lines []string) string {
	end := len(d.text)
	if to < len(d.lines) {
		end = d.lines[to].from
	}
	by := strings.Join(lines, d.eol)
	if len(lines) > 0 && (to < len(d.lines) || strings.HasSuffix(d.text, d.eol) || strings.HasSuffix(d.text, "\n")) {
		by += d.eol
	}
	return d.replaced(span{d.lines[from].from, end}, by)
}

// indent is the white space at the start of a line.
func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// noContent tells a line that is empty or a comment.
func noContent(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || line[0] == '#'
}

// block gives the lines of an entry that does not stand in braces: from that of its key
// to before the one behind the last that belongs to its value.
func (d *document) block(e entry) (from, to int) {
	from = e.key.Line - 1
	to = from + 1
	deep := e.key.Column - 1
	for n := to; n < len(d.lines); n++ {
		line := d.line(n)
		if noContent(line) {
			continue
		}
		item := e.value.Kind == yaml.SequenceNode && indent(line) == deep && strings.HasPrefix(line[deep:], "-")
		if indent(line) <= deep && !item {
			break
		}
		to = n + 1
	}
	return from, to
}

// afterColon is where the value of an entry may begin.
func (d *document) afterColon(e entry) int {
	at := d.offset(e.key)
	if at < len(d.text) && (d.text[at] == '"' || d.text[at] == '\'') {
		at = quotedEnd(d.text, at)
	} else {
		at += len(e.key.Value)
	}
	colon := strings.IndexByte(d.text[min(at, len(d.text)):], ':')
	if colon < 0 {
		return len(d.text)
	}
	return at + colon + 1
}

// value is the part of the text that an entry's value takes, where it is a word, in
// quotes or in brackets; it is empty where there is none.
func (d *document) value(e entry) span {
	if e.value.Kind == yaml.ScalarNode && e.value.Value == "" && e.value.Style == 0 {
		at := d.afterColon(e)
		return span{at, at}
	}
	from := d.offset(e.value)
	if from >= len(d.text) {
		return span{len(d.text), len(d.text)}
	}
	switch d.text[from] {
	case '"', '\'':
		return span{from, quotedEnd(d.text, from)}
	case '[', '{':
		return span{from, bracketsEnd(d.text, from)}
	}
	return span{from, wordEnd(d.text, from, e.flow)}
}

// quotedEnd is the end of a text in quotes that begins at from.
func quotedEnd(text string, from int) int {
	quote := text[from]
	for at := from + 1; at < len(text); at++ {
		switch {
		case quote == '"' && text[at] == '\\':
			at++
		case text[at] == quote && quote == '\'' && at+1 < len(text) && text[at+1] == quote:
			at++
		case text[at] == quote:
			return at + 1
		}
	}
	return len(text)
}

// bracketsEnd is the end of a list or a group in brackets that begins at from.
func bracketsEnd(text string, from int) int {
	depth := 0
	for at := from; at < len(text); at++ {
		switch text[at] {
		case '"', '\'':
			if strings.IndexByte(" \t\r\n,[{:", text[at-1]) >= 0 { // else it is a letter of a word
				at = quotedEnd(text, at) - 1
			}
		case '#':
			if strings.IndexByte(" \t\r\n", text[at-1]) >= 0 {
				for at+1 < len(text) && text[at+1] != '\n' && text[at+1] != '\r' {
					at++
				}
			}
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return at + 1
			}
		}
	}
	return len(text)
}

// wordEnd is the end of a value without quotes that begins at from, in braces or not.
func wordEnd(text string, from int, flow bool) int {
	end := from
	for at := from; at < len(text); at++ {
		c := text[at]
		if c == '\n' || c == '\r' || flow && strings.IndexByte(",]}", c) >= 0 || c == '#' && at > from && strings.IndexByte(" \t", text[at-1]) >= 0 {
			break
		}
		if c != ' ' && c != '\t' {
			end = at + 1
		}
	}
	return end
}

// setValue is the text with another value of an entry. Comments stay.
func (d *document) setValue(e entry, value string) string {
	whole := d.value(e)
	if e.flow || strings.IndexByte("[{\"'", firstByte(d.text[whole.from:])) >= 0 {
		return d.replaced(whole, spaced(d.text, whole.from, value))
	}
	from, to := d.block(e)
	if to == from+1 {
		return d.replaced(whole, spaced(d.text, whole.from, value))
	}
	head := d.text[d.lines[from].from:d.afterColon(e)]
	tail := d.text[min(d.afterColon(e), d.lines[from].to):d.lines[from].to]
	comment := ""
	if i := strings.IndexByte(tail, '#'); i >= 0 && e.value.Line-1 != from {
		comment = " " + tail[i:]
	}
	return d.withLines(from, to, append([]string{head + " " + value + comment}, d.comments(from+1, to)...))
}

// comments are the lines in between that are comments.
func (d *document) comments(from, to int) []string {
	var kept []string
	for n := from; n < to; n++ {
		if line := d.line(n); strings.HasPrefix(strings.TrimSpace(line), "#") {
			kept = append(kept, line)
		}
	}
	return kept
}

// spaced is value with the space that has to be before it.
func spaced(text string, at int, value string) string {
	if at > 0 && text[at-1] == ':' {
		return " " + value
	}
	return value
}

func firstByte(text string) byte {
	if text == "" {
		return 0
	}
	return text[0]
}

// proposals are texts in which a key has a value, the most fitting one first.
func (d *document) proposals(key Key, value string) []string {
	var out []string
	found := d.find(key.Name)
	for _, e := range found {
		out = append(out, d.setValue(e, value))
	}
	if len(found) > 0 {
		return out
	}
	line := key.Name + ": " + value
	out = append(out, d.overComments(key.Name, "", key.defaultYAML(), value, 0, len(d.lines))...)
	group, name, _ := strings.Cut(key.Name, ".")
	for _, e := range d.find(group) {
		out = append(out, d.inGroup(e, name, key.defaultYAML(), value)...)
	}
	if d.root != nil && d.root.Style&yaml.FlowStyle != 0 {
		out = append(out, d.inBraces(d.root, line))
	}
	out = append(out, d.inserted(len(d.lines), line))
	if d.root != nil {
		out = append(out, d.inserted(d.root.Line-1, line))
	}
	return out
}

// overComments are texts with a value in the place of a comment that holds the default of
// a name, and below one that holds something else.
func (d *document) overComments(name, margin, standard, value string, from, to int) []string {
	comment := regexp.MustCompile(`^` + margin + `#[ \t]*` + regexp.QuoteMeta(name) + `[ \t]*:[ \t]*(.*)$`)
	var over, below []string
	for n := from; n < to; n++ {
		m := comment.FindStringSubmatch(d.line(n))
		if m == nil {
			continue
		}
		line := margin + name + ": " + value
		if strings.TrimSpace(m[1]) == standard {
			over = append(over, d.withLines(n, n+1, []string{line}))
		} else {
			below = append(below, d.inserted(n+1, line))
		}
	}
	return append(over, below...)
}

// inGroup are texts in which a group has another entry.
func (d *document) inGroup(group entry, name, standard, value string) []string {
	line := name + ": " + value
	if group.value.Kind == yaml.MappingNode && group.value.Style&yaml.FlowStyle != 0 {
		return []string{d.inBraces(group.value, line)}
	}
	margin := strings.Repeat(" ", group.key.Column+1)
	if group.value.Kind == yaml.MappingNode && len(group.value.Content) > 0 {
		margin = strings.Repeat(" ", group.value.Content[0].Column-1)
	}
	from, to := d.block(group)
	until := to // comments behind the last entry are of the group where they are as deep
	for until < len(d.lines) && strings.HasPrefix(d.line(until), margin+"#") {
		until++
	}
	return append(d.overComments(name, margin, standard, value, from, until), d.inserted(to, margin+line))
}

// inBraces is the text with another entry at the end of a mapping in braces.
func (d *document) inBraces(mapping *yaml.Node, line string) string {
	from := d.offset(mapping)
	if from >= len(d.text) || d.text[from] != '{' {
		return d.text
	}
	end := bracketsEnd(d.text, from) - 1
	before := strings.TrimRight(d.text[:end], " \t\r\n")
	if !strings.HasSuffix(before, "{") && !strings.HasSuffix(before, ",") {
		line = ", " + line
	}
	return d.text[:len(before)] + line + d.text[len(before):]
}

// without are texts in which a key is not set: the line is gone, or a comment with the
// default where it came from such a one.
func (d *document) without(key Key) []string {
	found := d.find(key.Name)
	if len(found) == 0 {
		return nil
	}
	out := d.withoutEntry(found[0], key)
	if len(found) == 1 {
		return out
	}
	var all []string
	for _, once := range out {
		if rest, err := newDocument(once); err == nil && len(rest.find(key.Name)) < len(found) {
			all = append(all, rest.without(key)...)
		}
	}
	return all
}

func (d *document) withoutEntry(e entry, key Key) []string {
	if e.flow {
		return d.withoutFlow(e)
	}
	from, to := d.block(e)
	kept := d.comments(from+1, to)
	if from > 0 && strings.Contains(d.line(from-1), key.Env) && noContent(d.line(from-1)) {
		margin := d.text[d.lines[from].from:d.offset(e.key)]
		kept = append([]string{margin + "# " + e.key.Value + ": " + key.defaultYAML()}, kept...)
	}
	return []string{d.withLines(from, to, kept)}
}

// withoutFlow are texts without an entry that stands in braces, and the comma behind it or
// before it.
func (d *document) withoutFlow(e entry) []string {
	whole := span{d.offset(e.key), d.value(e).to}
	behind, before := whole, whole
	if rest := strings.TrimLeft(d.text[whole.to:], " \t\r\n"); strings.HasPrefix(rest, ",") {
		behind.to = len(d.text) - len(strings.TrimLeft(rest[1:], " \t"))
	}
	if head := strings.TrimRight(d.text[:whole.from], " \t\r\n"); strings.HasSuffix(head, ",") {
		before.from = len(head) - 1
	}
	if behind == whole {
		return []string{d.replaced(before, "")}
	}
	return []string{d.replaced(behind, ""), d.replaced(before, "")}
}

// byteOrderMark begins what some editors of Windows write.
var byteOrderMark = []byte("\ufeff")

// withoutMark splits the byte order mark off.
func withoutMark(text []byte) (mark, rest []byte) {
	if bytes.HasPrefix(text, byteOrderMark) {
		return byteOrderMark, text[len(byteOrderMark):]
	}
	return nil, text
}
