package release

import (
	"slices"
	"strings"
	"unicode/utf8"

	"xship/sources/text"
)

// The kinds of words that numbers stand beside.
const (
	seasonBefore  = 1 << iota // the number follows: "Season 2"
	seasonAfter               // it stands before: "2 сезон"
	episodeBefore             // "Ep. 3"
	episodeAfter              // "3 серия"
	partWord                  // what it numbers is no episode: "Part 2", "Vol. 3", "NCED 02"
	ordinalWord               // it is one: "Second Season"
)

// kindOf tells what word, in lower case but for letters that are not ASCII, says of a
// number beside it.
func kindOf(word string) int {
	switch word {
	case "season", "seasons", "temp", "tem":
		return seasonBefore
	case "сезон", "sezon", "sezona", "seizoen", "시즌":
		return seasonBefore | seasonAfter
	case "sez":
		return seasonAfter
	case "episode", "episodes", "ep", "eps", "episodio", "episódio", "épisode", "folge", "capítulo", "capitulo", //nolint:misspell // Spanish
		"cap", "odc", "avsnitt", "aflevering", "afl", "jakso":
		return episodeBefore
	case "серия", "серии", "серія", "серії", "эпизод", "odcinek", "bölüm", "bolum":
		return episodeBefore | episodeAfter
	case "сер", "ser", "seria", "seriya", "serya", "serija", "blm":
		return episodeAfter
	case "part", "parts", "pt", "teil", "partie", "vol", "volume", "disc", "disk", "cd", "dvd", "movie", "movies", "film", "filme", "chapter", "kapitel", "no", "nr", "level", "s",
		"ncop", "nced", "op", "ed", "menu", "pv", "cm", "sp", "special", "specials", "preview", "trailer", "teaser", "recap", "extra", "extras", "bonus":
		return partWord
	case "first", "second", "third", "fourth", "fifth", "sixth":
		return ordinalWord
	}
	if slices.Contains(text.SeasonWords(), word) {
		return seasonBefore | seasonAfter
	}
	if word != "" && word[0] >= utf8.RuneSelf && word[0] < 0xe0 { // of two bytes: Latin, Greek, Cyrillic
		if lower := strings.ToLower(word); lower != word {
			return kindOf(lower)
		}
	}
	return 0
}

// wordBefore is the kind of the word before token i.
func (p *parser) wordBefore(i int) int {
	if i == 0 {
		return 0
	}
	return kindOf(p.tokens[i-1].text)
}

// ordinal reads "first" and "one" to "sixth" and "six", 0 for anything else.
func ordinal(word string) int {
	switch word {
	case "first", "one":
		return 1
	case "second", "two":
		return 2
	case "third", "three":
		return 3
	case "fourth", "four":
		return 4
	case "fifth", "five":
		return 5
	case "sixth", "six":
		return 6
	}
	return 0
}

// leadingNumber reads the digits that s starts with, at most five of them; a sixth
// makes it none.
func leadingNumber(s string) (n, width int) {
	for width < len(s) && text.IsDigit(s[width]) {
		n = n*10 + int(s[width]-'0')
		if width++; width > 5 {
			return 0, 0
		}
	}
	return n, width
}

// isVersion tells whether s is nothing or a version: "v2".
func isVersion(s string) bool { return s == "" || text.IsVersion(s) }

func isYear(n int) bool { return firstYear <= n && n <= lastYear }

// isPicture tells whether a number by itself is the height or the width of a picture.
func isPicture(n int) bool {
	return text.IsPictureHeight(n) || n == 1280 || n == 1920 || n == 3840
}

// isMonth tells whether word is a month in English, also cut to three letters.
func isMonth(word string) bool {
	switch word {
	case "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec",
		"january", "february", "march", "april", "june", "july", "august", "september", "october", "november", "december":
		return true
	}
	return false
}

// isUnit tells whether what word counts or measures is no episode: "700 MB", "60 fps",
// "12 episodes", "1 of 2".
func isUnit(word string) bool {
	switch word {
	case "mb", "gb", "kb", "mib", "gib", "kbps", "fps", "bit", "hz", "khz", "min", "mins", "minutes", "am", "pm", "ch", "of", "in",
		"episodes", "eps", "episoden", "folgen", "épisodes", "episodios", "серий", "years", "days", "hours":
		return true
	}
	return false
}
