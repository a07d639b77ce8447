package debrid_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/sources/debrid"
	"xship/sources/sourcetest/debridfake"
)

func newDebridLink() preparing { return debridfake.NewDebridLink(signedFor) }

func TestDebridLink_expired(t *testing.T) {
	for _, looks := range []int{0, 2} {
		synctest.Test(t, func(t *testing.T) {
			fake := debridfake.NewDebridLink(signedFor)
			tr := newTrial(t, "debrid_link", fake)
			fake.SetExpired(true)
			fake.Delay(looks)
			tr.refused(t.Context(), want{kind: badItem})
		})
	}
}

func TestDebridLink_listWhileItWaits(t *testing.T) {
	tests := []struct {
		name   string
		answer debridfake.Answer
		want   want
	}{
		{"not in it yet", debridfake.Answer{Body: `{"success":true,"value":[]}`}, want{kind: badItem}},
		{"limited", debridfake.Answer{Status: 429, Body: `{"success":false,"error":"floodDetected"}`}, thisLink},
		{"gone", debridfake.Answer{Status: 404, Body: `{"success":false,"error":"fileNotFound"}`}, want{kind: deadLink}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fake := newDebridLink()
				tr := newTrial(t, "debrid_link", fake)
				fake.Delay(1000)
				fake.Set(debridfake.DebridLinkList, tt.answer)
				tr.refused(t.Context(), tt.want)
			})
		})
	}
}

// One odd element does not spoil its neighbours.
func TestDebridLink_oddElements(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newDebridLink()
		tr := newTrial(t, "debrid_link", fake)
		fake.Status(200, nil, `{"success":true,"value":[null,"x",7,{"id":5,"name":"a.mkv","downloadUrl":"https://cdn.example/a.mkv","size":"big"}]}`)
		if got, err := tr.unlock(t.Context(), trialLink); err != nil || got.URL != "https://cdn.example/a.mkv" {
			t.Errorf("Unlock = %q, %v", got.URL, err)
		}
	})
}

// That a hoster is offline at the moment of the list is not kept for hours.
func TestDebridLink_offlineHoster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := debridfake.NewDebridLink(signedFor)
		tr := newTrial(t, "debrid_link", fake)
		fake.SetOffline("other.example")
		tr.supports(map[string]bool{"files.example": true, "other.example": true})
	})
}

func TestDebridLink_accounts(t *testing.T) {
	tests := []struct {
		name  string
		value string
		want  debrid.AccountInfo
	}{
		{"free", `{"email":"bob@example.org","accountType":0,"premiumLeft":0}`, debrid.AccountInfo{Login: "bo***@example.org", Plan: "free"}},
		{"lifetime", `{"pseudo":"bob","accountType":2}`, debrid.AccountInfo{Login: "bo***", Plan: "lifetime", Premium: true}},
		{
			"numbers as texts", `{"username":"bob","accountType":"1","premiumLeft":"3600","pts":"x"}`,
			debrid.AccountInfo{Login: "bo***", Plan: "premium", Premium: true, PremiumUntil: time.Date(2000, 1, 1, 1, 0, 0, 0, time.UTC)},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fake := newDebridLink()
				tr := newTrial(t, "debrid_link", fake)
				fake.Set(debridfake.DebridLinkAccount, debridfake.Answer{Body: `{"success":true,"value":` + tt.value + `}`})
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
