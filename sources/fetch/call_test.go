package fetch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"xship/sources"
	"xship/sources/fetch"
)

// call expects a failure.
func call(t *testing.T, c *fetch.Client, r fetch.Request) *fetch.Error {
	t.Helper()
	resp, err := c.Call(t.Context(), r)
	var fe *fetch.Error
	if !errors.As(err, &fe) {
		t.Fatalf("got response %v and error %v, want a *fetch.Error", resp, err)
	}
	return fe
}

func TestCallStatus(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var status int
		_, _ = fmt.Sscanf(r.URL.Path, "/%d", &status)
		w.Header().Set("Retry-After", r.URL.Query().Get("after"))
		w.WriteHeader(status)
		_, _ = io.WriteString(w, r.URL.Query().Get("body"))
	})
	c := newClient(t, fetch.Options{})
	long := strings.Repeat("x", 64<<10)
	for _, tt := range []struct {
		status      int
		body, after string
	}{
		{200, `{"status":"error"}`, ""},
		{202, "", ""},
		{304, "", ""},
		{401, `{"error_code":8}`, ""},
		{403, "<html><title>Just a moment...</title>", ""},
		{404, long, ""},
		{429, "slow down", "7"},
		{503, "<html>unavailable</html>", "3600"},
		{599, "", ""},
	} {
		t.Run(fmt.Sprint(tt.status), func(t *testing.T) {
			for range 2 { // the first one's Retry-After does not stop the second
				resp, err := c.Call(t.Context(), fetch.Request{URL: fmt.Sprintf("%s/%d?after=%s&body=%s", url, tt.status, tt.after, tt.body)})
				if err != nil {
					t.Fatal(err)
				}
				if resp.Status != tt.status || string(resp.Body) != tt.body || resp.Header.Get("Retry-After") != tt.after {
					t.Errorf("got %d %.40q, Retry-After %q, want %d %.40q, %q", resp.Status, resp.Body, resp.Header.Get("Retry-After"), tt.status, tt.body, tt.after)
				}
			}
		})
	}
	if _, err := c.Get(t.Context(), fetch.Request{URL: url + "/200"}); err != nil {
		t.Errorf("a pause that a call was asked for stops others: %v", err)
	}
	if err := get(t, c, fetch.Request{URL: url + "/429?after=9"}); err.RetryAfter != 9*time.Second {
		t.Errorf("Get: %v", err)
	}
	if _, err := c.Call(t.Context(), fetch.Request{URL: url + "/200"}); err != nil {
		t.Errorf("a pause that others were asked for stops a call: %v", err)
	}
}

func TestCallFaults(t *testing.T) {
	refused := httptest.NewServer(http.NotFoundHandler())
	refused.Close()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/hang":
			<-r.Context().Done()
		case "/cut":
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "short")
		case "/large":
			_, _ = w.Write(make([]byte, 2000))
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		}
	})
	tests := []struct {
		name, url          string
		reason             fetch.Reason
		transport, timeout bool
	}{
		{"refused", refused.URL, fetch.ReasonDial, true, false},
		{"no such host", "http://h.invalid/", fetch.ReasonDNS, true, false},
		{"hang", url + "/hang", fetch.ReasonTimeout, true, true},
		{"cut short", url + "/cut", fetch.ReasonRead, true, false},
		{"too large", url + "/large", fetch.ReasonTooLarge, false, false},
		{"redirects for ever", url + "/loop", fetch.ReasonRedirect, false, false},
		{"no URL", "h.test", fetch.ReasonURL, false, false},
	}
	c, impatient := newClient(t, fetch.Options{Timeout: time.Minute, MaxBody: 1000}), newClient(t, fetch.Options{Timeout: 100 * time.Millisecond})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := c
			if tt.timeout {
				c = impatient
			}
			err := call(t, c, fetch.Request{Method: http.MethodPost, URL: tt.url, Headers: map[string]string{"Authorization": "Bearer s3cr3t-s3cr3t"}})
			if tt.reason == fetch.ReasonDNS && err.Timeout() {
				t.Skip("the name server is silent")
			}
			if err.Reason != tt.reason || err.Transport() != tt.transport || err.Timeout() != tt.timeout {
				t.Errorf("got %s, transport %t, timeout %t: %v", err.Reason, err.Transport(), err.Timeout(), err)
			}
			if !strings.HasPrefix(err.Error(), "POST ") || strings.Contains(err.Error(), "s3cr3t") {
				t.Errorf("unclean error %q", err)
			}
		})
	}

	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	_, err := c.Call(ctx, fetch.Request{URL: url + "/hang"})
	var fe *fetch.Error
	if !errors.As(err, &fe) || fe.Class() != sources.ClassCancelled || fe.Transport() || fe.Timeout() {
		t.Errorf("cancelled: %v", err)
	}
}

// An answer may begin late where that was asked for.
func TestCallFirstByte(t *testing.T) {
	answer := make(chan struct{})
	url := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-answer:
		case <-r.Context().Done():
		}
	})
	short := newClient(t, fetch.Options{Timeout: time.Minute, FirstByte: time.Millisecond})
	if err := call(t, short, fetch.Request{URL: url}); !err.Timeout() || !err.Transport() {
		t.Errorf("got %v, want that it took too long", err)
	}
	close(answer)
	if _, err := newClient(t, fetch.Options{FirstByte: time.Minute}).Call(t.Context(), fetch.Request{URL: url}); err != nil {
		t.Error(err)
	}
}

func TestCallDeniesPrivate(t *testing.T) {
	url := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a private address was asked") })
	c := newClient(t, fetch.Options{DenyPrivate: true})
	if err := call(t, c, fetch.Request{URL: url}); err.Reason != fetch.ReasonPrivate || err.Transport() {
		t.Errorf("got %v", err)
	}
}

// TestPost checks what arrives of a POST, and where.
func TestPost(t *testing.T) {
	var strangers atomic.Int32
	echo := func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = fmt.Fprintf(w, "%s %s|%s|%s|%s", r.Method, r.URL.Path, r.Header.Get("Content-Type"), body, r.Header.Get("Authorization"))
	}
	far := serve(t, func(w http.ResponseWriter, r *http.Request) {
		strangers.Add(1)
		echo(w, r)
	})
	far = strings.Replace(far, "127.0.0.1", "localhost", 1)
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var status int
		var to string
		if n, _ := fmt.Sscanf(r.URL.Path, "/%d/%s", &status, &to); n == 2 {
			location := "/" + to
			if to == "far" {
				location = far + "/far"
			}
			http.Redirect(w, r, location, status)
			return
		}
		echo(w, r)
	})
	const asked = "POST /near|application/x-www-form-urlencoded|link=a%26b|Bearer k"
	tests := []struct {
		path      string
		get, call string // body of the answer; "" of get: refused
	}{
		{"/near", asked, asked},
		{"/301/near", "GET /near|||Bearer k", "GET /near|||Bearer k"},
		{"/302/near", "GET /near|||Bearer k", "GET /near|||Bearer k"},
		{"/303/near", "GET /near|||Bearer k", "GET /near|||Bearer k"},
		{"/307/near", asked, asked},
		{"/308/near", asked, asked},
		{"/301/far", "", ""},
		{"/302/far", "", ""},
		{"/303/far", "GET /far|||", ""},
		{"/307/far", "", ""},
		{"/308/far", "", ""},
	}
	c := newClient(t, fetch.Options{})
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			r := fetch.Request{
				Method: http.MethodPost, URL: url + tt.path, Headers: map[string]string{"Authorization": "Bearer k"},
				Body: []byte("link=a%26b"), ContentType: "application/x-www-form-urlencoded",
			}
			strangers.Store(0)
			resp, err := c.Call(t.Context(), r)
			switch {
			case err != nil:
				t.Error(err)
			case tt.call != "" && string(resp.Body) != tt.call:
				t.Errorf("Call: got %q, want %q", resp.Body, tt.call)
			case tt.call == "" && (resp.Status/100 != 3 || resp.FinalURL != r.URL):
				t.Errorf("Call: got %d from %s, want the redirect", resp.Status, resp.FinalURL)
			}
			if n := strangers.Load(); n > 0 {
				t.Errorf("Call: another host was asked %d times", n)
			}

			if tt.get == "" {
				err := get(t, c, r)
				if err.Reason != fetch.ReasonRedirect || !strings.HasSuffix(err.Error(), "it redirects a POST to another host") || strangers.Load() > 0 {
					t.Errorf("Get: got %v and %d requests to another host", err, strangers.Load())
				}
				return
			}
			if resp, err = c.Get(t.Context(), r); err != nil || string(resp.Body) != tt.get {
				t.Errorf("Get: got %v, %v, want %q", resp, err, tt.get)
			}
		})
	}
}

// TestPostIsSentOnce breaks connections after the request has been read.
func TestPostIsSentOnce(t *testing.T) {
	var requests atomic.Int32
	url := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if requests.Add(1) > 1 {
			panic(http.ErrAbortHandler)
		}
	})
	c := newClient(t, fetch.Options{})
	r := fetch.Request{Method: http.MethodPost, URL: url, Body: []byte("a=b")}
	if _, err := c.Call(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if err := call(t, c, r); err.Reason != fetch.ReasonRead {
		t.Errorf("got %v", err)
	}
	if n := requests.Load(); n != 2 {
		t.Errorf("2 calls made %d requests", n)
	}
}

func TestMethods(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Method", r.Method)
		w.Header().Set("X-Type", r.Header.Get("Content-Type"))
		body, _ := io.ReadAll(r.Body)
		_, _ = w.Write(body)
	})
	c := newClient(t, fetch.Options{})
	body := bytes.Repeat([]byte{'x'}, 100<<10)
	for _, method := range []string{http.MethodPut, http.MethodPatch, http.MethodDelete} {
		resp, err := c.Call(t.Context(), fetch.Request{
			Method: method, URL: url, Body: body, ContentType: "text/plain", Headers: map[string]string{"content-type": "application/json"},
		})
		if err != nil || resp.Header.Get("X-Method") != method || resp.Header.Get("X-Type") != "application/json" || !bytes.Equal(resp.Body, body) {
			t.Errorf("%s: got %+v with %d bytes, %v", method, resp.Header, len(resp.Body), err)
		}
	}
	for _, r := range []fetch.Request{
		{Method: "GET / HTTP/1.1\r\nX: s3cr3t", URL: url}, {Method: http.MethodPost, URL: url, ContentType: "s3cr3t\r\nX: y"},
	} {
		err := call(t, c, r)
		if err.Reason != fetch.ReasonHeader || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("got %s %q", err.Reason, err)
		}
	}
}

func TestConditionalGet(t *testing.T) {
	const etag, modified = `"v1"`, "Sun, 01 Mar 2026 12:00:00 GMT"
	far := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", etag)
		if r.Header.Get("If-None-Match") == etag || r.Header.Get("If-Modified-Since") == modified || r.URL.Path == "/always" {
			w.WriteHeader(http.StatusNotModified)
		}
	})
	short := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, strings.Replace(far, "127.0.0.1", "localhost", 1)+r.URL.Path, http.StatusFound)
	})
	tests := []struct {
		name, url string
		headers   map[string]string
		status    int // 0: an error
	}{
		{"first", far, nil, 200},
		{"unchanged", far, map[string]string{"If-None-Match": etag}, 304},
		{"unchanged since", far, map[string]string{"if-modified-since": modified}, 304},
		{"changed", far, map[string]string{"If-None-Match": `"v0"`}, 200},
		{"behind a redirect to another host", short, map[string]string{"If-None-Match": etag}, 304},
		{"unasked", far + "/always", nil, 0},
		{"asked with nothing", far + "/always", map[string]string{"If-None-Match": ""}, 0},
	}
	c := newClient(t, fetch.Options{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := fetch.Request{URL: tt.url, Headers: tt.headers}
			if tt.status == 0 {
				if err := get(t, c, r); err.HTTPStatus() != http.StatusNotModified {
					t.Errorf("got %v", err)
				}
				return
			}
			resp, err := c.Get(t.Context(), r)
			if err != nil || resp.Status != tt.status || resp.Header.Get("ETag") != etag || len(resp.Body) > 0 {
				t.Errorf("got %v, %v, want %d", resp, err, tt.status)
			}
		})
	}
}
