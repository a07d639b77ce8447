package release

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"xship/sources/match"
	"xship/sources/text"
)

// findTitle skips tags and the groups in brackets that stand before the title. A name
// of nothing but tags has no title.
func (p *parser) findTitle() {
	if p.onlyTags() {
		p.title = len(p.tokens)
		return
	}
	for p.title < len(p.tokens) && (p.marks[p.title].strong || p.marks[p.title].inside) {
		p.title++
	}
	if end := p.block(p.title); end > 0 && !p.holdsEpisode(p.title) {
		p.titleOfBlocks(end)
	}
	p.title = p.behindAddress(p.title)
	if i := p.title; i+1 < len(p.tokens) && p.isDay(i) && p.isWord(i+1) && p.gap(i) == " " {
		p.title++ // "221208 Show ep02", the day it was shown
	}
}

// behindAddress is the token behind the address of a site that the title at token i
// starts with: "www.site.example - Film". It is i where there is none.
func (p *parser) behindAddress(i int) int {
	if i >= len(p.tokens) || p.tokens[i].text != "www" {
		return i
	}
	for at := i; at+1 < len(p.tokens); at++ {
		switch gap := p.gap(at); {
		case isDash(gap):
			return at + 1
		case strings.Contains(gap, " "):
			return i
		}
	}
	return i
}

// holdsEpisode tells whether the bracket that token i is the first of starts with the
// mark of an episode: "[04x01] Show", "[4.01] Show".
func (p *parser) holdsEpisode(i int) bool {
	c, ok := readCode(p.tokens[i].text)
	return ok && c.first >= 0 || i+1 < len(p.tokens) && p.isSeasonDotted(i)
}

// block is the token behind the square bracket that opens before token i, 0 where
// none does or where it is not closed.
func (p *parser) block(i int) int {
	if i == len(p.tokens) || !p.tokens[i].opened || !strings.ContainsAny(p.gapBefore(i), "[【") {
		return 0
	}
	for ; i < len(p.tokens); i++ {
		if p.tokens[i].closed {
			return i + 1
		}
	}
	return 0
}

// titleOfBlocks finds the title of a name that starts with a bracket, which ends at
// token end. It is what follows the brackets: "[Group][BD] Show - 01". Where nothing
// follows, or a number, it stands in one of them: "[Group][Show][01]". What stands in
// the only one is the title: "[REC] 2".
func (p *parser) titleOfBlocks(end int) {
	title, limit := len(p.tokens), 0
	numbered := false // a number stands behind the title
	i := end
blocks:
	for i < len(p.tokens) {
		next := p.block(i)
		switch {
		case next > 0:
			if limit == 0 && p.holdsTitle(i, next) {
				title, limit = i, next
			} else if limit > 0 && next == i+1 && p.tokens[i].number >= 0 {
				numbered = true
			}
			i = next
		case p.tokens[i].opened:
			break blocks
		case p.marks[i].strong, p.marks[i].inside, p.isNews(i):
			i++
		default:
			break blocks
		}
	}
	switch {
	case i < len(p.tokens) && !numbered && p.startsTitle(i, limit > 0):
		p.title = i
	case limit > 0:
		p.title, p.limit = title, limit
	default:
		return
	}
	p.info.Group = p.name[p.tokens[0].start:p.tokens[end-1].end]
	p.head, p.fan = end, true
}

// holdsTitle tells whether the bracket of tokens from to end holds a title rather than
// a number, a year or news.
func (p *parser) holdsTitle(from, end int) bool {
	if p.marks[from].strong || end == from+1 && p.marks[from].isTag() {
		return false
	}
	words := false
	for i := from; i < end; i++ {
		if p.isNews(i) || end == from+1 && kindOf(p.tokens[i].text) == partWord {
			return false
		}
		switch p.tokens[i].text {
		case "第", "全", "集", "话", "話", "回", "期":
			return false
		case "end", "fin", "完":
			continue
		}
		words = words || !p.marks[i].isTag() && !text.IsDigit(p.tokens[i].text[0])
	}
	return words
}

// isNews tells whether token i is of "★10月新番★", which says when a series began.
func (p *parser) isNews(i int) bool {
	if t := &p.tokens[i]; t.number < 0 {
		return t.han && (strings.HasSuffix(t.text, "新番") || t.text == "国漫")
	}
	return i+1 < len(p.tokens) && p.gap(i) == "" && p.isNews(i+1)
}

// startsTitle tells whether the title starts at token i, which follows brackets. A
// number does where words follow.
func (p *parser) startsTitle(i int, blocks bool) bool {
	if _, width := leadingNumber(p.tokens[i].text); width > 0 && endsEpisode(p.tokens[i].text[width:]) {
		for p.joinedNumber(i) {
			i++
		}
		if blocks || i+1 == len(p.tokens) {
			return false
		}
		return p.isWord(i+1) || isDash(p.gap(i))
	}
	return !p.marks[i].isTag() || i+1 < len(p.tokens) && p.isWord(i+1)
}

// isWord tells whether token i is neither a tag nor a number and not the first one in
// a bracket.
func (p *parser) isWord(i int) bool {
	return !p.marks[i].isTag() && p.tokens[i].number < 0 && !p.tokens[i].opened
}

// onlyTags tells whether the name is a label such as "HD国语", "1080P", "TC".
// Words of titles must look like tags: "Cam" is a film.
func (p *parser) onlyTags() bool {
	sure := strings.IndexFunc(p.name, unicode.IsLower) < 0
	for i, m := range p.marks {
		if !m.isTag() {
			return false
		}
		sure = sure || m.strong || p.tokens[i].text == "hd" || p.tokens[i].text == "sd"
	}
	return sure
}

// findZone finds where the title ends.
func (p *parser) findZone() {
	if p.title == len(p.tokens) {
		p.zone = 0
		return
	}
	p.zone = min(p.year, p.episode, p.limit)
	for i := p.title + 1; i < p.zone; i++ {
		if p.isDay(i) || p.fan && p.isVolume(i) || p.tokens[i].text == "第" {
			p.zone = i
		}
	}
	if first := p.firstStrong(p.title); first < p.zone {
		p.zone = p.weakBefore(first, p.title+1)
	}
	if p.zone == len(p.tokens) {
		p.zone = p.upperTail()
	}
	p.zone = p.beforeBracket(p.zone)
	if p.zone == p.episode && p.zone < p.behind {
		p.zone = p.beforeNumber(p.zone)
		if word := p.tokens[p.zone-1].text; p.zone-1 > p.title && (word == "ep" || word == "episode") {
			p.zone-- // "Show Ep 2x03"
		}
	}
	p.findSure()
}

// isVolume tells whether token i starts the number of a disc: "Vol.1".
func (p *parser) isVolume(i int) bool {
	word := p.tokens[i].text
	return (word == "vol" || word == "volume") && i+1 < len(p.tokens) && text.IsDigit(p.tokens[i+1].text[0])
}

// beforeNumber moves the end of the title before the number that stands there besides
// the mark of an episode: "Show - 17 (S02E05)".
func (p *parser) beforeNumber(zone int) int {
	if zone-1 <= p.title {
		return zone
	}
	i := zone - 1
	for i > p.title && p.numberBefore(i) {
		i--
	}
	if i > p.title && p.tokens[i].number >= 0 && isDash(p.gapBefore(i)) {
		return i
	}
	if word := p.tokens[zone-2].text; zone-2 > p.title && (word == "disc" || word == "disk") {
		return p.beforeComplete(zone - 2) // "Show Disc 1 S01E01"
	}
	return zone
}

// beforeBracket moves the end of the title before the bracket it would fall into, and
// before a group in one: "Show (TBS 1080p)", "Show [Group] 1080p".
func (p *parser) beforeBracket(zone int) int {
	if p.limit < len(p.tokens) {
		return zone
	}
	for zone-1 > p.title && p.tokens[zone-1].closed {
		open := zone - 1
		for open > p.title && !p.tokens[open].opened {
			open--
		}
		inner := p.name[p.tokens[open].start:p.tokens[zone-1].end]
		group := strings.HasSuffix(p.gapBefore(open), "[") && !strings.ContainsAny(inner, " _")
		if open == p.title || !group && p.tokens[open].text != "tv" {
			return zone
		}
		zone = open
	}
	for i := zone - 1; i > p.title && !p.tokens[i].closed; i-- {
		if p.tokens[i].opened {
			return i
		}
	}
	return zone
}

// weakBefore extends the tags that start at token i over the words before it
// that may be tags, not beyond token from. One such word alone must look like a
// tag: "Movie.GERMAN.1080p", but not "Johnny.English.1080p".
func (p *parser) weakBefore(i, from int) int {
	first := i
	for first > from && p.marks[first-1].isTag() {
		first--
	}
	if first < i && (p.isArticle(first-1) || i-first == 1 && !p.looksLikeTag(first)) {
		return i
	}
	return first
}

func (p *parser) isArticle(i int) bool {
	if i < 0 {
		return false
	}
	switch p.tokens[i].text {
	case "the", "a", "an", "of", "my", "in", "le", "la", "les", "el", "der", "die", "das":
		return true
	}
	return false
}

// looksLikeTag tells whether token i is in capitals and the title is not.
func (p *parser) looksLikeTag(i int) bool {
	t := p.tokens[i]
	if strings.IndexFunc(p.name[t.start:t.end], unicode.IsLower) >= 0 {
		return false
	}
	title := p.name[p.tokens[p.title].start:t.start]
	return strings.IndexFunc(title, func(r rune) bool { return unicode.IsLower(r) || r >= utf8.RuneSelf && unicode.IsLetter(r) }) >= 0
}

// upperTail finds tags at the end of a name without any sure sign of where its
// title ends: "Movie HD".
func (p *parser) upperTail() int {
	i := len(p.tokens)
	for i > p.title+1 && p.marks[i-1].isTag() && strings.IndexFunc(p.name[p.tokens[i-1].start:p.tokens[i-1].end], unicode.IsLower) < 0 {
		i--
	}
	if i < len(p.tokens) && !p.looksLikeTag(i) {
		return len(p.tokens)
	}
	return i
}

// readTitle reads the title, and the second one in another script, behind a slash or
// in the next bracket.
func (p *parser) readTitle() {
	if p.title >= p.zone {
		return
	}
	if p.zone < len(p.tokens) {
		p.zone = p.beforeComplete(p.zone)
	}
	alt, end := p.secondTitle()
	p.info.Title = p.text(p.title, alt)
	if alt < end {
		p.info.AltTitle = p.text(alt, end)
	}
	if strings.Contains(p.info.Title, "季") {
		if title, season, ok := match.SplitSeason(p.info.Title); ok && title != "" && (p.info.Episodes.Season < 0 || p.info.Episodes.Season == season) {
			p.info.Title, p.info.Episodes.Season = title, season
		}
	}
}

// beforeComplete moves the end of the title before words for whole series: "Show - The
// Complete Series", "Show Complete S01-S03".
func (p *parser) beforeComplete(zone int) int {
	i := zone - 1
	if i > p.title {
		switch p.tokens[i].text {
		case "series", "collection", "seasons":
			i--
		}
	}
	if i <= p.title || p.tokens[i].text != "complete" {
		return zone
	}
	if i-1 > p.title && p.tokens[i-1].text == "the" {
		i--
	}
	return i
}

// secondTitle finds where the second title starts and ends; both are the end of the
// only one where there is none.
func (p *parser) secondTitle() (start, end int) {
	for i := p.title + 1; i < p.zone; i++ {
		if isSlash(p.gapBefore(i)) {
			for end = i + 1; end < p.zone && !isSlash(p.gapBefore(end)); {
				end++
			}
			return i, end
		}
	}
	if at := p.scriptChange(); at > 0 {
		return at, p.zone
	}
	if p.zone == p.limit {
		if next := p.block(p.limit); next > 0 && p.holdsTitle(p.limit, next) && p.script(p.limit) != p.script(p.title) {
			return p.limit, next
		}
	}
	return p.zone, p.zone
}

// text is the part of the name from one token up to another, as people write it.
func (p *parser) text(from, to int) string {
	start, end := p.tokens[from].start, len(p.name)
	if to < len(p.tokens) {
		end = p.tokens[to].start
	}
	whole := p.limit < len(p.tokens) || p.fan && p.block(from) == to // the bracket is no part of the title
	if p.tokens[from].opened && start > 0 && !whole {
		_, size := utf8.DecodeLastRuneInString(p.name[:start])
		start -= size
	}
	s := p.name[start:end]
	if !strings.Contains(strings.TrimSpace(s), " ") {
		s = strings.Map(func(r rune) rune {
			if r == '.' || r == '_' {
				return ' '
			}
			return r
		}, s)
	}
	s = text.Clean(s)
	s = strings.TrimRight(s, " ._-–|/([{【（,:;#")
	if p.limit < len(p.tokens) {
		s = strings.TrimRight(s, "]】")
	}
	return strings.TrimLeft(s, " ._-–|/")
}

// scriptChange finds the token where a title in Han ends and one in another
// script begins, or the other way round; 0 where there are not two titles.
func (p *parser) scriptChange() int {
	at, changes := 0, 0
	before := p.script(p.title)
	for i := p.title + 1; i < p.zone; i++ {
		script := p.script(i)
		if script == scriptAny || script == before {
			continue
		}
		if before != scriptAny {
			changes++
			at = i
			if p.tokens[i-1].end == p.tokens[i].start {
				return 0 // one word in two scripts
			}
		}
		before = script
	}
	if changes != 1 {
		return 0
	}
	return at
}

func (p *parser) script(i int) int {
	switch t := &p.tokens[i]; {
	case t.han:
		return scriptHan
	case t.text[0] >= utf8.RuneSelf && isWide(t.text):
		return scriptHan // kana between Han
	case t.number >= 0:
		return scriptAny
	default:
		return scriptOther
	}
}

// The scripts of tokens. Numbers belong to any.
const (
	scriptAny = iota
	scriptHan
	scriptOther
)
