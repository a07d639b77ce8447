package world

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

// mediaFiles are test pictures with a tone, a second long, named by height:
// H.264 with AAC, in WebM VP9 with Opus, in 2160p HEVC with HDR10.
//
//go:embed media
var mediaFiles embed.FS

// Media is the body of the file at a URL path. The ending decides what it is:
// .mp4, .m4v, .mkv, .webm and .ts are films that play, .m3u8 is a playlist of
// two segments beside it, .html a player's web page, and anything else bytes
// that depend on nothing but the path. A film whose name says 1080p or 2160p
// has such a picture where its container has one, and 720p otherwise.
func Media(urlPath string) []byte {
	body, _ := mediaFile(urlPath)
	return body
}

// mediaFile is Media with the content type, the same on every system for the
// endings that films have.
func mediaFile(urlPath string) (body []byte, contentType string) {
	switch ext := strings.ToLower(path.Ext(urlPath)); ext {
	case ".mp4", ".m4v":
		return footage(urlPath, ".mp4"), "video/mp4"
	case ".mkv":
		return footage(urlPath, ext), "video/x-matroska"
	case ".webm":
		return footage(urlPath, ext), "video/webm"
	case ".ts":
		return footage(urlPath, ext), "video/mp2t"
	case ".m3u8":
		return playlist(urlPath), "application/vnd.apple.mpegurl"
	case ".html", ".htm":
		return []byte(page), "text/html; charset=utf-8"
	default:
		return noise(urlPath), cmp.Or(mime.TypeByExtension(ext), "application/octet-stream")
	}
}

// footage is the embedded file for a film. Each container has one of 720p.
func footage(urlPath, ext string) []byte {
	for _, height := range []string{"2160p", "1080p", "720p"} {
		if height != "720p" && !strings.Contains(urlPath, height) {
			continue
		}
		if body, err := mediaFiles.ReadFile("media/" + height + ext); err == nil {
			return body
		}
	}
	return nil
}

// playlist is a playlist of two segments beside urlPath. Both are the same
// file, so that the clock starts anew in the second one.
func playlist(urlPath string) []byte {
	name := strings.TrimSuffix(path.Base(urlPath), path.Ext(urlPath))
	return fmt.Appendf(nil, `#EXTM3U
#EXT-X-VERSION:3
#EXT-X-PLAYLIST-TYPE:VOD
#EXT-X-TARGETDURATION:1
#EXTINF:1.0,
%[1]s-0.ts
#EXT-X-DISCONTINUITY
#EXTINF:1.0,
%[1]s-1.ts
#EXT-X-ENDLIST
`, name)
}

// noiseSize is the size in bytes of files that are no media.
const noiseSize = 16 << 10

func noise(urlPath string) []byte {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(urlPath)) // a hash never fails
	var seed [32]byte
	copy(seed[:], sum.Sum(nil))
	body := make([]byte, noiseSize)
	_, _ = rand.NewChaCha8(seed).Read(body) // nor does this
	return body
}

// modified is the modification time of all files; a fixed one keeps validators
// the same from run to run.
func modified() time.Time { return time.Date(2024, time.January, 2, 3, 4, 5, 0, time.UTC) }

type media struct{ removed *sync.Map }

func (f media) serve(w http.ResponseWriter, r *http.Request, m Mode) {
	if _, gone := f.removed.Load(r.URL.Path); gone {
		http.Error(w, "this file was deleted", http.StatusNotFound)
		return
	}
	body, contentType := mediaFile(r.URL.Path)
	if m == ModeEmpty {
		body = nil
	}
	if m == ModeNoRange {
		serveBody(w, contentType, body)
		return
	}
	w.Header().Set("Content-Type", contentType)
	http.ServeContent(w, r, "", modified(), bytes.NewReader(body))
}
