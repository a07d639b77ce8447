package link

import (
	"html"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"

	"xship/sources/text"
)

var (
	// anyScheme is what begins an address of any kind, also one that was escaped, or
	// broken by a space.
	anyScheme = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)[a-z][a-z0-9+.-]+\s?(?::|%3a)\s?(?:/|%2f){2}`)
	})
	// known begins an address whose slashes are missing, by a scheme that begins no name.
	known = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:^|[^a-z0-9])(?:https?|hxxps?|ftps?|sftp|rtmp[est]?|rtsps?|mmsh?|smb|nfs|webdavs?|davs?|ed2k|thunder|acestream)(?::|%3a)\S`)
	})
	// remote is a file of another machine, as ssh writes it.
	remote = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:^|\s)[\w.+-]+@(?:[\w-]+:[/~]|[\w-]+(?:\.[\w-]+)+:\S)`)
	})
	// opaque begins links that have no host.
	opaque = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:^|[\s<("'])(?:magnet:\??|urn:[a-z0-9]+:|data:[a-z]+/|file:[/\\]|plugin:|javascript:|mailto:\S+@)\S`)
	})
	// localFile begins the path of a file of a machine.
	localFile = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:~?/[^/\s]|\.{1,2}[/\\]|[A-Za-z]:[/\\]|\\\\[^\\])`)
	})
	// infoHash is the name of a torrent.
	infoHash = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?i:[0-9a-f]{40}|[0-9a-f]{64})$`)
	})
	// address is a host with a path, or a port, as people leave out the scheme.
	address = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:[^\s/@]{1,200}@)?([^\s/:?#@]+|\[[0-9a-fA-F:.]+\])(?::\d{2,5})?(?:[/?#]|$)`)
	})
)

// InTitle tells whether what stands for the name of a film or a series is, or holds, a
// link, a path or a magnet: none of them is for sites to see. Names that only look
// alike, such as Face/Off or Startup.com, are none.
func InTitle(name string) bool {
	name = strings.TrimSpace(text.HalfWidth(name))
	if localFile().MatchString(name) || infoHash().MatchString(name) {
		return true
	}
	name = text.Clean(disguises.Replace(text.HalfWidth(html.UnescapeString(name))))
	if anyScheme().MatchString(name) || known().MatchString(name) || opaque().MatchString(name) || remote().MatchString(name) {
		return true
	}
	for word := range strings.FieldsSeq(name) {
		for more := true; more; _, word, more = strings.Cut(word, ":") {
			if isAddress(strings.TrimLeft(word, `<("'《「/`)) {
				return true
			}
		}
	}
	return false
}

// disguises are the characters that look like those of a link, or that other systems and
// browsers take for them.
var disguises = strings.NewReplacer(
	`\`, "/", "\u2044", "/", "\u2215", "/", "\u29f8", "/", "\u2236", ":", "\ua789", ":", "\u02d0", ":", "\u0589", ":", "。", ".", "\u2024", ".",
)

// isAddress tells whether a word is an address without a scheme: a host that can be one,
// and what comes behind a host.
func isAddress(word string) bool {
	m := address().FindStringSubmatch(word)
	if m == nil {
		return false
	}
	host := strings.ToLower(strings.Trim(m[1], "[]"))
	behind := word[len(m[0]):] != "" || strings.HasSuffix(m[0], "/")
	hasPort := strings.Contains(strings.TrimPrefix(m[0], m[1]), ":") && !strings.Contains(host, ":")
	if _, err := netip.ParseAddr(host); err == nil {
		return behind || hasPort
	}
	if host == "localhost" {
		return behind || hasPort
	}
	if _, err := url.Parse("http://" + host); err != nil || !strings.Contains(host, ".") {
		return false
	}
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		host = ascii
	}
	_, listed := publicsuffix.PublicSuffix(host)
	return listed && (behind || hasPort || strings.HasPrefix(host, "www."))
}
