package fetch_test

import (
	"errors"
	"net/http"
	"testing"

	"xship/sources"
	"xship/sources/fetch"
)

func TestPageVerdict(t *testing.T) {
	const dead, fault, unsupported = sources.ClassDeadLink, sources.ClassHosterFault, sources.ClassUnsupported
	for _, tt := range []struct {
		name, path, body string
		class            sources.Class
		says             string
	}{
		{"page", "/a.mp4", "<!doctype html><title>Hi</title>", fault, `a web page where media should be: HTML page "Hi"`},
		{"page of XML", "/a.mp4", `<?xml version="1.0"?><!DOCTYPE html><html>`, fault, `a web page where media should be: <?xml version="1.0"?><!DOCTYPE html><html>`},
		{"page by name", "/a.HTML", "<html>", unsupported, "a web page, which needs a parser: HTML page"},
		{"gone", "/a", "<html><h1>File was not found", dead, `it says "file was not found": HTML page`},
		{"gone, by name a page", "/a.html", "<html>Fichier introuvable", dead, `it says "fichier introuvable": HTML page`},
		{"gone, Russian", "/a", "<html><b>Файл удалён</b>", dead, `it says "файл удалён": HTML page`},
		{"gone, Chinese", "/a", "该资源已被删除", dead, `it says "已被删除": 该资源已被删除`},
		{"gone, video", "/a", "This video was removed", dead, `it says "video was removed": This video was removed`},
		{"gone in a script", "/a", "<html><SCRIPT>say('file not found')</SCRIPT>", fault, "a web page where media should be: HTML page"},
		{"gone in a script that the head cuts", "/a", "<html><script>say('file not found')", fault, "a web page where media should be: HTML page"},
		{"offer that is gone", "/a", "<html>This offer is no longer available", fault, "a web page where media should be: HTML page"},
		{"challenge", "/a", "<html><title>Just a moment...</title>", unsupported, `it wants a browser or a captcha: HTML page "Just a moment..."`},
		{"channels", "/a", "#EXTM3U\n#EXTINF:-1,One\nhttp://h/1\n", fault, "a list of channels where media should be: #EXTM3U #EXTINF:-1,One http://h/1"},
		{"manifest", "/a", "<MPD>", fault, "a manifest where media should be: <MPD>"},
		{"JSON", "/a", "\ufeff {\"error\": 1}", fault, `JSON where media should be: {"error": 1}`},
		{"XML", "/a", "<Error>AccessDenied</Error>", fault, "XML where media should be: <Error>AccessDenied</Error>"},
		{"link", "/a.strm", "smb://nas/a", unsupported, "a .strm file that names no http or https link: smb://nas/a"},
		{"text", "/a", "please pay", fault, "text where media should be: please pay"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := fetch.NewPage("http://h.example"+tt.path, "http://cdn.example/x.html", nil, []byte(tt.body)).Verdict()
			if tt.path == "/a" { // the name counts that was asked for, where it has an extension
				err = fetch.NewPage("http://h.example/a", "http://cdn.example/b", nil, []byte(tt.body)).Verdict()
			}
			if err.Class() != tt.class || err.Error() != tt.says {
				t.Errorf("got %s %q, want %s %q", err.Class(), err, tt.class, tt.says)
			}
			if errors.Is(err, sources.ErrPage) == (tt.class == dead) {
				t.Errorf("a page for an account: %t", errors.Is(err, sources.ErrPage))
			}
		})
	}
}

func TestPageOfHeader(t *testing.T) {
	header := http.Header{"Cf-Mitigated": {"challenge"}}
	if err := fetch.NewPage("http://h.example/a.mp4", "", header, []byte("<html>")).Verdict(); err.Class() != sources.ClassUnsupported {
		t.Errorf("got %s %v", err.Class(), err)
	}
	// Nothing of a file of this machine is quoted.
	if err := fetch.NewPage("/films/a.strm", "", nil, []byte("smb://user:pw@nas/a")).Verdict(); err.Error() != "a .strm file that names no http or https link" {
		t.Errorf("got %v", err)
	}
	// Where the link has no extension, that of what it leads to counts.
	if err := fetch.NewPage("http://h.example/a", "http://h.example/b.html", nil, []byte("<html>")).Verdict(); err.Class() != sources.ClassUnsupported {
		t.Errorf("got %s %v", err.Class(), err)
	}
}
