package config

import "strings"

// nearest finds the candidate that name is probably a misspelling of: one that
// ends in it, or differs in a third of its letters at most. It is "" if none is.
func nearest(name string, candidates []string) string {
	best, least := "", len(name)/3+1
	for _, c := range candidates {
		if strings.HasSuffix(c, "."+name) {
			return c
		}
		if d := distance(name, c); d < least {
			best, least = c, d
		}
	}
	return best
}

// didYouMean continues an error about an unknown name: with the candidate that was
// probably meant, or else with otherwise.
func didYouMean(name string, candidates []string, otherwise string) string {
	if near := nearest(name, candidates); near != "" {
		return "; did you mean " + near + "?"
	}
	return "; " + otherwise
}

// distance is the Levenshtein distance of two ASCII texts.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
