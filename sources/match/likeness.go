package match

import (
	"math/bits"
	"strings"
	"unicode"

	"xship/sources"
	"xship/sources/text"
)

// NearEnough is the Likeness from which on a title may have been meant by a name.
const NearEnough = 0.5

// Likeness tells how much names are like those of one title, so that one may have been
// typed for the other. It may be shared.
type Likeness struct{ names []likeName }

// LikenessTo is the likeness to t, with the names that it has, without their years in
// brackets and marks of seasons.
func LikenessTo(t sources.Title) *Likeness {
	l := new(Likeness)
	for _, name := range t.Names() {
		name, _ = SplitYear(name)
		if base, _, ok := SplitSeason(name); ok && base != "" {
			name = base
		}
		if n := likeNameOf(name); n.key != "" {
			n.eachWord() // it is shared
			l.names = append(l.names, n)
		}
	}
	return l
}

// Of is the likeness of the best of names, from 0 to 1: 1 where it is the same by
// text.NormalizeName in simplified Chinese, NearEnough at least where it differs in few
// characters or one has all words of the other, and 0 where nothing speaks for it.
func (l *Likeness) Of(names ...string) float64 {
	best := 0.0
	for _, name := range names {
		if name == "" || best == 1 {
			continue
		}
		other := likeNameOf(name)
		for i := range l.names {
			best = max(best, l.names[i].likeness(&other))
		}
	}
	return best
}

// likeName is what of a name its likeness to others is told by.
type likeName struct {
	likeWord        // all of it
	wide     bool   // it is in a script without spaces
	name     string // in simplified Chinese
	split    bool   // words are its words
	words    []likeWord
}

// likeWord is a word as a key.
type likeWord struct {
	key     string
	length  int    // in characters
	letters uint64 // a bit for each that it has; some share one
}

func likeWordOf(key string) likeWord {
	w := likeWord{key: key}
	for _, r := range key {
		w.length++
		w.letters |= 1 << (r % 64)
	}
	return w
}

// maxLikeWords is how many words of a name are looked at.
const maxLikeWords = 24

func likeNameOf(name string) (n likeName) {
	if len(name) > maxName {
		return n
	}
	n.name = articleFirst(text.Simplified(nameText(name)))
	n.likeWord = likeWordOf(text.NormalizeName(n.name))
	n.wide = n.length < len(n.key) && strings.ContainsFunc(n.key, text.IsWide)
	return n
}

// eachWord are the words of the name.
func (n *likeName) eachWord() []likeWord {
	if n.split {
		return n.words
	}
	n.split = true
	ascii := text.IsASCII(n.name)
	name := n.name
	if ascii {
		name = strings.ToLower(name)
	}
	n.words = make([]likeWord, 0, 8)
	for word := range strings.FieldsFuncSeq(name, partsWords) {
		if len(n.words) == maxLikeWords {
			break
		}
		if !ascii || strings.ContainsRune(word, '\'') {
			word = text.NormalizeName(word)
		}
		if word != "" {
			n.words = append(n.words, likeWordOf(word))
		}
	}
	return n.words
}

func partsWords(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) && r != '\'' && r != '’'
}

// Weights of what speaks for a name.
const (
	allWords  = 0.4 // above NearEnough, where one name has all words of the other
	someWords = 0.5 // at most, where they have some in common
	// otherDigits is for names that differ in a number: they are other works, of one row.
	otherDigits = 0.8
)

// likeness is that of a seen name to n, which was asked for.
func (n *likeName) likeness(seen *likeName) float64 {
	if n.key == "" || seen.key == "" {
		return 0
	}
	if n.key == seen.key {
		return 1
	}
	best := max(n.byEdits(seen), n.byWords(seen))
	if best > NearEnough && digitsOf(n.key) != digitsOf(seen.key) {
		best = max(NearEnough, best*otherDigits)
	}
	return best
}

// digitsOf are the digits of a key, in their order.
func digitsOf(key string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, key)
}

// byEdits is the likeness by characters, 0 where too many differ.
func (n *likeName) byEdits(seen *likeName) float64 {
	longest := max(n.length, seen.length)
	edits, few := n.fewEdits(&seen.likeWord, slips(longest, n.wide))
	if !few {
		return 0
	}
	return 1 - float64(edits)/float64(longest)
}

// fewEdits tells in how many characters two keys differ, where these are most at most.
func (w *likeWord) fewEdits(o *likeWord, most int) (edits int, few bool) {
	const each = 2 // letters that one edit adds or takes away
	if apart := w.length - o.length; most == 0 || max(apart, -apart) > most || bits.OnesCount64(w.letters^o.letters) > each*most {
		return 0, false
	}
	edits = text.Edits([]rune(w.key), []rune(o.key))
	return edits, edits <= most
}

// slips is how many characters may differ in a name of the given length, or a word. A
// character of a script without spaces tells as much as a syllable.
func slips(length int, wide bool) int {
	const each, shortest, shortestWide = 4, 4, 3
	switch {
	case wide && length >= shortestWide, length >= shortest:
		return max(1, length/each)
	default:
		return 0
	}
}

// byWords is the likeness by the words that the names have in common.
func (n *likeName) byWords(seen *likeName) float64 {
	const telling = 4 // characters
	if n.wide && seen.wide {
		return n.byPart(seen)
	}
	asked, total := n.inCommon(seen)
	if asked == 0 {
		return 0
	}
	found, seenTotal := seen.inCommon(n)
	share := float64(asked+found) / float64(total+seenTotal)
	switch {
	case asked == total && total >= telling, found == seenTotal && found >= telling && 2*found >= total:
		return NearEnough + allWords*share
	default:
		return min(someWords*share, NearEnough-0.01)
	}
}

// inCommon is how many characters of n are in words that other has too, and in all.
func (n *likeName) inCommon(other *likeName) (common, total int) {
	for _, word := range n.eachWord() {
		total += word.length
		if other.hasWord(&word) {
			common += word.length
		}
	}
	return common, total
}

// byPart is byWords for scripts without spaces: one name is part of the other.
func (n *likeName) byPart(seen *likeName) float64 {
	short, long := n, seen
	if short.length > long.length {
		short, long = long, short
	}
	if short.length < 2 || !strings.Contains(long.key, short.key) || short == seen && 2*short.length < long.length {
		return 0
	}
	return NearEnough + allWords*2*float64(short.length)/float64(short.length+long.length)
}

// hasWord tells whether n has a word, or one that differs in few characters.
func (n *likeName) hasWord(word *likeWord) bool {
	for _, own := range n.eachWord() {
		if own.key == word.key {
			return true
		}
		if _, few := own.fewEdits(word, slips(max(own.length, word.length), false)); few {
			return true
		}
	}
	return false
}
