package archive

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"

	"xship/sources"
	"xship/sources/text"
)

// maxValues is how many values of one field are looked at, maxValue how many bytes of
// one.
const (
	maxValues = 64
	maxValue  = 4 << 10
)

// values are those of a field. The Archive and its mirrors write text, numbers, lists of
// them or null for one and the same field.
type values []string

// UnmarshalJSON implements json.Unmarshaler. What is no value is left out: one odd field
// spoils nothing beside it.
func (v *values) UnmarshalJSON(data []byte) error {
	*v = nil
	var list []json.RawMessage
	if json.Unmarshal(data, &list) != nil {
		list = []json.RawMessage{data}
	}
	for _, one := range list[:min(len(list), maxValues)] {
		if s, ok := scalar(one); ok {
			*v = append(*v, s)
		}
	}
	return nil
}

// scalar is a text, a number or a truth as text.
func scalar(data json.RawMessage) (string, bool) {
	var value any
	if len(data) > maxValue || json.Unmarshal(data, &value) != nil {
		return "", false
	}
	switch value := value.(type) {
	case string:
		value = strings.TrimSpace(value)
		return value, value != ""
	case float64, bool:
		return string(data), true
	}
	return "", false
}

// first is the first value, "" where there is none.
func (v values) first() string {
	if len(v) == 0 {
		return ""
	}
	return v[0]
}

// number is the first value as a whole number, 0 where it is none from 0 on.
func (v values) number() int64 {
	if n, err := strconv.ParseInt(v.first(), 10, 64); err == nil {
		return max(n, 0)
	}
	f, err := strconv.ParseFloat(v.first(), 64)
	if err != nil || !(f > 0 && f < math.MaxInt64) {
		return 0
	}
	return int64(f)
}

// size is the first value as the width or height of a picture, 0 where none is as large.
func (v values) size() int {
	const most = 9999
	if n := v.number(); n <= most {
		return int(n)
	}
	return 0
}

// isTrue tells whether the first value says so.
func (v values) isTrue() bool {
	switch strings.ToLower(v.first()) {
	case "true", "1", "yes":
		return true
	}
	return false
}

// clean are the values as they may be shown, without those that are empty then.
func (v values) clean() []string {
	var all []string
	for _, s := range v {
		if s = text.Clean(s); s != "" {
			all = append(all, s)
		}
	}
	return all
}

// year is the year that the first value starts with, 0 where it starts with none.
func (v values) year() int {
	s := v.first()
	if len(s) < len("2006") || len(s) > len("2006") && text.IsDigit(s[len("2006")]) {
		return 0
	}
	year, err := strconv.Atoi(s[:len("2006")])
	if err != nil || year < sources.MinYear || year > sources.MaxYear {
		return 0
	}
	return year
}

// longest is the longest length that is believed.
const longest = 100 * time.Hour

// lengthOf reads the length of a file: in seconds, "5752.84", or as "1:35:52". What is
// neither is 0.
func lengthOf(s string) time.Duration {
	parts := strings.Split(strings.TrimSpace(s), ":")
	if len(parts) > 3 {
		return 0
	}
	seconds := 0.0
	for _, part := range parts {
		if !isNumber(part) {
			return 0
		}
		n, err := strconv.ParseFloat(part, 64)
		if err != nil {
			return 0
		}
		seconds = seconds*60 + n
	}
	if seconds > longest.Seconds() {
		return 0
	}
	return time.Duration(seconds * float64(time.Second))
}

// isNumber tells whether s has digits and one point at most, and no sign or exponent.
func isNumber(s string) bool {
	digits := strings.Replace(s, ".", "", 1)
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}
