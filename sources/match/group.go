package match

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"xship/sources/text"
)

// GroupKind is what the name of a group of links says of them.
type GroupKind int

// The kinds of groups.
const (
	// GroupPlain says nothing: most names are those of players.
	GroupPlain GroupKind = iota
	// GroupSeason is that of one season.
	GroupSeason
	// GroupIrregular holds no regular episode: extras, or a second part of which nobody
	// knows how it counts.
	GroupIrregular
)

// ReadGroup reads the name of a group of links: "第二季", "Season 2", "第2季m3u8", "番外",
// "SP". Since it is the name of a player as a rule, only a whole name says something; that
// of a player may be glued to one in Chinese. The season is that of GroupSeason.
func ReadGroup(name string) (season int, kind GroupKind) {
	const longest = 48 // bytes
	if name == "" || len(name) > longest {
		return 0, GroupPlain
	}
	name = strings.Trim(text.Clean(text.Compatible(norm.NFKC, name)), labelBrackets+"-")
	if front := withoutCode(name); front != "" {
		name = front
	}
	switch season, ok := groupSeason(name); {
	case ok && season > 0:
		return season, GroupSeason
	case ok, isExtraGroup(name):
		return 0, GroupIrregular
	}
	return 0, GroupPlain
}

// withoutCode is name without the code of a player behind words in Chinese.
func withoutCode(name string) string {
	at := len(name)
	for at > 0 && text.IsAlnum(name[at-1]) {
		at--
	}
	front := strings.TrimRight(name[:at], labelBrackets+"-")
	if last, _ := utf8.DecodeLastRuneInString(front); at == len(name) || text.IsDigit(name[at]) || !text.IsWide(last) {
		return ""
	}
	return front
}

// groupSeason reads name as nothing but a season.
func groupSeason(name string) (season int, ok bool) {
	if season, ok = seasonMark(name); ok {
		return season, true
	}
	season, start, ok := spelledSeason(name)
	return season, ok && start == 0
}

// isExtraGroup tells whether name is nothing but a word of extras.
func isExtraGroup(name string) bool {
	if name == "下部" || name == "下半部" {
		return true
	}
	if slices.Contains(playerWords, text.Simplified(lower(name))) {
		return false
	}
	return name != "" && (allExtra(name) || wholePhrase(name))
}

// playerWords are words of extras that the names of players are made of too.
var playerWords = []string{"独家", "直播", "尊享", "专享", "畅享", "悦享", "会员版", "vip版", "svip版", "plus", "多看", "外挂", "加料", "精选", "op", "ed"}

// wholePhrase tells whether s is nothing but an extra of several words.
func wholePhrase(s string) bool {
	return slices.ContainsFunc(extraPhrases, func(phrase []string) bool { return strings.EqualFold(s, strings.Join(phrase, " ")) })
}
