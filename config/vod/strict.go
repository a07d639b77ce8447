package vod

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	// maxDepth bounds the nesting of arrays and objects, and so the stack.
	maxDepth = 100
	// maxDuplicates bounds the warnings about duplicate keys of one document.
	maxDuplicates = 20
	// fewKeys is the size up to which an object's keys are compared one by one.
	fewKeys = 16
)

// SyntaxError is a defect of a JSON text that leaves its meaning open. Line and
// Column (in characters) count from 1 in the text as it came.
type SyntaxError struct {
	Line, Column int
	Reason       string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Reason)
}

// Strict rewrites a leniently written JSON text as compact strict JSON, in one
// pass and in linear time. It accepts a byte order mark, comments (//, #, /* */),
// superfluous commas, ; for a comma, = and => for a colon, single quotes, names and
// words without quotes, raw control characters and unknown escapes. The first of
// duplicate keys stays, and the first of several documents; a warning tells what was
// dropped. What is missing (a comma, a quote, a bracket) is never guessed: the error is
// then a *SyntaxError. Arrays and objects nest 100 deep at most.
func Strict(body []byte) ([]byte, []Warning, error) {
	s := scanner{in: body, out: make([]byte, 0, len(body)+len(body)/64)}
	err := s.document()
	if err != nil {
		return nil, nil, err
	}
	return s.out, s.warnings, nil
}

// scanner is the state of one Strict pass.
type scanner struct {
	in         []byte
	pos        int // of the next byte of in
	out        []byte
	depth      int
	keys       []span // keys of the objects that are open, innermost last
	duplicates int
	warnings   []Warning
}

// span is a range of scanner.out.
type span struct{ from, to int }

func (s *scanner) document() error {
	if err := s.space(); err != nil {
		return err
	}
	if s.end() {
		return s.errorf(s.pos, "there is no JSON in the text")
	}
	if err := s.value(); err != nil {
		return err
	}
	if err := s.space(); err != nil || !s.end() {
		line, _ := s.position(s.pos)
		s.warn("only the first JSON document is used, what follows it in line %d is ignored", line)
	}
	if extra := s.duplicates - maxDuplicates; extra > 0 {
		s.warn("%d more duplicate keys", extra)
	}
	return nil
}

func (s *scanner) value() error {
	switch c := s.in[s.pos]; c {
	case '{':
		return s.nested(s.object)
	case '[':
		return s.nested(s.array)
	case '"', '\'':
		return s.quoted(c)
	default:
		word, err := s.word()
		if err != nil {
			return err
		}
		s.writeWord(word)
		return nil
	}
}

// nested runs object or array one level deeper.
func (s *scanner) nested(body func(opened int) error) error {
	if s.depth == maxDepth {
		return s.errorf(s.pos, "arrays and objects are nested more than %d deep", maxDepth)
	}
	s.depth++
	opened := s.pos
	s.out = append(s.out, s.in[s.pos])
	s.pos++
	err := body(opened)
	s.depth--
	return err
}

func (s *scanner) object(opened int) error {
	base := len(s.keys)
	defer func() { s.keys = s.keys[:base] }()
	var many map[string]struct{} // the keys, once they are more than a few
	for {
		more, err := s.next('}', "object", opened)
		if !more || err != nil {
			return err
		}
		start, mark := s.pos, len(s.out)
		s.comma('{')
		key, err := s.key()
		if err != nil {
			return err
		}
		duplicate := s.known(base, key, &many)
		if err := s.member(opened); err != nil {
			return err
		}
		if duplicate {
			s.warnDuplicate(start, s.out[key.from:key.to])
			s.out = s.out[:mark]
		}
	}
}

func (s *scanner) array(opened int) error {
	for {
		more, err := s.next(']', "array", opened)
		if !more || err != nil {
			return err
		}
		s.comma('[')
		if err := s.value(); err != nil {
			return err
		}
		if err := s.separated(']', "array", opened); err != nil {
			return err
		}
	}
}

// next moves to the next item, over superfluous commas. At the closing bracket
// it writes that and reports false.
func (s *scanner) next(closing byte, what string, opened int) (bool, error) {
	for {
		if err := s.space(); err != nil {
			return false, err
		}
		if s.end() {
			return false, s.unclosed(what, opened)
		}
		switch s.in[s.pos] {
		case ',', ';':
			s.pos++
		case closing:
			s.out = append(s.out, closing)
			s.pos++
			return false, nil
		default:
			return true, nil
		}
	}
}

// separated checks that a comma or the closing bracket follows an item.
func (s *scanner) separated(closing byte, what string, opened int) error {
	if err := s.space(); err != nil {
		return err
	}
	if s.end() {
		return s.unclosed(what, opened)
	}
	if c := s.in[s.pos]; c != ',' && c != ';' && c != closing {
		return s.errorf(s.pos, "expected a comma or %q, found %s", closing, s.found())
	}
	return nil
}

// key reads a name and writes it quoted; the span is that of the quoted name.
// Writing is canonical: equal names are equal bytes.
func (s *scanner) key() (span, error) {
	from := len(s.out)
	if c := s.in[s.pos]; c == '"' || c == '\'' {
		err := s.quoted(c)
		return span{from, len(s.out)}, err
	}
	word, err := s.word()
	if err != nil {
		return span{}, err
	}
	s.writeQuoted(word)
	return span{from, len(s.out)}, nil
}

// member reads what follows a key: the colon, the value and the separator.
func (s *scanner) member(opened int) error {
	if err := s.space(); err != nil {
		return err
	}
	if s.end() {
		return s.unclosed("object", opened)
	}
	if !s.colon() {
		return s.errorf(s.pos, "expected a colon after the name, found %s", s.found())
	}
	s.out = append(s.out, ':')
	if err := s.space(); err != nil {
		return err
	}
	if s.end() {
		return s.unclosed("object", opened)
	}
	if err := s.value(); err != nil {
		return err
	}
	return s.separated('}', "object", opened)
}

// colon moves over what separates a name from its value: a colon, = or =>.
func (s *scanner) colon() bool {
	switch s.in[s.pos] {
	case ':':
		s.pos++
	case '=':
		s.pos++
		if !s.end() && s.in[s.pos] == '>' {
			s.pos++
		}
	default:
		return false
	}
	return true
}

// known tells whether the object whose keys start at base has the key already,
// and notes it otherwise.
func (s *scanner) known(base int, key span, many *map[string]struct{}) bool {
	name := s.out[key.from:key.to]
	if *many != nil {
		if _, ok := (*many)[string(name)]; ok {
			return true
		}
		(*many)[string(name)] = struct{}{}
		return false
	}
	for _, k := range s.keys[base:] {
		if bytes.Equal(s.out[k.from:k.to], name) {
			return true
		}
	}
	s.keys = append(s.keys, key)
	if len(s.keys)-base > fewKeys {
		*many = make(map[string]struct{}, 4*fewKeys)
		for _, k := range s.keys[base:] {
			(*many)[string(s.out[k.from:k.to])] = struct{}{}
		}
	}
	return false
}

// quoted reads a string between quotes of the kind c.
func (s *scanner) quoted(c byte) error {
	opened := s.pos
	s.out = append(s.out, '"')
	from := s.pos + 1 // of what is not copied yet
	for i := from; i < len(s.in); {
		switch b := s.in[i]; {
		case b == c:
			s.out = append(s.out, s.in[from:i]...)
			s.out = append(s.out, '"')
			s.pos = i + 1
			return nil
		case b == '\\' && i+1 < len(s.in):
			s.out = append(s.out, s.in[from:i]...)
			i = s.escape(i)
			from = i
		case b == '"' || b < ' ':
			s.out = append(s.out, s.in[from:i]...)
			s.out = appendRune(s.out, rune(b))
			i++
			from = i
		default:
			i++
		}
	}
	return s.errorf(opened, "the text ends inside the string that starts here")
}

// escape writes the escape sequence that starts at i, and returns where it ends.
// The backslash of an unknown one is meant literally, as in "\d+".
func (s *scanner) escape(i int) int {
	switch c := s.in[i+1]; c {
	case '"', '\\', '/', '\'', '\n':
		s.out = appendRune(s.out, rune(c))
		return i + 2
	case 'b', 'f', 'n', 'r', 't':
		s.out = append(s.out, '\\', c)
		return i + 2
	case 'u':
		if r, ok := s.hex4(i + 2); ok {
			return s.escapedRune(i+6, r)
		}
	}
	s.out = append(s.out, `\\`...)
	return i + 1
}

// escapedRune writes r, given as \uXXXX that ends at i, together with the second
// half of a surrogate pair.
func (s *scanner) escapedRune(i int, r rune) int {
	if utf16.IsSurrogate(r) {
		pair := rune(utf8.RuneError)
		if bytes.HasPrefix(s.in[i:], []byte(`\u`)) {
			if low, ok := s.hex4(i + 2); ok {
				pair = utf16.DecodeRune(r, low)
			}
		}
		if r = pair; r != utf8.RuneError {
			i += 6
		}
	}
	s.out = appendRune(s.out, r)
	return i
}

func (s *scanner) hex4(i int) (rune, bool) {
	if i+4 > len(s.in) {
		return 0, false
	}
	n, err := strconv.ParseUint(string(s.in[i:i+4]), 16, 16)
	return rune(n), err == nil
}

// word reads a number, a literal or a name without quotes.
func (s *scanner) word() ([]byte, error) {
	from := s.pos
	for !s.end() && isWord(s.in[s.pos]) {
		_, space := s.spaceRune()
		if space {
			break
		}
		s.pos++
	}
	if s.pos == from {
		return nil, s.errorf(from, "expected a name or a value, found %s", s.found())
	}
	return s.in[from:s.pos], nil
}

// isWord tells whether c may stand in a word: all but what structures a text.
func isWord(c byte) bool {
	switch c {
	case '{', '}', '[', ']', ',', ':', '"', '\'', '/', '\\', '#', ';', '=', '<', '>', 0x7f:
		return false
	default:
		return c > ' '
	}
}

// writeWord writes a literal or a number as it is and any other word as a string.
func (s *scanner) writeWord(word []byte) {
	if isNumber(word) {
		s.out = append(s.out, word...)
		return
	}
	for _, literal := range []string{"true", "false", "null"} {
		if len(word) == len(literal) && bytes.EqualFold(word, []byte(literal)) {
			s.out = append(s.out, literal...)
			return
		}
	}
	if c := word[0]; (c == '-' || '0' <= c && c <= '9') && json.Valid(word) {
		s.out = append(s.out, word...)
		return
	}
	s.writeQuoted(word)
}

// isNumber tells the plain numbers that most words are.
func isNumber(word []byte) bool {
	for _, c := range word {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(word) == 1 || word[0] != '0'
}

// writeQuoted writes a word, which holds nothing to escape.
func (s *scanner) writeQuoted(word []byte) {
	s.out = append(s.out, '"')
	s.out = append(s.out, word...)
	s.out = append(s.out, '"')
}

// comma separates an item from the one before it.
func (s *scanner) comma(opening byte) {
	if s.out[len(s.out)-1] != opening {
		s.out = append(s.out, ',')
	}
}

// space skips white space and comments.
func (s *scanner) space() error {
	for !s.end() {
		switch c := s.in[s.pos]; c {
		case ' ', '\t', '\r', '\n', '\v', '\f':
			s.pos++
		case '#':
			s.line()
		case '/':
			if err := s.comment(); err != nil {
				return err
			}
		default:
			size, ok := s.spaceRune()
			if c < ' ' || c == 0x7f {
				size, ok = 1, true
			}
			if !ok {
				return nil
			}
			s.pos += size
		}
	}
	return nil
}

// spaceRune measures a white space character beyond ASCII, or a byte order mark.
func (s *scanner) spaceRune() (int, bool) {
	if s.in[s.pos] < utf8.RuneSelf {
		return 0, false
	}
	r, size := utf8.DecodeRune(s.in[s.pos:])
	return size, r == '\ufeff' || unicode.IsSpace(r)
}

func (s *scanner) comment() error {
	rest := s.in[s.pos:]
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
		s.line()
	case bytes.HasPrefix(rest, []byte("/*")):
		n := bytes.Index(rest[2:], []byte("*/"))
		if n < 0 {
			return s.errorf(s.pos, "the comment that starts here has no end")
		}
		s.pos += n + 4
	default:
		return s.errorf(s.pos, "unexpected %s", s.found())
	}
	return nil
}

// line skips the rest of a line.
func (s *scanner) line() {
	if n := bytes.IndexByte(s.in[s.pos:], '\n'); n >= 0 {
		s.pos += n + 1
		return
	}
	s.pos = len(s.in)
}

func (s *scanner) end() bool { return s.pos == len(s.in) }

// found shows the character at the position, for errors.
func (s *scanner) found() string {
	if s.end() {
		return "the end of the text"
	}
	r, _ := utf8.DecodeRune(s.in[s.pos:])
	return strconv.QuoteRune(r)
}

func (s *scanner) unclosed(what string, opened int) error {
	line, column := s.position(opened)
	return s.errorf(s.pos, "the text ends inside the %s that starts in line %d, column %d", what, line, column)
}

func (s *scanner) errorf(pos int, format string, args ...any) error {
	line, column := s.position(pos)
	return &SyntaxError{Line: line, Column: column, Reason: fmt.Sprintf(format, args...)}
}

// position gives the line and column of a byte. A byte order mark has no column.
func (s *scanner) position(pos int) (line, column int) {
	before := bytes.TrimPrefix(s.in[:pos], []byte("\ufeff"))
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[start:]) + 1
}

func (s *scanner) warn(format string, args ...any) {
	s.warnings = append(s.warnings, Warning{Reason: fmt.Sprintf(format, args...)})
}

func (s *scanner) warnDuplicate(pos int, key []byte) {
	if s.duplicates++; s.duplicates <= maxDuplicates {
		line, _ := s.position(pos)
		s.warn("the key %s in line %d is a duplicate, the first one is used", excerpt(string(key), 40), line)
	}
}

// appendRune appends r as it must stand in a strict JSON string.
func appendRune(out []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(out, '\\', byte(r))
	case '\b':
		return append(out, `\b`...)
	case '\f':
		return append(out, `\f`...)
	case '\n':
		return append(out, `\n`...)
	case '\r':
		return append(out, `\r`...)
	case '\t':
		return append(out, `\t`...)
	}
	if r < ' ' {
		return fmt.Appendf(out, `\u%04x`, r)
	}
	return utf8.AppendRune(out, r)
}
