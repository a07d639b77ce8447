package release

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"xship/sources"
	"xship/sources/link"
	"xship/sources/text"
)

const multi = "multi"

// maxName is how much of a name is read, in bytes.
const maxName = 4096

// First and last year taken for that of a release. Later numbers are part of a
// name: "Blade Runner 2049".
const (
	firstYear = 1900
	lastYear  = 2039
)

// Parse reads a release name, a file name or the label of a link. It reads at
// most 4 KiB, in time linear in their length.
func Parse(name string) Info { return parse(name, true) }

// parse is Parse, with the title or without.
func parse(name string, title bool) Info {
	name = plainName(name)
	if folders, file, ok := splitPath(name); ok {
		return parsePath(folders, file, title)
	}
	return parseName(name, title, noFolder)
}

// shortened is as much of a name as is read.
func shortened(name string) string {
	if len(name) > maxName {
		name = strings.ToValidUTF8(name[:maxName], "")
	}
	return name
}

// plainName is as much of a name as is read, with letters and digits of full width as
// the plain ones. One that is written from its end to its start is turned round.
func plainName(name string) string {
	name = shortened(name)
	if strings.IndexByte(name, 0xef) >= 0 { // the first byte of full width
		name = strings.Map(func(r rune) rune {
			const width = '０' - '0'
			if plain := r - width; plain > 0 && plain < utf8.RuneSelf && text.IsAlnum(byte(plain)) {
				return plain
			}
			return r
		}, name)
	}
	for _, size := range [...]string{".p0801.", ".p027.", ".p0612."} {
		if strings.Contains(name, size) {
			file := link.TrimExtension(name)
			runes := []rune(file)
			slices.Reverse(runes)
			return string(runes) + name[len(file):]
		}
	}
	return name
}

// folder is what a name lies in.
type folder int

const (
	noFolder     folder = iota // nothing, or what is not known
	someFolder                 // one that may be called by the title
	seasonFolder               // the files of a season
)

// parseName reads a name without folders, which lies in one of the kind.
func parseName(name string, title bool, in folder) Info {
	p, _ := parsers.Get().(*parser)
	defer parsers.Put(p)
	p.start(link.TrimExtension(name))
	p.in = in
	p.findTitle()
	p.findEpisode()
	p.findYear()
	p.findZone()
	p.readTags()
	if title {
		p.readTitle()
	}
	return p.info
}

// parsers are used again for their tokens and marks.
var parsers = sync.Pool{New: func() any { return new(parser) }}

// parser holds one name and what is known of it so far. Indices are those of
// tokens; len(tokens) stands for "none".
type parser struct {
	name   string
	tokens []token
	marks  []mark // one a token
	info   Info

	eastern  reading // of a Chinese or Japanese mark
	ofSeason bool    // the episode of a season is being read
	in       folder  // what the name lies in
	fan      bool    // a fan group's: it names itself first, or there is a checksum
	digits   bool    // a token starts with one
	dated    bool    // there is a year

	head    int // first token behind the group that starts the name
	title   int // first token of the title
	limit   int // first token behind the bracket that holds the title
	episode int // first token of season and episode
	behind  int // first token behind them
	year    int
	zone    int // first token that is not part of the title
	chained int // first token that is no tag, behind the episode
	sure    int // first of the sure tags, behind the episode
}

// mark says what the tags at one token are.
type mark struct {
	tags   []text.Tag
	tokens int // how many the tags span; 0: no tag starts here
	rank   int // of the quality among tags
	strong bool
	inside bool // a tag that started earlier goes on here
}

func (m mark) isTag() bool { return m.tokens > 0 || m.inside }

// start makes p ready for a name, whatever it read before.
func (p *parser) start(name string) {
	*p = parser{name: name, tokens: p.tokens[:0], marks: p.marks[:0]}
	p.info.Episodes.Season = -1
	eastern, start, end := findEastern(name)
	p.tokens = tokenize(p.tokens, name, lowerASCII(name), start, end)
	p.marks = slices.Grow(p.marks, len(p.tokens))[:len(p.tokens)]
	clear(p.marks)
	for i := 0; i < len(p.tokens); {
		p.digits = p.digits || text.IsDigit(p.tokens[i].text[0])
		m := p.markAt(i)
		p.marks[i] = m
		for j := i + 1; j < i+m.tokens; j++ {
			p.marks[j].inside = true
		}
		i += max(m.tokens, 1)
	}
	p.trustBrackets()
	none := len(p.tokens)
	p.limit, p.episode, p.behind, p.year, p.zone = none, none, none, none, none
	if end > 0 {
		p.eastern = reading{from: p.tokenAt(start), to: p.tokenAt(end), season: eastern.Season, first: eastern.First, last: eastern.Last}
	}
}

// trustBrackets makes the tags in a bracket that holds nothing else strong:
// "Movie (German)". A count of episodes is one: "[全12集]".
func (p *parser) trustBrackets() {
	open := -1
	for i := range p.tokens {
		t := &p.tokens[i]
		if t.opened {
			open = i
		}
		if t.closed && p.isCount(i) {
			p.marks[i-2] = mark{tags: noise, tokens: 3, strong: true}
			p.marks[i-1].inside, p.marks[i].inside = true, true
		}
		if !p.marks[i].isTag() {
			open = -1
		}
		if t.closed && i > 0 && p.isNumbered(i) {
			p.marks[i-1] = mark{}
		}
		if t.closed && open >= 0 {
			for j := open; j <= i; j++ {
				p.marks[j].strong = p.marks[j].tokens > 0
			}
			open = -1
		}
	}
}

// isCount tells whether a count of episodes that fills a bracket ends at token i.
func (p *parser) isCount(i int) bool {
	if i < 2 || !p.tokens[i-2].opened || p.tokens[i-1].number < 0 {
		return false
	}
	switch p.tokens[i].text {
	case "集", "话", "話", "回", "期":
	default:
		return false
	}
	switch p.tokens[i-2].text {
	case "全", "共", "更至", "更新至", "更新到":
		return true
	}
	return false
}

// isNumbered tells whether token i is a number that makes a name of the word of a source
// before it, with which it stands in a bracket: "[TC-87]".
func (p *parser) isNumbered(i int) bool {
	m := p.marks[i-1]
	return p.tokens[i].number >= 0 && !p.marks[i].isTag() && p.tokens[i-1].opened && m.tokens == 1 && m.tags[0].Kind == text.TagSource && m.tags[0].Place < text.Apart && !isPicture(p.tokens[i].number)
}

// markAt finds the tags that start at token i.
func (p *parser) markAt(i int) mark {
	t := &p.tokens[i]
	if t.han {
		tags := hanRun(t.text)
		if tags == nil {
			return mark{}
		}
		return mark{tags: tags, tokens: 1, rank: rankVague, strong: true}
	}
	if p.isChecksum(i) {
		p.fan = true
		return mark{tags: noise, tokens: 1, strong: true}
	}
	if m := p.phraseAt(i); m.tokens > 0 {
		return m
	}
	if q, rank := picture(t.text); rank > 0 {
		return mark{tags: pictureTags()[q], tokens: 1, rank: rank, strong: true}
	}
	if m := p.channelsAt(i); m.tokens > 0 {
		return m
	}
	found := text.TagsOf(t.text)
	if found == nil {
		return mark{}
	}
	if changed := plus(found[0]); changed != found[0] && p.followedBy(i, '+') {
		found = []text.Tag{changed}
	}
	return mark{tags: found, tokens: 1, rank: qualityRank(t.text), strong: found[0].Sure()}
}

var noise = []text.Tag{{Kind: text.TagNoise, Place: text.Anywhere}}

// isChecksum tells whether token i is the checksum of a file, in a bracket: "[1A2B3C4D]".
func (p *parser) isChecksum(i int) bool {
	t := &p.tokens[i]
	if len(t.text) != 8 || !t.opened || !t.closed {
		return false
	}
	digits := 0
	for j := range len(t.text) {
		switch c := t.text[j]; {
		case text.IsDigit(c):
			digits++
		case c < 'a' || c > 'f':
			return false
		}
	}
	return digits > 0
}

// plus is what a tag means with a plus sign behind it.
func plus(t text.Tag) text.Tag {
	switch t.Value {
	case "HDR10":
		t.Value = "HDR10+"
	case "AC3":
		t.Value = "EAC3"
	}
	return t
}

// phraseAt finds a tag that is written as several words: "WEB-DL", "H.264".
func (p *parser) phraseAt(i int) mark {
	if !text.StartsPhrase(p.tokens[i].text) {
		return mark{}
	}
	phrases := [text.LongestPhrase + 1]string{1: p.tokens[i].text}
	n := 1
	for n < text.LongestPhrase && i+n < len(p.tokens) && p.adjacent(i+n-1) && !p.tokens[i+n].han {
		phrases[n+1] = phrases[n] + p.tokens[i+n].text
		n++
	}
	for ; n > 1; n-- {
		if found := text.TagsOf(phrases[n]); found != nil {
			return mark{tags: found, tokens: n, rank: qualityRank(phrases[n]), strong: found[0].Sure()}
		}
	}
	return mark{}
}

// channelsAt finds "5.1", "DDP5.1" and "DD+5.1".
func (p *parser) channelsAt(i int) mark {
	t := p.tokens[i]
	codec, front, glued := audioChannels(t.text)
	if !glued {
		front = t.text
	}
	if i+1 == len(p.tokens) || !p.adjacent(i) || !glued && !p.followedBy(i, '.') {
		return mark{}
	}
	channels := channelsOf(front, p.tokens[i+1].text)
	switch {
	case channels == nil:
		return mark{}
	case !glued:
		return mark{tags: channels, tokens: 2}
	default:
		return mark{tags: gluedTags()[[2]text.Tag{codec, channels[0]}], tokens: 2, strong: true}
	}
}

func (p *parser) firstStrong(from int) int {
	for i := from; i < len(p.tokens); i++ {
		if p.marks[i].strong {
			return i
		}
	}
	return len(p.tokens)
}

// findSure finds which words behind an episode are tags: those that follow it
// without a gap, and those from the first sure tag on. Between them stands the
// episode's own title.
func (p *parser) findSure() {
	p.chained = p.behind
	for p.chained < len(p.tokens) && p.marks[p.chained].isTag() {
		p.chained++
	}
	if p.firstStrong(p.episode) < p.behind {
		p.sure = p.behind // "Show Season 2 [HDTV][Cap.201][Castellano]"
		return
	}
	p.sure = p.firstStrong(p.behind)
	for p.sure < len(p.tokens) && p.sure > p.behind && p.marks[p.sure-1].isTag() && !p.isArticle(p.sure-2) {
		p.sure--
	}
}

// readTags reads the tags before and behind the title.
func (p *parser) readTags() {
	best := 0
	for i, m := range p.marks {
		if m.tokens == 0 || !p.counts(i) {
			continue
		}
		for j, t := range m.tags {
			if t.Kind == text.TagLanguage && p.isSubtitle(i) {
				t.Kind = text.TagSubtitle
			}
			if t.Kind == text.TagQuality {
				if rank := p.rankOf(m, j); rank > best {
					best = rank
					p.info.Quality = sources.Quality(t.Value)
				}
				continue
			}
			p.info.add(t)
		}
	}
	p.info.finish()
	p.readTrailer()
	p.readGroup()
}

// counts tells whether the tags at token i are tags rather than words.
func (p *parser) counts(i int) bool {
	switch {
	case i < p.title:
		return i >= p.head
	case i < p.zone:
		return false
	case i >= p.episode && i < p.behind:
		return p.marks[i].strong
	default:
		return i < p.episode || i < p.chained || i >= p.sure || i > p.year
	}
}

// rankOf is the precedence of the quality that is tag j of m.
func (p *parser) rankOf(m mark, j int) int {
	if v := m.tags[j].Value; len(m.tags) > 1 || m.rank == rankVague {
		if v == string(sources.Quality4K) {
			return rankClass
		}
		return rankVague
	}
	return m.rank
}

// isSubtitle tells whether the language at token i is that of subtitles:
// "German SUBBED", "SUB ITA".
func (p *parser) isSubtitle(i int) bool {
	if next := i + p.marks[i].tokens; next < len(p.marks) && p.bareSubtitle(next) && p.tokens[i].han == p.tokens[next].han {
		behind := next + 1
		if p.tokens[next].text != "sub" || behind == len(p.marks) || !p.isLanguage(behind) {
			return true
		}
	}
	return i > 0 && p.bareSubtitle(i-1) && p.tokens[i-1].text == "sub"
}

func (p *parser) bareSubtitle(i int) bool {
	tags := p.marks[i].tags
	return len(tags) > 0 && tags[0].Kind == text.TagSubtitle && tags[0].Value == ""
}

func (p *parser) isLanguage(i int) bool {
	tags := p.marks[i].tags
	return len(tags) > 0 && tags[0].Kind == text.TagLanguage
}

// add notes a tag. The first one of its kind counts where there can be one.
func (i *Info) add(t text.Tag) {
	first := func(field *string) {
		if *field == "" {
			*field = t.Value
		}
	}
	switch t.Kind {
	case text.TagSource:
		if i.Source == "" || t.Value == "REMUX" {
			i.Source = t.Value
		}
	case text.TagCodec:
		first(&i.Codec)
	case text.TagDepth:
		i.BitDepth = max(i.BitDepth, bits(t.Value))
	case text.TagHDR:
		i.HDR = appendNew(i.HDR, t.Value)
	case text.TagAudio:
		first(&i.Audio)
	case text.TagAtmos:
		i.Atmos = true
	case text.TagChannels:
		first(&i.Channels)
	case text.TagLanguage:
		i.Languages = appendNew(i.Languages, t.Value)
	case text.TagCantonese:
		i.Languages = appendNew(i.Languages, t.Value)
		i.Cantonese = true
	case text.TagMulti:
		i.Languages = appendNew(i.Languages, multi)
	case text.TagSubtitle:
		i.Subtitled = true
		if t.Value != "" {
			i.Subtitles = appendNew(i.Subtitles, t.Value)
		}
	case text.TagTrailer:
		i.Trailer = true
	case text.TagEdition:
		i.Editions = appendNew(i.Editions, t.Value)
	case text.TagNoise, text.TagQuality: // qualities are ranked, not collected
	}
}

// finish settles what several tags tell together.
func (i *Info) finish() {
	order := []string{"DV", "HDR10+", "HDR10", "HDR", "HLG"}
	slices.SortFunc(i.HDR, func(a, b string) int { return slices.Index(order, a) - slices.Index(order, b) })
	if len(i.HDR) > 1 {
		i.HDR = slices.DeleteFunc(i.HDR, func(v string) bool { return v == "HDR" && !slices.Equal(i.HDR, []string{"DV", "HDR"}) })
	}
	if i.Quality == sources.QualityUnknown && slices.Contains([]string{"CAM", "TS", "TC", "SCR", "DVD", "DVDRip"}, i.Source) {
		i.Quality = sources.QualitySD
	}
}

func appendNew(list []string, value string) []string {
	if slices.Contains(list, value) {
		return list
	}
	return append(list, value)
}

// readTrailer looks for the word at both ends of the title, and cuts it off:
// "Trailer: Movie", "Movie - Official Trailer 2".
func (p *parser) readTrailer() {
	if p.title >= p.zone {
		return
	}
	end := p.zone
	if end-1 > p.title && len(p.tokens[end-1].text) == 1 && text.Number(p.tokens[end-1].text) > 0 {
		end--
	}
	if p.isTrailer(p.title) {
		rest := p.name[p.tokens[p.title].end:]
		switch {
		case end == p.title+1:
			p.info.Trailer, p.title = true, p.zone
			return
		case strings.HasPrefix(rest, ":"), strings.HasPrefix(rest, " - "):
			p.info.Trailer = true
			p.title++
			return
		}
	}
	last := end
	for last-1 > p.title && (p.isTrailer(last-1) || last < end && p.tokens[last-1].text == "official") {
		last--
	}
	if last < end && !p.isArticle(last-1) {
		p.info.Trailer = true
		p.zone = last
		return
	}
	for _, t := range p.tokens[p.title:p.zone] {
		p.info.Trailer = p.info.Trailer || t.han && hanTrailer(t.text)
	}
}

func (p *parser) isTrailer(i int) bool {
	t := p.tokens[i]
	tags := text.TagsOf(t.text)
	return !t.han && len(tags) > 0 && tags[0].Kind == text.TagTrailer
}

// readGroup reads the group that a dash parts from the tags: "x264-GRP".
func (p *parser) readGroup() {
	last := len(p.tokens) - 1
	if last <= p.zone || p.marks[last].isTag() || last == p.year || last < p.behind && last >= p.episode {
		return
	}
	t := p.tokens[last]
	if t.end == len(p.name) && p.name[t.start-1] == '-' && p.tokens[last-1].end == t.start-1 {
		p.info.Group = p.name[t.start:t.end]
	}
}
