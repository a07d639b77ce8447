package text_test

import (
	"testing"

	"xship/sources/text"
)

func TestLanguageOf(t *testing.T) {
	for word, want := range map[string]string{
		"German": "de", "deu": "de", " english ": "en", "TrueFrench": "fr", "ita": "it", "castellano": "es", "dublado": "pt",
		"rus": "ru", "jap": "ja", "korean": "ko", "mandarin": "zh", "Cantonese": "zh", "hindi": "hi", "Thai": "th", "pol": "pl", "nld": "nl", "tur": "tr",
		"国语": "zh", "普通话": "zh", "汉语普通话": "zh", "汉语": "zh", "华语": "zh", "中文": "zh", "粤语": "zh", "闽南语": "zh",
		"英语": "en", "日语": "ja", "韩语": "ko", "法语": "fr", "德语": "de", "西班牙语": "es", "意大利语": "it", "俄语": "ru",
		"泰语": "th", "印地语": "hi", "葡萄牙语": "pt", "国配": "zh", "中文版": "zh",
		"": "", "klingon": "", "国语/粤语": "", "german english": "", "HD": "", "中字": "",
	} {
		if got := text.LanguageOf(word); got != want {
			t.Errorf("LanguageOf(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestLanguageCode(t *testing.T) {
	for word, want := range map[string]string{
		"German": "de", "jap": "ja", "国语": "zh", " EN ": "en", "no": "no", "swe": "sv", "POR": "pt", "dan": "da", "ger": "de", "dut": "nl", "cze": "cs", "gre": "el",
		"pt-BR": "pt", "zh_Hant": "zh", "en-US": "en",
		"": "", "-": "", "xx": "", "und": "", "mul": "", "klingon": "", "tlh": "", "extended": "", "-de": "",
	} {
		if got := text.LanguageCode(word); got != want {
			t.Errorf("LanguageCode(%q) = %q, want %q", word, got, want)
		}
	}
}
