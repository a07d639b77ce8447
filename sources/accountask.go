package sources

import "context"

// Ask makes a call to the provider of an account that is about the account
// itself. What follows from its outcome is what follows from that of unlocking a
// link. An account that was refused is asked all the same: where the call works,
// the account works again. The error is that of call, or a *SkippedError where the provider
// is cooling down.
func (a *Accounts) Ask(ctx context.Context, account Account, call func(ctx context.Context) error) error {
	asked := userAccount{Account: account, key: CooldownKey{User: account.User, Provider: account.Provider}}
	lease, skipped := a.begin(ctx, asked)
	if skipped != nil {
		return skipped
	}
	callCtx, cancel := context.WithTimeout(ctx, a.timeout(account.Provider))
	defer cancel()
	err := Contain(a.logger(), "asking a provider about an account", func() error { return call(callCtx) }, "provider", account.Provider)
	err = a.endCall(ctx, asked, lease, Source{}, err)
	if err == nil {
		a.remember(ctx, "store the state of an account", func(ctx context.Context) error {
			state, err := a.Store.AccountState(ctx, account)
			if err != nil || state.Class != ClassProviderAuth { // a quota may be used up all the same
				return err
			}
			return a.Store.SetAccountState(ctx, account, AccountState{Class: ClassOK})
		})
	}
	return err
}
