package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Shorten is Clean of s, cut to n characters with "…" behind them where there were
// more: for quoting a text that others wrote, which may be long.
func Shorten(s string, n int) string {
	if len(s) <= n && isClean(s) {
		return s
	}
	// Of a long text only the start is cleaned, which holds n characters unless most
	// of it is none.
	if limit := 8 * utf8.UTFMax * (n + 1); len(s) > limit {
		s = s[:limit]
	}
	s = Clean(s)
	if end := after(s, n); end < len(s) {
		return s[:end] + "…"
	}
	return s
}

// Clip cuts s, which is clean, to n characters, the last of which then says that
// there were more.
func Clip(s string, n int) string {
	if after(s, n) == len(s) {
		return s
	}
	return strings.TrimSpace(s[:after(s, n-1)]) + "…"
}

// after is where the first n characters of s end.
func after(s string, n int) int {
	if len(s) <= n {
		return len(s)
	}
	for i := range s {
		if n == 0 {
			return WholeBefore(s, i)
		}
		n--
	}
	return len(s)
}

// WholeBefore is the last place in s, at or before i, that is not within characters that
// are joined to one: emoji by joiners, with their variations, skins and tags.
func WholeBefore(s string, i int) int {
	for 0 < i && i < len(s) {
		next, _ := utf8.DecodeRuneInString(s[i:])
		last, size := utf8.DecodeLastRuneInString(s[:i])
		if last != joiner && !isJoined(next) {
			break
		}
		i -= size
	}
	return i
}

const joiner = '\u200d'

// isJoined tells whether r belongs to the character before it.
func isJoined(r rune) bool {
	return r == joiner || r == '\u200c' || r == '\u20e3' || unicode.Is(unicode.Variation_Selector, r) ||
		r >= '\U0001f3fb' && r <= '\U0001f3ff' || r > '\U000e0000' && r <= '\U000e007f'
}
