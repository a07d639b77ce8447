package failover

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Mode is what happens when an interface cannot be loaded (section 2).
type Mode int

// The modes, with their numbers in the preferences (section 10.1).
const (
	Off    Mode = 0 // report the error
	Auto   Mode = 1 // load the next interface
	Manual Mode = 2 // ask the user
)

// String is the mode's name: off, auto or manual.
func (m Mode) String() string {
	switch m {
	case Off:
		return "off"
	case Manual:
		return "manual"
	default:
		return "auto"
	}
}

// ModeNamed finds a mode by its name, in any case.
func ModeNamed(name string) (m Mode, ok bool) {
	for _, m := range []Mode{Off, Auto, Manual} {
		if strings.EqualFold(strings.TrimSpace(name), m.String()) {
			return m, true
		}
	}
	return Auto, false
}

// ParseMode reads a stored mode: the number, also as text or with a fraction of
// zero. Anything else is Auto, also where nothing is stored.
func ParseMode(raw json.RawMessage) Mode {
	var number *float64
	if json.Unmarshal(unquoted(raw), &number) != nil || number == nil {
		return Auto
	}
	switch *number {
	case 0:
		return Off
	case 2:
		return Manual
	default:
		return Auto
	}
}

// unquoted is the content of a JSON string, and any other value as it is: some
// programs store every preference as text.
func unquoted(raw json.RawMessage) []byte {
	var text *string
	if json.Unmarshal(raw, &text) != nil || text == nil {
		return raw
	}
	return bytes.TrimSpace([]byte(*text))
}
