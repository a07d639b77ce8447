package link

import (
	"errors"
	"net/url"
	"slices"
	"strings"
)

// proxySchemes are the kinds of proxies that requests can go through. All of
// them resolve names themselves.
var proxySchemes = []string{"http", "https", "socks5", "socks5h"}

// ParseProxy reads the address of a proxy. One without a scheme is an HTTP proxy, and
// socks:// means SOCKS 5, as desktops write it. No error holds what was given.
func ParseProxy(raw string) (*url.URL, error) {
	raw = strings.TrimSpace(raw)
	if !strings.Contains(raw, "://") {
		raw = "http://" + raw
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, errors.New("it is not a URL; use one such as http://HOST:3128, with special characters of a password percent-encoded")
	}
	if u.Scheme == "socks" {
		u.Scheme = "socks5"
	}
	switch {
	case !slices.Contains(proxySchemes, u.Scheme):
		return nil, errors.New("proxies of its kind cannot be used; use one of http, https, socks5, socks5h, as in socks5://HOST:1080")
	case u.Hostname() == "":
		return nil, errors.New("it names no host; use one such as http://HOST:3128")
	}
	return u, nil
}
