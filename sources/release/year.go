package release

import (
	"xship/sources/text"
)

// findYear takes the last year before the tags, one in brackets before others, and of
// these one before the episode's own title.
// A number that starts the title is part of it.
func (p *parser) findYear() {
	none, tags := len(p.tokens), p.firstStrong(p.title)
	p.year = p.lastYear(p.behind, true)
	for _, where := range [...]struct {
		limit     int
		bracketed bool
	}{{none, true}, {tags, false}, {none, false}} {
		if p.year == none {
			p.year = p.lastYear(where.limit, where.bracketed)
		}
	}
	switch {
	case p.year == len(p.tokens) && isYear(p.info.Episodes.Season):
		p.info.Year = p.info.Episodes.Season // "S2014E18"
	case p.year == len(p.tokens) || p.isDate(p.year):
	case p.endsDate(p.year):
		p.year -= 2
	default:
		p.info.Year = p.tokens[p.year].number
	}
}

// endsDate tells whether a day and a month stand before the year at token i.
func (p *parser) endsDate(i int) bool {
	if i-2 <= p.title || !p.adjacent(i-2) || !p.adjacent(i-1) {
		return false
	}
	a, b := &p.tokens[i-2], &p.tokens[i-1]
	if isMonth(b.text) {
		return a.number > 0 && a.number <= 31
	}
	return p.gap(i-1) == p.gap(i-2) && len(a.text) == 2 && len(b.text) == 2 && min(a.number, b.number) > 0 && max(a.number, b.number) <= 31 && min(a.number, b.number) <= 12
}

// isDay tells whether token i is a date in one number: "20240531", "240531".
func (p *parser) isDay(i int) bool {
	t := &p.tokens[i]
	if t.text[0] > '9' || len(t.text) != 6 && len(t.text) != 8 {
		return false
	}
	day, month := text.Number(t.text[len(t.text)-2:]), text.Number(t.text[len(t.text)-4:len(t.text)-2])
	return day > 0 && day <= 31 && month > 0 && month <= 12 && (len(t.text) == 6 || isYear(text.Number(t.text[:4])))
}

// isYearOfRun tells whether the year at token i is one of "2001-2011".
func (p *parser) isYearOfRun(i int) bool {
	return p.gapBefore(i) == "-" && isYear(p.tokens[i-1].number) || i+1 < len(p.tokens) && p.gap(i) == "-" && isYear(p.tokens[i+1].number)
}

// lastYear is the last token before limit that is a year, in a bracket of its own or
// anywhere.
func (p *parser) lastYear(limit int, bracketed bool) int {
	for i := limit - 1; i > p.title; i-- {
		t := &p.tokens[i]
		if len(t.text) != 4 || !isYear(t.number) {
			continue
		}
		alone := t.opened && (t.closed || p.startsTags(i))
		ofTitle := !alone && i >= p.episode && (i != p.behind || !p.endsNumber(i+1))              // of the episode's own
		if !ofTitle && (alone || !bracketed) && !p.isYearOfRun(i) && p.tokens[i-1].text != "bt" { // "BT.2020" tells colours
			return i
		}
	}
	return len(p.tokens)
}

// startsTags tells whether the year at token i, which a bracket starts with, stands
// before tags there: "[2017, WEB-DL 1080p]".
func (p *parser) startsTags(i int) bool {
	for i++; i < len(p.tokens) && !p.tokens[i].opened; i++ {
		if p.marks[i].strong || p.tokens[i].closed {
			return p.marks[i].strong
		}
	}
	return false
}

// isDate tells whether a month and a day follow the year at token i.
func (p *parser) isDate(i int) bool {
	if i+2 >= len(p.tokens) || !p.adjacent(i) || !p.adjacent(i+1) {
		return false
	}
	month, day := p.tokens[i+1].text, p.tokens[i+2].text
	return len(month) == 2 && len(day) == 2 && text.Number(month) >= 1 && text.Number(month) <= 12 && text.Number(day) >= 1 && text.Number(day) <= 31
}
