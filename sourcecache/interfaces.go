package sourcecache

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// vod is the config type of the interfaces that xship knows.
const vod = 0

// InterfaceRow is one interface of the user's list.
type InterfaceRow struct {
	URL          string
	Name         string
	Time         time.Time // added, or last loaded well
	LastLoadedAt time.Time
	LastError    string // of the last load, "" where it went well
}

// CachedConfig is what an interface last answered.
type CachedConfig struct {
	Body         []byte
	FinalURL     string
	ContentType  string
	ETag         string    // to be sent back in If-None-Match, "" where it gave none
	LastModified string    // to be sent back in If-Modified-Since
	FetchedAt    time.Time // or last found unchanged
}

// Interfaces lists the interfaces, latest first.
func (db *DB) Interfaces(ctx context.Context) ([]InterfaceRow, error) {
	var all []InterfaceRow
	err := queryRows(ctx, db.reads, func(rows *sql.Rows) error {
		var row InterfaceRow
		var at, loadedAt int64
		if err := rows.Scan(&row.URL, &row.Name, &at, &loadedAt, &row.LastError); err != nil {
			return err
		}
		row.Time, row.LastLoadedAt = fromUnix(at), fromUnix(loadedAt)
		all = append(all, row)
		return nil
	}, `SELECT url, name, time, last_loaded_at, last_error FROM config WHERE type = ? ORDER BY time DESC, id DESC`, vod)
	return all, db.fail(ctx, "list interfaces", err)
}

// AddInterface adds an interface and tells whether it is new. The first one is
// also put in use. One that is there already gets the name, unless that is "".
func (db *DB) AddInterface(ctx context.Context, url, name string) (added bool, err error) {
	err = db.write(ctx, "add interface", func(t tx) error {
		var others bool
		err := t.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM config WHERE type = ?), NOT EXISTS (SELECT 1 FROM config WHERE type = ? AND url = ?)`, vod, vod, url).Scan(&others, &added)
		if err != nil {
			return err
		}
		if _, err := t.ExecContext(ctx, `INSERT INTO config (type, time, url, name) VALUES (?, ?, ?, ?)
			ON CONFLICT (type, url) DO UPDATE SET name = excluded.name WHERE excluded.name <> ''`, vod, t.now, url, name); err != nil {
			return err
		}
		if others {
			return nil
		}
		return t.setState(ctx, keyCurrentInterface, url)
	})
	return added, err
}

// RemoveInterface removes an interface with its stored answer and tells whether
// it was there. Where it was in use, none is afterwards.
func (db *DB) RemoveInterface(ctx context.Context, url string) (removed bool, err error) {
	err = db.write(ctx, "remove interface", func(t tx) error {
		result, err := t.ExecContext(ctx, `DELETE FROM config WHERE type = ? AND url = ?`, vod, url)
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		if err != nil || n == 0 {
			return err
		}
		removed = true
		if _, err := t.ExecContext(ctx, `DELETE FROM config_cache WHERE url = ?`, url); err != nil {
			return err
		}
		_, err = t.ExecContext(ctx, `DELETE FROM state WHERE key = ? AND value = ?`, keyCurrentInterface, url)
		return err
	})
	return removed, err
}

// CurrentInterface gives the URL of the interface in use, "" where none was
// chosen.
func (db *DB) CurrentInterface(ctx context.Context) (string, error) {
	var url string
	err := db.reads.QueryRowContext(ctx, `SELECT value FROM state WHERE key = ?`, keyCurrentInterface).Scan(&url)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return url, db.fail(ctx, "read the interface in use", err)
}

// SetCurrentInterface puts the interface with the given URL in use.
func (db *DB) SetCurrentInterface(ctx context.Context, url string) error {
	return db.write(ctx, "set the interface in use", func(t tx) error {
		return t.setState(ctx, keyCurrentInterface, url)
	})
}

// RecordInterfaceLoad records how a load that ended at the given time went:
// loadErr is "" where it went well. An interface that is not listed has no
// record.
func (db *DB) RecordInterfaceLoad(ctx context.Context, url string, at time.Time, loadErr string) error {
	return db.write(ctx, "record a load", func(t tx) error {
		if loadErr != "" {
			_, err := t.ExecContext(ctx, `UPDATE config SET last_error = ? WHERE type = ? AND url = ?`, loadErr, vod, url)
			return err
		}
		_, err := t.ExecContext(ctx, `UPDATE config SET time = ?1, last_loaded_at = ?1, last_error = '' WHERE type = ?2 AND url = ?3`, toUnix(at), vod, url)
		return err
	})
}

// CachedConfig gives what the interface last answered, and nil where that is
// not known.
func (db *DB) CachedConfig(ctx context.Context, url string) (*CachedConfig, error) {
	var c CachedConfig
	var at int64
	err := db.reads.QueryRowContext(ctx, `SELECT body, final_url, content_type, etag, last_modified, fetched_at FROM config_cache WHERE url = ?`, url).
		Scan(&c.Body, &c.FinalURL, &c.ContentType, &c.ETag, &c.LastModified, &at)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, db.fail(ctx, "read a stored config", err)
	}
	c.FetchedAt = fromUnix(at)
	return &c, nil
}

// PutConfig stores what the interface answered.
func (db *DB) PutConfig(ctx context.Context, url string, c CachedConfig) error {
	body := c.Body
	if body == nil {
		body = []byte{}
	}
	return db.write(ctx, "store a config", func(t tx) error {
		_, err := t.ExecContext(ctx, `INSERT INTO config_cache (url, body, final_url, content_type, etag, last_modified, fetched_at) VALUES (?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (url) DO UPDATE SET body = excluded.body, final_url = excluded.final_url, content_type = excluded.content_type,
			etag = excluded.etag, last_modified = excluded.last_modified, fetched_at = excluded.fetched_at`,
			url, body, c.FinalURL, c.ContentType, c.ETag, c.LastModified, toUnix(c.FetchedAt))
		return err
	})
}

// TouchConfig records that the interface answered at the given time that its
// config is the stored one. Where none is stored, nothing happens.
func (db *DB) TouchConfig(ctx context.Context, url string, at time.Time) error {
	return db.write(ctx, "record that a config is unchanged", func(t tx) error {
		_, err := t.ExecContext(ctx, `UPDATE config_cache SET fetched_at = ? WHERE url = ?`, toUnix(at), url)
		return err
	})
}
