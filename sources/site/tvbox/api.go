package tvbox

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/link"
)

// Extend is the parameter that carries a site's ext.
const Extend = "extend"

// maxQueryExtend is the longest ext, in characters, that goes into a query.
const maxQueryExtend = 1000

// API makes the requests to a site's API.
type API struct {
	url      *url.URL
	reserved []string
	headers  map[string]string
}

// NewAPI reads the address of spec's API. Its query is kept but for the
// reserved parameters, which decide what the server does. The error is of
// ClassUnsupported.
func NewAPI(spec sources.SiteSpec, reserved ...string) (*API, error) {
	u, err := url.Parse(strings.TrimSpace(spec.API))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, sources.Errorf(sources.ClassUnsupported, "the api %q is not an http or https URL", link.Redact(spec.API))
	}
	return &API{url: u, reserved: reserved, headers: spec.Headers}, nil
}

// Request asks the API with params, which are set, not added: many APIs name an
// ac of their own, and two of them confuse servers. A long ext goes, with the
// other params, into a form instead of the query.
func (a *API) Request(params url.Values) fetch.Request {
	u := *a.url
	if utf8.RuneCountInString(params.Get(Extend)) > maxQueryExtend {
		u.RawQuery = a.query(params, "")
		return fetch.Request{
			Method: http.MethodPost, URL: u.String(), Headers: a.headers,
			Body: []byte(params.Encode()), ContentType: "application/x-www-form-urlencoded",
		}
	}
	u.RawQuery = a.query(params, params.Encode())
	return fetch.Request{URL: u.String(), Headers: a.headers}
}

// SearchParams are those of a search for term; page counts from 1.
func SearchParams(term string, page int) url.Values {
	params := url.Values{"wd": {term}}
	if page > 1 {
		params.Set("pg", strconv.Itoa(page))
	}
	return params
}

// HeadersFor are the site's headers for a request to another address: all of them
// with the API's hoster, elsewhere those of PlayHeaders.
func (a *API) HeadersFor(rawURL string) map[string]string {
	if u, err := link.Parse(rawURL); err == nil && fetch.SameHoster(a.url, u) {
		return a.headers
	}
	return PlayHeaders(a.headers)
}

// query is the API's own query without what params set or is reserved, byte for
// byte, and add behind it.
func (a *API) query(params url.Values, add string) string {
	var pairs []string
	for pair := range strings.SplitSeq(a.url.RawQuery, "&") {
		name, _, _ := strings.Cut(pair, "=")
		if decoded, err := url.QueryUnescape(name); err == nil {
			name = decoded
		}
		if name != "" && !params.Has(name) && !slices.Contains(a.reserved, name) {
			pairs = append(pairs, pair)
		}
	}
	if add != "" {
		pairs = append(pairs, add)
	}
	return strings.Join(pairs, "&")
}

// Absolute completes a link that starts with "//" or "/".
func (a *API) Absolute(address string) string {
	if !strings.HasPrefix(address, "/") {
		return address
	}
	ref, err := link.Parse(address)
	if err != nil {
		return address
	}
	base := url.URL{Scheme: a.url.Scheme, Host: a.url.Host}
	return base.ResolveReference(ref).String()
}
