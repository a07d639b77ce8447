package match

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"xship/sources/link"
	"xship/sources/text"
)

// western accepts "E02", "Episode 2", "Episodes 2-4", "Cap.102" and runs of them.
func (p *parser) western(r *EpisodeRange) bool {
	from := p.i
	if !p.westernMark(r) {
		p.i = from
		return false
	}
	return true
}

func (p *parser) westernMark(r *EpisodeRange) bool {
	n, width, word := p.westernNumber()
	if word == noWord {
		return false
	}
	if word == chapterWord && width > 2 {
		if r.Season >= 0 || n%100 == 0 || partGoesOn(p.rest()) {
			p.odd = true
			return false
		}
		r.Season, n = n/100, n%100
	}
	r.First, r.Last = n, n
	if decimalFollows(p.rest()) {
		p.odd = true
		return false
	}
	if word != chapterWord {
		p.tail(r, width, word)
	}
	return !p.odd && p.atEnd() && (word != pluralWord || r.First < r.Last)
}

// partGoesOn tells whether a further number is joined to the one before rest.
func partGoesOn(rest string) bool {
	return len(rest) >= 2 && strings.IndexByte("-_~+&", rest[0]) >= 0 && text.IsDigit(rest[1])
}

// episodeWord is a word that stands before the number of an episode.
type episodeWord int

const (
	noWord      episodeWord = iota
	letterWord              // "E", with its number right behind it
	plainWord               // "Episode"
	pluralWord              // "Episodes": of more than one
	chapterWord             // "Cap.": three digits are season and episode
)

// westernNumber accepts a word and its number. Only whole words may be parted from
// it.
func (p *parser) westernNumber() (n, width int, word episodeWord) {
	start := p.i
	if p.i == len(p.s) {
		return 0, 0, noWord
	}
	switch p.s[p.i] | 0x20 {
	case 'e':
		switch {
		case p.word("episodes", "eps"):
			word = pluralWord
		case p.word("episode", "episodio", "episódio", "ep"):
			word = plainWord
		case p.word("e"):
			word = letterWord
		}
	case 'f':
		switch {
		case p.word("folgen"):
			word = pluralWord
		case p.word("folge"):
			word = plainWord
		}
	case 'c':
		switch {
		case p.word("capítulo", "capitulo"): //nolint:misspell // Spanish
			word = plainWord
		case p.word("cap."):
			word = chapterWord
		}
	case 'p', 'o', 'a', 'j', 'b', 't':
		if p.word("puntata", "odcinek", "odc.", "aflevering", "avsnitt", "afsnit", "jakso", "bölüm", "tập") {
			word = plainWord
		}
	default:
		if p.s[p.i] >= utf8.RuneSelf && p.word("épisode", "серия", "эпизод", "выпуск", "ตอนที่", "الحلقة") {
			word = plainWord
		}
	}
	if word == plainWord || word == pluralWord {
		p.skip(" ._#:-")
	}
	n, width, ok := p.digits(4)
	if word == noWord || !ok {
		p.i = start
		return 0, 0, noWord
	}
	return n, width, word
}

// spacedMark accepts "S 01 E 05".
func (p *parser) spacedMark(r *EpisodeRange) bool {
	start := p.i
	if p.word("s ") {
		if season, width, ok := p.digits(2); ok && width == 2 && p.word(" e ", "e ") {
			if n, width, ok := p.digits(3); ok && width > 1 && p.atEnd() && !decimalFollows(p.rest()) {
				*r = EpisodeRange{Season: season, First: n, Last: n}
				return true
			}
		}
	}
	p.i = start
	return false
}

// numbered accepts "3 серия", "3. Bölüm" and "3. Folge".
func (p *parser) numbered(r *EpisodeRange) bool {
	start := p.i
	n, _, ok := p.digits(4)
	if ok && p.i < len(p.s) {
		dotted := p.s[p.i] == '.'
		if dotted {
			p.i++
		} else if !p.ascii {
			p.word("-я")
		}
		if p.rune(" ") && p.numberedWord(dotted) && p.atEnd() {
			r.First, r.Last, p.form = n, n, formNumbered
			return true
		}
	}
	p.i = start
	return false
}

// numberedWord accepts the word behind the number of an episode.
func (p *parser) numberedWord(dotted bool) bool {
	return !p.ascii && p.word("серия", "выпуск", "bölüm", "rész", "díl") ||
		dotted && p.word("folge", "episode", "bolum", "odcinek", "avsnitt", "afsnit", "jakso", "aflevering", "epizoda")
}

// numbersNext tells whether a number beside a word for an episode is that of the word
// before it, as the next number is that of the episode: "Sezon 2 Bölüm 5".
func numbersNext(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(before, " "))
	p := parser{s: after}
	p.skip(" .#:-")
	_, _, ok := p.digits(3)
	return ok && p.i > 0 && p.atEnd() && unicode.IsLetter(last)
}

// decimalFollows tells whether rest goes on the number before it, so that this is
// none of its own: ".5". A word that starts with digits (".1080p"), a year and two
// digits, such as the channels of sound (".5.1"), do not, nor does the title of an
// episode (".5.Minutes.to.Live").
func decimalFollows(rest string) bool {
	if len(rest) < 2 || rest[0] != '.' && rest[0] != ',' || !text.IsDigit(rest[1]) {
		return false
	}
	if len(rest) == 2 {
		return true
	}
	if text.IsAlnum(rest[2]) && !text.IsVersion(rest[2:min(len(rest), 4)]) {
		return false
	}
	if rest[2] == '.' && countsInTitle(rest[1], rest[3:]) {
		return false
	}
	second := len(rest) > 3 && rest[2] == '.' && text.IsDigit(rest[3]) && (len(rest) == 4 || !text.IsAlnum(rest[4]))
	return !second
}

// countsInTitle tells whether digit and the words behind it are the title of an episode
// rather than a half and what is told of the release: ".3.Wishes". Half episodes end in a
// five, behind which only what is counted says that it does count: ".5.Minutes".
func countsInTitle(digit byte, words string) bool {
	word, _ := wordsBehind(words)
	first, _ := utf8.DecodeRuneInString(word)
	word = lower(word)
	if !unicode.IsLetter(first) || len(word) < 2 || len(text.TagsOf(word)) > 0 || link.TrimExtension("0."+words) == "0" || saysExtra(word) {
		return false
	}
	if _, height := text.PictureSize(word); height > 0 {
		return false
	}
	return digit != '5' || slices.Contains(countedInTitles, word)
}

// countedInTitles is what titles of episodes count. Of other words in the plural nobody
// knows: "S01E11.5.Memories" is half an episode.
var countedInTitles = []string{
	"seconds", "minutes", "hours", "days", "nights", "weeks", "months", "years", "miles", "dollars", "women", "men", "people", "children",
	"sekunden", "minuten", "stunden", "tage", "wochen", "monate", "jahre", "secondi", "minuti", "ore", "giorni", "anni", "jours", "heures", "ans", "horas", "minutos",
}

// maxTail is how many further episodes a mark may list.
const maxTail = 32

// joint is what joins a further episode to a mark.
type joint int

const (
	noJoint joint = iota
	spanJoint
	listJoint
)

// tail extends r by what follows its first number: by the end of a run ("-E03",
// "-03", "-S01E03", "-1x03") or by the next episode ("E02", "+02", ".S01E02"). What
// names other episodes too, but no run, makes the mark an odd one.
func (p *parser) tail(r *EpisodeRange, width int, word episodeWord) {
	for range maxTail {
		start := p.i
		join := p.joint()
		glued := p.i == start+1
		n, ok := p.furtherNumber(r, width, join, glued, word)
		if p.odd {
			return
		}
		if !ok || join == spanJoint && n < r.Last || !p.tailEnd() {
			p.i = start
			p.odd = join == spanJoint && glued && p.runGoesOn(r.Last)
			break
		}
		if decimalFollows(p.rest()) || join != spanJoint && n != r.Last && n != r.Last+1 {
			p.odd = true
			return
		}
		r.Last = n
	}
	p.odd = p.odd || r.Last > r.First && yearGoesOn(p.rest())
}

// runGoesOn tells whether a dash and the end of a run follow that is not written as one.
func (p *parser) runGoesOn(last int) bool {
	rest := parser{s: p.rest(), i: 1}
	n, _, ok := rest.digits(3)
	return ok && rest.atEnd() && n > last && !isPictureOrYear(n)
}

// yearGoesOn tells whether rest makes a date of the run before it.
func yearGoesOn(rest string) bool {
	if len(rest) == 0 || strings.IndexByte("-./", rest[0]) < 0 {
		return false
	}
	_, ok := leadingYear(rest[1:])
	return ok
}

// joint accepts what may stand before a further episode.
func (p *parser) joint() joint {
	start := p.i
	p.skip(" ")
	switch {
	case p.rune("-–—~"):
		p.skip(" ")
		return spanJoint
	case p.rune("+&,/"):
		p.skip(" ")
		return listJoint
	case p.i == start && p.rune("._"):
		p.word("and.", "and_")
		return listJoint
	}
	switch {
	case p.i == start:
	case p.word("and "):
		return listJoint
	case p.word("to ", "bis "):
		return spanJoint
	}
	return noJoint
}

// furtherNumber accepts the number of a further episode. Without a mark of its own
// it is as wide as the first one, so that neither a picture height nor a year is
// taken for it.
func (p *parser) furtherNumber(r *EpisodeRange, width int, join joint, glued bool, first episodeWord) (int, bool) {
	if p.i == len(p.s) {
		return 0, false
	}
	parted, spaced := p.s[p.i-1] == '.' || p.s[p.i-1] == '_', p.s[p.i-1] == ' '
	if season, ok := p.seasonMark(); ok {
		n, _, word := p.westernNumber()
		if word != letterWord && word != plainWord {
			return 0, false
		}
		p.odd = season != r.Season
		return n, !p.odd
	}
	start := p.i
	if n, _, word := p.westernNumber(); word == letterWord || word != noWord && word == first {
		return n, true
	}
	p.i = start
	padded := p.s[p.i] == '0'
	n, w, ok := p.digits(4)
	switch {
	case !ok:
		return 0, false
	case join == noJoint:
		return n, spaced && padded && w == width && w >= 2
	case n == r.Season && p.word("x"):
		n, w, ok = p.digits(4)
		return n, ok && w == width
	}
	if join == spanJoint && (glued && first == plainWord || first == pluralWord) && !isPictureOrYear(n) {
		return n, true
	}
	return n, glued && !parted && w == width && w >= 2 && !isPictureOrYear(n)
}

// tailEnd tells whether the mark ends here or goes on with a further episode.
func (p *parser) tailEnd() bool {
	return p.atEnd() || p.i < len(p.s) && p.s[p.i]|0x20 == 'e'
}

// crossed accepts "1x02" and runs of it.
func (p *parser) crossed(r *EpisodeRange) bool {
	start := p.i
	season, _, ok := p.digits(2)
	if ok && p.word("x") {
		if n, width, ok := p.digits(3); ok && width >= 2 && n != 264 && n != 265 && (season > 0 || width == 2) {
			*r = EpisodeRange{Season: season, First: n, Last: n}
			if decimalFollows(p.rest()) {
				p.odd = true
				return false
			}
			if p.tail(r, width, letterWord); !p.odd && p.atEnd() {
				return true
			}
		}
	}
	p.i = start
	r.Season = -1
	return false
}

// ofMany accepts "2 of 4" and "2of4".
func (p *parser) ofMany(r *EpisodeRange) bool {
	start := p.i
	if n, _, ok := p.digits(3); ok && n > 0 {
		p.skip(" ")
		if p.word("of", "von") {
			p.skip(" ")
			if total, _, ok := p.digits(3); ok && n <= total && p.atEnd() {
				r.First, r.Last = n, n
				p.form = formOf
				return true
			}
		}
	}
	p.i = start
	return false
}

// dashedNumber accepts " - 05" behind the mark of a season, where nothing but tags in
// brackets or a title behind a further dash follows.
func (p *parser) dashedNumber(r *EpisodeRange) bool {
	start := p.i
	if rest, ok := strings.CutPrefix(p.rest(), " - "); ok {
		n := parser{s: rest}
		if first, width, ok := n.digits(4); ok && width >= 2 && !isPictureOrYear(first) {
			if decimalFollows(n.rest()) {
				p.odd = true
			} else if n.atEnd() && numberEnds(n.rest()) {
				r.First, r.Last = first, first
				p.i = len(p.s) - len(n.rest())
				return true
			}
		}
	}
	p.i = start
	return false
}
