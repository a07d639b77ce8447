package text

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// Loose is a JSON string, or a number as it is written; "" for anything else: what others
// write for one and the same field.
type Loose string

// UnmarshalJSON implements json.Unmarshaler. It never fails.
func (l *Loose) UnmarshalJSON(b []byte) error {
	*l = ""
	switch c := b[0]; {
	case c == '"' && bytes.IndexByte(b, '\\') < 0 && utf8.Valid(b): // as most
		*l = Loose(b[1 : len(b)-1])
	case c == '"':
		var plain string
		_ = json.Unmarshal(b, &plain) // a string is one
		*l = Loose(plain)
	case c == '-' || '0' <= c && c <= '9':
		*l = Loose(b)
	}
	return nil
}

// LooseList is a JSON list. What stands in it and is no T is left out, and a T that is in
// no list is the only one of it. It is nil where there is none, or nothing of it is a T.
type LooseList[T any] []T

// UnmarshalJSON implements json.Unmarshaler. It never fails.
func (l *LooseList[T]) UnmarshalJSON(b []byte) error {
	*l = nil
	var raw []json.RawMessage
	switch {
	case string(b) == "null":
		return nil
	case json.Unmarshal(b, &raw) != nil:
		raw = []json.RawMessage{b}
	case len(raw) == 0:
		*l = LooseList[T]{}
	}
	for _, one := range raw {
		var v T
		if string(one) != "null" && json.Unmarshal(one, &v) == nil {
			*l = append(*l, v)
		}
	}
	return nil
}
