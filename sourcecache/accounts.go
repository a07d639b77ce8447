package sourcecache

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"time"

	"xship/sources"
)

// fingerprint tells keys of accounts apart. It is stored, the key is not.
func fingerprint(key sources.Secret) string {
	sum := sha256.Sum256([]byte(key.Reveal()))
	return hex.EncodeToString(sum[:8])
}

// AccountState implements sources.AccountStore.
func (db *DB) AccountState(ctx context.Context, a sources.Account) (sources.AccountState, error) {
	state := sources.AccountState{Class: sources.ClassOK}
	var class, reason string
	var until, since int64
	now := db.now().Unix()
	found, err := db.oneRow(ctx, db.reads, "account_state", fmt.Sprint(a.User, " ", a.Provider), []any{&class, &reason, &until, &since},
		`SELECT class, reason, until, since FROM account_state
			WHERE user = ?1 AND provider = ?2 AND fingerprint = ?3 AND (until = 0 OR until > ?4) AND (since <= ?4 OR `+wrongTypeSQL("since")+`)`,
		a.User, a.Provider, fingerprint(a.Key), now)
	if !found {
		return state, db.fail(ctx, "read the state of an account at "+a.Provider, err)
	}
	return sources.AccountState{Class: sources.Class(class), Reason: reason, Until: fromUnix(until), Since: fromUnix(since)}, nil
}

// SetAccountState implements sources.AccountStore.
func (db *DB) SetAccountState(ctx context.Context, a sources.Account, s sources.AccountState) error {
	return db.write(ctx, "store the state of an account at "+a.Provider, func(t tx) error {
		if s.Class == sources.ClassOK {
			_, err := t.ExecContext(ctx, `DELETE FROM account_state WHERE user = ? AND provider = ? AND fingerprint = ?`, a.User, a.Provider, fingerprint(a.Key))
			return err
		}
		since := t.now
		if !s.Since.IsZero() {
			since = toUnix(s.Since)
		}
		_, err := t.ExecContext(ctx, `INSERT OR REPLACE INTO account_state (user, provider, fingerprint, class, reason, until, since) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			a.User, a.Provider, fingerprint(a.Key), string(s.Class), s.Reason, toUnix(s.Until), since)
		return err
	})
}

// AccountPlan implements sources.AccountStore.
func (db *DB) AccountPlan(ctx context.Context, a sources.Account) (sources.AccountPlan, error) {
	var p sources.AccountPlan
	var ends, checked int64
	found, err := db.oneRow(ctx, db.reads, "account_plan", fmt.Sprint(a.User, " ", a.Provider), []any{&p.Plan, &p.Premium, &ends, &checked},
		`SELECT plan, premium, ends_at, checked_at FROM account_plan
			WHERE user = ?1 AND provider = ?2 AND fingerprint = ?3 AND (checked_at <= ?4 OR `+wrongTypeSQL("checked_at")+`)`,
		a.User, a.Provider, fingerprint(a.Key), db.now().Unix())
	if !found {
		return sources.AccountPlan{}, db.fail(ctx, "read the plan of an account at "+a.Provider, err)
	}
	p.EndsAt, p.CheckedAt = fromUnix(ends), fromUnix(checked)
	return p, nil
}

// SetAccountPlan implements sources.AccountStore.
func (db *DB) SetAccountPlan(ctx context.Context, a sources.Account, p sources.AccountPlan) error {
	return db.write(ctx, "store the plan of an account at "+a.Provider, func(t tx) error {
		checked := t.now
		if !p.CheckedAt.IsZero() {
			checked = toUnix(p.CheckedAt)
		}
		_, err := t.ExecContext(ctx, `INSERT OR REPLACE INTO account_plan (user, provider, fingerprint, plan, premium, ends_at, checked_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			a.User, a.Provider, fingerprint(a.Key), p.Plan, p.Premium, toUnix(p.EndsAt), checked)
		return err
	})
}

// ForgetAccount implements sources.AccountStore.
func (db *DB) ForgetAccount(ctx context.Context, key sources.CooldownKey) error {
	return db.write(ctx, "forget what belongs to an account at "+key.Provider, func(t tx) error {
		for _, table := range []string{"unlocked_stream", "account_state", "account_plan", "provider_hosters", "provider_hoster"} {
			if _, err := t.ExecContext(ctx, `DELETE FROM `+table+` WHERE user = ? AND provider = ?`, key.User, key.Provider); err != nil {
				return err
			}
		}
		return nil
	})
}

// ceilUnix is the column of the end of a rest, which no part of a second cuts
// short.
func ceilUnix(t time.Time) int64 {
	if t.Nanosecond() > 0 {
		return t.Unix() + 1
	}
	return toUnix(t)
}

// restLeft is what remains at a time of a rest whose end the column says: whole
// seconds, not counting that which was added to a rest that began within one.
func restLeft(until int64, at time.Time) time.Duration {
	return max(fromUnix(until).Sub(at).Truncate(time.Second), time.Second)
}

// ProviderHosterRest implements sources.AccountStore.
func (db *DB) ProviderHosterRest(ctx context.Context, key sources.CooldownKey, hoster string) (sources.Cooldown, error) {
	var until, since int64
	var reason string
	at := db.now()
	var rest sources.Cooldown
	err := db.eachRow(ctx, db.reads, "provider_hoster", func(rows *sql.Rows) error {
		var ofRow [2]string
		err := rows.Scan(&ofRow[0], &ofRow[1], &until, &reason, &since)
		if err == nil && rest.Remaining == 0 { // the longest comes first
			rest = sources.Cooldown{Remaining: restLeft(until, at), Reason: reason}
		}
		return err
	}, `SELECT provider, hoster, until, reason, since FROM provider_hoster
		WHERE provider = ?1 AND hoster = ?2 AND user IN (0, ?3) AND until > ?4 AND (since <= ?4 OR `+wrongTypeSQL("since")+`) ORDER BY until DESC`,
		key.Provider, hoster, key.User, at.Unix())
	return rest, db.fail(ctx, fmt.Sprintf("read the rest of hoster %q at %s", hoster, key.Provider), err)
}

// ProviderHosterRests implements sources.AccountStore.
func (db *DB) ProviderHosterRests(ctx context.Context) ([]sources.ProviderHosterRest, error) {
	var all []sources.ProviderHosterRest
	at := db.now()
	err := db.eachRow(ctx, db.reads, "provider_hoster", func(rows *sql.Rows) error {
		var e sources.ProviderHosterRest
		var until, since int64
		if err := rows.Scan(&e.User, &e.Provider, &e.Hoster, &until, &e.Reason, &since); err != nil {
			return err
		}
		e.Remaining = restLeft(until, at)
		all = append(all, e)
		return nil
	}, `SELECT user, provider, hoster, until, reason, since FROM provider_hoster
		WHERE until > ?1 AND (since <= ?1 OR `+wrongTypeSQL("since")+`) ORDER BY user, provider, hoster`, at.Unix())
	if err != nil {
		return nil, db.fail(ctx, "list the hosters that providers cannot serve", err)
	}
	return all, nil
}

// ClearProviderHosterRests implements sources.AccountStore.
func (db *DB) ClearProviderHosterRests(ctx context.Context, key sources.CooldownKey) (int, error) {
	const wanted = ` FROM provider_hoster WHERE (?1 = 0 OR user IN (0, ?1)) AND (?2 = '' OR provider = ?2)`
	var n int
	err := db.write(ctx, "clear the rests of hosters", func(t tx) error {
		err := t.QueryRowContext(ctx, `SELECT count(*)`+wanted+` AND until > ?3 AND since <= ?3`, key.User, key.Provider, t.now).Scan(&n)
		if err == nil {
			_, err = t.ExecContext(ctx, `DELETE`+wanted, key.User, key.Provider)
		}
		return err
	})
	return n, err
}

// RestProviderHoster implements sources.AccountStore.
func (db *DB) RestProviderHoster(ctx context.Context, key sources.CooldownKey, hoster string, c sources.Cooldown) error {
	if c.Remaining <= 0 {
		return nil
	}
	return db.write(ctx, fmt.Sprintf("let hoster %q rest at %s", hoster, key.Provider), func(t tx) error {
		_, err := t.ExecContext(ctx, `INSERT INTO provider_hoster (user, provider, hoster, until, reason, since) VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (provider, hoster, user) DO UPDATE SET until = excluded.until, reason = excluded.reason, since = excluded.since
			WHERE excluded.until > until OR since > excluded.since`,
			key.User, key.Provider, hoster, ceilUnix(t.at.Add(c.Remaining)), c.Reason, t.now)
		return err
	})
}

// UnlockedStream implements sources.AccountStore. A row that is damaged is none.
func (db *DB) UnlockedStream(ctx context.Context, key sources.CooldownKey, sourceID string) (*sources.StoredStream, error) {
	var row storedStream
	name := key.Provider + " " + sourceID
	found, err := db.oneRow(ctx, db.reads, "unlocked_stream", name, []any{&row.url, &row.headers, &row.mime, &row.expiresAt, &row.resolvedAt},
		`SELECT url, headers, mime, expires_at, unlocked_at FROM unlocked_stream WHERE source_id = ? AND user = ? AND provider = ?`,
		sourceID, key.User, key.Provider)
	if !found {
		return nil, db.fail(ctx, "read what "+key.Provider+" unlocked for source "+sourceID, err)
	}
	return db.storedStream(ctx, "unlocked_stream", name, &row), nil
}

// PutUnlockedStream implements sources.AccountStore.
func (db *DB) PutUnlockedStream(ctx context.Context, key sources.CooldownKey, sourceID string, s sources.Stream) error {
	what := "store what " + key.Provider + " unlocked for source " + sourceID
	headers, err := encodeHeaders(s.Headers)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return db.write(ctx, what, func(t tx) error {
		_, err := t.ExecContext(ctx, `INSERT OR REPLACE INTO unlocked_stream (user, provider, source_id, url, headers, mime, expires_at, unlocked_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, key.User, key.Provider, sourceID, s.URL, headers, s.MIME, toUnix(s.ExpiresAt), t.now)
		return err
	})
}

// DropUnlockedStream implements sources.AccountStore.
func (db *DB) DropUnlockedStream(ctx context.Context, key sources.CooldownKey, sourceID string) error {
	return db.write(ctx, "forget what "+key.Provider+" unlocked for source "+sourceID, func(t tx) error {
		_, err := t.ExecContext(ctx, `DELETE FROM unlocked_stream WHERE source_id = ? AND user = ? AND provider = ?`, sourceID, key.User, key.Provider)
		return err
	})
}
