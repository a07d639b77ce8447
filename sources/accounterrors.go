package sources

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// SkippedError says that a provider was not called, and why.
type SkippedError struct {
	Provider  string
	Kind      Class
	Remaining time.Duration // until it may be called, 0 where that is not known
	Reason    string        // for people
}

func (e *SkippedError) Error() string {
	text := "skipped: " + ProviderTitle(e.Provider)
	switch e.Kind {
	case ClassProviderCooling:
		text += " cooling down"
	case ClassProviderAuth:
		text += " refuses the account"
	case ClassProviderQuota:
		text += " account has used up its quota"
	case ClassProviderHoster:
		text += " cannot serve this hoster now"
	default:
		text += " is not asked"
	}
	if e.Remaining > 0 {
		text += fmt.Sprintf(", %d s", int64(math.Ceil(e.Remaining.Seconds())))
	}
	if e.Reason != "" {
		text += " (" + e.Reason + ")"
	}
	return text
}

// Class implements Classifier.
func (e *SkippedError) Class() Class { return e.Kind }

// AccountsError says why no account of a user gave a stream.
type AccountsError struct {
	Errs []error // one for each account that serves the hoster, in order
}

func (e *AccountsError) Error() string {
	texts := make([]string, len(e.Errs))
	for i, err := range e.Errs {
		texts[i] = err.Error()
	}
	return strings.Join(texts, "; ")
}

// Unwrap gives the errors of the accounts.
func (e *AccountsError) Unwrap() []error { return e.Errs }

// Class implements Classifier: that of the last account that was called, else of
// the one that may be called soonest.
func (e *AccountsError) Class() Class {
	soonest := ClassOf(e.Errs[0])
	var least time.Duration
	for _, err := range slices.Backward(e.Errs) {
		skipped, is := errors.AsType[*SkippedError](err)
		switch {
		case !is:
			return ClassOf(err)
		case skipped.Remaining > 0 && (least == 0 || skipped.Remaining <= least):
			soonest, least = skipped.Kind, skipped.Remaining
		}
	}
	return soonest
}

// RetryIn is the shortest time until one of the accounts may be called again, or
// may be sent links of the hoster again; ok is false where none knows, or where
// one failed at the link itself.
func (e *AccountsError) RetryIn() (d time.Duration, ok bool) {
	for _, err := range e.Errs {
		var rests time.Duration
		if skipped, is := errors.AsType[*SkippedError](err); is {
			rests = skipped.Remaining
		} else if failed, is := errors.AsType[*ProviderStreamUnavailableError](err); is && failed.Rests > 0 {
			rests = failed.Rests
		} else if !is || failed.Kind != ClassProviderAuth {
			return 0, false
		}
		if rests > 0 && (!ok || rests < d) {
			d, ok = rests, true
		}
	}
	return d, ok
}

// mayGuess tells whether a Guesser may look at the link: no account will take it
// soon.
func (e *AccountsError) mayGuess() bool {
	return !slices.ContainsFunc(e.Errs, func(err error) bool {
		kind := ClassOf(err)
		return kind != ClassProviderAuth && kind != ClassProviderQuota && kind != ClassProviderHoster
	})
}

// WasSkipped tells whether err says that nothing was tried, since the providers
// that serve the link are not called now.
func WasSkipped(err error) bool {
	failed, ok := errors.AsType[*AccountsError](err)
	return ok && !slices.ContainsFunc(failed.Errs, func(err error) bool {
		_, skipped := errors.AsType[*SkippedError](err)
		return !skipped
	})
}

// reason is the text of the error without the name of the provider.
func (e *ProviderStreamUnavailableError) reason() string {
	return strings.TrimPrefix(e.Error(), ProviderTitle(e.Provider)+": ")
}
