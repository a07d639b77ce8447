package text

import (
	_ "embed" // for the tables below
	"iter"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/encoding/simplifiedchinese"
)

// The tables of OpenCC, see opencc/README.md.
var (
	//go:embed opencc/TSCharacters.txt
	traditionalTable string
	//go:embed opencc/TSPhrases.txt
	phraseTable string
	//go:embed opencc/JPShinjitaiCharacters.txt
	japaneseTable string
	//go:embed opencc/STCharacters.txt
	simplifiedTable string
)

// Simplified is s with each traditional Chinese character, and each Japanese form of
// one, as its usual simplified one: by that two spellings of a name are compared, so
// the result is a key rather than good Chinese. Words come before characters: 反覆 is
// 反复, 沈默 is 沉默, and 乾隆 stays, while 乾杯 is 干杯.
//
// Where several traditional characters became one, what nobody writes becomes the same
// too: 髮現, a wrong 發現, is 发现. No two works are told apart by that. Of the
// characters that OpenCC keeps in some words only 乾 is kept; the others are written in
// both ways in simplified Chinese: 魏徵 and 魏征, 锺馗 and 钟馗.
//
// A Japanese form that is a Chinese character as well, such as 芸 and 浜, stays.
func Simplified(s string) string {
	t := toSimplified()
	const most = 4 // a phrase may come to be where another one ended
	for range most {
		simple := t.convert(s)
		if simple == s {
			break
		}
		s = simple
	}
	return s
}

// SimplifiedFrom gives the characters that Simplified makes r of, by themselves or in
// a phrase, r itself included where it stays.
func SimplifiedFrom(r rune) []rune {
	from := simplifiedFrom()[r]
	if toSimplified().of(r) == r {
		return append(slices.Clip(from), r)
	}
	return from
}

// simplifiedFrom has the characters that others become, by what they become.
var simplifiedFrom = sync.OnceValue(func() map[rune][]rune {
	t := toSimplified()
	from := make(map[rune][]rune)
	add := func(to, r rune) {
		for next := t.of(to); next != to; next = t.of(to) { // a form of a form
			to = next
		}
		if to != r && !slices.Contains(from[to], r) {
			from[to] = append(from[to], r)
		}
	}
	for r := rune(firstHan); r <= lastHan; r++ {
		add(t.of(r), r)
	}
	for r, to := range t.rare {
		add(to, r)
	}
	for _, phrases := range t.phrases {
		for _, p := range phrases {
			to := []rune(p.to)
			for i, r := range []rune(p.from) {
				if i < len(to) {
					add(to[i], r)
				}
			}
		}
	}
	return from
})

// Traditional is s with each simplified Chinese character as its usual traditional
// one. A character that became of several is guessed.
func Traditional(s string) string { return toTraditional().convert(s) }

var toSimplified = sync.OnceValue(func() *hanTable {
	t := readHanTable(traditionalTable)
	// What OpenCC leaves to its words, or to regions.
	t.set('著', '着')
	t.set('妳', '你')
	t.set('锺', '钟')
	t.set('鑛', '矿')
	t.readJapanese(japaneseTable)
	t.readPhrases(phraseTable)
	return t
})

var toTraditional = sync.OnceValue(func() *hanTable { return readHanTable(simplifiedTable) })

// firstHan and lastHan bound the characters of which most are.
const (
	firstHan = 0x3400
	lastHan  = 0x9fff
)

// hanTable maps characters to characters, and phrases to phrases.
type hanTable struct {
	common  [lastHan - firstHan + 1]uint16 // 0: itself
	rare    map[rune]rune
	starts  [(lastHan-firstHan)/64 + 1]uint64 // a bit for each character that starts a phrase
	phrases map[rune][]phrase                 // by their first character, longest first
}

// phrase is one that becomes something else than its characters do.
type phrase struct{ from, to string }

// readHanTable reads a table of characters of OpenCC.
func readHanTable(table string) *hanTable {
	t := &hanTable{rare: make(map[rune]rune)}
	for from, to := range entries(table) {
		key, size := utf8.DecodeRuneInString(from)
		if value, _ := utf8.DecodeRuneInString(to); size == len(from) && key != value {
			t.set(key, value)
		}
	}
	t.closeChains()
	return t
}

// entries are the lines of a table of OpenCC: a text and what it may become, the usual
// one first, divided by spaces.
func entries(table string) iter.Seq2[string, string] {
	return func(yield func(from, to string) bool) {
		for line := range strings.Lines(table) {
			from, to, ok := strings.Cut(strings.TrimRight(line, "\r\n"), "\t")
			if ok && from != "" && from[0] != '#' && !yield(from, to) {
				return
			}
		}
	}
}

// readJapanese adds the Japanese forms of characters, but for those that are Chinese
// characters as well.
func (t *hanTable) readJapanese(table string) {
	for from, to := range entries(table) {
		key, _ := utf8.DecodeRuneInString(from)
		if t.of(key) != key || isSimplified(key) {
			continue
		}
		for old := range strings.FieldsSeq(to) {
			value, _ := utf8.DecodeRuneInString(old)
			if value = t.of(value); isSimplified(value) {
				t.set(key, value)
				break
			}
		}
	}
}

// isSimplified tells whether r is of GB 2312, the characters in use in simplified
// Chinese.
func isSimplified(r rune) bool {
	b, err := simplifiedchinese.GBK.NewEncoder().Bytes(utf8.AppendRune(nil, r))
	return err == nil && len(b) == 2 && b[0] >= 0xb0 && b[0] <= 0xf7 && b[1] >= 0xa1
}

// readPhrases adds the phrases that become something else than their characters do.
func (t *hanTable) readPhrases(table string) {
	t.phrases = make(map[rune][]phrase)
	for from, to := range entries(table) {
		to = to[strings.LastIndexByte(to, ' ')+1:] // of two spellings in use one
		to = strings.Map(func(r rune) rune {
			if r == '乾' {
				return r
			}
			return t.of(r)
		}, to)
		if to == strings.Map(t.of, from) {
			continue
		}
		if first, _ := utf8.DecodeRuneInString(from); first >= firstHan && first <= lastHan {
			t.phrases[first] = append(t.phrases[first], phrase{from, to})
			t.starts[(first-firstHan)/64] |= 1 << ((first - firstHan) % 64)
		}
	}
	for _, all := range t.phrases {
		slices.SortFunc(all, func(a, b phrase) int { return len(b.from) - len(a.from) })
	}
}

// closeChains makes what becomes of a character one that stays as it is.
func (t *hanTable) closeChains() {
	for i, to := range t.common {
		if to != 0 {
			t.common[i] = uint16(t.of(rune(to)))
		}
	}
	for from, to := range t.rare {
		t.rare[from] = t.of(to)
	}
}

func (t *hanTable) set(from, to rune) {
	if from >= firstHan && from <= lastHan && to <= lastHan {
		t.common[from-firstHan] = uint16(to)
		return
	}
	t.rare[from] = to
}

func (t *hanTable) of(r rune) rune {
	if r >= firstHan && r <= lastHan {
		if to := t.common[r-firstHan]; to != 0 {
			return rune(to)
		}
	}
	if to, ok := t.rare[r]; ok && r >= firstHan {
		return to
	}
	return r
}

func (t *hanTable) convert(s string) string {
	if IsASCII(s) {
		return s
	}
	for i, r := range s {
		if r < firstHan {
			continue
		}
		if from, _ := t.phraseAt(r, s[i:]); from != "" || t.of(r) != r {
			return t.convertFrom(s, i)
		}
	}
	return s
}

// startsPhrase tells whether a phrase starts with r, which is no less than firstHan.
func (t *hanTable) startsPhrase(r rune) bool {
	return r <= lastHan && t.starts[(r-firstHan)/64]&(1<<((r-firstHan)%64)) != 0
}

// convertFrom is convert for s whose first character to be looked at is at the offset i.
func (t *hanTable) convertFrom(s string, i int) string {
	b := append(make([]byte, 0, len(s)+utf8.UTFMax), s[:i]...)
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch from, to := t.phraseAt(r, s[i:]); {
		case from != "":
			b, size = append(b, to...), len(from)
		case r == utf8.RuneError && size == 1:
			b = append(b, s[i])
		default:
			b = utf8.AppendRune(b, t.of(r))
		}
		i += size
	}
	return string(b)
}

// phraseAt is the longest phrase that s, the first character of which is r, starts with.
func (t *hanTable) phraseAt(r rune, s string) (from, to string) {
	if r < firstHan || !t.startsPhrase(r) {
		return "", ""
	}
	for _, p := range t.phrases[r] {
		if strings.HasPrefix(s, p.from) {
			return p.from, p.to
		}
	}
	return "", ""
}
