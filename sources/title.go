package sources

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"xship/sources/link"
	"xship/sources/text"
)

// Kind tells films from episodes.
type Kind string

// The two kinds of titles. An episode always has a season and an episode
// number, and 0 is a number (specials); a movie has neither.
const (
	KindMovie   Kind = "movie"
	KindEpisode Kind = "episode"
)

// Title is what a user looks for.
type Title struct {
	Kind         Kind
	Name         string   // as the user typed it
	OriginalName string   // in the original language, or ""
	Year         int      // of the first release, 0 where unknown
	IMDb         string   // "tt" and digits, or ""
	Season       int      // of an episode, 0 = specials
	Episode      int      // of an episode
	Aliases      []string // further names, in no particular order
}

// First and last year that a film can have.
const (
	MinYear = 1870
	MaxYear = 2100
)

var imdbID = regexp.MustCompile(`^tt[0-9]{5,10}$`)

// IsIMDbID tells whether id is one of IMDb's: "tt" and digits.
func IsIMDbID(id string) bool { return imdbID.MatchString(id) }

// IsPlaceholder tells whether a name is what programs write where they have none.
func IsPlaceholder(name string) bool {
	switch strings.ToLower(name) {
	case "none", "null", "nil", "nan", "undefined", "[object object]":
		return true
	default:
		return false
	}
}

// ErrLinkForTitle says that a title is, or holds, a link. It is not quoted: links hold
// tokens.
var ErrLinkForTitle = errors.New("a title is looked for by its name, and this is a link or a path: no site was asked for it")

// Validate reports everything that keeps t from being looked for. A link is the first:
// what is not a name leaves this machine for no site.
func (t Title) Validate() error {
	if slices.ContainsFunc(append([]string{t.Name, t.OriginalName, t.IMDb}, t.Aliases...), link.InTitle) {
		return ErrLinkForTitle
	}
	var errs []error
	if text.NormalizeName(t.Name) == "" {
		errs = append(errs, errors.New("a title needs a name with at least one letter or digit"))
	}
	if t.Kind != KindMovie && t.Kind != KindEpisode {
		errs = append(errs, fmt.Errorf("title kind %q is neither %q nor %q", t.Kind, KindMovie, KindEpisode))
	}
	if t.Year != 0 && (t.Year < MinYear || t.Year > MaxYear) {
		errs = append(errs, fmt.Errorf("year %d is not between %d and %d", t.Year, MinYear, MaxYear))
	}
	if t.IMDb != "" && !IsIMDbID(t.IMDb) {
		errs = append(errs, fmt.Errorf("%q is not an IMDb id (tt and digits)", t.IMDb))
	}
	if t.Season < 0 || t.Episode < 0 {
		errs = append(errs, errors.New("season and episode must not be negative"))
	}
	return errors.Join(errs...)
}

// Key is the full identity of t: two titles with the same key may share what
// is stored, any others never do. It holds kind, ids, names, year, season,
// episode and aliases, each with its length, so no two titles collide.
func (t Title) Key() string {
	parts := []string{string(t.Kind), t.IMDb, text.NormalizeName(t.Name), text.NormalizeName(t.OriginalName), strconv.Itoa(t.Year)}
	if t.Kind == KindEpisode {
		parts = append(parts, strconv.Itoa(t.Season), strconv.Itoa(t.Episode))
	}
	aliases := make([]string, 0, len(t.Aliases))
	for _, a := range t.Aliases {
		if n := text.NormalizeName(a); n != "" {
			aliases = append(aliases, n)
		}
	}
	slices.Sort(aliases)
	parts = append(parts, slices.Compact(aliases)...)
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(strconv.Itoa(len(p)))
		b.WriteByte(':')
		b.WriteString(p)
	}
	return b.String()
}

// Names lists the names of t, the most likely first, without duplicates.
func (t Title) Names() []string {
	names := make([]string, 0, 2+len(t.Aliases))
	seen := make(map[string]bool, cap(names))
	for _, n := range append([]string{t.Name, t.OriginalName}, t.Aliases...) {
		key := text.NormalizeName(n)
		if key == "" || seen[key] {
			continue
		}
		seen[key] = true
		names = append(names, strings.TrimSpace(n))
	}
	return names
}

// String is t as a person writes it: "Name (2008)" or "Name S01E02".
func (t Title) String() string {
	switch {
	case t.Kind == KindEpisode:
		return fmt.Sprintf("%s S%02dE%02d", t.Name, t.Season, t.Episode)
	case t.Year != 0:
		return fmt.Sprintf("%s (%d)", t.Name, t.Year)
	default:
		return t.Name
	}
}
