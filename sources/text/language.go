package text

import (
	"iter"
	"maps"
	"strings"
	"sync"
)

// languageWords are the words by which sites and names of releases name a spoken
// language, in lower case and divided by spaces, by its ISO 639-1 code. A word that
// starts another one stands behind it.
var languageWords = []struct{ code, latin, han string }{
	{"de", "german ger deu deutsch", "德语"},
	{"en", "english eng englisch", "英语"},
	{"fr", "french fre fra vff vfq vfi truefrench", "法语"},
	{"it", "italian ita", "意大利语"},
	{"es", "spanish spa esp castellano latino", "西班牙语"},
	{"pt", "portuguese por dublado", "葡萄牙语"},
	{"ru", "russian rus", "俄语"},
	{"ja", "japanese jpn jap", "日语"},
	{"ko", "korean kor", "韩语"},
	{"zh", "chinese chi zho mandarin cantonese", "汉语普通话 普通话 国语 汉语 华语 中文 粤语 闽南语"},
	{"hi", "hindi hin", "印地语"},
	{"th", "thai", "泰语"},
	{"pl", "polish pol", ""},
	{"nl", "dutch nld", ""},
	{"tr", "turkish tur", ""},
}

// LanguageOf is the ISO 639-1 code of the language that word names, "" where it
// names none that is known.
func LanguageOf(word string) string {
	return languageCodes()[strings.ToLower(strings.TrimSpace(word))]
}

var languageCodes = sync.OnceValue(func() map[string]string { return maps.Collect(LanguageWords()) })

// LanguageWords are all words with the codes of their languages.
func LanguageWords() iter.Seq2[string, string] {
	return func(yield func(word, code string) bool) {
		for _, l := range languageWords {
			for _, words := range []string{l.latin, l.han} {
				for w := range strings.FieldsSeq(words) {
					if !yield(w, l.code) {
						return
					}
				}
			}
		}
	}
}
