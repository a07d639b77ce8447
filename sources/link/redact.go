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
func Redact(rawURL string) string { return redact(rawURL, looksRandom) }

func redact(rawURL string, random func(segment string) bool) string {
	rawURL = text.Clean(rawURL)
	link, headers, hasHeaders := strings.Cut(rawURL, "|")
	u, err := url.Parse(link)
	if err != nil {
		if i := strings.IndexAny(rawURL, "?@|"); i >= 0 {
			return rawURL[:i] + Redacted
		}
		return rawURL
	}
	out := redactParsed(u, random)
	if hasHeaders {
		out += "|" + redactParams(headers, true)
	}
	return out
}

func redactParsed(u *url.URL, random func(segment string) bool) string {
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
	if u.Host != "" || u.User != nil || u.Scheme != "" && u.Path != "" && !u.OmitHost { // the last as in file:///
		b.WriteString("//")
		if u.User != nil {
			b.WriteString(Redacted + "@")
		}
		b.WriteString(u.Host)
	}
	b.WriteString(redactPath(u.EscapedPath(), random))
	if u.RawQuery != "" {
		b.WriteString("?" + redactParams(u.RawQuery, false))
	}
	return b.String()
}

// redactPath replaces segments that are random, and the values of parameters
// behind a ";".
func redactPath(path string, random func(segment string) bool) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		name, params, ok := strings.Cut(s, ";")
		if random(name) {
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

// holdsRandom is looksRandom that also finds, in a file name perhaps, a run of
// letters and digits so long and mixed that it can only be a token or a hash.
func holdsRandom(s string) bool {
	if looksRandom(s) {
		return true
	}
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

// RedactInterface is the URL of an interface for listings, logs and errors: what
// Redact leaves of it, without the values of its parameters and what a file may be
// kept secret by. There any parameter may be a token, whatever its name.
func RedactInterface(rawURL string) string {
	random := holdsRandom
	if strings.HasPrefix(rawURL, "/") || strings.HasPrefix(rawURL, "file:///") { // what a user looks for on this machine
		random = func(string) bool { return false }
	}
	head, query, ok := strings.Cut(redact(rawURL, random), "?")
	if !ok {
		return head
	}
	params := strings.FieldsFunc(query, func(r rune) bool { return r == '&' || r == ';' })
	for i, param := range params {
		switch name, value, ok := strings.Cut(param, "="); {
		case !ok:
			params[i] = Redacted
		case value != "":
			params[i] = name + "=" + Redacted
		}
	}
	return head + "?" + strings.Join(params, "&")
}

// RedactInterfaceText is text with the URLs in it as RedactInterface shows them.
func RedactInterfaceText(text string) string {
	words := strings.SplitAfter(text, " ")
	for i, word := range words {
		scheme := strings.Index(word, "://")
		end := len(strings.TrimRight(word, " \"')>,;:.…"))
		if scheme < 0 || end <= scheme+len("://") { // the latter as in "starts with https://"
			continue
		}
		start := strings.LastIndexAny(word[:scheme], "\"'(<") + 1
		words[i] = word[:start] + RedactInterface(word[start:end]) + word[end:]
	}
	return strings.Join(words, "")
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
