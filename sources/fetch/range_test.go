package fetch_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"xship/sources"
	"xship/sources/fetch"
)

// file is what rangeServer has.
var file = bytes.Repeat([]byte("0123456789abcdef"), 64)

// rangeServer serves file at /file; elsewhere it is broken in the way that the
// path names.
func rangeServer(t *testing.T) string {
	t.Helper()
	partial := func(w http.ResponseWriter, contentRange string, body []byte) {
		if contentRange != "" {
			w.Header().Set("Content-Range", contentRange)
		}
		w.WriteHeader(http.StatusPartialContent)
		_, _ = w.Write(body)
	}
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "video/mp4")
		switch r.URL.Path {
		case "/file":
			if got := r.Header.Get("Accept-Encoding"); got != "identity" {
				http.Error(w, "encoding "+got, http.StatusTeapot)
				return
			}
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(file))
		case "/redirect":
			http.Redirect(w, r, "/file", http.StatusFound)
		case "/whole":
			_, _ = w.Write(file)
		case "/chunks":
			w.(http.Flusher).Flush()
			_, _ = w.Write(file)
		case "/endless":
			for r.Context().Err() == nil {
				if _, err := w.Write(file); err != nil {
					return
				}
			}
		case "/gzip":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = z.Write(file)
			_ = z.Close()
		case "/brotli":
			w.Header().Set("Content-Encoding", "br")
			_, _ = w.Write(file)
		case "/more":
			partial(w, fmt.Sprintf("bytes 0-%d/*", len(file)-1), file)
		case "/unsaid":
			partial(w, "", file[:8])
		case "/shifted":
			partial(w, "bytes 1-8/1024", file[1:9])
		case "/short":
			partial(w, "bytes 0-7/1024", file[:3])
		case "/impossible":
			partial(w, "bytes 0-7/4", file[:8])
		case "/unreadable":
			partial(w, "octets from here", file[:8])
		case "/encoded":
			w.Header().Set("Content-Encoding", "gzip")
			partial(w, "bytes 0-7/1024", file[:8])
		case "/cut":
			w.Header().Set("Content-Length", "1024")
			_, _ = w.Write(file[:3])
		case "/empty":
		default:
			http.NotFound(w, r)
		}
	})
}

func TestGetRange(t *testing.T) {
	url := rangeServer(t)
	c := newClient(t, fetch.Options{})
	size := int64(len(file))
	tests := []struct {
		path    string
		off, n  int64
		want    []byte
		wantOff int64
		total   int64
		partial bool
	}{
		{"/file", 0, 8, file[:8], 0, size, true},
		{"/file", 16, 8, file[16:24], 16, size, true},
		{"/file", size - 4, 100, file[size-4:], size - 4, size, true},
		{"/redirect", 16, 8, file[16:24], 16, size, true},
		{"/whole", 0, 8, file[:8], 0, size, false},
		{"/whole", 16, 8, file[:8], 0, size, false},
		{"/whole", 0, 2 * size, file, 0, size, false},
		{"/chunks", 0, 2 * size, file, 0, size, false},
		{"/chunks", 0, 8, file[:8], 0, -1, false},
		{"/endless", 0, 8, file[:8], 0, -1, false},
		{"/gzip", 0, 8, file[:8], 0, -1, false},
		{"/more", 0, 8, file[:8], 0, -1, true},
		{"/unsaid", 0, 8, file[:8], 0, -1, true},
		{"/unsaid", 0, 16, file[:8], 0, 8, true},
		{"/empty", 0, 8, nil, 0, 0, false},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s %d+%d", tt.path, tt.off, tt.n), func(t *testing.T) {
			got, err := c.GetRange(t.Context(), fetch.Request{URL: url + tt.path}, tt.off, tt.n)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Data, tt.want) || got.Off != tt.wantOff || got.Total != tt.total || got.Partial != tt.partial {
				t.Errorf("got %q at %d of %d, partial %t, want %q at %d of %d, %t", got.Data, got.Off, got.Total, got.Partial, tt.want, tt.wantOff, tt.total, tt.partial)
			}
			if got.Header.Get("Content-Type") != "video/mp4" || !strings.HasPrefix(got.FinalURL, url) {
				t.Errorf("type %q, final URL %q", got.Header.Get("Content-Type"), got.FinalURL)
			}
		})
	}
}

func TestGetRangeFaults(t *testing.T) {
	url := rangeServer(t)
	c := newClient(t, fetch.Options{})
	size := int64(len(file))
	tests := []struct {
		path   string
		off, n int64
		reason fetch.Reason
		class  sources.Class
		text   string
	}{
		{"/file", size, 8, fetch.ReasonRange, sources.ClassHosterFault, `it has no byte 1024 (Content-Range "bytes */1024")`},
		{"/shifted", 0, 8, fetch.ReasonRange, sources.ClassHosterFault, "asked for bytes from 0 it sent bytes from 1"},
		{"/unsaid", 8, 8, fetch.ReasonRange, sources.ClassHosterFault, "did not say which"},
		{"/impossible", 0, 8, fetch.ReasonRange, sources.ClassHosterFault, "impossible: bytes 0-7 of 4"},
		{"/unreadable", 0, 8, fetch.ReasonRange, sources.ClassHosterFault, "cannot be read"},
		{"/encoded", 0, 8, fetch.ReasonRange, sources.ClassHosterFault, `encoded as "gzip"`},
		{"/short", 0, 8, fetch.ReasonRead, sources.ClassHosterFault, "broke off"},
		{"/cut", 0, 8, fetch.ReasonRead, sources.ClassHosterFault, "broke off"},
		{"/brotli", 0, 8, fetch.ReasonRead, sources.ClassHosterFault, `encoded as "br"`},
		{"/gone", 0, 8, fetch.ReasonStatus, sources.ClassDeadLink, "404 Not Found"},
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			part, err := c.GetRange(t.Context(), fetch.Request{URL: url + tt.path}, tt.off, tt.n)
			var fe *fetch.Error
			if !errors.As(err, &fe) {
				t.Fatalf("got %v, %v, want a *fetch.Error", part, err)
			}
			if fe.Reason != tt.reason || fe.Class() != tt.class || !strings.Contains(fe.Error(), tt.text) {
				t.Errorf("got %s, %s, %q, want %s, %s, %q", fe.Reason, fe.Class(), fe, tt.reason, tt.class, tt.text)
			}
		})
	}
	for _, n := range [][2]int64{{-1, 8}, {0, 0}, {1 << 62, 1 << 62}} {
		if _, err := c.GetRange(t.Context(), fetch.Request{URL: url + "/file"}, n[0], n[1]); sources.ClassOf(err) != sources.ClassBug {
			t.Errorf("range %v: got %v", n, err)
		}
	}
}

func TestGetRangeReusesConnections(t *testing.T) {
	var (
		mu    sync.Mutex
		ports = make(map[string]bool)
	)
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		ports[r.RemoteAddr] = true
		mu.Unlock()
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(file))
	})
	c := newClient(t, fetch.Options{})
	for off := range int64(5) {
		if _, err := c.GetRange(t.Context(), fetch.Request{URL: url}, off, 8); err != nil {
			t.Fatal(err)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if len(ports) != 1 {
		t.Errorf("5 ranges in a row used %d connections, want 1", len(ports))
	}
}

func TestChallenge(t *testing.T) {
	const page = "<html><title>Just a moment...</title>"
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		status := http.StatusForbidden
		switch r.URL.Path {
		case "/header":
			w.Header().Set("Cf-Mitigated", "challenge")
		case "/gone":
			status = http.StatusNotFound
		}
		w.WriteHeader(status)
		if r.URL.Path != "/header" {
			_, _ = io.WriteString(w, page)
		}
	})
	c := newClient(t, fetch.Options{})
	for path, want := range map[string]sources.Class{
		"/header": sources.ClassUnsupported, "/page": sources.ClassUnsupported, "/gone": sources.ClassDeadLink,
	} {
		if err := get(t, c, fetch.Request{URL: url + path}); err.Class() != want {
			t.Errorf("%s: got %s %q, want %s", path, err.Class(), err, want)
		}
	}
}
