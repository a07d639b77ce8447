package sourcecache

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"xship/sources"
)

// TestWatchStatesSQL_plan holds the query to what makes it quick however many sources
// there are: the watchlist, and of each title the sources that are proven, by an index
// that holds all that is asked.
func TestWatchStatesSQL_plan(t *testing.T) {
	t.Parallel()
	db := openLatest(t)
	for which, seeks := range map[string]int{watchStatesSQL(``, `0`): 1, watchStatesSQL(waitingSQL, `0`): 2, watchStatesSQL(``, anywhereSQL): 2, watchStatesSQL(ofSourceSQL, anywhereSQL): 2} {
		steps := plan(t, db, which, "i", 1, -1, "s")
		proven := 0
		for _, step := range steps {
			table, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(step, "SEARCH "), "SCAN "), " ")
			if strings.HasPrefix(step, "SCAN") && table != "w" && table != "h" {
				t.Errorf("%s\nhas the step %q", which, step)
			}
			if strings.HasPrefix(step, "SEARCH p USING COVERING INDEX sources_proven (title_id=?") {
				proven++
			}
		}
		if proven != seeks {
			t.Errorf("%s\nhas %d seeks of proven sources, want %d:\n%s", which, proven, seeks, strings.Join(steps, "\n"))
		}
	}
}

// Each quality comes back from its place.
func TestProvenQuality(t *testing.T) {
	t.Parallel()
	db := openLatest(t)
	for _, q := range append(sources.Qualities(), sources.QualityUnknown, "strange") {
		var place int64
		if err := db.reads.QueryRowContext(t.Context(), `SELECT `+provenSQL("?1"), string(q)).Scan(&place); err != nil {
			t.Fatal(err)
		}
		want := q
		if q == "strange" {
			want = sources.QualityUnknown
		}
		if got := provenQuality(place); got != want || place == 0 {
			t.Errorf("%q is at %d, which is %q", q, place, got)
		}
	}
}

// TestMigrate_standing brings a database of each version since there is a watchlist up to
// date: what was read before is proven, its titles were ready, and nothing is told of them
// again.
func TestMigrate_standing(t *testing.T) {
	t.Parallel()
	steps, err := embeddedMigrations()
	if err != nil {
		t.Fatal(err)
	}
	for version := 2; version < len(steps); version++ {
		t.Run(fmt.Sprintf("from version %d", version), func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "xship.db")
			old := mustOpenSteps(t, path, steps[:version]...)
			now := time.Now().Add(-time.Minute).Unix()
			film := sources.Title{Kind: sources.KindMovie, Name: "Film"}
			other := sources.Title{Kind: sources.KindMovie, Name: "Other"}
			if _, err := old.writes.ExecContext(t.Context(), `
				INSERT INTO hoster (name, ok_count) VALUES ('good', 2);
				INSERT INTO watch (title_key, kind, name, added_at, wanted_at) VALUES (?2, 'movie', 'Film', ?1, ?1), (?3, 'movie', 'Other', ?1, ?1);
				INSERT INTO title (id, interface_url, key, kind, name, scanned_at) VALUES (1, 'i', ?2, 'movie', 'Film', ?1), (2, 'i', ?3, 'movie', 'Other', ?1);
				INSERT INTO sources (title_id, site, source_id, position, hoster, name, url, state, quality) VALUES
					(1, 'one', 'aa', 0, 'good', 'n', 'u', 2, '1080p'), (1, 'one', 'bb', 1, 'good', 'n', 'v', 3, '4K'),
					(1, 'one', 'cc', 2, 'good', 'n', 'w', 1, '720p'), (2, 'one', 'dd', 3, 'good', 'n', 'x', 1, '4K');
				INSERT INTO stream (source_id, url, resolved_at, probed_at, media_info) VALUES
					('aa', 'u', ?1, ?1, '{}'), ('bb', 'u', ?1, ?1, '{}'), ('cc', 'u', ?1, 0, '{}'), ('dd', 'u', ?1, 0, '');`,
				now, film.Key(), other.Key()); err != nil {
				t.Fatal(err)
			}
			closeDB(t, old)

			db := mustOpenSteps(t, path, steps...)
			defer closeDB(t, db)
			if v := schemaVersion(t, fmt.Sprintf("%s.bak-v%d", path, version)); v != version {
				t.Errorf("copy of version %d, want %d", v, version)
			}
			if ready, err := db.NoteReady(t.Context(), "i", ""); err != nil || len(ready) > 0 {
				t.Errorf("ready %+v, %v; want nothing told that was so before", ready, err)
			}
			states, err := db.WatchStates(t.Context(), "i")
			if err != nil || len(states) != 2 {
				t.Fatalf("states %+v, %v", states, err)
			}
			if s := states[1]; s.Title.Name != "Film" || s.Proven != 2 || s.Best != sources.Quality1080p || !s.WaitsSince.IsZero() {
				t.Errorf("%+v, want two sources proven", s)
			}
			if s := states[0]; s.Proven != 0 || s.WaitsSince.Unix() != now {
				t.Errorf("%+v, want it to wait since it was wanted", s)
			}
		})
	}
}
