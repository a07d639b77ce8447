package sourcecache_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"xship/sourcecache"
)

// BenchmarkResolveQueue reads 50 jobs of 1,000,000 sources that wait on 500
// hosters, some of them with many more than others. p50-ms is the median.
func BenchmarkResolveQueue(b *testing.B) {
	if testing.Short() {
		b.Skip("it stores a million sources first")
	}
	s := newStore(b)
	s.exec(b, millionSources("own, hoster, rank"))
	for _, healthy := range []int{500, 250, 50, 5, 0} {
		b.Run(fmt.Sprintf("%d of 500 healthy", healthy), func(b *testing.B) {
			s.exec(b, `UPDATE hoster SET consecutive_fails = 7 * (name > printf('hoster%03d.example', ?1)), backoff_until = ?2 * (name > printf('hoster%03d.example', ?1))`,
				healthy, s.clock.Now().Add(time.Hour).Unix())
			var took []time.Duration
			for b.Loop() {
				start := time.Now()
				jobs, err := s.ResolveQueue(b.Context(), 15*time.Minute, 50, 5)
				must(b, err)
				took = append(took, time.Since(start))
				if want := min(50, 5*healthy); len(jobs) != want {
					b.Fatalf("%d jobs, want %d", len(jobs), want)
				}
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2])/float64(time.Millisecond), "p50-ms")
		})
	}
}

// BenchmarkOpen_million opens a database of the version before with a million sources,
// which is copied and brought up to date.
func BenchmarkOpen_million(b *testing.B) {
	if testing.Short() {
		b.Skip("it stores a million sources first")
	}
	steps, err := filepath.Glob(filepath.Join("migrations", "*.sql"))
	must(b, err)
	path := filepath.Join(b.TempDir(), "old.db")
	for _, name := range steps[:len(steps)-1] {
		step, err := os.ReadFile(name)
		must(b, err)
		execFile(b, path, string(step))
	}
	execFile(b, path, fmt.Sprintf(`PRAGMA user_version = %d;`, len(steps)-1)+millionSources("hoster, rank"))
	file := readFile(b, path)
	for b.Loop() {
		b.StopTimer()
		path := filepath.Join(b.TempDir(), "xship.db")
		must(b, os.WriteFile(path, file, 0o600))
		b.StartTimer()
		db, err := sourcecache.Open(b.Context(), sourcecache.Options{Path: path})
		must(b, err)
		must(b, db.Close())
	}
}

// millionSources stores a million sources of 5,000 films, which wait on 500 hosters, in
// a queue with an index of the given columns.
func millionSources(queue string) string {
	return `
		PRAGMA cache_size = -1000000;
		PRAGMA synchronous = OFF;
		PRAGMA temp_store = MEMORY;
		BEGIN;
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
		INSERT INTO hoster (name, ok_count, fail_count) SELECT printf('hoster%03d.example', i), 100, i % 50 FROM n;
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
		INSERT INTO title (id, interface_url, key, kind, name, scanned_at, wanted_at, ranked_at) SELECT i, '', i, 'movie', 'Film ' || i, 1, 1, 1 FROM n;
		DROP INDEX sources_id;
		DROP INDEX sources_resolve;
		DROP INDEX sources_link;
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
		INSERT INTO sources (id, title_id, site, source_id, position, hoster, name, url, queue, rank)
		SELECT i, 1 + (i - 1) / 200, 'one', printf('%012x', i), i % 200, printf('hoster%03d.example', 1 + i * 7919 % (1 + i * 104729 % 500)),
			'Some Film 2008 1080p WEB-DL ' || i, 'https://hoster.example/files/' || i, 1, ((45000 + i * 31 % 1000) * 16 + i % 5 << 32) | i FROM n;
		CREATE INDEX sources_id ON sources (source_id);
		CREATE INDEX sources_resolve ON sources (` + queue + `) WHERE queue = 1;
		CREATE INDEX sources_link ON sources (url) WHERE queue > 0;
		COMMIT;`
}
