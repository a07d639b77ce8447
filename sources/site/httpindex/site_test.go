package httpindex_test

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/site/files"
	"xship/sources/site/httpindex"
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
	"Über 100% #1 + more (2020)/Über 100% #1 + more (2020).mkv",
	"readme.txt",
}

func movie(name string, year int) sources.Title {
	return sources.Title{Kind: sources.KindMovie, Name: name, Year: year}
}

// serveIndex answers with the page of a folder, as nginx does.
func serveIndex(paths []string) func(http.ResponseWriter, *http.Request, world.Mode) {
	return func(w http.ResponseWriter, r *http.Request, m world.Mode) {
		if m == world.ModeEmpty {
			paths = nil
		}
		var b strings.Builder
		fmt.Fprintf(&b, "<html><head><title>Index of %s</title></head><body><pre><a href=\"../\">../</a>\n", html.EscapeString(r.URL.Path))
		seen := map[string]bool{}
		for _, p := range paths {
			rest, ok := strings.CutPrefix("/"+p, r.URL.Path)
			name, _, isFolder := strings.Cut(rest, "/")
			if !ok || name == "" || seen[name] {
				continue
			}
			seen[name] = true
			if isFolder {
				name += "/"
			}
			fmt.Fprintf(&b, "<a href=\"%s\">%s</a>  01-Dec-2026 08:05  %d\n", (&url.URL{Path: name}).EscapedPath(), html.EscapeString(name), len(p))
		}
		b.WriteString("</pre></body></html>")
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Length", fmt.Sprint(b.Len()))
		_, _ = w.Write([]byte(b.String()))
	}
}

func newSite(tb testing.TB, spec sources.SiteSpec, o files.Options, f fetch.Options) sources.Site {
	tb.Helper()
	client := fetch.New(f)
	tb.Cleanup(client.CloseIdleConnections)
	if o.Index == nil {
		o.Index = sourcetest.NewMemory(time.Now)
	}
	site, err := httpindex.New(spec, client, o)
	if err != nil {
		tb.Fatal(err)
	}
	return site
}

func spec(api string) sources.SiteSpec {
	return sources.SiteSpec{SiteInfo: sources.SiteInfo{Key: "nas", Name: "NAS", Type: httpindex.Type}, API: api, Searchable: true, Trusted: true}
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

func TestConformance(t *testing.T) {
	episode := sources.Title{Kind: sources.KindEpisode, Name: "Harbour Nine", Season: 1, Episode: 2}
	sourcetest.RunSite(t, sourcetest.Harness{
		Start: func(tb testing.TB, _ []world.Film) sourcetest.Instance {
			server, err := sourcetest.StartWorld(tb, world.Config{}).AddServer("nas", serveIndex(shelf))
			if err != nil {
				tb.Fatal(err)
			}
			return sourcetest.Instance{Site: newSite(tb, spec("http://"+server.Addr()), files.Options{}, fetch.Options{MaxBody: 1 << 20}), Server: server}
		},
		Cases: []sourcetest.Case{
			{Name: "film", Title: movie("Paper Submarines", 2016), Some: true},
			{Name: "namesake", Title: movie("Paper Submarines", 1974), Some: true},
			{Name: "episode", Title: episode, Some: true},
			{Name: "special characters", Title: movie("Über 100% #1 + more", 2020), Some: true},
			{Name: "unknown film", Title: movie("The Film Nobody Made", 2001)},
		},
		Indexed: true,
	})
}

// server counts the requests of a handler.
func server(t *testing.T, h http.HandlerFunc) (address string, requests *atomic.Int64) {
	t.Helper()
	requests = new(atomic.Int64)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		h(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, requests
}

func index(paths ...string) http.HandlerFunc {
	serve := serveIndex(paths)
	return func(w http.ResponseWriter, r *http.Request) { serve(w, r, world.ModeOK) }
}

func TestSearch(t *testing.T) {
	address, requests := server(t, index(shelf...))
	for _, trusted := range []bool{true, false} {
		s := spec(address)
		s.Trusted = trusted
		site := newSite(t, s, files.Options{}, fetch.Options{})
		var found []sources.Source
		if err := site.Search(t.Context(), movie("Paper Submarines", 1974), func(s sources.Source) { found = append(found, s) }); err != nil {
			t.Fatal(err)
		}
		if len(found) != 1 || found[0].URL != address+"/Paper%20Submarines%20%281974%29.avi" || found[0].Own != trusted || found[0].SizeBytes != int64(len("Paper Submarines (1974).avi")) {
			t.Errorf("got %+v", found)
		}
		before := requests.Load()
		for range 3 {
			if got, err := search(t, site, movie("Paper Submarines", 2016)); err != nil || len(got) != 2 {
				t.Errorf("got %q, %v", got, err)
			}
		}
		if n := requests.Load() - before; n > 0 {
			t.Errorf("%d requests where the index has the answer", n)
		}
	}
}

// TestSearch_bounds walks servers without an end.
func TestSearch_bounds(t *testing.T) {
	t.Run("folders in folders", func(t *testing.T) {
		address, requests := server(t, func(w http.ResponseWriter, r *http.Request) {
			depth := strings.Count(r.URL.Path, "/")
			index(fmt.Sprintf("%sa/x", r.URL.Path[1:]), fmt.Sprintf("%sDeep %d (2001).mkv", r.URL.Path[1:], depth))(w, r)
		})
		site := newSite(t, spec(address), files.Options{}, fetch.Options{})
		for depth := 1; depth <= 6; depth++ {
			got, err := search(t, site, movie(fmt.Sprintf("Deep %d", depth), 2001))
			if want := depth <= 4; err != nil || (len(got) > 0) != want {
				t.Errorf("depth %d: got %q, %v", depth, got, err)
			}
		}
		if n := requests.Load(); n != 4 {
			t.Errorf("%d requests, want 4", n)
		}
	})
	t.Run("very many folders", func(t *testing.T) {
		var paths []string
		for n := range 700 {
			paths = append(paths, fmt.Sprintf("Film %03d (2001)/Film %03d (2001).mkv", n, n))
		}
		address, requests := server(t, index(paths...))
		now := time.Unix(1_800_000_000, 0)
		site := newSite(t, spec(address), files.Options{Index: sourcetest.NewMemory(func() time.Time { return now }), Now: func() time.Time { return now }}, fetch.Options{})
		if got, err := search(t, site, movie("Film 100", 2001)); err != nil || len(got) != 1 {
			t.Errorf("got %q, %v", got, err)
		}
		if n := requests.Load(); n != 500 {
			t.Errorf("%d requests, want 500", n)
		}
		if got, err := search(t, site, movie("Film 650", 2001)); err != nil || len(got) != 0 {
			t.Errorf("got %q, %v", got, err)
		}
		if n := requests.Load(); n != 500 {
			t.Errorf("it is walked again at once: %d requests", n)
		}
		now = now.Add(time.Hour)
		if got, err := search(t, site, movie("Film 650", 2001)); err != nil || len(got) != 1 {
			t.Errorf("an hour later: got %q, %v", got, err)
		}
		if n := requests.Load(); n != 701 {
			t.Errorf("%d requests, want 701: the rest", n)
		}
	})
}

// TestSearch_redirects follows a server to nowhere but itself.
func TestSearch_redirects(t *testing.T) {
	elsewhere, asked := server(t, index("Paper Submarines (2016).mkv"))
	for name, location := range map[string]string{
		"another server": elsewhere + "/", "another folder": "/other/", "a login page": "/login?from=/films/",
	} {
		address, _ := server(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/films/" {
				http.Redirect(w, r, location, http.StatusFound)
				return
			}
			index("Paper Submarines (2016).mkv")(w, r)
		})
		got, err := search(t, newSite(t, spec(address+"/films"), files.Options{}, fetch.Options{}), movie("Paper Submarines", 2016))
		if sources.ClassOf(err) != sources.ClassHosterFault || len(got) > 0 || !strings.Contains(err.Error(), "it leads to") {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
	if asked.Load() != 1 {
		t.Errorf("the other server got %d requests", asked.Load())
	}
	address, _ := server(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/films/" {
			http.Redirect(w, r, "/films", http.StatusMovedPermanently)
			return
		}
		_, _ = w.Write([]byte(`<title>Index of /films</title><a href="Paper%20Submarines%20(2016).mkv">x</a>`))
	})
	if got, err := search(t, newSite(t, spec(address+"/films"), files.Options{}, fetch.Options{}), movie("Paper Submarines", 2016)); err != nil || len(got) != 1 {
		t.Errorf("without the slash: got %q, %v", got, err)
	}
}

// TestSearch_login logs in only where it may, and says how.
func TestSearch_login(t *testing.T) {
	address, _ := server(t, func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "me" || password != "p:w" {
			w.Header().Set("WWW-Authenticate", `Basic realm="nas"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		index("Paper Submarines (2016).mkv")(w, r)
	})
	stored := fetch.Options{Login: func(*url.URL) http.Header {
		r := http.Request{Header: http.Header{}}
		r.SetBasicAuth("me", "p:w")
		return r.Header
	}}
	title := movie("Paper Submarines", 2016)
	if got, err := search(t, newSite(t, spec(address), files.Options{}, stored), title); err != nil || len(got) != 1 {
		t.Errorf("a stored login: got %q, %v", got, err)
	}
	remote := spec(address)
	remote.Trusted = false
	if _, err := search(t, newSite(t, remote, files.Options{}, stored), title); err == nil || !strings.Contains(err.Error(), "only for servers that you name yourself") {
		t.Errorf("a site of a remote config with a stored login: %v", err)
	}
	if _, err := search(t, newSite(t, spec(address), files.Options{}, fetch.Options{}), title); err == nil || !strings.Contains(err.Error(), "xship interfaces add URL --login NAME --password-stdin") {
		t.Errorf("no login: %v", err)
	}
	named := spec(strings.Replace(address, "http://", "http://me:p%3Aw@", 1))
	site := newSite(t, named, files.Options{}, fetch.Options{})
	if err := site.Search(t.Context(), title, func(s sources.Source) {
		if s.URL != address+"/Paper%20Submarines%20%282016%29.mkv" || len(s.Headers) > 0 {
			t.Errorf("the link is %s, with headers %v", s.URL, s.Headers)
		}
	}); err != nil {
		t.Errorf("a login in the address: %v", err)
	}
}

// TestSearch_folders leaves out folders that cannot be listed, and no others.
// TestSearch_folders: what cannot be used is left out, and spoils nothing beside it.
func TestSearch_folders(t *testing.T) {
	elsewhere, _ := server(t, index("Paper Submarines (2016).mkv"))
	large := strings.Repeat("x", 9<<20)
	bad := map[string]func(w http.ResponseWriter, r *http.Request){
		"forbidden": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) },
		"a login":   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) },
		"a page": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("<!DOCTYPE html><title>My site</title><p>hello"))
		},
		"large": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(large)) },
		"away":  func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere+"/", http.StatusFound) },
		"up":    func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", http.StatusFound) },
		"round": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) },
		"a scheme": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		},
	}
	paths := []string{"open/Paper Submarines (2016).mkv"}
	for name := range bad {
		if name != "a page" { // which is no bad .nfo
			paths = append(paths, "open/"+name+".nfo", "open/"+name+".mkv")
		}
		paths = append(paths, name+"/x")
	}
	address, _ := server(t, func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimSuffix(path.Base(r.URL.Path), ".nfo")
		if answer := bad[name]; answer != nil {
			answer(w, r)
			return
		}
		index(paths...)(w, r)
	})
	memory := sourcetest.NewMemory(time.Now)
	site := newSite(t, spec(address), files.Options{Index: memory}, fetch.Options{})
	if got, err := search(t, site, movie("Paper Submarines", 2016)); err != nil || len(got) != 1 {
		t.Errorf("got %q, %v", got, err)
	}
	root, err := memory.IndexedRoot(context.WithoutCancel(t.Context()), "httpindex "+address+"/")
	if err != nil || root.Files != len(bad) || root.Left != "8 folders that cannot be read, 7 .nfo or .strm files not read" {
		t.Errorf("got %+v, %v", root, err)
	}
}

func TestNew(t *testing.T) {
	memory := sourcetest.NewMemory(time.Now)
	for name, s := range map[string]sources.SiteSpec{
		"another type": {SiteInfo: sources.SiteInfo{Type: "4"}, API: "http://h/"}, "a path": spec("/etc"), "another scheme": spec("ftp://h/"), "no host": spec("http:///x"),
		"a query": spec("http://h/?dir=films"), "a way up": spec("http://h/a/../b/"), "a hidden slash": spec("http://h/a%2fb/"), "no URL": spec("http://[::1/"),
	} {
		if _, err := httpindex.New(s, fetch.New(fetch.Options{}), files.Options{Index: memory}); sources.ClassOf(err) != sources.ClassUnsupported {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := httpindex.New(spec("http://h/"), fetch.New(fetch.Options{}), files.Options{}); sources.ClassOf(err) != sources.ClassUnsupported {
		t.Errorf("without an index: %v", err)
	}
}
