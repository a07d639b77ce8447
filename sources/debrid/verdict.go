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

// action is what a service's error code asks for.
type action int

const (
	item        action = iota // this link only, also of codes that nobody knows
	retry                     // this link, later
	wait                      // not done yet, and not within the deadline
	cool                      // too many requests: the account rests
	outage                    // the service itself is in trouble: the account rests
	host                      // the hoster cannot be served, to anybody
	hostAccount               // the hoster cannot be served to this account
	dead                      // the link is gone
	auth                      // the account or its key is refused
	quota                     // the account has used up what it may
	bug                       // our request is wrong
)

// verdict is what one error code means.
type verdict struct {
	action action
	// until is when a hoster or a quota is free again; nil = hosterRest later, or
	// the next day.
	until func(now time.Time) time.Time
}

const (
	hosterRest   = 10 * time.Minute // of a hoster in trouble behind a provider
	unknownCodes = 256              // most of them are logged
	doubtful     = 30 * time.Second // after too many requests, services call links bad that are not
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

// nextMonth is the start of the next month UTC.
func nextMonth(now time.Time) time.Time {
	y, m, _ := now.UTC().Date()
	return time.Date(y, m+1, 1, 0, 0, 0, 0, time.UTC)
}

// refused is the error of an answer that says no: code is the service's own, "" =
// none, and message its text. codes is its table.
func (c *client) refused(codes map[string]verdict, a *answer, code, message string) error {
	if a.status == http.StatusTooManyRequests || code == "429" {
		return c.failure(verdict{action: cool}, a, code, message)
	}
	if code == "" && a.foreign() {
		return c.unreadable(a)
	}
	if code == "" {
		return c.failure(ofStatus(a.status), a, code, message)
	}
	v, known := codes[code]
	if !known {
		c.unknown(a, code)
	}
	return c.failure(v, a, code, message)
}

// unreadable is the error of an answer that is not what the service documents. The
// page of a proxy before it says nothing about the account or the link.
func (c *client) unreadable(a *answer) error {
	v := ofStatus(a.status)
	switch {
	case a.foreign() && v.action != cool && a.status != http.StatusNotFound && a.status != http.StatusGone && a.status != http.StatusBadRequest:
		return c.failure(verdict{action: outage}, a, "", a.words("")+" with the words of a proxy instead of data")
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

// ofStatus judges an answer without a code. Of the 4xx, those that say nothing
// about the account or the link count like an outage.
func ofStatus(status int) verdict {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return verdict{action: auth}
	case status == http.StatusTooManyRequests:
		return verdict{action: cool}
	case status == http.StatusNotFound || status == http.StatusBadRequest || status < 400:
		return verdict{action: item}
	default:
		return verdict{action: outage}
	}
}

// throttled remembers that an account made too many requests.
func (s *shared) throttled(id accountID, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastThrottled[id] = now
}

// throttledLately tells whether what the service says of a link is doubtful.
func (s *shared) throttledLately(id accountID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, ok := s.lastThrottled[id]
	age := s.now().Sub(at)
	return ok && age >= 0 && age < doubtful
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
	switch v.action {
	case cool, outage:
		if v.action == cool {
			c.throttled(a.account, now)
		}
		e.Kind = sources.ClassProviderCooling
		e.Cooldown, e.Grow = a.cooldown(v.action, now)
	case host, hostAccount:
		e.Kind = sources.ClassProviderHoster
		e.Reset = v.end(now, in(hosterRest))
		rest := e.Reset.Sub(now)
		e.Cooldown = &rest
		e.ForAll = v.action == host
	case dead:
		e.Kind = sources.ClassDeadLink
	case auth:
		e.Kind = sources.ClassProviderAuth
		e.Message += "; check the account and its key"
	case quota:
		e.Kind = sources.ClassProviderQuota
		e.Reset = v.end(now, nextDay)
		e.Message += "; limited until " + e.Reset.UTC().Format("2006-01-02 15:04 UTC")
	case bug:
		e.Kind = sources.ClassBug
	case retry:
		e.Kind = sources.ClassProviderItem
		e.Message += "; try again later"
	case item, wait:
		e.Kind = sources.ClassProviderItem
	}
	return e
}

// cooldown is the answer's own word on when to call again; without one an outage
// has a set length, and the rest after too many requests grows.
func (a *answer) cooldown(act action, now time.Time) (d *time.Duration, grow bool) {
	if asked, ok := cooldown.RetryAfter(a.header.Get("Retry-After"), now); ok {
		return &asked, false
	}
	if act == cool {
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
