package sourcecache

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"xship/sourcecache/health"
	"xship/sources"
)

// LastSuccessAt is when any hoster last succeeded, the zero time where none
// ever did. It is the guard: fails count only within 30 s after it.
func (db *DB) LastSuccessAt(ctx context.Context) (time.Time, error) {
	at, err := db.lastSuccessAt(ctx, db.reads)
	return fromUnix(at), db.fail(ctx, "read the last success", err)
}

// lastSuccessAt is the port of _last_success_at. It lives in the database, so
// that processes share it and a restart does not forget it.
func (db *DB) lastSuccessAt(ctx context.Context, q querier) (int64, error) {
	guard, err := db.readGuard(ctx, q)
	return guard.LastSuccessAt, err
}

// Guard implements sources.HosterTable.
func (db *DB) Guard(ctx context.Context) (sources.GuardState, error) {
	guard, err := db.readGuard(ctx, db.reads)
	if err != nil {
		return sources.GuardState{}, db.fail(ctx, "read the guard", err)
	}
	return sources.GuardState{LastSuccessAt: fromUnix(guard.LastSuccessAt), Network: network(guard, db.now().Unix())}, nil
}

func network(g health.Guard, now int64) sources.NetworkState {
	switch {
	case g.Outage:
		return sources.NetworkOutage
	case g.Suspect():
		return sources.NetworkSuspect
	case g.Vouches(now):
		return sources.NetworkOK
	default:
		return sources.NetworkUnknown
	}
}

const guardColumns = `last_success_at, run, run_hosters, run_ok, outage, outage_end, canary_until, canary_bad_at`

func guardFields(g *health.Guard) []any {
	return []any{&g.LastSuccessAt, &g.Run, &g.RunHosters, &g.RunOK, &g.Outage, &g.OutageEnd, &g.CanaryUntil, &g.CanaryBadAt}
}

func (db *DB) readGuard(ctx context.Context, q querier) (health.Guard, error) {
	var g health.Guard
	found, err := db.oneRow(ctx, q, "guard", "1", guardFields(&g), `SELECT `+guardColumns+` FROM guard`)
	if !found {
		return health.Guard{}, err
	}
	return g, nil
}

// putGuard writes what differs from before.
func (t tx) putGuard(ctx context.Context, before, g health.Guard) error {
	if g == before {
		return nil
	}
	_, err := t.ExecContext(ctx, `INSERT OR REPLACE INTO guard (id, `+guardColumns+`) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)`, guardFields(&g)...)
	return err
}

// undo takes back the provisional fails of a run.
func (t tx) undo(ctx context.Context, run int64) error {
	_, err := t.changeHosters(ctx, failedInSQL("h", "?1"), []any{run}, func(h *health.Hoster) { h.Undo(run) })
	return err
}

// canaryLink finds a hoster that may be a canary, with its link: the one that
// worked last.
func (t tx) canaryLink(ctx context.Context) (name, link string, err error) {
	err = t.QueryRowContext(ctx, `SELECT h.name, h.good_link FROM hoster h WHERE `+mayBeCanarySQL("h", "?1")+`
		ORDER BY h.last_success_at DESC LIMIT 1`, t.now).Scan(&name, &link)
	if errors.Is(err, sql.ErrNoRows) {
		return "", "", nil
	}
	return name, link, err
}
