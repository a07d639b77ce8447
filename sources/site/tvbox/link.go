package tvbox

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"xship/sources/link"
)

// Unplayable says why no player can take link, or "". Only what is certain to
// be a page is one: any other http link is a candidate, whose content decides.
func Unplayable(address string) string {
	address, _ = link.SplitHeaders(address)
	u, err := link.Parse(address)
	switch {
	case err != nil:
		return "not a valid URL"
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Sprintf("unsupported scheme: %s", u.Scheme)
	case u.Host == "":
		return "not a valid URL"
	case link.IsAppServer(u):
		return "needs the TVBox app: it is a link to the app's own server"
	}
	ext := strings.ToLower(path.Ext(u.Path))
	switch {
	case ext == ".html" || ext == ".htm":
		return "needs a parser: it is a web page"
	case wrapsURL(u):
		return "needs a parser: it holds another link"
	case link.MediaOf(u.Path).MIME != "":
		return ""
	case slices.Contains(strings.Split(u.Path, "/"), "share"):
		return "needs a parser: it is a share page"
	case isPlatform(link.Hoster(address)):
		return "needs a parser: it is a page of " + link.Hoster(address)
	}
	return ""
}

// wrapsURL tells whether u hands another URL to a parser.
func wrapsURL(u *url.URL) bool {
	query := strings.ToLower(u.RawQuery)
	return strings.Contains(query, "url=http") || strings.Contains("&"+query, "&v=http")
}

// isPlatform tells whether hoster is a platform whose links are pages of its
// own player.
func isPlatform(hoster string) bool {
	return slices.Contains([]string{
		"qq.com", "iqiyi.com", "youku.com", "mgtv.com", "bilibili.com", "b23.tv", "sohu.com", "le.com", "letv.com", "pptv.com", "1905.com",
		"cctv.com", "ixigua.com", "acfun.cn", "migu.cn", "miguvideo.com", "wasu.cn", "tudou.com", "youtube.com", "youtu.be",
	}, hoster)
}

// Prefixed puts the prefix of a site or an answer before a link. One that names
// a parser of the interface cannot be used: reason says so.
func Prefixed(prefix, link string) (out, reason string) {
	switch {
	case prefix == "":
		return link, ""
	case strings.HasPrefix(prefix, "http://"), strings.HasPrefix(prefix, "https://"):
		return prefix + link, ""
	default:
		return link, "needs a parser: the interface plays this site through one"
	}
}

// HasScheme tells whether s starts like a URL. Ids that only a player of the
// site understands do not.
func HasScheme(s string) bool {
	scheme, _, ok := strings.Cut(s, ":")
	return ok && scheme != "" && !strings.ContainsFunc(scheme, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '+' && r != '-' && r != '.'
	})
}

// IsRelative tells whether s is a link without its beginning, rather than an id.
func IsRelative(s string) bool {
	path, _, _ := strings.Cut(s, "?")
	return strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../") || link.MediaOf(path).MIME != ""
}

// PlayHeaders are those of a site's headers that hosters are used to see.
// Others may hold keys of the API and are not told to strangers.
func PlayHeaders(site map[string]string) map[string]string {
	var headers map[string]string
	for name, value := range site {
		if strings.EqualFold(name, "User-Agent") || strings.EqualFold(name, "Referer") {
			if headers == nil {
				headers = make(map[string]string, 2)
			}
			headers[name] = value
		}
	}
	return headers
}
