package maccms

import (
	"fmt"
	"strings"

	"xship/sources"
)

// group is the links of a row that one player takes.
type group struct {
	name  string // the player's code, cleaned, "" where nobody named it
	items []item
}

// item is one link.
type item struct {
	label  string // cleaned, "" where the site gave none
	number int    // place in the group, from 1
	url    string
}

// episodeLabel is what tells the episode: the label, or else the place.
func (i item) episodeLabel() string {
	if i.label != "" {
		return i.label
	}
	return fmt.Sprintf("%02d", i.number)
}

const groupSeparator = "$$$"

// parsePlaylist reads vod_play_from and vod_play_url. Groups without links are
// left out; groups beyond the names that came are numbered.
func parsePlaylist(from, urls string) []group {
	parts := strings.Split(urls, groupSeparator)
	names := groupNames(from, len(parts))
	var groups []group
	for i, part := range parts {
		items := parseItems(part)
		if len(items) == 0 {
			continue
		}
		name := sources.CleanText(names[i])
		if name == "" && len(parts) > 1 {
			name = fmt.Sprintf("line %d", i+1)
		}
		groups = append(groups, group{name: name, items: items})
	}
	return groups
}

// groupNames splits from into count names. Servers that filter by player join
// the names, but not the groups, with commas.
func groupNames(from string, count int) []string {
	names := strings.Split(from, groupSeparator)
	if len(names) != count && count > 1 {
		if byComma := strings.Split(from, ","); len(byComma) == count {
			names = byComma
		}
	}
	for len(names) < count {
		names = append(names, "")
	}
	return names[:count]
}

// parseItems reads one group. Empty items and those that came before are left
// out.
func parseItems(s string) []item {
	var items []item
	seen := make(map[item]bool)
	for _, part := range splitItems(s) {
		it, ok := parseItem(part)
		if !ok || seen[it] {
			continue
		}
		seen[it] = true
		it.number = len(items) + 1
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

// parseItem reads "label$url", "url", and either with a player's code behind:
// "label$url$m3u8". The first "$" ends the label; a "$" within the URL stays.
func parseItem(s string) (item, bool) {
	label, link, ok := strings.Cut(s, "$")
	if !ok || isCode(link) && strings.Contains(label, "://") {
		label, link = "", label
	} else if i := strings.LastIndexByte(link, '$'); i >= 0 && isCode(link[i+1:]) {
		link = link[:i]
	}
	it := item{label: text(label).clean(), url: cleanURL(link)}
	return it, it.url != ""
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
