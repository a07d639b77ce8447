package engine

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"xship/sources"
	"xship/sources/match"
	"xship/sources/text"
)

// SeenSeries is a series that sites have, or the id service knows, where a title was asked
// for without an episode, or with one that nobody has.
type SeenSeries struct {
	Name    string
	Year    int          // of the first release, 0 where unknown
	Seasons []SeenSeason // by number, specials, which are season 0, last; none where nobody tells
	Sites   []string     // names of those that have it, those with most episodes first
	Keys    []string     // of Sites, by which documents call them
	// Title asks for an episode of it once Season and Episode are set. It is of
	// KindEpisode.
	Title sources.Title
}

// SeenSeason is a season of a series with the episodes that somebody has or knows.
type SeenSeason struct {
	Season   int
	Episodes []int    // sorted
	Sites    []string // names of those that have some of it; none where only the id service knows it
}

// NearTitle is a title that may have been meant.
type NearTitle struct {
	Name  string
	Year  int          // of the first release, 0 where unknown
	Kind  sources.Kind // KindEpisode: a series
	Sites []string     // names of those that have it
	Keys  []string     // of Sites, by which documents call them
	// Title asks for it. That of a series is of the kind that was asked for: without an
	// episode it is of KindMovie, and Series of its scan tells the episodes; of KindEpisode
	// it is the episode that was asked for. A film is of KindMovie always.
	Title sources.Title
}

// SeenTitle is a title that sites have.
type SeenTitle struct {
	Name     string
	Year     int          // of the first release, 0 where unknown
	Kind     sources.Kind // KindEpisode: a series
	Episodes int          // of a series, that somebody is known to have; 0 where nobody tells
	Sites    []string     // names of those that have it
	Keys     []string     // of Sites, by which documents call them
	Title    sources.Title
}

// maxNear is how many titles are told that may have been meant.
const maxNear = 5

// Series are the series of the very name that was asked for, with what all sites have of
// them: where a movie was asked for, which is what a name without an episode is, or an
// episode that nobody has. They are those with most sites first. Where a season was asked
// for that any of them has, it is all that is left of them.
func (s *Scan) Series() []SeenSeries {
	if s.Title.Kind == sources.KindEpisode && s.Found() {
		return nil
	}
	fits := seriesOf(s.Title)
	var all []SeenSeries
	var years []int
	for _, g := range s.seen() {
		if g.kind == sources.KindEpisode && fits(g) {
			all = append(all, g.series(s.Title))
			years = append(years, g.year)
		}
	}
	slices.Sort(years)
	if len(slices.Compact(years)) > 1 { // which only their years tell apart
		for i := range all {
			all[i].Title.Year = cmp.Or(all[i].Title.Year, all[i].Year)
		}
	}
	return s.ofSeason(all)
}

// Near are titles that sites came across whose name or year is near what was asked for,
// best first and few. There are none where anything has the name and year as asked.
func (s *Scan) Near() []NearTitle {
	if s.Found() {
		return nil
	}
	all := s.seen(s.own...)
	asked, series := match.For(s.Title), seriesOf(s.Title)
	for _, g := range all {
		if series(g) && g.kind == sources.KindEpisode || g.kind == s.Title.Kind && asked.Title(g.candidate()) != match.None {
			return nil
		}
	}
	like := match.LikenessTo(s.Title)
	for _, g := range all {
		g.likeness = like.Of(g.names...)
	}
	all = slices.DeleteFunc(all, func(g *seenGroup) bool { return g.likeness < match.NearEnough })
	ofYear := func(g *seenGroup) bool { return g.year != 0 && g.year == s.Title.Year }
	slices.SortStableFunc(all, func(a, b *seenGroup) int {
		return cmp.Or(
			cmp.Compare(b.likeness, a.likeness), -compareTrue(ofYear(a), ofYear(b)),
			-compareTrue(a.kind == s.Title.Kind, b.kind == s.Title.Kind), cmp.Compare(len(b.sites), len(a.sites)), cmp.Compare(b.year, a.year),
		)
	})
	var near []NearTitle
	for _, g := range all[:min(len(all), maxNear)] {
		n := NearTitle{Name: g.name, Year: g.year, Kind: g.kind, Title: g.title(s.Title)}
		n.Sites, n.Keys = g.siteNames()
		near = append(near, n)
	}
	return near
}

// Titles are the titles that sites came across whose names are like the one that was asked
// for, of its year where it has one, those that are most like it first. Where none is,
// they are those that have any word of it.
func (s *Scan) Titles() []SeenTitle {
	like := match.LikenessTo(s.Title)
	all := slices.DeleteFunc(s.seen(), func(g *seenGroup) bool {
		g.likeness = like.Of(g.names...)
		_, sites := g.siteNames()
		return g.likeness == 0 || len(sites) == 0 || s.Title.Year != 0 && g.year != 0 && !sameYear(g.year, s.Title.Year)
	})
	slices.SortStableFunc(all, func(a, b *seenGroup) int {
		return cmp.Or(cmp.Compare(b.likeness, a.likeness), cmp.Compare(len(b.sites), len(a.sites)), cmp.Compare(b.year, a.year))
	})
	if len(all) > 0 && all[0].likeness >= match.NearEnough {
		all = slices.DeleteFunc(all, func(g *seenGroup) bool { return g.likeness < match.NearEnough })
	}
	titles := make([]SeenTitle, 0, len(all))
	for _, g := range all {
		t := SeenTitle{Name: g.name, Year: g.year, Kind: g.kind, Episodes: len(g.episodes), Title: g.title(asMovie(s.Title))}
		t.Sites, t.Keys = g.siteNames()
		titles = append(titles, t)
	}
	return titles
}

// Found tells whether the scan found what was asked for, and not its trailers alone.
func (s *Scan) Found() bool {
	return slices.ContainsFunc(s.Sources, func(src sources.Source) bool { return !src.Trailer })
}

// nearOnWatchlist are titles of the watchlist that may have been meant, where the sites
// came across none: most of them answer only with what has the very words. A store that
// fails costs only these.
func (e *Engine) nearOnWatchlist(ctx context.Context, s *Scan) []sources.Sighting {
	if ctx.Err() != nil || s.Found() || len(s.Series()) > 0 || len(s.Near()) > 0 {
		return nil
	}
	watched, err := e.cfg.Store.Watchlist(ctx)
	if err != nil {
		e.cfg.Logger.Debug("the watchlist could not be read for titles that may have been meant", "error", err)
	}
	like, asked := match.LikenessTo(s.Title), match.For(s.Title)
	var near []sources.Sighting
	for _, w := range watched {
		t := w.Title
		names := []string{t.Name, t.OriginalName}
		if like.Of(names...) >= match.NearEnough && asked.Title(match.Candidate{Names: names, Year: t.Year, IMDb: t.IMDb}) == match.None {
			near = append(near, sources.Sighting{Name: t.Name, OriginalName: t.OriginalName, Year: t.Year, Kind: t.Kind})
		}
	}
	return near
}

// seen joins what all sites came across, what else is given, and what is known of a series
// that was asked for. Those with most sites come first.
func (s *Scan) seen(more ...sources.Sighting) []*seenGroup {
	var b seenBook
	for _, report := range s.Sites {
		for _, sighting := range report.Seen {
			if sighting.Year != 0 {
				b.add(sighting, report.SiteInfo)
			}
		}
	}
	for _, report := range s.Sites { // which join those of a year
		for _, sighting := range report.Seen {
			if sighting.Year == 0 {
				b.add(sighting, report.SiteInfo)
			}
		}
	}
	for _, sighting := range more {
		b.add(sighting, sources.SiteInfo{})
	}
	if f := s.seriesFacts(); f != nil {
		b.add(*f, sources.SiteInfo{})
	}
	for _, g := range b.groups {
		g.finish()
	}
	slices.SortStableFunc(b.groups, func(a, o *seenGroup) int { return cmp.Compare(len(o.sites), len(a.sites)) })
	return b.groups
}

// seriesFacts is what the id service knows of a series that was asked for, as far as it
// has been broadcast, nil where that is nothing.
func (s *Scan) seriesFacts() *sources.Sighting {
	asked := s.Title
	asked.Kind = sources.KindEpisode
	f := cmp.Or(s.series, s.Facts)
	if f == nil || f.Kind != sources.KindEpisode || len(f.Episodes) == 0 || guessed(asked, f) {
		return nil
	}
	seen := &sources.Sighting{Name: cmp.Or(f.Name, s.Title.Name), OriginalName: f.OriginalName, Year: f.Year, Kind: f.Kind, IMDb: f.IMDb}
	for _, e := range f.Episodes {
		if f.Aired(e, s.at) {
			seen.Episodes = append(seen.Episodes, sources.EpisodeNumber{Season: e.Season, Episode: e.Episode})
		}
	}
	return seen
}

// seriesOf tells of what was seen whether it is a series of the name that t has, whichever
// episodes there are of it.
func seriesOf(t sources.Title) func(*seenGroup) bool {
	whole := t.FirstOf(1)
	if _, season, ok := match.SplitSeason(t.Name); ok {
		whole.Season = season
	}
	m := match.For(whole)
	return func(g *seenGroup) bool { return m.Title(g.candidate()) != match.None }
}

// seenBook joins sightings of one title.
type seenBook struct {
	groups []*seenGroup
	byName map[string][]*seenGroup
}

// seenGroup is a title that was seen, at one site or several.
type seenGroup struct {
	kind     sources.Kind
	imdb     string
	names    []string // those that differ
	counted  []string // the first name at each site, for the most common one
	years    []int    // one a site that told it
	sites    []*seenAt
	episodes map[sources.EpisodeNumber]bool
	likeness float64

	name string
	year int
}

// seenAt is what one site has of a title.
type seenAt struct {
	site     sources.SiteInfo // zero for the id service
	episodes []sources.EpisodeNumber
}

// add joins a sighting with those of the same title: with one of its names, or the same
// IMDb id, and no other year, kind or id. Without a year it joins the first of the name.
func (b *seenBook) add(s sources.Sighting, site sources.SiteInfo) {
	s.Name, s.OriginalName = text.Clean(s.Name), text.Clean(s.OriginalName)
	names := keysOf(s.Name, s.OriginalName)
	if len(names) == 0 {
		return
	}
	if b.byName == nil {
		b.byName = make(map[string][]*seenGroup)
	}
	if s.IMDb != "" {
		names = append(names, "imdb:"+s.IMDb)
	}
	var g *seenGroup
	for i := 0; g == nil && i < len(names); i++ {
		if i > 0 && s.Year == 0 && names[i] != "imdb:"+s.IMDb {
			continue // another name alone is too little
		}
		for _, other := range b.byName[names[i]] {
			if other.mayBe(s) {
				g = other
				break
			}
		}
	}
	if g == nil {
		g = &seenGroup{kind: s.Kind, episodes: make(map[sources.EpisodeNumber]bool)}
		b.groups = append(b.groups, g)
	}
	for _, name := range names {
		if !slices.Contains(b.byName[name], g) {
			b.byName[name] = append(b.byName[name], g)
		}
	}
	g.add(s, site)
}

// keysOf are names as they are compared, each once.
func keysOf(names ...string) []string {
	var keys []string
	for _, name := range names {
		if key := text.NormalizeName(text.Simplified(name)); key != "" && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// mayBe tells whether a sighting of the same name is of the group.
func (g *seenGroup) mayBe(s sources.Sighting) bool {
	if g.kind != s.Kind || g.imdb != "" && s.IMDb != "" && g.imdb != s.IMDb {
		return false
	}
	return s.Year == 0 || len(g.years) == 0 || sameYear(s.Year, g.years[0])
}

// sameYear tells whether two years may be of one title: sites are often off by one.
func sameYear(a, b int) bool { return max(a-b, b-a) <= 1 }

func (g *seenGroup) add(s sources.Sighting, site sources.SiteInfo) {
	g.imdb = cmp.Or(g.imdb, s.IMDb)
	for _, name := range []string{s.Name, s.OriginalName} {
		if name != "" && !slices.Contains(g.names, name) {
			g.names = append(g.names, name)
		}
	}
	g.counted = append(g.counted, s.Name)
	if s.Year != 0 {
		g.years = append(g.years, s.Year)
	}
	i := slices.IndexFunc(g.sites, func(a *seenAt) bool { return a.site.Key == site.Key && a.site.Name == site.Name })
	if i < 0 {
		i = len(g.sites)
		g.sites = append(g.sites, &seenAt{site: site})
	}
	g.sites[i].episodes = append(g.sites[i].episodes, s.Episodes...)
	for _, e := range s.Episodes {
		g.episodes[e] = true
	}
}

// finish settles what the sites do not agree on: what most of them say stands.
func (g *seenGroup) finish() {
	g.name, g.year = mostCommon(g.counted), mostCommon(g.years)
	slices.SortStableFunc(g.sites, func(a, b *seenAt) int { return cmp.Compare(len(b.episodes), len(a.episodes)) })
}

// mostCommon is the value that is there most often, the first of several.
func mostCommon[T comparable](all []T) (best T) {
	most := 0
	count := make(map[T]int, len(all))
	for _, v := range all {
		count[v]++
	}
	for _, v := range all {
		if count[v] > most {
			best, most = v, count[v]
		}
	}
	return best
}

func (g *seenGroup) candidate() match.Candidate {
	return match.Candidate{Names: g.names, Year: g.year, IMDb: g.imdb}
}

// siteNames are the sites that have it, as people and as documents call them.
func (g *seenGroup) siteNames() (names, keys []string) {
	for _, s := range g.sites {
		if s.isSite() {
			names, keys = append(names, s.name()), append(keys, s.site.Key)
		}
	}
	return names, keys
}

func (a *seenAt) isSite() bool { return a.site != sources.SiteInfo{} }

func (a *seenAt) name() string { return cmp.Or(text.Clean(a.site.Name), text.Clean(a.site.Key)) }

// title asks for what was seen in the place of asked.
func (g *seenGroup) title(asked sources.Title) sources.Title {
	t := sources.Title{Kind: sources.KindMovie, Name: g.name, Year: g.year}
	if g.kind == sources.KindEpisode && asked.Kind == sources.KindEpisode {
		t.Kind, t.Season, t.Episode = asked.Kind, asked.Season, asked.Episode
	}
	return t
}

// series is the group as a series of the name that was asked for.
func (g *seenGroup) series(asked sources.Title) SeenSeries {
	s := SeenSeries{Name: g.name, Year: g.year, Title: asked}
	s.Sites, s.Keys = g.siteNames()
	s.Title.Kind, s.Title.Season, s.Title.Episode = sources.KindEpisode, 0, 0
	s.Title.Aliases = slices.Clone(asked.Aliases)
	if base, _, ok := match.SplitSeason(asked.Name); ok && strings.TrimSpace(base) != "" {
		s.Title.Name = base
	}
	bySeason := make(map[int]*SeenSeason)
	for e := range g.episodes {
		season := bySeason[e.Season]
		if season == nil {
			season = &SeenSeason{Season: e.Season}
			bySeason[e.Season] = season
		}
		season.Episodes = append(season.Episodes, e.Episode)
	}
	for _, season := range bySeason {
		slices.Sort(season.Episodes)
		for _, at := range g.sites {
			if at.isSite() && slices.ContainsFunc(at.episodes, func(e sources.EpisodeNumber) bool { return e.Season == season.Season }) {
				season.Sites = append(season.Sites, at.name())
			}
		}
		s.Seasons = append(s.Seasons, *season)
	}
	slices.SortFunc(s.Seasons, func(a, b SeenSeason) int {
		return cmp.Or(compareTrue(a.Season == 0, b.Season == 0), cmp.Compare(a.Season, b.Season))
	})
	return s
}

// compareTrue orders false before true.
func compareTrue(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	default:
		return -1
	}
}

// likeness tells how much what sites come across is like t.
func likeness(t sources.Title) func(sources.Sighting) float64 {
	like := match.LikenessTo(t)
	return func(s sources.Sighting) float64 { return like.Of(s.Name, s.OriginalName) }
}
