package sourcecache

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"xship/sources"
)

// cooldown is what is known of one user's provider: a row of the cooldown table
// or its copy in memory. Its methods are the rules of sources.ProviderCooldown;
// times are Unix milliseconds. The zero value is a provider that all may call.
//
// After the cooldown's end the next call goes first, and the one after that
// while nobody had an answer.
type cooldown struct {
	until      int64 // its end, 0 = there was none
	step       int64 // its length, from which the next one grows
	reason     string
	leaseUntil int64
	leaseToken string // names the call that goes first, "" = none is under way
}

// cooldownSlack is how far, in milliseconds, an end may lie beyond the longest
// cooldown before the clock must have been set back.
const cooldownSlack = 1000

// effective is c as it counts at now: an impossible cooldown is none, and so is
// one that is forgotten.
func (c cooldown) effective(now int64) cooldown {
	if c.until > now+sources.MaxCooldown.Milliseconds()+cooldownSlack || now >= c.until+sources.CooldownMemory.Milliseconds() {
		return cooldown{}
	}
	return c
}

func (c cooldown) running(now int64) bool { return c.until > now }

// ended tells whether a cooldown is over of which it is not known yet whether
// the provider works again.
func (c cooldown) ended(now int64) bool { return c.until != 0 && c.until <= now }

// leased tells whether a call that goes first is under way. A lease that ends
// later than leases last was made under another clock.
func (c cooldown) leased(now int64) bool {
	return c.leaseToken != "" && now < c.leaseUntil && c.leaseUntil <= now+sources.CooldownLeaseOf.Milliseconds()
}

// mark applies m, which marks something, and ends a lease.
func (c *cooldown) mark(m sources.CooldownMark, now int64) {
	length := max(1, m.For.Milliseconds())
	if m.Grow && c.ended(now) {
		length = max(length, c.step*3/2)
	}
	length = min(length, sources.MaxCooldown.Milliseconds())
	step := length
	if c.running(now) {
		step = max(step, c.step)
	}
	c.step, c.leaseUntil, c.leaseToken = step, 0, ""
	if until := now + length; until > c.until {
		c.until, c.reason = until, m.Reason
	}
}

// extend gives c the cooldown of another copy where that one ends later.
func (c *cooldown) extend(other cooldown) {
	if other.until > c.until {
		*c = other
	}
}

// lease lets the call with the given token go first.
func (c *cooldown) lease(token string, now int64) {
	c.leaseUntil, c.leaseToken = now+sources.CooldownLeaseOf.Milliseconds(), token
}

// end ends the call with the given token, which the lease must still be of.
func (c *cooldown) end(token string, answered bool) {
	switch {
	case c.leaseToken != token:
	case answered:
		*c = cooldown{}
	default:
		c.leaseUntil, c.leaseToken = 0, ""
	}
}

// remaining is what remains of the cooldown at a time.
func (c cooldown) remaining(at time.Time) sources.Cooldown { return c.wait(c.until, at) }

// wait is the wait until a time for the reason of c, sources.MaxCooldown at most.
func (c cooldown) wait(until int64, at time.Time) sources.Cooldown {
	if until <= at.UnixMilli() {
		return sources.Cooldown{}
	}
	return sources.Cooldown{Remaining: min(time.UnixMilli(until).Sub(at), sources.MaxCooldown), Reason: c.reason}
}

const cooldownColumns = `until_ms, step_ms, reason, lease_until_ms, lease_token`

func (c *cooldown) fields() []any {
	return []any{&c.until, &c.step, &c.reason, &c.leaseUntil, &c.leaseToken}
}

// readCooldown reads one row as it counts at now.
func readCooldown(ctx context.Context, q querier, key sources.CooldownKey, now int64) (cooldown, error) {
	var c cooldown
	err := q.QueryRowContext(ctx, `SELECT `+cooldownColumns+` FROM cooldown WHERE user = ? AND provider = ?`, key.User, key.Provider).Scan(c.fields()...)
	if errors.Is(err, sql.ErrNoRows) {
		return cooldown{}, nil
	}
	return c.effective(now), err
}

// putCooldown writes a row, and none for the zero value.
func (t tx) putCooldown(ctx context.Context, key sources.CooldownKey, c cooldown) error {
	if c == (cooldown{}) {
		_, err := t.ExecContext(ctx, `DELETE FROM cooldown WHERE user = ? AND provider = ?`, key.User, key.Provider)
		return err
	}
	_, err := t.ExecContext(ctx, `INSERT OR REPLACE INTO cooldown (user, provider, `+cooldownColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		append([]any{key.User, key.Provider}, c.fields()...)...)
	return err
}

// runningCooldowns reads all rows whose cooldown runs, by key.
func runningCooldowns(ctx context.Context, q querier, now int64) (map[sources.CooldownKey]cooldown, error) {
	all := make(map[sources.CooldownKey]cooldown)
	err := queryRows(ctx, q, func(rows *sql.Rows) error {
		var key sources.CooldownKey
		var c cooldown
		if err := rows.Scan(append([]any{&key.User, &key.Provider}, c.fields()...)...); err != nil {
			return err
		}
		if c = c.effective(now); c.running(now) {
			all[key] = c
		}
		return nil
	}, `SELECT user, provider, `+cooldownColumns+` FROM cooldown WHERE until_ms > ?`, now)
	return all, err
}
