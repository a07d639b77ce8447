package link

import (
	"net/url"
	"path"
	"strings"
)

// IsPage tells whether a link names neither media nor a manifest by its
// extension: it has to be resolved. Headers behind a "|" are no part of it.
func IsPage(rawURL string) bool {
	address, _ := SplitHeaders(rawURL)
	u, err := url.Parse(address)
	if err != nil {
		return true
	}
	switch strings.ToLower(path.Ext(u.Path)) {
	case ".m3u8", ".mpd", ".mp4", ".mkv", ".webm", ".avi", ".mov", ".m4v", ".flv", ".wmv", ".ts", ".m2ts", ".mpg", ".mpeg", ".ogv":
		return false
	default:
		return true
	}
}
