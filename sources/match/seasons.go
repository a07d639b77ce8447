package match

import (
	"strings"
	"unicode/utf8"

	"xship/sources"
	"xship/sources/text"
)

// maxSeasons is the last season of "all seasons", where nobody says how many there are.
const maxSeasons = 99

// cutSeasons takes the mark of several seasons off the very end of name: "某剧全三季",
// "某剧 第1-3季", "Show S01-S03", "Show Complete Series". Which season a link is of, its
// label tells.
func cutSeasons(name string) (base string, first, last int, ok bool) {
	if open := lastBracket(name); open >= 0 {
		inner := strings.Trim(name[open:], "()[]【】 ")
		if base, first, last, ok = cutSeasons(inner); ok && base == "" {
			return strings.TrimRight(name[:open], nameEnd), first, last, true
		}
		return name, 0, 0, false
	}
	if !mayEndInSeasons(name) {
		return name, 0, 0, false
	}
	from := max(0, len(name)-maxSeasonMark)
	for from > 0 && !utf8.RuneStart(name[from]) {
		from--
	}
	prev, _ := utf8.DecodeLastRuneInString(name[:from])
	for i, c := range name[from:] {
		if at := from + i; startsWord(prev, c) || c >= utf8.RuneSelf || text.IsDigit(name[at]) && !text.IsAlnum(byte(prev)) {
			if first, last, ok := seasonsMark(name[at:]); ok {
				return strings.TrimRight(name[:at], nameEnd), first, last, true
			}
		}
		prev = c
	}
	return name, 0, 0, false
}

// cutSeasonsOf takes the mark of several seasons off the end of the name of a series.
// It is ok where that of t is among them; that of its specials is always. What is nothing
// but such a mark, "All Seasons", is a name.
func cutSeasonsOf(t sources.Title, name string) (rest string, several, ok bool) {
	if t.Kind != sources.KindEpisode {
		return name, false, false
	}
	rest, first, last, several := cutSeasons(name)
	if rest == "" {
		return name, false, false
	}
	return rest, several, several && t.Season <= last && (t.Season == 0 || t.Season >= first)
}

// mayEndInSeasons tells by its end whether name may end in the mark of several seasons.
func mayEndInSeasons(name string) bool {
	if name == "" {
		return false
	}
	c := name[len(name)-1]
	if c < utf8.RuneSelf {
		return text.IsDigit(c) || c|0x20 == 's'
	}
	for _, end := range [...]string{"季", "部", "全", "集"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// seasonsMark reads s as nothing but the mark of several seasons.
func seasonsMark(s string) (first, last int, ok bool) {
	switch strings.ToLower(s) {
	case "complete series", "the complete series", "all seasons":
		return 1, maxSeasons, true
	}
	if s == "" {
		return 0, 0, false
	}
	p := parser{s: s}
	if p.s[0] < utf8.RuneSelf && !text.IsDigit(p.s[0]) {
		first, last, ok = p.seasonRun()
		return first, last, ok && p.rest() == ""
	}
	if p.rune("全") {
		if p.rest() == "季" {
			return 1, maxSeasons, true
		}
		n, ok := p.counting()
		return 1, n, ok && p.seasonCloser() && p.rest() == ""
	}
	p.rune("第")
	if first, ok = p.counting(); !ok {
		return 0, 0, false
	}
	closed := p.seasonCloser()
	if closed && (p.rest() == "全" || p.rest() == "全集") && !strings.HasPrefix(s, "第") {
		return 1, first, true // "三季全"
	}
	p.skip(" ")
	if !p.rune("-~–至到") {
		return 0, 0, false
	}
	p.skip(" ")
	p.rune("第")
	last, ok = p.counting()
	ok = ok && p.seasonCloser() && last > first
	switch p.rest() {
	case "", "全", "全集":
		return first, last, ok
	}
	return 0, 0, false
}

// seasonRun reads "Seasons 1-3", "Season 1 to 3", "S01-S03".
func (p *parser) seasonRun() (first, last int, ok bool) {
	if p.word("seasons") {
		p.skip(" ._-")
		first, _, ok = p.digits(2)
	} else {
		first, ok = p.seasonMark()
	}
	if !ok {
		return 0, 0, false
	}
	p.skip(" ")
	if !p.rune("-~–&") && !p.word("to") {
		return 0, 0, false
	}
	p.skip(" ")
	if last, ok = p.seasonMark(); !ok {
		last, _, ok = p.digits(2)
	}
	return first, last, ok && last > first
}
