package tvbox

import (
	"fmt"
	"html"
	"strings"

	"xship/sources/link"
	"xship/sources/match"
	"xship/sources/text"
)

// Group is the links of a row that one player takes.
type Group struct {
	Code  string // the player's code as the server writes it
	Name  string // the same for people, numbered where nobody named it
	Items []Item
}

// Item is one link.
type Item struct {
	Label  string // cleaned, "" where the site gave none
	Number int    // place in the group, from 1
	Link   string // a URL, or an id that only the server understands
}

// episodeLabel is what tells the episode: the label, or else the place.
func (i Item) episodeLabel() string {
	if i.Label != "" {
		return i.Label
	}
	return fmt.Sprintf("%02d", i.Number)
}

// GroupSeparator stands between the groups of a row, and between their codes.
const GroupSeparator = "$$$"

// ParsePlaylist reads vod_play_from and vod_play_url, whose links are URLs.
// Groups without links are left out; groups beyond the names that came are
// numbered. Where "#" parts a number from its URL, it is the label of that; other
// text that is no link, such as what follows a "#" of a URL, has no place. That of an
// entity ("&#39;") parts nothing; names and labels are given without entities.
func ParsePlaylist(from, urls string) []Group { return parseGroups(from, urls, parseURLItem) }

// ParseIDList is ParsePlaylist for links that are ids of the server's own,
// which are left as they are.
func ParseIDList(from, ids string) []Group { return parseGroups(from, ids, parseIDItem) }

func parseGroups(from, list string, parse itemParser) []Group {
	from, list = partGroups(unquoted(from), unquoted(list))
	parts := strings.SplitN(list, GroupSeparator, MaxGroups+1)
	parts = parts[:min(len(parts), MaxGroups)]
	codes := groupCodes(from, len(parts))
	var groups []Group
	left := maxItems
	for i, part := range parts {
		items := parseItems(part, left, parse)
		left -= len(items)
		if len(items) == 0 {
			continue
		}
		name := Text(codes[i]).Clean()
		if name == "" && len(parts) > 1 {
			name = fmt.Sprintf("line %d", i+1)
		}
		groups = append(groups, Group{Code: codes[i], Name: name, Items: items})
	}
	return groups
}

// unquoted is s without the quotes around all of it.
func unquoted(s string) string {
	trimmed := strings.TrimSpace(s)
	for _, quotes := range [][2]string{{`"`, `"`}, {"'", "'"}, {"“", "”"}} {
		if inner, ok := strings.CutPrefix(trimmed, quotes[0]); ok {
			if inner, ok = strings.CutSuffix(inner, quotes[1]); ok && !strings.Contains(inner, quotes[0]) {
				return inner
			}
		}
	}
	return s
}

// partGroups writes the separators of groups out that some servers cut short: "$$" is
// one where a link stands before it and another one behind.
func partGroups(from, list string) (fullFrom, fullList string) {
	const short = "$$"
	var b strings.Builder
	done := 0
	for at := 0; ; {
		n := strings.Index(list[at:], short)
		if n < 0 {
			break
		}
		at += n
		before, behind := list[done:at], list[at+len(short):]
		switch {
		case strings.HasPrefix(behind, "$"):
			at += len(GroupSeparator)
		case strings.Contains(before[strings.LastIndexByte(before, '#')+1:], "://") && startsLink(behind):
			b.WriteString(before)
			b.WriteString(GroupSeparator)
			at += len(short)
			done = at
		default:
			at += len(short)
		}
	}
	if done == 0 {
		return from, list
	}
	if !strings.Contains(from, GroupSeparator) {
		from = strings.ReplaceAll(from, short, GroupSeparator)
	}
	return from, b.String() + list[done:]
}

// startsLink tells whether s starts with a URL, or with a label and its URL.
func startsLink(s string) bool {
	s, _, _ = strings.Cut(s, "#")
	before, _, ok := strings.Cut(s, "://")
	if !ok {
		return false
	}
	_, scheme, labelled := strings.Cut(before, "$")
	if !labelled {
		scheme = before
	}
	return HasScheme(scheme + ":")
}

// groupCodes splits from into count codes. Servers that filter by player join
// the codes, but not the groups, with commas.
func groupCodes(from string, count int) []string {
	codes := strings.SplitN(from, GroupSeparator, MaxGroups+1)
	if len(codes) != count && count > 1 && strings.Count(from, ",") == count-1 {
		codes = strings.Split(from, ",")
	}
	for len(codes) < count {
		codes = append(codes, "")
	}
	return codes[:count]
}

// usualItems is how many items most groups have no more than.
const usualItems = 64

// itemParser reads one item; bare tells that it is neither labelled nor a URL, so that
// it may be the label of the URL behind it.
type itemParser func(s string) (it Item, bare bool)

// parseItems reads most items of one group at most. Empty items and those that
// came before are left out.
func parseItems(s string, most int, parse itemParser) []Item {
	count := min(strings.Count(s, "#")+1, most, usualItems)
	items := make([]Item, 0, count)
	seen := make(map[Item]bool, count)
	add := func(it Item) {
		if it.Link == "" || seen[it] || len(items) == most {
			return
		}
		seen[it] = true
		it.Number = len(items) + 1
		items = append(items, it)
	}
	var held Item // bare, its text is its label
	each := func(part string) bool {
		it, bare := parse(part)
		if held.Label != "" {
			if it.Label == "" && !bare && isEpisode(held.Label) {
				it.Label = held.Label
			} else {
				add(Item{Link: held.Link})
			}
			held = Item{}
		}
		if bare {
			held = it
		} else {
			add(it)
		}
		return len(items) < most
	}
	for more := most > 0; more && s != ""; {
		part := s
		if end := itemEnd(s); end < len(s) {
			part, s = s[:end], s[end+1:]
		} else {
			s = ""
		}
		if strings.IndexByte(part, '\n') < 0 && strings.IndexByte(part, '\r') < 0 {
			more = part == "" || each(part)
		} else {
			more = splitLines(part, each)
		}
	}
	add(Item{Link: held.Link})
	return items
}

// maxNumber is the longest text that is taken for the label of the link behind it, in
// bytes.
const maxNumber = 32

// isEpisode tells whether a text can be the label of the link behind it.
func isEpisode(label string) bool {
	_, ok := match.ParseEpisode(label)
	return ok && len(label) <= maxNumber
}

// itemEnd is where the first item of s ends: at a "#", but for one that belongs to a
// character by its number ("&#39;"), however often that was escaped.
func itemEnd(s string) int {
	for from := 0; ; {
		i := strings.IndexByte(s[from:], '#')
		if i < 0 {
			return len(s)
		}
		i += from
		if i == 0 || s[i-1] != '&' && s[i-1] != ';' || !endsEscape(s[:i]) || numberLen(s[i:]) == 0 {
			return i
		}
		from = i + 1
	}
}

// endsEscape tells whether s ends in an ampersand, be it escaped.
func endsEscape(s string) bool {
	for strings.HasSuffix(s, "amp;") {
		s = strings.TrimSuffix(s, "amp;")
	}
	return strings.HasSuffix(s, "&")
}

// numberLen is the length of "#39;" or "#x27;" at the start of s, 0 where there is
// neither.
func numberLen(s string) int {
	const longest = 1 + len("x10ffff")
	digits, start := "0123456789", 1
	if len(s) > 1 && (s[1] == 'x' || s[1] == 'X') {
		digits, start = "0123456789abcdefABCDEF", 2
	}
	for i := start; i < len(s) && i <= longest; i++ {
		switch {
		case s[i] == ';' && i > start:
			return i + 1
		case strings.IndexByte(digits, s[i]) < 0:
			return 0
		}
	}
	return 0
}

// splitLines splits at line ends, but for one that ends a label.
func splitLines(s string, yield func(string) bool) bool {
	label := ""
	for line := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if !strings.HasPrefix(line, "$") && label != "" {
			if !yield(label) {
				return false
			}
			label = ""
		}
		switch {
		case !strings.ContainsAny(line, "$:"):
			label = line
		case yield(label + line):
			label = ""
		default:
			return false
		}
	}
	return label == "" || yield(label)
}

// parseURLItem reads "label$url", "url", and either with a player's code
// behind: "label$url$m3u8". The first "$" ends the label; a "$" within the URL
// stays.
func parseURLItem(s string) (it Item, bare bool) {
	label, address, ok := strings.Cut(s, "$")
	switch {
	case !ok && !strings.Contains(s, ":") && !strings.HasPrefix(s, "/"):
		return bareItem(s), true
	case !ok || isCode(address) && strings.Contains(label, "://"):
		label, address = "", label
	default:
		if i := strings.LastIndexByte(address, '$'); i >= 0 && isCode(address[i+1:]) {
			address = address[:i]
		}
	}
	for strings.HasPrefix(address, "$") {
		address = address[1:]
	}
	return Item{Label: Text(label).Clean(), Link: cleanURL(address)}, false
}

// bareItem is what stands without a label and is no URL. Only what is called like
// media is a link all the same.
func bareItem(s string) Item {
	it := Item{Label: Text(s).Clean()}
	if address := cleanURL(s); link.MediaOf(address).MIME != "" {
		it.Link = address
	}
	return it
}

// parseIDItem reads "label$id" and "id".
func parseIDItem(s string) (it Item, bare bool) {
	label, id, ok := strings.Cut(s, "$")
	if !ok {
		label, id = "", label
	}
	return Item{Label: Text(label).Clean(), Link: strings.TrimSpace(id)}, false
}

// isCode tells whether what stands behind a "$" is a player's code rather than
// the rest of a URL.
func isCode(s string) bool { return !strings.ContainsAny(s, "/:.") }

// cleanURL removes control characters and mends what old servers do to links:
// quotes around them, "|" at the end, "||" for "//", and entities. Of those only "&amp;"
// and characters by number: "&copy=1" is a parameter.
func cleanURL(s string) string {
	s = strings.TrimRight(text.Clean(s), "| ")
	if s != "" && !text.IsAlnum(s[0]) {
		s = unquoted(s)
	}
	s = strings.Replace(s, ":||", "://", 1)
	if strings.IndexByte(s, '&') >= 0 {
		s = withoutEntities(s)
	}
	return s
}

func withoutEntities(s string) string {
	for range maxEscaped {
		s = strings.ReplaceAll(s, "&amp;", "&")
	}
	var b strings.Builder
	for {
		i := strings.Index(s, "&#")
		if i < 0 {
			return b.String() + s
		}
		n := 1 + numberLen(s[i+1:])
		if n == 1 {
			n = len("&#")
		}
		b.WriteString(s[:i])
		b.WriteString(text.Clean(html.UnescapeString(s[i : i+n])))
		s = s[i+n:]
	}
}
