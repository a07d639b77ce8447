package mediainfo_test

import (
	"bytes"
	"compress/gzip"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf16"

	"xship/sources"
)

const mimeHLS = "application/vnd.apple.mpegurl"

// playlist serves a playlist at /v.m3u8 and what it names.
func playlist(text string, parts hoster) func(*testing.T) http.Handler {
	h := hoster{"/v.m3u8": sends(mimeHLS, []byte(text))}
	for path, answer := range parts {
		h[path] = answer
	}
	return fixed(h)
}

// segments is a VOD playlist of one-second segments.
func segments(uris ...string) string {
	var b strings.Builder
	b.WriteString("#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:0\n")
	for _, uri := range uris {
		b.WriteString("#EXTINF:1.0,\n" + uri + "\n")
	}
	b.WriteString("#EXT-X-ENDLIST\n")
	return b.String()
}

func utf16Text(text string, bigEndian bool) []byte {
	var b []byte
	for _, unit := range append([]uint16{0xfeff}, utf16.Encode([]rune(text))...) {
		if bigEndian {
			b = append(b, byte(unit>>8), byte(unit))
		} else {
			b = append(b, byte(unit), byte(unit>>8))
		}
	}
	return b
}

// theKey is that of encrypted.
var theKey = []byte("0123456789\xff\xfe\x00\x01\x02\x03")

// encrypted is data under AES-128 as RFC 8216 has it, with theKey and a vector of
// zeros.
func encrypted(data []byte) []byte {
	pad := aes.BlockSize - len(data)%aes.BlockSize
	data = append(bytes.Clone(data), bytes.Repeat([]byte{byte(pad)}, pad)...)
	block, err := aes.NewCipher(theKey)
	if err != nil {
		panic(err)
	}
	cipher.NewCBCEncrypter(block, make([]byte, 16)).CryptBlocks(data, data)
	return data
}

func gzipped(data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(data)
	_ = z.Close()
	return b.Bytes()
}

// live serves a window of a list that moves on by four segments each time.
func live(names ...string) answer {
	var asked atomic.Int64
	return func(w http.ResponseWriter, _ *http.Request) {
		first := int(asked.Add(1)-1) * 4
		w.Header().Set("Content-Type", mimeHLS)
		_, _ = fmt.Fprintf(w, "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:%d\n", first)
		for i := range 6 {
			_, _ = fmt.Fprintf(w, "#EXT-X-DISCONTINUITY\n#EXTINF:1.0,\n%s\n", names[min(i, len(names)-1)])
		}
	}
}

func oddPlaylists(t *testing.T) []odd {
	ts, mp4 := readMedia(t, "aac.ts"), readMedia(t, "fragmented.mp4")
	at := bytes.Index(mp4, []byte("moof")) - 4
	init, media := mp4[:at], mp4[at:]
	sound := sends("audio/aac", readMedia(t, "odd/sound.aac"))
	part := func(n int) answer { return sends("video/mp2t", readMedia(t, fmt.Sprintf("odd/hls/s%d.ts", n))) }
	good := sends("video/mp2t", ts)
	vod := func(text string, extra ...any) func(*testing.T) http.Handler {
		parts := hoster{"/a.ts": part(0), "/b.ts": part(1), "/c.ts": part(2), "/d.ts": part(3)}
		for i := 0; i+1 < len(extra); i += 2 {
			parts[extra[i].(string)] = extra[i+1].(answer)
		}
		return playlist(text, parts)
	}
	key := func(attributes string) string {
		return strings.Replace(segments("e.ts"), "#EXTINF", "#EXT-X-KEY:"+attributes+"\n#EXTINF", 1)
	}
	sixteen := sends("application/octet-stream", theKey)
	secret := sends("video/mp2t", encrypted(ts))
	const iv = ",IV=0x00000000000000000000000000000000"
	const master = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=100000,RESOLUTION=128x72\n"
	ok, dead, fault, unsupported := sources.ClassOK, sources.ClassDeadLink, sources.ClassHosterFault, sources.ClassUnsupported
	rows := []odd{
		{name: "playlist", serve: vod(segments("a.ts", "b.ts")), want: ok},
		{name: "playlist: byte order mark", serve: vod("\ufeff" + segments("a.ts")), want: ok, policy: "its m3u8 probe wants the tag first"},
		{name: "playlist: UTF-16 LE", serve: vod(string(utf16Text(segments("a.ts"), false))), want: ok, policy: "its m3u8 probe wants UTF-8"},
		{name: "playlist: UTF-16 BE", serve: vod(string(utf16Text(segments("a.ts"), true))), want: ok, policy: "its m3u8 probe wants UTF-8"},
		{name: "playlist: CR line ends", serve: vod(strings.ReplaceAll(segments("a.ts"), "\n", "\r")), want: ok},
		{name: "playlist: CRLF line ends, blank lines, indented", serve: vod(strings.ReplaceAll(segments("a.ts"), "\n", "\r\n\r\n  ")), want: ok, why: "ffmpeg takes an indented tag for a name"},
		{name: "playlist: blank lines first", serve: vod("\n\n" + segments("a.ts")), want: ok, policy: "its m3u8 probe wants the tag first"},
		{name: "playlist: NUL behind the end", serve: vod(segments("a.ts") + "\x00\x00"), want: ok},
		{name: "playlist: its tag is not the first", serve: vod("#EXT-X-VERSION:3\n" + segments("a.ts")), want: ok, policy: "its m3u8 probe wants the tag first"},
		{name: "playlist: spaces behind colons", serve: vod(strings.NewReplacer("EXTINF:", "EXTINF: ", "DURATION:", "DURATION: ", "VERSION:", "VERSION: ").Replace(segments("a.ts", "b.ts"))), want: ok},
		{name: "playlist: no last line end", serve: vod(strings.TrimSuffix(segments("a.ts", "b.ts"), "\n")), want: ok},
		{name: "playlist: times between EXTINF and the name", serve: vod(strings.ReplaceAll(segments("a.ts", "b.ts"), "#EXTINF:1.0,\n", "#EXTINF:1.0\n#EXT-X-PROGRAM-DATE-TIME:2022-12-22T05:58:45Z\n#EXT-X-BITRATE:722\n")), want: ok},
		{name: "playlist: as text/html", serve: fixed(hoster{"/v.m3u8": sends("text/html", []byte(segments("a.ts"))), "/a.ts": good}), want: ok},
		{name: "playlist: without extension and type", path: "/play", serve: fixed(hoster{"/play": sends("", []byte(segments("a.ts"))), "/a.ts": good}), want: ok},
		{name: "playlist: gzip, and says so", serve: fixed(hoster{"/v.m3u8": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			sends(mimeHLS, gzipped([]byte(segments("a.ts"))))(w, r)
		}, "/a.ts": good}), want: ok},
		{name: "playlist: gzip, and does not say so", serve: fixed(hoster{"/v.m3u8": sends(mimeHLS, gzipped([]byte(segments("a.ts")))), "/a.ts": good}), want: unsupported, why: "nobody can tell that it is a playlist"},

		{name: "DEFINE: NAME and VALUE", serve: vod("#EXTM3U\n#EXT-X-DEFINE:NAME=\"dir\",VALUE=\"sub\"\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n{$dir}/a.ts\n#EXT-X-ENDLIST\n", "/sub/a.ts", good), want: ok, why: "ffmpeg knows no variables"},
		{name: "DEFINE: QUERYPARAM", path: "/v.m3u8?tok=s3", serve: vod("#EXTM3U\n#EXT-X-DEFINE:QUERYPARAM=\"tok\"\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n{$tok}/a.ts\n#EXT-X-ENDLIST\n", "/s3/a.ts", good), want: ok, why: "ffmpeg knows no variables"},
		{name: "DEFINE: IMPORT", serve: vod("#EXTM3U\n#EXT-X-DEFINE:NAME=\"d\",VALUE=\"sub\"\n#EXT-X-STREAM-INF:BANDWIDTH=1\n{$d}.m3u8\n",
			"/sub.m3u8", sends(mimeHLS, []byte("#EXTM3U\n#EXT-X-DEFINE:IMPORT=\"d\"\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n{$d}/a.ts\n#EXT-X-ENDLIST\n")), "/sub/a.ts", good), want: ok, why: "ffmpeg knows no variables"},
		{name: "DEFINE: a variable that nobody defines", serve: vod(segments("{$who}/a.ts")), want: unsupported, why: "the playlist may mean it for a player that knows it"},

		{name: "MAP", serve: playlist("#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:1\n#EXT-X-MAP:URI=\"i.mp4\"\n#EXTINF:1,\nm.m4s\n#EXT-X-ENDLIST\n",
			hoster{"/i.mp4": sends("video/mp4", init), "/m.m4s": sends("video/iso.segment", media)}), want: ok},
		{name: "MAP: byte ranges of one file", serve: playlist(fmt.Sprintf("#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:1\n#EXT-X-MAP:URI=\"all.mp4\",BYTERANGE=\"%d@0\"\n#EXTINF:1,\n#EXT-X-BYTERANGE:%d@%d\nall.mp4\n#EXT-X-ENDLIST\n", len(init), len(media), len(init)),
			hoster{"/all.mp4": sends("video/mp4", mp4)}), want: ok},
		{name: "MAP: missing", serve: playlist("#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:1\n#EXT-X-MAP:URI=\"i.mp4\"\n#EXTINF:1,\nm.m4s\n#EXT-X-ENDLIST\n",
			hoster{"/m.m4s": sends("video/iso.segment", media)}), want: dead, why: "without its initialisation nothing of it can be read"},
		{name: "MAP: a second one behind a missing first", serve: playlist("#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:1\n#EXT-X-MAP:URI=\"gone.mp4\"\n#EXTINF:1,\ngone.m4s\n#EXT-X-DISCONTINUITY\n#EXT-X-MAP:URI=\"i.mp4\"\n#EXTINF:1,\nm.m4s\n#EXT-X-ENDLIST\n",
			hoster{"/i.mp4": sends("video/mp4", init), "/m.m4s": sends("video/iso.segment", media)}), want: ok, why: "ffmpeg gives up at the first segment"},
		{name: "MAP: of MPEG-TS", serve: vod("#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-TARGETDURATION:1\n#EXT-X-MAP:URI=\"a.ts\",BYTERANGE=\"564@0\"\n#EXTINF:1,\na.ts\n#EXT-X-ENDLIST\n"), want: ok},

		{name: "segments: the first is missing", serve: vod(segments("gone.ts", "a.ts", "b.ts")), want: ok},
		{name: "segments: the first is missing, then a discontinuity", serve: vod(strings.Replace(segments("gone.ts", "a.ts", "b.ts"), "gone.ts\n", "gone.ts\n#EXT-X-DISCONTINUITY\n", 1)), want: ok},
		{name: "segments: the first two are missing", serve: vod(segments("gone.ts", "gone2.ts", "a.ts", "b.ts")), want: ok},
		{name: "segments: the first three of seven are missing", serve: vod(segments("g1.ts", "g2.ts", "g3.ts", "a.ts", "b.ts", "c.ts", "d.ts")), want: ok},
		{name: "segments: one in the middle is missing", serve: vod(segments("a.ts", "gone.ts", "b.ts")), want: ok},
		{name: "segments: the last is missing", serve: vod(segments("a.ts", "b.ts", "gone.ts")), want: ok},
		{name: "segments: all are missing", serve: vod(segments("g1.ts", "g2.ts", "g3.ts")), want: dead, why: "the hoster says of all that they are gone"},
		{name: "segments: all answer 500", serve: vod(segments("g1.ts", "g2.ts", "g3.ts"), "", status(500)), want: fault, why: "the hoster fails at all of them"},
		{name: "segments: all answer 403", serve: vod(segments("g1.ts", "g2.ts", "g3.ts"), "", status(403)), want: fault, why: "the hoster refuses all of them"},
		{name: "segments: the first answers 500", serve: vod(segments("bad.ts", "a.ts", "b.ts"), "/bad.ts", status(500)), want: ok},
		{name: "segments: the first is a page", serve: vod(segments("bad.ts", "a.ts", "b.ts"), "/bad.ts", sends("text/html", []byte("<html><title>Sign in</title>"))), want: ok},
		{name: "segments: all are pages", serve: vod(segments("bad.ts", "worse.ts"), "", sends("text/html", []byte("<html><title>Sign in</title>"))), want: fault, why: "pages where media should be"},
		{name: "segments: the first is empty", serve: vod(segments("bad.ts", "a.ts", "b.ts"), "/bad.ts", sends("video/mp2t", nil)), want: ok},
		{name: "segments: cut short", serve: vod(segments("bad.ts"), "/bad.ts", answer(cut(ts, 3000).ServeHTTP)), want: fault, why: "the body ends before its length"},
		{name: "segments: the first announces more than it sends", serve: vod(segments("bad.ts", "a.ts", "b.ts"), "/bad.ts", answer(cut(ts, 3000).ServeHTTP)), want: fault, why: "the body ends before its length"},
		{name: "segments: the first announces a range that it does not send", serve: vod(segments("bad.ts", "a.ts", "b.ts"), "/bad.ts", answer(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Range", "bytes 0-899999/900000")
			w.Header().Set("Content-Length", "900000")
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write(ts[:3000])
			panic(http.ErrAbortHandler)
		})), want: fault, why: "the body ends before its length"},
		{name: "segments: without EXTINF", serve: vod("#EXTM3U\n#EXT-X-TARGETDURATION:1\na.ts\nb.ts\n#EXT-X-ENDLIST\n"), want: ok, policy: "it skips what has no EXTINF"},
		{name: "segments: some without EXTINF", serve: vod("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\na.ts\nb.ts\n#EXT-X-ENDLIST\n"), want: ok},
		{name: "segments: on another host", serve: func(t *testing.T) http.Handler {
			return vod(segments(foreign(t, hoster{"": good}) + "/a.ts"))(t)
		}, want: ok},
		{name: "segments: the first on another host that refuses", serve: func(t *testing.T) http.Handler {
			return vod(segments(foreign(t, hoster{"": status(403)})+"/a.ts", "b.ts", "c.ts"))(t)
		}, want: ok},
		{name: "segments: all on another host that is down", serve: vod(segments("http://127.0.0.1:9/a.ts", "http://127.0.0.1:9/b.ts")), want: fault, why: "nobody could play it; the attempt is the hoster's whose playlist it is"},
		{name: "segments: impossible scheme", serve: vod(segments("gopher9://x/a.ts")), want: unsupported, why: "it cannot be asked as written"},
		{name: "segments: impossible port", serve: vod(segments("http://127.0.0.1:70000/a.ts", "http://127.0.0.1:0/b.ts")), want: unsupported, why: "it cannot be dialled as written"},
		{name: "segments: file scheme", serve: vod(segments("file:///etc/hostname")), want: unsupported, why: "a playlist of the network names no local file"},
		{name: "segments: behind a PNG", serve: vod(segments("p.ts", "q.ts"), "", sends("image/png", append(readMedia(t, "odd/dot.png"), ts...))), want: ok, note: "picture", why: "ffmpeg takes it for the picture"},
		{name: "segments: behind eight bytes of a PNG", serve: vod(segments("p.ts", "q.ts"), "", sends("image/png", append([]byte("\x89PNG\r\n\x1a\n"), ts...))), want: ok, note: "picture", why: "ffmpeg takes it for the picture"},
		{name: "segments: a name that holds an escaped URL", serve: vod(segments("p/https%3A%2F%2Fcdn.example%2Fa.ts%3Fx%3D52.199%26sp%3D1"), "/p/https://cdn.example/a.ts?x=52.199&sp=1", part(0)), want: ok, policy: "its list of extensions"},
		{name: "segments: a name with a raw percent sign", serve: vod(segments("100% a.ts"), "/100% a.ts", part(0)), want: ok, why: "the server of this test refuses what ffmpeg sends unescaped"},
		{name: "segments: for who brings the cookie of the list", serve: fixed(hoster{
			"/v.m3u8": func(w http.ResponseWriter, r *http.Request) {
				http.SetCookie(w, &http.Cookie{Name: "pass", Value: "1", Path: "/"})
				sends(mimeHLS, []byte(segments("a.ts", "b.ts")))(w, r)
			},
			"": func(w http.ResponseWriter, r *http.Request) {
				if _, err := r.Cookie("pass"); err != nil {
					http.Error(w, "no", http.StatusForbidden)
					return
				}
				part(strings.Index("/a.ts/b.ts", r.URL.Path)/len("/a.ts"))(w, r)
			},
		}), want: ok},
		{name: "segments: byte ranges of one file", serve: vod(fmt.Sprintf("#EXTM3U\n#EXT-X-VERSION:4\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n#EXT-X-BYTERANGE:%d@0\nall.ts\n#EXTINF:1,\n#EXT-X-BYTERANGE:%d\nall.ts\n#EXT-X-ENDLIST\n", 50*188, len(ts)-50*188), "/all.ts", good), want: ok},
		{name: "segments: bare AAC", serve: vod(segments("a.aac"), "/a.aac", sends("audio/aac", readMedia(t, "odd/sound.aac"))), want: ok},
		{name: "segments: none", serve: vod("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-ENDLIST\n"), want: fault, why: "the playlist is empty"},

		{name: "key", serve: vod(key(`METHOD=AES-128,URI="k"`+iv), "/k", sixteen, "/e.ts", secret), want: ok},
		{name: "key: another vector than that of the segment", serve: vod(key(`METHOD=AES-128,URI="k",IV=0x000102030405060708090a0b0c0d0e0f`), "/k", sixteen, "/e.ts", secret), want: ok, why: "ffmpeg stops at the first packet, the only one that comes out wrong"},
		{name: "key: in the list", serve: vod(key(`METHOD=AES-128,URI="data:application/octet-stream;base64,`+base64.StdEncoding.EncodeToString(theKey)+`"`+iv), "/e.ts", secret), want: ok, policy: "its list of extensions"},
		{name: "key: with a line end behind it", serve: vod(key(`METHOD=AES-128,URI="k"`+iv), "/k", sends("", append(bytes.Clone(theKey), '\n')), "/e.ts", secret), want: ok},
		{name: "key: too short", serve: vod(key(`METHOD=AES-128,URI="k"`+iv), "/k", sends("", theKey[:8]), "/e.ts", secret), want: fault, why: "what is half a key opens nothing"},
		{name: "key: missing", serve: vod(key(`METHOD=AES-128,URI="k"`+iv), "/e.ts", secret), want: dead, why: "without its key nothing of it can be read"},
		{name: "key: 500", serve: vod(key(`METHOD=AES-128,URI="k"`+iv), "/k", status(500), "/e.ts", secret), want: fault, why: "the hoster fails at the key"},
		{name: "key: 403", serve: vod(key(`METHOD=AES-128,URI="k"`+iv), "/k", status(403), "/e.ts", secret), want: fault, why: "the hoster refuses the key"},
		{name: "key: a page", serve: vod(key(`METHOD=AES-128,URI="k"`+iv), "/k", sends("text/html", []byte("<!DOCTYPE html><html><title>Sign in</title>")), "/e.ts", secret), want: fault, why: "a page where the key should be"},
		{name: "key: segments gone", serve: vod(key(`METHOD=AES-128,URI="k"`+iv), "/k", sixteen), want: dead, why: "all segments are gone"},
		{name: "key: segments 500", serve: vod(key(`METHOD=AES-128,URI="k"`+iv), "/k", sixteen, "/e.ts", status(500)), want: fault, why: "the hoster fails at the segments"},
		{name: "key: key and segments 500", serve: vod(key(`METHOD=AES-128,URI="k"`+iv), "", status(500)), want: fault, why: "the hoster fails at everything"},
		{name: "key: file scheme", serve: vod(key(`METHOD=AES-128,URI="file:///etc/hostname"`+iv), "/e.ts", secret), want: unsupported, why: "a playlist of the network names no local file"},
		{name: "key: no URI", serve: vod(key(`METHOD=AES-128`), "/e.ts", secret), want: unsupported, why: "a key that the playlist does not name"},
		{name: "key: NONE", serve: vod(strings.Replace(segments("a.ts"), "#EXTINF", "#EXT-X-KEY:METHOD=NONE\n#EXTINF", 1)), want: ok},
		{name: "key: SAMPLE-AES by a licence", serve: vod(key(`METHOD=SAMPLE-AES,URI="skd://licence",KEYFORMAT="com.apple.streamingkeydelivery"`), "/e.ts", good), want: unsupported, why: "a copy protection that no player without its licence can open"},
		{name: "key: SAMPLE-AES with a key", serve: vod(key(`METHOD=SAMPLE-AES,URI="k"`+iv), "/k", sixteen, "/e.ts", good), want: ok, why: "the segment of this test is not encrypted, and ffmpeg decrypts it"},

		{name: "live", serve: fresh(func() hoster { return hoster{"/v.m3u8": live("s.aac"), "/s.aac": sound} }), want: ok},
		{name: "live: older segments are gone", serve: fresh(func() hoster { return hoster{"/v.m3u8": live("g.ts", "g.ts", "s.aac"), "/s.aac": sound} }), want: ok},
		{name: "live: all segments are gone", serve: fresh(func() hoster { return hoster{"/v.m3u8": endedAfter(3, live("g.ts"))} }), want: dead, why: "the hoster says of all that they are gone"},
		{name: "live: all segments 500", serve: fresh(func() hoster { return hoster{"/v.m3u8": endedAfter(3, live("g.ts")), "/g.ts": status(500)} }), want: fault, why: "the hoster fails at all of them"},

		{name: "master", serve: vod(master+"x.m3u8\n", "/x.m3u8", sends(mimeHLS, []byte(segments("a.ts")))), want: ok},
		{name: "master: one dead variant", serve: vod(master+"gone.m3u8\n"+strings.TrimPrefix(master, "#EXTM3U\n")+"x.m3u8\n", "/x.m3u8", sends(mimeHLS, []byte(segments("a.ts")))), want: ok},
		{name: "master: four dead variants before a good one", serve: vod("#EXTM3U\n"+
			strings.Repeat("#EXT-X-STREAM-INF:BANDWIDTH=900000,RESOLUTION=1920x1080\ngone.m3u8\n", 4)+"#EXT-X-STREAM-INF:BANDWIDTH=100000,RESOLUTION=128x72\nx.m3u8\n",
			"/x.m3u8", sends(mimeHLS, []byte(segments("a.ts")))), want: ok},
		{name: "master: all variants dead", serve: vod(master + "gone.m3u8\n" + strings.TrimPrefix(master, "#EXTM3U\n") + "gone2.m3u8\n"), want: dead, why: "all that it names is gone"},
		{name: "master: a variant dead, another 500", serve: vod(master+"gone.m3u8\n"+strings.TrimPrefix(master, "#EXTM3U\n")+"bad.m3u8\n", "/bad.m3u8", status(500)), want: fault, why: "not all of it is gone: the hoster fails at the rest"},
		{name: "master: a variant is a page", serve: vod(master+"p.m3u8\n"+strings.TrimPrefix(master, "#EXTM3U\n")+"x.m3u8\n", "/p.m3u8", sends("text/html", []byte("<html>no")), "/x.m3u8", sends(mimeHLS, []byte(segments("a.ts")))), want: ok},
		{name: "master: lists itself", serve: vod(master + "v.m3u8\n"), want: fault, why: "the playlist points to itself"},
		{name: "tracker: MAP between EXTINF and the name", serve: playlist("#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n#EXT-X-MAP:URI=\"i.mp4\"\nm.m4s\n#EXT-X-ENDLIST\n",
			hoster{"/i.mp4": sends("video/mp4", init), "/m.m4s": sends("video/iso.segment", media)}), want: ok},
		{name: "tracker: BYTERANGE before EXTINF", serve: vod(fmt.Sprintf("#EXTM3U\n#EXT-X-VERSION:4\n#EXT-X-TARGETDURATION:1\n#EXT-X-BYTERANGE:%d@0\n#EXTINF:1,\nall.ts\n#EXT-X-BYTERANGE:%d@%[1]d\n#EXTINF:1,\nall.ts\n#EXT-X-ENDLIST\n", 50*188, len(ts)-50*188), "/all.ts", good), want: ok},
		{name: "tracker: EXTINF without a comma, unknown tags", serve: vod(strings.ReplaceAll(strings.ReplaceAll(segments("a.ts", "b.ts"), "1.0,", "1"), "#EXT-X-MEDIA", "#ID3-EQUIV-TDTG:2015-09-04T09:15:53\n#EXT-X-TWITCH-ELAPSED-SECS:17390.066\n#EXT-X-MEDIA")), want: ok},
		{name: "tracker: an EXTINF without a name at the end", serve: vod("#EXTM3U\n#EXT-X-ALLOW-CACHE:NO\n#EXT-X-TARGETDURATION:10\n\n#EXTINF:10,ciao\na.ts\n#EXTINF:10,ciao\n#EXT-X-ENDLIST\n"), want: ok},
		{name: "tracker: a list behind a redirect, its key beside the target", path: "/at/list.m3u8", serve: fixed(hoster{
			"/at/list.m3u8": redirect("/cdn/live/list.m3u8"), "/cdn/live/list.m3u8": sends(mimeHLS, []byte(key(`METHOD=AES-128,URI="K8.key"`+iv))),
			"/cdn/live/K8.key": sixteen, "/cdn/live/e.ts": secret,
		}), want: ok},
		{name: "tracker: a SESSION-KEY that is gone", serve: vod("#EXTM3U\n#EXT-X-SESSION-KEY:METHOD=AES-128,URI=\"gone.key\"\n"+strings.TrimPrefix(master, "#EXTM3U\n")+"x.m3u8\n",
			"/x.m3u8", sends(mimeHLS, []byte(key(`METHOD=AES-128,URI="k"`+iv))), "/k", sixteen, "/e.ts", secret), want: ok},
		{name: "tracker: variants that want the query of the list", path: "/v.m3u8?token=1", serve: fixed(hoster{
			"/v.m3u8": sends(mimeHLS, []byte(master+"x.m3u8\n")),
			"/x.m3u8": func(w http.ResponseWriter, r *http.Request) {
				if r.URL.RawQuery == "" {
					http.Error(w, "no token", http.StatusForbidden)
					return
				}
				sends(mimeHLS, []byte(segments("a.ts")))(w, r)
			}, "/a.ts": good,
		}), want: fault, why: "the list does not name it, and players add none"},
		{name: "channels", serve: vod("#EXTM3U\n#EXTINF:-1,One\nhttp://127.0.0.1:9/live\n"), want: fault, why: "a list of channels where media should be"},
	}
	for i := range rows {
		if rows[i].path == "" {
			rows[i].path = "/v.m3u8"
		}
	}
	return rows
}

// endedAfter ends a live list after n answers, so that its player gives up.
func endedAfter(n int64, list answer) answer {
	var asked atomic.Int64
	return func(w http.ResponseWriter, r *http.Request) {
		list(w, r)
		if asked.Add(1) >= n {
			_, _ = w.Write([]byte("#EXT-X-ENDLIST\n"))
		}
	}
}
