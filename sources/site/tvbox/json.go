package tvbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mended gives the first object or array of a text, and what stands behind it. What
// servers write carelessly it puts right: control characters, commas before a bracket,
// escapes that are none, single quotes, names without quotes, the words of Python and of
// scripts, comments. Of a text that ends before, it gives nothing.
func mended(b []byte) (document, behind []byte) {
	document = make([]byte, 0, len(b)+len(b)/16)
	depth, last := 0, -1 // the last byte of document that is no white space
	for i := 0; i < len(b); {
		switch c := b[i]; {
		case c == '"' || c == '\'':
			if document, i = appendString(document, b, i); i < 0 {
				return nil, nil
			}
			last = len(document) - 1
			continue
		case isWord(c):
			document, i = appendWord(document, b, i)
			last = len(document) - 1
			continue
		case c == '/':
			size := commentLen(b[i:])
			if size == 0 {
				return nil, nil
			}
			i += size
			continue
		case c <= ' ' || c == 0x7f:
			document = append(document, ' ')
			i++
			continue
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRune(b[i:])
			if unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) {
				i += size
				continue
			}
			return nil, nil
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
			if last >= 0 && document[last] == ',' {
				document[last] = ' '
			}
		}
		last = len(document)
		document = append(document, b[i])
		if i++; depth == 0 {
			return document, b[i:]
		}
	}
	return nil, nil
}

// isWord tells whether c is of a number, or of a word without quotes.
func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("_$+-.", c) >= 0
}

// appendWord adds the word that starts at i to document: a literal, or, before a colon, a
// name. Another one stays what it is, which is no JSON.
func appendWord(document, b []byte, i int) (_ []byte, end int) {
	for end = i; end < len(b) && isWord(b[end]); {
		end++
	}
	word := string(b[i:end])
	if rest := bytes.TrimLeft(b[end:], " \t\r\n"); len(rest) > 0 && rest[0] == ':' {
		return append(append(append(document, '"'), word...), '"'), end
	}
	switch word {
	case "None", "undefined", "NaN":
		word = "null"
	case "True", "False":
		word = strings.ToLower(word)
	}
	return append(document, word...), end
}

// commentLen is the length of the comment that b starts with, 0 where it is none or does
// not end.
func commentLen(b []byte) int {
	for _, c := range [][2]string{{"//", "\n"}, {"/*", "*/"}} {
		if inner, ok := bytes.CutPrefix(b, []byte(c[0])); ok {
			if end := bytes.Index(inner, []byte(c[1])); end >= 0 {
				return len(c[0]) + end + len(c[1])
			}
		}
	}
	return 0
}

// appendString adds the string that starts at i to document; end is -1 where it has none.
func appendString(document, b []byte, i int) (_ []byte, end int) {
	quote := b[i]
	document = append(document, '"')
	for i++; i < len(b); i++ {
		switch c := b[i]; {
		case c == quote:
			return append(document, '"'), i + 1
		case c == '"':
			document = append(document, '\\', c)
		case c < ' ':
			document = appendControl(document, c)
		case c == '\\':
			size := escapeLen(b[i:])
			document = append(document, b[i:i+size]...)
			switch {
			case size > 0:
				i += size - 1
			case i+1 < len(b) && b[i+1] == '\'': // needs none
				document = append(document, '\'')
				i++
			case i+1 < len(b) && b[i+1] < ' ': // nor does this
			default:
				document = append(document, `\\`...)
			}
		default:
			document = append(document, c)
		}
	}
	return nil, -1
}

// appendControl writes a control character as JSON has it.
func appendControl(document []byte, c byte) []byte {
	if short := strings.IndexByte("\b\t\n\f\r", c); short >= 0 {
		return append(document, '\\', "btnfr"[short])
	}
	return fmt.Appendf(document, `\u%04x`, c)
}

// escapeLen is the length of the escape that b starts with, 0 where it is none.
func escapeLen(b []byte) int {
	const unicodeLen = len(`\u0000`)
	switch {
	case len(b) < 2:
		return 0
	case strings.IndexByte(`"\/bfnrt`, b[1]) >= 0:
		return 2
	case b[1] == 'u' && len(b) >= unicodeLen && len(bytes.Trim(b[2:unicodeLen], "0123456789abcdefABCDEF")) == 0:
		return unicodeLen
	}
	return 0
}

// members are the raw keys and values of an object, or the elements of an array,
// whose keys are nil. b is valid JSON; that is not looked at again.
func members(b []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		object := b[0] == '{'
		for i := nextToken(b, 1); b[i] != '}' && b[i] != ']'; {
			var key []byte
			if object {
				end := valueEnd(b, i)
				key = b[i:end]
				i = nextToken(b, nextToken(b, end)+1) // behind the colon
			}
			end := valueEnd(b, i)
			if !yield(key, b[i:end]) {
				return
			}
			if i = nextToken(b, end); b[i] == ',' {
				i = nextToken(b, i+1)
			}
		}
	}
}

// nextToken is the first index from i on that is not white space.
func nextToken(b []byte, i int) int {
	for b[i] <= ' ' {
		i++
	}
	return i
}

// valueEnd is the end of the value that starts at i and lies in an object or array.
func valueEnd(b []byte, i int) int {
	for depth := 0; ; {
		switch b[i] {
		case '"':
			i = stringEnd(b, i)
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			depth--
			i++
		case ',', ':', ' ', '\t', '\r', '\n':
			i++
			continue
		default:
			i += bytes.IndexAny(b[i:], ",]} \t\r\n")
		}
		if depth == 0 {
			return i
		}
	}
}

// stringEnd is the end of the string that starts at i.
func stringEnd(b []byte, i int) int {
	for i++; ; {
		i += bytes.IndexByte(b[i:], '"')
		slashes := i
		for b[slashes-1] == '\\' {
			slashes--
		}
		i++
		if (i-1-slashes)%2 == 0 {
			return i
		}
	}
}

// fieldName is the key of an object in lower case: which case servers write is
// no matter.
func fieldName(key []byte) []byte {
	name := key[1 : len(key)-1]
	if bytes.ContainsFunc(name, func(r rune) bool { return r == '\\' || r >= utf8.RuneSelf || 'A' <= r && r <= 'Z' }) {
		return []byte(strings.ToLower(unquote(key)))
	}
	return name
}

// unquote is the text of a string, U+FFFD in the place of invalid bytes.
func unquote(b []byte) string {
	if bytes.IndexByte(b, '\\') < 0 && utf8.Valid(b) {
		return string(b[1 : len(b)-1])
	}
	var s string
	_ = json.Unmarshal(b, &s) // a valid string
	return s
}
