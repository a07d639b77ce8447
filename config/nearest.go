package config

import (
	"strings"

	"xship/sources/text"
)

// didYouMean continues an error about an unknown name: with the candidate that was
// probably meant, or else with otherwise. A key is known by its last part too.
func didYouMean(name string, candidates []string, otherwise string) string {
	for _, c := range candidates {
		if strings.HasSuffix(c, "."+name) {
			return "; did you mean " + c + "?"
		}
	}
	return "; " + text.DidYouMean(name, candidates, otherwise)
}
