package text

import (
	"html"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// NormalizeName makes the key by which names are compared: two spellings of
// one name give one key. It is NFKD and lower case, HTML entities are decoded,
// accents of Latin, Greek and Cyrillic letters are folded, and punctuation and
// white space are gone. "&" is "and". The Roman numerals II to XX are numbers
// unless they start the name: "Rocky II" is "rocky2", "X-Men" is "xmen".
//
// Parts in brackets are dropped, except at the start ("[REC]") and where they
// make another work of the name ("Kill Bill (Vol. 2)").
//
// The key is "" if s has no letter and no digit, and a key is its own key.
func NormalizeName(s string) string {
	key := nameKey(s)
	// "球 I.I" has become "球ii", which is "球2" when read again.
	if strings.Contains(key, "ii") && !IsASCII(key) {
		key = nameKey(key)
	}
	return key
}

func nameKey(s string) string {
	s = Compatible(norm.NFKD, html.UnescapeString(s))
	k := keyBuilder{out: make([]byte, 0, len(s)+8)}
	for i, r := range s {
		k.add(s, i, r)
	}
	k.endWord()
	return string(k.out)
}

// keyBuilder builds a key rune by rune. Brackets nested deeper than its stack
// are plain punctuation.
type keyBuilder struct {
	out    []byte
	word   int  // where the current word starts in out
	wide   bool // the current word is in a script without spaces
	joined bool // the last rune was kept, so that a mark belongs to it
	open   [8]openBracket
	depth  int
}

type openBracket struct {
	in  int // first byte of the content in the input
	out int // length of out before it
}

func (k *keyBuilder) add(s string, i int, r rune) {
	switch {
	case r < utf8.RuneSelf && IsAlnum(byte(r)):
		if k.wide {
			k.endWord()
			k.wide = false
		}
		if 'A' <= r && r <= 'Z' {
			r |= 0x20
		}
		k.out, k.joined = append(k.out, byte(r)), true
	case IsCommonHan(r):
		if !k.wide {
			k.endWord()
			k.wide = true
		}
		k.out, k.joined = utf8.AppendRune(k.out, r), true
	case isLetterOrNumber(r):
		k.letter(r)
	case r == '\u034f': // combining grapheme joiner
		k.joined = false
	case r >= 0x300 && r <= 0x36f: // accents of Latin, Greek, Cyrillic
	case r >= 0x80 && unicode.IsMark(r):
		if k.joined {
			k.out = utf8.AppendRune(k.out, r)
		}
	case r == '\'' || r == '’' || r == '‘' || r == '`' || unicode.Is(unicode.Cf, r):
		k.joined = false
	case r == '&':
		k.endWord()
		k.out = append(k.out, "and"...)
		k.endWord()
	case isOpenBracket(r):
		k.endWord()
		if k.depth < len(k.open) {
			k.open[k.depth] = openBracket{in: i + utf8.RuneLen(r), out: len(k.out)}
			k.depth++
		}
	case isCloseBracket(r):
		k.endWord()
		k.closeBracket(s[:i])
	default:
		k.endWord()
	}
}

func (k *keyBuilder) letter(r rune) {
	if wide := IsWide(r); wide != k.wide {
		k.endWord()
		k.wide = wide
	}
	k.joined = true
	switch r = unicode.ToLower(r); r {
	case 'ß':
		k.out = append(k.out, "ss"...)
	case 'æ':
		k.out = append(k.out, "ae"...)
	case 'œ':
		k.out = append(k.out, "oe"...)
	case 'þ':
		k.out = append(k.out, "th"...)
	case 'ø':
		k.out = append(k.out, 'o')
	case 'ł':
		k.out = append(k.out, 'l')
	case 'đ', 'ð':
		k.out = append(k.out, 'd')
	case 'ı':
		k.out = append(k.out, 'i')
	default:
		k.out = utf8.AppendRune(k.out, r)
	}
}

func (k *keyBuilder) endWord() {
	if k.word > 0 {
		if n := RomanNumber(k.out[k.word:]); n >= 2 {
			k.out = strconv.AppendInt(k.out[:k.word], int64(n), 10)
		}
	}
	k.word = len(k.out)
	k.joined = false
}

// closeBracket drops what stands in the innermost bracket; read is the input
// before its end.
func (k *keyBuilder) closeBracket(read string) {
	if k.depth == 0 {
		return
	}
	k.depth--
	b := k.open[k.depth]
	if b.out == 0 || SetsApart(read[b.in:]) {
		return
	}
	k.out = k.out[:b.out]
	k.word = b.out
}

// SetsApart tells whether a part in brackets makes another work of a name:
// "(2)", "(II)", "(Part One)", "(第二季)", "(下)", "(Trailer)".
func SetsApart(content string) bool {
	content = strings.ToLower(strings.TrimSpace(content))
	if len(content) > 64 {
		return false
	}
	if n, err := strconv.Atoi(content); err == nil {
		return n >= 0 && len(content) <= 2
	}
	if RomanNumber(content) >= 2 {
		return true
	}
	if !IsASCII(content) {
		for _, mark := range apartMarks() {
			if strings.Contains(content, mark) {
				return true
			}
		}
	}
	for word := range strings.FieldsFuncSeq(content, func(r rune) bool { return !unicode.IsLetter(r) }) {
		switch word {
		case "part", "pt", "teil", "vol", "volume", "chapter", "kapitel", "s", "episode",
			"special", "specials", "ova", "clip", "上", "中", "下", "上部", "下部", "上集", "下集":
			return true
		}
		if slices.Contains(SeasonWords(), word) || slices.Contains(TrailerWords(), word) {
			return true
		}
	}
	return false
}

// SeasonWords are the words with which a season is numbered, in lower case.
func SeasonWords() []string { return seasonWords[:] }

var seasonWords = [...]string{"season", "staffel", "saison", "stagione", "temporada"}

// apartMarks are the Chinese words that set apart what they stand in, those for
// trailers among them.
var apartMarks = sync.OnceValue(func() []string {
	marks := []string{"第", "篇", "番外", "剧场版", "片段", "解说"}
	for _, word := range TrailerWords() {
		if word[0] >= utf8.RuneSelf && !slices.ContainsFunc(marks, func(mark string) bool { return strings.Contains(word, mark) }) {
			marks = append(marks, word)
		}
	}
	return marks
})

func isLetterOrNumber(r rune) bool {
	if r < utf8.RuneSelf {
		return IsAlnum(byte(r))
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r)
}

func isOpenBracket(r rune) bool {
	return strings.ContainsRune("([{（［｛【〔", r)
}

func isCloseBracket(r rune) bool {
	return strings.ContainsRune(")]}）］｝】〕", r)
}
