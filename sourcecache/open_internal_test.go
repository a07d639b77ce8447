package sourcecache

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// longBusy is enough for tests in which nobody else holds the file.
const longBusy = time.Minute

func openSteps(t *testing.T, path string, busy time.Duration, steps ...string) (*DB, error) {
	t.Helper()
	return open(t.Context(), Options{Path: path}, steps, busy)
}

func mustOpenSteps(t *testing.T, path string, steps ...string) *DB {
	t.Helper()
	db, err := openSteps(t, path, longBusy, steps...)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func closeDB(t *testing.T, db *DB) {
	t.Helper()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func schemaVersion(t *testing.T, path string) (version int) {
	t.Helper()
	raw, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if err := raw.QueryRowContext(t.Context(), `PRAGMA user_version`).Scan(&version); err != nil {
		t.Fatal(err)
	}
	return version
}

func fileNames(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names
}

func TestMigrate_olderIsCopiedFirst(t *testing.T) {
	t.Parallel()
	first, err := embeddedMigrations()
	if err != nil {
		t.Fatal(err)
	}
	latest := append(slices.Clone(first),
		`ALTER TABLE hoster ADD COLUMN extra INTEGER NOT NULL DEFAULT 0`,
		`CREATE TABLE extra (id INTEGER PRIMARY KEY); INSERT INTO extra VALUES (7)`,
	)
	path := filepath.Join(t.TempDir(), "xship.db")
	db := mustOpenSteps(t, path, first...)
	if err := db.HosterTouch(t.Context(), "good.example", true); err != nil {
		t.Fatal(err)
	}
	closeDB(t, db)

	var told []string
	db, err = open(t.Context(), Options{Path: path, Progress: func(p Progress) {
		if p.Total <= 0 || p.Done > 0 && !p.Copying || p.Elapsed < 0 {
			t.Errorf("progress %+v", p)
		}
		told = append(told, fmt.Sprint(p.Version-len(first), p.Copying))
	}}, latest, longBusy)
	if err != nil {
		t.Fatal(err)
	}
	if told = slices.Compact(told); !slices.Equal(told, []string{"1 true", "1 false", "2 false"}) { // it says more where it takes long
		t.Errorf("it tells of %q", told)
	}
	if all, err := db.Hosters(t.Context()); err != nil || len(all) != 1 || all[0].OKCount != 1 {
		t.Errorf("hosters after the update: %v, %v", all, err)
	}
	closeDB(t, db)
	if v := schemaVersion(t, path); v != len(latest) {
		t.Errorf("version %d, want %d", v, len(latest))
	}
	copied := fmt.Sprintf("xship.db.bak-v%d", len(first))
	backup := filepath.Join(filepath.Dir(path), copied)
	if info, err := os.Stat(backup); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("copy: %v, %v", info, err)
	}
	if want := []string{"xship.db", copied}; !slices.Equal(fileNames(t, filepath.Dir(path)), want) {
		t.Errorf("files %v, want %v", fileNames(t, filepath.Dir(path)), want)
	}

	// The copy is a whole database of the old version: the old program, and
	// after another update the new one, work with it.
	db = mustOpenSteps(t, backup, first...)
	if all, err := db.Hosters(t.Context()); err != nil || len(all) != 1 || all[0].OKCount != 1 {
		t.Errorf("hosters in the copy: %v, %v", all, err)
	}
	closeDB(t, db)
}

// TestProgress has an update that takes a while.
func TestProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		copied := filepath.Join(t.TempDir(), "copy")
		var told []string
		p := newProgress(func(p Progress) { told = append(told, fmt.Sprint(p.Version, p.Copying, p.Done, p.Total, p.Elapsed)) }, func() int64 { return 7 })
		time.Sleep(1500 * time.Millisecond)
		p.begin(4, copied)
		if err := os.WriteFile(copied, []byte("abc"), 0o600); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		p.begin(4, "")
		time.Sleep(time.Second)
		p.end()
		time.Sleep(time.Minute)
		want := []string{"4 true 0 7 1.5s", "4 true 3 7 2s", "4 false 0 7 2.5s", "4 false 0 7 3s"}
		if !slices.Equal(told, want) {
			t.Errorf("told %q, want %q", told, want)
		}
	})
	newProgress(nil, nil).end()
}

// TestMigrate_fromFirstVersion brings a database of the first release up to
// date.
func TestMigrate_fromFirstVersion(t *testing.T) {
	t.Parallel()
	steps, err := embeddedMigrations()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "xship.db")
	old := mustOpenFirst(t, path, steps[0])
	at := time.Now().Add(-10 * time.Second).Unix()
	if _, err := old.writes.ExecContext(t.Context(), `
		INSERT INTO hoster (name, consecutive_fails, backoff_until, fail_count) VALUES ('bad', 2, ?1 + 10, 7), ('good', 0, 0, 0);
		INSERT INTO state VALUES ('last_success_at', ?1), ('current_interface', 'https://i.example');
		INSERT INTO title (id, interface_url, key, kind, name, scanned_at) VALUES (1, 'https://i.example', 'k', 'movie', 'Film', ?1);
		INSERT INTO site_answer VALUES (1, 'one', ?1);
		INSERT INTO sources (title_id, site, source_id, position, hoster, state, name, url) VALUES (1, 'one', 'aa', 0, 'good', 3, 'n', 'u');`, at); err != nil {
		t.Fatal(err)
	}
	closeDB(t, old)

	db := mustOpenSteps(t, path, steps...)
	defer closeDB(t, db)
	if success, err := db.LastSuccessAt(t.Context()); err != nil || success.Unix() != at {
		t.Errorf("last success %v, %v; want it kept", success, err)
	}
	if err := db.HosterTouch(t.Context(), "bad", false); err != nil {
		t.Fatal(err)
	}
	all, err := db.Hosters(t.Context())
	if err != nil || len(all) != 2 || all[0].ConsecutiveFails != 3 || all[0].FailCount != 8 {
		t.Errorf("hosters %+v, %v; want the third fail of bad counted", all, err)
	}
	if url, err := db.CurrentInterface(t.Context()); err != nil || url != "https://i.example" {
		t.Errorf("interface in use %q, %v", url, err)
	}
	var state, queue int
	if err := db.reads.QueryRowContext(t.Context(), `SELECT state, queue FROM sources`).Scan(&state, &queue); err != nil || state != 3 || queue != 0 {
		t.Errorf("source in state %d, queue %d, %v", state, queue, err)
	}
	if v := schemaVersion(t, path+".bak-v1"); v != 1 {
		t.Errorf("copy of version %d, want 1", v)
	}
}

// TestMigrate_fromSecondVersion brings a database of the second release up to
// date, in the middle of a cycle.
func TestMigrate_fromSecondVersion(t *testing.T) {
	t.Parallel()
	steps, err := embeddedMigrations()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "xship.db")
	old := mustOpenSteps(t, path, steps[:2]...)
	now := time.Now().Unix()
	if _, err := old.writes.ExecContext(t.Context(), `
		INSERT INTO hoster (name, consecutive_fails, backoff_until, lease_until) VALUES ('bad', 1, ?1, ?1 + 30), ('good', 0, 0, 0);
		INSERT INTO config_cache (url, body, final_url, fetched_at) VALUES ('https://i.example', '{}', 'https://f.example', ?1);
		INSERT INTO title (id, interface_url, key, kind, name, scanned_at, wanted_at, ranked_at) VALUES (1, 'https://i.example', 'k', 'movie', 'Film', ?1, 5, 5);
		INSERT INTO site_answer VALUES (1, 'one', ?1);
		INSERT INTO sources (title_id, site, source_id, position, hoster, name, url, queue, rank) VALUES (1, 'one', 'aa', 0, 'good', 'n', 'u', 1, 1), (1, 'one', 'bb', 1, 'good', 'n', 'v', 3, 2);`, now); err != nil {
		t.Fatal(err)
	}
	closeDB(t, old)

	db := mustOpenSteps(t, path, steps...)
	defer closeDB(t, db)
	if c, err := db.CachedConfig(t.Context(), "https://i.example"); err != nil || c == nil || c.FinalURL != "https://f.example" || c.ETag != "" {
		t.Errorf("config %+v, %v", c, err)
	}
	if available, err := db.HosterAvailable(t.Context(), "bad", 0); err != nil || available {
		t.Errorf("available %t, %v; want the lease of before kept", available, err)
	}
	if jobs, err := db.ResolveQueue(t.Context(), 0, 9, 9); err != nil || len(jobs) != 1 {
		t.Errorf("jobs %+v, %v; want the one that waited", jobs, err)
	}
	if _, err := db.BeginCycle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if jobs, err := db.ResolveQueue(t.Context(), 0, 9, 9); err != nil || len(jobs) != 2 {
		t.Errorf("jobs %+v, %v; want both in the next cycle", jobs, err)
	}
	if v := schemaVersion(t, path+".bak-v2"); v != 2 {
		t.Errorf("copy of version %d, want 2", v)
	}
}

// mustOpenFirst makes a database of the first version. The methods of DB are
// for the latest one.
func mustOpenFirst(t *testing.T, path, step string) *DB {
	t.Helper()
	db := mustOpenSteps(t, path, step)
	if v := schemaVersion(t, path); v != 1 {
		t.Fatalf("version %d, want 1", v)
	}
	return db
}

func TestMigrate_newFileHasNoCopy(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "xship.db")
	closeDB(t, mustOpenSteps(t, path, `CREATE TABLE a (x)`, `CREATE TABLE b (x)`))
	if got := fileNames(t, filepath.Dir(path)); len(got) != 1 {
		t.Errorf("files %v, want the database alone", got)
	}
}

func TestMigrate_failingStepChangesNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "xship.db")
	closeDB(t, mustOpenSteps(t, path, `CREATE TABLE a (x)`))
	db, err := openSteps(t, path, longBusy, `CREATE TABLE a (x)`, `CREATE TABLE b (x)`, `CREATE TABLE c (x); CREATE TABLE a (x)`)
	if err == nil {
		t.Fatal("it opened", db.Close())
	}
	if !strings.Contains(err.Error(), "to version 3") {
		t.Errorf("%v does not name the step", err)
	}
	if v := schemaVersion(t, path); v != 2 {
		t.Errorf("version %d, want that of the last step that worked, 2", v)
	}
	raw, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	var n int
	if err := raw.QueryRowContext(t.Context(), `SELECT count(*) FROM sqlite_schema WHERE name = 'c'`).Scan(&n); err != nil || n != 0 {
		t.Errorf("%d tables of the failed step, %v", n, err)
	}
}

func TestMigrate_copyThatCannotBeMade(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "xship.db")
	closeDB(t, mustOpenSteps(t, path, `CREATE TABLE a (x)`))
	if err := os.MkdirAll(path+".bak-v1/full", 0o700); err != nil {
		t.Fatal(err)
	}
	db, err := openSteps(t, path, longBusy, `CREATE TABLE a (x)`, `CREATE TABLE b (x)`)
	if err == nil {
		t.Fatal("it opened", db.Close())
	}
	if v := schemaVersion(t, path); v != 1 {
		t.Errorf("version %d without a copy, want 1", v)
	}
	if _, err := os.Stat(path + ".bak-v1.partial"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("unfinished copy: %v", err)
	}
}

func TestOpen_locked(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "xship.db")
	closeDB(t, mustOpenSteps(t, path, `CREATE TABLE a (x)`))
	raw, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	raw.SetMaxOpenConns(1)
	if _, err := raw.ExecContext(t.Context(), `PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; INSERT INTO a VALUES (1)`); err != nil {
		t.Fatal(err)
	}

	db, err := openSteps(t, path, time.Millisecond, `CREATE TABLE a (x)`, `CREATE TABLE b (x)`)
	if err == nil {
		t.Fatal("it opened", db.Close())
	}
	var known *OpenError
	if !errors.As(err, &known) || known.Kind != KindLocked || !strings.Contains(err.Error(), "another process") {
		t.Errorf("%v, want an OpenError of kind %s", err, KindLocked)
	}
}

func TestDB_lockedWhileWriting(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "xship.db")
	steps, err := embeddedMigrations()
	if err != nil {
		t.Fatal(err)
	}
	holder := mustOpenSteps(t, path, steps...)
	defer closeDB(t, holder)
	db, err := openSteps(t, path, time.Millisecond, steps...)
	if err != nil {
		t.Fatal(err)
	}
	defer closeDB(t, db)

	err = holder.write(t.Context(), "hold", func(tx) error {
		touched := db.HosterTouch(t.Context(), "good.example", true)
		var known *OpenError
		if !errors.As(touched, &known) || known.Kind != KindLocked {
			t.Errorf("%v, want an OpenError of kind %s", touched, KindLocked)
		}
		if healthy, err := db.HosterHealthy(t.Context(), "good.example"); err != nil || !healthy {
			t.Errorf("a reader had to wait: %t, %v", healthy, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestDB_readsCannotWrite(t *testing.T) {
	t.Parallel()
	db := mustOpenSteps(t, filepath.Join(t.TempDir(), "xship.db"), `CREATE TABLE a (x)`)
	defer closeDB(t, db)
	if _, err := db.reads.ExecContext(t.Context(), `INSERT INTO a VALUES (1)`); err == nil {
		t.Error("the pool for reading wrote a row")
	}
}

func TestDB_failedWriteIsRolledBack(t *testing.T) {
	t.Parallel()
	db := mustOpenSteps(t, filepath.Join(t.TempDir(), "xship.db"), `CREATE TABLE a (x)`)
	defer closeDB(t, db)
	stop := errors.New("stop")
	ctx, cancel := context.WithCancel(t.Context())
	for _, fail := range []func() error{
		func() error { return stop },
		func() error { cancel(); return ctx.Err() },
	} {
		err := db.write(ctx, "try", func(t tx) error {
			if _, err := t.ExecContext(ctx, `INSERT INTO a VALUES (1)`); err != nil {
				return err
			}
			return fail()
		})
		if !errors.Is(err, stop) && !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), "try: ") {
			t.Errorf("unexpected error %v", err)
		}
	}
	var n int
	if err := db.reads.QueryRowContext(t.Context(), `SELECT count(*) FROM a`).Scan(&n); err != nil || n != 0 {
		t.Errorf("%d rows left, %v", n, err)
	}
}
