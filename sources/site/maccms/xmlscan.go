package maccms

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

type tokenKind int

const (
	tokenEnd tokenKind = iota // of the document
	tokenText
	tokenOpen
	tokenClose
)

// token is a piece of a document.
type token struct {
	kind       tokenKind
	text       string // of tokenText
	name       string // of an element, in lower case
	attributes string // of tokenOpen, raw
	empty      bool   // the element is closed by its own tag
}

// scanner cuts what ought to be XML into tokens.
type scanner struct{ s string }

// next is the next token. Comments, instructions and declarations are passed
// over. It fails with errCutShort where one of them, or a tag, does not end.
func (s *scanner) next() (token, error) {
	for s.s != "" {
		if s.s[0] != '<' {
			return s.characters(0), nil
		}
		switch {
		case strings.HasPrefix(s.s, cdataStart):
			text, ok := s.until(len(cdataStart), "]]>")
			if !ok {
				return token{}, errCutShort
			}
			return token{kind: tokenText, text: text}, nil
		case strings.HasPrefix(s.s, "<!--"):
			if _, ok := s.until(len("<!--"), "-->"); !ok {
				return token{}, errCutShort
			}
		case strings.HasPrefix(s.s, "<?"):
			if _, ok := s.until(len("<?"), "?>"); !ok {
				return token{}, errCutShort
			}
		case strings.HasPrefix(s.s, "<!"):
			if !s.skipDeclaration() {
				return token{}, errCutShort
			}
		case startsTag(s.s):
			return s.tag()
		default:
			return s.characters(1), nil
		}
	}
	return token{}, nil
}

const cdataStart = "<![CDATA["

// until takes what stands from start to the first end, which it passes over.
func (s *scanner) until(start int, end string) (string, bool) {
	text, rest, ok := strings.Cut(s.s[start:], end)
	s.s = rest
	return text, ok
}

// characters takes the text to the next "<", which is not looked for in the
// first from bytes.
func (s *scanner) characters(from int) token {
	end := strings.IndexByte(s.s[from:], '<')
	if end < 0 {
		end = len(s.s) - from
	}
	t := token{kind: tokenText, text: unescape(s.s[:from+end])}
	s.s = s.s[from+end:]
	return t
}

// skipDeclaration passes over a "<!DOCTYPE ... [...]>".
func (s *scanner) skipDeclaration() bool {
	end := strings.IndexAny(s.s, "[>")
	if end >= 0 && s.s[end] == '[' {
		closing := strings.IndexByte(s.s[end:], ']')
		if closing < 0 {
			return false
		}
		s.s = s.s[end+closing:]
		end = strings.IndexByte(s.s, '>')
	}
	if end < 0 {
		return false
	}
	s.s = s.s[end+1:]
	return true
}

func startsTag(s string) bool {
	s = strings.TrimPrefix(s[1:], "/")
	return s != "" && isLetter(s[0])
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// tag takes "<name attributes>", "<name/>" or "</name>". What never becomes a
// tag is text.
func (s *scanner) tag() (token, error) {
	end, cut := tagEnd(s.s)
	switch {
	case cut:
		return token{}, errCutShort
	case end < 0:
		return s.characters(1), nil
	}
	inner := s.s[1:end]
	s.s = s.s[end+1:]
	t := token{kind: tokenOpen}
	if rest, ok := strings.CutPrefix(inner, "/"); ok {
		t.kind, inner = tokenClose, rest
	} else if rest, ok := strings.CutSuffix(inner, "/"); ok {
		t.empty, inner = true, rest
	}
	nameEnd := strings.IndexAny(inner, " \t\r\n")
	if nameEnd < 0 {
		nameEnd = len(inner)
	}
	t.name, t.attributes = strings.ToLower(inner[:nameEnd]), inner[nameEnd:]
	return t, nil
}

// tagEnd finds the ">" of the tag that s starts with, -1 where the next tag
// starts before. One in quotes does not count, unless the quotes are not closed
// within the tag. cut tells that s ends within it.
func tagEnd(s string) (end int, cut bool) {
	quote, first := byte(0), -1
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '<':
			return first, false
		case c == '>' && quote == 0:
			return i, false
		case c == '>' && first < 0:
			first = i
		case quote == c:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		}
	}
	return first, first < 0
}

// attribute is the value of the attribute of that name, "" where there is none.
func attribute(attributes, name string) string {
	for rest := strings.TrimSpace(attributes); rest != ""; rest = strings.TrimSpace(rest) {
		key, after, ok := strings.Cut(rest, "=")
		if !ok {
			return ""
		}
		after = strings.TrimSpace(after)
		var value string
		if after != "" && (after[0] == '"' || after[0] == '\'') {
			value, rest, _ = strings.Cut(after[1:], after[:1])
		} else {
			end := strings.IndexAny(after, " \t\r\n")
			if end < 0 {
				end = len(after)
			}
			value, rest = after[:end], after[end:]
		}
		if strings.EqualFold(strings.TrimSpace(key), name) {
			return strings.TrimSpace(unescape(value))
		}
	}
	return ""
}

// longestEntity is that of a character by its number.
const longestEntity = len("#1114111")

// unescape replaces the entities of XML and characters by number. What only
// looks like one stays: links hold "&copy=1".
func unescape(s string) string {
	if !strings.Contains(s, "&") {
		return s
	}
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(s, "&")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		end := strings.IndexByte(after[:min(len(after), longestEntity+1)], ';')
		if c, ok := entity(after[:max(end, 0)]); ok {
			b.WriteRune(c)
			s = after[end+1:]
		} else {
			b.WriteByte('&')
			s = after
		}
	}
}

func entity(name string) (rune, bool) {
	switch name {
	case "amp":
		return '&', true
	case "lt":
		return '<', true
	case "gt":
		return '>', true
	case "quot":
		return '"', true
	case "apos":
		return '\'', true
	}
	digits, ok := strings.CutPrefix(name, "#")
	if !ok {
		return 0, false
	}
	base := 10
	if hex := strings.TrimLeft(digits, "xX"); hex != digits {
		digits, base = hex, 16
	}
	n, err := strconv.ParseInt(digits, base, 32)
	if err != nil || n <= 0 || !utf8.ValidRune(rune(n)) {
		return 0, false
	}
	return rune(n), true
}
