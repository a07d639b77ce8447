package archive

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"xship/sources"
	"xship/sources/match"
	"xship/sources/text"
)

// Bounds of a search.
const (
	maxRows      = 50
	maxNames     = 4 // of a title
	maxQueryName = 200
)

// fields are those of an item that a search asks for.
var fields = []string{
	"identifier", "title", "year", "date", "mediatype", "collection", "language",
	"licenseurl", "possible-copyright-status", "external-identifier", "access-restricted-item",
}

// searchURL is the address of a search for q.
func (s *site) searchURL(q string) string {
	values := url.Values{
		"q": {q}, "fl[]": fields, "sort[]": {"downloads desc"},
		"rows": {strconv.Itoa(maxRows)}, "page": {"1"}, "output": {"json"},
	}
	return s.base.JoinPath("advancedsearch.php").String() + "?" + values.Encode()
}

// idQuery asks for the items that carry the IMDb id.
func idQuery(imdb string) string {
	return `external-identifier:"urn:imdb:` + strings.ToLower(imdb) + `" AND mediatype:(movies)`
}

// titleQuery asks for the items with a name of t; withYear also wants its year, or one
// beside it: those of the Archive are often off by one.
func titleQuery(t sources.Title, withYear bool) string {
	terms := termsOf(t)
	q := "title:(" + strings.Join(terms, "") + ")"
	if len(terms) > 1 {
		q = "title:((" + strings.Join(terms, ") OR (") + "))"
	}
	if withYear {
		q += fmt.Sprintf(" AND year:[%d TO %d]", t.Year-1, t.Year+1)
	}
	q += " AND mediatype:(movies)"
	if !slices.ContainsFunc(terms, func(term string) bool { return strings.Contains(term, "trailer") }) {
		q += " AND -title:trailer"
	}
	return q
}

// termsOf are the terms for the names of t: without season and year, which items have
// apart, and with the number of a sequel in digits and in Roman.
func termsOf(t sources.Title) []string {
	var terms []string
	add := func(name string) {
		if term := escaped(name); term != "" && !slices.Contains(terms, term) {
			terms = append(terms, term)
		}
	}
	names := t.Names()
	for _, name := range names[:min(len(names), maxNames)] {
		if base, _, ok := match.SplitSeason(name); ok && base != "" && t.Kind == sources.KindEpisode {
			name = base
		}
		name, _ = match.SplitYear(name)
		add(name)
		if at := strings.LastIndexByte(name, ' '); at > 0 {
			add(name[:at+1] + otherNumeral(name[at+1:]))
		}
	}
	return terms
}

// otherNumeral is a number from 2 on in Roman where word is one in digits, and the
// reverse; another word stays as it is.
func otherNumeral(word string) string {
	if n := text.RomanNumber(strings.ToLower(word)); n > 1 {
		return strconv.Itoa(n)
	}
	if n, err := strconv.Atoi(word); err == nil && n > 1 && n <= text.MostRoman {
		return text.Roman(n)
	}
	return word
}

// escaped is a name as a term of a query, in which nothing is an operator: words in lower
// case are none, signs are escaped, and those that cannot be are left out.
func escaped(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(text.Clip(text.Clean(name), maxQueryName)) {
		switch {
		case strings.ContainsRune("<>=", r):
			b.WriteByte(' ')
			continue
		case strings.ContainsRune(`+-&|!(){}[]^"~*?:\/`, r):
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
