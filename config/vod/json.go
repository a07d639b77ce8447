package vod

import (
	"bytes"
	"encoding/json"
	"iter"
	"strings"
)

// The functions here take apart what Strict wrote: valid JSON without white
// space and without duplicate names. encoding/json would check all of it again
// on every level, and match the names of fields in any case; playurl is not
// playUrl.

// object is the members of a JSON object, in their order.
type object []member

// member is one member of an object.
type member struct {
	key   []byte // with its quotes
	value []byte
}

func (m member) name() string { return textOf(m.key) }

// get gives the value of a plain ASCII name, and nil where there is none.
func (o object) get(name string) []byte {
	for _, m := range o {
		if string(m.key[1:len(m.key)-1]) == name {
			return m.value
		}
	}
	return nil
}

// fields gives the members of an object, and nil for anything else.
func fields(raw []byte) object {
	return appendFields(nil, raw)
}

// appendFields is fields with the memory of o.
func appendFields(o object, raw []byte) object {
	if len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	if o == nil {
		o = make(object, 0, 16)
	}
	for i := 1; raw[i] != '}'; {
		if raw[i] == ',' {
			i++
		}
		colon := valueEnd(raw, i)
		end := valueEnd(raw, colon+1)
		o = append(o, member{key: raw[i:colon], value: raw[colon+1 : end]})
		i = end
	}
	return o
}

// items gives the items of an array. Anything else is an array of one, and null
// or "" one of none.
func items(raw []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if isNull(raw) || string(raw) == `""` {
			return
		}
		if raw[0] != '[' {
			yield(raw)
			return
		}
		for i := 1; raw[i] != ']'; {
			if raw[i] == ',' {
				i++
			}
			end := valueEnd(raw, i)
			if !yield(raw[i:end]) {
				return
			}
			i = end
		}
	}
}

// valueEnd finds the end of the value that starts at i.
func valueEnd(raw []byte, i int) int {
	depth := 0
	for ; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			if i = stringEnd(raw, i); depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i // of a number or literal
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ':':
			if depth == 0 {
				return i
			}
		}
	}
	return i
}

// stringEnd finds the closing quote of the string that starts at i.
func stringEnd(raw []byte, i int) int {
	for i++; raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return i
}

// textOf gives a string, number or boolean as text, and "" for anything else.
func textOf(raw []byte) string {
	if isNull(raw) {
		return ""
	}
	switch raw[0] {
	case '{', '[':
		return ""
	case '"':
		return unquote(raw)
	default:
		return string(raw)
	}
}

func unquote(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return strings.ToValidUTF8(string(raw[1:len(raw)-1]), "\ufffd")
	}
	var s string
	_ = json.Unmarshal(raw, &s) // cannot fail: Strict wrote it
	return s
}

func isNull(raw []byte) bool {
	return len(raw) == 0 || string(raw) == "null"
}
