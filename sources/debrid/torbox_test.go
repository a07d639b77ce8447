package debrid_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/sources"
	"xship/sources/debrid"
	"xship/sources/sourcetest/debridfake"
)

func newTorBox() preparing { return debridfake.NewTorBox(signedFor) }

// A limit of the account may come as 429: then the account rests until its reset.
func TestTorBox_codeBeforeStatus(t *testing.T) {
	tests := []struct {
		status int
		code   string
		want   want
	}{
		{http.StatusTooManyRequests, "ACTIVE_LIMIT", quotaFor(rest)},
		{http.StatusTooManyRequests, "SOMETHING", want{kind: cooling, grow: true}},
		{http.StatusOK, "LINK_OFFLINE", want{kind: deadLink}},
		{http.StatusInternalServerError, "LINK_OFFLINE", want{kind: deadLink}},
		{http.StatusInternalServerError, "", want{kind: cooling, cooldown: outage}},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.status, tt.code), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fake := newTorBox()
				tr := newTrial(t, "torbox", fake)
				fake.Status(tt.status, nil, `{"success":false,"error":"`+tt.code+`","detail":"no","data":null}`)
				tr.refused(t.Context(), tt.want)
			})
		})
	}
}

// The gate before TorBox has no codes: it names the limit, which may be one of an
// hour.
func TestTorBox_window(t *testing.T) {
	for body, w := range map[string]want{
		`{"detail":"60 per 1 hour"}`:    quotaFor(time.Hour),
		`60 per 1 hour`:                 quotaFor(time.Hour),
		`{"detail":"25 per 2 hours"}`:   quotaFor(2 * time.Hour),
		`{"detail":"1000 per 1 day"}`:   quotaFor(midnight),
		`{"detail":"300 per 1 minute"}`: tooMany,
		`300 per 1 minute`:              tooMany,
		`{"detail":"5 per 1 second"}`:   tooMany,
		`{"detail":"so per hour"}`:      tooMany,
		`{"detail":"1 per 400 day"}`:    tooMany,
	} {
		synctest.Test(t, func(t *testing.T) {
			fake := newTorBox()
			tr := newTrial(t, "torbox", fake)
			fake.Status(http.StatusTooManyRequests, nil, body)
			t.Log(body)
			tr.refused(t.Context(), w)
		})
	}
}

// A link that comes again is not downloaded again, not even where the first call
// had no time to wait for it.
func TestTorBox_duplicate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newTorBox()
		tr := newTrial(t, "torbox", fake)
		for _, link := range []string{"https://other.example/a.mkv", trialLink, trialLink} {
			tr.unlocked(link, link)
		}
	})
}

func TestTorBox_duplicateNamesItsID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newTorBox()
		tr := newTrial(t, "torbox", fake)
		if _, err := tr.unlock(t.Context(), trialLink); err != nil {
			t.Fatal(err)
		}
		fake.Status(http.StatusBadRequest, nil, `{"success":false,"error":"DUPLICATE_ITEM","data":{"webdownload_id":1}}`)
		lists := fake.Calls(debridfake.TorBoxList)
		tr.unlocked(trialLink, trialLink)
		if n := fake.Calls(debridfake.TorBoxList) - lists; n != 1 {
			t.Errorf("the list was asked for %d times, want 1", n)
		}
	})
}

func TestTorBox_downloadFails(t *testing.T) {
	for _, state := range []string{"failed", "error (hoster)", "Failed"} {
		t.Run(state, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fake := debridfake.NewTorBox(signedFor)
				tr := newTrial(t, "torbox", fake)
				fake.FailDownloads(state)
				began := time.Now()
				tr.refused(t.Context(), want{kind: badItem})
				if waited := time.Since(began); waited != 0 {
					t.Errorf("it waited %s for a download that has failed", waited)
				}
			})
		})
	}
}

func TestTorBox_downloadFailsForAReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newTorBox()
		tr := newTrial(t, "torbox", fake)
		fake.Set(debridfake.TorBoxList, debridfake.Answer{
			Body: `{"success":true,"data":[{"id":1,"download_state":"failed","error":"LINK_OFFLINE","download_present":false}]}`,
		})
		tr.refused(t.Context(), want{kind: deadLink})
	})
}

// TestTorBox_laterSteps has the steps after the first one fail.
func TestTorBox_laterSteps(t *testing.T) {
	tests := []struct {
		name     string
		endpoint string
		answer   debridfake.Answer
		want     want
	}{
		{"list limited", debridfake.TorBoxList, debridfake.Answer{Status: 429, Body: "5 per 1 second"}, want{kind: cooling, grow: true}},
		{"list broken", debridfake.TorBoxList, debridfake.Answer{Status: 500}, want{kind: cooling, cooldown: outage}},
		{
			"no files", debridfake.TorBoxList,
			debridfake.Answer{Body: `{"success":true,"data":{"id":1,"download_present":true,"files":[{"name":"a.mkv"}]}}`},
			want{kind: badItem},
		},
		{"link limited", debridfake.TorBoxLink, debridfake.Answer{Status: 429, Body: "80 per 1 minute"}, want{kind: cooling, grow: true}},
		{"link refused", debridfake.TorBoxLink, debridfake.Answer{Status: 403, Body: `{"success":false,"error":"PLAN_RESTRICTED_FEATURE"}`}, want{kind: badAuth}},
		{"link of another shape", debridfake.TorBoxLink, debridfake.Answer{Body: `{"success":true,"data":{"url":"x"}}`}, want{kind: badItem}},
		{"link of another scheme", debridfake.TorBoxLink, debridfake.Answer{Body: `{"success":true,"data":"magnet:?xt=1"}`}, want{kind: badItem}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fake := newTorBox()
				tr := newTrial(t, "torbox", fake)
				fake.Set(tt.endpoint, tt.answer)
				tr.refused(t.Context(), tt.want)
			})
		})
	}
}

// A new download may not be listed yet. That says nothing of the link.
func TestTorBox_notListedYet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newTorBox()
		tr := newTrial(t, "torbox", fake)
		fake.Set(debridfake.TorBoxList, debridfake.Answer{Status: 404, Body: `{"success":false,"error":"ITEM_NOT_FOUND","data":null}`})
		time.AfterFunc(7*time.Second, fake.Work)
		tr.unlocked(trialLink, trialLink)
	})
}

func TestTorBox_linkWithTheKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := debridfake.NewTorBox(func(string) string { return "https://api.example/requestdl?token=" + testKey + "&redirect=true" })
		tr := newTrial(t, "torbox", fake)
		tr.refused(t.Context(), want{kind: badItem})
	})
}

// The 60 new downloads of an hour do not use up the requests of the account.
func TestTorBox_creates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newTorBox()
		tr := newTrial(t, "torbox", fake)
		began := time.Now()
		var refused error
		for n := 0; refused == nil && n < 100; n++ {
			_, refused = tr.unlock(t.Context(), fmt.Sprintf("https://files.example/%d.mkv", n))
		}
		if got := fake.Unlocks(); got > 60 || got < 20 {
			t.Errorf("%d downloads were made, want some and not more than 60", got)
		}
		if sources.ClassOf(refused) != sources.ClassProviderCooling || time.Since(began) > time.Minute {
			t.Errorf("Unlock = %v (%s) after %s", refused, sources.ClassOf(refused), time.Since(began))
		}
		if _, err := tr.Check(t.Context(), tr.account); err != nil {
			t.Errorf("Check: %v", err)
		}
		time.Sleep(time.Hour)
		if _, err := tr.unlock(t.Context(), trialLink); err != nil {
			t.Errorf("Unlock an hour later: %v", err)
		}
	})
}

// What is so at the moment of the list is none of the list's.
func TestTorBox_hostersOfTheDay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := debridfake.NewTorBox(signedFor)
		tr := newTrial(t, "torbox", fake)
		fake.SetHosters("files.example", "down.example", "used.example")
		fake.SetOffline("down.example")
		fake.SetOverused("used.example")
		tr.supports(map[string]bool{"files.example": true, "down.example": true, "used.example": true})
	})
}

func TestTorBox_login(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := debridfake.NewTorBox(signedFor)
		tr := newTrial(t, "torbox", fake)
		device, err := tr.StartLogin(t.Context(), "torbox", "http://api.example")
		if err != nil {
			t.Fatalf("StartLogin: %v", err)
		}
		if device.UserCode != debridfake.TorBoxUserCode || device.VerificationURL != debridfake.TorBoxLoginURL || device.Interval != 5*time.Second {
			t.Errorf("StartLogin = %+v", device)
		}
		tr.noSecrets("the device", fmt.Sprintf("%+v %#v", device, device))
		if a, done, err := tr.PollLogin(t.Context(), device); done || err != nil {
			t.Fatalf("PollLogin before the code was entered = %+v, %t, %v", a, done, err)
		}
		fake.EnterCode(enteredKey)
		a, done, err := tr.PollLogin(t.Context(), device)
		if !done || err != nil || a.Key.Reveal() != enteredKey || a.Provider != "torbox" || a.BaseURL != "http://api.example" {
			t.Fatalf("PollLogin = %+v, %t, %v", a, done, err)
		}
		if _, err := tr.Check(t.Context(), a); err != nil {
			t.Errorf("Check: %v", err)
		}
	})
}

func TestTorBox_loginRefused(t *testing.T) {
	tests := []struct {
		name string
		body string
		want sources.Class
	}{
		{"expired", `{"success":false,"error":"INVALID_DEVICE","detail":"The code has expired."}`, sources.ClassProviderItem},
		{"no token", `{"success":true,"data":{}}`, sources.ClassProviderItem},
		{"down", `{"success":false,"error":"DATABASE_ERROR"}`, sources.ClassProviderCooling},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fake := newTorBox()
				tr := newTrial(t, "torbox", fake)
				device, err := tr.StartLogin(t.Context(), "torbox", "http://api.example")
				if err != nil {
					t.Fatalf("StartLogin: %v", err)
				}
				fake.Set(debridfake.TorBoxDeviceToken, debridfake.Answer{Body: tt.body})
				_, done, err := tr.PollLogin(t.Context(), device)
				if done || sources.ClassOf(err) != tt.want {
					t.Errorf("PollLogin = %t, %v (%s), want %s", done, err, sources.ClassOf(err), tt.want)
				}
			})
		})
	}
}

func TestTorBox_accounts(t *testing.T) {
	tests := []struct {
		name string
		data string
		want debrid.AccountInfo
	}{
		{"free", `{"email":"b@example.org","plan":0,"is_subscribed":false,"premium_expires_at":null}`, debrid.AccountInfo{Login: "b***@example.org", Plan: "free"}},
		{
			"resting", `{"email":"bo@example.org","plan":"1","is_subscribed":1,"cooldown_until":"2000-01-02T03:04:05Z"}`,
			debrid.AccountInfo{Login: "bo***@example.org", Plan: "essential", Premium: true, Notes: []string{"limited by TorBox until 2000-01-02 03:04 UTC"}},
		},
		{"new plan", `{"plan":9,"is_subscribed":true}`, debrid.AccountInfo{Plan: "plan 9", Premium: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fake := newTorBox()
				tr := newTrial(t, "torbox", fake)
				fake.Set(debridfake.TorBoxAccount, debridfake.Answer{Body: `{"success":true,"data":` + tt.data + `}`})
				got, err := tr.Check(t.Context(), tr.account)
				if err != nil {
					t.Fatalf("Check: %v", err)
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("Check (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// The key goes into the query of the one request that wants it there.
func TestTorBox_keyInQuery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &queries{TorBox: debridfake.NewTorBox(signedFor)}
		tr := newTrial(t, "torbox", fake)
		if _, err := tr.unlock(t.Context(), trialLink); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{debridfake.TorBoxLink}, fake.withKey); diff != "" {
			t.Errorf("endpoints with the key in the query (-want +got):\n%s", diff)
		}
	})
}

// queries notes which endpoints have the key in the query.
type queries struct {
	*debridfake.TorBox
	withKey []string
}

func (q *queries) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.Contains(r.URL.RawQuery, testKey) {
		q.withKey = append(q.withKey, r.URL.Path)
	}
	q.TorBox.ServeHTTP(w, r)
}
