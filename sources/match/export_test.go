package match

import (
	"strings"

	"xship/sources/text"
)

// ExtraWord is a word of extras, and where it tells of one: behind a mark and before it,
// right beside or parted from it too.
type ExtraWord struct {
	Text          string
	Before, Apart bool
}

// ExtraWords are all words of extras, the phrases too.
func ExtraWords() []ExtraWord {
	var all []ExtraWord
	for rule, words := range extraWords {
		for word := range strings.FieldsSeq(words) {
			all = append(all, ExtraWord{word, rule != extraBehind, rule != extraWhole})
		}
	}
	for _, phrase := range extraPhrases {
		for _, sign := range []string{" ", "-", "."} {
			all = append(all, ExtraWord{strings.Join(phrase, sign), true, true})
		}
	}
	return all
}

// MayHoldExtra tells whether the quick look lets s pass, as one that may hold a word of
// extras.
func MayHoldExtra(s string) bool { return extras().may(s) }

// SimplifiedExtras are the words that are looked up, as they are written there.
func SimplifiedExtras() []string {
	var all []string
	for _, words := range extras().anywhere {
		for _, word := range words {
			all = append(all, text.Simplified(word.text))
		}
	}
	return all
}
