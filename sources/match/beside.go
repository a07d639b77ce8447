package match

import (
	"strings"
	"sync"
	"unicode/utf8"

	"xship/sources"
	"xship/sources/text"
)

// What stands beside a number tells whether it is that of an episode: these are the
// rules of the words around a mark.

// isBeside tells whether r may stand between a number and the words beside it.
func isBeside(r rune) bool {
	switch r {
	case ' ', '-', '_', ':', '|', '·', '.', ',', '~', '/', '、', '!', '【', '】', '[', ']', '(', ')', '《', '》', '「', '」', '『', '』', '〈', '〉':
		return true
	}
	return false
}

// wordsBefore is the run of letters and digits that ends before, whatever separates
// it from what follows.
func wordsBefore(before string) string {
	before = strings.TrimRightFunc(before, isBeside)
	if i := strings.LastIndexFunc(before, isBeside); i >= 0 {
		_, size := utf8.DecodeRuneInString(before[i:])
		return before[i+size:]
	}
	return before
}

// wordsBehind is the run of letters and digits that after starts with, whatever
// separates it from what stands before; direct tells that nothing does.
func wordsBehind(after string) (words string, direct bool) {
	trimmed := strings.TrimLeftFunc(after, isBeside)
	direct = len(trimmed) == len(after)
	if end := strings.IndexFunc(trimmed, isBeside); end >= 0 {
		return trimmed[:end], direct
	}
	return trimmed, direct
}

// isTotal tells whether the text around a number makes it a count of episodes
// or the news of one: "全12集", "12集全", "更新至12集".
func isTotal(before, after string) bool {
	if strings.HasPrefix(after, "全") || strings.HasPrefix(after, "(全)") || strings.HasPrefix(after, "更新") {
		return true
	}
	before = strings.TrimRight(before, " 第:")
	if before == "" || before[len(before)-1] < utf8.RuneSelf {
		return false
	}
	for _, word := range []string{"全", "共", "至", "到", "更新", "更", "连载", "連載", "前"} {
		if strings.HasSuffix(before, word) {
			return true
		}
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
	if words == "" {
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
		isVersion(words) || saysExtra(words)
}

// behindPart is words without the part of an episode that they start with.
func behindPart(words string) string {
	for _, part := range []string{"上集", "下集", "上", "中", "下"} {
		if rest, ok := strings.CutPrefix(words, part); ok {
			return rest
		}
	}
	return words
}

// IsTag tells whether a label is nothing but words of quality or language: "正片",
// "HD国语", "1080P".
func IsTag(label string) bool { return onlyTags(nameText(label)) }

// onlyTags tells whether s holds nothing but words of quality or language.
func onlyTags(s string) bool {
	const front = "0"
	for name := front + " " + strings.TrimFunc(s, isBeside); ; {
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
func partsBefore(before string) bool { return numbersOther(wordsBefore(before)) }

// numbersOther tells whether word is one that numbers something else than episodes.
func numbersOther(word string) bool {
	lower := strings.ToLower(word)
	switch lower {
	case "vol", "volume", "disc", "disk", "cd", "dvd", "bd", "part", "pt", "teil", "chapter", "kapitel", "track", "no", "v", "ver", "version",
		"ova", "oad", "ona", "sp", "special", "specials", "op", "ed", "ncop", "nced", "pv", "cm", "mv", "menu", "extra", "extras", "bonus", "trailer", "teaser",
		"preview", "promo", "movie", "film", "s", "x", "h":
		return true
	}
	for _, word := range []string{"线路", "線路", "播放", "备用", "備用", "节点", "版本", "卷", "部", "季", "章", "辑", "碟", "盘", "片段"} {
		if strings.HasSuffix(lower, word) {
			return true
		}
	}
	return saysExtra(lower)
}

// hanExtras are the words of what comes with a series but is none of its episodes,
// simplified.
const hanExtras = "预告 花絮 彩蛋 番外 纯享 直拍 加更 先导片 抢先看 幕后 特辑 特典 片花 解说 速看 看点 集锦 精华 精选 回顾 采访 专访 衍生 未播 超前企划 " +
	"训练室 陪看 小剧场 发布会 路演 见面会 揭秘 片头 片尾 主题曲 插曲 总集篇 特别篇 预热 直播 彩排 练习室 手记 日记 独家 会员版 盘点 剪辑 混剪 吐槽 " +
	"予告 特番 メイキング 예고 메이킹 前情提要 精彩片段 抢鲜看 陪你看 超前营业 特别企划 庆功宴 剧评"

// wholeExtras are words of extras that titles hold as well: they tell only where nothing
// else stands on their side of the mark, and behind it glued to it.
const wholeExtras = "sp special specials extra extras op ed mv bonus 剧场版 外传 前传 先导 片段 前情 单曲 歌曲 舞台 路透 访谈 演员访谈 采访 导读 解读 导演解读 编剧解读 " +
	"点评 影评 小视频 夜话 夜聊 悄悄话 拉片 尾巴 盛典 开播盛典 加料 外挂 多看 星探 星推官 音频 有声书"

// isLatinExtra tells whether word, in lower case, is one for extras.
func isLatinExtra(word string) bool {
	switch word {
	case "trailer", "teaser", "preview", "promo", "sample", "featurette", "bonus", "ncop", "nced", "creditless", "pv", "cm", "ova", "oad",
		"behind", "making", "reaction", "vlog", "plus", "cut":
		return true
	}
	return false
}

// extrasByRune are the words of hanExtras by the character that they start with.
var extrasByRune = sync.OnceValue(func() map[rune][]string {
	words := make(map[rune][]string)
	for word := range strings.FieldsSeq(hanExtras) {
		first, _ := utf8.DecodeRuneInString(word)
		words[first] = append(words[first], word)
	}
	return words
})

// findExtra finds the first of the words of extras in s, which is simplified, at
// s[start:end].
func findExtra(s string) (start, end int, ok bool) {
	prev := ' '
	for i, r := range s {
		switch {
		case r >= utf8.RuneSelf:
			for _, word := range extrasByRune()[r] {
				if strings.HasPrefix(s[i:], word) {
					return i, i + len(word), true
				}
			}
		case text.IsAlnum(byte(r)) && (prev >= utf8.RuneSelf || !text.IsAlnum(byte(prev))):
			if size := latinExtra(s[i:]); size > 0 {
				return i, i + size, true
			}
		}
		prev = r
	}
	return 0, 0, false
}

// latinExtra is the length of the English word for extras that s starts with, 0 for none.
func latinExtra(s string) int {
	var lower [len("creditless")]byte
	n := 0
	for ; n < len(s) && text.IsAlnum(s[n]); n++ {
		if n == len(lower) {
			return 0
		}
		lower[n] = lowerASCII(s[n])
	}
	if !isLatinExtra(string(lower[:n])) {
		return 0
	}
	return n
}

// saysExtra tells whether one of the words of extras is in s.
func saysExtra(s string) bool {
	_, _, ok := findExtra(text.Simplified(s))
	return ok
}

// isExtra tells whether the words right before or behind a mark make it that of an
// extra: "彩蛋第1期", "第1期纯享", "第1集(预告)". Words further away are those of a title:
// "第1期下:还有加更难度" is an episode.
func isExtra(before, after string) bool {
	if words := wordsBefore(before); words != "" && saysExtra(words) {
		return true
	}
	before = strings.TrimFunc(before, func(r rune) bool { return isBeside(r) || r < utf8.RuneSelf && text.IsDigit(byte(r)) })
	if isWholeExtra(before) || equalFoldASCII(before, "making of") {
		return true
	}
	words, direct := wordsBehind(after)
	if direct && isWholeExtra(words) || !direct && isLatinExtraBehind(words) {
		return true
	}
	if words == "" {
		return false
	}
	if rest := behindPart(words); direct && rest != words {
		if rest != "" {
			return saysExtra(rest)
		}
		words, direct = wordsBehind(after[len(words):])
	}
	if direct {
		return saysExtra(words)
	}
	return edgeExtra(words)
}

// isWholeExtra tells whether words are one of wholeExtras, perhaps as a kind of it: "外传篇".
func isWholeExtra(words string) bool {
	const longest = 24 // bytes
	if words == "" || len(words) > longest {
		return false
	}
	return wholeExtraSet()[trimExtraKind(text.Simplified(strings.ToLower(words)))]
}

// wholeExtraSet are the words of wholeExtras, without their kind.
var wholeExtraSet = sync.OnceValue(func() map[string]bool {
	words := make(map[string]bool)
	for word := range strings.FieldsSeq(wholeExtras) {
		words[trimExtraKind(word)] = true
	}
	return words
})

// isLatinExtraBehind tells whether word behind a mark is one for extras that before it
// would be of a title.
func isLatinExtraBehind(word string) bool {
	switch strings.ToLower(word) {
	case "extras", "vorschau", "avance", "deleted":
		return true
	}
	return false
}

func trimExtraKind(words string) string {
	for _, kind := range []string{"版", "篇", "片", "合集", "视频"} {
		words = strings.TrimSuffix(words, kind)
	}
	return words
}

// edgeExtra tells whether words start or end with one of the words of extras.
func edgeExtra(words string) bool {
	words = text.Simplified(words)
	if _, _, ok := findExtra(words); !ok {
		return false
	}
	words = trimExtraKind(words)
	for at := 0; ; {
		start, end, ok := findExtra(words[at:])
		if !ok {
			return false
		}
		if at+start == 0 || at+end == len(words) {
			return true
		}
		at += end
	}
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
	return onlyTags(rest)
}
