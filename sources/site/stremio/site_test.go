package stremio_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/site/stremio"
	"xship/sources/sourcetest"
	"xship/sources/sourcetest/world"
)

// newSite makes a site of the add-on whose manifest lies at address.
func newSite(tb testing.TB, address string, d stremio.Deps) sources.Site {
	tb.Helper()
	client := fetch.New(fetch.Options{MaxBody: 1 << 20, PerHost: 50})
	tb.Cleanup(client.CloseIdleConnections)
	d.Fetch = client
	site, err := stremio.New(spec(address), d)
	if err != nil {
		tb.Fatal(err)
	}
	return site
}

func spec(address string) sources.SiteSpec {
	return sources.SiteSpec{SiteInfo: sources.SiteInfo{Key: "addon", Name: "Add-on", Type: stremio.Type}, API: address, Searchable: true}
}

func TestConformance(t *testing.T) {
	for _, c := range []struct {
		name   string
		config world.StremioConfig
	}{
		{"plain", world.StremioConfig{}},
		{"configured", world.StremioConfig{Base: "/x%2Fy/%7B%22k%22%3A1%7D", Query: "k=%2F&t=1"}},
		{"with descriptions", world.StremioConfig{Meta: true}},
		{"known", world.StremioConfig{}}, // so that what goes wrong is the answer with the streams
	} {
		t.Run(c.name, func(t *testing.T) {
			sourcetest.RunSite(t, sourcetest.Harness{ByIMDb: true, MaxRequests: 3, Start: func(tb testing.TB, films []world.Film) sourcetest.Instance {
				c.config.Films = films
				addon := sourcetest.StartStremio(tb, c.config)
				site := newSite(tb, addon.URL(), stremio.Deps{})
				if c.name == "known" {
					if _, err := search(tb.Context(), site, sources.Title{Kind: sources.KindMovie, Name: "X", IMDb: "tt9999999"}); err != nil {
						tb.Fatal(err)
					}
				}
				return sourcetest.Instance{Site: site, Server: addon}
			}})
		})
	}
}

func search(ctx context.Context, site sources.Site, t sources.Title) (found []sources.Source, err error) {
	err = site.Search(ctx, t, func(src sources.Source) { found = append(found, src) })
	return found, err
}

var (
	film    = sources.Title{Kind: sources.KindMovie, Name: "Paper Submarines", Year: 2016, IMDb: "tt9000001"}
	episode = sources.Title{Kind: sources.KindEpisode, Name: "Harbour Nine", Season: 0, Episode: 3, IMDb: "tt9000010"}
)

const plainManifest = `{"id":"org.example.a","version":"1.0.0","name":"Sample","resources":["stream","meta"],"types":["movie","series"],"idPrefixes":["tt"],"catalogs":[]}`

// addon is a server of answers by the beginning of the path.
type addon struct {
	*httptest.Server
	mu    sync.Mutex
	asked []*http.Request
	serve map[string]http.HandlerFunc
}

func write(contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = io.WriteString(w, body)
	}
}

// startAddon starts an add-on that answers a question for streams with the body given.
func startAddon(tb testing.TB, streams string) *addon {
	tb.Helper()
	a := &addon{serve: map[string]http.HandlerFunc{"/manifest.json": write("application/json", plainManifest), "/stream/": write("application/json", streams)}}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler := http.HandlerFunc(http.NotFound)
		a.mu.Lock()
		a.asked = append(a.asked, r)
		for prefix, serve := range a.serve {
			if strings.HasPrefix(r.URL.Path, prefix) {
				handler = serve
			}
		}
		a.mu.Unlock()
		handler(w, r)
	}))
	tb.Cleanup(a.Close)
	return a
}

// on has what begins with prefix answered by h.
func (a *addon) on(prefix string, h http.HandlerFunc) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.serve[prefix] = h
}

// paths are those that were asked for, as they came.
func (a *addon) paths() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := make([]string, len(a.asked))
	for i, r := range a.asked {
		all[i] = r.RequestURI
	}
	return all
}

func (a *addon) url() string { return a.URL + "/manifest.json" }

// TestSearch_address: an add-on is asked in the very bytes of its address, with the path
// of the manifest replaced wherever that stands.
func TestSearch_address(t *testing.T) {
	const id = "tt9000010%3A0%3A3"
	for _, tt := range []struct{ address, manifest, stream string }{
		{"/manifest.json", "/manifest.json", "/stream/series/" + id + ".json"},
		{"/manifest.json?k=1&x=%2F", "/manifest.json?k=1&x=%2F", "/stream/series/" + id + ".json?k=1&x=%2F"},
		{"/a%2Fb/%7B%22k%22%3A%22v%22%7D/manifest.json", "/a%2Fb/%7B%22k%22%3A%22v%22%7D/manifest.json", "/a%2Fb/%7B%22k%22%3A%22v%22%7D/stream/series/" + id + ".json"},
		{"/p=a,b|s=c%2Fd/manifest.json", "/p=a,b%7Cs=c%2Fd/manifest.json", "/p=a,b%7Cs=c%2Fd/stream/series/" + id + ".json"},
		{"/{k}%2F^/configure", "/%7Bk%7D%2F%5E/manifest.json", "/%7Bk%7D%2F%5E/stream/series/" + id + ".json"},
		{"/caf\u00e9%2F100%/manifest.json", "/caf%C3%A9%2F100%25/manifest.json", "/caf%C3%A9%2F100%25/stream/series/" + id + ".json"},
		{"/manifest.json?u=http://b.example/manifest.json", "/manifest.json?u=http://b.example/manifest.json", "/stream/series/" + id + ".json?u=http://b.example/stream/series/" + id + ".json"},
	} {
		var got []string
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got = append(got, r.RequestURI)
			if r.Header.Get(stremio.HopHeader) == "" || r.Header.Get("X-Key") != "k" {
				t.Errorf("%s was asked for with %v", r.RequestURI, r.Header)
			}
			body := `{"streams":[]}`
			if len(got) == 1 {
				body = `{"id":"a","resources":["stream"],"types":["series"]}`
			}
			_, _ = io.WriteString(w, body)
		}))
		s := spec(srv.URL + tt.address)
		s.Headers = map[string]string{"X-Key": "k"}
		client := fetch.New(fetch.Options{})
		site, err := stremio.New(s, stremio.Deps{Fetch: client})
		if err == nil {
			_, err = search(t.Context(), site, episode)
		}
		if want := []string{tt.manifest, tt.stream}; err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: asked for %q, want %q; %v", tt.address, got, want, err)
		}
		client.CloseIdleConnections()
		srv.Close()
	}
}

func TestNew(t *testing.T) {
	for _, tt := range []struct{ name, api, ext, reason string }{
		{"no address", "addon", "", "not the address of a Stremio add-on"},
		{"a secret in no address", "file:///home/me/?token=hunter22222", "", "REDACTED"},
		{"not usable", "https://a.example/manifest.json", `{"id":"a","resources":["catalog"],"types":["movie"]}`, "no streams"},
		{"xship itself", "https://a.example/manifest.json", `{"id":"` + stremio.AddonID + `","resources":["stream"],"types":["movie"]}`, "ask itself"},
	} {
		s := spec(tt.api)
		s.Ext = tt.ext
		if _, err := stremio.New(s, stremio.Deps{}); sources.ClassOf(err) != sources.ClassUnsupported || !strings.Contains(err.Error(), tt.reason) || strings.Contains(err.Error(), "hunter") {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	other := spec("https://a.example/manifest.json")
	other.Type = "1"
	if _, err := stremio.New(other, stremio.Deps{}); sources.ClassOf(err) != sources.ClassUnsupported {
		t.Errorf("type 1: %v", err)
	}
	if site := newSite(t, "https://a.example/manifest.json", stremio.Deps{}); !site.Info().WantsIMDb {
		t.Error("the site does not want an IMDb id")
	}
}

// TestSearch_noID: without an id nobody is asked, and nobody failed.
func TestSearch_noID(t *testing.T) {
	a := startAddon(t, `{"streams":[]}`)
	without := film
	without.IMDb = ""
	scanner := &sources.Scanner{}
	_, err := search(t.Context(), newSite(t, a.url(), stremio.Deps{}), without)
	if sources.ClassOf(err) != sources.ClassCancelled || !strings.Contains(err.Error(), "--imdb") || len(a.paths()) != 0 {
		t.Errorf("%v after %q", err, a.paths())
	}
	got, _ := scanner.Scan(t.Context(), without, sources.Interface{URL: "x"}, []sources.Site{newSite(t, a.url(), stremio.Deps{})}, sources.ScanOptions{})
	if got.Sites[0].Status != sources.SiteSkipped {
		t.Errorf("report %+v", got.Sites[0])
	}
}

// TestSearch_manifest: the manifest is asked for once in a while, for all that have the
// same store, and decides what is asked at all.
func TestSearch_manifest(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	clock := func() time.Time { return now }
	store := sourcetest.NewMemory(clock)
	a := startAddon(t, `{"streams":[{"url":"https://h.example/a.mp4"}]}`)
	a.on("/meta/", write("application/json", `{}`))
	manifests := func() int {
		return len(slices.DeleteFunc(a.paths(), func(p string) bool { return p != "/manifest.json" }))
	}
	fails := false
	a.on("/manifest.json", func(w http.ResponseWriter, r *http.Request) {
		if fails {
			http.Error(w, "down", http.StatusBadGateway)
			return
		}
		write("text/plain", plainManifest)(w, r)
	})
	for _, step := range []struct {
		after time.Duration
		fails bool
		asked int // in all
	}{{0, false, 1}, {time.Hour, false, 1}, {12 * time.Hour, false, 2}, {13 * time.Hour, true, 3}, {-48 * time.Hour, false, 4}} {
		now, fails = now.Add(step.after), step.fails
		if found, err := search(t.Context(), newSite(t, a.url(), stremio.Deps{Answers: store, Now: clock}), film); err != nil || len(found) != 1 || manifests() != step.asked {
			t.Errorf("%v later: %d sources, %v, after %d requests for the manifest, want %d", step.after, len(found), err, manifests(), step.asked)
		}
	}
	// One that hangs leaves time for the streams.
	hang := make(chan struct{})
	a.on("/manifest.json", func(http.ResponseWriter, *http.Request) { <-hang })
	t.Cleanup(func() { close(hang) })
	now = now.Add(24 * time.Hour)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	if found, err := search(ctx, newSite(t, a.url(), stremio.Deps{Answers: store, Now: clock}), film); err != nil || len(found) != 1 {
		t.Errorf("with a manifest that hangs: %d sources, %v", len(found), err)
	}
	given := spec(a.url())
	given.Ext = plainManifest
	client := fetch.New(fetch.Options{})
	t.Cleanup(client.CloseIdleConnections)
	site, err := stremio.New(given, stremio.Deps{Fetch: client})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := search(t.Context(), site, film); err != nil || manifests() != 5 {
		t.Errorf("with its manifest: %v, %d requests", err, manifests())
	}

	large := startAddon(t, `{"streams":[{"url":"https://h.example/a.mp4"}]}`)
	large.on("/manifest.json", write("application/json", `{"description":"`+strings.Repeat("x", 3<<20)+`",`+plainManifest[1:]))
	if found, err := search(t.Context(), newSite(t, large.url(), stremio.Deps{}), film); err != nil || len(found) != 1 {
		t.Errorf("a manifest as large as an interface may be: %d sources, %v", len(found), err)
	}

	for _, tt := range []struct {
		manifest, err string
		class         sources.Class
	}{
		{`{"id":"a","resources":["catalog"],"types":["movie"]}`, "no streams", sources.ClassUnsupported},
		{`{"id":"` + stremio.AddonID + `","resources":["stream"],"types":["movie"]}`, "ask itself", sources.ClassUnsupported},
		{`{"sites":[]}`, "not the manifest", sources.ClassHosterFault},
		{`<html><title>Sign in</title></html>`, "Sign in", sources.ClassHosterFault},
		{``, "not the manifest", sources.ClassHosterFault},
		{`{"id":"a","resources":["stream"],"types":["series"]}`, "", sources.ClassOK},
		{`{"id":"a","resources":["stream"],"types":["movie"],"idPrefixes":["tt1"]}`, "", sources.ClassOK},
	} {
		b := startAddon(t, `{"streams":[{"url":"https://h.example/a.mp4"}]}`)
		b.on("/manifest.json", write("text/html", tt.manifest))
		found, err := search(t.Context(), newSite(t, b.url(), stremio.Deps{}), film)
		if sources.ClassOf(err) != tt.class || err != nil && !strings.Contains(err.Error(), tt.err) || len(found) != 0 || len(b.paths()) != 1 {
			t.Errorf("%s: %d sources, %v, after %q", tt.manifest, len(found), err, b.paths())
		}
	}
}

// TestSearch_row reads rows as real add-ons write them.
func TestSearch_row(t *testing.T) {
	for _, tt := range []struct {
		name, row string
		want      sources.Source
	}{
		{"only a link", `{"url":"https://h.example/a.mp4"}`, sources.Source{Name: "Paper Submarines (2016)", URL: "https://h.example/a.mp4"}},
		{"a short title", `{"url":"http://h.example/a","title":"1080p WEB-DL"}`, sources.Source{Name: "Paper Submarines (2016) 1080p WEB-DL", Label: "1080p WEB-DL", URL: "http://h.example/a"}},
		{
			"all that there is", `{"name":"Sample\n4K","description":"ignored\n\ud83d\udcbe 9 GB","title":"older","url":"https://h.example/x","behaviorHints":{"filename":"Paper.Submarines.2016.2160p.WEB-DL.mkv",
			"videoSize":"1234567890","bingeGroup":"sample|4k\u001b[31m","notWebReady":true,"countryWhitelist":["deu"],"proxyHeaders":{"request":{"Referer":"https://r.example/","User-Agent":"UA","Range":"bytes=0-","Bad Name":"x","N":7},"response":{"A":"b"}}},
			"subtitles":[{"id":"1","url":"https://s.example/a.srt","lang":"ger"},null,{"url":"","lang":"eng"},{"url":"https://s.example/b.vtt","lang":"pob"},{"lang":5}]}`,
			sources.Source{
				Name: "Paper.Submarines.2016.2160p.WEB-DL.mkv", Label: "4K ignored", URL: "https://h.example/x", SizeBytes: 1234567890, Group: "sample|4k",
				Headers:   map[string]string{"Referer": "https://r.example/", "User-Agent": "UA", "N": "7"},
				Subtitles: []sources.Subtitle{{URL: "https://s.example/a.srt", Language: "de"}, {URL: "https://s.example/b.vtt", Language: "pob"}},
			},
		},
		{
			"in the manner of torrent add-ons", `{"name":"[RD+] Sample\n1080p","title":"Paper.Submarines.2016.1080p.BluRay.x264-GRP\nPaper.Submarines.mkv\n👤 89 💾 2.5 GB ⚙️ Somewhere\n🇬🇧 / 🇩🇪","url":"https://h.example/r/1"}`,
			sources.Source{Name: "Paper.Submarines.2016.1080p.BluRay.x264-GRP", Label: "[RD+] 1080p", URL: "https://h.example/r/1", Language: "multi", SizeBytes: 2684354560},
		},
		{
			"with a sign before each fact", `{"name":"Sample 720p","description":"📄 Paper Submarines 2016 German 720p.mkv\n📹 HEVC • 10bit 🔊 DDP\n👤 5 💾 1,4 GiB 🔎 x","url":"https://h.example/r/2"}`,
			sources.Source{Name: "Paper Submarines 2016 German 720p.mkv", Label: "720p HEVC • 10bit DDP", URL: "https://h.example/r/2", SizeBytes: 1503238553},
		},
		{
			"a rate is no size", `{"name":"Sample","description":"A film from somewhere far away\n💾 20 MB/s 700 MB","url":"https://h.example/r/3"}`,
			sources.Source{Name: "A film from somewhere far away", URL: "https://h.example/r/3", SizeBytes: 700 << 20},
		},
		{
			"thousands of a size", `{"name":"Sample","description":"A film from somewhere far away\n💾 1,234.5 MB","url":"https://h.example/r/5"}`,
			sources.Source{Name: "A film from somewhere far away", URL: "https://h.example/r/5", SizeBytes: 1294467072},
		},
		{
			"thousands of a size with a comma", `{"name":"Sample","description":"A film from somewhere far away\n💾 1.234,5 MB","url":"https://h.example/r/6"}`,
			sources.Source{Name: "A film from somewhere far away", URL: "https://h.example/r/6", SizeBytes: 1294467072},
		},
		{
			"a fraction of three digits", `{"name":"Sample","description":"A film from somewhere far away\n💾 1.500 GB","url":"https://h.example/r/7"}`,
			sources.Source{Name: "A film from somewhere far away", URL: "https://h.example/r/7", SizeBytes: 1610612736},
		},
		{
			"the title and a tag", `{"name":"Sample 1080p","description":"paper submarines 2016","url":"https://h.example/r/8"}`,
			sources.Source{Name: "paper submarines 2016", Label: "1080p", URL: "https://h.example/r/8"},
		},
		{
			"the title within a word", `{"name":"Sample 1080p","description":"Paper Submariness","url":"https://h.example/r/9"}`,
			sources.Source{Name: "Sample 1080p Paper Submariness", Label: "1080p Paper Submariness", URL: "https://h.example/r/9"},
		},
		{
			"a flag", `{"name":"Sample | 1080p","description":"Paper Submarines\n🔗 Mirror 🇫🇷","url":"https://h.example/r/4"}`,
			sources.Source{Name: "Paper Submarines", Label: "| 1080p", URL: "https://h.example/r/4", Language: "fr"},
		},
		{"nulls and wrong types", `{"name":null,"title":{},"description":["x"],"url":"https://h.example/a.mp4","fileIdx":"4","infoHash":null,"behaviorHints":{"filename":7,"videoSize":-1,"bingeGroup":null,"proxyHeaders":[]},"subtitles":"none","sources":null}`, sources.Source{Name: "7", URL: "https://h.example/a.mp4"}},
		{"hints that are none", `{"name":"x","url":"https://h.example/a.mp4","behaviorHints":"no"}`, sources.Source{Name: "x", Label: "x", URL: "https://h.example/a.mp4"}},
		{"hostile text", "{\"name\":\"\\u001b[31mRed\\u001b[0m\\u202e\",\"description\":\"a\\u0007b\\u0000\",\"url\":\"https://h.example/\\u001b[31ma\\u202e.mp4\"}", sources.Source{Name: "Red ab", Label: "Red ab", URL: "https://h.example/a.mp4"}},
		{"link before video", `{"url":"https://h.example/a.mp4","ytId":"abcdefghijk","infoHash":"0123456789012345678901234567890123456789","externalUrl":"https://x.example/p"}`, sources.Source{Name: "Paper Submarines (2016)", URL: "https://h.example/a.mp4"}},
		{"an empty link", `{"url":"","ytId":"abcdefghijk","rarUrls":["https://h.example/a.rar"]}`, sources.Source{Name: "Paper Submarines (2016)", URL: "https://www.youtube.com/watch?v=abcdefghijk"}},
		{"a page", `{"externalUrl":"https://x.example/watch/1","name":"Elsewhere"}`, sources.Source{Name: "Elsewhere", Label: "Elsewhere", URL: "https://x.example/watch/1", Unplayable: "needs a browser: the add-on gives a web page", Priority: sources.PriorityLast}},
		{"a page of YouTube's", `{"externalUrl":"https://youtu.be/abcdefghijk"}`, sources.Source{Name: "Paper Submarines (2016)", URL: "https://youtu.be/abcdefghijk"}},
		{"media for a browser", `{"externalUrl":"https://x.example/a.m3u8"}`, sources.Source{Name: "Paper Submarines (2016)", URL: "https://x.example/a.m3u8"}},
		{"the app's own server", `{"url":"http://127.0.0.1:11470/hlsv2/x"}`, sources.Source{Name: "Paper Submarines (2016)", URL: "http://127.0.0.1:11470/hlsv2/x", Unplayable: "needs the Stremio app: it is a link to the app's own server", Priority: sources.PriorityLast}},
		{"what is to be downloaded first", `{"name":"[RD download] Sample 1080p","url":"https://h.example/d"}`, sources.Source{Name: "[RD download] Sample 1080p", Label: "[RD download] 1080p", URL: "https://h.example/d", Unplayable: "the add-on's service would first have to download it", Priority: sources.PriorityLast}},
		{"words of an error in a file", `{"name":"Sample error","url":"https://h.example/a.mp4","behaviorHints":{"filename":"Invalid.Token.2016.mkv"}}`, sources.Source{Name: "Invalid.Token.2016.mkv", Label: "error", URL: "https://h.example/a.mp4"}},
		{"words of an error beside a picture", `{"name":"Sample 1080p","description":"Access Denied","url":"https://h.example/a.mp4"}`, sources.Source{Name: "Sample 1080p Access Denied", Label: "1080p Access Denied", URL: "https://h.example/a.mp4"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := startAddon(t, `{"streams":[`+tt.row+`]}`)
			found, err := search(t.Context(), newSite(t, a.url(), stremio.Deps{}), film)
			if err != nil || len(found) != 1 {
				t.Fatalf("%d sources, %v", len(found), err)
			}
			if diff := cmp.Diff(tt.want, found[0]); diff != "" {
				t.Errorf("source (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSearch_answer is what becomes of whole answers.
func TestSearch_answer(t *testing.T) {
	const good = `{"url":"https://h.example/a.mp4"}`
	torrents := strings.TrimSuffix(strings.Repeat(`{"infoHash":"0123456789012345678901234567890123456789","fileIdx":0},`, 11), ",") + `,{"url":"magnet:?xt=urn:btih:0123"}`
	for _, tt := range []struct {
		name, body string
		found      int
		class      sources.Class
		said       string // in the error or note; "" = neither
	}{
		{"none", `{"streams":[]}`, 0, sources.ClassOK, ""},
		{"null", `{"streams":null,"cacheMaxAge":60}`, 0, sources.ClassOK, ""},
		{"no list", `{}`, 0, sources.ClassOK, ""},
		{"byte order mark", "\ufeff{\"streams\":[" + good + "]}", 1, sources.ClassOK, ""},
		{"bad rows among good", `{"streams":[null,7,"x",[],{},{"url":"x"},{"url":"/relative"},` + good + `]}`, 1, sources.ClassOK, "7 rows that cannot be read"},
		{"bad rows only", `{"streams":[null,{},{"name":"x","url":5}]}`, 0, sources.ClassHosterFault, "none of the 3 rows"},
		{"no rows but words", `{"streams":["a","b"]}`, 0, sources.ClassHosterFault, "none of the 2 rows"},
		{"torrents", `{"streams":[` + torrents + `]}`, 0, sources.ClassOK, "12 torrents: xship fetches none"},
		{"torrents among good", `{"streams":[` + good + "," + torrents + `]}`, 1, sources.ClassOK, "12 torrents: xship fetches none"},
		{"all kinds", `{"streams":[{"rarUrls":["https://h/a"]},{"zipUrls":[{"url":"https://h/a"}]},{"7zipUrls":["x"]},{"tgzUrls":["x"]},{"tarUrls":["x"]},{"nzbUrl":"https://h/a"},{"url":"https://h.example/a.nzb"},
			{"playerFrameUrl":"https://h/a"},{"url":"rtmp://h/a"},{"url":"acestream://x"},{"url":"https://h.example/a.torrent"}]}`, 0, sources.ClassOK, "1 torrent, 2 Usenet posts, 5 archives, 1 web player, 2 other links: xship fetches none"},
		{"a link that is data", `{"streams":[{"url":"https://h.example/` + strings.Repeat("x", 9000) + `"},` + good + `]}`, 1, sources.ClassOK, "1 other link"},
		{"no list of streams", `{"streams":"none"}`, 0, sources.ClassHosterFault, "no list"},
		{"an object of streams", `{"streams":{"0":` + good + `}}`, 0, sources.ClassHosterFault, "no list"},
		{"an error", `{"err":"handler error"}`, 0, sources.ClassHosterFault, "reports an error: handler error"},
		{"an error beside none", `{"streams":[],"error":"API key required"}`, 0, sources.ClassHosterFault, "reports an error: API key required"},
		{"an error before null", `{"err":{"code":"E1","message":"handler error"},"streams":null}`, 0, sources.ClassHosterFault, "reports an error: handler error"},
		{"no error beside none", `{"error":false,"err":0,"streams":[],"message":"ok"}`, 0, sources.ClassOK, ""},
		{"that there are none", `{"streams":[],"error":"No streams found"}`, 0, sources.ClassOK, ""},
		{"an error beside rows", `{"error":"one mirror failed","streams":[` + good + `]}`, 1, sources.ClassOK, ""},
		{"a page", `<!doctype html><title>Just a moment</title>`, 0, sources.ClassHosterFault, "Just a moment"},
		{"nothing", ``, 0, sources.ClassHosterFault, "empty"},
		{"a list", `[` + good + `]`, 0, sources.ClassHosterFault, "not a JSON object"},
		{"broken behind rows", `{"streams":[` + good + `,{"url":`, 1, sources.ClassHosterFault, "not valid JSON"},
		{"broken off between rows", `{"streams":[` + good, 1, sources.ClassHosterFault, "not valid JSON"},
		{"more than is read", `{"streams":[` + strings.Repeat(good+",", 49_999) + good + `]}`, 1000, sources.ClassOK, "only the first 1000 rows"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := startAddon(t, tt.body)
			found, err := search(t.Context(), newSite(t, a.url(), stremio.Deps{}), film)
			if sources.ClassOf(err) != tt.class || len(found) != tt.found || (err != nil) != (tt.said != "") || err != nil && !strings.Contains(err.Error(), tt.said) {
				t.Errorf("%d sources, %v", len(found), err)
			}
		})
	}
}

// TestSearch_status tells messages from streams.
func TestSearch_status(t *testing.T) {
	const (
		failed  = "failed"
		notice  = "notice"
		nothing = "nothing"
		stream  = "stream"
	)
	for _, tt := range []struct{ name, row, is string }{
		{"key", `{"name":"Sample\nRD error","title":"Invalid Service ApiKey/Token!","url":"ADDON/videos/failed_access_v2.mp4"}`, failed},
		{"subscription", `{"name":"Sample","title":"Expired/invalid Service subscription!","url":"https://h.example/x.mp4"}`, failed},
		{"status video elsewhere", `{"name":"Sample","title":"Cannot go on","url":"https://files.example/download/failed_access.mp4"}`, failed},
		{"status videos", `{"name":"Sample","url":"https://h.example/assets/status_videos/TOO_MANY_REQUESTS.mp4"}`, failed},
		{"status video of the add-on", `{"name":"Sample","description":"Oh","url":"ADDON/static/exceptions/invalid_token.mp4"}`, failed},
		{"configuration", `{"name":"[❌] Sample","description":"⚠️ OBSOLETE CONFIGURATION, PLEASE RE-CONFIGURE ON https://a.example ⚠️","url":"https://a.example"}`, failed},
		{"rate limit", `{"name":"Sample","description":"Public rate-limit exceeded","externalUrl":"https://github.com/x/y"}`, failed},
		{"configure page", `{"name":"Sample","description":"Hello","externalUrl":"ADDON/configure"}`, failed},
		{"sign before", `{"name":"Sample","description":"🚫 Blocked in your country","externalUrl":"https://x.example/1"}`, failed},
		{"sign in a line", `{"name":"Sample","description":"Paper Submarines\n❌ Timeout of mirror","externalUrl":"https://x.example/1"}`, failed},
		{"an outer link", `{"name":"Sample","description":"Paper Submarines\n⚠️ external","externalUrl":"https://x.example/1"}`, stream},
		{"no streams", `{"name":"Sample","description":"No streams found","url":"ADDON/no_streams.mp4"}`, nothing},
		{"no results", `{"name":"Sample","title":"🚫 No results for this title.","externalUrl":"https://x.example/1"}`, nothing},
		{"filtered", `{"name":"Sample","description":"🚫 Streams Found\n⚙️ Filtered","externalUrl":"stremio:///"}`, nothing},
		{"sync", `{"name":"[🔄] Sample","description":"Sync debrid account library now","url":"ADDON/debrid-sync/0"}`, notice},
		{"support", `{"name":"Sample","description":"Buy me a coffee","externalUrl":"https://ko-fi.com/x"}`, notice},
		{"ratings", `{"name":"Age rating","description":"PG","externalUrl":"https://www.imdb.com/title/tt1/parentalguide"}`, notice},
		{"a page of the app", `{"name":"Search","externalUrl":"stremio:///search?search=x"}`, notice},
		{"first page", `{"name":"Sample","description":"See our page","url":"https://a.example/"}`, notice},
		{"a film of such a name", `{"name":"Sample","description":"Denied","url":"https://h.example/denied.2016.mp4"}`, stream},
		{"a film in a folder of videos", `{"name":"Sample","url":"https://h.example/videos/paper-submarines-limit.mp4","behaviorHints":{"videoSize":5}}`, stream},
		{"a limit", `{"name":"Sample","description":"You have reached your daily limit","url":"https://h.example/x.mp4"}`, failed},
		{"a limit of a size", `{"name":"Sample","description":"Traffic limit reached: you have used your 50 GB (50GB)","url":"https://h.example/x.mp4"}`, failed},
		{"in a moment", `{"name":"Sample","description":"Scraping in progress, try again in a few seconds","url":"https://h.example/x.mp4"}`, failed},
		{"premium only", `{"name":"🔒 Sample","description":"Upgrade your account to premium","url":"https://h.example/x.mp4"}`, failed},
		{"a region", `{"name":"Sample","description":"Content not available in your region","url":"https://h.example/x.mp4"}`, failed},
		{"key, German", `{"name":"Sample","description":"Ungültiger API-Schlüssel","url":"https://h.example/x.mp4"}`, failed},
		{"key, French", `{"name":"Sample","description":"Clé API invalide","url":"https://h.example/x.mp4"}`, failed},
		{"key, Spanish", `{"name":"Sample","description":"Clave de API inválida","url":"https://h.example/x.mp4"}`, failed},
		{"unable", `{"name":"Sample","description":"Unable to find any results","url":"https://h.example/x.mp4"}`, nothing},
		{"none, German", `{"name":"Sample","description":"Keine Streams gefunden","url":"https://h.example/x.mp4"}`, nothing},
		{"none, French", `{"name":"Sample","description":"Aucun résultat","url":"https://h.example/x.mp4"}`, nothing},
		{"none, Spanish", `{"name":"Sample","description":"No se encontraron resultados","url":"https://h.example/x.mp4"}`, nothing},
		{"none, Portuguese", `{"name":"Sample","description":"Nenhum resultado encontrado","url":"https://h.example/x.mp4"}`, nothing},
		{"none, Italian", `{"name":"Sample","description":"Nessun risultato","url":"https://h.example/x.mp4"}`, nothing},
		{"none, of an episode", `{"name":"Sample","description":"No streams found for Paper Submarines S01E02","url":"https://h.example/x.mp4"}`, nothing},
		{"an episode of such a name", `{"name":"Sample","title":"S01E05 - The Wrong Password","url":"https://h.example/x.mp4"}`, stream},
		{"a release of such a name", `{"name":"Sample","title":"Unauthorized.Access.S01E02","url":"https://h.example/x.mp4"}`, stream},
		{"a size beside such words", `{"name":"Sample","title":"Access Denied\n💾 1.2 GB","url":"https://h.example/x.mp4"}`, stream},
		{"a sign before a name of quality", `{"name":"❌ Sample\n1080p","title":"Paper.Submarines.2016.mkv","url":"https://h.example/x.mp4"}`, stream},
		{"a sign before a name of a file", `{"name":"⚠️ Sample","url":"https://h.example/x.mp4","behaviorHints":{"filename":"Paper.Submarines.2016.mkv"}}`, stream},
		{"a sign in a line with a size", `{"name":"Sample","title":"Paper Submarines\n⚠️ hard subtitles\n💾 1 GB","url":"https://h.example/x.mp4"}`, stream},
		{"wants no login", `{"name":"Sample","title":"Paper Submarines\n🔑 no login required","url":"https://h.example/x.mp4"}`, stream},
		{"media of a project", `{"name":"Sample","url":"https://raw.githubusercontent.com/x/y/a.mp4"}`, stream},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := startAddon(t, "")
			a.on("/stream/", write("application/json", `{"streams":[`+strings.ReplaceAll(tt.row, "ADDON", a.URL)+`]}`))
			found, err := search(t.Context(), newSite(t, a.url(), stremio.Deps{}), film)
			got := stream
			switch class := sources.ClassOf(err); {
			case class == sources.ClassHosterFault && strings.Contains(err.Error(), "the add-on says: "):
				got = failed
			case class == sources.ClassOK && err != nil:
				got = notice
			case err == nil && len(found) == 0:
				got = nothing
			}
			if got != tt.is || (len(found) == 1) != (tt.is == stream) {
				t.Errorf("%s, %d sources, %v", got, len(found), err)
			}
			if err != nil && (strings.Contains(err.Error(), "\n") || len(err.Error()) > 300) {
				t.Errorf("error %q", err)
			}
		})
	}
	a := startAddon(t, `{"streams":[{"url":"https://h.example/a.mp4"},{"name":"x","title":"Too many requests","url":"https://h.example/b.mp4"},{"name":"Support us","externalUrl":"https://ko-fi.com/x"}]}`)
	found, err := search(t.Context(), newSite(t, a.url(), stremio.Deps{}), film)
	if len(found) != 1 || sources.ClassOf(err) != sources.ClassOK || err.Error() != "the add-on says: Too many requests" {
		t.Errorf("beside a stream: %d sources, %v", len(found), err)
	}
	title := film
	title.Name = "No Streams Found"
	b := startAddon(t, `{"streams":[{"name":"Sample","title":"No Streams Found","url":"https://h.example/a.mp4"}]}`)
	if found, err := search(t.Context(), newSite(t, b.url(), stremio.Deps{}), title); len(found) != 1 || err != nil {
		t.Errorf("a title of such words: %d sources, %v", len(found), err)
	}
}

// TestSearch_secrets: what a user configured stands in the address, and in no error.
func TestSearch_secrets(t *testing.T) {
	const secret = "realdebrid=hunter2hunter2"
	for name, answers := range map[string]map[string]http.HandlerFunc{
		"no manifest":  {"/" + secret + "/manifest.json": write("text/html", "<title>No</title>")},
		"not found":    {},
		"no streams":   {"/" + secret + "/manifest.json": write("application/json", plainManifest), "/" + secret + "/stream/": write("application/json", `{"err":"x"}`)},
		"an echo":      {"/" + secret + "/manifest.json": write("application/json", plainManifest), "/" + secret + "/stream/": write("application/json", `{"streams":[{"name":"❌","title":"Configure it at https://a.example/`+secret+`/configure"}]}`)},
		"another echo": {"/" + secret + "/manifest.json": write("application/json", plainManifest), "/" + secret + "/stream/": write("application/json", `{"err":"no such page: /`+secret+`/stream/"}`)},
	} {
		a := startAddon(t, "")
		a.serve = answers
		_, err := search(t.Context(), newSite(t, a.URL+"/"+secret+"/manifest.json", stremio.Deps{}), film)
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSearch_http is what add-ons answer by HTTP.
func TestSearch_http(t *testing.T) {
	a := startAddon(t, "")
	serve := func(h http.HandlerFunc) ([]sources.Source, error) {
		a.on("/stream/", h)
		return search(t.Context(), newSite(t, a.url(), stremio.Deps{}), film)
	}
	const body = `{"streams":[{"url":"https://h.example/a.mp4"}]}`
	found, err := serve(write("text/html; charset=utf-8", body))
	if err != nil || len(found) != 1 {
		t.Errorf("another content type: %d sources, %v", len(found), err)
	}
	a.on("/moved", write("application/json", body))
	if found, err = serve(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/moved", http.StatusTemporaryRedirect)
	}); err != nil || len(found) != 1 {
		t.Errorf("a redirect: %d sources, %v", len(found), err)
	}
	if _, err = serve(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"err":"handler error"}`, http.StatusInternalServerError)
	}); sources.ClassOf(err) != sources.ClassHosterFault || !strings.Contains(err.Error(), "handler error") {
		t.Errorf("status 500: %v", err)
	}
	if _, err = serve(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"err":"not found"}`, http.StatusNotFound)
	}); sources.ClassOf(err) != sources.ClassDeadLink {
		t.Errorf("status 404: %v", err)
	}
	for _, path := range a.paths() {
		if strings.HasPrefix(path, "/stream/") && path != "/stream/movie/tt9000001.json" {
			t.Errorf("asked for %s", path)
		}
	}
}

// TestSearch_trailers takes trailers where they are told, whatever else is wrong.
func TestSearch_trailers(t *testing.T) {
	const streams = `{"streams":[{"url":"https://h.example/a.mp4"}]}`
	for _, tt := range []struct {
		name, meta string
		want       []string
	}{
		{"both forms", `{"meta":{"id":"tt9000001","trailers":[{"source":"aaaaaaaaaaa","type":"Trailer"},{"source":"ccccccccccc","type":"Clip"},null,7],"trailerStreams":[{"title":"x","ytId":"aaaaaaaaaaa"},{"ytId":"bbbbbbbbbbb"}]}}`, []string{"https://www.youtube.com/watch?v=aaaaaaaaaaa", "https://www.youtube.com/watch?v=bbbbbbbbbbb"}},
		{"links", `{"meta":{"links":[{"name":"IMDb","category":"imdb","url":"https://imdb.com/title/tt1"},{"name":"x","category":"Trailer","url":"https://h.example/t.mp4"}],"trailers":[{"url":"javascript:alert(1)"},{"ytId":"no such id"}]}}`, []string{"https://h.example/t.mp4"}},
		{"none", `{"meta":{"trailers":null,"links":null}}`, nil},
		{"nothing", `{"meta":null}`, nil},
		{"a page", `<html>`, nil},
	} {
		a := startAddon(t, streams)
		a.on("/meta/movie/tt9000001.json", write("application/json", tt.meta))
		found, err := search(t.Context(), newSite(t, a.url(), stremio.Deps{}), film)
		var got []string
		for _, src := range found {
			if src.Trailer {
				got = append(got, src.URL)
				if src.Name != "Paper Submarines (2016) trailer" || src.Unplayable != "" {
					t.Errorf("%s: %+v", tt.name, src)
				}
			}
		}
		if err != nil || len(found) != 1+len(tt.want) || found[0].Trailer || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, %v", tt.name, got, err)
		}
	}
	for name, meta := range map[string]http.HandlerFunc{
		"fails": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "down", http.StatusInternalServerError) },
		"hangs": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	} {
		a := startAddon(t, streams)
		a.on("/meta/", meta)
		if found, err := search(t.Context(), newSite(t, a.url(), stremio.Deps{}), film); err != nil || len(found) != 1 {
			t.Errorf("%s: %d sources, %v", name, len(found), err)
		}
	}
}

// TestSearch_late: an add-on that is too late each third time costs its deadline once,
// and rests then.
func TestSearch_late(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		late := sourcetest.NewFakeSite("late", func(ctx context.Context, _ sources.Title, yield func(sources.Source)) error {
			if n++; n%3 == 0 {
				<-ctx.Done()
				return ctx.Err()
			}
			yield(sources.Source{Name: "a", URL: "https://h.example/a.mp4"})
			return nil
		})
		other := sourcetest.NewFakeSite("other", sourcetest.Answer(sources.Source{Name: "b", URL: "https://h.example/b.mp4"}))
		scanner := &sources.Scanner{Store: sourcetest.NewMemory(time.Now), Now: time.Now, SiteTimeout: 5 * time.Second}
		lost := time.Duration(0)
		for range 6 {
			got, err := scanner.Scan(t.Context(), film, sources.Interface{URL: "x"}, []sources.Site{late, other}, sources.ScanOptions{})
			if err != nil {
				t.Fatal(err)
			}
			lost += got.Elapsed
		}
		if lost != 5*time.Second {
			t.Errorf("six scans took %v, want the deadline once", lost)
		}
	})
}
