package tvbox

import (
	"strings"
	"unicode/utf8"

	"xship/sources/text"
)

// appendNames appends the names that a text holds of which each is one of the work,
// where it holds more than one. What parts names is often part of one, too:
//   - "、", "；" and "|" part names;
//   - "/" does with spaces around it, or where one side is Chinese, so that
//     "Fate/stay night" is one name; in a list of names also where both are long;
//   - "," does between names without Chinese, in a list of names only;
//   - "，" does in such a list, where both sides are long: "你好再见，妈妈！" is one name.
func appendNames(names []string, s string, list bool) []string {
	start := 0
	add := func(end int) {
		if part := strings.TrimSpace(s[start:end]); part != "" && part != s && len(names) < maxNames {
			names = append(names, part)
		}
	}
	found := false
	for i, r := range s {
		size := utf8.RuneLen(r)
		if !strings.ContainsRune("/／、；;|｜,，", r) || !partsNames(s[start:i], r, s[i+size:], list) {
			continue
		}
		add(i)
		start, found = i+size, true
	}
	if found {
		add(len(s))
	}
	return names
}

// Bounds of what a long name is, in characters.
const (
	longHan   = 4
	longLatin = 5
)

// partsNames tells whether r parts the name before from what stands behind it.
func partsNames(before string, r rune, behind string, list bool) bool {
	if end := strings.IndexAny(behind, "/／、；;|｜,，"); end > 0 {
		behind = behind[:end]
	}
	before, next := strings.TrimSpace(before), strings.TrimSpace(behind)
	long := func(atLeast int) bool {
		return utf8.RuneCountInString(before) >= atLeast && utf8.RuneCountInString(next) >= atLeast
	}
	switch r {
	case '、', '；', '|', '｜':
		return true
	case ';':
		return list
	case '/', '／':
		return before != "" && strings.HasPrefix(behind, " ") || isHan(before) || isHan(next) || list && long(longLatin)
	case ',':
		return list && !isHan(before) && !isHan(next)
	default:
		return list && long(longHan)
	}
}

// isHan tells whether s has characters of a script without spaces.
func isHan(s string) bool { return strings.ContainsFunc(s, text.IsWide) }
