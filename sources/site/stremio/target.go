package stremio

import (
	"net/url"
	"path"
	"strings"

	"xship/sources/link"
	"xship/sources/text"
)

// maxURL is how long a link may be; what is longer holds its content itself.
const maxURL = 8 << 10

// readURL reads a link, without what a terminal would not show of it.
func readURL(s str) target {
	t := target{address: strings.TrimSpace(text.Printable(string(s)))}
	t.url = webURL(t.address)
	return t
}

// webURL reads an address on the web, nil where s is none.
func webURL(s string) *url.URL {
	if len(s) > maxURL {
		return nil
	}
	address, _ := link.SplitHeaders(s)
	u, err := link.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil
	}
	return u
}

// schemeOf is the scheme of a URL in lower case, "" where s is none.
func schemeOf(s string) string {
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok || scheme == "" || rest == "" || strings.ContainsFunc(scheme, func(r rune) bool { return !isSchemeChar(r) }) {
		return ""
	}
	return strings.ToLower(scheme)
}

func isSchemeChar(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("+-.", r)
}

// linkKind is what a link is, by its path.
func linkKind(u *url.URL) kind {
	switch strings.ToLower(path.Ext(u.Path)) {
	case ".torrent":
		return kindTorrent
	case ".nzb":
		return kindUsenet
	}
	if isYouTube(u) {
		return kindYouTube
	}
	return kindLink
}

// pageKind is what a link is that a browser is to open.
func pageKind(u *url.URL) kind {
	if k := linkKind(u); k != kindLink || link.MediaOf(u.Path).MIME != "" {
		return k
	}
	return kindPage
}

// isYouTube tells whether u is a page of YouTube's.
func isYouTube(u *url.URL) bool { return liesAt(u, "youtube.com") || liesAt(u, "youtu.be") }

// liesAt tells whether u lies in the domain.
func liesAt(u *url.URL, domain string) bool {
	host := u.Hostname()
	rest := len(host) - len(domain)
	return rest >= 0 && strings.EqualFold(host[rest:], domain) && (rest == 0 || host[rest-1] == '.')
}

// youTube is the page of a video.
func youTube(id string) string { return "https://www.youtube.com/watch?v=" + id }

// isYouTubeID tells whether id is that of a video.
func isYouTubeID(id string) bool {
	return len(id) >= 6 && len(id) <= 20 && !strings.ContainsFunc(id, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && r != '-' && r != '_'
	})
}

// The ports of the server that Stremio runs for itself on the device that it is on.
const stremioPort, stremioTLSPort = "11470", "12470"

// unplayable says why no player can take the link, or "".
func (t target) unplayable() string {
	switch port := t.url.Port(); {
	case (port == stremioPort || port == stremioTLSPort) && isLoopback(t.url.Host):
		return "needs the Stremio app: it is a link to the app's own server"
	case t.kind == kindPage:
		return "needs a browser: the add-on gives a web page"
	}
	return ""
}

// isAddons tells whether u lies where the add-on does.
func isAddons(u, addon *url.URL) bool { return link.Origin(u) == link.Origin(addon) }
