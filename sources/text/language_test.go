package text_test

import (
	"strings"
	"testing"

	"xship/sources/text"
)

func TestLanguageOf(t *testing.T) {
	for word, want := range map[string]string{
		"German": "de", "deu": "de", " english ": "en", "TrueFrench": "fr", "ita": "it", "castellano": "es", "dublado": "pt",
		"rus": "ru", "jap": "ja", "korean": "ko", "mandarin": "zh", "Cantonese": "zh", "hindi": "hi", "Thai": "th", "pol": "pl", "nld": "nl", "tur": "tr",
		"国语": "zh", "普通话": "zh", "汉语普通话": "zh", "汉语": "zh", "华语": "zh", "中文": "zh", "粤语": "zh", "闽南语": "zh",
		"英语": "en", "日语": "ja", "韩语": "ko", "法语": "fr", "德语": "de", "西班牙语": "es", "意大利语": "it", "俄语": "ru",
		"泰语": "th", "印地语": "hi", "葡萄牙语": "pt",
		"": "", "klingon": "", "国语/粤语": "", "german english": "",
	} {
		if got := text.LanguageOf(word); got != want {
			t.Errorf("LanguageOf(%q) = %q, want %q", word, got, want)
		}
	}
}

// A word is found as the start of a longer text, so the longer one comes first.
func TestLanguageWords(t *testing.T) {
	var before []string
	for w, code := range text.LanguageWords() {
		if len(code) != 2 || w != strings.ToLower(w) {
			t.Errorf("%q is %q", w, code)
		}
		for _, b := range before {
			if b == w || w[0] >= 0x80 && strings.HasPrefix(w, b) {
				t.Errorf("%q stands behind %q", w, b)
			}
		}
		before = append(before, w)
	}
}
