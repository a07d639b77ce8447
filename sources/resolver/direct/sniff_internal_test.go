package direct

import (
	"fmt"
	"net/http"
	"testing"

	"xship/sources"
	"xship/sources/fetch"
)

func TestIsSecurePage(t *testing.T) {
	page := fmt.Errorf("GET: %w", fetch.Page{Body: []byte("<html>")}.Verdict())
	gone := fmt.Errorf("GET: %w", fetch.Page{Body: []byte("<html><h1>File not found")}.Verdict())
	for _, tt := range []struct {
		link string
		err  error
		want bool
	}{
		{"HTTPS://h/watch", page, true},
		{"http://h/watch", page, false},
		{"https://h/film.mp4", page, false},
		{"https://h/film.m3u8|X=1", page, false},
		{"https://h/watch", gone, false},
		{"https://h/watch", sources.Errorf(sources.ClassHosterFault, "no answer"), false},
		{"https://h/watch", nil, false},
	} {
		if got := isSecurePage(tt.link, tt.err); got != tt.want {
			t.Errorf("%s, %v: got %t", tt.link, tt.err, got)
		}
	}
}

func FuzzLook(f *testing.F) {
	for _, s := range []string{
		"", "\x00\x00\x00\x20ftypisom", "\x1a\x45\xdf\xa3webm", "RIFF\x00\x00\x00\x00AVI ", "#EXTM3U\n#EXT-X-VERSION:3", "<?xml?><MPD>",
		"<html><script>", "http://h/a|X=1", "{", "GGGG", "\x89PNG\r\n\x1a\n",
	} {
		f.Add([]byte(s), "/a.mp4", "video/mp4")
	}
	f.Fuzz(func(t *testing.T, head []byte, name, contentType string) {
		found, err := look(fetch.Page{URL: "http://h.example" + name, Name: name, Header: http.Header{"Content-Type": {contentType}}, Body: head})
		switch {
		case err != nil && sources.ClassOf(err) == sources.ClassBug:
			t.Errorf("%q gives an error without a class: %v", head, err)
		case err == nil && (found.mime == "") == (found.link == ""):
			t.Errorf("%q gives %+v", head, found)
		case found.link != "" && !isHTTP(found.link):
			t.Errorf("%q leads to %q", head, found.link)
		}
	})
}
