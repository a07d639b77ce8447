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

// Bounds of the events that are kept.
const (
	hosterEvents = 50
	allEvents    = 20_000
	eventCheck   = 100 // after so many allEvents is looked to
)

// logEvents keeps what a report changed. Those that were cancelled change nothing.
func (t tx) logEvents(ctx context.Context, e health.Event, class sources.Class, out health.Outcome) error {
	if class == sources.ClassCancelled {
		return nil
	}
	err := t.logEvent(ctx, e.Hoster, link.Redact(e.Link), class, out.Effect.String(), out.Fails, out.Backoff)
	for _, c := range out.Counted {
		if err == nil {
			err = t.logEvent(ctx, c.Hoster, "", sources.ClassHosterFault, health.Counted.String(), c.Fails, c.Backoff)
		}
	}
	for _, name := range out.Undone {
		if err != nil {
			break
		}
		var h health.Hoster
		if h, err = t.db.hoster(ctx, t, name); err == nil {
			err = t.logEvent(ctx, name, "", sources.ClassHosterFault, sources.EffectTakenBack, h.ConsecutiveFails, 0)
		}
	}
	return err
}

func (t tx) logEvent(ctx context.Context, hoster, link string, class sources.Class, effect string, fails, backoff int64) error {
	// A number may be taken where another one is damaged.
	var id int64
	err := t.QueryRowContext(ctx, `INSERT OR REPLACE INTO hoster_event (hoster, id, at, link, class, effect, fails, backoff)
		VALUES (?1, (SELECT coalesce(max(id), 0) + 1 FROM hoster_event WHERE hoster = ?1), ?2, ?3, ?4, ?5, ?6, ?7) RETURNING CAST(id AS INTEGER)`,
		hoster, t.now, link, string(class), effect, fails, backoff).Scan(&id)
	if err != nil {
		return err
	}
	if id > hosterEvents {
		if _, err := t.ExecContext(ctx, `DELETE FROM hoster_event WHERE hoster = ? AND id <= ?`, hoster, id-hosterEvents); err != nil {
			return err
		}
	}
	if t.db.events.Add(1)%eventCheck != 1 {
		return nil
	}
	return t.trimEvents(ctx)
}

// trimEvents keeps to the bound of all hosters together. As it takes longer than to keep
// an event, it leaves room for those that come until it is called again, also by another
// process.
func (t tx) trimEvents(ctx context.Context) error {
	const most = allEvents - 2*eventCheck
	var n int64
	if err := t.QueryRowContext(ctx, `SELECT count(*) FROM hoster_event`).Scan(&n); err != nil || n <= most {
		return err
	}
	_, err := t.ExecContext(ctx, `DELETE FROM hoster_event WHERE (hoster, id) IN (SELECT hoster, id FROM hoster_event ORDER BY at, id LIMIT ?)`, n-most)
	return err
}

// HosterEvents implements sources.HosterTable.
func (db *DB) HosterEvents(ctx context.Context, name string) ([]sources.HosterEvent, error) {
	what := fmt.Sprintf("read the events of hoster %q", text.Clean(name))
	var all []sources.HosterEvent
	err := db.eachRow(ctx, db.reads, "hoster_event", func(rows *sql.Rows) error {
		var hoster string
		var id, at, fails, backoff int64
		var e sources.HosterEvent
		if err := rows.Scan(&hoster, &id, &at, &e.Link, &e.Class, &e.Effect, &fails, &backoff); err != nil {
			return err
		}
		e.At, e.Fails, e.Backoff = fromUnix(at), int(fails), time.Duration(backoff)*time.Second
		all = append(all, e)
		return nil
	}, `SELECT hoster, id, at, link, class, effect, fails, backoff FROM hoster_event WHERE hoster = ? ORDER BY id DESC`, name)
	if err == nil && len(all) == 0 {
		var known bool
		err = db.reads.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM hoster WHERE name = ?)`, name).Scan(&known)
		if err == nil && !known {
			err = sources.ErrUnknownHoster
		}
	}
	return all, db.fail(ctx, what, err)
}
