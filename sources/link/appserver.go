package link

import (
	"net/netip"
	"net/url"
	"strconv"
)

// TVBox apps serve files and proxied links on the first free of these ports of their
// own device.
const firstAppPort, lastAppPort = 9978, 9998

// IsAppServer tells whether u is the server that TVBox apps run for themselves.
func IsAppServer(u *url.URL) bool {
	port, err := strconv.Atoi(u.Port())
	if err != nil || port < firstAppPort || port > lastAppPort {
		return false
	}
	addr, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && addr.IsLoopback()
}
