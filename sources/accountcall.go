package sources

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"
)

const (
	// defaultHosterRest is how long a provider is not sent links of a hoster that
	// it cannot serve, where it does not say.
	defaultHosterRest = 10 * time.Minute
	// defaultQuotaRest is how long an account rests whose quota is used up, where
	// nobody knows its reset.
	defaultQuotaRest = time.Hour
)

// begin asks the cooldown for one call. A cooldown that cannot be asked keeps
// nobody from calling (fail-open).
func (a *Accounts) begin(ctx context.Context, account userAccount) (CooldownLease, error) {
	if a.Cooldown == nil {
		return CooldownLease{}, nil
	}
	lease, c, err := a.Cooldown.Begin(ctx, account.key)
	if err != nil {
		a.storeFailed(ctx, "ask for a cooldown", err)
		return CooldownLease{}, nil
	}
	if c.Remaining > 0 {
		return CooldownLease{}, account.skipped(ClassProviderCooling, c)
	}
	return lease, nil
}

// endCall ends a call and does what its outcome asks for. It is the only place
// where a provider's answer marks anything. It gives err, with Rests set where
// something rests for it now.
func (a *Accounts) endCall(ctx context.Context, account userAccount, lease CooldownLease, src Source, err error) error {
	answered := false
	var failed *ProviderStreamUnavailableError
	switch {
	case err == nil:
		answered = true
		a.linkAnswered(ctx, account.key, src.URL)
	case ctx.Err() != nil || ClassOf(err) == ClassCancelled: // it tells nothing
	case errors.As(err, &failed):
		concluded := *failed // a copy: other calls may have the same error
		if !failed.Transport && a.refusedAgain(ctx, account.key, src.URL, failed) {
			rest := DefaultCooldown
			concluded.Kind, concluded.Cooldown = ClassProviderCooling, &rest
		}
		concluded.Rests = a.conclude(ctx, account, src, &concluded)
		answered = !failed.Transport && failed.Kind != ClassProviderCooling
		err = &concluded
	default:
		a.logger().Error("a provider's client failed in a way that is a bug of xship", "provider", account.Provider, "source", src.ID, "error", err)
	}
	a.endLease(ctx, lease, answered)
	return err
}

// endLease gives back what begin took. Without a lease it does nothing.
func (a *Accounts) endLease(ctx context.Context, lease CooldownLease, answered bool) {
	if a.Cooldown == nil || lease == (CooldownLease{}) {
		return
	}
	a.write(ctx, "end a call", func(ctx context.Context) error { return a.Cooldown.End(ctx, lease, answered) })
}

// conclude marks what failed is about, the provider, the account or the hoster, and
// tells how long that rests, 0 where it does not or nobody knows.
func (a *Accounts) conclude(ctx context.Context, account userAccount, src Source, failed *ProviderStreamUnavailableError) (rests time.Duration) {
	switch failed.Kind {
	case ClassProviderCooling:
		return a.markCooldown(ctx, account, failed)
	case ClassProviderAuth, ClassProviderQuota:
		return a.markAccount(ctx, account, failed)
	case ClassProviderHoster:
		return a.markHoster(ctx, account, src.Hoster, failed)
	case ClassBug:
		a.logger().Error("a provider says that the call was wrong, which is a bug of xship", "provider", account.Provider, "source", src.ID, "error", failed)
	default: // it says nothing of the account
	}
	return 0
}

// markAccount stores that a provider refuses the account, or that its quota is used
// up.
func (a *Accounts) markAccount(ctx context.Context, account userAccount, failed *ProviderStreamUnavailableError) (rests time.Duration) {
	now := OrNow(a.Now)()
	state := AccountState{Class: failed.Kind, Reason: failed.reason(), Since: now}
	what := "a provider refuses an account"
	if failed.Kind == ClassProviderQuota {
		what = "an account has used up its quota"
		if state.Until = failed.Reset; state.Until.IsZero() {
			state.Until = now.Add(defaultQuotaRest)
		}
		rests = state.Until.Sub(now)
	}
	a.logger().Warn(what, "provider", account.Provider, "user", account.User, "reason", state.Reason)
	a.remember(ctx, "store the state of an account", func(ctx context.Context) error {
		return a.Store.SetAccountState(ctx, account.Account, state)
	})
	return rests
}

// markHoster stores that the provider cannot serve a hoster now, to this account or
// to all.
func (a *Accounts) markHoster(ctx context.Context, account userAccount, hoster string, failed *ProviderStreamUnavailableError) (rests time.Duration) {
	key, rest := account.key, Cooldown{Remaining: defaultHosterRest, Reason: failed.reason()}
	if failed.ForAll {
		key.User = 0
	}
	switch {
	case failed.Cooldown != nil:
		rest.Remaining = *failed.Cooldown
	case !failed.Reset.IsZero():
		rest.Remaining = failed.Reset.Sub(OrNow(a.Now)())
	}
	a.remember(ctx, "store what a provider cannot serve", func(ctx context.Context) error {
		return a.Store.RestProviderHoster(ctx, key, hoster, rest)
	})
	return rest.Remaining
}

// markCooldown marks a cooldown of the provider, and tells what remains of it. Where
// no answer came while the network is down, the provider is not to blame.
func (a *Accounts) markCooldown(ctx context.Context, account userAccount, failed *ProviderStreamUnavailableError) (remaining time.Duration) {
	if a.Cooldown == nil || failed.Transport && a.Network != nil && a.Network(ctx) == NetworkOutage {
		return 0
	}
	mark := CooldownMark{For: DefaultCooldown, Reason: failed.reason()}
	if failed.Cooldown != nil {
		mark.For = *failed.Cooldown
	} else {
		mark.Grow = failed.Grow
	}
	a.write(ctx, "mark a cooldown", func(ctx context.Context) error {
		c, err := a.Cooldown.MarkCooldown(ctx, account.key, mark)
		if remaining = c.Remaining; err == nil && remaining > 0 && a.Observer != nil {
			a.Observer.Observe(ctx, CooldownMarked{Key: account.key, Cooldown: c})
		}
		return err
	})
	return remaining
}

// refusedAgain tells whether failed, which says no to a link in words that nobody can
// judge, says of it what was said of another one just before. Any other answer to a link
// has what was said before forgotten; a call without a link tells nothing.
func (a *Accounts) refusedAgain(ctx context.Context, key CooldownKey, link string, failed *ProviderStreamUnavailableError) (again bool) {
	if !failed.Suspect {
		a.linkAnswered(ctx, key, link)
		return false
	}
	if a.Cooldown == nil || link == "" {
		return false
	}
	refusal := Refusal{Link: digest(link), Answer: digest(fmt.Sprint(failed.Status, " ", failed.Code))}
	a.write(ctx, "note a link that was refused", func(ctx context.Context) (err error) {
		again, err = a.Cooldown.Refused(ctx, key, refusal)
		return err
	})
	return again
}

// linkAnswered forgets what was said before a link was answered in words that can be
// judged.
func (a *Accounts) linkAnswered(ctx context.Context, key CooldownKey, link string) {
	if a.Cooldown == nil || link == "" {
		return
	}
	a.write(ctx, "forget a link that was refused", func(ctx context.Context) error { return a.Cooldown.Answered(ctx, key) })
}

// digest tells texts apart that are not to be stored.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}
