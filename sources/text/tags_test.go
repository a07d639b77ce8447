package text_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"xship/sources/text"
)

func TestTagWords(t *testing.T) {
	longest, longestHan := 0, 0
	for word, tags := range text.TagWords() {
		han := strings.IndexFunc(word, func(r rune) bool { return !unicode.Is(unicode.Han, r) }) < 0
		if han {
			longestHan = max(longestHan, utf8.RuneCountInString(word))
		} else {
			longest = max(longest, len(word))
		}
		if !han && strings.IndexFunc(word, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }) >= 0 {
			t.Errorf("%q is neither Chinese nor of lower-case letters and digits", word)
		}
		for _, tag := range tags {
			switch tag.Kind {
			case text.TagLanguage, text.TagCantonese:
				if len(tag.Value) != 2 || tag.Value != text.LanguageOf(word) {
					t.Errorf("%q is %q, but the language %q", word, tag.Value, text.LanguageOf(word))
				}
			case text.TagNoise, text.TagMulti, text.TagTrailer:
				if tag.Value != "" {
					t.Errorf("%q has a value, %q", word, tag.Value)
				}
			case text.TagSubtitle:
			default:
				if tag.Value == "" {
					t.Errorf("%q has no value", word)
				}
			}
			if tag.Place != tags[0].Place || tag.Place == text.Apart && !han {
				t.Errorf("%q is a tag at the place %d", word, tag.Place)
			}
			if trailer := slices.Contains(text.TrailerWords(), word); trailer != (tag.Kind == text.TagTrailer) {
				t.Errorf("%q is one of the words for trailers: %t", word, trailer)
			}
		}
	}
	if longest != text.LongestTag || longestHan != text.LongestHanTag {
		t.Errorf("the longest words have %d and %d characters, want %d and %d", longest, longestHan, text.LongestTag, text.LongestHanTag)
	}
}

func TestPictureSize(t *testing.T) {
	for word, want := range map[string][2]int{
		"1080p": {0, 1080}, "1080i": {0, 1080}, "hd720p": {0, 720}, "fhd1080p": {0, 1080}, "804p": {0, 804}, "1920x804": {1920, 804},
		"": {}, "p": {}, "1080": {}, "99p": {}, "4321p": {}, "1x02": {}, "100x1080": {}, "x264": {}, "ship": {}, "1080x": {}, "12345678p": {}, "108op": {},
	} {
		if w, h := text.PictureSize(word); w != want[0] || h != want[1] {
			t.Errorf("PictureSize(%q) = %d, %d, want %v", word, w, h, want)
		}
	}
}
