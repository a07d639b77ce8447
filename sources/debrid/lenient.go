package debrid

import (
	"encoding/json"
	"strings"
	"time"

	"xship/sources/text"
)

// The services give the same field now as a number, now as a string, and null
// where they have nothing to say. One odd field must not spoil an answer.

// looseText is a JSON string, or a number as it is written; "" for all else.
type looseText string

// UnmarshalJSON implements json.Unmarshaler.
func (t *looseText) UnmarshalJSON(data []byte) error {
	*t = ""
	var s string
	if json.Unmarshal(data, &s) == nil {
		*t = looseText(strings.TrimSpace(s))
		return nil
	}
	var n json.Number
	if json.Unmarshal(data, &n) == nil {
		*t = looseText(n)
	}
	return nil
}

// looseNumber is a JSON number, or a string that holds one; 0 for all else.
type looseNumber float64

// UnmarshalJSON implements json.Unmarshaler.
func (n *looseNumber) UnmarshalJSON(data []byte) error {
	var text looseText
	_ = text.UnmarshalJSON(data) // never fails
	var f float64
	if json.Unmarshal([]byte(text), &f) != nil {
		f = 0
	}
	*n = looseNumber(f)
	return nil
}

// looseBool is a JSON boolean, or a number other than 0; false for all else.
type looseBool bool

// UnmarshalJSON implements json.Unmarshaler.
func (b *looseBool) UnmarshalJSON(data []byte) error {
	var yes bool
	if json.Unmarshal(data, &yes) != nil {
		var n looseNumber
		_ = n.UnmarshalJSON(data) // never fails
		yes = n != 0
	}
	*b = looseBool(yes)
	return nil
}

// looseList is a list, or one alone.
type looseList[T any] = text.LooseList[T]

// maxUnix is the last second of the year 9999; what lies beyond is no time.
const maxUnix = 253402300799

// unixTime reads Unix seconds; the zero time where there are none.
func unixTime(n looseNumber) time.Time {
	if n < 1 || n > maxUnix {
		return time.Time{}
	}
	return time.Unix(int64(n), 0)
}

// isoTime reads a time as in "2030-01-02T03:04:05Z", UTC where it names no zone;
// the zero time where it is none.
func isoTime(text looseText) time.Time {
	s := strings.Replace(string(text), " ", "T", 1)
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t
		}
	}
	return time.Time{}
}

// domainsOf are the names that are domains: services name some of their hosters by
// a word.
func domainsOf(names []looseText) []string {
	var out []string
	for _, n := range names {
		if domain := text.Clean(string(n)); strings.Contains(domain, ".") {
			out = append(out, domain)
		}
	}
	return out
}
