package sourcecache

import (
	"context"
	"database/sql"
	"time"

	"xship/sources"
)

// keptHours is how many hours of a hoster are kept.
const keptHours = 48

// hourSeconds is the length of an hour as it is stored.
const hourSeconds = 3600

// countHour counts the end of an attempt at a hoster in its hour. The first one of an hour
// removes what is too old.
func (t tx) countHour(ctx context.Context, hoster string, class sources.Class) error {
	if class != sources.ClassOK && class != sources.ClassHosterFault {
		return nil
	}
	ok := 0
	if class == sources.ClassOK {
		ok = 1
	}
	hour := t.now / hourSeconds
	var first bool
	err := t.QueryRowContext(ctx, `INSERT INTO hoster_hour (hoster, hour, ok, fail) VALUES (?1, ?2, ?3, 1 - ?3)
		ON CONFLICT (hoster, hour) DO UPDATE SET ok = ok + excluded.ok, fail = fail + excluded.fail RETURNING ok + fail = 1`, hoster, hour, ok).Scan(&first)
	if err != nil || !first {
		return err
	}
	_, err = t.ExecContext(ctx, `DELETE FROM hoster_hour WHERE hoster = ? AND hour <= ?`, hoster, hour-keptHours)
	return err
}

// HosterHours implements sources.HosterTable. Hours in the future were counted under
// another clock.
func (db *DB) HosterHours(ctx context.Context, since time.Time) (map[string][]sources.HosterHour, error) {
	hours := make(map[string][]sources.HosterHour)
	err := db.eachRow(ctx, db.reads, "hoster_hour", func(rows *sql.Rows) error {
		var hoster string
		var hour int64
		var h sources.HosterHour
		if err := rows.Scan(&hoster, &hour, &h.OK, &h.Fail); err != nil {
			return err
		}
		h.At = fromUnix(hour * hourSeconds)
		hours[hoster] = append(hours[hoster], h)
		return nil
	}, `SELECT hoster, hour, ok, fail FROM hoster_hour WHERE hour BETWEEN ?1 AND ?2 OR `+wrongTypeSQL("hour")+` ORDER BY hoster, hour`,
		since.Unix()/hourSeconds, db.now().Unix()/hourSeconds)
	return hours, db.fail(ctx, "read the hours of the hosters", err)
}

// CountHosters implements sources.HosterTable.
func (db *DB) CountHosters(ctx context.Context) (n int, err error) {
	err = db.reads.QueryRowContext(ctx, `SELECT count(*) FROM hoster`).Scan(&n)
	return n, db.fail(ctx, "count the hosters", err)
}
