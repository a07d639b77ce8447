package sources

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"xship/sources/link"
)

// Accounts resolves links through the debrid accounts of users (document
// "provider cooldown", "Use Case Integration"). Which provider is called is
// decided by user and provider: what one account met never keeps another one
// from being called. It is safe for concurrent use, and must not be copied.
type Accounts struct {
	List      []Account // the ones before are asked first
	Providers []Provider
	Cooldown  ProviderCooldown // nil: a provider is always called
	Store     AccountStore     // nil: nothing is remembered
	// Network tells the state of the network. While it is down, no answer is not a
	// provider's fault. nil: it is never down.
	Network  func(ctx context.Context) NetworkState
	Check    func(ctx context.Context, s Stream) error // reads the first bytes of a stream kept; nil: trusts it
	Observer Observer                                  // told of each cooldown; nil: nobody
	Now      func() time.Time                          // nil: time.Now
	Logger   *slog.Logger                              // nil: silent
	Timeout  func(provider string) time.Duration       // of one call of a provider; nil: 30 s
	TTL      time.Duration                             // life of a stream that does not tell its own; 0 = an hour
	// Ahead lets background work unlock too. It costs of what the account may.
	Ahead bool
}

// of gives the accounts of a user with their providers.
func (a *Accounts) of(user int64) []userAccount {
	var all []userAccount
	for _, account := range a.List {
		if account.User != user {
			continue
		}
		for _, p := range a.Providers {
			if p.Name() == account.Provider {
				all = append(all, userAccount{Account: account, provider: p, key: CooldownKey{User: user, Provider: account.Provider}})
			}
		}
	}
	return all
}

type userAccount struct {
	Account
	provider Provider
	key      CooldownKey
}

// skipped says that the account is not asked for as long as c says.
func (a userAccount) skipped(kind Class, c Cooldown) error {
	return &SkippedError{Provider: a.Provider, Kind: kind, Remaining: c.Remaining, Reason: c.Reason}
}

// mayConcern tells whether src is a link that an account of the user may unlock,
// where it is a page. What is the user's own is shown to no provider.
func (a *Accounts) mayConcern(src Source, user int64) bool {
	return a != nil && src.Hoster != "" && src.Hoster != link.HosterLocal && !src.Own &&
		slices.ContainsFunc(a.List, func(account Account) bool { return account.User == user })
}

// unlock gives a stream for src through the accounts of a user. Media and
// manifests are never sent to a provider. The error is ErrNotResponsible where
// no account serves the hoster, that of ctx, or an *AccountsError.
func (a *Accounts) unlock(ctx context.Context, src Source, o ResolveOptions) (Stream, error) {
	if !a.mayConcern(src, o.User) || !link.IsPage(src.URL) {
		return Stream{}, ErrNotResponsible
	}
	return a.unlockPage(ctx, src, o)
}

// servePage tells whether an account of the user is known to serve the hoster of a
// link that is named like media and turned out to be a page, as file hosters have
// them.
func (a *Accounts) servePage(ctx context.Context, src Source, user int64) bool {
	if a == nil || src.Own || link.IsPage(src.URL) {
		return false
	}
	return slices.ContainsFunc(a.of(user), func(account userAccount) bool {
		serves, _ := account.provider.Serves(ctx, account.Account, src.Hoster)
		return serves
	})
}

// unlockPage is unlock for a link that is a page, whatever its name.
func (a *Accounts) unlockPage(ctx context.Context, src Source, o ResolveOptions) (Stream, error) {
	address, _ := link.SplitHeaders(src.URL)
	accounts := a.of(o.User)
	for _, account := range accounts {
		if s, ok := a.kept(ctx, account, src); ok {
			return s, nil
		}
	}
	var failed AccountsError
	for _, account := range accounts {
		s, err := a.unlockBy(ctx, account, src, address, o)
		switch {
		case err == nil:
			return s, nil
		case ctx.Err() != nil:
			return Stream{}, ctx.Err()
		case errors.Is(err, ErrNotResponsible):
			continue
		}
		failed.Errs = append(failed.Errs, err)
		if ClassOf(err) == ClassDeadLink { // no other account gets it either
			break
		}
	}
	if len(failed.Errs) == 0 {
		return Stream{}, ErrNotResponsible
	}
	return Stream{}, &failed
}

// kept gives what the account unlocked before, where that still works. A link
// that is refused is forgotten: it is no fault of the provider's API. One that
// cannot be reached stays, until another takes its place.
func (a *Accounts) kept(ctx context.Context, account userAccount, src Source) (Stream, bool) {
	if a.Store == nil {
		return Stream{}, false
	}
	s, err := a.Store.UnlockedStream(ctx, account.key, src.ID)
	if err != nil {
		a.storeFailed(ctx, "read an unlocked stream", err)
		return Stream{}, false
	}
	if !s.Fresh(OrNow(a.Now)(), OrDefault(a.TTL, DefaultStreamTTL)) {
		return Stream{}, false
	}
	s.Provider = account.Provider
	if err := a.check(ctx, s.Stream); err != nil {
		if ctx.Err() == nil {
			a.logger().Debug("an unlocked link does not work", "provider", account.Provider, "source", src.ID, "error", link.RedactError(err))
		}
		if ctx.Err() == nil && !unreached(err) {
			a.remember(ctx, "forget an unlocked stream", func(ctx context.Context) error {
				return a.Store.DropUnlockedStream(ctx, account.key, src.ID)
			})
		}
		return Stream{}, false
	}
	return s.Stream, true
}

// unreached tells whether no answer came.
func unreached(err error) bool {
	var transport interface{ Transport() bool }
	return errors.As(err, &transport) && transport.Transport() || errors.Is(err, context.DeadlineExceeded)
}

// unlockBy asks one account for the stream of src, where it may be asked now.
func (a *Accounts) unlockBy(ctx context.Context, account userAccount, src Source, address string, o ResolveOptions) (Stream, error) {
	serves, err := a.mayUnlock(ctx, account, src.Hoster, o.Background)
	if err != nil {
		return Stream{}, err
	}
	stream, err := a.callUnlock(ctx, account, src, address, serves, o)
	if err != nil {
		return Stream{}, err
	}
	stream.Provider = account.Provider
	if err := a.check(ctx, stream); err != nil { // the fault of this link: neither the provider's API nor the hoster is to blame
		return Stream{}, &ProviderStreamUnavailableError{
			Provider: account.Provider, Kind: ClassProviderItem, Message: fmt.Sprintf("the unlocked link does not work: %v", link.RedactError(err)),
		}
	}
	a.remember(ctx, "store an unlocked stream", func(ctx context.Context) error {
		return a.Store.PutUnlockedStream(ctx, account.key, src.ID, stream)
	})
	return stream, nil
}

// mayUnlock tells by its error why an account is not asked for links of hoster.
// Without an error, known tells that the provider is known to serve the hoster; where
// it is false the provider has to be asked for that.
func (a *Accounts) mayUnlock(ctx context.Context, account userAccount, hoster string, background bool) (known bool, err error) {
	serves, known := account.provider.Serves(ctx, account.Account, hoster)
	if !known && background && !a.Ahead && a.ensureHosters(ctx, account) {
		serves, known = account.provider.Serves(ctx, account.Account, hoster)
	}
	switch {
	case known && !serves:
		return false, ErrNotResponsible
	case background && !a.Ahead:
		return false, &SkippedError{Provider: account.Provider, Kind: ClassProviderItem, Reason: "links are not unlocked ahead of time"}
	}
	return known, a.resting(ctx, account, hoster)
}

// callUnlock is the call to the provider. Where it is not known to serve the hoster,
// it is asked for that first.
func (a *Accounts) callUnlock(ctx context.Context, account userAccount, src Source, address string, serves bool, o ResolveOptions) (Stream, error) {
	lease, skipped := a.begin(ctx, account)
	if skipped != nil {
		return Stream{}, skipped
	}
	callCtx, cancel := context.WithTimeout(ctx, a.timeout(account.Provider))
	defer cancel()
	if o.Unlocking != nil {
		defer o.Unlocking(account.Provider)()
	}
	var stream Stream
	err := Contain(a.logger(), "unlocking this source", func() (err error) {
		if !serves {
			serves, err = account.provider.Supports(callCtx, account.Account, src.Hoster)
			serves = serves || answeredNoList(err)
		}
		if !serves {
			return err
		}
		stream, err = account.provider.Unlock(callCtx, account.Account, address, o.Background)
		return err
	}, "source", src.ID, "provider", account.key.Provider)
	err = a.endCall(ctx, account, lease, src, err)
	if err == nil && !serves {
		return Stream{}, ErrNotResponsible
	}
	return stream, err
}

// timeout is how long one call of a provider may take.
func (a *Accounts) timeout(provider string) time.Duration {
	if a.Timeout == nil {
		return defaultResolveTimeout
	}
	return a.Timeout(provider)
}

// check reads the first bytes of a stream.
func (a *Accounts) check(ctx context.Context, s Stream) error {
	if a.Check == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, defaultResolveTimeout)
	defer cancel()
	return a.Check(ctx, s)
}

// remember writes to the store, where there is one.
func (a *Accounts) remember(ctx context.Context, what string, write func(context.Context) error) {
	if a.Store != nil {
		a.write(ctx, what, write)
	}
}

// write runs write even when ctx has ended, and not for long then.
func (a *Accounts) write(ctx context.Context, what string, write func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), reportTimeout)
	defer cancel()
	if err := write(ctx); err != nil {
		a.storeFailed(ctx, what, err)
	}
}

func (a *Accounts) storeFailed(ctx context.Context, what string, err error) {
	if ctx.Err() == nil || !errors.Is(err, context.Canceled) {
		a.logger().Warn("could not "+what, "error", err)
	}
}

func (a *Accounts) logger() *slog.Logger { return OrSilent(a.Logger) }
