package sourcecache

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"xship/sources"
)

// TestDB_fullDisk bounds the file as a disk without room does. Each call that
// cannot store says so and leaves everything as it was, and when there is room
// again everything goes on.
func TestDB_fullDisk(t *testing.T) {
	t.Parallel()
	db := openLatest(t)
	ctx := t.Context()
	title := sources.Title{Kind: sources.KindMovie, Name: "Film"}
	scan := func(n int) sources.StoredScan {
		answer := sources.SiteAnswer{Site: "one", SeenAt: time.Now()}
		for i := range n {
			url := fmt.Sprintf("https://hoster.example/%d/%s", i, strings.Repeat("long", 100))
			answer.Sources = append(answer.Sources, sources.Source{URL: url, Name: "n", Hoster: "hoster.example", State: sources.StateFound})
		}
		return sources.StoredScan{ScannedAt: time.Now(), Answers: []sources.SiteAnswer{answer}}
	}
	stored := func() int {
		got, err := db.LoadScan(ctx, "i", title)
		if err != nil {
			t.Fatal(err)
		}
		return len(got.Answers[0].Sources)
	}
	if err := db.SaveScan(ctx, "i", title, scan(3)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := db.AddWatch(ctx, title, sources.WatchUser); err != nil {
		t.Fatal(err)
	}
	limit := func(pages int) {
		if _, err := db.writes.ExecContext(ctx, fmt.Sprintf(`PRAGMA max_page_count = %d`, pages)); err != nil {
			t.Fatal(err)
		}
	}

	limit(1) // SQLite takes it for the present size
	long := strings.Repeat("long", 5000)
	calls := map[string]func(context.Context) error{
		"SaveScan":  func(ctx context.Context) error { return db.SaveScan(ctx, "i", title, scan(90)) },
		"PutStream": func(ctx context.Context) error { return db.PutStream(ctx, "id", sources.Stream{URL: long}) },
		"PutConfig": func(ctx context.Context) error {
			return db.PutConfig(ctx, "u", sources.StoredConfig{Body: []byte(long)}, "")
		},
		"EndAttempt": func(ctx context.Context) error {
			_, err := db.EndAttempt(ctx, sources.Attempt{Hoster: "hoster.example", Link: long}, sources.ClassOK, "")
			return err
		},
		"AddWatch": func(ctx context.Context) error {
			_, _, err := db.AddWatch(ctx, sources.Title{Kind: sources.KindMovie, Name: long}, sources.WatchUser)
			return err
		},
	}
	for range 2 {
		for name, call := range calls {
			err := call(ctx)
			var known *OpenError
			if !errors.As(err, &known) || known.Kind != KindFull || !strings.Contains(err.Error(), "make room") {
				t.Errorf("%s: %v, want an OpenError of kind %s", name, err, KindFull)
			}
		}
	}
	if n := stored(); n != 3 {
		t.Errorf("%d sources, want those of before", n)
	}
	var check string
	if err := db.reads.QueryRowContext(ctx, `PRAGMA integrity_check`).Scan(&check); err != nil || check != "ok" {
		t.Errorf("integrity: %s, %v", check, err)
	}

	limit(1 << 30)
	for name, call := range calls {
		if err := call(ctx); err != nil {
			t.Errorf("%s with room again: %v", name, err)
		}
	}
	if n := stored(); n != 90 {
		t.Errorf("%d sources, want 90", n)
	}
}
