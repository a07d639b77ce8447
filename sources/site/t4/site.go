package t4

import (
	"context"
	"maps"
	"math"
	"net/url"
	"strings"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/site/tvbox"
	"xship/sources/text"
)

// Type is what interfaces call this protocol.
const Type = "4"

// Bounds of what one search asks for beside rows.
const (
	maxPlays    = 12
	playWidth   = 3 // of those calls at once
	maxVersions = 8 // of one link
	maxPlayBody = 1 << 20
	maxExtBody  = 1 << 20
)

// reserved are the parameters by which a server decides what is asked of it: a
// stray one changes the meaning.
var reserved = []string{"play", "flag", "ac", "t", "ids", "action", "wd", "pg", "quick", "refresh", "filter"}

// New makes the site that spec describes. exts fetches its ext where that is a URL;
// nil: the site keeps it for itself, as long as it lives. The errors are of
// ClassUnsupported.
func New(spec sources.SiteSpec, client *fetch.Client, exts *Exts) (sources.Site, error) {
	if spec.Type != Type {
		return nil, sources.Errorf(sources.ClassUnsupported, "site type %q is not T4 (type %s)", spec.Type, Type)
	}
	api, err := tvbox.NewAPI(spec, reserved...)
	if err != nil {
		return nil, err
	}
	if exts == nil {
		exts = NewExts(client, math.MaxInt64, nil)
	}
	return &site{spec: spec, api: api, client: client, exts: exts}, nil
}

type site struct {
	spec   sources.SiteSpec
	api    *tvbox.API
	client *fetch.Client
	exts   *Exts
}

// Info implements sources.Site.
func (s *site) Info() sources.SiteInfo { return s.spec.SiteInfo }

// Search implements sources.Site. A link whose play call fails is yielded as
// not playable; where all of them fail the search does.
func (s *site) Search(ctx context.Context, t sources.Title, yield func(sources.Source)) error {
	extend, err := s.extend(ctx)
	if err != nil {
		return err
	}
	q := &search{site: s, extend: extend, yield: yield}
	finder := tvbox.Finder{Find: q.find, Details: q.details, Batch: 1, Parse: tvbox.ParseIDList, Categories: s.spec.Categories}
	return finder.Links(ctx, t, q.take)
}

// extend is the text of the ext: what is at its address where it is a URL.
func (s *site) extend(ctx context.Context) (string, error) {
	address := strings.TrimSpace(s.spec.Ext)
	if !isExtURL(address) {
		return s.spec.Ext, nil
	}
	return s.exts.get(ctx, address, s.api.HeadersFor(address))
}

// search is one run of Search.
type search struct {
	*site
	extend string
	yield  func(sources.Source)
	plays  int // play calls made
}

func (q *search) find(ctx context.Context, term string, page int) (*tvbox.Answer, error) {
	return q.rows(ctx, tvbox.SearchParams(term, page))
}

func (q *search) details(ctx context.Context, ids []string) (*tvbox.Answer, error) {
	return q.rows(ctx, url.Values{"ac": {"detail"}, "ids": {strings.Join(ids, ",")}})
}

func (q *search) rows(ctx context.Context, params url.Values) (*tvbox.Answer, error) {
	req := q.request(params)
	resp, err := q.client.Get(ctx, req)
	if err != nil {
		return nil, err
	}
	body, err := tvbox.Body(req, resp)
	if err != nil {
		return nil, err
	}
	return tvbox.Decode(req, body)
}

func (q *search) request(params url.Values) fetch.Request {
	if q.extend != "" {
		params.Set(tvbox.Extend, q.extend)
	}
	return q.api.Request(params)
}

// take plays links, several at once, and yields what comes of them in their
// order.
func (q *search) take(ctx context.Context, links []tvbox.Link) (int, error) {
	asked := links[:min(len(links), maxPlays-q.plays)]
	q.plays += len(asked)
	yielded, played := 0, false
	var failed error
	emit := func(src sources.Source) {
		yielded++
		q.yield(src)
	}
	type outcome struct {
		found []sources.Source
		err   error
	}
	tvbox.Each(len(asked), playWidth, func(i int) (o outcome) {
		o.found, o.err = q.play(ctx, asked[i])
		return o
	}, func(i int, o outcome) {
		switch {
		case o.err == nil:
			played = true
			for _, src := range o.found {
				emit(src)
			}
			return
		case ctx.Err() == nil:
			emit(asked[i].Source(q.address(asked[i]), "", "the site gives no stream: "+o.err.Error()))
		}
		if failed == nil {
			failed = o.err
		}
	})
	if failed != nil && (!played || ctx.Err() != nil) {
		return yielded, failed
	}
	for _, l := range links[len(asked):] {
		emit(l.Source(q.address(l), "", "not asked for: more links match than one search asks for"))
	}
	return yielded, nil
}

// address stands for a link whose stream is not known: the link itself, or else
// the call that asks for it.
func (q *search) address(l tvbox.Link) string {
	if link := text.Clean(l.Link); tvbox.HasScheme(link) {
		return link
	}
	return q.api.Request(playParams(l)).URL
}

func playParams(l tvbox.Link) url.Values {
	return url.Values{"play": {l.Link}, "flag": {l.Player}}
}

// play asks for the streams of a link.
func (q *search) play(ctx context.Context, l tvbox.Link) ([]sources.Source, error) {
	req := q.request(playParams(l))
	req.MaxBody = maxPlayBody
	resp, err := q.client.Get(ctx, req)
	if err != nil {
		return nil, err
	}
	body, err := tvbox.Body(req, resp)
	if err != nil {
		return nil, err
	}
	answer, err := decodePlay(req, body)
	if err != nil {
		return nil, err
	}
	return q.streams(l, answer), nil
}

// streams are the sources that answer makes of a link.
func (q *search) streams(l tvbox.Link, answer *playAnswer) []sources.Source {
	prefix := string(answer.PlayURL)
	if prefix == "" {
		prefix = q.spec.PlayURL
	}
	headers := answer.headers()
	if len(headers) == 0 {
		headers = tvbox.PlayHeaders(q.spec.Headers)
	}
	var found []sources.Source
	for _, v := range answer.versions {
		link, reason := tvbox.Prefixed(prefix, q.api.Absolute(v.url))
		if needs := answer.needs(); needs != "" {
			reason = needs
		}
		if reason == "" {
			reason = tvbox.Unplayable(link)
		}
		src := l.Source(link, v.name, reason)
		src.Headers = maps.Clone(headers)
		found = append(found, src)
	}
	return found
}
