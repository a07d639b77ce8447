package stremio

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// str is a JSON string or number; anything else is "".
type str string

// UnmarshalJSON never fails.
func (s *str) UnmarshalJSON(b []byte) error {
	*s = ""
	switch c := b[0]; {
	case c == '"' && bytes.IndexByte(b, '\\') < 0 && utf8.Valid(b): // as most
		*s = str(b[1 : len(b)-1])
	case c == '"':
		var plain string
		_ = json.Unmarshal(b, &plain) // a string is one
		*s = str(plain)
	case c == '-' || '0' <= c && c <= '9':
		*s = str(b)
	}
	return nil
}

// count is a JSON number, or a string that holds one, without what is behind its point;
// anything else, and what is less, is 0.
type count int64

// UnmarshalJSON never fails.
func (c *count) UnmarshalJSON(b []byte) error {
	var s str
	_ = s.UnmarshalJSON(b) // never fails
	f, err := strconv.ParseFloat(strings.TrimSpace(string(s)), 64)
	if *c = 0; err == nil && f >= 0 && f < 1<<62 {
		*c = count(f)
	}
	return nil
}

// boolean is true where JSON has true, or a string or number that means it.
type boolean bool

// UnmarshalJSON never fails.
func (v *boolean) UnmarshalJSON(b []byte) error {
	word := strings.ToLower(strings.Trim(string(b), `" `))
	*v = word == "true" || word == "1"
	return nil
}

// mismatched tells whether err, of decoding an object, says no more than that some of what
// is in it is of another type than is wanted: all else was decoded.
func mismatched(err error) bool {
	var wrong *json.UnmarshalTypeError
	return errors.As(err, &wrong) && wrong.Field != ""
}

// list is a JSON list. What stands in it and is of another type is left out; something
// that is not in a list is the only one of it.
type list[T any] struct {
	items []T
	known bool // it is there, and empty or with something that can be read
}

// UnmarshalJSON never fails.
func (l *list[T]) UnmarshalJSON(b []byte) error {
	*l = list[T]{}
	var raw []json.RawMessage
	switch {
	case string(b) == "null":
		return nil
	case json.Unmarshal(b, &raw) != nil:
		raw = []json.RawMessage{b}
	}
	for _, one := range raw {
		var v T
		if string(one) != "null" && json.Unmarshal(one, &v) == nil {
			l.items = append(l.items, v)
		}
	}
	l.known = len(l.items) > 0 || len(raw) == 0
	return nil
}
