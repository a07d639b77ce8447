package stremio

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"xship/sources"
	"xship/sources/link"
	"xship/sources/text"
)

// verdict is what a row is in truth: add-ons have no other way to tell a user something
// than a row, which Stremio shows beside the streams.
type verdict int

const (
	isStream  verdict = iota
	isFailure         // it tells why the add-on has no streams
	isNothing         // it tells that there are none
	isNotice          // it tells something else
)

// maxSaid is how many characters of such a text are kept.
const maxSaid = 160

// judge tells whether a row is a stream, and what it says if it is none. Words alone
// decide only where the row names no file and no picture, and where the title is not
// made of such words itself.
func judge(r *row, address string, k kind, addon *url.URL, t sources.Title) (v verdict, said string) {
	said = text.Shorten(r.description(), maxSaid)
	if said == "" {
		said = text.Shorten(r.name(), maxSaid)
	}
	words := strings.ReplaceAll(text.Clean(r.name())+"\n"+text.CleanLines(r.description()), "\ufe0f", "") // which colours a sign
	plain := !r.hinted() && !picture().MatchString(words)
	telling := plain && !slices.ContainsFunc(t.Names(), func(name string) bool { return failure().MatchString(name) || nothing().MatchString(name) })
	u := webURL(address)
	switch {
	case markedNotice().MatchString(words):
		return isNotice, said
	case telling && nothing().MatchString(words):
		return isNothing, said
	case markedName().MatchString(words), plain && markedLine().MatchString(words), telling && failure().MatchString(words):
		return isFailure, said
	case u == nil:
		if k == kindOther && schemeOf(address) == "stremio" { // a page of the app itself
			return isNotice, said
		}
		return isStream, ""
	case !r.hinted() && isStatusVideo(u, addon):
		return isFailure, said
	case isConfigure(u, addon):
		return isFailure, said
	case k != kindYouTube && isNoticePage(u, addon):
		return isNotice, said
	}
	return isStream, ""
}

// The patterns of judge look at the name of a row, a line break, and its description.
var (
	// picture is how streams tell their quality, and no message does.
	picture = pattern(`(?i)\b(?:4320|2160|1440|1080|720|576|540|480|360|240)[pi]\b|\b[48]k\b`)
	// markedName is a name with a sign of failure first, and markedLine a line with one.
	// "external" is what some write behind it of a link to a page.
	markedName = pattern(`\A[\[( ]*(?:❌|🚫|⛔|⚠)`)
	markedLine = pattern(`(?m)^[\[( ]*(?:❌|🚫|⛔|⚠)\s*(?:[^e\s]|e[^x])`)
	// markedNotice is what offers to do something rather than a stream.
	markedNotice = pattern(`\A[\[( ]*🔄`)
	failure      = pattern(`(?i)` + strings.Join([]string{
		`\b(?:invalid|wrong|bad|missing|expired|no valid|revoked)\b[^.\n]{0,40}\b(?:api[ -]?keys?|tokens?|accounts?|credentials?|subscription|config(?:uration)?|login|password|username)\b`,
		`\b(?:api[ -]?keys?|tokens?|account|subscription|configuration|credentials?|login|password)\b[^.\n]{0,30}\b(?:invalid|expired|missing|required|not valid|blocked|disabled|suspended|obsolete|wrong|denied)\b`,
		`\brate[ -]?limit`, `\btoo many requests\b`, `\b(?:limit|quota)s? (?:was |is |has been )?(?:reached|exceeded)\b`,
		`\bunauthori[sz]ed\b`, `\baccess denied\b`, `\bauthentication (?:failed|required|is)\b`, `\b40[13] forbidden\b`,
		`\bobsolete configuration\b`, `\bre-?configure\b`, `\bplease (?:configure|re-?install|upgrade|log ?in|sign in|try again)\b`,
		`\b(?:internal|server|handler|scrap\w{2,4}|search|fetch|network|unknown|unexpected) (?:server )?error\b`, `\berror (?:while|when|occurred|fetching|loading|getting)\b`, `\A[^\n]*\berror(?:\n|\z)`,
		`\bsomething went wrong\b`, `\b(?:service|temporarily|currently) unavailable\b`, `\b(?:under|down for) maintenance\b`, `\btimed out\b`, `\bfailed to (?:fetch|load|get|scrape)\b`,
	}, "|"))
	nothing = pattern(`(?i)\bno (?:\w+ ){0,2}(?:streams?|results?|sources?|links?|torrents?|releases?|matches)\b(?: (?:were |was |are )?(?:found|available|for)\b|[ .!]*(?:\n|\z))|\bnothing (?:was )?found\b|🚫 streams found`)
	// statusName is the name of a video that shows a message.
	statusName = pattern(`(?i)(?:^|[_-])(?:failed|fail|invalid|error|exception|denied|expired|unauthori[sz]ed|forbidden|uncached|not[_-]cached|downloading|limits?|exceeded|blocked|infring\w*|maintenance|no[_-]streams?|no[_-]results?|bad[_-]\w+|unavailable|configure|invalidconfig|warning)(?:[_-]|$)`)
	version    = pattern(`(?i)[_-]?v\d+$`)
)

// pattern compiles an expression when it is first needed.
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// isStatusVideo tells whether u is a video that shows a message: its name says so, and
// it lies where such videos do.
func isStatusVideo(u, addon *url.URL) bool {
	ext := path.Ext(u.Path)
	if !link.MediaOf(u.Path).Video && !strings.EqualFold(ext, ".gif") {
		return false
	}
	dirs := strings.Split(strings.ToLower(path.Dir(u.Path)), "/")
	if slices.Contains(dirs, "status_videos") {
		return true
	}
	name := version().ReplaceAllString(strings.TrimSuffix(path.Base(u.Path), ext), "")
	static := slices.ContainsFunc(dirs, func(dir string) bool {
		return slices.Contains([]string{"static", "assets", "videos", "exceptions", "errors", "error"}, dir)
	})
	known := slices.Contains([]string{"failed_access", "failed_download", "failed_opening", "failed_rar", "failed_unexpected", "failed_infringement"}, strings.ToLower(name))
	return known || (static || sameHost(u, addon)) && statusName().MatchString(name)
}

// isConfigure tells whether u is the page on which the add-on is configured.
func isConfigure(u, addon *url.URL) bool {
	return sameHost(u, addon) && strings.HasSuffix(strings.TrimSuffix(u.Path, "/"), "/configure")
}

// noticeHosts have pages about films, projects and money, and no streams.
var noticeHosts = []string{
	"github.com", "githubusercontent.com", "gitlab.com", "discord.com", "discord.gg", "reddit.com", "t.me", "telegram.me", "ko-fi.com", "patreon.com",
	"buymeacoffee.com", "paypal.com", "paypal.me", "imdb.com", "themoviedb.org", "thetvdb.com", "trakt.tv", "letterboxd.com", "rottentomatoes.com",
	"metacritic.com", "commonsensemedia.org", "justwatch.com", "wikipedia.org", "stremio.com", "strem.io",
}

// isNoticePage tells whether u is a page that has no stream: one of noticeHosts, or the
// first page of a host.
func isNoticePage(u, addon *url.URL) bool {
	if link.MediaOf(u.Path).MIME != "" {
		return false
	}
	return slices.Contains(noticeHosts, link.HosterOf(u)) || strings.Trim(u.Path, "/") == "" && (u.RawQuery == "" || sameHost(u, addon))
}
