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
// an HTML page its title, of other text the first 80 characters, as quote shows it. It
// is "" for what is no text. The addresses that rawURL redirected to may follow it.
func Snippet(rawURL string, body []byte, redirects ...string) string {
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
	return quote(s, append(redirects, rawURL)...)
}

// quote is what an error quotes of an answer: cleaned and cut, without secrets that tell
// themselves by their names, links, and secrets of the addresses asked that the server may
// have echoed. All that is quoted of an answer goes through it.
func quote(words string, addresses ...string) string {
	words = text.Clean(words)
	for _, address := range addresses {
		words = link.HideSecrets(address, words)
	}
	return text.Shorten(link.RedactText(words), snippetRunes)
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
