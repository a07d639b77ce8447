package direct

import (
	"bytes"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/text"
)

// content is what the first bytes of a file say that it is.
type content struct {
	mime string // of media, "" where unknown
	link string // of a .strm file: what it names
}

const (
	mimeHLS  = "application/vnd.apple.mpegurl"
	mimeDASH = "application/dash+xml"
	mimeISM  = "application/vnd.ms-sstr+xml"
)

// extensions are the endings of media files. Those of manifests are not among
// them: a manifest is known by its text.
var extensions = map[string]string{
	".mp4": "video/mp4", ".m4v": "video/mp4", ".mov": "video/quicktime", ".mkv": "video/x-matroska", ".webm": "video/webm",
	".ts": "video/mp2t", ".m2ts": "video/mp2t", ".mts": "video/mp2t", ".flv": "video/x-flv", ".avi": "video/x-msvideo",
	".wmv": "video/x-ms-wmv", ".mpg": "video/mpeg", ".mpeg": "video/mpeg", ".vob": "video/mpeg", ".ogv": "video/ogg", ".ogm": "video/ogg",
	".3gp": "video/3gpp", ".divx": "video/x-msvideo", ".rmvb": "application/vnd.rn-realmedia-vbr", ".rm": "application/vnd.rn-realmedia",
	".mp3": "audio/mpeg", ".m4a": "audio/mp4", ".aac": "audio/aac", ".ac3": "audio/ac3", ".flac": "audio/flac", ".ogg": "audio/ogg",
	".oga": "audio/ogg", ".opus": "audio/ogg", ".wav": "audio/wav", ".wma": "audio/x-ms-wma",
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

// unmistakable are the types whose files are known by their start: what claims
// to be one and starts otherwise is none.
var unmistakable = []string{
	"video/mp4", "video/quicktime", "video/x-matroska", "video/webm", "video/x-flv", "video/x-msvideo", "video/ogg", "audio/flac", "audio/wav",
	"video/x-ms-wmv", "video/x-ms-asf",
}

// others are how files start that are no media.
var others = []struct {
	start string
	what  string
	class sources.Class
}{
	{"\x89PNG\r\n\x1a\n", "a picture", sources.ClassHosterFault},
	{"\xff\xd8\xff", "a picture", sources.ClassHosterFault},
	{"GIF8", "a picture", sources.ClassHosterFault},
	{"%PDF-", "a PDF file", sources.ClassHosterFault},
	{"PK\x03\x04", "a ZIP archive", sources.ClassUnsupported},
	{"Rar!\x1a\x07", "a RAR archive", sources.ClassUnsupported},
	{"7z\xbc\xaf\x27\x1c", "a 7z archive", sources.ClassUnsupported},
	{"d8:announce", "a torrent", sources.ClassUnsupported},
}

// look tells what head is the start of. name is the path that it was found at
// and contentType what its server calls it; both count less than the bytes. The
// error is a *pageError for text that is no media.
func look(head []byte, name, contentType string) (content, error) {
	if len(head) == 0 {
		return content{}, sources.Errorf(sources.ClassHosterFault, "the file is empty")
	}
	for _, o := range others {
		if bytes.HasPrefix(head, []byte(o.start)) {
			return content{}, sources.Errorf(o.class, "%s where media should be", o.what)
		}
	}
	if riff(head) == "WEBP" {
		return content{}, sources.Errorf(sources.ClassHosterFault, "a picture where media should be")
	}
	if isText(head) {
		return lookText(head, name)
	}
	if found := magic(head); found != "" {
		return content{mime: found}, nil
	}
	media := declared(contentType)
	if media == "" {
		media = extensions[strings.ToLower(path.Ext(name))]
	}
	switch {
	case slices.Contains(unmistakable, media):
		return content{}, sources.Errorf(sources.ClassHosterFault, "unknown data where %s should be", media)
	case media != "":
		return content{mime: media}, nil
	}
	return content{}, sources.Errorf(sources.ClassUnsupported, "unknown data, served as %q: no media that is known here", text.Clean(contentType))
}

// isText tells whether head is text in any encoding: it has no control
// characters that only binary data has.
func isText(head []byte) bool {
	return fetch.IsHTML(head) || strings.HasPrefix(http.DetectContentType(head), "text/")
}

// magic is the type of media that starts with head, or "".
func magic(head []byte) string {
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
	case riff(head) == "AVI ":
		return "video/x-msvideo"
	case riff(head) == "WAVE":
		return "audio/wav"
	case len(head) >= 8 && strings.Contains("ftyp styp moov mdat moof sidx free skip wide uuid pnot", string(head[4:8])) && !bytes.ContainsRune(head[4:8], ' '):
		return isoMedia(head)
	case hasSync(head, 0) || hasSync(head, 4): // the latter with a time before each packet
		return "video/mp2t"
	default:
		return ""
	}
}

// riff is the form of a RIFF file, or "".
func riff(head []byte) string {
	if len(head) < 12 || string(head[:4]) != "RIFF" {
		return ""
	}
	return string(head[8:12])
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

// declared is the media type that contentType names, "" where it is none.
func declared(contentType string) string {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil || !strings.HasPrefix(media, "video/") && !strings.HasPrefix(media, "audio/") {
		return ""
	}
	return media
}
