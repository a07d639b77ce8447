package world

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"
)

// Hoster serves media at every path. The ending decides what it is: .m3u8 is a
// playlist of the segments beside it, .html a player's web page, anything else
// a file.
type Hoster struct {
	*Server
}

// AddHoster starts a hoster.
func (w *World) AddHoster(name string) (*Hoster, error) {
	return add(w, w.hosters, hosterNet, name, func(s *Server) *Hoster {
		s.content = media{}
		return &Hoster{Server: s}
	})
}

// URL is the address of the file at the path name, with or without a slash at
// its front.
func (h *Hoster) URL(name string) string {
	return "http://" + h.addr + "/" + strings.TrimPrefix(name, "/")
}

// MediaSize is the size of every media file in bytes.
const MediaSize = 16 << 10

// Media is the content of the media file at a URL path: bytes that depend on
// nothing but the path.
func Media(urlPath string) []byte {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(urlPath)) // a hash never fails
	var seed [32]byte
	copy(seed[:], sum.Sum(nil))
	body := make([]byte, MediaSize)
	_, _ = rand.NewChaCha8(seed).Read(body) // nor does this
	return body
}

// modified is the modification time of all files; a fixed one keeps validators
// the same from run to run.
func modified() time.Time { return time.Date(2024, time.January, 2, 3, 4, 5, 0, time.UTC) }

type media struct{}

func (media) serve(w http.ResponseWriter, r *http.Request, m Mode) {
	var contentType string
	var body []byte
	switch ext := strings.ToLower(path.Ext(r.URL.Path)); ext {
	case ".m3u8":
		contentType, body = "application/vnd.apple.mpegurl", playlist(r.URL.Path)
	case ".html", ".htm":
		contentType, body = "text/html; charset=utf-8", []byte(page)
	default:
		contentType, body = mediaType(ext), Media(r.URL.Path)
	}
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

// mediaType is the type of files that end in ext, the same on every system for
// those that films have.
func mediaType(ext string) string {
	switch ext {
	case ".mp4", ".m4v":
		return "video/mp4"
	case ".mkv":
		return "video/x-matroska"
	case ".webm":
		return "video/webm"
	case ".ts":
		return "video/mp2t"
	}
	if t := mime.TypeByExtension(ext); t != "" {
		return t
	}
	return "application/octet-stream"
}

// playlist is a playlist of two segments beside urlPath.
func playlist(urlPath string) []byte {
	name := strings.TrimSuffix(path.Base(urlPath), path.Ext(urlPath))
	var b bytes.Buffer
	b.WriteString("#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:4\n")
	for i := range 2 {
		fmt.Fprintf(&b, "#EXTINF:4.0,\n%s-%d.ts\n", name, i)
	}
	b.WriteString("#EXT-X-ENDLIST\n")
	return b.Bytes()
}
