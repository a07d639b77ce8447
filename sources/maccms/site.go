package maccms

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"xship/sources"
	"xship/sources/fetch"
)

// Type is what interfaces call this protocol.
const Type = "1"

// Bounds of one search.
const (
	maxRequests = 8
	maxPages    = 3
	maxIDs      = 10
	maxSources  = 1000
)

// New makes the site that spec describes. Its errors are of ClassUnsupported.
func New(spec sources.SiteSpec, client *fetch.Client) (sources.Site, error) {
	if spec.Type != Type {
		return nil, sources.Errorf(sources.ClassUnsupported, "site type %q is not the MacCMS JSON API (type %s)", spec.Type, Type)
	}
	api, err := url.Parse(strings.TrimSpace(spec.API))
	if err != nil || api.Host == "" || api.Scheme != "http" && api.Scheme != "https" {
		return nil, sources.Errorf(sources.ClassUnsupported, "the api %q is not an http or https URL", sources.RedactURL(spec.API))
	}
	return &site{spec: spec, api: api, client: client}, nil
}

type site struct {
	spec   sources.SiteSpec
	api    *url.URL
	client *fetch.Client
}

// Info implements sources.Site.
func (s *site) Info() sources.SiteInfo { return s.spec.SiteInfo }

// Search implements sources.Site. Rows that match only nearly are yielded if
// no row that matches exactly has a link, also when a later request fails.
func (s *site) Search(ctx context.Context, t sources.Title, yield func(sources.Source)) error {
	q := &search{site: s, title: t, yield: yield}
	err := q.askAll(ctx)
	if q.yielded == 0 {
		q.nearly = true
		for _, r := range q.near {
			q.offer(r)
		}
	}
	return err
}

// askAll asks for one term after the other until a source was found.
func (q *search) askAll(ctx context.Context) error {
	for _, term := range searchTerms(q.title) {
		if err := q.ask(ctx, term); err != nil || q.yielded > 0 {
			return err
		}
	}
	return nil
}

// search is one run of Search.
type search struct {
	*site
	title    sources.Title
	yield    func(sources.Source)
	near     []row
	nearly   bool // what is offered now matches only nearly
	requests int
	yielded  int
}

// ask looks through the pages for term until a source was found.
func (q *search) ask(ctx context.Context, term string) error {
	for page := 1; page <= maxPages && q.requests < maxRequests; page++ {
		params := url.Values{"wd": {term}}
		if page > 1 {
			params.Set("pg", strconv.Itoa(page))
		}
		answer, err := q.get(ctx, params)
		if err != nil {
			return err
		}
		missing := q.sift(answer.List)
		if len(missing) > 0 && q.requests < maxRequests {
			details, err := q.get(ctx, url.Values{"ids": {strings.Join(missing, ",")}})
			if err != nil {
				return err
			}
			q.sift(details.List)
		}
		if q.yielded > 0 || page >= answer.PageCount.int() {
			return nil
		}
	}
	return nil
}

// sift yields what the rows that match hold, keeps those that nearly match, and
// gives the ids of those that may match and came without links.
func (q *search) sift(rows []row) (missing []string) {
	for _, r := range rows {
		if !q.wanted(r) {
			continue
		}
		if strings.TrimSpace(r.PlayURL) == "" {
			if id := string(r.ID); q.couldMatch(r) && id != "" && len(missing) < maxIDs && !slices.Contains(missing, id) {
				missing = append(missing, id)
			}
			continue
		}
		switch sources.MatchTitle(q.title, r.candidate()) {
		case sources.MatchNone:
		case sources.MatchExact:
			q.offer(r)
		case sources.MatchNear:
			if !slices.ContainsFunc(q.near, func(n row) bool { return n.ID == r.ID && r.ID != "" }) {
				q.near = append(q.near, r)
			}
		}
	}
	return missing
}

// wanted tells whether the row is in a category that the interface lets
// through. A row that names none is.
func (s *site) wanted(r row) bool {
	return len(s.spec.Categories) == 0 || r.TypeName == "" || slices.Contains(s.spec.Categories, string(r.TypeName))
}

// couldMatch is MatchTitle for a row that came without its details: what has
// no year may have the right one.
func (q *search) couldMatch(r row) bool {
	t, c := q.title, r.candidate()
	if c.Year == 0 {
		t.Year = 0
	}
	return sources.MatchTitle(t, c) != sources.MatchNone
}

// get asks the API for details of what params select.
func (q *search) get(ctx context.Context, params url.Values) (*response, error) {
	q.requests++
	u := q.queryURL(params)
	resp, err := q.client.Get(ctx, fetch.Request{URL: u, Headers: q.spec.Headers})
	if err != nil {
		return nil, err
	}
	return decode(u, resp.Body)
}

// queryURL is the API's own URL with ac, params and the site's ext set, not
// added: many APIs already name an ac, and two of them confuse servers.
func (s *site) queryURL(params url.Values) string {
	u := *s.api
	query := u.Query()
	for _, name := range []string{"wd", "ids", "pg"} {
		query.Del(name)
	}
	query.Set("ac", "detail")
	if s.spec.Ext != "" {
		query.Set("extend", s.spec.Ext)
	}
	for name, values := range params {
		query[name] = values
	}
	u.RawQuery = query.Encode()
	return u.String()
}

// searchTerms are what the server is asked for, one after the other. Servers
// look for the term as it is, so a season is taken off, and last comes the
// first name without its number, to find "Name 2" for "Name II".
func searchTerms(t sources.Title) []string {
	const most = 4
	var terms []string
	add := func(term string) {
		if term = strings.TrimSpace(term); term != "" && len(terms) < most && !slices.Contains(terms, term) {
			terms = append(terms, term)
		}
	}
	names := t.Names()
	for _, name := range names[:min(len(names), most-1)] {
		if base, _, ok := sources.SplitSeason(name); ok && t.Kind == sources.KindEpisode {
			name = base
		}
		add(name)
	}
	if len(names) > 0 {
		add(withoutNumber(names[0]))
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
	n, err := strconv.Atoi(strings.TrimPrefix(sources.NormalizeName("x "+name[len(base):]), "x"))
	if err != nil || n < 2 || n > 20 {
		return ""
	}
	if last, _ := utf8.DecodeLastRuneInString(base); last < utf8.RuneSelf && last != ' ' {
		return ""
	}
	return strings.TrimSpace(base)
}
