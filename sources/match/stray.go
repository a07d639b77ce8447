package match

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"xship/sources/link"
	"xship/sources/text"
)

// A number before the mark of an episode that nobody can place is as likely that of a
// season, in whatever words: "Cour 2 Episode 5", "Year Two Episode 5". Such a label is no
// episode of the first season.

// hasStray tells whether a number that may be that of a later season stands in what is
// before a mark, apart from one of names at its end and the name of a group at its start.
func hasStray(before string, names titleNames) bool {
	return strayIn(before) && strayIn(names.cutEnd(before))
}

func strayIn(before string) bool {
	if before == "" {
		return false
	}
	i := 0
	for i < len(before) && !text.IsDigit(before[i]) {
		i++
	}
	if i < len(before) {
		before, i = behindGroup(before), 0
	}
	for i < len(before) {
		if !text.IsDigit(before[i]) {
			i++
			continue
		}
		if n := dateLen(before[i:]); n > 0 {
			i += n
			continue
		}
		end := numberEnd(before, i)
		if isStray(before[:i], before[i:end], before[end:]) {
			return true
		}
		i = end
	}
	return endsInNumeral(trimBehind(before)) || !text.IsASCII(before) && hasChineseOrdinal(before)
}

// behindGroup is s without the brackets that it starts with, where something follows.
func behindGroup(s string) string {
	if s[0] != '[' && s[0] < utf8.RuneSelf {
		return s
	}
	if rest := withoutGroup(s); strings.ContainsFunc(rest, unicode.IsLetter) {
		return rest
	}
	return s
}

// numberEnd is where the number that starts at s[i] ends, with the fractions of it.
func numberEnd(s string, i int) int {
	for i < len(s) && (text.IsDigit(s[i]) || strings.IndexByte(".,:", s[i]) >= 0 && i+1 < len(s) && text.IsDigit(s[i+1])) {
		i++
	}
	return i
}

// isStray tells whether number may be that of a season by what stands around it.
func isStray(before, number, after string) bool {
	n := text.Number(number)
	if len(number) > 2 || n < 2 {
		return false
	}
	if word := asciiLettersAtEnd(before); word != "" {
		word = lower(word)
		return len(text.TagsOf(word)) == 0 && len(text.TagsOf(word+number)) == 0 && !slices.Contains(asideWords, word) &&
			link.TrimExtension("0."+word+number) != "0" && !saysLine(word) && !startsWithLetter(after)
	}
	if startsWithLetter(after) {
		return len(after) > 1 && slices.Contains([]string{"st", "nd", "rd", "th"}, lower(after[:2]))
	}
	next, _ := utf8.DecodeRuneInString(after)
	if strings.ContainsRune(countedBeside, next) || startsWithUnit(after) {
		return false
	}
	words := wordsBefore(before)
	if saysLine(words) || totalBefore(before) {
		return false
	}
	return !slices.ContainsFunc(lines, func(line string) bool { return strings.HasSuffix(words, line) })
}

// countedBeside stand right behind the number of what is surely no season.
const countedBeside = "集话話回帧幀分万亿年月日点點%人岁歲"

// lines are Chinese words for copies of the same, which are numbered.
var lines = []string{"线路", "線路", "播放", "备用", "備用", "节点", "资源", "資源", "线", "源"}

func asciiLettersAtEnd(s string) string {
	at := len(s)
	for at > 0 && text.IsAlnum(s[at-1]) && !text.IsDigit(s[at-1]) {
		at--
	}
	return s[at:]
}

func startsWithLetter(s string) bool {
	return s != "" && text.IsAlnum(s[0])
}

// startsWithUnit tells whether s starts with a unit of sizes and times, perhaps behind a
// space.
func startsWithUnit(s string) bool {
	p := parser{s: strings.TrimLeft(s, " ")}
	return p.s != "" && p.word(units...) && p.wordEnds()
}

// endsInNumeral tells whether the last word of s is a Roman numeral or a number in words,
// or the last but one: "Book Two", "Second Cour".
func endsInNumeral(s string) bool {
	last := wordsBefore(s)
	if isNumeralWord(last) {
		return true
	}
	word := wordsBefore(s[:len(s)-len(last)])
	return text.RomanNumber(lower(word)) == 0 && isNumeralWord(word)
}

func isNumeralWord(word string) bool {
	if len(word) < len("II") || len(word) > len("seventh") {
		return false
	}
	switch word[0] | 0x20 {
	case 'i', 'v', 'x':
		return strings.ToUpper(word) == word && text.RomanNumber(lower(word)) > 1
	case 't', 's', 'f', 'e', 'n':
		for _, number := range numeralWords {
			if number[0] == word[0]|0x20 && equalFoldASCII(word, number) {
				return true
			}
		}
	}
	return false
}

// numeralWords are the numbers of later seasons in words.
var numeralWords = []string{
	"two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
	"second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
}

// hasChineseOrdinal tells whether something is numbered in Chinese in s: "第二章", and
// at its end "二期".
func hasChineseOrdinal(s string) bool {
	for at := 0; ; {
		i := strings.Index(s[at:], "第")
		if i < 0 {
			break
		}
		at += i + len("第")
		if n, size := chineseNumber(strings.TrimLeft(s[at:], " ")); size > 0 && n > 1 {
			return true
		}
	}
	rest, ok := strings.CutSuffix(trimBehind(s), "期")
	if !ok {
		return false
	}
	digit, _ := utf8.DecodeLastRuneInString(rest)
	return chineseDigit(digit) > 1
}

// cutEnd is before without the name that it ends in.
func (names titleNames) cutEnd(before string) string {
	trimmed := strings.TrimRight(trimBehind(before), "#")
	shortest := before
	for _, list := range names.lists {
		for _, name := range list {
			if n := len(trimmed) - len(nameText(name)); endsInName(trimmed, name) && n < len(shortest) {
				shortest = trimmed[:max(n, 0)]
			}
		}
	}
	return shortest
}

// spelledSeasons are further words for a season, in lower case, which may stand before
// its number or behind it. Names of works hardly hold them with a number.
var spelledSeasons = []string{
	"сезон", "sezon", "시즌", "シーズン", "säsong", "sæson", "sesong", "seizoen", "kausi", "évad", "mùa", "musim", "ซีซั่น", "الموسم", "szn",
}

// spelledSeason reads the season that ends before by one of spelledSeasons: "2 сезон",
// "시즌2", "2. Sezon". It starts at before[start:].
func spelledSeason(before string) (season, start int, ok bool) {
	s := trimBehind(before)
	if s == "" || !spelledEnds[s[len(s)-1]] {
		return 0, 0, false
	}
	if rest, n, ok := cutSeasonNumber(s); ok {
		if rest, ok := cutSpelled(strings.TrimRight(rest, " ._-#")); ok {
			return n, len(rest), true
		}
		return 0, 0, false
	}
	rest, ok := cutSpelled(s)
	if !ok {
		return 0, 0, false
	}
	rest = strings.TrimSuffix(strings.TrimRight(rest, " ."), "-й")
	rest, n, ok := cutSeasonNumber(rest)
	return n, len(rest), ok
}

// spelledStarts and spelledEnds are the first and last bytes of what spelledSeason reads.
var spelledStarts, spelledEnds = func() (starts, ends [256]bool) {
	for c := byte('0'); c <= '9'; c++ {
		starts[c], ends[c] = true, true
	}
	for _, word := range spelledSeasons {
		for _, w := range [...]string{word, strings.ToUpper(word)} {
			starts[w[0]], ends[w[len(w)-1]] = true, true
		}
	}
	return starts, ends
}()

// spelledSeason accepts "2 сезон", "2. Sezon" and "Sezon 2".
func (p *parser) spelledSeason() (season int, ok bool) {
	start := p.i
	if n, _, ok := p.digits(2); ok {
		if !p.word("-й") {
			p.skip(".")
		}
		if p.skip(" "); p.word(spelledSeasons...) {
			return n, true
		}
	} else if p.word(spelledSeasons...) {
		p.skip(" .")
		if n, _, ok := p.digits(2); ok {
			return n, true
		}
	}
	p.i = start
	return 0, false
}

// cutSpelled takes one of spelledSeasons off the end of s, as a word of its own.
func cutSpelled(s string) (rest string, ok bool) {
	if s == "" {
		return "", false
	}
	end, wide := s[len(s)-1], s[len(s)-1] >= utf8.RuneSelf
	for _, word := range spelledSeasons {
		if last := word[len(word)-1]; !wide && last != end|0x20 {
			continue
		}
		if rest, ok = cutFold(s, word); ok {
			last, _ := utf8.DecodeLastRuneInString(rest)
			return rest, rest == "" || !unicode.IsLetter(last) || text.IsWide(last)
		}
	}
	return s, false
}

// cutSeasonNumber takes a number of one or two digits off the end of s.
func cutSeasonNumber(s string) (rest string, n int, ok bool) {
	rest = strings.TrimRight(s, "0123456789")
	digits := s[len(rest):]
	if digits == "" || len(digits) > 2 {
		return s, 0, false
	}
	return rest, text.Number(digits), true
}

// behindSpelled is before, or nothing where it is but one of spelledSeasons.
func behindSpelled(before string) string {
	if _, start, ok := spelledSeason(before); ok {
		return before[:start]
	}
	return before
}

// seriesByIssue tells whether mark, "2期", is that of a season, since the mark of an
// episode follows: "2期 第5话".
func seriesByIssue(mark, after string) bool {
	return strings.HasSuffix(mark, "期") && strings.HasPrefix(strings.TrimLeft(after, " "), "第")
}
