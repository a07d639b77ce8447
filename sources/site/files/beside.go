package files

import (
	"slices"
	"strings"
	"unicode/utf8"

	"xship/sources/text"
)

// subtitleExtensions are those of files with subtitles that players take by themselves.
var subtitleExtensions = []string{".srt", ".vtt", ".ass", ".ssa"}

// subtitle is a file of subtitles beside a media file.
type subtitle struct {
	Suffix   string `json:"s"` // what its name has behind the stem of the media file's
	Language string `json:"l,omitempty"`
}

const (
	// maxSubtitles bounds those of one file.
	maxSubtitles = 40
	// maxSuffix is how much may stand behind the name of a media file in that of its
	// subtitles, in words and in bytes.
	maxSuffix, maxSuffixBytes = 6, 64
)

// subtitlesOf finds the subtitles among names that belong to files with the given stems,
// by stem.
func subtitlesOf(names []string, stems map[string]bool) map[string][]subtitle {
	found := make(map[string][]subtitle)
	for _, name := range names {
		base := strings.TrimSuffix(name, extensionOf(name))
		stem := base
		for range maxSuffix {
			if stems[stem] {
				break
			}
			at := strings.LastIndexAny(stem, ".-_ ")
			if at <= 0 {
				break
			}
			stem = stem[:at]
		}
		if !stems[stem] || len(found[stem]) >= maxSubtitles || len(name)-len(stem) > maxSuffixBytes || !utf8.ValidString(name[len(stem):]) {
			continue
		}
		found[stem] = append(found[stem], subtitle{Suffix: name[len(stem):], Language: subtitleLanguage(base[len(stem):])})
	}
	return found
}

// isSubtitle tells whether a file has subtitles.
func isSubtitle(name string) bool {
	return slices.Contains(subtitleExtensions, strings.ToLower(extensionOf(name)))
}

// subtitleLanguage is the first language that the words behind the name of a media file
// tell.
func subtitleLanguage(suffix string) string {
	for word := range strings.FieldsFuncSeq(strings.ToLower(suffix), func(r rune) bool { return strings.ContainsRune(".-_ ()[]", r) }) {
		if word == "sdh" || word == "cc" { // for the deaf
			continue
		}
		if code := text.LanguageCode(word); code != "" {
			return code
		}
	}
	return ""
}
