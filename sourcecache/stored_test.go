package sourcecache_test

import (
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
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
	must(t, db.Close())
	return path
}

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

// columnsOf gives the names of the columns of each table of a file.
func columnsOf(t *testing.T, path string) map[string][]string {
	t.Helper()
	all := make(map[string][]string)
	eachRow(t, path, `SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY m.name, c.cid`, func(rows *sql.Rows) error {
		var table, column string
		err := rows.Scan(&table, &column)
		all[table] = append(all[table], column)
		return err
	})
	return all
}

// allRows gives every row of every table of a file, and its schema, as literals that
// tell types and bytes apart. Of a table that known names only those columns count.
func allRows(t *testing.T, path string, known map[string][]string) map[string][]string {
	t.Helper()
	texts := func(query string) (all []string) {
		eachRow(t, path, query, func(rows *sql.Rows) error {
			var text string
			err := rows.Scan(&text)
			all = append(all, text)
			return err
		})
		return all
	}
	all := map[string][]string{
		"the schema": texts(`SELECT type || ' ' || name || ' ' || sql FROM sqlite_schema WHERE sql <> '' ORDER BY name`),
		"version":    texts(`SELECT user_version FROM pragma_user_version`),
	}
	for table, columns := range columnsOf(t, path) {
		if known[table] != nil {
			columns = known[table]
		}
		all[table] = texts(`SELECT quote("` + strings.Join(columns, `") || ', ' || quote("`) + `") FROM ` + table + ` ORDER BY 1`)
	}
	return all
}

// TestOpen_keepsRows opens a database of before, and reads it: nothing that it has
// changes, and what is new is empty.
func TestOpen_keepsRows(t *testing.T) {
	t.Parallel()
	path := oldDatabase(t)
	columns := columnsOf(t, path)
	before := allRows(t, path, columns)
	for table, rows := range before {
		if len(rows) == 0 {
			t.Errorf("the table %s has no row to keep", table)
		}
	}
	for range 2 {
		db, err := sourcecache.Open(t.Context(), sourcecache.Options{Path: path})
		must(t, err)
		_, err = db.Hosters(t.Context())
		must(t, err)
		must(t, db.Close())
		after := allRows(t, path, columns)
		for table, rows := range after {
			if before[table] == nil && len(rows) > 0 {
				t.Errorf("the new table %s has the rows %q", table, rows)
			}
		}
		for table, rows := range before {
			kept := after[table]
			switch table {
			case "version":
				continue
			case "the schema":
				kept = keptSchema(rows, kept)
			}
			if diff := cmp.Diff(rows, kept); diff != "" {
				t.Errorf("%s (-before +after):\n%s", table, diff)
			}
		}
	}
}

// keptSchema gives what of an old schema a new one still says: a table may have got more
// columns, at the end of a line of its statement.
func keptSchema(before, after []string) (kept []string) {
	for _, old := range before {
		lines := strings.Split(old, "\n")
		if slices.ContainsFunc(after, func(now string) bool {
			return slices.EqualFunc(strings.Split(now, "\n"), lines, strings.HasPrefix)
		}) {
			kept = append(kept, old)
		}
	}
	return kept
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
