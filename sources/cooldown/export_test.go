package cooldown

import (
	"context"
	"slices"

	"github.com/redis/go-redis/v9"

	"xship/sources"
)

// Scripts runs the scripts on the keys of one key.
type Scripts struct {
	client  *redis.Client
	keys    []string
	refused string
}

// NewScripts runs them by client.
func NewScripts(client *redis.Client, prefix string, key sources.CooldownKey) Scripts {
	keys := redisKeys{prefix: prefix}
	return Scripts{client: client, keys: keys.all(key), refused: keys.refused(key)}
}

// Keys are those of the cooldown, the last cooldown and the lease.
func (s Scripts) Keys() []string { return s.keys }

// Check gives milliseconds, reason, and what remains of the last cooldown.
func (s Scripts) Check(ctx context.Context) ([]any, error) {
	return checkScript.Run(ctx, s.client, s.keys[:2]).Slice()
}

// Mark gives what Check does.
func (s Scripts) Mark(ctx context.Context, m sources.CooldownMark) ([]any, error) {
	return markScript.Run(ctx, s.client, s.keys, markArgs(m.For, m.For, m.Grow, m.Reason)...).Slice()
}

// Begin gives how the call begins, and what Check does.
func (s Scripts) Begin(ctx context.Context, token string) ([]any, error) {
	return beginScript.Run(ctx, s.client, s.keys, token).Slice()
}

// End ends a call.
func (s Scripts) End(ctx context.Context, token string, answered bool) error {
	return endScript.Run(ctx, s.client, s.keys[1:], token, flag(answered)).Err()
}

// Clear tells whether the cooldown ran.
func (s Scripts) Clear(ctx context.Context) (int64, error) {
	return clearScript.Run(ctx, s.client, append(slices.Clone(s.keys), s.refused)).Int64()
}

// Len is how many budgets are kept.
func (m *MemoryBudgets) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.budgets)
}
