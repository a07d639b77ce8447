package link_test

import (
	"strings"
	"testing"

	"xship/sources/link"
)

// packets are five packets of MPEG-TS.
func packets() string { return strings.Repeat("G\x40\x00\x10"+strings.Repeat("\xff", 184), 5) }

// TestMagicOf_rare knows the rarer formats that players take.
func TestMagicOf_rare(t *testing.T) {
	loas := "\x56\xe0\x02ab"
	for start, want := range map[string]string{
		"DKIF\x00\x00\x20\x00AV01": "video/x-ivf", "CWS\x0a": "application/x-shockwave-flash", "FWS\x06": "application/x-shockwave-flash",
		"ZWS\x0d": "application/x-shockwave-flash", "\x1f\x07\x00\xbf": "video/x-dv", "\x7f\xfe\x80\x01\xfc": "audio/vnd.dts",
		"\xfe\x7f\x01\x80": "audio/vnd.dts", "\x1f\xff\xe8\x00": "audio/vnd.dts", "\xff\x1f\x00\xe8": "audio/vnd.dts",
		".snd\x00\x00\x00\x20": "audio/basic", "TTA1\x01": "audio/x-tta", "TTA2\x01": "audio/x-tta", "wvpk\x00": "audio/x-wavpack",
		".SoX\x00": "audio/x-sox", "XoS.": "audio/x-sox", "YUV4MPEG2 W128 H72": "video/x-yuv4mpeg", "riff\x2e\x91\xcf\x11": "audio/x-w64",
		"\x00\x0aSMJPEG": "video/x-smjpeg", "\x00\x00\x00\x00\x01\xbc\x00": "application/gxf",
		"\xa0\x30\x12\x34\xf8\x72\x6f\xba": "audio/vnd.dolby.mlp", strings.Repeat(loas, 4): "audio/mp4a-latm",
		"\x56\xe0\x02ab and no more": "", "DKIFfer": "",
	} {
		if got := link.MagicOf([]byte(start)); got != want {
			t.Errorf("%q: got %q, want %q", start, got, want)
		}
	}
}

// TestInText finds media behind text, and none in text alone.
func TestInText(t *testing.T) {
	frame := "\xff\xfb\x90\x00" + strings.Repeat("a", 413)
	for text, want := range map[string]string{
		"\ufeff" + packets():                       "video/mp2t",
		"<!DOCTYPE html><html></html>" + packets(): "video/mp2t",
		"#EXTM3U\n" + packets():                    "video/mp2t",
		"#EXTM3U\n" + packets()[:4*188]:            "",
		"\ufeff" + strings.Repeat(frame, 3):        "audio/mpeg",
		"\ufeff" + frame:                           "",
		"<br />\x00\x00\x01\xba":                   "video/mpeg",
		"YUV4MPEG2 W2 H2\nFRAME\n":                 "video/x-yuv4mpeg",
		strings.Repeat("G", 2000):                  "", // where packets would start, but no packet
		strings.Repeat("\xff", 2000):               "",
		strings.Repeat("y", 8<<10) + packets():     "", // further on than is looked
		"#EXTM3U\n#EXTINF:5,\na.ts\n":              "",
		"":                                         "",
	} {
		if got := link.InText([]byte(text)); got != want {
			t.Errorf("%.40q: got %q, want %q", text, got, want)
		}
	}
}
