package fetch_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"xship/sources/fetch"
	"xship/sources/link"
)

// loginFor is fetch.Options.Login with one login.
func loginFor(origin, header, value string) func(*url.URL) http.Header {
	return func(u *url.URL) http.Header {
		if link.Origin(u) != origin {
			return nil
		}
		return http.Header{header: {value}}
	}
}

// echo answers with the secret headers that came.
func echo(w http.ResponseWriter, r *http.Request) {
	_, _ = io.WriteString(w, r.Header.Get("Authorization")+r.Header.Get("X-Emby-Token")+r.Header.Get("Cookie"))
}

// TestLogin asks servers that redirect: the login goes to its own scheme, host and port,
// and to nowhere else, also where the way leads away and back.
func TestLogin(t *testing.T) {
	other := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if back := r.URL.Query().Get("back"); back != "" {
			http.Redirect(w, r, back, http.StatusFound)
			return
		}
		echo(w, r)
	})
	named := strings.Replace(other, "127.0.0.1", "localhost", 1)
	home := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusTemporaryRedirect)
			return
		}
		echo(w, r)
	})
	port := home[strings.LastIndexByte(home, ':')+1:]
	const secret = "Basic bWU6czNjcjN0"
	for _, header := range []string{"Authorization", "X-Emby-Token", "x-emby-token"} {
		c := newClient(t, fetch.Options{Login: loginFor(link.OriginOf(home), header, secret)})
		to := func(u string) string { return home + "/?to=" + url.QueryEscape(u) }
		for _, tt := range []struct{ url, want string }{
			{home, secret},
			{home + "/a/../b?x=1#y", secret},
			{strings.Replace(home, "http://", "HTTP://", 1), secret},
			{to("/deep/er"), secret},
			{to(home), secret},
			{other, ""},
			{strings.Replace(home, "127.0.0.1", "localhost", 1), ""}, // another name of the same machine
			{to(other), ""},                                          // another port
			{to(named), ""},                                          // another host
			{to(strings.Replace(other, "://", "://127.0.0.1:"+port+"@", 1)), ""},
			{to(other + "/?back=" + url.QueryEscape(home)), secret},
			{to(other + "/?back=" + url.QueryEscape(named)), ""},
		} {
			resp, err := c.Get(fetch.WithLogins(t.Context()), fetch.Request{URL: tt.url})
			if err != nil {
				t.Errorf("%s: %v", tt.url, err)
				continue
			}
			if got := string(resp.Body); got != tt.want && (tt.want != "" || strings.Contains(got, secret)) {
				t.Errorf("%s: the login sent is %q, want %q", tt.url, got, tt.want)
			}
		}
		resp, err := c.Get(t.Context(), fetch.Request{URL: home})
		if err != nil || len(resp.Body) > 0 {
			t.Errorf("a request that may use no login: %v, %v", resp, err)
		}
		part, err := c.GetRange(fetch.WithLogins(t.Context()), fetch.Request{URL: home}, 0, 64)
		if err != nil || string(part.Data) != secret {
			t.Errorf("a range: %+v, %v", part, err)
		}
		resp, err = c.Call(fetch.WithLogins(t.Context()), fetch.Request{URL: home})
		if err != nil || string(resp.Body) != secret {
			t.Errorf("a call: %+v, %v", resp, err)
		}
		// A server that is asked for by another name is another one.
		resp, err = c.Get(fetch.WithLogins(t.Context()), fetch.Request{URL: home, Headers: map[string]string{"Host": "other.example"}})
		if err != nil || len(resp.Body) > 0 {
			t.Errorf("another name of the host: %v, %v", resp, err)
		}
	}
}

// TestWithLoginsOf asks for what a file leads to: only its own server gets a login.
func TestWithLoginsOf(t *testing.T) {
	const secret = "Bearer s3cr3t"
	home := serve(t, echo)
	other := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		echo(w, r)
	})
	c := newClient(t, fetch.Options{Login: func(*url.URL) http.Header { return http.Header{"Authorization": {secret}} }})
	for _, tt := range []struct{ of, asked, want string }{
		{home + "/film.mkv", home + "/film.mkv", secret},
		{home + "/list.m3u8", home + "/a/segment.ts?x=1", secret},
		{strings.Replace(home, "http", "HTTP", 1), home, secret},
		{other + "/film.mkv", home + "/film.mkv", ""},
		{other + "/film.mkv", other + "/?to=" + url.QueryEscape(home), ""},
		{strings.Replace(home, "http://", "https://", 1), home, ""},
		{strings.Replace(home, "127.0.0.1", "localhost", 1), home, ""},
		{strings.Replace(home, "://", "://"+home[len("http://"):]+"@", 1) + "0", home, ""},
		{"/home/me/film.mkv", home, ""},
		{"file:///home/me/film.mkv", home, ""},
		{"", home, ""},
		{"%", home, ""},
	} {
		resp, err := c.Get(fetch.WithLoginsOf(t.Context(), tt.of), fetch.Request{URL: tt.asked})
		if err != nil {
			t.Errorf("%s for %s: %v", tt.asked, tt.of, err)
		} else if got := string(resp.Body); got != tt.want {
			t.Errorf("%s for %s: the login sent is %q, want %q", tt.asked, tt.of, got, tt.want)
		}
	}
}

// TestLogin_upgrade redirects from http to https and back, of one host: these are two
// servers.
func TestLogin_upgrade(t *testing.T) {
	const secret = "Bearer s3cr3t"
	plain := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		echo(w, r)
	})
	var seen []string
	secure := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Header.Get("Authorization"))
		http.Redirect(w, r, plain, http.StatusFound)
	}))
	t.Cleanup(secure.Close)
	for origin, want := range map[string][2]string{link.OriginOf(plain): {"", secret}, link.OriginOf(secure.URL): {secret, ""}} {
		c := newClient(t, fetch.Options{Login: loginFor(origin, "Authorization", secret)})
		fetch.TrustTLS(c, secure)
		seen = nil
		resp, err := c.Get(fetch.WithLogins(t.Context()), fetch.Request{URL: plain + "/?to=" + url.QueryEscape(secure.URL)})
		if err != nil || len(seen) != 1 {
			t.Fatalf("%v, asked %d times", err, len(seen))
		}
		if got := [2]string{seen[0], string(resp.Body)}; got != want {
			t.Errorf("login for %s: https got %q and http %q, want %q", origin, got[0], got[1], want)
		}
	}
}

// TestLogin_errors asks servers that repeat what they were sent, in a refusal and in an
// answer that may be none.
func TestLogin_errors(t *testing.T) {
	const password = "pass s3cr3t"
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("me:"+password))
	const token = `MediaBrowser Token="0123456789abcdef", Client="xship"`
	for _, value := range []string{basic, token} {
		for _, status := range []int{http.StatusForbidden, http.StatusOK} {
			url := serve(t, func(w http.ResponseWriter, r *http.Request) {
				_, name, _ := r.BasicAuth()
				w.WriteHeader(status)
				_, _ = fmt.Fprintf(w, "a Basic login to xship: %s", name)
				if _, after, ok := strings.Cut(r.Header.Get("Authorization"), `Token="`); ok {
					_, _ = io.WriteString(w, after[:16])
				}
				_, _ = io.WriteString(w, r.Header.Get("Authorization"))
			})
			stored := newClient(t, fetch.Options{Login: loginFor(link.OriginOf(url), "Authorization", value)})
			given := fetch.Request{URL: url, Headers: map[string]string{"Authorization": value}}
			for name, ask := range map[string]func() (*fetch.Response, error){
				"stored": func() (*fetch.Response, error) {
					return stored.Get(fetch.WithLogins(t.Context()), fetch.Request{URL: url})
				},
				"given": func() (*fetch.Response, error) { return newClient(t, fetch.Options{}).Get(t.Context(), given) },
			} {
				var quoted string
				if resp, err := ask(); err != nil {
					quoted = err.Error()
				} else {
					quoted = resp.Snippet()
				}
				if !strings.Contains(quoted, "a Basic login to xship: ") {
					t.Fatalf("%s, %d: the server is not quoted: %s", name, status, quoted)
				}
				for _, secret := range []string{password, "s3cr3t", strings.TrimPrefix(basic, "Basic "), "0123456789abcdef"} {
					if strings.Contains(quoted, secret) {
						t.Errorf("%s, %d: %q is shown: %s", name, status, secret, quoted)
					}
				}
			}
		}
	}
}

func TestUsesLogin(t *testing.T) {
	c := newClient(t, fetch.Options{Login: loginFor("http://xn--bcher-kva.example:80", "Authorization", "x")})
	for _, tt := range []struct {
		url    string
		marked bool
		want   bool
	}{
		{"http://b\u00fccher.example/a", true, true},
		{"HTTP://XN--Bcher-KVA.example:80/a", true, true},
		{"https://b\u00fccher.example/a", true, false},
		{"http://b\u00fccher.example:8080/a", true, false},
		{"http://a.b\u00fccher.example/", true, false},
		{"http://b\u00fccher.example@evil.example/", true, false},
		{"not a URL", true, false},
		{"http://b\u00fccher.example/a", false, false},
	} {
		ctx := t.Context()
		if tt.marked {
			ctx = fetch.WithLogins(ctx)
		}
		if got := c.UsesLogin(ctx, tt.url); got != tt.want {
			t.Errorf("UsesLogin(%s) = %v, want %v", tt.url, got, tt.want)
		}
	}
}
