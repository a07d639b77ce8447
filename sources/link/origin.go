package link

import (
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/idna"

	"xship/sources/text"
)

// Origin is scheme, host and port of a web address, the same for all ways to write them:
// in lower case, the host in ASCII, the port always there. It is "" for what has none
// of that. User info is no part of it.
func Origin(u *url.URL) string {
	scheme, port := strings.ToLower(u.Scheme), u.Port()
	switch {
	case scheme != "http" && scheme != "https":
		return ""
	case port == "" && scheme == "http":
		port = "80"
	case port == "":
		port = "443"
	}
	number, err := strconv.ParseUint(port, 10, 16)
	host := dialledName(u.Hostname())
	if err != nil || number == 0 || host == "" {
		return ""
	}
	return scheme + "://" + net.JoinHostPort(host, strconv.FormatUint(number, 10))
}

// dialledName is a host as it is dialled, "" where it is none.
func dialledName(host string) string {
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.String()
	}
	if !text.IsASCII(host) {
		ascii, err := idna.Lookup.ToASCII(host)
		if err != nil {
			return ""
		}
		host = ascii
	}
	return strings.ToLower(host)
}

// OriginOf is Origin of an address that is not read yet.
func OriginOf(rawURL string) string {
	u, err := Parse(strings.TrimSpace(rawURL))
	if err != nil {
		return ""
	}
	return Origin(u)
}
