package text_test

import (
	"testing"

	"xship/sources/text"
)

func TestForSheet(t *testing.T) {
	for cell, want := range map[string]string{
		"": "", "Film": "Film", "=1+1": "'=1+1", "+49": "+49", "-1.5": "-1.5", "-x": "'-x", "@a": "'@a", "＝1": "'＝1", "'=1": "'=1", "a=b": "a=b",
	} {
		if got := text.ForSheet(cell); got != want {
			t.Errorf("%q: %q, want %q", cell, got, want)
		}
	}
	for _, cell := range []string{"", "'", "Film", "=1+1", "'n Sync", "－x", "-1.5"} {
		if got := text.FromSheet(text.ForSheet(cell)); got != cell {
			t.Errorf("%q comes back as %q", cell, got)
		}
	}
}
