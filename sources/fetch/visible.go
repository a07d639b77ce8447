package fetch

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// visible is what a person sees of a page, in lower case: its title and headings,
// and its text with a line for each block.
type visible struct {
	heads []string
	text  string
}

// unseen are the elements whose content nobody sees.
var unseen = []string{"script", "style", "template", "noscript", "svg", "iframe", "select", "textarea", "object"}

// inline are the elements that do not end a line.
var inline = []string{"a", "abbr", "b", "bdi", "big", "br", "code", "em", "font", "i", "img", "mark", "small", "span", "strong", "sub", "sup", "u", "wbr"}

// void are the elements without an end.
var void = []string{"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"}

// see reads what a page, or a document of XML, shows.
func see(page string) *visible {
	var (
		v      visible
		text   strings.Builder
		head   *strings.Builder // of the title or heading that is being read
		hidden string           // the element whose content is not shown, "" = none
		depth  int              // of elements of that name in it
	)
	z := html.NewTokenizer(strings.NewReader(page))
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			if head != nil { // the end is cut
				v.heads = append(v.heads, strings.ReplaceAll(collapse(head.String()), "\n", " "))
			}
			v.text = collapse(text.String())
			return &v
		case html.TextToken:
			if hidden != "" {
				continue
			}
			words := html.UnescapeString(string(z.Text()))
			words = strings.Map(func(r rune) rune {
				if r == '\n' || r == '\r' { // only blocks end lines
					return ' '
				}
				return r
			}, words)
			if head != nil {
				head.WriteString(words)
			} else {
				text.WriteString(separateIdentifier(words))
			}
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			raw, attributes := z.TagName()
			name := string(raw)
			switch {
			case hidden == name && kind == html.StartTagToken:
				depth++
				continue
			case hidden == name && kind == html.EndTagToken:
				if depth--; depth == 0 {
					hidden = ""
				}
				continue
			case hidden != "":
				continue
			case kind == html.StartTagToken && !slices.Contains(void, name) && (slices.Contains(unseen, name) || attributes && isHidden(z)):
				hidden, depth = name, 1
				continue
			}
			switch isHead := name == "title" || name == "h1" || name == "h2" || name == "h3"; {
			case isHead && kind == html.StartTagToken:
				head = new(strings.Builder)
			case isHead && head != nil:
				v.heads = append(v.heads, strings.ReplaceAll(collapse(head.String()), "\n", " "))
				text.WriteString("\n" + head.String() + "\n")
				head = nil
			case name == "br" || slices.Contains(inline, name) && head != nil:
				text.WriteByte(' ')
			case !slices.Contains(inline, name):
				text.WriteByte('\n')
			}
		case html.CommentToken, html.DoctypeToken:
		}
	}
}

// isHidden reads the attributes of the current tag.
func isHidden(z *html.Tokenizer) bool {
	for {
		name, value, more := z.TagAttr()
		switch string(name) {
		case "hidden":
			return true
		case "style":
			style := strings.ToLower(strings.ReplaceAll(string(value), " ", ""))
			if strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden") {
				return true
			}
		}
		if !more {
			return false
		}
	}
}

// separateIdentifier makes words of text that is one identifier, as codes of errors
// in XML are.
func separateIdentifier(s string) string {
	if trimmed := strings.TrimSpace(s); trimmed != "" && len(trimmed) == len(s) && !strings.ContainsAny(s, " \t\n") {
		return separateWords(s)
	}
	return s
}

var spaces = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[ \t\r\f\v\x{a0}\x{200b}\x{feff}\x{3000}]+`) })

// collapse is text in lower case with single spaces, and the line ends of blocks.
func collapse(text string) string {
	return strings.TrimSpace(strings.ToLower(spaces().ReplaceAllString(text, " ")))
}

// texts are what body may say, the likeliest first: as its server or it itself names
// its encoding, and where neither does and it is no UTF-8, in those of old servers.
func texts(body []byte, contentType string) []string {
	whole := body
	for i := 1; i < utf8.UTFMax && !utf8.Valid(whole); i++ { // the end may be cut within a character
		whole = body[:max(len(body)-i, 0)]
	}
	if utf8.Valid(body) || utf8.Valid(whole) && utf8.RuneCount(whole) < len(whole) { // it has other characters than ASCII
		return []string{string(bytes.TrimPrefix(whole, []byte("\ufeff")))}
	}
	e, name, certain := charset.DetermineEncoding(body[:min(len(body), 1024)], contentType)
	candidates := []encoding.Encoding{e}
	if !certain && name == "windows-1252" {
		candidates = append(candidates, simplifiedchinese.GB18030, charmap.Windows1251, korean.EUCKR, japanese.ShiftJIS, traditionalchinese.Big5)
	}
	var all []string
	for _, e := range candidates {
		if decoded, err := e.NewDecoder().Bytes(body); err == nil {
			all = append(all, string(decoded))
		}
	}
	return all
}
