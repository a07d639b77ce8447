package sourcecache

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"xship/sourcecache/health"
	"xship/sources"
	"xship/sources/link"
	"xship/sources/text"
)

// warnFails is the number of consecutive fails from which on each is logged.
const warnFails = 4

// HosterTouch is the port of hoster_touch: it records an attempt that started
// now, by the rules of health.Policy. Its fail inside a running block moves only
// the lifetime counter. The hosters "" and "local" are never touched. Where
// several hosters failed since the last success nothing is decided; that takes
// an attempt that can have a canary tested, see EndAttempt.
func (db *DB) HosterTouch(ctx context.Context, name string, success bool) error {
	if !tracked(name) {
		return nil
	}
	var r reported
	err := db.write(ctx, fmt.Sprintf("touch hoster %q", name), func(t tx) (err error) {
		r, err = t.report(ctx, name, health.Event{Success: success})
		return err
	})
	if err == nil {
		db.logReport(ctx, name, r)
	}
	return err
}

// reported is what a report changed.
type reported struct {
	health.Outcome
	guard     health.Guard // afterwards
	outageWas bool
	undone    bool // the outage that was recognised took back its fail
}

// report applies the end of an attempt to its hoster and the guard.
func (t tx) report(ctx context.Context, name string, e health.Event) (reported, error) {
	h, err := t.db.hoster(ctx, t, name)
	if err != nil {
		return reported{}, err
	}
	guard, err := t.db.readGuard(ctx, t)
	if err != nil {
		return reported{}, err
	}
	before := guard
	outcome := health.Hosters().Report(&h, &guard, e, t.now)
	if err := t.putHoster(ctx, name, h); err != nil {
		return reported{}, err
	}
	return reported{Outcome: outcome, guard: guard, outageWas: before.Outage}, t.putGuard(ctx, before, guard)
}

func (db *DB) logReport(ctx context.Context, name string, r reported) {
	switch {
	case r.Effect == health.Recovered && r.outageWas:
		db.logger.InfoContext(ctx, "the network is back", "hoster", text.Clean(name))
	case r.undone:
		db.logOutage(ctx)
	case r.Effect == health.Counted && r.Fails >= warnFails:
		db.logger.WarnContext(ctx, fmt.Sprintf("[xShip-Backoff] %s: %d consecutive fails, backoff %ds", text.Clean(name), r.Fails, r.Backoff))
	}
}

func (db *DB) logOutage(ctx context.Context) {
	db.logger.WarnContext(ctx, "the network seems to be down, no fail counts until something works again")
}

func tracked(hoster string) bool { return hoster != "" && hoster != link.HosterLocal }

// HosterHealthy is the port of hoster_healthy: no fail since the last success.
// It is strict, for what a user is shown. An unknown hoster is healthy.
func (db *DB) HosterHealthy(ctx context.Context, name string) (bool, error) {
	h, err := db.hoster(ctx, db.reads, name)
	if err != nil {
		return false, db.fail(ctx, fmt.Sprintf("read hoster %q", name), err)
	}
	return h.Healthy(), nil
}

// HosterAvailable is the port of hoster_available, see sources.HosterTable.
func (db *DB) HosterAvailable(ctx context.Context, name string, cooldown time.Duration) (bool, error) {
	h, err := db.hoster(ctx, db.reads, name)
	if err != nil {
		return false, db.fail(ctx, fmt.Sprintf("read hoster %q", name), err)
	}
	seconds := int64((cooldown + time.Second - 1) / time.Second)
	return health.Hosters().Available(h, seconds, db.now().Unix()), nil
}

// Hosters implements sources.HosterTable.
func (db *DB) Hosters(ctx context.Context) ([]sources.HosterHealth, error) {
	return db.hosters(ctx, `ORDER BY h.name`)
}

// HosterSnapshot implements sources.HosterTable. It is one query.
func (db *DB) HosterSnapshot(ctx context.Context) (sources.HosterSnapshot, error) {
	failing, err := db.hosters(ctx, `WHERE `+unhealthySQL("h"))
	if err != nil {
		return nil, err
	}
	snapshot := make(sources.HosterSnapshot, len(failing))
	for _, h := range failing {
		snapshot[h.Name] = h
	}
	return snapshot, nil
}

func (db *DB) hosters(ctx context.Context, which string) ([]sources.HosterHealth, error) {
	var all []sources.HosterHealth
	now := db.now().Unix()
	err := db.eachRow(ctx, db.reads, "hoster", func(rows *sql.Rows) error {
		var name string
		var h health.Hoster
		if err := rows.Scan(append([]any{&name}, hosterFields(&h)...)...); err != nil {
			return err
		}
		all = append(all, hosterHealth(name, h, now))
		return nil
	}, `SELECT name, `+hosterColumns+` FROM hoster h `+which)
	return all, db.fail(ctx, "read the hoster table", err)
}

func hosterHealth(name string, h health.Hoster, now int64) sources.HosterHealth {
	return sources.HosterHealth{
		Name:             name,
		ConsecutiveFails: int(h.ConsecutiveFails),
		BackoffUntil:     fromUnix(health.Hosters().Until(h, now)),
		OKCount:          h.OKCount,
		FailCount:        h.FailCount,
		LastSuccessAt:    fromUnix(h.LastSuccessAt),
		LastFailAt:       fromUnix(h.LastFailAt),
		LastError:        h.LastError,
	}
}

// ResetHosters implements sources.HosterTable.
func (db *DB) ResetHosters(ctx context.Context, names []string) (unknown []string, err error) {
	err = db.write(ctx, "reset hosters", func(t tx) error {
		for _, name := range names {
			n, err := t.changeHosters(ctx, `h.name = ?`, []any{name}, (*health.Hoster).Reset)
			if err != nil {
				return err
			}
			if n == 0 {
				unknown = append(unknown, name)
			}
		}
		return nil
	})
	return unknown, err
}

// ResetAllHosters implements sources.HosterTable.
func (db *DB) ResetAllHosters(ctx context.Context) (int, error) {
	n := 0
	err := db.write(ctx, "reset hosters", func(t tx) (err error) {
		n, err = t.changeHosters(ctx, inTroubleSQL("h"), nil, (*health.Hoster).Reset)
		return err
	})
	return n, err
}

// changeHosters applies change to the hosters that a condition on h selects, and
// counts them.
func (t tx) changeHosters(ctx context.Context, which string, args []any, change func(*health.Hoster)) (int, error) {
	selected := make(map[string]health.Hoster)
	err := t.db.eachRow(ctx, t, "hoster", func(rows *sql.Rows) error {
		var name string
		var h health.Hoster
		err := rows.Scan(append(append([]any{&name}, hosterFields(&h)...), attemptFields(&h)...)...)
		if err == nil {
			selected[name] = h
		}
		return err
	}, `SELECT h.name, `+hosterColumns+`, `+attemptColumns+` FROM hoster h WHERE `+which, args...)
	if err != nil {
		return 0, err
	}
	for name, h := range selected {
		change(&h)
		if err := t.putHoster(ctx, name, h); err != nil {
			return 0, err
		}
	}
	return len(selected), nil
}

// hosterColumns are the columns of what is known of any peer, in the order of
// hosterFields. The tables hoster and site_health both have them.
const hosterColumns = `consecutive_fails, backoff_until, ok_count, fail_count, last_success_at, last_fail_at, last_error`

func hosterFields(h *health.Hoster) []any {
	return []any{&h.ConsecutiveFails, &h.BackoffUntil, &h.OKCount, &h.FailCount, &h.LastSuccessAt, &h.LastFailAt, &h.LastError}
}

// hosterUpdate writes hosterColumns of a row that exists.
const hosterUpdate = `consecutive_fails = excluded.consecutive_fails, backoff_until = excluded.backoff_until,
	ok_count = excluded.ok_count, fail_count = excluded.fail_count,
	last_success_at = excluded.last_success_at, last_fail_at = excluded.last_fail_at, last_error = excluded.last_error`

// attemptColumns are the further columns of the table hoster, in the order of
// attemptFields.
const attemptColumns = `lease_until, lease_token, good_link, fail_run, undo_fails, undo_until`

func attemptFields(h *health.Hoster) []any {
	return []any{&h.LeaseUntil, &h.LeaseToken, &h.GoodLink, &h.FailRun, &h.UndoFails, &h.UndoUntil}
}

// hoster reads one row, the zero value where there is none.
func (db *DB) hoster(ctx context.Context, q querier, name string) (health.Hoster, error) {
	var h health.Hoster
	found, err := db.oneRow(ctx, q, "hoster", text.Clean(name), append(hosterFields(&h), attemptFields(&h)...),
		`SELECT `+hosterColumns+`, `+attemptColumns+` FROM hoster WHERE name = ?`, name)
	if !found {
		return health.Hoster{}, err
	}
	return h, nil
}

func (t tx) putHoster(ctx context.Context, name string, h health.Hoster) error {
	_, err := t.ExecContext(ctx, `INSERT INTO hoster (name, `+hosterColumns+`, `+attemptColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET `+hosterUpdate+`, lease_until = excluded.lease_until, lease_token = excluded.lease_token, good_link = excluded.good_link,
		fail_run = excluded.fail_run, undo_fails = excluded.undo_fails, undo_until = excluded.undo_until`,
		append(append([]any{name}, hosterFields(&h)...), attemptFields(&h)...)...)
	return err
}
