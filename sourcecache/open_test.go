package sourcecache_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"xship/sourcecache"
)

func TestOpen_newFile(t *testing.T) {
	t.Parallel()
	names := []string{
		"xship.db", "with space.db", "what?.db", "a#b.db", "100%.db", "%41.db", "ü片.db", "file:x.db", "a&mode=memory.db", "new/dirs/xship.db", `quote'".db`,
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS == "windows" && strings.ContainsAny(name, `?:"`) {
				t.Skip("not a file name on Windows")
			}
			path := filepath.Join(t.TempDir(), filepath.FromSlash(name))
			for range 2 {
				db, err := sourcecache.Open(t.Context(), sourcecache.Options{Path: path})
				must(t, err)
				must(t, db.HosterTouch(t.Context(), "good.example", true))
				for _, suffix := range []string{"", "-wal", "-shm"} {
					checkMode(t, path+suffix, 0o600)
				}
				must(t, db.Close())
			}
			left, err := os.ReadDir(filepath.Dir(path))
			if err != nil || len(left) != 1 {
				t.Errorf("files left: %v, %v", left, err)
			}
			if strings.Contains(name, "/") {
				checkMode(t, filepath.Dir(path), 0o700)
			}
		})
	}
}

func checkMode(t *testing.T, name string, want fs.FileMode) {
	t.Helper()
	info, err := os.Stat(name)
	if err != nil {
		t.Error(err)
		return
	}
	if got := info.Mode().Perm(); got != want && runtime.GOOS != "windows" {
		t.Errorf("%s has mode %v, want %v", filepath.Base(name), got, want)
	}
}

func TestOpen_relativePath(t *testing.T) {
	t.Chdir(t.TempDir())
	db, err := sourcecache.Open(t.Context(), sourcecache.Options{Path: "xship.db"})
	must(t, err)
	must(t, db.HosterTouch(t.Context(), "good.example", true))
	must(t, db.Close())
	if _, err := os.Stat("xship.db"); err != nil {
		t.Error(err)
	}
}

func TestOpen_takesAwayForeignAccess(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "xship.db")
	must(t, os.WriteFile(path, nil, 0o644))
	db, err := sourcecache.Open(t.Context(), sourcecache.Options{Path: path})
	must(t, err)
	must(t, db.Close())
	checkMode(t, path, 0o600)
}

// TestOpen_unusable opens files that cannot be used: the error says why, and
// nothing in the directory changes.
func TestOpen_unusable(t *testing.T) {
	t.Parallel()
	valid := validFile(t)
	tests := []struct {
		name string
		make func(t *testing.T, path string)
		kind sourcecache.ErrorKind
		want string
	}{
		{
			"text", func(t *testing.T, path string) { must(t, os.WriteFile(path, []byte("hello\n"), 0o600)) },
			sourcecache.KindDamaged, "not a database",
		},
		{
			"noise", func(t *testing.T, path string) {
				must(t, os.WriteFile(path, bytes.Repeat([]byte("noise"), 9999), 0o600))
			},
			sourcecache.KindDamaged, "not a database",
		},
		{
			"cut short", func(t *testing.T, path string) { must(t, os.WriteFile(path, valid[:len(valid)/2], 0o600)) },
			sourcecache.KindDamaged, "malformed",
		},
		{
			"cut within the header", func(t *testing.T, path string) { must(t, os.WriteFile(path, valid[:50], 0o600)) },
			sourcecache.KindDamaged, "database",
		},
		{
			"broken schema page", func(t *testing.T, path string) {
				must(t, os.WriteFile(path, slices.Concat(valid[:100], bytes.Repeat([]byte{0xa5}, 3996), valid[4096:]), 0o600))
			},
			sourcecache.KindDamaged, "malformed",
		},
		{
			"broken tables", func(t *testing.T, path string) {
				must(t, os.WriteFile(path, slices.Concat(valid[:4096], bytes.Repeat([]byte{0xa5}, len(valid)-4096)), 0o600))
			},
			sourcecache.KindDamaged, "malformed",
		},
		{
			"newer", func(t *testing.T, path string) {
				must(t, os.WriteFile(path, valid, 0o600))
				execFile(t, path, `PRAGMA user_version = 99`)
			},
			sourcecache.KindNewer, "version 99",
		},
		{
			"newer, otherwise empty", func(t *testing.T, path string) { execFile(t, path, `PRAGMA user_version = 99`) },
			sourcecache.KindNewer, "version 99",
		},
		{
			"another program's", func(t *testing.T, path string) { execFile(t, path, `CREATE TABLE bookmarks (url TEXT)`) },
			sourcecache.KindOther, "another program",
		},
		{
			"directory", func(t *testing.T, path string) { must(t, os.Mkdir(path, 0o700)) },
			sourcecache.KindOther, "is a directory",
		},
		{
			"dangling link", func(t *testing.T, path string) { must(t, os.Symlink(path+".gone", path)) },
			sourcecache.KindOther, "unable to open",
		},
		{
			"marked read-only", func(t *testing.T, path string) { must(t, os.WriteFile(path, valid, 0o400)) },
			sourcecache.KindReadOnly, "read-only",
		},
		{
			"in a directory marked read-only", func(t *testing.T, path string) {
				if runtime.GOOS == "windows" {
					t.Skip("the mark means something else on Windows")
				}
				must(t, os.WriteFile(path, valid, 0o600))
				must(t, os.Chmod(filepath.Dir(path), 0o500))
				t.Cleanup(func() { must(t, os.Chmod(filepath.Dir(path), 0o700)) })
			},
			sourcecache.KindReadOnly, "read-only",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "data", "xship.db")
			must(t, os.Mkdir(filepath.Dir(path), 0o700))
			tt.make(t, path)
			before := contents(t, filepath.Dir(path))

			db, err := sourcecache.Open(t.Context(), sourcecache.Options{Path: path})
			if err == nil {
				t.Fatal("it opened", db.Close())
			}
			var known *sourcecache.OpenError
			if !errors.As(err, &known) {
				t.Fatalf("%T %v, want an OpenError", err, err)
			}
			if known.Kind != tt.kind || known.Path != path || known.Hint == "" {
				t.Errorf("kind %s, path %s, hint %q; want kind %s, path %s", known.Kind, known.Path, known.Hint, tt.kind, path)
			}
			for _, part := range []string{path, tt.want, known.Hint} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q lacks %q", err, part)
				}
			}
			if after := contents(t, filepath.Dir(path)); after != before {
				t.Errorf("the directory changed:\n%s\nbefore:\n%s", after, before)
			}
		})
	}
}

// validFile gives the bytes of a database with rows in it.
func validFile(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "xship.db")
	db, err := sourcecache.Open(t.Context(), sourcecache.Options{Path: path})
	must(t, err)
	for i := range hosters {
		must(t, db.HosterTouch(t.Context(), hosterNumber(i), true))
	}
	must(t, db.Close())
	return readFile(t, path)
}

// contents lists the files of a directory, with a digest of their bytes.
func contents(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	must(t, filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %v", name, info.Mode())
		if info.Mode().IsRegular() {
			fmt.Fprintf(&b, " %d %x", info.Size(), sha256.Sum256(readFile(t, name)))
		}
		b.WriteByte('\n')
		return nil
	}))
	return b.String()
}

func TestOpen_cancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	db, err := sourcecache.Open(ctx, sourcecache.Options{Path: filepath.Join(t.TempDir(), "xship.db")})
	if err == nil {
		t.Fatal("it opened", db.Close())
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
}

func TestDB_damageMetLater(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	s.exec(t, `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
		INSERT INTO hoster (name, consecutive_fails) SELECT printf('%0200d.example', i), 1 FROM n`)
	must(t, s.Close())
	whole := readFile(t, s.path)
	must(t, os.WriteFile(s.path, slices.Concat(whole[:len(whole)-8192], bytes.Repeat([]byte{0xa5}, 8192)), 0o600))

	db := s.open(t)
	_, err := db.HosterSnapshot(t.Context())
	var known *sourcecache.OpenError
	if !errors.As(err, &known) || known.Kind != sourcecache.KindDamaged {
		t.Errorf("%v, want an OpenError of kind %s", err, sourcecache.KindDamaged)
	}
}

func TestOpen_documentedSchema(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	s.exec(t, `INSERT INTO hoster (name) VALUES ('new.example')`)
	for table, want := range map[string]string{
		"hoster": "name TEXT, consecutive_fails INTEGER, backoff_until INTEGER, ok_count INTEGER, fail_count INTEGER, last_success_at INTEGER, last_fail_at INTEGER, last_error TEXT, lease_until INTEGER, good_link TEXT, fail_run INTEGER, undo_fails INTEGER, undo_until INTEGER, lease_token TEXT, last_try_at INTEGER, retests INTEGER, doubt_run INTEGER, awaits INTEGER, awaits_since INTEGER",
		"config": "id INTEGER, type INTEGER, time INTEGER, url TEXT, name TEXT, last_loaded_at INTEGER, last_error TEXT",
	} {
		got := strings.Join(s.query(t, `SELECT name || ' ' || type FROM pragma_table_info(?)`, table), ", ")
		if got != want {
			t.Errorf("table %s has %s, want %s", table, got, want)
		}
	}
	if got := s.query(t, `PRAGMA journal_mode`); got[0] != "wal" {
		t.Errorf("journal mode %s, want wal", got[0])
	}
}

// TestOpenExisting looks into databases as they are found: what is there is read, and
// nothing in the directory changes.
func TestOpenExisting(t *testing.T) {
	t.Parallel()
	good := func(t *testing.T, path string) {
		t.Helper()
		db, err := sourcecache.Open(t.Context(), sourcecache.Options{Path: path})
		must(t, err)
		must(t, db.HosterTouch(t.Context(), "good.example", true))
		must(t, db.Close())
	}
	for name, c := range map[string]struct {
		prepare func(t *testing.T, path string)
		works   bool
	}{
		"missing": {func(*testing.T, string) {}, false},
		"empty":   {func(t *testing.T, path string) { must(t, os.WriteFile(path, nil, 0o600)) }, false},
		"no database": {func(t *testing.T, path string) {
			must(t, os.WriteFile(path, []byte(strings.Repeat("words ", 1000)), 0o600))
		}, false},
		"a directory": {func(t *testing.T, path string) { must(t, os.Mkdir(path, 0o700)) }, false},
		"newer":       {func(t *testing.T, path string) { good(t, path); execFile(t, path, `PRAGMA user_version = 9999`) }, false},
		"older":       {func(t *testing.T, path string) { good(t, path); execFile(t, path, `PRAGMA user_version = 1`) }, false},
		"good":        {good, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "xship.db")
			c.prepare(t, path)
			before := contents(t, dir)
			db, err := sourcecache.OpenExisting(t.Context(), sourcecache.Options{Path: path})
			if _, known := errors.AsType[*sourcecache.OpenError](err); c.works != (err == nil) || err != nil && !known {
				t.Fatalf("error %v", err)
			}
			if c.works {
				all, err := db.Hosters(t.Context())
				if err != nil || len(all) != 1 {
					t.Errorf("hosters %v, %v", all, err)
				}
				if err := db.HosterTouch(t.Context(), "good.example", false); err == nil {
					t.Error("it was written")
				}
				must(t, db.Close())
			}
			if after := contents(t, dir); before != after {
				t.Errorf("the directory was\n%s\nand is\n%s", before, after)
			}
		})
	}
}

// TestOpenExisting_beside looks into a database that somebody else has open.
func TestOpenExisting_beside(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "xship.db")
	db, err := sourcecache.Open(t.Context(), sourcecache.Options{Path: path})
	must(t, err)
	defer func() { must(t, db.Close()) }()
	must(t, db.HosterTouch(t.Context(), "good.example", true))
	beside, err := sourcecache.OpenExisting(t.Context(), sourcecache.Options{Path: path})
	must(t, err)
	defer func() { must(t, beside.Close()) }()
	if all, err := beside.Hosters(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("hosters %v, %v", all, err)
	}
}
