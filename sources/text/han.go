package text

import (
	_ "embed" // for the tables below
	"strings"
	"sync"
	"unicode/utf8"
)

// The character tables of OpenCC, see opencc/README.md.
var (
	//go:embed opencc/TSCharacters.txt
	traditionalTable string
	//go:embed opencc/STCharacters.txt
	simplifiedTable string
)

// Simplified is s with each traditional Chinese character as its usual simplified
// one: by that two spellings of a name are compared. It goes by characters, not by
// words, so the result is a key rather than good Chinese.
func Simplified(s string) string { return toSimplified().convert(s) }

// Traditional is s with each simplified Chinese character as its usual traditional
// one. A character that became of several is guessed.
func Traditional(s string) string { return toTraditional().convert(s) }

var toSimplified = sync.OnceValue(func() *hanTable {
	t := readHanTable(traditionalTable)
	// What OpenCC leaves to its words, or to regions.
	t.set('著', '着')
	t.set('妳', '你')
	return t
})

var toTraditional = sync.OnceValue(func() *hanTable { return readHanTable(simplifiedTable) })

// firstHan and lastHan bound the characters of which most are.
const (
	firstHan = 0x3400
	lastHan  = 0x9fff
)

// hanTable maps characters to characters.
type hanTable struct {
	common [lastHan - firstHan + 1]uint16 // 0: itself
	rare   map[rune]rune
}

// readHanTable reads a table of OpenCC.
func readHanTable(table string) *hanTable {
	t := &hanTable{rare: make(map[rune]rune)}
	for line := range strings.Lines(table) {
		from, to, ok := strings.Cut(line, "\t")
		key, size := utf8.DecodeRuneInString(from)
		if value, _ := utf8.DecodeRuneInString(to); ok && size == len(from) && key != '#' && key != value {
			t.set(key, value)
		}
	}
	t.closeChains()
	return t
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
		if r >= firstHan && t.of(r) != r {
			return s[:i] + strings.Map(t.of, s[i:])
		}
	}
	return s
}
