package fetch_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"xship/sources"
	"xship/sources/fetch"
)

// clearProxies takes away the proxies that a test may inherit.
func clearProxies(t *testing.T) {
	t.Helper()
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "REQUEST_METHOD"} {
		t.Setenv(name, "")
		t.Setenv(strings.ToLower(name), "")
	}
}

// httpProxy is a proxy that answers each request itself, or as status says.
type httpProxy struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
}

func newHTTPProxy(t *testing.T, status int) *httpProxy {
	t.Helper()
	p := &httpProxy{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.asked = append(p.asked, r.Method+" "+r.RequestURI)
		p.mu.Unlock()
		w.WriteHeader(status)
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *httpProxy) requests() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.asked)
}

// socksProxy is a SOCKS 5 proxy that gives the reply to each wish and, where that is
// 0, answers the request itself. It tells the hosts that it was asked for.
func socksProxy(t *testing.T, reply byte) (address string, asked func() []string) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	var mu sync.Mutex
	var hosts []string
	serve := func(c net.Conn) error {
		defer c.Close()
		r := bufio.NewReader(c)
		hello := make([]byte, 2)
		if _, err := io.ReadFull(r, hello); err != nil {
			return err
		}
		if _, err := r.Discard(int(hello[1])); err != nil {
			return err
		}
		_, _ = c.Write([]byte{5, 0})
		head := make([]byte, 5) // version, command, reserved, name, length
		if _, err := io.ReadFull(r, head); err != nil {
			return err
		}
		name := make([]byte, int(head[4])+2)
		if _, err := io.ReadFull(r, name); err != nil {
			return err
		}
		port := binary.BigEndian.Uint16(name[len(name)-2:])
		mu.Lock()
		hosts = append(hosts, fmt.Sprintf("%s:%d", name[:len(name)-2], port))
		mu.Unlock()
		_, _ = c.Write([]byte{5, reply, 0, 1, 0, 0, 0, 0, 0, 0})
		if reply != 0 {
			return nil
		}
		if _, err := http.ReadRequest(r); err != nil {
			return err
		}
		_, err := io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
		return err
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { _ = serve(c) }()
		}
	}()
	return l.Addr().String(), func() []string {
		mu.Lock()
		defer mu.Unlock()
		return hosts
	}
}

// TestProxies has each way of naming a proxy lead through it, by the strongest.
func TestProxies(t *testing.T) {
	var (
		first, second = newHTTPProxy(t, http.StatusOK), newHTTPProxy(t, http.StatusOK)
		socks, asked  = socksProxy(t, 0)
	)
	const target = "http://site.example/a"
	tests := []struct {
		name    string
		setting string
		env     map[string]string
		want    string // who is asked: first, second, socks, "" = nobody
	}{
		{"HTTP_PROXY", "", map[string]string{"HTTP_PROXY": first.URL}, "first"},
		{"lower case", "", map[string]string{"http_proxy": first.URL, "HTTP_PROXY": second.URL}, "first"},
		{"ALL_PROXY", "", map[string]string{"ALL_PROXY": first.URL}, "first"},
		{"all_proxy", "", map[string]string{"all_proxy": first.URL}, "first"},
		{"ALL_PROXY is the last", "", map[string]string{"ALL_PROXY": first.URL, "http_proxy": second.URL}, "second"},
		{"another scheme's", "", map[string]string{"HTTPS_PROXY": second.URL, "ALL_PROXY": first.URL}, "first"},
		{"without a scheme", "", map[string]string{"ALL_PROXY": first.Listener.Addr().String()}, "first"},
		{"the settings win", first.URL, map[string]string{"HTTP_PROXY": second.URL}, "first"},
		{"SOCKS 5", "", map[string]string{"ALL_PROXY": "socks5://" + socks}, "socks"},
		{"SOCKS 5 by name", "", map[string]string{"ALL_PROXY": "socks5h://" + socks}, "socks"},
		{"SOCKS of a desktop", "", map[string]string{"all_proxy": "socks://" + socks + "/"}, "socks"},
		{"SOCKS of the settings", "socks5://" + socks, nil, "socks"},
		{"CGI", "", map[string]string{"HTTP_PROXY": first.URL, "REQUEST_METHOD": "GET", "NO_PROXY": "site.example"}, ""},
		{"NO_PROXY", "", map[string]string{"ALL_PROXY": first.URL, "NO_PROXY": "other.example,.example"}, ""},
		{"NO_PROXY beside the settings", first.URL, map[string]string{"no_proxy": "site.example"}, ""},
		{"NO_PROXY for all", "socks5://" + socks, map[string]string{"NO_PROXY": "*"}, ""},
		{"off", "off", map[string]string{"HTTP_PROXY": first.URL, "ALL_PROXY": first.URL}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			clearProxies(t)
			for name, value := range tt.env {
				t.Setenv(name, value)
			}
			count := func() map[string]int {
				return map[string]int{"first": first.requests(), "second": second.requests(), "socks": len(asked())}
			}
			before := count()
			client := fetch.New(fetch.Options{Proxy: tt.setting})
			defer client.CloseIdleConnections()
			_, err := client.Get(t.Context(), fetch.Request{URL: target})
			if (err == nil) != (tt.want != "") {
				t.Errorf("got %v", err)
			}
			for name, n := range count() {
				if got := n - before[name]; (got == 1) != (name == tt.want) {
					t.Errorf("%s was asked %d times", name, got)
				}
			}
			if hosts := asked(); tt.want == "socks" && hosts[len(hosts)-1] != "site.example:80" {
				t.Errorf("the proxy was asked for %q: a name is for it to resolve", hosts)
			}
		})
	}
}

// TestProxyFaults tells a proxy that lets nothing through from a host that cannot be
// reached: the first is nobody's fault whom the link names, the second is.
func TestProxyFaults(t *testing.T) {
	clearProxies(t)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	socks := func(reply byte) string {
		address, _ := socksProxy(t, reply)
		return "socks5://" + address
	}
	tests := []struct {
		name, proxy, target string
		reason              fetch.Reason
		class               sources.Class
	}{
		{"no proxy there", gone.URL, "http://site.example/", fetch.ReasonProxy, sources.ClassCancelled},
		{"no proxy there, for a tunnel", gone.URL, "https://site.example/", fetch.ReasonProxy, sources.ClassCancelled},
		{"no SOCKS proxy there", strings.Replace(gone.URL, "http", "socks5", 1), "https://site.example/", fetch.ReasonProxy, sources.ClassCancelled},
		{"of a kind that cannot be used", "socks4://127.0.0.1:1", "http://site.example/", fetch.ReasonProxy, sources.ClassCancelled},
		{"wants a login", newHTTPProxy(t, 407).URL, "http://site.example/", fetch.ReasonProxy, sources.ClassCancelled},
		{"wants a login for a tunnel", newHTTPProxy(t, 407).URL, "https://site.example/", fetch.ReasonProxy, sources.ClassCancelled},
		{"forbids a tunnel", newHTTPProxy(t, 403).URL, "https://site.example/", fetch.ReasonProxy, sources.ClassCancelled},
		{"finds no way for a tunnel", newHTTPProxy(t, 502).URL, "https://site.example/", fetch.ReasonDial, sources.ClassHosterFault},
		{"SOCKS has rules", socks(2), "https://site.example/", fetch.ReasonProxy, sources.ClassCancelled},
		{"SOCKS finds no host", socks(4), "https://site.example/", fetch.ReasonDial, sources.ClassHosterFault},
		{"SOCKS is refused", socks(5), "http://site.example/", fetch.ReasonDial, sources.ClassHosterFault},
		{"the host itself fails", newHTTPProxy(t, 503).URL, "http://site.example/", fetch.ReasonStatus, sources.ClassHosterFault},
		{"the host itself has it no more", newHTTPProxy(t, 404).URL, "http://site.example/", fetch.ReasonStatus, sources.ClassDeadLink},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			client := fetch.New(fetch.Options{Proxy: tt.proxy})
			defer client.CloseIdleConnections()
			_, err := client.Get(t.Context(), fetch.Request{URL: tt.target})
			if failed, ok := errors.AsType[*fetch.Error](err); !ok || failed.Reason != tt.reason {
				t.Errorf("got %v, want reason %s", err, tt.reason)
			}
			if sources.ClassOf(err) != tt.class {
				t.Errorf("class %s, want %s: %v", sources.ClassOf(err), tt.class, err)
			}
		})
	}
}

// TestProxy_told shows no login, and nothing where there is no proxy.
func TestProxy_told(t *testing.T) {
	clearProxies(t)
	if got := fetch.New(fetch.Options{}).Proxies(); got != nil {
		t.Errorf("without one: %+v", got)
	}
	t.Setenv("ALL_PROXY", "socks5://me:s3cr3t@p.example")
	t.Setenv("HTTPS_PROXY", "socks4://me:s3cr3t@p.example:9")
	t.Setenv("NO_PROXY", "lan.example")
	client := fetch.New(fetch.Options{})
	uses := client.Proxies()
	if len(uses) != 2 || uses[0].From != "ALL_PROXY" || uses[0].Address != "socks5://p.example:1080" || uses[0].Except != "lan.example" ||
		uses[1].From != "HTTPS_PROXY" || uses[1].Err == nil || strings.Contains(fmt.Sprint(uses), "s3cr3t") {
		t.Errorf("told %+v", uses)
	}
	for link, want := range map[string]string{"http://site.example/": "socks5://me:s3cr3t@p.example", "http://lan.example/": "", "http://localhost/": ""} {
		if got, decided, err := client.ProxyOf(link); got != want || !decided || err != nil {
			t.Errorf("%s: %s, %t, %v, want %s", link, got, decided, err, want)
		}
	}
	if _, _, err := client.ProxyOf("https://site.example/"); sources.ClassOf(err) != sources.ClassCancelled {
		t.Errorf("a proxy that cannot be used: %v", err)
	}
	if _, decided, _ := fetch.New(fetch.Options{Proxy: fetch.NoProxy}).ProxyOf("http://site.example/"); !decided {
		t.Error("that there is to be none was not decided")
	}
}

func TestDialProxy(t *testing.T) {
	clearProxies(t)
	up := newHTTPProxy(t, http.StatusOK)
	u, err := url.Parse(up.URL)
	if err != nil {
		t.Fatal(err)
	}
	dial := func(proxy string) error {
		return fetch.New(fetch.Options{Proxy: proxy}).DialProxy(context.Background())
	}
	if err := dial("http://" + u.Host); err != nil {
		t.Error(err)
	}
	up.Close()
	if dial("http://"+u.Host) == nil || dial("socks4://"+u.Host) == nil {
		t.Error("a proxy that is not there took a connection")
	}
}
