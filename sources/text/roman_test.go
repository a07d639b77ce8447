package text_test

import (
	"strings"
	"testing"

	"xship/sources/text"
)

func TestRoman(t *testing.T) {
	for n := 1; n <= text.MostRoman; n++ {
		word := strings.ToLower(text.Roman(n))
		if got := text.RomanNumber(word); got != n {
			t.Errorf("RomanNumber(%q) = %d, want %d", word, got, n)
		}
		if got := text.RomanNumber([]byte(word)); got != n {
			t.Errorf("RomanNumber of the bytes of %q = %d, want %d", word, got, n)
		}
	}
	for _, word := range []string{"", "II", "iiii", "vv", "iix", "xxi", "xxx", "xviiii", "xa", "c", "ⅱ"} {
		if got := text.RomanNumber(word); got != 0 {
			t.Errorf("RomanNumber(%q) = %d, want none", word, got)
		}
	}
}

func TestIsVersion(t *testing.T) {
	for s, want := range map[string]bool{"v2": true, "V2": true, "v10": true, "": false, "v": false, "2": false, "v100": false, "va": false, "x2": false, "v2a": false} {
		if got := text.IsVersion(s); got != want {
			t.Errorf("IsVersion(%q) = %v, want %v", s, got, want)
		}
	}
}
