package vod

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"xship/sources/link"
	"xship/sources/text"
)

// FetchFunc gets a web address with one request. It ends with ctx, reads MaxBody
// bytes and one more at most, keeps its own deadline, and its errors hold no
// secrets. An error tells more of itself through methods Timeout() bool,
// HTTPStatus() int (of an answer that was no success) and TooLarge() bool.
type FetchFunc func(ctx context.Context, url string) (Document, error)

// Load reads the config of an interface: a web address through fetch, a path or
// a file:// address directly. A depot is opened: of the interfaces that it lists,
// and of those that they list, the first that can be used is the config. A remote
// depot never leads to a file. What goes wrong is an *Error; when ctx was cancelled,
// its error.
//
// A body may be encrypted, base64 or hidden behind an image. It is refused where it
// is none, refuses service by its own msg, or brings no site, judged in this order.
// A site that cannot be understood is left out with a warning; a config whose sites
// are all unsupported is a good one, with a warning that says so.
func Load(ctx context.Context, rawURL string, fetch FetchFunc, o LoadOptions) (*Config, error) {
	if o.Children <= 0 {
		o.Children = defaultChildren
	}
	if o.More == nil {
		o.More = func() bool { return true }
	}
	l := &loading{fetch: fetch, options: o, seen: make(map[string]bool)}
	config, err := l.open(ctx, strings.TrimSpace(rawURL), 0)
	return config, redacted(err)
}

func document(ctx context.Context, rawURL string, fetch FetchFunc) (Document, error) {
	if err := ctx.Err(); err != nil {
		return Document{}, RequestError(ctx, rawURL, err)
	}
	if link.IsEncrypted(rawURL) {
		return Document{}, &Error{
			URL: link.RedactInterface(rawURL), Cause: CauseEncoded, Detail: "the address ends in a password (" + encryptedForm + "): xship cannot read such an encrypted config",
			Hint: hintEncoded,
		}
	}
	if isWeb(rawURL) {
		doc, err := fetch(ctx, rawURL)
		if err != nil {
			return Document{}, RequestError(ctx, rawURL, err)
		}
		if doc.FinalURL == "" {
			doc.FinalURL = rawURL
		}
		return doc, nil
	}
	path, failure := localPath(rawURL)
	if failure == nil {
		var doc Document
		if doc, failure = readFileUntil(ctx, path); failure == nil {
			return doc, nil
		}
		if errors.Is(failure, context.Canceled) {
			return doc, RequestError(ctx, rawURL, failure.Err)
		}
	}
	failure.URL = link.RedactInterface(rawURL)
	return Document{}, failure
}

// encryptedForm is how addresses of encrypted interfaces are written, for people.
const encryptedForm = "URL;pk;PASSWORD"

func isWeb(rawURL string) bool {
	scheme, _, ok := strings.Cut(rawURL, "://")
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// RequestError turns an error of a FetchFunc that asked rawURL into an *Error, and a
// cancelled context into its own error.
func RequestError(ctx context.Context, rawURL string, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) || errors.Is(err, context.Canceled) {
		return fmt.Errorf("load interface %s: %w", link.RedactInterface(rawURL), context.Canceled)
	}
	e := &Error{URL: link.RedactInterface(rawURL), Err: err}
	switch {
	case statusOf(err) > 0:
		e.Cause, e.Status = CauseStatus, statusOf(err)
		e.Detail = strings.TrimSpace(fmt.Sprintf("got HTTP status %d %s", e.Status, http.StatusText(e.Status)))
		e.Hint = statusHint(e.Status)
	case isTimeout(err), ctx.Err() != nil:
		e.Cause, e.Detail = CauseTimeout, "got no answer in time"
		e.Hint = "try again later, or raise interfaces.timeout"
	case isTooLarge(err):
		large := tooLarge()
		e.Cause, e.Detail, e.Hint = large.Cause, large.Detail, large.Hint
	default:
		e.Cause = CauseRequest
		e.Detail = text.Shorten(strings.ReplaceAll(err.Error(), rawURL, e.URL), 300)
		e.Hint = "check the address and the network"
	}
	return e
}

func statusOf(err error) int {
	if e, ok := errors.AsType[interface {
		error
		HTTPStatus() int
	}](err); ok {
		return e.HTTPStatus()
	}
	return 0
}

func isTimeout(err error) bool {
	e, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](err)
	return ok && e.Timeout()
}

func isTooLarge(err error) bool {
	e, ok := errors.AsType[interface {
		error
		TooLarge() bool
	}](err)
	return ok && e.TooLarge()
}

func statusHint(status int) string {
	switch {
	case status == http.StatusNotFound, status == http.StatusGone:
		return "check the address"
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return "the server wants a login or refuses this network; check the address"
	case status == http.StatusTooManyRequests, status >= http.StatusInternalServerError:
		return "the server is in trouble; try again later"
	default:
		return "check the address"
	}
}

// localPath gives the path that an address without http means.
func localPath(address string) (string, *Error) {
	scheme, _, ok := strings.Cut(address, "://")
	switch {
	case address == "":
		return "", &Error{Cause: CauseURL, Detail: "got no address", Hint: "name a web address (https://…) or a path"}
	case !ok:
		return address, nil
	case !strings.EqualFold(scheme, "file"):
		return "", &Error{
			Cause: CauseURL, Detail: fmt.Sprintf("addresses with %s:// cannot be loaded", text.Shorten(scheme, 20)),
			Hint: "name a web address (https://…) or a path",
		}
	}
	u, err := url.Parse(address)
	if err != nil || u.Host != "" && u.Host != "localhost" || u.Path == "" {
		return "", &Error{Cause: CauseURL, Detail: "the file:// address names no local file", Hint: "write file:///dir/config.json or the plain path", Err: err}
	}
	return filepath.FromSlash(u.Path), nil
}

// readFileUntil is readFile, whose end it waits for until ctx ends: a disk may hang.
func readFileUntil(ctx context.Context, path string) (Document, *Error) {
	type answer struct {
		doc     Document
		failure *Error
	}
	answers := make(chan answer, 1)
	go func() {
		doc, failure := readFile(path)
		answers <- answer{doc, failure}
	}()
	select {
	case a := <-answers:
		return a.doc, a.failure
	case <-ctx.Done():
		return Document{}, &Error{
			Cause: CauseTimeout, Detail: "the disk did not answer in time", Hint: "check that the disk or the network drive is there", Err: ctx.Err(),
		}
	}
}

// readFile reads a regular file: another kind may never end.
func readFile(path string) (Document, *Error) {
	info, err := os.Stat(path)
	if err != nil {
		return Document{}, fileError(err)
	}
	if !info.Mode().IsRegular() {
		what := "not a regular file"
		if info.IsDir() {
			what = "a directory"
		}
		return Document{}, &Error{Cause: CauseFile, Detail: "it is " + what, Hint: "name the config file itself"}
	}
	body, err := readAll(path)
	if err != nil {
		return Document{}, fileError(err)
	}
	return Document{Body: body, FinalURL: fileURL(path)}, nil
}

// readAll reads MaxBody bytes and one more at most, which shows that there were more.
func readAll(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var body bytes.Buffer
	if _, err := io.Copy(&body, io.LimitReader(f, MaxBody+1)); err != nil {
		return nil, err
	}
	return body.Bytes(), nil
}

func fileError(err error) *Error {
	e := &Error{Cause: CauseFile, Detail: "cannot read the file: " + err.Error(), Hint: "check that the file is readable", Err: err}
	if errors.Is(err, fs.ErrNotExist) {
		e.Detail, e.Hint = "there is no such file", "check the path; a web address starts with https://"
	}
	return e
}

// fileURL is the address of a file, for resolving relative addresses.
func fileURL(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/dir
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
