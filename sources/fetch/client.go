package fetch

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
	"golang.org/x/net/idna"

	"xship/sources"
	"xship/sources/link"
)

// Defaults of Options.
const (
	DefaultUserAgent = "xship"
	DefaultTimeout   = 15 * time.Second
	DefaultMaxBody   = 8 << 20
	DefaultPerHost   = 6
)

const (
	maxRedirects = 8 // as players have it
	// These end before the default timeout, so that an error says what the
	// hoster failed at.
	dialTimeout      = 6 * time.Second
	tlsTimeout       = 6 * time.Second
	firstByteTimeout = 12 * time.Second
	idleTimeout      = 90 * time.Second
	maxIdle          = 256
	maxHeader        = 256 << 10
	errorBodyMax     = 4 << 10
	believed         = 1 << 20 // of a length that a server announces, beforehand
)

// Options configure a Client. The zero value means the defaults.
type Options struct {
	UserAgent   string                       // of requests that name none
	Timeout     time.Duration                // of one request, from the dial to the last byte
	FirstByte   time.Duration                // of that, until an answer begins; 0 = 12 s
	MaxBody     int64                        // bytes of a body after decompression
	PerHost     int                          // requests that one host gets at once
	DenyPrivate bool                         // refuse to dial private addresses, see Trusted
	Trusted     func(host string) bool       // hosts that the operator configured: always dialled; nil: none
	Proxy       string                       // see link.ParseProxy; "" = that of the environment, NoProxy = none
	Login       func(u *url.URL) http.Header // the headers of a stored login for u, see WithLogins; nil: none
	Now         func() time.Time             // default time.Now
	Observer    sources.Observer             // told of each request; nil: nobody
}

// Client makes requests. It keeps connections alive and is safe for concurrent
// use.
//
// A host gets a bounded number of requests at once; further ones wait. One
// that answers 429 or 503 with Retry-After gets none until then, 5 minutes at
// most: they fail at once with the class of that answer.
type Client struct {
	transport *http.Transport
	gate      *gate
	hosts     *hosts
	userAgent string
	timeout   time.Duration
	maxBody   int64
	observer  sources.Observer
	login     func(u *url.URL) http.Header
	now       func() time.Time
}

// New makes a client.
func New(o Options) *Client {
	if o.UserAgent == "" {
		o.UserAgent = DefaultUserAgent
	}
	o.Timeout = sources.OrDefault(o.Timeout, DefaultTimeout)
	o.FirstByte = sources.OrDefault(o.FirstByte, firstByteTimeout)
	o.MaxBody = sources.OrDefault(o.MaxBody, DefaultMaxBody)
	o.PerHost = sources.OrDefault(o.PerHost, DefaultPerHost)
	o.Now = sources.OrNow(o.Now)
	c := &Client{
		gate: newGate(o), hosts: newHosts(o.PerHost, o.Now), userAgent: o.UserAgent, timeout: o.Timeout, maxBody: o.MaxBody,
		observer: o.Observer, login: o.Login, now: o.Now,
	}
	c.transport = &http.Transport{
		Proxy:                  c.gate.forProxy,
		OnProxyConnectResponse: answered,
		DialContext:            c.gate.dial,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    tlsTimeout,
		ResponseHeaderTimeout:  o.FirstByte,
		MaxIdleConns:           maxIdle,
		MaxIdleConnsPerHost:    o.PerHost,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxHeader,
	}
	return c
}

// CloseIdleConnections ends the connections that no request uses.
func (c *Client) CloseIdleConnections() { c.transport.CloseIdleConnections() }

// DeniesPrivate tells whether the client refuses private addresses. What dials
// by itself in its place cannot.
func (c *Client) DeniesPrivate() bool { return c.gate.denyPrivate }

// Request is one request.
type Request struct {
	Method      string            // "" = GET
	URL         string            // http or https; other characters than ASCII are escaped
	Headers     map[string]string // win over what the client sends itself
	Body        []byte
	ContentType string // of Body, unless Headers name one
	MaxBody     int64  // bytes of the answer after decompression, 0 = the client's
}

// Response is the answer to a Request.
type Response struct {
	Status   int // of Get 2xx or 304, of Call any
	Header   http.Header
	Body     []byte
	FinalURL string // after redirects, not redacted

	snippet func() string
}

// Snippet is what an error quotes of the body, as the function of that name has it, without
// what the request had of a login. It is "" for an answer that was not made here.
func (r *Response) Snippet() string {
	if r.snippet == nil {
		return ""
	}
	return r.snippet()
}

// Get makes the request, whose method need not be GET, and reads the whole
// answer. Any outcome but a complete 2xx answer within the limits is an *Error,
// and so is a 304 unless the request was a conditional one. Nothing is retried.
//
// A redirect by 301, 302 or 303 turns every method but HEAD into GET. What has
// a body otherwise is sent to no other host than the one it was meant for.
func (c *Client) Get(ctx context.Context, r Request) (*Response, error) {
	a := answer{client: c, asked: r, limit: c.limit(r)}
	if err := c.do(ctx, r, nil, a.read); err != nil {
		return nil, err
	}
	return a.response, nil
}

// Call makes one request to an API and hands over the answer whatever its
// status. An *Error means that no whole answer came; its Transport and Timeout
// tell why. Redirects to another host are answers as well. What an answer says
// in Retry-After is the caller's to heed: it pauses no other requests to that
// host, nor do pauses that others were asked for stop this one.
func (c *Client) Call(ctx context.Context, r Request) (*Response, error) {
	a := answer{client: c, asked: r, limit: c.limit(r)}
	if err := c.exchange(ctx, r, nil, route{enter: c.hosts.wait, next: homeward}, a.read); err != nil {
		return nil, err
	}
	return a.response, nil
}

func (c *Client) limit(r Request) int64 {
	if r.MaxBody > 0 {
		return r.MaxBody
	}
	return c.maxBody
}

// answer reads a whole answer of at most limit bytes.
type answer struct {
	client   *Client
	asked    Request
	limit    int64
	response *Response
}

func (a *answer) read(resp *http.Response) error {
	body, err := readBody(resp, a.limit)
	a.response = &Response{Status: resp.StatusCode, Header: resp.Header, Body: body, FinalURL: resp.Request.URL.String()}
	a.response.snippet = func() string { return a.client.snippet(a.asked, resp, body) }
	return err
}

// do is exchange for what anybody may answer: statuses that read need not know
// become errors before, and pauses are kept.
func (c *Client) do(ctx context.Context, r Request, adjust func(*http.Request), read func(*http.Response) error) error {
	return c.exchange(ctx, r, adjust, route{enter: c.hosts.enter, next: onward}, func(resp *http.Response) error {
		if !wanted(resp) {
			return c.statusError(r, resp)
		}
		return read(resp)
	})
}

// wanted tells whether the status of an answer is one that was asked for.
func wanted(resp *http.Response) bool {
	asked := resp.Request.Header
	switch status := resp.StatusCode; status {
	case http.StatusRequestedRangeNotSatisfiable:
		return asked.Get("Range") != ""
	case http.StatusNotModified:
		return asked.Get("If-None-Match") != "" || asked.Get("If-Modified-Since") != ""
	default:
		return status >= 200 && status <= 299
	}
}

// exchange makes the request, after adjust where it is not nil, by way of the
// route and has its answer read.
func (c *Client) exchange(ctx context.Context, r Request, adjust func(*http.Request), way route, read func(*http.Response) error) error {
	own, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	req, err := c.newRequest(own, r)
	if err != nil {
		return err
	}
	if adjust != nil {
		adjust(req)
	}
	resp, made, leave, err := c.follow(req, way)
	if err == nil {
		defer leave()
		defer func() { _ = resp.Body.Close() }()
		err = read(resp)
	}
	if err != nil {
		err = c.failed(ctx, own, r, err)
	}
	if c.observer != nil && !made.began.IsZero() {
		c.observer.Observe(ctx, sources.RequestMade{
			Method: req.Method, Link: r.URL, Status: made.status, Hops: made.hops, Elapsed: c.now().Sub(made.began), Err: err,
		})
	}
	return err
}

func (c *Client) newRequest(ctx context.Context, r Request) (*http.Request, error) {
	u, err := parseURL(r.URL)
	if err != nil {
		return nil, newError(r, ReasonURL, err)
	}
	req := newRequest(ctx, cmp.Or(r.Method, http.MethodGet), u, r.Body)
	switch {
	case !httpguts.ValidHeaderFieldName(req.Method): // both are tokens
		return nil, newError(Request{URL: r.URL}, ReasonHeader, errors.New("the method cannot be sent: it has characters that are not allowed"))
	case !httpguts.ValidHeaderFieldValue(r.ContentType):
		return nil, newError(r, ReasonHeader, errors.New("the content type cannot be sent: it has characters that are not allowed"))
	}
	req.Header.Set("User-Agent", c.userAgent)
	if r.ContentType != "" {
		req.Header.Set("Content-Type", r.ContentType)
	}
	if password, ok := u.User.Password(); ok {
		req.SetBasicAuth(u.User.Username(), password)
	}
	for name, value := range r.Headers {
		switch {
		case !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value):
			return nil, newError(r, ReasonHeader, fmt.Errorf("the header %q cannot be sent: its name or value has characters that are not allowed", name))
		case strings.EqualFold(name, "Host"):
			req.Host = value
		case strings.EqualFold(name, "Accept-Encoding"), strings.EqualFold(name, "Range"):
			// The transport asks for what it can decode, GetRange for its range.
		default:
			req.Header.Set(name, value)
		}
	}
	return req, nil
}

// newRequest lets the transport repeat a body that its connection was closed
// before; one that may have been read is sent once.
func newRequest(ctx context.Context, method string, u *url.URL, body []byte) *http.Request {
	req := &http.Request{Method: method, URL: u, Host: u.Host, Header: make(http.Header)}
	if len(body) > 0 {
		req.ContentLength = int64(len(body))
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
		req.Body, _ = req.GetBody()
	}
	return req.WithContext(ctx)
}

// parseURL reads an absolute http or https URL.
func parseURL(raw string) (*url.URL, error) {
	u, err := link.Parse(strings.TrimSpace(raw))
	if err != nil {
		return nil, errors.New("it is not a valid URL") // the error quotes it
	}
	return u, prepareURL(u)
}

// prepareURL makes u what a request line may hold. net/http does so with the
// path alone, and would undo the escapes of a path where it has to add some.
func prepareURL(u *url.URL) error {
	switch {
	case u.Scheme == "":
		return errors.New("it has no scheme: only http:// and https:// are supported")
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("the scheme %q is not supported: only http and https are", u.Scheme)
	case u.Hostname() == "":
		return errors.New("it names no host")
	case !isPort(u.Port()):
		return fmt.Errorf("there is no port %s: they are numbers from 1 to 65535", u.Port())
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
	u.RawQuery = escapeRaw(u.RawQuery, `"<>|`)
	if u.RawPath != "" && u.EscapedPath() != u.RawPath {
		u.RawPath = escapeRaw(u.RawPath, `"<>|\^{}`+"`")
	}
	u.Fragment, u.RawFragment = "", ""
	return nil
}

// isPort tells whether a port can be dialled; "" is that of the scheme.
func isPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return s == "" || err == nil && n > 0
}

// escapeRaw escapes what must not stand in a request line, the characters of those
// included, and leaves all else.
func escapeRaw(s, those string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(those, c) >= 0 {
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

// addressError ends a chain of redirects at an address that this client cannot ask,
// and others may.
type addressError struct{ reason string }

func (e *addressError) Error() string { return e.reason }

// route is how a request gets to its answer.
type route struct {
	// enter waits until host may be asked; leave frees its place.
	enter func(ctx context.Context, host string) (leave func(), err error)
	// next is the request that the answer to req, which redirects to location,
	// leads to. Nil: the answer is the end of the way.
	next func(req *http.Request, status int, location string) (*http.Request, error)
}

// journey is what became of a request on its route.
type journey struct {
	began  time.Time // and later by each wait for other requests since; zero: it never did
	hops   int       // redirects
	status int       // of the last answer
}

// follow makes the request and follows where the answers point. Unlike
// http.Client it tells no page which one pointed there, and quotes no location
// in an error: both hold tokens. What cookies an answer of the chain sets live as
// long as the chain, and go back only to the host that set them. leave must be called when the answer has been
// read.
func (c *Client) follow(req *http.Request, way route) (resp *http.Response, made journey, leave func(), err error) {
	var crumbs cookies
	for ; ; made.hops++ {
		asked := c.now()
		leave, err = way.enter(req.Context(), req.URL.Host)
		switch now := c.now(); {
		case made.hops > 0:
			made.began = made.began.Add(now.Sub(asked))
		case err == nil:
			made.began = now
		}
		if err != nil {
			return nil, made, nil, err
		}
		resp, err = c.send(crumbs.with(c.loggedIn(req)))
		if err != nil {
			leave()
			return nil, made, nil, err
		}
		made.status = resp.StatusCode
		location := resp.Header.Get("Location")
		if !redirects(resp.StatusCode) || location == "" {
			return resp, made, leave, nil
		}
		crumbs.keep(req.URL, resp)
		next, err := way.next(req, resp.StatusCode, location)
		if err == nil && next == nil {
			return resp, made, leave, nil
		}
		_, _ = io.CopyN(io.Discard, resp.Body, errorBodyMax) // keeps the connection
		_ = resp.Body.Close()
		leave()
		if err != nil {
			return nil, made, nil, err
		}
		if made.hops == maxRedirects {
			return nil, made, nil, &redirectError{fmt.Sprintf("it redirects more than %d times", maxRedirects)}
		}
		next.Response = resp
		req = next
	}
}

func redirects(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// onward goes wherever a redirect leads, but takes a body to no other host, nor
// what a method does, unless the server asks for a GET in its place.
func onward(req *http.Request, status int, location string) (*http.Request, error) {
	next, err := redirected(req, status, location)
	switch {
	case err != nil:
		return nil, err
	case (next.Body != nil || status != http.StatusSeeOther && !isRead(req.Method)) && !SameServer(req.URL, next.URL):
		return nil, &redirectError{"it redirects a " + req.Method + " to another host"}
	default:
		return next, nil
	}
}

// homeward goes where a redirect leads on the same host.
func homeward(req *http.Request, status int, location string) (*http.Request, error) {
	next, err := redirected(req, status, location)
	if err != nil || !SameServer(req.URL, next.URL) {
		return nil, nil //nolint:nilerr // an answer that leads nowhere is an answer
	}
	return next, nil
}

func isRead(method string) bool { return method == http.MethodGet || method == http.MethodHead }

// SameServer tells whether to is on the host of from and at its port, or at the
// secure port in place of the plain one.
func SameServer(from, to *url.URL) bool {
	if !strings.EqualFold(from.Hostname(), to.Hostname()) {
		return false
	}
	upgrade := from.Scheme == "http" && to.Scheme == "https" && from.Port() == "" && to.Port() == ""
	return upgrade || from.Scheme == to.Scheme && port(from) == port(to)
}

func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	return map[string]string{"http": "80", "https": "443"}[u.Scheme]
}

// Headers that hold no secrets go wherever a redirect leads; secret ones to no
// other host, port or scheme than those they were meant for.
var (
	plainHeaders  = []string{"User-Agent", "Accept", "Accept-Language", "Accept-Encoding", "Range", "If-None-Match", "If-Modified-Since"}
	secretHeaders = []string{"Authorization", "Cookie", "Proxy-Authorization"}
)

// redirected is the request for location, where the answer to req points.
// Secrets stay with the host and its port, other headers with the hoster, whose
// nodes want to be asked the way it is. To everywhere else, and from https to
// http, go only plain headers.
func redirected(req *http.Request, status int, location string) (*http.Request, error) {
	ref, err := link.Parse(location)
	if err != nil {
		return nil, &redirectError{"it redirects to a URL that cannot be read"}
	}
	u := req.URL.ResolveReference(ref)
	if err := prepareURL(u); err != nil {
		return nil, &addressError{"it redirects to a URL that cannot be followed: " + err.Error()}
	}
	next, err := again(req, status, u)
	if err != nil {
		return nil, err
	}
	if u.Host == req.URL.Host {
		next.Host = req.Host
	}
	if SameHoster(req.URL, u) {
		next.Header = req.Header.Clone()
		if next.Body == nil {
			next.Header.Del("Content-Type")
		}
		if !SameServer(req.URL, u) {
			for _, name := range secretHeaders {
				next.Header.Del(name)
			}
		}
		return next, nil
	}
	for _, name := range plainHeaders {
		if value := req.Header.Get(name); value != "" {
			next.Header.Set(name, value)
		}
	}
	return next, nil
}

// again is the bare request at u that follows req. As in browsers, only 307 and
// 308 keep a method that is not for reading, and its body.
func again(req *http.Request, status int, u *url.URL) (*http.Request, error) {
	keep := isRead(req.Method) || status == http.StatusTemporaryRedirect || status == http.StatusPermanentRedirect
	if !keep {
		return newRequest(req.Context(), http.MethodGet, u, nil), nil
	}
	next := newRequest(req.Context(), req.Method, u, nil)
	if req.GetBody == nil {
		return next, nil
	}
	body, err := req.GetBody()
	if err != nil {
		return nil, err
	}
	next.Body, next.GetBody, next.ContentLength = body, req.GetBody, req.ContentLength
	return next, nil
}

// SameHoster tells whether a redirect from one URL to the other stays with the
// hoster, and does not give up encryption.
func SameHoster(from, to *url.URL) bool {
	downgrade := from.Scheme == "https" && to.Scheme == "http"
	return !downgrade && link.Hoster(from.String()) == link.Hoster(to.String())
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
	var buf bytes.Buffer
	if n := resp.ContentLength; n > 0 {
		buf.Grow(int(min(n, believed)) + bytes.MinRead)
	}
	if _, err := buf.ReadFrom(io.LimitReader(resp.Body, limit+1)); err != nil {
		return nil, err
	}
	if int64(buf.Len()) > limit {
		return nil, &tooLargeError{limit}
	}
	return gunzipped(buf.Bytes(), limit)
}

// gunzipped is a body without the gzip that some servers store it in and do not name. What
// only begins like gzip stays as it came.
func gunzipped(body []byte, limit int64) ([]byte, error) {
	if !bytes.HasPrefix(body, []byte("\x1f\x8b\x08")) {
		return body, nil
	}
	packed, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return body, nil //nolint:nilerr // it is no gzip
	}
	var buf bytes.Buffer
	switch n, err := buf.ReadFrom(io.LimitReader(packed, limit+1)); {
	case n > limit:
		return nil, &tooLargeError{limit}
	case err != nil:
		return body, nil //nolint:nilerr // it is no gzip, or a broken one that no one can read
	}
	return buf.Bytes(), nil
}
