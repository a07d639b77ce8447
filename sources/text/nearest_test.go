package text_test

import (
	"strings"
	"testing"

	"xship/sources/text"
)

func TestNearest(t *testing.T) {
	flags := []string{"quality", "quiet", "season", "episode", "year", "no-probe", "probe", "all", "alias"}
	for name, c := range map[string]struct {
		given      string
		candidates []string
		want       string
	}{
		"a letter left out":      {"qualty", flags, "quality"},
		"a letter too much":      {"seasson", flags, "season"},
		"another letter":         {"episude", flags, "episode"},
		"two that are swapped":   {"laias", flags, "alias"},
		"swapped, three letters": {"lal", flags, "all"},
		"another case":           {"QUALITY", flags, "quality"},
		"with a space":           {" quality ", flags, "quality"},
		"the only beginning":     {"ep", flags, "episode"},
		"one of two beginnings":  {"qu", flags, ""},
		"the first letter alone": {"e", flags, ""},
		"the nearer one":         {"proube", flags, "probe"},
		"nothing like it":        {"resolution", flags, ""},
		"nothing":                {"", flags, ""},
		"no candidates":          {"quality", nil, ""},
		"other scripts":          {"лодка и мре", []string{"лодка", "лодка и море"}, "лодка и море"},
		"Chinese":                {"纸灯龙", []string{"纸灯笼"}, "纸灯笼"},
		"far too long":           {strings.Repeat("a", 1<<20), []string{strings.Repeat("a", 1<<20)}, ""},
		"a candidate too long":   {"abc", []string{strings.Repeat("x", 1<<20)}, ""},
		"no UTF-8":               {"film\xff", []string{"film"}, "film"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := text.Nearest(c.given, c.candidates); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestDidYouMean(t *testing.T) {
	known := []string{"auto", "always", "never"}
	if got, want := text.DidYouMean("alway", known, "one of these"), "did you mean always?"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := text.DidYouMean("red", known, "one of these"), "one of these"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := text.DidYouMean("atlas", []string{"atl\x07as"}, ""), "did you mean atlas?"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func BenchmarkNearest(b *testing.B) {
	titles := make([]string, 10_000)
	for i := range titles {
		titles[i] = strings.Repeat("Some Long Title ", 2) + string(rune('a'+i%26))
	}
	for b.Loop() {
		text.Nearest("Some Long Titel Some Long Title x", titles)
	}
}
