package link

import (
	"bytes"
	"strings"
)

// MagicOf is the type of the media file that starts with head, "" where these
// bytes start none that is known. A manifest is text: see ManifestOf.
func MagicOf(head []byte) string {
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.start)) {
			return m.mime
		}
	}
	switch {
	case bytes.HasPrefix(head, []byte("\x1a\x45\xdf\xa3")):
		if bytes.Contains(head[:min(len(head), 64)], []byte("webm")) {
			return "video/webm"
		}
		return "video/x-matroska"
	case RIFF(head) == "AVI ":
		return "video/x-msvideo"
	case RIFF(head) == "WAVE":
		return "audio/wav"
	case len(head) >= 8 && isBox(head[4:8]):
		return isoMedia(head)
	case hasSync(head, 0) || hasSync(head, 4): // the latter with a time before each packet
		return "video/mp2t"
	default:
		return ""
	}
}

// magics are how media files start.
var magics = []struct {
	start string
	mime  string
}{
	{"FLV\x01", "video/x-flv"},
	{"OggS", "video/ogg"},
	{"ID3", "audio/mpeg"},
	{"fLaC", "audio/flac"},
	{"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "video/x-ms-asf"},
	{"\x00\x00\x01\xba", "video/mpeg"},
	{"\x00\x00\x01\xb3", "video/mpeg"},
	{".RMF\x00", "application/vnd.rn-realmedia"},
}

// IsUnmistakable tells whether the files of a type are known by their start: what
// claims to be one and starts otherwise is none.
func IsUnmistakable(mime string) bool {
	switch mime {
	case "video/mp4", "video/quicktime", "video/x-matroska", "video/webm", "video/x-flv", "video/x-msvideo", "video/ogg", "audio/flac", "audio/wav",
		"video/x-ms-wmv", "video/x-ms-asf":
		return true
	}
	return false
}

// RIFF is the form of a RIFF file, "" where head starts none.
func RIFF(head []byte) string {
	if len(head) < 12 || string(head[:4]) != "RIFF" {
		return ""
	}
	return string(head[8:12])
}

// isBox tells whether a file of the mp4 family may begin with a box of that name.
func isBox(name []byte) bool {
	switch string(name) {
	case "ftyp", "styp", "moov", "mdat", "free", "skip", "wide", "moof", "sidx", "emsg", "prft", "pnot", "uuid":
		return true
	}
	return false
}

// isoMedia is the type of a file of the mp4 family.
func isoMedia(head []byte) string {
	brand := ""
	if len(head) >= 12 && string(head[4:8]) == "ftyp" {
		brand = string(head[8:12])
	}
	switch brand {
	case "qt  ":
		return "video/quicktime"
	case "M4A ", "M4B ":
		return "audio/mp4"
	default:
		return "video/mp4"
	}
}

// hasSync tells whether head is made of MPEG-TS packets with extra bytes
// before each.
func hasSync(head []byte, extra int) bool {
	const sync, size, packets = 0x47, 188, 3
	step := size + extra
	for i := range packets {
		if at := extra + i*step; at >= len(head) || head[at] != sync {
			return false
		}
	}
	return true
}

// ManifestOf is the type of the manifest that head, text, is the start of, and ""
// where it is none. A list of channels starts as a playlist of HLS does.
func ManifestOf(head []byte) string {
	text := bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))
	if bytes.HasPrefix(text, []byte("#EXTM3U")) {
		return MIMEHLS
	}
	switch rootElement(text) {
	case "MPD":
		return MIMEDASH
	case "SmoothStreamingMedia":
		return MIMESmooth
	}
	return ""
}

// IsChannels tells whether head starts a list of channels rather than a playlist of
// one film: no tag of HLS stands in it.
func IsChannels(head []byte) bool {
	return ManifestOf(head) == MIMEHLS && !bytes.Contains(head, []byte("#EXT-X-"))
}

// rootElement is the name of the first element of XML, without its namespace.
func rootElement(text []byte) string {
	for bytes.HasPrefix(text, []byte("<?")) || bytes.HasPrefix(text, []byte("<!")) {
		end := []byte(">")
		switch {
		case text[1] == '?':
			end = []byte("?>")
		case bytes.HasPrefix(text, []byte("<!--")):
			end = []byte("-->")
		}
		_, rest, ok := bytes.Cut(text, end)
		if !ok {
			return ""
		}
		text = bytes.TrimSpace(rest)
	}
	if !bytes.HasPrefix(text, []byte("<")) {
		return ""
	}
	name := string(text[1:min(len(text), 64)])
	if end := strings.IndexAny(name, " \t\r\n/>"); end >= 0 {
		name = name[:end]
	}
	if _, local, ok := strings.Cut(name, ":"); ok {
		return local
	}
	return name
}
