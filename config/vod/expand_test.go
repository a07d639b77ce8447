package vod_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/config/vod"
)

// web is a small web: the documents at its addresses, and the requests for them.
type web struct {
	pages    map[string]string
	requests []string
}

func (w *web) get(_ context.Context, url string) (vod.Document, error) {
	w.requests = append(w.requests, url)
	page, ok := w.pages[url]
	switch {
	case !ok:
		return vod.Document{}, &fetchError{text: "not found", status: 404}
	case strings.HasPrefix(page, "http"):
		return vod.Document{Body: []byte(w.pages[page]), FinalURL: page}, nil
	}
	return vod.Document{Body: []byte(page), FinalURL: url, ETag: `"` + url + `"`}, nil
}

// urls is a depot of addresses.
func urls(addresses ...string) string {
	var items []string
	for i, a := range addresses {
		items = append(items, fmt.Sprintf(`{"url": %q, "name": "N%d"}`, a, i+1))
	}
	return `{"urls": [` + strings.Join(items, ",") + `]}`
}

func TestLoad_depot(t *testing.T) {
	const root, good = "http://h.example/depot.json", "http://good.example/tv.json"
	tests := []struct {
		name     string
		pages    map[string]string
		options  vod.LoadOptions
		requests []string // after that for root
		url      string   // of the config, "" = none
		depot    string
		cause    vod.Cause
		err      string // after the name of the interface
	}{
		{
			name:     "first child",
			pages:    map[string]string{root: urls(good, "http://other.example/")},
			requests: []string{good}, url: good, depot: root,
		},
		{
			name:     "strings, duplicates and empty ones",
			pages:    map[string]string{root: `{"urls": ["", null, 5, {"name": "x"}, {"url": " ` + good + ` "}], "sites": [{"key":"k","api":"a"}]}`},
			requests: []string{"http://h.example/5", good}, url: good, depot: root,
		},
		{
			name:     "second child",
			pages:    map[string]string{root: urls("http://html.example/", good), "http://html.example/": "<html>"},
			requests: []string{"http://html.example/", good}, url: good, depot: root,
		},
		{
			name:     "relative child of a redirected depot",
			pages:    map[string]string{root: "https://cdn.example/a/depot.json", "https://cdn.example/a/depot.json": urls("./b.json?x=1"), "https://cdn.example/a/b.json?x=1": goodConfig},
			requests: []string{"https://cdn.example/a/b.json?x=1"}, url: "https://cdn.example/a/b.json?x=1", depot: root,
		},
		{
			name:     "child that redirects",
			pages:    map[string]string{root: urls("http://short.example/"), "http://short.example/": good},
			requests: []string{"http://short.example/"}, url: good, depot: root,
		},
		{
			name:     "encoded depot",
			pages:    map[string]string{root: "a1B2c3D4**eyJ1cmxzIjpbImh0dHA6Ly9nb29kLmV4YW1wbGUvdHYuanNvbiJdfQ=="},
			requests: []string{good}, url: good, depot: root,
		},
		{
			name: "live lists and other schemes",
			pages: map[string]string{root: urls("http://h.example/live.m3u", "./LIVE.M3U8?x=1", "clan://localhost/tv.json", "file:///etc/passwd",
				"assets://a.json", "proxy://do=a", "http:///a", "http://%zz/", good)},
			requests: []string{good}, url: good, depot: root,
		},
		{
			name:     "text file last",
			pages:    map[string]string{root: urls("./live.txt", good)},
			requests: []string{good}, url: good, depot: root,
		},
		{
			name:     "config in a text file",
			pages:    map[string]string{root: urls("./tv.txt", "http://gone.example/"), "http://h.example/tv.txt": goodConfig},
			requests: []string{"http://gone.example/", "http://h.example/tv.txt"}, url: "http://h.example/tv.txt", depot: root,
		},
		{
			name:     "non-ASCII child",
			pages:    map[string]string{root: urls("http://饭太硬.example/tv"), "http://饭太硬.example/tv": goodConfig},
			requests: []string{"http://饭太硬.example/tv"}, url: "http://饭太硬.example/tv", depot: root,
		},
		{
			name: "storeHouse",
			pages: map[string]string{
				root:                          `{"storeHouse": [{"sourceName": "S", "sourceUrl": "./store.json"}]}`,
				"http://h.example/store.json": urls(good),
			},
			requests: []string{"http://h.example/store.json", good}, url: good, depot: "http://h.example/store.json",
		},
		{
			name: "second depot of a storeHouse",
			pages: map[string]string{
				root:                      `{"storeHouse": [{"sourceUrl": "./a.json"}, {"sourceUrl": "./b.json"}]}`,
				"http://h.example/a.json": `{"urls": []}`,
				"http://h.example/b.json": urls(good),
			},
			requests: []string{"http://h.example/a.json", "http://h.example/b.json", good}, url: good, depot: "http://h.example/b.json",
		},
		{
			name: "three deep",
			pages: map[string]string{
				root:                      urls("./a.json"),
				"http://h.example/a.json": urls("./b.json"),
				"http://h.example/b.json": urls(good),
			},
			requests: []string{"http://h.example/a.json", "http://h.example/b.json"}, cause: vod.CauseDepot,
			err: "its interface http://h.example/a.json (N1): its interface http://h.example/b.json (N1): got a depot, a list of interfaces (1), " +
				"instead of a config with sites; add one of its interfaces instead: http://good.example/tv.json (N1)",
		},
		{
			name:  "itself",
			pages: map[string]string{root: urls(root, "./depot.json#x", "HTTP://H.example/depot.json")},
			cause: vod.CauseDepot,
			err: "got a depot, a list of interfaces (3), of which none can be opened: http://h.example/depot.json (N1): opened before; " +
				"http://h.example/depot.json#x (N2): opened before; HTTP://H.example/depot.json (N3): opened before; use another interface",
		},
		{
			name: "each other",
			pages: map[string]string{
				root:                      urls("./a.json", "./b.json"),
				"http://h.example/a.json": urls(root, "./b.json", "./a.json"),
				"http://h.example/b.json": urls(root, "./a.json"),
			},
			requests: []string{"http://h.example/a.json", "http://h.example/b.json"}, cause: vod.CauseDepot,
			err: "its interface http://h.example/a.json (N1): its interface http://h.example/b.json (N2): got a depot, a list of interfaces (2), " +
				"instead of a config with sites; add one of its interfaces instead: http://h.example/depot.json (N1), http://h.example/a.json (N2)",
		},
		{
			name: "three at most",
			pages: map[string]string{
				root:                          urls("http://a.example/?token=abc", "http://b.example/", "http://c.example/", good, "./e.json", "./f.json", "./g.json"),
				"http://a.example/?token=abc": `{"msg":"no"}`,
				"http://b.example/":           "http://login.example/?sig=1",
				"http://login.example/?sig=1": "<html>",
			},
			requests: []string{"http://a.example/?token=abc", "http://b.example/", "http://c.example/"}, cause: vod.CauseStatus,
			err: `none of 3 interfaces of the depot could be used: http://a.example/?token=REDACTED (N1): the config refuses service: "no"; ` +
				"http://b.example/ (N2) (redirected to http://login.example/?sig=REDACTED): got a web page (HTML) instead of a config; " +
				"http://c.example/ (N3): got HTTP status 404 Not Found; " +
				"add another one of its interfaces: http://good.example/tv.json (N4), http://h.example/e.json (N5), http://h.example/f.json (N6), …",
		},
		{
			name: "duplicates of one that fails",
			pages: map[string]string{
				root:                    urls("http://a.example/404", "http://a.example/404", "http://A.example:80/404#x", "./html", "./html", good),
				"http://h.example/html": "<html>",
			},
			requests: []string{"http://a.example/404", "http://h.example/html", good}, url: good, depot: root,
		},
		{
			name:     "duplicates behind the last turn",
			pages:    map[string]string{root: urls("http://a.example/404", "./b", "http://a.example/404", "./c")},
			options:  vod.LoadOptions{Children: 2},
			requests: []string{"http://a.example/404", "http://h.example/b"}, cause: vod.CauseStatus,
			err: "none of 2 interfaces of the depot could be used: http://a.example/404 (N1): got HTTP status 404 Not Found; " +
				"http://h.example/b (N2): got HTTP status 404 Not Found; add another one of its interfaces: http://h.example/c (N4)",
		},
		{
			name:     "an address that is too long",
			pages:    map[string]string{root: urls("http://a.example/"+strings.Repeat("x", 8<<10), good)},
			requests: []string{good}, url: good, depot: root,
		},
		{
			name:     "redirected to a long address",
			pages:    map[string]string{root: urls("./a"), "http://h.example/a": "http://l.example/" + strings.Repeat("x/", 4<<10)},
			requests: []string{"http://h.example/a"}, cause: vod.CauseEmpty,
			err: "its interface http://h.example/a (N1) (redirected to http://l.example/" + strings.Repeat("x/", 91) + "x…): got an empty body; check the address in a browser",
		},
		{
			name:     "one at most",
			pages:    map[string]string{root: urls("http://a.example/", good)},
			options:  vod.LoadOptions{Children: 1},
			requests: []string{"http://a.example/"}, cause: vod.CauseStatus,
			err: "its interface http://a.example/ (N1): got HTTP status 404 Not Found; add another one of its interfaces: http://good.example/tv.json (N2)",
		},
		{
			name: "one at most, behind a storeHouse",
			pages: map[string]string{
				root:                          `{"storeHouse": [{"sourceUrl": "./store.json"}]}`,
				"http://h.example/store.json": urls(good),
			},
			options:  vod.LoadOptions{Children: 1},
			requests: []string{"http://h.example/store.json", good}, url: good, depot: "http://h.example/store.json",
		},
		{
			name: "as many depots of a storeHouse as interfaces",
			pages: map[string]string{
				root:                      `{"storeHouse": [{"sourceUrl": "./a.json"}, {"sourceUrl": "./b.json"}, {"sourceUrl": "./c.json"}]}`,
				"http://h.example/a.json": urls(root),
				"http://h.example/b.json": urls(root),
				"http://h.example/c.json": urls(good),
			},
			options:  vod.LoadOptions{Children: 1},
			requests: []string{"http://h.example/a.json", "http://h.example/b.json"}, cause: vod.CauseDepot,
			err: "none of 2 interfaces of the depot could be used: http://h.example/a.json: got a depot, a list of interfaces (1), of which none can be opened: " +
				"http://h.example/depot.json (N1): opened before; http://h.example/b.json: got a depot, a list of interfaces (1), of which none can be opened: " +
				"http://h.example/depot.json (N1): opened before; add another one of its interfaces: http://h.example/c.json",
		},
		{
			name: "switched off in a depot of a storeHouse",
			pages: map[string]string{
				root:                          `{"storeHouse": [{"sourceUrl": "./store.json"}]}`,
				"http://h.example/store.json": urls(good),
			},
			options:  vod.LoadOptions{More: func() bool { return false }},
			requests: []string{"http://h.example/store.json"}, cause: vod.CauseDepot,
			err: "its interface http://h.example/store.json: got a depot, a list of interfaces (1), instead of a config with sites, and no more of them are tried; " +
				"add one of its interfaces instead: http://good.example/tv.json (N1)",
		},
		{
			name:     "switched off meanwhile",
			pages:    map[string]string{root: urls("http://a.example/", good)},
			options:  vod.LoadOptions{More: func() bool { return false }},
			requests: []string{"http://a.example/"}, cause: vod.CauseStatus,
			err: "its interface http://a.example/ (N1): got HTTP status 404 Not Found; add another one of its interfaces: http://good.example/tv.json (N2)",
		},
		{
			name:     "all fail",
			pages:    map[string]string{root: urls("http://a.example/", "http://b.example/"), "http://b.example/": "{\n{"},
			requests: []string{"http://a.example/", "http://b.example/"}, cause: vod.CauseSyntax,
			err: "none of 2 interfaces of the depot could be used: http://a.example/ (N1): got HTTP status 404 Not Found; " +
				"http://b.example/ (N2): got broken JSON: line 2, column 1: expected a name or a value, found '{'; use another interface",
		},
		{
			name:  "nothing to open",
			pages: map[string]string{root: urls("a.m3u", "clan://localhost/a", "::", "b.m3u")},
			cause: vod.CauseDepot,
			err: "got a depot, a list of interfaces (4), of which none can be opened: http://h.example/a.m3u (N1): a list of live channels; " +
				"clan://localhost/a (N2): only web addresses are opened; :: (N3): not an address; …; use another interface",
		},
		{
			name: "empty", pages: map[string]string{root: `{"urls": []}`}, cause: vod.CauseDepot,
			err: "got a depot, a list of interfaces, that is empty; use another interface",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := &web{pages: tt.pages}
			if _, ok := w.pages[good]; !ok {
				w.pages[good] = goodConfig
			}
			config, err := vod.Load(t.Context(), root, w.get, tt.options)
			if diff := cmp.Diff(append([]string{root}, tt.requests...), w.requests); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			if tt.url == "" {
				e, ok := errors.AsType[*vod.Error](err)
				if !ok || e.Cause != tt.cause {
					t.Fatalf("Load: %v, %v; want cause %s", config, err, tt.cause)
				}
				if want := "load interface " + root + ": " + tt.err; err.Error() != want {
					t.Errorf("Load:\n got %s\nwant %s", err, want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if config.URL != tt.url || config.Depot != tt.depot {
				t.Errorf("config %s of depot %q, want %s of %q", config.URL, config.Depot, tt.url, tt.depot)
			}
			if first, last := config.Documents[0], config.Documents[len(config.Documents)-1]; first.URL != root || last.FinalURL != tt.url {
				t.Errorf("documents from %s to %s", first.URL, last.FinalURL)
			}
		})
	}
}

func TestLoad_documents(t *testing.T) {
	w := &web{pages: map[string]string{
		"http://h.example/":     `{"storeHouse": [{"sourceUrl": "http://bad.example/"}, {"sourceUrl": "http://d.example/"}]}`,
		"http://d.example/":     urls("http://short.example/"),
		"http://short.example/": "http://long.example/",
		"http://long.example/":  goodConfig,
	}}
	config, err := vod.Load(t.Context(), "http://h.example/", w.get, vod.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, doc := range config.Documents {
		got = append(got, doc.URL+" "+doc.FinalURL+" "+doc.ETag+" "+string(doc.Body[:8]))
	}
	want := []string{
		`http://h.example/ http://h.example/ "http://h.example/" {"storeH`,
		`http://d.example/ http://d.example/ "http://d.example/" {"urls":`,
		`http://short.example/ http://long.example/  {"sites"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
}

func TestLoad_depotMore(t *testing.T) {
	asked := 0
	w := &web{pages: map[string]string{"http://h.example/": urls("./1", "./2", "./3", "./4")}}
	_, err := vod.Load(t.Context(), "http://h.example/", w.get, vod.LoadOptions{Children: 4, More: func() bool { asked++; return asked < 3 }})
	if asked != 3 || len(w.requests) != 4 {
		t.Errorf("More was asked %d times, requests %v, %v", asked, w.requests, err)
	}
}

func TestLoad_depotCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w := &web{pages: map[string]string{"http://h.example/": urls("./1", "./2")}}
	_, err := vod.Load(ctx, "http://h.example/", func(ctx context.Context, url string) (vod.Document, error) {
		if strings.HasSuffix(url, "1") {
			cancel()
		}
		return w.get(ctx, url)
	}, vod.LoadOptions{})
	if _, ok := errors.AsType[*vod.Error](err); ok || !errors.Is(err, context.Canceled) || len(w.requests) != 2 {
		t.Errorf("cancelled in a depot: %v after %v, want the context's error", err, w.requests)
	}
}

func TestLoad_depotDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
		defer cancel()
		w := &web{pages: map[string]string{"http://h.example/": urls("./1", "./2")}}
		_, err := vod.Load(ctx, "http://h.example/", func(ctx context.Context, url string) (vod.Document, error) {
			if strings.HasSuffix(url, "1") {
				<-ctx.Done()
				return vod.Document{}, ctx.Err()
			}
			return w.get(ctx, url)
		}, vod.LoadOptions{})
		e, ok := errors.AsType[*vod.Error](err)
		if !ok || e.Cause != vod.CauseTimeout || len(w.requests) != 1 || !strings.HasPrefix(e.Detail, "its interface http://h.example/1 (N1): got no answer in time") {
			t.Errorf("out of time in a depot: %v after %v", err, w.requests)
		}
	})
}

func TestLoad_localDepot(t *testing.T) {
	for _, name := range []string{"depot.json", "storehouse.json"} {
		config, err := vod.Load(t.Context(), filepath.Join(configs, "good", name), noFetch(t), vod.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(config.URL, "/good/plain.json") || !strings.HasSuffix(config.Depot, "depot.json") || len(config.Sites) != 4 {
			t.Errorf("%s: %s of %s", name, config.URL, config.Depot)
		}
	}
	_, err := vod.Load(t.Context(), filepath.Join(configs, "bad", "loop.json"), noFetch(t), vod.LoadOptions{})
	if e, ok := errors.AsType[*vod.Error](err); !ok || e.Cause != vod.CauseDepot || !strings.Contains(e.Detail, "opened before") {
		t.Errorf("a depot of itself: %v", err)
	}
}

func TestLoad_hugeDepot(t *testing.T) {
	var addresses []string
	for i := range 20_000 {
		addresses = append(addresses, fmt.Sprintf("file:///%d.json", i))
	}
	w := &web{pages: map[string]string{"http://h.example/": urls(addresses...)}}
	_, err := vod.Load(t.Context(), "http://h.example/", w.get, vod.LoadOptions{})
	if err == nil || len(err.Error()) > 1000 || len(w.requests) != 1 {
		t.Errorf("%d requests, %v", len(w.requests), err)
	}
}
