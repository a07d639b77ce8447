package sourcecache

import (
	"context"
	"database/sql"
	"time"

	"xship/sources"
)

// keptCycles is how many of the last cycles are kept.
const keptCycles = 100

const cycleColumns = `begun_at, ended_at, next_at, titles, titles_failed, resolved, probed, failed, skipped, error, interrupted`

// PutCycle implements sources.CycleStore.
func (db *DB) PutCycle(ctx context.Context, c sources.CycleRecord) error {
	return db.write(ctx, "record a cycle", func(t tx) error {
		_, err := t.ExecContext(ctx, `INSERT INTO cycle (`+cycleColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			toUnix(c.BegunAt), toUnix(c.EndedAt), toUnix(c.NextAt), c.Titles, c.TitlesFailed, c.Resolved, c.Probed, c.Failed, c.Skipped, c.Error, c.Interrupted)
		if err != nil {
			return err
		}
		_, err = t.ExecContext(ctx, `DELETE FROM cycle WHERE id <= (SELECT id FROM cycle ORDER BY id DESC LIMIT 1 OFFSET ?)`, keptCycles)
		return err
	})
}

// Cycles implements sources.CycleStore.
func (db *DB) Cycles(ctx context.Context, limit int) ([]sources.CycleRecord, error) {
	var all []sources.CycleRecord
	err := db.eachRow(ctx, db.reads, "cycle", func(rows *sql.Rows) error {
		var id, begun, ended, next int64
		var c sources.CycleRecord
		if err := rows.Scan(&id, &begun, &ended, &next, &c.Titles, &c.TitlesFailed, &c.Resolved, &c.Probed, &c.Failed, &c.Skipped, &c.Error, &c.Interrupted); err != nil {
			return err
		}
		c.BegunAt, c.EndedAt, c.NextAt = fromUnix(begun), fromUnix(ended), fromUnix(next)
		c.Duration = max(0, c.EndedAt.Sub(c.BegunAt))
		all = append(all, c)
		return nil
	}, `SELECT id, `+cycleColumns+` FROM cycle WHERE ended_at <= ?1 OR `+wrongTypeSQL("ended_at")+` ORDER BY id DESC LIMIT ?2`, db.now().Unix(), max(limit, 0))
	return all, db.fail(ctx, "read the last cycles", err)
}

// CycleBegun implements sources.CycleStore.
func (db *DB) CycleBegun(ctx context.Context) (time.Time, error) {
	at, err := db.stateTime(ctx, db.reads, keyCycleAt)
	if at > db.now().Unix() {
		at = 0
	}
	return fromUnix(at), db.fail(ctx, "read when the last cycle began", err)
}
