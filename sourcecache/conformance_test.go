package sourcecache_test

import (
	"testing"
	"time"

	"xship/sourcecache"
	"xship/sources"
	"xship/sources/sourcetest"
)

// TestDB_conformance runs the suites of the store's ports.
func TestDB_conformance(t *testing.T) {
	t.Parallel()
	sourcetest.RunStore(t, func(tb testing.TB, now func() time.Time) sources.Store {
		tb.Helper()
		db, err := sourcecache.Open(tb.Context(), sourcecache.Options{Path: newFile(tb), Now: now})
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(func() {
			if err := db.Close(); err != nil {
				tb.Errorf("close: %v", err)
			}
		})
		return db
	})
}
