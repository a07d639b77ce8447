package fetch

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"

	"xship/sources"
	"xship/sources/link"
)

// PageSize is how much of a page its verdict looks at: who reads a page reads so much
// of it.
const PageSize = 64 << 10

// Page is text that came where media should be.
type Page struct {
	URL    string      // that it answers; "" for a file of this machine, of which nothing is quoted
	Name   string      // the path whose extension says what should be there
	Media  bool        // media were there before, or the manifest that names it says that they are
	Header http.Header // of the answer
	Body   []byte      // its start

	addresses []string // of the answer, whose secrets it may echo
}

// NewPage is the body of an answer to rawURL that came from finalURL.
func NewPage(rawURL, finalURL string, header http.Header, body []byte) Page {
	p := Page{Header: header, Body: body}
	for _, address := range []string{rawURL, finalURL} {
		u, err := link.Parse(address)
		if err != nil {
			continue
		}
		if u.Host != "" {
			p.addresses = append(p.addresses, address)
			p.URL = cmp.Or(p.URL, address)
		}
		if path.Ext(p.Name) == "" {
			p.Name = u.Path
		}
	}
	return p
}

// PageError is what a Page is, and whose fault that is. It is a sources.ErrPage,
// unless the page says that the link is dead.
type PageError struct {
	what  string
	title string // of the page, "" where unknown
	class sources.Class
	html  bool
}

// IsHTML tells whether it is a page for browsers, and no text of another kind.
func (e *PageError) IsHTML() bool { return e.html }

// Error says what the page is.
func (e *PageError) Error() string {
	if e.title != "" {
		return fmt.Sprintf("%s: %s", e.what, e.title)
	}
	return e.what
}

// Class implements sources.Classifier.
func (e *PageError) Class() sources.Class { return e.class }

// Is makes a page a sources.ErrPage.
func (e *PageError) Is(target error) bool {
	return target == sources.ErrPage && e.class != sources.ClassDeadLink
}

// Verdict tells what the page is. It is the same for all who look for media.
func (p Page) Verdict() *PageError {
	e := &PageError{html: IsHTML(p.Body)}
	e.what, e.class = p.judge()
	if p.URL != "" {
		e.title = Snippet(p.URL, p.Body, p.addresses...)
	}
	return e
}

func (p Page) judge() (what string, class sources.Class) {
	body := p.Body[:min(len(p.Body), PageSize)]
	if isChallenge(p.Header, body) {
		return "it wants a browser or a captcha", sources.ClassUnsupported
	}
	manifest := link.ManifestOf(body) != ""
	shown := ""
	for i, decoded := range texts(body, p.Header.Get("Content-Type")) {
		decoded = strings.TrimSpace(decoded)
		if i == 0 {
			shown = strings.ToLower(decoded)
		}
		if words := goneInText(decoded); words != "" && !manifest {
			return fmt.Sprintf("it says %q", quote(words, p.addresses...)), sources.ClassDeadLink
		}
	}
	ext := strings.ToLower(path.Ext(p.Name))
	html := IsHTML(body) || strings.HasPrefix(shown, "<") && strings.Contains(shown, "<html")
	switch {
	case html && (ext == ".html" || ext == ".htm"):
		return "a web page, which needs a parser", sources.ClassUnsupported
	case html && !p.Media && link.MediaOf(p.Name).MIME == "":
		return "a web page, and the link does not name media", sources.ClassUnsupported
	case html:
		return "a web page where media should be", sources.ClassHosterFault
	case link.IsChannels(body):
		return "a list of channels where media should be", sources.ClassHosterFault
	case manifest:
		return "a manifest where media should be", sources.ClassHosterFault
	case strings.HasPrefix(shown, "{"), strings.HasPrefix(shown, "["):
		return "JSON where media should be", sources.ClassHosterFault
	case strings.HasPrefix(shown, "<"):
		return "XML where media should be", sources.ClassHosterFault
	case ext == ".strm":
		return "a .strm file that names no http or https link", sources.ClassUnsupported
	default:
		return "text where media should be", sources.ClassHosterFault
	}
}

// goneInText are the words by which a text of any kind says that what was asked for
// is gone, "" where it does not.
func goneInText(page string) string {
	if strings.HasPrefix(page, "{") || strings.HasPrefix(page, "[") {
		if words := goneInJSON(page); words != "" {
			return words
		}
	}
	if strings.HasPrefix(page, "<") || IsHTML([]byte(page)) {
		return goneIn(see(page))
	}
	return goneIn(&visible{text: collapse(page)})
}

// IsText tells whether body starts as text in any encoding does: without the
// control characters that only binary data has.
func IsText(body []byte) bool {
	return IsHTML(body) || strings.HasPrefix(http.DetectContentType(body), "text/")
}

// IsHTML tells whether body starts like an HTML page.
func IsHTML(body []byte) bool {
	start := bytes.TrimLeft(bytes.TrimPrefix(body, []byte("\ufeff")), " \t\r\n")
	start = bytes.ToLower(start[:min(len(start), 64)])
	for _, tag := range []string{"<!doctype html", "<html", "<head", "<body", "<script", "<title", "<meta", "<!--"} {
		if bytes.HasPrefix(start, []byte(tag)) {
			return true
		}
	}
	return false
}

// challengeMarks stand in the pages that let only browsers and people pass.
var challengeMarks = []string{
	"cf-challenge", "challenge-platform", "cf_chl_", "cf-turnstile", "<title>just a moment...</title>", "<title>attention required! | cloudflare",
	"ddos-guard.net/check", "<title>ddos-guard</title>", "g-recaptcha", "h-captcha", "hcaptcha.com/1/api.js", "recaptcha/api.js", "geo.captcha-delivery.com",
}

// isChallenge tells whether an answer is a test for browsers or people in
// place of what was asked for.
func isChallenge(header http.Header, body []byte) bool {
	if strings.EqualFold(header.Get("Cf-Mitigated"), "challenge") {
		return true
	}
	if !IsHTML(body) {
		return false
	}
	page := strings.ToLower(string(body))
	return slices.ContainsFunc(challengeMarks, func(mark string) bool { return strings.Contains(page, mark) })
}
