package release

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"xship/sources"
	"xship/sources/link"
	"xship/sources/match"
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
	if len(name) > maxName {
		name = strings.ToValidUTF8(name[:maxName], "")
	}
	p, _ := parsers.Get().(*parser)
	defer parsers.Put(p)
	p.start(link.TrimExtension(name))
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

	title   int // first token of the title
	episode int // first token of the episode
	behind  int // first token behind the episode
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
	var start, end int
	if p.info.Episodes, start, end, p.info.HasEpisode = match.FindEpisode(name); !p.info.HasEpisode {
		p.info.Episodes.Season = -1
	}
	p.tokens = tokenize(p.tokens, name, lowerASCII(name), start, end)
	p.marks = slices.Grow(p.marks, len(p.tokens))[:len(p.tokens)]
	clear(p.marks)
	for i := 0; i < len(p.tokens); {
		m := p.markAt(i)
		p.marks[i] = m
		for j := i + 1; j < i+m.tokens; j++ {
			p.marks[j].inside = true
		}
		i += max(m.tokens, 1)
	}
	p.trustBrackets()
	none := len(p.tokens)
	p.episode, p.behind, p.year, p.zone = none, none, none, none
	if p.info.HasEpisode {
		p.episode, p.behind = p.tokenAt(start), p.tokenAt(end)
	}
}

// trustBrackets makes the tags in a bracket that holds nothing else strong:
// "Movie (German)".
func (p *parser) trustBrackets() {
	open := -1
	for i, t := range p.tokens {
		if t.opened {
			open = i
		}
		if !p.marks[i].isTag() {
			open = -1
		}
		if t.closed && open >= 0 {
			for j := open; j <= i; j++ {
				p.marks[j].strong = p.marks[j].tokens > 0
			}
			open = -1
		}
	}
}

// markAt finds the tags that start at token i.
func (p *parser) markAt(i int) mark {
	t := p.tokens[i]
	if t.han {
		tags := hanRun(t.text)
		if tags == nil {
			return mark{}
		}
		return mark{tags: tags, tokens: 1, rank: rankVague, strong: true}
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

func (p *parser) followedBy(i int, c byte) bool {
	end := p.tokens[i].end
	return end < len(p.name) && p.name[end] == c
}

// adjacent tells whether one separator parts token i from the next.
func (p *parser) adjacent(i int) bool {
	end := p.tokens[i].end
	return p.tokens[i+1].start == end+1 && text.PartsPhrase(p.name[end])
}

// findTitle skips tags and a group in brackets that stand before the title. A
// name of nothing but tags has no title.
func (p *parser) findTitle() {
	if p.onlyTags() {
		p.title = len(p.tokens)
		return
	}
	for p.title < len(p.tokens) && (p.marks[p.title].strong || p.marks[p.title].inside) {
		p.title++
	}
	if p.title > 0 || len(p.tokens) == 0 || !p.tokens[0].opened || !strings.HasPrefix(p.name, "[") {
		return
	}
	closed := slices.IndexFunc(p.tokens, func(t token) bool { return t.closed })
	next := closed + 1
	if closed < 0 || next == len(p.tokens) || p.marks[next].isTag() || text.Number(p.tokens[next].text) >= 0 {
		return
	}
	p.title = next
	p.info.Group = p.name[p.tokens[0].start:p.tokens[closed].end]
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

// findEpisode looks for the marks that only release names have, where there is
// no other.
func (p *parser) findEpisode() {
	if p.info.HasEpisode || p.dashedEpisode() {
		return
	}
	for i := p.title + 1; i < len(p.tokens); i++ {
		if n := seasonToken(p.tokens[i].text); n >= 0 {
			p.info.Episodes.Season = n
			p.episode, p.behind = i, i+1
			return
		}
	}
}

// tokenAt is the first token that ends behind the byte at.
func (p *parser) tokenAt(at int) int {
	i, _ := slices.BinarySearchFunc(p.tokens, at, func(t token, at int) int {
		if t.end <= at {
			return -1
		}
		return 1
	})
	return i
}

// dashedEpisode finds the "01" of "[Group] Show - 01 [1080p]".
func (p *parser) dashedEpisode() bool {
	if p.info.Group == "" {
		return false
	}
	for i := p.title + 1; i < len(p.tokens); i++ {
		t := p.tokens[i]
		digits, _, _ := strings.Cut(t.text, "v")
		if !strings.HasSuffix(p.name[:t.start], " - ") || len(digits) < 2 || text.Number(digits) < 0 {
			continue
		}
		if r, ok := match.ParseEpisode(t.text); ok {
			p.info.Episodes, p.info.HasEpisode = r, true
			p.episode, p.behind = i, i+1
			return true
		}
	}
	return false
}

// seasonToken reads "s02" and "s2014", -1 for anything else.
func seasonToken(word string) int {
	if (len(word) != 3 && len(word) != 5) || word[0] != 's' {
		return -1
	}
	return text.Number(word[1:])
}

// findYear takes the last year before the tags, one in brackets before others.
// A number that starts the title is part of it.
func (p *parser) findYear() {
	limit := p.firstStrong(p.title)
	if p.year = p.lastYear(len(p.tokens), true); p.year == len(p.tokens) {
		if p.year = p.lastYear(limit, false); p.year == len(p.tokens) && limit < len(p.tokens) {
			p.year = p.lastYear(len(p.tokens), false)
		}
	}
	if p.year < len(p.tokens) && !p.isDate(p.year) {
		p.info.Year = text.Number(p.tokens[p.year].text)
	}
}

func (p *parser) lastYear(limit int, bracketed bool) int {
	for i := limit - 1; i > p.title; i-- {
		t := p.tokens[i]
		if n := text.Number(t.text); len(t.text) != 4 || n < firstYear || n > lastYear {
			continue
		}
		ofEpisode := i >= p.episode && i != p.behind
		if !ofEpisode && (!bracketed || t.opened && t.closed) {
			return i
		}
	}
	return len(p.tokens)
}

// isDate tells whether a month and a day follow the year at token i.
func (p *parser) isDate(i int) bool {
	if i+2 >= len(p.tokens) || !p.adjacent(i) || !p.adjacent(i+1) {
		return false
	}
	month, day := p.tokens[i+1].text, p.tokens[i+2].text
	return len(month) == 2 && len(day) == 2 && text.Number(month) >= 1 && text.Number(month) <= 12 && text.Number(day) >= 1 && text.Number(day) <= 31
}

func (p *parser) firstStrong(from int) int {
	for i := from; i < len(p.tokens); i++ {
		if p.marks[i].strong {
			return i
		}
	}
	return len(p.tokens)
}

// findZone finds where the title ends.
func (p *parser) findZone() {
	if p.title == len(p.tokens) {
		p.zone = 0
		return
	}
	p.zone = min(p.year, p.episode)
	if first := p.firstStrong(p.title); first < p.zone {
		p.zone = p.weakBefore(first, p.title+1)
	}
	if p.zone == len(p.tokens) {
		p.zone = p.upperTail()
	}
	p.findSure()
}

// findSure finds which words behind an episode are tags: those that follow it
// without a gap, and those from the first sure tag on. Between them stands the
// episode's own title.
func (p *parser) findSure() {
	p.chained = p.behind
	for p.chained < len(p.tokens) && p.marks[p.chained].isTag() {
		p.chained++
	}
	p.sure = p.firstStrong(p.behind)
	for p.sure < len(p.tokens) && p.sure > p.behind && p.marks[p.sure-1].isTag() && !p.isArticle(p.sure-2) {
		p.sure--
	}
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
		return p.info.Group == ""
	case i < p.zone || i >= p.episode && i < p.behind:
		return false
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

// readTitle reads the title, and the second one in another script.
func (p *parser) readTitle() {
	if p.title >= p.zone {
		return
	}
	if at := p.scriptChange(); at > 0 {
		p.info.Title = p.text(p.title, at)
		p.info.AltTitle = p.text(at, p.zone)
		return
	}
	p.info.Title = p.text(p.title, p.zone)
}

// text is the part of the name from one token up to another, as people write it.
func (p *parser) text(from, to int) string {
	start, end := p.tokens[from].start, len(p.name)
	if to < len(p.tokens) {
		end = p.tokens[to].start
	}
	if p.tokens[from].opened && start > 0 {
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
	s = strings.TrimRight(s, " ._-–|/([{【（,:;")
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

// The scripts of tokens. Numbers belong to any.
const (
	scriptAny = iota
	scriptHan
	scriptOther
)

func (p *parser) script(i int) int {
	switch t := p.tokens[i]; {
	case t.han:
		return scriptHan
	case text.Number(t.text) >= 0:
		return scriptAny
	default:
		return scriptOther
	}
}
