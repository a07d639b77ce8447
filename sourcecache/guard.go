package sourcecache

import (
	"context"
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
	case g.Suspect(now):
		return sources.NetworkSuspect
	case g.Vouches(now):
		return sources.NetworkOK
	default:
		return sources.NetworkUnknown
	}
}

const guardColumns = `last_success_at, run, run_hosters, run_ok, canary, canary_tries, canary_until, canary_bad_at, outage, outage_end, test_at, test_step`

func guardFields(g *health.Guard) []any {
	return []any{
		&g.LastSuccessAt, &g.Run, &g.RunHosters, &g.RunOK, &g.Canary, &g.CanaryTries, &g.CanaryUntil, &g.CanaryBadAt,
		&g.Outage, &g.OutageEnd, &g.TestAt, &g.TestStep,
	}
}

func (db *DB) readGuard(ctx context.Context, q querier) (health.Guard, error) {
	var g health.Guard
	found, err := db.oneRow(ctx, q, "guard", "1", guardFields(&g), `SELECT `+guardColumns+` FROM guard`)
	if !found {
		return health.Guard{}, err
	}
	return g, nil
}

func (t tx) putGuard(ctx context.Context, g health.Guard) error {
	_, err := t.ExecContext(ctx, `INSERT OR REPLACE INTO guard (id, `+guardColumns+`) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, guardFields(&g)...)
	return err
}
