package fetch

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"

	"xship/sources"
	"xship/sources/link"
)

// Page is text that came where media should be.
type Page struct {
	URL    string      // that it answers; "" for a file of this machine, of which nothing is quoted
	Name   string      // the path whose extension says what should be there
	Header http.Header // of the answer
	Body   []byte      // its start
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
}

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
	e := &PageError{}
	e.what, e.class = p.judge()
	if p.URL != "" {
		e.title = Snippet(p.URL, p.Body)
	}
	return e
}

func (p Page) judge() (what string, class sources.Class) {
	if isChallenge(p.Header, p.Body) {
		return "it wants a browser or a captcha", sources.ClassUnsupported
	}
	text := strings.ToLower(strings.TrimSpace(strings.TrimPrefix(string(p.Body), "\ufeff")))
	if words := goneIn(text); words != "" {
		return fmt.Sprintf("it says %q", words), sources.ClassDeadLink
	}
	ext := strings.ToLower(path.Ext(p.Name))
	html := IsHTML(p.Body) || strings.HasPrefix(text, "<") && strings.Contains(text, "<html")
	switch {
	case html && (ext == ".html" || ext == ".htm"):
		return "a web page, which needs a parser", sources.ClassUnsupported
	case html:
		return "a web page where media should be", sources.ClassHosterFault
	case link.IsChannels(p.Body):
		return "a list of channels where media should be", sources.ClassHosterFault
	case link.ManifestOf(p.Body) != "":
		return "a manifest where media should be", sources.ClassHosterFault
	case strings.HasPrefix(text, "{"), strings.HasPrefix(text, "["):
		return "JSON where media should be", sources.ClassHosterFault
	case strings.HasPrefix(text, "<"):
		return "XML where media should be", sources.ClassHosterFault
	case ext == ".strm":
		return "a .strm file that names no http or https link", sources.ClassUnsupported
	default:
		return "text where media should be", sources.ClassHosterFault
	}
}

// gone are the words by which hosters say that a file is no more, in lower case.
var gone = []string{
	"file not found", "file was not found", "video not found", "file does not exist", "file doesn't exist", "file no longer exists",
	"file removed", "file was removed", "file has been removed", "video was removed", "video has been removed",
	"file deleted", "file was deleted", "file has been deleted", "video was deleted", "video has been deleted",
	"file is no longer available", "video is no longer available", "removed due to a copyright", "removed for copyright", "has been removed due",
	"datei nicht gefunden", "datei wurde gelöscht", "datei existiert nicht", "video wurde gelöscht", "video nicht gefunden",
	"fichier introuvable", "fichier supprimé", "fichier a été supprimé", "archivo no encontrado", "archivo ha sido eliminado", "archivo eliminado",
	"file non trovato", "file è stato rimosso", "файл не найден", "файл удален", "файл удалён", "plik nie istnieje", "plik został usunięty",
	"文件不存在", "文件已删除", "视频不存在", "视频已删除", "已被删除", "资源不存在", "ファイルが見つかりません", "파일을 찾을 수 없습니다",
}

// goneIn are the words by which a page in lower case says that the file is gone,
// "" where it does not. Messages that its scripts might show are no news.
func goneIn(page string) string {
	shown := scripts.ReplaceAllString(page, "")
	for _, words := range gone {
		if strings.Contains(shown, words) {
			return words
		}
	}
	return ""
}

var scripts = regexp.MustCompile(`(?s)<(?:script|style)\b.*?(?:</(?:script|style)>|$)`)

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
