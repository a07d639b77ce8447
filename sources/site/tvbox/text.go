package tvbox

import (
	"strconv"
	"strings"

	"xship/sources/text"
)

// Text is a JSON string or number; anything else is "".
type Text string

// UnmarshalJSON never fails.
func (t *Text) UnmarshalJSON(b []byte) error {
	t.read(b)
	return nil
}

// read takes a value of JSON.
func (t *Text) read(value []byte) {
	switch c := value[0]; {
	case c == '"':
		*t = Text(unquote(value))
	case c == '-' || '0' <= c && c <= '9':
		*t = Text(value)
	default:
		*t = ""
	}
}

// Int is the number that t starts with, 0 where there is none.
func (t Text) Int() int {
	s := strings.TrimSpace(string(t))
	end := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if end >= 0 {
		s = s[:end]
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

// maxEscaped is how often a text may be escaped: each server that passes one on may do
// it once more.
const maxEscaped = 5

// Clean is t as people read it.
func (t Text) Clean() string { return text.Clean(text.Unmarked(string(t))) }

// maxShort is how many characters of a text that a site puts beside a name are
// kept, the last of which says that there were more.
const maxShort = 200
