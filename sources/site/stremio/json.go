package stremio

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"xship/sources/text"
)

// str and list are what the rows of add-ons are made of.
type (
	str         = text.Loose
	list[T any] = text.LooseList[T]
)

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
