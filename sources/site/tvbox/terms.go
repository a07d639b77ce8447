package tvbox

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"xship/sources"
	"xship/sources/match"
	"xship/sources/text"
)

// searchTerms are what the server is asked for, one after the other. Servers
// look for the term as it is, so a season and a year in brackets are taken off, and last come the
// first name without its number, to find "Name 2" for "Name II", and in the other
// Chinese script.
func searchTerms(t sources.Title) []string {
	const most = 5
	var terms []string
	add := func(term string) {
		if term = strings.TrimSpace(term); term != "" && len(terms) < most && !slices.Contains(terms, term) {
			terms = append(terms, term)
		}
	}
	names := t.Names()
	for _, name := range names[:min(len(names), most-2)] {
		term := name
		if base, _, ok := match.SplitSeason(name); ok && t.Kind == sources.KindEpisode {
			term = base
		}
		term, _ = match.SplitYear(term)
		add(cmp.Or(strings.TrimSpace(term), name)) // "Specials" and "Season 2" are names too
	}
	if len(terms) > 0 {
		add(withoutNumber(terms[0]))
		add(text.Simplified(terms[0]))
		add(text.Traditional(terms[0]))
	}
	return terms
}

// withoutNumber takes the number of a sequel, 2 to 20 in digits or Roman, off
// the end of a name, and is "" for a name without one.
func withoutNumber(name string) string {
	base := strings.TrimRightFunc(name, func(r rune) bool {
		return r >= '0' && r <= '9' || strings.ContainsRune("IVX", r) || r >= 'Ⅰ' && r <= 'ⅻ'
	})
	// "x" keeps a Roman numeral from starting the name, where it would be a word.
	n, err := strconv.Atoi(strings.TrimPrefix(text.NormalizeName("x "+name[len(base):]), "x"))
	if err != nil || n < 2 || n > 20 {
		return ""
	}
	if last, _ := utf8.DecodeLastRuneInString(base); last < utf8.RuneSelf && last != ' ' {
		return ""
	}
	return strings.TrimSpace(base)
}
