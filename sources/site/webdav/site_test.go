package webdav_test

import (
	"context"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/site/files"
	"xship/sources/site/webdav"
	"xship/sources/sourcetest"
	"xship/sources/sourcetest/world"
)

// shelf is what lies on the servers of the tests.
var shelf = []string{
	"Paper Submarines (2016)/Paper Submarines (2016) - 1080p.mkv",
	"Paper Submarines (2016)/Paper Submarines (2016) - 720p.mp4",
	"Paper Submarines (1974).avi",
	"Harbour Nine/Season 1/Harbour Nine S01E01.mkv",
	"Harbour Nine/Season 1/Harbour Nine S01E02.mkv",
	"Über 100% #1 + more? (2020)/Über 100% #1 + more? (2020).mkv",
	"readme.txt",
}

func movie(name string, year int) sources.Title {
	return sources.Title{Kind: sources.KindMovie, Name: name, Year: year}
}

// serveDAV answers a PROPFIND with Depth 1, and nothing else.
func serveDAV(paths []string) func(http.ResponseWriter, *http.Request, world.Mode) {
	return func(w http.ResponseWriter, r *http.Request, m world.Mode) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case r.Method != "PROPFIND":
			http.Error(w, "this is no page", http.StatusMethodNotAllowed)
			return
		case r.Header.Get("Depth") != "1" || !strings.Contains(string(body), "<propfind") || !strings.HasPrefix(r.Header.Get("Content-Type"), "application/xml"):
			http.Error(w, "not understood", http.StatusForbidden)
			return
		case m == world.ModeEmpty:
			paths = nil
		}
		var b strings.Builder
		entry := func(href, props string) {
			fmt.Fprintf(&b, "<D:response><D:href>%s</D:href><D:propstat><D:prop>%s</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>", html.EscapeString((&url.URL{Path: href}).EscapedPath()), props)
		}
		b.WriteString(`<?xml version="1.0" encoding="utf-8"?><D:multistatus xmlns:D="DAV:">`)
		entry(r.URL.Path, "<D:resourcetype><D:collection/></D:resourcetype>")
		seen := map[string]bool{}
		for _, p := range paths {
			rest, ok := strings.CutPrefix("/"+p, r.URL.Path)
			name, _, isFolder := strings.Cut(rest, "/")
			if !ok || name == "" || seen[name] {
				continue
			}
			seen[name] = true
			if isFolder {
				entry(r.URL.Path+name, `<D:resourcetype><D:collection/></D:resourcetype><D:getetag>"1"</D:getetag>`)
			} else {
				entry(r.URL.Path+name, fmt.Sprintf("<D:resourcetype/><D:getcontentlength>%d</D:getcontentlength>", len(p)))
			}
		}
		b.WriteString("</D:multistatus>")
		w.Header().Set("Content-Type", "application/xml")
		w.Header().Set("Content-Length", fmt.Sprint(b.Len()))
		w.WriteHeader(http.StatusMultiStatus)
		_, _ = io.WriteString(w, b.String())
	}
}

func dav(paths ...string) http.HandlerFunc {
	serve := serveDAV(paths)
	return func(w http.ResponseWriter, r *http.Request) { serve(w, r, world.ModeOK) }
}

func newSite(tb testing.TB, spec sources.SiteSpec, o files.Options, f fetch.Options) sources.Site {
	tb.Helper()
	client := fetch.New(f)
	tb.Cleanup(client.CloseIdleConnections)
	if o.Index == nil {
		o.Index = sourcetest.NewMemory(time.Now)
	}
	site, err := webdav.New(spec, client, o)
	if err != nil {
		tb.Fatal(err)
	}
	return site
}

func spec(api string) sources.SiteSpec {
	return sources.SiteSpec{SiteInfo: sources.SiteInfo{Key: "nas", Name: "NAS", Type: webdav.Type}, API: api, Searchable: true, Trusted: true}
}

func search(tb testing.TB, site sources.Site, title sources.Title) ([]string, error) {
	tb.Helper()
	var found []string
	err := site.Search(tb.Context(), title, func(s sources.Source) {
		u, err := url.Parse(s.URL)
		if err != nil {
			tb.Error(err)
			return
		}
		found = append(found, path.Base(u.Path))
	})
	slices.Sort(found)
	return found, err
}

// serve starts a server and remembers what it was asked.
func serve(t *testing.T, h http.HandlerFunc) (address string, asked func() []string) {
	t.Helper()
	var mu sync.Mutex
	var all []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		all = append(all, r.Method+" "+r.URL.Path)
		mu.Unlock()
		h(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(all)
	}
}

func TestConformance(t *testing.T) {
	episode := sources.Title{Kind: sources.KindEpisode, Name: "Harbour Nine", Season: 1, Episode: 2}
	sourcetest.RunSite(t, sourcetest.Harness{
		Start: func(tb testing.TB, _ []world.Film) sourcetest.Instance {
			server, err := sourcetest.StartWorld(tb, world.Config{}).AddServer("nas", serveDAV(shelf))
			if err != nil {
				tb.Fatal(err)
			}
			return sourcetest.Instance{Site: newSite(tb, spec("http://"+server.Addr()), files.Options{}, fetch.Options{MaxBody: 1 << 20}), Server: server}
		},
		Cases: []sourcetest.Case{
			{Name: "film", Title: movie("Paper Submarines", 2016), Some: true},
			{Name: "namesake", Title: movie("Paper Submarines", 1974), Some: true},
			{Name: "episode", Title: episode, Some: true},
			{Name: "special characters", Title: movie("Über 100% #1 + more?", 2020), Some: true},
			{Name: "unknown film", Title: movie("The Film Nobody Made", 2001)},
		},
		Indexed: true,
	})
}

func TestSearch(t *testing.T) {
	address, asked := serve(t, func(w http.ResponseWriter, r *http.Request) {
		dav("dav/"+shelf[2], "dav/"+shelf[0])(w, r)
	})
	site := newSite(t, spec(address+"/dav"), files.Options{}, fetch.Options{})
	for range 2 {
		var found []sources.Source
		if err := site.Search(t.Context(), movie("Paper Submarines", 1974), func(s sources.Source) { found = append(found, s) }); err != nil {
			t.Fatal(err)
		}
		if len(found) != 1 || found[0].URL != address+"/dav/Paper%20Submarines%20%281974%29.avi" || !found[0].Own || found[0].SizeBytes != int64(len("dav/Paper Submarines (1974).avi")) {
			t.Errorf("got %+v", found)
		}
	}
	if got, want := asked(), []string{"PROPFIND /dav/", "PROPFIND /dav/Paper Submarines (2016)/"}; !slices.Equal(got, want) {
		t.Errorf("asked %q, want %q", got, want)
	}
}

// TestSearch_unchanged lists a folder again only where its entity tag is another one.
func TestSearch_unchanged(t *testing.T) {
	address, asked := serve(t, dav("A Film (2001)/A Film (2001).mkv", "B Film (2002)/Extra/B Film (2002).mkv"))
	now := time.Unix(1_800_000_000, 0)
	clock := func() time.Time { return now }
	site := newSite(t, spec(address), files.Options{Index: sourcetest.NewMemory(clock), Now: clock}, fetch.Options{})
	for _, want := range []int{4, 6} { // then the root, and the folder of which no listing tells
		if _, err := search(t, site, movie("A Film", 2001)); err != nil {
			t.Fatal(err)
		}
		if got := asked(); len(got) != want {
			t.Errorf("asked %q, want %d requests", got, want)
		}
		now = now.Add(25 * time.Hour)
	}
}

// TestSearch_failures says what is wrong with a server, and what helps.
func TestSearch_failures(t *testing.T) {
	elsewhere, askedThere := serve(t, dav("Paper Submarines (2016).mkv"))
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
	}
	redirect := func(code int, to string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/films/" {
				http.Redirect(w, r, to, code)
				return
			}
			dav("other/Paper Submarines (2016).mkv")(w, r)
		}
	}
	answer := func(code int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			_, _ = io.WriteString(w, body)
		}
	}
	page := "<!DOCTYPE html><html><head><title>Welcome home</title></head><body>hello</body></html>"
	for name, tt := range map[string]struct {
		h    http.HandlerFunc
		says string
	}{
		"no WebDAV":               {status(http.StatusMethodNotAllowed), "it is no WebDAV server"},
		"not implemented":         {status(http.StatusNotImplemented), "it is no WebDAV server"},
		"a refused depth":         {status(http.StatusBadRequest), "it does not list a folder with its entries (Depth 1)"},
		"a login":                 {status(http.StatusUnauthorized), "xship interfaces add URL --login NAME --password-stdin"},
		"no access":               {status(http.StatusForbidden), "xship interfaces add URL --login NAME --password-stdin"},
		"a page":                  {answer(http.StatusOK, page), `the answer is no WebDAV listing: HTML page "Welcome home"`},
		"a page with 207":         {answer(http.StatusMultiStatus, page), `the answer is no WebDAV listing: HTML page "Welcome home"`},
		"nothing":                 {answer(http.StatusMultiStatus, ""), "the answer is no WebDAV listing"},
		"half a listing":          {answer(http.StatusMultiStatus, `<multistatus xmlns="DAV:"><response><href>/films/</href>`), "cannot be read"},
		"another folder's":        {answer(http.StatusMultiStatus, `<multistatus xmlns="DAV:"><response><href>/</href></response></multistatus>`), "not that of this folder"},
		"another server":          {redirect(http.StatusTemporaryRedirect, elsewhere+"/films/"), "another host"},
		"another server, by GET":  {redirect(http.StatusSeeOther, elsewhere+"/films/"), ""},
		"another folder":          {redirect(http.StatusPermanentRedirect, "/other/"), "it leads to"},
		"a login page":            {redirect(http.StatusFound, "/login"), ""},
		"a redirect round itself": {redirect(http.StatusPermanentRedirect, "/films/"), "redirects more than"},
	} {
		address, asked := serve(t, tt.h)
		got, err := search(t, newSite(t, spec(address+"/films"), files.Options{}, fetch.Options{}), movie("Paper Submarines", 2016))
		if sources.ClassOf(err) != sources.ClassHosterFault || len(got) > 0 || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
		if n := len(asked()); n > 10 {
			t.Errorf("%s: %d requests", name, n)
		}

		// Of a folder below it is of no account for what lies beside it.
		address, _ = serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/" {
				dav("films/x", "Paper Submarines (2016).mkv")(w, r)
				return
			}
			tt.h(w, r)
		})
		memory := sourcetest.NewMemory(time.Now)
		got, err = search(t, newSite(t, spec(address), files.Options{Index: memory}, fetch.Options{}), movie("Paper Submarines", 2016))
		if err != nil || len(got) != 1 {
			t.Errorf("%s, of a folder below: got %q, %v", name, got, err)
		}
		root, err := memory.IndexedRoot(context.WithoutCancel(t.Context()), "webdav "+address+"/")
		if err != nil || root.Files != 1 || root.Left != "1 folder that cannot be read" {
			t.Errorf("%s, of a folder below: got %+v, %v", name, root, err)
		}
	}
	for _, request := range askedThere() {
		if strings.HasPrefix(request, "PROPFIND") {
			t.Errorf("the other server got %s", request)
		}
	}
}

// TestSearch_slash follows a server that takes the slash at the end away, whatever becomes
// of the method then.
func TestSearch_slash(t *testing.T) {
	for _, code := range []int{http.StatusMovedPermanently, http.StatusPermanentRedirect} {
		address, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
			switch {
			case strings.HasSuffix(r.URL.Path, "/"):
				http.Redirect(w, r, strings.TrimSuffix(r.URL.Path, "/"), code)
			case r.Method != "PROPFIND":
				_, _ = io.WriteString(w, "<html>hello</html>")
			default:
				w.WriteHeader(http.StatusMultiStatus)
				_, _ = io.WriteString(w, `<multistatus xmlns="DAV:"><response><href>/films</href></response><response><href>/films/Paper Submarines (2016).mkv</href></response></multistatus>`)
			}
		})
		if got, err := search(t, newSite(t, spec(address+"/films"), files.Options{}, fetch.Options{}), movie("Paper Submarines", 2016)); err != nil || len(got) != 1 {
			t.Errorf("%d: got %q, %v", code, got, err)
		}
	}
}

func TestNew(t *testing.T) {
	memory := sourcetest.NewMemory(time.Now)
	for name, s := range map[string]sources.SiteSpec{
		"another type": {SiteInfo: sources.SiteInfo{Type: "httpindex"}, API: "http://h/"}, "a path": spec("/etc"), "a query": spec("http://h/?dir=films"),
	} {
		if _, err := webdav.New(s, fetch.New(fetch.Options{}), files.Options{Index: memory}); sources.ClassOf(err) != sources.ClassUnsupported {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := webdav.New(spec("http://h/"), fetch.New(fetch.Options{}), files.Options{}); sources.ClassOf(err) != sources.ClassUnsupported {
		t.Errorf("without an index: %v", err)
	}
}
