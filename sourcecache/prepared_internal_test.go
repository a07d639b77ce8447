package sourcecache

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"modernc.org/sqlite"
)

// counting counts what its connections prepare, by text, and what they were left with
// when they were closed.
type counting struct {
	driver.Connector
	mu       sync.Mutex
	prepared map[string]int
	open     int
}

func (c *counting) Connect(ctx context.Context) (driver.Conn, error) {
	opened, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &countingConn{conn: opened.(conn), counts: c}, nil
}

func (c *counting) count(query string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n > 0 {
		c.prepared[query]++
	}
	c.open += n
}

type countingConn struct {
	conn
	counts *counting
}

func (c *countingConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	made, err := c.conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	c.counts.count(query, 1)
	return &countedStmt{preparedStmt: made.(preparedStmt), closed: func() { c.counts.count(query, -1) }}, nil
}

type countedStmt struct {
	preparedStmt
	closed func()
}

func (s *countedStmt) Close() error {
	s.closed()
	return s.preparedStmt.Close()
}

// openCounting gives a pool of one connection to a database with a table n (i).
func openCounting(t *testing.T) (*sql.DB, *counting, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "some.db")
	if err := createFile(path); err != nil {
		t.Fatal(err)
	}
	connector, err := sqlite.NewConnector(dsn(path, busyTimeout, "rw"))
	if err != nil {
		t.Fatal(err)
	}
	counts := &counting{Connector: connector, prepared: make(map[string]int)}
	pool := sql.OpenDB(preparing{counts})
	pool.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = pool.Close() })
	execAll(t, pool, `CREATE TABLE n (i INTEGER)`)
	return pool, counts, path
}

func execAll(t *testing.T, q interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}, statements ...string,
) {
	t.Helper()
	for _, s := range statements {
		if _, err := q.ExecContext(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
}

func numbers(t *testing.T, q querier, query string, args ...any) (all []int) {
	t.Helper()
	err := queryRows(t.Context(), q, func(rows *sql.Rows) error {
		var i int
		err := rows.Scan(&i)
		all = append(all, i)
		return err
	}, query, args...)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

const (
	addNumber   = `INSERT INTO n (i) VALUES (?)`
	listNumbers = `SELECT i FROM n ORDER BY i`
)

// A statement is prepared once for a connection, in a transaction or not, and closed
// with it.
func TestPreparedConn_once(t *testing.T) {
	t.Parallel()
	pool, counts, _ := openCounting(t)
	for i := range 3 {
		tx, err := pool.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.ExecContext(t.Context(), addNumber, i); err != nil {
			t.Fatal(err)
		}
		numbers(t, tx, listNumbers)
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		numbers(t, pool, listNumbers)
	}
	if diff := cmp.Diff([]int{0, 1, 2}, numbers(t, pool, listNumbers)); diff != "" {
		t.Errorf("numbers (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{addNumber: 1, listNumbers: 1}, counts.prepared); diff != "" {
		t.Errorf("prepared (-want +got):\n%s", diff)
	}
	if err := pool.Close(); err != nil || counts.open != 0 {
		t.Errorf("closed: %v, with %d statements left open", err, counts.open)
	}
}

// While the rows of a statement are read the same text can be run again.
func TestPreparedConn_nested(t *testing.T) {
	t.Parallel()
	pool, _, _ := openCounting(t)
	execAll(t, pool, `INSERT INTO n VALUES (1), (2), (3)`)
	tx, err := pool.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	for range 2 {
		n := 0
		err = queryRows(t.Context(), tx, func(*sql.Rows) error {
			n++
			if diff := cmp.Diff([]int{1, 2, 3}, numbers(t, tx, listNumbers)); diff != "" {
				t.Errorf("inside (-want +got):\n%s", diff)
			}
			return nil
		}, listNumbers)
		if err != nil || n != 3 {
			t.Errorf("%d rows outside, %v", n, err)
		}
	}
}

// What ends early leaves a statement that can be used again: an error of SQLite, rows
// that are not read to their end, a context that ends, and a text that is wrong.
func TestPreparedConn_ends(t *testing.T) {
	t.Parallel()
	pool, _, _ := openCounting(t)
	execAll(t, pool, `CREATE UNIQUE INDEX one ON n (i)`, `INSERT INTO n VALUES (1), (2), (3)`)
	for range 2 {
		if _, err := pool.ExecContext(t.Context(), addNumber, 1); err == nil || !strings.Contains(err.Error(), "UNIQUE") {
			t.Errorf("a number twice: %v", err)
		}
		var first int
		if err := pool.QueryRowContext(t.Context(), listNumbers).Scan(&first); err != nil || first != 1 {
			t.Errorf("the first is %d, %v", first, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		rows, err := pool.QueryContext(ctx, listNumbers)
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		for rows.Next() {
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil && !errors.Is(err, context.Canceled) { //nolint:sqlclosecheck // each time round
			t.Error(err)
		}
		if _, err := pool.ExecContext(ctx, addNumber, 4); !errors.Is(err, context.Canceled) {
			t.Errorf("with a context that has ended: %v", err)
		}
		if _, err := pool.QueryContext(t.Context(), `SELECT i FROM none`); err == nil || !strings.Contains(err.Error(), "no such table") { //nolint:rowserrcheck,sqlclosecheck // there are none
			t.Errorf("a table that is not there: %v", err)
		}
		if diff := cmp.Diff([]int{1, 2, 3}, numbers(t, pool, listNumbers)); diff != "" {
			t.Errorf("numbers (-want +got):\n%s", diff)
		}
	}
}

// Another connection may change the schema, as a newer version of the program does.
func TestPreparedConn_schemaChanges(t *testing.T) {
	t.Parallel()
	pool, _, path := openCounting(t)
	numbers(t, pool, listNumbers)
	if _, err := pool.ExecContext(t.Context(), addNumber, 2); err != nil {
		t.Fatal(err)
	}
	other, err := openPool(dsn(path, busyTimeout, "rw"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close() })
	execAll(t, other, `ALTER TABLE n ADD COLUMN more TEXT`, `CREATE INDEX of_n ON n (i)`)
	if _, err := pool.ExecContext(t.Context(), addNumber, 1); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{1, 2}, numbers(t, pool, listNumbers)); diff != "" {
		t.Errorf("numbers (-want +got):\n%s", diff)
	}
}

// Neither are PRAGMAs kept, which may take effect when they are prepared, nor more
// statements than the bound.
func TestPreparedConn_keeps(t *testing.T) {
	t.Parallel()
	pool, counts, _ := openCounting(t)
	for range 2 {
		execAll(t, pool, `PRAGMA synchronous = OFF`, `CREATE TABLE IF NOT EXISTS m (i)`)
	}
	if len(counts.prepared) > 0 {
		t.Errorf("kept %v", counts.prepared)
	}
	for i := range maxPrepared + 10 {
		for range 2 {
			if diff := cmp.Diff([]int{i}, numbers(t, pool, fmt.Sprintf(`SELECT %d`, i))); diff != "" {
				t.Fatalf("number (-want +got):\n%s", diff)
			}
		}
	}
	if len(counts.prepared) != maxPrepared || counts.open != maxPrepared {
		t.Errorf("kept %d, %d of them open, want %d", len(counts.prepared), counts.open, maxPrepared)
	}
}
