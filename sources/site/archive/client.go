package archive

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"syscall"
	"time"

	"xship/sources"
	"xship/sources/fetch"
)

// The manners of a Client.
const (
	defaultInterval = 250 * time.Millisecond // between the starts of two requests
	atOnce          = 2                      // requests
	searchAge       = 3 * time.Hour          // for which an answer to a search is kept
	metadataAge     = 24 * time.Hour         // and for which that of an item is
	refusedRest     = 30 * time.Minute       // after a refused connection
	maxRest         = time.Hour              // that an answer may ask for
	maxBody         = 8 << 20
)

// Options are what a Client works with.
type Options struct {
	Fetch    *fetch.Client
	Answers  sources.Answers // keeps what was answered, and rests; nil: it is kept in memory
	Now      func() time.Time
	Logger   *slog.Logger
	Agent    string        // names xship to the Archive, "" = as Fetch does
	Region   Region        // "" = RegionUS
	Interval time.Duration // between the starts of two requests to one host, 0 = 250 ms
	// Announce is called before a request that a site makes which nobody asked for, see
	// sources.SiteInfo.Beside; nil: nobody is told.
	Announce func(ctx context.Context)
}

// Client asks the Archive, for all sites that share it. It is safe for concurrent use.
type Client struct {
	Options

	mu    sync.Mutex
	turns map[string]*turns // by host
}

// NewClient makes a Client.
func NewClient(o Options) *Client {
	o.Now = sources.OrNow(o.Now)
	o.Logger = sources.OrSilent(o.Logger)
	if o.Answers == nil {
		o.Answers = &memory{now: o.Now}
	}
	if o.Region == "" {
		o.Region = RegionUS
	}
	o.Interval = sources.OrDefault(o.Interval, defaultInterval)
	return &Client{Options: o, turns: make(map[string]*turns)}
}

// turns are the requests that one host gets.
type turns struct {
	slots chan struct{}

	mu   sync.Mutex
	next time.Time // when the next one may start
}

func (c *Client) turnsOf(host string) *turns {
	c.mu.Lock()
	defer c.mu.Unlock()
	host = strings.ToLower(host)
	t := c.turns[host]
	if t == nil {
		t = &turns{slots: make(chan struct{}, atOnce)}
		c.turns[host] = t
	}
	return t
}

// enter waits until one more request may start; leave ends it.
func (t *turns) enter(ctx context.Context, now func() time.Time, interval time.Duration) (leave func(), err error) {
	select {
	case t.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, waited(ctx)
	}
	leave = func() { <-t.slots }
	timer := time.NewTimer(t.book(now(), interval))
	defer timer.Stop()
	select {
	case <-timer.C:
		return leave, nil
	case <-ctx.Done():
		leave()
		return nil, waited(ctx)
	}
}

// book gives the wait until the next request may start, and takes that start. A clock
// that was set back makes no wait longer.
func (t *turns) book(now time.Time, interval time.Duration) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	wait := min(max(t.next.Sub(now), 0), atOnce*interval)
	t.next = now.Add(wait + interval)
	return wait
}

// waited is the error of a request whose turn did not come in time. Nobody was asked, so
// that it tells nothing of the Archive.
func waited(ctx context.Context) error {
	return sources.Errorf(sources.ClassCancelled, "not asked: requests to the Internet Archive start one after the other, and this one's turn did not come: %w", ctx.Err())
}

// ask gives what read makes of the answer at address to a site. One that was kept and is
// younger than maxAge is taken; a new one is kept where read says so.
func ask[T any](
	ctx context.Context, s *site, address string, maxAge time.Duration, read func(req fetch.Request, body []byte) (result T, keep bool, err error),
) (result T, err error) {
	if err := ctx.Err(); err != nil {
		return result, err
	}
	key := "archive/1/" + address
	if s.client.kept(ctx, key, maxAge, &result) {
		return result, nil
	}
	req := fetch.Request{URL: address, Headers: s.headers, MaxBody: maxBody}
	body, err := s.client.request(ctx, req, s.base.Host, s.info.Beside)
	if err != nil {
		return result, err
	}
	result, keep, err := read(req, body)
	if err == nil && keep {
		s.client.keep(ctx, key, result)
	}
	return result, err
}

// request makes a request to host when its turn comes, unless the host is left alone
// now. beside tells that nobody asked for it.
func (c *Client) request(ctx context.Context, req fetch.Request, host string, beside bool) ([]byte, error) {
	if err := c.resting(ctx, host); err != nil {
		return nil, err
	}
	leave, err := c.turnsOf(host).enter(ctx, c.Now, c.Interval)
	if err != nil {
		return nil, err
	}
	defer leave()
	if err := c.resting(ctx, host); err != nil { // since what came meanwhile
		return nil, err
	}
	if beside && c.Announce != nil {
		c.Announce(ctx)
	}
	resp, err := c.Fetch.Get(ctx, req)
	if failed, ok := errors.AsType[*fetch.Error](err); ok {
		short := *failed
		short.URL = withoutQuery(short.URL)
		c.heed(ctx, host, &short)
		return nil, &short
	}
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

// withoutQuery is an address as errors show it: what a search asks for is long, and the
// same each time.
func withoutQuery(address string) string {
	address, _, _ = strings.Cut(address, "?")
	return address
}

// kept reads an answer that was kept and is younger than maxAge.
func (c *Client) kept(ctx context.Context, key string, maxAge time.Duration, into any) bool {
	body, at, err := c.Answers.Answer(ctx, key)
	if err != nil {
		c.Logger.Debug("an answer of the Internet Archive that was kept could not be read", "error", err)
		return false
	}
	if age := c.Now().Sub(at); body == nil || age < 0 || age >= maxAge {
		return false
	}
	return json.Unmarshal(body, into) == nil
}

func (c *Client) keep(ctx context.Context, key string, what any) {
	body, err := json.Marshal(what)
	if err == nil {
		err = c.Answers.PutAnswer(ctx, key, body)
	}
	if err != nil {
		c.Logger.Debug("an answer of the Internet Archive could not be kept", "error", err)
	}
}

// rest is how long a host is left alone, and why.
type rest struct {
	Until time.Time `json:"until"`
	Why   string    `json:"why"`
}

func restKey(host string) string { return "archive/1/rest/" + strings.ToLower(host) }

// resting is the error of a request to a host that is left alone now.
func (c *Client) resting(ctx context.Context, host string) error {
	var r rest
	if !c.kept(ctx, restKey(host), maxRest, &r) {
		return nil
	}
	left := r.Until.Sub(c.Now())
	if left <= 0 || left > maxRest {
		return nil
	}
	return sources.Errorf(sources.ClassCancelled, "not asked for another %s: %s", left.Round(time.Second), r.Why)
}

// heed has a host left alone where what became of a request says so.
func (c *Client) heed(ctx context.Context, host string, failed *fetch.Error) {
	r := rest{Why: failed.Error()}
	switch {
	case failed.Reason == fetch.ReasonDial && errors.Is(failed, syscall.ECONNREFUSED):
		r.Until = c.Now().Add(refusedRest)
	case failed.Reason == fetch.ReasonStatus && failed.RetryAfter > 0:
		r.Until = c.Now().Add(min(failed.RetryAfter, maxRest))
	default:
		return
	}
	c.keep(context.WithoutCancel(ctx), restKey(host), r)
}
