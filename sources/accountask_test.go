package sources_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"xship/sources"
)

func TestAccountsAsk(t *testing.T) {
	const provider = "real_debrid"
	tests := []struct {
		name   string
		before sources.Class // of the account
		err    error
		state  sources.Class // of the account afterwards
		rests  time.Duration // of the provider afterwards
	}{
		{name: "it works", state: sources.ClassOK},
		{name: "it works again", before: sources.ClassProviderAuth, state: sources.ClassOK},
		{name: "a quota stays used up", before: sources.ClassProviderQuota, state: sources.ClassProviderQuota},
		{name: "refused", err: &sources.ProviderStreamUnavailableError{Provider: provider, Kind: sources.ClassProviderAuth}, state: sources.ClassProviderAuth},
		{name: "limited", err: &sources.ProviderStreamUnavailableError{Provider: provider, Kind: sources.ClassProviderCooling}, state: sources.ClassOK, rests: 30 * time.Second},
		{name: "a bug", err: errors.New("nonsense"), state: sources.ClassOK},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newAccountsTest(t)
				account := a.Accounts.List[0]
				if tt.before != "" {
					state := sources.AccountState{Class: tt.before, Until: time.Now().Add(time.Hour), Since: time.Now()}
					if err := a.store.SetAccountState(t.Context(), account, state); err != nil {
						t.Fatal(err)
					}
				}
				if err := a.Accounts.Ask(t.Context(), account, func(context.Context) error { return tt.err }); sources.ClassOf(err) != sources.ClassOf(tt.err) || err != nil && err.Error() != tt.err.Error() {
					t.Errorf("got %v, want %v", err, tt.err)
				}
				state, err := a.store.AccountState(t.Context(), account)
				if err != nil || state.Class != tt.state {
					t.Errorf("the account is %s, %v, want %s", state.Class, err, tt.state)
				}
				c, err := a.cooldown.IsCoolingDown(t.Context(), sources.CooldownKey{User: 1, Provider: provider})
				if err != nil || c.Remaining != tt.rests {
					t.Errorf("it rests %s, %v, want %s", c.Remaining, err, tt.rests)
				}
			})
		})
	}
}

func TestAccountsAsk_cooling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAccountsTest(t)
		account := a.Accounts.List[0]
		_, err := a.cooldown.MarkCooldown(t.Context(), sources.CooldownKey{User: 1, Provider: "real_debrid"}, sources.CooldownMark{For: 7 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		called := 0
		ask := func() error {
			return a.Accounts.Ask(t.Context(), account, func(context.Context) error { called++; return nil })
		}
		if skipped, ok := errors.AsType[*sources.SkippedError](ask()); !ok || skipped.Remaining != 7*time.Second || called != 0 {
			t.Errorf("it is called %d times, %v", called, skipped)
		}
		time.Sleep(7 * time.Second)
		if err := ask(); err != nil || called != 1 {
			t.Errorf("afterwards it is called %d times, %v", called, err)
		}
	})
}
