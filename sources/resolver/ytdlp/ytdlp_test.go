//go:build unix

package ytdlp_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/sources"
	"xship/sources/resolver/ytdlp"
)

const page = "https://h.example/watch.html"

// fake is a program in place of yt-dlp.
func fake(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "yt-dlp")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestResolve(t *testing.T) {
	args := filepath.Join(t.TempDir(), "args")
	path := fake(t, `printf '%s\n' "$@" > '`+args+`'
cat >> '`+args+`'
echo 'Reading options from STDIN - EOF (Ctrl+D) to end:' >&2
echo 'a warning' >&2
echo '{"url":"https://cdn.example/a.m3u8?Expires=1700003600","protocol":"m3u8_native","http_headers":{"Referer":"https://h.example/"}}'`)
	var checked sources.Stream
	r := ytdlp.New(ytdlp.Options{
		Path: path, Now: func() time.Time { return time.Unix(1_700_000_000, 0) },
		Check: func(_ context.Context, s sources.Stream) error { checked = s; return nil },
		Proxy: func(string) (string, bool, error) { return "socks5://u:s3cr3t@p.example:1080", true, nil },
	})
	src := sources.Source{URL: "https://me:s3cr3t@h.example/play?v=it's|User-Agent=x", Headers: map[string]string{"referer": "https://site.example/?key=s3cr3t", "Cookie": "c00kie"}, Unplayable: "needs a parser"}
	got, err := r.Resolve(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	want := sources.Stream{
		URL: "https://cdn.example/a.m3u8?Expires=1700003600", MIME: "application/vnd.apple.mpegurl",
		Headers: map[string]string{"Referer": "https://h.example/"}, ExpiresAt: time.Unix(1_700_003_600, 0),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("stream (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, checked); diff != "" {
		t.Errorf("checked (-want +got):\n%s", diff)
	}
	seen, err := os.ReadFile(args)
	if err != nil {
		t.Fatal(err)
	}
	arguments, handed, _ := strings.Cut(string(seen), "--config-locations\n-\n")
	if !strings.Contains(arguments, "--ignore-config\n") || strings.Contains(arguments, "s3cr3t") || strings.Contains(arguments, "h.example") {
		t.Errorf("its arguments were:\n%s", arguments)
	}
	options := `'--proxy'
'socks5://u:s3cr3t@p.example:1080'
'--add-header'
'Referer:https://site.example/?key=s3cr3t'
'https://me:s3cr3t@h.example/play?v=it'"'"'s'
`
	if diff := cmp.Diff(options, handed); diff != "" {
		t.Errorf("handed over (-want +got):\n%s", diff)
	}
}

// TestResolve_proxy asks nothing where the proxy cannot be used, and leaves the choice
// to yt-dlp where nobody made one.
func TestResolve_proxy(t *testing.T) {
	unusable := sources.Errorf(sources.ClassCancelled, "no way through the proxy")
	for name, tt := range map[string]struct {
		proxy   string
		decided bool
		err     error
		want    string // what is handed over before the link
	}{
		"undecided": {"", false, nil, ""},
		"none":      {"", true, nil, "'--proxy'\n''\n"},
		"one":       {"http://p.example:3128", true, nil, "'--proxy'\n'http://p.example:3128'\n"},
		"unusable":  {"", true, unusable, ""},
	} {
		t.Run(name, func(t *testing.T) {
			handed := filepath.Join(t.TempDir(), "handed")
			r := ytdlp.New(ytdlp.Options{
				Path:  fake(t, `cat > '`+handed+`'; echo '{"url":"https://cdn.example/a.mp4"}'`),
				Proxy: func(string) (string, bool, error) { return tt.proxy, tt.decided, tt.err },
			})
			_, err := r.Resolve(t.Context(), sources.Source{URL: page})
			if !errors.Is(err, tt.err) {
				t.Errorf("got %v, want %v", err, tt.err)
			}
			if got, _ := os.ReadFile(handed); tt.err == nil && string(got) != tt.want+"'"+page+"'\n" || tt.err != nil && got != nil {
				t.Errorf("handed over: %q", got)
			}
		})
	}
}

func TestResolveIsNotResponsible(t *testing.T) {
	r := ytdlp.New(ytdlp.Options{Path: "/nonexistent/yt-dlp"})
	for _, src := range []sources.Source{
		{URL: "https://h.example/a.mp4"},
		{URL: "https://h.example/play?v=1"},
		{URL: "/films/a.html"},
		{URL: "http://nas.example/Videos/1/stream", Unplayable: "a disc image", Own: true},
		{URL: "--exec=x", Unplayable: "needs a parser"},
		{URL: "file:///etc/a.html", Unplayable: "unsupported scheme: file"},
		{URL: "ftp://h.example/a.html", Unplayable: "unsupported scheme: ftp"},
	} {
		if _, err := r.Resolve(t.Context(), src); !errors.Is(err, sources.ErrNotResponsible) {
			t.Errorf("%+v: got %v", src, err)
		}
	}
	for _, link := range []string{page, "https://h.example/A.HTM?b", "https://www.youtube.com/watch?v=1", "https://youtu.be/1"} {
		if _, err := r.Resolve(t.Context(), sources.Source{URL: link}); sources.ClassOf(err) != sources.ClassUnsupported || !strings.Contains(err.Error(), "cannot be run") {
			t.Errorf("%s: got %v", link, err)
		}
	}
}

func TestResolveFails(t *testing.T) {
	dead := func(context.Context, sources.Stream) error { return sources.Errorf(sources.ClassDeadLink, "404") }
	const fine = `echo '{"url":"https://cdn.example/a.mp4"}'`
	tests := []struct {
		name, script string
		check        func(context.Context, sources.Stream) error
		class        sources.Class
		text         string
	}{
		{"unsupported", `echo "ERROR: Unsupported URL: https://h.example/watch.html" >&2; exit 1`, nil, sources.ClassUnsupported, "yt-dlp https://h.example/watch.html: Unsupported URL"},
		{"dead", `echo "ERROR: HTTP Error 404: Not Found" >&2; exit 1`, nil, sources.ClassDeadLink, "HTTP Error 404"},
		{"fault", `echo "ERROR: timed out" >&2; exit 1`, nil, sources.ClassHosterFault, "timed out"},
		{"no JSON", `echo hello`, nil, sources.ClassUnsupported, "no JSON"},
		{"endless output", `head -c 20000000 /dev/zero; sleep 1000`, nil, sources.ClassUnsupported, "more than 8 MiB"},
		{"what it found is dead", fine, dead, sources.ClassDeadLink, "what yt-dlp found: 404"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := ytdlp.New(ytdlp.Options{Path: fake(t, tt.script), Check: tt.check})
			_, err := r.Resolve(t.Context(), sources.Source{URL: page})
			if sources.ClassOf(err) != tt.class || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("got %s %v, want %s %q", sources.ClassOf(err), err, tt.class, tt.text)
			}
		})
	}
}

// TestResolveEnds checks that yt-dlp and its children are gone when Resolve
// returns.
func TestResolveEnds(t *testing.T) {
	tests := []struct {
		name    string
		timeout time.Duration
		cancel  bool
		script  string
		class   sources.Class
	}{
		{"cancelled", time.Minute, true, "wait", sources.ClassCancelled},
		{"deadline", 50 * time.Millisecond, false, "wait", sources.ClassHosterFault},
		{"children left behind", time.Minute, false, `echo '{"url":"https://cdn.example/a.mp4"}'`, sources.ClassOK},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pipe := filepath.Join(t.TempDir(), "pipe")
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			up, err := os.OpenFile(pipe, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			// The child holds the pipe: its end is the end of the child.
			child := `{ echo up >&9; exec sleep 1000; } 9> '` + pipe + "' &\n"
			r := ytdlp.New(ytdlp.Options{Path: fake(t, child+tt.script), Timeout: tt.timeout})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ended := make(chan error, 1)
			go func() {
				_, err := r.Resolve(ctx, sources.Source{URL: page})
				ended <- err
			}()
			if tt.cancel {
				if _, err := up.Read(make([]byte, 1)); err != nil {
					t.Fatal(err)
				}
				cancel()
			}
			if err := <-ended; sources.ClassOf(err) != tt.class {
				t.Errorf("got %s %v, want %s", sources.ClassOf(err), err, tt.class)
			}
			end, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = end.Close() }()
			_ = up.Close() // from now on the child is the only one that could write
			if _, err := io.ReadAll(end); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestFind(t *testing.T) {
	path := fake(t, "")
	t.Setenv("PATH", filepath.Dir(path))
	for configured, want := range map[string]string{"": path, path: path, "yt-dlp": path, "other": "", "/nonexistent/yt-dlp": ""} {
		if got := ytdlp.Find(configured); got != want {
			t.Errorf("Find(%q) = %q, want %q", configured, got, want)
		}
	}
}

func TestReal(t *testing.T) {
	path, err := exec.LookPath("yt-dlp")
	switch {
	case err == nil:
	case os.Getenv("XSHIP_REQUIRE_REAL") == "1":
		t.Fatalf("yt-dlp is required (XSHIP_REQUIRE_REAL=1): %v", err)
	default:
		t.Skipf("yt-dlp is not installed (Debian: yt-dlp): %v", err)
	}
	media, err := os.ReadFile(filepath.Join("..", "..", "..", "testdata", "media", "faststart.mp4"))
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/film.html":
			_, _ = io.WriteString(w, `<html><title>Film</title><video src="film.mp4"></video></html>`)
		case "/none.html":
			_, _ = io.WriteString(w, `<html><title>Nothing</title></html>`)
		case "/film.mp4":
			w.Header().Set("Content-Type", "video/mp4")
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(media))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(srv.Close)
	refused := httptest.NewServer(http.NotFoundHandler())
	refused.Close()

	r := ytdlp.New(ytdlp.Options{Path: path, Timeout: 5 * time.Minute})
	got, err := r.Resolve(t.Context(), sources.Source{URL: srv.URL + "/film.html"})
	if err != nil || got.URL != srv.URL+"/film.mp4" || got.MIME != "video/mp4" {
		t.Errorf("got %+v, %v", got, err)
	}
	for link, want := range map[string]sources.Class{
		srv.URL + "/none.html": sources.ClassUnsupported, srv.URL + "/gone.html": sources.ClassDeadLink, refused.URL + "/a.html": sources.ClassHosterFault,
	} {
		if _, err := r.Resolve(t.Context(), sources.Source{URL: link}); sources.ClassOf(err) != want {
			t.Errorf("%s: got %s %v, want %s", link, sources.ClassOf(err), err, want)
		}
	}
}
