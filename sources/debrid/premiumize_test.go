package debrid_test

import (
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/sources/debrid"
	"xship/sources/sourcetest/debridfake"
)

func newPremiumize() preparing { return debridfake.NewPremiumize(signedFor) }

func TestPremiumize_messages(t *testing.T) {
	tests := []struct {
		message string
		want    want
	}{
		{"Too many API requests, slow down.", want{kind: cooling, grow: true}},
		{"slow_down", want{kind: cooling, grow: true}},
		{"Unsupported link for direct download.", thisLink},
		{"Error downloading this file", thisLink},
		{"Not logged in.", want{kind: badAuth}},
		{"Account not premium.", want{kind: badAuth}},
		{"Fair use limit reached!", want{kind: usedUp, reset: midnight}},
		{"You already have a maximum of 25 active downloads in progress!", quotaFor(rest)},
		{"Something else.", want{kind: badItem}},
	}
	for _, tt := range tests {
		t.Run(tt.message, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fake := newPremiumize()
				tr := newTrial(t, "premiumize", fake)
				fake.Status(http.StatusOK, nil, `{"status":"error","message":"`+tt.message+`"}`)
				tr.refused(t.Context(), tt.want)
			})
		})
	}
}

// A code says more than the status that it comes with.
func TestPremiumize_codeBeforeStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newPremiumize()
		tr := newTrial(t, "premiumize", fake)
		fake.Status(http.StatusServiceUnavailable, nil, `{"status":"error","code":"not_found","message":"gone"}`)
		tr.refused(t.Context(), want{kind: deadLink})
	})
}

func TestPremiumize_aliases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrial(t, "premiumize", newPremiumize())
		tr.supports(map[string]bool{"alias-files.example": true, "cacheonly.example": false})
	})
}

// Older answers have no list of files.
func TestPremiumize_locationAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newPremiumize()
		tr := newTrial(t, "premiumize", fake)
		fake.Status(http.StatusOK, nil, `{"status":"success","location":"https://cdn.example/a.mp4","filesize":"12","content":null}`)
		if got, err := tr.unlock(t.Context(), trialLink); err != nil || got.URL != "https://cdn.example/a.mp4" {
			t.Errorf("Unlock = %q, %v", got.URL, err)
		}
	})
}

func TestPremiumize_streamExpiresSooner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(30 * 365 * 24 * time.Hour) // until Unix times have ten digits
		soon := time.Now().Add(20 * time.Minute)
		fake := debridfake.NewPremiumize(func(string) string {
			return "https://cdn.example/file.mp4?exp=" + strconv.FormatInt(soon.Unix(), 10)
		})
		got, err := newTrial(t, "premiumize", fake).unlock(t.Context(), trialLink)
		if err != nil || !got.ExpiresAt.Equal(soon) {
			t.Errorf("Unlock expires at %v, %v, want %v", got.ExpiresAt, err, soon)
		}
	})
}

func TestPremiumize_freeAccount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, until := range []string{"null", "false", "0", `"946000000"`} {
			fake := newPremiumize()
			tr := newTrial(t, "premiumize", fake)
			fake.Set(debridfake.PremiumizeAccount, debridfake.Answer{Body: `{"status":"success","customer_id":"77","premium_until":` + until + `}`})
			got, err := tr.Check(t.Context(), tr.account)
			if err != nil {
				t.Fatalf("Check: %v", err)
			}
			got.PremiumUntil = time.Time{} // the last one ended in 1999
			if diff := cmp.Diff(debrid.AccountInfo{Login: "77***", Plan: "free"}, got); diff != "" {
				t.Errorf("premium_until %s: Check (-want +got):\n%s", until, diff)
			}
		}
	})
}
