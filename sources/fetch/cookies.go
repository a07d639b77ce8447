package fetch

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
)

// cookies are those of one chain of redirects. Hosters let in who brings back what
// the answer before has set. The zero value has none.
type cookies struct{ jar *cookiejar.Jar }

// keep takes the cookies that the answer to a request for u sets. A cookie is for the
// host that set it, whatever other domain it names.
func (c *cookies) keep(u *url.URL, resp *http.Response) {
	set := resp.Cookies()
	if len(set) == 0 {
		return
	}
	if c.jar == nil {
		jar, err := cookiejar.New(nil)
		if err != nil {
			return
		}
		c.jar = jar
	}
	for _, cookie := range set {
		cookie.Domain = ""
	}
	c.jar.SetCookies(u, set)
}

// with is req with the cookies that its host has set, behind those that it has itself.
func (c *cookies) with(req *http.Request) *http.Request {
	if c.jar == nil {
		return req
	}
	set := c.jar.Cookies(req.URL)
	if len(set) == 0 {
		return req
	}
	var pairs []string
	if own := req.Header.Get("Cookie"); own != "" {
		pairs = append(pairs, own)
	}
	for _, cookie := range set {
		pairs = append(pairs, cookie.Name+"="+cookie.Value)
	}
	sent := *req
	sent.Header = req.Header.Clone()
	sent.Header.Set("Cookie", strings.Join(pairs, "; "))
	return &sent
}

// cookieAfter is the value of Cookie with which a browser would ask the host of an
// answer for more.
func cookieAfter(resp *http.Response) string {
	var pairs []string
	if sent := resp.Request.Header.Get("Cookie"); sent != "" {
		pairs = append(pairs, sent)
	}
	for _, cookie := range resp.Cookies() {
		if cookie.MaxAge >= 0 {
			pairs = append(pairs, cookie.Name+"="+cookie.Value)
		}
	}
	return strings.Join(pairs, "; ")
}
