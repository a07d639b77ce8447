package fetch_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/link"
	"xship/sources/text"
)

func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL
}

func newClient(t *testing.T, o fetch.Options) *fetch.Client {
	t.Helper()
	c := fetch.New(o)
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// get expects a failure.
func get(t *testing.T, c *fetch.Client, r fetch.Request) *fetch.Error {
	t.Helper()
	resp, err := c.Get(t.Context(), r)
	var fe *fetch.Error
	if !errors.As(err, &fe) {
		t.Fatalf("got response %v and error %v, want a *fetch.Error", resp, err)
	}
	return fe
}

func TestGet(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Echo", strings.Join([]string{r.Host, r.UserAgent(), r.Header.Get("X-Site")}, "|"))
		_, _ = fmt.Fprint(w, r.RequestURI)
	})
	c := newClient(t, fetch.Options{UserAgent: "xship/1.0"})
	tests := []struct {
		name       string
		path       string
		headers    map[string]string
		body, echo string
	}{
		{name: "plain", path: "/a?b=c", body: "/a?b=c", echo: "|xship/1.0|"},
		{
			name: "headers win", path: "/", headers: map[string]string{"user-agent": "okhttp/3", "Host": "h.test", "X-Site": "1", "Accept-Encoding": "br"},
			body: "/", echo: "h.test|okhttp/3|1",
		},
		{name: "escapes a path", path: "/电影/a b", body: "/%E7%94%B5%E5%BD%B1/a%20b", echo: "|xship/1.0|"},
		{name: "escapes a query", path: "/?wd=电 影&x=%20\"", body: "/?wd=%E7%94%B5%20%E5%BD%B1&x=%20%22", echo: "|xship/1.0|"},
		{name: "drops the fragment", path: "/a#b", body: "/a", echo: "|xship/1.0|"},
		{name: "trims", path: "/a \n", body: "/a", echo: "|xship/1.0|"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			resp, err := c.Get(t.Context(), fetch.Request{URL: url + tt.path, Headers: tt.headers})
			if err != nil {
				t.Fatal(err)
			}
			if resp.Status != http.StatusOK || string(resp.Body) != tt.body || !strings.HasSuffix(resp.Header.Get("X-Echo"), tt.echo) {
				t.Errorf("got %d %q %q, want 200 %q, ... %q", resp.Status, resp.Body, resp.Header.Get("X-Echo"), tt.body, tt.echo)
			}
		})
	}
}

func TestGetReusesConnections(t *testing.T) {
	dials := make(chan struct{}, 100)
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/404" {
			http.NotFound(w, r)
		}
	}))
	srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			dials <- struct{}{}
		}
	}
	srv.Start()
	t.Cleanup(srv.Close)
	c := newClient(t, fetch.Options{})
	for range 5 {
		for _, path := range []string{"/", "/404"} {
			_, _ = c.Get(t.Context(), fetch.Request{URL: srv.URL + path})
		}
	}
	if n := len(dials); n != 1 {
		t.Errorf("10 requests in a row used %d connections, want 1", n)
	}
}

func TestGetStatus(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var status int
		_, _ = fmt.Sscanf(r.URL.Path, "/%d", &status)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, r.URL.Query().Get("body"))
	})
	c := newClient(t, fetch.Options{})
	tests := []struct {
		path  string
		class sources.Class
		text  string
	}{
		{"/404", sources.ClassDeadLink, "404 Not Found"},
		{"/410", sources.ClassDeadLink, "410 Gone"},
		{"/400", sources.ClassHosterFault, "400 Bad Request"},
		{"/401", sources.ClassHosterFault, "401 Unauthorized"},
		{"/403?body=no+permission", sources.ClassHosterFault, "403 Forbidden: no permission"},
		{"/429", sources.ClassHosterFault, "429 Too Many Requests"},
		{"/500?body=%1b%5b31mred", sources.ClassHosterFault, "500 Internal Server Error: red"},
		{"/503", sources.ClassHosterFault, "503 Service Unavailable"},
		{"/599", sources.ClassHosterFault, "status 599"},
		{"/304", sources.ClassHosterFault, "304 Not Modified"},
		{"/300", sources.ClassHosterFault, "300 Multiple Choices"},
		{"/502?body=%3Chtml%3E%3Ctitle%3EBad%20gateway%3C/title%3E", sources.ClassHosterFault, `502 Bad Gateway: HTML page "Bad gateway"`},
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			err := get(t, c, fetch.Request{URL: url + tt.path})
			if err.Class() != tt.class || err.Reason != fetch.ReasonStatus || err.Timeout() {
				t.Errorf("got class %s, reason %s, timeout %t, want class %s", err.Class(), err.Reason, err.Timeout(), tt.class)
			}
			if want := "GET " + link.Redact(url+tt.path) + ": " + tt.text; err.Error() != want {
				t.Errorf("got %q, want %q", err, want)
			}
		})
	}
}

func TestGetBodyCap(t *testing.T) {
	const limit = 64 << 10
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		size := limit
		if strings.Contains(r.URL.Path, "more") {
			size++
		}
		switch r.URL.Query().Get("as") {
		case "length":
			w.Header().Set("Content-Length", fmt.Sprint(size))
			_, _ = w.Write(make([]byte, size))
		case "chunks":
			w.(http.Flusher).Flush()
			_, _ = w.Write(make([]byte, size))
		case "gzip":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = z.Write(make([]byte, size))
			_ = z.Close()
		case "endless":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			for r.Context().Err() == nil {
				if _, err := z.Write(make([]byte, limit)); err != nil {
					return
				}
			}
		}
	})
	c := newClient(t, fetch.Options{MaxBody: limit})
	for _, as := range []string{"length", "chunks", "gzip"} {
		resp, err := c.Get(t.Context(), fetch.Request{URL: url + "/fits?as=" + as})
		if err != nil || len(resp.Body) != limit {
			t.Errorf("%s: a body of exactly the cap gives %v", as, err)
		}
	}
	for _, as := range []string{"length", "chunks", "gzip", "endless"} {
		err := get(t, c, fetch.Request{URL: url + "/more?as=" + as})
		if err.Reason != fetch.ReasonTooLarge || err.Class() != sources.ClassHosterFault || !strings.HasSuffix(err.Error(), "the body is larger than 64 KiB") {
			t.Errorf("%s: got %s %q", as, err.Reason, err)
		}
	}
	if err := get(t, c, fetch.Request{URL: url + "/fits?as=chunks", MaxBody: 10}); err.Reason != fetch.ReasonTooLarge {
		t.Errorf("the request's own cap: got %q", err)
	}
}

func TestGetRedirects(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var n int
		_, _ = fmt.Sscanf(r.URL.Path, "/hop/%d", &n)
		switch {
		case n > 0:
			http.Redirect(w, r, fmt.Sprintf("/hop/%d?wd=电影", n-1), http.StatusFound)
		case r.URL.Path == "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case r.URL.Path == "/ftp":
			http.Redirect(w, r, "ftp://h/a", http.StatusFound)
		case r.URL.Path == "/bad":
			w.Header().Set("Location", "http://h:port/?token=s3cr3t-s3cr3t")
			w.WriteHeader(http.StatusFound)
		default:
			_, _ = io.WriteString(w, r.Referer())
		}
	})
	c := newClient(t, fetch.Options{})

	resp, err := c.Get(t.Context(), fetch.Request{URL: url + "/hop/5?token=s3cr3t"})
	if err != nil {
		t.Fatal(err)
	}
	if want := url + "/hop/0?wd=%E7%94%B5%E5%BD%B1"; !strings.EqualFold(resp.FinalURL, want) {
		t.Errorf("final URL %q, want %q", resp.FinalURL, want)
	}
	if len(resp.Body) > 0 {
		t.Errorf("the redirecting page was told to the next as %q", resp.Body)
	}
	resp, err = c.Get(t.Context(), fetch.Request{URL: url + "/hop/1#part", Headers: map[string]string{"Referer": "http://r/"}})
	if err != nil || string(resp.Body) != "http://r/" {
		t.Errorf("the caller's Referer came as %q, %v", resp.Body, err)
	}

	for path, text := range map[string]string{
		"/hop/9": "it redirects more than 8 times",
		"/loop":  "it redirects more than 8 times",
		"/ftp":   `the scheme "ftp" is not supported`,
		"/bad":   "it redirects to a URL that cannot be read",
	} {
		err := get(t, c, fetch.Request{URL: url + path})
		class := sources.ClassHosterFault
		if path == "/ftp" { // others may be able to go there
			class = sources.ClassUnsupported
		}
		if err.Reason != fetch.ReasonRedirect || err.Class() != class || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: got %s %q, want %q", path, err.Reason, err, text)
		}
		if strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%s: the error shows a secret: %q", path, err)
		}
	}
}

func TestGetRedirectHeaders(t *testing.T) {
	far := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, strings.Join([]string{r.Header.Get("Authorization"), r.Header.Get("X-Key"), r.UserAgent()}, "|"))
	})
	near := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/far":
			http.Redirect(w, r, strings.Replace(far, "127.0.0.1", "localhost", 1), http.StatusFound)
		case "/port":
			http.Redirect(w, r, far, http.StatusFound)
		case "/near":
			http.Redirect(w, r, "/here", http.StatusFound)
		default:
			_, _ = io.WriteString(w, strings.Join([]string{r.Header.Get("Authorization"), r.Header.Get("X-Key"), r.UserAgent()}, "|"))
		}
	})
	c := newClient(t, fetch.Options{})
	for path, want := range map[string]string{"/near": "Basic dTpw|k|a", "/port": "|k|a", "/far": "||a"} {
		resp, err := c.Get(t.Context(), fetch.Request{
			URL: strings.Replace(near, "://", "://u:p@", 1) + path, Headers: map[string]string{"X-Key": "k", "User-Agent": "a"},
		})
		if err != nil || string(resp.Body) != want {
			t.Errorf("%s: got %v, %v, want %q", path, resp, err, want)
		}
	}
}

func TestGetRefusesRequests(t *testing.T) {
	tests := []struct {
		name   string
		r      fetch.Request
		reason fetch.Reason
	}{
		{"no scheme", fetch.Request{URL: "h.test/a"}, fetch.ReasonURL},
		{"file", fetch.Request{URL: "file:///etc/passwd"}, fetch.ReasonURL},
		{"no host", fetch.Request{URL: "http:///a"}, fetch.ReasonURL},
		{"port zero", fetch.Request{URL: "http://h.example:0/a"}, fetch.ReasonURL},
		{"port beyond all", fetch.Request{URL: "http://h.example:65536/a"}, fetch.ReasonURL},
		{"empty", fetch.Request{}, fetch.ReasonURL},
		{"control characters", fetch.Request{URL: "http://h/\x1b[31m"}, fetch.ReasonURL},
		{"bad port", fetch.Request{URL: "http://h:x/?token=s3cr3t-s3cr3t"}, fetch.ReasonURL},
		{"header name", fetch.Request{URL: "http://h/", Headers: map[string]string{"a b": "c"}}, fetch.ReasonHeader},
		{"header value", fetch.Request{URL: "http://h/", Headers: map[string]string{"a": "s3cr3t\r\nb: c"}}, fetch.ReasonHeader},
	}
	c := newClient(t, fetch.Options{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := get(t, c, tt.r)
			if err.Reason != tt.reason || err.Class() != sources.ClassUnsupported {
				t.Errorf("got %s, %s: %q", err.Reason, err.Class(), err)
			}
			if strings.Contains(err.Error(), "s3cr3t") || strings.Contains(err.Error(), "\x1b") {
				t.Errorf("unclean error %q", err)
			}
		})
	}
}

func TestGetNetworkFaults(t *testing.T) {
	refused := httptest.NewServer(http.NotFoundHandler())
	refused.Close()
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	faulty := serve(t, func(w http.ResponseWriter, r *http.Request) {
		conn, buf, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		switch r.URL.Path {
		case "/short":
			_, _ = buf.WriteString("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort")
		case "/noise":
			_, _ = buf.WriteString("\x1b[31mnoise\r\n\r\n")
		case "/gzip":
			_, _ = buf.WriteString("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\nno gzip")
		}
		_ = buf.Flush()
	})
	tests := []struct {
		name, url string
		reason    fetch.Reason
	}{
		{"refused", refused.URL, fetch.ReasonDial},
		{"unknown authority", secure.URL, fetch.ReasonTLS},
		{"no TLS", strings.Replace(faulty, "http:", "https:", 1), fetch.ReasonTLS},
		{"cut short", faulty + "/short", fetch.ReasonRead},
		{"no HTTP", faulty + "/noise", fetch.ReasonRead},
		{"no gzip", faulty + "/gzip", fetch.ReasonRead},
		{"closed", faulty + "/", fetch.ReasonRead},
	}
	c := newClient(t, fetch.Options{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := get(t, c, fetch.Request{URL: tt.url + "?token=s3cr3t-s3cr3t"})
			if err.Reason != tt.reason || err.Class() != sources.ClassHosterFault || err.Timeout() {
				t.Errorf("got %s, %s, timeout %t: %q", err.Reason, err.Class(), err.Timeout(), err)
			}
			if strings.Contains(err.Error(), "s3cr3t") || strings.Contains(err.Error(), "\x1b") {
				t.Errorf("unclean error %q", err)
			}
		})
	}
}

func TestGetDeadlines(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/body" {
			w.(http.Flusher).Flush()
		}
		<-r.Context().Done()
	})
	const short = 30 * time.Millisecond
	for _, path := range []string{"/header", "/body"} {
		err := get(t, newClient(t, fetch.Options{Timeout: short}), fetch.Request{URL: url + path})
		if !err.Timeout() || err.Class() != sources.ClassHosterFault || !strings.HasSuffix(err.Error(), "no answer within 30ms") {
			t.Errorf("own deadline, %s: timeout %t, %s: %q", path, err.Timeout(), err.Class(), err)
		}

		c := newClient(t, fetch.Options{})
		ctx, cancel := context.WithTimeout(t.Context(), short)
		_, getErr := c.Get(ctx, fetch.Request{URL: url + path})
		cancel()
		var fe *fetch.Error
		if !errors.As(getErr, &fe) || !fe.Timeout() || fe.Class() != sources.ClassHosterFault || !errors.Is(getErr, context.DeadlineExceeded) {
			t.Errorf("caller's deadline, %s: got %v", path, getErr)
		}

		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(short, cancel)
		_, getErr = c.Get(ctx, fetch.Request{URL: url + path})
		if sources.ClassOf(getErr) != sources.ClassCancelled || !errors.Is(getErr, context.Canceled) {
			t.Errorf("cancelled, %s: got %v", path, getErr)
		}
	}
}

func TestSnippet(t *testing.T) {
	const url = "http://user:passw0rd@h/a?token=s3cr3t-s3cr3t&wd=film"
	tests := []struct{ name, body, want string }{
		{"empty", "", ""},
		{"text", " closed\r\n", "closed"},
		{"byte order mark", "\ufeffclosed", "closed"},
		{"page", "<!DOCTYPE html><html><head><title>Just a\nmoment&hellip;</title>", `HTML page "Just a moment…"`},
		{"page without title", "\n<HTML>", "HTML page"},
		{"binary", "\x00\x01", ""},
		{"other charset", "\xc4\xe3\xba\xc3\xc4\xe3\xba\xc3", "你好你好"},
		{"page in another charset", "<html><title>\xd5\xbe\xb5\xe3\xd2\xd1\xb9\xd8\xb1\xd5</title>", `HTML page "站点已关闭"`},
		{"no charset", "\x8e\xc7\xff\x93\xfe\x90\x99\xef", ""},
		{"long", strings.Repeat("影", 100), strings.Repeat("影", 80) + "…"},
		{"echoed secrets", "bad token s3cr3t-s3cr3t of passw0rd for film", "bad token REDACTED of REDACTED for film"},
		{"link of JSON", `{"error":"expired","url":"http://h/s.mp4?sign=s3cr3t"}`, `{"error":"expired","url":"http://h/REDACTED"}`},
		{"link in a title", "<title>http://h/s.mp4?sign=s3cr3t</title>", `HTML page "http://h/REDACTED"`},
		{"parameter", "bad token=s3cr3t for user", "bad token=REDACTED for user"},
		{"header", "Authorization: Bearer s3cr3t", "Authorization: REDACTED"},
		{"field", `{"token":"s3cr3t"}`, `{"token":"REDACTED"}`},
		{"secret at the cut", strings.Repeat("x", 70) + " token=s3cr3t-s3cr3t-s3cr3t", strings.Repeat("x", 70) + " token=RED…"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := fetch.Snippet(url, []byte(tt.body)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestSnippetOfAChain has an answer echo the secrets of all addresses that led to it.
func TestSnippetOfAChain(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			http.Redirect(w, r, "/second?sign=s3cr3t-two", http.StatusFound)
		case "/second":
			http.Redirect(w, r, "/third?token=s3cr3t-three", http.StatusFound)
		default:
			http.Error(w, "bad s3cr3t-one, s3cr3t-two, s3cr3t-three", http.StatusInternalServerError)
		}
	})
	_, err := newClient(t, fetch.Options{}).Get(t.Context(), fetch.Request{URL: url + "/?key=s3cr3t-one"})
	if failed, ok := errors.AsType[*fetch.Error](err); !ok || failed.Snippet != "bad REDACTED, REDACTED, REDACTED" {
		t.Errorf("got %v", err)
	}
	page := fetch.NewPage(url+"/?key=s3cr3t-one", url+"/b?token=s3cr3t-two", nil, []byte("bad s3cr3t-one, s3cr3t-two"))
	if got := page.Verdict().Error(); !strings.HasSuffix(got, ": bad REDACTED, REDACTED") {
		t.Errorf("a page: %q", got)
	}
}

func FuzzSnippet(f *testing.F) {
	for _, s := range []string{"", "closed", "<html><title>a</title>", "<TITLE", "<title>\x1b[0m", "\xff\x00"} {
		f.Add("http://h/?token=abcdef", []byte(s))
	}
	f.Fuzz(func(t *testing.T, url string, body []byte) {
		got := fetch.Snippet(url, body)
		if text.Clean(got) != got && !strings.HasSuffix(got, "…") {
			t.Errorf("%q is not clean", got)
		}
		if n := len([]rune(got)); n > 81 {
			t.Errorf("%d characters", n)
		}
	})
}
