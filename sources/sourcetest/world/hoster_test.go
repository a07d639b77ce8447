package world_test

import (
	"bytes"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"xship/sources/sourcetest/world"
)

func TestHoster_Range(t *testing.T) {
	w := start(t, world.Config{})
	h := addHoster(t, w, "a")
	c := newClient(t)
	want := world.Media("/film.mp4")

	resp, body := mustGet(t, c, h.URL("film.mp4"), "Range: bytes=100-199")
	if resp.StatusCode != http.StatusPartialContent || !bytes.Equal(body, want[100:200]) {
		t.Errorf("range: status %d, %d bytes, want 206 and bytes 100 to 199", resp.StatusCode, len(body))
	}
	resp, _ = mustGet(t, c, h.URL("film.mp4"), "Range: bytes=99999-")
	if resp.StatusCode != http.StatusRequestedRangeNotSatisfiable {
		t.Errorf("range beyond the end: status %d, want 416", resp.StatusCode)
	}
	h.SetMode(world.ModeNoRange)
	resp, body = mustGet(t, c, h.URL("film.mp4"), "Range: bytes=100-199")
	if resp.StatusCode != http.StatusOK || !bytes.Equal(body, want) {
		t.Errorf("without ranges: status %d, %d bytes, want 200 and all of it", resp.StatusCode, len(body))
	}
}

func TestHoster_Head(t *testing.T) {
	w := start(t, world.Config{})
	h := addHoster(t, w, "a")
	resp, err := newClient(t).Head(h.URL("film.mkv"))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.ContentLength != int64(len(world.Media("/film.mkv"))) || resp.Header.Get("Content-Type") != "video/x-matroska" {
		t.Errorf("HEAD gives length %d and type %q", resp.ContentLength, resp.Header.Get("Content-Type"))
	}
}

func TestHoster_Remove(t *testing.T) {
	w := start(t, world.Config{})
	h := addHoster(t, w, "a")
	c := newClient(t)
	h.Remove("a/film.mp4")
	for path, want := range map[string]int{"/a/film.mp4": http.StatusNotFound, "/film.mp4": http.StatusOK} {
		if resp, _ := mustGet(t, c, h.URL(path)); resp.StatusCode != want {
			t.Errorf("%s: status %d, want %d", path, resp.StatusCode, want)
		}
	}
}

func TestHoster_SetFileMode(t *testing.T) {
	w := start(t, world.Config{})
	h := addHoster(t, w, "a")
	c := newClient(t)
	status := func(path string) int {
		resp, _, err := get(t, c, h.URL(path))
		if err != nil {
			return 0
		}
		return resp.StatusCode
	}
	h.SetFileMode("*.ts", world.Mode404)
	h.SetFileMode("bad.mp4", world.ModeTruncated)
	h.SetFileMode("a/*", world.Mode500)
	h.SetFileMode("a/good.mkv", world.ModeOK)
	for path, want := range map[string]int{
		"film.m3u8": 200, "film-0.ts": 404, "film-1.ts": 404, "a/film-0.ts": 500, "bad.mp4": 0, "good.mp4": 200, "a/film.mkv": 500, "a/good.mkv": 200,
	} {
		if got := status(path); got != want {
			t.Errorf("%s: status %d, want %d", path, got, want)
		}
	}
	h.SetMode(world.Mode503)
	if got := status("film-0.ts"); got != 503 {
		t.Errorf("of a hoster that is down: status %d, want 503", got)
	}
	h.SetMode(world.ModeOK)
	if got := status("film-0.ts"); got != 404 {
		t.Errorf("of a hoster that is up again: status %d, want 404", got)
	}
	for name, call := range map[string]func(){
		"mode": func() { h.SetFileMode("a", "none") }, "pattern": func() { h.SetFileMode("[", world.ModeOK) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("an unknown %s does not panic", name)
				}
			}()
			call()
		}()
	}
}

func TestHoster_Types(t *testing.T) {
	w := start(t, world.Config{})
	h := addHoster(t, w, "a")
	c := newClient(t)
	tests := []struct{ path, contentType, holds string }{
		{"film.mp4", "video/mp4", "ftyp"},
		{"/film.MP4", "video/mp4", "ftyp"},
		{"film.m4v", "video/mp4", "ftyp"},
		{"film.mkv", "video/x-matroska", "matroska"},
		{"film.webm", "video/webm", "webm"},
		{"a/film.m3u8", "application/vnd.apple.mpegurl", "\nfilm-0.ts\n"},
		{"a/film-0.ts", "video/mp2t", "\x47"},
		{"share/film.html", "text/html; charset=utf-8", "<html>"},
		{"film", "application/octet-stream", ""},
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			resp, body := mustGet(t, c, h.URL(tt.path))
			if got := resp.Header.Get("Content-Type"); got != tt.contentType {
				t.Errorf("type %q, want %q", got, tt.contentType)
			}
			if len(body) == 0 || !strings.Contains(string(body), tt.holds) {
				t.Errorf("body of %d bytes lacks %q", len(body), tt.holds)
			}
		})
	}
}

func TestMedia(t *testing.T) {
	if !bytes.Equal(world.Media("/a"), world.Media("/a")) {
		t.Error("the same path gives different bytes")
	}
	tests := []struct {
		name, a, b string
		same       bool
	}{
		{"unknown endings", "/a", "/b", false},
		{"films", "/a.mp4", "/b.mp4", true},
		{"heights", "/a.720p.mp4", "/a.1080p.mp4", false},
		{"heights of segments", "/a.1080p-0.ts", "/a.2160p-0.ts", false},
		{"a height that the container lacks", "/a.mkv", "/a.2160p.mkv", true},
		{"a segment without height", "/a-0.ts", "/a.720p-1.ts", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if same := bytes.Equal(world.Media(tt.a), world.Media(tt.b)); same != tt.same {
				t.Errorf("the same bytes: %t, want %t", same, tt.same)
			}
		})
	}
}

// TestHoster_Segments follows a playlist to its segments.
func TestHoster_Segments(t *testing.T) {
	w := start(t, world.Config{})
	h := addHoster(t, w, "a")
	c := newClient(t)
	_, list := mustGet(t, c, h.URL("show/film.2160p.m3u8"))
	segments := 0
	for line := range strings.Lines(string(list)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		segments++
		resp, body := mustGet(t, c, h.URL("show/"+strings.TrimSpace(line)))
		if resp.Header.Get("Content-Type") != "video/mp2t" || len(body)%188 != 0 || body[0] != 0x47 {
			t.Errorf("%q is no transport stream: type %q, %d bytes", line, resp.Header.Get("Content-Type"), len(body))
		}
	}
	if segments != 2 {
		t.Errorf("%d segments, want 2", segments)
	}
}

// TestMedia_probes reads the files with ffprobe where that is installed.
func TestMedia_probes(t *testing.T) {
	ffprobe, err := exec.LookPath("ffprobe")
	if err != nil {
		t.Skip("ffprobe is not installed")
	}
	w := start(t, world.Config{})
	h := addHoster(t, w, "a")
	tests := []struct{ path, want string }{
		{"film.mp4", "h264,1280,720 aac"},
		{"film.1080p.m4v", "h264,1920,1080 aac"},
		{"film.mkv", "h264,1280,720 aac"},
		{"film.webm", "vp9,1280,720 opus"},
		{"film.1080p.m3u8", "h264,1920,1080 aac"},
		{"film.2160p.m3u8", "hevc,3840,2160 aac"},
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			t.Parallel()
			out, err := exec.CommandContext(t.Context(), ffprobe, "-v", "error", "-show_entries",
				"stream=codec_name,width,height:program=", "-of", "csv=p=0", h.URL(tt.path)).Output()
			if err != nil {
				t.Fatalf("ffprobe: %v", err)
			}
			if got := strings.Join(strings.Fields(string(out)), " "); !strings.HasSuffix(got, tt.want) {
				t.Errorf("ffprobe reads %q, want %q", got, tt.want)
			}
		})
	}
}
