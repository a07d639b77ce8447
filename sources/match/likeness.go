package match

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"

	"xship/sources/text"
)

// Likeness tells, from 0 to 1, how much one name is like another, so that one may have
// been typed for the other: 1 where they are the same by text.NormalizeName in simplified
// Chinese, 0 where nothing speaks for it.
func Likeness(a, b string) float64 {
	return likenessOf(likeKeyOf(a), likeKeyOf(b))
}

// likeKey is what of a name its likeness to others is told by.
type likeKey struct {
	key    string   // of the name
	length int      // of key, in characters
	words  []string // of the name, each as a key
}

func likeKeyOf(name string) likeKey {
	if len(name) > maxName {
		return likeKey{}
	}
	name = articleFirst(text.Simplified(nameText(name)))
	k := likeKey{key: text.NormalizeName(name)}
	k.length = utf8.RuneCountInString(k.key)
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) && r != '\'' }) {
		if word = text.NormalizeName(word); word != "" {
			k.words = append(k.words, word)
		}
	}
	return k
}

func likenessOf(a, b likeKey) float64 {
	longest := max(a.length, b.length)
	switch {
	case a.length == 0 || b.length == 0:
		return 0
	case a.key == b.key:
		return 1
	}
	return 1 - float64(levenshtein.ComputeDistance(a.key, b.key))/float64(longest)
}
