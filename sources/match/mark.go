package match

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"xship/sources/text"
)

// findMark finds the first mark of an episode in name, which is name[start:end]. The
// kind is LabelIrregular where the name is that of a series, but of no regular
// episode. One of names may stand before the mark.
func findMark(name string, names titleNames) (r EpisodeRange, start, end int, kind LabelKind) {
	prev, skip, ascii := ' ', 0, text.IsASCII(name)
	for i, c := range name {
		if i < skip || !startsWord(prev, c) {
			prev = c
			continue
		}
		prev = c
		if c <= '9' {
			if n := dateLen(name[i:]); n > 0 {
				if isIssue(name[i+n:]) {
					kind = LabelIrregular
				}
				skip = i + n
				continue
			}
		}
		m := markAt(name, i, ascii, names)
		if m.kind == LabelPlain {
			continue
		}
		if !m.count {
			return m.r, i, i + m.size, m.kind
		}
		kind, skip = m.kind, i+m.size
	}
	return EpisodeRange{}, 0, 0, kind
}

// mark is what stands at a place of a name.
type mark struct {
	r     EpisodeRange
	size  int
	kind  LabelKind
	count bool // it is a count or a date, so that a mark may still follow
}

// markAt reads the mark that starts at name[i]; ascii where all of name is.
func markAt(name string, i int, ascii bool, names titleNames) mark {
	s := name[i:]
	if !startsMark(s) {
		return mark{}
	}
	p := parser{s: s, ascii: ascii}
	r := EpisodeRange{Season: -1}
	if !p.mark(&r) {
		if p.odd {
			return mark{size: p.i, kind: LabelIrregular, count: p.form == formIssue}
		}
		return mark{}
	}
	before, after := beside(name, i, i+p.i)
	if p.form == formNumbered && numbersNext(before, after) {
		return mark{}
	}
	m := mark{r: r, size: p.i, kind: LabelEpisode}
	if p.form == formBareCount {
		switch {
		case cutOff(before):
			return mark{}
		case seriesByIssue(s[:p.i], after), !standsAlone(behindSpelled(before), after, s[0] == '0'):
			m.kind, m.count = LabelIrregular, true
			return m
		}
	}
	if p.form == formOf && partsBefore(before, names) {
		return mark{}
	}
	if isTotal(before, after, names) {
		m.kind, m.count = LabelIrregular, true
		return m
	}
	if strings.HasPrefix(after, "半") || decimalFollows(after) || isExtra(before, after, names) {
		m.kind = LabelIrregular
	}
	switch {
	case before == "":
	case m.r.Season < 0:
		m.addSeason(before)
	case m.endsSeasons(before):
		m.kind = LabelIrregular
	}
	if after != "" && m.r.Season < 0 && m.kind == LabelEpisode {
		m.addSeasonBehind(after)
	}
	return m
}

// maxBeside is how much of a name is looked at on either side of a mark, in bytes:
// without a bound a name of many marks would take time by the square of its length.
const maxBeside = 96

// beside is what stands before and behind name[start:end].
func beside(name string, start, end int) (before, after string) {
	from := max(0, start-maxBeside)
	for from > 0 && !utf8.RuneStart(name[from]) {
		from--
	}
	return name[from:start], cut(name[end:], maxBeside)
}

// addSeason takes the season from what stands before the mark. One that is named but
// cannot be read makes the mark that of no season.
func (m *mark) addSeason(before string) {
	if season, _, ok := spelledSeason(before); ok {
		m.r.Season = season
		return
	}
	if !seasonWordIn(before) {
		if before = trimBehind(before); mayEndInSeasons(before) {
			if _, _, _, several := cutSeasons(before); several {
				m.kind = LabelIrregular // "Seasons 1-3 E05"
			}
		}
		return
	}
	if _, season, ok := SplitSeason(before); ok {
		m.r.Season = season
		return
	}
	if m.kind == LabelEpisode {
		m.kind = LabelIrregular
	}
}

// addSeasonBehind takes the season from what the words behind the mark start with:
// "Episode 5 Season 2", "5 серия 2 сезон". One that words go on from makes the mark that of
// no season.
func (m *mark) addSeasonBehind(after string) {
	p := parser{s: strings.TrimLeft(after, " ,-/([【")}
	if p.s == "" || len(p.s) == len(after) && after[0] < utf8.RuneSelf {
		return
	}
	season, ok := p.seasonMark()
	if !ok && spelledStarts[p.s[0]] {
		season, ok = p.spelledSeason()
	}
	if !ok {
		return
	}
	if next, _ := utf8.DecodeRuneInString(p.rest()); unicode.IsLetter(next) || unicode.IsNumber(next) {
		m.kind = LabelIrregular
		return
	}
	m.r.Season = season
}

// endsSeasons tells whether the season of the mark is but the last of several, which
// start in before: "S01-S03 E05".
func (m *mark) endsSeasons(before string) bool {
	rest := strings.TrimRight(before, " ")
	joint, size := utf8.DecodeLastRuneInString(rest)
	switch joint {
	case '-', '~', '–', '&', '+', ',', '、', '至', '到':
		_, season, ok := cutSeason(strings.TrimRight(rest[:len(rest)-size], " "))
		return ok && season != m.r.Season
	}
	return false
}

// foreignSeasons are words for a season whose numbers are not read.
var foreignSeasons = []string{"сезон", "시즌", "シーズン", "phần"}

// seasonWordIn tells whether s speaks of a season.
func seasonWordIn(s string) bool {
	prev := ' '
	for i, r := range s {
		before := prev
		prev = r
		switch r {
		case '季':
			return true
		case 's', 't', 'S', 'T', 'p', 'P', 'с', 'С', '시', 'シ':
		default:
			continue
		}
		if unicode.IsLetter(before) && !text.IsWide(r) {
			continue
		}
		p := parser{s: s, i: i}
		if (p.word(text.SeasonWords()...) || p.word(foreignSeasons...)) && p.wordEnds() {
			return true
		}
	}
	return false
}

// startsWord tells whether a mark may start at c, which follows prev.
func startsWord(prev, c rune) bool {
	switch {
	case c < utf8.RuneSelf && !text.IsAlnum(byte(c)):
		return false
	case c < utf8.RuneSelf && prev < utf8.RuneSelf:
		return !text.IsAlnum(byte(prev))
	case c == '第' || c == '제':
		return true
	case c >= utf8.RuneSelf && (c >= 0x1100 || !unicode.IsLetter(c)) && c != 'ต' && c != 'ا':
		return false
	case text.IsWide(prev):
		return true
	default:
		return !unicode.IsLetter(prev) && !unicode.IsNumber(prev)
	}
}

// startsMark tells whether a mark may start as s does: with a number, with 第, or
// with one of the words for season and episode.
func startsMark(s string) bool {
	if s == "" {
		return false
	}
	switch s[0] | 0x20 {
	case 's', 't', 'e', 'f', 'c', 'p', 'o', 'a', 'j', 'b':
		return true
	}
	return s[0] >= utf8.RuneSelf || text.IsDigit(s[0])
}

// dateLen is the length of the date that s starts with: "2024-03-05", "2024.3.5",
// "05.03.2024" or eight digits.
func dateLen(s string) int {
	p := parser{s: s}
	first, width, ok := p.digits(8)
	switch {
	case !ok:
		return 0
	case width == 8:
		if year := first / 10_000; isYear(year) && first/100%100 <= 12 && first%100 <= 31 {
			return p.i
		}
		return 0
	case p.i == len(s) || strings.IndexByte("-./_", s[p.i]) < 0:
		return 0
	}
	separator := s[p.i]
	p.i++
	second, w2, ok := p.digits(2)
	if !ok || second > 31 || p.i == len(s) || s[p.i] != separator {
		return 0
	}
	p.i++
	third, w3, ok := p.digits(4)
	if !ok || w2 > 2 {
		return 0
	}
	if width == 4 && isYear(first) && w3 <= 2 && third <= 31 || width <= 2 && first <= 31 && w3 == 4 && isYear(third) {
		return p.i
	}
	return 0
}

// isIssue tells whether rest makes the date before it that of an issue.
func isIssue(rest string) bool { return strings.HasPrefix(strings.TrimLeft(rest, " "), "期") }

// form is how a mark is written, where that makes a difference.
type form int

const (
	formOther     form = iota
	formBareCount      // "12集": what stands around decides whether it counts
	formOf             // "2 of 4"
	formIssue          // "0305期": by its date
	formNumbered       // "3. Bölüm"
)

// parser reads marks from the front of s. Its methods consume what they accept
// and nothing where they refuse.
type parser struct {
	s     string
	i     int
	form  form
	ascii bool // no Chinese follows
	odd   bool // what it refused is written like an episode, but is no regular one
}

// wordEnds tells whether no letter goes on with the word that was read.
func (p *parser) wordEnds() bool {
	next, _ := utf8.DecodeRuneInString(p.rest())
	return !unicode.IsLetter(next)
}

// mark accepts a mark of whatever form.
func (p *parser) mark(r *EpisodeRange) bool {
	if text.IsDigit(p.s[0]) && p.ascii {
		return p.crossed(r) || !p.odd && (p.numbered(r) || p.ofMany(r))
	}
	if text.IsDigit(p.s[0]) {
		return p.eastern(r) || !p.odd && (p.crossed(r) || !p.odd && (p.numbered(r) || p.ofMany(r)))
	}
	if season, ok := p.seasonMark(); ok {
		r.Season = season
		behind := p.i
		p.skip(" ._-,:/")
		if p.episodes(r) {
			return true
		}
		p.i = behind
		if !p.odd && p.dashedNumber(r) {
			return true
		}
		p.i = 0
		return false
	}
	return p.episodes(r) || !p.odd && len(p.s) > 1 && p.s[1] == ' ' && p.spacedMark(r)
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

// word accepts one of the words, which are in lower case, longest first.
func (p *parser) word(words ...string) bool {
	rest := p.s[p.i:]
	for _, w := range words {
		if len(rest) < len(w) {
			continue
		}
		if equalFoldASCII(rest[:len(w)], w) || w[0] >= utf8.RuneSelf && strings.EqualFold(rest[:len(w)], w) {
			p.i += len(w)
			return true
		}
	}
	return false
}

// rune accepts one of the runes.
func (p *parser) rune(runes string) bool {
	if p.i == len(p.s) {
		return false
	}
	if c := p.s[p.i]; c < utf8.RuneSelf {
		if strings.IndexByte(runes, c) < 0 {
			return false
		}
		p.i++
		return true
	}
	r, size := utf8.DecodeRuneInString(p.s[p.i:])
	if r == utf8.RuneError || !strings.Contains(runes, p.s[p.i:p.i+size]) {
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

// rest is what is not read yet.
func (p *parser) rest() string { return p.s[p.i:] }

// atEnd tells whether the mark ends here: no letter or digit follows, apart
// from a version ("v2") and scripts without spaces.
func (p *parser) atEnd() bool {
	rest := p.rest()
	if len(rest) >= 2 && rest[0]|0x20 == 'v' && text.IsDigit(rest[1]) {
		v := parser{s: rest, i: 1}
		_, _, ok := v.digits(2)
		return ok && v.atEnd()
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || text.IsWide(r) || !unicode.IsLetter(r) && !unicode.IsNumber(r)
}

// seasonMark accepts "S01", "Season 1", "Staffel 1", "第一季", "第一部", and "第二期"
// before an episode; what follows is for the caller to look at.
func (p *parser) seasonMark() (int, bool) {
	start := p.i
	if start == len(p.s) {
		return 0, false
	}
	if p.s[start] >= utf8.RuneSelf {
		if !p.rune("第") {
			return 0, false
		}
		p.skip(" ")
		if n, ok := p.counting(); ok {
			p.skip(" ")
			if p.seasonCloser() {
				return n, true
			}
		}
	} else if !maySeason(p.s[start:]) {
		return 0, false
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

// maySeason tells by its first two bytes whether s may start with the mark of a
// season.
func maySeason(s string) bool {
	if c := s[0] | 0x20; c != 's' && c != 't' || len(s) < 2 {
		return false
	}
	switch s[1] | 0x20 {
	case 'e', 't', 'a':
		return true
	}
	return text.IsDigit(s[1])
}

// seasonCloser accepts what makes a number behind 第 that of a season.
func (p *parser) seasonCloser() bool {
	r, size := utf8.DecodeRuneInString(p.rest())
	behind := parser{s: p.s, i: p.i + size}
	switch r {
	case '季':
	case '部':
		if next, _ := utf8.DecodeRuneInString(behind.rest()); strings.ContainsRune("分曲件长", next) {
			return false
		}
	case '期':
		ahead := behind
		ahead.skip(" ")
		if !ahead.rune("第") {
			return false
		}
		ahead.skip(" ")
		if _, ok := ahead.counting(); !ok || !ahead.rune("集话話回") {
			return false
		}
	default:
		return false
	}
	p.i = behind.i
	return true
}

// episodes accepts "E02", "EP 2", "Episode 2", "Folge 2", "第2集" and runs of
// them, and behind a season "2集".
func (p *parser) episodes(r *EpisodeRange) bool {
	if c := p.s[p.i:]; c != "" && text.IsAlnum(c[0]) && !text.IsDigit(c[0]) {
		return p.western(r)
	}
	return p.eastern(r) || !p.odd && p.western(r)
}
