package text

import (
	"strings"
	"unicode/utf8"
)

// longestMistyped is how many characters a name may have for which Nearest looks.
const longestMistyped = 100

// Nearest gives the candidate of which name is probably a misspelling, "" where none is:
// one that differs in a third of its letters at most, the case not counted, or else the
// only one that begins with it. Of those as near, it is the first.
func Nearest(name string, candidates []string) string {
	given := []rune(strings.ToLower(strings.TrimSpace(name)))
	if len(given) == 0 || len(given) > longestMistyped {
		return ""
	}
	best, least := "", len(given)/3+1
	begun, beginnings := "", 0
	for _, c := range candidates {
		folded := strings.ToLower(c)
		if len(given) > 1 && strings.HasPrefix(folded, string(given)) {
			begun = c
			beginnings++
		}
		letters := utf8.RuneCountInString(folded)
		if letters-len(given) >= least || len(given)-letters >= least { // they differ in more
			continue
		}
		if d := Edits(given, []rune(folded)); d < least {
			best, least = c, d
		}
	}
	if best == "" && beginnings == 1 {
		return begun
	}
	return best
}

// DidYouMean is a hint that names the candidate of which name is probably a misspelling,
// or else otherwise.
func DidYouMean(name string, candidates []string, otherwise string) string {
	if near := Nearest(name, candidates); near != "" {
		return "did you mean " + Clean(near) + "?"
	}
	return otherwise
}

// Edits is how many characters to add, leave out, change, or swap with their neighbour
// make b of a.
func Edits(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range b {
			cost := last[j]
			if a[i] != b[j] {
				cost++
			}
			row[j+1] = min(cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
