package engine

import (
	"context"

	"xship/sources"
)

// Cooldowns gives the provider cooldowns that run, and the hosters that providers
// cannot serve now.
func (e *Engine) Cooldowns(ctx context.Context) ([]sources.CooldownEntry, []sources.ProviderHosterRest, error) {
	open, err := e.cooldown.get()
	if err != nil {
		return nil, nil, err
	}
	running, err := open.cooldown.Cooldowns(ctx)
	if err != nil {
		return nil, nil, err
	}
	resting, err := e.cfg.Store.ProviderHosterRests(ctx)
	return running, resting, err
}

// Cleared counts what is asked again.
type Cleared struct {
	Cooldowns int
	Hosters   int // that a provider could not serve
	Accounts  int // that were refused, or had used up their quota
}

// ClearCooldowns ends the cooldowns, the rests of hosters, and those of accounts, of a
// user, 0 = all, at a provider, "" = all, and counts them. Of the rests of hosters,
// those for all users are a user's too.
func (e *Engine) ClearCooldowns(ctx context.Context, key sources.CooldownKey) (cleared Cleared, err error) {
	p, err := e.providers.get()
	if err != nil {
		return cleared, err
	}
	for _, account := range p.chosen(key.User, key.Provider) {
		state, err := e.cfg.Store.AccountState(ctx, account)
		if err == nil && state.Class != sources.ClassOK {
			cleared.Accounts++
			err = e.cfg.Store.SetAccountState(ctx, account, sources.AccountState{Class: sources.ClassOK})
		}
		if err != nil {
			return cleared, err
		}
	}
	if cleared.Hosters, err = e.cfg.Store.ClearProviderHosterRests(ctx, key); err != nil {
		return cleared, err
	}
	cleared.Cooldowns, err = p.cooldown.Clear(ctx, key)
	return cleared, err
}
