package mediainfo

import "strings"

// What VideoTrack.HDR says.
const (
	hdr10          = "HDR10"
	hdrHLG         = "HLG"
	hdrDolbyVision = "Dolby Vision"
)

// transferHDR is what a transfer characteristic (ITU-T H.273) means.
func transferHDR(transfer int) string {
	switch transfer {
	case 16:
		return hdr10
	case 18:
		return hdrHLG
	default:
		return ""
	}
}

func isDolbyVision(fourCC string) bool {
	switch fourCC {
	case "dvh1", "dvhe", "dva1", "dvav", "dav1":
		return true
	default:
		return false
	}
}

// mp4Codecs are ffprobe's names of sample entries.
var mp4Codecs = map[string]string{
	"avc1": "h264", "avc2": "h264", "avc3": "h264", "avc4": "h264", "dva1": "h264", "dvav": "h264",
	"hvc1": "hevc", "hev1": "hevc", "hvc2": "hevc", "hev2": "hevc", "dvh1": "hevc", "dvhe": "hevc",
	"vvc1": "vvc", "vvi1": "vvc", "av01": "av1", "dav1": "av1", "vp08": "vp8", "vp09": "vp9",
	"mp4v": "mpeg4", "xvid": "mpeg4", "divx": "mpeg4", "dx50": "mpeg4", "fmp4": "mpeg4",
	"div3": "msmpeg4v3", "mp43": "msmpeg4v3", "s263": "h263", "h263": "h263", "mp2v": "mpeg2video", "mpg2": "mpeg2video",
	"jpeg": "mjpeg", "mjpa": "mjpeg", "mjpg": "mjpeg", "png ": "png", "svq1": "svq1", "svq3": "svq3", "wvc1": "vc1", "vc-1": "vc1",
	"apch": "prores", "apcn": "prores", "apcs": "prores", "apco": "prores", "ap4h": "prores", "ap4x": "prores",
	"mp4a": "aac", "ac-3": "ac3", "ec-3": "eac3", "ac-4": "ac4", "opus": "opus", "flac": "flac", "alac": "alac",
	"dtsc": "dts", "dtsh": "dts", "dtsl": "dts", "dtse": "dts", "dtsx": "dts", "mlpa": "truehd",
	".mp3": "mp3", "mp3 ": "mp3", "samr": "amr_nb", "sawb": "amr_wb", "sowt": "pcm_s16le", "twos": "pcm_s16be", "in24": "pcm_s24be",
	"ulaw": "pcm_mulaw", "alaw": "pcm_alaw", "tx3g": "mov_text", "text": "mov_text", "wvtt": "webvtt", "stpp": "ttml", "c608": "eia_608",
	"vorbis": "vorbis", "vp8": "vp8", "vp9": "vp9", "theora": "theora", "hevc": "hevc", "h264": "h264", "x264": "h264",
}

// mp4Codec is the name of the codec of a sample entry, the entry's own where
// there is none.
func mp4Codec(entry string) string {
	if c, ok := mp4Codecs[strings.ToLower(entry)]; ok {
		return c
	}
	return strings.TrimSpace(strings.ToLower(fourCC([]byte(entry))))
}

// objectTypes are the MPEG-4 object type indications (mp4ra.org).
var objectTypes = map[byte]string{
	0x20: "mpeg4", 0x21: "h264", 0x23: "hevc", 0x40: "aac", 0x60: "mpeg2video", 0x61: "mpeg2video", 0x62: "mpeg2video",
	0x63: "mpeg2video", 0x64: "mpeg2video", 0x65: "mpeg2video", 0x66: "aac", 0x67: "aac", 0x68: "aac", 0x69: "mp3", 0x6a: "mpeg1video",
	0x6b: "mp3", 0x6c: "mjpeg", 0xa3: "vc1", 0xa5: "ac3", 0xa6: "eac3", 0xa9: "dts", 0xac: "dts", 0xad: "opus", 0xb1: "vp9", 0xdd: "vorbis",
}

// codecKind says what a codec is for.
type codecKind int

const (
	codecOther codecKind = iota
	codecVideo
	codecAudio
	codecText
)

// codecKinds are those of the codecs that manifests name.
var codecKinds = map[string]codecKind{
	"h264": codecVideo, "hevc": codecVideo, "vvc": codecVideo, "av1": codecVideo, "vp8": codecVideo, "vp9": codecVideo,
	"mpeg4": codecVideo, "mpeg2video": codecVideo, "h263": codecVideo, "theora": codecVideo,
	"aac": codecAudio, "mp3": codecAudio, "ac3": codecAudio, "eac3": codecAudio, "ac4": codecAudio, "opus": codecAudio,
	"flac": codecAudio, "alac": codecAudio, "dts": codecAudio, "truehd": codecAudio, "vorbis": codecAudio,
	"webvtt": codecText, "ttml": codecText, "mov_text": codecText, "eia_608": codecText,
}

// manifestCodec reads one entry of a CODECS attribute (RFC 6381).
func manifestCodec(entry string) (codec string, k codecKind, dolbyVision bool) {
	entry = strings.TrimSpace(entry)
	if entry == "" {
		return "", codecOther, false
	}
	name, rest, _ := strings.Cut(entry, ".")
	lower := strings.ToLower(name)
	codec = mp4Codec(lower)
	object, _, _ := strings.Cut(strings.ToLower(rest), ".")
	switch {
	case lower == "mp4a" && rest == "40.34":
		codec = "mp3"
	case lower == "mp4a" || lower == "mp4v":
		if v, ok := hexByte(object); ok && objectTypes[v] != "" {
			codec = objectTypes[v]
		}
	}
	return codec, codecKinds[codec], isDolbyVision(lower)
}

func hexByte(s string) (v byte, ok bool) {
	if len(s) != 2 {
		return 0, false
	}
	for _, c := range []byte(s) {
		i := strings.IndexByte("0123456789abcdef", c)
		if i < 0 {
			return 0, false
		}
		v = v<<4 | byte(i)
	}
	return v, true
}
