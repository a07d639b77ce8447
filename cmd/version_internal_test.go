package cmd

import (
	"regexp"
	"testing"
)

// TestAgent names the version, and the project where that is known.
func TestAgent(t *testing.T) {
	for url, want := range map[string]string{"": `^xship/[^ ]+$`, "https://xship.example/": `^xship/[^ ]+ \(\+https://xship\.example/\)$`} {
		project = url
		if got := agent(); !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("%q is not %s", got, want)
		}
	}
	project = ""
}
