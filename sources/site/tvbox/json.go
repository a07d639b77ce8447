package tvbox

import (
	"bytes"
	"encoding/json"
	"iter"
	"strings"
	"unicode/utf8"
)

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
