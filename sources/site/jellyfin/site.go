package jellyfin

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/match"
	"xship/sources/text"
)

// Bounds of one search.
const (
	maxTerms   = 3  // names that are searched, beside a word of the first one
	searchRows = 20 // asked for of each
	maxFilms   = 10
	maxSeries  = 3
	// maxEpisodesInFile is the longest run of episodes that is taken for one file of them;
	// a longer one is a pack, which plays from its start.
	maxEpisodesInFile = 3
	maxSearchBody     = 8 << 20
)

// New makes the site that spec describes. The errors are of ClassUnsupported.
func New(spec sources.SiteSpec, client *fetch.Client) (sources.Site, error) {
	s, err := newServer(spec.Type, spec.API)
	if err != nil {
		return nil, err
	}
	return &site{server: s, spec: spec, client: client}, nil
}

type site struct {
	server
	spec   sources.SiteSpec
	client *fetch.Client
}

// Info implements sources.Site.
func (s *site) Info() sources.SiteInfo { return s.spec.SiteInfo }

// Search implements sources.Site. What matches only nearly is yielded if nothing matches
// exactly.
func (s *site) Search(ctx context.Context, t sources.Title, yield func(sources.Source)) error {
	if s.spec.Trusted {
		ctx = fetch.WithLogins(ctx)
	}
	found, fit, err := s.find(ctx, t)
	if err != nil {
		return err
	}
	emit := func(src sources.Source) {
		if fit == match.Near {
			src.Priority = sources.PriorityNear
		}
		src.Own = s.spec.Trusted
		yield(src)
	}
	if t.Kind == sources.KindMovie {
		for _, film := range found[:min(len(found), maxFilms)] {
			s.yield(film, film.title(), emit)
		}
		return nil
	}
	for _, series := range found[:min(len(found), maxSeries)] { // one that fails spoils no other
		if failed := s.episodes(ctx, t, series, emit); err == nil {
			err = failed
		}
	}
	return err
}

// find gives the films or series that are t, the nearest ones only.
func (s *site) find(ctx context.Context, t sources.Title) (found []item, best match.Fit, err error) {
	kind := "Movie"
	if t.Kind == sources.KindEpisode {
		kind = "Series"
	}
	matcher, seen := match.For(t), make(map[string]bool)
	lookout := match.NewLookout(ctx, t)
	take := func(items []item) {
		for _, i := range items {
			if seen[i.ID] || !idForm.MatchString(i.ID) {
				continue
			}
			seen[i.ID] = true
			if i.see(lookout, nil); !strings.EqualFold(i.Type, kind) {
				continue
			}
			switch fit := matcher.Title(i.candidate()); {
			case fit == match.None || fit < best:
			case fit > best:
				best, found = fit, []item{i}
			default:
				found = append(found, i)
			}
		}
	}
	for _, params := range s.searches(t) {
		kinds, rows := kind, searchRows
		if lookout != nil {
			kinds, rows = "Movie,Series", 2*searchRows
		}
		items, err := s.ask(ctx, params, kinds, rows)
		if take(items); err == nil && len(items) >= rows && countOf(items, kind) < searchRows && best != match.Exact { // the other kind crowds it out
			items, err = s.ask(ctx, params, kind, searchRows)
			take(items)
		}
		if err != nil {
			return nil, best, err
		}
		lookout.Tell()
		if best == match.Exact {
			break
		}
	}
	return found, best, nil
}

func countOf(items []item, kind string) (n int) {
	for _, i := range items {
		if strings.EqualFold(i.Type, kind) {
			n++
		}
	}
	return n
}

// ask asks for so many items of some kinds, which params say more of.
func (s *site) ask(ctx context.Context, params url.Values, kinds string, rows int) ([]item, error) {
	params.Set("includeItemTypes", kinds)
	params.Set("recursive", "true")
	params.Set("fields", "ProviderIds,MediaSources,Path,OriginalTitle")
	params.Set("limit", strconv.Itoa(rows))
	return s.items(ctx, "/Items", params, maxSearchBody)
}

// searches are the parameters of what the server is asked for, one after the other until
// something is found.
func (s *site) searches(t sources.Title) []url.Values {
	var all []url.Values
	if s.emby && t.IMDb != "" {
		all = append(all, url.Values{"anyProviderIdEquals": {"imdb." + t.IMDb}})
	}
	for _, term := range searchTerms(t) {
		all = append(all, url.Values{"searchTerm": {term}})
	}
	return all
}

// searchTerms are the names of t, without seasons and years, which no server has in the
// names of its items, and at last the longest word of the first one: servers look for a
// term as it is, and may have "Name 2" for "Name II".
func searchTerms(t sources.Title) []string {
	var terms []string
	add := func(term string) {
		term = strings.TrimSpace(term)
		if term != "" && !slices.ContainsFunc(terms, func(other string) bool { return strings.EqualFold(other, term) }) {
			terms = append(terms, term)
		}
	}
	for _, name := range t.Names() {
		if len(terms) == maxTerms {
			break
		}
		term := name
		if base, _, ok := match.SplitSeason(name); ok && t.Kind == sources.KindEpisode && strings.TrimSpace(base) != "" {
			term = base
		}
		if base, _ := match.SplitYear(term); strings.TrimSpace(base) != "" {
			term = base
		}
		add(term)
	}
	add(longestWord(t.Name))
	return terms
}

// longestWord is the first of the longest words of name, "" where it has none that tells
// something.
func longestWord(name string) string {
	const telling = 4 // letters, and 2 characters of a script that needs fewer
	longest := ""
	for _, word := range strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }) {
		if utf8.RuneCountInString(word) > utf8.RuneCountInString(longest) {
			longest = word
		}
	}
	if len(longest) < telling {
		return ""
	}
	return longest
}

// candidate is what is known of an item.
func (i item) candidate() match.Candidate {
	c := match.Candidate{Year: i.ProductionYear, IMDb: i.imdb()}
	for _, name := range []string{i.Name, i.OriginalTitle} {
		if name = text.Clean(name); name != "" {
			c.Names = append(c.Names, name)
		}
	}
	return c
}

// episodes yields what a series has of the episode t.
func (s *site) episodes(ctx context.Context, t sources.Title, series item, yield func(sources.Source)) error {
	items, err := s.items(ctx, "/Shows/"+series.ID+"/Episodes", url.Values{
		"season": {strconv.Itoa(t.Season)}, "fields": {"MediaSources,Path"},
	}, maxEpisodesBody)
	if err != nil {
		return err
	}
	var has match.EpisodeSet
	for _, i := range items {
		if run, ok := i.run(); ok && len(i.versions()) > 0 {
			has.Add(run)
		}
		if i.is(t) && idForm.MatchString(i.ID) {
			s.yield(i, episodeName(series, i, t), yield)
		}
	}
	lookout := match.NewLookout(ctx, t)
	series.see(lookout, has.All())
	lookout.Tell()
	return nil
}

// see has the lookout note a film, or a series with episodes that it has.
func (i item) see(lookout *match.Lookout, episodes []sources.EpisodeNumber) {
	switch {
	case strings.EqualFold(i.Type, "Movie"):
		lookout.See(i.candidate(), sources.KindMovie, nil)
	case strings.EqualFold(i.Type, "Series"):
		lookout.See(i.candidate(), sources.KindEpisode, func(s *sources.Sighting, _ int) { s.Episodes = episodes })
	}
}

// run is the episode that an item is, or the run of them; ok is false where it is none.
func (i item) run() (r match.EpisodeRange, ok bool) {
	if i.Season == nil || i.Episode == nil {
		return r, false
	}
	r = match.EpisodeRange{Season: *i.Season, First: *i.Episode, Last: *i.Episode}
	if i.EpisodeEnd != nil {
		r.Last = max(r.Last, *i.EpisodeEnd)
	}
	return r, true
}

// is tells whether i is the episode t. Servers list specials within the season that they
// were shown in.
func (i item) is(t sources.Title) bool {
	run, ok := i.run()
	return ok && run.Season == t.Season && run.Contains(t.Episode) && run.Last-run.First < maxEpisodesInFile
}
