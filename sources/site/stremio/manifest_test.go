package stremio_test

import (
	"strings"
	"testing"
	"unicode"

	"xship/sources"
	"xship/sources/site/stremio"
)

func TestManifestURL(t *testing.T) {
	for _, tt := range []struct {
		ref, want string
		ok        bool
	}{
		{"https://a.example/manifest.json", "https://a.example/manifest.json", true},
		{"stremio://a.example/manifest.json", "https://a.example/manifest.json", true},
		{"Stremio://a.example", "https://a.example/manifest.json", true},
		{"stremio://127.0.0.1:7000/manifest.json", "http://127.0.0.1:7000/manifest.json", true},
		{"stremio://[::1]:7000/", "http://[::1]:7000/manifest.json", true},
		{"stremio://localhost/x/configure", "http://localhost/x/manifest.json", true},
		{"https://a.example/configure", "https://a.example/manifest.json", true},
		{"https://a.example/configure/", "https://a.example/manifest.json", true},
		{" https://a.example/manifest.json/ ", "https://a.example/manifest.json", true},
		{"https://a.example/%7B%22k%22%3A%22a%2Fb%22%7D/configure?x=%2F&y=1", "https://a.example/%7B%22k%22%3A%22a%2Fb%22%7D/manifest.json?x=%2F&y=1", true},
		{"https://a.example/p=x,y|s=z/manifest.json?k=1#top", "https://a.example/p=x,y|s=z/manifest.json?k=1", true},
		{"https://user:pw@a.example/é/manifest.json", "https://user:pw@a.example/é/manifest.json", true},
		{"https://a.example/configure.json", "https://a.example/configure.json/manifest.json", false},
		{"https://a.example", "https://a.example/manifest.json", false},
		{"http://a.example/vod.json?x=1", "http://a.example/vod.json/manifest.json?x=1", false},
		{"https://a.example?k=/manifest.json", "https://a.example/manifest.json?k=/manifest.json", false},
		{"https:///manifest.json", "", false},
		{"file:///a/manifest.json", "", false},
		{"/films", "", false},
		{"stremio://", "", false},
		{"", "", false},
	} {
		if got, ok := stremio.ManifestURL(tt.ref); got != tt.want || ok != tt.ok {
			t.Errorf("%q is at %q, %v; want %q, %v", tt.ref, got, ok, tt.want, tt.ok)
		}
	}
}

func TestReadManifest(t *testing.T) {
	for _, tt := range []struct {
		name, body          string
		film, episode, tmdb bool   // is it asked for these ids
		unusable            string // part of the reason
	}{
		{"short", `{"id":"a","name":"A","version":"1.0.0","resources":["stream"],"types":["movie","series"],"catalogs":[]}`, true, true, true, ""},
		{"prefixes", `{"id":"a","resources":["catalog","stream"],"types":["movie"],"idPrefixes":["tt","x"]}`, true, false, false, ""},
		{"full", `{"id":"a","resources":[{"name":"stream","types":["series"],"idPrefixes":["tt"]}],"types":["movie"]}`, false, true, false, ""},
		{"full without prefixes takes all", `{"id":"a","resources":[{"name":"stream","types":["movie"]}],"types":[],"idPrefixes":["kitsu:"]}`, true, false, true, ""},
		{"full without types is never asked", `{"id":"a","resources":[{"name":"stream"}],"types":["movie"]}`, false, false, false, "none of films or series"},
		{"the first entry counts", `{"id":"a","resources":[{"name":"stream","types":["tv"]},{"name":"stream","types":["movie"]},"stream"],"types":["movie"]}`, false, false, false, "none of films or series"},
		{"nulls", `{"id":"a","name":null,"version":null,"resources":[null,"stream",7,{"name":null}],"types":["movie",null,3],"idPrefixes":null,"catalogs":null,"behaviorHints":null}`, true, false, true, ""},
		{"wrong types", `{"id":7,"name":{},"resources":"stream","types":"movie","idPrefixes":"tt","catalogs":5,"behaviorHints":[1]}`, true, false, false, ""},
		{"prefixes that are none", `{"id":"a","resources":["stream"],"types":["movie"],"idPrefixes":[1,{}]}`, true, false, true, ""},
		{"no prefix at all", `{"id":"a","resources":["stream"],"types":["movie"],"idPrefixes":[]}`, false, false, false, "no IMDb ids"},
		{"other ids", `{"id":"a","resources":["stream"],"types":["movie","series"],"idPrefixes":["kitsu:","tmdb:"]}`, false, false, true, "no IMDb ids"},
		{"part of the prefix", `{"id":"a","resources":["stream"],"types":["movie"],"idPrefixes":["t"]}`, true, false, true, ""},
		{"catalogues only", `{"id":"a","resources":["catalog","meta","subtitles"],"types":["movie"]}`, false, false, false, "no streams"},
		{"television", `{"id":"a","resources":["stream"],"types":["tv","channel"]}`, false, false, false, "none of films or series"},
		{"unconfigured", `{"id":"a","resources":["stream"],"types":["movie"],"behaviorHints":{"configurable":true,"configurationRequired":true}}`, true, false, true, "/configure"},
		{"xship itself", `{"id":"` + stremio.AddonID + `","resources":["stream"],"types":["movie"]}`, true, false, true, "ask itself"},
		{"byte order mark", "\ufeff {\"id\":\"a\",\"resources\":[\"stream\"],\"types\":[\"movie\"]}", true, false, true, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, err := stremio.ReadManifest([]byte(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			for _, ask := range []struct {
				kind, id string
				want     bool
			}{{"movie", "tt1254207", tt.film}, {"series", "tt1254207:0:1", tt.episode}, {"movie", "tmdb:1", tt.tmdb}} {
				if got := m.Takes("stream", ask.kind, ask.id); got != ask.want {
					t.Errorf("asked for %s %s: %v", ask.kind, ask.id, got)
				}
			}
			if got := m.Unusable(); (got == "") != (tt.unusable == "") || !strings.Contains(got, tt.unusable) {
				t.Errorf("unusable: %q, want %q", got, tt.unusable)
			}
		})
	}
}

func TestIsManifest(t *testing.T) {
	for _, tt := range []struct {
		body string
		want bool
	}{
		{`{"id":"a","version":"1.0.0","name":"A","description":"","resources":["stream"],"types":["movie"],"catalogs":[]}`, true},
		{`{"id":"a","version":"1.0.0","resources":[],"types":[],"catalogs":[]}`, true},
		{`{"id":"a","resources":[{"name":"stream","types":["movie"]}],"catalogs":[]}`, true},
		{`{"sites":[{"key":"a","api":"http://a.example/"}]}`, false},
		{`{"urls":[{"name":"a","url":"http://a.example/"}]}`, false},
		{`{"id":"/","name":"A web app","icons":[],"start_url":"/"}`, false},
		{`{"id":"a","resources":["stream"]}`, false},
		{`{"resources":["stream"],"types":["movie"],"version":"1.0.0"}`, false},
		{`[{"id":"a","resources":["stream"],"types":["movie"]}]`, false},
		{`null`, false},
		{`<html>`, false},
		{``, false},
	} {
		if got := stremio.IsManifest([]byte(tt.body)); got != tt.want {
			t.Errorf("%s: %v", tt.body, got)
		}
		if _, err := stremio.ReadManifest([]byte(tt.body)); tt.want && err != nil || err != nil && sources.ClassOf(err) != sources.ClassHosterFault {
			t.Errorf("%s: %v", tt.body, err)
		}
	}
}

func FuzzReadManifest(f *testing.F) {
	for _, s := range []string{
		`{"id":"a","name":"\u001b[31mA\u202e","resources":["stream",{"name":"meta","types":["movie"],"idPrefixes":["tt"]}],"types":["movie"]}`,
		`{"id":1,"resources":"stream","types":null}`, `{"id":"a","resources":[[]]}`, `{"id":"a","resources":{}}`, `[`, `"x"`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		m, err := stremio.ReadManifest(body)
		if err != nil {
			if sources.ClassOf(err) != sources.ClassHosterFault || stremio.IsManifest(body) {
				t.Errorf("unexpected error %q", err)
			}
			return
		}
		if strings.ContainsFunc(m.Name+m.ID, unicode.IsControl) {
			t.Errorf("control characters in %q", m.Name+m.ID)
		}
		if m.Takes("stream", "movie", "tt1254207") && !m.NeedsConfiguration && m.ID != stremio.AddonID && m.Unusable() != "" {
			t.Errorf("it takes a film, and is unusable: %s", m.Unusable())
		}
	})
}
