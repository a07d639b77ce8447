package release

import (
	"strings"

	"xship/sources/text"
)

// A number is what one token or a run of them tells: "01", "01v2", "01-12".
type number struct {
	to          int // token behind
	first, last int
	width       int  // of the first, in digits
	season      int  // of "6.01", else 0
	padded      bool // it starts with a zero
	odd         bool // it is no whole one: "07.5", "01b", "01+03"
}

// numberAt reads the number that starts at token i, of at most four digits.
func (p *parser) numberAt(i int) (number, bool) {
	t := &p.tokens[i]
	first, width := leadingNumber(t.text)
	if width == 0 || width > 4 || p.marks[i].isTag() {
		return number{}, false
	}
	rest := t.text[width:]
	half := p.fan && len(rest) == 1 && rest[0] >= 'a' && rest[0] <= 'd'
	if !half && !endsEpisode(rest) || p.isPartOf(i) {
		return number{}, false
	}
	n := number{to: i + 1, first: first, last: first, width: width, padded: width > 1 && t.text[0] == '0', odd: half}
	if p.isDecimal(i) && p.isSeasonDotted(i) {
		e := &p.tokens[i+1]
		n.season, n.first, n.last, n.to, n.width, n.padded = first, e.number, e.number, i+2, len(e.text), true
		return n, true
	}
	p.runFrom(&n)
	for n.to < len(p.tokens) && p.tokens[n.to].text != "" && endsEpisode(p.tokens[n.to].text) {
		if p.tokens[n.to].text[0] != 'v' && strings.Trim(p.gap(n.to-1), " _(（") != "" {
			break
		}
		n.to++
	}
	return n, true
}

// endsEpisode tells whether rest is what may stand behind a number: nothing, a version,
// or a word for the last episode.
func endsEpisode(rest string) bool {
	switch rest {
	case "end", "fin", "final", "完":
		return true
	}
	return isVersion(rest)
}

// isSeasonDotted tells whether the number at token i is a season and the one behind its
// point the episode: "Show - 6.01 - Pilot", "[6.01] Pilot". A half has one digit.
func (p *parser) isSeasonDotted(i int) bool {
	t, e := &p.tokens[i], &p.tokens[i+1]
	if len(t.text) != 1 || t.number == 0 || len(e.text) != 2 || e.number == 0 || e.text[0] != '0' || p.gap(i) != "." {
		return false
	}
	return isDash(p.gapBefore(i)) && p.endsNumber(i+2) || t.opened && e.closed
}

// runFrom reads on behind the first number of a run: "01-12", "01 ~ 12", "01+02".
func (p *parser) runFrom(n *number) {
	if p.isDecimal(n.to - 1) {
		n.odd, n.to = true, n.to+1
		return
	}
	joint, next := p.joint(n.to)
	if next >= len(p.tokens) {
		return
	}
	last, width := leadingNumber(p.tokens[next].text)
	if width == 0 || !endsEpisode(p.tokens[next].text[width:]) || isYear(last) {
		return
	}
	switch joint {
	case "-", "~":
		whole := n.width == width && width > 1 || n.padded && width > n.width
		tight := len(p.gap(next-1)) == 1 || joint == "~"
		switch {
		case !tight && (!n.padded || !whole || !p.endsNumber(next+1)):
		case !whole || last <= n.first || isPicture(last):
			n.odd = tight
		default:
			n.last, n.to = last, next+1
		}
	case "&", ",":
		if n.odd = width != n.width || last != n.first+1; !n.odd {
			n.last, n.to = last, next+1
		}
	}
}

// isPartOf tells whether the number at token i is but a part of what is written: of
// a date, a size, a count.
func (p *parser) isPartOf(i int) bool {
	return i > 0 && p.endsPart(i) || i+1 < len(p.tokens) && p.startsPart(i)
}

// endsPart tells whether what stands before the number at token i belongs to it.
func (p *parser) endsPart(i int) bool {
	t, before, gap := &p.tokens[i], &p.tokens[i-1], p.gapBefore(i)
	near := len(gap) == 1
	switch {
	case p.ofSeason:
		return false // "Season 11 01"
	case isMonth(before.text):
		return true
	case !text.IsDigit(before.text[0]) || p.marks[i-1].isTag():
		return false
	case isYear(before.number): // "2024 03"
		return near && t.number <= 12 && len(t.text) == 2
	}
	return near && len(before.text) > 4 || p.numberBefore(i) || p.isPair(i-1)
}

// startsPart tells whether what stands behind the number at token i belongs to it.
func (p *parser) startsPart(i int) bool {
	next, gap := &p.tokens[i+1], p.gap(i)
	if len(gap) > 1 {
		return false
	}
	if next.number < 0 || isYear(next.number) {
		return isUnit(next.text) || isMonth(next.text)
	}
	date := i+2 < len(p.tokens) && len(p.gap(i+1)) == 1 && isYear(p.tokens[i+2].number) && next.number <= 31
	return date || gap == "-" && p.joinedNumber(i+1) || p.isPair(i) && !isDash(p.gapBefore(i))
}

// isPair tells whether the number at token i and the next one have two digits each, so
// that one may be the season: "03_19".
func (p *parser) isPair(i int) bool {
	t, next := &p.tokens[i], &p.tokens[i+1]
	gap := p.gap(i)
	return (gap == "_" || gap == " ") && len(t.text) == 2 && t.number >= 0 && len(next.text) == 2 && next.number >= 0 && !p.marks[i+1].isTag()
}

// isDecimal tells whether a point and one or two further digits follow the number at
// token i.
func (p *parser) isDecimal(i int) bool {
	gap := p.gap(i)
	return i+1 < len(p.tokens) && (gap == "." || gap == ",") && p.tokens[i+1].number >= 0 && len(p.tokens[i+1].text) < 3 && !isYear(p.tokens[i+1].number)
}

// endsNumber tells whether what stands before token i ends there: at the end of the
// name, a bracket, a dash or a tag.
func (p *parser) endsNumber(i int) bool {
	return i == len(p.tokens) || p.marks[i].isTag() || strings.ContainsAny(p.gap(i-1), "[]()【】（）{}") || isDash(p.gap(i-1))
}

// plainEpisode finds the number of an episode that is not marked as one. It is looked
// for first behind a dash, then in a bracket of its own, then before the tags, then at
// the start of the name. Fan groups number whole series, so their numbers may be long.
// Elsewhere a number that has no zero before it may as well be part of the title, or
// have the season in it.
func (p *parser) plainEpisode() (reading, bool) {
	if !p.digits {
		return reading{}, false
	}
	if r, ok := p.seasonDash(); ok {
		return r, true
	}
	p.dated = p.hasYear()
	best, found := 0, reading{}
	first := p.title
	if p.behind < len(p.tokens) {
		first = p.behind // of the season
	}
	inside := false // a bracket
	for i := 0; i < len(p.tokens); i++ {
		t := &p.tokens[i]
		inside = t.opened || inside && !p.tokens[i-1].closed
		if i < first || !text.IsDigit(t.text[0]) || isYear(t.number) {
			continue
		}
		n, ok := p.numberAt(i)
		if !ok {
			continue
		}
		if rank := p.rankNumber(i, &n); rank > best && (rank >= rankApart || !inside) {
			best = rank
			found = reading{from: i, to: n.to, season: -1, first: n.first, last: n.last, odd: n.odd}
			if rank == rankCoded {
				found.season, found.first, found.last = n.first/100, n.first%100, n.last%100
			} else if n.season > 0 {
				found.season = n.season
			}
		}
		i = n.to - 1
	}
	return found, best > 0
}

// seasonDash reads the "2-06" that a name starts with.
func (p *parser) seasonDash() (reading, bool) {
	if p.title > 0 || len(p.tokens) < 2 || p.gap(0) != "-" || p.joinedNumber(1) {
		return reading{}, false
	}
	season, t := &p.tokens[0], &p.tokens[1]
	if len(season.text) != 1 || season.number <= 0 || t.number < 0 || len(t.text) != 2 || t.text[0] != '0' {
		return reading{}, false
	}
	return reading{to: 2, season: season.number, first: t.number, last: t.number}, true
}

// How sure it is that a number is an episode.
const (
	rankFirst   = iota + 1 // it starts the name
	rankCoded              // "207" before "HDTV", which is 2x07
	rankInWords            // with a zero, between words
	rankAtTags             // before the tags
	rankApart              // behind a dash or a "#", or in a bracket
)

// rankNumber tells how sure it is that n, which starts at token i, is an episode; 0
// that it is none.
func (p *parser) rankNumber(i int, n *number) int {
	before := p.gapBefore(i)
	coded := !p.fan && p.isCoded(n)
	single := n.first == n.last
	switch {
	case isPicture(n.first), n.first == 264, n.first == 265,
		n.width == 1 && (p.in != seasonFolder || !isDash(before)),
		n.width == 4 && single && !p.fan && !coded,
		p.isPart(i), p.isCounted(i, n.to):
		return 0
	case n.season > 0:
		return rankApart
	case i == p.title:
		if p.startsName(i, *n) {
			return rankFirst
		}
		return 0
	}
	ends := p.endsNumber(n.to)
	// What has no zero and is long is read where a fan group or a run tells that it
	// counts from the first episode.
	counted := n.padded || n.width <= 2 || p.fan || !single || isAbsolute(n.first)
	switch {
	case strings.HasSuffix(before, "#"):
		return rankApart
	case isDash(before) && (ends || n.padded || n.odd):
		if counted {
			return rankApart
		}
	case p.tokens[i].opened && p.tokens[n.to-1].closed:
		if p.fan || !n.odd && (n.padded || !single) {
			return rankApart
		}
	case n.odd && !p.fan, len(before) > len("! "), strings.Trim(before, " ._:])】~!?\"") != "":
	case coded:
		return rankCoded
	case !single && !p.fan && n.width == 2 && n.to == len(p.tokens) && n.last > n.first+1: // "03-20" may be 3x20
	case ends && (n.padded || !single || p.fan && (n.width < 3 || !isDash(p.gap(n.to-1)))):
		return rankAtTags
	case n.padded && n.width <= 3 && !n.odd && !p.dated:
		return rankInWords
	}
	return 0
}

// isAbsolute tells whether the number of three digits can only be one that counts from
// the first episode, since no season has so many: "Show - 656".
func isAbsolute(n int) bool { return n%100 == 0 || n%100 > mostOfSeason }

// mostOfSeason is how many episodes a season has at most that is told by a number with
// the episode's.
const mostOfSeason = 40

// isCounted tells whether a Chinese counter stands right before or behind the tokens
// from i up to to: "第5", "12集". What match does not take for a mark is none.
func (p *parser) isCounted(i, to int) bool {
	if i > 0 && p.tokens[i-1].han && p.gapBefore(i) == "" && strings.HasSuffix(p.tokens[i-1].text, "第") {
		return true
	}
	return to < len(p.tokens) && p.tokens[to].han && p.gap(to-1) == "" && !p.marks[to].isTag()
}

// isPart tells whether the word before token i says that its number is no episode.
// Short words end titles too, before a dash.
func (p *parser) isPart(i int) bool {
	if p.wordBefore(i)&partWord == 0 || p.tokens[i-1].closed {
		return false
	}
	return len(p.tokens[i-1].text) > 2 || !isDash(p.gapBefore(i))
}

// startsName tells whether n, which starts the name or follows the group, is an
// episode: "01 - Show". It is none in the name of a film, and 007 is a film.
func (p *parser) startsName(i int, n number) bool {
	if n.odd || i > 0 && !p.fan || n.first == 7 && n.width == 3 || p.dated {
		return false
	}
	if n.to == len(p.tokens) {
		return p.in == seasonFolder
	}
	return kindOf(p.tokens[n.to].text) != partWord && (n.padded || p.fan || p.in == seasonFolder && n.width == 2)
}

// hasYear tells whether there is a year behind the start of the title.
func (p *parser) hasYear() bool {
	for i := p.title + 1; i < len(p.tokens); i++ {
		if isYear(p.tokens[i].number) {
			return true
		}
	}
	return false
}

// isCoded tells whether n is season and episode as broadcasts have them:
// "Show.207.HDTV".
func (p *parser) isCoded(n *number) bool {
	episode := n.first % 100
	if n.width < 3 || episode == 0 || episode > mostOfSeason || n.first >= 4000 || n.last != n.first || n.odd {
		return false
	}
	if next := n.to; next+1 < len(p.tokens) && p.tokens[next].number == n.first+1 && len(p.tokens[next].text) == n.width && len(p.gap(next-1)) == 1 {
		n.last, n.to = n.first+1, next+1 // "101.102.HDTV"
	}
	for i := n.to; i < len(p.tokens) && i < n.to+2; i++ {
		switch p.tokens[i].text {
		case "hdtv", "pdtv", "dsr", "hdtvrip":
			return true
		}
		if !p.marks[i].isTag() {
			return false
		}
	}
	return false
}
