package mediainfo_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"xship/sources"
	"xship/sources/mediainfo"
)

func random(n int) []byte {
	data := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(data)
	return data
}

// endless serves pattern for ever, whatever range is asked for.
func endless(pattern []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for {
			if _, err := w.Write(pattern); err != nil {
				return
			}
		}
	})
}

func whole(data []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	})
}

// cut announces all of data and sends only its first n bytes.
func cut(data []byte, n int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(data)))
		_, _ = w.Write(data[:n])
		panic(http.ErrAbortHandler)
	})
}

// pages serves texts by path.
func pages(texts map[string]string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := texts[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(text))
	})
}

// ebml is an element with the parts as content.
func ebml(id uint32, parts ...[]byte) []byte {
	content := bytes.Join(parts, nil)
	return append(append(bytes.TrimLeft(u32(int(id)), "\x00"), binary.BigEndian.AppendUint64(nil, 1<<56|uint64(len(content)))...), content...)
}

func TestProbe_hostile(t *testing.T) {
	const (
		ebmlID, segmentID, infoID, tracksID = 0x1a45dfa3, 0x18538067, 0x1549a966, 0x1654ae6b
	)
	header := ebml(ebmlID)
	huge := []byte{1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe} // 2^56-2
	nested := []byte{}
	for range 2000 {
		nested = ebml(0xae, nested)
	}
	ftyp := mp4box("ftyp", []byte("isom"))
	faststart := readMedia(t, "faststart.mp4")
	giant := append(u32(2<<30-1), "moov"...)
	tests := []struct {
		name    string
		handler http.Handler
		want    sources.Class
		say     string // a part of the error
	}{
		{"random bytes", whole(random(1 << 20)), sources.ClassUnsupported, "unknown container"},
		{"an endless stream of zeros", endless(make([]byte, 4096)), sources.ClassUnsupported, "unknown container"},
		{"an endless stream of noise", endless(random(1 << 16)), sources.ClassUnsupported, "unknown container"},
		{"an endless playlist", endless([]byte("#EXTM3U\n#EXTINF:1,\na.ts\n")), sources.ClassUnsupported, "more than"},
		{"an empty body", whole(nil), sources.ClassHosterFault, "empty"},
		{"an HTML page", whole([]byte("<!DOCTYPE html><html><body>Wait 30 seconds</body></html>")), sources.ClassUnsupported, "a web page, and the link does not name media"},
		{"a page about a file that is gone", whole([]byte("<html><h1>File Not Found</h1></html>")), sources.ClassDeadLink, "file not found"},
		{"a Chinese page about a file that is gone", whole([]byte("<html>文件不存在</html>")), sources.ClassDeadLink, "文件不存在"},
		{"a French page about a file that is gone", whole([]byte("<html>Fichier introuvable</html>")), sources.ClassDeadLink, "fichier introuvable"},
		{"a page whose script speaks of what is gone", whole([]byte("<html><script>var m = 'file not found'</script>Wait</html>")), sources.ClassUnsupported, "a web page, and the link does not name media"},
		{"a page for browsers", whole([]byte("<html><title>Just a moment...</title><script src=/cdn-cgi/challenge-platform/x></script>")), sources.ClassUnsupported, "a browser or a captcha"},
		{"a list of channels behind a segment", pages(map[string]string{"/file": "#EXTM3U\n#EXTINF:4,\na.ts\n#EXT-X-ENDLIST\n", "/a.ts": "#EXTM3U\n#EXTINF:4,\nb.ts\n"}), sources.ClassHosterFault, "a list of channels where media should be"},
		{"JSON", whole([]byte(`{"error":"limit"}`)), sources.ClassHosterFault, "JSON where media should be"},
		{"XML", whole([]byte(`<?xml version="1.0"?><Error>AccessDenied</Error>`)), sources.ClassHosterFault, "XML where media should be"},
		{"text", whole([]byte("Too many connections\n")), sources.ClassHosterFault, "text where media should be"},

		{"mp4: the file ends within a picture of the first seconds", whole(faststart[:len(faststart)-9800]), sources.ClassHosterFault, "cut short"},
		{"mp4: the file ends before the movie box", whole(movieAtEnd(t, 1<<20)[:1<<19]), sources.ClassHosterFault, "cut short"},
		{"mp4: the body breaks off", cut(faststart, 3000), sources.ClassHosterFault, "announced"},
		{"mp4: a moov box of 2 GB that is not there", whole(append(ftyp[:len(ftyp):len(ftyp)], giant...)), sources.ClassHosterFault, "cut short"},
		{"mp4: a moov box of 2 GB of zeros", sparse{2 << 30, []place{{0, giant}}}, sources.ClassUnsupported, "no tracks"},
		{"mp4: a moov box of 2 GB of tracks", tracksEverywhere(), sources.ClassUnsupported, "too many requests"},
		{"mp4: an endless moov box", endless(giant), sources.ClassUnsupported, "no tracks"},
		{"mp4: a box that is shorter than its header", whole(append(ftyp[:len(ftyp):len(ftyp)], "\x00\x00\x00\x04freeaaaaaaaaa"...)), sources.ClassUnsupported, "claims"},
		{"mp4: a long size of 0", whole(append(ftyp[:len(ftyp):len(ftyp)], "\x00\x00\x00\x01free\x00\x00\x00\x00\x00\x00\x00\x00"...)), sources.ClassUnsupported, "claims"},
		{"mp4: a box of no size", whole(append(ftyp[:len(ftyp):len(ftyp)], "\x00\x00\x00\x00free\x00\x00\x00\x00"...)), sources.ClassHosterFault, "cut short"},
		{"mp4: a size of 2^63", whole(append(ftyp[:len(ftyp):len(ftyp)], "\x00\x00\x00\x01mdat\xff\xff\xff\xff\xff\xff\xff\xff"...)), sources.ClassUnsupported, "claims"},
		{"mp4: very many small boxes", whole(append(ftyp[:len(ftyp):len(ftyp)], bytes.Repeat(mp4box("free"), 1<<18)...)), sources.ClassUnsupported, "boxes"},

		{"mkv: a size of 2^56", whole(joined(header, []byte{0x18, 0x53, 0x80, 0x67}, huge)), sources.ClassHosterFault, "cut short"},
		{"mkv: tracks of 2^56 bytes", endless(joined(header, []byte{0x18, 0x53, 0x80, 0x67, 0xff, 0x16, 0x54, 0xae, 0x6b}, huge)), sources.ClassUnsupported, "claims"},
		{"mkv: tracks of unknown size", whole(joined(header, []byte{0x18, 0x53, 0x80, 0x67, 0xff, 0x16, 0x54, 0xae, 0x6b, 0xff})), sources.ClassHosterFault, "cut short"},
		{"mkv: deep nesting", whole(joined(header, ebml(segmentID, ebml(infoID), ebml(tracksID, nested)))), sources.ClassUnsupported, "no tracks"},
		{"mkv: only a header", whole(header), sources.ClassHosterFault, "cut short"},
		{"mkv: very many elements", whole(joined(header, ebml(segmentID, bytes.Repeat(ebml(0xec), 1000)))), sources.ClassUnsupported, "elements"},

		{"HLS: a master that is its own variant", pages(map[string]string{"/file": "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nfile\n"}), sources.ClassHosterFault, "points to itself"},
		{"HLS: a circle of masters", pages(map[string]string{
			"/file": "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n/b\n", "/b": "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n/file\n",
		}), sources.ClassHosterFault, "points to itself"},
		{"HLS: masters without end", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = fmt.Fprintf(w, "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n%sx\n", r.URL.Path)
		}), sources.ClassHosterFault, "too many others"},
		{"HLS: empty", whole([]byte("#EXTM3U\n#EXT-X-ENDLIST\n")), sources.ClassHosterFault, "empty"},
		{"HLS: a segment that is gone", pages(map[string]string{"/file": "#EXTM3U\n#EXTINF:4,\ngone.ts\n#EXT-X-ENDLIST\n"}), sources.ClassDeadLink, "404"},
		{"HLS: a page for a segment", pages(map[string]string{"/file": "#EXTM3U\n#EXTINF:4,\na.ts\n#EXT-X-ENDLIST\n", "/a.ts": "<html>no</html>"}), sources.ClassHosterFault, "HTML page"},
		{"HLS: a page for a variant", pages(map[string]string{"/file": "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\na.m3u8\n", "/a.m3u8": "<html>no</html>"}), sources.ClassHosterFault, "HTML page"},
		{"DASH: not well-formed", whole([]byte("<MPD><Period>")), sources.ClassUnsupported, "well-formed"},
		{"DASH: empty", whole([]byte("<MPD></MPD>")), sources.ClassUnsupported, "no tracks"},
		{"another range than asked for", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Range", "bytes 0-7/4096")
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write([]byte("\x00\x00\x08\x00free"))
		}), sources.ClassHosterFault, "asked for bytes from"},
		{"an error of the server", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }), sources.ClassHosterFault, "502"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			url := serve(t, tt.handler) + "/file"
			c := new(client)
			info, err := newProber(mediainfo.Options{Range: c.get}).Probe(ctx, sources.Stream{URL: url})
			if err == nil {
				t.Fatalf("got %+v, want an error", info)
			}
			if got := sources.ClassOf(err); got != tt.want {
				t.Errorf("class: got %s, want %s (%v)", got, tt.want, err)
			}
			if !strings.Contains(err.Error(), tt.say) {
				t.Errorf("error %q does not say %q", err, tt.say)
			}
			if c.requests.Load() > mediainfo.DefaultMaxRequests || c.bytes.Load() > mediainfo.DefaultMaxBytes {
				t.Errorf("took %d requests and %d bytes", c.requests.Load(), c.bytes.Load())
			}
		})
	}
}

func joined(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// tracksEverywhere is a movie box of 2 GB with a track each 16 MB.
func tracksEverywhere() sparse {
	const step = 16 << 20
	s := sparse{2 << 30, []place{{0, append(u32(2<<30-1), "moov"...)}}}
	for off := int64(8); off+step < s.size; off += step {
		s.places = append(s.places, place{off, append(u32(step), "trak"...)})
	}
	return s
}

// A live transport stream has no end, and is fine.
func TestProbe_endlessStream(t *testing.T) {
	got, err := newProber(mediainfo.Options{}).Probe(t.Context(), sources.Stream{URL: serve(t, endless(readMedia(t, "aac.ts")))})
	if err != nil {
		t.Fatal(err)
	}
	if got.Video == nil || got.Video.Codec != "h264" || got.DurationSeconds != 0 || got.SizeBytes != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestProbe_classes(t *testing.T) {
	const url = "https://hoster.example/file.mp4?token=verysecretvalue"
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name string
		get  mediainfo.RangeFunc
		want sources.Class
	}{
		{"cancelled", func(context.Context, string, map[string]string, int64, int64) (mediainfo.Part, error) {
			return mediainfo.Part{}, cancelled.Err()
		}, sources.ClassCancelled},
		{"deadline", func(context.Context, string, map[string]string, int64, int64) (mediainfo.Part, error) {
			return mediainfo.Part{}, context.DeadlineExceeded
		}, sources.ClassHosterFault},
		{"as the request was classified", func(context.Context, string, map[string]string, int64, int64) (mediainfo.Part, error) {
			return mediainfo.Part{}, sources.Errorf(sources.ClassDeadLink, "410")
		}, sources.ClassDeadLink},
		{"panic", func(context.Context, string, map[string]string, int64, int64) (mediainfo.Part, error) {
			panic("oops")
		}, sources.ClassBug},
		{"nobody classified it", func(context.Context, string, map[string]string, int64, int64) (mediainfo.Part, error) {
			return mediainfo.Part{}, io.ErrUnexpectedEOF
		}, sources.ClassBug},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := newProber(mediainfo.Options{Range: tt.get}).Probe(t.Context(), sources.Stream{URL: url})
			if got := sources.ClassOf(err); got != tt.want {
				t.Errorf("got %s, want %s (%v)", got, tt.want, err)
			}
			if strings.Contains(err.Error(), "verysecretvalue") {
				t.Errorf("the error tells a secret: %v", err)
			}
		})
	}
}

func TestProbe_bounds(t *testing.T) {
	url := serve(t, longFile(t, true)) + "/film.mp4"
	t.Run("tracks were found", func(t *testing.T) {
		got, err := newProber(mediainfo.Options{MaxRequests: 2}).Probe(t.Context(), sources.Stream{URL: url})
		if err != nil || len(got.Audio) != 1 {
			t.Errorf("got %+v, %v; want one of two sounds", got, err)
		}
	})
	t.Run("nothing was found", func(t *testing.T) {
		_, err := newProber(mediainfo.Options{MaxBytes: 100}).Probe(t.Context(), sources.Stream{URL: url})
		if got := sources.ClassOf(err); got != sources.ClassUnsupported {
			t.Errorf("got %s (%v)", got, err)
		}
	})
}

// Two connections to one hoster are not mixed up.
func TestProbe_concurrent(t *testing.T) {
	url := serveBytes(t, readMedia(t, "plain.mp4"))
	p := newProber(mediainfo.Options{})
	errs := make(chan error)
	for range 8 {
		go func() {
			info, err := p.Probe(t.Context(), sources.Stream{URL: url})
			if err == nil && len(info.Audio) != 2 {
				err = errors.New("tracks are missing")
			}
			errs <- err
		}()
	}
	for range 8 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// A page is the hoster's fault where the stream was media when it was resolved.
func TestProbe_pageWhereMediaWere(t *testing.T) {
	url := serve(t, whole([]byte("<!DOCTYPE html><html><body>Wait 30 seconds</body></html>"))) + "/d/abc"
	for mime, want := range map[string]sources.Class{"": sources.ClassUnsupported, "video/mp4": sources.ClassHosterFault} {
		if _, err := newProber(mediainfo.Options{}).Probe(t.Context(), sources.Stream{URL: url, MIME: mime}); sources.ClassOf(err) != want {
			t.Errorf("resolved as %q: got %s %v, want %s", mime, sources.ClassOf(err), err, want)
		}
	}
}

// Players play what is there of a file that is cut short, and so its user is told.
func TestProbe_cut(t *testing.T) {
	long, mkv, ts := readMedia(t, "odd/long.mp4"), readMedia(t, "tracks.mkv"), readMedia(t, "aac.ts")
	for name, tt := range map[string]struct {
		data  []byte
		class sources.Class
		notes int
	}{
		"a film without its end":          {long[:len(long)*85/100], sources.ClassOK, 1},
		"a film without but its start":    {long[:len(long)*30/100], sources.ClassHosterFault, 0},
		"Matroska":                        {mkv[:len(mkv)-2000], sources.ClassOK, 1},
		"Matroska, only its tracks":       {mkv[:1500], sources.ClassOK, 1},
		"Matroska, the end in its tracks": {mkv[:300], sources.ClassHosterFault, 0},
		"MPEG-TS says no length":          {ts[:len(ts)-2000], sources.ClassOK, 0},
	} {
		info, err := newProber(mediainfo.Options{}).Probe(t.Context(), sources.Stream{URL: serveBytes(t, tt.data)})
		if sources.ClassOf(err) != tt.class || len(info.Notes) != tt.notes {
			t.Errorf("%s: got %s %v and %q, want %s and %d notes", name, sources.ClassOf(err), err, info.Notes, tt.class, tt.notes)
		}
	}
}
