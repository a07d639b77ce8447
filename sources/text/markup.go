package text

import (
	"html"
	"slices"
	"strings"
)

// markup are the elements of HTML with which sites set names: they highlight what was
// searched for, or end a line.
var markup = []string{"a", "b", "big", "br", "code", "del", "div", "em", "font", "h1", "h2", "h3", "h4", "h5", "h6", "i", "img", "ins", "label", "li", "mark", "p", "s", "small", "span", "strong", "sub", "sup", "td", "tr", "tt", "u", "ul", "wbr"}

// Unmarked is s as a page shows it: entities are decoded, as often as servers that hand
// a text on have escaped it, and the tags of HTML are gone, before and after. What is
// no tag stays: "IS <Infinite Stratos>", "I <3 You".
func Unmarked(s string) string {
	const most = 5 // times
	for range most {
		plain := s
		if strings.IndexByte(plain, '&') >= 0 {
			plain = html.UnescapeString(plain)
		}
		if strings.IndexByte(plain, '<') >= 0 {
			plain = withoutTags(plain)
		}
		if plain == s {
			break
		}
		s = plain
	}
	return s
}

// withoutTags is s without the tags of HTML. One that ends a line leaves a space.
func withoutTags(s string) string {
	var b strings.Builder
	for {
		open := strings.IndexByte(s, '<')
		if open < 0 {
			break
		}
		length, name := tagAt(s[open:])
		if length == 0 {
			b.WriteString(s[:open+1])
			s = s[open+1:]
			continue
		}
		b.WriteString(s[:open])
		switch name {
		case "br", "div", "li", "p", "td", "tr":
			b.WriteByte(' ')
		}
		s = s[open+length:]
	}
	b.WriteString(s)
	return b.String()
}

// maxMarkup is how long a tag is at most, in bytes, and how long its name.
const (
	maxMarkup     = 256
	maxMarkupName = len("strong")
)

// tagAt is the length and the name of the tag that s starts with, 0 where it is none.
func tagAt(s string) (length int, name string) {
	rest := strings.TrimPrefix(s[1:], "/")
	at := 0
	for at < len(rest) && at <= maxMarkupName && IsAlnum(rest[at]) {
		at++
	}
	if at == len(rest) || !slices.Contains(markup, strings.ToLower(rest[:at])) {
		return 0, ""
	}
	end := strings.IndexByte(s[:min(len(s), maxMarkup)], '>')
	if end < 0 || strings.IndexByte(s[1:end], '<') >= 0 {
		return 0, ""
	}
	if rest[at] != '>' && rest[at] != '/' && rest[at] != ' ' {
		return 0, ""
	}
	inner := strings.Trim(rest[at:len(rest)-(len(s)-end)], " /")
	if inner != "" && strings.IndexByte(inner, '=') < 0 {
		return 0, "" // "<a film>"
	}
	return end + 1, strings.ToLower(rest[:at])
}
