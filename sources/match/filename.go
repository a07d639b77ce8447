package match

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"xship/sources"
	"xship/sources/link"
	"xship/sources/text"
)

// matchFile compares a name as that of a file or of a release. A year at the end of one,
// with no tags behind it, may be of the title, so it is Near where no year is asked for.
func matchFile(t sources.Title, keys nameKeys, name string, year int) Fit {
	base, y, tagged := splitFileName(name)
	if base == name {
		return None
	}
	fit := matchCuts(t, keys, base, cmp.Or(y, year))
	if fit == None {
		fit = matchCuts(t, keys, withoutGroup(base), cmp.Or(y, year))
	}
	if y != 0 && !tagged && t.Year == 0 {
		return min(fit, Near)
	}
	return fit
}

// splitFileName takes off a name what those of files and releases end in: the extension
// of a media file, and all from the first word on that no title has, the group among it:
// "Film.1999.1080p.BluRay.x264-GRP" is "Film", 1999. Where no word is parted by a space
// the last year before the tags, or the end, is that of the release; elsewhere words
// may stand behind tags too, so that only a group or brackets come off. Of another name
// base is name.
func splitFileName(name string) (base string, year int, tagged bool) {
	if !strings.ContainsAny(name, "._-") {
		return name, 0, false
	}
	base = link.TrimExtension(name)
	end, yearAt := len(base), 0
	for i := 0; i < end; {
		if !text.IsAlnum(base[i]) {
			i++
			continue
		}
		word := i
		for i < len(base) && text.IsAlnum(base[i]) {
			i++
		}
		switch {
		case strings.Trim(base[:word], nameEnd+"([【") == "":
		case isReleaseTag(base[word:], i-word):
			end, tagged = word, true
		case i-word == len("1999"):
			if _, ok := leadingYear(base[word:]); ok {
				yearAt = word
			}
		}
	}
	if saysOther(base[end:]) {
		return name, 0, false
	}
	if strings.IndexByte(base[:end], ' ') >= 0 {
		return spacedBase(base, end), 0, tagged
	}
	if yearAt > 0 && (tagged || yearAt+len("1999") == end && base != name) {
		year, _ = leadingYear(base[yearAt:])
		end = yearAt
	}
	if end < len(base) {
		base = strings.TrimRight(base[:end], nameEnd+"([【")
	}
	if tagged && year == 0 {
		base = withoutCapitals(base)
	}
	return base, year, tagged
}

// saysOther tells whether the tail of a name says that it is not the work itself that
// the file holds.
func saysOther(tail string) bool {
	for word := range strings.FieldsFuncSeq(strings.ToLower(tail), func(r rune) bool { return !unicode.IsLetter(r) }) {
		switch word {
		case "extras", "extra", "bonus", "sample", "featurette", "featurettes", "soundtrack", "ost":
			return true
		}
		if slices.Contains(text.TrailerWords(), word) {
			return true
		}
	}
	return false
}

// spacedBase takes off name, which has spaces and the first tags at the offset tags, the
// brackets that the tags start, or the group right behind the last tag: "Film [1080p]
// [Group]", "Film 1080p x264-Group".
func spacedBase(name string, tags int) string {
	if open := strings.TrimRight(name[:tags], " "); strings.HasSuffix(open, "[") || strings.HasSuffix(open, "(") {
		apart := false
		start := len(open) - 1
		eachBracket(name, func(at, _ int, content string) { apart = apart || at > start && text.SetsApart(content) })
		if !apart && lastBracket(name) >= start {
			return strings.TrimRight(name[:start], nameEnd)
		}
		return name
	}
	dash := strings.LastIndexByte(name, '-')
	if dash > tags && strings.IndexByte(name[dash:], ' ') < 0 && endsInTag(name[:dash]) {
		return name[:dash]
	}
	return name
}

// withoutGroup takes the name of the group off the front of that of its release:
// "[Group] Film".
func withoutGroup(name string) string {
	if !strings.HasPrefix(name, "[") && !strings.HasPrefix(name, "【") {
		return name
	}
	_, rest, _ := strings.Cut(name, closing(name))
	return strings.TrimLeft(rest, nameEnd)
}

// withoutCapitals takes words in capitals off the end of a name that are tags among
// tags: "Film.GERMAN.DL", "Show.S01.COMPLETE".
func withoutCapitals(name string) string {
	for {
		at := len(name)
		for at > 0 && name[at-1] >= 'A' && name[at-1] <= 'Z' {
			at--
		}
		if at == 0 || len(name)-at < 2 || !text.PartsPhrase(name[at-1]) || text.TagsOf(strings.ToLower(name[at:])) == nil {
			return name
		}
		rest := strings.TrimRight(name[:at], nameEnd)
		if strings.ToUpper(rest) == rest {
			return name // all of it is in capitals
		}
		name = rest
	}
}

// isReleaseTag tells whether the word of the given length that s starts with, alone or
// with the next one, tells of picture or sound and is a tag wherever it stands.
func isReleaseTag(s string, length int) bool {
	word := strings.ToLower(s[:length])
	if _, height := text.PictureSize(word); height > 0 || isSureTag(word) {
		return true
	}
	if !text.StartsPhrase(word) || length == len(s) || !text.PartsPhrase(s[length]) {
		return false
	}
	end := length + 1
	for end < len(s) && text.IsAlnum(s[end]) {
		end++
	}
	return isSureTag(word + strings.ToLower(s[length+1:end]))
}

func isSureTag(word string) bool {
	tags := text.TagsOf(word)
	return len(tags) > 0 && tags[0].Place == text.Anywhere && tags[0].Kind != text.TagNoise && tags[0].Kind != text.TagTrailer
}

// isFileName tells whether name is that of a file, or of a release without spaces.
func isFileName(name string) bool {
	base, _, _ := splitFileName(name)
	return base != name && (strings.IndexByte(name, ' ') < 0 || link.TrimExtension(name) != name)
}
