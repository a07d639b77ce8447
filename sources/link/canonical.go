package link

import (
	"net/url"
	"slices"
	"strings"
)

// trackingParams are query parameters that name the visitor, not the file.
var trackingParams = []string{"fbclid", "gclid", "dclid", "msclkid", "yclid", "igshid", "mc_cid", "mc_eid"}

// Canonical is a key for comparing links: two links that differ only in the
// case of scheme and host, a default port, slashes run together in the path,
// the order of the query, tracking parameters or the fragment have the same
// one. It is not for fetching.
func Canonical(rawURL string) string {
	rawURL = strings.TrimSpace(rawURL)
	link, headers, hasHeaders := strings.Cut(rawURL, "|")
	u, err := url.Parse(link)
	if err != nil || u.Host == "" {
		return rawURL
	}
	canonical := string(AppendCanonical(nil, u))
	if hasHeaders {
		canonical += "|" + headers
	}
	return canonical
}

// AppendCanonical appends to b what is Canonical of a URL with a host.
func AppendCanonical(b []byte, u *url.URL) []byte {
	scheme, host := strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	if p := u.Port(); p == "80" && scheme == "http" || p == "443" && scheme == "https" {
		host = strings.TrimSuffix(host, ":"+p)
	}
	path := u.EscapedPath()
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	if path == "" {
		path = "/"
	}
	b = slices.Grow(b, len(scheme)+len(host)+len(path)+len(u.RawQuery)+4)
	b = append(b, scheme...)
	b = append(b, "://"...)
	if u.User != nil {
		b = append(b, u.User.String()...)
		b = append(b, '@')
	}
	b = append(b, host...)
	b = append(b, path...)
	if q := canonicalQuery(strings.TrimSpace(u.RawQuery)); q != "" {
		b = append(b, '?')
		b = append(b, q...)
	}
	return b
}

// canonicalQuery sorts the parameters by name, keeping the order of those that
// share one, and drops those that only track.
func canonicalQuery(raw string) string {
	if raw == "" {
		return ""
	}
	params := slices.DeleteFunc(strings.Split(raw, "&"), func(p string) bool {
		name := strings.ToLower(paramName(p))
		return p == "" || strings.HasPrefix(name, "utm_") || slices.Contains(trackingParams, name)
	})
	slices.SortStableFunc(params, func(a, b string) int { return strings.Compare(paramName(a), paramName(b)) })
	return strings.Join(params, "&")
}

func paramName(param string) string {
	name, _, _ := strings.Cut(param, "=")
	return name
}
