package text

import (
	"cmp"
	"strings"

	"golang.org/x/text/language"
)

// LanguageOf is the ISO 639-1 code of the language that word names, "" where it
// names none that is known.
func LanguageOf(word string) string {
	for _, t := range TagsOf(strings.ToLower(strings.TrimSpace(word))) {
		if t.Kind == TagLanguage || t.Kind == TagCantonese {
			return t.Value
		}
	}
	return ""
}

// bibliographic are the codes of ISO 639-2 that differ from those of its other parts:
// Matroska files and media servers have them.
var bibliographic = map[string]string{
	"alb": "sq", "arm": "hy", "baq": "eu", "bur": "my", "chi": "zh", "cze": "cs", "dut": "nl", "fre": "fr", "geo": "ka", "ger": "de",
	"gre": "el", "ice": "is", "mac": "mk", "mao": "mi", "may": "ms", "per": "fa", "rum": "ro", "slo": "sk", "tib": "bo", "wel": "cy",
}

// LanguageCode is the ISO 639-1 code of the language that word names as LanguageOf knows
// it, or by a code of any part of ISO 639, with a region behind it or without: "Swedish",
// "swe", "pt-BR". It is "" for all else.
func LanguageCode(word string) string {
	if code := LanguageOf(word); code != "" {
		return code
	}
	word = strings.ToLower(strings.TrimSpace(word))
	if end := strings.IndexAny(word, "-_"); end >= 0 {
		word = word[:end]
	}
	if code := cmp.Or(LanguageOf(word), bibliographic[word]); code != "" {
		return code
	}
	if base, err := language.ParseBase(word); err == nil && len(base.String()) == len("en") {
		return base.String()
	}
	return ""
}
