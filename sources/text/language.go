package text

import "strings"

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
