package fetch

import (
	"bytes"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"xship/sources/link"
	"xship/sources/text"
)

// snippetRunes is how much of an unexpected body an error quotes.
const snippetRunes = 80

// Snippet is the start of body, the answer to rawURL, for an error message: of
// an HTML page its title, of other text the first 80 characters, cleaned and
// without the secrets of rawURL that the server may have echoed. It is "" for
// what is no text.
func Snippet(rawURL string, body []byte) string {
	const looked = 4 << 10
	s := strings.TrimPrefix(string(body[:min(len(body), looked)]), "\ufeff")
	if strings.ContainsRune(s, 0) || !mostlyUTF8(s) {
		return ""
	}
	if IsHTML(body) {
		s = "HTML page"
		if title := htmlTitle(body); title != "" {
			s += ` "` + title + `"`
		}
	}
	return shorten(hideSecrets(rawURL, text.Clean(s)))
}

func mostlyUTF8(s string) bool {
	return strings.Count(strings.ToValidUTF8(s, "\ufffd"), "\ufffd") <= len(s)/10
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

// IsChallenge tells whether an answer is a test for browsers or people in
// place of what was asked for.
func IsChallenge(header http.Header, body []byte) bool {
	if strings.EqualFold(header.Get("Cf-Mitigated"), "challenge") {
		return true
	}
	if !IsHTML(body) {
		return false
	}
	page := strings.ToLower(string(body))
	return slices.ContainsFunc(challengeMarks, func(mark string) bool { return strings.Contains(page, mark) })
}

func htmlTitle(body []byte) string {
	lower := bytes.ToLower(body)
	if len(lower) != len(body) { // a letter whose cases differ in length
		return ""
	}
	start := bytes.Index(lower, []byte("<title"))
	if start < 0 {
		return ""
	}
	open := bytes.IndexByte(lower[start:], '>')
	if open < 0 {
		return ""
	}
	start += open + 1
	end := bytes.Index(lower[start:], []byte("</title"))
	if end < 0 {
		return ""
	}
	return text.Clean(html.UnescapeString(string(body[start : start+end])))
}

// hideSecrets replaces what RedactURL removes from rawURL.
func hideSecrets(rawURL, text string) string {
	const shortest = 6 // a shorter value is more likely an accident than a secret
	u, err := url.Parse(rawURL)
	if err != nil {
		return text
	}
	shown := link.Redact(rawURL)
	hide := func(secret string) {
		if len(secret) >= shortest && !strings.Contains(shown, url.QueryEscape(secret)) && !strings.Contains(shown, secret) {
			text = strings.ReplaceAll(text, secret, link.Redacted)
		}
	}
	if password, ok := u.User.Password(); ok {
		hide(password)
	}
	for param := range strings.SplitSeq(u.RawQuery, "&") {
		_, value, _ := strings.Cut(param, "=")
		hide(value)
		if decoded, err := url.QueryUnescape(value); err == nil {
			hide(decoded)
		}
	}
	for segment := range strings.SplitSeq(u.EscapedPath(), "/") {
		hide(segment)
	}
	return text
}

func shorten(s string) string {
	if utf8.RuneCountInString(s) <= snippetRunes {
		return s
	}
	return string([]rune(s)[:snippetRunes]) + "…"
}
