package cooldown

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"

	"xship/sources"
)

const (
	// scanTimeout bounds a search through all keys of the server, each round of
	// which is bounded like any operation.
	scanTimeout = time.Second
	// scanCount is how many keys the server looks at in a round.
	scanCount = 10_000
)

// Cooldowns implements sources.ProviderCooldown. It looks through all keys of
// the server's database, for a second at most; with an error it gives those
// found.
func (r *Redis) Cooldowns(ctx context.Context) ([]sources.CooldownEntry, error) {
	found := make(map[sources.CooldownKey]sources.Cooldown)
	err := r.scan(ctx, func(ctx context.Context, names []string) error {
		return r.read(ctx, names, found)
	})
	if err != nil && !errors.Is(err, errScanTooLong) {
		return r.here(ctx)
	}
	all := make([]sources.CooldownEntry, 0, len(found))
	for key, c := range found {
		all = append(all, sources.CooldownEntry{CooldownKey: key, Cooldown: c})
	}
	sortEntries(all)
	if err != nil {
		return all, r.failure("list all cooldowns of", err)
	}
	return all, nil
}

// Clear implements sources.ProviderCooldown. Where the server cannot be asked
// it clears what this process knows, and says so by a *RedisError.
func (r *Redis) Clear(ctx context.Context, key sources.CooldownKey) (int, error) {
	here, err := r.local.Clear(ctx, key)
	if err == nil {
		_, err = r.foreign.Clear(ctx, key)
	}
	if err != nil {
		return here, err
	}
	n := 0
	if key.User != 0 && key.Provider != "" {
		err = r.ask(ctx, r.timeout, func(ctx context.Context) (err error) {
			n, err = r.remove(ctx, []sources.CooldownKey{key})
			return err
		})
	} else {
		err = r.scan(ctx, func(ctx context.Context, names []string) error {
			removed, err := r.remove(ctx, r.covered(key, names))
			n += removed
			return err
		})
	}
	if err != nil {
		return max(n, here), r.failure("clear cooldowns of", err)
	}
	return n, nil
}

// errScanTooLong is no fault of the server's.
var errScanTooLong = errors.New("its database has too many keys to look through")

// scan gives fn the names that may be ours, in rounds, some perhaps twice.
func (r *Redis) scan(ctx context.Context, fn func(ctx context.Context, names []string) error) error {
	complete := false
	err := r.ask(ctx, scanTimeout, func(ctx context.Context) error {
		var cursor uint64
		for ctx.Err() == nil {
			var err error
			if cursor, err = r.scanRound(ctx, cursor, fn); err != nil {
				if ctx.Err() != nil {
					return nil //nolint:nilerr // our second is over, which is no fault of the server's
				}
				return err
			}
			if cursor == 0 {
				complete = true
				return nil
			}
		}
		return nil
	})
	if err == nil && !complete {
		return errScanTooLong
	}
	return err
}

func (r *Redis) scanRound(ctx context.Context, cursor uint64, fn func(context.Context, []string) error) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	names, next, err := r.client.Scan(ctx, cursor, r.keys.pattern(), scanCount).Result()
	if err == nil && len(names) > 0 {
		err = fn(ctx, names)
	}
	return next, err
}

// read adds the cooldowns among names to found.
func (r *Redis) read(ctx context.Context, names []string, found map[sources.CooldownKey]sources.Cooldown) error {
	replies := make(map[sources.CooldownKey]*redis.Cmd)
	_, err := r.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		for _, name := range names {
			if family, key, ok := r.keys.parse(name); ok && family == familyCooldown {
				replies[key] = checkScript.Eval(ctx, p, r.keys.all(key)[:2])
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for key, reply := range replies {
		s, err := cooldownReply(reply)
		if err != nil {
			return err
		}
		if s.Remaining > 0 {
			found[key] = s.Cooldown
		}
	}
	return nil
}

// covered are the keys among names that belong to what is asked for.
func (r *Redis) covered(asked sources.CooldownKey, names []string) []sources.CooldownKey {
	var covered []sources.CooldownKey
	seen := make(map[sources.CooldownKey]bool)
	for _, name := range names {
		if _, key, ok := r.keys.parse(name); ok && covers(asked, key) && !seen[key] {
			seen[key] = true
			covered = append(covered, key)
		}
	}
	return covered
}

// remove ends cooldowns and tells how many of them ran.
func (r *Redis) remove(ctx context.Context, keys []sources.CooldownKey) (int, error) {
	if len(keys) == 0 {
		return 0, nil
	}
	removed := make([]*redis.Cmd, len(keys))
	_, err := r.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i, key := range keys {
			removed[i] = clearScript.Eval(ctx, p, append(r.keys.all(key), r.keys.refused(key)))
		}
		return nil
	})
	n := 0
	for _, reply := range removed {
		if ran, err := reply.Int(); err == nil && ran == 1 {
			n++
		}
	}
	return n, err
}
