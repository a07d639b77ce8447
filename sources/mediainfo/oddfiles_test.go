package mediainfo_test

import (
	"bytes"
	"encoding/binary"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"xship/sources"
)

func oddFiles(t *testing.T) []odd {
	ok, fault, unsupported := sources.ClassOK, sources.ClassHosterFault, sources.ClassUnsupported
	const binary = "application/octet-stream"
	read := func(name string) []byte { return readMedia(t, name) }
	head := func(data []byte, percent int) []byte { return data[:len(data)*percent/100] }
	dot := read("odd/dot.png")
	ts, mkv, mp4 := read("aac.ts"), read("tracks.mkv"), read("faststart.mp4")
	long, longMKV, longTS := read("odd/long.mp4"), read("odd/long.mkv"), read("odd/long.ts")
	rows := []odd{
		{name: "mp4: movie box at the start", serve: one(sends("video/mp4", mp4)), want: ok},
		{name: "mp4: movie box at the end", serve: one(sends("video/mp4", read("plain.mp4"))), want: ok},
		{name: "mp4: fragmented", serve: one(sends("video/mp4", read("fragmented.mp4"))), want: ok},
		{name: "mp4: HEVC", serve: one(sends("video/mp4", read("hevc.mp4"))), want: ok},
		{name: "mp4: fragmented, cut at once", serve: one(sends("video/mp4", head(read("fragmented.mp4"), 70))), want: fault, why: "it breaks off at once"},
		{name: "mp4: fragmented, cut far behind its first ten seconds", serve: one(sends("video/mp4", head(read("odd/fragments.mp4"), 85))), want: ok, note: "cut short"},
		{name: "mp4: indexed, cut at once", serve: one(sends("video/mp4", head(read("indexed.mp4"), 70))), want: fault, why: "it breaks off at once"},
		{name: "mp4: padded with zeros", serve: one(sends("video/mp4", append(bytes.Clone(mp4), make([]byte, 5000)...))), want: ok},
		{name: "mp4: padded with text", serve: one(sends("video/mp4", append(bytes.Clone(mp4), "<!-- served in 0.1 s -->"...))), want: ok},
		{name: "mp4: cut far behind its first ten seconds", serve: one(sends("video/mp4", head(long, 85))), want: ok, note: "cut short"},
		{name: "mp4: cut within its first ten seconds", serve: one(sends("video/mp4", head(long, 40))), want: fault, why: "it breaks off at once"},
		{name: "mp4: a box that claims more than there is", serve: one(sends("video/mp4", claiming(mp4))), want: ok},
		{name: "mp4: the movie box was at the cut end", serve: one(sends("video/mp4", head(read("plain.mp4"), 70))), want: fault, why: "what tells how to play it is missing"},
		{name: "mp4: cut in the movie box", serve: one(sends("video/mp4", mp4[:600])), want: fault, why: "what tells how to play it is missing"},
		{name: "mp4: only its first bytes", serve: one(sends("video/mp4", mp4[:32])), want: fault, why: "what tells how to play it is missing"},
		{name: "mp4: the body breaks off", serve: fixed(cut(mp4, 8000)), want: fault, why: "the body ends before its length"},
		{name: "mp4: the body of a long one breaks off at its end", serve: func(*testing.T) http.Handler { return cut(long, len(long)-500) }, want: fault, why: "the body ends before its length"},

		{name: "mkv", serve: one(sends("video/x-matroska", mkv)), want: ok},
		{name: "webm", serve: one(sends("video/webm", read("vp9.webm"))), want: ok},
		{name: "mkv: cut", serve: one(sends("video/x-matroska", head(mkv, 70))), want: ok, note: "cut short"},
		{name: "mkv: a long one, cut", serve: one(sends("video/x-matroska", head(longMKV, 60))), want: ok, note: "cut short"},
		{name: "mkv: unknown sizes", serve: one(sends("video/x-matroska", read("odd/live.mkv"))), want: ok},
		{name: "mkv: unknown sizes, cut", serve: one(sends("video/x-matroska", head(read("odd/live.mkv"), 80))), want: ok},
		{name: "mkv: only its header", serve: one(sends("video/x-matroska", mkv[:40])), want: fault, why: "it ends before its tracks"},
		{name: "mkv: padded", serve: one(sends("video/x-matroska", append(bytes.Clone(mkv), make([]byte, 5000)...))), want: ok},
		{name: "mkv: the body breaks off", serve: fixed(cut(mkv, 6000)), want: fault, why: "the body ends before its length"},

		{name: "ts", serve: one(sends("video/mp2t", ts)), want: ok},
		{name: "ts: cut between packets", serve: one(sends("video/mp2t", longTS[:188*(len(longTS)*85/100/188)])), want: ok},
		{name: "ts: cut within a packet", serve: one(sends("video/mp2t", longTS[:188*(len(longTS)*85/100/188)+77])), want: ok},
		{name: "ts: padded with zeros", serve: one(sends("video/mp2t", append(bytes.Clone(ts), make([]byte, 1880)...))), want: ok},
		{name: "ts: begins within a packet", serve: one(sends("video/mp2t", ts[100:])), want: ok},
		{name: "ts: junk first", serve: one(sends("video/mp2t", append(bytes.Repeat([]byte{0, 0xff, 1, 0xfe}, 100), ts...))), want: ok},
		{name: "ts: null packets first", serve: one(sends("video/mp2t", append(bytes.Repeat(append([]byte{0x47, 0x1f, 0xff, 0x10}, bytes.Repeat([]byte{0xff}, 184)...), 400), ts...))), want: ok},
		{name: "ts: behind a PNG", serve: one(sends("image/png", append(bytes.Clone(dot), ts...))), want: ok, note: "picture", why: "ffmpeg takes it for the picture"},
		{name: "ts: behind a GIF", serve: one(sends("image/gif", append(read("odd/dot.gif"), ts...))), want: ok, note: "picture"},
		{name: "ts: behind a JPEG", serve: one(sends("image/jpeg", append(read("odd/dot.jpg"), ts...))), want: ok, note: "picture"},
		{name: "ts: times before each packet", serve: one(sends("video/mp2t", read("odd/film.m2ts"))), want: ok},
		{name: "ts: the body breaks off", serve: fixed(cut(ts, 3000)), want: fault, why: "the body ends before its length"},

		{name: "picture: PNG", serve: one(sends("image/png", dot)), want: unsupported},
		{name: "picture: JPEG", serve: one(sends("image/jpeg", read("odd/dot.jpg"))), want: unsupported},
		{name: "picture: GIF", serve: one(sends("image/gif", read("odd/dot.gif"))), want: unsupported},
		{name: "empty", serve: one(sends("video/mp4", nil)), want: fault, why: "nothing came"},
		{name: "noise", serve: one(sends("video/mp4", random(50000))), want: fault, why: "noise where a container is announced that begins otherwise"},
		{name: "noise without a type", serve: one(sends(binary, random(50000))), want: unsupported, why: "nobody says what it is"},
		{name: "zeros", serve: one(sends(binary, make([]byte, 50000))), want: unsupported, why: "nobody says what it is"},
		{name: "PDF", serve: one(sends("application/pdf", []byte("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<<>>\nendobj\n"))), want: fault, why: "a document where media should be"},
		{name: "ZIP", serve: one(sends("application/zip", append([]byte("PK\x03\x04\x14\x00"), random(2000)...))), want: unsupported, why: "an archive that has to be unpacked"},
		{name: "RAR", serve: one(sends(binary, append([]byte("Rar!\x1a\x07\x00"), random(2000)...))), want: unsupported, why: "an archive that has to be unpacked"},

		{name: "tracker: the other half of a file, as a Mac leaves it", path: "/._film.mp4", serve: one(sends("video/mp4", append([]byte("\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X        "), make([]byte, 4064)...))), want: fault, why: "no media where a container is announced"},
		{name: "tracker: media up to the end of the file", serve: one(sends("video/mp4", openEnded(mp4))), want: ok},

		{name: "type: mp4 as text/html", path: "/film.mp4", serve: one(sends("text/html", mp4)), want: ok},
		{name: "type: mp4 as text/plain", serve: one(sends("text/plain", mp4)), want: ok},
		{name: "type: mp4 as image/jpeg", serve: one(sends("image/jpeg", mp4)), want: ok},
		{name: "type: mkv as video/mp4", path: "/film.mp4", serve: one(sends("video/mp4", mkv)), want: ok},
		{name: "type: ts as video/mp4", path: "/film.mp4", serve: one(sends("video/mp4", ts)), want: ok},
		{name: "type: mp4 named .m3u8", path: "/film.m3u8", serve: one(sends(mimeHLS, mp4)), want: ok},
		{name: "type: mp4 named .html", path: "/film.html", serve: one(sends("text/html", mp4)), want: ok},
		{name: "type: ts named .jpg", path: "/film.jpg", serve: one(sends("image/jpeg", ts)), want: ok},
		{name: "type: avi as video/mp4", path: "/film.mp4", serve: one(sends("video/mp4", read("odd/film.avi"))), want: ok},
		{name: "type: mp3 as video/mp4", path: "/film.mp4", serve: one(sends("video/mp4", read("odd/bare.mp3"))), want: ok},
		{name: "type: aac as video/mp4", path: "/film.mp4", serve: one(sends("video/mp4", read("odd/sound.aac"))), want: ok},
		{name: "type: h264 as video/mp4", path: "/film.mp4", serve: one(sends("video/mp4", read("odd/bare.h264"))), want: ok},
		{name: "type: nut as video/x-matroska", path: "/film.mkv", serve: one(sends("video/x-matroska", read("odd/film.nut"))), want: ok},
		{name: "type: unreadable", serve: one(sends("video/;;=", mp4)), want: ok},
	}
	for name, before := range map[string]string{
		"a byte order mark": "\ufeff", "a warning": "<br />\n<b>Warning</b>:  foo in <b>/x.php</b> on line <b>3</b><br />\n",
		"a page": "<!DOCTYPE html><html><body>ad</body></html>\n", "XML": `<?xml version="1.0"?><a/>`, "the tag of a list": "#EXTM3U\n",
		"a long text": strings.Repeat("served in 0.1 s\n", 99), "a list of channels": "#EXTM3U\n#EXTINF:-1,One\nhttp://h.example/1\n",
	} {
		behind := func(data []byte) []byte { return append([]byte(before), data...) }
		rows = append(rows,
			odd{name: "behind " + name + ": ts", path: "/film.ts", serve: one(sends("video/mp2t", behind(ts))), want: ok, why: "it is there, behind what a server wrote"},
			odd{name: "behind " + name + ": mpg", path: "/film.mpg", serve: one(sends("video/mpeg", behind(read("odd/film.mpg")))), want: ok, why: "it is there, behind what a server wrote"},
			odd{name: "behind " + name + ": mp3", path: "/sound.mp3", serve: one(sends("audio/mpeg", behind(read("odd/bare.mp3")))), want: ok, why: "it is there, behind what a server wrote"},
		)
	}
	for name, tt := range map[string]struct {
		args string
		want sources.Class // unsupported where ffprobe is not let read it
	}{
		"ivf": {"-c:v copy -an -f ivf", ok}, "dv": {"-s 720x576 -r 25 -c:v dvvideo -pix_fmt yuv420p -an -f dv", ok},
		"dts": {"-vn -c:a dca -strict -2 -f dts", ok}, "tta": {"-vn -f tta", ok}, "wavpack": {"-vn -c:a wavpack -f wv", ok},
		"truehd": {"-vn -c:a truehd -strict -2 -f truehd", ok}, "swf": {"-c:v flv -an -f swf", unsupported}, "au": {"-vn -f au", unsupported},
		"y4m": {"-t 0.2 -an -f yuv4mpegpipe", unsupported}, "latm": {"-vn -c:a aac -f latm", unsupported}, "sox": {"-vn -f sox", unsupported},
	} {
		rows = append(rows, odd{name: "type: " + name + " as video/mp4", path: "/film.mp4", serve: func(t *testing.T) http.Handler {
			return one(sends("video/mp4", encoded(t, "av1.mp4", tt.args)))(t)
		}, want: tt.want})
	}
	for _, name := range []string{
		"film.avi", "film.flv", "film.wmv", "film.ogv", "film.3gp", "film.mov", "film.mpg", "film.vob", "film.rm", "film.nut",
		"sound.mp3", "bare.mp3", "sound.aac", "sound.ac3", "sound.flac", "sound.wav", "sound.ogg", "sound.opus", "sound.wma", "sound.m4a",
		"bare.h264", "bare.m4v",
	} {
		rows = append(rows, odd{name: "other: " + name, path: "/" + name, serve: one(sends(binary, read("odd/"+name))), want: ok})
	}
	for _, name := range []string{"film.avi", "film.flv", "film.wmv", "film.mpg"} {
		rows = append(rows, odd{name: "other, cut: " + name, path: "/" + name, serve: one(sends(binary, head(read("odd/"+name), 60))), want: ok, why: "it plays up to the cut, of which it does not tell before"})
	}
	return rows
}

// claiming is a film whose box of media is larger than the file, though nothing of the
// media is missing.
func claiming(film []byte) []byte {
	film = bytes.Clone(film)
	at := bytes.Index(film, []byte("mdat")) - 4
	binary.BigEndian.PutUint32(film[at:], binary.BigEndian.Uint32(film[at:])+5000)
	return film
}

// openEnded is a film whose box of media tells no size: it goes on to the end of the file.
func openEnded(film []byte) []byte {
	film = bytes.Clone(film)
	at := bytes.Index(film, []byte("mdat")) - 4
	binary.BigEndian.PutUint32(film[at:], 0)
	return film
}

// encoded is the film as ffmpeg writes it with args.
func encoded(t *testing.T, film, args string) []byte {
	data, err := exec.CommandContext(t.Context(), needTool(t, "ffmpeg"), slices.Concat(
		[]string{"-v", "error", "-nostdin", "-i", filepath.Join(mediaDir, film)}, strings.Fields(args), []string{"-"})...).Output()
	if err != nil {
		t.Errorf("ffmpeg %s: %v", args, err)
	}
	return data
}
