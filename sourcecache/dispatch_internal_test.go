package sourcecache

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// plan gives the steps by which SQLite runs a query.
func plan(t *testing.T, db *DB, query string, args ...any) []string {
	t.Helper()
	rows, err := db.reads.QueryContext(t.Context(), `EXPLAIN QUERY PLAN `+query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var steps []string
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		steps = append(steps, detail)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return steps
}

func openLatest(t *testing.T) *DB {
	t.Helper()
	steps, err := embeddedMigrations()
	if err != nil {
		t.Fatal(err)
	}
	db := mustOpenSteps(t, filepath.Join(t.TempDir(), "xship.db"), steps...)
	t.Cleanup(func() { closeDB(t, db) })
	return db
}

// TestDispatchSQL_plan holds the query to the plan that makes it quick however
// many sources wait: the hosters, those of the user's own sources by seeks, then seeks in
// the index of the queue.
func TestDispatchSQL_plan(t *testing.T) {
	t.Parallel()
	db := openLatest(t)
	for queue, index := range map[int]string{queueResolve: "sources_resolve", queueProbe: "sources_probe"} {
		want := []string{
			"CO-ROUTINE merged", "SETUP",
			"MATERIALIZE heads", "COMPOUND QUERY", "LEFT-MOST SUBQUERY", "SCAN h",
			"CORRELATED SCALAR SUBQUERY 4", "SEARCH x USING COVERING INDEX " + index + " (own=? AND hoster=?)",
			"UNION ALL", "CO-ROUTINE owned", "SETUP", "SEARCH sources USING COVERING INDEX " + index + " (own=?)",
			"RECURSIVE STEP", "SCAN o", "CORRELATED SCALAR SUBQUERY 2", "SEARCH x USING COVERING INDEX " + index + " (own=? AND hoster>?)",
			"SCAN o", "CORRELATED SCALAR SUBQUERY 6", "SEARCH x USING COVERING INDEX " + index + " (own=? AND hoster=?)",
			"SCAN heads",
			"RECURSIVE STEP", "SCAN m", "SEARCH x USING COVERING INDEX " + index + " (own=? AND hoster=? AND rank=?)",
			"CORRELATED SCALAR SUBQUERY 9", "SEARCH y USING COVERING INDEX " + index + " (own=? AND hoster=? AND rank>?)",
			"SCAN m", "SEARCH s USING INDEX " + index + " (own=? AND hoster=? AND rank=?)",
		}
		if diff := cmp.Diff(want, plan(t, db, dispatchSQL(queue), 0, 50, 5)); diff != "" {
			t.Errorf("queue %d (-want +got):\n%s", queue, diff)
		}
	}
}

// TestPlans_scanNoIndex holds what is asked of the index of files, and changed in it, to
// seeks.
func TestPlans_scanNoIndex(t *testing.T) {
	t.Parallel()
	db := openLatest(t)
	for _, query := range []string{
		findFilesSQL,
		fmt.Sprintf(removeKeysSQL, "(?, ?), (?, ?)"),
		`DELETE FROM index_file WHERE ` + ofFolderSQL,
		`SELECT id FROM index_folder WHERE typeof(id) = 'integer' ORDER BY id DESC LIMIT 1`,
		`SELECT path FROM index_folder WHERE root_id = ?1 LIMIT 1`,
		`SELECT count(*) > 1 OR total(size) > 2 FROM answer`,
	} {
		for _, step := range plan(t, db, query, 1, 2, 3, 4) {
			if strings.Contains(step, "SCAN index_") && !strings.Contains(step, "COVERING INDEX sqlite_autoindex_index_folder") || step == "SCAN answer" || step == "SCAN k" {
				t.Errorf("%s\nhas the step %q", query, step)
			}
		}
	}
}

// TestPlans_scanNoSources holds what is done for each attempt to the indexes.
func TestPlans_scanNoSources(t *testing.T) {
	t.Parallel()
	db := openLatest(t)
	for _, query := range []string{
		overdueSQL,
		`SELECT id FROM sources WHERE queue = 3 LIMIT ?2`,
		`SELECT id FROM sources WHERE queue = 4 AND rest_until <= ?2 LIMIT ?3`,
		`SELECT id FROM sources WHERE queue = 4 AND rest_until > ?2 + 86400 LIMIT ?3`,
		`SELECT id FROM sources WHERE url = ? AND queue > 0`,
		`SELECT id FROM sources WHERE source_id = ?`,
		`SELECT id, wanted_at FROM title WHERE ranked_at <> wanted_at LIMIT 1`,
		`SELECT s.id FROM sources s CROSS JOIN title t ON t.id = s.title_id LEFT JOIN stream m ON m.source_id = s.source_id WHERE s.source_id = ?2`,
	} {
		for _, step := range plan(t, db, query, 1, 2, 3, 4) {
			unindexed := strings.HasPrefix(step, "SCAN") && !strings.Contains(step, "INDEX") && !slices.Contains([]string{"SCAN (subquery-1)"}, step)
			if unindexed || strings.Contains(step, "TEMP B-TREE") {
				t.Errorf("%s\nhas the step %q", query, step)
			}
		}
	}
}
