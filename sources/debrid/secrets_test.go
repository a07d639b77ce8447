package debrid_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"xship/sources"
	"xship/sources/debrid"
	"xship/sources/fetch"
	"xship/sources/sourcetest/debridfake"
)

// Whatever a service says, and however a call fails, no text holds the key, the
// link or a signed address.
func TestNoSecretsInTexts(t *testing.T) {
	secrets := []string{testKey, testLink, url.QueryEscape(testLink), "7d1c55a0e9b2", "SIGNED77", "\x1b", "<b>"}
	hostile := "<b>bad</b> \x1b[31m key " + testKey + ", link " + testLink + " (" + url.QueryEscape(testLink) + "), see " + streamOf(testLink) + strings.Repeat("!", 5000)
	bodies := []string{
		hostile,
		"<html>" + hostile,
		fmt.Sprintf(`{"error":%q,"error_code":24,"status":"error"}`, hostile),
		fmt.Sprintf(`{"error":%q,"error_code":%q}`, hostile, hostile),
		fmt.Sprintf(`{"status":"error","error":{"code":%q,"message":%q}}`, hostile, hostile),
		fmt.Sprintf(`{"status":"error","error":{"code":"LINK_DOWN","message":%q}}`, hostile),
		fmt.Sprintf(`{"download":%q,"status":"success","data":{"link":%q}}`, hostile, hostile),
	}
	forServices(t, func(t *testing.T, s fakeService) {
		b := newBench(t, s)
		p := b.provider(t, s.name)
		for _, status := range []int{200, 400, 403, 404, 429, 451, 500, 503} {
			for _, body := range bodies {
				s.Set("", debridfake.Answer{Status: status, Body: body})
				_, errUnlock := p.Unlock(t.Context(), s.account(), testLink, false)
				_, errCheck := b.Check(t.Context(), s.account())
				_, errHosters := p.Supports(t.Context(), s.account(), "rapid.example")
				_, errLogin := b.StartLogin(t.Context(), s.name, "")
				for _, err := range []error{errUnlock, errCheck, errHosters, errLogin} {
					if err != nil {
						hasNone(t, "an error", fmt.Sprintf("%v %+v", err, err), secrets...)
						if len(err.Error()) > 1000 {
							t.Errorf("an error has %d bytes", len(err.Error()))
						}
					}
				}
			}
		}
		hasNone(t, "the log", b.log.String(), secrets...)
		hasNone(t, "an address", b.calls.all(), secrets...)
	})
}

// failingCall fails like a network.
func failingCall(err error) func(*debrid.Options) {
	return func(o *debrid.Options) {
		o.Call = func(context.Context, fetch.Request) (*fetch.Response, error) { return nil, err }
	}
}

func TestUnanswered(t *testing.T) {
	secret := fmt.Errorf("dial: %s with %s", testLink, testKey)
	cases := []struct {
		name string
		err  error
		want want
	}{
		{"dns", &fetch.Error{Reason: fetch.ReasonDNS, Err: secret}, want{kind: cooling, cooldown: outage, transport: true}},
		{"tls", &fetch.Error{Reason: fetch.ReasonTLS, Err: secret}, want{kind: cooling, cooldown: outage, transport: true}},
		{"timeout", &fetch.Error{Reason: fetch.ReasonTimeout, Err: secret}, want{kind: cooling, cooldown: outage, transport: true}},
		{"broken off", &fetch.Error{Reason: fetch.ReasonRead, Err: secret}, want{kind: cooling, cooldown: outage, transport: true}},
		{"busy", &fetch.Error{Reason: fetch.ReasonBusy, Err: secret}, want{kind: badItem}},
		{"too large", &fetch.Error{Reason: fetch.ReasonTooLarge, Err: secret}, want{kind: badItem}},
		{"key that cannot be sent", &fetch.Error{Reason: fetch.ReasonHeader, Err: secret}, want{kind: badAuth}},
		{"another error", secret, want{kind: cooling, cooldown: outage, transport: true}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, http.NotFoundHandler(), failingCall(c.err))
				for _, s := range newServices() {
					_, err := b.provider(t, s.name).Unlock(t.Context(), s.account(), testLink, false)
					c.want.check(t, err)
					hasNone(t, "the error", err.Error(), testKey, "7d1c55a0e9b2")
				}
				hasNone(t, "the log", b.log.String(), testKey, "7d1c55a0e9b2")
			})
		})
	}
}

// Nothing that a login shows or holds prints its secret.
func TestDeviceHidesItsState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, s := range newServices() {
			b := newBench(t, s)
			d, err := b.StartLogin(t.Context(), s.name, "")
			if err != nil {
				t.Fatal(err)
			}
			hasNone(t, "the device", fmt.Sprintf("%v %+v %#v", d, d, &d), debridfake.RealDebridDeviceCode, debridfake.AllDebridCheck)
			hasNone(t, "the log", b.log.String(), debridfake.RealDebridDeviceCode, debridfake.AllDebridCheck)
		}
	})
}

func TestNames(t *testing.T) {
	d := newBench(t, http.NotFoundHandler())
	names := d.Names()
	if len(names) < 2 || names[0] != "real_debrid" || names[1] != "all_debrid" {
		t.Errorf("Names = %v", names)
	}
	for i, p := range d.Providers() {
		if p.Name() != names[i] || p.Title() != sources.ProviderTitle(names[i]) {
			t.Errorf("provider %d is %q, %q", i, p.Name(), p.Title())
		}
	}
	if _, err := d.Check(t.Context(), sources.Account{Provider: "nobody"}); err == nil || !strings.Contains(err.Error(), "real_debrid") {
		t.Errorf("Check says %v, want the names there are", err)
	}
	if _, err := d.StartLogin(t.Context(), "nobody", ""); err == nil || errors.Is(err, debrid.ErrNoLogin) {
		t.Errorf("StartLogin says %v", err)
	}
}

func TestBaseURL(t *testing.T) {
	roots := map[string]string{"real_debrid": "/rest/1.0", "all_debrid": "/v4"}
	own := map[string]string{"real_debrid": "https://api.real-debrid.com", "all_debrid": "https://api.alldebrid.com"}
	forServices(t, func(t *testing.T, s fakeService) {
		for _, base := range []string{"", "http://h.test:81", "http://h.test:81/", "http://h.test:81" + roots[s.name], "http://h.test:81" + roots[s.name] + "/"} {
			b := newBench(t, s)
			a := s.account()
			a.BaseURL = base
			if _, err := b.provider(t, s.name).Unlock(t.Context(), a, testLink, false); err != nil {
				t.Errorf("%q: %v", base, err)
			}
			start := "http://h.test:81/"
			if base == "" {
				start = own[s.name]
			}
			if !strings.HasPrefix(b.calls.all(), start) {
				t.Errorf("%q: called %s", base, b.calls.all())
			}
		}
	})
}

// FuzzHostileAnswer lets the services say anything: the error is of a known kind and holds
// no secret, and nothing runs away.
func FuzzHostileAnswer(f *testing.F) {
	f.Add(200, `{"status":"success","data":{"link":"https://a.example/","delayed":7,"streams":[{"id":1}]},"download":"https://a.example/"}`, "")
	f.Add(503, `{"error":"hoster_unavailable","error_code":19}`, "7")
	f.Add(200, `{"status":"error","error":{"code":"LINK_DOWN","message":"<a href='https://x.example/?token=1'>down</a>"}}`, "")
	f.Add(429, "<html>", "Sat, 01 Jan 2000 00:01:30 GMT")
	f.Add(200, `{"success":false,"error":"floodDetected","value":{"downloadUrl":1e999}}`, "-1")
	f.Add(200, `[[[[`, "")
	f.Fuzz(func(t *testing.T, status int, body, retryAfter string) {
		if status < 100 || status > 999 {
			t.Skip("no status of HTTP")
		}
		synctest.Test(t, func(t *testing.T) {
			call := func(context.Context, fetch.Request) (*fetch.Response, error) {
				return &fetch.Response{Status: status, Header: http.Header{"Retry-After": {retryAfter}}, Body: []byte(body)}, nil
			}
			d := debrid.New(debrid.Options{Call: call, Now: func() time.Time { return time.Unix(1_800_000_000, 0) }})
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			for _, p := range d.Providers() {
				a := sources.Account{User: 1, Provider: p.Name(), Key: testKey}
				s, err := p.Unlock(ctx, a, testLink, false)
				if err == nil {
					if !strings.HasPrefix(s.URL, "http") || s.ExpiresAt.IsZero() {
						t.Errorf("stream = %+v", s)
					}
					continue
				}
				var e *sources.ProviderStreamUnavailableError
				if !errors.As(err, &e) {
					t.Fatalf("%s: %v is no *sources.ProviderStreamUnavailableError", p.Name(), err)
				}
				if e.Cooldown != nil && (*e.Cooldown < 0 || *e.Cooldown > 31*24*time.Hour) {
					t.Errorf("%s: cooldown %s", p.Name(), *e.Cooldown)
				}
				hasNone(t, "the error", err.Error(), testKey, testLink)
				_, _ = p.Supports(ctx, a, "rapid.example")
				_, _ = d.Check(ctx, a)
				_, _ = d.StartLogin(ctx, p.Name(), "")
			}
		})
	})
}
