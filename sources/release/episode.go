package release

import (
	"strings"
	"unicode"

	"xship/sources/match"
	"xship/sources/text"
)

// A reading is what the tokens from from up to to tell of season and episode.
type reading struct {
	from, to    int
	season      int  // -1 where they do not tell
	first, last int  // -1 where they tell no episode
	odd         bool // they tell one, but no whole and regular one: "S01E11.5"
}

// seasonOnly is the reading of a season that the tokens from from up to to tell.
func seasonOnly(from, to, season int) reading {
	return reading{from: from, to: to, season: season, first: -1, last: -1}
}

func (r reading) hasEpisode() bool { return r.first >= 0 || r.odd }

// findEpisode looks for marks of seasons and episodes, and where there is none of an
// episode for a number that stands where names have it.
func (p *parser) findEpisode() {
	r, ok := p.markedEpisode()
	if !ok && p.eastern.to > 0 {
		r, ok = p.eastern, true
	}
	if !ok {
		r, ok = p.plainEpisode()
	}
	if !ok {
		return
	}
	if r.season >= 0 {
		p.info.Episodes.Season = r.season
	}
	if !r.odd {
		p.info.Episodes.First, p.info.Episodes.Last, p.info.HasEpisode = r.first, r.last, true
	}
	if r.from > p.title {
		p.episode, p.behind = min(p.episode, r.from), r.to
		return
	}
	p.titleBehind(r)
}

// noteSeason notes a mark of nothing but a season, or of several. The first one
// counts.
func (p *parser) noteSeason(r reading) {
	if p.behind < len(p.tokens) {
		if p.behind == r.from {
			p.behind = r.to // "S02 Season 2"
		}
		return
	}
	p.info.Episodes.Season = r.season
	p.episode, p.behind = r.from, r.to
	if r.from <= p.title {
		p.untitled(r.to)
	}
}

// titleBehind makes what follows an episode that starts the name the title, up to the
// dash behind which the episode's own title stands: "03 - Show - Pilot". Where there is
// but one title, it is the episode's own in a folder and behind a dash, unless the name
// starts with a bare number: "05x01 Show", "05x01 - Pilot", "Show/05x01 Pilot".
func (p *parser) titleBehind(r reading) {
	p.title = r.to
	for i := r.to; i+1 < len(p.tokens) && !p.marks[i+1].strong; i++ {
		if isDash(p.gap(i)) {
			p.episode, p.behind = i+1, i+1
			return
		}
	}
	word := p.tokens[r.from].text
	_, marked := readCode(word)
	marked = marked || kindOf(word) != 0
	number := r.to < len(p.tokens) && p.tokens[r.to].number >= 0
	if p.in == seasonFolder || marked && (p.in != noFolder || r.odd || number || isDash(p.gap(r.to-1))) {
		p.untitled(r.to)
	}
}

// untitled notes that the name has no title, but only tags from token i on, among
// words such as those of an episode's own title.
func (p *parser) untitled(i int) {
	p.title, p.limit, p.episode, p.behind = i, i, i, i
}

// findEastern asks for the marks of Chinese and Japanese names, which are cut out of
// runs of letters: "第01集", "12話", "第2期 01話".
func findEastern(name string) (r match.EpisodeRange, start, end int) {
	if text.IsASCII(name) || !hasCounter(name) {
		return r, 0, 0
	}
	r, start, end, ok := match.FindEpisode(name)
	if !ok || text.IsASCII(name[start:end]) {
		return r, 0, 0
	}
	if strings.HasSuffix(name[:end], "期") && r.First == r.Last {
		if of, from, to, ok := match.FindEpisode(name[end:]); ok && !text.IsASCII(name[end+from:end+to]) {
			of.Season = r.First
			return of, start, end + to
		}
	}
	return r, start, end
}

// hasCounter tells whether name has a word that a mark found by findEastern ends in.
func hasCounter(name string) bool {
	for _, counter := range [...]string{"集", "话", "話", "回", "期"} {
		if strings.Contains(name, counter) {
			return true
		}
	}
	return false
}

// markedEpisode finds the first mark of an episode, and notes those of seasons.
func (p *parser) markedEpisode() (reading, bool) {
	for i := p.title; i < len(p.tokens); {
		if m := &p.marks[i]; m.strong || m.inside {
			i++
			continue
		}
		r, ok := p.markFrom(i)
		switch {
		case !ok:
			i++
		case r.hasEpisode():
			return r, true
		default:
			p.noteSeason(r)
			i = r.to
		}
	}
	return reading{}, false
}

// markFrom reads the mark that starts at token i.
func (p *parser) markFrom(i int) (reading, bool) {
	t := &p.tokens[i]
	if t.han {
		return reading{}, false
	}
	if r, ok := p.codeMark(i); ok {
		return r, true
	}
	if r, ok := p.koreanMark(i); ok {
		return r, true
	}
	if !text.IsDigit(t.text[0]) {
		return p.wordMark(i)
	}
	if r, ok := p.countedMark(i); ok {
		return r, true
	}
	return p.numberedMark(i)
}

// koreanMark reads "5회", "제5회" and "5화", which are one word.
func (p *parser) koreanMark(i int) (reading, bool) {
	word := p.tokens[i].text
	if text.IsAlnum(word[len(word)-1]) {
		return reading{}, false
	}
	digits, marked := strings.CutSuffix(word, "회")
	if !marked {
		digits, marked = strings.CutSuffix(word, "화")
	}
	digits = strings.TrimPrefix(digits, "제")
	n, width := leadingNumber(digits)
	if !marked || width == 0 || width < len(digits) {
		return reading{}, false
	}
	return reading{from: i, to: i + 1, season: -1, first: n, last: n, odd: p.numberBefore(i)}, true
}

// A code is what one word tells: "s01e02", "s01e01e02", "t01xe08", "1x02",
// "5x44x45", "ep02", "s02".
type code struct {
	season      int // -1 where it does not tell
	first, last int // -1 for "s02"
	width       int // of the last number, in digits
	crossed     bool
	odd         bool // it lists what does not follow each other, or more follows than a version: "s01e02b"
}

// readCode reads a word, in lower case. A longest number is one of five digits behind
// a season: a series may have more than 9,999 episodes, but no word that starts so.
func readCode(word string) (c code, ok bool) {
	c = code{season: -1, first: -1, last: -1}
	rest := word
	switch {
	case word == "":
		return c, false
	case word[0] == 's' || word[0] == 't':
		n, width := leadingNumber(word[1:])
		if width == 0 || width > 4 {
			return c, false
		}
		c.season, rest = n, strings.TrimPrefix(word[1+width:], "x")
		if rest == "" || rest == "extras" || rest[0] == 'd' && len(rest) > 1 && text.IsDigit(rest[1]) { // "s02d1", a disc
			return c, word[0] == 's'
		}
	case text.IsDigit(word[0]):
		n, width := leadingNumber(word)
		if width == 2 && len(word) == len("01e02") && word[width] == 'e' {
			c.season, rest = n, word[width:]
			break
		}
		_, height := text.PictureSize(word)
		if width == len(word) || word[width] != 'x' || width > 2 && !isYear(n) || height > 0 {
			return c, false
		}
		c.season, rest, c.crossed = n, word[width:], true
	}
	for rest != "" {
		letter := "e"
		if c.crossed {
			letter = "x"
		}
		digits, more := strings.CutPrefix(rest, letter)
		if !c.crossed {
			digits = strings.TrimPrefix(digits, "p") // "ep02"
		}
		n, width := leadingNumber(digits)
		switch {
		case !more && c.season >= 0 && isGlued(rest):
			return c, c.first >= 0
		case !more:
			c.odd = c.odd || !isVersion(rest)
			return c, c.first >= 0 && (c.season >= 0 || isVersion(rest))
		case width == 0, c.crossed && (width > 3 || n == 264 || n == 265 || c.season == 0 && width != 2):
			c.odd = true
			return c, c.first >= 0
		case c.first < 0:
			c.first = n
		case n != c.last+1:
			c.odd = true
		}
		c.last, c.width, rest = n, width, digits[width:]
	}
	return c, c.first >= 0
}

// isGlued tells whether rest, behind the number of an episode, is a word of its title
// from which nothing parts it: "S03E02Le malheur". One letter is that of a half.
func isGlued(rest string) bool {
	const least = 2
	return len(rest) >= least && strings.IndexFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) }) < 0 && rest != "bis" && rest != "ab"
}

// startsCode tells whether word may be a code.
func startsCode(word string) bool {
	if len(word) < 2 {
		return false
	}
	switch word[0] {
	case 's', 't':
		return text.IsDigit(word[1])
	case 'e':
		return text.IsDigit(word[1]) || word[1] == 'p'
	}
	return text.IsDigit(word[0])
}

// codeMark reads a mark that starts with a code.
func (p *parser) codeMark(i int) (reading, bool) {
	t := &p.tokens[i]
	if !startsCode(t.text) {
		return reading{}, false
	}
	word := t.text
	if !text.IsASCII(word) {
		word = strings.ReplaceAll(word, "х", "x") // the Cyrillic letter
	}
	c, ok := readCode(word)
	switch {
	case !ok, c.width > 4 && c.season < 0:
		return reading{}, false
	case c.first < 0:
		return p.seasonMark(seasonOnly(i, i+1, c.season))
	case c.crossed && isYear(c.season) && c.width == 2 && i+1 < len(p.tokens) && len(p.tokens[i+1].text) == 2 && p.tokens[i+1].number > 0 && len(p.gap(i)) == 1:
		return reading{}, false // "2008x12.13" is a date
	case c.crossed && c.width == 1 && !p.standsApart(i) && (!p.endsNumber(i+1) || c.season == c.last && c.last > 1 || t.text == "2x4"):
		return reading{}, false // "4x4" and the like are words
	}
	r := reading{from: i, to: i + 1, season: c.season, first: c.first, last: c.last, odd: c.odd}
	if c.odd {
		return r, true
	}
	return p.extend(r, c.width, false), true
}

// standsApart tells whether a dash or a bracket stands beside token i.
func (p *parser) standsApart(i int) bool {
	return p.tokens[i].opened || strings.Contains(p.gapBefore(i), "-") || strings.Contains(p.gap(i), "-")
}

// seasonMark reads on behind the mark of a season.
func (p *parser) seasonMark(r reading) (reading, bool) {
	if p.ofSeason {
		return r, true // a season has no seasons
	}
	if several, ok := p.moreSeasons(r); ok {
		return several, true
	}
	p.ofSeason = true
	e, ok := p.episodeOfSeason(r)
	if p.ofSeason = false; ok {
		return e, true
	}
	word := p.tokens[r.from].text
	if len(word) == 2 && word[0] == 's' && r.from > p.title && !p.endsNumber(r.to) {
		return reading{}, false // "S2" in a title
	}
	return r, true
}

// moreSeasons reads the rest of "S01-S03" and "Season 1 & 2", which is no season.
func (p *parser) moreSeasons(r reading) (reading, bool) {
	last, several := r.season, false
	for {
		joint, next := p.joint(r.to)
		if next >= len(p.tokens) {
			break
		}
		t := &p.tokens[next]
		n, width := t.number, len(t.text)
		if t.text[0] == 's' {
			n, width = text.Number(t.text[1:]), 0
		}
		// "S2 - 09" is an episode, "Season 1 - 8" is not.
		padded := width == 2 && t.text[0] == '0' && len(p.tokens[r.to-1].text) == len("s2")
		joined := joint != "-" || !padded && (p.gap(next-1) == joint || width == 0 || width == 1 && len(p.tokens[r.to-1].text) == 1)
		if !strings.Contains("-~&,", joint) || joint == "" || n <= last || width > 2 || !joined {
			break
		}
		last, several, r.to = n, true, next+1
	}
	r.season = -1
	return r, several
}

// joint is what joins token i to the one before: a dash, a sign or a word for "and" or
// "to", "" for nothing but a separator. The token that it is joined with is next.
func (p *parser) joint(i int) (joint string, next int) {
	if i >= len(p.tokens) {
		return "", i
	}
	joint = strings.Trim(p.gap(i-1), " ._")
	if joint == "" {
		switch p.tokens[i].text {
		case "and", "y", "und", "et", "en":
			return "&", i + 1
		case "to", "bis":
			return "~", i + 1
		case "à", "a", "al", "ao":
			if i+1 < len(p.tokens) && startsCode(p.tokens[i+1].text) {
				return "~", i + 1
			}
		}
	}
	switch joint {
	case "–", "—":
		joint = "-"
	case "+":
		joint = "&"
	}
	return joint, i
}

// maxGap is how many bytes may stand between the parts of a mark.
const maxGap = len(" № ")

// episodeOfSeason reads the episode that follows a season: "S01 E02", "Season 1
// Episode 2", "S01.07", "S2 - 09".
func (p *parser) episodeOfSeason(r reading) (reading, bool) {
	i := r.to
	if i == len(p.tokens) || p.tokens[i].han {
		return r, false
	}
	gap := p.gap(i - 1)
	if len(gap) > maxGap || strings.Trim(gap, " ._-–,:;/#[(|") != "" {
		return r, false
	}
	if c, ok := readCode(p.tokens[i].text); ok && c.season < 0 {
		e := reading{from: r.from, to: i + 1, season: r.season, first: c.first, last: c.last, odd: c.odd}
		if !c.odd {
			e = p.extend(e, c.width, false)
		}
		return e, true
	}
	if digits, ok := strings.CutPrefix(p.tokens[i].text, "x"); ok && len(digits) == 2 && text.Number(digits) >= 0 {
		n := text.Number(digits)
		return reading{from: r.from, to: i + 1, season: r.season, first: n, last: n}, true // "S03-x01"
	}
	e, ok := p.wordMark(i)
	if !ok {
		e, ok = p.numberedMark(i)
	}
	if ok && e.hasEpisode() {
		if e.from = r.from; e.season < 0 {
			e.season = r.season
		}
		return e, true
	}
	n, ok := p.numberAt(i)
	if !ok || n.odd || n.width < 2 || isPicture(n.first) || isYear(n.first) {
		return r, false
	}
	ends := n.padded || p.endsNumber(n.to)
	switch strings.Trim(gap, " ._") {
	case "":
		ok = n.width == 2 && ends || n.to == len(p.tokens)
	default:
		ok = ends
	}
	if gap == "-" { // "S2-07", but "S01-03" may be three seasons
		ok = ok && n.width == 2 && len(p.tokens[i-1].text) == 2 && n.last == n.first
	}
	return reading{from: r.from, to: n.to, season: r.season, first: n.first, last: n.last}, ok
}

// extend reads on behind an episode, the number of which has width digits and follows
// a word or a code: "S01E01-E03", "-03", "+02", ".S01E02", "& 1x03". Those that are
// listed must follow each other, for a run is all that can be told.
func (p *parser) extend(r reading, width int, word bool) reading {
	for r.to < len(p.tokens) {
		gap := p.gap(r.to - 1)
		joint, next := p.joint(r.to)
		if next == len(p.tokens) {
			break
		}
		c, coded := p.nextCode(next, r.season)
		if !coded {
			break
		}
		bare := c.season < 0 && text.IsDigit(p.tokens[next].text[0])
		switch {
		case joint == "-" || joint == "~":
			tight := gap == joint || joint == "~" || word && width > 1 && c.width >= width && p.endsNumber(next+1)
			short := c.width < width && width > 2 || c.width > 3 && c.width != width
			date := p.joinedNumber(next) && (c.first != r.last+1 || p.tokens[next+1].number != c.first+1)
			if bare && (!tight || short || date || isPicture(c.first) || isYear(c.first)) {
				return p.checked(r)
			}
			if c.first <= r.last {
				r.odd = r.odd || !bare
				return p.checked(r)
			}
		case joint == "&" || joint == "," && !bare || joint == "" && !bare && len(gap) <= 1 || gap == "_" && r.season >= 0 && width > 1:
			if bare && (c.width != width || isPicture(c.first)) || bare && gap == "_" && c.first != r.last+1 {
				return p.checked(r)
			}
			if c.first != r.last+1 {
				r.odd, r.to = true, next+1
				return r
			}
		default:
			return p.checked(r)
		}
		r.last, r.to = c.last, next+1
	}
	return p.checked(r)
}

// nextCode reads token i as a further episode of a season: as a code or as a number.
func (p *parser) nextCode(i, season int) (code, bool) {
	word := p.tokens[i].text
	if c, ok := readCode(strings.TrimPrefix(word, "x")); ok {
		return c, c.first >= 0 && !c.odd && (c.season < 0 || c.season == season)
	}
	digits := word
	if season >= 0 {
		digits = strings.TrimPrefix(word, "x") // "1x01-x03"
	}
	n, width := leadingNumber(digits)
	codec := len(digits) < len(word) && (n == 264 || n == 265) // "x264"
	return code{season: -1, first: n, last: n, width: width}, width > 0 && width < 5 && isVersion(digits[width:]) && !codec
}

// checked makes r odd where half an episode follows: "S01E11.5". Where more numbers
// follow the digit, this may be of the sound: "S01E02.5.1". Of "S01E02.5.Ferries" nobody
// knows whether the digit is of the title.
func (p *parser) checked(r reading) reading {
	i := r.to
	gap := p.gap(i - 1)
	if i == len(p.tokens) || gap != "." && gap != "," || len(p.tokens[i].text) > 1 || p.tokens[i].number < 0 || p.marks[i].isTag() {
		return r
	}
	if word := p.tokens[i-1].text; len(word) > 2 && word[len(word)-2] == 'v' {
		return r // "E06v1.5", a version
	}
	more := i+1 < len(p.tokens) && p.gap(i) == "." && p.tokens[i+1].number >= 0 && !p.marks[i+1].isTag()
	r.odd = r.odd || !more
	return r
}

// joinedNumber tells whether a further number follows token i with nothing but a dash
// between them.
func (p *parser) joinedNumber(i int) bool {
	return i+1 < len(p.tokens) && p.tokens[i+1].number >= 0 && p.gap(i) == "-"
}

// countedMark reads "2of4" and "02 of 24". Of two there are parts of films.
func (p *parser) countedMark(i int) (reading, bool) {
	t := &p.tokens[i]
	first, width := leadingNumber(t.text)
	total, to, odd := -1, i+1, false
	rest := t.text[width:]
	switch {
	case strings.HasPrefix(rest, "of"):
		total = text.Number(rest[2:])
	case rest == "" && i+2 < len(p.tokens) && len(p.gap(i)) == 1 && len(p.gap(i+1)) == 1 && (p.tokens[i+1].text == "of" || p.tokens[i+1].text == "из"):
		total, to = p.tokens[i+2].number, i+3
		odd = p.tokens[i+1].text == "из" // so many of them
	}
	part := p.wordBefore(i)&(partWord|seasonBefore) != 0
	if i == p.title || part || first < 1 || width > 3 || total < first || total > 999 || total < 3 && t.text[0] != '0' {
		return reading{}, false
	}
	return reading{from: i, to: to, season: -1, first: first, last: first, odd: odd}, true
}

// wordMark reads what starts with a word for season or episode: "Season 2", "Ep. 3",
// "Cap.102", "Episódio 1", "Temporada1", "Second Season".
func (p *parser) wordMark(i int) (reading, bool) {
	word := p.tokens[i].text
	kind, at, digits := kindOf(word), i+1, ""
	if kind == 0 && text.IsDigit(word[len(word)-1]) {
		cut := strings.IndexAny(word, "0123456789")
		kind, at, digits = kindOf(word[:cut]), i, word[cut:]
		word = word[:cut]
	}
	if word == "series" && i > p.title && at == i+1 && p.isBritish(at) {
		kind = seasonBefore
	}
	switch {
	case kind == ordinalWord:
		if i == p.title || at == len(p.tokens) || p.tokens[at].text != "season" {
			return reading{}, false
		}
		return p.seasonMark(seasonOnly(i, i+2, ordinal(word)))
	case kind&(seasonBefore|episodeBefore) == 0, at == len(p.tokens),
		at > i && (len(p.gap(i)) > maxGap || strings.Trim(p.gap(i), " ._-#:№(=") != ""):
		return reading{}, false
	}
	if digits == "" {
		digits = p.tokens[at].text
	}
	if kind&seasonBefore != 0 {
		season := p.seasonNumber(digits, at)
		if season < 0 || len(digits) > 2 && strings.HasPrefix(word, "tem") && len(word) < 5 {
			return reading{}, false
		}
		return p.seasonMark(seasonOnly(i, at+1, season))
	}
	first, width := leadingNumber(digits)
	if width == 0 || !isVersion(digits[width:]) {
		return reading{}, false
	}
	r := reading{from: i, to: at + 1, season: -1, first: first, last: first}
	behind := at + 1
	switch {
	case word == "cap" && width > 2:
		return p.chapter(r, width)
	case isYear(first):
		return reading{}, false
	case behind == len(p.tokens):
	case p.gap(at) == "." && width == 1 && len(p.tokens[behind].text) == 2 && p.tokens[behind].number > 0 && p.endsNumber(behind+1) && p.info.Episodes.Season < 0:
		n := p.tokens[behind].number // "Episode 1.22"
		return reading{from: i, to: behind + 1, season: first, first: n, last: n}, true
	case p.gap(at) == "." && p.tokens[behind].number >= 0 && len(p.tokens[behind].text) < 4:
		r.odd, r.to = true, behind+1
		return r, true
	case width == 1 && word == "episode" && p.info.Episodes.Season < 0 && isYear(p.tokens[behind].number):
		return reading{}, false // of a film: "Episode 4 1977"
	case p.tokens[behind].text == "из" && strings.EqualFold(word, "серии"):
		r.odd = true // so many of them
	}
	return p.extend(r, width, true), true
}

// isBritish tells whether token i, behind the word "series", is the number of a season,
// which is called so in Britain: "Show - Series 1 (1970)", "Show Series 2 Episode 3".
func (p *parser) isBritish(i int) bool {
	if p.fan || i >= len(p.tokens) || p.tokens[i].number <= 0 || len(p.tokens[i].text) > 2 || p.tokens[i].text[0] == '0' || len(p.gap(i-1)) != 1 {
		return false
	}
	return p.endsNumber(i+1) || kindOf(p.tokens[i+1].text)&episodeBefore != 0
}

// chapter reads the number behind "Cap.", which has the season before the episode
// where it is long: "[Cap.102]", "[Cap.102_104]". Without the dot or the bracket it is
// not known to.
func (p *parser) chapter(r reading, width int) (reading, bool) {
	at := r.to - 1
	season, episode := r.first/100, r.first%100
	coded := p.tokens[r.from].opened || strings.HasPrefix(p.gap(r.from), ".")
	if !coded || episode == 0 || width > 4 {
		r.odd = true
		return r, true
	}
	r.season, r.first, r.last = season, episode, episode
	if gap := p.gap(at); (gap == "_" || gap == "-") && r.to < len(p.tokens) {
		if t := &p.tokens[r.to]; len(t.text) == width && t.number/100 == season && t.number%100 > episode {
			r.last, r.to = t.number%100, r.to+1
		}
	}
	return r, true
}

// seasonNumber is the season that word, which is or ends token i, names, -1 for none.
func (p *parser) seasonNumber(word string, i int) int {
	word, _, _ = strings.Cut(word, "of") // "2of5"
	switch n := text.Number(word); {
	case n >= 0 && len(word) <= 2, isYear(n):
		return n
	case n >= 0:
		return -1
	}
	if n := ordinal(word); n > 0 {
		return n
	}
	capitals := p.name[p.tokens[i].start:p.tokens[i].end]
	if n := text.RomanNumber(p.tokens[i].text); n >= 2 && strings.ToUpper(capitals) == capitals {
		return n
	}
	return -1
}

// numberedMark reads a number before a word: "24 серия", "2nd Season", "3ª Temporada",
// "7. Bölüm".
func (p *parser) numberedMark(i int) (reading, bool) {
	t := &p.tokens[i]
	n, width := leadingNumber(t.text)
	if width == 0 || width > 4 {
		return reading{}, false
	}
	suffix, next := t.text[width:], i+1
	if next < len(p.tokens) && suffix == "" && p.gap(i) == "-" && len(p.tokens[next].text) <= len("ой") {
		suffix, next = p.tokens[next].text, next+1
	}
	if next == len(p.tokens) || len(p.gap(next-1)) > maxGap || strings.Trim(p.gap(next-1), " ._") != "" {
		return reading{}, false
	}
	word := p.tokens[next].text
	kind, behind := kindOf(word), next+1
	follows := -1 // what is numbered by the next number: "Сезон 2 Серия 3"
	if behind < len(p.tokens) && strings.Trim(p.gap(next), " .№:") == "" && !isYear(p.tokens[behind].number) {
		follows = p.seasonNumber(p.tokens[behind].text, behind)
	}
	switch suffix {
	case "st", "nd", "rd", "th":
		if word == "season" && i > p.title {
			kind = seasonAfter
		}
	case "", "a", "o", "ª", "º", "°", "й", "я", "ой", "e", "eme":
	default:
		return reading{}, false
	}
	switch {
	case kind&episodeAfter != 0 && n > 0 && (kind&episodeBefore == 0 || follows < 0):
		return reading{from: i, to: behind, season: -1, first: n, last: n, odd: p.numberBefore(i)}, true
	case kind&seasonAfter != 0 && width <= 2 && (kind&seasonBefore == 0 || follows < 0 || p.isNumberedEpisode(behind)):
		return p.seasonMark(seasonOnly(i, behind, n))
	}
	return reading{}, false
}

// isNumberedEpisode tells whether token i is a number with a word for episode behind.
func (p *parser) isNumberedEpisode(i int) bool {
	if p.gap(i) == "-" {
		i++ // "09-я серия"
	}
	return i+1 < len(p.tokens) && kindOf(p.tokens[i+1].text)&episodeAfter != 0
}

// numberBefore tells whether the number at token i is joined to one before it.
func (p *parser) numberBefore(i int) bool {
	if i == 0 || p.tokens[i-1].number < 0 {
		return false
	}
	switch p.gapBefore(i) {
	case "-", ".", ",", "–", "+", "&":
		return true
	}
	return false
}
