package match

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"xship/sources/link"
	"xship/sources/text"
)

// Extras come with a series but are none of its episodes: trailers, what was cut out,
// talk about it. These are the rules of the words that tell them.

// extraRule says where a word tells of an extra.
type extraRule int

const (
	// extraAnywhere tells wherever it stands beside a mark: a Chinese, Japanese or
	// Korean word in a run of characters, any other as a word of its own.
	extraAnywhere extraRule = iota
	// extraAlone is a word of titles too. Behind a mark it tells where nothing else
	// follows: "S01E01 Cut", but not "S01E01 Cut and Run".
	extraAlone
	// extraBehind is one that before a mark is of a title: "Extras S01E01".
	extraBehind
	// extraWhole is one that tells only where nothing else stands on its side of the
	// mark, and behind it glued to it.
	extraWhole
)

// extraWords are the words of extras by their rule, simplified and in lower case.
var extraWords = map[extraRule]string{
	extraAnywhere: "预告 花絮 彩蛋 番外 纯享 直拍 加更 先导片 前导片 抢先看 先行版 先行片 幕后 特辑 特典 片花 解说 速看 看点 集锦 精华 精选 回顾 采访 专访 衍生 未播 试看 超前企划 宣传片 概念片 " +
		"训练室 陪看 小剧场 发布会 路演 见面会 揭秘 片头 片尾 主题曲 插曲 总集篇 总集编 総集篇 総集編 特别篇 特别编 特别节目 预热 直播 彩排 练习室 手记 日记 独家 会员版 vip版 svip版 尊享 专享 畅享 悦享 " +
		"盘点 剪辑 混剪 吐槽 名场面 侧拍 复盘 前情提要 精彩片段 抢鲜看 陪你看 超前营业 特别企划 庆功宴 剧评 有声书 有声小说 导演解读 编剧解读 演员访谈 " +
		"予告 特番 メイキング ダイジェスト おまけ 见どころ 振り返り ノンクレジット ミニアニメ 예고 메이킹 하이라이트 비하인드 티저 선공개 미리보기 ตัวอย่าง เบื้องหลัง " +
		"分钟看完 分钟看 删减片段 音乐mv " +
		"trailer trailers tráiler teaser teasers preview previews promo promos sample featurette featurettes bonus bonusmaterial ncop nced creditless pv cm ova oad vlog recap recaps bloopers outtakes aftershow audiobook " +
		"vorschau rückblick annonce aperçu avance adelanto anteprima prévia bastidores coulisses zwiastun zapowiedź fragman anticipazioni anticipazione трейлер тизер анонс превью промо",
	extraAlone: "ng behind making reaction plus cut interview interviews highlights clip clips summary review commentary soundtrack ost extrait extraits résumé resumen resumo riassunto özet " +
		"zusammenfassung ausschnitt ausschnitte дайджест интервью",
	extraBehind: "extras deleted",
	extraWhole: "inside sp special specials extra extras op ed mv bonus 剧场版 外传 前传 先导 片段 前情 单曲 歌曲 舞台 路透 访谈 导读 解读 " +
		"点评 影评 小视频 夜话 夜聊 悄悄话 拉片 尾巴 盛典 开播盛典 加料 外挂 多看 星探 星推官 音频",
}

// extraPhrases are extras of several words, parted by whatever parts words.
var extraPhrases = [][]string{
	{"making", "of"},
	{"behind", "the", "scenes"},
	{"deleted", "scenes"},
	{"deleted", "scene"},
	{"cut", "scenes"},
	{"cut", "scene"},
	{"sneak", "peek"},
	{"first", "look"},
	{"gag", "reel"},
	{"after", "show"},
	{"inside", "the", "episode"},
	{"previously", "on"},
	{"tv", "spot"},
	{"spot", "tv"},
	{"ön", "izleme"},
	{"ön", "İzleme"},
	{"kamera", "arkası"},
	{"kamera", "arkasi"},
	{"hậu", "trường"},
	{"bande", "annonce"},
	{"scènes", "coupées"},
	{"hinter", "den", "kulissen"},
	{"entfallene", "szenen"},
	{"geschnittene", "szenen"},
	{"dietro", "le", "quinte"},
	{"detrás", "de", "cámaras"},
	{"escenas", "eliminadas"},
	{"cenas", "deletadas"},
	{"за", "кадром"},
}

// extraTable finds the words of extras.
type extraTable struct {
	anywhere map[rune][]extraWord // by the character that they start with
	whole    map[string]bool      // those of extraWhole, without their kind
	starts   startSet             // how those start, and phrases
	wholes   startSet             // how those of extraWhole start
	ends     startSet             // how the last words of phrases start
}

type extraWord struct {
	text string
	rule extraRule
}

// startSet tells of most words by their first two characters that they are not in it,
// whatever their case and script: it has a bit for each number of pairOf.
type startSet [pairs / 64]uint64

// pairs is how many numbers two characters have; several pairs share one.
const pairs = 8192

func (s *startSet) add(word string) {
	first, size := utf8.DecodeRuneInString(word)
	second, _ := utf8.DecodeRuneInString(word[size:])
	for _, a := range text.SimplifiedFrom(first) {
		for _, b := range text.SimplifiedFrom(second) {
			at := pairOf(a, b)
			s[at/64] |= 1 << (at % 64)
		}
	}
}

// has tells whether a word may start as s does.
func (s *startSet) has(word string) bool {
	first, size := utf8.DecodeRuneInString(word)
	second, _ := utf8.DecodeRuneInString(word[size:])
	return s.hasPair(first, second)
}

func (s *startSet) hasPair(a, b rune) bool {
	at := pairOf(a, b)
	return s[at/64]&(1<<(at%64)) != 0
}

// pairOf numbers two characters, letters whatever their case.
func pairOf(a, b rune) uint32 {
	return (uint32(lowerRune(a))*61 + uint32(lowerRune(b))) % pairs
}

var extras = sync.OnceValue(func() *extraTable {
	t := &extraTable{anywhere: make(map[rune][]extraWord), whole: make(map[string]bool)}
	for rule, words := range extraWords {
		for word := range strings.FieldsSeq(text.Simplified(words)) {
			if first, _ := utf8.DecodeRuneInString(word); rule == extraWhole {
				t.wholes.add(word)
				t.whole[trimExtraKind(word)] = true
			} else {
				t.starts.add(word)
				t.anywhere[first] = append(t.anywhere[first], extraWord{word, rule})
			}
		}
	}
	for _, phrase := range extraPhrases {
		t.starts.add(phrase[0])
		t.ends.add(phrase[len(phrase)-1])
	}
	return t
})

// may tells whether a word of extras may be in s: a quick look, which is wrong at times.
func (t *extraTable) may(s string) bool {
	inside, prev := false, ' ' // inside a word that signs part from others
	for _, r := range s {
		spelled := isSpelled(prev)
		if (prev >= firstWide || spelled && !inside) && t.starts.hasPair(prev, r) {
			return true
		}
		inside, prev = spelled, r
	}
	return false
}

// firstWide is where the scripts of text.IsWide start.
const firstWide = 0x1100

// find finds the first of the words of extras in s, which is simplified, at
// s[start:end].
func (t *extraTable) find(s string) (start, end int, rule extraRule, ok bool) {
	prev := ' '
	for i, r := range s {
		before := prev
		prev = r
		if !text.IsWide(r) && isSpelled(before) {
			continue
		}
		for _, word := range t.anywhere[lowerRune(r)] {
			if n := len(word.text); len(s)-i >= n && strings.EqualFold(s[i:i+n], word.text) && endsWord(s[i+n:], word.text) {
				return i, i + n, word.rule, true
			}
		}
	}
	return 0, 0, 0, false
}

// isSpelled tells whether r is a letter or digit of a script that parts its words.
func isSpelled(r rune) bool {
	if r < utf8.RuneSelf {
		return text.IsAlnum(byte(r))
	}
	return !text.IsWide(r) && (unicode.IsLetter(r) || unicode.IsNumber(r))
}

// endsWord tells whether word, which rest follows, goes no further.
func endsWord(rest, word string) bool {
	next, _ := utf8.DecodeRuneInString(rest)
	if rest == "" || !isSpelled(next) {
		return true
	}
	last, _ := utf8.DecodeLastRuneInString(word)
	return text.IsWide(last)
}

func lowerRune(r rune) rune {
	switch {
	case r < utf8.RuneSelf:
		return rune(lowerASCII(byte(r)))
	case r >= firstWide:
		return r
	}
	return unicode.ToLower(r)
}

// isIn tells whether one of the words of extras, of whatever rule, is in s.
func (t *extraTable) isIn(s string) bool {
	if !t.may(s) {
		return false
	}
	_, _, _, ok := t.find(text.Simplified(s))
	return ok
}

// saysExtra tells whether one of the words of extras is in s, which stands before a
// number.
func saysExtra(s string) bool {
	t := extras()
	if !t.may(s) {
		return false
	}
	s = text.Simplified(s)
	for {
		_, end, rule, ok := t.find(s)
		if !ok || rule != extraBehind {
			return ok
		}
		s = s[end:]
	}
}

// isWholeExtra tells whether words are one of extraWhole, perhaps as a kind of it:
// "外传篇".
func isWholeExtra(words string) bool {
	const longest = 24 // bytes
	t := extras()
	if words == "" || len(words) > longest || !t.wholes.has(words) {
		return false
	}
	var lower [longest]byte
	for i := range len(words) {
		lower[i] = lowerASCII(words[i])
	}
	if text.IsASCII(words) {
		return t.whole[string(lower[:len(words)])]
	}
	return t.whole[trimExtraKind(text.Simplified(string(lower[:len(words)])))]
}

func trimExtraKind(words string) string {
	last, _ := utf8.DecodeLastRuneInString(words)
	if !strings.ContainsRune("版篇片集频", last) {
		return words
	}
	for _, kind := range []string{"版", "篇", "片", "合集", "视频"} {
		words = strings.TrimSuffix(words, kind)
	}
	return words
}

// isExtra tells whether the words right before or behind a mark make it that of an
// extra: "彩蛋第1期", "第1期纯享", "第1集(预告)". Words further away are those of a title:
// "第1期下:还有加更难度" is an episode. So are the words that names tells to be of the title
// of the series.
func isExtra(before, after string, names titleNames) bool {
	return extraBefore(before) && !names.end(before) || saysExtraBehind(after) && saysExtraBehind(names.cutStart(after))
}

// extraBefore tells whether what stands before a mark is an extra: its last word, all
// of it, or the bracket that it starts with, "[预告]某剧第3集".
func extraBefore(before string) bool {
	if before == "" {
		return false
	}
	words := wordsBefore(before)
	for joinsExtra(words) {
		before = trimBehind(before)
		before = before[:len(before)-len(words)]
		words = wordsBefore(before)
	}
	if words != "" && (saysExtra(words) || extras().ends.has(words) && endsInPhrase(before, words)) || startsAsExtra(before) {
		return true
	}
	const longest = 48 // bytes
	return len(before) < longest && isWholeExtra(trimDigits(before))
}

// joinsExtra tells whether word may stand between an extra and the mark of the episode
// that it is of: "Reaction to Episode 5", "Avance del capítulo 5".
func joinsExtra(word string) bool {
	const longest = len("from")
	if word == "" || len(word) > longest {
		return false
	}
	switch lower(word) {
	case "of", "from", "for", "to", "the", "de", "del", "do", "da", "di", "du", "zu", "zur", "aus", "van", "uit", "till":
		return true
	}
	return false
}

// trimDigits is s without what may stand beside a number, and numbers, at its ends.
func trimDigits(s string) string {
	first, _ := utf8.DecodeRuneInString(s)
	last, _ := utf8.DecodeLastRuneInString(s)
	if !isBesideOrDigit(first) && !isBesideOrDigit(last) {
		return s
	}
	return strings.TrimFunc(s, isBesideOrDigit)
}

func isBesideOrDigit(r rune) bool { return isBeside(r) || r < utf8.RuneSelf && text.IsDigit(byte(r)) }

// startsAsExtra tells whether the words before a mark start with an extra in brackets or
// before a colon: "【预告】某剧第3集", "Trailer: Show S01E01".
func startsAsExtra(before string) bool {
	const longest = 32 // bytes
	end := -1
	if open, size := utf8.DecodeRuneInString(before); open == '[' || open == '【' || open == '(' {
		end = strings.Index(before, closing(before))
		before, end = before[size:], end-size
	} else if extras().starts.has(before) {
		end = strings.IndexByte(cut(before, longest), ':')
	}
	return end > 0 && allExtra(strings.Trim(before[:end], " "))
}

// allExtra tells whether words are nothing but words of extras.
func allExtra(words string) bool {
	if isWholeExtra(words) {
		return true
	}
	t := extras()
	if !t.may(words) {
		return false
	}
	words = text.Simplified(words)
	for at := 0; ; {
		start, end, rule, ok := t.find(words[at:])
		if !ok || start > 0 || rule == extraBehind {
			return false
		}
		if at += end; at >= len(trimExtraKind(words)) {
			return true
		}
	}
}

// lower is strings.ToLower, which is slow to find that nothing is to be done.
func lower(s string) string {
	if text.IsASCII(s) {
		for i := range len(s) {
			if lowerASCII(s[i]) != s[i] {
				return strings.ToLower(s)
			}
		}
		return s
	}
	return strings.ToLower(s)
}

// saysExtraBehind tells whether what stands behind a mark makes it that of an extra.
func saysExtraBehind(after string) bool {
	words, direct := wordsBehind(after)
	if words == "" {
		return false
	}
	if !direct {
		return extraApart(after)
	}
	switch rest := behindPart(words); rest {
	case words:
		return isWholeExtra(words) || saysExtra(words)
	case "":
		return saysExtraBehind(after[len(words):])
	default:
		return saysExtra(rest)
	}
}

// extraApart tells whether the words that after starts with, apart from the mark before
// it, are those of an extra rather than of the title of an episode. Tags may stand
// before them.
func extraApart(after string) bool {
	for t := extras(); ; {
		after = trimBefore(after)
		if after == "" || !t.may(after) {
			return false
		}
		words, _ := wordsBehind(after)
		if t.tellsFirst(words, after) {
			return true
		}
		if after = after[len(words):]; !isTagWord(words) {
			return endsInTrailer(after)
		}
	}
}

// tellsFirst tells whether words, which after starts with, are those of an extra.
func (t *extraTable) tellsFirst(words, after string) bool {
	if first, _ := utf8.DecodeRuneInString(words); !text.IsWide(first) {
		if startsWithPhrase(after) {
			return true
		}
		start, end, rule, ok := t.find(words)
		switch {
		case !ok:
			return false
		case rule == extraAlone && start == 0 && end == len(words):
			return onlyTagWords(after[end:])
		}
	}
	return edgeExtra(words)
}

// endsInTrailer tells whether the last word of what stands behind a mark, but for tags,
// is one of trailers: "S01E01 Official Trailer", "第1集 重逢 预告".
func endsInTrailer(after string) bool {
	for after = trimBehind(link.TrimExtension(after)); after != ""; {
		word := wordsBefore(after)
		tags := text.TagsOf(text.Simplified(lower(word)))
		switch {
		case len(tags) > 0 && tags[0].Kind == text.TagTrailer, slices.Contains(trailers, lower(word)):
			return true
		case !isTagWord(word):
			return false
		}
		after = trimBehind(after[:len(after)-len(word)])
	}
	return false
}

// trailers are further words that end a label as those of text.TrailerWords do, while
// others may end the title of an episode.
var trailers = []string{"trailers", "teasers", "preview", "previews", "promo", "promos", "featurette", "recap", "bloopers", "vorschau", "трейлер", "тизер"}

// isTagWord tells whether word is a tag or a number.
func isTagWord(word string) bool {
	word = lower(word)
	if text.Number(word) >= 0 || len(text.TagsOf(text.Simplified(word))) > 0 {
		return true
	}
	_, height := text.PictureSize(word)
	return height > 0
}

// onlyTagWords tells whether nothing but tags, numbers and the name of a file follow.
func onlyTagWords(rest string) bool {
	for word := range strings.FieldsFuncSeq(link.TrimExtension(rest), isBeside) {
		if isTagWord(word) {
			continue
		}
		if _, _, _, ok := extras().find(word); !ok {
			return false
		}
	}
	return true
}

// startsWithPhrase tells whether s starts with an extra of several words.
func startsWithPhrase(s string) bool {
	return slices.ContainsFunc(extraPhrases, func(phrase []string) bool {
		rest := s
		for _, word := range phrase {
			words, _ := wordsBehind(rest)
			if !strings.EqualFold(words, word) {
				return false
			}
			rest = trimBefore(rest)[len(words):]
		}
		return true
	})
}

// endsInPhrase tells whether s, the last word of which is last, ends in an extra of
// several words.
func endsInPhrase(s, last string) bool {
	return slices.ContainsFunc(extraPhrases, func(phrase []string) bool {
		if end := phrase[len(phrase)-1]; len(end) != len(last) || !strings.EqualFold(last, end) {
			return false
		}
		rest := s
		for _, word := range slices.Backward(phrase) {
			rest = trimBehind(rest)
			words := wordsBefore(rest)
			if !strings.EqualFold(words, word) {
				return false
			}
			rest = rest[:len(rest)-len(words)]
		}
		return true
	})
}

// edgeExtra tells whether words start or end with one of the words of extras.
func edgeExtra(words string) bool {
	t := extras()
	if !t.may(words) {
		return false
	}
	words = text.Simplified(words)
	for at, kind := 0, 0; ; {
		start, end, _, ok := t.find(words[at:])
		if !ok {
			return false
		}
		if kind == 0 {
			kind = len(trimExtraKind(words))
		}
		if at+start == 0 || at+end >= kind {
			return true
		}
		at += end
	}
}

// titleNames are the names that the words before a mark may be of.
type titleNames struct {
	lists [][]string
	any   bool // whatever they are, they are a title, for the caller to compare
}

// end tells whether before ends in one of the names, perhaps with a season behind it.
func (names titleNames) end(before string) bool {
	if names.any {
		return true
	}
	before = strings.TrimRight(trimBehind(before), "#")
	for _, list := range names.lists {
		for _, name := range list {
			if endsInName(before, name) {
				return true
			}
			if base, _, ok := SplitSeason(before); ok && endsInName(base, name) {
				return true
			}
		}
	}
	return false
}

// withSpaces writes s with spaces where files have other signs.
func withSpaces(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '.' || r == '_' {
			return ' '
		}
		return r
	}, s)
}

// hasExtraInBrackets tells whether s has an extra in brackets behind something.
func hasExtraInBrackets(s string) bool {
	const openers, closers = "([{【〔", ")]}】〕"
	for start := 0; ; {
		open := strings.IndexAny(s[start:], openers)
		if open < 0 {
			return false
		}
		open += start
		_, size := utf8.DecodeRuneInString(s[open:])
		start = open + size
		inner := s[start:]
		if end := strings.IndexAny(inner, closers); end >= 0 {
			inner = inner[:end]
		}
		if open > 0 && (isWholeExtra(inner) || extras().isIn(inner) || startsWithPhrase(inner)) {
			return true
		}
	}
}

// cutStart is after without the name that it may start with: "第3集 独家记忆".
func (names titleNames) cutStart(after string) string {
	words := trimBehind(trimBefore(after))
	first, _ := utf8.DecodeRuneInString(words)
	for _, list := range names.lists {
		for _, name := range list {
			if start, _ := utf8.DecodeRuneInString(name); lowerRune(start) != lowerRune(first) {
				continue
			}
			if strings.EqualFold(words, nameText(name)) {
				return ""
			}
			if rest, ok := behindName(words, name); ok {
				return rest
			}
		}
	}
	return after
}

// endsInName tells whether s ends in name as a word of its own.
func endsInName(s, name string) bool {
	name = withSpaces(nameText(name))
	rest, ok := cutFold(withSpaces(s), name)
	if !ok || name == "" {
		return false
	}
	first, _ := utf8.DecodeRuneInString(name)
	last, _ := utf8.DecodeLastRuneInString(rest)
	return rest == "" || !unicode.IsLetter(last) && !unicode.IsNumber(last) || text.IsWide(first) != text.IsWide(last)
}
