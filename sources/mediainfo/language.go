package mediainfo

import (
	"strings"

	"golang.org/x/text/language"

	"xship/sources/text"
)

// languageCode is tag, of ISO 639-1, 639-2 or BCP 47, as ISO 639-1 where it has
// such a code, "" where it says nothing.
func languageCode(tag string) string {
	tag = strings.ToLower(strings.Trim(text.Clean(tag), "\x00 "))
	switch tag {
	case "", "und", "unknown", "zxx", "mis":
		return ""
	case "cmn":
		return "zh"
	}
	if code := text.LanguageCode(tag); code != "" {
		return code
	}
	t, err := language.Parse(strings.ReplaceAll(tag, "_", "-"))
	if err != nil {
		base, _, _ := strings.Cut(tag, "-")
		if len(base) > 3 {
			return ""
		}
		return base
	}
	base, _ := t.Base()
	return base.String()
}
