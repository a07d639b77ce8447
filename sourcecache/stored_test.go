package sourcecache_test

import (
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/sourcecache"
	"xship/sources"
	"xship/sources/link"
)

// oldDatabase makes the database that testdata/v4.sql is a dump of.
func oldDatabase(t *testing.T) string {
	t.Helper()
	dump, err := os.ReadFile(filepath.Join("testdata", "v4.sql"))
	must(t, err)
	path := filepath.Join(t.TempDir(), "xship.db")
	execFile(t, path, string(dump))
	return path
}

// updatedDatabase is oldDatabase brought up to date, with a row of each later table.
func updatedDatabase(t *testing.T) string {
	t.Helper()
	path := oldDatabase(t)
	db, err := sourcecache.Open(t.Context(), sourcecache.Options{Path: path, Now: func() time.Time { return oldTime }})
	must(t, err)
	_, _, err = db.CallBudgets().Spend(t.Context(), oldBudget, sources.CallLimit{Calls: 2, Per: time.Hour}, time.Minute)
	must(t, err)
	_, err = db.Cooldowns().Refused(t.Context(), sources.CooldownKey{User: 1, Provider: "real_debrid"}, sources.Refusal{Link: "a", Answer: "b"})
	must(t, err)
	must(t, db.PutFolders(t.Context(), oldRoot, oldFolders()))
	must(t, db.EndWalk(t.Context(), oldRoot, sources.IndexedRoot{WalkedAt: oldTime, Files: 2, Left: "1 sample"}))
	must(t, db.PutAnswer(t.Context(), "ids 沙丘", []byte(`{"id":"tt1160419"}`)))
	_, err = db.FirstTime(t.Context(), "ids")
	must(t, err)
	must(t, db.PutCycle(t.Context(), sources.CycleRecord{CycleSummary: sources.CycleSummary{Titles: 2}, BegunAt: oldTime.Add(-time.Minute), EndedAt: oldTime, Error: "the disk is full"}))
	must(t, db.SetAccountPlan(t.Context(), oldAccount, sources.AccountPlan{Plan: "premium", EndsAt: oldTime.Add(time.Hour)}))
	for _, class := range []sources.Class{sources.ClassHosterFault, sources.ClassDeadLink} {
		a, _, err := db.BeginAttempt(t.Context(), "cam.example", "https://cam.example/"+string(class), true)
		must(t, err)
		_, err = db.EndAttempt(t.Context(), a, class, "no")
		must(t, err)
	}
	must(t, db.Close())
	return path
}

// oldRoot is a folder of which files are indexed.
const oldRoot = "/home/user/影视"

func oldFolders() []sources.IndexedFolder {
	return []sources.IndexedFolder{
		{Path: "", Stamp: "1", Files: []sources.IndexedFile{{Path: "沙丘.mkv", Keys: []string{"沙丘", "dune"}, Facts: []byte(`{"size":1}`)}}},
		{Path: "b", Stamp: "2", Files: []sources.IndexedFile{{Path: "b/\xff.mkv", Keys: []string{"dune"}}}},
	}
}

// oldAccount is one whose plan is known.
var oldAccount = sources.Account{User: 1, Provider: "real_debrid", Key: "k"}

// oldBudget is the name of a budget of which something is spent.
const oldBudget = "real_debrid 2bb80d537b1da3e3 minute"

// eachRow calls scan for each row of a query on a file.
func eachRow(t *testing.T, path, query string, scan func(*sql.Rows) error) {
	t.Helper()
	raw, err := sql.Open("sqlite", path)
	must(t, err)
	defer raw.Close()
	rows, err := raw.QueryContext(t.Context(), query)
	must(t, err)
	defer rows.Close()
	for rows.Next() {
		must(t, scan(rows))
	}
	must(t, rows.Err())
}

// allRows gives every row of every table of a file, and its schema, as literals
// that tell types and bytes apart.
func allRows(t *testing.T, path string) map[string][]string {
	t.Helper()
	all := rowsOf(t, path, columnsOf(t, path))
	all["the schema"] = texts(t, path, `SELECT type || ' ' || name || ' ' || sql FROM sqlite_schema WHERE sql <> '' ORDER BY name`)
	all["version"] = texts(t, path, `SELECT user_version FROM pragma_user_version`)
	return all
}

// rowsOf gives columns of every row of tables, as such literals.
func rowsOf(t *testing.T, path string, columns map[string][]string) map[string][]string {
	t.Helper()
	all := make(map[string][]string)
	for table, names := range columns {
		quoted := make([]string, len(names))
		for i, name := range names {
			quoted[i] = `quote("` + name + `")`
		}
		all[table] = texts(t, path, `SELECT `+strings.Join(quoted, ` || ', ' || `)+` FROM `+table+` ORDER BY 1`)
	}
	return all
}

// texts gives the first column of a query's rows.
func texts(t *testing.T, path, query string) (all []string) {
	t.Helper()
	eachRow(t, path, query, func(rows *sql.Rows) error {
		var text string
		err := rows.Scan(&text)
		all = append(all, text)
		return err
	})
	return all
}

// fifthDatabase is oldDatabase as the version after it left it, in the middle of an
// outage, with an attempt and a canary that were under way.
func fifthDatabase(t *testing.T) string {
	t.Helper()
	path := oldDatabase(t)
	step, err := os.ReadFile(filepath.Join("migrations", "0005.sql"))
	must(t, err)
	execFile(t, path, string(step)+`
		PRAGMA user_version = 5;
		INSERT INTO call_budget VALUES ('real_debrid 2bb80d537b1da3e3 minute', 1700187270000);
		INSERT INTO hoster (name, consecutive_fails, backoff_until, fail_count, last_fail_at, last_error, lease_until, lease_token, fail_run, undo_fails, undo_until)
		VALUES ('leased.example', 2, 1700187260, 2, 1700187250, 'no', 1700187290, 'one', 3, 1, 1700187240), ('blocked.example', 7, 1700190860, 9, 1700187260, 'no', 0, '', 0, 0, 0);
		UPDATE guard SET run = 3, run_hosters = 2, outage = 1, canary_until = 1700187295, canary_bad_at = 1700187265;`)
	return path
}

// columnsOf gives the columns of the tables of a file.
func columnsOf(t *testing.T, path string) map[string][]string {
	t.Helper()
	all := make(map[string][]string)
	for _, c := range allColumns(t, path) {
		all[c.table] = append(all[c.table], c.name)
	}
	return all
}

// TestOpen_keepsRows opens databases of before, and reads them: nothing that they have
// changes, and what is new is empty.
func TestOpen_keepsRows(t *testing.T) {
	t.Parallel()
	for version, database := range map[string]func(*testing.T) string{"4": oldDatabase, "5": fifthDatabase} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			keepsRows(t, database(t))
		})
	}
}

func keepsRows(t *testing.T, path string) {
	t.Helper()
	columns := columnsOf(t, path)
	before := rowsOf(t, path, columns)
	for table, rows := range before {
		if len(rows) == 0 {
			t.Errorf("the table %s has no row to keep", table)
		}
	}
	for i := range before["guard"] { // a canary that was under way is not known to those of now
		before["guard"][i] = strings.Replace(before["guard"][i], "1700187295", "0", 1)
	}
	for range 2 {
		db, err := sourcecache.Open(t.Context(), sourcecache.Options{Path: path})
		must(t, err)
		_, err = db.Hosters(t.Context())
		must(t, err)
		must(t, db.Close())
		if diff := cmp.Diff(before, rowsOf(t, path, columns)); diff != "" {
			t.Errorf("rows (-before +after):\n%s", diff)
		}
		for table, rows := range allRows(t, path) {
			if columns[table] == nil && table != "the schema" && table != "version" && len(rows) > 0 {
				t.Errorf("the new table %s has the rows %q", table, rows)
			}
		}
	}
}

// TestOpen_migratesHealth has what the fifth version knew of the network work on.
func TestOpen_migratesHealth(t *testing.T) {
	t.Parallel()
	path := fifthDatabase(t)
	db, err := sourcecache.Open(t.Context(), sourcecache.Options{Path: path, Now: func() time.Time { return oldTime }})
	must(t, err)
	defer db.Close()
	guard, err := db.Guard(t.Context())
	must(t, err)
	available, err := db.HosterAvailable(t.Context(), "leased.example", 0)
	must(t, err)
	if guard.Network != sources.NetworkOutage || available {
		t.Errorf("network %s, a leased hoster may be tried: %t", guard.Network, available)
	}
	test, err := db.TestOutage(t.Context(), true)
	must(t, err)
	if test == nil {
		t.Fatal("no link can be tested")
	}
	_, err = db.EndCanary(t.Context(), *test, sources.ClassOK)
	must(t, err)
	if guard, err = db.Guard(t.Context()); err != nil || guard.Network != sources.NetworkOK {
		t.Errorf("network %s, %v", guard.Network, err)
	}
}

// storedTitles gives the titles of a table of such a database, by the key that is
// stored.
func storedTitles(t *testing.T, path, table, key string) map[string]sources.Title {
	t.Helper()
	all := make(map[string]sources.Title)
	eachRow(t, path, `SELECT `+key+`, kind, name, original_name, year, imdb, coalesce(season, 0), coalesce(episode, 0), aliases FROM `+table, func(rows *sql.Rows) error {
		var stored, aliases string
		var title sources.Title
		err := rows.Scan(&stored, &title.Kind, &title.Name, &title.OriginalName, &title.Year, &title.IMDb, &title.Season, &title.Episode, &aliases)
		if err != nil {
			return err
		}
		err = json.Unmarshal([]byte(aliases), &title.Aliases)
		all[stored] = title
		return err
	})
	return all
}

// TestOpen_keepsIdentities checks that what names titles, sources and hosters in a
// database of before is what names them now.
func TestOpen_keepsIdentities(t *testing.T) {
	t.Parallel()
	path := oldDatabase(t)
	titles := make(map[string]sources.Title)
	for table, column := range map[string]string{"title": "key", "watch": "title_key"} {
		for key, title := range storedTitles(t, path, table, column) {
			titles[key] = title
			if got := title.Key(); got != key {
				t.Errorf("%s in %s has the key %q, stored as %q", title, table, got, key)
			}
		}
	}
	n := 0
	eachRow(t, path, `SELECT t.key, s.source_id, s.url, s.hoster FROM sources s JOIN title t ON t.id = s.title_id`, func(rows *sql.Rows) error {
		var key, id, url, hoster string
		err := rows.Scan(&key, &id, &url, &hoster)
		if got := sources.SourceID(titles[key], url); got != id {
			t.Errorf("%q of %s is source %s, stored as %s", url, titles[key], got, id)
		}
		if got := link.Hoster(url); got != hoster {
			t.Errorf("%q lies on %q, stored as %q", url, got, hoster)
		}
		n++
		return err
	})
	if n < 20 {
		t.Errorf("%d sources, want the many that are stored", n)
	}
}

// TestOpen_readsOldRows reads a database of before by the methods of a store.
func TestOpen_readsOldRows(t *testing.T) {
	t.Parallel()
	path := oldDatabase(t)
	db, err := sourcecache.Open(t.Context(), sourcecache.Options{Path: path, Now: func() time.Time { return time.Unix(1_700_187_270, 0) }})
	must(t, err)
	defer db.Close()
	ids := make(map[string]bool)
	for _, title := range storedTitles(t, path, "title", "id") {
		for _, at := range []string{"https://vod.example/config.json", "/home/user/影视/配置.json"} {
			scan, err := db.LoadScan(t.Context(), at, title)
			must(t, err)
			if scan == nil {
				continue
			}
			for _, answer := range scan.Answers {
				for _, src := range answer.Sources {
					ids[src.ID] = true
				}
			}
		}
	}
	stored := make(map[string]bool)
	eachRow(t, path, `SELECT source_id FROM sources`, func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		stored[id] = true
		return err
	})
	if diff := cmp.Diff(stored, ids); diff != "" {
		t.Errorf("sources by id (-stored +loaded):\n%s", diff)
	}
	list, err := db.Watchlist(t.Context())
	must(t, err)
	state, err := db.AccountState(t.Context(), sources.Account{User: 2, Provider: "all_debrid", Key: "secret"})
	must(t, err)
	cooling, err := db.Cooldowns().IsCoolingDown(t.Context(), sources.CooldownKey{User: 1, Provider: "real_debrid"})
	must(t, err)
	config, err := db.CachedConfig(t.Context(), "https://vod.example/config.json")
	must(t, err)
	if len(list) != 3 || state.Class != sources.ClassProviderQuota || cooling.Remaining <= 0 || config == nil || len(config.Body) != 14 {
		t.Errorf("%d watched titles, account %+v, cooldown %+v, config %+v", len(list), state, cooling, config)
	}
}
