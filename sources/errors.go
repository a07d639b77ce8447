package sources

import (
	"context"
	"errors"
	"fmt"
)

// Class says whose fault the outcome of an attempt is, and so what it changes.
// It is decided once, where the attempt is made.
type Class string

// The classes. Only ClassOK and ClassHosterFault touch a hoster.
const (
	// ClassOK: it worked.
	ClassOK Class = "ok"
	// ClassHosterFault: what a player could not play either, for a reason of the
	// hoster. Dial, TLS or our deadline; 5xx, 403, 429; a page where data should be; a
	// body cut short.
	ClassHosterFault Class = "hoster_fault"
	// ClassDeadLink: 404, 410, "file removed", also of all parts. The hoster works, the
	// link is gone.
	ClassDeadLink Class = "dead_link"
	// ClassUnsupported: what we cannot read, ask or play, though others may. It needs a
	// browser, a captcha or foreign code.
	ClassUnsupported Class = "unsupported"
	// ClassProviderCooling: a provider is limited or in trouble, and not called now.
	ClassProviderCooling Class = "provider_cooling"
	// ClassProviderAuth: a provider refuses the account.
	ClassProviderAuth Class = "provider_auth"
	// ClassProviderQuota: the account has used up what it may.
	ClassProviderQuota Class = "provider_quota"
	// ClassProviderHoster: the provider cannot serve the hoster now.
	ClassProviderHoster Class = "provider_hoster"
	// ClassProviderItem: the provider failed at this link only, or is not done with it.
	ClassProviderItem Class = "provider_item"
	// ClassCancelled: the user, a shutdown or a newer request ended it, or it was not
	// begun. It tells nothing of anybody.
	ClassCancelled Class = "cancelled"
	// ClassBug: our own fault. It is logged and changes nothing.
	ClassBug Class = "bug"
)

// Classifier is an error that knows its class.
type Classifier interface {
	error
	Class() Class
}

// ClassOf finds the class of err through its wrapping. A cancelled context is
// ClassCancelled, a deadline is the fault of whoever did not answer in time,
// and an error that nobody classified is a bug.
func ClassOf(err error) Class {
	var c Classifier
	switch {
	case err == nil:
		return ClassOK
	case errors.As(err, &c):
		return c.Class()
	case errors.Is(err, context.Canceled):
		return ClassCancelled
	case errors.Is(err, context.DeadlineExceeded):
		return ClassHosterFault
	default:
		return ClassBug
	}
}

// NeedsAccount is what a page needs that nothing here can play.
const NeedsAccount = "an account or yt-dlp"

// NeedsError says of a source that is unsupported as it is what would play it. The
// source keeps that, for the list, until it is resolved.
type NeedsError struct {
	Needs string // for the list: NeedsAccount
	Err   error
}

func (e *NeedsError) Error() string { return e.Err.Error() }

func (e *NeedsError) Unwrap() error { return e.Err }

// Class implements Classifier.
func (*NeedsError) Class() Class { return ClassUnsupported }

// NoteError is no failure: a site answered well, and Note tells what it left out, for
// people.
type NoteError struct{ Note string }

func (e *NoteError) Error() string { return e.Note }

// Class implements Classifier.
func (*NoteError) Class() Class { return ClassOK }

// Error is an error of a known class.
type Error struct {
	Kind Class
	Err  error
}

// Errorf makes an Error of class c; format and args are those of fmt.Errorf.
func Errorf(c Class, format string, args ...any) *Error {
	return &Error{Kind: c, Err: fmt.Errorf(format, args...)}
}

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// Class implements Classifier.
func (e *Error) Class() Class { return e.Kind }
