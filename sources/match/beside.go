package match

import (
	"slices"
	"strings"
	"unicode/utf8"

	"xship/sources"
	"xship/sources/text"
)

// What stands beside a number tells whether it is that of an episode: these are the
// rules of the words around a mark.

// isBeside tells whether r may stand between a number and the words beside it.
func isBeside(r rune) bool {
	if r < utf8.RuneSelf {
		return besideASCII[r]
	}
	switch r {
	case '·', '、', '【', '】', '《', '》', '「', '」', '『', '』', '〈', '〉':
		return true
	}
	return false
}

var besideASCII = [utf8.RuneSelf]bool{
	' ': true, '-': true, '_': true, ':': true, '|': true, '.': true, ',': true, '~': true, '/': true, '!': true, '[': true, ']': true, '(': true, ')': true,
}

// wordsBefore is the run of letters and digits that ends before, whatever separates
// it from what follows.
func wordsBefore(before string) string {
	before = trimBehind(before)
	for start := len(before); start > 0; {
		size := 1
		if c := before[start-1]; c < utf8.RuneSelf {
			if besideASCII[c] {
				return before[start:]
			}
		} else {
			var r rune
			if r, size = utf8.DecodeLastRuneInString(before[:start]); isBeside(r) {
				return before[start:]
			}
		}
		start -= size
	}
	return before
}

// wordsBehind is the run of letters and digits that after starts with, whatever
// separates it from what stands before; direct tells that nothing does.
func wordsBehind(after string) (words string, direct bool) {
	trimmed := trimBefore(after)
	direct = len(trimmed) == len(after)
	for i, r := range trimmed {
		if isBeside(r) {
			return trimmed[:i], direct
		}
	}
	return trimmed, direct
}

// trimBefore is s without what stands between a mark and the words behind it.
func trimBefore(s string) string {
	for s != "" && s[0] < utf8.RuneSelf && besideASCII[s[0]] {
		s = s[1:]
	}
	if s == "" || s[0] < utf8.RuneSelf {
		return s
	}
	return strings.TrimLeftFunc(s, isBeside)
}

// trimBehind is s without what stands between a mark and the words before it.
func trimBehind(s string) string {
	for s != "" && s[len(s)-1] < utf8.RuneSelf && besideASCII[s[len(s)-1]] {
		s = s[:len(s)-1]
	}
	if s == "" || s[len(s)-1] < utf8.RuneSelf {
		return s
	}
	return strings.TrimRightFunc(s, isBeside)
}

// isTotal tells whether the text around a number makes it a count of episodes
// or the news of one: "全12集", "12集全", "更新至12集". The words before it may be of one of
// names: "夏至未至第3集".
func isTotal(before, after string, names titleNames) bool {
	if after != "" && (after[0] >= utf8.RuneSelf || after[0] == '(') &&
		(strings.HasPrefix(after, "全") || strings.HasPrefix(after, "(全)") || strings.HasPrefix(after, "更新")) {
		return true
	}
	return totalBefore(before) && (names.any && saysNews(before) || !names.end(before))
}

// saysNews tells whether before ends as the news of a count does, "更新至", and not as
// a title may, "夏至".
func saysNews(before string) bool {
	before = strings.TrimRight(before, " 第:")
	news := strings.TrimRight(before, "至到")
	words := []string{"更新", "连载", "連載", "已更"}
	if news != before {
		words = append(words, "更", "播", "出")
	}
	return news == "" || slices.ContainsFunc(words, func(word string) bool { return strings.HasSuffix(news, word) })
}

// totalBefore tells whether what stands before a number makes it a count.
func totalBefore(before string) bool {
	for before != "" && (before[len(before)-1] == ' ' || before[len(before)-1] == ':') {
		before = before[:len(before)-1]
	}
	if strings.HasSuffix(before, "第") {
		before = strings.TrimRight(before, " 第:")
	}
	if before == "" || before[len(before)-1] < utf8.RuneSelf || strings.HasSuffix(before, "集全") {
		return false // "24集全" is a count by itself
	}
	switch last, _ := utf8.DecodeLastRuneInString(before); last {
	case '全', '共', '至', '到', '更', '前':
		return true
	case '新', '载', '載':
		return strings.HasSuffix(before, "更新") || strings.HasSuffix(before, "连载") || strings.HasSuffix(before, "連載")
	}
	return false
}

// standsAlone tells whether "12集" is the label of an episode: nothing but tags stand
// around it, or the title of the episode behind. Else it counts, as in "40集特别版". A
// padded number counts nothing.
func standsAlone(before, after string, padded bool) bool {
	if !padded && !onlyTags(before) {
		return false
	}
	words, direct := wordsBehind(after)
	if words == "" || strings.HasPrefix(after, "/全") || strings.HasPrefix(after, "/共") {
		return true
	}
	if padded && (strings.HasPrefix(words, "完") || strings.HasPrefix(words, "终")) {
		return true
	}
	for _, word := range []string{"全", "共", "完", "更新", "更至", "连载", "連載", "持续", "已", "每", "未完", "加长", "完整", "典藏", "纪念", "精剪", "修复"} {
		if strings.HasPrefix(words, word) {
			return false
		}
	}
	return !direct || onlyTags(words) || strings.HasPrefix(words, "大结局") || strings.HasPrefix(words, "大結局") || behindPart(words) == "" ||
		text.IsVersion(words) || saysExtra(words)
}

// behindPart is words without the part of an episode that they start with.
func behindPart(words string) string {
	if first, _ := utf8.DecodeRuneInString(words); first != '上' && first != '中' && first != '下' {
		return words
	}
	for _, part := range []string{"上集", "下集", "上", "中", "下"} {
		if rest, ok := strings.CutPrefix(words, part); ok {
			return rest
		}
	}
	return words
}

// IsTag tells whether a label is nothing but tags: "正片", "HD国语", "1080P", "VIP".
func IsTag(label string) bool { return onlyLabelTags(nameText(label)) }

// onlyTags tells whether s holds nothing but words of quality or language.
func onlyTags(s string) bool {
	const front = "0"
	for name := front + " " + trimBefore(trimBehind(s)); ; {
		rest, ok := cutDecoration(sources.KindMovie, name)
		if rest == front {
			return true
		}
		if !ok {
			return false
		}
		name = rest
	}
}

// partsBefore tells whether what stands before a number makes it that of a part of
// something: "Part 1 of 2".
func partsBefore(before string, names titleNames) bool {
	return numbersOther(wordsBefore(before)) && !names.end(before)
}

// numbersOther tells whether word before a number says that it is that of something else
// than an episode.
func numbersOther(word string) bool { return isNumbered(word) || saysExtra(word) }

// isNumbered tells whether word is one for what has numbers of its own.
func isNumbered(word string) bool {
	lower := lower(word)
	switch lower {
	case "vol", "volume", "disc", "disk", "cd", "dvd", "bd", "part", "pt", "teil", "chapter", "kapitel", "track", "no", "v", "ver", "version",
		"ova", "oad", "ona", "sp", "special", "specials", "op", "ed", "ncop", "nced", "pv", "cm", "mv", "menu", "extra", "extras", "bonus", "trailer", "teaser",
		"preview", "promo", "movie", "film", "s", "x", "h":
		return true
	}
	for _, word := range []string{"线路", "線路", "播放", "备用", "備用", "节点", "资源", "資源", "版本", "卷", "部", "季", "章", "辑", "碟", "盘", "片段"} {
		if strings.HasSuffix(lower, word) {
			return true
		}
	}
	return false
}

// cutOff tells whether the number behind before is the end of a longer one.
func cutOff(before string) bool {
	n := len(before)
	return n >= 2 && strings.IndexByte("./-_:,~+&", before[n-1]) >= 0 && text.IsDigit(before[n-2])
}

// numberEnds tells whether rest, behind a number, is that of a release of an episode:
// nothing, a version, tags in brackets, or a title behind a dash.
func numberEnds(rest string) bool {
	p := parser{s: rest}
	if p.word("v") {
		if _, _, ok := p.digits(1); !ok {
			return false
		}
	}
	rest = p.rest()
	if rest == "" || strings.HasPrefix(rest, " - ") {
		return true
	}
	rest = strings.TrimLeft(rest, " ")
	if len(rest) > 1 && rest[0] == '(' && text.IsDigit(rest[1]) {
		inner, _, _ := strings.Cut(rest[1:], ")")
		if n := text.Number(inner); n >= 0 && !isPictureOrYear(n) {
			return false // two numbers, and nobody knows which
		}
	}
	if strings.HasPrefix(rest, "[") || strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, "【") {
		return true
	}
	return onlyLabelTags(rest)
}
