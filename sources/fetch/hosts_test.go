package fetch_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"xship/sources"
	"xship/sources/fetch"
)

// clock is a time that only moves when it is told to.
type clock struct{ offset atomic.Int64 }

func (c *clock) Now() time.Time {
	return time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC).Add(time.Duration(c.offset.Load()))
}

func (c *clock) advance(d time.Duration) { c.offset.Add(int64(d)) }

func TestPerHost(t *testing.T) {
	const limit, calls = 3, 12
	var now, peak atomic.Int32
	entered := make(chan struct{}, calls)
	release := make(chan struct{})
	url := serve(t, func(http.ResponseWriter, *http.Request) {
		if n := now.Add(1); n > peak.Load() {
			peak.Store(n)
		}
		entered <- struct{}{}
		<-release
		now.Add(-1)
	})
	c := newClient(t, fetch.Options{PerHost: limit})
	var wg sync.WaitGroup
	for range calls {
		wg.Go(func() {
			if _, err := c.Get(t.Context(), fetch.Request{URL: url}); err != nil {
				t.Error(err)
			}
		})
	}
	for range limit {
		<-entered
	}

	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err := c.Get(ctx, fetch.Request{URL: url})
	var fe *fetch.Error
	if !errors.As(err, &fe) || fe.Reason != fetch.ReasonBusy || fe.Class() != sources.ClassCancelled || !fe.Timeout() {
		t.Errorf("a deadline while waiting gives %v, want busy, cancelled", err)
	}
	ctx, cancelNow := context.WithCancel(t.Context())
	cancelNow()
	if _, err := c.Get(ctx, fetch.Request{URL: url}); !errors.As(err, &fe) || fe.Reason != fetch.ReasonCancelled {
		t.Errorf("a cancellation while waiting gives %v", err)
	}

	close(release)
	wg.Wait()
	if p := peak.Load(); p != limit {
		t.Errorf("%d requests at once, want %d", p, limit)
	}
}

func TestPauses(t *testing.T) {
	tests := []struct {
		name   string
		status int
		header string
		pause  time.Duration // 0: none
	}{
		{"seconds", 429, "7", 7 * time.Second},
		{"date", 503, "Sun, 01 Mar 2026 12:00:40 GMT", 40 * time.Second},
		{"none", 429, "", 0},
		{"zero", 429, "0", time.Second},
		{"too long", 429, "86400", 300 * time.Second},
		{"far too long", 429, strings.Repeat("9", 40), 300 * time.Second},
		{"past date", 503, "Sun, 01 Mar 2020 12:00:00 GMT", time.Second},
		{"negative", 429, "-5", 0},
		{"noise", 429, "soon", 0},
		{"other status", 500, "7", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var requests atomic.Int32
			url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				if requests.Add(1) == 1 {
					w.Header().Set("Retry-After", tt.header)
					w.WriteHeader(tt.status)
				}
			})
			var now clock
			c := newClient(t, fetch.Options{Now: now.Now})
			first := get(t, c, fetch.Request{URL: url})
			if first.RetryAfter != tt.pause {
				t.Errorf("Retry-After %s, want %s", first.RetryAfter, tt.pause)
			}
			if tt.pause > 0 {
				now.advance(tt.pause - time.Millisecond)
				_, err := c.GetRange(t.Context(), fetch.Request{URL: url}, 0, 8)
				var fe *fetch.Error
				if !errors.As(err, &fe) || fe.Reason != fetch.ReasonPaused || fe.Class() != sources.ClassCancelled || fe.Status != tt.status || requests.Load() != 1 {
					t.Errorf("within the pause: %v after %d requests", err, requests.Load())
				}
				now.advance(time.Millisecond)
			}
			if _, err := c.Get(t.Context(), fetch.Request{URL: url}); err != nil {
				t.Errorf("after the pause: %v", err)
			}
		})
	}
}

// TestRetryAfterIsTheHosts checks that a pause is that of the host which asked
// for it, also behind a redirect.
func TestRetryAfterIsTheHosts(t *testing.T) {
	far := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "5")
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	near := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/far" {
			http.Redirect(w, r, far, http.StatusFound)
		}
	})
	c := newClient(t, fetch.Options{})
	if err := get(t, c, fetch.Request{URL: near + "/far"}); err.Reason != fetch.ReasonStatus {
		t.Errorf("first: %v", err)
	}
	if err := get(t, c, fetch.Request{URL: near + "/far"}); err.Reason != fetch.ReasonPaused || !strings.Contains(err.Error(), "503 Service Unavailable a moment ago and wants no request for another 5s") {
		t.Errorf("second: %v", err)
	}
	if _, err := c.Get(t.Context(), fetch.Request{URL: near}); err != nil {
		t.Errorf("the redirecting host: %v", err)
	}
}

func TestDenyPrivate(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusFound)
		}
	})
	named := strings.Replace(url, "127.0.0.1", "localhost", 1)
	c := newClient(t, fetch.Options{DenyPrivate: true})
	if !c.DeniesPrivate() {
		t.Error("the client does not know that it denies private addresses")
	}
	for _, target := range []string{url, named} { // an address, and a name that leads to it
		err := get(t, c, fetch.Request{URL: target})
		if err.Reason != fetch.ReasonPrivate || err.Class() != sources.ClassUnsupported || !strings.Contains(err.Error(), "network.allow_private") {
			t.Errorf("%s: got %s %q", target, err.Reason, err)
		}
	}

	c = newClient(t, fetch.Options{DenyPrivate: true, Trusted: func(host string) bool { return host == "localhost" }})
	if _, err := c.Get(t.Context(), fetch.Request{URL: named}); err != nil {
		t.Errorf("a configured host: %v", err)
	}
	if err := get(t, c, fetch.Request{URL: named + "?to=" + url}); err.Reason != fetch.ReasonPrivate {
		t.Errorf("a redirect from there to a private address: got %s %q", err.Reason, err)
	}
	if _, err := newClient(t, fetch.Options{}).Get(t.Context(), fetch.Request{URL: url}); err != nil {
		t.Errorf("by default: %v", err)
	}
}

// TestRefused wants the client to tell beforehand what it will not ask.
func TestRefused(t *testing.T) {
	c := newClient(t, fetch.Options{DenyPrivate: true, Trusted: func(host string) bool { return host == "127.0.0.7" }})
	for _, host := range []string{
		"127.0.0.1", "127.0.0.7", "localhost", "LOCALHOST.", "[::1]", "[::ffff:10.0.0.1]", "[64:ff9b::c0a8:1]", "10.0.0.1", "192.168.1.5", "100.64.0.1", "0.0.0.0",
		"169.254.169.254", "127.1", "2130706433", "0x7f.0.0.1", "no-such-host.invalid", "%zz",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		address := "http://" + host + ":9/x"
		refused := c.Refused(ctx, address)
		asked := get(t, c, fetch.Request{URL: address})
		if (refused != nil) != (asked.Reason == fetch.ReasonPrivate) {
			t.Errorf("%s: %v beforehand, then %v", host, refused, asked)
		}
		cancel()
	}
	if err := c.Refused(t.Context(), "csp_X"); err != nil {
		t.Errorf("what is no URL: %v", err)
	}
	if err := newClient(t, fetch.Options{}).Refused(t.Context(), "http://127.0.0.1/"); err != nil {
		t.Errorf("by default: %v", err)
	}
}
