package sourcecache_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"xship/sourcecache"
)

// childEnv makes the test binary act as another process of the program.
const childEnv = "SOURCECACHE_TEST_CHILD"

func TestMain(m *testing.M) {
	if job := os.Getenv(childEnv); job != "" {
		if err := child(job, os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// clock is a clock that moves when told.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func newClock() *clock { return &clock{t: time.Unix(1_700_000_000, 0).UTC()} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

// logged keeps the messages of loggers, several at once.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *logged) Len() int { return len(l.String()) }

func (l *logged) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	}))
}

// store is an open database with its clock and log.
type store struct {
	*sourcecache.DB
	path  string
	clock *clock
	log   *logged
}

// emptyDatabase is the file of a new database. To copy it takes a test a fraction of
// the time that making one takes.
var emptyDatabase = sync.OnceValues(func() (file []byte, err error) {
	dir, err := os.MkdirTemp("", "xship-test-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "xship.db")
	db, err := sourcecache.Open(context.Background(), sourcecache.Options{Path: path})
	if err != nil {
		return nil, err
	}
	if err := db.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// newFile is a new database that ends with the test.
func newFile(tb testing.TB) string {
	tb.Helper()
	file, err := emptyDatabase()
	if err != nil {
		tb.Fatal(err)
	}
	path := filepath.Join(tb.TempDir(), "xship.db")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

func newStore(tb testing.TB) *store {
	tb.Helper()
	s := &store{path: newFile(tb), clock: newClock(), log: &logged{}}
	s.DB = s.open(tb)
	return s
}

// open opens the store's file once more, as another process would.
func (s *store) open(tb testing.TB) *sourcecache.DB {
	tb.Helper()
	db, err := sourcecache.Open(tb.Context(), sourcecache.Options{Path: s.path, Now: s.clock.Now, Logger: s.log.logger()})
	if err != nil {
		tb.Fatalf("open: %v", err)
	}
	tb.Cleanup(func() {
		if err := db.Close(); err != nil {
			tb.Errorf("close: %v", err)
		}
	})
	return db
}

// exec runs SQL on the file, as sqlite3 would.
func (s *store) exec(tb testing.TB, query string, args ...any) {
	tb.Helper()
	execFile(tb, s.path, query, args...)
}

func execFile(tb testing.TB, path, query string, args ...any) {
	tb.Helper()
	raw, err := sql.Open("sqlite", path)
	if err != nil {
		tb.Fatal(err)
	}
	defer raw.Close()
	if _, err := raw.ExecContext(tb.Context(), query, args...); err != nil {
		tb.Fatalf("%s: %v", query, err)
	}
}

// query gives the first column of a query's rows, as text.
func (s *store) query(tb testing.TB, query string, args ...any) []string {
	tb.Helper()
	raw, err := sql.Open("sqlite", s.path)
	if err != nil {
		tb.Fatal(err)
	}
	defer raw.Close()
	rows, err := raw.QueryContext(tb.Context(), query, args...)
	if err != nil {
		tb.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var v string
		if err := rows.Scan(&v); err != nil {
			tb.Fatal(err)
		}
		all = append(all, v)
	}
	if err := rows.Err(); err != nil {
		tb.Fatal(err)
	}
	return all
}

// must fails the test where a call of the store fails.
func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func child(job string, args []string) error {
	ctx := context.Background()
	db, err := sourcecache.Open(ctx, sourcecache.Options{Path: args[0]})
	if err != nil {
		return err
	}
	switch job {
	case "touch":
		for i := range touches {
			if err := db.HosterTouch(ctx, hosterNumber(i), i%3 != 0); err != nil {
				return err
			}
		}
	case "work":
		if err := work(ctx, db, true, func() { fmt.Print(".") }); err != nil {
			return err
		}
	case "hold":
		if err := hold(ctx, db, func() { fmt.Print(".") }); err != nil {
			return err
		}
	case "open":
	default:
		return fmt.Errorf("unknown job %q", job)
	}
	return db.Close()
}
