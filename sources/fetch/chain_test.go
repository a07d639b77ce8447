package fetch_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"xship/sources"
	"xship/sources/fetch"
)

// TestCookiesOfAChain follows redirects that let in only who brings back what they set.
func TestCookiesOfAChain(t *testing.T) {
	seen := make(chan string, 16)
	other := strings.Replace(serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen <- "other: " + r.Header.Get("Cookie")
		http.SetCookie(w, &http.Cookie{Name: "other", Value: "1"})
		http.Redirect(w, r, r.URL.Query().Get("back"), http.StatusFound)
	}), "127.0.0.1", "localhost", 1)
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen <- r.URL.Path + ": " + r.Header.Get("Cookie")
		switch r.URL.Path {
		case "/same":
			if _, err := r.Cookie("pass"); err != nil {
				http.SetCookie(w, &http.Cookie{Name: "pass", Value: "1"})
				http.Redirect(w, r, "/same", http.StatusFound)
				return
			}
		case "/set":
			http.SetCookie(w, &http.Cookie{Name: "a", Value: "1", Domain: "localhost"})
			http.SetCookie(w, &http.Cookie{Name: "b", Value: "2", Path: "/deep"})
			http.SetCookie(w, &http.Cookie{Name: "d", Value: "4", MaxAge: -1})
			http.Redirect(w, r, other+"/?back=http://"+r.Host+"/deep/end", http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, "in")
	})
	c := newClient(t, fetch.Options{})
	for _, tt := range []struct {
		path    string
		headers map[string]string
		want    []string
	}{
		{"/same", nil, []string{"/same: ", "/same: pass=1"}},
		{"/same", map[string]string{"Cookie": "own=1"}, []string{"/same: own=1", "/same: own=1; pass=1"}},
		{"/end", nil, []string{"/end: "}}, // a chain ends with its cookies
		{"/set", map[string]string{"Cookie": "own=1"}, []string{"/set: own=1", "other: ", "/deep/end: b=2; a=1"}},
	} {
		resp, err := c.Get(t.Context(), fetch.Request{URL: url + tt.path, Headers: tt.headers})
		if err != nil || string(resp.Body) != "in" {
			t.Fatalf("%s: got %+v, %v", tt.path, resp, err)
		}
		for _, want := range tt.want {
			if got := <-seen; got != want {
				t.Errorf("%s: asked %q, want %q", tt.path, got, want)
			}
		}
	}
}

// TestAddressesAsTheyAre asks for links as sites write them.
func TestAddressesAsTheyAre(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/moved" {
			w.Header().Set("Location", "/100% b.mp4")
			w.WriteHeader(http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, r.RequestURI)
	})
	c := newClient(t, fetch.Options{})
	for asked, want := range map[string]string{
		"/100% Film.mp4": "/100%25%20Film.mp4", "/v/a|b.mp4": "/v/a%7Cb.mp4", "/v?f=|x&y=5%": "/v?f=%7Cx&y=5%25", "/a%20b%": "/a%20b%25", "/moved": "/100%25%20b.mp4",
		"/a%2Fb|c/{d}%41": "/a%2Fb%7Cc/%7Bd%7D%41", "/%2Fä \"<>\\^`%7c": "/%2F%C3%A4%20%22%3C%3E%5C%5E%60%7c", "/a=b,c;d@e!(f)[g]%2F": "/a=b,c;d@e!(f)[g]%2F",
	} {
		resp, err := c.Get(t.Context(), fetch.Request{URL: url + asked})
		if err != nil || string(resp.Body) != want {
			t.Errorf("%s: got %+v, %v, want %q", asked, resp, err, want)
		}
	}
}

// TestAnswersThatBreakTheRules are those that net/http refuses and players take. What
// no player takes is the hoster's fault.
func TestAnswersThatBreakTheRules(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	var answer atomic.Value
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 4096))
			_, _ = io.WriteString(conn, answer.Load().(string))
			_ = conn.Close()
		}
	}()
	const ok, fault = sources.ClassOK, sources.ClassHosterFault
	c := newClient(t, fetch.Options{})
	for text, want := range map[string]sources.Class{
		"HTTP/1.1 200 OK\r\nnot a header\r\nContent-Length: 2\r\n\r\nok":                               ok,
		"HTTP/1.1 200 OK\r\n: 1\r\nX Y: 1\r\n folded\r\nContent-Length: 2\r\n\r\nok":                   ok,
		"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 2\r\n\r\nok":                          ok,
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 2\r\n\r\nok":                ok,
		"HTTP/1.1 200 OK\r\nno header\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n": ok,
		"HTTP/1.1 200 OK\r\nContent-Length: two\r\n\r\nok":                                             ok,
		"ICY 200 OK\r\nicy-name: x\r\n\r\nok":                                                          ok,
		"HTTP/1.1 200 OK\r\nno header\r\nContent-Length: 9\r\n\r\nok":                                  fault,
		"HTTP/1.1 500 No\r\nno header\r\nContent-Length: 2\r\n\r\nok":                                  fault,
		"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok":                                               fault,
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n":                             fault,
		"HTTP/1.1 200 OK\r\nno header\r\n":                                                             fault,
		"SSH-2.0-OpenSSH\r\n":                                                                          fault,
		"":                                                                                             fault,
	} {
		answer.Store(text)
		resp, err := c.Get(t.Context(), fetch.Request{URL: fmt.Sprintf("http://%s/", listener.Addr())})
		if got := sources.ClassOf(err); got != want || want == ok && string(resp.Body) != "ok" {
			t.Errorf("%q: got %+v, %s %v, want %s", text, resp, got, err, want)
		}
	}
}
