package fetch

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"xship/sources"
	"xship/sources/link"
	"xship/sources/text"
)

// Reason is what kept a request from being answered.
type Reason string

// The reasons.
const (
	ReasonURL       Reason = "url"       // not an http or https URL
	ReasonHeader    Reason = "header"    // a header that cannot be sent
	ReasonDNS       Reason = "dns"       // the host has no address
	ReasonDial      Reason = "dial"      // no connection
	ReasonProxy     Reason = "proxy"     // no way through the operator's proxy, to whomever
	ReasonTLS       Reason = "tls"       // no secure connection
	ReasonTimeout   Reason = "timeout"   // a deadline, the caller's or our own
	ReasonStatus    Reason = "status"    // answered with another status than 2xx
	ReasonTooLarge  Reason = "too_large" // more than the cap
	ReasonRead      Reason = "read"      // broken off, or not HTTP
	ReasonRedirect  Reason = "redirect"  // too many, or to somewhere that cannot be followed
	ReasonRange     Reason = "range"     // another range of the file than the one asked for
	ReasonForm      Reason = "form"      // an answer in a form that this client cannot read
	ReasonPrivate   Reason = "private"   // a private address, which the operator does not allow
	ReasonPaused    Reason = "paused"    // not asked: the host wants no requests for a while
	ReasonBusy      Reason = "busy"      // not asked: the host was busy with our own requests until the deadline
	ReasonCancelled Reason = "cancelled" // the caller gave up
)

// Error is a request that failed. It holds no secrets of its URL.
type Error struct {
	Method     string // "" = GET
	URL        string // redacted
	Reason     Reason
	Status     int           // of the answer, or of the one that ReasonPaused is about; 0 where there was none
	Snippet    string        // start of the body of a refused request, cleaned, "" where it is no text
	RetryAfter time.Duration // how long the host wants no requests, 0 where it does not say
	Challenge  bool          // answered with a test for people
	Err        error         // what happened, nil for ReasonStatus
}

func newError(r Request, reason Reason, err error) *Error {
	return &Error{Method: r.Method, URL: link.Redact(r.URL), Reason: reason, Err: err}
}

// Error says what was asked and what came back.
func (e *Error) Error() string {
	return cmp.Or(e.Method, http.MethodGet) + " " + e.URL + ": " + e.outcome()
}

func (e *Error) outcome() string {
	switch e.Reason {
	case ReasonStatus:
		if e.Challenge {
			return statusText(e.Status) + ": it wants a browser or a captcha"
		}
		if e.Snippet != "" {
			return statusText(e.Status) + ": " + e.Snippet
		}
		return statusText(e.Status)
	case ReasonCancelled:
		return "cancelled"
	case ReasonDNS:
		return "the host cannot be found: " + e.cause()
	case ReasonTLS:
		return "no secure connection: " + e.cause()
	case ReasonProxy:
		return "no way through the proxy: " + e.cause()
	case ReasonRead:
		return "the answer broke off or is not HTTP: " + e.cause()
	case ReasonForm:
		return "the answer cannot be read here: " + e.cause()
	case ReasonURL, ReasonHeader, ReasonDial, ReasonTimeout, ReasonTooLarge, ReasonRedirect, ReasonRange,
		ReasonPrivate, ReasonPaused, ReasonBusy:
	}
	return e.cause()
}

func (e *Error) cause() string { return text.Clean(e.Err.Error()) }

// statusText does not repeat the server's own words.
func statusText(status int) string {
	if text := http.StatusText(status); text != "" {
		return fmt.Sprintf("%d %s", status, text)
	}
	return fmt.Sprintf("status %d", status)
}

func (e *Error) Unwrap() error { return e.Err }

// Class implements sources.Classifier. 404 and 410 say that the link is gone.
// Every other status but 2xx is the hoster's refusal or fault: also a 401 or a
// 405 keeps all its links from playing. What this client cannot ask or read, others
// may: that is nobody's. A request that was not made, since the host wants a pause, our
// own others took all its places or our proxy let it not through, says nothing new
// about anybody.
func (e *Error) Class() sources.Class {
	switch {
	case e.Reason == ReasonCancelled || e.Reason == ReasonBusy || e.Reason == ReasonPaused || e.Reason == ReasonProxy:
		return sources.ClassCancelled
	case e.Reason == ReasonURL || e.Reason == ReasonHeader || e.Reason == ReasonPrivate || e.Reason == ReasonForm || e.Challenge || errors.As(e.Err, new(*addressError)):
		return sources.ClassUnsupported
	case e.Status == http.StatusNotFound || e.Status == http.StatusGone:
		return sources.ClassDeadLink
	default:
		return sources.ClassHosterFault
	}
}

// HTTPStatus is the status of the answer that is the error, 0 where it is none.
func (e *Error) HTTPStatus() int {
	if e.Reason != ReasonStatus {
		return 0
	}
	return e.Status
}

// Timeout tells whether a deadline passed.
func (e *Error) Timeout() bool { return e.Reason == ReasonTimeout || e.Reason == ReasonBusy }

// Transport tells whether no whole answer came because of the way to the host
// or the host itself: its name, the connection, a deadline, an answer that broke
// off.
func (e *Error) Transport() bool {
	switch e.Reason {
	case ReasonDNS, ReasonDial, ReasonTLS, ReasonTimeout, ReasonRead:
		return true
	default:
		return false
	}
}

// timeoutError is a deadline of our own.
type timeoutError struct{ after time.Duration }

func (e *timeoutError) Error() string { return fmt.Sprintf("no answer within %s", e.after) }

func (e *timeoutError) Timeout() bool { return true }

// statusError keeps the start of the body and, where that is all of it, the
// connection. It remembers the pause that the host asks for.
func (c *Client) statusError(r Request, resp *http.Response) *Error {
	if resp.StatusCode == http.StatusProxyAuthRequired && c.gate.isProxied(resp.Request) {
		return newError(r, ReasonProxy, errors.New("it wants a login: "+statusText(resp.StatusCode)))
	}
	e := newError(r, ReasonStatus, nil)
	e.Status = resp.StatusCode
	if e.RetryAfter = pauseOf(resp, c.hosts.now()); e.RetryAfter > 0 {
		c.hosts.rest(resp.Request.URL.Host, e.RetryAfter, e.Status)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, errorBodyMax))
	if err == nil || len(body) > 0 {
		e.Snippet = c.snippet(r, resp, body)
	}
	switch e.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests, http.StatusServiceUnavailable:
		e.Challenge = isChallenge(resp.Header, body)
	}
	return e
}

// snippet is Snippet of an answer to r, without what the request had of a login.
func (c *Client) snippet(r Request, resp *http.Response, body []byte) string {
	return Snippet(r.URL, []byte(c.hideLogin(resp.Request, string(body))), chain(resp)...)
}

// chain is the addresses that led to an answer, the last first.
func chain(resp *http.Response) []string {
	var addresses []string
	for ; resp != nil && resp.Request != nil; resp = resp.Request.Response {
		addresses = append(addresses, resp.Request.URL.String())
	}
	return addresses
}

// failed classifies err, which ended a request made within parent and own.
func (c *Client) failed(parent, own context.Context, r Request, err error) *Error {
	var (
		busy   *busyError
		paused *pauseError
		known  *Error
	)
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(parent.Err(), context.Canceled):
		return newError(r, ReasonCancelled, context.Canceled)
	case errors.As(err, &paused):
		e := newError(r, ReasonPaused, err)
		e.Status, e.RetryAfter = paused.status, paused.left
		return e
	case errors.As(err, &busy):
		return newError(r, ReasonBusy, err)
	case parent.Err() != nil:
		return newError(r, ReasonTimeout, fmt.Errorf("no answer in time: %w", context.DeadlineExceeded))
	case own.Err() != nil:
		return newError(r, ReasonTimeout, &timeoutError{c.timeout})
	case strings.Contains(err.Error(), "timeout awaiting response headers"): // net/http has no name for it
		return newError(r, ReasonTimeout, &timeoutError{firstByteTimeout})
	default:
		return newError(r, reasonOf(err), err)
	}
}

func reasonOf(err error) Reason {
	var (
		redirect *redirectError
		address  *addressError
		unread   *unreadableError
		large    *tooLargeError
		wrong    *rangeError
		private  *privateError
		dns      *net.DNSError
		op       *net.OpError
		timeout  interface{ Timeout() bool }
	)
	switch {
	case ofProxy(err):
		return ReasonProxy
	case errors.As(err, &redirect), errors.As(err, &address):
		return ReasonRedirect
	case errors.As(err, &unread):
		return ReasonForm
	case errors.As(err, &large):
		return ReasonTooLarge
	case errors.As(err, &wrong), errors.As(err, new(*refusedRangeError)), isPastEnd(err):
		return ReasonRange
	case errors.As(err, &private):
		return ReasonPrivate
	case errors.As(err, &timeout) && timeout.Timeout():
		return ReasonTimeout
	case errors.As(err, &dns):
		return ReasonDNS
	case isTLS(err):
		return ReasonTLS
	case errors.As(err, &op) && (op.Op == "dial" || op.Op == "socks connect"):
		return ReasonDial
	case err != nil && isBrokenHeader(err):
		return ReasonForm
	default:
		return ReasonRead
	}
}

// unreadableError is an answer in a form that this client cannot read.
type unreadableError struct{ reason string }

func (e *unreadableError) Error() string { return e.reason }

// isBrokenHeader tells whether net/http refused an answer for lines of its header that
// players skip. It has no names for these errors.
func isBrokenHeader(err error) bool {
	said := err.Error()
	return slices.ContainsFunc([]string{
		"malformed MIME header", `malformed HTTP version "ICY"`, "unsupported transfer encoding", "too many transfer encodings", "bad Content-Length",
		"multiple Content-Length", "invalid Content-Length", "invalid empty Content-Length",
	}, func(words string) bool { return strings.Contains(said, words) })
}

func isTLS(err error) bool {
	var (
		record    tls.RecordHeaderError
		alert     tls.AlertError
		verify    *tls.CertificateVerificationError
		authority x509.UnknownAuthorityError
		invalid   x509.CertificateInvalidError
		hostname  x509.HostnameError
		op        *net.OpError
	)
	if errors.As(err, &op) && (op.Op == "remote error" || op.Op == "local error") {
		return true
	}
	return errors.As(err, &record) || errors.As(err, &alert) || errors.As(err, &verify) ||
		errors.As(err, &authority) || errors.As(err, &invalid) || errors.As(err, &hostname)
}
