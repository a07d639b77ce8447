package sourcecache

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"xship/sourcecache/health"
	"xship/sources"
)

// ResolveQueue implements sources.Queue.
func (db *DB) ResolveQueue(ctx context.Context, renewBefore time.Duration, limit, perHoster int) ([]sources.Job, error) {
	if err := db.renew(ctx, renewBefore); err != nil {
		return nil, err
	}
	return db.dispatch(ctx, queueResolve, limit, perHoster)
}

// ProbeQueue implements sources.Queue.
func (db *DB) ProbeQueue(ctx context.Context, limit, perHoster int) ([]sources.Job, error) {
	if err := db.renew(ctx, 0); err != nil {
		return nil, err
	}
	return db.dispatch(ctx, queueProbe, limit, perHoster)
}

// dispatchSQL is a merge of the queues of all hosters that may be tried at ?1:
// the recursion's ORDER BY makes it a priority queue, in which each source that
// comes out lets in the next one of its hoster, up to ?3, until ?2 are out. It
// costs a few index seeks a hoster and a result, however many sources wait. What is
// the user's own has queues of its own beside them, one for each hoster that is named,
// whether the hoster table knows it or not.
func dispatchSQL(queue int) string {
	return fmt.Sprintf(`WITH RECURSIVE
	owned (hoster) AS (
		SELECT min(hoster) FROM sources WHERE queue = %[1]d AND own = 1
		UNION ALL
		SELECT (SELECT min(x.hoster) FROM sources x WHERE x.queue = %[1]d AND x.own = 1 AND x.hoster > o.hoster) FROM owned o WHERE o.hoster IS NOT NULL),
	heads AS MATERIALIZED (
		SELECT (SELECT min(x.rank) FROM sources x WHERE x.queue = %[1]d AND x.own = 0 AND x.hoster = h.name) AS rank, 0 AS own, h.name AS hoster, (%[2]s) << 32 AS penalty
		FROM hoster h
		WHERE %[3]s
		UNION ALL
		SELECT (SELECT min(x.rank) FROM sources x WHERE x.queue = %[1]d AND x.own = 1 AND x.hoster = o.hoster), 1, o.hoster, 0 FROM owned o),
	merged (place, rank, own, hoster, penalty, n) AS (
		SELECT rank + penalty, rank, own, hoster, penalty, 1 FROM heads WHERE rank IS NOT NULL
		UNION ALL
		SELECT x.rank + m.penalty, x.rank, m.own, m.hoster, m.penalty, m.n + 1 FROM merged m CROSS JOIN sources x
			ON x.queue = %[1]d AND x.own = m.own AND x.hoster = m.hoster
			AND x.rank = (SELECT min(y.rank) FROM sources y WHERE y.queue = %[1]d AND y.own = m.own AND y.hoster = m.hoster AND y.rank > m.rank)
		WHERE m.n < ?3
		ORDER BY 1 LIMIT ?2)
	SELECT %[4]s, m.place
	FROM merged m CROSS JOIN sources s ON s.queue = %[1]d AND s.own = m.own AND s.hoster = m.hoster AND s.rank = m.rank`,
		queue, setbackSQL("h"), availableSQL(health.Hosters(), "h", "?1"), prefixed("s", sourceColumns))
}

// prefixed names the table of each column of a list.
func prefixed(table, columns string) string {
	return table + "." + strings.ReplaceAll(columns, ", ", ", "+table+".")
}

type placed struct {
	place int64
	job   sources.Job
}

// dispatch reads a queue. Damaged rows would keep their places in it, and others
// from them, so they are set aside and the queue is read again.
func (db *DB) dispatch(ctx context.Context, queue, limit, perHoster int) ([]sources.Job, error) {
	if limit <= 0 || perHoster <= 0 {
		return nil, nil
	}
	for {
		jobs, damaged, err := db.readQueue(ctx, queue, limit, perHoster)
		if err != nil || len(damaged) == 0 {
			return jobs, db.fail(ctx, "find work", err)
		}
		if changed, err := db.setAside(ctx, queue, damaged); err != nil || !changed {
			return jobs, err
		}
	}
}

// readQueue gives jobs, and the rows that should be some and cannot be read.
func (db *DB) readQueue(ctx context.Context, queue, limit, perHoster int) ([]sources.Job, []damagedRow, error) {
	var found []placed
	var damaged []damagedRow
	seen := make(map[string]bool) // a source may have several rows
	err := queryRows(ctx, db.reads, func(rows *sql.Rows) error {
		var place int64
		var row storedSource
		err := rows.Scan(append(row.fields(), &place)...) // the id comes first
		if err != nil && (ctx.Err() != nil || row.id == 0) {
			return err
		}
		if err == nil && seen[row.sourceID] {
			return nil
		}
		var job sources.Job
		if err == nil {
			job.Source, err = row.source()
		}
		if err != nil {
			damaged = append(damaged, damagedRow{id: row.id, sourceID: row.sourceID, err: err})
			return nil //nolint:nilerr // its neighbours are sound
		}
		seen[row.sourceID] = true
		found = append(found, placed{place: place, job: job})
		return nil
	}, dispatchSQL(queue), db.now().Unix(), limit, perHoster)
	slices.SortStableFunc(found, func(a, b placed) int { return cmp.Compare(a.place, b.place) })
	jobs := make([]sources.Job, len(found))
	for i, p := range found {
		jobs[i] = p.job
	}
	return jobs, damaged, err
}

// damagedRow is a row of a queue that cannot be read.
type damagedRow struct {
	id       int64
	sourceID string // "" where that cannot be read either
	err      error
}

// setAside takes damaged rows out of a queue and tells whether that changed
// anything. A source stays, as one that cannot be played, until its site names it
// again, which writes it anew.
func (db *DB) setAside(ctx context.Context, queue int, damaged []damagedRow) (changed bool, err error) {
	err = db.write(ctx, "set damaged rows aside", func(t tx) error {
		for _, row := range damaged {
			db.logger.WarnContext(ctx, "a stored row is damaged and set aside", "source", row.sourceID, "error", row.err)
			result, err := t.ExecContext(ctx, `UPDATE sources SET unplayable = 'what is stored of it is damaged', queue = ?1 WHERE id = ?2 AND queue = ?3`,
				queueNone, row.id, queue)
			if err != nil {
				return err
			}
			n, err := result.RowsAffected()
			if err != nil {
				return err
			}
			changed = changed || n > 0
		}
		return nil
	})
	return changed, err
}
