package maccms

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"xship/sources"
)

// unplayable says why no player can take link, or "". Only what is certain to
// be a page is one: any other http link is a candidate, whose content decides.
func unplayable(link string) string {
	u, err := url.Parse(link)
	switch {
	case err != nil:
		return "not a valid URL"
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Sprintf("unsupported scheme: %s", u.Scheme)
	case u.Host == "":
		return "not a valid URL"
	}
	ext := strings.ToLower(path.Ext(u.Path))
	switch {
	case ext == ".html" || ext == ".htm":
		return "needs a parser: it is a web page"
	case wrapsURL(link):
		return "needs a parser: it holds another link"
	case !isMedia(ext) && isPlatform(sources.HosterName(link)):
		return "needs a parser: it is a page of " + sources.HosterName(link)
	}
	return ""
}

// wrapsURL tells whether link hands another URL to a parser.
func wrapsURL(link string) bool { return strings.Contains(strings.ToLower(link), "url=http") }

// isPlatform tells whether hoster is a platform whose links are pages of its
// own player.
func isPlatform(hoster string) bool {
	return slices.Contains([]string{
		"qq.com", "iqiyi.com", "youku.com", "mgtv.com", "bilibili.com", "b23.tv", "sohu.com", "le.com", "letv.com", "pptv.com", "1905.com",
		"cctv.com", "ixigua.com", "acfun.cn", "migu.cn", "miguvideo.com", "wasu.cn", "tudou.com", "youtube.com", "youtu.be",
	}, hoster)
}

func isMedia(ext string) bool {
	return slices.Contains([]string{".m3u8", ".mp4", ".mkv", ".flv", ".mpd", ".ts", ".webm", ".mov", ".avi", ".m4v"}, ext)
}

// prefixed puts the site's own prefix before a link. Prefixes that name a
// parser of the interface cannot be used: reason says so.
func prefixed(prefix, link string) (out, reason string) {
	switch {
	case prefix == "":
		return link, ""
	case strings.HasPrefix(prefix, "http://"), strings.HasPrefix(prefix, "https://"):
		return prefix + link, ""
	default:
		return link, "needs a parser: the interface plays this site through one"
	}
}

// hasScheme tells whether s starts like a URL. Ids that only a player of the
// site understands do not.
func hasScheme(s string) bool {
	scheme, _, ok := strings.Cut(s, ":")
	return ok && scheme != "" && !strings.ContainsFunc(scheme, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '+' && r != '-' && r != '.'
	})
}
