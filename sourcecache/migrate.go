package sourcecache

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
)

// The schema's versions, forward only. File N brings a database from version
// N-1 to N, which is recorded in SQLite's user_version. A file that was
// released never changes.
//
//go:embed migrations/*.sql
var migrationFiles embed.FS

func embeddedMigrations() ([]string, error) {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql") // sorted
	if err != nil {
		return nil, err
	}
	steps := make([]string, len(names))
	for i, name := range names {
		if want := fmt.Sprintf("%04d.sql", i+1); path.Base(name) != want {
			return nil, fmt.Errorf("migration %s stands where %s should", path.Base(name), want)
		}
		step, err := migrationFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		steps[i] = string(step)
	}
	return steps, nil
}

func (db *DB) newer(version, known int) error {
	return openError(db.path, KindNewer, fmt.Errorf("its schema has version %d, this xship knows versions up to %d", version, known))
}

// migrate applies the steps that the database of the given version lacks, each
// in a transaction of its own; to a new database all in one, so that nobody takes
// it for an old one meanwhile. Several processes may do so at once; each step is
// applied by one.
func (db *DB) migrate(ctx context.Context, version int, steps []string, p *progress) error {
	saved := version == 0 // nothing to lose
	for version < len(steps) {
		err := db.write(ctx, "migrate", func(t tx) (err error) {
			if version, err = readVersion(ctx, t); err != nil { // another process may have been faster
				return err
			}
			if version > len(steps) {
				return db.newer(version, len(steps))
			}
			if version < len(steps) && !saved {
				if err := db.saveCopy(ctx, version, p); err != nil {
					return fmt.Errorf("copy it before the update: %w", err)
				}
				saved = true
			}
			if saved && version > 0 && version < len(steps) {
				p.begin(version+1, "")
			}
			version, err = t.applySteps(ctx, version, steps)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func readVersion(ctx context.Context, q querier) (version int, err error) {
	err = q.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version)
	return version, err
}

// applySteps applies the next of the steps, to a new database all of them, and
// gives the version that it has then.
func (t tx) applySteps(ctx context.Context, version int, steps []string) (int, error) {
	upTo := min(version+1, len(steps))
	if version == 0 {
		upTo = len(steps)
	}
	for ; version < upTo; version++ {
		if err := t.migrateTo(ctx, version+1, steps[version]); err != nil {
			return version, err
		}
	}
	return version, nil
}

func (t tx) migrateTo(ctx context.Context, version int, step string) error {
	if _, err := t.ExecContext(ctx, step); err != nil {
		return fmt.Errorf("to version %d: %w", version, err)
	}
	_, err := t.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version = %d`, version))
	return err
}

// saveCopy writes the database, as it is before the transaction in progress,
// to PATH.bak-vN. A copy of the same version is replaced.
func (db *DB) saveCopy(ctx context.Context, version int, p *progress) (err error) {
	target := fmt.Sprintf("%s.bak-v%d", db.path, version)
	partial := target + ".partial"
	defer func() {
		if err != nil {
			err = errors.Join(err, removeIfThere(partial))
		}
	}()
	if err := removeIfThere(partial); err != nil {
		return err
	}
	if err := createFile(partial); err != nil {
		return err
	}
	p.begin(version+1, partial)
	if err := db.vacuumInto(ctx, partial); err != nil {
		return err
	}
	return os.Rename(partial, target)
}

// vacuumInto copies on a connection of its own: the one that writes is in a
// transaction, and those that read count this as writing.
func (db *DB) vacuumInto(ctx context.Context, name string) (err error) {
	pool, err := sql.Open("sqlite", dsn(db.path, busyTimeout, "rw"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	_, err = pool.ExecContext(ctx, `VACUUM INTO ?`, name)
	return err
}

func removeIfThere(name string) error {
	if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
