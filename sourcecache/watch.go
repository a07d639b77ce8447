package sourcecache

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"xship/sources"
)

const watchColumns = `id, origin, added_at, wanted_at, ` + titleColumns

// scanEntry reads watchColumns.
func scanEntry(scan func(...any) error) (sources.WatchEntry, error) {
	var e sources.WatchEntry
	var title storedTitle
	var addedAt, wantedAt int64
	if err := scan(append([]any{&e.ID, &e.Origin, &addedAt, &wantedAt}, title.fields()...)...); err != nil {
		return e, err
	}
	e.AddedAt, e.WantedAt = fromUnix(addedAt), fromUnix(wantedAt)
	var err error
	e.Title, err = title.title()
	return e, err
}

// AddWatch implements sources.WatchStore.
func (db *DB) AddWatch(ctx context.Context, title sources.Title, origin sources.WatchOrigin) (entry sources.WatchEntry, added bool, err error) {
	err = db.write(ctx, "add "+title.String()+" to the watchlist", func(t tx) error {
		entry, added, err = t.addWatch(ctx, title, origin)
		return err
	})
	if err == nil {
		err = db.rankTitles(ctx)
	}
	return entry, added, err
}

// AddWatchlist implements sources.WatchStore.
func (db *DB) AddWatchlist(ctx context.Context, entries []sources.WatchEntry) error {
	if len(entries) == 0 {
		return nil
	}
	err := db.write(ctx, fmt.Sprintf("add %d titles to the watchlist", len(entries)), func(t tx) error {
		for _, e := range slices.Backward(entries) { // of one moment, the latest is watched soonest
			if _, _, err := t.addWatch(ctx, e.Title, e.Origin); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := db.rankTitles(ctx); err != nil && ctx.Err() == nil { // an interrupted one is taken up by the next call
		return err
	}
	return nil
}

func (t tx) addWatch(ctx context.Context, title sources.Title, origin sources.WatchOrigin) (entry sources.WatchEntry, added bool, err error) {
	row, err := newStoredTitle(title)
	if err != nil {
		return entry, false, err
	}
	key := title.Key()
	result, err := t.ExecContext(ctx, `INSERT INTO watch (title_key, origin, added_at, wanted_at, waits_since, `+titleColumns+`)
		VALUES (?1, ?2, ?3, ?3, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) ON CONFLICT (title_key) DO NOTHING`,
		append([]any{key, origin, t.now}, row.fields()...)...)
	if err != nil {
		return entry, false, err
	}
	n, err := result.RowsAffected()
	if err != nil {
		return entry, false, err
	}
	if added = n > 0; !added && origin == sources.WatchUser {
		if _, err := t.ExecContext(ctx, `UPDATE watch SET wanted_at = ?, origin = ? WHERE title_key = ?`, t.now, origin, key); err != nil {
			return entry, false, err
		}
	}
	const stored = `SELECT ` + watchColumns + ` FROM watch WHERE title_key = ?`
	if entry, err = scanEntry(t.QueryRowContext(ctx, stored, key).Scan); isDamage(err) { // then it is added anew
		_, err = t.ExecContext(ctx, `UPDATE watch SET origin = ?2, added_at = ?3, wanted_at = ?3, waits_since = ?3, (`+titleColumns+`) = (?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) WHERE title_key = ?1`,
			append([]any{key, origin, t.now}, row.fields()...)...)
		if err != nil {
			return entry, false, err
		}
		added = true
		entry, err = scanEntry(t.QueryRowContext(ctx, stored, key).Scan)
	}
	if err != nil {
		return entry, false, err
	}
	return entry, added, t.want(ctx, key)
}

// Watchlist implements sources.WatchStore.
func (db *DB) Watchlist(ctx context.Context) ([]sources.WatchEntry, error) {
	return db.watched(ctx, "read the watchlist", ``)
}

// WatchDue implements sources.WatchStore.
func (db *DB) WatchDue(ctx context.Context, interfaceURL string, maxAge time.Duration) ([]sources.WatchEntry, error) {
	now := db.now()
	return db.watched(ctx, "read the titles that are due", `WHERE NOT EXISTS (SELECT 1 FROM title t
			WHERE t.key = watch.title_key AND t.interface_url = ?1 AND t.scanned_at BETWEEN ?2 AND ?3)
		AND NOT EXISTS (SELECT 1 FROM empty_scan e
			WHERE e.title_key = watch.title_key AND e.interface_url = ?1 AND `+emptyRestSQL+`)`,
		interfaceURL, toUnix(now.Add(-maxAge)), now.Unix())
}

func (db *DB) watched(ctx context.Context, what, which string, args ...any) ([]sources.WatchEntry, error) {
	var all []sources.WatchEntry
	err := db.eachRow(ctx, db.reads, "watch", func(rows *sql.Rows) error {
		entry, err := scanEntry(rows.Scan)
		if err == nil {
			all = append(all, entry)
		}
		return err
	}, `SELECT `+watchColumns+` FROM watch `+which+` ORDER BY `+pastSQL("wanted_at", strconv.FormatInt(db.now().Unix(), 10))+` DESC, id DESC`, args...)
	return all, db.fail(ctx, what, err)
}

// RemoveWatch implements sources.WatchStore.
func (db *DB) RemoveWatch(ctx context.Context, id int64) (removed bool, err error) {
	err = db.write(ctx, fmt.Sprintf("remove watchlist entry %d", id), func(t tx) error {
		var key string
		err := t.QueryRowContext(ctx, `DELETE FROM watch WHERE id = ? RETURNING title_key`, id).Scan(&key)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		removed = true
		return t.want(ctx, key)
	})
	if err == nil {
		err = db.rankTitles(ctx)
	}
	return removed, err
}

// RemoveWatchlist implements sources.WatchStore.
func (db *DB) RemoveWatchlist(ctx context.Context, ids []int64) (missing []int64, err error) {
	err = db.write(ctx, fmt.Sprintf("remove %d watchlist entries", len(ids)), func(t tx) error {
		missing = nil
		var keys []string
		for _, id := range ids {
			var key string
			err := t.QueryRowContext(ctx, `SELECT title_key FROM watch WHERE id = ?`, id).Scan(&key)
			switch {
			case errors.Is(err, sql.ErrNoRows):
				missing = append(missing, id)
			case err != nil:
				return err
			}
			keys = append(keys, key)
		}
		if len(missing) > 0 {
			return nil
		}
		for i, id := range ids {
			if _, err := t.ExecContext(ctx, `DELETE FROM watch WHERE id = ?`, id); err != nil {
				return err
			}
			if err := t.want(ctx, keys[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && len(missing) == 0 {
		err = db.rankTitles(ctx)
	}
	return missing, err
}

// SetWatchTitle implements sources.WatchStore.
func (db *DB) SetWatchTitle(ctx context.Context, id int64, title sources.Title) error {
	row, err := newStoredTitle(title)
	if err != nil {
		return err
	}
	key := title.Key()
	err = db.write(ctx, fmt.Sprintf("set watchlist entry %d to %s", id, title), func(t tx) error {
		var before string
		var taken bool
		err := t.QueryRowContext(ctx, `SELECT title_key, EXISTS (SELECT 1 FROM watch WHERE title_key = ?1 AND id <> ?2) FROM watch WHERE id = ?2`, key, id).
			Scan(&before, &taken)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return sources.ErrNotWatched
		case err != nil:
			return err
		case taken:
			return sources.ErrWatched
		}
		_, err = t.ExecContext(ctx, `UPDATE watch SET title_key = ?1, wanted_at = ?2, waits_since = iif(title_key = ?1, waits_since, ?2),
			looked_at = iif(title_key = ?1, looked_at, 0), (`+titleColumns+`) = (?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) WHERE id = ?3`,
			append([]any{key, t.now, id}, row.fields()...)...)
		if err != nil {
			return err
		}
		if err := t.want(ctx, before); err != nil {
			return err
		}
		return t.want(ctx, key)
	})
	if err == nil {
		err = db.rankTitles(ctx)
	}
	return err
}

// want tells the stored titles with the given key what the watchlist says of
// them. Their sources are ranked by rankTitles.
func (t tx) want(ctx context.Context, key string) error {
	_, err := t.ExecContext(ctx, `UPDATE title SET wanted_at = `+wantedSQL("?1")+` WHERE key = ?1`, key)
	return err
}

// wantedSQL is when a title of the watchlist was last wanted, 0 where it is not on it,
// or its row is damaged and left out.
func wantedSQL(key string) string {
	return `coalesce((SELECT wanted_at FROM watch WHERE title_key = ` + key + ` AND typeof(wanted_at) = 'integer'), 0)`
}
