package link

import (
	"net/netip"
	"path"
	"regexp"
	"strings"
	"sync"

	"xship/sources/text"
)

// TypedKind says what somebody typed where a link may stand.
type TypedKind int

// The kinds of what is typed. Only TypedLink can be asked for; all but TypedName are links
// or hold one, so that no site may see them.
const (
	TypedName    TypedKind = iota // no link
	TypedLink                     // a link to a web server
	TypedTorrent                  // a torrent, or a link of another network of peers
	TypedScheme                   // an address of another scheme
	TypedFile                     // a file of a machine
	TypedBroken                   // like a link, and not written as one is
	TypedMixed                    // a link beside other words, or several links
)

// Typed is what somebody typed where a link may stand.
type Typed struct {
	Kind   TypedKind
	URL    string // of TypedLink, with its headers behind a "|", and a scheme where none was typed
	Scheme string // of TypedScheme, in lower case
}

var (
	// schemeOf begins a URL.
	schemeOf = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]*)://`)
	})
	// nextLink begins another link behind a space.
	nextLink = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\s<?(?:[a-z][a-z0-9+.-]*://|magnet:\?)`)
	})
	// peers begins a link of a network of peers.
	peers = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:magnet:|urn:btih:|ed2k:|thunder:|acestream:)`)
	})
	// otherScheme begins an address that needs no "//", or is often typed without.
	otherScheme = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(ftps?|sftp|rtmp[est]?|rtsps?|mmsh?|smb|nfs|webdavs?|davs?|plugin|data|javascript|mailto|urn):`)
	})
	// withinBrowser begins an address that means something to the browser that shows it.
	withinBrowser = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(blob|view-source):https?:`)
	})
)

// ReadTyped tells what somebody typed where a link may stand. What InTitle takes for no
// link is a name.
func ReadTyped(typed string) Typed {
	typed = unwrapped(strings.TrimSpace(typed))
	if !InTitle(typed) {
		return Typed{Kind: TypedName}
	}
	switch scheme := schemeOf().FindStringSubmatch(typed); {
	case strings.ContainsFunc(typed, isControl):
		if strings.ContainsAny(typed, "\n\t") {
			return Typed{Kind: TypedMixed}
		}
		return Typed{Kind: TypedBroken}
	case nextLink().MatchString(typed):
		return Typed{Kind: TypedMixed}
	case scheme != nil && isWeb(scheme[1]):
		return webLink(typed)
	case peers().MatchString(typed), infoHash().MatchString(typed):
		return Typed{Kind: TypedTorrent}
	case localFile().MatchString(typed), strings.HasPrefix(strings.ToLower(typed), "file:"):
		return Typed{Kind: TypedFile}
	case scheme != nil && !strings.HasPrefix(strings.ToLower(scheme[1]), "hxxp"):
		return Typed{Kind: TypedScheme, Scheme: strings.ToLower(scheme[1])}
	}
	for _, other := range []*regexp.Regexp{otherScheme(), withinBrowser()} {
		if m := other.FindStringSubmatch(typed); m != nil {
			return Typed{Kind: TypedScheme, Scheme: strings.ToLower(m[1])}
		}
	}
	return schemeless(typed)
}

// schemeless reads what has no scheme. Browsers ask for an address by TLS; what is in a
// network of one's own seldom has it.
func schemeless(typed string) Typed {
	address := strings.TrimPrefix(typed, "//")
	switch {
	case isAddress(address):
		return webLink(schemeFor(address) + "://" + address)
	case strings.ContainsAny(typed, " \u3000"):
		return Typed{Kind: TypedMixed}
	default:
		return Typed{Kind: TypedBroken}
	}
}

// schemeFor is the scheme of an address that has none.
func schemeFor(address string) string {
	u, err := Parse("https://" + address)
	if err != nil {
		return "https"
	}
	if _, err := netip.ParseAddr(u.Hostname()); err == nil || strings.EqualFold(u.Hostname(), "localhost") {
		return "http"
	}
	return "https"
}

// webLink reads what begins with http:// or https://.
func webLink(typed string) Typed {
	address, _ := SplitHeaders(typed)
	u, err := Parse(address)
	switch {
	case err != nil || Hoster(typed) == "" || strings.ContainsAny(u.Host, "|*"):
		return Typed{Kind: TypedBroken}
	case strings.EqualFold(path.Ext(u.Path), ".torrent"):
		return Typed{Kind: TypedTorrent}
	}
	return Typed{Kind: TypedLink, URL: typed}
}

func isWeb(scheme string) bool {
	return strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f || text.Clean(string(r)) == "" && r != ' ' }

// unwrapped takes the marks off that people put around a link: <https://example.com/a>.
func unwrapped(typed string) string {
	for _, marks := range []string{"<>", `""`, "''", "“”", "「」"} {
		pair := []rune(marks)
		inner, ok := strings.CutPrefix(typed, string(pair[0]))
		if !ok {
			continue
		}
		if inner, ok = strings.CutSuffix(inner, string(pair[1])); ok {
			return strings.TrimSpace(inner)
		}
	}
	return typed
}
