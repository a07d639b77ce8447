package link

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"xship/sources/text"
)

// Redacted stands in for a secret in texts that people read.
const Redacted = "REDACTED"

// secretWords are what the names of query parameters and headers that hold
// secrets are made of.
var secretWords = []string{
	"token", "secret", "signature", "sign", "sig", "apikey", "key", "auth", "authorization", "password", "passwd", "pass", "pwd",
	"session", "sessionid", "sid", "credential", "policy", "hmac", "hash", "hdnts", "hdnea", "jwt", "bearer", "cookie", "md5", "st", "extend",
}

// secretEnds end the names that run their words together: "authkey".
var secretEnds = []string{"token", "secret", "signature", "key", "auth", "password", "passwd", "pass", "pwd", "cookie", "credential"}

// innocentNames end like secrets and are none.
var innocentNames = []string{"monkey", "turkey", "hotkey", "bypass", "compass"}

// Redact is rawURL for listings, logs and errors: user info, the values of
// query parameters that hold secrets, and path segments and header values
// that look like tokens, are replaced. It never fails: a text that cannot be
// read as a URL loses all behind its first "?", "@" or "|".
func Redact(rawURL string) string {
	rawURL = text.Clean(rawURL)
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
		if strings.Contains(u.Opaque, "@") {
			b.WriteString(Redacted)
		} else {
			b.WriteString(u.Opaque)
		}
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

// redactPath replaces segments that look like tokens, and the values of
// parameters behind a ";".
func redactPath(path string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		name, params, ok := strings.Cut(s, ";")
		if looksRandom(name) {
			name = Redacted
		}
		if ok {
			name += ";" + redactParams(params, false)
		}
		segments[i] = name
	}
	return strings.Join(segments, "/")
}

// redactParams replaces the values of a query, parameters being divided by "&"
// or ";"; with all set, as in headers, every value.
func redactParams(query string, all bool) string {
	var b strings.Builder
	for query != "" {
		end := strings.IndexAny(query, "&;")
		param, divider := query, ""
		if end >= 0 {
			param, divider = query[:end], query[end:end+1]
		}
		b.WriteString(redactParam(param, all))
		b.WriteString(divider)
		query = query[len(param)+len(divider):]
	}
	return b.String()
}

func redactParam(param string, all bool) string {
	name, value, ok := strings.Cut(param, "=")
	switch {
	case !ok || value == "":
		return param
	case all || secretName(name) || looksRandom(value):
		return name + "=" + Redacted
	}
	// A link within the link is redacted like one.
	if inner, err := url.QueryUnescape(value); err == nil && strings.Contains(inner, "://") && Redact(inner) != inner {
		return name + "=" + url.QueryEscape(Redact(inner))
	}
	return param
}

// secretName tells whether name, or a word of it, is a secret's.
func secretName(name string) bool {
	if decoded, err := url.QueryUnescape(name); err == nil {
		name = decoded
	}
	name = strings.ToLower(name)
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if slices.ContainsFunc(words, func(w string) bool { return slices.Contains(secretWords, w) }) {
		return true
	}
	whole := strings.Join(words, "")
	return !slices.Contains(innocentNames, whole) &&
		slices.ContainsFunc(secretEnds, func(end string) bool { return strings.HasSuffix(whole, end) })
}

// looksRandom tells whether s could only be a token: 24 characters or more of
// the base64 and hex alphabets, with at least three digits among letters.
func looksRandom(s string) bool {
	const least = 24
	if len(s) >= least && strings.HasPrefix(s, "eyJ") { // a JSON web token
		return true
	}
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

var anyURL = regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*://[^\s"'<>]+`)

// RedactText is text with all that follows the host in its URLs replaced: a link
// that an account unlocked opens for whoever has it.
func RedactText(text string) string {
	return anyURL.ReplaceAllStringFunc(text, func(link string) string {
		u, err := url.Parse(link)
		if err != nil {
			return Redacted
		}
		return u.Scheme + "://" + u.Host + "/" + Redacted
	})
}

// RedactError is err with the text of RedactText.
func RedactError(err error) error {
	if err == nil {
		return nil
	}
	return &linklessError{err}
}

type linklessError struct{ err error }

func (e *linklessError) Error() string { return RedactText(e.err.Error()) }

func (e *linklessError) Unwrap() error { return e.err }
