package sources

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// Redacted stands in for a secret in texts that people read.
const Redacted = "REDACTED"

// secretWords are what the names of query parameters and headers that hold
// secrets are made of.
var secretWords = []string{
	"token", "secret", "signature", "sign", "sig", "apikey", "key", "auth", "authorization", "password", "passwd", "pass", "pwd",
	"session", "sessionid", "sid", "credential", "policy", "hmac", "hash", "hdnts", "hdnea", "jwt", "bearer", "cookie", "md5", "st",
}

// RedactURL is rawURL for listings, logs and errors: user info, the values of
// query parameters that hold secrets, and path segments and header values
// that look like tokens, are replaced. It never fails: a text that cannot be
// read as a URL loses all behind its first "?", "@" or "|".
func RedactURL(rawURL string) string {
	rawURL = CleanText(rawURL)
	link, headers, hasHeaders := strings.Cut(rawURL, "|")
	u, err := url.Parse(link)
	if err != nil {
		if i := strings.IndexAny(rawURL, "?@|"); i >= 0 {
			return rawURL[:i] + Redacted
		}
		return rawURL
	}
	out := redactParsed(u)
	if hasHeaders {
		out += "|" + redactParams(headers, true)
	}
	return out
}

func redactParsed(u *url.URL) string {
	var b strings.Builder
	if u.Scheme != "" {
		b.WriteString(u.Scheme + ":")
	}
	if u.Opaque != "" {
		b.WriteString(u.Opaque)
	}
	if u.Host != "" || u.User != nil {
		b.WriteString("//")
		if u.User != nil {
			b.WriteString(Redacted + "@")
		}
		b.WriteString(u.Host)
	}
	b.WriteString(redactPath(u.EscapedPath()))
	if u.RawQuery != "" {
		b.WriteString("?" + redactParams(u.RawQuery, false))
	}
	return b.String()
}

// redactPath replaces segments that look like tokens: long, without a dot, of
// letters and digits mixed.
func redactPath(path string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if looksRandom(s) {
			segments[i] = Redacted
		}
	}
	return strings.Join(segments, "/")
}

// redactParams replaces the values of a query; with all set, as in headers,
// every value.
func redactParams(query string, all bool) string {
	params := strings.Split(query, "&")
	for i, p := range params {
		name, value, ok := strings.Cut(p, "=")
		if ok && value != "" && (all || secretName(name) || looksRandom(value)) {
			params[i] = name + "=" + Redacted
		}
	}
	return strings.Join(params, "&")
}

// secretName tells whether one of the words of name is a secret's.
func secretName(name string) bool {
	if decoded, err := url.QueryUnescape(name); err == nil {
		name = decoded
	}
	whole := strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
	for _, w := range secretWords {
		if whole == w || len(w) > 4 && strings.HasSuffix(whole, w) {
			return true
		}
	}
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(secretWords, w) })
}

// looksRandom tells whether s could only be a token: 24 characters or more of
// the base64 and hex alphabets, with at least three digits among letters.
func looksRandom(s string) bool {
	const least = 24
	if len(s) < least {
		return false
	}
	digits, letters := 0, 0
	for _, r := range s {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
			letters++
		case r == '-' || r == '_' || r == '+' || r == '=' || r == '%':
		default:
			return false
		}
	}
	return digits >= 3 && letters >= 3 && !looksLikeWords(s)
}

// looksLikeWords tells whether s is made of short parts joined by -, _ or
// %20, as file names and public ids (UUIDs) are.
func looksLikeWords(s string) bool {
	parts := strings.FieldsFunc(strings.ReplaceAll(s, "%20", "-"), func(r rune) bool { return r == '-' || r == '_' || r == '+' })
	longest := 0
	for _, p := range parts {
		longest = max(longest, len(p))
	}
	return len(parts) > 1 && longest < 16
}
