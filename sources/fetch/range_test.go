package fetch_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"xship/sources"
	"xship/sources/fetch"
)

// file is what rangeServer has.
var file = bytes.Repeat([]byte("0123456789abcdef"), 64)

// movie is the start of a film.
var movie = []byte("\x00\x00\x00\x20ftypisom\x00\x00\x02\x00")

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
			_, _ = w.Write([]byte("\x8b\x07\x80\x00\x01\x02\x03"))
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
			partial(w, "bytes 0-15/1024", file[:16])
		case "/cut":
			w.Header().Set("Content-Length", "1024")
			_, _ = w.Write(file[:3])
		case "/empty":
		case "/backwards":
			partial(w, "bytes 7-0/1024", file[:8])
		case "/equals":
			partial(w, "bytes=0-7/1024", file[:8])
		case "/wider":
			partial(w, "bytes 0-63/1024", file[:64])
		case "/capped", "/capped without a total":
			var first, last int
			_, _ = fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &first, &last)
			total := fmt.Sprint(len(file))
			if r.URL.Path != "/capped" {
				total = "*"
			}
			if first >= len(file) {
				w.Header().Set("Content-Range", "bytes */*")
				w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
				return
			}
			last = min(last, first+31, len(file)-1)
			partial(w, fmt.Sprintf("bytes %d-%d/%s", first, last, total), file[first:last+1])
		case "/cut piece":
			if r.Header.Get("Range") != "bytes=0-63" {
				partial(w, "bytes 32-63/1024", file[32:35])
				return
			}
			partial(w, "bytes 0-31/1024", file[:32])
		case "/refuses ranges":
			if r.Header.Get("Range") != "" {
				w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
				return
			}
			_, _ = w.Write(file)
		case "/ends 400", "/ends 403", "/ends 404", "/ends 405", "/ends 500", "/ends 501", "/ends 503":
			switch asked := r.Header.Get("Range"); {
			case asked == "bytes=0-":
				partial(w, "bytes 0-1023/1024", file)
			case asked != "":
				code, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/ends "))
				w.WriteHeader(code)
			default:
				_, _ = w.Write(file)
			}
		case "/refuses and rests":
			w.Header().Set("Retry-After", "60")
			w.WriteHeader(http.StatusServiceUnavailable)
		case "/not acceptable", "/in parts":
			switch {
			case r.Header.Get("Range") == "":
				_, _ = w.Write(file)
			case r.URL.Path == "/in parts":
				w.Header().Set("Content-Type", "Multipart/Byteranges; boundary=B")
				partial(w, "", []byte("--B\r\nContent-Range: bytes 0-7/1024\r\n\r\n01234567\r\n--B--\r\n"))
			default:
				w.WriteHeader(http.StatusNotAcceptable)
			}
		case "/in parts twice":
			w.Header().Set("Content-Type", "multipart/byteranges; boundary=B")
			partial(w, "", []byte("--B\r\nContent-Range: bytes 0-7/1024\r\n\r\n01234567\r\n--B--\r\n"))
		case "/ended", "/ended and sized":
			w.Header().Set("Content-Range", map[string]string{"/ended": "bytes */*", "/ended and sized": "bytes */16"}[r.URL.Path])
			w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
		case "/refused twice":
			w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
		case "/gzip piece":
			var z bytes.Buffer
			zw := gzip.NewWriter(&z)
			_, _ = zw.Write(file)
			_ = zw.Close()
			w.Header().Set("Content-Encoding", "gzip")
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(z.Bytes()))
		case "/cut gzip":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = z.Write(file)
			_ = z.Flush()
		case "/nothing encoded":
			w.Header().Set("Content-Encoding", "aws-chunked")
			partial(w, "bytes 0-7/*", movie[:8])
		case "/words that are no coding":
			w.Header().Add("Content-Encoding", "UTF-8")
			w.Header().Add("Content-Encoding", "identity, binary")
			partial(w, "bytes 0-7/*", movie[:8])
		case "/unknown coding":
			w.Header().Set("Content-Encoding", "x-cdn")
			partial(w, "bytes 0-7/*", movie[:8])
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
		{"/unsaid", 8, 8, file[:8], 8, -1, true},
		{"/impossible", 0, 8, file[:8], 0, -1, true},
		{"/unreadable", 0, 8, file[:8], 0, -1, true},
		{"/equals", 0, 8, file[:8], 0, size, true},
		{"/wider", 4, 8, file[4:12], 4, size, true},
		{"/capped", 0, 100, file[:100], 0, size, true},
		{"/capped", size - 20, 100, file[size-20:], size - 20, size, true},
		{"/capped", 0, 2 * size, file, 0, size, true},
		{"/capped without a total", 1000, 100, file[1000:], 1000, size, true},
		{"/refuses ranges", 0, 8, file[:8], 0, size, false},
		{"/not acceptable", 0, 8, file[:8], 0, size, false},
		{"/ends 400", 0, 8, file[:8], 0, size, true},
		{"/ends 403", 0, 8, file[:8], 0, size, true},
		{"/ends 404", 0, 8, file[:8], 0, size, true},
		{"/ends 405", 0, 8, file[:8], 0, size, true},
		{"/ends 500", 0, 8, file[:8], 0, size, true},
		{"/ends 501", 0, 8, file[:8], 0, size, true},
		{"/ends 503", 0, 8, file[:8], 0, size, true},
		{"/ends 503", 16, 8, file[:8], 0, size, false},
		{"/in parts", 0, 8, file[:8], 0, size, false},
		{"/in parts", 16, 8, file[:8], 0, size, false},
		{"/gzip piece", 0, 8, file[:8], 0, -1, false},
		{"/gzip piece", 0, 2 * size, file, 0, size, false},
		{"/nothing encoded", 0, 8, movie[:8], 0, -1, true},
		{"/words that are no coding", 0, 8, movie[:8], 0, -1, true},
		{"/unknown coding", 0, 8, movie[:8], 0, -1, true},
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
		{"/backwards", 0, 8, fetch.ReasonRange, sources.ClassHosterFault, "impossible: bytes 7-0"},
		{"/encoded", 0, 8, fetch.ReasonRange, sources.ClassHosterFault, "a file that it encoded"},
		{"/short", 0, 8, fetch.ReasonRead, sources.ClassHosterFault, "broke off"},
		{"/cut", 0, 8, fetch.ReasonRead, sources.ClassHosterFault, "broke off"},
		{"/brotli", 0, 8, fetch.ReasonForm, sources.ClassUnsupported, `encoded as "br"`},
		{"/cut gzip", 0, 2 * size, fetch.ReasonRead, sources.ClassHosterFault, "broke off"},
		{"/cut piece", 0, 64, fetch.ReasonRead, sources.ClassHosterFault, "broke off"},
		{"/ended", 16, 8, fetch.ReasonRange, sources.ClassHosterFault, "it has no byte 16"},
		{"/ended and sized", 16, 8, fetch.ReasonRange, sources.ClassHosterFault, "it has no byte 16"},
		{"/in parts twice", 0, 8, fetch.ReasonRange, sources.ClassHosterFault, "parts in a frame"},
		{"/refused twice", 0, 8, fetch.ReasonStatus, sources.ClassHosterFault, "416"},
		{"/gone", 0, 8, fetch.ReasonStatus, sources.ClassDeadLink, "404 Not Found"},
		{"/refuses and rests", 0, 8, fetch.ReasonStatus, sources.ClassHosterFault, "503 Service Unavailable"},
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
