package link

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"xship/sources/text"
)

// RedactInterface is the address of an interface, a URL or a path, for listings, logs
// and errors. It is shown as it was given, but for its secrets: what Redact takes
// away, and, since there is no telling what a server asks for, any value of a
// parameter and any segment of a web address that could only be a token. Files of this
// machine lie where their names say.
//
// This is the one rule of what is secret about an interface: see HoldsSecret.
func RedactInterface(address string) string {
	if isLocalPath(address) {
		return ofFiles.local(address)
	}
	return ofInterfaces.redact(address)
}

// HideSecrets is text, which a server wrote in answer to address, without the secrets of
// address that it may echo.
func HideSecrets(address, text string) string {
	const shortest = 6 // a shorter value is more likely an accident than a secret
	u, err := Parse(address)
	if err != nil {
		return text
	}
	shown := RedactInterface(address)
	hide := func(secret string) {
		if len(secret) >= shortest && !strings.Contains(shown, url.QueryEscape(secret)) && !strings.Contains(shown, secret) {
			text = strings.ReplaceAll(text, secret, Redacted)
		}
	}
	parts := append(strings.FieldsFunc(u.RawQuery, isDivider), strings.FieldsFunc(u.EscapedFragment(), isDivider)...)
	for i, param := range parts {
		if _, value, ok := strings.Cut(param, "="); ok {
			parts[i] = value
		}
	}
	parts = append(parts, strings.Split(u.EscapedPath(), "/")...)
	for _, part := range append(parts, u.User.Username()) {
		hide(part)
		hide(decoded(part, url.QueryUnescape))
	}
	if password, ok := u.User.Password(); ok {
		hide(password)
	}
	return text
}

func isDivider(r rune) bool { return r == '&' || r == ';' }

// HoldsSecret tells whether the address of an interface is not shown as it is.
func HoldsSecret(address string) bool { return RedactInterface(address) != text.Printable(address) }

var (
	ofInterfaces = redaction{segment: holdsToken, named: isNamedSegment, value: isSecretValue, fragments: true}
	ofFiles      = redaction{segment: func(string) bool { return false }, named: func([]string, int) bool { return false }, value: ofLinks.value}
)

var localPath = regexp.MustCompile(`^(?:[/\\]|\.{1,2}[/\\]|~|[A-Za-z]:[/\\]|(?i:file):///)`)

func isLocalPath(address string) bool { return localPath.MatchString(address) }

// local shows a path. Of an address that was given without its scheme, and so taken
// for one, what names a secret is none of the path.
func (r redaction) local(path string) string {
	s, password := cutPassword(text.Printable(path))
	s, query, hasQuery := strings.Cut(s, "?")
	scheme := len(s) - len(strings.TrimPrefix(strings.ToLower(s), "file://"))
	segments := strings.Split(s[scheme:], "/")
	for i, segment := range segments {
		segments[i] = r.pathSegment(segment)
	}
	shown := s[:scheme] + strings.Join(segments, "/")
	if hasQuery {
		shown += "?" + r.params(query)
	}
	return shown + password
}

// personalNames are names of parameters that tell who asks, or let somebody in: their
// values are secret unless they are numbers of three digits at most, as of pages.
var personalNames = []string{
	"k", "p", "pk", "pw", "u", "uid", "uuid", "user", "username", "account", "mail", "email", "phone", "mac", "imei", "device", "deviceid",
	"code", "invite", "access", "ticket", "license", "card", "km", "cdk", "vip",
}

// choosingNames are names of parameters that say what is wanted, of which a value in
// letters and digits is the word for it.
var choosingNames = []string{
	"id", "type", "name", "channel", "file", "path", "ref", "ref_type", "branch", "lang", "format", "ac", "class", "mode", "site", "act", "action", "line", "group",
}

// questionNames are names of parameters that hold what a site is asked for.
var questionNames = []string{"wd", "ids"}

// isSecretValue tells whether the value of a parameter of an interface's address may
// be a secret, of a parameter without a name where that is "". Numbers, dates, words and
// the names of files are none.
func isSecretValue(name, value string) bool {
	const (
		page     = 3  // digits of a number that says which
		longest  = 14 // digits of a number that is a date or a time
		shortest = 5  // characters of a secret
	)
	if slices.Contains(choosingNames, name) && !strings.ContainsAny(value, "@:") {
		return holdsToken(value)
	}
	if slices.Contains(personalNames, name) {
		return len(value) > page || strings.Trim(value, "0123456789") != ""
	}
	if slices.Contains(questionNames, name) {
		return false
	}
	if strings.ContainsAny(value, "@:") {
		return true
	}
	if name == "" && !strings.ContainsAny(value, "./") && text.IsASCII(value) {
		return len(value) >= shortest && !isDigits(value)
	}
	for part := range strings.FieldsFuncSeq(value, func(r rune) bool { return r >= 0x80 || strings.ContainsRune("-_./\\,+ ~()[]{}|!*'", r) }) {
		switch digits, letters := strings.Trim(part, "0123456789") == "", strings.ContainsFunc(part, isASCIILetter); {
		case digits:
			if len(part) > longest {
				return true
			}
		case len(part) < shortest:
		case !letters, strings.ContainsAny(part, "0123456789"), looksShuffled(part):
			return true
		}
	}
	return false
}

func isDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

func isASCIILetter(r rune) bool { return 'a' <= r|0x20 && r|0x20 <= 'z' }

const (
	leastToken = 20 // letters and digits of a token that stand together
	leastKey   = 24 // of one that is divided, as by the signs of base64
	leastPart  = 8  // of one of its parts
)

var (
	alnumRun  = regexp.MustCompile(`[A-Za-z0-9]+`)
	base64Run = regexp.MustCompile(`[A-Za-z0-9_+/=-]+`)
)

// holdsToken tells whether a segment of a path holds what can only be a token or a
// hash: letters and digits that stand together at random. Names of files, however
// long, are made of words, years and numbers.
func holdsToken(s string) bool {
	for _, run := range alnumRun.FindAllString(s, -1) {
		if len(run) >= leastToken && (isHash(run) || looksShuffled(run)) || len(run) >= leastKey && strings.HasPrefix(run, "eyJ") {
			return true
		}
	}
	for _, run := range base64Run.FindAllString(s, -1) {
		parts := alnumRun.FindAllString(run, -1)
		isLong := func(part string) bool { return len(part) >= leastPart }
		if joined := strings.Join(parts, ""); len(joined) >= leastKey && slices.ContainsFunc(parts, isLong) && looksShuffled(joined) {
			return true
		}
	}
	return false
}

// isHash tells whether s is a number in hex digits.
func isHash(s string) bool {
	const least = 3 // of either kind
	digits := len(s) - len(strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return -1
		}
		return r
	}, s))
	return strings.Trim(strings.ToLower(s), "0123456789abcdef") == "" && digits >= least && len(s)-digits >= least
}

// tokenSegments are the segments of a path behind which a token stands, however short.
// Servers that many people run give each subscriber an address of the form
// /sub/TOKEN/NUMBER, earlier /TOKEN/sub/NUMBER.
var tokenSegments = []string{"sub", "subscribe", "subscription", "token", "secret", "apikey", "key", "auth"}

// isNamedSegment tells whether the segment at i of a path is a secret by what stands beside
// it.
func isNamedSegment(path []string, i int) bool {
	return isNamedToken(path, i) || isAddonSecret(path, i)
}

// isNamedToken tells whether the segment at i of a path is a token by what stands beside
// it. Numbers and files are none.
func isNamedToken(path []string, i int) bool {
	const shortest = 4
	s := path[i]
	if len(s) < shortest || isDigits(s) || strings.ContainsAny(s, ".=;") || !text.IsASCII(s) {
		return false
	}
	if i > 0 && slices.Contains(tokenSegments, strings.ToLower(path[i-1])) {
		return !slices.Contains(tokenSegments, strings.ToLower(s))
	}
	isMixed := strings.ContainsAny(s, "0123456789") || strings.ToLower(s[1:]) != s[1:]
	return isMixed && i+3 == len(path) && strings.EqualFold(path[i+1], "sub") && isDigits(path[i+2])
}

// looksShuffled tells whether letters and digits stand together at random: where digits
// are, they change with letters all the time, and where none are, cases change within
// words, or there are hardly any vowels.
func looksShuffled(s string) bool {
	var letters, digits, vowels, changes int
	var last kind
	for i := range len(s) {
		k := kindOf(s[i])
		if last != 0 && k != last && (last != upper || k != lower) { // a capital begins a word
			changes++
		}
		last = k
		if k == digit {
			digits++
			continue
		}
		letters++
		if strings.IndexByte("aeiouAEIOU", s[i]) >= 0 {
			vowels++
		}
	}
	switch {
	case letters < 2:
		return false
	case digits >= 2:
		return changes*5 >= len(s)
	default:
		return changes*6 >= len(s) && vowels*3 < letters || letters >= leastKey && vowels*6 < letters
	}
}

// kind is that of a letter or digit.
type kind int

const (
	lower kind = iota + 1
	upper
	digit
)

func kindOf(c byte) kind {
	switch {
	case '0' <= c && c <= '9':
		return digit
	case 'A' <= c && c <= 'Z':
		return upper
	default:
		return lower
	}
}

// codeHosts are where the addresses of public files name the commit that they are of.
var codeHosts = []string{
	"raw.githack.com", "rawcdn.githack.com", "cdn.jsdelivr.net", "fastly.jsdelivr.net", "gcore.jsdelivr.net",
	"testingcf.jsdelivr.net", "cdn.statically.io", "gitee.com", "raw.gitee.com", "gitlab.com", "jihulab.com", "codeberg.org", "bitbucket.org", "gitcode.com", "notabug.org",
}

var commitForm = regexp.MustCompile(`^(?:[^@]+@)?[0-9a-f]{40}$`)

// isCommit tells whether a segment of a path names a commit at a host of public files,
// or at one that the segments before name, as proxies do.
func isCommit(segment, host string, before []string) bool {
	isCode := func(s string) bool {
		s = strings.ToLower(s)
		return slices.Contains(codeHosts, s) || strings.Contains(s, "github") && strings.Contains(s, ".") // its mirrors have it in their names
	}
	return commitForm.MatchString(segment) && (isCode(host) || slices.ContainsFunc(before, isCode))
}
