package link

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// ShowsMessage tells whether u is one of the videos that Stremio add-ons give in the place
// of a film, and that tell why there is none: its name says so, and it lies where such
// videos do.
func ShowsMessage(u *url.URL) bool {
	if !isClip(u.Path) {
		return false
	}
	folders := strings.Split(path.Dir(u.Path), "/")
	isIn := func(names ...string) bool {
		return slices.ContainsFunc(folders, func(folder string) bool { return slices.Contains(names, folder) })
	}
	switch name := clipName(u.Path); {
	case isIn("status_videos"), folders[len(folders)-1] == "exceptions", messageNames().MatchString(name):
		return true
	case statusCode().MatchString(name):
		return isIn("static", "video")
	default:
		return NamesMessage(u) && isIn("static", "assets", "videos", "exceptions", "errors", "error")
	}
}

// NamesMessage tells whether u is a video whose name is that of a message. Films have such
// names too: where it lies has to say more.
func NamesMessage(u *url.URL) bool {
	return isClip(u.Path) && messageName().MatchString(clipName(u.Path))
}

// isClip tells whether a path is that of a video, or of what moves like one.
func isClip(p string) bool { return MediaOf(p).Video || strings.EqualFold(path.Ext(p), ".gif") }

func clipName(p string) string { return strings.ToLower(strings.TrimSuffix(path.Base(p), path.Ext(p))) }

var (
	// messageName is the name of a video that shows a message, and messageNames are those
	// that tell it wherever they lie.
	messageName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:^|[_-])(?:failed|fail|invalid|error|exception|denied|expired|unauthori[sz]ed|forbidden|uncached|not[_-]cached|downloading|limits?|proxylimit|exceeded|blocked|infring\w*|maintenance|no[_-]streams?|no[_-]results?|no[_-]matching\w*|bad[_-]\w+|payment[_-]required|unavailable\w*|configure|invalidconfig|warning)(?:[_-]|$)`)
	})
	messageNames = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:failed_(?:access|download|opening|rar|too_big|unavailable|unexpected|infringement)(?:_v\d+)?|(?:blocked_access|download_failed|downloading|limits_exceeded)_v\d+)$`)
	})
	// statusCode is that of HTTP, after which some name such videos.
	statusCode = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:200|[45]\d\d)$`) })
)
