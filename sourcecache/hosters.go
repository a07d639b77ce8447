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
	class, said := health.OK, sources.ClassOK
	if !success {
		class, said = health.Fail, sources.ClassHosterFault
	}
	var out health.Outcome
	err := db.write(ctx, fmt.Sprintf("touch hoster %q", name), func(t tx) (err error) {
		out, err = t.report(ctx, db.touching(), health.Event{Hoster: name, Class: class}, said)
		return err
	})
	if err == nil {
		db.logReport(ctx, name, out)
	}
	return err
}

// touching is the policy of HosterTouch.
func (db *DB) touching() health.Policy {
	p := db.policy
	p.Canary, p.Early = false, false
	return p
}

func (db *DB) logReport(ctx context.Context, name string, out health.Outcome) {
	switch out.Outage {
	case health.OutageBegins:
		db.logger.WarnContext(ctx, "the network seems to be down, no fail counts until something works again")
	case health.OutageEnds:
		db.logger.InfoContext(ctx, "the network is back", "hoster", text.Clean(name))
	case health.NoChange:
	}
	if out.Effect == health.Counted {
		db.logBackoff(ctx, health.Counting{Hoster: name, Fails: out.Fails, Backoff: out.Backoff})
	}
	for _, c := range out.Counted {
		db.logBackoff(ctx, c)
	}
}

func (db *DB) logBackoff(ctx context.Context, c health.Counting) {
	if c.Fails >= warnFails {
		db.logger.WarnContext(ctx, fmt.Sprintf("[xShip-Backoff] %s: %d consecutive fails, backoff %ds", text.Clean(c.Hoster), c.Fails, c.Backoff))
	}
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
	return db.policy.Available(h, seconds, db.now().Unix()), nil
}

// Hosters implements sources.HosterTable.
func (db *DB) Hosters(ctx context.Context) ([]sources.HosterHealth, error) {
	var guard health.Guard
	var known []health.Named
	var suspects map[string]int
	err := db.read(ctx, "read the hoster table", func(t tx) (err error) {
		if guard, err = db.readGuard(ctx, t); err != nil {
			return err
		}
		if known, err = db.namedHosters(ctx, t, `ORDER BY h.name`); err != nil {
			return err
		}
		suspects, err = t.suspectLinks(ctx, known)
		return err
	})
	if err != nil {
		return nil, err
	}
	now := db.now().Unix()
	all := make([]sources.HosterHealth, len(known))
	for i, h := range known {
		all[i] = db.hosterHealth(h, now)
		all[i].Provisional = h.FailedIn(guard.Run)
		all[i].Awaiting = guard.CanaryRuns(now) && h.AwaitsCanary(guard.Canary)
		all[i].SuspectLinks = suspects[h.Name]
	}
	return all, nil
}

// suspectLinks counts the suspect links of hosters, see health.Policy.Suspects.
func (t tx) suspectLinks(ctx context.Context, known []health.Named) (map[string]int, error) {
	byName := make(map[string]health.Hoster, len(known))
	for _, h := range known {
		byName[h.Name] = h.Hoster
	}
	suspects := make(map[string]int)
	err := t.db.eachRow(ctx, t, "link", func(rows *sql.Rows) error {
		var url string
		var l health.Link
		if err := rows.Scan(append([]any{&url}, linkFields(&l)...)...); err != nil {
			return err
		}
		if name := link.Hoster(url); t.db.policy.Suspects(l, byName[name], t.now) {
			suspects[name]++
		}
		return nil
	}, `SELECT url, `+linkColumns+` FROM link WHERE fails > 1`)
	return suspects, err
}

// HosterSnapshot implements sources.HosterTable. It is one query, of what hosterHealth
// needs: each scan waits for it.
func (db *DB) HosterSnapshot(ctx context.Context) (sources.HosterSnapshot, error) {
	now := db.now().Unix()
	snapshot := make(sources.HosterSnapshot)
	var h health.Named
	fields := append(append([]any{&h.Name}, hosterFields(&h.Hoster)...), &h.LeaseUntil, &h.LastTryAt, &h.GoodLink)
	err := db.eachRow(ctx, db.reads, "hoster", func(rows *sql.Rows) error {
		err := rows.Scan(fields...)
		if err == nil {
			snapshot[h.Name] = db.hosterHealth(h, now)
		}
		return err
	}, `SELECT name, `+hosterColumns+`, lease_until, last_try_at, good_link FROM hoster h WHERE `+unhealthySQL("h"))
	if err != nil {
		return nil, db.fail(ctx, "read the hoster table", err)
	}
	return snapshot, nil
}

// hosterHealth is what the row of a hoster says alone.
func (db *DB) hosterHealth(h health.Named, now int64) sources.HosterHealth {
	return sources.HosterHealth{
		Name:             h.Name,
		ConsecutiveFails: int(h.ConsecutiveFails),
		BackoffUntil:     fromUnix(db.policy.Until(h.Hoster, now)),
		OKCount:          h.OKCount,
		FailCount:        h.FailCount,
		LastSuccessAt:    fromUnix(h.LastSuccessAt),
		LastFailAt:       fromUnix(h.LastFailAt),
		LastError:        h.LastError,
		GoodLink:         h.GoodLink,
		LeasedUntil:      fromUnix(db.policy.LeasedUntil(h.Hoster, now)),
		RetestDue:        db.policy.DueRetest(h.Hoster, now),
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
	selected, err := t.db.namedHosters(ctx, t, `WHERE `+which, args...)
	if err != nil {
		return 0, err
	}
	for _, h := range selected {
		change(&h.Hoster)
		if err := t.putHoster(ctx, h.Name, h.Hoster); err != nil {
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
const attemptColumns = `lease_until, lease_token, last_try_at, good_link, retests, doubt_run, fail_run, undo_fails, undo_until, awaits, awaits_since`

func attemptFields(h *health.Hoster) []any {
	return []any{
		&h.LeaseUntil, &h.LeaseToken, &h.LastTryAt, &h.GoodLink, &h.Retests, &h.DoubtRun,
		&h.FailRun, &h.UndoFails, &h.UndoUntil, &h.Awaits, &h.AwaitsSince,
	}
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
	_, err := t.ExecContext(ctx, `INSERT INTO hoster (name, `+hosterColumns+`, `+attemptColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET `+hosterUpdate+`, lease_until = excluded.lease_until, lease_token = excluded.lease_token,
		last_try_at = excluded.last_try_at, good_link = excluded.good_link, retests = excluded.retests, doubt_run = excluded.doubt_run,
		fail_run = excluded.fail_run, undo_fails = excluded.undo_fails, undo_until = excluded.undo_until,
		awaits = excluded.awaits, awaits_since = excluded.awaits_since`,
		append(append([]any{name}, hosterFields(&h)...), attemptFields(&h)...)...)
	return err
}
