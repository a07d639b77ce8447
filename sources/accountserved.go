package sources

import (
	"context"
	"errors"
	"sync"
	"time"
)

// listTimeout bounds the question for the hosters that a provider serves. It is
// short: a list of sources is not shown before the answer.
const listTimeout = 5 * time.Second

// Served tells through which provider the accounts of a user serve hosters, by
// hoster. complete is false where the hosters of an account are not known: then
// any of them may be served.
func (a *Accounts) Served(ctx context.Context, user int64, hosters []string) (by map[string]string, complete bool) {
	if a == nil || len(hosters) == 0 {
		return nil, true
	}
	accounts := a.of(user)
	known := make([]bool, len(accounts))
	var wg sync.WaitGroup
	for i, account := range accounts {
		wg.Go(func() { known[i] = a.ensureHosters(ctx, account) })
	}
	wg.Wait()
	by, complete = make(map[string]string), true
	for i, account := range accounts {
		if !known[i] {
			complete = false
			continue
		}
		for _, hoster := range hosters {
			if serves, _ := account.provider.Serves(ctx, account.Account, hoster); serves && by[hoster] == "" {
				by[hoster] = account.Provider
			}
		}
	}
	return by, complete
}

// ensureHosters asks the provider for the hosters that it serves to the account,
// where they are not known yet, and tells whether they are known then.
func (a *Accounts) ensureHosters(ctx context.Context, account userAccount) bool {
	if _, known := account.provider.Serves(ctx, account.Account, ""); known {
		return true
	}
	if a.resting(ctx, account, "") != nil {
		return false
	}
	lease, skipped := a.begin(ctx, account)
	if skipped != nil {
		return false
	}
	callCtx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	err := Contain(a.logger(), "asking a provider for its hosters", func() error {
		_, err := account.provider.Supports(callCtx, account.Account, "")
		return err
	}, "provider", account.key.Provider)
	if answeredNoList(err) {
		a.endLease(ctx, lease, false)
		return false
	}
	return a.endCall(ctx, account, lease, Source{}, err) == nil
}

// answeredNoList tells whether a provider answered and gave no list of its hosters.
// Nothing is concluded from that: a link may be sent to it all the same, and the
// answer to that counts.
func answeredNoList(err error) bool {
	failed, ok := errors.AsType[*ProviderStreamUnavailableError](err)
	return ok && !failed.Transport && failed.Status != 0
}
