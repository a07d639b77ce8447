package link

import (
	"net/url"
	"strings"
)

// Parse reads a URL as sites write them: a "%" that begins no escape stands for
// itself, as in "100% Film.mp4". Whoever sends or compares a link reads it so.
func Parse(rawURL string) (*url.URL, error) { return url.Parse(mendEscapes(rawURL)) }

// mendEscapes escapes each "%" behind the host that begins no escape. In a host
// there is nothing to mend.
func mendEscapes(rawURL string) string {
	if !strings.Contains(rawURL, "%") {
		return rawURL
	}
	start := 0
	if i := strings.Index(rawURL, "://"); i >= 0 {
		start = i + len("://")
		start += max(strings.IndexAny(rawURL[start:], "/?#"), 0)
	}
	n := 0
	for i := start; i < len(rawURL); i++ {
		if strayPercent(rawURL, i) {
			n++
		}
	}
	if n == 0 {
		return rawURL
	}
	b := append(make([]byte, 0, len(rawURL)+2*n), rawURL[:start]...)
	for i := start; i < len(rawURL); i++ {
		b = append(b, rawURL[i])
		if strayPercent(rawURL, i) {
			b = append(b, "25"...)
		}
	}
	return string(b)
}

// strayPercent tells whether s[i] is a "%" that begins no escape.
func strayPercent(s string, i int) bool {
	return s[i] == '%' && (i+2 >= len(s) || hexDigit(s[i+1]) < 0 || hexDigit(s[i+2]) < 0)
}
