package jellyfin

import (
	"net/url"
	"strings"

	"xship/sources"
	"xship/sources/link"
	"xship/sources/text"
)

// What interfaces call the two protocols.
const (
	Type     = "jellyfin"
	TypeEmby = "emby"
)

// server is where a server is asked, and how.
type server struct {
	base string // without a slash at its end
	emby bool
}

// newServer is the server of a type at an address: that of its API, or of a page of its
// web application.
func newServer(siteType, address string) (server, error) {
	s := server{emby: siteType == TypeEmby}
	if !s.emby && siteType != Type {
		return s, sources.Errorf(sources.ClassUnsupported, "site type %q is neither Jellyfin nor Emby", text.Clean(siteType))
	}
	var ok bool
	if s.base, ok = baseOf(address); !ok {
		return s, sources.Errorf(sources.ClassUnsupported, "the api %q is not an http or https URL", link.RedactInterface(address))
	}
	if last := s.base[strings.LastIndexByte(s.base, '/')+1:]; s.emby && !strings.EqualFold(last, "emby") {
		s.base += "/emby"
	}
	return s, nil
}

// baseOf is an address without what is none of the place of a server: user, query, the
// page of the web application.
func baseOf(address string) (base string, ok bool) {
	u, err := link.Parse(strings.TrimSpace(address))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return "", false
	}
	path := strings.TrimRight(u.EscapedPath(), "/")
	if i := strings.LastIndex(path, "/web"); i >= 0 && (i+len("/web") == len(path) || path[i+len("/web")] == '/') {
		path = strings.TrimRight(path[:i], "/")
	}
	return u.Scheme + "://" + u.Host + path, true
}

// address is that of a call with its parameters, named as Jellyfin has them.
func (s server) address(path string, params url.Values) string {
	if s.emby {
		named := make(url.Values, len(params))
		for name, values := range params {
			named[strings.ToUpper(name[:1])+name[1:]] = values
		}
		params = named
	}
	address := s.base + path
	if len(params) > 0 {
		address += "?" + params.Encode()
	}
	return address
}
