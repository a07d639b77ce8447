package debrid_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"xship/sources"
	"xship/sources/debrid"
	"xship/sources/sourcetest/debridfake"
)

// realDebridBench is Real-Debrid with its fake.
type realDebridBench struct {
	*bench
	fake    *debridfake.RealDebrid
	p       sources.Provider
	account sources.Account
	renewed []sources.Account // before and after, in turn
}

func newRealDebridBench(t *testing.T) *realDebridBench {
	t.Helper()
	r := &realDebridBench{
		fake:    debridfake.NewRealDebrid(streamOf),
		account: sources.Account{User: sources.DefaultUser, Provider: "real_debrid", Key: testKey},
	}
	r.fake.AcceptKey(testKey)
	r.fake.SetHosters("rapid.example")
	r.bench = newBench(t, r.fake, func(o *debrid.Options) {
		o.Renewed = func(before, after sources.Account) error {
			r.renewed = append(r.renewed, before, after)
			return nil
		}
	})
	r.p = r.provider(t, "real_debrid")
	return r
}

// A folder of a hoster is unlocked where it can mean one file.
func TestRealDebridFolder(t *testing.T) {
	const folder = "https://rapid.example/dir/8812"
	many := make([]string, 21)
	for i := range many {
		many[i] = fmt.Sprintf("https://rapid.example/f/%d a%d.nfo", i, i)
	}
	tests := []struct {
		name  string
		files []string
		want  string // link of the file, "" = none
		says  string
	}{
		{"one file", []string{"https://rapid.example/f/1"}, "https://rapid.example/f/1", ""},
		{"a film and its sample", []string{"https://rapid.example/f/1 Film.sample.mkv", "https://rapid.example/f/2 Film.mkv"}, "https://rapid.example/f/2", ""},
		{"two episodes", []string{"https://rapid.example/f/1 S01E01.mkv", "https://rapid.example/f/2 S01E02.mkv"}, "", "holds 2 videos"},
		{"no video", []string{"https://rapid.example/f/1 a.r00", "https://rapid.example/f/2 a.r01"}, "", "is a video"},
		{"nothing", nil, "", "hoster_unsupported"},
		{"many files", many, "", "holds 21 files"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRealDebridBench(t)
				r.fake.SetFolder(folder, tt.files...)
				s, err := r.p.Unlock(t.Context(), r.account, folder, false)
				if tt.want != "" {
					if err != nil || s.URL != streamOf(tt.want) {
						t.Errorf("Unlock = %q, %v", s.URL, err)
					}
					return
				}
				thisLink.check(t, err)
				if !strings.Contains(err.Error(), tt.says) {
					t.Errorf("error %q does not say %q", err, tt.says)
				}
				hasNone(t, "the error", err.Error(), "8812")
			})
		})
	}
}

// The number of an error is optional: its words say as much.
func TestRealDebridWords(t *testing.T) {
	for words, code := range map[string]string{"hoster_unsupported": "16", "traffic_exhausted": "23", "bad_token": "8", "too_many_requests": "34"} {
		synctest.Test(t, func(t *testing.T) {
			r := newRealDebridBench(t)
			r.fake.Status(http.StatusServiceUnavailable, nil, `{"error":"`+words+`"}`)
			_, err := r.p.Unlock(t.Context(), r.account, testLink, false)
			t.Log(words)
			codeCases["real_debrid"][code].check(t, err)
		})
	}
}

func TestRealDebridUnlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRealDebridBench(t)
		s, err := r.p.Unlock(t.Context(), r.account, testLink, false)
		if err != nil {
			t.Fatal(err)
		}
		if s.URL != streamOf(testLink) || s.MIME != "video/x-matroska" || time.Until(s.ExpiresAt) != time.Hour {
			t.Errorf("stream = %+v", s)
		}
		r.fake.OnlyAlternatives(true)
		if s, err = r.p.Unlock(t.Context(), r.account, testLink, false); err != nil || s.URL != streamOf(testLink) || s.MIME != "video/mp4" {
			t.Errorf("stream = %+v, %v, want the alternative", s, err)
		}
		_, err = r.p.Unlock(t.Context(), r.account, "https://other.example/f/1", false)
		thisLink.check(t, err)
	})
}

func TestRealDebridOddAnswers(t *testing.T) {
	cases := []struct{ name, body, mime string }{
		{"numbers as text", `{"filesize":"0","streamable":"1","download":"https://cdn.debrid.example/a.mp4"}`, ""},
		{"nulls", `{"mimeType":null,"alternative":null,"download":"https://cdn.debrid.example/a.mp4"}`, ""},
		{"byte order mark", "\ufeff" + `{"mimeType":"Video/MP4; x=1","download":"https://cdn.debrid.example/a.mp4"}`, "video/mp4"},
		{"no useful type", `{"mimeType":"application/octet-stream","download":" https://cdn.debrid.example/a.mp4 "}`, ""},
		{"bad alternatives", `{"download":"","alternative":[7,{"download":7},{"download":"https://cdn.debrid.example/a.mp4"}]}`, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRealDebridBench(t)
				r.fake.Status(http.StatusOK, nil, c.body)
				s, err := r.p.Unlock(t.Context(), r.account, testLink, false)
				if err != nil || s.URL != "https://cdn.debrid.example/a.mp4" || s.MIME != c.mime {
					t.Errorf("stream = %+v, %v", s, err)
				}
			})
		})
	}
}

// The body counts before the status, also where that says that all is well.
func TestRealDebridRefusalWith200(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRealDebridBench(t)
		for code, w := range map[string]want{
			"34": {kind: cooling, grow: true}, "429": {kind: cooling, grow: true}, "8": {kind: badAuth}, "24": {kind: deadLink},
		} {
			r.fake.Status(http.StatusOK, nil, `{"error":"no","error_code":`+code+`}`)
			_, err := r.p.Unlock(t.Context(), r.account, testLink, false)
			w.check(t, err)
		}
	})
}

func TestRealDebridCheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRealDebridBench(t)
		info, err := r.Check(t.Context(), r.account)
		if err != nil {
			t.Fatal(err)
		}
		if info.Login != "xs***" || info.Plan != "premium" || !info.Premium || info.PremiumUntil.Year() != 2099 ||
			len(info.Notes) != 1 || info.Notes[0] != "1830 fidelity points" {
			t.Errorf("info = %+v", info)
		}
	})
}

func TestRealDebridLogin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRealDebridBench(t)
		d, err := r.StartLogin(t.Context(), "real_debrid", "http://debrid.test/rest/1.0/")
		if err != nil {
			t.Fatal(err)
		}
		if d.UserCode != debridfake.RealDebridUserCode || d.VerificationURL != debridfake.RealDebridLoginURL ||
			d.Interval != 5*time.Second || time.Until(d.ExpiresAt) != 30*time.Minute {
			t.Errorf("device = %+v", d)
		}
		for range 2 {
			if _, done, err := r.PollLogin(t.Context(), d); err != nil || done {
				t.Fatalf("PollLogin = %t, %v before the code was entered", done, err)
			}
		}
		r.fake.EnterCode("login-key-8fe2")
		a, done, err := r.PollLogin(t.Context(), d)
		if err != nil || !done {
			t.Fatalf("PollLogin = %t, %v", done, err)
		}
		if a.Key != "login-key-8fe2" || a.Refresh.Reveal() != r.fake.Refresh() || a.Provider != "real_debrid" || a.BaseURL != "http://debrid.test/rest/1.0/" {
			t.Errorf("account = %+v, key %q, refresh %q", a, a.Key.Reveal(), a.Refresh.Reveal())
		}
		if _, err := r.p.Unlock(t.Context(), a, testLink, false); err != nil {
			t.Errorf("the account does not work: %v", err)
		}
	})
}

func TestRealDebridLoginTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRealDebridBench(t)
		d, err := r.StartLogin(t.Context(), "real_debrid", "")
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(30 * time.Minute)
		_, _, err = r.PollLogin(t.Context(), d)
		want{kind: badAuth}.check(t, err)
	})
}

func TestRealDebridRenewal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRealDebridBench(t)
		r.account.Refresh = sources.Secret(r.fake.Refresh())
		r.fake.ExpireKey(testKey, "next-key-2")
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				if _, err := r.p.Unlock(t.Context(), r.account, testLink, false); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if n := r.fake.Calls(debridfake.RealDebridToken); n != 1 {
			t.Errorf("renewed %d times, want once", n)
		}
		if len(r.renewed) != 2 || r.renewed[0].Key != testKey || r.renewed[1].Key != "next-key-2" || r.renewed[1].User != r.account.User {
			t.Errorf("told of %d accounts: %+v", len(r.renewed), r.renewed)
		}
		// Who still holds the old key uses the new one, and so on.
		before := r.fake.Unlocks()
		if _, err := r.p.Unlock(t.Context(), r.account, testLink, false); err != nil || r.fake.Unlocks() != before+1 {
			t.Errorf("unlocking with the old account: %v, %d calls", err, r.fake.Unlocks()-before)
		}
		r.fake.ExpireKey("next-key-2", "next-key-3")
		if _, err := r.p.Unlock(t.Context(), r.account, testLink, false); err != nil || r.fake.Calls(debridfake.RealDebridToken) != 2 {
			t.Errorf("the second renewal: %v", err)
		}
		if _, err := r.Check(t.Context(), r.account); err != nil {
			t.Error(err)
		}
	})
}

func TestRealDebridRenewalFailing(t *testing.T) {
	refresh := sources.Secret(debridfake.NewRealDebrid(streamOf).Refresh())
	cases := []struct {
		name    string
		refresh sources.Secret
		set     func(*debridfake.RealDebrid)
		want    want
	}{
		{"no refresh", "", func(*debridfake.RealDebrid) {}, want{kind: badAuth}},
		{"unreadable refresh", "{", func(*debridfake.RealDebrid) {}, want{kind: badAuth}},
		{"refused", refresh, func(*debridfake.RealDebrid) {}, want{kind: badAuth}},
		{"limited", refresh, func(f *debridfake.RealDebrid) {
			f.Set(debridfake.RealDebridToken, debridfake.Answer{Status: 429})
		}, want{kind: cooling, grow: true}},
		{"broken", refresh, func(f *debridfake.RealDebrid) {
			f.Set(debridfake.RealDebridToken, debridfake.Answer{Status: 502, Body: "<html>"})
		}, want{kind: cooling, cooldown: outage}},
		{"blocked by a proxy", refresh, func(f *debridfake.RealDebrid) {
			f.Set(debridfake.RealDebridToken, debridfake.Answer{Status: 403, Body: "<html>"})
		}, want{kind: cooling, cooldown: outage}},
		{"hanging", refresh, func(f *debridfake.RealDebrid) {
			f.Set(debridfake.RealDebridToken, hang)
		}, want{kind: cooling, cooldown: outage, transport: true}},
		{"new key refused too", refresh, func(f *debridfake.RealDebrid) {
			f.ExpireKey(testKey, "next-key-2")
			f.Fail("8")
		}, want{kind: badAuth}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRealDebridBench(t)
				r.account.Refresh = c.refresh
				r.fake.RevokeKey(testKey)
				c.set(r.fake)
				_, err := r.p.Unlock(t.Context(), r.account, testLink, false)
				c.want.check(t, err)
				if n := r.fake.Calls(""); n > 3 {
					t.Errorf("made %d calls: the renewal must not repeat", n)
				}
				hasNone(t, "the error", err.Error(), testKey, debridfake.RealDebridClientSecret, debridfake.RealDebridRefreshToken, "next-key-2")
				hasNone(t, "the log", r.log.String(), testKey, debridfake.RealDebridClientSecret, debridfake.RealDebridRefreshToken, "next-key-2")
			})
		})
	}
}

// A key that cannot be kept still works.
func TestRealDebridRenewalNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRealDebridBench(t)
		b := newBench(t, r.fake, func(o *debrid.Options) {
			o.Renewed = func(sources.Account, sources.Account) error { return errors.New("the file is read-only") }
		})
		r.account.Refresh = sources.Secret(r.fake.Refresh())
		r.fake.ExpireKey(testKey, "next-key-2")
		if _, err := b.provider(t, "real_debrid").Unlock(t.Context(), r.account, testLink, false); err != nil {
			t.Error(err)
		}
		hasNone(t, "the log", b.log.String(), testKey, "next-key-2")
		if !strings.Contains(b.log.String(), "the file is read-only") {
			t.Errorf("the log does not tell:\n%s", b.log)
		}
	})
}

// One who leaves does not end the renewal: the refresh token may be used up by it.
func TestRealDebridRenewalSurvivesTheFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRealDebridBench(t)
		r.account.Refresh = sources.Secret(r.fake.Refresh())
		r.fake.ExpireKey(testKey, "next-key-2")
		release := make(chan struct{})
		b := newBench(t, r.fake, func(o *debrid.Options) { o.Call = gatedAt(o.Call, debridfake.RealDebridToken, release) })
		p := b.provider(t, "real_debrid")
		ctx, leave := context.WithCancel(t.Context())
		first := make(chan error, 1)
		go func() {
			_, err := p.Unlock(ctx, r.account, testLink, false)
			first <- err
		}()
		synctest.Wait()
		leave()
		if err := <-first; !errors.Is(err, context.Canceled) {
			t.Errorf("the first got %v", err)
		}
		close(release)
		if _, err := p.Unlock(t.Context(), r.account, testLink, false); err != nil {
			t.Error(err)
		}
		if n := r.fake.Calls(debridfake.RealDebridToken); n != 1 {
			t.Errorf("renewed %d times, want once", n)
		}
	})
}
