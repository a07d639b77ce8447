package sources

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"xship/sources/link"
)

const (
	// defaultHosterRest is how long a provider is not sent links of a hoster that
	// it cannot serve, where it does not say.
	defaultHosterRest = 10 * time.Minute
	// defaultQuotaRest is how long an account rests whose quota is used up, where
	// nobody knows its reset.
	defaultQuotaRest = time.Hour
)

// Accounts resolves links through the debrid accounts of users (document
// "provider cooldown", "Use Case Integration"). Which provider is called is
// decided by user and provider: what one account met never keeps another one
// from being called. It is safe for concurrent use.
type Accounts struct {
	List      []Account // the ones before are asked first
	Providers []Provider
	Cooldown  ProviderCooldown // nil: a provider is always called
	Store     AccountStore     // nil: nothing is remembered
	// Network tells whether the network is down, in which case no answer is
	// nobody's fault; nil: it never is.
	Network func(ctx context.Context) NetworkState
	Check   func(ctx context.Context, s Stream) error // reads the first bytes of a stream kept; nil: trusts it
	Now     func() time.Time                          // nil: time.Now
	Logger  *slog.Logger                              // nil: silent
	Timeout time.Duration                             // one call of a provider; 0 = 30 s
	TTL     time.Duration                             // life of a stream that does not tell its own; 0 = an hour
	// Ahead lets background work unlock too. It costs of what the account may.
	Ahead bool
}

// SkippedError says that a provider was not called, and why.
type SkippedError struct {
	Provider  string
	Kind      Class
	Remaining time.Duration // until it may be called, 0 where that is not known
	Reason    string        // for people
}

func (e *SkippedError) Error() string {
	text := "skipped: " + ProviderTitle(e.Provider)
	switch e.Kind {
	case ClassProviderCooling:
		text += " cooling down"
	case ClassProviderAuth:
		text += " refuses the account"
	case ClassProviderQuota:
		text += " account has used up its quota"
	case ClassProviderHoster:
		text += " cannot serve this hoster now"
	default:
		text += " is not asked"
	}
	if e.Remaining > 0 {
		text += fmt.Sprintf(", %d s", int64(math.Ceil(e.Remaining.Seconds())))
	}
	if e.Reason != "" {
		text += " (" + e.Reason + ")"
	}
	return text
}

// Class implements Classifier.
func (e *SkippedError) Class() Class { return e.Kind }

// AccountsError says why no account of a user gave a stream.
type AccountsError struct {
	Errs []error // one for each account that serves the hoster, in order
}

func (e *AccountsError) Error() string {
	texts := make([]string, len(e.Errs))
	for i, err := range e.Errs {
		texts[i] = err.Error()
	}
	return strings.Join(texts, "; ")
}

// Unwrap gives the errors of the accounts.
func (e *AccountsError) Unwrap() []error { return e.Errs }

// Class implements Classifier: that of the last account that was called, else of
// the one that may be called soonest.
func (e *AccountsError) Class() Class {
	soonest := ClassOf(e.Errs[0])
	var least time.Duration
	for _, err := range slices.Backward(e.Errs) {
		skipped, is := errors.AsType[*SkippedError](err)
		switch {
		case !is:
			return ClassOf(err)
		case skipped.Remaining > 0 && (least == 0 || skipped.Remaining <= least):
			soonest, least = skipped.Kind, skipped.Remaining
		}
	}
	return soonest
}

// RetryIn is the shortest time until one of the accounts may be called again, or
// may be sent links of the hoster again; ok is false where none knows, or where
// one failed at the link itself.
func (e *AccountsError) RetryIn() (d time.Duration, ok bool) {
	for _, err := range e.Errs {
		var rests time.Duration
		if skipped, is := errors.AsType[*SkippedError](err); is {
			rests = skipped.Remaining
		} else if failed, is := errors.AsType[*ProviderStreamUnavailableError](err); is && failed.Rests > 0 {
			rests = failed.Rests
		} else if !is || failed.Kind != ClassProviderAuth {
			return 0, false
		}
		if rests > 0 && (!ok || rests < d) {
			d, ok = rests, true
		}
	}
	return d, ok
}

// mayGuess tells whether the link may be looked at without an account: none of
// them will take it soon.
func (e *AccountsError) mayGuess() bool {
	return !slices.ContainsFunc(e.Errs, func(err error) bool {
		kind := ClassOf(err)
		return kind != ClassProviderAuth && kind != ClassProviderQuota && kind != ClassProviderHoster
	})
}

// WasSkipped tells whether err says that nothing was tried, since the providers
// that serve the link are not called now.
func WasSkipped(err error) bool {
	failed, ok := errors.AsType[*AccountsError](err)
	return ok && !slices.ContainsFunc(failed.Errs, func(err error) bool {
		_, skipped := errors.AsType[*SkippedError](err)
		return !skipped
	})
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
// where it is a page.
func (a *Accounts) mayConcern(src Source, user int64) bool {
	return a != nil && src.Hoster != "" && src.Hoster != link.HosterLocal &&
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
	if a == nil || link.IsPage(src.URL) {
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
		s, err := a.try(ctx, account, src, address, o.Background)
		switch {
		case err == nil:
			return s, nil
		case ctx.Err() != nil:
			return Stream{}, ctx.Err()
		case errors.Is(err, ErrNotResponsible):
			continue
		}
		failed.Errs = append(failed.Errs, err)
		if ClassOf(err) == ClassDeadLink { // for all alike
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
	if !s.Fresh(timeOf(a.Now), orDefault(a.TTL, defaultStreamTTL)) {
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

// try asks one account, where it may be asked now.
func (a *Accounts) try(ctx context.Context, account userAccount, src Source, address string, background bool) (Stream, error) {
	serves, known := account.provider.Serves(ctx, account.Account, src.Hoster)
	if !known && background && !a.Ahead && a.knows(ctx, account) {
		serves, known = account.provider.Serves(ctx, account.Account, src.Hoster)
	}
	switch {
	case known && !serves:
		return Stream{}, ErrNotResponsible
	case background && !a.Ahead:
		return Stream{}, &SkippedError{Provider: account.Provider, Kind: ClassProviderItem, Reason: "links are not unlocked ahead of time"}
	}
	if skipped := a.resting(ctx, account, src.Hoster); skipped != nil {
		return Stream{}, skipped
	}
	lease, skipped := a.begin(ctx, account)
	if skipped != nil {
		return Stream{}, skipped
	}
	callCtx, cancel := context.WithTimeout(ctx, orDefault(a.Timeout, defaultResolveTimeout))
	defer cancel()
	var stream Stream
	err := contain(a.logger(), "unlocking", src, func() (err error) {
		if !known {
			serves, err = account.provider.Supports(callCtx, account.Account, src.Hoster)
			serves = serves || answeredNoList(err)
		}
		if !serves {
			return err
		}
		stream, err = account.provider.Unlock(callCtx, account.Account, address, background)
		return err
	})
	err = a.settle(ctx, account, lease, src, err)
	switch {
	case err != nil:
		return Stream{}, err
	case !serves:
		return Stream{}, ErrNotResponsible
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

// check reads the first bytes of a stream.
func (a *Accounts) check(ctx context.Context, s Stream) error {
	if a.Check == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, orDefault(a.Timeout, defaultResolveTimeout))
	defer cancel()
	return a.Check(ctx, s)
}

// answeredNoList tells whether a provider answered, and gave no list of its
// hosters. That keeps no link from being sent to it, and marks nothing: unlocking
// has its own answer.
func answeredNoList(err error) bool {
	failed, ok := errors.AsType[*ProviderStreamUnavailableError](err)
	return ok && !failed.Transport && failed.Status != 0
}

// listTimeout bounds the question for the hosters that a provider serves, which a
// list waits for.
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
		wg.Go(func() { known[i] = a.knows(ctx, account) })
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

// knows sees to it that the hosters of an account are known.
func (a *Accounts) knows(ctx context.Context, account userAccount) bool {
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
	err := contain(a.logger(), "asking a provider for its hosters", Source{}, func() error {
		_, err := account.provider.Supports(callCtx, account.Account, "")
		return err
	})
	if answeredNoList(err) {
		a.end(ctx, lease, false)
		return false
	}
	return a.settle(ctx, account, lease, Source{}, err) == nil
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
			skipped.Remaining = max(state.Until.Sub(timeOf(a.Now)), 0)
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

// settle draws the conclusions of a call, the only place where a provider's answer
// marks anything, and gives err with what follows from it.
func (a *Accounts) settle(ctx context.Context, account userAccount, lease CooldownLease, src Source, err error) error {
	answered := false
	var failed *ProviderStreamUnavailableError
	switch {
	case err == nil:
		answered = true
	case ctx.Err() != nil || ClassOf(err) == ClassCancelled: // nothing is known
	case errors.As(err, &failed):
		concluded := *failed // others may have the same error
		if failed.Doubtful && lease != (CooldownLease{}) {
			concluded.Kind = ClassProviderItem
		}
		concluded.Rests = a.conclude(ctx, account, src, &concluded)
		answered = !failed.Transport && failed.Kind != ClassProviderCooling
		err = &concluded
	default:
		a.logger().Error("a provider's client failed in a way that is a bug of xship", "provider", account.Provider, "source", src.ID, "error", err)
	}
	a.end(ctx, lease, answered)
	return err
}

// end ends a call. Without a lease it does nothing.
func (a *Accounts) end(ctx context.Context, lease CooldownLease, answered bool) {
	if a.Cooldown == nil || lease == (CooldownLease{}) {
		return
	}
	a.write(ctx, "end a call", func(ctx context.Context) error { return a.Cooldown.End(ctx, lease, answered) })
}

// conclude marks what failed says, and tells how long what it is about rests, 0
// where that is not known.
func (a *Accounts) conclude(ctx context.Context, account userAccount, src Source, failed *ProviderStreamUnavailableError) (rests time.Duration) {
	now := timeOf(a.Now)
	switch failed.Kind {
	case ClassProviderCooling:
		return a.cool(ctx, account, failed)
	case ClassProviderAuth, ClassProviderQuota:
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
	case ClassProviderHoster:
		key, rest := account.key, Cooldown{Remaining: defaultHosterRest, Reason: failed.reason()}
		if failed.ForAll {
			key.User = 0
		}
		switch {
		case failed.Cooldown != nil:
			rest.Remaining = *failed.Cooldown
		case !failed.Reset.IsZero():
			rest.Remaining = failed.Reset.Sub(now)
		}
		rests = rest.Remaining
		a.remember(ctx, "store what a provider cannot serve", func(ctx context.Context) error {
			return a.Store.RestProviderHoster(ctx, key, src.Hoster, rest)
		})
	case ClassBug:
		a.logger().Error("a provider says that the call was wrong, which is a bug of xship", "provider", account.Provider, "source", src.ID, "error", failed)
	default: // it says nothing of the account
	}
	return rests
}

// cool marks a cooldown, and tells what remains of it. Where the whole network is
// down, no answer is not the provider's fault.
func (a *Accounts) cool(ctx context.Context, account userAccount, failed *ProviderStreamUnavailableError) (remaining time.Duration) {
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
		if remaining = c.Remaining; err == nil && remaining > 0 {
			a.logger().Info("a provider cools down", "provider", account.Provider, "user", account.User, "seconds", int64(math.Ceil(remaining.Seconds())), "reason", c.Reason)
		}
		return err
	})
	return remaining
}

// reason is the error for those who know the provider already.
func (e *ProviderStreamUnavailableError) reason() string {
	return strings.TrimPrefix(e.Error(), ProviderTitle(e.Provider)+": ")
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

func (a *Accounts) logger() *slog.Logger { return orSilent(a.Logger) }
