package match

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"xship/sources"
	"xship/sources/text"
)

// Fit is how well a candidate fits a title.
type Fit int

// The matches, worst first.
const (
	// None: it is something else.
	None Fit = iota
	// Near is second choice, for where nothing matches exactly: a movie without a
	// year, or whose year is off by one; a series without a year, or with that of a
	// season.
	Near
	// Exact: name and year fit, or the IMDb id.
	Exact
)

// Candidate is what a site says about one of its items. Release names go
// through release.Parse first.
type Candidate struct {
	Names []string // as the site gave them, aliases included
	Year  int      // 0 where unknown
	IMDb  string   // "tt" and digits, or ""
}

// Title compares a candidate with t. Two IMDb ids decide alone. Without
// them a name of c must be a name of t by text.NormalizeName, in simplified Chinese; it
// may end in a year and in words of quality or language ("影片名 (2008) HD国语").
// Sequels, works with a subtitle, names with another article and names with a bracket
// that tells of another work ("海贼王(真人版)") are different names; names that differ in
// symbols alone ("NEW GAME!", "NEW GAME!!") are Near.
//
// A movie needs the year of t if there is one: another year is no match, a missing one
// or one off by one is Near. Where t has no year but its name ends in one in brackets,
// that is its year. The year in brackets of one name of c goes for all its names. A number at the end of a name
// counts as the year only if it is that of t, so that "Blade Runner 2049" stays a name,
// or that of c: behind a Chinese name, "三国演义1994", for sure, behind others, "Dark
// 2017", Near. Where neither has a year, that behind a Chinese name is Near too.
//
// For an episode c is the series, one season of it or several ("全三季", "S01-S03"). A
// season mark must be, or several must hold, the season of t, and the year that of the
// series or, for what may be a later season, a later one. A bare number that is the
// season of t is Near. Which episode a link holds, and which season where the names of c
// do not say, is for Episode.
func Title(t sources.Title, c Candidate) Fit {
	m := matcherOf(t)
	return m.Title(c)
}

// Matcher compares many candidates with one title. It may be shared.
type Matcher struct {
	title sources.Title
	year  int // of the title, or that its name ends in where it has none
	keys  nameKeys
}

// For makes the matcher of t.
func For(t sources.Title) *Matcher {
	m := matcherOf(t)
	return &m
}

func matcherOf(t sources.Title) Matcher {
	m := Matcher{title: t, year: t.Year, keys: titleKeys(t)}
	if t.Year == 0 {
		_, m.year = SplitYear(t.Name)
	}
	return m
}

// Title is the function Title for the matcher's title.
func (m *Matcher) Title(c Candidate) Fit {
	if same, known := compareIMDb(m.title.IMDb, c.IMDb); known {
		if !same || m.title.Kind == sources.KindEpisode && otherSeason(m.title, c.Names) {
			return None
		}
		return Exact
	}
	fit := m.fit(m.year, c)
	if fit == None && m.year != m.title.Year && saidYear(c) == 0 {
		return min(Near, m.fit(m.title.Year, c))
	}
	return fit
}

// fit is Title for the title as that of the given year.
func (m *Matcher) fit(year int, c Candidate) Fit {
	best, t := None, m.title
	t.Year = year
	said := saidYear(c)
	for _, name := range c.Names {
		best = max(best, matchName(t, m.keys, name, said))
	}
	return best
}

// saidYear is the year that c has, of its own or in brackets in one of its names, 0 for
// none.
func saidYear(c Candidate) int {
	year := c.Year
	for i := 0; year == 0 && i < len(c.Names); i++ {
		if name := c.Names[i]; len(name) <= maxName {
			year = bracketedYear(nameText(name))
		}
	}
	return year
}

// SplitYear takes a year in brackets off the end of a name: "Some Film (2020)" is
// "Some Film", 2020. Without one base is name and the year 0.
func SplitYear(name string) (base string, year int) {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(name, " "))
	if !strings.ContainsRune(")]】）］", last) || len(name) > maxName {
		return name, 0
	}
	plain := nameText(name)
	open := lastBracket(plain)
	if open <= 0 {
		return name, 0
	}
	_, size := utf8.DecodeRuneInString(plain[open:])
	inner := strings.TrimSpace(strings.TrimSuffix(plain[open+size:], closing(plain[open:])))
	year, ok := leadingYear(inner)
	base = strings.TrimRight(plain[:open], nameEnd)
	if !ok || len(inner) != len("2020") || base == "" {
		return name, 0
	}
	return base, year
}

// compareIMDb compares two ids; known is false unless both are ids.
func compareIMDb(a, b string) (same, known bool) {
	a, b = imdbNumber(a), imdbNumber(b)
	return a == b, a != "" && b != ""
}

func imdbNumber(id string) string {
	id = strings.ToLower(strings.TrimSpace(id))
	if !sources.IsIMDbID(id) {
		return ""
	}
	return strings.TrimLeft(id[len("tt"):], "0")
}

// otherSeason tells whether one of the names is marked as another season.
func otherSeason(t sources.Title, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		_, season, ok := SplitSeason(name)
		return ok && season != t.Season
	})
}

// nameKey is what of a name is compared: its key, in simplified characters, the symbols
// that tell it from a twin of the same key, and how its numbers are parted.
type nameKey struct {
	key     string
	symbols string
	parted  string
}

func keyOf(kind sources.Kind, name string) nameKey {
	name = articleFirst(name)
	if isPlain(name) {
		return nameKey{key: text.NormalizeName(name), parted: partedNumbers(name)}
	}
	name = strings.ReplaceAll(text.Simplified(name), " + ", " & ")
	return nameKey{key: text.NormalizeName(keepApart(kind, withoutApostrophes(name))), symbols: symbolsOf(name), parted: partedNumbers(name)}
}

// partedNumbers are the numbers of a name of which some stand side by side, "" where none
// do: "9-1-1" is not "9/11", though the key of both, without signs, is 911.
func partedNumbers(name string) string {
	parted := false
	for i := 1; i+1 < len(name) && !parted; i++ {
		parted = !text.IsDigit(name[i]) && name[i] != ',' && text.IsDigit(name[i-1]) && text.IsDigit(name[i+1])
	}
	if !parted {
		return ""
	}
	return strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r < '0' || r > '9' }), " ")
}

// isPlain tells whether name has nothing but letters, digits and spaces of ASCII, as most
// have: no symbols, brackets or apostrophes.
func isPlain(name string) bool {
	for i := range len(name) {
		if c := name[i]; c != ' ' && !text.IsAlnum(c) {
			return false
		}
	}
	return true
}

// nameKeys are the keys of all names of a title.
type nameKeys []nameKey

func titleKeys(t sources.Title) nameKeys {
	keys := make(nameKeys, 0, 2+len(t.Aliases))
	keys = keys.add(t, t.Name).add(t, t.OriginalName)
	for _, alias := range t.Aliases {
		keys = keys.add(t, alias)
	}
	return keys
}

func (keys nameKeys) add(t sources.Title, name string) nameKeys {
	name = nameText(name)
	if key := keyOf(t.Kind, name); key.key != "" && !slices.Contains(keys, key) {
		keys = append(keys, key)
	}
	if t.Kind == sources.KindEpisode {
		if base, season, ok := SplitSeason(name); ok && season == t.Season && base != "" {
			return keys.add(t, base)
		}
	}
	return keys
}

// fit is Exact where name is one of the keys, or two of them in a row: sites write
// "片名 Original Name". It is Near where only the symbols differ.
func (keys nameKeys) fit(kind sources.Kind, name string) Fit {
	key := keyOf(kind, name)
	best := None
	if key.key == "" {
		return None
	}
	for _, k := range keys {
		rest, ok := strings.CutPrefix(key.key, k.key)
		if !ok {
			continue
		}
		if rest == "" {
			if key.parted == "" || k.parted == "" || key.parted == k.parted {
				best = max(best, sameSymbols(key.symbols, k.symbols))
			}
			continue
		}
		for _, second := range keys {
			if second.key == rest && second.key != k.key {
				best = max(best, sameSymbols(key.symbols, k.symbols+second.symbols))
			}
		}
	}
	return best
}

func sameSymbols(a, b string) Fit {
	if a == b {
		return Exact
	}
	return Near
}

// symbolsOf are the symbols of a name that alone may tell it from another one:
// "工作细胞!!" is the second season of 工作细胞, "银魂'" the second one of 银魂.
func symbolsOf(name string) string {
	if !strings.ContainsFunc(name, maySign) {
		return ""
	}
	var b strings.Builder
	tail := len(strings.TrimRightFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }))
	prev := ' '
	for i, r := range name {
		if isSymbol(r) || prev == ' ' && r >= 0x300 && unicode.Is(unicode.Mn, r) || // a spacing accent, decomposed
			(i == 0 || i >= tail) && (r == '#' || r == '@') || i >= tail && tail > 0 && endsTwin(name, tail, r) {
			b.WriteRune(r)
		}
		prev = r
	}
	return b.String()
}

// maySign tells whether r, whatever stands beside it, may be of the symbols of a name.
func maySign(r rune) bool {
	if r < 0x80 {
		return strings.IndexByte("!?*+#@:'\"~.,-", byte(r)) >= 0
	}
	return r < 0x3040 || r > 0x9fff || r >= 0x3099 && r <= 0x309c // the marks of kana
}

// endsTwin tells whether r, behind the last letter, which ends at the offset tail, is of
// the signs that names end in to tell them from others: "银魂.", "ニセコイ:", "DOG DAYS”".
// None is one that ends what it started ("~Film~") or belongs to a word ("Film Inc.").
func endsTwin(name string, tail int, r rune) bool {
	switch r {
	case ':', '×':
		return true
	case '-':
		return len(name) == tail+1
	case '\'', '"', '’', '”', '′', '~', '〜':
		return !strings.ContainsAny(name[:tail], "\"“~〜") && (r != '\'' && r != '’' || !strings.HasPrefix(name, "'") && !strings.HasPrefix(name, "‘"))
	case '.', ',', '、', '。':
		last, _ := utf8.DecodeLastRuneInString(name[:tail])
		return text.IsWide(last) && !strings.HasSuffix(name, "..")
	}
	return false
}

// isSymbol tells whether r is a sign that people put into names to tell them apart, and
// not just to write them.
func isSymbol(r rune) bool {
	switch {
	case r == '!' || r == '?' || r == '*' || r == '+':
		return true
	case r < 0xa1 || r == '×' || r == '〜' || r >= 0x3040 && r < 0xd7ff:
		return false
	}
	return !unicode.IsLetter(r) && unicode.In(r, unicode.Sm, unicode.So, unicode.Sk)
}

// maxName is the longest name looked at, in bytes. Longer ones match nothing.
const maxName = 512

// matchName compares one name of a candidate of the given year.
func matchName(t sources.Title, keys nameKeys, name string, year int) Fit {
	if len(name) > maxName {
		return None
	}
	name = nameText(name)
	if y := bracketedYear(name); y != 0 {
		year = y
	}
	best := matchCuts(t, keys, name, year)
	if rest := behindYear(name, year); best == None && rest != name {
		best = matchCuts(t, keys, rest, year)
	}
	if rest := withoutKind(t.Kind, name); best == None && rest != name {
		best = matchCuts(t, keys, rest, year)
	}
	if best == None {
		if loose := dropTranslations(t.Kind, name); loose != name {
			best = min(Near, matchCuts(t, keys, loose, year))
		}
	}
	if best == None {
		best = matchFile(t, keys, name, year)
	}
	return best
}

// matchCuts takes one thing after the other off the end of the name until the rest is
// a name of t.
func matchCuts(t sources.Title, keys nameKeys, name string, year int) Fit {
	best, season, limit := None, -1, Exact
	plain := strings.TrimRight(name, nameEnd)
	twin := plain != name && symbolsOf(plain) != symbolsOf(name) // "银魂."
	for name != "" {
		rest, several, ok := cutSeasonsOf(t, name)
		if several && !ok {
			break
		}
		if fit := keys.fit(t.Kind, name); fit != None {
			best = max(best, min(fit, limit, matchYear(t, year, season)))
		}
		if several {
			name = rest
			continue
		}
		if t.Kind == sources.KindEpisode {
			if rest, n, ok := cutSeason(name); ok {
				if season >= 0 || n != t.Season {
					break
				}
				name, season = rest, n
				continue
			}
		}
		if rest, ok := cutDecoration(t.Kind, name); ok {
			if name = rest; twin {
				limit, twin = Near, false
			}
			continue
		}
		if rest, ok := cutEdition(t.Kind, name); ok {
			if name = rest; t.Year == 0 || year != t.Year {
				limit = Near
			}
			continue
		}
		rest, y := cutYear(name, year)
		if y != 0 && (y == year || t.Year != 0 && distance(y, t.Year) <= 1 || year == 0 && t.Year == 0 && isOwnYear(rest)) {
			if t.Year == 0 && (year == 0 || !isOwnYear(rest)) {
				limit = Near
			}
			if name = rest; year == 0 {
				year = y
			}
			continue
		}
		if season < 0 && t.Kind == sources.KindEpisode {
			if rest, fit := cutNumber(name, t.Season); fit != None {
				best = max(best, min(fit, limit, keys.fit(t.Kind, rest), matchYear(t, year, t.Season)))
			}
		}
		break
	}
	return best
}

// isOwnYear tells whether the year of a candidate behind its name is only that, as
// sites write it behind Chinese names: "三国演义1994". Other works are called by it:
// "Heavy Metal 2000".
func isOwnYear(name string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(name, nameEnd+"。、!?"))
	return text.IsWide(last)
}

// behindYear takes the year of the candidate off the front of its name, where it is
// called a version: "87版红楼梦".
func behindYear(name string, year int) string {
	p := parser{s: name}
	if n, width, ok := p.digits(4); ok && year != 0 && (n == year || width == 2 && n == year%100) && (p.word("年版") || p.word("版")) {
		return strings.TrimLeft(p.rest(), nameEnd)
	}
	return name
}

// cutNumber takes the number of a season off the end of a name. A Roman one marks it,
// Exact; of a bare one, "某剧2", nobody knows but who looks for that season, Near.
func cutNumber(name string, season int) (rest string, fit Fit) {
	if season < 2 || season > text.MostRoman {
		return name, None
	}
	digits := strconv.Itoa(season)
	rest, bare := strings.CutSuffix(name, digits)
	fit = Near
	if !bare {
		var ok bool
		if rest, ok = cutFold(name, text.Roman(season)); !ok {
			return name, None
		}
		if len(name)-len(rest) > 1 {
			fit = Exact
		}
	}
	before, _ := utf8.DecodeLastRuneInString(rest)
	trimmed := strings.TrimRight(rest, nameEnd)
	if trimmed == "" || !text.IsWide(before) && trimmed == rest || bare && cutOff(rest) {
		return name, None
	}
	return trimmed, fit
}

// cutFold is strings.CutSuffix without regard to case.
func cutFold(s, suffix string) (rest string, ok bool) {
	at := len(s) - len(suffix)
	if at < 0 || !strings.EqualFold(s[at:], suffix) {
		return s, false
	}
	return s[:at], true
}

// ItemSeason is the season for which a candidate stands with one of names, -1 where
// they do not say.
func (m *Matcher) ItemSeason(names ...string) int {
	t := m.title
	for _, name := range names {
		name = nameText(name)
		if len(name) > maxName || m.keys.fit(t.Kind, name) != None {
			continue
		}
		if _, season, ok := SplitSeason(name); ok {
			return season
		}
		for {
			rest, ok := cutDecoration(t.Kind, name)
			if !ok {
				break
			}
			name = rest
		}
		if rest, fit := cutNumber(name, t.Season); fit != None && m.keys.fit(t.Kind, rest) != None {
			return t.Season
		}
	}
	return -1
}

// matchYear compares the years of t and of a candidate with the same name.
func matchYear(t sources.Title, year, season int) Fit {
	off := distance(year, t.Year)
	switch {
	case t.Year == 0 || year == t.Year:
		return Exact
	case t.Kind == sources.KindEpisode:
		return matchSeriesYear(t, year, season)
	case year == 0, off == 1:
		return Near
	default:
		return None
	}
}

// matchSeriesYear takes the year of a series, which t has, for a lower bound:
// sites give that of the season, or of the latest one. What is marked as the
// first season has the series' own year, and what is not marked one that a series of
// so many seasons may have come to: many years later another one has the name.
func matchSeriesYear(t sources.Title, year, season int) Fit {
	const first, each = 5, 3
	switch {
	case year == 0:
		return Near
	case year < t.Year-1 || season == 1 && year > t.Year+1:
		return None
	case season < 0 && year > t.Year+first+each*max(0, t.Season-1):
		return None
	case season > 1:
		return Exact
	default:
		return Near
	}
}

func distance(a, b int) int { return max(a-b, b-a) }

// nameText is a site's name as plain text.
func nameText(name string) string {
	return text.Clean(text.Compatible(norm.NFKC, text.Unmarked(name)))
}

// articleFirst turns "Matrix, The" into "The Matrix".
func articleFirst(name string) string {
	comma := strings.LastIndex(name, ", ")
	if comma < 0 {
		return name
	}
	article := name[comma+len(", "):]
	switch strings.ToLower(article) {
	case "the", "a", "an", "der", "die", "das", "le", "la", "les", "el", "los", "las", "il":
		return article + " " + name[:comma]
	}
	return name
}

// SplitSeason takes the season mark off the end of a name, and what may stand
// behind it, years and words of quality or language: "某剧 第二季 国语" is
// "某剧", 2. Without a mark base is name and ok is false. A number alone is no
// mark, in digits or Roman: "Show II" is a name; who looks for its second season asks
// Matcher.ItemSeason. Season 0 is that of specials.
func SplitSeason(name string) (base string, season int, ok bool) {
	if len(name) > maxName {
		return name, 0, false
	}
	rest := nameText(name)
	for {
		if _, _, _, several := cutSeasons(rest); several {
			return name, 0, false
		}
		if base, season, ok := cutSeason(rest); ok {
			return base, season, true
		}
		shorter, ok := cutDecoration(sources.KindEpisode, rest)
		if !ok {
			var year int
			if shorter, year = cutYear(rest, 0); year == 0 {
				shorter, _, _ = splitFileName(rest)
			}
		}
		if shorter == rest {
			return name, 0, false
		}
		rest = shorter
	}
}

// SplitEpisode takes the mark of an episode off the end of a name, and words of
// quality or language that stand behind it: "某剧 第2集" is "某剧", and its second episode.
// In the name of a file or a release the episode's own title may, too.
// What stands before the mark is base with all its words, for who calls to compare:
// "独家记忆第3集" is of a series of this name, "某剧花絮第3集" of none that is called 某剧.
func SplitEpisode(name string) (base string, r EpisodeRange, ok bool) {
	if len(name) > maxName {
		return name, EpisodeRange{}, false
	}
	plain := nameText(name)
	r, start, end, kind := findMark(plain, titleNames{any: true})
	if kind != LabelEpisode {
		return name, EpisodeRange{}, false
	}
	base = strings.TrimRight(plain[:start], nameEnd+"([【#")
	tagsAlone := onlyLabelTags(strings.TrimLeft(plain[end:], ")]】 ")) || isFileName(plain)
	if base == "" || !tagsAlone || startsAsExtra(base) || hasExtraInBrackets(base) {
		return name, EpisodeRange{}, false
	}
	return base, r, true
}

// nameEnd is what may stand between a name and what follows it.
const nameEnd = " .,:;_-–—|/·"

// cutSeason takes a season mark off the very end of name.
func cutSeason(name string) (base string, season int, ok bool) {
	if open := lastBracket(name); open >= 0 {
		inner := strings.Trim(name[open:], "()[]【】 ")
		if base, season, ok = cutSeason(inner); ok && base == "" {
			return strings.TrimRight(name[:open], nameEnd), season, true
		}
		return name, 0, false
	}
	start, season := seasonStart(name)
	if start < 0 {
		return name, 0, false
	}
	return strings.TrimRight(name[:start], nameEnd), season, true
}

// lastBracket is where the bracket opens that ends name, -1 where none does.
func lastBracket(name string) int {
	if !strings.HasSuffix(name, ")") && !strings.HasSuffix(name, "]") && !strings.HasSuffix(name, "】") {
		return -1
	}
	open := strings.LastIndexAny(name, "([【")
	if open < 0 || !strings.HasSuffix(name, closing(name[open:])) {
		return -1
	}
	return open
}

// closing is the bracket that closes the one that s starts with.
func closing(s string) string {
	switch {
	case strings.HasPrefix(s, "("):
		return ")"
	case strings.HasPrefix(s, "["):
		return "]"
	default:
		return "】"
	}
}

// maxSeasonMark bounds how far before the end a season mark may start, in bytes.
const maxSeasonMark = 32

// seasonStart finds the season mark that ends name, -1 where there is none.
func seasonStart(name string) (start, season int) {
	from := max(0, len(name)-maxSeasonMark)
	for from > 0 && !utf8.RuneStart(name[from]) {
		from--
	}
	prev, _ := utf8.DecodeLastRuneInString(name[:from])
	for i, c := range name[from:] {
		if at := from + i; startsWord(prev, c) || c >= utf8.RuneSelf {
			if season, ok := seasonMark(name[at:]); ok {
				return at, season
			}
		}
		prev = c
	}
	return -1, 0
}

// seasonMark reads s as nothing but a season mark.
func seasonMark(s string) (int, bool) {
	if first, _ := utf8.DecodeRuneInString(s); first >= utf8.RuneSelf && first != '第' && first != '特' && first != '番' {
		return 0, false
	}
	p := parser{s: s}
	if n, ok := p.seasonMark(); ok && p.i == len(s) {
		return n, true
	}
	if n, ok := issueMark(s); ok {
		return n, true
	}
	lower := strings.ToLower(s)
	switch lower {
	case "specials", "特别篇", "番外篇", "番外":
		return 0, true
	}
	for _, word := range text.SeasonWords() {
		if number, ok := strings.CutSuffix(lower, word); ok {
			return ordinal(strings.TrimSpace(number))
		}
	}
	if word, ok := strings.CutPrefix(lower, "season "); ok {
		if n := slices.Index(cardinals(), word); n >= 0 {
			return n + 1, true
		}
	}
	return 0, false
}

// issueMark reads "第2期", by which Japanese series count their seasons.
func issueMark(s string) (int, bool) {
	p := parser{s: s}
	if !p.rune("第") {
		return 0, false
	}
	p.skip(" ")
	n, ok := p.counting()
	p.skip(" ")
	return n, ok && p.rest() == "期"
}

func cardinals() []string {
	return []string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
}

// ordinal reads "2nd", "second", "2.".
func ordinal(s string) (int, bool) {
	words := []string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"}
	if n := slices.Index(words, s); n >= 0 {
		return n + 1, true
	}
	for _, suffix := range []string{"st", "nd", "rd", "th", "."} {
		if number, ok := strings.CutSuffix(s, suffix); ok && len(number) <= 2 {
			n, err := strconv.Atoi(number)
			return n, err == nil && n >= 0
		}
	}
	return 0, false
}

// bracketedYear finds the last year that stands alone in brackets, 0 for none.
func bracketedYear(name string) int {
	if !hasBracket(name) {
		return 0
	}
	for end := len(name); ; {
		open := strings.LastIndexAny(name[:end], "([【")
		if open < 0 {
			return 0
		}
		_, size := utf8.DecodeRuneInString(name[open:])
		inner := strings.TrimLeft(name[open+size:end], " ")
		if year, ok := leadingYear(inner); ok {
			if rest := strings.TrimLeft(inner[4:], " "); strings.HasPrefix(rest, closing(name[open:])) {
				return year
			}
		}
		end = open
	}
}

// leadingYear reads the year that s starts with.
func leadingYear(s string) (int, bool) {
	p := parser{s: s}
	n, width, ok := p.digits(4)
	return n, ok && width == 4 && n >= sources.MinYear && n <= sources.MaxYear
}

// cutYear takes a year off the end of name, 0 where there is none or nothing
// would be left. It may be called a version: "红楼梦1987版"; that of the year that is
// known may be cut short then: "红楼梦87版".
func cutYear(name string, known int) (rest string, year int) {
	digits := name
	for _, suffix := range []string{"年版", "版"} {
		if plain, ok := strings.CutSuffix(name, suffix); ok {
			digits = plain
			break
		}
	}
	at := len(digits) - 4
	if at >= 1 && !text.IsAlnum(digits[at-1]) {
		if y, ok := leadingYear(digits[at:]); ok {
			year = y
		}
	}
	if year == 0 && known != 0 && len(digits) < len(name) {
		at = len(digits) - 2
		if at >= 1 && !text.IsAlnum(digits[at-1]) && digits[at:] == fmt.Sprintf("%02d", known%100) {
			year = known
		}
	}
	if year == 0 {
		return name, 0
	}
	if rest = strings.TrimRight(digits[:at], nameEnd); rest == "" {
		return name, 0
	}
	return rest, year
}

// cutDecoration takes a bracket that sets nothing apart, or a word of quality or
// language, off the end of name, where something is left before it.
func cutDecoration(kind sources.Kind, name string) (rest string, ok bool) {
	if trimmed := strings.TrimRight(name, nameEnd); trimmed != name && trimmed != "" {
		return trimmed, true
	}
	if rest, ok := cutBracket(kind, name); ok {
		return rest, true
	}
	if kind == sources.KindEpisode {
		if rest, ok := cutCount(name); ok {
			return rest, true
		}
		for _, series := range [...]string{"TV版", "电视版", "電視版"} {
			if rest, ok := strings.CutSuffix(name, series); ok {
				return cutAt(name, len(rest))
			}
		}
	}
	return cutTag(name)
}

// countPattern ends a name with how many episodes there are, or how many came out so far.
var countPattern = sync.OnceValue(func() *regexp.Regexp {
	const number, unit = `\d{1,4}`, `[集话話回期]`
	return regexp.MustCompile(`(?:[全共]` + number + unit + `|更新?[至到]第?` + number + unit + `?|第?` + number + unit + `(?:全|完[结結]?)|[连連][载載]中|更新中)$`)
})

// cutCount takes what countPattern finds off the end of name.
func cutCount(name string) (rest string, ok bool) {
	last, _ := utf8.DecodeLastRuneInString(name)
	if !strings.ContainsRune("集话話回期全完结結中", last) && !strings.Contains(name, "更") {
		return name, false
	}
	found := countPattern().FindStringIndex(name)
	if found == nil {
		return name, false
	}
	return cutAt(name, found[0])
}

// kindWords tell beside a name which kind of work has it, in simplified Chinese or
// Japanese.
var kindWords = map[sources.Kind][]string{
	sources.KindMovie:   {"电影", "影片", "映画"},
	sources.KindEpisode: {"电视剧", "连续剧", "网剧", "剧集", "ドラマ", "日剧", "韩剧", "美剧"},
}

// withoutKind is the name alone where a word for the kind stands in brackets before it,
// behind a dash, or beside the name in quotes: "【映画】某片", "某片-电影", "电影《某片》".
func withoutKind(kind sources.Kind, name string) string {
	is := func(word string) bool {
		return slices.Contains(kindWords[kind], text.Simplified(strings.TrimSpace(word)))
	}
	if strings.HasPrefix(name, "【") || strings.HasPrefix(name, "[") || strings.HasPrefix(name, "(") {
		_, size := utf8.DecodeRuneInString(name)
		if word, rest, ok := strings.Cut(name[size:], closing(name)); ok && is(word) {
			return strings.TrimLeft(rest, nameEnd)
		}
		return name
	}
	if dash := strings.LastIndexAny(name, "-–—|"); dash > 0 {
		_, size := utf8.DecodeRuneInString(name[dash:])
		if is(name[dash+size:]) {
			return strings.TrimRight(name[:dash], nameEnd)
		}
	}
	before, rest, ok := strings.Cut(name, "《")
	inner, behind, closed := strings.Cut(rest, "》")
	if ok && closed && (is(before) && behind == "" || before == "" && is(behind)) {
		return inner
	}
	return name
}

// editions are the words for an edition of a film, beside the tags of text.TagEdition,
// and hanEditions the simplified Chinese ones.
var (
	editions = []string{
		"director's cut", "extended cut", "final cut", "theatrical cut", "extended edition", "special edition", "ultimate edition", "collector's edition", "anniversary edition",
	}
	hanEditions = []string{"特别版", "终极版", "豪华版", "未分级版", "黑白版", "国际版", "珍藏版", "完全版"}
)

// seriesWords tell that a work is the series of its name, where there may be a film, in
// simplified Chinese.
var seriesWords = []string{"电视剧版", "电视剧", "连续剧", "网剧版", "剧版"}

// cutEdition takes a word off the end of name that tells of an edition, or of the
// series among the works of a name, and by which other works are called too: "Avatar
// 3D", "影片IMAX版", "Film Director's Cut", "庆余年电视剧版".
func cutEdition(kind sources.Kind, name string) (rest string, ok bool) {
	for _, word := range editions {
		if rest, ok := cutFold(name, word); ok && wordStartsAt(name, len(rest)) {
			return cutAt(name, len(rest))
		}
	}
	if at := hanEditionStart(kind, name); at > 0 {
		return cutAt(name, at)
	}
	plain := strings.TrimSuffix(name, "版")
	at := len(plain)
	for at > 0 && text.IsAlnum(plain[at-1]) && len(plain)-at <= text.LongestTag {
		at--
	}
	if at == 0 || at == len(plain) || !wordStartsAt(plain, at) {
		return name, false
	}
	tags := text.TagsOf(strings.ToLower(plain[at:]))
	if len(tags) == 0 || tags[0].Kind != text.TagEdition {
		return name, false
	}
	return cutAt(plain, at)
}

// hanEditionStart is where the Chinese word starts that ends name and tells of an edition
// or a series, 0 where none does.
func hanEditionStart(kind sources.Kind, name string) int {
	const longest = 4
	start, at := 0, len(name)
	for range longest {
		r, size := utf8.DecodeLastRuneInString(name[:at])
		if !unicode.Is(unicode.Han, r) {
			break
		}
		at -= size
		word := text.Simplified(name[at:])
		if slices.Contains(hanEditions, word) || kind == sources.KindEpisode && slices.Contains(seriesWords, word) {
			start = at
		}
	}
	return start
}

func cutBracket(kind sources.Kind, name string) (rest string, ok bool) {
	open := lastBracket(name)
	if open <= 0 {
		return name, false
	}
	_, size := utf8.DecodeRuneInString(name[open:])
	inner := strings.TrimRight(name[open+size:], ")]】")
	rest = strings.TrimRight(name[:open], nameEnd)
	if rest == "" || text.SetsApart(withoutApostrophes(inner)) || bracketOf(kind, rest, inner) != asides {
		return name, false
	}
	return rest, true
}

// cutTag takes a word that tells of quality or language off the end of name.
func cutTag(name string) (rest string, ok bool) {
	last, _ := utf8.DecodeLastRuneInString(name)
	if last < utf8.RuneSelf {
		return cutLatinTag(name)
	}
	if !unicode.Is(unicode.Han, last) {
		return name, false
	}
	if rest, ok := cutHanTag(name); ok {
		return rest, true
	}
	if plain, ok := strings.CutSuffix(name, "版"); ok {
		if rest, ok := cutHanTag(plain); ok {
			return rest, true
		}
		if rest, ok := cutLatinTag(plain); ok {
			return rest, true
		}
	}
	return name, false
}

// cutHanTag takes the longest Chinese word that is a tag off the end of name.
func cutHanTag(name string) (rest string, ok bool) {
	if strings.HasSuffix(name, "疯狂英语") { // the name of a film
		return name, false
	}
	var starts [text.LongestHanTag]int
	n := 0
	for at := len(name); n < len(starts); n++ {
		c, size := utf8.DecodeLastRuneInString(name[:at])
		if !unicode.Is(unicode.Han, c) {
			break
		}
		at -= size
		starts[n] = at
	}
	for n--; n >= 0; n-- {
		at := starts[n]
		tags := text.TagsOf(text.Simplified(name[at:]))
		if len(tags) == 0 || !tags[0].EndsNames() {
			continue
		}
		rest = strings.TrimRight(name[:at], nameEnd)
		if rest != "" && (tags[0].Place == text.Anywhere || len(rest) < at || endsInTag(rest)) {
			return rest, true
		}
	}
	return name, false
}

func endsInTag(name string) bool {
	_, ok := cutTag(name)
	return ok
}

// cutLatinTag takes the word that is a tag off the end of name, or, where the last
// word is none, the words that are one together: "WEB-DL". A last word that is one
// goes alone, so that "Half Full HD" is still "Half Full".
func cutLatinTag(name string) (rest string, ok bool) {
	var (
		lower [text.LongestTag]byte // the tag, written from the end of it
		free  = len(lower)
		cut   = -1
	)
	for part, end := 1, len(name); part <= text.LongestPhrase; part++ {
		start, behind := end, free
		for start > 0 && text.IsAlnum(name[start-1]) {
			if free == 0 {
				return cutAt(name, cut)
			}
			start--
			free--
			lower[free] = lowerASCII(name[start])
		}
		if start == end || !wordStartsAt(name, start) {
			break
		}
		word := lower[free:]
		if part == 1 {
			if isLatinTag(word) {
				return cutAt(name, start)
			}
		} else if text.StartsPhrase(string(lower[free:behind])) && isLatinTag(word) {
			cut = start
		}
		if end = start - 1; end < 1 || !text.PartsPhrase(name[end]) {
			break
		}
	}
	return cutAt(name, cut)
}

// cutAt cuts name at the offset at, where that leaves something.
func cutAt(name string, at int) (rest string, ok bool) {
	if at > 0 {
		if rest = strings.TrimRight(name[:at], nameEnd); rest != "" {
			return rest, true
		}
	}
	return name, false
}

// wordStartsAt tells whether no word that goes on at the offset at stands before it.
func wordStartsAt(name string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(name[:at])
	return text.IsWide(before) || !unicode.IsLetter(before) && !unicode.IsNumber(before)
}

// isLatinTag tells whether the word, in lower case, may be dropped from the end of
// a name.
func isLatinTag(word []byte) bool {
	if tags := text.TagsOf(string(word)); len(tags) > 0 {
		return tags[0].EndsNames()
	}
	_, height := text.PictureSize(string(word))
	return height > 0
}

func lowerASCII(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c |= 0x20
	}
	return c
}
