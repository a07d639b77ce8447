package t4_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/site/t4"
	"xship/sources/sourcetest"
	"xship/sources/sourcetest/world"
)

func TestConformance(t *testing.T) {
	for name, c := range map[string]world.T4Config{
		"plain": {},
		"queries, an array, pairs": {
			Query: "site=one", Ext: "secret", DetailArray: true, URLForm: world.URLPairs, Header: map[string]string{"Referer": "http://r/"},
		},
		"ext by URL, values, headers in a string": {
			Ext: `{"a":"b"}`, ExtURL: true, URLForm: world.URLValues, Header: map[string]string{"Referer": "http://r/"}, HeaderAsString: true,
		},
		"links for ids, a long ext": {DirectIDs: true, Ext: strings.Repeat("x", 2000)},
	} {
		t.Run(name, func(t *testing.T) { conform(t, c) })
	}
}

func conform(t *testing.T, c world.T4Config) {
	sourcetest.RunSite(t, sourcetest.Harness{
		Start: func(tb testing.TB, films []world.Film) sourcetest.Instance {
			c.Films = films
			server, err := sourcetest.StartWorld(tb, world.Config{}).AddT4("site", c)
			if err != nil {
				tb.Fatal(err)
			}
			s := spec(server.URL())
			if s.Ext = c.Ext; c.ExtURL {
				s.Ext = server.ExtURL()
			}
			return sourcetest.Instance{Site: newSite(tb, s), Server: server}
		},
		MaxRequests: 21, // 8 for rows, 12 for links, 1 for the ext
	})
}

func spec(api string) sources.SiteSpec {
	return sources.SiteSpec{SiteInfo: sources.SiteInfo{Key: "k", Name: "Site", Type: t4.Type}, API: api, Searchable: true}
}

func newSite(tb testing.TB, s sources.SiteSpec) sources.Site {
	tb.Helper()
	client := fetch.New(fetch.Options{MaxBody: 1 << 20})
	tb.Cleanup(client.CloseIdleConnections)
	site, err := t4.New(s, client, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return site
}

func search(ctx context.Context, site sources.Site, title sources.Title) ([]sources.Source, error) {
	var found []sources.Source
	err := site.Search(ctx, title, func(s sources.Source) { found = append(found, s) })
	return found, err
}

func movie(name string, year int) sources.Title {
	return sources.Title{Kind: sources.KindMovie, Name: name, Year: year}
}

// object is a JSON object.
type object map[string]any

// server is a T4 server of one film, Alpha (2021), with the links list.
type server struct {
	*httptest.Server
	list string
	play func(id string) any // the answer to a play call; a string is the body

	mu      sync.Mutex
	queries []url.Values
	headers []http.Header
}

func serve(t *testing.T, list string, play func(id string) any) *server {
	t.Helper()
	s := &server{list: list, play: play}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.queries, s.headers = append(s.queries, r.Form), append(s.headers, r.Header)
	s.mu.Unlock()
	var answer any
	switch {
	case r.Form.Has("play"):
		answer = s.play(r.Form.Get("play"))
	case r.Form.Has("ids"):
		answer = []object{{"vod_year": "2021", "vod_play_from": "one", "vod_play_url": s.list}}
	default:
		answer = object{"list": []object{
			{"vod_id": "beta", "vod_name": "Beta"}, {"vod_id": "al&pha", "vod_name": "Alpha"}, {"vod_id": "old", "vod_name": "Alpha", "vod_year": "1999"},
		}}
	}
	switch body := answer.(type) {
	case int:
		w.WriteHeader(body)
	case string:
		_, _ = fmt.Fprint(w, body)
	default:
		_ = json.NewEncoder(w).Encode(body)
	}
}

// asked are the queries of the form params, in no order.
func (s *server) asked(has string) []url.Values {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.queries), func(q url.Values) bool { return !q.Has(has) })
}

func TestNewRefuses(t *testing.T) {
	for name, s := range map[string]sources.SiteSpec{
		"another type": {SiteInfo: sources.SiteInfo{Type: "1"}, API: "http://h/"},
		"a class":      spec("csp_Spider"),
	} {
		if _, err := t4.New(s, nil, nil); sources.ClassOf(err) != sources.ClassUnsupported {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestSearchRequests(t *testing.T) {
	srv := serve(t, "HD$id|1$2", func(string) any { return object{"parse": 0, "url": "http://h/i.m3u8"} })
	s := spec(srv.URL + "/api?site=X&play=stray&t=1&ac=list&pg=7&filter=1&quick=1&lb=a%2Bb")
	s.Ext, s.Headers = "e=1", map[string]string{"User-Agent": "okhttp/3", "Authorization": "secret"}
	found, err := search(t.Context(), newSite(t, s), movie("Alpha", 2021))
	if err != nil {
		t.Fatal(err)
	}
	want := []sources.Source{{Name: "Alpha HD · one", Label: "HD", URL: "http://h/i.m3u8", Headers: map[string]string{"User-Agent": "okhttp/3"}}}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
	own := url.Values{"site": {"X"}, "lb": {"a+b"}, "extend": {"e=1"}}
	queries := []url.Values{
		{"wd": {"Alpha"}},
		{"ac": {"detail"}, "ids": {"al&pha"}},
		{"play": {"id|1$2"}, "flag": {"one"}},
	}
	for _, q := range queries {
		maps.Copy(q, own)
	}
	if diff := cmp.Diff(queries, srv.queries); diff != "" {
		t.Errorf("queries (-want +got):\n%s", diff)
	}
	for _, h := range srv.headers {
		if h.Get("User-Agent") != "okhttp/3" || h.Get("Authorization") != "secret" {
			t.Errorf("headers %v", h)
		}
	}
}

func TestSearchPlay(t *testing.T) {
	const direct = "http://h.example/i.m3u8?auth_key=1-2"
	plain := sources.Source{Name: "Alpha HD · one", Label: "HD", URL: direct}
	with := func(change func(*sources.Source)) []sources.Source {
		src := plain
		change(&src)
		if src.Unplayable != "" {
			src.Priority = sources.PriorityLast
		}
		return []sources.Source{src}
	}
	needs := func(reason string) []sources.Source {
		return with(func(s *sources.Source) { s.Unplayable = reason })
	}
	headers := func(h map[string]string) []sources.Source {
		return with(func(s *sources.Source) { s.Headers = h })
	}
	version := func(name, link string) sources.Source {
		return sources.Source{Name: "Alpha HD " + name + " · one", Label: "HD " + name, URL: link}
	}
	tests := []struct {
		name    string
		answer  any
		playURL string // of the site
		want    []sources.Source
	}{
		{
			"with a header", `{"parse":0,"playUrl":"","url":"` + direct + `","header":{"Referer":"http://r/"}}`, "",
			headers(map[string]string{"Referer": "http://r/"}),
		},
		{"header in a string", object{"url": direct, "header": `{"Referer":"http://r/","X-N":7}`}, "", headers(map[string]string{"Referer": "http://r/", "X-N": "7"})},
		{
			"headers that cannot be sent",
			object{"url": direct, "headers": object{"A\r\nB": "c", "D": "e\r\nF: g", "H": " i ", "J": nil}},
			"",
			headers(map[string]string{"H": "i"}),
		},
		{
			"headers that are the player's own",
			object{"url": direct, "header": object{
				"Host": "a", "range": "bytes=0-", "Content-Length": "1", "connection": "close", "Transfer-Encoding": "chunked", "Accept-Encoding": "br",
				"Upgrade": "h2c", "TE": "trailers", "Trailer": "X", "Proxy-Authorization": "b", "If-Range": "c", "Cookie": "d=1", "Origin": "http://r",
			}},
			"",
			headers(map[string]string{"Cookie": "d=1", "Origin": "http://r"}),
		},
		{"a broken header", object{"url": direct, "header": []int{1}}, "", with(func(*sources.Source) {})},
		{"numbers as strings", object{"parse": "0", "jx": "0", "url": direct, "code": "200", "msg": "ok"}, "", with(func(*sources.Source) {})},
		{"parse", object{"parse": 1, "url": direct}, "", needs("needs a parser: the site gives a page instead of the stream")},
		{"parse as a string", object{"parse": "1", "url": direct}, "", needs("needs a parser: the site gives a page instead of the stream")},
		{"jx", object{"parse": 0, "jx": 1, "url": direct}, "", needs("needs a parser: the site leaves the link to one of the interface's")},
		{"DRM", object{"url": direct, "drm": object{"type": "widevine"}}, "", needs("needs a licence: the stream is encrypted")},
		{"a page", object{"parse": 0, "url": "https://v.qq.com/x.html"}, "", with(func(s *sources.Source) {
			s.URL, s.Unplayable = "https://v.qq.com/x.html", "needs a parser: it is a web page"
		})},
		{"the app's own server", object{"url": "http://127.0.0.1:9978/proxy?do=js"}, "", with(func(s *sources.Source) {
			s.URL, s.Unplayable = "http://127.0.0.1:9978/proxy?do=js", "needs the TVBox app: it is a link to the app's own server"
		})},
		{"prefix", object{"url": "a.mp4?x=http://h/", "playUrl": "http://p/"}, "http://q/", nil},
		{"prefix of the answer", object{"url": direct, "playUrl": "http://p/"}, "http://q/", with(func(s *sources.Source) { s.URL = "http://p/" + direct })},
		{"prefix of the site", object{"url": direct}, "http://q/", with(func(s *sources.Source) { s.URL = "http://q/" + direct })},
		{"named parser", object{"url": direct, "playUrl": "json:http://p/"}, "", needs("needs a parser: the interface plays this site through one")},
		{"pairs", object{"url": []string{"720P", direct, "1080: P", "https://h.example/b.mp4", "again", direct}}, "", []sources.Source{
			version("720P", direct), version("1080: P", "https://h.example/b.mp4"),
		}},
		{"links without names", object{"url": []any{direct, nil, 7, "https://h.example/b.mp4", "rest"}}, "", []sources.Source{
			plain, version("7", "https://h.example/b.mp4"),
		}},
		{"values", object{"url": object{"values": []object{{"n": "4K\x1b[31m", "v": direct}, {"n": 2, "v": "https://h.example/b.mp4"}}, "position": 1}}, "", []sources.Source{
			version("4K", direct), version("2", "https://h.example/b.mp4"),
		}},
		{"no scheme", object{"url": "//h.example/a.mp4"}, "", with(func(s *sources.Source) { s.URL = "http://h.example/a.mp4" })},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv := serve(t, "HD$1", func(string) any { return tt.answer })
			s := spec(srv.URL)
			s.PlayURL = tt.playURL
			found, err := search(t.Context(), newSite(t, s), movie("Alpha", 2021))
			if tt.want == nil {
				if sources.ClassOf(err) != sources.ClassHosterFault {
					t.Errorf("got %v, %v, want a fault", found, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, found); diff != "" {
				t.Errorf("sources (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSearchPlayFails(t *testing.T) {
	for name, tt := range map[string]struct {
		answer any
		err    string // end of the message
	}{
		"status":    {http.StatusBadGateway, "502 Bad Gateway"},
		"error":     {object{"error": "boom\x1b[31m"}, "reports an error: boom"},
		"message":   {object{"code": 0, "msg": "not today", "url": ""}, "reports an error: not today"},
		"no link":   {object{"parse": 0, "url": nil, "code": 1, "msg": "ok"}, `the answer holds no link: {"code":1,"msg":"ok","parse":0,"url":null}`},
		"no object": {"closed", "the answer is not a JSON object: closed"},
		"cut short": {`{"url":"http://h`, `the answer is not valid JSON: {"url":"http://h/REDACTED`},
		"nothing":   {"", "the answer is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			srv := serve(t, "HD$1#TC$http://h.example/page", func(string) any { return tt.answer })
			found, err := search(t.Context(), newSite(t, spec(srv.URL+"?site=X")), movie("Alpha", 2021))
			if sources.ClassOf(err) != sources.ClassHosterFault || !strings.HasSuffix(err.Error(), tt.err) {
				t.Errorf("got %s %v, want ... %q", sources.ClassOf(err), err, tt.err)
			}
			want := []string{srv.URL + "?site=X&flag=one&play=1", "http://h.example/page"}
			for i, src := range found {
				if src.URL != want[i] || !strings.HasPrefix(src.Unplayable, "the site gives no stream: ") || !strings.HasSuffix(src.Unplayable, tt.err) {
					t.Errorf("got %q, not playable since %q", src.URL, src.Unplayable)
				}
			}
			if len(found) != len(want) {
				t.Errorf("%d sources, want %d", len(found), len(want))
			}
		})
	}
}

// TestSearchPlaySome has one of many play calls fail, and more links than are
// asked for.
func TestSearchPlaySome(t *testing.T) {
	var items []string
	for i := range 14 {
		items = append(items, fmt.Sprintf("V%c$%d", 'A'+i, i))
	}
	srv := serve(t, strings.Join(items, "#"), func(id string) any {
		if id == "1" {
			return http.StatusNotFound
		}
		return object{"url": "http://h.example/" + id + ".mp4"}
	})
	found, err := search(t.Context(), newSite(t, spec(srv.URL)), movie("Alpha", 2021))
	if err != nil || len(found) != 14 || len(srv.asked("play")) != 12 {
		t.Fatalf("%d sources by %d calls, %v", len(found), len(srv.asked("play")), err)
	}
	for i, src := range found {
		want := fmt.Sprintf("http://h.example/%d.mp4", i)
		switch i {
		case 1:
			if !strings.HasSuffix(src.Unplayable, "404 Not Found") {
				t.Errorf("link 1 is not playable since %q", src.Unplayable)
			}
		case 12, 13:
			if src.Unplayable != "not asked for: more links match than one search asks for" {
				t.Errorf("link %d is not playable since %q", i, src.Unplayable)
			}
		default:
			if src.URL != want || src.Unplayable != "" {
				t.Errorf("link %d is %q (%s), want %q", i, src.URL, src.Unplayable, want)
			}
		}
	}
}

// TestSearchCancelledWhilePlaying yields nothing for what was not answered.
func TestSearchCancelledWhilePlaying(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	rows := serve(t, "A$1#B$2#C$3#D$4", nil)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("play") {
			cancel()
			<-r.Context().Done()
			return
		}
		rows.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	found, err := search(ctx, newSite(t, spec(srv.URL)), movie("Alpha", 2021))
	if len(found) > 0 || sources.ClassOf(err) != sources.ClassCancelled {
		t.Errorf("got %d sources and %v", len(found), err)
	}
}

// TestSearchExt fetches an ext that is a URL once, after a failure again.
func TestSearchExt(t *testing.T) {
	srv := serve(t, "HD$1", func(string) any { return object{"url": "http://h.example/a.mp4"} })
	var loads atomic.Int64
	ext := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Key") != "k" {
			t.Errorf("headers %v", r.Header)
		}
		if loads.Add(1) == 1 {
			http.Error(w, "not yet", http.StatusInternalServerError)
			return
		}
		_, _ = fmt.Fprint(w, " the text\n")
	}))
	t.Cleanup(ext.Close)
	s := spec(srv.URL)
	s.Ext, s.Headers = " "+ext.URL+"/ext.json ", map[string]string{"X-Key": "k"}
	site := newSite(t, s)
	if _, err := search(t.Context(), site, movie("Alpha", 2021)); sources.ClassOf(err) != sources.ClassHosterFault || len(srv.queries) > 0 {
		t.Fatalf("a failing ext gives %v and %d further requests", err, len(srv.queries))
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if found, err := search(t.Context(), site, movie("Alpha", 2021)); err != nil || len(found) != 1 {
				t.Errorf("got %v, %v", found, err)
			}
		})
	}
	wg.Wait()
	if n := loads.Load(); n != 2 {
		t.Errorf("the ext was fetched %d times, want 2", n)
	}
	for _, q := range srv.queries {
		if q.Get("extend") != "the text" {
			t.Errorf("extend is %q", q.Get("extend"))
		}
	}
}

// TestSearchExtCancelled does not wait for another search's fetch of the ext.
func TestSearchExtCancelled(t *testing.T) {
	started := make(chan struct{})
	ext := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(started)
		<-r.Context().Done()
	}))
	t.Cleanup(ext.Close)
	s := spec("http://127.0.0.1:1/")
	s.Ext = ext.URL
	site := newSite(t, s)
	first, stopFirst := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := search(first, site, movie("Alpha", 0))
		done <- err
	}()
	<-started
	second, stopSecond := context.WithCancel(t.Context())
	stopSecond()
	if _, err := search(second, site, movie("Alpha", 0)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	stopFirst()
	if err := <-done; sources.ClassOf(err) != sources.ClassCancelled {
		t.Errorf("got %v", err)
	}
}

// TestSearchDetailsFail has the details of one row of two fail.
func TestSearchDetailsFail(t *testing.T) {
	for fails, ok := range map[string]bool{"none": true, "a": true, "ab": false} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch q := r.URL.Query(); {
			case q.Has("play"):
				_, _ = fmt.Fprintf(w, `{"url":"http://h.example/%s.mp4"}`, q.Get("play"))
			case q.Has("ids") && strings.Contains(fails, q.Get("ids")):
				w.WriteHeader(http.StatusInternalServerError)
			case q.Has("ids"):
				_, _ = fmt.Fprintf(w, `{"list":[{"vod_play_url":"HD$%s"}]}`, q.Get("ids"))
			default:
				_, _ = fmt.Fprint(w, `{"list":[{"vod_id":"a","vod_name":"Alpha"},{"vod_id":"b","vod_name":"Alpha"}]}`)
			}
		}))
		t.Cleanup(srv.Close)
		found, err := search(t.Context(), newSite(t, spec(srv.URL)), movie("Alpha", 0))
		if (err == nil) != ok || ok != (len(found) > 0) {
			t.Errorf("%s: got %v, %v", fails, found, err)
		}
	}
}
