package debrid_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"xship/sources"
	"xship/sources/sourcetest/debridfake"
)

// allDebridBench is AllDebrid with its fake.
type allDebridBench struct {
	*bench
	fake    *debridfake.AllDebrid
	p       sources.Provider
	account sources.Account
}

func newAllDebridBench(t *testing.T) *allDebridBench {
	t.Helper()
	a := &allDebridBench{
		fake:    debridfake.NewAllDebrid(streamOf),
		account: sources.Account{User: sources.DefaultUser, Provider: "all_debrid", Key: testKey},
	}
	a.fake.AcceptKey(testKey)
	a.fake.SetHosters("rapid.example")
	a.bench = newBench(t, a.fake)
	a.p = a.provider(t, "all_debrid")
	return a
}

func (a *allDebridBench) unlock(t *testing.T) {
	t.Helper()
	s, err := a.p.Unlock(t.Context(), a.account, testLink, false)
	if err != nil {
		t.Fatal(err)
	}
	if s.URL != streamOf(testLink) || time.Until(s.ExpiresAt) != 24*time.Hour {
		t.Errorf("stream = %+v", s)
	}
}

func TestAllDebridUnlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAllDebridBench(t)
		a.unlock(t)
		if n := len(a.calls.times()); n != 1 {
			t.Errorf("made %d calls, want 1", n)
		}
	})
}

func TestAllDebridStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAllDebridBench(t)
		a.fake.OfferStreams(true)
		a.unlock(t)
		a.fake.Delay(1)
		a.unlock(t)
	})
}

// Polls come every 5 s at most, and less often the longer it takes
// (Listenarrs/Listenarr#638, rogerfar/rdt-client#840).
func TestAllDebridDelayed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAllDebridBench(t)
		a.fake.Delay(4)
		a.unlock(t)
		times := a.calls.times()
		if len(times) != 6 {
			t.Fatalf("made %d calls, want 6", len(times))
		}
		last := time.Duration(0)
		for i := range times[1:] {
			wait := times[i+1].Sub(times[i])
			if wait < 5*time.Second || wait < last {
				t.Errorf("poll %d after %s, the one before after %s", i+1, wait, last)
			}
			last = wait
		}
	})
}

func TestAllDebridDelayedTooLong(t *testing.T) {
	cases := []struct {
		name    string
		timeout time.Duration
		set     func(*debridfake.AllDebrid)
		after   time.Duration
	}{
		{"deadline before the first poll", 4 * time.Second, func(f *debridfake.AllDebrid) { f.Delay(1) }, 0},
		{"deadline later", 20 * time.Second, func(f *debridfake.AllDebrid) { f.Delay(100) }, 12500 * time.Millisecond},
		{"failed", time.Minute, func(f *debridfake.AllDebrid) { f.Delay(1); f.FailDelayed(true) }, 5 * time.Second},
		{"patience", time.Hour, func(f *debridfake.AllDebrid) { f.Delay(100) }, 108750 * time.Millisecond},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newAllDebridBench(t)
				c.set(a.fake)
				ctx, cancel := context.WithTimeout(t.Context(), c.timeout)
				defer cancel()
				began := time.Now()
				_, err := a.p.Unlock(ctx, a.account, testLink, false)
				want{kind: badItem}.check(t, err)
				if d := time.Since(began); d > c.timeout || c.after > 0 && (d < c.after-10*time.Second || d > c.after+10*time.Second) {
					t.Errorf("it took %s, want about %s", d, c.after)
				}
			})
		})
	}
}

func TestAllDebridDelayedCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAllDebridBench(t)
		a.fake.Delay(100)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(7*time.Second, cancel)
		if _, err := a.p.Unlock(ctx, a.account, testLink, false); !errors.Is(err, context.Canceled) {
			t.Errorf("error = %v, want context.Canceled", err)
		}
	})
}

func TestAllDebridHosters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAllDebridBench(t)
		a.fake.Set(debridfake.AllDebridHosters, debridfake.Answer{Body: `{"status":"success","data":{
			"hosts":{"a":{"domains":["rapid.example","rapid.alt.example"],"status":false,"regexps":["("]},"b":7,"c":{"domains":"turbo.example"},"d":{"domains":null}},
			"streams":{"old":{"domains":["old.example"]}},
			"redirectors":{"r":{"domains":["short.example"]}}}}`})
		a.fake.Set(debridfake.AllDebridSites, debridfake.Answer{Body: `{"status":"success","data":{
			"hosts":{"z":{"domains":["not-for-this-account.example"]}},
			"streams":{"video":{"domains":["video.example",null,7]},"x":null},
			"redirectors":{"r":{"domains":["short.example"]}}}}`})
		for hoster, want := range map[string]bool{
			"rapid.example": true, "alt.example": true, "turbo.example": true, "video.example": true, "short.example": false,
			"old.example": false, "not-for-this-account.example": false,
		} {
			if got, err := a.p.Supports(t.Context(), a.account, hoster); err != nil || got != want {
				t.Errorf("Supports(%q) = %t, %v, want %t", hoster, got, err, want)
			}
		}
	})
}

// A list without the stream sites is not kept.
func TestAllDebridSites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAllDebridBench(t)
		a.fake.SetSites("video.example")
		a.fake.Set(debridfake.AllDebridSites, debridfake.Answer{Status: http.StatusBadGateway})
		_, err := a.p.Supports(t.Context(), a.account, "rapid.example")
		inTrouble.check(t, err)
		a.fake.Work()
		time.Sleep(10 * time.Second)
		for _, hoster := range []string{"rapid.example", "video.example"} {
			if got, err := a.p.Supports(t.Context(), a.account, hoster); err != nil || !got {
				t.Errorf("Supports(%q) = %t, %v", hoster, got, err)
			}
		}
		a.fake.OfferStreams(true)
		const film = "https://video.example/watch/7"
		if s, err := a.p.Unlock(t.Context(), a.account, film, false); err != nil || s.URL != streamOf(film) {
			t.Errorf("Unlock = %q, %v", s.URL, err)
		}
	})
}

// The highest picture is taken, however its quality is written.
func TestAllDebridQualities(t *testing.T) {
	for _, tt := range []struct{ low, high string }{
		{`"360p"`, `"1080p60"`},
		{`"720p"`, `"1080p"`},
		{`720`, `"1080p 60fps"`},
		{`"1080p"`, `"4K"`},
		{`"1440p60"`, `"2160p"`},
		{`"1280x720"`, `"1920x1080"`},
		{`"best"`, `144`},
		{`"audio"`, `"240p"`},
		{`"480"`, `"1080P60 HDR"`},
		{`"4k"`, `"8K"`},
	} {
		for _, highFirst := range []bool{true, false} {
			synctest.Test(t, func(t *testing.T) {
				a := newAllDebridBench(t)
				streams := []string{`{"id":"low","ext":"mp4","quality":` + tt.low + `,"filesize":9000}`, `{"id":"best","ext":"mp4","quality":` + tt.high + `}`}
				if highFirst {
					slices.Reverse(streams)
				}
				a.fake.OfferStreams(true)
				a.unlock(t) // which makes the choice known by the id 1
				a.fake.Status(http.StatusOK, nil, `{"status":"success","data":{"link":"","id":"1","streams":[`+strings.Join(streams, ",")+`]}}`)
				t.Log(tt)
				a.unlock(t)
			})
		}
	}
}

func TestAllDebridOddAnswers(t *testing.T) {
	cases := []struct {
		name, body string
		ok         bool
	}{
		{"delayed false", `{"status":"success","data":{"link":"https://cdn.debrid.example/a","id":7,"delayed":false,"streams":null}}`, true},
		{"status 403 that succeeds", `{"status":"success","data":{"link":"https://cdn.debrid.example/a"}}`, true},
		{"nothing promised", `{"status":"success","data":{"link":"","delayed":0}}`, false},
		{"only sound", `{"status":"success","data":{"id":"1","streams":[{"id":"a","ext":"mp3"}]}}`, false},
		{"streams of another shape", `{"status":"success","data":{"streams":"none"}}`, false},
		{"no status", `{"data":{"link":"https://cdn.debrid.example/a"}}`, false},
		{"error without a code", `{"status":"error"}`, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newAllDebridBench(t)
				a.fake.Status(http.StatusOK, nil, c.body)
				s, err := a.p.Unlock(t.Context(), a.account, testLink, false)
				if c.ok {
					if err != nil || s.URL != "https://cdn.debrid.example/a" {
						t.Errorf("stream = %+v, %v", s, err)
					}
					return
				}
				want{kind: badItem}.check(t, err)
			})
		})
	}
}

func TestAllDebridCheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAllDebridBench(t)
		info, err := a.Check(t.Context(), a.account)
		if err != nil {
			t.Fatal(err)
		}
		if info.Login != "xs***" || info.Plan != "premium" || !info.Premium || info.PremiumUntil.UTC().Year() != 2099 || len(info.Notes) != 1 {
			t.Errorf("info = %+v", info)
		}
		a.account.Key = "another"
		_, err = a.Check(t.Context(), a.account)
		want{kind: badAuth}.check(t, err)
		a.account.Key = ""
		_, err = a.Check(t.Context(), a.account)
		want{kind: badAuth}.check(t, err)
	})
}

func TestAllDebridLogin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAllDebridBench(t)
		d, err := a.StartLogin(t.Context(), "all_debrid", "")
		if err != nil {
			t.Fatal(err)
		}
		if d.UserCode != debridfake.AllDebridUserCode || d.VerificationURL != debridfake.AllDebridLoginURL ||
			d.Interval != 5*time.Second || time.Until(d.ExpiresAt) != 10*time.Minute {
			t.Errorf("device = %+v", d)
		}
		if _, done, err := a.PollLogin(t.Context(), d); err != nil || done {
			t.Fatalf("PollLogin = %t, %v before the code was entered", done, err)
		}
		a.fake.EnterCode("login-key-8fe2")
		account, done, err := a.PollLogin(t.Context(), d)
		if err != nil || !done || account.Key != "login-key-8fe2" || account.Refresh != "" {
			t.Fatalf("PollLogin = %+v, %t, %v", account, done, err)
		}
		a.fake.Set(debridfake.AllDebridPINCheck, debridfake.Answer{Body: `{"status":"error","error":{"code":"PIN_EXPIRED","message":"expired"}}`})
		_, _, err = a.PollLogin(t.Context(), d)
		want{kind: badAuth}.check(t, err)
	})
}
