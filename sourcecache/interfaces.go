package sourcecache

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"xship/sources"
)

// vod is the config type of the interfaces that xship knows.
const vod = 0

// Interfaces implements sources.InterfaceStore. A time of use in the future was
// recorded under another clock: it is none.
func (db *DB) Interfaces(ctx context.Context) ([]sources.Interface, error) {
	var all []sources.Interface
	err := db.eachRow(ctx, db.reads, "config", func(rows *sql.Rows) error {
		var row sources.Interface
		var kind, at, loadedAt int64
		if err := rows.Scan(&kind, &row.URL, &row.Name, &at, &loadedAt, &row.LastError); err != nil {
			return err
		}
		row.UsedAt, row.LastLoadedAt = fromUnix(at), fromUnix(loadedAt)
		all = append(all, row)
		return nil
	}, `SELECT type, url, name, time, last_loaded_at, last_error FROM config WHERE type = ?1 OR `+wrongTypeSQL("type")+`
		ORDER BY `+pastSQL("time", "?2")+` DESC, id`, vod, db.now().Unix())
	return all, db.fail(ctx, "list interfaces", err)
}

// AddInterface implements sources.InterfaceStore.
func (db *DB) AddInterface(ctx context.Context, url, name string) (added bool, err error) {
	n, err := db.AddInterfaces(ctx, []sources.Interface{{URL: url, Name: name}}, "")
	return n > 0, err
}

// AddInterfaces implements sources.InterfaceStore.
func (db *DB) AddInterfaces(ctx context.Context, rows []sources.Interface, current string) (added int, err error) {
	if len(rows) == 0 {
		return 0, nil
	}
	err = db.write(ctx, "add "+interfacesText(len(rows)), func(t tx) error {
		before, err := t.countInterfaces(ctx)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if _, err := t.ExecContext(ctx, `INSERT INTO config (type, time, url, name) VALUES (?, 0, ?, ?)
				ON CONFLICT (type, url) DO UPDATE SET name = excluded.name WHERE excluded.name <> ''`, vod, row.URL, row.Name); err != nil {
				return err
			}
		}
		after, err := t.countInterfaces(ctx)
		if err != nil {
			return err
		}
		added = after - before
		if before > 0 {
			return nil
		}
		return t.use(ctx, cmp.Or(current, rows[0].URL), interfaceUse{How: sources.UseFirst})
	})
	if err != nil {
		return 0, err
	}
	return added, nil
}

func (t tx) countInterfaces(ctx context.Context) (n int, err error) {
	err = t.QueryRowContext(ctx, `SELECT count(*) FROM config WHERE type = ?`, vod).Scan(&n)
	return n, err
}

// interfacesText counts interfaces for people.
func interfacesText(n int) string {
	if n == 1 {
		return "interface"
	}
	return fmt.Sprintf("%d interfaces", n)
}

// RemoveInterface implements sources.InterfaceStore.
func (db *DB) RemoveInterface(ctx context.Context, url, next string) (removed bool, err error) {
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
		if current, err := currentInterface(ctx, t); err != nil {
			return err
		} else if current != url {
			return t.forgetFrom(ctx, url)
		}
		if used, err := t.useListed(ctx, next, interfaceUse{How: sources.UseRemoved}); err != nil || used {
			return err
		}
		_, err = t.ExecContext(ctx, `DELETE FROM state WHERE key IN (?, ?)`, keyCurrentInterface, keyInterfaceUse)
		return err
	})
	return removed, err
}

// CurrentInterface implements sources.InterfaceStore.
func (db *DB) CurrentInterface(ctx context.Context) (string, error) {
	url, err := currentInterface(ctx, db.reads)
	return url, db.fail(ctx, "read the interface in use", err)
}

func currentInterface(ctx context.Context, q querier) (url string, err error) {
	err = q.QueryRowContext(ctx, `SELECT value FROM state WHERE key = ?`, keyCurrentInterface).Scan(&url)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return url, err
}

// SetCurrentInterface implements sources.InterfaceStore.
func (db *DB) SetCurrentInterface(ctx context.Context, url string) error {
	return db.write(ctx, "set the interface in use", func(t tx) error {
		listed, err := t.useListed(ctx, url, interfaceUse{How: sources.UseChosen})
		if err == nil && !listed {
			return sources.ErrNotListed
		}
		return err
	})
}

// SwitchInterface implements sources.InterfaceStore.
func (db *DB) SwitchInterface(ctx context.Context, from, to string) (switched bool, err error) {
	err = db.write(ctx, "switch to another interface", func(t tx) error {
		current, err := currentInterface(ctx, t)
		if err != nil || current != from {
			return err
		}
		before, err := t.db.interfaceUse(ctx, t)
		if err != nil {
			return err
		}
		switched, err = t.useListed(ctx, to, interfaceUse{How: sources.UseSwitched, From: before.switched(from, to)})
		return err
	})
	return switched && err == nil, err
}

// interfaceUse is how the interface in use came to be that, as it is stored: JSON.
type interfaceUse struct {
	URL  string               `json:"url"` // for which the rest is said
	How  sources.InterfaceHow `json:"how"`
	From []string             `json:"from,omitempty"`
	At   int64                `json:"at"`
}

// mostSwitches bounds interfaceUse.From.
const mostSwitches = 20

// switched is From after a switch.
func (u interfaceUse) switched(from, to string) []string {
	var all []string
	if u.How == sources.UseSwitched {
		all = u.From
	}
	if from != "" {
		all = append(all, from)
	}
	if i := slices.Index(all, to); i >= 0 {
		all = all[:i]
	}
	return all[max(0, len(all)-mostSwitches):]
}

// interfaceUse reads what was stored of the interface in use, the zero value where that
// is nothing.
func (db *DB) interfaceUse(ctx context.Context, q querier) (u interfaceUse, err error) {
	current, err := currentInterface(ctx, q)
	if err != nil || current == "" {
		return interfaceUse{}, err
	}
	var stored string
	found, err := db.oneRow(ctx, q, "state", keyInterfaceUse, []any{&stored}, `SELECT value FROM state WHERE key = ?`, keyInterfaceUse)
	if err == nil && found && json.Unmarshal([]byte(stored), &u) != nil {
		db.leaveOut(ctx, "state", keyInterfaceUse, damagedf("it is no JSON"))
		u = interfaceUse{}
	}
	if u.URL != current {
		u = interfaceUse{URL: current}
	}
	return u, err
}

// InterfaceUse implements sources.InterfaceStore.
func (db *DB) InterfaceUse(ctx context.Context) (sources.InterfaceUse, error) {
	u, err := db.interfaceUse(ctx, db.reads)
	if err != nil {
		return sources.InterfaceUse{}, db.fail(ctx, "read how the interface came into use", err)
	}
	if u.At > db.now().Unix() { // under another clock
		u.At = 0
	}
	return sources.InterfaceUse{URL: u.URL, How: u.How, From: u.From, At: fromUnix(u.At)}, nil
}

// use puts an interface in use, and stores how that came.
func (t tx) use(ctx context.Context, url string, how interfaceUse) error {
	how.URL, how.At = url, t.now
	if err := t.setState(ctx, keyCurrentInterface, url); err != nil {
		return err
	}
	return t.setUse(ctx, how)
}

func (t tx) setUse(ctx context.Context, how interfaceUse) error {
	stored, err := json.Marshal(how)
	if err != nil {
		return err
	}
	return t.setState(ctx, keyInterfaceUse, string(stored))
}

// forgetFrom takes an interface out of those in whose place the one in use came.
func (t tx) forgetFrom(ctx context.Context, url string) error {
	how, err := t.db.interfaceUse(ctx, t)
	at := slices.Index(how.From, url)
	if err != nil || at < 0 {
		return err
	}
	how.From = slices.Delete(how.From, at, at+1)
	return t.setUse(ctx, how)
}

// useListed puts an interface in use, where it is listed.
func (t tx) useListed(ctx context.Context, url string, how interfaceUse) (listed bool, err error) {
	err = t.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM config WHERE type = ? AND url = ?)`, vod, url).Scan(&listed)
	if err != nil || !listed {
		return false, err
	}
	return true, t.use(ctx, url, how)
}

// RecordInterfaceLoad implements sources.InterfaceStore.
func (db *DB) RecordInterfaceLoad(ctx context.Context, url string, at time.Time, loadErr string, used bool) error {
	return db.write(ctx, "record a load", func(t tx) error {
		if loadErr != "" {
			_, err := t.ExecContext(ctx, `UPDATE config SET last_error = ? WHERE type = ? AND url = ?`, loadErr, vod, url)
			return err
		}
		_, err := t.ExecContext(ctx, `UPDATE config SET time = iif(?1, ?2, time), last_loaded_at = ?2, last_error = '' WHERE type = ?3 AND url = ?4`,
			used, toUnix(at), vod, url)
		return err
	})
}

// RecordInterfaceUse implements sources.InterfaceStore.
func (db *DB) RecordInterfaceUse(ctx context.Context, url string, at time.Time) error {
	return db.write(ctx, "record the use of an interface", func(t tx) error {
		_, err := t.ExecContext(ctx, `UPDATE config SET time = ? WHERE type = ? AND url = ?`, toUnix(at), vod, url)
		return err
	})
}

// CachedConfig implements sources.InterfaceStore.
func (db *DB) CachedConfig(ctx context.Context, url string) (*sources.StoredConfig, error) {
	var c sources.StoredConfig
	var at int64
	found, err := db.oneRow(ctx, db.reads, "config_cache", shownValue(url), []any{&c.Body, &c.FinalURL, &c.ContentType, &c.ETag, &c.LastModified, &at},
		`SELECT body, final_url, content_type, etag, last_modified, fetched_at FROM config_cache WHERE url = ?`, url)
	if !found {
		return nil, db.fail(ctx, "read a stored config", err)
	}
	c.FetchedAt = fromUnix(at)
	return &c, nil
}

// PutConfig implements sources.InterfaceStore.
func (db *DB) PutConfig(ctx context.Context, url string, c sources.StoredConfig, of string) error {
	body := c.Body
	if body == nil {
		body = []byte{}
	}
	return db.write(ctx, "store a config", func(t tx) error {
		_, err := t.ExecContext(ctx, `INSERT INTO config_cache (url, body, final_url, content_type, etag, last_modified, fetched_at)
			SELECT ?, ?, ?, ?, ?, ?, ? WHERE ?8 = '' OR EXISTS (SELECT 1 FROM config WHERE type = ?9 AND url = ?8)
			ON CONFLICT (url) DO UPDATE SET body = excluded.body, final_url = excluded.final_url, content_type = excluded.content_type,
			etag = excluded.etag, last_modified = excluded.last_modified, fetched_at = excluded.fetched_at`,
			url, body, c.FinalURL, c.ContentType, c.ETag, c.LastModified, toUnix(c.FetchedAt), of, vod)
		return err
	})
}

// TouchConfig implements sources.InterfaceStore.
func (db *DB) TouchConfig(ctx context.Context, url string, at time.Time) error {
	return db.write(ctx, "record that a config is unchanged", func(t tx) error {
		_, err := t.ExecContext(ctx, `UPDATE config_cache SET fetched_at = ? WHERE url = ?`, toUnix(at), url)
		return err
	})
}
