package match

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"xship/sources"
)

// Lookout tells, with sources.Saw, what a site comes across that searches for a title: of
// each answer what is most like it. A nil Lookout tells nobody.
type Lookout struct {
	tell   func(sources.Sighting)
	title  sources.Title
	like   *Likeness
	sights []sight
}

// NewLookout is nil where nobody wants to know what is seen.
func NewLookout(ctx context.Context, t sources.Title) *Lookout {
	if !sources.WantsSightings(ctx) {
		return nil
	}
	return &Lookout{tell: func(s sources.Sighting) { sources.Saw(ctx, s) }, title: t, like: LikenessTo(t)}
}

// sight is an item that was seen and not told yet.
type sight struct {
	sources.Sighting
	season   int
	likeness float64
	look     func(s *sources.Sighting, season int)
}

// maxTold is how many items of one answer are told.
const maxTold = 30

// See notes an item, which is told by Tell unless nothing of its names is like the title.
// It is of KindMovie unless kind, its names or look say that it is a series. look, which
// may be nil, fills in what takes work to find out, such as the episodes; season is that
// of the names, -1 where they say none. It is called for what is told only.
func (l *Lookout) See(c Candidate, kind sources.Kind, look func(s *sources.Sighting, season int)) {
	if l == nil || len(c.Names) == 0 {
		return
	}
	seen := sight{look: look}
	seen.Sighting, seen.season = l.sighting(c, kind)
	if seen.Name == "" {
		return
	}
	seen.likeness = l.like.Of(seen.Name, seen.OriginalName)
	if same, known := compareIMDb(c.IMDb, l.title.IMDb); same && known {
		seen.likeness = 1
	}
	if seen.likeness == 0 {
		return
	}
	l.sights = append(l.sights, seen)
}

// Tell tells what was seen since it was called last.
func (l *Lookout) Tell() {
	if l == nil {
		return
	}
	slices.SortStableFunc(l.sights, func(a, b sight) int { return cmp.Compare(b.likeness, a.likeness) })
	for i := range l.sights[:min(len(l.sights), maxTold)] {
		s := &l.sights[i]
		if s.look != nil {
			s.look(&s.Sighting, s.season)
		}
		l.tell(s.Sighting)
	}
	l.sights = l.sights[:0]
}

// sighting is an item of a kind without what its site writes around its names, and the
// season that the first one says, -1 for none. Of several names the one that is most like
// the title's stands beside the first.
func (l *Lookout) sighting(c Candidate, kind sources.Kind) (s sources.Sighting, season int) {
	first := BareName(kind, c.Names[0], c.Year)
	s = sources.Sighting{Name: first.Name, Year: cmp.Or(first.Year, saidYear(c)), Kind: first.Kind, IMDb: c.IMDb}
	best := 0.0
	for _, name := range c.Names[1:] {
		if name == c.Names[0] || name == "" {
			continue
		}
		bare := BareName(first.Kind, name, c.Year).Name
		if like := l.like.Of(bare); bare != s.Name && (s.OriginalName == "" || like > best) {
			s.OriginalName, best = bare, like
		}
	}
	if first.Season > 1 { // the year is that of the season
		s.Year = 0
	}
	return s, first.Season
}

// Bare is a name without what sites write around it.
type Bare struct {
	Name   string
	Kind   sources.Kind
	Season int // that the name was marked with, -1 for none
	Year   int // 0 where it said none
}

// BareName takes off a name what a site writes around that of the title: years, marks of
// seasons, words of quality or language, brackets that tell of these. year is what the
// site says beside it, 0 for nothing. A name that has a season is that of a series,
// whatever kind says.
func BareName(kind sources.Kind, name string, year int) Bare {
	b := Bare{Kind: kind, Season: -1}
	if len(name) > maxName {
		return b
	}
	b.Name = nameText(name)
	b.Year = bracketedYear(b.Name)
	if base, _, ok := SplitEpisode(b.Name); ok {
		b.Name, b.Kind = base, sources.KindEpisode
	}
	if rest := behindYear(withoutKind(b.Kind, b.Name), cmp.Or(b.Year, year)); rest != "" {
		b.Name = rest
	}
	if base, y, _ := splitFileName(b.Name); base != b.Name && base != "" {
		b.Name, b.Year = wordsApart(base), cmp.Or(b.Year, y)
	}
	for left := b.Name; b.cut(year) && len(b.Name) < len(left); {
		left = b.Name
	}
	return b
}

// cut takes one thing off the end of the name, and tells whether there was one.
func (b *Bare) cut(year int) bool {
	if rest, _, _, ok := cutSeasons(b.Name); ok && b.isSeason(rest) {
		b.Name, b.Kind = rest, sources.KindEpisode
		return true
	}
	if rest, season, ok := cutSeason(b.Name); ok && b.isSeason(rest) && b.Season < 0 {
		b.Name, b.Season, b.Kind = rest, season, sources.KindEpisode
		return true
	}
	if rest, ok := cutCount(b.Name); ok {
		b.Name, b.Kind = rest, sources.KindEpisode
		return true
	}
	if rest, ok := cutDecoration(b.Kind, b.Name); ok && rest+"." != b.Name { // which ends "S.W.A.T."
		b.Name = rest
		return true
	}
	said := cmp.Or(b.Year, year)
	rest, y := cutYear(b.Name, said)
	if y != 0 && (y == said || said == 0 && isOwnYear(rest)) {
		b.Name, b.Year = rest, y
		return true
	}
	return false
}

// isSeason tells whether what stands in the name behind rest is a season. What is called
// a film may have parts, "某片 第二部".
func (b *Bare) isSeason(rest string) bool {
	return rest != "" && (b.Kind == sources.KindEpisode || !strings.Contains(b.Name[len(rest):], "部"))
}

// wordsApart is the base of a file's name with spaces between its words.
func wordsApart(base string) string {
	if strings.ContainsRune(base, ' ') {
		return base
	}
	return strings.Join(strings.FieldsFunc(base, func(r rune) bool { return r == '.' || r == '_' }), " ")
}

// maxSeenEpisodes bounds what is told of one series.
const maxSeenEpisodes = 2000

// EpisodeSet collects the episodes of a series, each once.
type EpisodeSet struct {
	known map[sources.EpisodeNumber]bool
	all   []sources.EpisodeNumber
}

// Add adds those of a run; one of a season that is not known is of the first. A pack of
// many, which is no file of these, is left out.
func (e *EpisodeSet) Add(r EpisodeRange) {
	if r.Last-r.First >= maxEpisodesInFile {
		return
	}
	for n := r.First; n <= r.Last && len(e.all) < maxSeenEpisodes; n++ {
		number := sources.EpisodeNumber{Season: r.Season, Episode: n}
		if r.Season < 0 {
			number.Season = 1
		}
		if e.known == nil {
			e.known = make(map[sources.EpisodeNumber]bool)
		}
		if !e.known[number] {
			e.known[number] = true
			e.all = append(e.all, number)
		}
	}
}

// All are the episodes, sorted.
func (e *EpisodeSet) All() []sources.EpisodeNumber {
	slices.SortFunc(e.all, sources.EpisodeNumber.Compare)
	return e.all
}
