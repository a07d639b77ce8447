package t4_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/site/t4"
)

// extServer serves texts, and tells how often it was asked.
type extServer struct {
	*httptest.Server
	fails atomic.Bool
	asked atomic.Int64
}

func serveExt(t *testing.T, text func(r *http.Request) string) *extServer {
	t.Helper()
	s := &extServer{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		if s.fails.Load() {
			http.Error(w, "not now", http.StatusInternalServerError)
			return
		}
		_, _ = fmt.Fprint(w, text(r))
	}))
	t.Cleanup(s.Close)
	return s
}

// clock is a time that a test sets.
type clock struct{ at atomic.Int64 }

func (c *clock) now() time.Time          { return time.Unix(0, c.at.Load()) }
func (c *clock) advance(d time.Duration) { c.at.Add(int64(d)) }

// extSites makes sites that share exts, each with its headers.
type extSites struct {
	client *fetch.Client
	exts   *t4.Exts
	api    string
}

func newExtSites(t *testing.T, api string, c *clock) extSites {
	t.Helper()
	client := fetch.New(fetch.Options{MaxBody: 1 << 20, PerHost: 50})
	t.Cleanup(client.CloseIdleConnections)
	return extSites{client: client, exts: t4.NewExts(client, time.Hour, c.now), api: api}
}

// search asks a new site with ext.
func (e extSites) search(ctx context.Context, ext string, headers map[string]string) error {
	s := spec(e.api)
	s.Ext, s.Headers = ext, headers
	site, err := t4.New(s, e.client, e.exts)
	if err != nil {
		return err
	}
	return site.Search(ctx, movie("Alpha", 2021), func(sources.Source) {})
}

// TestExtsShared has many sites and several scans ask once.
func TestExtsShared(t *testing.T) {
	srv := serve(t, "HD$1", func(string) any { return object{"url": "http://h.example/a.mp4"} })
	ext := serveExt(t, func(*http.Request) string { return "the text" })
	var c clock
	sites := newExtSites(t, srv.URL, &c)
	scan := func() {
		t.Helper()
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				if err := sites.search(t.Context(), ext.URL, nil); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
	for _, step := range []struct {
		after time.Duration
		asked int64 // in all
	}{{0, 1}, {time.Hour - 1, 1}, {1, 2}, {-time.Minute, 3}} {
		c.advance(step.after)
		scan()
		if n := ext.asked.Load(); n != step.asked {
			t.Errorf("%v later the ext was asked for %d times, want %d", step.after, n, step.asked)
		}
	}
	for _, q := range srv.asked("extend") {
		if q.Get("extend") != "the text" {
			t.Fatalf("extend is %q", q.Get("extend"))
		}
	}
}

// TestExtsFailure asks again after a failure, also where an older text is there.
func TestExtsFailure(t *testing.T) {
	srv := serve(t, "HD$1", func(string) any { return object{"url": "http://h.example/a.mp4"} })
	ext := serveExt(t, func(*http.Request) string { return "the text" })
	var c clock
	sites := newExtSites(t, srv.URL, &c)
	for i, fails := range []bool{true, true, false, true} {
		ext.fails.Store(fails)
		err := sites.search(t.Context(), ext.URL, nil)
		if (err != nil) != fails || ext.asked.Load() != int64(i+1) {
			t.Errorf("call %d: %v after %d requests", i+1, err, ext.asked.Load())
		}
		c.advance(time.Hour)
	}
}

// TestExtsHeaders keeps what was sent with other headers apart.
func TestExtsHeaders(t *testing.T) {
	srv := serve(t, "HD$1", func(string) any { return object{"url": "http://h.example/a.mp4"} })
	ext := serveExt(t, func(r *http.Request) string { return "for " + r.Header.Get("X-Key") })
	sites := newExtSites(t, srv.URL, new(clock))
	for _, key := range []string{"a", "b", "a", "b"} {
		if err := sites.search(t.Context(), ext.URL, map[string]string{"X-Key": key}); err != nil {
			t.Fatal(err)
		}
	}
	if n := ext.asked.Load(); n != 2 {
		t.Errorf("the ext was asked for %d times, want 2", n)
	}
	for i, q := range srv.queries {
		if want := "for " + srv.headers[i].Get("X-Key"); q.Get("extend") != want {
			t.Errorf("extend is %q, want %q", q.Get("extend"), want)
		}
	}
}

// TestExtsLeave has the one leave whose call began the request: those who wait
// with it get the text.
func TestExtsLeave(t *testing.T) {
	srv := serve(t, "HD$1", func(string) any { return object{"url": "http://h.example/a.mp4"} })
	started, answer := make(chan struct{}), make(chan struct{})
	ext := serveExt(t, func(*http.Request) string {
		close(started)
		<-answer
		return "the text"
	})
	sites := newExtSites(t, srv.URL, new(clock))
	first, leave := context.WithCancel(t.Context())
	left, stayed := make(chan error, 1), make(chan error, 1)
	go func() { left <- sites.search(first, ext.URL, nil) }()
	<-started
	entered := &noticed{Context: t.Context(), done: make(chan struct{})}
	go func() { stayed <- sites.search(entered, ext.URL, nil) }()
	<-entered.done
	leave()
	if err := <-left; sources.ClassOf(err) != sources.ClassCancelled {
		t.Errorf("who left got %v", err)
	}
	close(answer)
	if err := <-stayed; err != nil || ext.asked.Load() != 1 {
		t.Errorf("who stayed got %v after %d requests", err, ext.asked.Load())
	}
}

// noticed is a context that tells when somebody waits for it.
type noticed struct {
	context.Context //nolint:containedctx // it is a context itself
	once            sync.Once
	done            chan struct{}
}

func (n *noticed) Done() <-chan struct{} {
	n.once.Do(func() { close(n.done) })
	return n.Context.Done()
}

// TestExtsBounded drops the oldest texts, by number and by size.
func TestExtsBounded(t *testing.T) {
	for _, tt := range []struct {
		name      string
		size, max int
	}{{"number", 1, 256}, {"size", 1 << 20, 16}} {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Repeat("x", tt.size)
			ext := serveExt(t, func(*http.Request) string { return text })
			var c clock
			sites := newExtSites(t, "http://127.0.0.1:1/", &c)
			ask := func(i int) {
				c.advance(time.Second)
				// The site itself cannot be reached.
				_ = sites.search(t.Context(), fmt.Sprintf("%s/%d", ext.URL, i), nil)
			}
			for i := range tt.max + 1 {
				ask(i)
			}
			for _, i := range []int{1, tt.max, 0} { // the first one is gone
				ask(i)
			}
			if n := ext.asked.Load(); n != int64(tt.max+2) {
				t.Errorf("%d requests, want %d", n, tt.max+2)
			}
		})
	}
}
