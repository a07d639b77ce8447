package tvbox

import (
	"fmt"
	"iter"
	"strings"

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
// numbered.
func ParsePlaylist(from, urls string) []Group { return parseGroups(from, urls, parseURLItem) }

// ParseIDList is ParsePlaylist for links that are ids of the server's own,
// which are left as they are.
func ParseIDList(from, ids string) []Group { return parseGroups(from, ids, parseIDItem) }

func parseGroups(from, list string, parse func(string) Item) []Group {
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
		name := text.Clean(codes[i])
		if name == "" && len(parts) > 1 {
			name = fmt.Sprintf("line %d", i+1)
		}
		groups = append(groups, Group{Code: codes[i], Name: name, Items: items})
	}
	return groups
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

// parseItems reads most items of one group at most. Empty items and those that
// came before are left out.
func parseItems(s string, most int, parse func(string) Item) []Item {
	count := min(strings.Count(s, "#")+1, most, usualItems)
	items := make([]Item, 0, count)
	seen := make(map[Item]bool, count)
	for part := range splitItems(s) {
		if len(items) == most {
			break
		}
		it := parse(part)
		if it.Link == "" || seen[it] {
			continue
		}
		seen[it] = true
		it.Number = len(items) + 1
		items = append(items, it)
	}
	return items
}

// splitItems splits at "#" and at line ends, but for one that ends a label.
func splitItems(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for part := range strings.SplitSeq(s, "#") {
			if !splitLines(part, yield) {
				return
			}
		}
	}
}

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
func parseURLItem(s string) Item {
	label, link, ok := strings.Cut(s, "$")
	if !ok || isCode(link) && strings.Contains(label, "://") {
		label, link = "", label
	} else if i := strings.LastIndexByte(link, '$'); i >= 0 && isCode(link[i+1:]) {
		link = link[:i]
	}
	return Item{Label: Text(label).Clean(), Link: cleanURL(link)}
}

// parseIDItem reads "label$id" and "id".
func parseIDItem(s string) Item {
	label, id, ok := strings.Cut(s, "$")
	if !ok {
		label, id = "", label
	}
	return Item{Label: Text(label).Clean(), Link: strings.TrimSpace(id)}
}

// isCode tells whether what stands behind a "$" is a player's code rather than
// the rest of a URL.
func isCode(s string) bool { return !strings.ContainsAny(s, "/:.") }

// cleanURL removes control characters and mends what old servers do to links:
// "|" at the end, "||" for "//", and entities.
func cleanURL(s string) string {
	s = strings.TrimRight(text.Clean(s), "| ")
	s = strings.Replace(s, ":||", "://", 1)
	return strings.ReplaceAll(s, "&amp;", "&")
}
