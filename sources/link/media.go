package link

import "path"

// Media is what the name of a file says that it holds. The zero Media is that of a
// page, or of what nobody knows.
type Media struct {
	MIME     string // without parameters; "" where no player takes the file by itself
	Manifest bool   // it names where the media lies
	Video    bool   // it holds pictures, and is no manifest
	word     bool   // names of releases have the extension as a word
	carrier  bool   // it comes in place of media: an image of a disc, a file that holds a link
}

// The types of manifests.
const (
	MIMEHLS    = "application/vnd.apple.mpegurl"
	MIMEDASH   = "application/dash+xml"
	MIMESmooth = "application/vnd.ms-sstr+xml"
)

// longestExtension is that of the extensions below.
const longestExtension = len("mpeg")

// extensions are those of media in lower case. Everything that asks whether a link
// or a name means media asks here.
var extensions = map[string]Media{
	"m3u8": {MIME: MIMEHLS, Manifest: true},
	"m3u":  {MIME: MIMEHLS, Manifest: true},
	"mpd":  {MIME: MIMEDASH, Manifest: true},

	"mp4":  {MIME: "video/mp4", Video: true},
	"m4v":  {MIME: "video/mp4", Video: true},
	"mov":  {MIME: "video/quicktime", Video: true},
	"mkv":  {MIME: "video/x-matroska", Video: true},
	"webm": {MIME: "video/webm", Video: true},
	"ts":   {MIME: "video/mp2t", Video: true},
	"m2ts": {MIME: "video/mp2t", Video: true},
	"mts":  {MIME: "video/mp2t", Video: true},
	"flv":  {MIME: "video/x-flv", Video: true},
	"avi":  {MIME: "video/x-msvideo", Video: true},
	"divx": {MIME: "video/x-msvideo", Video: true, word: true},
	"wmv":  {MIME: "video/x-ms-wmv", Video: true},
	"asf":  {MIME: "video/x-ms-asf", Video: true},
	"f4v":  {MIME: "video/mp4", Video: true},
	"qt":   {MIME: "video/quicktime", Video: true},
	"mk3d": {MIME: "video/x-matroska", Video: true},
	"m2t":  {MIME: "video/mp2t", Video: true},
	"trp":  {MIME: "video/mp2t", Video: true},
	"m2v":  {MIME: "video/mpeg", Video: true},
	"m1v":  {MIME: "video/mpeg", Video: true},
	"mpe":  {MIME: "video/mpeg", Video: true},
	"ogx":  {MIME: "video/ogg", Video: true},
	"3gpp": {MIME: "video/3gpp", Video: true},
	"3g2":  {MIME: "video/3gpp2", Video: true},
	"amv":  {MIME: "video/x-msvideo", Video: true},
	"wtv":  {MIME: "video/x-ms-wtv", Video: true},
	"mxf":  {MIME: "application/mxf", Video: true},
	"nut":  {MIME: "video/x-nut", Video: true},
	"mpg":  {MIME: "video/mpeg", Video: true},
	"mpeg": {MIME: "video/mpeg", Video: true},
	"vob":  {MIME: "video/mpeg", Video: true},
	"ogv":  {MIME: "video/ogg", Video: true},
	"ogm":  {MIME: "video/ogg", Video: true},
	"3gp":  {MIME: "video/3gpp", Video: true},
	"rmvb": {MIME: "application/vnd.rn-realmedia-vbr", Video: true},
	"rm":   {MIME: "application/vnd.rn-realmedia", Video: true},

	"mp3":  {MIME: "audio/mpeg", word: true},
	"m4a":  {MIME: "audio/mp4"},
	"m4b":  {MIME: "audio/mp4"},
	"mka":  {MIME: "audio/x-matroska"},
	"weba": {MIME: "audio/webm"},
	"mp2":  {MIME: "audio/mpeg", word: true},
	"eac3": {MIME: "audio/eac3", word: true},
	"dts":  {MIME: "audio/vnd.dts", word: true},
	"aif":  {MIME: "audio/aiff"},
	"aiff": {MIME: "audio/aiff"},
	"caf":  {MIME: "audio/x-caf"},
	"amr":  {MIME: "audio/amr"},
	"aac":  {MIME: "audio/aac", word: true},
	"ac3":  {MIME: "audio/ac3", word: true},
	"flac": {MIME: "audio/flac", word: true},
	"ogg":  {MIME: "audio/ogg"},
	"oga":  {MIME: "audio/ogg"},
	"opus": {MIME: "audio/ogg", word: true},
	"wav":  {MIME: "audio/wav"},
	"wma":  {MIME: "audio/x-ms-wma"},

	"iso":  {carrier: true},
	"strm": {carrier: true},
}

// MediaOf is what the extension of name tells, a file name or the path of a URL.
func MediaOf(name string) Media {
	ext := path.Ext(name)
	if ext == "" {
		return Media{}
	}
	return mediaOfExtension(ext[1:])
}

func mediaOfExtension(ext string) Media {
	if ext == "" || len(ext) > longestExtension {
		return Media{}
	}
	var lower [longestExtension]byte
	for i := range len(ext) {
		c := ext[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		lower[i] = c
	}
	return extensions[string(lower[:len(ext)])]
}

// IsPage tells whether a link names neither media nor a manifest by its
// extension: it has to be resolved. Headers behind a "|" are no part of it.
func IsPage(rawURL string) bool {
	address, _ := SplitHeaders(rawURL)
	u, err := Parse(address)
	return err != nil || MediaOf(u.Path).MIME == ""
}

// TrimExtension takes the extension of a media file off the name of a release. One
// that such names have as a word of their own, "AC3" or "DivX", stays.
func TrimExtension(name string) string {
	for i := len(name) - 1; i > 0 && i >= len(name)-1-longestExtension; i-- {
		if name[i] != '.' {
			continue
		}
		if m := mediaOfExtension(name[i+1:]); m.word || m.MIME == "" && !m.carrier {
			return name
		}
		return name[:i]
	}
	return name
}
