package link

import (
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// kodiOptions stand behind the "|" of a Kodi URL like headers and are none:
// they tell Kodi's own client how to work.
var kodiOptions = []string{
	"seekable", "auth", "verifypeer", "customrequest", "postdata", "noshout", "acceptencoding", "encoding", "accept-charset",
	"sslcipherlist", "connection-timeout", "failonerror", "redirect-limit", "active-remote",
}

// SplitHeaders splits Kodi's "url|Name=value&Name=value". Headers begin at the first
// "|" that a header or one of Kodi's own options follows, or nothing; any other "|"
// belongs to the URL, and so does an escaped "%7C". Names and values are
// percent-decoded, "+" being a space; names come in their canonical form, the last of
// several equal ones counts, and the "!" with which Kodi keeps a header out of its log
// is taken off. What is no valid header, a value with line breaks above all, is
// dropped, as are Kodi's own options. headers is nil where there are none.
func SplitHeaders(raw string) (url string, headers map[string]string) {
	url, rest := cutHeaders(strings.TrimSpace(raw))
	for param := range strings.SplitSeq(rest, "&") {
		name, value, ok := headerParam(param)
		if !ok || !plainName(name) || !httpguts.ValidHeaderFieldValue(value) || slices.Contains(kodiOptions, strings.ToLower(name)) {
			continue
		}
		if headers == nil {
			headers = make(map[string]string)
		}
		headers[http.CanonicalHeaderKey(name)] = value
	}
	return strings.TrimSpace(url), headers
}

// cutHeaders divides a link into its URL and what SplitHeaders reads, without the
// "|" between them.
func cutHeaders(raw string) (url, headers string) {
	for i := range len(raw) {
		if raw[i] != '|' {
			continue
		}
		rest := raw[i+1:]
		first, _, _ := strings.Cut(rest, "&")
		if name, _, ok := headerParam(first); ok && plainName(name) || strings.TrimSpace(rest) == "" {
			return raw[:i], rest
		}
	}
	return raw, ""
}

// headerParam is the name and the value of a "Name=value" behind a "|".
func headerParam(param string) (name, value string, ok bool) {
	name, value, ok = strings.Cut(param, "=")
	return strings.TrimLeft(unescape(strings.TrimSpace(name)), "!"), unescape(strings.TrimSpace(value)), ok
}

// plainName tells whether name is made as the names of headers in use are. The
// standard allows more, "|" and "." among it, which stand in URLs.
func plainName(name string) bool {
	for i := range len(name) {
		c := name[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	return name != ""
}

// Bounds of ForPlayer.
const (
	maxPlayHeaders = 32
	maxPlayHeader  = 4 << 10 // bytes of a value
)

// ForPlayer are those of the headers that others name for a link that are sent with it.
// What cannot be sent, or is the player's own, is left out: what belongs to the
// connection, or to the part of the stream that it asks for. nil where none is left.
func ForPlayer(headers map[string]string) map[string]string {
	var kept map[string]string
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		value := strings.TrimSpace(headers[name])
		name = strings.TrimSpace(name)
		if value == "" || len(value) > maxPlayHeader || len(kept) == maxPlayHeaders || !isPlayHeader(name) ||
			!httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			continue
		}
		if kept == nil {
			kept = make(map[string]string)
		}
		kept[name] = value
	}
	return kept
}

// isPlayHeader tells whether others may name the header for a link.
func isPlayHeader(name string) bool {
	name = strings.ToLower(name)
	switch name {
	case "host", "range", "content-length", "connection", "keep-alive", "transfer-encoding", "accept-encoding",
		"upgrade", "te", "trailer", "expect", "http2-settings":
		return false
	}
	return !strings.HasPrefix(name, "proxy-") && !strings.HasPrefix(name, "if-")
}

// Kodi is the URL of a stream as Kodi plays it: the URL, then "|" and the headers
// by name, percent-encoded. A "|" of the URL itself becomes "%7C". The path of a file of
// this machine stays as it is, and has no headers.
func Kodi(rawURL string, headers map[string]string) string {
	if filepath.IsAbs(rawURL) {
		return rawURL
	}
	var b strings.Builder
	b.WriteString(strings.ReplaceAll(rawURL, "|", "%7C"))
	separator := byte('|')
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		b.WriteByte(separator)
		b.WriteString(escape(name))
		b.WriteByte('=')
		b.WriteString(escape(headers[name]))
		separator = '&'
	}
	return b.String()
}

// escape percent-encodes all but the unreserved characters.
func escape(s string) string {
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-._~", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// unescape decodes as Kodi does: what is no escape stands for itself.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '+':
			b.WriteByte(' ')
		case s[i] == '%' && i+2 < len(s) && hexDigit(s[i+1]) >= 0 && hexDigit(s[i+2]) >= 0:
			b.WriteByte(byte(hexDigit(s[i+1])<<4 | hexDigit(s[i+2])))
			i += 2
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	default:
		return -1
	}
}

// Escape escapes what does not belong in a URL and could do harm where it is
// shown or handed on: controls, spaces, all that is not ASCII, a "|", which players
// take for the start of headers, and a "%" that begins no escape.
func Escape(rawURL string) string {
	rawURL = mendEscapes(rawURL)
	harmful := func(c byte) bool { return c <= ' ' || c >= 0x7f || c == '"' || c == '<' || c == '>' || c == '|' }
	n := 0
	for i := range len(rawURL) {
		if harmful(rawURL[i]) {
			n++
		}
	}
	if n == 0 {
		return rawURL
	}
	b := make([]byte, 0, len(rawURL)+2*n)
	for i := range len(rawURL) {
		if c := rawURL[i]; harmful(c) {
			b = fmt.Appendf(b, "%%%02X", c)
		} else {
			b = append(b, c)
		}
	}
	return string(b)
}
