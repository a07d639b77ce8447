package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes text from the network safe for terminals, logs and files: it
// removes control characters, whole escape sequences, bidirectional controls
// and other invisible format characters, turns invalid UTF-8 into U+FFFD, folds
// white space into single spaces and trims it. Zero-width joiners stay between
// characters of scripts that need them, and of emoji, as do the tags of a flag. Cleaning twice changes nothing.
func Clean(s string) string {
	if isClean(s) {
		return s
	}
	var (
		b      = make([]byte, 0, len(s))
		last   rune // last rune written, 0 at the start
		space  bool // white space is due before the next rune
		joined rune // as is a joiner
	)
	for i := 0; i < len(s); {
		if n := escapeLen(s[i:]); n > 0 {
			i += n
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		switch {
		case unicode.IsSpace(r):
			space, joined = true, 0
			continue
		case r == flag:
			tags := tagsLen(s[i:])
			if space && last != 0 {
				b = append(b, ' ')
			}
			if joined != 0 {
				b = utf8.AppendRune(b, joined)
			}
			b = append(b, s[i-size:i+tags]...)
			i += tags
			last, space, joined = r, false, 0
			continue
		case r == '\u200c' || r == '\u200d':
			if last >= utf8.RuneSelf && !space {
				joined = r
			}
			continue
		case unicode.IsControl(r), isHiddenFormat(r):
			continue
		}
		if space && last != 0 {
			b = append(b, ' ')
		}
		if joined != 0 && r >= utf8.RuneSelf {
			b = utf8.AppendRune(b, joined)
		}
		b = utf8.AppendRune(b, r)
		last, space, joined = r, false, 0
	}
	return string(b)
}

// Printable is Clean of s with its spaces as they are, of whatever kind and number:
// for paths and addresses, which must be the same when they are typed again. Printing
// twice changes nothing.
func Printable(s string) string {
	if isClean(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		end := strings.IndexFunc(s, isSeparator)
		if end < 0 {
			end = len(s)
		}
		b.WriteString(Clean(s[:end]))
		s = s[end:]
		spaces := len(s) - len(strings.TrimLeftFunc(s, isSeparator))
		b.WriteString(s[:spaces])
		s = s[spaces:]
	}
	return b.String()
}

// Quote is s, which is clean, in quotes: like %q, but for what only looks unprintable,
// such as the joiners of emoji and the wide space of Chinese.
func Quote(s string) string { return `"` + quoted.Replace(s) + `"` }

var quoted = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// isSeparator tells whether r is a space that takes a place in a line.
func isSeparator(r rune) bool { return unicode.Is(unicode.Zs, r) }

// isClean reports that Clean has nothing to change in s. Of joiners it does not
// know.
func isClean(s string) bool {
	afterSpace := true
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c < ' ' || c == 0x7f || c == ' ' && afterSpace {
				return false
			}
			afterSpace = c == ' '
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 || unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return false
		}
		afterSpace = false
		i += size
	}
	return s == "" || !afterSpace
}

// flag is the emoji that tags behind it make the flag of a region, such as Scotland's.
const flag = '\U0001f3f4'

// tagsLen is the length of the tags that s starts with, which name a region in letters
// and digits and end in a tag of their own; 0 where there are none. Others are hidden
// text.
func tagsLen(s string) int {
	const start, end, most = 0xe0000, '\U000e007f', 6
	length := 0
	for n := 0; ; n++ {
		r, size := utf8.DecodeRuneInString(s[length:])
		length += size
		switch tag := r - start; {
		case r == end && n > 0:
			return length
		case n == most || tag < '0' || tag > 'z' || !IsAlnum(byte(tag)):
			return 0
		}
	}
}

func isHiddenFormat(r rune) bool {
	return r >= 0xad && unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// escapeLen is the length of the terminal escape sequence (ECMA-48) that s
// starts with, in its 7-bit or 8-bit form, and 0 where there is none. Of a
// string sequence that nothing ends, only the introducer counts.
func escapeLen(s string) int {
	const at = 2
	var kind byte
	switch {
	case len(s) >= 2 && s[0] == 0x1b:
		kind = s[1]
	case len(s) >= 2 && s[0] == 0xc2 && s[1] >= 0x80 && s[1] <= 0x9f && s[1] != 0x85: // C1, but for the line end
		kind = s[1] - 0x40
	default:
		return 0
	}
	switch kind {
	case '[':
		end := at
		for end < len(s) && s[end] >= 0x20 && s[end] <= 0x3f {
			end++
		}
		if end < len(s) && s[end] >= 0x40 && s[end] <= 0x7e {
			end++
		}
		return end
	case ']', 'P', 'X', '^', '_':
		return at + stringLen(s[at:])
	}
	if s[0] != 0x1b {
		return at
	}
	end := 1
	for end < len(s) && s[end] >= 0x20 && s[end] <= 0x2f {
		end++
	}
	if end < len(s) && s[end] >= 0x30 && s[end] <= 0x7e {
		end++
	}
	return end
}

// stringLen is the length of a control string with its terminator, BEL or ST.
// An escape that is no terminator breaks it off.
func stringLen(s string) int {
	for i := range len(s) {
		switch {
		case s[i] == 0x07:
			return i + 1
		case s[i] == 0x1b:
			if i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
			return 0
		case s[i] == 0xc2 && i+1 < len(s) && s[i+1] == 0x9c:
			return i + 2
		case s[i] == 0xc2 && i+1 < len(s) && s[i+1] >= 0x80 && s[i+1] <= 0x9f:
			return 0
		}
	}
	return 0
}
