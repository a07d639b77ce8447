package match

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"xship/sources"
	"xship/sources/link"
	"xship/sources/text"
)

// EpisodeRange is the episode, or the run of episodes, that one link holds.
type EpisodeRange struct {
	Season int // -1 where the label does not say
	First  int
	Last   int // First for a single episode
}

// Contains tells whether episode is in the range.
func (r EpisodeRange) Contains(episode int) bool {
	return r.First <= episode && episode <= r.Last
}

// maxEpisodesInFile is the longest run that is taken for one file holding
// several episodes; anything longer is a pack, which plays from its start.
const maxEpisodesInFile = 3

// maxEpisodeLabel bounds the work on one label, in bytes.
const maxEpisodeLabel = 1024

// Episode tells whether label names the link for t within an item of the
// given season, -1 where the item does not say. It is never true for another
// episode:
//   - a movie matches every label but that of an episode, and its own name;
//   - a season on the label and one on the item must both be that of t; where
//     neither says, it is season 1;
//   - "S01E01-E02" matches each of its episodes, a pack (more than three) none.
func Episode(t sources.Title, label string, season int) bool {
	r, ok := ParseEpisode(label)
	if t.Kind == sources.KindMovie {
		return !ok || isName(t, label)
	}
	if !ok || !r.Contains(t.Episode) || r.Last-r.First >= maxEpisodesInFile {
		return false
	}
	if r.Season < 0 && season < 0 {
		return t.Season == 1
	}
	return (r.Season < 0 || r.Season == t.Season) && (season < 0 || season == t.Season)
}

// isName tells whether label is a name of t, such as "300 HEVC" of the film "300".
func isName(t sources.Title, label string) bool {
	keys := titleKeys(t)
	return keys.has(text.NormalizeName(label)) || keys.has(text.NormalizeName(trimLabel(nameText(label))))
}

// ParseEpisode reads the label of a link: "S01E02", "1x02", "第02集", "EP02",
// "Folge 2", "第二季第3集", "S01E01-E03", or nothing but a number: "02", "[02]",
// "02.mp4", "01-02". A bare number may have four digits but is no year and no
// picture height: 1001 is an episode, 1080 and 2024 are not.
func ParseEpisode(label string) (EpisodeRange, bool) {
	label = text.Clean(text.Compatible(norm.NFKC, cut(label, maxEpisodeLabel)))
	if r, _, _, ok := FindEpisode(label); ok {
		return r, true
	}
	return bareEpisode(label)
}

// cut shortens s to at most limit bytes, at a character's boundary.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// FindEpisode finds the first episode in name that is marked as one, like
// ParseEpisode without bare numbers. The mark is name[start:end]. It takes time
// linear in the length of name.
func FindEpisode(name string) (r EpisodeRange, start, end int, ok bool) {
	prev := rune(' ')
	for i, c := range name {
		if startsWord(prev, c) {
			if r, n := episodeAt(name[i:]); n > 0 && !isTotal(name[:i], name[i+n:]) {
				return r, i, i + n, true
			}
		}
		prev = c
	}
	return EpisodeRange{}, 0, 0, false
}

// startsWord tells whether a mark may start at c, which follows prev.
func startsWord(prev, c rune) bool {
	switch {
	case c == '第':
		return true
	case c >= utf8.RuneSelf || !text.IsAlnum(byte(c)):
		return false
	case text.IsWide(prev):
		return true
	default:
		return !unicode.IsLetter(prev) && !unicode.IsNumber(prev)
	}
}

// isTotal tells whether the text around a number makes it a count of episodes
// or the news of one: "全12集", "12集全", "更新至12集".
func isTotal(before, after string) bool {
	if strings.HasPrefix(after, "全") {
		return true
	}
	before = strings.TrimRight(before, " 第")
	for _, word := range []string{"全", "共", "至", "到", "更新"} {
		if strings.HasSuffix(before, word) {
			return true
		}
	}
	return false
}

// startsMark tells whether a mark may start with the byte c: with a number, with
// 第, or with one of the words for season and episode.
func startsMark(c byte) bool {
	switch c | 0x20 {
	case 's', 't', 'e', 'f':
		return true
	}
	return c >= utf8.RuneSelf || text.IsDigit(c)
}

// episodeAt reads the mark that s starts with; n is its length, 0 for none.
func episodeAt(s string) (r EpisodeRange, n int) {
	if s == "" || !startsMark(s[0]) {
		return EpisodeRange{}, 0
	}
	r.Season = -1
	p := parser{s: s}
	if season, ok := p.seasonMark(); ok {
		r.Season = season
		p.skip(" ._-,:")
	}
	if !p.episodes(&r) {
		p.i = 0
		r.Season = -1
		if !p.crossed(&r) {
			return EpisodeRange{}, 0
		}
	}
	return r, p.i
}

// parser reads marks from the front of s. Its methods consume what they accept
// and nothing where they refuse.
type parser struct {
	s string
	i int
}

// maxGap is how many separators may stand between the parts of a mark.
const maxGap = 3

func (p *parser) skip(separators string) {
	for range maxGap {
		if p.i == len(p.s) || strings.IndexByte(separators, p.s[p.i]) < 0 {
			return
		}
		p.i++
	}
}

// word accepts one of the words, which are lower-case ASCII, longest first.
func (p *parser) word(words ...string) bool {
	for _, w := range words {
		if len(p.s)-p.i >= len(w) && equalFoldASCII(p.s[p.i:p.i+len(w)], w) {
			p.i += len(w)
			return true
		}
	}
	return false
}

// rune accepts one of the runes.
func (p *parser) rune(runes string) bool {
	r, size := utf8.DecodeRuneInString(p.s[p.i:])
	if size == 0 || r == utf8.RuneError || !strings.ContainsRune(runes, r) {
		return false
	}
	p.i += size
	return true
}

// digits accepts a number of at most most digits that no further digit follows.
func (p *parser) digits(most int) (n, width int, ok bool) {
	for i := p.i; i < len(p.s) && text.IsDigit(p.s[i]); i++ {
		if width++; width > most {
			return 0, 0, false
		}
		n = n*10 + int(p.s[i]-'0')
	}
	p.i += width
	return n, width, width > 0
}

// counting accepts digits or a Chinese numeral.
func (p *parser) counting() (int, bool) {
	if n, _, ok := p.digits(4); ok {
		return n, true
	}
	n, size := chineseNumber(p.s[p.i:])
	p.i += size
	return n, size > 0
}

// atEnd tells whether the mark ends here: no letter or digit follows, apart
// from a version ("v2") and scripts without spaces.
func (p *parser) atEnd() bool {
	rest := p.s[p.i:]
	if len(rest) >= 2 && rest[0]|0x20 == 'v' && text.IsDigit(rest[1]) {
		v := parser{s: rest, i: 1}
		_, _, ok := v.digits(2)
		return ok && v.atEnd()
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || text.IsWide(r) || !unicode.IsLetter(r) && !unicode.IsNumber(r)
}

// seasonMark accepts "S01", "Season 1", "Staffel 1", "第一季"; what follows is
// for the caller to look at.
func (p *parser) seasonMark() (int, bool) {
	start := p.i
	if p.rune("第") {
		p.skip(" ")
		if n, ok := p.counting(); ok {
			p.skip(" ")
			if p.rune("季") {
				return n, true
			}
		}
	} else if p.word(text.SeasonWords()...) {
		p.skip(" ._-")
		if n, _, ok := p.digits(4); ok {
			return n, true
		}
	} else if p.word("s") {
		if n, _, ok := p.digits(4); ok {
			return n, true
		}
	}
	p.i = start
	return 0, false
}

// episodes accepts "E02", "EP 2", "Episode 2", "Folge 2", "第2集" and runs of
// them, and "2集".
func (p *parser) episodes(r *EpisodeRange) bool {
	start := p.i
	if p.eastern(r) {
		return true
	}
	p.i = start
	if n, width, ok := p.episodeNumber(); ok {
		r.First, r.Last = n, n
		p.tail(r, width)
		if p.atEnd() && r.First <= r.Last {
			return true
		}
	}
	p.i = start
	return false
}

// episodeNumber accepts one western episode mark. Only words may be parted
// from their number.
func (p *parser) episodeNumber() (n, width int, ok bool) {
	start := p.i
	switch {
	case p.word("episode", "episodio", "folge", "ep"):
		p.skip(" ._#")
	case p.word("e"):
	default:
		return 0, 0, false
	}
	if n, width, ok = p.digits(4); !ok {
		p.i = start
	}
	return n, width, ok
}

// maxTail is how many further episodes a mark may list.
const maxTail = 32

// tail extends r by what follows its first number: "E02", "-E03", "-03",
// "-S01E03", "-1x03".
func (p *parser) tail(r *EpisodeRange, width int) {
	for range maxTail {
		start := p.i
		p.skip(" ")
		dash := p.rune("-–~")
		if dash {
			p.skip(" ")
			if season, ok := p.seasonMark(); ok && season != r.Season {
				p.i = start
				return
			}
		} else {
			p.i = start
		}
		n, _, ok := p.episodeNumber()
		if !ok && dash && p.i == start+1 {
			n, ok = p.bareTail(r, width)
		}
		if !ok || n < r.Last || !p.tailEnd() {
			p.i = start
			return
		}
		r.Last = n
	}
}

// tailEnd tells whether the mark ends here or goes on with a further episode.
func (p *parser) tailEnd() bool {
	return p.atEnd() || p.i < len(p.s) && p.s[p.i]|0x20 == 'e'
}

// bareTail accepts "03" or "1x03" behind a dash. It is as wide as the first
// number, so that neither a picture height nor a year is taken for it.
func (p *parser) bareTail(r *EpisodeRange, width int) (int, bool) {
	start := p.i
	n, w, ok := p.digits(4)
	if ok && n == r.Season && p.word("x") {
		n, w, ok = p.digits(4)
	}
	if !ok || w != width || w < 2 || isPictureOrYear(n) {
		p.i = start
		return 0, false
	}
	return n, true
}

// crossed accepts "1x02" and runs of it.
func (p *parser) crossed(r *EpisodeRange) bool {
	start := p.i
	season, _, ok := p.digits(2)
	if ok && p.word("x") {
		if n, width, ok := p.digits(3); ok && width >= 2 && n != 264 && n != 265 {
			*r = EpisodeRange{Season: season, First: n, Last: n}
			p.tail(r, width)
			if p.atEnd() {
				return true
			}
		}
	}
	p.i = start
	return false
}

// eastern accepts "第01集", "第1-2集", "第1集-第2集", "第二集" and "01集".
func (p *parser) eastern(r *EpisodeRange) bool {
	marked := p.rune("第")
	p.skip(" ")
	n, ok := p.easternNumber(marked)
	if !ok {
		return false
	}
	r.First, r.Last = n, n
	if marked {
		p.skip(" ")
	}
	closed := p.rune("集话話回期")
	before := p.i
	p.skip(" ")
	if p.rune("-–~至到") {
		p.skip(" ")
		p.rune("第")
		if n, ok := p.easternNumber(marked); ok && p.rune("集话話回期") {
			r.Last = n
			return r.First <= r.Last
		}
	}
	p.i = before
	return closed
}

// easternNumber accepts a number; without 第 only digits count, because 一集 is
// also a plain word.
func (p *parser) easternNumber(marked bool) (int, bool) {
	if marked {
		return p.counting()
	}
	n, _, ok := p.digits(4)
	return n, ok
}

// bareEpisode reads a label that is nothing but a number.
func bareEpisode(label string) (EpisodeRange, bool) {
	none := EpisodeRange{}
	p := parser{s: trimLabel(label)}
	first, width, ok := p.digits(4)
	if !ok || isPictureOrYear(first) {
		return none, false
	}
	r := EpisodeRange{Season: -1, First: first, Last: first}
	if p.i < len(p.s) && (p.s[p.i] == '-' || p.s[p.i] == '~') {
		p.i++
		last, w, ok := p.digits(4)
		if !ok || w < width || last < first || isPictureOrYear(last) {
			return none, false
		}
		r.Last = last
	}
	if !p.atEnd() {
		return none, false
	}
	if rest := strings.TrimSpace(p.s[p.i:]); rest != "" && !isVersion(rest) {
		return none, false
	}
	return r, true
}

func isVersion(s string) bool {
	return len(s) == 2 && s[0]|0x20 == 'v' && text.IsDigit(s[1])
}

// trimLabel takes off what surrounds a number without changing its meaning: a
// file extension, brackets, "#", words of quality and language, the word for
// the last episode.
func trimLabel(label string) string {
	label = link.TrimExtension(label)
	for {
		before := label
		label = strings.Trim(label, " ._#[]()【】「」《》")
		for _, word := range []string{"大结局", "完结", "完", "end", "final"} {
			if n := len(label) - len(word); n > 0 && equalFoldASCII(label[n:], word) {
				label = label[:n]
				break
			}
		}
		label, _ = cutTag(label)
		if label == before {
			return label
		}
	}
}

// isPictureOrYear tells whether a bare n is the height of a picture or a year
// rather than an episode.
func isPictureOrYear(n int) bool {
	switch n {
	case 480, 540, 576, 720, 1080, 1440, 2160, 4320:
		return true
	}
	return n >= 1900 && n <= sources.MaxYear
}

// chineseNumber reads the Chinese numeral below ten thousand that s starts
// with, written with units (二十一) or digit by digit (二一).
func chineseNumber(s string) (n, size int) {
	const longest = len("九千九百九十九")
	digit, units := 0, false
	for size < len(s) && size < longest {
		r, w := utf8.DecodeRuneInString(s[size:])
		unit := 0
		switch r {
		case '十':
			unit = 10
		case '百':
			unit = 100
		case '千':
			unit = 1000
		}
		d := chineseDigit(r)
		switch {
		case unit > 0:
			n, digit, units = n+max(digit, 1)*unit, 0, true
		case d < 0:
			return n + digit, size
		case units:
			digit = d
		default:
			digit = digit*10 + d
		}
		size += w
	}
	return n + digit, size
}

func chineseDigit(r rune) int {
	switch r {
	case '零', '〇':
		return 0
	case '一':
		return 1
	case '二', '两':
		return 2
	case '三':
		return 3
	case '四':
		return 4
	case '五':
		return 5
	case '六':
		return 6
	case '七':
		return 7
	case '八':
		return 8
	case '九':
		return 9
	}
	return -1
}

// equalFoldASCII compares s with the lower-case word, ignoring the case of
// ASCII letters.
func equalFoldASCII(s, lower string) bool {
	if len(s) != len(lower) {
		return false
	}
	for i := range len(s) {
		if lowerASCII(s[i]) != lower[i] {
			return false
		}
	}
	return true
}
