package debrid_test

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"xship/sources"
	"xship/sources/debrid"
	"xship/sources/fetch"
	"xship/sources/sourcetest/debridfake"
)

// overHTTP serves handler on the loopback network, and gives the account there.
func overHTTP(t *testing.T, name string, handler http.Handler) (sources.Provider, sources.Account) {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Start()
	t.Cleanup(server.Close)
	client := fetch.New(fetch.Options{Timeout: time.Minute})
	t.Cleanup(client.CloseIdleConnections)
	service := serviceOf(t, debrid.New(debrid.Options{Call: client.Call}), name)
	return service, sources.Account{User: sources.DefaultUser, Provider: name, Key: testKey, BaseURL: server.URL}
}

func TestUnlock_overHTTP(t *testing.T) {
	for _, p := range preparers {
		t.Run(p.name, func(t *testing.T) {
			fake := p.fake()
			fake.AcceptKey(testKey)
			fake.SetHosters("files.example")
			service, account := overHTTP(t, p.name, fake)
			got, err := service.Unlock(t.Context(), account, trialLink, false)
			if err != nil || got.URL != signedFor(trialLink) {
				t.Errorf("Unlock = %q, %v", got.URL, err)
			}
			fake.Status(http.StatusTooManyRequests, http.Header{"Retry-After": {"7"}}, "slow down")
			_, err = service.Unlock(t.Context(), account, trialLink, false)
			want{kind: cooling, cooldown: 7 * time.Second}.check(t, err)
		})
	}
}

// The error of a request that got no answer names its URL, which holds the key
// there.
func TestTorBox_linkWithoutAnswer(t *testing.T) {
	fake := debridfake.NewTorBox(signedFor)
	fake.AcceptKey(testKey)
	fake.SetHosters("files.example")
	service, account := overHTTP(t, "torbox", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == debridfake.TorBoxLink {
			panic(http.ErrAbortHandler)
		}
		fake.ServeHTTP(w, r)
	}))
	_, err := service.Unlock(t.Context(), account, trialLink, false)
	want{kind: cooling, cooldown: outage, transport: true}.check(t, err)
	hasNone(t, "the error", err.Error(), testKey, "8812f3")
}
