package sourcecache

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"xship/sources"
)

// WatchStates implements sources.WatchStore.
func (db *DB) WatchStates(ctx context.Context, interfaceURL string) ([]sources.WatchState, error) {
	all, err := db.watchStates(ctx, db.reads, watchStatesSQL(``, `0`), interfaceURL)
	return statesOf(all), db.fail(ctx, readStates, err)
}

// WatchWaiting implements sources.WatchStore.
func (db *DB) WatchWaiting(ctx context.Context, interfaceURL string) (total int, waiting []sources.WatchState, err error) {
	err = db.read(ctx, readStates, func(t tx) error {
		if err := t.QueryRowContext(ctx, `SELECT count(*) FROM watch`).Scan(&total); err != nil {
			return err
		}
		all, err := db.watchStates(ctx, t, watchStatesSQL(waitingSQL, `0`), interfaceURL)
		waiting = statesOf(all)
		return err
	})
	return total, waiting, err
}

const readStates = "read how the watched titles stand"

func statesOf(all []standing) []sources.WatchState {
	states := make([]sources.WatchState, len(all))
	for i, s := range all {
		states[i] = s.WatchState
	}
	return states
}

// standing is a state with what NoteReady decides by.
type standing struct {
	sources.WatchState
	anywhere bool // something is proven at some interface
}

// watchStates gives the states that a query of watchStatesSQL selects, where ?4 is source.
func (db *DB) watchStates(ctx context.Context, q querier, query, interfaceURL string, source ...any) ([]standing, error) {
	now := db.now().Unix()
	var all []standing
	err := db.eachRow(ctx, q, "watch", func(rows *sql.Rows) error {
		var s standing
		var waits, looked, scanned, emptied, rest, best int64
		entry, err := scanEntry(func(fields ...any) error {
			return rows.Scan(append(fields, &waits, &looked, &scanned, &emptied, &rest, &s.Proven, &s.Hidden, &best, &s.anywhere)...)
		})
		if err != nil {
			return err
		}
		s.WatchEntry, s.Best, s.WaitsSince = entry, sources.QualityUnknown, fromUnix(waits)
		if s.Proven > 0 {
			s.Best = provenQuality(best)
		}
		s.ScannedAt, s.EmptiedAt, s.LookedAt = fromUnix(scanned), fromUnix(emptied), fromUnix(looked)
		if emptied > 0 && rest > now {
			s.RestUntil = fromUnix(rest)
		}
		all = append(all, s)
		return nil
	}, query, append([]any{interfaceURL, now, -1}, source...)...)
	return all, err
}

// shownSQL is that the hoster of a source p is not hidden.
var shownSQL = fmt.Sprintf("(p.own OR p.hoster NOT IN (SELECT h.name FROM hoster h WHERE %s))", unhealthySQL("h"))

// waitingSQL selects the entries w that are not ready at the interface ?1.
var waitingSQL = `AND NOT EXISTS (SELECT 1 FROM title t CROSS JOIN sources p ON ` + provenOfSQL + ` WHERE t.key = w.title_key AND t.interface_url = ?1 AND ` + shownSQL + `)`

// provenOfSQL selects the proven sources p of a title t.
const provenOfSQL = `p.title_id = t.id AND p.proven <> 0 AND p.trailer = 0 AND p.unplayable = ''`

// watchStatesSQL selects entries of the watchlist, those watched soonest first, with how
// they stand at the interface ?1 at ?2, and whether anywhere holds. Times that are damaged,
// or lie in the future, are none.
func watchStatesSQL(which, anywhere string) string {
	past := func(column string) string { // 0 for one that is NULL
		return fmt.Sprintf("iif(typeof(%[1]s) = 'integer' AND %[1]s <= ?2, %[1]s, 0)", column)
	}
	return `SELECT ` + prefixed("w", watchColumns) + `, ` + past("w.waits_since") + `, ` + past("w.looked_at") + `, ` + past("t.scanned_at") + `, ` + past("e.emptied_at") + `,
			iif(typeof(e.rest) = 'integer' AND ` + past("e.emptied_at") + ` > 0, e.emptied_at + e.rest, 0),
			count(DISTINCT iif(` + shownSQL + `, p.source_id, NULL)), count(DISTINCT iif(NOT ` + shownSQL + `, p.source_id, NULL)),
			coalesce(min(iif(` + shownSQL + ` AND typeof(p.proven) = 'integer', p.proven, NULL)), 0),
			` + anywhere + `
		FROM watch w LEFT JOIN title t ON t.key = w.title_key AND t.interface_url = ?1
			LEFT JOIN empty_scan e ON e.title_key = w.title_key AND e.interface_url = ?1
			LEFT JOIN sources p ON ` + provenOfSQL + `
		WHERE ?3 ` + which + ` GROUP BY w.id
		ORDER BY ` + pastSQL("w.wanted_at", "?2") + ` DESC, w.id DESC`
}

// anywhereSQL is that something is proven of an entry w at some interface.
const anywhereSQL = `EXISTS (SELECT 1 FROM title t CROSS JOIN sources p ON ` + provenOfSQL + ` WHERE t.key = w.title_key)`

// ofSourceSQL selects the entries w of titles that have the source ?4.
const ofSourceSQL = `AND w.title_key IN (SELECT o.key FROM sources s JOIN title o ON o.id = s.title_id WHERE s.source_id = ?4)`

// NoteLooked implements sources.WatchStore.
func (db *DB) NoteLooked(ctx context.Context, title sources.Title) error {
	return db.write(ctx, "note that "+title.String()+" was looked for", func(t tx) error {
		_, err := t.ExecContext(ctx, `UPDATE watch SET looked_at = ? WHERE title_key = ?`, t.now, title.Key())
		return err
	})
}

// NoteReady implements sources.WatchStore. Most of the time nothing changed, which a read
// tells.
func (db *DB) NoteReady(ctx context.Context, interfaceURL, sourceID string) (ready []sources.WatchState, err error) {
	const what = "look which watched titles are ready"
	query, source := watchStatesSQL(``, anywhereSQL), []any(nil)
	if sourceID != "" {
		query, source = watchStatesSQL(ofSourceSQL, anywhereSQL), []any{sourceID}
	}
	all, err := db.watchStates(ctx, db.reads, query, interfaceURL, source...)
	if err != nil || !slices.ContainsFunc(all, standing.changed) {
		return nil, db.fail(ctx, what, err)
	}
	err = db.write(ctx, what, func(t tx) error {
		ready = nil
		all, err := db.watchStates(ctx, t, query, interfaceURL, source...)
		if err != nil {
			return err
		}
		for _, s := range all {
			waits := int64(0)
			switch {
			case s.becameReady():
				ready = append(ready, s.WatchState)
			case s.isLost():
				waits = t.now
			default:
				continue
			}
			if _, err := t.ExecContext(ctx, `UPDATE watch SET waits_since = ? WHERE id = ?`, waits, s.ID); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range ready {
		ready[i].WaitsSince = fromUnix(0)
	}
	return ready, nil
}

func (s standing) becameReady() bool { return s.Ready() && !s.WaitsSince.IsZero() }

func (s standing) isLost() bool { return !s.anywhere && s.WaitsSince.IsZero() }

func (s standing) changed() bool { return s.becameReady() || s.isLost() }
