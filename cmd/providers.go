package cmd

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"xship/config"
	"xship/sourcecache"
	"xship/sources"
	"xship/sources/cooldown"
	"xship/sources/debrid"
	"xship/sources/link"
	"xship/sources/text"
)

// providers are the debrid services of a run with the accounts of all users.
type providers struct {
	services *debrid.Debrid
	accounts []sources.Account
	cooldown sources.ProviderCooldown
}

func (a *app) accountsFile() *config.AccountsFile {
	return config.NewAccountsFile(filepath.Join(a.dataDir(), "accounts.json"))
}

// openProviders makes the services, the accounts of the settings and of those that
// were added, and the cooldowns. Where the file of those that were added cannot be
// read, it warns and goes on without them.
func (a *app) openProviders(s *config.Settings, store *sourcecache.DB, net *network) (*providers, error) {
	stored, err := a.storedAccounts(s)
	if err != nil {
		a.warn("warning: the accounts that were added are not used: %v", err)
	}
	return a.newProviders(s, stored, store, net, net.Call)
}

// storedAccounts reads the accounts that were added, and warns of what is wrong with
// some of them and with the settings.
func (a *app) storedAccounts(s *config.Settings) ([]config.DebridAccount, error) {
	stored, warnings, err := a.accountsFile().Read()
	for _, w := range slices.Concat(s.Warnings, warnings) {
		a.warn("warning: %s", w)
	}
	return stored, err
}

// newProviders is openProviders with the accounts that were added, and a way to
// call. Without a store, nil, the providers are asked anew for what they serve.
func (a *app) newProviders(s *config.Settings, stored []config.DebridAccount, store *sourcecache.DB, net *network, call debrid.CallFunc) (*providers, error) {
	o := debrid.Options{Call: call, Now: a.Now, Logger: a.logger, Renewed: a.keyRenewed}
	if store != nil {
		o.Hosters = store
	}
	p := &providers{services: debrid.New(o)}
	for _, account := range config.MergeAccounts(s.Debrid.Accounts, stored) {
		net.operator.add(account.BaseURL)
		p.accounts = append(p.accounts, accountOf(account))
	}
	var err error
	p.cooldown, err = a.openCooldown(s, store)
	return p, err
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
func (a *app) keyRenewed(before, after sources.Account) error {
	file := a.accountsFile()
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

// openCooldown opens the cooldowns where the settings want them kept. Those in Redis
// are kept in the store as well, for the time Redis is away. Without a store, nil,
// Redis is alone, and those of the store are in memory.
func (a *app) openCooldown(s *config.Settings, store *sourcecache.DB) (sources.ProviderCooldown, error) {
	switch s.Cooldown.Store {
	case "memory":
		return cooldown.NewMemory(a.Now), nil
	case "redis":
		redis, err := cooldown.NewRedis(cooldown.RedisOptions{URL: s.Redis.URL, Prefix: s.Redis.Prefix, Now: a.Now, Logger: a.logger})
		if err != nil {
			return nil, err
		}
		if store == nil {
			return redis, nil
		}
		return cooldown.NewMirrored(redis, store.Cooldowns()), nil
	}
	if store == nil {
		return cooldown.NewMemory(a.Now), nil
	}
	return store.Cooldowns(), nil
}

func (p *providers) close() { closeCooldown(p.cooldown) }

// closeCooldown ends the connections of cooldowns that have some.
func closeCooldown(c sources.ProviderCooldown) {
	if closer, ok := c.(io.Closer); ok {
		_ = closer.Close() // nothing is lost with it
	}
}

// resolving is the part of the providers in resolving, nil where there is no
// account.
func (p *providers) resolving(a *app, s *config.Settings, store *sourcecache.DB, check func(context.Context, sources.Stream) error) *sources.Accounts {
	if len(p.accounts) == 0 {
		return nil
	}
	accounts := p.useCase(a, store)
	accounts.Check, accounts.TTL, accounts.Ahead = check, s.Precache.StreamTTL, s.Precache.Unlock
	return accounts
}

// useCase asks the providers, and keeps what that tells in the store, nil = none.
func (p *providers) useCase(a *app, store *sourcecache.DB) *sources.Accounts {
	accounts := &sources.Accounts{
		List: p.accounts, Providers: p.services.Providers(), Cooldown: p.cooldown, Now: a.Now, Logger: a.logger,
	}
	if store == nil {
		return accounts
	}
	accounts.Store = store
	accounts.Network = func(ctx context.Context) sources.NetworkState {
		guard, err := store.Guard(ctx)
		if err != nil {
			return sources.NetworkUnknown
		}
		return guard.Network
	}
	return accounts
}

// userFlag adds --user, whose default is XSHIP_USER, else user 1.
func (a *app) userFlag(flags *pflag.FlagSet) *string {
	return flags.String("user", "", "user `NUMBER` whose debrid accounts are used (default 1, or XSHIP_USER)")
}

// user reads the value of --user.
func (a *app) user(flag string) (int64, error) {
	name := "--user"
	if flag == "" {
		flag, name = a.getenv("XSHIP_USER"), "XSHIP_USER"
	}
	if flag == "" {
		return sources.DefaultUser, nil
	}
	n, err := strconv.ParseInt(strings.TrimSpace(flag), 10, 64)
	if err != nil || n < 1 {
		return 0, &usageError{msg: fmt.Sprintf("%s %q is no user", name, text.Clean(flag)), hint: "users are numbers from 1"}
	}
	return n, nil
}

// noteResting tells which accounts of the user are not asked now, but for those of
// which that is said in told already.
func (p *pipeline) noteResting(ctx context.Context, user int64, told []triedDoc) {
	for _, skipped := range p.accounts.Resting(ctx, user) {
		if !slices.ContainsFunc(told, func(t triedDoc) bool { return tellsOf(t.Error, skipped) }) {
			p.app.note("%s", skipped)
		}
	}
}

// tellsOf tells whether text says that an account is skipped, whatever time is left,
// or how a call of it began its rest.
func tellsOf(s string, skipped *sources.SkippedError) bool {
	begins := (&sources.SkippedError{Provider: skipped.Provider, Kind: skipped.Kind}).Error()
	called := sources.ProviderTitle(skipped.Provider) + ": " + text.Clean(skipped.Reason)
	return strings.Contains(s, begins) || skipped.Reason != "" && strings.Contains(s, called)
}

// servedLate is how long a list that is late, or was broken off, waits for what
// providers serve.
const servedLate = 300 * time.Millisecond

// served tells through which providers the user gets pages of the hosters of a
// scan; complete is false where that is not known of all. Providers that are asked
// for it have what the scan left of its time.
func (p *pipeline) served(ctx context.Context, user int64, all []sources.Source) (by map[string]string, complete bool) {
	limit := max(p.listBy.Sub(p.app.Now()), servedLate)
	if ctx.Err() != nil {
		ctx, limit = context.WithoutCancel(ctx), servedLate
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var hosters []string
	seen := make(map[string]bool)
	for _, src := range all {
		if src.Hoster != "" && !seen[src.Hoster] && link.IsPage(src.URL) {
			seen[src.Hoster] = true
			hosters = append(hosters, src.Hoster)
		}
	}
	return p.accounts.Served(ctx, user, hosters)
}
