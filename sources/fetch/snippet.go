package fetch

import (
	"bytes"
	"cmp"
	"html"
	"strings"

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
	head, ok := text.Decode(body[:min(len(body), looked)], "")
	s := string(head)
	if !ok || strings.ContainsRune(s, 0) || !mostlyUTF8(s) {
		return ""
	}
	if IsHTML(head) {
		s = "HTML page"
		if title := cmp.Or(htmlTitle(head), htmlTitle(body)); title != "" {
			s += ` "` + title + `"`
		}
	}
	return text.Shorten(link.HideSecrets(rawURL, text.Clean(s)), snippetRunes)
}

func mostlyUTF8(s string) bool {
	return strings.Count(strings.ToValidUTF8(s, "\ufffd"), "\ufffd") <= len(s)/10
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
