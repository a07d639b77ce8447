package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"golang.org/x/net/http/httpproxy"

	"xship/sources/link"
)

// NoProxy as the proxy of Options: none, whatever the environment says.
const NoProxy = "off"

// proxyPorts are the ports of proxies that name none.
var proxyPorts = map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}

// proxyAddr is what is dialled for a proxy.
func proxyAddr(u *url.URL) string {
	return net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), proxyPorts[u.Scheme]))
}

// ProxyUse says which proxy requests go through.
type ProxyUse struct {
	Scheme  string // of what is asked: http, https
	From    string // the variable that names it, "" = the settings
	Address string // scheme, host and port, no login
	Err     error  // it cannot be used: nothing is asked then
	Except  string // hosts that are asked without it, NO_PROXY
}

// proxy is the proxy for one scheme.
type proxy struct {
	url  *url.URL // nil: none
	from string
	err  error // a *proxyError
}

// proxies are those that requests go through.
type proxies struct {
	of     map[string]proxy // by the scheme of what is asked
	direct func(*url.URL) bool
	except string
	off    bool // the settings want none
}

// newProxies reads the proxy of the settings, or where that is "" those of the
// environment: HTTP_PROXY, HTTPS_PROXY, ALL_PROXY for what these do not name, and in
// each case NO_PROXY. Lower case wins, as with curl.
func newProxies(setting string) proxies {
	env := httpproxy.FromEnvironment()
	p := proxies{of: make(map[string]proxy), except: env.NoProxy, off: setting == NoProxy}
	// What is asked without a proxy is for the library to say: it gives a stand-in
	// for all else.
	rest := httpproxy.Config{HTTPProxy: "http://proxy.invalid", HTTPSProxy: "http://proxy.invalid", NoProxy: env.NoProxy}
	through := rest.ProxyFunc()
	p.direct = func(u *url.URL) bool {
		stand, err := through(u)
		return err == nil && stand == nil
	}
	for _, scheme := range []string{"http", "https"} {
		raw, from := setting, ""
		if raw == "" {
			raw, from = environmentProxy(strings.ToUpper(scheme)+"_PROXY", "ALL_PROXY")
		}
		if raw == "" || raw == NoProxy {
			continue
		}
		one := proxy{from: from}
		u, err := link.ParseProxy(raw)
		if err != nil {
			one.err = &proxyError{text: "the proxy of " + cmp.Or(from, "network.proxy") + ": " + err.Error()}
		}
		one.url = u
		p.of[scheme] = one
	}
	return p
}

// environmentProxy is the first of the variables that is set. HTTP_PROXY is none where
// this is a CGI program, whose clients can set it.
func environmentProxy(names ...string) (value, name string) {
	for _, name := range names {
		if name == "HTTP_PROXY" && os.Getenv("REQUEST_METHOD") != "" {
			continue
		}
		for _, spelt := range []string{strings.ToLower(name), name} {
			if value := os.Getenv(spelt); value != "" {
				return value, spelt
			}
		}
	}
	return "", ""
}

// through is the proxy for a request, nil for none.
func (p proxies) through(u *url.URL) (*url.URL, error) {
	one, ok := p.of[u.Scheme]
	if !ok || p.direct(u) {
		return nil, nil //nolint:nilnil // net/http wants it so
	}
	return one.url, one.err
}

// isProxied tells whether a request went through a proxy.
func (g *gate) isProxied(req *http.Request) bool {
	u, err := g.proxies.through(req.URL)
	return err == nil && u != nil
}

// Proxies tells through which proxies the client asks; none: through no proxy.
func (c *Client) Proxies() []ProxyUse {
	var uses []ProxyUse
	for _, scheme := range []string{"http", "https"} {
		one, ok := c.gate.proxies.of[scheme]
		if !ok {
			continue
		}
		use := ProxyUse{Scheme: scheme, From: one.from, Err: one.err, Except: c.gate.proxies.except}
		if one.url != nil {
			use.Address = one.url.Scheme + "://" + proxyAddr(one.url)
		}
		uses = append(uses, use)
	}
	return uses
}

// ProxyOf is the proxy that a program which asks for itself has to use for a URL, with
// its login; "" = none. decided is false where nobody named a proxy. The error is an
// *Error.
func (c *Client) ProxyOf(rawURL string) (address string, decided bool, err error) {
	decided = c.gate.proxies.off || len(c.gate.proxies.of) > 0
	u, err := parseURL(rawURL)
	if err != nil || !decided {
		return "", decided, nil //nolint:nilerr // what is no URL is asked by nobody
	}
	through, err := c.gate.proxies.through(u)
	switch {
	case err != nil:
		return "", true, newError(Request{URL: rawURL}, ReasonProxy, err)
	case through == nil:
		return "", true, nil
	default:
		return through.String(), true, nil
	}
}

// DialProxy makes a connection to each proxy, and gives the error of the first that
// takes none.
func (c *Client) DialProxy(ctx context.Context) error {
	for _, one := range c.gate.proxies.of {
		if one.err != nil {
			return one.err
		}
		conn, err := c.gate.open.DialContext(ctx, "tcp", proxyAddr(one.url))
		if err != nil {
			return err
		}
		_ = conn.Close()
	}
	return nil
}

// proxyError is a proxy that lets nothing through. It says nothing of who was asked.
type proxyError struct {
	text string
	err  error
}

func (e *proxyError) Error() string { return e.text }

func (e *proxyError) Unwrap() error { return e.err }

// answered judges the answer of an HTTP proxy to the wish for a tunnel.
func answered(_ context.Context, _ *url.URL, _ *http.Request, resp *http.Response) error {
	switch status := resp.StatusCode; {
	case status == http.StatusOK:
		return nil
	case status >= http.StatusInternalServerError, status == http.StatusNotFound: // it found no way to the host
		return &net.OpError{Op: "dial", Net: "tcp", Err: fmt.Errorf("the proxy says %s", statusText(status))}
	case status == http.StatusProxyAuthRequired:
		return &proxyError{text: "the proxy wants a login: " + statusText(status)}
	default:
		return &proxyError{text: "the proxy refuses: " + statusText(status)}
	}
}

// The answers of a SOCKS proxy that speak of the host; all others speak of the proxy.
var socksOfHost = []string{"general SOCKS server failure", "network unreachable", "host unreachable", "connection refused", "TTL expired"}

// ofProxy tells whether err is the fault of the proxy, or of the way there.
func ofProxy(err error) bool {
	var (
		own *proxyError
		op  *net.OpError
	)
	if errors.As(err, &own) {
		return true
	}
	if !errors.As(err, &op) {
		return false
	}
	switch op.Op {
	case "proxyconnect":
		return true
	case "socks connect":
		return !slices.ContainsFunc(socksOfHost, func(words string) bool { return strings.Contains(op.Error(), words) })
	default:
		return false
	}
}
