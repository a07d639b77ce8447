package vod

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// cleanText removes what may not reach a terminal or a log, control and format
// characters, and trims the rest. Line breaks become spaces.
func cleanText(s string) string {
	if isPlain(s) {
		return s
	}
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return -1
		default:
			return r
		}
	}, strings.ToValidUTF8(s, "\ufffd"))
	return strings.TrimSpace(s)
}

// isPlain tells a text of visible ASCII characters, of which nothing is removed.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// shorten cleans s and cuts it to n characters, for quoting it in a message.
func shorten(s string, n int) string {
	if len(s) <= n && isPlain(s) {
		return s
	}
	if limit := 4 * (n + 1); len(s) > 8*limit {
		s = s[:8*limit]
	}
	s = strings.Join(strings.Fields(cleanText(s)), " ")
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	return string(runes[:n]) + "…"
}

// clip cuts s to n characters, the last of which then says that there were more.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	runes := []rune(s[:min(len(s), utf8.UTFMax*(n+1))])
	if len(runes) <= n {
		return s
	}
	return strings.TrimSpace(string(runes[:n-1])) + "…"
}

// maxURLShown is how many characters of an address that others wrote a message shows.
const maxURLShown = 200

// hidden stands where a secret stood.
const hidden = "REDACTED"

// redactURL removes user names, passwords, and parameters and path segments that
// look like secrets, for messages.
func redactURL(raw string) string {
	head, fragment, hasFragment := strings.Cut(raw, "#")
	head, query, hasQuery := strings.Cut(head, "?")
	head = redactUser(head)
	if hasQuery {
		head += "?" + redactQuery(query)
	}
	if hasFragment {
		head += "#" + redactQuery(fragment)
	}
	return cleanText(head)
}

func redactUser(s string) string {
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok {
		return s
	}
	host, path := rest, ""
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		host, path = rest[:i], redactPath(rest[i:])
	}
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = hidden + host[i:]
	}
	return scheme + "://" + host + path
}

func redactPath(path string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if looksRandom(s) {
			segments[i] = hidden
		}
	}
	return strings.Join(segments, "/")
}

func redactQuery(query string) string {
	params := strings.Split(query, "&")
	for i, param := range params {
		name, value, ok := strings.Cut(param, "=")
		if ok && value != "" && (isSecretName(name) || looksRandom(value)) {
			params[i] = name + "=" + hidden
		}
	}
	return strings.Join(params, "&")
}

func isSecretName(name string) bool {
	if plain, err := url.QueryUnescape(name); err == nil {
		name = plain
	}
	name = strings.ToLower(name)
	for _, word := range []string{"token", "key", "sig", "auth", "pass", "pwd", "secret", "session", "credential"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// looksRandom tells whether s holds a run of letters and digits so long and mixed
// that it can only be a token or a hash.
func looksRandom(s string) bool {
	const length, least = 20, 3
	letters, digits := 0, 0
	for _, r := range s {
		switch {
		case '0' <= r && r <= '9':
			digits++
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z':
			letters++
		default:
			letters, digits = 0, 0
		}
		if letters+digits >= length && letters >= least && digits >= least {
			return true
		}
	}
	return false
}
