package sourcecache

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"xship/sourcecache/health"
	"xship/sources"
)

// DB is an open database. It is safe for concurrent use.
type DB struct {
	path      string
	now       func() time.Time
	logger    *slog.Logger
	streamTTL time.Duration
	policy    health.Policy // of hosters
	reads     *sql.DB       // cannot write
	writes    *sql.DB       // one connection, which waits for a turn no longer than turn
	tries     int           // turns waited for before a write gives up
	handle    string        // tells this DB from others on the file, in the tokens of leases
	attempts  atomic.Int64  // begun
	events    atomic.Int64  // kept, see logEvent
	answers   atomic.Int64  // put, see PutAnswer
	cooldowns *Cooldowns
	damaged   sync.Map // rows that were warned of, by table and name
	readOnly  *OpenError
	file      fs.FileInfo // of path, when it was opened
}

var _ sources.Store = (*DB)(nil)

// Close releases the file. Calls that are still running end first.
func (db *DB) Close() error {
	return errors.Join(db.reads.Close(), db.writes.Close())
}

// ReadOnly is why the database can only be read, nil where it can be written. Each
// call that would write fails with it.
func (db *DB) ReadOnly() error {
	if db.readOnly == nil {
		return nil
	}
	return db.readOnly
}

// Moved implements sources.Store.
func (db *DB) Moved() error {
	there, err := os.Stat(db.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the database %s was moved away or removed", db.path)
	case err == nil && db.file != nil && !os.SameFile(db.file, there):
		return fmt.Errorf("another database was put in the place of %s", db.path)
	default: // what cannot be seen now may be there
		return nil
	}
}

// tx is a transaction with the one time at which everything in it happens.
type tx struct {
	*sql.Tx
	db  *DB
	at  time.Time
	now int64 // at, in Unix seconds
}

func (db *DB) newTx(t *sql.Tx) tx {
	at := db.now()
	return tx{Tx: t, db: db, at: at, now: at.Unix()}
}

// write runs fn in one immediate transaction: nobody else writes meanwhile, and
// the transaction's time is taken once that is certain. what names the action in
// errors, as in "touch hoster x".
func (db *DB) write(ctx context.Context, what string, fn func(tx) error) error {
	if db.readOnly != nil {
		return db.fail(ctx, what, db.readOnly)
	}
	err := func() error {
		t, err := db.beginWrite(ctx)
		if err != nil {
			return err
		}
		if err := fn(db.newTx(t)); err != nil {
			return errors.Join(err, rollback(t))
		}
		return t.Commit()
	}()
	return db.fail(ctx, what, err)
}

// beginWrite begins an immediate transaction. SQLite has no queue: who waits
// looks again ever more rarely, and a process that writes without a pause could
// keep it waiting for ever. So the wait is made of short ones.
func (db *DB) beginWrite(ctx context.Context) (t *sql.Tx, err error) {
	for range db.tries {
		if t, err = db.writes.BeginTx(ctx, nil); !isBusy(err) || ctx.Err() != nil {
			return t, err
		}
	}
	return nil, err
}

// read runs fn on one consistent snapshot.
func (db *DB) read(ctx context.Context, what string, fn func(tx) error) error {
	err := func() error {
		t, err := db.reads.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
		if err != nil {
			return err
		}
		return errors.Join(fn(db.newTx(t)), rollback(t))
	}()
	return db.fail(ctx, what, err)
}

// rollback ends t. That a cancelled context ended it already is no error.
func rollback(t *sql.Tx) error {
	if err := t.Rollback(); !errors.Is(err, sql.ErrTxDone) {
		return err
	}
	return nil
}

func (db *DB) fail(ctx context.Context, what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, classify(ctx, db.path, err))
}

// querier is what runs queries: a pool or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// queryRows calls scan for each row of a query.
func queryRows(ctx context.Context, q querier, scan func(*sql.Rows) error, query string, args ...any) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// The keys of the state table.
const (
	keySiteSuccess      = "site_success_at"
	keyCurrentInterface = "current_interface"
	keyInterfaceUse     = "interface_use" // how that came into use
	keyExpired          = "expired_at"
	keyCycle            = "cycle"    // number of the last cycle
	keyCycleAt          = "cycle_at" // its start
)

// stateTime gives the time stored under key, 0 where there is none.
func (db *DB) stateTime(ctx context.Context, q querier, key string) (int64, error) {
	var at int64
	found, err := db.oneRow(ctx, q, "state", key, []any{&at}, `SELECT value FROM state WHERE key = ?`, key)
	if !found {
		return 0, err
	}
	return at, nil
}

func (t tx) setState(ctx context.Context, key string, value any) error {
	_, err := t.ExecContext(ctx, `INSERT INTO state (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`, key, value)
	return err
}

// fromUnix is the time of a column, the zero time where it is not set.
func fromUnix(at int64) time.Time {
	if at == 0 {
		return time.Time{}
	}
	return time.Unix(at, 0).UTC()
}

// toUnix is the column of a time, 0 where it is not set.
func toUnix(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}
