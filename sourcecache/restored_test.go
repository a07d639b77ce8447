package sourcecache_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/sourcecache"
	"xship/sources"
)

// restoredOld makes a database of each version of the schema as sqlite3 restores it from
// a dump: without that version.
func restoredOld(t *testing.T, version int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "xship.db")
	for i := range version {
		step, err := os.ReadFile(filepath.Join("migrations", "000"+strconv.Itoa(i+1)+".sql"))
		must(t, err)
		execFile(t, path, string(step))
	}
	execFile(t, path, `INSERT INTO hoster (name, ok_count) VALUES ('kept.example', 7)`)
	return path
}

// TestOpen_restored opens what was restored from a dump, of each version, also where
// somebody put a table of their own beside.
func TestOpen_restored(t *testing.T) {
	t.Parallel()
	steps, err := filepath.Glob(filepath.Join("migrations", "*.sql"))
	must(t, err)
	for version := 1; version <= len(steps); version++ {
		t.Run(strconv.Itoa(version), func(t *testing.T) {
			t.Parallel()
			s := &store{path: restoredOld(t, version), clock: newClock(), log: &logged{}}
			s.exec(t, `CREATE TABLE notes (text TEXT); CREATE VIEW busy AS SELECT name FROM hoster`)
			s.DB = s.open(t)
			hosters, err := s.Hosters(t.Context())
			must(t, err)
			if len(hosters) != 1 || hosters[0].OKCount != 7 {
				t.Errorf("hosters %+v", hosters)
			}
			in, err := s.Inspect(t.Context())
			must(t, err)
			if in.Version != len(steps) || !strings.Contains(s.log.String(), "restored without its version") {
				t.Errorf("version %d; it says %s", in.Version, s.log)
			}
			_, err = os.Stat(s.path + ".bak-v" + strconv.Itoa(version))
			if (err == nil) != (version < len(steps)) {
				t.Errorf("the copy before the update: %v", err)
			}
		})
	}
}

// TestOpen_restoredRows keeps each row of a dump.
func TestOpen_restoredRows(t *testing.T) {
	t.Parallel()
	path := updatedDatabase(t)
	want := allRows(t, path)
	execFile(t, path, `PRAGMA user_version = 0`)
	db, err := sourcecache.Open(t.Context(), sourcecache.Options{Path: path})
	must(t, err)
	must(t, db.Close())
	if diff := cmp.Diff(want, allRows(t, path)); diff != "" {
		t.Errorf("rows (-dumped +opened):\n%s", diff)
	}
}

// TestOpen_notOurs refuses what is not ours, or not whole, with the reason.
func TestOpen_notOurs(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ sql, want string }{
		"a negative version":      {`PRAGMA user_version = -5`, "version -5"},
		"the least version":       {`PRAGMA user_version = -2147483648`, "version -2147483648"},
		"the greatest version":    {`PRAGMA user_version = 2147483647`, "version 2147483647"},
		"a table was left out":    {`PRAGMA user_version = 0; DROP TABLE watch`, "it lacks watch"},
		"a column was left out":   {`PRAGMA user_version = 0; ALTER TABLE hoster DROP COLUMN ok_count`, "it lacks hoster"},
		"one table of ours":       {`PRAGMA user_version = 0; PRAGMA foreign_keys = 0; ` + dropAllBut("hoster"), "it lacks account_state, call_budget, config"},
		"tables of the same name": {`CREATE TABLE z (a); PRAGMA foreign_keys = 0; PRAGMA user_version = 0; ` + dropAllBut("") + `CREATE TABLE config (key TEXT, val TEXT)`, "another program"},
		"a table is not there":    {`DROP TABLE watch`, "no such table: watch"},
		"a version and no table":  {`PRAGMA foreign_keys = 0; ` + dropAllBut(""), "no such table"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newFile(t)
			execFile(t, path, tt.sql)
			db, err := sourcecache.Open(t.Context(), sourcecache.Options{Path: path, Readable: true})
			if err == nil {
				t.Fatal("it opened", db.Close())
			}
			if failed, ok := errors.AsType[*sourcecache.OpenError](err); !ok || failed.Kind != sourcecache.KindOther && failed.Kind != sourcecache.KindNewer || failed.Hint == "" {
				t.Errorf("%T %v, want an OpenError", err, err)
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

func dropAllBut(kept string) string {
	var b strings.Builder
	for _, table := range []string{
		"sources", "site_answer", "title", "hoster", "site_health", "config", "config_cache", "state", "guard", "watch", "stream", "empty_scan",
		"cooldown", "account_state", "provider_hoster", "unlocked_stream", "provider_hosters", "call_budget", "refused_link", "link", "hoster_event",
		"index_root", "index_folder", "index_file", "index_key", "answer", "told", "cycle", "hoster_hour", "account_plan",
	} {
		if table != kept {
			b.WriteString("DROP TABLE " + table + "; ")
		}
	}
	return b.String()
}

// TestOpen_readable opens for reading what cannot be written: it is read, nothing of it
// or beside it changes, and what would write says why it does not.
func TestOpen_readable(t *testing.T) {
	t.Parallel()
	marks := map[string]func(t *testing.T, path string){
		"file":      func(t *testing.T, path string) { must(t, os.Chmod(path, 0o400)) },
		"directory": func(t *testing.T, path string) { must(t, os.Chmod(filepath.Dir(path), 0o500)) },
	}
	for name, mark := range marks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "data")
			must(t, os.Mkdir(dir, 0o700))
			path := filepath.Join(dir, "xship.db")
			file, err := os.ReadFile(updatedDatabase(t))
			must(t, err)
			must(t, os.WriteFile(path, file, 0o600))
			k := knownOf(t, path)
			must(t, os.WriteFile(path, file, 0o600)) // what a reader changed of it
			mark(t, path)
			t.Cleanup(func() { must(t, os.Chmod(dir, 0o700)) })
			before := contents(t, dir)
			log := &logged{}
			db, err := sourcecache.Open(t.Context(), sourcecache.Options{Path: path, Now: func() time.Time { return oldTime }, Logger: log.logger(), Readable: true})
			must(t, err)
			if reason, ok := errors.AsType[*sourcecache.OpenError](db.ReadOnly()); !ok || reason.Kind != sourcecache.KindReadOnly {
				t.Errorf("it can be written: %v", db.ReadOnly())
			}
			list, err := db.Watchlist(t.Context())
			must(t, err)
			hosters, err := db.Hosters(t.Context())
			must(t, err)
			if len(list) == 0 || len(hosters) == 0 || len(k.titles) == 0 {
				t.Errorf("%d watched, %d hosters", len(list), len(hosters))
			}
			_, err = db.HosterEvents(t.Context(), hosters[0].Name)
			must(t, err)
			_, retests := db.DueRetests(t.Context(), nil, nil, 9)
			for what, err := range map[string]error{
				"retests": retests,
				"touch":   db.HosterTouch(t.Context(), "good.example", true),
				"save":    db.SaveScan(t.Context(), "a", k.titles[0], sources.StoredScan{}),
			} {
				if reason, ok := errors.AsType[*sourcecache.OpenError](err); !ok || reason.Kind != sourcecache.KindReadOnly {
					t.Errorf("%s: %v", what, err)
				}
			}
			must(t, db.Close())
			if after := contents(t, dir); after != before {
				t.Errorf("the directory changed:\n%s\nbefore:\n%s", after, before)
			}
		})
	}
	t.Run("of an older version", func(t *testing.T) {
		t.Parallel()
		path := restoredOld(t, 2)
		execFile(t, path, `PRAGMA user_version = 2`)
		must(t, os.Chmod(path, 0o400))
		db, err := sourcecache.Open(t.Context(), sourcecache.Options{Path: path, Readable: true})
		if err == nil {
			t.Fatal("it opened", db.Close())
		}
		if reason, ok := errors.AsType[*sourcecache.OpenError](err); !ok || reason.Kind != sourcecache.KindReadOnly {
			t.Errorf("%v", err)
		}
	})
}
