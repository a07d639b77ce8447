package sourcecache

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"xship/sources"
	"xship/sources/cooldown/state"
)

// cooldownLimits are the limits of the rows of the cooldown table, whose times
// are Unix milliseconds.
func cooldownLimits() state.Limits {
	return state.Limits{
		Longest: sources.MaxCooldown.Milliseconds(), Memory: sources.CooldownMemory.Milliseconds(),
		Lease: sources.CooldownLeaseOf.Milliseconds(), Slack: time.Second.Milliseconds(),
	}
}

// cooldownMark is m, which marks something, in the unit of the rows.
func cooldownMark(m sources.CooldownMark) state.Mark {
	return state.Mark{For: m.For.Milliseconds(), Grow: m.Grow, Reason: m.Reason}
}

// remaining is what remains at a time of the cooldown of a row.
func remaining(row state.State, at time.Time) sources.Cooldown { return wait(row, row.Until, at) }

// wait is the wait until a time for the reason of a row, sources.MaxCooldown at
// most.
func wait(row state.State, until int64, at time.Time) sources.Cooldown {
	if until <= at.UnixMilli() {
		return sources.Cooldown{}
	}
	return sources.Cooldown{Remaining: min(time.UnixMilli(until).Sub(at), sources.MaxCooldown), Reason: row.Reason}
}

const cooldownColumns = `until_ms, step_ms, reason, lease_until_ms, lease_token`

func cooldownFields(c *state.State) []any {
	return []any{&c.Until, &c.Step, &c.Reason, &c.LeaseUntil, &c.LeaseToken}
}

// readCooldown reads one row as it counts at now.
func (db *DB) readCooldown(ctx context.Context, q querier, key sources.CooldownKey, now int64) (state.State, error) {
	var c state.State
	found, err := db.oneRow(ctx, q, "cooldown", fmt.Sprint(key.User, " ", key.Provider), cooldownFields(&c),
		`SELECT `+cooldownColumns+` FROM cooldown WHERE user = ? AND provider = ?`, key.User, key.Provider)
	if !found {
		return state.State{}, err
	}
	return c.Effective(now, cooldownLimits()), nil
}

// putCooldown writes a row, and none for the zero value.
func (t tx) putCooldown(ctx context.Context, key sources.CooldownKey, c state.State) error {
	if c == (state.State{}) {
		_, err := t.ExecContext(ctx, `DELETE FROM cooldown WHERE user = ? AND provider = ?`, key.User, key.Provider)
		return err
	}
	_, err := t.ExecContext(ctx, `INSERT OR REPLACE INTO cooldown (user, provider, `+cooldownColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		append([]any{key.User, key.Provider}, cooldownFields(&c)...)...)
	return err
}

// runningCooldowns reads all rows whose cooldown runs, by key.
func (db *DB) runningCooldowns(ctx context.Context, q querier, now int64) (map[sources.CooldownKey]state.State, error) {
	all := make(map[sources.CooldownKey]state.State)
	err := db.eachRow(ctx, q, "cooldown", func(rows *sql.Rows) error {
		var key sources.CooldownKey
		var c state.State
		if err := rows.Scan(append([]any{&key.User, &key.Provider}, cooldownFields(&c)...)...); err != nil {
			return err
		}
		if c = c.Effective(now, cooldownLimits()); c.Running(now) {
			all[key] = c
		}
		return nil
	}, `SELECT user, provider, `+cooldownColumns+` FROM cooldown WHERE until_ms > ?`, now)
	return all, err
}
