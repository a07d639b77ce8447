package debrid

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"html"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/sync/singleflight"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/link"
	"xship/sources/text"
)

const (
	// maxWait is the longest wait for the request budget, where no deadline is
	// shorter.
	maxWait = 30 * time.Second
	// minPollInterval keeps a service from asking for a poll without pauses.
	minPollInterval = time.Second
	// answerTime is left to the service by the last poll before a deadline, which
	// would otherwise end the call and look like a service that does not answer.
	answerTime = 5 * time.Second
	maxMessage = 200 // characters of a service's text
)

// shared is what the services have in common.
type shared struct {
	send    CallFunc
	now     func() time.Time
	log     *slog.Logger
	renewed func(before, after sources.Account) error
	hosters *hosters
	budgets *budgets
	seen    seenSet

	renewals singleflight.Group
	mu       sync.Mutex
	newer    map[accountID]sources.Account // of keys that were renewed
}

func newShared(o Options) *shared {
	return &shared{
		send: o.Call, now: o.Now, log: o.Logger, renewed: o.Renewed,
		hosters: newHosters(o),
		budgets: newBudgets(o),
		seen:    seenSet{keys: make(map[string]bool)},
		newer:   make(map[accountID]sources.Account),
	}
}

// client makes the requests of one call of a service.
type client struct {
	*shared
	service    service
	background bool
}

// request is one request to a service.
type request struct {
	what    string     // "unlocking a link of example.org": what its errors begin with
	path    string     // of the URL, from its start: "/rest/1.0/user"
	query   url.Values // secrets in it must be in secrets too
	form    url.Values // body; a request with one is a POST, others are GETs
	json    any        // body, where form is nil
	public  bool       // the key is not sent
	secrets []string   // beside those of the account: what must not appear in a text
}

// answer is the answer to a request.
type answer struct {
	status  int
	header  http.Header
	body    []byte
	what    string // of the request
	path    string // of the request
	secrets []string
}

// decode reads the body, and tells whether it is JSON of v's shape.
func (a *answer) decode(v any) bool {
	body := bytes.TrimPrefix(a.body, []byte("\xef\xbb\xbf"))
	return json.Unmarshal(body, v) == nil
}

// call makes a request with the account's key. It waits for the request budget
// and renews the key once where the service says that it expired. An error is a
// *sources.ProviderStreamUnavailableError, or context.Canceled.
func (c *client) call(ctx context.Context, a sources.Account, r request) (*answer, error) {
	got, err := c.once(ctx, a, r)
	if err != nil {
		return nil, err
	}
	s, ok := c.service.(renewer)
	if !ok || r.public || a.Refresh == "" || !s.expired(got) {
		return got, nil
	}
	after, err := c.renew(ctx, s, a)
	if err != nil {
		return nil, err
	}
	return c.once(ctx, after, r)
}

func (c *client) once(ctx context.Context, a sources.Account, r request) (*answer, error) {
	got := &answer{what: r.what, path: r.path, secrets: secretsOf(a, r)}
	if err := c.spend(ctx, a, got); err != nil {
		return nil, err
	}
	req, err := c.newRequest(a, r)
	if err != nil {
		return nil, c.errorf(sources.ClassBug, "%s: the request cannot be made: %s", r.what, got.clean(err.Error()))
	}
	began := c.now()
	resp, err := c.send(ctx, req)
	if err != nil {
		return nil, c.unanswered(ctx, got, err)
	}
	c.log.Debug("called a debrid service", "provider", c.service.name(), "endpoint", r.path, "status", resp.Status, "elapsed", c.now().Sub(began))
	got.status, got.header, got.body = resp.Status, resp.Header, resp.Body
	return got, nil
}

func (c *client) newRequest(a sources.Account, r request) (fetch.Request, error) {
	target, err := c.endpoint(a, r)
	if err != nil {
		return fetch.Request{}, err
	}
	req := fetch.Request{Method: http.MethodGet, URL: target, Headers: map[string]string{"Accept": "application/json"}}
	if a.Key != "" && !r.public {
		req.Headers["Authorization"] = "Bearer " + a.Key.Reveal()
	}
	switch {
	case r.form != nil:
		req.Body, req.ContentType = []byte(r.form.Encode()), "application/x-www-form-urlencoded"
	case r.json != nil:
		if req.Body, err = json.Marshal(r.json); err != nil {
			return fetch.Request{}, err
		}
		req.ContentType = "application/json"
	}
	if req.Body != nil {
		req.Method = http.MethodPost
	}
	return req, nil
}

// endpoint is the URL of a request. An account's BaseURL may be given with or
// without the root path of the service's API.
func (c *client) endpoint(a sources.Account, r request) (string, error) {
	own, err := url.Parse(c.service.base())
	if err != nil {
		return "", err
	}
	origin := strings.TrimRight(a.BaseURL, "/")
	if origin == "" {
		origin = c.service.base()
	}
	target := strings.TrimSuffix(origin, own.Path) + r.path
	if len(r.query) > 0 {
		target += "?" + r.query.Encode()
	}
	return target, nil
}

// unanswered is the error of a request to which no answer came.
func (c *client) unanswered(ctx context.Context, r *answer, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) || errors.Is(err, context.Canceled) {
		return context.Canceled
	}
	e := c.errorf(sources.ClassProviderCooling, "%s: no answer: %s", r.what, r.clean(err.Error()))
	var failed *fetch.Error
	switch {
	case !errors.As(err, &failed) || failed.Transport():
		e.Transport = true
		set := sources.DefaultCooldown
		e.Cooldown = &set
	case failed.Reason == fetch.ReasonHeader:
		e.Kind, e.Message = sources.ClassProviderAuth, r.what+": the account's key has characters that cannot be sent; enter it again"
	default:
		e.Kind = sources.ClassProviderItem
	}
	return e
}

// keyless is the error of an account that has no key.
func (c *client) keyless(what string) error {
	return c.errorf(sources.ClassProviderAuth, "%s: the account has no key; enter one", what)
}

// gaveUp is the error of a request that was not made, since ctx ended before it.
func (c *client) gaveUp(ctx context.Context, what string) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return context.Canceled
	}
	e := c.errorf(sources.ClassProviderItem, "%s: not asked: no time was left; try again", what)
	e.Transport = true
	return e
}

// pause waits between two polls. It tells at once where the deadline of ctx is
// sooner: the service is not done, and that is nobody's fault.
func (c *client) pause(ctx context.Context, d time.Duration, what string) error {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= d+answerTime {
		return c.errorf(sources.ClassProviderItem, "%s: the service is still preparing it; try again later", what)
	}
	if err := sleep(ctx, d); err != nil {
		return c.gaveUp(ctx, what)
	}
	return nil
}

// sleep waits for d, or until ctx is cancelled.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// stream is what link was unlocked to, usable for life unless its own URL tells
// less.
func (c *client) stream(a *answer, rawURL, mime string, life time.Duration) (sources.Stream, error) {
	u, err := link.Parse(strings.TrimSpace(rawURL))
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return sources.Stream{}, c.failure(verdict{}, a, "", "it gave no link that can be opened")
	}
	now := c.now()
	s := sources.Stream{URL: link.Escape(u.String()), MIME: mediaType(mime), ExpiresAt: now.Add(life)}
	if own := link.Expiry(s.URL, now); !own.IsZero() && own.Before(s.ExpiresAt) {
		s.ExpiresAt = own
	}
	return s, nil
}

// mediaType is that of a header or field, without parameters; "" where it says
// nothing.
func mediaType(s string) string {
	s, _, _ = strings.Cut(s, ";")
	s = strings.ToLower(text.Clean(s))
	if !strings.Contains(s, "/") || s == "application/octet-stream" {
		return ""
	}
	return s
}

// linkOf names a link for texts.
func linkOf(address string) string { return "a link of " + text.Clean(link.Hoster(address)) }

// secretsOf are what must not appear in a text about the request.
func secretsOf(a sources.Account, r request) []string {
	secrets := append([]string{a.Key.Reveal(), a.Refresh.Reveal()}, r.secrets...)
	var refresh map[string]string
	if json.Unmarshal([]byte(a.Refresh.Reveal()), &refresh) == nil {
		for _, s := range refresh {
			secrets = append(secrets, s)
		}
	}
	return secrets
}

var htmlTag = regexp.MustCompile(`<[^>]*>`)

// clean makes a text from the network fit for people: without tags, secrets and
// what follows the host in URLs, and short.
func (a *answer) clean(str string) string {
	str = text.Clean(html.UnescapeString(htmlTag.ReplaceAllString(str, " ")))
	for _, s := range a.secrets {
		if len(s) >= 4 {
			str = strings.ReplaceAll(str, s, link.Redacted)
			str = strings.ReplaceAll(str, url.QueryEscape(s), link.Redacted)
		}
	}
	return text.Shorten(link.RedactText(str), maxMessage)
}

// mask leaves enough of a login for its owner to know it again.
func mask(login string) string {
	name, domain, isMail := strings.Cut(text.Clean(login), "@")
	if name == "" {
		return ""
	}
	name = string([]rune(name)[:min(2, utf8.RuneCountInString(name))]) + "***"
	if isMail {
		name += "@" + domain
	}
	return name
}

// seenSet remembers what has been logged.
type seenSet struct {
	mu   sync.Mutex
	keys map[string]bool
}

// first tells whether key comes for the first time, and there are not too many
// yet.
func (s *seenSet) first(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.keys[key] || len(s.keys) >= unknownCodes {
		return false
	}
	s.keys[key] = true
	return true
}
