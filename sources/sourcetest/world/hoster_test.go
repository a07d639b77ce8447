package world_test

import (
	"bytes"
	"net/http"
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
	if resp.ContentLength != world.MediaSize || resp.Header.Get("Content-Type") != "video/x-matroska" {
		t.Errorf("HEAD gives length %d and type %q", resp.ContentLength, resp.Header.Get("Content-Type"))
	}
}

func TestHoster_Types(t *testing.T) {
	w := start(t, world.Config{})
	h := addHoster(t, w, "a")
	c := newClient(t)
	tests := []struct{ path, contentType, holds string }{
		{"film.mp4", "video/mp4", ""},
		{"/film.MP4", "video/mp4", ""},
		{"film.webm", "video/webm", ""},
		{"a/film.m3u8", "application/vnd.apple.mpegurl", "\nfilm-0.ts\n"},
		{"a/film-0.ts", "video/mp2t", ""},
		{"share/film.html", "text/html; charset=utf-8", "<html>"},
		{"film", "application/octet-stream", ""},
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			resp, body := mustGet(t, c, h.URL(tt.path))
			if got := resp.Header.Get("Content-Type"); got != tt.contentType {
				t.Errorf("type %q, want %q", got, tt.contentType)
			}
			if !strings.Contains(string(body), tt.holds) {
				t.Errorf("body %q lacks %q", body, tt.holds)
			}
		})
	}
}

func TestMedia(t *testing.T) {
	if !bytes.Equal(world.Media("/a"), world.Media("/a")) {
		t.Error("the same path gives different bytes")
	}
	if bytes.Equal(world.Media("/a"), world.Media("/b")) {
		t.Error("two paths give the same bytes")
	}
}
