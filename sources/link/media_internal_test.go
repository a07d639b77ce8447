package link

import (
	"strings"
	"testing"
)

// TestExtensions lists every extension with all that is asked about it.
func TestExtensions(t *testing.T) {
	type answers struct {
		mime     string
		page     bool // a link with it has to be resolved
		manifest bool
		video    bool
		trimmed  bool // it is no part of the name of a release
	}
	var (
		manifest = func(mime string) answers { return answers{mime: mime, manifest: true, trimmed: true} }
		video    = func(mime string) answers { return answers{mime: mime, video: true, trimmed: true} }
		word     = func(a answers) answers { a.trimmed = false; return a }
		audio    = func(mime string) answers { return answers{mime: mime, trimmed: true} }
		carrier  = answers{page: true, trimmed: true}
	)
	want := map[string]answers{
		"m3u8": manifest("application/vnd.apple.mpegurl"), "m3u": manifest("application/vnd.apple.mpegurl"), "mpd": manifest("application/dash+xml"),

		"mp4": video("video/mp4"), "m4v": video("video/mp4"), "mov": video("video/quicktime"), "mkv": video("video/x-matroska"),
		"webm": video("video/webm"), "ts": video("video/mp2t"), "m2ts": video("video/mp2t"), "mts": video("video/mp2t"),
		"flv": video("video/x-flv"), "avi": video("video/x-msvideo"), "divx": word(video("video/x-msvideo")),
		"wmv": video("video/x-ms-wmv"), "asf": video("video/x-ms-asf"), "mpg": video("video/mpeg"), "mpeg": video("video/mpeg"),
		"vob": video("video/mpeg"), "ogv": video("video/ogg"), "ogm": video("video/ogg"), "3gp": video("video/3gpp"),
		"rmvb": video("application/vnd.rn-realmedia-vbr"), "rm": video("application/vnd.rn-realmedia"),

		"mp3": word(audio("audio/mpeg")), "m4a": audio("audio/mp4"), "aac": word(audio("audio/aac")), "ac3": word(audio("audio/ac3")),
		"flac": word(audio("audio/flac")), "ogg": audio("audio/ogg"), "oga": audio("audio/ogg"), "opus": word(audio("audio/ogg")),
		"wav": audio("audio/wav"), "wma": audio("audio/x-ms-wma"),

		"f4v": video("video/mp4"), "qt": video("video/quicktime"), "mk3d": video("video/x-matroska"), "m2t": video("video/mp2t"), "trp": video("video/mp2t"),
		"m2v": video("video/mpeg"), "m1v": video("video/mpeg"), "mpe": video("video/mpeg"), "ogx": video("video/ogg"), "3gpp": video("video/3gpp"),
		"3g2": video("video/3gpp2"), "amv": video("video/x-msvideo"), "wtv": video("video/x-ms-wtv"), "mxf": video("application/mxf"), "nut": video("video/x-nut"),

		"m4b": audio("audio/mp4"), "mka": audio("audio/x-matroska"), "weba": audio("audio/webm"), "mp2": word(audio("audio/mpeg")),
		"eac3": word(audio("audio/eac3")), "dts": word(audio("audio/vnd.dts")), "aif": audio("audio/aiff"), "aiff": audio("audio/aiff"),
		"caf": audio("audio/x-caf"), "amr": audio("audio/amr"),

		"iso": carrier, "strm": carrier,
	}
	for ext := range extensions {
		if _, ok := want[ext]; !ok {
			t.Errorf("%s: the test does not list it", ext)
		}
		if len(ext) > longestExtension {
			t.Errorf("%s is longer than the longest", ext)
		}
	}
	// None of them is media: pages, parts of names, what only looks like one.
	for _, ext := range []string{"html", "htm", "php", "txt", "zip", "exe", "srt", "1080p", "x264-mkv", "mp4x", "mpegs", "", " mp4"} {
		want[ext] = answers{page: true}
	}
	for ext, want := range want {
		for _, name := range []string{"/a/Film.2010." + ext, "Film." + strings.ToUpper(ext)} {
			m := MediaOf(name)
			got := answers{
				mime: m.MIME, manifest: m.Manifest, video: m.Video,
				page:    IsPage("https://h.example/" + name + "?x=a.mkv|Referer=b.mkv"),
				trimmed: TrimExtension(name) == name[:len(name)-len(ext)-1],
			}
			if got != want {
				t.Errorf("%s: got %+v, want %+v", name, got, want)
			}
		}
	}
}

func TestTrimExtension(t *testing.T) {
	for name, want := range map[string]string{
		"": "", ".mkv": ".mkv", "a.mkv": "a", "a.b.MKV": "a.b", "a.mkv.": "a.mkv.", "mkv": "mkv", "a.mpegg": "a.mpegg", "第1集.mp4": "第1集",
	} {
		if got := TrimExtension(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestManifestOf(t *testing.T) {
	for text, want := range map[string]string{
		"#EXTM3U\n": MIMEHLS, "\ufeff\n #EXTM3U": MIMEHLS,
		"<MPD>": MIMEDASH, "<MPD\ntype='static'>": MIMEDASH, "<MPD/>": MIMEDASH,
		`<?xml version="1.0"?><!-- > --><!DOCTYPE MPD><d:MPD xmlns:d="x">`: MIMEDASH,
		"\xff\xfe#\x00E\x00X\x00T\x00M\x003\x00U\x00\n\x00":                MIMEHLS, "\xfe\xff\x00<\x00M\x00P\x00D\x00>": MIMEDASH,
		"#EXTM3U\n\x00\x00": MIMEHLS, "#EXT-X-VERSION:3\n#EXTM3U\n": MIMEHLS, "#EXTINF:1,\na.ts": "", "#EXT-X-VERSION:3": "", "\xff\xfe#": "", "\xff\xfe": "", "<\x00M\x00P\x00D\x00>\x00": MIMEDASH, "\x00#\x00E\x00X\x00T\x00M\x003\x00U": MIMEHLS, "#": "", "<\x00": "",
		"<SmoothStreamingMedia MajorVersion=\"2\">": MIMESmooth,
		"<html><MPD>": "", "<MPDX>": "", "<!-- MPD": "", "MPD": "", "": "", "<": "", "<?": "", "EXTM3U": "",
	} {
		if got := ManifestOf([]byte(text)); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestMagicOf(t *testing.T) {
	for _, box := range []string{"ftyp", "moov", "emsg", "prft", "pnot"} {
		if got := MagicOf([]byte("\x00\x00\x00\x10" + box + "\x00")); got != "video/mp4" {
			t.Errorf("%s: got %q", box, got)
		}
	}
	for head, want := range map[string]string{
		"\xff\xfb\x90\x64":              "", // one header is no proof
		frames("\xff\xfb\x50\xc4", 208): "audio/mpeg", frames("\xff\xf3\x40\xc4", 208) + "\xff": "",
		frames("\xff\xf1\x50\x40\x0d\x1f\xfc", 104): "audio/aac", frames("\x0b\x77\x00\x00\x04\x40", 256): "audio/ac3",
		"\x00\x00\x00\x01\x67\x42": "video/h264", "\x00\x00\x00\x01\x40\x01": "video/hevc", "\x00\x00\x01\xb0\x01": "video/mpeg",
		"nut/multimedia container\x00": "video/x-nut", "\x0b\x77\x00": "", "#!AMR\n": "audio/amr",
		"xx" + frames("\x47", 188): "video/mp2t", "xx" + frames("\x47", 188)[:400]: "",
	} {
		if got := MagicOf([]byte(head)); got != want {
			t.Errorf("%q: got %q, want %q", head[:min(len(head), 16)], got, want)
		}
	}
	for _, head := range []string{"", "\x00\x00\x00\x10", "\x00\x00\x00\x10 fty", "\x00\x00\x00\x10typs", "RIFF\x00\x00\x00\x00WEBP", "G"} {
		if got := MagicOf([]byte(head)); got != "" {
			t.Errorf("%q: got %q", head, got)
		}
	}
}

// frames is six frames of n bytes that start so.
func frames(start string, n int) string {
	return strings.Repeat(start+strings.Repeat("\x00", n-len(start)), 6)
}

// TestAfterPicture covers films behind the pictures that image stores want.
func TestAfterPicture(t *testing.T) {
	packets := frames("\x47", 188)
	for start, want := range map[string]bool{"\x89PNG\r\n\x1a\n\x00\x47": true, "GIF89a": true, "\xff\xd8\xff\xe0": true, "BM\x00\x00": true, "": false, "PK\x03\x04": false} {
		if at, ok := AfterPicture([]byte(start + packets)); ok != want || ok && at != len(start) {
			t.Errorf("%q: got %d, %v", start, at, ok)
		}
	}
	if at, ok := AfterPicture([]byte("GIF89a and no film")); ok {
		t.Errorf("a picture alone: got %d", at)
	}
}
