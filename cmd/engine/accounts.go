package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"xship/config"
	"xship/sources"
	"xship/sources/debrid"
	"xship/sources/text"
)

// AccountsFileName is where accounts come from that are not in the settings.
const AccountsFileName = "accounts.json"

// Origin is where an account comes from.
type Origin string

// The origins of accounts.
const (
	OriginSettings Origin = "settings"
	OriginFile     Origin = AccountsFileName
)

// RestState tells whether an account is asked for links now.
type RestState string

// The states of an account.
const (
	RestNone    RestState = "ok" // nothing is known against it
	RestRefused RestState = "refused"
	RestQuota   RestState = "quota"
	RestCooling RestState = "cooling"
	RestExpired RestState = "expired" // it works, and unlocks few links: its premium time is over
	RestFree    RestState = "free"    // it works, and unlocks few links: it has no premium time
)

// Rest tells whether an account is asked for links now, and why not.
type Rest struct {
	State     RestState
	Reason    string
	Remaining time.Duration // until it is asked again, 0 = not known
}

// Account is a user's account at a provider, without its key.
type Account struct {
	User     int64
	Provider string
	BaseURL  string
	Origin   Origin
	Rest     Rest
}

// Lift is the command that has an account asked again, "" where nothing keeps it from
// that or no command helps.
func (s RestState) Lift(user int64, provider string) string {
	switch s {
	case RestQuota, RestCooling:
		return fmt.Sprintf("xship cooldowns clear --user %d --provider %s", user, provider)
	case RestRefused:
		return fmt.Sprintf("xship accounts check %s --user %d", provider, user)
	default:
		return ""
	}
}

// RestStateOf is the state of an account that is skipped.
func RestStateOf(kind sources.Class) RestState {
	switch kind {
	case sources.ClassProviderAuth:
		return RestRefused
	case sources.ClassProviderQuota:
		return RestQuota
	default:
		return RestCooling
	}
}

// AccountTitle names an account in a sentence.
func AccountTitle(user int64, provider string) string {
	return fmt.Sprintf("the account of user %d at %s", user, sources.ProviderTitle(provider))
}

// allProviders is the providers for those who want all accounts: an accounts file
// that cannot be read is an error.
func (e *Engine) allProviders() (*providers, error) {
	if _, err := e.added.get(); err != nil {
		return nil, err
	}
	return e.providers.get()
}

// Accounts lists the accounts of all users.
func (e *Engine) Accounts(ctx context.Context) ([]Account, error) {
	p, err := e.allProviders()
	if err != nil {
		return nil, err
	}
	all := make([]Account, 0, len(p.accounts))
	for _, a := range p.accounts {
		all = append(all, Account{
			User: a.User, Provider: a.Provider, BaseURL: a.BaseURL, Origin: e.originOf(a.User, a.Provider), Rest: p.restOf(ctx, a),
		})
	}
	return all, nil
}

func (e *Engine) originOf(user int64, provider string) Origin {
	if e.inSettings(user, provider) {
		return OriginSettings
	}
	return OriginFile
}

func (e *Engine) inSettings(user int64, provider string) bool {
	return slices.ContainsFunc(e.cfg.Settings.Debrid.Accounts, func(c config.DebridAccount) bool { return c.User == user && c.Provider == provider })
}

// chosen gives the accounts of a user, 0 = all, at a provider, "" = all.
func (p *providers) chosen(user int64, provider string) []sources.Account {
	var chosen []sources.Account
	for _, account := range p.accounts {
		if (user == 0 || user == account.User) && (provider == "" || provider == account.Provider) {
			chosen = append(chosen, account)
		}
	}
	return chosen
}

func (p *providers) restOf(ctx context.Context, account sources.Account) Rest {
	rest := Rest{State: RestNone}
	for _, resting := range p.asking.Resting(ctx, account.User) {
		if resting.Provider != account.Provider {
			continue
		}
		rest.State, rest.Reason, rest.Remaining = RestStateOf(resting.Kind), resting.Reason, resting.Remaining
	}
	return rest
}

// AccountCheck tells how asking a provider about an account went.
type AccountCheck struct {
	User     int64
	Provider string
	Info     debrid.AccountInfo
	Err      error // nil: it works
	Elapsed  time.Duration
	Rest     Rest // an account that works may be kept from links all the same
}

// ErrNoSuchAccount says that nobody has the account that was asked for.
var ErrNoSuchAccount = text.WithHint(errors.New("there is no such account"), "xship accounts list shows all of them")

// AccountsToCheck gives the accounts of a user, 0 = all, at a provider, "" = all.
func (e *Engine) AccountsToCheck(user int64, provider string) ([]sources.Account, error) {
	p, err := e.allProviders()
	if err != nil {
		return nil, err
	}
	chosen := p.chosen(user, provider)
	if len(chosen) == 0 && (user != 0 || provider != "") {
		return nil, ErrNoSuchAccount
	}
	return chosen, nil
}

// CheckAccounts asks about accounts that are in use, several at once, remembers what
// that tells, and gives it in their order. checked is told how many are done, never
// twice at once; nil: nobody.
func (e *Engine) CheckAccounts(ctx context.Context, all []sources.Account, checked func(done int)) ([]AccountCheck, error) {
	p, err := e.allProviders()
	if err != nil {
		return nil, err
	}
	return eachAtOnce(all, checked, func(a sources.Account) AccountCheck { return p.check(ctx, a) }), nil
}

// check asks about an account that is in use, and remembers what that tells.
func (p *providers) check(ctx context.Context, account sources.Account) AccountCheck {
	return p.checkWith(ctx, account, p.services.Check)
}

// checkWith is check by one of the ways to ask.
func (p *providers) checkWith(
	ctx context.Context, account sources.Account, ask func(context.Context, sources.Account) (debrid.AccountInfo, error),
) AccountCheck {
	c := AccountCheck{User: account.User, Provider: account.Provider}
	started := time.Now()
	c.Err = p.asking.Ask(ctx, account, func(ctx context.Context) (err error) {
		c.Info, err = ask(ctx, account)
		return err
	})
	if c.Err == nil {
		p.keepPlan(ctx, account, c.Info)
	}
	c.Elapsed, c.Rest = time.Since(started), p.restOf(ctx, account)
	c.tellPlan()
	return c
}

// tellPlan has the state of an account that works tell where its plan lets it unlock
// few links.
func (c *AccountCheck) tellPlan() {
	switch {
	case c.Err != nil || c.Rest.State != RestNone || c.Info.Premium || c.Info.Plan == debrid.PlanTrial:
	case !c.Info.PremiumUntil.IsZero():
		c.Rest.State = RestExpired
	default:
		c.Rest.State = RestFree
	}
}

// NewAccount is an account that is being added.
type NewAccount struct {
	Replaces bool // one that was added before

	engine    *Engine
	providers *providers
	account   sources.Account
	info      *debrid.AccountInfo // nil: its provider was not asked
}

// NewAccount begins to add an account of a user at a provider, whose API is at
// baseURL where that is not "". One in the settings cannot be replaced.
func (e *Engine) NewAccount(user int64, provider, baseURL string) (*NewAccount, error) {
	switch {
	case user < 1:
		return nil, &RequestError{Text: "user " + strconv.FormatInt(user, 10) + " cannot have an account", Hint: "users are numbers from 1 on"}
	case !slices.Contains(config.DebridProviders(), provider):
		return nil, &RequestError{
			Text: fmt.Sprintf("there is no provider %q", text.Clean(provider)), Hint: "known are " + strings.Join(config.DebridProviders(), ", "),
		}
	case baseURL != "" && !config.PlainURL(baseURL):
		return nil, &RequestError{Text: "this is no address of an API", Hint: "give an http or https URL without user, query and fragment"}
	}
	p, err := e.allProviders()
	if err != nil {
		return nil, err
	}
	if e.inSettings(user, provider) {
		return nil, text.WithHint(fmt.Errorf("%s is in the settings, which count before what is added", AccountTitle(user, provider)),
			"change it in setting debrid.accounts; xship config show says where that is")
	}
	e.network.operator.add(baseURL)
	return &NewAccount{
		engine: e, providers: p, Replaces: len(p.chosen(user, provider)) > 0,
		account: sources.Account{User: user, Provider: provider, BaseURL: baseURL},
	}, nil
}

// UseKey gives the account its key.
func (n *NewAccount) UseKey(key string) { n.account.Key = sources.Secret(key) }

// StartLogin asks the provider for a login by code. The error is debrid.ErrNoLogin
// where it has none: the key has to be given.
func (n *NewAccount) StartLogin(ctx context.Context) (debrid.Device, error) {
	return n.providers.services.StartLogin(ctx, n.account.Provider, n.account.BaseURL)
}

// NoLogin tells whether err says that a provider has no login by code.
func NoLogin(err error) bool { return errors.Is(err, debrid.ErrNoLogin) }

// AwaitLogin waits until the user has entered the code of a login, which gives the
// account its key.
func (n *NewAccount) AwaitLogin(ctx context.Context, device debrid.Device) error {
	for {
		account, done, err := n.providers.services.PollLogin(ctx, device)
		wait := device.Interval
		var busy *sources.ProviderStreamUnavailableError
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case done:
			n.account.Key, n.account.Refresh = account.Key, account.Refresh
			return nil
		case errors.As(err, &busy) && busy.Kind == sources.ClassProviderCooling:
			if busy.Cooldown != nil {
				wait = max(wait, *busy.Cooldown)
			}
		case err != nil:
			return err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Unchecked is the account as it is before its provider was asked.
func (n *NewAccount) Unchecked() AccountCheck {
	return AccountCheck{User: n.account.User, Provider: n.account.Provider, Rest: Rest{State: RestNone}}
}

// Check asks the provider whether the account works. Nothing is remembered of that,
// since the account that it replaces may cool down or be refused.
func (n *NewAccount) Check(ctx context.Context) (AccountCheck, error) {
	checkCtx, cancel := context.WithTimeout(ctx, providerTimeout(n.engine.cfg.Settings, n.account.Provider))
	defer cancel()
	started := time.Now()
	info, err := n.providers.services.Check(checkCtx, n.account)
	switch {
	case ctx.Err() != nil:
		return AccountCheck{}, ctx.Err()
	case err == nil:
		c := n.Unchecked()
		n.info = &info
		c.Info, c.Elapsed = info, time.Since(started)
		c.tellPlan()
		return c, nil
	}
	hint := "nothing was stored; check the key and the account on the provider's web site"
	if sources.ClassOf(err) != sources.ClassProviderAuth {
		hint = "nothing was stored; try again later, or store it unchecked with --no-check"
	}
	return AccountCheck{}, text.WithHint(fmt.Errorf("check the account: %w", err), hint)
}

// Store stores the account. What the user's account at the provider unlocked before is
// forgotten first: it is not for this one.
func (n *NewAccount) Store(ctx context.Context) error {
	key := sources.CooldownKey{User: n.account.User, Provider: n.account.Provider}
	if err := n.engine.cfg.Store.ForgetAccount(ctx, key); err != nil {
		return err
	}
	if err := n.engine.accountsFile().Put(storedOf(n.account)); err != nil {
		return err
	}
	if n.info != nil {
		n.engine.keepPlan(ctx, n.account, *n.info)
	}
	n.engine.forgetAccounts()
	return nil
}

// forgetAccounts has requests that come later read the accounts anew.
func (e *Engine) forgetAccounts() {
	e.added.forget()
	e.providers.forget()
	e.resolving.forget()
}

// RemoveAccount takes an account that was added out of the accounts file. inSettings
// tells that the settings have one too, which is used as before. Without that, what it
// unlocked is to be forgotten: see ForgetAccount.
func (e *Engine) RemoveAccount(user int64, provider string) (inSettings bool, err error) {
	removed, err := e.accountsFile().Remove(user, provider)
	if err != nil {
		return false, err
	}
	e.forgetAccounts()
	inSettings = e.inSettings(user, provider)
	switch {
	case !removed && inSettings:
		return true, text.WithHint(fmt.Errorf("%s is in the settings, which xship does not change", AccountTitle(user, provider)),
			"remove it from setting debrid.accounts; xship config show says where that is")
	case !removed:
		return false, text.WithHint(errors.New("there is no account of user "+strconv.FormatInt(user, 10)+" at "+sources.ProviderTitle(provider)),
			"xship accounts list shows all of them")
	}
	return inSettings, nil
}

// ForgetAccount forgets what the store has of an account that was removed.
func (e *Engine) ForgetAccount(ctx context.Context, user int64, provider string) error {
	return e.cfg.Store.ForgetAccount(ctx, sources.CooldownKey{User: user, Provider: provider})
}
