package mediainfo_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/mediainfo"
)

// The cookies that a list sets come back to its host with what it names, and go to no
// other host.
func TestProbe_cookies(t *testing.T) {
	ts := readMedia(t, "aac.ts")
	var (
		mu   sync.Mutex
		seen []string
	)
	note := func(r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, r.URL.Path+" "+r.Header.Get("Cookie"))
	}
	far := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		note(r)
		sends("video/mp2t", ts)(w, r)
	}))
	near := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		note(r)
		switch r.URL.Path {
		case "/v.m3u8":
			http.SetCookie(w, &http.Cookie{Name: "hop", Value: "1", Path: "/"})
			http.Redirect(w, r, "/w.m3u8", http.StatusFound)
		case "/w.m3u8":
			http.SetCookie(w, &http.Cookie{Name: "list", Value: "2", Path: "/"})
			http.SetCookie(w, &http.Cookie{Name: "gone", MaxAge: -1})
			sends(mimeHLS, []byte("#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"/k\"\n#EXTINF:1,\n"+far+"/a.ts\n#EXT-X-ENDLIST\n"))(w, r)
		default:
			sends("", theKey)(w, r)
		}
	}))
	client := fetch.New(fetch.Options{})
	t.Cleanup(client.CloseIdleConnections)
	if _, err := mediainfo.New(mediainfo.Options{Range: ranges(client)}).Probe(t.Context(), sources.Stream{URL: near + "/v.m3u8"}); err != nil {
		t.Fatal(err)
	}
	want := []string{"/v.m3u8 ", "/w.m3u8 hop=1", "/k hop=1; list=2", "/a.ts "}
	if !slices.Equal(seen, want) {
		t.Errorf("got %s, want %s", strings.Join(seen, ", "), strings.Join(want, ", "))
	}
}
