package link

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf16"
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
	case RIFF(head) == "AVI ", RIFF(head) == "AVIX", RIFF(head) == "AMV ":
		return "video/x-msvideo"
	case RIFF(head) == "WAVE":
		return "audio/wav"
	case len(head) >= 12 && string(head[:4]) == "FORM" && (string(head[8:12]) == "AIFF" || string(head[8:12]) == "AIFC"):
		return "audio/aiff"
	case len(head) >= 8 && isBox(head[4:8]):
		return isoMedia(head)
	}
	if found := elementaryOf(head); found != "" {
		return found
	}
	// A part of one may stand before the first packet, or a time; a picture before it is
	// for AfterPicture to find.
	if start, size, ok := Packets(head); ok && PictureOf(head) == "" && (start <= size-packetSize || start+surePackets*size <= len(head)) {
		return "video/mp2t"
	}
	return ""
}

const (
	packetSize  = 188 // of MPEG-TS
	surePackets = 5
)

// Packets finds the packets of MPEG-TS in data: where the first one starts, and how
// far it is from one to the next. What stands before them is a part of one, or junk.
func Packets(data []byte) (start, size int, ok bool) {
	const sync, searched, least = 0x47, 8 << 10, 3
	for start := range min(len(data), searched) {
		if data[start] != sync {
			continue
		}
		for _, size := range []int{packetSize, 192, 204} {
			n := 0
			for at := start; at < len(data) && n < surePackets && data[at] == sync; at += size {
				n++
			}
			if n == surePackets || n >= least && start+n*size >= len(data) {
				return start, size, true
			}
		}
	}
	return 0, 0, false
}

// PictureOf is the type of the picture that starts with head, "" where it starts
// none.
func PictureOf(head []byte) string {
	for _, p := range pictures {
		if bytes.HasPrefix(head, []byte(p.start)) {
			return p.mime
		}
	}
	if RIFF(head) == "WEBP" {
		return "image/webp"
	}
	return ""
}

// AfterPicture finds MPEG-TS behind a small picture, as it lies on hosters of
// pictures. Some players show the picture, or nothing, in place of the film.
func AfterPicture(head []byte) (start int, ok bool) {
	if PictureOf(head) == "" {
		return 0, false
	}
	start, _, ok = Packets(head)
	return start, ok
}

// InText is the type of media whose start looks like text, "" where head starts none:
// servers put a byte order mark, a warning or a page before them, and one format begins
// with words. No text holds what is looked for.
func InText(head []byte) string {
	if bytes.HasPrefix(head, []byte(yuv4mpeg)) {
		return MagicOf(head)
	}
	head = head[:min(len(head), searchedText)]
	if start, size, ok := Packets(head); ok && start+surePackets*size <= len(head) && bytes.IndexByte(head[start:start+surePackets*size], 0) >= 0 {
		return "video/mp2t"
	}
	if bytes.Contains(head, []byte("\x00\x00\x01\xba")) {
		return "video/mpeg"
	}
	for i := range head {
		if head[i] == 0xff && repeats(head[i:], mpegFrame) {
			return "audio/mpeg"
		}
	}
	return ""
}

// yuv4mpeg begins a film as words do.
const yuv4mpeg = "YUV4MPEG2 "

// searchedText is how far media are looked for in what looks like text.
const searchedText = 8 << 10

// pictures are how pictures start.
var pictures = []struct {
	start string
	mime  string
}{
	{"\x89PNG\r\n\x1a\n", "image/png"},
	{"\xff\xd8\xff", "image/jpeg"},
	{"GIF8", "image/gif"},
	{"BM", "image/bmp"},
}

// elementaryOf is the type of bare pictures or sound without a container.
func elementaryOf(head []byte) string {
	switch {
	case repeats(head, mpegFrame):
		return "audio/mpeg"
	case repeats(head, adtsFrame):
		return "audio/aac"
	case repeats(head, loasFrame):
		return "audio/mp4a-latm"
	case len(head) >= 8 && (string(head[4:8]) == "\xf8\x72\x6f\xba" || string(head[4:8]) == "\xf8\x72\x6f\xbb"): // TrueHD, MLP
		return "audio/vnd.dolby.mlp"
	case len(head) > 6 && head[0] == 0x0b && head[1] == 0x77 && bytes.Count(head, head[:2]) > 1:
		return "audio/ac3"
	}
	nal, ok := bytes.CutPrefix(head, []byte("\x00\x00\x01"))
	if !ok {
		nal, ok = bytes.CutPrefix(head, []byte("\x00\x00\x00\x01"))
	}
	if !ok || len(nal) < 2 || nal[0]&0x80 != 0 {
		return ""
	}
	switch kind := nal[0] & 0x1f; {
	case nal[0]&0x7e>>1 == 32 || nal[0]&0x7e>>1 == 35 && nal[1] == 1: // the parameters of HEVC, its delimiter
		return "video/hevc"
	case kind == 7 || kind == 9 || kind == 6:
		return "video/h264"
	}
	return ""
}

// repeats tells whether frames stand one behind the other from the start of head on.
// frame is the size of the one that starts with its argument, 0 where none does.
func repeats(head []byte, frame func([]byte) int) bool {
	const least = 3
	n := 0
	for n < 4*least && len(head) > 0 {
		size := frame(head)
		if size == 0 {
			return len(head) < 8 && n >= least // the end of the data cuts the last header
		}
		n++
		head = head[min(size, len(head)):]
	}
	return n >= least
}

func mpegFrame(b []byte) int {
	if len(b) < 4 || b[0] != 0xff || b[1]&0xe0 != 0xe0 {
		return 0
	}
	version, layer := b[1]>>3&3, b[1]>>1&3 // 3 is MPEG-1, 1 layer III
	rateIndex, frequency := int(b[2]>>4), int(b[2]>>2&3)
	if version == 1 || layer == 0 || layer == 3 || rateIndex == 0 || rateIndex == 15 || frequency == 3 {
		return 0
	}
	rates := [15]int{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320}
	samples := 144
	switch {
	case layer == 2 && version == 3:
		rates = [15]int{0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384}
	case version != 3:
		rates = [15]int{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160}
		if layer == 1 {
			samples = 72
		}
	}
	hertz := [3]int{44100, 48000, 32000}[frequency]
	switch version {
	case 2:
		hertz /= 2
	case 0:
		hertz /= 4
	}
	return samples*rates[rateIndex]*1000/hertz + int(b[2]>>1&1)
}

func adtsFrame(b []byte) int {
	if len(b) < 7 || b[0] != 0xff || b[1]&0xf6 != 0xf0 || b[2]>>2&15 > 12 {
		return 0
	}
	if size := int(b[3]&3)<<11 | int(b[4])<<3 | int(b[5]>>5); size >= 7 {
		return size
	}
	return 0
}

// loasFrame is one of AAC as broadcasts carry it (ISO/IEC 14496-3, 1.7.2).
func loasFrame(b []byte) int {
	if len(b) < 3 || b[0] != 0x56 || b[1]&0xe0 != 0xe0 {
		return 0
	}
	const header = 3
	return header + (int(b[1]&0x1f)<<8 | int(b[2]))
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
	{"\x00\x00\x01\xb0", "video/mpeg"},
	{".RMF\x00", "application/vnd.rn-realmedia"},
	{"nut/multimedia container", "video/x-nut"},
	{"#!AMR", "audio/amr"},
	{"caff\x00", "audio/x-caf"},
	{"\xb7\xd8\x00\x20\x37\x49\xda\x11", "video/x-ms-wtv"},
	{yuv4mpeg, "video/x-yuv4mpeg"},
	{"DKIF\x00\x00", "video/x-ivf"},
	{"FWS", "application/x-shockwave-flash"},
	{"CWS", "application/x-shockwave-flash"},
	{"ZWS", "application/x-shockwave-flash"},
	{"\x1f\x07\x00", "video/x-dv"},
	{"\x00\x0aSMJPEG", "video/x-smjpeg"},
	{"\x00\x00\x00\x00\x01\xbc\x00", "application/gxf"},
	{"\x7f\xfe\x80\x01", "audio/vnd.dts"}, // 16 and 14 bits a word, in either order
	{"\xfe\x7f\x01\x80", "audio/vnd.dts"},
	{"\x1f\xff\xe8\x00", "audio/vnd.dts"},
	{"\xff\x1f\x00\xe8", "audio/vnd.dts"},
	{".snd\x00", "audio/basic"},
	{"TTA1", "audio/x-tta"},
	{"TTA2", "audio/x-tta"},
	{"wvpk", "audio/x-wavpack"},
	{".SoX", "audio/x-sox"},
	{"XoS.", "audio/x-sox"},
	{"riff\x2e\x91\xcf\x11", "audio/x-w64"},
	{"\x06\x0e\x2b\x34\x02\x05\x01\x01\x0d\x01\x02", "application/mxf"},
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
	case "ftyp", "styp", "moov", "mdat", "free", "skip", "wide", "moof", "sidx", "ssix", "emsg", "prft", "pnot", "uuid",
		"pdin", "meta", "udta", "junk", "pict", "PICT", "ediw", "prfl":
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

// ManifestOf is the type of the manifest that head, text, is the start of, and ""
// where it is none. A list of channels starts as a playlist of HLS does.
func ManifestOf(head []byte) string {
	text := bytes.TrimSpace(ManifestText(head))
	if startsPlaylist(text) {
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

// startsPlaylist tells whether text begins with the tag of a playlist, before which
// other tags may stand.
func startsPlaylist(text []byte) bool {
	for bytes.HasPrefix(text, []byte("#EXT")) {
		if bytes.HasPrefix(text, []byte("#EXTM3U")) {
			return true
		}
		_, rest, _ := bytes.Cut(text, []byte("\n"))
		text = bytes.TrimSpace(rest)
	}
	return false
}

// ManifestText is the text of a manifest without its byte order mark, in UTF-8 where
// the mark, or the first character, says UTF-16. Whoever reads manifests reads them by it.
func ManifestText(data []byte) []byte {
	var unit func([]byte) uint16
	rest := data
	switch {
	case len(data) < 2:
		return data
	case string(data[:2]) == "\xff\xfe":
		unit, rest = binary.LittleEndian.Uint16, data[2:]
	case string(data[:2]) == "\xfe\xff":
		unit, rest = binary.BigEndian.Uint16, data[2:]
	case (data[0] == '<' || data[0] == '#') && data[1] == 0:
		unit = binary.LittleEndian.Uint16
	case data[0] == 0 && (data[1] == '<' || data[1] == '#'):
		unit = binary.BigEndian.Uint16
	default:
		return bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	}
	units := make([]uint16, 0, len(data)/2)
	for ; len(rest) >= 2; rest = rest[2:] {
		units = append(units, unit(rest))
	}
	return []byte(string(utf16.Decode(units)))
}

// IsChannels tells whether head starts a list of channels rather than a playlist of
// one film: no tag of HLS stands in it.
func IsChannels(head []byte) bool {
	return ManifestOf(head) == MIMEHLS && !bytes.Contains(ManifestText(head), []byte("#EXT-X-"))
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
