package maccms

import (
	"bytes"
	"cmp"
	"context"
	"net/url"
	"strings"
	"sync/atomic"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/site/tvbox"
	"xship/sources/text"
)

// What interfaces call this protocol.
const (
	Type    = "1" // JSON
	TypeXML = "0"
)

// maxIDs is how many rows are asked for at once.
const maxIDs = 10

// New makes the site that spec describes. Its errors are of ClassUnsupported.
func New(spec sources.SiteSpec, client *fetch.Client) (sources.Site, error) {
	if spec.Type != Type && spec.Type != TypeXML {
		return nil, sources.Errorf(sources.ClassUnsupported, "site type %q is not the MacCMS API (types %s and %s)", spec.Type, TypeXML, Type)
	}
	api, err := tvbox.NewAPI(spec, "ac", "wd", "ids", "pg")
	if err != nil {
		return nil, err
	}
	s := &site{spec: spec, api: api, client: client, action: "detail"}
	if spec.Type == TypeXML {
		s.action = "videolist" // the only word for it that old servers know
	}
	s.finder = tvbox.Finder{
		Find: s.find, Recode: s.inGBK, Details: s.details, Batch: maxIDs, Parse: tvbox.ParsePlaylist, Categories: spec.Categories,
	}
	return s, nil
}

type site struct {
	spec   sources.SiteSpec
	api    *tvbox.API
	client *fetch.Client
	action string // the ac that gives links
	finder tvbox.Finder
	gbk    atomic.Bool // an answer was in GBK
}

// Info implements sources.Site.
func (s *site) Info() sources.SiteInfo { return s.spec.SiteInfo }

// Search implements sources.Site. Rows that match only nearly are yielded if
// no row that matches exactly has a link, also when a later request fails.
func (s *site) Search(ctx context.Context, t sources.Title, yield func(sources.Source)) error {
	return s.finder.Links(ctx, t, func(_ context.Context, links []tvbox.Link) (int, error) {
		n := 0
		for _, l := range links {
			if src, ok := s.source(l); ok {
				n++
				yield(src)
			}
		}
		return n, nil
	})
}

// source is what l leads to. A link from the root of the site is completed; of one
// that is relative to nobody knows what is told. What is no link at all is none.
func (s *site) source(l tvbox.Link) (sources.Source, bool) {
	link, relative := l.Link, ""
	switch {
	case tvbox.HasScheme(link):
	case strings.HasPrefix(link, "/"):
		link = s.api.Absolute(link)
	case tvbox.IsRelative(link):
		relative = "the site gives a relative link and not what it is relative to: " + link
		link = s.api.Absolute("/" + strings.TrimLeft(link, "./"))
	}
	if !tvbox.HasScheme(link) {
		return sources.Source{}, false
	}
	link, reason := tvbox.Prefixed(s.spec.PlayURL, link)
	if reason == "" {
		reason = cmp.Or(relative, tvbox.Unplayable(link))
	}
	src := l.Source(link, "", reason)
	src.Headers = tvbox.PlayHeaders(s.spec.Headers)
	return src, true
}

func (s *site) find(ctx context.Context, term string, page int) (*tvbox.Answer, error) {
	return s.get(ctx, tvbox.SearchParams(term, page))
}

// inGBK is a term for a site that answers in GBK: old ones look for its bytes as they
// come, so that in UTF-8 they find nothing.
func (s *site) inGBK(term string) string {
	if !s.gbk.Load() || text.IsASCII(term) {
		return ""
	}
	encoded, _ := text.ToGBK(term)
	return encoded
}

func (s *site) details(ctx context.Context, ids []string) (*tvbox.Answer, error) {
	return s.get(ctx, url.Values{"ids": {strings.Join(ids, ",")}})
}

// get asks the API for details of what params select.
func (s *site) get(ctx context.Context, params url.Values) (*tvbox.Answer, error) {
	params.Set("ac", s.action)
	if s.spec.Ext != "" {
		params.Set(tvbox.Extend, s.spec.Ext)
	}
	req := s.api.Request(params)
	resp, err := s.client.Get(ctx, req)
	if err != nil {
		return nil, err
	}
	if text.IsGBK(resp.Body, resp.Header.Get("Content-Type")) {
		s.gbk.Store(true)
	}
	body, err := tvbox.Body(req, resp)
	if err != nil {
		return nil, err
	}
	return decode(req, body)
}

func decode(req fetch.Request, body []byte) (*tvbox.Answer, error) {
	switch inner, _ := text.Unwrap(body); {
	case bytes.HasPrefix(inner, []byte("[")):
		return nil, tvbox.BadAnswer(req, body, "the answer is not a JSON object")
	case bytes.HasPrefix(inner, []byte("<")) && !fetch.IsHTML(inner):
		return decodeXML(req, inner)
	default:
		return tvbox.Decode(req, body)
	}
}
