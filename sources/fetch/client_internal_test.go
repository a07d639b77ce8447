package fetch

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestIDN checks what is dialled and asked for at hosts and paths with letters
// beyond ASCII.
func TestIDN(t *testing.T) {
	tests := []struct{ url, dialled, host, path string }{
		{"http://Bücher.example/tv", "xn--bcher-kva.example:80", "xn--bcher-kva.example", "/tv"},
		{"http://影视.example:8080/电视 直播/a b.json?x=影 y", "xn--p3t555g.example:8080", "xn--p3t555g.example:8080", "/%E7%94%B5%E8%A7%86%20%E7%9B%B4%E6%92%AD/a%20b.json?x=%E5%BD%B1%20y"},
		{"http://影视。example/%E7%94%B5", "xn--p3t555g.example:80", "xn--p3t555g.example", "/%E7%94%B5"},
		{"http://xn--p3t555g.example/\u00a0a", "xn--p3t555g.example:80", "xn--p3t555g.example", "/%C2%A0a"},
	}
	for _, tt := range tests {
		t.Run(tt.url, func(t *testing.T) {
			var dialled, host, path string
			c := New(Options{})
			c.transport.DialContext = func(_ context.Context, _, addr string) (net.Conn, error) {
				dialled = addr
				client, server := net.Pipe()
				go func() {
					if req, err := http.ReadRequest(bufio.NewReader(server)); err == nil {
						host, path = req.Host, req.RequestURI
					}
					_, _ = server.Write([]byte("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"))
					_ = server.Close()
				}()
				return client, nil
			}
			if _, err := c.Get(t.Context(), Request{URL: tt.url}); err != nil {
				t.Fatal(err)
			}
			if dialled != tt.dialled || host != tt.host || path != tt.path {
				t.Errorf("dialled %q, asked %q for %q, want %q, %q, %q", dialled, host, path, tt.dialled, tt.host, tt.path)
			}
		})
	}
}

func TestReasonOf(t *testing.T) {
	dial := func(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }
	tests := []struct {
		name string
		err  error
		want Reason
	}{
		{"no such host", dial(&net.DNSError{Err: "no such host", Name: "h", IsNotFound: true}), ReasonDNS},
		{"name server silent", dial(&net.DNSError{Err: "i/o timeout", Name: "h", IsTimeout: true}), ReasonTimeout},
		{"refused", dial(errors.New("connection refused")), ReasonDial},
		{"proxy", &net.OpError{Op: "proxyconnect", Err: errors.New("refused")}, ReasonProxy},
		{"alert", &net.OpError{Op: "remote error", Err: errors.New("tls: handshake failure")}, ReasonTLS},
		{"reset", &net.OpError{Op: "read", Err: errors.New("connection reset by peer")}, ReasonRead},
		{"unknown", errors.New("http2: something"), ReasonRead},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := reasonOf(tt.err); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func FuzzParseURL(f *testing.F) {
	for _, s := range []string{"http://h/a", "https://饭太硬.com/tv?wd=a b", "http://h?a=\"<>", "http://[::1]:80/", "HTTP://h/%zz", "http://h/\u00a0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := parseURL(raw)
		if err != nil {
			return
		}
		if line := u.RequestURI(); strings.ContainsFunc(line, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
			t.Errorf("the request line of %q would be %q", raw, line)
		}
	})
}

func TestIsPrivate(t *testing.T) {
	tests := map[string]bool{
		"127.0.0.1": true, "127.9.9.9": true, "10.1.2.3": true, "172.16.0.1": true, "172.32.0.1": false, "192.168.1.1": true,
		"169.254.169.254": true, "100.64.0.1": true, "100.128.0.1": false, "0.0.0.0": true, "0.1.2.3": true, "224.0.0.1": true,
		"255.255.255.255": true, "240.0.0.1": true, "198.18.0.1": true, "192.0.0.8": true, "1.1.1.1": false, "93.184.216.34": false,
		"::1": true, "::": true, "fe80::1": true, "fe80::1%eth0": true, "fc00::1": true, "fd12::1": true, "fec0::1": true, "ff02::1": true,
		"::ffff:127.0.0.1": true, "::ffff:1.1.1.1": false, "::127.0.0.1": true, "64:ff9b::7f00:1": true, "64:ff9b::101:101": false,
		"64:ff9b:1::1": true, "2002:7f00:1::1": true, "2002:101:101::1": false, "2606:4700::1111": false,
	}
	for addr, want := range tests {
		if got := isPrivate(netip.MustParseAddr(addr)); got != want {
			t.Errorf("%s: got %t, want %t", addr, got, want)
		}
	}
	if !isPrivate(netip.Addr{}) {
		t.Error("no address at all is not private")
	}
}

func TestProxy(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://10.0.0.1:3128")
	t.Setenv("HTTPS_PROXY", "10.0.0.2")
	t.Setenv("NO_PROXY", "")
	g := newGate(Options{DenyPrivate: true})
	if !g.ways["10.0.0.1:3128"] || !g.ways["10.0.0.2:80"] {
		t.Errorf("the operator's proxies are %v", g.ways)
	}
	for target, private := range map[string]bool{"http://192.168.0.1/": true, "http://1.1.1.1/": false, "http://h.example/": false} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, target, nil)
		if err != nil {
			t.Fatal(err)
		}
		proxy, err := g.forProxy(req)
		if (reasonOf(err) == ReasonPrivate) != private || private != (proxy == nil) {
			t.Errorf("%s: proxy %v, error %v", target, proxy, err)
		}
	}
}

func TestPausesAreBounded(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	h := newHosts(1, func() time.Time { return now })
	h.rest("first", time.Second, 429)
	h.rest("long", time.Minute, 429)
	h.rest("long", time.Second, 429) // does not shorten it
	for i := range 3 * maxPauses {
		h.rest(strconv.Itoa(i), 2*time.Second, 429)
	}
	if len(h.pauses) > maxPauses {
		t.Errorf("%d pauses are remembered, want at most %d", len(h.pauses), maxPauses)
	}
	if h.paused("first") != nil || h.paused("long") == nil {
		t.Error("not the pauses that end last were kept")
	}
	now = now.Add(-time.Hour)
	if err := h.paused("long"); err != nil {
		t.Errorf("the clock was set back: %v", err)
	}
}

func FuzzParseContentRange(f *testing.F) {
	for _, s := range []string{"bytes 0-7/8", "bytes 0-7/*", "bytes */8", "BYTES 1-2/3", "bytes -1-2/3", "bytes 9223372036854775807-9223372036854775807/*", "octets 0-1/2", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, known, err := parseContentRange(s)
		if err == nil && known && (r.first < 0 || r.last < r.first || r.total < -1 || r.total >= 0 && r.last >= r.total) {
			t.Errorf("%q gives %+v", s, r)
		}
	})
}

func TestRedirectedHeaders(t *testing.T) {
	headers := http.Header{
		"Authorization": {"a"}, "Cookie": {"c"}, "X-Key": {"k"}, "Referer": {"r"}, "User-Agent": {"u"}, "Range": {"bytes=0-7"}, "Accept-Encoding": {"identity"},
	}
	tests := []struct{ name, from, to, want string }{
		{"same host", "https://a.example.com/1", "https://a.example.com/2", "Accept-Encoding Authorization Cookie Range Referer User-Agent X-Key"},
		{"other port", "https://a.example.com/", "https://A.example.com:8443/", "Accept-Encoding Range Referer User-Agent X-Key"},
		{"named port", "https://a.example.com/", "https://A.example.com:443/", "Accept-Encoding Authorization Cookie Range Referer User-Agent X-Key"},
		{"same hoster", "https://a.example.com/", "https://b.example.com/", "Accept-Encoding Range Referer User-Agent X-Key"},
		{"other hoster", "https://a.example.com/", "https://a.example.net/", "Accept-Encoding Range User-Agent"},
		{"downgrade", "https://a.example.com/", "http://a.example.com/", "Accept-Encoding Range User-Agent"},
		{"upgrade", "http://a.example.com/", "https://a.example.com/", "Accept-Encoding Authorization Cookie Range Referer User-Agent X-Key"},
		{"upgrade to another port", "http://a.example.com:8080/", "https://a.example.com/", "Accept-Encoding Range Referer User-Agent X-Key"},
		{"shared suffix", "https://a.github.io/", "https://b.github.io/", "Accept-Encoding Range User-Agent"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, tt.from, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header = headers.Clone()
			next, err := redirected(req, http.StatusFound, tt.to)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(slices.Sorted(maps.Keys(next.Header)), " "); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// What a request waits for others at the hosts that it is sent to is none of its time.
func TestClient_follow_waits(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/moved" {
			http.Redirect(w, r, "/ok", http.StatusFound)
		}
	}))
	t.Cleanup(server.Close)
	now := time.Unix(1_700_000_000, 0)
	c := New(Options{Now: func() time.Time { return now }})
	t.Cleanup(c.CloseIdleConnections)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/moved", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, made, leave, err := c.follow(req, route{
		enter: func(context.Context, string) (func(), error) {
			now = now.Add(time.Minute)
			return func() { now = now.Add(time.Second) }, nil
		},
		next: onward,
	})
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if took := now.Sub(made.began); took != time.Second || made.hops != 1 {
		t.Errorf("it took %s with %d redirects, want 1s, which it had the first host, with 1", took, made.hops)
	}
	leave()
}

// TestGunzipped takes off what is gzip to the end, within the bound, and nothing else.
func TestGunzipped(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write(bytes.Repeat([]byte("a"), 100))
	_ = w.Close()
	whole := packed.String()
	for body, want := range map[string]string{
		whole:                 strings.Repeat("a", 100),
		"text":                "text",
		"\x1f\x8b\x08x":       "\x1f\x8b\x08x",
		whole[:len(whole)-10]: whole[:len(whole)-10],
		"":                    "",
	} {
		if got, err := gunzipped([]byte(body), 100); string(got) != want || err != nil {
			t.Errorf("%q: got %q, %v", body, got, err)
		}
	}
	var tooLarge *tooLargeError
	if _, err := gunzipped(packed.Bytes(), 99); !errors.As(err, &tooLarge) {
		t.Errorf("beyond the bound: %v", err)
	}
}
