package sources

import (
	"context"
	"errors"
)

// Resting tells which accounts of a user are not asked now, and why.
func (a *Accounts) Resting(ctx context.Context, user int64) []*SkippedError {
	if a == nil {
		return nil
	}
	var all []*SkippedError
	for _, account := range a.of(user) {
		err := a.resting(ctx, account, "")
		if err == nil && a.Cooldown != nil {
			c, cooldownErr := a.Cooldown.IsCoolingDown(ctx, account.key)
			if cooldownErr != nil {
				a.storeFailed(ctx, "ask for a cooldown", cooldownErr)
			} else if c.Remaining > 0 {
				err = account.skipped(ClassProviderCooling, c)
			}
		}
		if skipped, ok := errors.AsType[*SkippedError](err); ok {
			all = append(all, skipped)
		}
	}
	return all
}

// resting tells why the account is not asked for links of hoster, nil where it is.
func (a *Accounts) resting(ctx context.Context, account userAccount, hoster string) error {
	if a.Store == nil {
		return nil
	}
	state, err := a.Store.AccountState(ctx, account.Account)
	if err != nil {
		a.storeFailed(ctx, "read the state of an account", err)
	} else if state.Class == ClassProviderAuth || state.Class == ClassProviderQuota {
		skipped := &SkippedError{Provider: account.Provider, Kind: state.Class, Reason: state.Reason}
		if state.Class == ClassProviderQuota && !state.Until.IsZero() {
			skipped.Remaining = max(state.Until.Sub(OrNow(a.Now)()), 0)
		}
		return skipped
	}
	rest, err := a.Store.ProviderHosterRest(ctx, account.key, hoster)
	if err != nil {
		a.storeFailed(ctx, "read what a provider cannot serve", err)
	} else if rest.Remaining > 0 {
		return account.skipped(ClassProviderHoster, rest)
	}
	return nil
}
