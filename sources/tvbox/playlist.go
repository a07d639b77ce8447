package tvbox

import (
	"fmt"
	"strings"

	"xship/sources"
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
	parts := strings.Split(list, GroupSeparator)
	codes := groupCodes(from, len(parts))
	var groups []Group
	for i, part := range parts {
		items := parseItems(part, parse)
		if len(items) == 0 {
			continue
		}
		name := sources.CleanText(codes[i])
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
	codes := strings.Split(from, GroupSeparator)
	if len(codes) != count && count > 1 {
		if byComma := strings.Split(from, ","); len(byComma) == count {
			codes = byComma
		}
	}
	for len(codes) < count {
		codes = append(codes, "")
	}
	return codes[:count]
}

// parseItems reads one group. Empty items and those that came before are left
// out.
func parseItems(s string, parse func(string) Item) []Item {
	var items []Item
	seen := make(map[Item]bool)
	for _, part := range splitItems(s) {
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
func splitItems(s string) []string {
	var parts []string
	for part := range strings.SplitSeq(s, "#") {
		label := ""
		for line := range strings.FieldsFuncSeq(part, func(r rune) bool { return r == '\n' || r == '\r' }) {
			if !strings.HasPrefix(line, "$") && label != "" {
				parts, label = append(parts, label), ""
			}
			if strings.ContainsAny(line, "$:") {
				parts, label = append(parts, label+line), ""
			} else {
				label = line
			}
		}
		if label != "" {
			parts = append(parts, label)
		}
	}
	return parts
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
	s = strings.TrimRight(sources.CleanText(s), "| ")
	s = strings.Replace(s, ":||", "://", 1)
	return strings.ReplaceAll(s, "&amp;", "&")
}
