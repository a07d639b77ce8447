package link

import (
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"

	"xship/sources/text"
)

// HosterLocal is the hoster of files on this machine. It is never touched.
const HosterLocal = "local"

// Hoster names who serves rawURL: the registrable domain of its host in
// lower case, without port and "www."; an IP address as it is; HosterLocal for
// a file; "" where there is no host to name. Headers behind a "|" are no part
// of the URL.
func Hoster(rawURL string) string {
	rawURL, _, _ = strings.Cut(strings.TrimSpace(rawURL), "|")
	if filepath.IsAbs(rawURL) {
		return HosterLocal
	}
	u, err := Parse(rawURL)
	if err != nil {
		return ""
	}
	return HosterOf(u)
}

// HosterOf is Hoster of a URL that was read already.
func HosterOf(u *url.URL) string {
	if strings.EqualFold(u.Scheme, "file") {
		return HosterLocal
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if host == "" {
		return ""
	}
	if last := host[len(host)-1]; strings.Contains(host, ":") || '0' <= last && last <= '9' {
		if addr, err := netip.ParseAddr(host); err == nil {
			return addr.Unmap().WithZone("").String()
		}
	}
	if !text.IsASCII(host) {
		if ascii, err := idna.Lookup.ToASCII(host); err == nil {
			host = ascii
		}
	}
	if domain, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return domain
	}
	return strings.TrimPrefix(host, "www.")
}
