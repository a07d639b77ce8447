package direct_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/link"
	"xship/sources/resolver/direct"
	"xship/sources/sourcetest"
	"xship/sources/sourcetest/world"
)

func now() time.Time { return time.Unix(1_700_000_000, 0) }

func newResolver(t *testing.T) *direct.Resolver {
	t.Helper()
	c := fetch.New(fetch.Options{})
	t.Cleanup(c.CloseIdleConnections)
	return direct.New(c, now)
}

func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL
}

// packets is the start of an MPEG-TS file.
func packets(extra int) string {
	one := strings.Repeat("\x00", extra) + "\x47" + strings.Repeat("\x01", 187)
	return strings.Repeat(one, 4)
}

const noise = "\x07\x81\x00\x02noise\xff\xfe\x00"

// bodies are files by what their first bytes say.
var bodies = map[string]struct {
	body  string
	mime  string        // of media
	class sources.Class // of what is none
	text  string        // in its error
}{
	"mp4":              {"\x00\x00\x00\x20ftypisom\x00\x00\x02\x00", "video/mp4", "", ""},
	"mp4 with moov":    {"\x00\x00\x10\x20moov\x00\x00\x00\x6cmvhd", "video/mp4", "", ""},
	"quicktime":        {"\x00\x00\x00\x14ftypqt  \x00\x00\x02\x00", "video/quicktime", "", ""},
	"m4a":              {"\x00\x00\x00\x14ftypM4A \x00\x00\x02\x00", "audio/mp4", "", ""},
	"mkv":              {"\x1a\x45\xdf\xa3\xa3\x42\x86\x81\x01\x42\x82\x88matroska", "video/x-matroska", "", ""},
	"webm":             {"\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84webm", "video/webm", "", ""},
	"ts":               {packets(0), "video/mp2t", "", ""},
	"m2ts":             {packets(4), "video/mp2t", "", ""},
	"flv":              {"FLV\x01\x05\x00\x00\x00\x09", "video/x-flv", "", ""},
	"avi":              {"RIFF\x10\x00\x00\x00AVI LIST\x00", "video/x-msvideo", "", ""},
	"wav":              {"RIFF\x10\x00\x00\x00WAVEfmt \x00", "audio/wav", "", ""},
	"ogg":              {"OggS\x00\x02\x00\x00", "video/ogg", "", ""},
	"mp3":              {"ID3\x04\x00\x00", "audio/mpeg", "", ""},
	"wmv":              {"\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9", "video/x-ms-asf", "", ""},
	"mpeg":             {"\x00\x00\x01\xba\x44\x00", "video/mpeg", "", ""},
	"hls":              {"\ufeff#EXTM3U\n#EXT-X-VERSION:3\n#EXTINF:4,\na.ts\n", "application/vnd.apple.mpegurl", "", ""},
	"dash":             {"<?xml version=\"1.0\"?>\n<!-- a --><MPD type=\"static\">", "application/dash+xml", "", ""},
	"dash, comment":    {"<!-- a -->\n<MPD type=\"static\">", "application/dash+xml", "", ""},
	"smooth":           {"<?xml version=\"1.0\"?><SmoothStreamingMedia MajorVersion=\"2\">", "application/vnd.ms-sstr+xml", "", ""},
	"channels":         {"#EXTM3U\n#EXTINF:-1,One\nhttp://127.0.0.1:9/live.m3u8\n", "", sources.ClassHosterFault, "a list of channels"},
	"page":             {"<!DOCTYPE html><html><title>Welcome</title><p>Sign in", "", sources.ClassUnsupported, `a web page, and the link does not name media: HTML page "Welcome"`},
	"page of scripts":  {"<html><script>var m = 'File not found'</script><p>hi", "", sources.ClassUnsupported, "a web page, and the link does not name media"},
	"removed":          {"<html><h1>File Not Found</h1><p>it expired", "", sources.ClassDeadLink, `it says "file not found"`},
	"removed, german":  {"<html><p>Diese Datei wurde gelöscht.", "", sources.ClassDeadLink, "datei wurde gelöscht"},
	"removed, json":    {`{"code": 404, "msg": "文件不存在"}`, "", sources.ClassDeadLink, "文件不存在"},
	"challenge":        {"<html><title>Just a moment...</title><script src=/cdn-cgi/challenge-platform/x>", "", sources.ClassUnsupported, "a browser or a captcha"},
	"json":             {`{"code": 1}`, "", sources.ClassHosterFault, "JSON where media should be"},
	"text":             {"please pay", "", sources.ClassHosterFault, "text where media should be: please pay"},
	"text, encoded":    {"\xc4\xfa\xba\xc3\xa3\xac\xca\xc0\xbd\xe7", "", sources.ClassHosterFault, "text where media should be"},
	"picture":          {"\x89PNG\r\n\x1a\n\x00", "", sources.ClassUnsupported, "a picture"},
	"webp":             {"RIFF\x10\x00\x00\x00WEBPVP8 \x00", "", sources.ClassUnsupported, "a picture"},
	"behind a picture": {"\x89PNG\r\n\x1a\n\x00" + packets(0), "video/mp2t", "", ""},
	"begins within":    {strings.Repeat("\x02", 99) + packets(0) + packets(0), "video/mp2t", "", ""},
	"hls, UTF-16":      {"\xff\xfe#\x00E\x00X\x00T\x00M\x003\x00U\x00\n\x00#\x00E\x00X\x00T\x00-\x00X\x00-\x00", "application/vnd.apple.mpegurl", "", ""},
	"hls, NUL":         {"#EXTM3U\n#EXT-X-ENDLIST\n\x00\x00", "application/vnd.apple.mpegurl", "", ""},
	"zip":              {"PK\x03\x04\x14\x00", "", sources.ClassUnsupported, "a ZIP archive"},
	"torrent":          {"d8:announce3:abc", "", sources.ClassUnsupported, "a torrent"},
	"empty":            {"", "", sources.ClassHosterFault, "the file is empty"},
	"noise":            {noise, "", sources.ClassUnsupported, "unknown data"},
}

// TestResolve_page tells a link that is a page, as its hoster means it to be, from a
// page that stands where media was or should be: only the second is the hoster's fault.
func TestResolve_page(t *testing.T) {
	const page = "<!DOCTYPE html><html><title>Download</title><p>Wait 30 seconds"
	body := page
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(body))
	})
	r := newResolver(t)
	tests := []struct {
		name, path, body string
		state            sources.State
		class            sources.Class
	}{
		{"a page of a hoster", "/f/abc", page, sources.StateFound, sources.ClassUnsupported},
		{"nobody says what it was", "/f/abc", page, "", sources.ClassUnsupported},
		{"one that gave media before", "/f/abc", page, sources.StateProbed, sources.ClassHosterFault},
		{"one that was resolved before", "/f/abc", page, sources.StateResolved, sources.ClassHosterFault},
		{"named like media", "/f/abc.mp4", page, sources.StateFound, sources.ClassHosterFault},
		{"named like a manifest", "/f/abc.m3u8", page, sources.StateFound, sources.ClassHosterFault},
		{"a page that says it is gone", "/f/abc", "<html>File not found", sources.StateFound, sources.ClassDeadLink},
		{"no page", "/f/abc", "please pay", sources.StateFound, sources.ClassHosterFault},
		{"an empty file", "/f/abc", "", sources.StateFound, sources.ClassHosterFault},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			body = tt.body
			_, err := r.Resolve(t.Context(), sources.Source{URL: url + tt.path, State: tt.state})
			if sources.ClassOf(err) != tt.class {
				t.Errorf("got %s %v, want %s", sources.ClassOf(err), err, tt.class)
			}
			if needs, ok := errors.AsType[*sources.NeedsError](err); ok != (tt.class == sources.ClassUnsupported) || ok && needs.Needs != sources.NeedsAccount {
				t.Errorf("the list is told that it needs %+v", needs)
			}
			if tt.class == sources.ClassUnsupported && (!errors.Is(err, sources.ErrPage) || !strings.Contains(err.Error(), "needs an account")) {
				t.Errorf("it does not say what it needs: %v", err)
			}
		})
	}
}

func TestResolveSniffs(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.Header.Get("Range") == "" {
			t.Errorf("%s with Range %q, want a ranged GET", r.Method, r.Header.Get("Range"))
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(bodies[r.URL.Query().Get("is")].body))
	})
	r := newResolver(t)
	for name, tt := range bodies {
		t.Run(name, func(t *testing.T) {
			link := url + "/get?is=" + strings.ReplaceAll(name, " ", "%20")
			stream, err := r.Resolve(t.Context(), sources.Source{URL: link})
			check := r.Check(t.Context(), sources.Stream{URL: link})
			if tt.mime != "" {
				if want := (sources.Stream{URL: link, MIME: tt.mime}); err != nil || !cmp.Equal(stream, want) {
					t.Errorf("got %+v, %v, want %+v", stream, err, want)
				}
				if check != nil {
					t.Errorf("as a stream: %v", check)
				}
				return
			}
			if sources.ClassOf(err) != tt.class || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("got %s %v, want %s %q", sources.ClassOf(err), err, tt.class, tt.text)
			}
			if sources.ClassOf(check) != tt.class {
				t.Errorf("as a stream: %v", check)
			}
		})
	}
}

// TestResolveUnknownData checks what is believed of data without a magic.
func TestResolveUnknownData(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", r.URL.Query().Get("type"))
		_, _ = io.WriteString(w, noise)
	})
	r := newResolver(t)
	for link, want := range map[string]string{
		"/a.rm?type=application/octet-stream":  "application/vnd.rn-realmedia",
		"/a?type=video/mp2t%3Bcharset=x":       "video/mp2t",
		"/A.WMA?type=":                         "audio/x-ms-wma",
		"/a.mkv?type=application/octet-stream": "", // it would start otherwise
		"/a?type=video/mp4":                    "",
		"/a.exe?type=application/octet-stream": "",
		"/a.m3u8?type=text/plain":              "",
	} {
		stream, err := r.Resolve(t.Context(), sources.Source{URL: url + link})
		if (err == nil) != (want != "") || stream.MIME != want {
			t.Errorf("%s: got %q, %v, want %q", link, stream.MIME, err, want)
		}
	}
}

func TestResolveStream(t *testing.T) {
	type seen struct{ agent, referer, auth, kodi string }
	var (
		mu  sync.Mutex
		got seen
	)
	media := func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		got = seen{r.UserAgent(), r.Referer(), r.Header.Get("Authorization"), r.Header.Get("Seekable")}
		mu.Unlock()
		_, _ = io.WriteString(w, bodies["mp4"].body)
	}
	far := strings.Replace(serve(t, media), "127.0.0.1", "localhost", 1)
	near := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/near":
			http.Redirect(w, r, "/media", http.StatusFound)
		case "/far":
			http.Redirect(w, r, far+"/node7?Expires=1700003600", http.StatusFound)
		default:
			media(w, r)
		}
	})
	tests := []struct {
		name   string
		src    sources.Source
		stream sources.Stream
		seen   seen
	}{
		{
			"headers behind the link win",
			sources.Source{URL: near + "/a?e=1700003600|User-Agent=K%2F1&Seekable=0", Headers: map[string]string{"user-agent": "S", "referer": "http://r/"}},
			sources.Stream{URL: near + "/a?e=1700003600", Headers: map[string]string{"User-Agent": "K/1", "Referer": "http://r/"}, ExpiresAt: time.Unix(1_700_003_600, 0)},
			seen{agent: "K/1", referer: "http://r/"},
		},
		{
			"a redirect within the hoster",
			sources.Source{URL: near + "/near", Headers: map[string]string{"Authorization": "s3cr3t"}},
			sources.Stream{URL: near + "/near", Headers: map[string]string{"Authorization": "s3cr3t"}},
			seen{agent: fetch.DefaultUserAgent, auth: "s3cr3t"},
		},
		{
			"a redirect to another hoster",
			sources.Source{URL: near + "/far", Headers: map[string]string{"Referer": "http://r/"}},
			sources.Stream{URL: near + "/far", Headers: map[string]string{"Referer": "http://r/"}},
			seen{agent: fetch.DefaultUserAgent},
		},
		{
			"a secret and a redirect to another hoster",
			sources.Source{URL: near + "/far", Headers: map[string]string{"authorization": "s3cr3t", "User-Agent": "S"}},
			sources.Stream{URL: far + "/node7?Expires=1700003600", Headers: map[string]string{"User-Agent": "S"}, ExpiresAt: time.Unix(1_700_003_600, 0)},
			seen{agent: "S"},
		},
	}
	r := newResolver(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			stream, err := r.Resolve(t.Context(), tt.src)
			if err != nil {
				t.Fatal(err)
			}
			tt.stream.MIME = "video/mp4"
			if diff := cmp.Diff(tt.stream, stream); diff != "" {
				t.Errorf("stream (-want +got):\n%s", diff)
			}
			mu.Lock()
			defer mu.Unlock()
			if got != tt.seen {
				t.Errorf("the hoster saw %+v, want %+v", got, tt.seen)
			}
		})
	}
}

func TestResolveIsNotResponsible(t *testing.T) {
	r := newResolver(t)
	for _, src := range []sources.Source{
		{URL: "http://h.example/a.html", Unplayable: "needs a parser"},
		{URL: "/etc/hostname", Unplayable: "unsupported scheme: "},
		{URL: "magnet:?xt=urn:btih:00"},
		{URL: "rtmp://h.example/a"},
		{URL: "films/a.mp4"},
		{URL: "file://server.example/films/a.mp4"},
		{URL: "file:films/a.mp4"},
		{},
	} {
		if _, err := r.Resolve(t.Context(), src); !errors.Is(err, sources.ErrNotResponsible) {
			t.Errorf("%+v: got %v", src, err)
		}
	}
}

func TestResolveStrm(t *testing.T) {
	var secret atomic.Pointer[string]
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		base := "http://" + r.Host
		switch r.URL.Path {
		case "/film.strm":
			_, _ = io.WriteString(w, "\ufeff\r\n#KODIPROP:inputstream=inputstream.adaptive\r\n"+base+"/film.mp4|Referer=http%3A%2F%2Fr%2F\r\n")
		case "/two.strm":
			_, _ = io.WriteString(w, base+"/film.strm")
		case "/three.strm":
			_, _ = io.WriteString(w, base+"/two.strm")
		case "/self.strm":
			_, _ = io.WriteString(w, base+"/self.strm")
		case "/file.strm":
			_, _ = io.WriteString(w, "/etc/hostname\n")
		case "/plugin.strm":
			_, _ = io.WriteString(w, "plugin://plugin.video.x/?a=1\n")
		case "/film.mp4":
			got := r.Header.Get("X-Secret")
			secret.Store(&got)
			_, _ = io.WriteString(w, bodies["mp4"].body)
		}
	})
	local := filepath.Join(t.TempDir(), "film.strm")
	if err := os.WriteFile(local, []byte(url+"/film.mp4|Referer=http%3A%2F%2Fr%2F"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := newResolver(t)
	want := sources.Stream{URL: url + "/film.mp4", Headers: map[string]string{"Referer": "http://r/"}, MIME: "video/mp4"}
	for _, link := range []string{url + "/film.strm", url + "/two.strm", local} {
		got, err := r.Resolve(t.Context(), sources.Source{URL: link, Headers: map[string]string{"X-Secret": "s3cr3t"}})
		if err != nil {
			t.Errorf("%s: %v", link, err)
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", link, diff)
		}
		if *secret.Load() != "" {
			t.Errorf("%s: a header of the .strm file went to what it names", link)
		}
	}
	for _, link := range []string{"/three.strm", "/self.strm", "/file.strm", "/plugin.strm"} {
		if _, err := r.Resolve(t.Context(), sources.Source{URL: url + link}); sources.ClassOf(err) != sources.ClassUnsupported {
			t.Errorf("%s: got %v", link, err)
		}
	}
	if err := r.Check(t.Context(), sources.Stream{URL: url + "/film.strm"}); sources.ClassOf(err) != sources.ClassHosterFault {
		t.Errorf("a .strm file as a stream: %v", err)
	}
}

func TestResolveLocal(t *testing.T) {
	dir := t.TempDir()
	write := func(name, body string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	film, odd := write("film.mkv", bodies["mkv"].body), write("a|b ü.mp4", bodies["mp4"].body)
	r := newResolver(t)
	for link, want := range map[string]sources.Stream{
		film:             {URL: film, MIME: "video/x-matroska"},
		"file://" + film: {URL: film, MIME: "video/x-matroska"},
		odd:              {URL: odd, MIME: "video/mp4"},
		"file://localhost" + strings.NewReplacer(" ", "%20", "|", "%7C").Replace(odd): {URL: odd, MIME: "video/mp4"},
	} {
		got, err := r.Resolve(t.Context(), sources.Source{URL: link})
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", link, err, diff)
		}
		if err := r.Check(t.Context(), got); err != nil {
			t.Errorf("%s: as a stream: %v", link, err)
		}
	}
	for link, want := range map[string]sources.Class{
		filepath.Join(dir, "none.mkv"):            sources.ClassDeadLink,
		dir:                                       sources.ClassUnsupported,
		os.DevNull:                                sources.ClassUnsupported,
		write("notes.mp4", "buy milk"):            sources.ClassHosterFault,
		write("film.zip", bodies["zip"].body):     sources.ClassUnsupported,
		write("film.html", "<html><p>a film"):     sources.ClassUnsupported,
		write("empty.mp4", ""):                    sources.ClassHosterFault,
		"file://" + filepath.Join(dir, "%2e.mp4"): sources.ClassDeadLink,
	} {
		if _, err := r.Resolve(t.Context(), sources.Source{URL: link}); sources.ClassOf(err) != want {
			t.Errorf("%s: got %s %v, want %s", link, sources.ClassOf(err), err, want)
		}
	}
}

func TestReadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(path, []byte("0123456789"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		off, n int64
		want   string
	}{{0, 4, "0123"}, {8, 4, "89"}, {10, 4, ""}, {99, 4, ""}} {
		got, size, err := direct.ReadFile(t.Context(), path, tt.off, tt.n)
		if err != nil || string(got) != tt.want || size != 10 {
			t.Errorf("%d bytes from %d: got %q of %d, %v, want %q", tt.n, tt.off, got, size, err, tt.want)
		}
	}
}

func TestResolveWorld(t *testing.T) {
	w := sourcetest.StartWorld(t, world.Config{})
	h, err := w.AddHoster("hoster")
	if err != nil {
		t.Fatal(err)
	}
	r := newResolver(t)
	want := map[world.Mode]sources.Class{
		world.ModeOK: sources.ClassOK, world.ModeNoRange: sources.ClassOK,
		world.Mode403: sources.ClassHosterFault, world.Mode404: sources.ClassDeadLink, world.Mode410: sources.ClassDeadLink,
		world.Mode500: sources.ClassHosterFault, world.Mode503: sources.ClassHosterFault,
		world.ModeHTML: sources.ClassHosterFault, world.ModeM3U: sources.ClassHosterFault, world.ModeBadJSON: sources.ClassHosterFault,
		world.ModeReset: sources.ClassHosterFault, world.ModeTruncated: sources.ClassHosterFault, world.ModeEmpty: sources.ClassHosterFault,
		world.ModeHang: sources.ClassHosterFault,
		world.Mode429:  sources.ClassHosterFault,
	}
	for _, mode := range world.Modes() {
		class, ok := want[mode]
		if !ok || mode == world.Mode429 { // the last: it asks for a pause
			continue
		}
		checkMode(t, r, h, mode, class)
	}
	checkMode(t, r, h, world.Mode429, want[world.Mode429])
	if _, err := r.Resolve(t.Context(), sources.Source{URL: h.URL("player.html")}); sources.ClassOf(err) != sources.ClassCancelled {
		t.Errorf("during the pause: %v", err)
	}
}

// TestBadBesideGood has one link of each bad kind beside a good one of the same hoster:
// what cannot be dialled as written is nobody's fault, and no link speaks for another.
func TestBadBesideGood(t *testing.T) {
	w, err := world.Start(t.Context(), world.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	h, err := w.AddHoster("hoster")
	if err != nil {
		t.Fatal(err)
	}
	r := newResolver(t)
	files := map[world.Mode]sources.Class{
		world.Mode404: sources.ClassDeadLink, world.Mode410: sources.ClassDeadLink, world.Mode500: sources.ClassHosterFault,
		world.ModeReset: sources.ClassHosterFault, world.ModeTruncated: sources.ClassHosterFault, world.ModeHTML: sources.ClassHosterFault,
		world.ModeLogin: sources.ClassHosterFault, world.ModeEmpty: sources.ClassHosterFault,
	}
	links := map[string]sources.Class{
		"http://" + h.IP() + ":0/film.mp4":     sources.ClassUnsupported,
		"http://" + h.IP() + ":70000/film.mp4": sources.ClassUnsupported,
		"http://" + h.IP() + ":http/film.mp4":  sources.ClassUnsupported,
		"http://" + h.IP() + ":9/film.mp4":     sources.ClassHosterFault, // nobody listens
		"https://" + h.Addr() + "/film.mp4":    sources.ClassHosterFault, // no TLS is spoken there
		h.URL("film.m3u8"):                     sources.ClassOK,
	}
	for mode, want := range files {
		name := string(mode) + ".mp4"
		h.SetFileMode(name, mode)
		links[h.URL(name)] = want
	}
	for url, want := range links {
		if _, err := r.Resolve(t.Context(), sources.Source{URL: url}); sources.ClassOf(err) != want {
			t.Errorf("%s: got %s %v, want %s", url, sources.ClassOf(err), err, want)
		}
		if _, err := r.Resolve(t.Context(), sources.Source{URL: h.URL("good.mp4")}); err != nil {
			t.Errorf("a good link after %s: %v", url, err)
		}
	}
}

func checkMode(t *testing.T, r *direct.Resolver, h *world.Hoster, mode world.Mode, want sources.Class) {
	t.Helper()
	h.SetMode(mode)
	ctx := t.Context()
	if mode == world.ModeHang {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, 30*time.Millisecond)
		defer cancel()
	}
	_, err := r.Resolve(ctx, sources.Source{URL: h.URL("film.mp4")})
	if sources.ClassOf(err) != want {
		t.Errorf("%s: got %s %v, want %s", mode, sources.ClassOf(err), err, want)
	}
}

// TestCheckOfAPage has links whose name says nothing: where media were once, a page is
// the hoster's fault.
func TestCheckOfAPage(t *testing.T) {
	long := "<html><script>" + strings.Repeat("// a long head of a page\n", 1000) + "</script>"
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, map[string]string{"/d/page": long + "<p>Sign in", "/d/gone": long + "<h1>File not found</h1>"}[r.URL.Path])
	})
	r := newResolver(t)
	for link, want := range map[string][2]sources.Class{
		"/d/page": {sources.ClassUnsupported, sources.ClassHosterFault},
		"/d/gone": {sources.ClassDeadLink, sources.ClassDeadLink}, // behind a head of any length
	} {
		_, err := r.Resolve(t.Context(), sources.Source{URL: url + link})
		check := r.Check(t.Context(), sources.Stream{URL: url + link, MIME: "video/mp4"})
		if got := [2]sources.Class{sources.ClassOf(err), sources.ClassOf(check)}; got != want {
			t.Errorf("%s: got %v (%v, %v), want %v", link, got, err, check, want)
		}
	}
}

func TestCheckLink(t *testing.T) {
	h := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/film" {
			_, _ = io.WriteString(w, bodies["mp4"].body)
			return
		}
		_, _ = io.WriteString(w, bodies["page"].body)
	}
	url := serve(t, h)
	r := newResolver(t)
	if err := r.CheckLink(t.Context(), url+"/film|X=1"); err != nil {
		t.Errorf("a link that works: %v", err)
	}
	if err := r.CheckLink(t.Context(), url+"/page"); sources.ClassOf(err) != sources.ClassHosterFault {
		t.Errorf("a page that a portal may have put there: %v", err)
	}
}

func TestResolveCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	url := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	if _, err := newResolver(t).Resolve(ctx, sources.Source{URL: url}); sources.ClassOf(err) != sources.ClassCancelled {
		t.Errorf("got %v", err)
	}
	if _, err := newResolver(t).Resolve(ctx, sources.Source{URL: "/etc/hostname"}); sources.ClassOf(err) != sources.ClassCancelled {
		t.Errorf("a file: got %v", err)
	}
}

// TestResolve_message is sent on to videos that show why there is no film, which play, and
// are not what was asked for.
func TestResolve_message(t *testing.T) {
	mp4 := bodies["mp4"].body
	addon := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/resolve/a":
			http.Redirect(w, r, "/videos/failed_access_v2.mp4", http.StatusFound)
		case "/resolve/large":
			http.Redirect(w, r, "/videos/the-limit.mp4", http.StatusFound)
		case "/videos/the-limit.mp4":
			w.Header().Set("Content-Range", "bytes 0-8191/700000000")
			w.WriteHeader(http.StatusPartialContent)
			_, _ = io.WriteString(w, mp4+strings.Repeat("\x00", max(8<<10-len(mp4), 0)))
		default:
			_, _ = io.WriteString(w, mp4)
		}
	})
	r := newResolver(t)
	if s, err := r.Resolve(t.Context(), sources.Source{URL: addon + "/resolve/a"}); sources.ClassOf(err) != sources.ClassUnsupported || !errors.Is(err, sources.ErrMessage) || !strings.Contains(err.Error(), "failed_access_v2.mp4") {
		t.Errorf("a message: got %+v, %v", s, err)
	}
	if err := r.Check(t.Context(), sources.Stream{URL: addon + "/resolve/a", MIME: "video/mp4"}); sources.ClassOf(err) != sources.ClassUnsupported {
		t.Errorf("a message where a film was: got %v", err)
	}
	for _, path := range []string{"/resolve/large", "/resolve/b", "/videos/the-limit.mp4"} {
		if _, err := r.Resolve(t.Context(), sources.Source{URL: addon + path}); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestResolve_login asks a server that takes a login and redirects. A player would send
// the login along to another server, so that it is given where the file lies.
func TestResolve_login(t *testing.T) {
	mp4 := bodies["mp4"].body
	other := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("the other server got the login")
		}
		_, _ = io.WriteString(w, mp4)
	})
	home := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != "Basic bWU6cGFzcw==":
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/away.mp4":
			http.Redirect(w, r, other+"/node.mp4", http.StatusFound)
		case r.URL.Path == "/near.mp4":
			http.Redirect(w, r, "/film.mp4", http.StatusFound)
		default:
			_, _ = io.WriteString(w, mp4)
		}
	})
	c := fetch.New(fetch.Options{Login: func(u *url.URL) http.Header {
		if link.Origin(u) == link.OriginOf(home) {
			return http.Header{"Authorization": {"Basic bWU6cGFzcw=="}}
		}
		return nil
	}})
	t.Cleanup(c.CloseIdleConnections)
	r := direct.New(c, now)
	for path, want := range map[string]string{"/film.mp4": home + "/film.mp4", "/near.mp4": home + "/near.mp4", "/away.mp4": other + "/node.mp4"} {
		s, err := r.Resolve(fetch.WithLoginsOf(t.Context(), home+path), sources.Source{URL: home + path})
		if err != nil || s.URL != want || len(s.Headers) > 0 {
			t.Errorf("%s: got %+v, %v, want %s without headers", path, s, err, want)
		}
		for _, own := range []bool{true, false} { // who has one is told how to give it
			_, err := r.Resolve(t.Context(), sources.Source{URL: home + path, Own: own})
			if sources.ClassOf(err) != sources.ClassHosterFault || strings.Contains(err.Error(), "wants a login") != own {
				t.Errorf("%s without the login, own %v: %s %v", path, own, sources.ClassOf(err), err)
			}
		}
	}
	// A link in a file is that of whoever wrote the file, whatever that is called.
	file := filepath.Join(t.TempDir(), "film.mp4")
	if err := os.WriteFile(file, []byte(home+"/film.mp4"), 0o600); err != nil {
		t.Fatal(err)
	}
	elsewhere := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/redirect.mp4" {
			http.Redirect(w, r, home+"/film.mp4", http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, home+"/film.mp4")
	})
	for _, src := range []string{file, elsewhere + "/link.mp4", elsewhere + "/redirect.mp4"} {
		s, err := r.Resolve(fetch.WithLoginsOf(t.Context(), src), sources.Source{URL: src, Own: true})
		if failed, ok := errors.AsType[*fetch.Error](err); !ok || failed.HTTPStatus() != http.StatusUnauthorized {
			t.Errorf("what %s leads to: got %+v, %v", src, s, err)
		}
	}
}
