package sourcecache

import (
	"context"
	"database/sql"
	"fmt"

	"xship/sourcecache/health"
	"xship/sources"
	"xship/sources/link"
)

// table is health.Table within a transaction.
type table struct {
	ctx context.Context //nolint:containedctx // that of the transaction, which lives no longer
	t   tx
}

var _ health.Table = table{}

// Hoster implements health.Table.
func (h table) Hoster(name string) (health.Hoster, error) { return h.t.db.hoster(h.ctx, h.t, name) }

// PutHoster implements health.Table.
func (h table) PutHoster(name string, row health.Hoster) error {
	return h.t.putHoster(h.ctx, name, row)
}

const linkColumns = `fails, first_fail_at, fail_run, undo_fails, gone_run, deep`

func linkFields(l *health.Link) []any {
	return []any{&l.Fails, &l.FirstFailAt, &l.FailRun, &l.UndoFails, &l.GoneRun, &l.Deep}
}

// Link implements health.Table.
func (h table) Link(url string) (health.Link, error) {
	var l health.Link
	found, err := h.t.db.oneRow(h.ctx, h.t, "link", link.Redact(url), linkFields(&l), `SELECT `+linkColumns+` FROM link WHERE url = ?`, url)
	if !found {
		return health.Link{}, err
	}
	return l, nil
}

// PutLink implements health.Table.
func (h table) PutLink(url string, l health.Link) error {
	if l == (health.Link{}) {
		_, err := h.t.ExecContext(h.ctx, `DELETE FROM link WHERE url = ?`, url)
		return err
	}
	_, err := h.t.ExecContext(h.ctx, `INSERT OR REPLACE INTO link (url, `+linkColumns+`, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		append(append([]any{url}, linkFields(&l)...), h.t.now)...)
	return err
}

// Guard implements health.Table.
func (h table) Guard() (health.Guard, error) { return h.t.db.readGuard(h.ctx, h.t) }

// PutGuard implements health.Table.
func (h table) PutGuard(g health.Guard) error { return h.t.putGuard(h.ctx, g) }

// FailedIn implements health.Table.
func (h table) FailedIn(run int64) ([]health.Named, error) {
	return h.t.db.namedHosters(h.ctx, h.t, `WHERE `+failedInSQL("h", "?1"), run)
}

// Awaiting implements health.Table.
func (h table) Awaiting(canary int64) ([]health.Named, error) {
	return h.t.db.namedHosters(h.ctx, h.t, `WHERE `+awaitsSQL("h", "?1"), canary)
}

// NextCanary implements health.Table.
func (h table) NextCanary(run, now int64) (health.Named, bool, error) {
	return h.first(`WHERE `+mayBeCanarySQL("h", "?1", "?2")+` ORDER BY h.last_success_at DESC, h.name LIMIT 1`, run, now)
}

// NextOutageTest implements health.Table.
func (h table) NextOutageTest(recent bool, now int64) (health.Named, bool, error) {
	return h.first(`WHERE `+mayTestOutageSQL("h", "?1", "?2")+` ORDER BY `+triedSQL("h", "?2")+`, h.name LIMIT 1`, recent, now)
}

func (h table) first(which string, args ...any) (health.Named, bool, error) {
	found, err := h.t.db.namedHosters(h.ctx, h.t, which, args...)
	if err != nil || len(found) == 0 {
		return health.Named{}, false, err
	}
	return found[0], true, nil
}

// UndoLinks implements health.Table. Sources whose link was found to be gone in the
// run are found again.
func (h table) UndoLinks(run int64) error {
	changed := make(map[string]health.Link)
	err := h.t.db.eachRow(h.ctx, h.t, "link", func(rows *sql.Rows) error {
		var url string
		var l health.Link
		err := rows.Scan(append([]any{&url}, linkFields(&l)...)...)
		if err == nil {
			changed[url] = l
		}
		return err
	}, `SELECT url, `+linkColumns+` FROM link WHERE `+linksOfRunSQL, run)
	if err != nil {
		return err
	}
	for url, l := range changed {
		gone := l.Undo(run)
		if err := h.PutLink(url, l); err != nil {
			return err
		}
		if gone {
			if err := h.t.revive(h.ctx, url); err != nil {
				return err
			}
		}
	}
	return nil
}

// linksOfRunSQL selects the links to which something happened in the run ?1.
const linksOfRunSQL = `(fail_run = ?1 AND fail_run <> 0 OR gone_run = ?1 AND gone_run <> 0)`

// namedHosters gives the hosters h that which selects.
func (db *DB) namedHosters(ctx context.Context, q querier, which string, args ...any) (all []health.Named, err error) {
	err = db.eachRow(ctx, q, "hoster", func(rows *sql.Rows) error {
		var h health.Named
		err := rows.Scan(append(append([]any{&h.Name}, hosterFields(&h.Hoster)...), attemptFields(&h.Hoster)...)...)
		if err == nil {
			all = append(all, h)
		}
		return err
	}, `SELECT h.name, `+prefixed("h", hosterColumns)+`, `+prefixed("h", attemptColumns)+` FROM hoster h `+which, args...)
	return all, err
}

// revive makes the dead sources with a link found again.
func (t tx) revive(ctx context.Context, url string) error {
	var ids []int64
	err := queryRows(ctx, t, func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	}, fmt.Sprintf(`SELECT id FROM sources WHERE url = ? AND state = %d`, stateDead), url)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, err := t.ExecContext(ctx, `UPDATE sources SET state = ?, state_at = ? WHERE id = ?`,
			stateNumber(sources.StateFound), t.now, id); err != nil {
			return err
		}
		if _, err := t.enqueue(ctx, false, `s.id = ?3`, id); err != nil {
			return err
		}
	}
	return nil
}

// stateDead is the number of sources.StateDead, for the index of dead sources.
const stateDead = 3
