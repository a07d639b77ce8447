package engine

import (
	"errors"
	"fmt"
	"net"
	"net/http"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/text"
)

// shortWhy says in a few words why a source did not work, for a cell of a table.
func shortWhy(err error) string {
	if needs, ok := errors.AsType[*sources.NeedsError](err); ok {
		return "needs " + text.Clean(needs.Needs)
	}
	if errors.Is(err, sources.ErrHosterResting) {
		return "hoster rests"
	}
	if errors.Is(err, sources.ErrNetworkDown) {
		return "network down"
	}
	if errors.Is(err, sources.ErrMessage) {
		return "a message, no film"
	}
	if why := whyOfProvider(err); why != "" {
		return why
	}
	if why := whyOfRequest(err); why != "" {
		return why
	}
	if errors.Is(err, sources.ErrPage) {
		return "a web page"
	}
	switch sources.ClassOf(err) {
	case sources.ClassDeadLink:
		return "gone"
	case sources.ClassHosterFault:
		return whyOfHoster(err)
	case sources.ClassUnsupported:
		return "not supported"
	case sources.ClassBug:
		return "a bug of xship"
	default:
		return "failed"
	}
}

// whyOfHoster says what a hoster did that no answer of it tells.
func whyOfHoster(err error) string {
	if failed, ok := errors.AsType[net.Error](err); ok && failed.Timeout() {
		return "timeout"
	}
	return "no film there"
}

// whyOfProvider says why a provider did not serve a link, "" where none was the reason.
func whyOfProvider(err error) string {
	name := ""
	if skipped, ok := errors.AsType[*sources.SkippedError](err); ok {
		name = skipped.Provider
	} else if failed, ok := errors.AsType[*sources.ProviderStreamUnavailableError](err); ok {
		name = failed.Provider
	}
	if name == "" {
		return ""
	}
	name = sources.ProviderTitle(name)
	switch sources.ClassOf(err) {
	case sources.ClassDeadLink:
		return "gone"
	case sources.ClassProviderCooling:
		return name + " rests"
	case sources.ClassProviderAuth:
		return name + " refuses the account"
	case sources.ClassProviderQuota:
		return name + " quota used up"
	case sources.ClassProviderHoster:
		return name + " cannot serve it now"
	default:
		return name + " failed"
	}
}

// whyOfRequest says how a request failed, "" where none is the reason.
func whyOfRequest(err error) string {
	failed, ok := errors.AsType[*fetch.Error](err)
	if !ok {
		return ""
	}
	switch failed.Reason {
	case fetch.ReasonStatus:
		switch {
		case failed.Challenge:
			return "wants a browser"
		case failed.Status == http.StatusNotFound, failed.Status == http.StatusGone:
			return fmt.Sprintf("gone (%d)", failed.Status)
		default:
			return fmt.Sprintf("HTTP %d", failed.Status)
		}
	case fetch.ReasonTimeout, fetch.ReasonBusy:
		return "timeout"
	case fetch.ReasonDNS:
		return "no such host"
	case fetch.ReasonDial:
		return "no connection"
	case fetch.ReasonTLS:
		return "TLS failed"
	case fetch.ReasonProxy:
		return "proxy failed"
	case fetch.ReasonRead, fetch.ReasonRange:
		return "broken off"
	case fetch.ReasonRedirect:
		return "bad redirect"
	case fetch.ReasonPrivate:
		return "private address"
	case fetch.ReasonPaused:
		return "hoster rests"
	default:
		return "not supported"
	}
}
