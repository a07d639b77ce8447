package vod

import (
	"fmt"
	"net/url"
	"strings"

	"xship/sources/link"
	"xship/sources/text"
)

// unsupported says why a site cannot be asked, and "" where it can. base is the
// address of its config.
func (s Site) unsupported(base *url.URL) string {
	switch {
	case s.Type == "3":
		return fmt.Sprintf("type 3 spider %s: needs code execution", text.Shorten(link.Redact(s.API), maxURLShown))
	case !isKnown(s.Type):
		return unknownType(s.Type)
	case s.Type == typeFolder:
		return s.unsupportedFolder(base)
	case s.API == "":
		return "" // which needs none
	}
	switch api, scheme := s.asWeb(), schemeOf(s.asWeb()); {
	case scheme == "":
		return fmt.Sprintf("its api %q is not an http or https URL", text.Shorten(link.Redact(s.API), 60))
	case isWeb(api) && !isURL(api):
		return fmt.Sprintf("its api %q is not a valid URL", text.Shorten(link.Redact(s.API), maxURLShown))
	case !isWeb(api):
		return fmt.Sprintf("its api starts with %s://, only http and https are asked", text.Shorten(scheme, 20))
	case isAppServer(api, base):
		return "its api is the local server of another app (" + appServer(api) + ")"
	}
	if s.Type != "4" {
		return "" // only there the answers depend on ext
	}
	switch scheme := schemeOf(s.Ext); {
	case scheme != "" && !isWeb(s.Ext):
		return fmt.Sprintf("its ext starts with %s://, only http and https are fetched", text.Shorten(scheme, 20))
	case isAppServer(s.Ext, base):
		return "its ext is on the local server of another app (" + appServer(s.Ext) + ")"
	}
	return ""
}

// isURL tells whether a web address can be asked.
func isURL(address string) bool {
	if !strings.ContainsAny(address, "%@[]{}\\^|<>\"` ") { // most are told without parsing
		return true
	}
	u, err := url.Parse(address)
	return err == nil && u.Hostname() != ""
}

// schemeOf is what stands before ://, and "" in a text that does not start so.
func schemeOf(s string) string {
	scheme, _, ok := strings.Cut(s, "://")
	if !ok || strings.Trim(strings.ToLower(scheme), "abcdefghijklmnopqrstuvwxyz") != "" {
		return ""
	}
	return scheme
}

// isAppServer tells whether an address means the player's own server. A config
// that came from there proves that it is running here.
func isAppServer(address string, base *url.URL) bool {
	host := appServer(address)
	return host != "" && (base == nil || base.Host != host)
}

// appServer is the host and port of an address on a player's own server, else "".
func appServer(address string) string {
	if !strings.Contains(address, ":99") || !isWeb(address) { // most are told without parsing
		return ""
	}
	u, err := url.Parse(address)
	if err != nil || !link.IsAppServer(u) {
		return ""
	}
	return u.Host
}
