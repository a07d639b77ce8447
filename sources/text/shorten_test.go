package text_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"xship/sources/text"
)

func TestShorten(t *testing.T) {
	for s, want := range map[string]string{
		"":                           "",
		"short":                      "short",
		"exactly10!":                 "exactly10!",
		"eleven char":                "eleven cha…",
		"名字名字名字名字名字":                 "名字名字名字名字名字",
		"名字名字名字名字名字名字":               "名字名字名字名字名字…",
		" a \n\t b\x00\u200b ":       "a b",
		"12345678👨\u200d👩\u200d👧":    "12345678…", // all of them or none
		"123456789❤\ufe0f!":          "123456789…",
		"\xff":                       "\ufffd",
		"\x1b[31mred\u202e":          "red",
		strings.Repeat("影", 100_000): strings.Repeat("影", 10) + "…",
	} {
		if got := text.Shorten(s, 10); got != want {
			t.Errorf("Shorten(%.40q) = %q, want %q", s, got, want)
		}
	}
}

func TestClip(t *testing.T) {
	for s, want := range map[string]string{
		"":                                  "",
		"exactly10!":                        "exactly10!",
		"eleven char":                       "eleven ch…",
		"words and so":                      "words and…", // no space before the mark
		"名字名字名字名字名字":                        "名字名字名字名字名字",
		"名字名字名字名字名字名":                       "名字名字名字名字名…",
		strings.Repeat("\U0001f600", 1<<18): strings.Repeat("\U0001f600", 9) + "…",
		"a " + strings.Repeat("b", 1<<20):   "a bbbbbbb…",
	} {
		got := text.Clip(s, 10)
		if got != want || utf8.RuneCountInString(got) > 10 {
			t.Errorf("Clip(%.40q) = %q, want %q", s, got, want)
		}
	}
}
