package vod

import (
	"errors"
	"fmt"
	"strings"

	"xship/sources/link"
	"xship/sources/text"
)

// Cause is why an interface could not be loaded.
type Cause string

// The causes. A cancelled context is none of them.
const (
	CauseURL       Cause = "url"       // neither a web address nor a path
	CauseRequest   Cause = "request"   // the request failed before an answer came
	CauseTimeout   Cause = "timeout"   // no answer in time
	CauseStatus    Cause = "status"    // an HTTP status that is no success
	CauseFile      Cause = "file"      // a local file that cannot be read
	CauseTooLarge  Cause = "too_large" // more than MaxBody
	CauseEmpty     Cause = "empty"     // nothing but white space
	CauseHTML      Cause = "html"      // a web page
	CauseM3U       Cause = "m3u"       // a list of live channels
	CauseEncoded   Cause = "encoded"   // encrypted, base64, compressed, hidden in an image
	CauseNotConfig Cause = "no_config" // other text, or JSON of another kind
	CauseSyntax    Cause = "syntax"    // broken JSON; Line and Column say where
	CauseMsg       Cause = "msg"       // the config refuses service with a message
	CauseDepot     Cause = "depot"     // a list of interfaces
	CauseNoSites   Cause = "no_sites"  // no sites, or none that can be understood
)

// Error tells why an interface could not be loaded.
type Error struct {
	URL          string // of the interface, secrets removed
	FinalURL     string // where the body came from, secrets removed; "" if that is URL
	Cause        Cause
	Line, Column int    // of a syntax error, from 1; 0 otherwise
	Status       int    // of CauseStatus; 0 otherwise
	Detail       string // what came
	Hint         string // what the user can do
	Err          error  // what lies beneath, may be nil
}

// Error names the interface, what came, and what to do.
func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Message()
	}
	return e.Message() + "; " + e.Hint
}

// ErrorCode implements text.Coded.
func (*Error) ErrorCode() string { return "no_interface" }

// ErrorHint implements text.Hinted.
func (e *Error) ErrorHint() string { return e.Hint }

// Message is Error without the hint.
func (e *Error) Message() string {
	var b strings.Builder
	b.WriteString("load interface")
	if e.URL != "" {
		b.WriteString(" " + e.URL)
	}
	if e.FinalURL != "" {
		fmt.Fprintf(&b, " (redirected to %s)", e.FinalURL)
	}
	b.WriteString(": " + e.Detail)
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// redacted is err without the secrets of URLs in its texts, which may quote others.
func redacted(err error) error {
	failed, ok := errors.AsType[*Error](err)
	if !ok {
		return err
	}
	shown := *failed
	for _, s := range []*string{&shown.URL, &shown.FinalURL, &shown.Detail, &shown.Hint} {
		*s = link.RedactInterfaceText(*s)
	}
	return &shown
}

// maxURLShown is how many characters of an address that others wrote a message shows.
const maxURLShown = 200

// excerpt is the start of a text that others wrote, n characters of it at most, without
// the secrets of addresses, which are taken away before it is cut.
func excerpt(s string, n int) string {
	const most = 4 << 10 // bytes that are looked at
	return text.Shorten(link.RedactInterfaceText(text.Clean(s[:min(len(s), most)])), n)
}

// Warning tells what of a config was left out, and why.
type Warning struct {
	Index  int    // of the site, from 1 in the order of the config; 0 = the config as a whole
	Key    string // of the site, may be ""
	Name   string // of the site, may be ""
	Reason string
}

// maxNamed is how many characters of a key or a name a warning shows.
const maxNamed = 60

// String names the site as well as it can be named.
func (w Warning) String() string {
	if w.Index == 0 {
		return w.Reason
	}
	var b strings.Builder
	fmt.Fprintf(&b, "site %d", w.Index)
	if w.Key != "" {
		b.WriteString(" " + text.Quote(text.Shorten(w.Key, maxNamed)))
	}
	if w.Name != "" && w.Name != w.Key {
		fmt.Fprintf(&b, " (%s)", text.Shorten(w.Name, maxNamed))
	}
	b.WriteString(": " + w.Reason)
	return b.String()
}
