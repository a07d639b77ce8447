package text_test

import (
	"testing"
	"unicode/utf8"

	"xship/sources/text"
)

func TestSimplified(t *testing.T) {
	for in, want := range map[string]string{
		"":                     "",
		"Big Buck Bunny":       "Big Buck Bunny",
		"庆余年":                  "庆余年",
		"慶餘年":                  "庆余年",
		"庆餘年":                  "庆余年",
		"Über 慶餘年 2":           "Über 庆余年 2",
		"頭髮與發現":                "头发与发现",
		"裏裡臺台羣":                "里里台台群",
		"看著妳":                  "看着你",
		"著名":                   "着名",
		"鬼滅之刃":                 "鬼灭之刃",
		"さらばヌメモン":              "さらばヌメモン",
		"이상한":                  "이상한",
		"\xff慶":                "\xff庆",
		"\U00020c8e\U0002b8b8": text.Simplified("\U00020c8e\U0002b8b8"),
	} {
		if got := text.Simplified(in); got != want {
			t.Errorf("Simplified(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestTraditional(t *testing.T) {
	for in, want := range map[string]string{"": "", "Alpha": "Alpha", "庆余年": "慶餘年", "慶餘年": "慶餘年", "鬼灭之刃": "鬼滅之刃", "流浪地球": "流浪地球"} {
		if got := text.Traditional(in); got != want {
			t.Errorf("Traditional(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestSimplifiedTwice: what is simplified stays as it is, so that it is a key.
func TestSimplifiedTwice(t *testing.T) {
	changed := 0
	for r := rune(0); r <= 0x323af; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		once := text.Simplified(string(r))
		if again := text.Simplified(once); again != once {
			t.Errorf("%c becomes %s, and that %s", r, once, again)
		}
		if once != string(r) {
			changed++
		}
	}
	if changed < 3000 {
		t.Errorf("only %d characters change", changed)
	}
}

func FuzzSimplified(f *testing.F) {
	f.Add("慶餘年 \xff")
	f.Fuzz(func(t *testing.T, s string) {
		if got := text.Simplified(s); text.Simplified(got) != got {
			t.Errorf("Simplified(%q) = %q is no key", s, got)
		}
	})
}

func BenchmarkSimplified(b *testing.B) {
	for _, bm := range []struct{ name, in string }{{"simplified", "庆余年 第二季"}, {"traditional", "慶餘年 第二季"}, {"latin", "The Wandering Earth"}} {
		b.Run(bm.name, func(b *testing.B) {
			for b.Loop() {
				text.Simplified(bm.in)
			}
		})
	}
}
