package stremio

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"xship/sources"
	"xship/sources/link"
	"xship/sources/text"
)

// Bounds of what is kept of the words of a row, in characters.
const (
	maxName  = 300
	maxLabel = 200
	maxGroup = 200
	// shortLine is how long a line may be that is rather a label than a name.
	shortLine = 24
)

// words are what a row says of its stream.
type words struct {
	name     string
	label    string // the tags in it, without what only looks like some
	language string
	size     int64
}

// segment is a part of a line, behind the sign that starts it; 0 = none.
type segment struct {
	mark rune
	text string
}

// Signs that add-ons put before what they say. All others stand before what is of no
// use here: seeders, sizes, who has it.
const (
	fileMarks = "📄📂📁🎬📝🗂🍿"
	tagMarks  = "🌐🗣🔊🔈🎧🎵📹🎥🎞📺⭐🎨🏳"
)

// readWords reads the words of r. addon is the name of the add-on, which is no tag.
func readWords(r *row, addon string, t sources.Title) words {
	rowName, description := text.Clean(r.name()), r.description()
	segments := segmentsOf(description)
	line := bestLine(segments)
	w := words{size: int64(r.Hints.Size), language: flags(r.name(), description)}
	if w.size == 0 {
		w.size = sizeIn(strings.Replace(description, line, "", 1))
	}
	if w.size == 0 {
		w.size = sizeIn(r.name())
	}
	file := ""
	if hint := string(r.Hints.Filename); hint != "" {
		file = text.Clean(path.Base(strings.ReplaceAll(hint, `\`, "/")))
	}
	isTitle := startsWithTitle(line, t)
	switch {
	case file != "" && file != "." && file != "/":
		w.name = file
	case isFile(line) || isTitle || utf8.RuneCountInString(line) > shortLine:
		w.name = line
	case rowName != "":
		w.name = strings.TrimSpace(rowName + " " + line)
	default:
		w.name = strings.TrimSpace(t.String() + " " + line)
	}
	w.name = text.Clip(w.name, maxName)
	tags := rowName
	if addon != "" {
		tags = strings.ReplaceAll(tags, addon, " ")
	}
	if !isFile(line) && utf8.RuneCountInString(line) <= shortLine && !isTitle {
		tags += " " + line
	}
	for _, s := range segments {
		if s.mark != 0 && strings.ContainsRune(tagMarks, s.mark) {
			tags += " " + s.text
		}
	}
	w.label = text.Shorten(tags, maxLabel)
	return w
}

// startsWithTitle tells whether a line starts with a name of t: behind other words those of
// the name would be taken for tags.
func startsWithTitle(line string, t sources.Title) bool {
	return slices.ContainsFunc(t.Names(), func(name string) bool {
		if name == "" || len(line) < len(name) || !strings.EqualFold(line[:len(name)], name) {
			return false
		}
		next, _ := utf8.DecodeRuneInString(line[len(name):])
		return !unicode.IsLetter(next) && !unicode.IsDigit(next)
	})
}

// segmentsOf divides a description into lines, and these at their signs.
func segmentsOf(description string) []segment {
	const most = 40
	var all []segment
	for line := range strings.Lines(strings.ReplaceAll(description, "\ufe0f", "")) { // which colours a sign
		for s := (segment{}); line != ""; {
			end := strings.IndexFunc(line, isMark)
			if end < 0 {
				end = len(line)
			}
			if s.text = text.Clean(line[:end]); s.text != "" && len(all) < most {
				all = append(all, s)
			}
			mark, size := utf8.DecodeRuneInString(line[end:])
			line, s = line[end+size:], segment{mark: mark}
		}
	}
	return all
}

// isMark tells whether r is a sign, other than half a flag.
func isMark(r rune) bool { return r >= 0x2190 && unicode.Is(unicode.So, r) && !isFlagHalf(r) }

// bestLine is the segment that names the stream: the first that looks like a file, else
// the first that is none of facts.
func bestLine(segments []segment) string {
	best := ""
	for _, s := range segments {
		switch {
		case s.mark != 0 && !strings.ContainsRune(fileMarks, s.mark):
		case isFile(s.text):
			return s.text
		case best == "" && strings.ContainsFunc(s.text, unicode.IsLetter):
			best = s.text
		}
	}
	return best
}

// isFile tells whether a line looks like the name of a file or a release.
func isFile(line string) bool {
	return link.MediaOf(line).Video || !strings.Contains(line, " ") && strings.Count(line, ".") >= 3
}

// sizeIn is the first size in bytes that a text names, 0 where it names none. What comes
// by the second is a rate.
func sizeIn(s string) int64 {
	if !hasUnit(s) {
		return 0
	}
	for _, m := range size().FindAllStringSubmatchIndex(s, -1) {
		if rest := strings.ToLower(s[m[1]:]); strings.HasPrefix(rest, "/s") || strings.HasPrefix(rest, "ps") {
			continue
		}
		n, err := strconv.ParseFloat(withPoint(s[m[2]:m[3]]), 64)
		if err != nil {
			continue
		}
		unit := strings.IndexByte("KMGT", s[m[4]]&^0x20) + 1
		return int64(n * float64(int64(1)<<(10*unit)))
	}
	return 0
}

// withPoint is a number with nothing but a point before its fraction. Of two signs the
// first divides thousands.
func withPoint(number string) string {
	if at := strings.LastIndexAny(number, ",."); at >= 0 {
		return strings.NewReplacer(",", "", ".", "").Replace(number[:at]) + "." + number[at+1:]
	}
	return number
}

// hasUnit tells whether a text has the letters of a unit of size.
func hasUnit(s string) bool {
	const lower = 0x20
	for i := 1; i < len(s); i++ {
		if s[i]|lower != 'b' {
			continue
		}
		before := s[i-1]
		if before|lower == 'i' && i > 1 {
			before = s[i-2]
		}
		if strings.IndexByte("kmgt", before|lower) >= 0 {
			return true
		}
	}
	return false
}

var size = pattern(`(?i)\b(\d{1,3}(?:,\d{3})+\.\d{1,3}|\d{1,3}(?:\.\d{3})+,\d{1,3}|\d{1,4}(?:[.,]\d{1,3})?)\s?([KMGT])i?B\b`)

// flags is the language of the flags in texts, LanguageMulti for several.
func flags(texts ...string) string {
	language := ""
	for _, s := range texts {
		var first rune
		for _, r := range s {
			switch {
			case !isFlagHalf(r):
				first = 0
			case first == 0:
				first = r
			default:
				found := flagLanguages[string([]rune{letter(first), letter(r)})]
				first = 0
				switch {
				case found == "" || found == language:
				case language == "":
					language = found
				default:
					return sources.LanguageMulti
				}
			}
		}
	}
	return language
}

// The letters of flags.
const firstHalf, lastHalf = '\U0001F1E6', '\U0001F1FF'

func isFlagHalf(r rune) bool { return r >= firstHalf && r <= lastHalf }

func letter(half rune) rune { return half - firstHalf + 'A' }

// flagLanguages are the languages that add-ons mean by the flags of countries.
var flagLanguages = map[string]string{
	"AL": "sq", "AE": "ar", "AR": "es", "AT": "de", "AU": "en", "BA": "bs", "BG": "bg", "BR": "pt", "CN": "zh", "CZ": "cs", "DE": "de", "DK": "da",
	"EE": "et", "EG": "ar", "ES": "es", "FI": "fi", "FR": "fr", "GB": "en", "GR": "el", "HK": "zh", "HR": "hr", "HU": "hu", "ID": "id", "IL": "he", "IN": "hi",
	"IR": "fa", "IS": "is", "IT": "it", "JP": "ja", "KR": "ko", "LT": "lt", "LV": "lv", "MX": "es", "MY": "ms", "NL": "nl", "NO": "no", "PL": "pl", "PT": "pt",
	"RO": "ro", "RS": "sr", "RU": "ru", "SA": "ar", "SE": "sv", "SI": "sl", "SK": "sk", "TH": "th", "TR": "tr", "TW": "zh", "UA": "uk", "US": "en", "VN": "vi",
}
