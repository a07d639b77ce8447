package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
	"golang.org/x/net/idna"

	"xship/sources"
)

// Defaults of Options.
const (
	DefaultUserAgent = "xship"
	DefaultTimeout   = 15 * time.Second
	DefaultMaxBody   = 8 << 20
)

const (
	maxRedirects = 5
	// These end before the default timeout, so that an error says what the
	// hoster failed at.
	dialTimeout      = 6 * time.Second
	tlsTimeout       = 6 * time.Second
	firstByteTimeout = 12 * time.Second
	// idlePerHost is as many connections as one scan opens to one host when all
	// its sites lie there.
	idlePerHost  = 64
	idleTimeout  = 90 * time.Second
	maxHeader    = 256 << 10
	errorBodyMax = 4 << 10
)

// Options configure a Client. The zero value means the defaults.
type Options struct {
	UserAgent string        // of requests that name none
	Timeout   time.Duration // of one request, from the dial to the last byte
	MaxBody   int64         // bytes of a body after decompression
}

// Client makes requests. It keeps connections alive and is safe for concurrent
// use.
type Client struct {
	transport *http.Transport
	userAgent string
	timeout   time.Duration
	maxBody   int64
}

// New makes a client.
func New(o Options) *Client {
	c := &Client{userAgent: o.UserAgent, timeout: o.Timeout, maxBody: o.MaxBody}
	if c.userAgent == "" {
		c.userAgent = DefaultUserAgent
	}
	if c.timeout <= 0 {
		c.timeout = DefaultTimeout
	}
	if c.maxBody <= 0 {
		c.maxBody = DefaultMaxBody
	}
	dialer := &net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}
	c.transport = &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dialer.DialContext,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    tlsTimeout,
		ResponseHeaderTimeout:  firstByteTimeout,
		MaxIdleConns:           4 * idlePerHost,
		MaxIdleConnsPerHost:    idlePerHost,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxHeader,
	}
	return c
}

// CloseIdleConnections ends the connections that no request uses.
func (c *Client) CloseIdleConnections() { c.transport.CloseIdleConnections() }

// Request is one GET.
type Request struct {
	URL     string            // http or https; other characters than ASCII are escaped
	Headers map[string]string // win over what the client sends itself
	MaxBody int64             // bytes after decompression, 0 = the client's
}

// Response is the answer to a Request.
type Response struct {
	Status   int // 2xx
	Header   http.Header
	Body     []byte
	FinalURL string // after redirects, not redacted
}

// Get makes the request and reads the whole answer. Any outcome but a complete
// 2xx answer within the limits is an *Error. Nothing is retried.
func (c *Client) Get(ctx context.Context, r Request) (*Response, error) {
	own, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	req, err := c.newRequest(own, r)
	if err != nil {
		return nil, err
	}
	resp, err := c.follow(req)
	if err != nil {
		return nil, c.failed(ctx, own, r.URL, err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return nil, statusError(r.URL, resp)
	}
	limit := r.MaxBody
	if limit <= 0 {
		limit = c.maxBody
	}
	body, err := readBody(resp, limit)
	if err != nil {
		return nil, c.failed(ctx, own, r.URL, err)
	}
	return &Response{Status: resp.StatusCode, Header: resp.Header, Body: body, FinalURL: resp.Request.URL.String()}, nil
}

func (c *Client) newRequest(ctx context.Context, r Request) (*http.Request, error) {
	u, err := parseURL(r.URL)
	if err != nil {
		return nil, newError(r.URL, ReasonURL, err)
	}
	req := newGet(ctx, u)
	req.Header.Set("User-Agent", c.userAgent)
	if password, ok := u.User.Password(); ok {
		req.SetBasicAuth(u.User.Username(), password)
	}
	for name, value := range r.Headers {
		switch {
		case !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value):
			return nil, newError(r.URL, ReasonHeader, fmt.Errorf("the header %q cannot be sent: its name or value has characters that are not allowed", name))
		case strings.EqualFold(name, "Host"):
			req.Host = value
		case strings.EqualFold(name, "Accept-Encoding"):
			// The transport asks for what it can decode.
		default:
			req.Header.Set(name, value)
		}
	}
	return req, nil
}

func newGet(ctx context.Context, u *url.URL) *http.Request {
	return (&http.Request{Method: http.MethodGet, URL: u, Host: u.Host, Header: make(http.Header)}).WithContext(ctx)
}

// parseURL reads an absolute http or https URL.
func parseURL(raw string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil {
		return nil, errors.New("it is not a valid URL") // the error quotes it
	}
	return u, prepareURL(u)
}

// prepareURL makes u what a request line may hold. net/http does so with the
// path alone.
func prepareURL(u *url.URL) error {
	switch {
	case u.Scheme == "":
		return errors.New("it has no scheme: only http:// and https:// are supported")
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("the scheme %q is not supported: only http and https are", u.Scheme)
	case u.Hostname() == "":
		return errors.New("it names no host")
	}
	if strings.ContainsFunc(u.Host, func(r rune) bool { return r >= 0x80 }) {
		host, err := idna.Lookup.ToASCII(u.Hostname())
		if err != nil {
			return errors.New("its host is no valid name")
		}
		if port := u.Port(); port != "" {
			host += ":" + port
		}
		u.Host = host
	}
	u.RawQuery = escapeQuery(u.RawQuery)
	u.Fragment, u.RawFragment = "", ""
	return nil
}

// escapeQuery escapes what must not stand in a request line.
func escapeQuery(q string) string {
	var b strings.Builder
	for i := range len(q) {
		if c := q[i]; c <= ' ' || c == '"' || c == '<' || c == '>' || c >= 0x7f {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// redirectError ends a chain of redirects.
type redirectError struct{ reason string }

func (e *redirectError) Error() string { return e.reason }

// follow makes the request and follows where the answers point. Unlike
// http.Client it tells no page which one pointed there, and quotes no location
// in an error: both hold tokens.
func (c *Client) follow(req *http.Request) (*http.Response, error) {
	for hops := 0; ; hops++ {
		resp, err := c.transport.RoundTrip(req)
		if err != nil {
			return nil, err
		}
		location := resp.Header.Get("Location")
		if !redirects(resp.StatusCode) || location == "" {
			return resp, nil
		}
		_, _ = io.CopyN(io.Discard, resp.Body, errorBodyMax) // keeps the connection
		_ = resp.Body.Close()
		if hops == maxRedirects {
			return nil, &redirectError{fmt.Sprintf("it redirects more than %d times", maxRedirects)}
		}
		if req, err = redirected(req, location); err != nil {
			return nil, err
		}
	}
}

func redirects(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// redirected is the request for location, where the answer to req points. To
// another hoster, and from https to http, go only headers that hold no secrets.
func redirected(req *http.Request, location string) (*http.Request, error) {
	u, err := req.URL.Parse(location)
	if err != nil {
		return nil, &redirectError{"it redirects to a URL that cannot be read"}
	}
	if err := prepareURL(u); err != nil {
		return nil, &redirectError{"it redirects to a URL that cannot be followed: " + err.Error()}
	}
	next := newGet(req.Context(), u)
	if u.Host == req.URL.Host {
		next.Host = req.Host
	}
	downgrade := req.URL.Scheme == "https" && u.Scheme == "http"
	if !downgrade && sources.HosterName(u.String()) == sources.HosterName(req.URL.String()) {
		next.Header = req.Header.Clone()
		return next, nil
	}
	for _, name := range []string{"User-Agent", "Accept", "Accept-Language"} {
		if value := req.Header.Get(name); value != "" {
			next.Header.Set(name, value)
		}
	}
	return next, nil
}

// tooLargeError is a body beyond the cap.
type tooLargeError struct{ limit int64 }

func (e *tooLargeError) Error() string {
	return fmt.Sprintf("the body is larger than %s", formatBytes(e.limit))
}

func formatBytes(n int64) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	default:
		return fmt.Sprintf("%d bytes", n)
	}
}

// readBody reads at most limit bytes, and one more to know that there are more.
func readBody(resp *http.Response, limit int64) ([]byte, error) {
	if resp.ContentLength > limit {
		return nil, &tooLargeError{limit}
	}
	const most = 1 << 20 // what a server is believed beforehand
	var buf bytes.Buffer
	if n := resp.ContentLength; n > 0 {
		buf.Grow(int(min(n, most)) + bytes.MinRead)
	}
	if _, err := buf.ReadFrom(io.LimitReader(resp.Body, limit+1)); err != nil {
		return nil, err
	}
	if int64(buf.Len()) > limit {
		return nil, &tooLargeError{limit}
	}
	return buf.Bytes(), nil
}
