package debrid

import (
	"bytes"
	"fmt"
	"net/http"
	"time"

	"xship/sources"
	"xship/sources/cooldown"
	"xship/sources/text"
)

// scope is what a code speaks of: all else is asked as before.
type scope int

const (
	ofLink          scope = iota // also of codes whose scope nobody tells
	ofAccountHoster              // links of that hoster, for this account
	ofHoster                     // links of that hoster, for all accounts
	ofAccount                    // all links, for this account
)

func (s scope) String() string {
	switch s {
	case ofAccountHoster:
		return "hoster for this account"
	case ofHoster:
		return "hoster"
	case ofAccount:
		return "account"
	default:
		return "link"
	}
}

// effect is what follows for that.
type effect int

const (
	item   effect = iota // link: it cannot be had there
	retry                // link: perhaps later
	alone                // link, unless the next link meets the same: then the account cools
	dead                 // link: the hoster says that it is gone
	bug                  // link: our request is wrong
	rest                 // hoster: none of its links is sent
	cool                 // account: it made too many requests
	outage               // account: the service itself is in trouble
	auth                 // account: it is refused, or its key is
	barred               // account: not from the address that this machine has
	quota                // account: it has used up what it may
)

func (e effect) String() string {
	switch e {
	case retry:
		return "try later"
	case alone:
		return "try later, unless the next link meets the same"
	case dead:
		return "gone"
	case bug:
		return "a bug of xship"
	case rest:
		return "rests"
	case cool, outage:
		return "cools down"
	case auth:
		return "refused"
	case barred:
		return "refused, for the address of this machine"
	case quota:
		return "used up"
	default:
		return "not to be had"
	}
}

// verdict is what one error code means.
type verdict struct {
	scope  scope
	effect effect
	// until is when a hoster or a quota is free again; nil = hosterRest later, or
	// the next day.
	until  func(now time.Time) time.Time
	source string // where the code is documented, or which client of the service meets it
}

const (
	hosterRest   = 10 * time.Minute // of a hoster in trouble behind a provider
	slotRest     = 10 * time.Minute // until one of the downloads that run has ended
	unknownCodes = 256              // most of them are logged
)

// end is when a hoster or a quota is free again; usual counts where the verdict does
// not say.
func (v verdict) end(now time.Time, usual func(time.Time) time.Time) time.Time {
	if v.until != nil {
		return v.until(now)
	}
	return usual(now)
}

// in gives the time d later.
func in(d time.Duration) func(time.Time) time.Time {
	return func(now time.Time) time.Time { return now.Add(d) }
}

// nextDay is the next midnight UTC, when the services reset what they count by the
// day.
func nextDay(now time.Time) time.Time {
	return now.UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)
}

// refused is the error of an answer that says no: code is the service's own, "" =
// none, and message its text. codes is its table. What the body says counts before
// the status: a service may answer 429 or 503 and mean one link.
func (c *client) refused(codes map[string]verdict, a *answer, code, message string) error {
	v, known := codes[code]
	switch {
	case known:
		return c.failure(v, a, code, message)
	case a.status == http.StatusTooManyRequests || code == "429":
		return c.failure(verdict{scope: ofAccount, effect: cool}, a, code, message)
	case code == "" && a.foreign():
		return c.unreadable(a)
	case code == "":
		return c.failure(ofStatus(a.status), a, code, message)
	}
	c.unknown(a, code)
	return c.failure(verdict{}, a, code, message)
}

// unreadable is the error of an answer that is not what the service documents. The
// page of a proxy before it says nothing about the account or the link.
func (c *client) unreadable(a *answer) error {
	v := ofStatus(a.status)
	switch {
	case a.foreign() && v.effect != cool && !ofLinks(a.status):
		return c.failure(verdict{scope: ofAccount, effect: outage}, a, "", a.words("")+" with the words of a proxy instead of data")
	case a.status >= 200 && a.status <= 299:
		return c.failure(v, a, "", "the answer is not what the service documents")
	}
	return c.failure(v, a, "", "")
}

// foreign tells whether the answer is not the service's own but that of a proxy
// before it: a web page, or what Cloudflare says to programs.
func (a *answer) foreign() bool {
	body := bytes.TrimSpace(a.body)
	if bytes.HasPrefix(body, []byte("<")) || bytes.HasPrefix(body, []byte("error code: ")) {
		return true
	}
	var problem struct {
		Cloudflare bool `json:"cloudflare_error"`
	}
	return a.decode(&problem) && problem.Cloudflare
}

// ofStatus judges an answer without a code.
func ofStatus(status int) verdict {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusPaymentRequired || status == http.StatusForbidden:
		return verdict{scope: ofAccount, effect: auth}
	case status == http.StatusTooManyRequests:
		return verdict{scope: ofAccount, effect: cool}
	case status < 400:
		return verdict{}
	case ofLinks(status):
		return verdict{effect: alone}
	default:
		return verdict{scope: ofAccount, effect: outage}
	}
}

// ofLinks tells whether a status says no to the link that was sent: neither to who
// sent it nor for a reason of the service's own.
func ofLinks(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusProxyAuthRequired,
		http.StatusRequestTimeout, http.StatusTooManyRequests:
		return false
	default:
		return status >= 400 && status <= 499
	}
}

// unknown logs a code that no table has, once.
func (c *client) unknown(a *answer, code string) {
	code = text.Shorten(a.clean(code), 64)
	if c.seen.first(c.service.name() + " " + code) {
		c.log.Warn("a debrid service answers with an unknown error code: this call counts as failed, nothing else",
			"provider", c.service.name(), "code", code, "status", a.status)
	}
}

// failure makes the error of a verdict.
func (c *client) failure(v verdict, a *answer, code, message string) error {
	now := c.now()
	e := &sources.ProviderStreamUnavailableError{
		Provider: c.service.name(),
		Code:     text.Shorten(a.clean(code), 64),
		Status:   a.status,
		Message:  a.what + ": " + a.words(message),
	}
	switch v.effect {
	case cool, outage:
		e.Kind = sources.ClassProviderCooling
		e.Cooldown, e.Grow = a.cooldown(v.effect, now)
	case rest:
		e.Kind = sources.ClassProviderHoster
		e.Reset = v.end(now, in(hosterRest))
		left := e.Reset.Sub(now)
		e.Cooldown = &left
		e.ForAll = v.scope == ofHoster
	case dead:
		e.Kind = sources.ClassDeadLink
	case auth:
		e.Kind = sources.ClassProviderAuth
		e.Message += "; check the account and its key"
	case barred:
		e.Kind = sources.ClassProviderAuth
		e.Message += "; it is the address of this machine that is refused, not the key: that of a VPN or a server, or one that the owner has to confirm"
	case quota:
		e.Kind = sources.ClassProviderQuota
		e.Reset = v.end(now, nextDay)
		e.Message += "; limited until " + e.Reset.UTC().Format("2006-01-02 15:04 UTC")
	case bug:
		e.Kind = sources.ClassBug
	case retry, alone:
		e.Kind = sources.ClassProviderItem
		e.Message += "; try again later"
		e.Suspect = v.effect == alone
	case item:
		e.Kind = sources.ClassProviderItem
	}
	return e
}

// cooldown is the answer's own word on when to call again; without one an outage
// has a set length, and the rest after too many requests grows.
func (a *answer) cooldown(why effect, now time.Time) (d *time.Duration, grow bool) {
	if asked, ok := cooldown.RetryAfter(a.header.Get("Retry-After"), now); ok {
		return &asked, false
	}
	if why == cool {
		return nil, true
	}
	set := sources.DefaultCooldown
	return &set, false
}

// words are the service's message, or what its status says.
func (a *answer) words(message string) string {
	if message = a.clean(message); message != "" {
		return message
	}
	if text := http.StatusText(a.status); text != "" {
		return fmt.Sprintf("answered %d %s", a.status, text)
	}
	return fmt.Sprintf("answered with status %d", a.status)
}

// errorf is an error that no answer made. Its text must hold nothing from the
// network.
func (c *client) errorf(class sources.Class, format string, args ...any) *sources.ProviderStreamUnavailableError {
	return &sources.ProviderStreamUnavailableError{Provider: c.service.name(), Kind: class, Message: fmt.Sprintf(format, args...)}
}
