package sourcecache

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// What sqlite3 restores from a .dump has all rows, but not the version of the schema,
// which is no part of it. The tables tell it: no two versions have the same columns.

// takeOver finds the version of a database that has tables and no version, and writes
// it down. One that is not ours is left as it is, with an error that says why.
func (db *DB) takeOver(ctx context.Context, steps []string, busy time.Duration) (version int, err error) {
	stored, err := columnsOf(ctx, db.reads)
	if err != nil {
		return 0, err
	}
	version, err = recognise(ctx, stored, steps)
	if err != nil {
		return 0, openError(db.path, KindOther, err)
	}
	if err := db.awaitWriter(ctx, busy); err != nil {
		return 0, err
	}
	err = db.write(ctx, "take over a restored database", func(t tx) error {
		if now, err := readVersion(ctx, t); err != nil || now != 0 { // another process was faster
			return err
		}
		_, err := t.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version = %d`, version))
		return err
	})
	if err == nil {
		db.logger.InfoContext(ctx, "the database was restored without its version, which its tables tell", "path", db.path, "version", version)
	}
	return version, err
}

// recognise gives the version whose tables and columns are stored: all of them, and
// none of a later one. Tables that no version has may be there too.
func recognise(ctx context.Context, stored map[string][]string, steps []string) (int, error) {
	versions, err := columnsByVersion(ctx, steps)
	if err != nil {
		return 0, err
	}
	latest := versions[len(versions)-1]
	ours := make(map[string][]string)
	for table, columns := range stored {
		for _, column := range columns {
			if slices.Contains(latest[table], column) {
				ours[table] = append(ours[table], column)
			}
		}
	}
	for i, columns := range versions {
		if len(lacking(columns, ours)) > 0 { // it has what came later
			continue
		}
		missing := lacking(ours, columns)
		switch {
		case len(missing) == 0:
			return i + 1, nil
		case len(missing) < len(columns):
			return 0, fmt.Errorf("it has no version, and of the tables of xship it lacks %s: restore all of it", strings.Join(missing, ", "))
		}
	}
	return 0, errors.New("it is the database of another program")
}

// columnsByVersion gives the columns of the tables of each version.
func columnsByVersion(ctx context.Context, steps []string) (versions []map[string][]string, err error) {
	pool, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	pool.SetMaxOpenConns(1) // each connection has a database of its own
	for _, step := range steps {
		if _, err := pool.ExecContext(ctx, step); err != nil {
			return nil, err
		}
		columns, err := columnsOf(ctx, pool)
		if err != nil {
			return nil, err
		}
		versions = append(versions, columns)
	}
	return versions, nil
}

// lacking names the tables that are not stored, or not with all their columns.
func lacking(stored, wanted map[string][]string) []string {
	var names []string
	for _, table := range slices.Sorted(maps.Keys(wanted)) {
		missing := func(column string) bool { return !slices.Contains(stored[table], column) }
		if slices.ContainsFunc(wanted[table], missing) {
			names = append(names, table)
		}
	}
	return names
}

// columnsOf gives the columns of the tables of a database, in lower case.
func columnsOf(ctx context.Context, q querier) (map[string][]string, error) {
	columns := make(map[string][]string)
	err := queryRows(ctx, q, func(rows *sql.Rows) error {
		var table, column string
		err := rows.Scan(&table, &column)
		columns[table] = append(columns[table], column)
		return err
	}, `SELECT lower(m.name), lower(c.name) FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'`)
	return columns, err
}
