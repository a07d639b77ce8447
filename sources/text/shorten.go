package text

import (
	"strings"
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
			return i
		}
		n--
	}
	return len(s)
}
