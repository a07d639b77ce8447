package match

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"xship/sources"
	"xship/sources/text"
)

// EpisodeRange is the episode, or the run of episodes, that one link holds.
type EpisodeRange struct {
	Season int // -1 where the label does not say
	First  int
	Last   int // First for a single episode
}

// Contains tells whether episode is in the range.
func (r EpisodeRange) Contains(episode int) bool {
	return r.First <= episode && episode <= r.Last
}

// maxEpisodesInFile is the longest run that is taken for one file holding
// several episodes; anything longer is a pack, which plays from its start.
const maxEpisodesInFile = 3

// maxEpisodeLabel bounds the work on one label, in bytes.
const maxEpisodeLabel = 1024

// LabelKind is what a label says of episodes.
type LabelKind int

// The kinds of labels.
const (
	// LabelPlain speaks of no episode: "HD国语".
	LabelPlain LabelKind = iota
	// LabelEpisode names an episode, or a run of them.
	LabelEpisode
	// LabelIrregular is that of a series but of none of its numbered episodes: half an
	// episode, an extra, an issue by its date, a count of episodes.
	LabelIrregular
)

// Item is what a label stands in: a film, a series or a season as a site lists it.
type Item struct {
	Season int      // -1 where the item does not say
	Names  []string // which may stand before the number: "庆余年12"
}

// Episode tells whether label names the link for t within an item. It is never true
// for another episode:
//   - a movie matches every label but those of a series, and its own name;
//   - a season on the label and one on the item must both be that of t; where
//     neither says, it is season 1;
//   - "S01E01-E02" matches each of its episodes, a pack (more than three) none.
func Episode(t sources.Title, label string, in Item) bool {
	if t.Kind == sources.KindMovie {
		_, kind := ReadLabel(label)
		return kind == LabelPlain || isName(t, label)
	}
	r, kind := readLabel(label, titleNames{lists: [][]string{in.Names, {t.Name, t.OriginalName}, t.Aliases}})
	if kind != LabelEpisode || !r.Contains(t.Episode) || r.Last-r.First >= maxEpisodesInFile {
		return false
	}
	if r.Season < 0 && in.Season < 0 {
		return t.Season == 1
	}
	return (r.Season < 0 || r.Season == t.Season) && (in.Season < 0 || in.Season == t.Season)
}

// isName tells whether label is a name of t, such as "300 HEVC" of the film "300".
func isName(t sources.Title, label string) bool {
	keys := titleKeys(t)
	label = nameText(label)
	return keys.fit(t.Kind, label) != None || keys.fit(t.Kind, trimLabel(label)) != None
}

// ParseEpisode reads the label of a link by the grammar of this package. What names
// no regular episode is not ok.
func ParseEpisode(label string) (EpisodeRange, bool) {
	r, kind := ReadLabel(label)
	return r, kind == LabelEpisode
}

// ReadLabel reads the label of a link by the grammar of this package. One of names
// may stand before the number: "庆余年12" of "庆余年".
func ReadLabel(label string, names ...string) (EpisodeRange, LabelKind) {
	return readLabel(label, titleNames{lists: [][]string{names}})
}

func readLabel(label string, names titleNames) (EpisodeRange, LabelKind) {
	if n, ok := commonLabel(label); ok {
		return single(n), LabelEpisode
	}
	label = cut(label, maxEpisodeLabel)
	if gluesNumbers(label) {
		return EpisodeRange{}, LabelIrregular
	}
	label = withLatinDigits(text.Clean(text.Compatible(norm.NFKC, label)))
	if !strings.ContainsFunc(label, isNumeral) {
		return EpisodeRange{}, LabelPlain
	}
	for _, list := range names.lists {
		for _, name := range list {
			rest, ok := behindName(label, name)
			if !ok {
				continue
			}
			r, start, kind := readClean(rest, true, names)
			if kind == LabelEpisode && r.Season < 0 && start > 0 && !names.isLonger(label, rest) {
				if n := sequelNumber(rest[:start]); n > 0 {
					r.Season = n
				} else if hasStray(rest[:start], names) {
					return EpisodeRange{}, LabelIrregular
				}
			}
			if kind != LabelPlain {
				return r, kind
			}
		}
	}
	r, start, kind := readClean(label, false, names)
	if kind == LabelEpisode && r.Season < 0 && hasStray(label[:start], names) {
		return EpisodeRange{}, LabelIrregular
	}
	return r, kind
}

// readClean reads a label that is normalized; named where the name of the series
// stood before it. One of names may still do. The mark, if there is one, starts at the
// offset start.
func readClean(label string, named bool, names titleNames) (r EpisodeRange, start int, kind LabelKind) {
	r, start, _, kind = findMark(label, names)
	if kind != LabelPlain {
		return r, start, kind
	}
	if r, ok := bareEpisode(label, named, names); ok {
		return r, 0, LabelEpisode
	}
	return EpisodeRange{}, 0, LabelPlain
}

// sequelNumber is the number of a season that stands between the name of a series and a
// mark, in one digit or in Roman numerals: "某剧2第12集", "Show II E05". 0 is none.
func sequelNumber(between string) int {
	word := strings.Trim(between, " .:_-")
	if n := text.Number(word); len(word) == 1 && n >= 2 {
		return n
	}
	if len(word) < len("ii") {
		return 0
	}
	return text.RomanNumber(strings.ToLower(word))
}

// isLonger tells whether one of the names stands before less of label than rest.
func (names titleNames) isLonger(label, rest string) bool {
	for _, list := range names.lists {
		for _, name := range list {
			if less, ok := behindName(label, name); ok && len(less) < len(rest) {
				return true
			}
		}
	}
	return false
}

func single(n int) EpisodeRange { return EpisodeRange{Season: -1, First: n, Last: n} }

// commonLabel reads what most labels are: "第01集" and "01".
func commonLabel(label string) (int, bool) {
	digits := label
	if rest, ok := strings.CutPrefix(label, "第"); ok {
		if digits, ok = strings.CutSuffix(rest, "集"); !ok {
			return 0, false
		}
	}
	const most = 3
	if digits == "" || len(digits) > most {
		return 0, false
	}
	n := 0
	for i := range len(digits) {
		if !text.IsDigit(digits[i]) {
			return 0, false
		}
		n = n*10 + int(digits[i]-'0')
	}
	return n, len(digits) != len(label) || !isPictureOrYear(n)
}

// gluesNumbers tells whether s has a number beside one of another kind, such as a
// fraction or a superscript: normalized, the two would be one number.
func gluesNumbers(s string) bool {
	if text.IsASCII(s) {
		return false
	}
	prev := rune(0)
	for _, c := range s {
		other := isOtherNumber(c)
		if other && (unicode.IsNumber(prev) || strings.ContainsRune(norm.NFKC.String(string(c)), fractionSlash)) ||
			c == fractionSlash || unicode.IsNumber(c) && isOtherNumber(prev) {
			return true
		}
		prev = c
	}
	return false
}

const fractionSlash = '⁄'

// isOtherNumber tells whether r is a number but no digit: "①", "²", "½".
func isOtherNumber(r rune) bool {
	ideograph := r >= 0x3400 && r < 0xac00
	return r >= 0x80 && !ideograph && unicode.Is(unicode.No, r)
}

// isNumeral tells whether r may be part of a number.
func isNumeral(r rune) bool {
	return text.IsDigit(byte(min(r, utf8.RuneSelf))) || r >= '〇' && (chineseDigit(r) >= 0 || chineseUnit(r) > 0 || r == '廿' || r == '卅')
}

// behindName is what stands in label behind the name of its series.
func behindName(label, name string) (rest string, ok bool) {
	label = strings.TrimLeft(label, "[《【「(")
	first, _ := utf8.DecodeRuneInString(label)
	if start, _ := utf8.DecodeRuneInString(name); unicode.ToLower(first) != unicode.ToLower(start) {
		return "", false // as most are, without more ado
	}
	name = nameText(name)
	if name == "" || len(name) >= len(label) || !strings.EqualFold(label[:len(name)], name) {
		return "", false
	}
	rest = label[len(name):]
	last, _ := utf8.DecodeLastRuneInString(name)
	next, _ := utf8.DecodeRuneInString(rest)
	switch {
	case unicode.IsNumber(last) && unicode.IsNumber(next):
		return "", false
	case unicode.IsLetter(last) && unicode.IsLetter(next) && !text.IsWide(last) && !text.IsWide(next):
		return "", false
	}
	return rest, true
}

// cut shortens s to at most limit bytes, at a character's boundary.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// FindEpisode finds the first episode in name that is marked as one, like
// ParseEpisode without bare numbers. The mark is name[start:end]. It takes time
// linear in the length of name.
func FindEpisode(name string) (r EpisodeRange, start, end int, ok bool) {
	r, start, end, kind := findMark(name, titleNames{})
	if kind != LabelEpisode {
		return EpisodeRange{}, 0, 0, false
	}
	return r, start, end, true
}

// equalFoldASCII compares s with the lower-case word, ignoring the case of
// ASCII letters.
func equalFoldASCII(s, lower string) bool {
	if len(s) != len(lower) {
		return false
	}
	for i := range len(s) {
		if lowerASCII(s[i]) != lower[i] {
			return false
		}
	}
	return true
}
