package match

import (
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
	key    string
	runes  []rune
	words  [][]rune // the keys of its words
	digits string   // in key, in their order
	wide   bool     // it is in a script without spaces
}

// maxLikeWords is how many words of a name are looked at.
const maxLikeWords = 24

func likeNameOf(name string) (n likeName) {
	if len(name) > maxName {
		return n
	}
	name = articleFirst(text.Simplified(nameText(name)))
	n.key = text.NormalizeName(name)
	n.runes = []rune(n.key)
	for _, r := range n.runes {
		n.wide = n.wide || text.IsWide(r)
		if unicode.IsDigit(r) {
			n.digits += string(r)
		}
	}
	for word := range strings.FieldsFuncSeq(name, partsWords) {
		if word = text.NormalizeName(word); word != "" && len(n.words) < maxLikeWords {
			n.words = append(n.words, []rune(word))
		}
	}
	return n
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
	if n.digits != seen.digits && best > NearEnough {
		best = max(NearEnough, best*otherDigits)
	}
	return best
}

// byEdits is the likeness by characters, 0 where too many differ.
func (n *likeName) byEdits(seen *likeName) float64 {
	longest := max(len(n.runes), len(seen.runes))
	most := slips(longest, n.wide)
	if apart := len(n.runes) - len(seen.runes); max(apart, -apart) > most {
		return 0
	}
	edits := text.Edits(n.runes, seen.runes)
	if edits > most {
		return 0
	}
	return 1 - float64(edits)/float64(longest)
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
	asked, total := 0, 0
	for _, word := range n.words {
		total += len(word)
		if seen.hasWord(word) {
			asked += len(word)
		}
	}
	if asked == 0 {
		return 0
	}
	found, seenTotal := 0, 0
	for _, word := range seen.words {
		seenTotal += len(word)
		if n.hasWord(word) {
			found += len(word)
		}
	}
	share := float64(asked+found) / float64(total+seenTotal)
	switch {
	case asked == total && total >= telling, found == seenTotal && found >= telling && 2*found >= total:
		return NearEnough + allWords*share
	default:
		return min(someWords*share, NearEnough-0.01)
	}
}

// byPart is byWords for scripts without spaces: one name is part of the other.
func (n *likeName) byPart(seen *likeName) float64 {
	short, long := n, seen
	if len(short.runes) > len(long.runes) {
		short, long = long, short
	}
	if len(short.runes) < 2 || !strings.Contains(long.key, short.key) || short == seen && 2*len(short.runes) < len(long.runes) {
		return 0
	}
	return NearEnough + allWords*2*float64(len(short.runes))/float64(len(short.runes)+len(long.runes))
}

// hasWord tells whether n has a word, or one that differs in few characters.
func (n *likeName) hasWord(word []rune) bool {
	for _, own := range n.words {
		longest := max(len(own), len(word))
		most := slips(longest, false)
		if apart := len(own) - len(word); max(apart, -apart) > most || most == 0 && string(own) != string(word) {
			continue
		}
		if text.Edits(own, word) <= most {
			return true
		}
	}
	return false
}
