package link

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"xship/sources/text"
)

// Redacted stands in for a secret in texts that people read.
const Redacted = "REDACTED"

// secretWords are what the names of query parameters and headers that hold
// secrets are made of.
var secretWords = []string{
	"token", "secret", "signature", "sign", "sig", "apikey", "key", "auth", "authorization", "password", "passwd", "pass", "pwd", "pw", "passcode", "密码", "口令",
	"session", "sessionid", "sid", "credential", "policy", "hmac", "hash", "hdnts", "hdnea", "jwt", "bearer", "cookie", "md5", "st", "extend",
}

// secretEnds end the names that run their words together: "authkey".
var secretEnds = []string{"token", "secret", "signature", "key", "auth", "password", "passwd", "pass", "pwd", "cookie", "credential", "sessionid", "sessid"}

// innocentNames end like secrets and are none.
var innocentNames = []string{"monkey", "turkey", "hotkey", "bypass", "compass"}

// Redact is rawURL for listings, logs and errors, as it is written but for its
// secrets: user info, the values of query parameters that hold secrets by their names,
// values and path segments that look like tokens, the password of an encrypted
// interface, and all headers are replaced. Links within the link are redacted like
// links. It never fails: what cannot be read as a URL is cut before its user info, and
// is scheme and host at most.
func Redact(rawURL string) string { return ofLinks.redact(rawURL) }

// redaction is what counts as a secret where no name says so.
type redaction struct {
	segment   func(s string) bool             // of a path, decoded
	named     func(path []string, i int) bool // whether the others say that the segment at i is one
	value     func(name, value string) bool   // of a parameter, decoded; its name is ""
	fragments bool                            // are shown; of links they may be keys of the hoster
}

var ofLinks = redaction{
	segment: looksRandom,
	named:   isAddonSecret,
	value:   func(name, value string) bool { return name != "" && looksRandom(value) },
}

// redact shows an address of any form.
func (r redaction) redact(s string) string {
	if isShortWord(s) { // as most spiders are named
		return s
	}
	s = text.Printable(s)
	if query, ok := cutMagnet(s); ok {
		return s[:len(s)-len(query)] + r.magnet(query)
	}
	s, password := cutPassword(s)
	s, headers := cutHeaders(s)
	return r.address(s) + redactHeaders(headers) + password
}

// isShortWord tells whether s is too short for a token, and has no parts.
func isShortWord(s string) bool {
	for i := range len(s) {
		if !text.IsAlnum(s[i]) && s[i] != '_' && s[i] != '.' {
			return false
		}
	}
	return len(s) < leastToken
}

// address shows an address that has nothing of ours behind it.
func (r redaction) address(s string) string {
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok && strings.HasPrefix(s, "//") {
		scheme, rest, ok = "", s[len("//"):], true
	}
	if !ok {
		return r.path("", s)
	}
	authority := rest
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority = rest[:i]
	}
	shown := strings.TrimSuffix(s, rest) // scheme and slashes
	if !canBeRead(shown+authority, rest[len(authority):]) {
		return unreadable(scheme, rest)
	}
	host := authority[strings.LastIndexByte(authority, '@')+1:]
	if host != authority {
		shown += Redacted + "@"
	}
	return shown + host + r.path(host, rest[len(authority):])
}

// canBeRead tells whether a host, with what stands before it, and what stands behind
// it make a URL. A "%" behind the host that begins no escape does no harm, unless the
// host is where a password was cut.
func canBeRead(host, rest string) bool {
	_, name, _ := strings.Cut(host, "://")
	if isWeb := strings.HasPrefix(host, "http://") || strings.HasPrefix(host, "https://"); isWeb && isPlain(name) && !strings.ContainsAny(rest, "%@") {
		return true // as most
	}
	if !strings.Contains(rest, "@") && !strings.Contains(host, "@") {
		rest = strings.ReplaceAll(rest, "%", "%25")
	}
	_, err := url.Parse(host + rest)
	return err == nil
}

// isPlain tells whether a host is nothing but a name in ASCII.
func isPlain(host string) bool {
	for i := range len(host) {
		if !text.IsAlnum(host[i]) && host[i] != '.' && host[i] != '-' {
			return false
		}
	}
	return true
}

// unreadable is what can be shown of something like a URL that is none: where its user
// info ends, nobody can say.
func unreadable(scheme, rest string) string {
	if scheme == "" || strings.ContainsFunc(scheme, func(r rune) bool { return !isSchemeChar(r) }) {
		return Redacted
	}
	end := strings.IndexAny(rest, `/?#\`)
	if end < 0 {
		end = len(rest)
	}
	host := rest[strings.LastIndexByte(rest[:end], '@')+1 : end]
	if strings.Contains(rest[end:], "@") || !isHostname(host) || host == Redacted {
		return scheme + "://" + Redacted
	}
	return scheme + "://" + host + "/" + Redacted
}

func isSchemeChar(r rune) bool {
	return r < utf8.RuneSelf && (text.IsAlnum(byte(r)) || strings.ContainsRune("+-.", r))
}

// isHostname tells whether s is a host, perhaps with a port, and nothing else.
func isHostname(s string) bool {
	name, port, _ := strings.Cut(s, ":")
	return name != "" && strings.Trim(port, "0123456789") == "" &&
		!strings.ContainsFunc(name, func(r rune) bool {
			return r < utf8.RuneSelf && !text.IsAlnum(byte(r)) && r != '-' && r != '.'
		})
}

// path shows what stands behind the host: path, query and fragment. Another address in
// the path, as proxies have it, ends it.
func (r redaction) path(host, s string) string {
	if i := innerAddress(s); i >= 0 {
		return r.path(host, s[:i]) + r.address(s[i:])
	}
	s, fragment, hasFragment := strings.Cut(s, "#")
	s, query, hasQuery := strings.Cut(s, "?")
	segments := strings.Split(s, "/")
	for i, segment := range slices.Backward(segments) { // those before a segment say what it is
		switch {
		case isCommit(segment, host, segments[:i]):
		case r.named(segments, i):
			segments[i] = Redacted
		default:
			segments[i] = r.pathSegment(segment)
		}
	}
	s = strings.Join(segments, "/")
	if hasQuery {
		s += "?" + r.params(query)
	}
	if hasFragment && r.fragments {
		s += "#" + r.params(fragment)
	}
	return s
}

// innerAddress is where a web address begins within a path, -1 where none does.
func innerAddress(path string) int {
	path, _, _ = strings.Cut(path, "?")
	path = strings.ToLower(path)
	first := -1
	for _, scheme := range []string{"http://", "https://"} {
		if i := strings.Index(path, scheme); i >= 0 && (first < 0 || i < first) {
			first = i
		}
	}
	return first
}

// checksums are the words before one, as in URL;md5;HEX.
var checksums = []string{"md5", "sha1", "sha256"}

// pathSegment shows a segment of a path, with parameters behind a ";".
func (r redaction) pathSegment(s string) string {
	if !strings.ContainsAny(s, ";@:%=") {
		if r.segment(s) {
			return Redacted
		}
		return s
	}
	parts := strings.Split(s, ";")
	for i, part := range parts {
		decoded := decoded(part, url.PathUnescape)
		at := strings.LastIndexByte(part, '@')
		switch {
		case i > 0 && slices.Contains(checksums, strings.ToLower(parts[i-1])): // of what is at the address
		case i > 0 && strings.Contains(part, "="):
			parts[i] = r.param(part)
		case at > 0 && strings.Contains(part[:at], ":") && !r.segment(decoded[strings.LastIndexByte(decoded, '@'):]):
			parts[i] = Redacted + part[at:] // user info of a half-written address
		case strings.Contains(decoded, "://"):
			if shown := r.redact(decoded); shown != decoded {
				parts[i] = url.PathEscape(shown)
			}
		case at > 0 && strings.Contains(part[:at], ":"), r.segment(decoded):
			parts[i] = Redacted
		}
	}
	return hideNamed(strings.Join(parts, ";"))
}

// namedPart is a name and its value within a segment of a path, as where a query stands
// behind no "?", or behind one that is escaped.
var namedPart = regexp.MustCompile(`([^=:?&;@]+)([=:])([^?&;@]+)`)

// hideNamed replaces the values of a segment that are secret by the names before them.
func hideNamed(segment string) string {
	plain := unescaped(segment)
	if !strings.ContainsAny(plain, "=:") || strings.Contains(plain, "://") {
		return segment
	}
	shown := namedPart.ReplaceAllStringFunc(plain, func(part string) string {
		m := namedPart.FindStringSubmatch(part)
		if !secretName(m[1]) {
			return part
		}
		return m[1] + m[2] + Redacted
	})
	switch {
	case shown == plain:
		return segment
	case plain != segment:
		return url.PathEscape(shown)
	}
	return shown
}

// unescaped is a segment of a path without its escapes, which may be escaped again.
func unescaped(segment string) string {
	const most = 3
	for range most {
		plain := decoded(segment, url.PathUnescape)
		if plain == segment {
			break
		}
		segment = plain
	}
	return segment
}

// cutMagnet is what stands behind the "?" of a magnet link.
func cutMagnet(s string) (query string, ok bool) {
	const start = "magnet:?"
	if len(s) < len(start) || !strings.EqualFold(s[:len(start)], start) {
		return "", false
	}
	return s[len(start):], true
}

// magnet shows the query of a magnet link. The addresses of private trackers let in who
// has them: of a tracker only its host is shown, unless nothing but the usual path follows.
func (r redaction) magnet(query string) string {
	params := strings.Split(query, "&")
	for i, param := range params {
		name, value, _ := strings.Cut(param, "=")
		plain := decoded(value, url.QueryUnescape)
		kind, _, _ := strings.Cut(strings.ToLower(name), ".") // as in tr.1
		if kind != "tr" || value == "" {
			params[i] = r.param(param)
			continue
		}
		u, err := url.Parse(plain)
		switch {
		case err != nil || u.Host == "":
			params[i] = name + "=" + Redacted
		case u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.Trim(u.Path, "/") != "" && u.Path != "/announce":
			params[i] = name + "=" + url.QueryEscape(u.Scheme+"://"+u.Host+"/"+Redacted)
		}
	}
	return strings.Join(params, "&")
}

// decoded is s without its escapes, or as it is where they are none.
func decoded(s string, unescape func(string) (string, error)) string {
	if decoded, err := unescape(s); err == nil {
		return decoded
	}
	return s
}

// params shows a query, whose parameters are divided by "&" or ";".
func (r redaction) params(query string) string {
	var b strings.Builder
	for query != "" {
		end := strings.IndexAny(query, "&;")
		param, divider := query, ""
		if end >= 0 {
			param, divider = query[:end], query[end:end+1]
		}
		b.WriteString(r.param(param))
		b.WriteString(divider)
		query = query[len(param)+len(divider):]
	}
	return b.String()
}

func (r redaction) param(param string) string {
	name, value, ok := strings.Cut(param, "=")
	if !ok || innerAddress(name) >= 0 { // a value alone, which may be an address with a query
		name, value = "", param
	}
	if value == "" {
		return param
	}
	shown, plain := Redacted, decoded(value, url.QueryUnescape)
	switch {
	case name != "" && secretName(name):
	case strings.Contains(plain, "://"):
		if shown = r.redact(plain); shown == plain {
			return param
		}
		shown = url.QueryEscape(shown)
	case !r.value(strings.ToLower(decoded(name, url.QueryUnescape)), plain):
		return param
	}
	if name == "" {
		return shown
	}
	return name + "=" + shown
}

// passwordMark stands between the address of an encrypted interface and its password,
// in the form that some apps read.
var passwordMark = regexp.MustCompile(`(?i)(;|%3b)pk(;|%3b)`)

// IsEncrypted tells whether the address of an interface ends in a password that
// decrypts it: URL;pk;PASSWORD.
func IsEncrypted(address string) bool { return passwordMark.MatchString(address) }

// cutPassword takes the password of an encrypted interface off, which may hold
// anything, and gives what to show in its place.
func cutPassword(s string) (address, shown string) {
	if !strings.ContainsAny(s, ";%") { // most are told without looking for the mark
		return s, ""
	}
	at := passwordMark.FindStringIndex(s)
	switch {
	case at == nil:
		return s, ""
	case at[1] == len(s):
		return s[:at[0]], s[at[0]:]
	}
	return s[:at[0]], s[at[0]:at[1]] + Redacted
}

// redactHeaders shows the names of headers, behind a "|".
func redactHeaders(headers string) string {
	if headers == "" {
		return ""
	}
	params := strings.Split(headers, "&")
	for i, param := range params {
		if name, value, ok := strings.Cut(param, "="); ok && value != "" {
			params[i] = name + "=" + Redacted
		}
	}
	return "|" + strings.Join(params, "&")
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
		case strings.ContainsRune("-_+=/", r):
		default:
			return false
		}
	}
	return digits >= 3 && letters >= 3 && !looksLikeWords(s)
}

// looksLikeWords tells whether s is made of short parts joined by - or _, as file
// names and public ids (UUIDs) are.
func looksLikeWords(s string) bool {
	parts := strings.FieldsFunc(s, func(r rune) bool { return r == '-' || r == '_' || r == '+' })
	longest := 0
	for _, p := range parts {
		longest = max(longest, len(p))
	}
	return len(parts) > 1 && longest < 16
}

// RedactInterfaceText is text with the URLs in it as RedactInterface shows them, those
// without a scheme too where a user or a query stands in them, and without the values
// that are secret by their names. It is for all that others wrote and people read:
// names, warnings and errors.
func RedactInterfaceText(text string) string {
	if !strings.ContainsAny(text, ":?%=：＝") { // as most names
		return text
	}
	words := strings.SplitAfter(text, " ")
	for i, word := range words {
		end := len(strings.TrimRight(word, " \"')>,;:.…"))
		if start := addressStart(word[:end]); start >= 0 {
			words[i] = word[:start] + RedactInterface(word[start:end]) + word[end:]
		}
	}
	return redactNamed(strings.Join(words, ""))
}

var (
	// schemeEnd ends the scheme of a URL, which may be escaped as a whole.
	schemeEnd = regexp.MustCompile(`(?i)(?::|%3a)(?:/|%2f){2}`)
	// halfAddress is a URL without its scheme that has a user or a query.
	halfAddress = regexp.MustCompile(`//[^\s/@]+@|[\w.%~-]+:[^\s/:@]+@[\w-]|[\w-]+\.[\w.:-]*[\w-](?:/[^\s?]*)?\?[^\s=]+=`)
)

// addressStart is where a URL starts in a word, -1 where there is none.
func addressStart(word string) int {
	if !strings.ContainsAny(word, "/@?%") { // as most
		return -1
	}
	if at := schemeEnd.FindStringIndex(word); at != nil {
		if at[1] == len(word) { // as in "starts with https://"
			return -1
		}
		return at[0] - len(word[:at[0]]) + len(strings.TrimRightFunc(word[:at[0]], isSchemeChar))
	}
	if at := halfAddress.FindStringIndex(word); at != nil {
		return at[0]
	}
	return -1
}

// anyURL is a URL in a text, which may be JSON with its slashes escaped.
var anyURL = regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*:\\?/\\?/[^\s"'<>]+`)

// RedactText is text with all that follows the host in its URLs replaced: a link
// that an account unlocked opens for whoever has it. Values that are secret by their
// names are replaced too.
func RedactText(text string) string {
	return redactNamed(anyURL.ReplaceAllStringFunc(text, func(link string) string {
		u, err := url.Parse(strings.ReplaceAll(link, `\/`, "/"))
		if err != nil {
			return Redacted
		}
		return u.Scheme + "://" + u.Host + "/" + Redacted
	}))
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
