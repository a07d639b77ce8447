package loader_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"xship/cmd/engine/loader"
	"xship/config/failover"
	"xship/config/vod"
	"xship/sources/fetch"
)

// host is a server that notes what it is asked.
type host struct {
	*httptest.Server
	mu      sync.Mutex
	asked   []string // method and request URI
	handler http.HandlerFunc
}

func newHost(t *testing.T, handler http.HandlerFunc) *host {
	t.Helper()
	h := &host{handler: handler}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		h.asked = append(h.asked, r.Method+" "+r.RequestURI)
		handler := h.handler
		h.mu.Unlock()
		handler(w, r)
	}))
	t.Cleanup(h.Close)
	return h
}

// becomes has the host be something else.
func (h *host) becomes(handler http.HandlerFunc) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.handler = handler
}

// requests gives what the host was asked since the last call, in the order of the text.
func (h *host) requests() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	asked := h.asked
	h.asked = nil
	slices.Sort(asked)
	return asked
}

const manifest = `{"id":"org.example","name":"Example\u001b[31m","version":"1.2.3","resources":["stream"],"types":["movie"],"catalogs":[]}`

func serves(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }
}

// at serves handlers by the path as it was sent, and 404 elsewhere.
func at(paths map[string]http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		uri, _, _ := strings.Cut(r.RequestURI, "?")
		if handler := paths[uri]; handler != nil {
			handler(w, r)
			return
		}
		http.NotFound(w, r)
	}
}

func redirect(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
}

// dav is a WebDAV server, which answers a GET of its folder as the handler does.
func dav(get http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		switch r.Method {
		case "PROPFIND":
			if r.Header.Get("Depth") != "0" || !strings.HasSuffix(r.URL.Path, "/") {
				http.Error(w, "only folders, one at a time", http.StatusForbidden)
				return
			}
			w.WriteHeader(http.StatusMultiStatus)
			_, _ = fmt.Fprintf(w, `<?xml version="1.0"?><D:multistatus xmlns:D="DAV:"><D:response><D:href>%s</D:href></D:response></D:multistatus>`, r.URL.Path)
		default:
			get(w, r)
		}
	}
}

func refuses(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", status) }
}

const (
	jellyfinInfo = `{"LocalAddress":"http://10.0.0.2:8096","ServerName":"attic","Version":"10.11.0","ProductName":"Jellyfin Server","Id":"abc","StartupWizardCompleted":true}`
	embyInfo     = `{"LocalAddresses":[],"ServerName":"cellar","Version":"4.9.1.2","Id":"def"}`
	indexPage    = `<html><head><title>Index of /films/</title></head><body><h1>Index of /films/</h1><pre><a href="../">../</a>
<a href="Paper%20Boats%20(2019).mkv">Paper Boats (2019).mkv</a> 01-Jan-2024 10:00 1048576</pre></body></html>`
	webPage = `<!doctype html><html><head><title>Shop</title></head><body><a href="/cart">cart</a> <a href="about.html">About us</a></body></html>`
	oneSite = `{"sites":[{"key":"k","name":"K","type":1,"api":"http://127.0.2.1/"}]}`
)

// TestRecognise: an interface is what its content says, and what it was recognised as is
// known from then on: a load within interfaces.max_age makes no request, a later one one.
func TestRecognise(t *testing.T) {
	const davGet, info = "GET /dav/", "GET /System/Info/Public"
	web := serves(webPage)
	for _, c := range []struct {
		name    string
		handler http.HandlerFunc
		path    string // of the interface
		kind    loader.Kind
		title   string
		version string
		api     string   // of the site, behind the server's address
		first   []string // requests
		later   []string
	}{
		{
			"a manifest", at(map[string]http.HandlerFunc{"/manifest.json": serves(manifest)}), "/manifest.json",
			loader.KindStremio, "Example", "1.2.3", "/manifest.json",
			[]string{"GET /manifest.json"},
			[]string{"GET /manifest.json"},
		},
		{
			"a manifest with encoded settings", at(map[string]http.HandlerFunc{"/%7B%22k%22%3A%22a%2Fb%22%7D/x=y,z%7C%C3%A4/manifest.json": serves(manifest)}),
			"/%7B%22k%22%3A%22a%2Fb%22%7D/x=y,z|%C3%A4/manifest.json?key=%2F&b",
			loader.KindStremio, "Example", "1.2.3", "/%7B%22k%22%3A%22a%2Fb%22%7D/x=y,z|%C3%A4/manifest.json?key=%2F&b",
			[]string{"GET /%7B%22k%22%3A%22a%2Fb%22%7D/x=y,z%7C%C3%A4/manifest.json?key=%2F&b"},
			[]string{"GET /%7B%22k%22%3A%22a%2Fb%22%7D/x=y,z%7C%C3%A4/manifest.json?key=%2F&b"},
		},
		{
			"the settings of an add-on", at(map[string]http.HandlerFunc{"/c%2F1/manifest.json": serves(manifest), "/c%2F1/configure": web}), "/c%2F1/configure",
			loader.KindStremio, "Example", "1.2.3", "/c%2F1/manifest.json",
			[]string{"GET /c%2F1/manifest.json"},
			[]string{"GET /c%2F1/manifest.json"},
		},
		{
			"the base of an add-on", at(map[string]http.HandlerFunc{"/": web, "/manifest.json": serves(manifest)}), "/",
			loader.KindStremio, "Example", "1.2.3", "/manifest.json",
			[]string{"GET /", info, "GET /manifest.json", "PROPFIND /"},
			[]string{"GET /manifest.json"},
		},
		{
			"the base of an add-on that has no page", at(map[string]http.HandlerFunc{"/a%2Fb/manifest.json": serves(manifest)}), "/a%2Fb",
			loader.KindStremio, "Example", "1.2.3", "/a%2Fb/manifest.json",
			[]string{"GET /a%2Fb", "GET /a%2Fb/", "GET /a%2Fb/System/Info/Public", "GET /a%2Fb/manifest.json", "PROPFIND /a%2Fb/"},
			[]string{"GET /a%2Fb/manifest.json"},
		},
		{
			"a manifest behind a redirect", at(map[string]http.HandlerFunc{"/manifest.json": redirect("/v2/manifest.json?x=1"), "/v2/manifest.json": serves(manifest)}), "/manifest.json",
			loader.KindStremio, "Example", "1.2.3", "/manifest.json",
			[]string{"GET /manifest.json", "GET /v2/manifest.json?x=1"},
			[]string{"GET /manifest.json", "GET /v2/manifest.json?x=1"},
		},
		{
			"a config that is called like a manifest", serves(oneSite), "/manifest.json",
			loader.KindTVBox, "", "", "",
			[]string{"GET /manifest.json"},
			[]string{"GET /manifest.json"},
		},
		{
			"a config at the root", serves(oneSite), "/",
			loader.KindTVBox, "", "", "",
			[]string{"GET /"},
			[]string{"GET /"},
		},
		{
			"WebDAV", dav(refuses(http.StatusMethodNotAllowed)), "/dav",
			loader.KindWebDAV, "", "", "/dav/",
			[]string{"GET /dav", "GET /dav/", "GET /dav/System/Info/Public", "GET /dav/manifest.json", "PROPFIND /dav/"},
			[]string{"PROPFIND /dav/"},
		},
		{
			"WebDAV that lists its files on a page as well", dav(at(map[string]http.HandlerFunc{"/dav/": serves(indexPage)})), "/dav/",
			loader.KindWebDAV, "", "", "/dav/",
			[]string{davGet, "GET /dav/System/Info/Public", "GET /dav/manifest.json", "PROPFIND /dav/"},
			[]string{"PROPFIND /dav/"},
		},
		{
			"WebDAV with an empty page", dav(serves("")), "/",
			loader.KindWebDAV, "", "", "/",
			[]string{"GET /", info, "GET /manifest.json", "PROPFIND /"},
			[]string{"PROPFIND /"},
		},
		{
			"an index", at(map[string]http.HandlerFunc{"/films/": serves(indexPage), "/films": redirect("/films/")}), "/films",
			loader.KindHTTPIndex, "", "", "/films/",
			[]string{"GET /films", "GET /films/", "GET /films/System/Info/Public", "GET /films/manifest.json", "PROPFIND /films/"},
			[]string{"GET /films/"},
		},
		{
			"an index of a server that wants the slash", at(map[string]http.HandlerFunc{"/films/": serves(indexPage)}), "/films",
			loader.KindHTTPIndex, "", "", "/films/",
			[]string{"GET /films", "GET /films/", "GET /films/System/Info/Public", "GET /films/manifest.json", "PROPFIND /films/"},
			[]string{"GET /films/"},
		},
		{
			"Jellyfin", at(map[string]http.HandlerFunc{"/": redirect("web/"), "/web/": web, "/System/Info/Public": serves(jellyfinInfo)}), "/",
			loader.KindJellyfin, "attic", "10.11.0", "",
			[]string{"GET /", info, "GET /manifest.json", "GET /web/", "GET /web/", "PROPFIND /"},
			[]string{info},
		},
		{
			"the page of Jellyfin", at(map[string]http.HandlerFunc{"/jf/web/index.html": web, "/jf/System/Info/Public": serves(jellyfinInfo)}), "/jf/web/index.html#!/home",
			loader.KindJellyfin, "attic", "10.11.0", "/jf",
			[]string{"GET /jf/System/Info/Public", "GET /jf/web/index.html", "GET /jf/web/index.html/manifest.json", "PROPFIND /jf/web/"},
			[]string{"GET /jf/System/Info/Public"},
		},
		{
			"Jellyfin below a path", at(map[string]http.HandlerFunc{"/": redirect("/jellyfin/web/"), "/jellyfin/web/": web, "/jellyfin/System/Info/Public": serves(jellyfinInfo)}), "/",
			loader.KindJellyfin, "attic", "10.11.0", "/jellyfin",
			[]string{"GET /", "GET /jellyfin/System/Info/Public", "GET /jellyfin/web/", "GET /jellyfin/web/", "GET /manifest.json", "PROPFIND /"},
			[]string{"GET /jellyfin/System/Info/Public"},
		},
		{
			"Emby", at(map[string]http.HandlerFunc{"/emby/web/": web, "/emby/System/Info/Public": serves(embyInfo)}), "/emby",
			loader.KindEmby, "cellar", "4.9.1.2", "/emby",
			[]string{"GET /emby", "GET /emby/", "GET /emby/System/Info/Public", "GET /emby/manifest.json", "PROPFIND /emby/"},
			[]string{"GET /emby/System/Info/Public"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, c.handler)
			r := newRig(t)
			r.add(h.URL + c.path)
			result, err := r.load()
			if err != nil {
				t.Fatal(err)
			}
			check := func(result loader.Result, want []string) {
				t.Helper()
				spec := result.Sites[0]
				if result.Kind != c.kind || result.Name != c.title || result.Version != c.version || len(result.Sites) != 1 || result.Usable != 1 {
					t.Errorf("got %+v", result.Content)
				}
				if c.kind != loader.KindTVBox && (spec.API != h.URL+c.api || spec.Type != string(c.kind) || !spec.Trusted || !spec.Searchable) {
					t.Errorf("site %+v, want %s", spec, h.URL+c.api)
				}
				if got := h.requests(); !slices.Equal(got, want) {
					t.Errorf("requests %q, want %q", got, want)
				}
			}
			check(result, c.first)
			if got := r.Known(t.Context(), h.URL+c.path).Kind; got != c.kind {
				t.Errorf("the store knows it as %q", got)
			}
			if result, err = r.load(); err != nil {
				t.Fatal(err)
			}
			check(result, nil)
			r.pass(2 * time.Hour)
			if result, err = r.load(); err != nil {
				t.Fatal(err)
			}
			check(result, c.later)
			if result, err = r.load(); err != nil {
				t.Fatal(err)
			}
			check(result, nil)
			h.becomes(refuses(http.StatusServiceUnavailable))
			r.pass(2 * time.Hour)
			if result, err = r.load(); err != nil || cause(result.Stale) != vod.CauseStatus {
				t.Fatalf("%v, stale for %v, want what it was", err, result.Stale)
			}
			check(result, slices.DeleteFunc(slices.Clone(c.later), func(request string) bool { return strings.Contains(request, "/v2/") }))
		})
	}
}

// add adds an interface to the list, which is in use when it is the first.
func (r *rig) add(url string) {
	r.t.Helper()
	if _, err := r.Store.AddInterface(r.t.Context(), url, ""); err != nil {
		r.t.Fatal(err)
	}
}

// TestRecognise_stremioScheme: what Stremio links to is an add-on.
func TestRecognise_stremioScheme(t *testing.T) {
	h := newHost(t, at(map[string]http.HandlerFunc{"/a%3Db/manifest.json": serves(manifest)}))
	for _, path := range []string{"/a%3Db/manifest.json", "/a%3Db/configure", "/a%3Db"} {
		r := newRig(t)
		r.add("stremio" + strings.TrimPrefix(h.URL, "http") + path)
		result, err := r.load()
		if err != nil || result.Kind != loader.KindStremio || result.Sites[0].API != h.URL+"/a%3Db/manifest.json" || result.Sites[0].Ext != manifest { // which the site need not ask for
			t.Errorf("%s: %+v, %v", path, result.Content, err)
		}
	}
}

// TestRecognise_nothing: what is nothing that is known is the error that it was, with what
// an interface may be; it is not asked for more where that cannot help.
func TestRecognise_nothing(t *testing.T) {
	probes := func(base string) []string {
		return []string{"GET " + base, "GET " + base + "System/Info/Public", "GET " + base + "manifest.json", "PROPFIND " + base}
	}
	const kinds = "an interface may be a Stremio add-on, a folder, or a WebDAV, HTTP index, Jellyfin or Emby server"
	const login = "--login NAME --password-stdin"
	for _, c := range []struct {
		name     string
		handler  http.HandlerFunc
		path     string
		cause    vod.Cause
		hint     string // part of it
		requests []string
	}{
		{"a web page for everything", serves(webPage), "/", vod.CauseHTML, kinds, probes("/")},
		{"a web page below a path", serves(webPage), "/x/", vod.CauseHTML, kinds, probes("/x/")},
		{"nothing", http.NotFound, "/x/", vod.CauseStatus, kinds, probes("/x/")},
		{"JSON for everything", serves(`{"ok":true}`), "/", vod.CauseNoSites, kinds, probes("/")},
		{"a server in trouble", refuses(http.StatusInternalServerError), "/", vod.CauseStatus, "try again later", []string{"GET /"}},
		{"a server that wants a pause", refuses(http.StatusTooManyRequests), "/", vod.CauseStatus, "try again later", []string{"GET /"}},
		{"a file that is a page", serves(webPage), "/tv.json", vod.CauseHTML, kinds, []string{"GET /tv.json"}},
		{"an answer to a question", serves(webPage), "/tv?id=1", vod.CauseHTML, kinds, []string{"GET /tv?id=1"}},
		{"a manifest that is a page", serves(webPage), "/manifest.json", vod.CauseHTML, "add the link that it gives", []string{"GET /manifest.json"}},
		{"live channels", serves("#EXTM3U\n#EXTINF:-1,One\nhttp://h.example/1\n"), "/", vod.CauseM3U, "(VOD)", []string{"GET /"}},
		{"broken JSON", serves(`{"sites":[`), "/", vod.CauseSyntax, "", []string{"GET /"}},
		{"a login is wanted", refuses(http.StatusUnauthorized), "/dav/", vod.CauseStatus, login, probes("/dav/")},
		{"refused", refuses(http.StatusForbidden), "/dav/", vod.CauseStatus, login, probes("/dav/")},
		{"a login for a config", refuses(http.StatusUnauthorized), "/tv.json", vod.CauseStatus, login, []string{"GET /tv.json"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, c.handler)
			r := newRig(t)
			r.add(h.URL + c.path)
			_, err := r.load()
			if cause(err) != c.cause || !strings.Contains(err.Error(), c.hint) {
				t.Errorf("got %v, want %s with %q", err, c.cause, c.hint)
			}
			if got := r.Known(t.Context(), h.URL+c.path).Kind; got != "" {
				t.Errorf("the store knows it as %q", got)
			}
			if got := h.requests(); !slices.Equal(got, c.requests) {
				t.Errorf("requests %q, want %q", got, c.requests)
			}
		})
	}
}

// TestRecognise_anew: a server that becomes something else is recognised anew, by a round
// where it is no longer what it was, and by a check in any case.
func TestRecognise_anew(t *testing.T) {
	h := newHost(t, dav(refuses(http.StatusMethodNotAllowed)))
	r := newRig(t)
	r.add(h.URL + "/")
	kinds := func(want loader.Kind, load func() (loader.Result, error)) {
		t.Helper()
		r.pass(2 * time.Hour)
		result, err := load()
		r.settle()
		if err != nil || result.Kind != want {
			t.Errorf("%v %v, want %s", result.Kind, err, want)
		}
		h.requests()
	}
	checked := func() (loader.Result, error) { return r.Check(t.Context(), h.URL+"/") }
	kinds(loader.KindWebDAV, r.load)
	h.becomes(at(map[string]http.HandlerFunc{"/": serves(webPage), "/System/Info/Public": serves(jellyfinInfo)}))
	kinds(loader.KindJellyfin, r.load)
	h.becomes(at(map[string]http.HandlerFunc{"/System/Info/Public": serves(embyInfo)}))
	kinds(loader.KindEmby, r.load)
	h.becomes(at(map[string]http.HandlerFunc{"/manifest.json": serves(manifest)}))
	kinds(loader.KindStremio, r.load)
	h.becomes(serves(indexPage))
	kinds(loader.KindHTTPIndex, r.load)
	h.becomes(serves(oneSite))
	kinds(loader.KindTVBox, r.load)

	// A config that is gone is looked for no further: it fails in most rounds, and is
	// rarely a server afterwards.
	h.becomes(dav(serves(webPage)))
	r.pass(2 * time.Hour)
	if result, err := r.load(); err != nil || cause(result.Stale) != vod.CauseHTML {
		t.Errorf("%v, stale for %v", err, result.Stale)
	}
	if got := h.requests(); !slices.Equal(got, []string{"GET /"}) {
		t.Errorf("requests %q, want one", got)
	}
	kinds(loader.KindWebDAV, checked)
}

// TestRecognise_failover: a server that does not answer is failed over from like any
// other interface, after one request.
func TestRecognise_failover(t *testing.T) {
	h := newHost(t, dav(refuses(http.StatusMethodNotAllowed)))
	other := newHost(t, at(map[string]http.HandlerFunc{"/manifest.json": serves(manifest)}))
	r := newRig(t)
	r.add(h.URL + "/")
	r.add(other.URL + "/manifest.json")
	if result, err := r.load(); err != nil || result.Kind != loader.KindWebDAV {
		t.Fatalf("%+v, %v", result.Content, err)
	}
	h.requests()
	h.becomes(refuses(http.StatusUnauthorized))
	r.pass(2 * time.Hour)
	r.mode(failover.Auto)
	result, err := r.load()
	if err != nil || result.Kind != loader.KindStremio || !slices.Equal(result.FailedOverFrom, []string{h.URL + "/"}) {
		t.Errorf("%+v from %v, %v", result.Content, result.FailedOverFrom, err)
	}
	if got := h.requests(); !slices.Equal(got, []string{"PROPFIND /"}) {
		t.Errorf("requests %q", got)
	}
}

// TestRecognise_forged: a server cannot say itself what it was recognised as.
func TestRecognise_forged(t *testing.T) {
	h := newHost(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "Application/vnd.xship.interface+JSON; charset=utf-8")
		_, _ = w.Write([]byte(`{"kind":"webdav","address":"http://` + r.Host + `/secret/","sites":[{"key":"k","type":1,"api":"http://127.0.2.1/"}]}`))
	})
	r := newRig(t)
	r.add(h.URL + "/tv.json")
	for range 3 {
		result, err := r.load()
		if err != nil || result.Kind != loader.KindTVBox {
			t.Errorf("%+v, %v", result.Content, err)
		}
		r.pass(40 * time.Minute)
	}
}

// TestRecognise_hang: a server that hangs costs interfaces.timeout at most, whatever of
// it hangs, and what is known by then counts.
func TestRecognise_hang(t *testing.T) {
	release := make(chan struct{})
	hang := func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}
	defer close(release)
	for _, c := range []struct {
		name    string
		handler http.HandlerFunc
		kind    loader.Kind // "" = none
	}{
		{"all of it", hang, ""},
		{"all but a page", at(map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				serves(webPage)(w, r)
				return
			}
			hang(w, r)
		}, "/manifest.json": hang, "/System/Info/Public": hang}), ""},
		{"all but the manifest", at(map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				serves(webPage)(w, r)
				return
			}
			hang(w, r)
		}, "/manifest.json": serves(manifest), "/System/Info/Public": hang}), loader.KindStremio},
	} {
		h := newHost(t, c.handler)
		r := newRig(t)
		r.Timeout = 300 * time.Millisecond
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		r.add(h.URL + "/")
		result, err := r.Load(ctx, loader.Request{})
		if (err == nil) != (c.kind != "") || result.Kind != c.kind || ctx.Err() != nil {
			t.Errorf("%s: %+v, %v", c.name, result.Content, err)
		}
		cancel()
	}
}

// TestRecognise_unusable: an add-on that xship cannot ask is recognised, and says why.
func TestRecognise_unusable(t *testing.T) {
	h := newHost(t, serves(`{"id":"a","name":"A","version":"1.0.0","resources":["catalog"],"types":["movie"],"catalogs":[]}`))
	r := newRig(t)
	result, err := r.Check(t.Context(), h.URL+"/manifest.json")
	if err != nil || result.Kind != loader.KindStremio || result.Usable != 0 || len(result.Warnings) != 1 {
		t.Errorf("%+v, %v", result.Content, err)
	}
}

// TestRecognise_login: requests for an interface that the user named use stored logins, and
// those for what it lists do not.
func TestRecognise_login(t *testing.T) {
	const password = "Basic dTpw"
	var leaked bool
	elsewhere := newHost(t, func(w http.ResponseWriter, r *http.Request) {
		leaked = leaked || r.Header.Get("Authorization") != ""
		serves(oneSite)(w, r)
	})
	depot := `{"urls":[{"url":"` + elsewhere.URL + `/tv.json"}]}`
	private := func(inner http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != password {
				http.Error(w, "who are you?", http.StatusUnauthorized)
				return
			}
			inner(w, r)
		}
	}
	for _, c := range []struct {
		handler http.HandlerFunc
		path    string
		kind    loader.Kind
	}{
		{dav(refuses(http.StatusMethodNotAllowed)), "/", loader.KindWebDAV},
		{at(map[string]http.HandlerFunc{"/": serves(indexPage)}), "/", loader.KindHTTPIndex},
		{serves(manifest), "/manifest.json", loader.KindStremio},
		{at(map[string]http.HandlerFunc{"/manifest.json": serves(manifest)}), "/", loader.KindStremio},
		{serves(oneSite), "/tv.json", loader.KindTVBox},
		{serves(depot), "/depot.json", loader.KindDepot},
	} {
		h := newHost(t, private(c.handler))
		r := newRig(t)
		client := fetch.New(fetch.Options{Login: func(*url.URL) http.Header { return http.Header{"Authorization": {password}} }})
		r.Get = client.Get
		r.add(h.URL + c.path)
		for range 2 {
			if result, err := r.load(); err != nil || result.Kind != c.kind {
				t.Errorf("%s: %+v, %v", c.kind, result.Content, err)
			}
			r.pass(2 * time.Hour)
		}
		client.CloseIdleConnections()
	}
	if leaked {
		t.Error("a login was sent to what a depot lists")
	}
}

// TestRecognise_removed: what an interface was recognised as ends with it.
func TestRecognise_removed(t *testing.T) {
	h := newHost(t, at(map[string]http.HandlerFunc{"/": serves(webPage), "/manifest.json": serves(manifest)}))
	r := newRig(t)
	r.add(h.URL + "/")
	if _, err := r.load(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Store.RemoveInterface(t.Context(), h.URL+"/", ""); err != nil {
		t.Fatal(err)
	}
	if c, err := r.Store.CachedConfig(t.Context(), h.URL+"/"); c != nil || err != nil {
		t.Errorf("it is stored: %+v, %v", c, err)
	}
}
