package archive

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/link"
	"xship/sources/match"
	"xship/sources/text"
)

// Type is what interfaces call this protocol.
const Type = "archive"

// DefaultURL is the Internet Archive itself.
const DefaultURL = "https://archive.org"

// besideTimeout is how long the built-in interface waits for the Archive.
const besideTimeout = 3 * time.Second

// maxItems is how many items of a search are looked into, and maxSources how many files
// of one are offered.
const (
	maxItems   = 5
	maxSources = 40
)

// Spec is the site of the built-in interface, at the address of the Archive or a mirror:
// it is asked beside the open films.
func Spec(baseURL string) sources.SiteSpec {
	return sources.SiteSpec{
		SiteInfo:   sources.SiteInfo{Key: Type, Name: "Internet Archive", Type: Type, Timeout: besideTimeout, Beside: true},
		API:        baseURL,
		Searchable: true,
	}
}

// New makes the site that spec describes; one without an address is the Archive itself.
// In another region than RegionUS it is another site, by its key. The errors are of
// ClassUnsupported.
func New(spec sources.SiteSpec, client *Client) (sources.Site, error) {
	if spec.Type != Type {
		return nil, sources.Errorf(sources.ClassUnsupported, "site type %q is not the Internet Archive", spec.Type)
	}
	address := strings.TrimRight(strings.TrimSpace(spec.API), "/")
	if address == "" {
		address = DefaultURL
	}
	base, err := link.Parse(address)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Hostname() == "" {
		return nil, sources.Errorf(sources.ClassUnsupported, "the address of the Internet Archive is no http or https URL: %s", link.RedactInterface(spec.API))
	}
	if base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, sources.Errorf(sources.ClassUnsupported, "the address of the Internet Archive can have neither user, query nor fragment: %s", link.RedactInterface(spec.API))
	}
	headers := make(map[string]string, len(spec.Headers)+1)
	if client.Agent != "" {
		headers["User-Agent"] = client.Agent
	}
	for name, value := range spec.Headers { // which win
		headers[http.CanonicalHeaderKey(name)] = value
	}
	info := spec.SiteInfo
	if client.Region != RegionUS { // what was kept for one region is no answer in another
		info.Key += ":" + string(client.Region)
	}
	return &site{info: info, base: base, headers: headers, client: client}, nil
}

type site struct {
	info    sources.SiteInfo
	base    *url.URL // without a slash at its end
	headers map[string]string
	client  *Client
}

// Info implements sources.Site.
func (s *site) Info() sources.SiteInfo { return s.info }

// Search implements sources.Site. An item that cannot be read costs only its own sources;
// a *sources.NoteError tells of that, and of what the filter of rights leaves out. A site
// that is asked beside others fails then, so that the next scan asks again.
func (s *site) Search(ctx context.Context, t sources.Title, yield func(sources.Source)) error {
	q := newSearch(s, t, yield)
	q.lookout = match.NewLookout(ctx, t)
	if err := q.run(ctx); err != nil {
		return err
	}
	var notes []string
	if q.leftOut > 0 {
		notes = append(notes, text.Plural(q.leftOut, "item")+" left out by their rights (setting archive.rights_region)")
	}
	if q.failed != nil {
		notes = append(notes, "not everything was answered: "+q.failed.Error())
	}
	if len(notes) == 0 {
		return nil
	}
	return &sources.NoteError{Note: strings.Join(notes, "; ")}
}

// search is one run of Search.
type search struct {
	*site
	title sources.Title
	match *match.Matcher
	now   time.Time
	yield func(sources.Source)

	seen    map[string]bool // items, by id
	exact   []candidate
	near    []candidate
	leftOut int // by their rights
	read    int // items looked into
	yielded int
	low     []sources.Source // for slow lines, which come last
	parts   []sources.Source // of the first item that has the film in parts only
	failed  error            // the first of what failed
	lookout *match.Lookout
	told    map[string]bool // items, by id
}

func newSearch(s *site, t sources.Title, yield func(sources.Source)) *search {
	return &search{site: s, title: t, match: match.For(t), now: s.client.Now(), yield: yield, seen: make(map[string]bool), told: make(map[string]bool)}
}

// candidate is an item that may have the title.
type candidate struct {
	facts
	right string // by which it is free
	near  bool   // it is the title only nearly
}

func (q *search) run(ctx context.Context) error {
	defer q.seeRest()
	if err := q.find(ctx); err != nil {
		return err
	}
	for _, candidates := range [][]candidate{q.exact, q.near} {
		q.look(ctx, candidates[:min(len(candidates), maxItems-q.read)])
		if q.yielded > 0 || ctx.Err() != nil {
			break
		}
	}
	if q.yielded == 0 {
		for _, part := range q.parts {
			q.emit(part)
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if q.yielded > 0 && !q.info.Beside {
		return nil
	}
	return q.failed
}

// fail notes that something failed.
func (q *search) fail(err error) {
	if q.failed == nil {
		q.failed = err
	}
}

// find searches by IMDb id and by title and year; where no item is the title, also
// without the year, which many have not.
func (q *search) find(ctx context.Context) error {
	var queries []string
	if q.title.IMDb != "" {
		queries = append(queries, idQuery(q.title.IMDb))
	}
	withYear := q.title.Year != 0 && q.title.Kind == sources.KindMovie
	queries = append(queries, titleQuery(q.title, withYear))
	q.ask(ctx, queries)
	if q.failed == nil && withYear && len(q.seen) == 0 {
		q.ask(ctx, []string{titleQuery(q.title, false)})
	}
	if len(q.exact)+len(q.near) > 0 { // what one search found is worth a look
		return ctx.Err()
	}
	return q.failed
}

// ask makes searches and keeps what may be the title of what they find.
func (q *search) ask(ctx context.Context, queries []string) {
	each(queries, func(query string) ([]facts, error) {
		return ask(ctx, q.site, q.searchURL(query), searchAge, func(req fetch.Request, body []byte) ([]facts, bool, error) {
			found, err := readSearch(req, body)
			return found, true, err
		})
	}, q.client.Logger, func(_ int, found []facts, err error) {
		if err != nil {
			q.fail(err)
		}
		for _, f := range found {
			q.sift(f)
		}
		q.lookout.Tell()
	})
}

// sift keeps an item that may be the title and may be offered.
func (q *search) sift(f facts) {
	if q.seen[f.ID] || f.Closed != "" || f.Media != "" && f.Media != "movies" {
		return
	}
	fit := q.match.Title(f.candidate(q.title))
	right, free := f.rights(q.client.Region, q.title.Year, q.now)
	if fit == match.None {
		if free {
			q.see(f, nil)
		}
		return
	}
	q.seen[f.ID] = true
	switch {
	case !free:
		q.leftOut++
	case fit == match.Exact:
		q.exact = append(q.exact, candidate{facts: f, right: right})
	default:
		q.near = append(q.near, candidate{facts: f, right: right, near: true})
	}
}

// look reads items and yields what they have of the title.
func (q *search) look(ctx context.Context, candidates []candidate) {
	q.read += len(candidates)
	each(candidates, func(c candidate) (metadata, error) {
		address := q.base.JoinPath("metadata", c.ID).String()
		return ask(ctx, q.site, address, metadataAge, func(req fetch.Request, body []byte) (metadata, bool, error) {
			m, err := readMetadata(req, c.ID, body)
			return m, !m.brief, err
		})
	}, q.client.Logger, func(i int, m metadata, err error) {
		if err != nil {
			q.fail(err)
			return
		}
		before := q.yielded + len(q.low) + len(q.parts)
		q.offer(candidates[i], &m)
		if q.title.Kind == sources.KindMovie && q.yielded+len(q.low)+len(q.parts) > before { // its files are no episodes
			q.see(candidates[i].facts, nil)
		} else {
			q.see(candidates[i].facts, &m.Item)
		}
	})
	for _, src := range q.low {
		q.emit(src)
	}
	q.low = nil
}

// offer yields what an item has of the title.
func (q *search) offer(c candidate, m *metadata) {
	closed := m.Gone
	if closed == "" {
		closed = m.Item.Closed
	}
	if closed != "" {
		q.client.Logger.Debug("an item of the Internet Archive is left out", "item", c.ID, "reason", closed)
		return
	}
	m.Item.complete(&c.facts)
	whole, parts := q.pick(&m.Item)
	whole, parts = whole[:min(len(whole), maxSources)], parts[:min(len(parts), maxSources)]
	for _, p := range whole {
		if src := q.source(c, &m.Item, p); p.tier == tierLow {
			q.low = append(q.low, src)
		} else {
			q.emit(src)
		}
	}
	if len(q.parts) == 0 {
		for _, p := range parts {
			q.parts = append(q.parts, q.source(c, &m.Item, p))
		}
	}
}

// complete fills in what only the search told.
func (i *item) complete(f *facts) {
	if len(i.Titles) == 0 {
		i.Titles = f.Titles
	}
	if i.Year == 0 {
		i.Year = f.Year
	}
}

func (q *search) emit(src sources.Source) {
	q.yielded++
	q.yield(src)
}
