package sourcecache

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"xship/sources"
)

// maxFlaws bounds what a damaged database is said to suffer from.
const maxFlaws = 5

// keyInspected is the entry of the state table that an inspection writes.
const keyInspected = "inspected_at"

// Inspect implements sources.Store. SQLite looks at its file from end to end,
// and where that is sound an entry of its own is written. A database that
// cannot be read or written is an *OpenError.
func (db *DB) Inspect(ctx context.Context) (sources.Inspection, error) {
	in := sources.Inspection{Size: db.size()}
	err := db.reads.QueryRowContext(ctx, `SELECT user_version FROM pragma_user_version`).Scan(&in.Version)
	if err == nil {
		in.Flaws, err = flaws(ctx, db.reads)
	}
	if err == nil && len(in.Flaws) == 0 {
		in.Damaged, err = damagedRows(ctx, db.reads, maxFlaws)
	}
	if err != nil {
		return in, db.fail(ctx, "check the database", err)
	}
	if len(in.Flaws) > 0 {
		return in, nil
	}
	return in, db.write(ctx, "write to the database", func(t tx) error { return t.setState(ctx, keyInspected, t.now) })
}

// flaws are what SQLite finds wrong with a file.
func flaws(ctx context.Context, q querier) ([]string, error) {
	var found []string
	err := queryRows(ctx, q, func(rows *sql.Rows) error {
		var text string
		if err := rows.Scan(&text); err != nil {
			return err
		}
		if text != "ok" {
			found = append(found, text)
		}
		return nil
	}, fmt.Sprintf(`PRAGMA quick_check(%d)`, maxFlaws))
	return found, err
}

// size is that of the files of the database. One that cannot be seen has none.
func (db *DB) size() int64 {
	var sum int64
	for _, name := range []string{db.path, db.path + "-wal"} {
		info, err := os.Stat(name)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				db.logger.Debug("the size of a file of the database is not known", "path", name, "error", err)
			}
			continue
		}
		sum += info.Size()
	}
	return sum
}
