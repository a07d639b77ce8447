package engine

import (
	"context"
	"slices"
	"time"

	"xship/config"
	"xship/sources"
	"xship/sources/cooldown"
	"xship/sources/debrid"
)

// providers are the debrid services with the accounts of all users.
type providers struct {
	services *debrid.Debrid
	accounts []sources.Account
	cooldown sources.ProviderCooldown
	asking   *sources.Accounts // calls them, and keeps what that tells
	keepPlan func(ctx context.Context, a sources.Account, info debrid.AccountInfo)
}

// readAdded reads the accounts that were added, and warns of what is wrong with some
// of them and with the settings.
func (e *Engine) readAdded() ([]config.DebridAccount, error) {
	added, warnings, err := e.accountsFile().Read()
	for _, w := range slices.Concat(e.cfg.Settings.Warnings, warnings) {
		e.cfg.Warn(w)
	}
	return added, err
}

func (e *Engine) accountsFile() *config.AccountsFile {
	file := config.NewAccountsFile(config.AccountsPath(e.cfg.DataDir))
	file.Warn = e.cfg.Warn
	return file
}

// openProviders makes the services with the accounts of the settings and those that
// were added. Where these cannot be read, it goes on without them.
func (e *Engine) openProviders() (*providers, error) {
	added, err := e.added.get()
	if err != nil {
		e.cfg.Warn("the accounts that were added are not used: " + err.Error())
	}
	return e.newProviders(added, e.network.services.Call)
}

// newProviders makes the services with the accounts that were added, and a way to
// call. Without a store the providers are asked anew for what they serve.
func (e *Engine) newProviders(added []config.DebridAccount, call debrid.CallFunc) (*providers, error) {
	resting, err := e.cooldown.get()
	if err != nil {
		return nil, err
	}
	o := debrid.Options{Call: call, Now: e.cfg.Now, Logger: e.cfg.Logger, Budgets: resting.budgets, Renewed: e.keyRenewed}
	if e.cfg.Store != nil {
		o.Hosters = e.cfg.Store
	}
	p := &providers{services: debrid.New(o), cooldown: resting.cooldown, keepPlan: e.keepPlan}
	for _, account := range config.MergeAccounts(e.cfg.Settings.Debrid.Accounts, added) {
		e.network.operator.add(account.BaseURL)
		p.accounts = append(p.accounts, accountOf(account))
	}
	p.asking = e.newAccounts(p)
	return p, nil
}

func accountOf(c config.DebridAccount) sources.Account {
	return sources.Account{
		User: c.User, Provider: c.Provider, Key: sources.Secret(c.APIKey), Refresh: sources.Secret(c.Refresh), BaseURL: c.BaseURL,
	}
}

func storedOf(a sources.Account) config.DebridAccount {
	return config.DebridAccount{
		User: a.User, Provider: a.Provider, APIKey: a.Key.Reveal(), Refresh: a.Refresh.Reveal(), BaseURL: a.BaseURL,
	}
}

// keyRenewed keeps the new key of an account that a login gave, unless the account
// was removed or replaced meanwhile.
func (e *Engine) keyRenewed(before, after sources.Account) error {
	file := e.accountsFile()
	accounts, _, err := file.Read()
	if err != nil {
		return err
	}
	was := storedOf(before)
	for _, stored := range accounts {
		if stored.User == was.User && stored.Provider == was.Provider && (stored.APIKey == was.APIKey || stored.Refresh == was.Refresh) {
			return file.Put(storedOf(after))
		}
	}
	return nil
}

// resting is what keeps providers from being called: cooldowns, and budgets of calls.
type resting struct {
	cooldown sources.ProviderCooldown
	budgets  sources.CallBudgets
}

// openCooldown opens the cooldowns, and the budgets of calls, where the settings want
// them kept. Those in Redis are kept in the store as well, for the time Redis is away.
// Without a store Redis is alone, and those of the store are in memory.
func (e *Engine) openCooldown() (resting, error) {
	r, err := e.newCooldown()
	if err == nil {
		e.closeLater(r.cooldown)
	}
	return r, err
}

func (e *Engine) newCooldown() (resting, error) {
	s := e.cfg.Settings
	own := resting{cooldown.NewMemory(e.cfg.Now), cooldown.NewMemoryBudgets(e.cfg.Now)}
	if e.cfg.Store != nil && s.Cooldown.Store != "memory" {
		own = resting{e.cfg.Store.Cooldowns(), e.cfg.Store.CallBudgets()}
	}
	if s.Cooldown.Store != "redis" {
		return own, nil
	}
	redis, err := cooldown.NewRedis(cooldown.RedisOptions{URL: s.Redis.URL, Prefix: s.Redis.Prefix, Timeout: e.cfg.RedisTimeout, Now: e.cfg.Now, Logger: e.cfg.Logger})
	if err != nil {
		return resting{}, err
	}
	shared := resting{redis, cooldown.NewSharedBudgets(redis, own.budgets)}
	if e.cfg.Store != nil {
		shared.cooldown = cooldown.NewMirrored(redis, own.cooldown)
	}
	return shared, nil
}

// newAccounts asks the providers, and keeps what that tells in the store.
func (e *Engine) newAccounts(p *providers) *sources.Accounts {
	accounts := &sources.Accounts{
		List: p.accounts, Providers: p.services.Providers(), Cooldown: p.cooldown, Observer: e.observer, Now: e.cfg.Now, Logger: e.cfg.Logger,
		Timeout: func(provider string) time.Duration { return providerTimeout(e.cfg.Settings, provider) },
	}
	if e.cfg.Store == nil {
		return accounts
	}
	accounts.Store = e.cfg.Store
	accounts.Network = func(ctx context.Context) sources.NetworkState {
		guard, err := e.cfg.Store.Guard(ctx)
		if err != nil {
			return sources.NetworkUnknown
		}
		return guard.Network
	}
	return accounts
}

// accountsForLinks unlocks links, and checks what it unlocked. It is nil where there
// is no account.
func (e *Engine) accountsForLinks(check func(context.Context, sources.Stream) error) (*sources.Accounts, error) {
	p, err := e.providers.get()
	if err != nil || len(p.accounts) == 0 {
		return nil, err
	}
	accounts := e.newAccounts(p)
	accounts.Check, accounts.TTL, accounts.Ahead = check, e.cfg.Settings.Precache.StreamTTL, e.cfg.Settings.Precache.Unlock
	return accounts, nil
}
