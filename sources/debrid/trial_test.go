package debrid_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"xship/sources"
	"xship/sources/sourcetest/debridfake"
)

const (
	trialLink  = "https://files.example/f/8812f3/The.Film.2021.mkv"
	enteredKey = "entered-key-51"
)

// signedFor is where the fakes of trials have the stream of a link. Files behind
// one link differ in what follows its "#".
func signedFor(link string) string {
	return "https://cdn.example/dl/signed-7bd2/?file=" + url.QueryEscape(link)
}

// preparing is a fake of a service that may take a while, and may find several
// files behind a link.
type preparing interface {
	http.Handler
	AcceptKey(key string)
	SetHosters(domains ...string)
	Set(endpoint string, a debridfake.Answer)
	Fail(code string)
	Status(status int, header http.Header, body string)
	Hang()
	Work()
	Calls(endpoint string) int
	Unlocks() int
	SetFiles(files ...debridfake.File)
	Delay(looks int)
}

// trial is an account at a fake, in a bubble.
type trial struct {
	*bench
	t       *testing.T
	service sources.Provider
	account sources.Account
}

func newTrial(t *testing.T, name string, fake preparing) *trial {
	t.Helper()
	fake.AcceptKey(testKey)
	fake.SetHosters("files.example", "other.example")
	tr := &trial{
		bench:   newBench(t, fake),
		t:       t,
		account: sources.Account{User: sources.DefaultUser, Provider: name, Key: testKey, BaseURL: "http://api.example"},
	}
	tr.service = tr.provider(t, name)
	t.Cleanup(func() { tr.noSecrets("the log", tr.log.String()) })
	return tr
}

// noSecrets fails the test where text holds what only the service may know.
func (tr *trial) noSecrets(what, text string) {
	tr.t.Helper()
	hasNone(tr.t, what, text, testKey, enteredKey, debridfake.TorBoxDeviceCode, "signed-7bd2", "8812f3")
}

func (tr *trial) unlock(ctx context.Context, link string) (sources.Stream, error) {
	tr.t.Helper()
	s, err := tr.service.Unlock(ctx, tr.account, link, false)
	if err != nil {
		tr.noSecrets("the error", err.Error())
	}
	return s, err
}

// refused unlocks trialLink, which is to fail as w says.
func (tr *trial) refused(ctx context.Context, w want) {
	tr.t.Helper()
	_ = tr.refusal(ctx, w)
}

// refusal is refused, and gives the error.
func (tr *trial) refusal(ctx context.Context, w want) *sources.ProviderStreamUnavailableError {
	tr.t.Helper()
	s, err := tr.unlock(ctx, trialLink)
	var e *sources.ProviderStreamUnavailableError
	if !errors.As(err, &e) {
		tr.t.Fatalf("Unlock = %q, %v, want a *ProviderStreamUnavailableError", s.URL, err)
	}
	w.check(tr.t, err)
	return e
}

// unlocked unlocks link, which is to give the stream of wantLink.
func (tr *trial) unlocked(link, wantLink string) {
	tr.t.Helper()
	s, err := tr.unlock(tr.t.Context(), link)
	if err != nil || s.URL != signedFor(wantLink) {
		tr.t.Errorf("Unlock(%q) = %q, %v, want %q", link, s.URL, err, signedFor(wantLink))
	}
}

// supports compares what the account is said to serve.
func (tr *trial) supports(hosters map[string]bool) {
	tr.t.Helper()
	for hoster, want := range hosters {
		if got, err := tr.service.Supports(tr.t.Context(), tr.account, hoster); got != want || err != nil {
			tr.t.Errorf("Supports(%q) = %t, %v, want %t", hoster, got, err, want)
		}
	}
}

// preparers are the services with such fakes.
var preparers = []struct {
	name string
	life time.Duration // of streams
	fake func() preparing
}{
	{"premiumize", time.Hour, newPremiumize},
	{"torbox", 3 * time.Hour, newTorBox},
	{"debrid_link", time.Hour, newDebridLink},
}

// eachPreparer runs test for each of preparers, in a bubble.
func eachPreparer(t *testing.T, test func(t *testing.T, tr *trial, fake preparing)) {
	t.Helper()
	for _, p := range preparers {
		t.Run(p.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fake := p.fake()
				test(t, newTrial(t, p.name, fake), fake)
			})
		})
	}
}
