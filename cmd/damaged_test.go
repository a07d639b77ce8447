package cmd_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"xship/cmd"
)

// oldData makes the data directory of a user whose database has rows in all tables,
// and an interface that needs no network to be known.
func oldData(t *testing.T) string {
	t.Helper()
	dump, err := os.ReadFile(filepath.Join("..", "sourcecache", "testdata", "v4.sql"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	change(t, dir, string(dump), `UPDATE config_cache SET fetched_at = 1700187260,
		body = '{"sites":[{"key":"one","name":"ONE","type":1,"api":"http://127.0.0.1:1/api"}]}'`,
		`UPDATE title SET sites = '[{"key":"one","name":"ONE","type":"1","status":"ok","sources":2}]'`)
	return dir
}

// change runs SQL on the database of a data directory.
func change(t *testing.T, dir string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "xship.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range statements {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%.100s: %v", statement, err)
		}
	}
}

// integers gives all columns of integers, but for the ids of rows, by table.
func integers(t *testing.T, dir string) [][2]string {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "xship.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), `SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND c.type = 'INTEGER' AND c.name <> 'id' ORDER BY 1, 2`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var all [][2]string
	for rows.Next() {
		var c [2]string
		if err := rows.Scan(&c[0], &c[1]); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// linked are the tables without whose rows commands do not come to those of others.
var linked = []string{"config_cache", "site_answer", "sources", "stream", "title", "watch"}

// rounds puts columns together that can be damaged at the same time: one of each table,
// and one of a linked table alone.
func rounds(columns [][2]string) [][][2]string {
	var together, alone [][][2]string
	seen := make(map[string]int)
	for _, c := range columns {
		if slices.Contains(linked, c[0]) {
			alone = append(alone, [][2]string{c})
			continue
		}
		n := seen[c[0]]
		seen[c[0]]++
		if n == len(together) {
			together = append(together, nil)
		}
		together[n] = append(together[n], c)
	}
	return append(together, alone...)
}

// TestMain_damagedRow damages a row of each table, one column after the other: no
// command that reads fails for it.
func TestMain_damagedRow(t *testing.T) {
	whole := oldData(t)
	commands := [][]string{
		{"hosters", "stats"},
		{"hosters", "stats", "--failing", "-o", "json"},
		{"watch", "list"},
		{"interfaces", "list"},
		{"cooldowns", "list"},
		{"accounts", "list"},
		{"backup", "export", "backup.json"},
		{"scan", "Бумажные Субмарины II", "--no-probe"},
	}
	for _, columns := range rounds(integers(t, whole)) {
		damaged := func(table string) bool {
			return slices.ContainsFunc(columns, func(c [2]string) bool { return c[0] == table || c[1] == table+"_id" })
		}
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file, err := os.ReadFile(filepath.Join(whole, "xship.db"))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "xship.db"), file, 0o600); err != nil {
				t.Fatal(err)
			}
			var damage []string
			for _, c := range columns {
				damage = append(damage, fmt.Sprintf(`UPDATE OR IGNORE %[1]s SET %[2]s = 'soon' WHERE %[2]s IS (SELECT min(%[2]s) FROM %[1]s)`, c[0], c[1]))
			}
			change(t, dir, damage...)
			m := newMachine(t)
			m.env["XSHIP_DATA_DIR"], m.env["XSHIP_RESOLVE_YTDLP"] = dir, "off"
			m.Now = func() time.Time { return time.Unix(1_700_187_270, 0) }
			for _, args := range commands {
				if args[0] == "backup" {
					args = []string{"backup", "export", filepath.Join(dir, "backup.json")}
				}
				m.out.Reset()
				m.err.Reset()
				if args[0] == "scan" && damaged("config_cache") {
					continue // the interface would be asked
				}
				code := cmd.Main(args, m.System)
				if args[0] == "scan" && damaged("title") && strings.Contains(m.err.String(), "none of 1 site gave a usable answer") {
					continue // what is stored is not found, so it was asked for
				}
				if code != 0 {
					t.Errorf("xship %s: exit code %d\n%s", strings.Join(args, " "), code, m.err)
				}
			}
		})
	}
}
