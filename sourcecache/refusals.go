package sourcecache

import (
	"context"
	"fmt"
	"maps"

	"xship/sources"
	"xship/sources/cooldown/state"
)

// Refused implements sources.ProviderCooldown. Memory notes it as well, and answers
// where the database fails.
func (c *Cooldowns) Refused(ctx context.Context, key sources.CooldownKey, r sources.Refusal) (again bool, err error) {
	againHere := c.noteRefusal(key, r)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.writePatience)
	defer cancel()
	again, err = bounded(ctx, func() (again bool, err error) {
		err = c.db.write(ctx, "note a refused link", func(t tx) error {
			last, _, err := c.db.readRefusal(ctx, t, key)
			if err != nil {
				return err
			}
			again = last.Again(r.Link, r.Answer, t.at.UnixMilli(), sources.RefusalMemory.Milliseconds())
			_, err = t.ExecContext(ctx, `INSERT OR REPLACE INTO refused_link (user, provider, link, answer, until_ms) VALUES (?, ?, ?, ?, ?)`,
				key.User, key.Provider, last.Link, last.Answer, last.Until)
			return err
		})
		return again, err
	})
	if c.report(ctx, writing, err); err != nil {
		return againHere, nil
	}
	return again, nil
}

// noteRefusal is Refused by what memory knows.
func (c *Cooldowns) noteRefusal(key sources.CooldownKey, r sources.Refusal) (again bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.db.now().UnixMilli()
	maps.DeleteFunc(c.refusals, func(_ sources.CooldownKey, r state.Refusal) bool { return r.Until <= now })
	last := c.refusals[key]
	again = last.Again(r.Link, r.Answer, now, sources.RefusalMemory.Milliseconds())
	c.refusals[key] = last
	return again
}

// Answered implements sources.ProviderCooldown. It writes only where a link was refused.
func (c *Cooldowns) Answered(ctx context.Context, key sources.CooldownKey) error {
	c.mu.Lock()
	delete(c.refusals, key)
	c.mu.Unlock()
	ctx, cancel := c.hurried(ctx)
	defer cancel()
	known, err := bounded(ctx, func() (bool, error) {
		_, known, err := c.db.readRefusal(ctx, c.db.reads, key)
		return known, err
	})
	if c.report(ctx, reading, err); err != nil || !known {
		return nil // reported; what was refused counts for a while at most
	}
	_, err = bounded(ctx, func() (struct{}, error) {
		return struct{}{}, c.db.write(ctx, "forget a refused link", func(t tx) error {
			_, err := t.ExecContext(ctx, `DELETE FROM refused_link WHERE user = ? AND provider = ?`, key.User, key.Provider)
			return err
		})
	})
	c.report(ctx, writing, err)
	return nil
}

// readRefusal reads one row; one that is damaged is none.
func (db *DB) readRefusal(ctx context.Context, q querier, key sources.CooldownKey) (r state.Refusal, known bool, err error) {
	known, err = db.oneRow(ctx, q, "refused_link", fmt.Sprint(key.User, " ", key.Provider), []any{&r.Link, &r.Answer, &r.Until},
		`SELECT link, answer, until_ms FROM refused_link WHERE user = ? AND provider = ?`, key.User, key.Provider)
	if !known {
		r = state.Refusal{}
	}
	return r, known, err
}
