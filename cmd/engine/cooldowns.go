package engine

import (
	"context"

	"xship/sources"
)

// Cooldowns gives the provider cooldowns that run, and the hosters that providers
// cannot serve now.
func (e *Engine) Cooldowns(ctx context.Context) ([]sources.CooldownEntry, []sources.ProviderHosterRest, error) {
	cooldowns, err := e.cooldown.get()
	if err != nil {
		return nil, nil, err
	}
	running, err := cooldowns.Cooldowns(ctx)
	if err != nil {
		return nil, nil, err
	}
	resting, err := e.cfg.Store.ProviderHosterRests(ctx)
	return running, resting, err
}

// ClearCooldowns ends the cooldowns, and the rests of hosters, of a user, 0 = all, at
// a provider, "" = all, and counts both.
func (e *Engine) ClearCooldowns(ctx context.Context, key sources.CooldownKey) (cooldowns, hosters int, err error) {
	open, err := e.cooldown.get()
	if err != nil {
		return 0, 0, err
	}
	if hosters, err = e.cfg.Store.ClearProviderHosterRests(ctx, key); err != nil {
		return 0, 0, err
	}
	cooldowns, err = open.Clear(ctx, key)
	return cooldowns, hosters, err
}
