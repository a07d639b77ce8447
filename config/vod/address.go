package vod

import (
	"net"
	"net/url"
	"strings"

	"golang.org/x/net/idna"
)

// AddressKey is equal for addresses of interfaces that mean the same document: those
// that differ in the case or the script of the host, the default port, the fragment,
// or in that one is a path and the other its file:// address.
func AddressKey(address string) string {
	address = strings.TrimSpace(address)
	if !isWeb(address) {
		if path, err := localPath(address); err == nil {
			return fileURL(path)
		}
		return address
	}
	u, err := url.Parse(asciiHost(address))
	if err != nil {
		return address
	}
	u.Host, u.Fragment, u.RawFragment = strings.ToLower(u.Host), "", ""
	if port := u.Port(); port == "" || port == defaultPort(u.Scheme) {
		u.Host = strings.TrimSuffix(u.Host, ":"+port)
	}
	if u.Path == "" {
		u.Path = "/"
	}
	return u.String()
}

func defaultPort(scheme string) string {
	if scheme == "https" {
		return "443"
	}
	return "80"
}

// asciiHost writes the host of a web address in ASCII (punycode) where it is not.
func asciiHost(address string) string {
	if isASCII(address) || !isWeb(address) {
		return address
	}
	u, err := url.Parse(address)
	if err != nil || isASCII(u.Host) {
		return address
	}
	host, err := idna.Lookup.ToASCII(u.Hostname())
	if err != nil {
		return address
	}
	if port := u.Port(); port != "" {
		host = net.JoinHostPort(host, port)
	}
	u.Host = host
	return u.String()
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
