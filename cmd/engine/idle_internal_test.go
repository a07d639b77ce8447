package engine

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"xship/config"
	"xship/sources"
	"xship/sources/sourcetest"
)

// TestWatcher_idle says what to do about an empty watchlist at the start and when it
// becomes empty, and not in each cycle.
func TestWatcher_idle(t *testing.T) {
	settings, err := config.Load(config.LoadOptions{Overrides: map[string]any{"ids.enabled": false, "archive.enabled": false}})
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	store := sourcetest.NewMemory(time.Now)
	e, err := Open(Config{Settings: settings, Store: store, DataDir: t.TempDir(), Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	w := e.newWatcher()
	film := sources.Title{Kind: sources.KindMovie, Name: "Film", Year: 2016}
	var entry sources.WatchEntry
	for _, step := range []struct {
		name string
		do   func() error
		told int
	}{
		{"at the start", func() error { return nil }, 1},
		{"still", func() error { return nil }, 0},
		{"a title comes", func() (err error) {
			entry, _, err = store.AddWatch(t.Context(), film, sources.WatchUser)
			return err
		}, 0},
		{"it is scanned", func() error {
			_, err := w.scan(t.Context(), film)
			return err
		}, 0},
		{"it goes", func() error {
			_, err := store.RemoveWatch(t.Context(), entry.ID)
			return err
		}, 1},
		{"still gone", func() error { return nil }, 0},
	} {
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		log.Reset()
		if _, err := w.due(t.Context()); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if n := strings.Count(log.String(), "xship watch add TITLE"); n != step.told {
			t.Errorf("%s: told %d times, want %d:\n%s", step.name, n, step.told, log.String())
		}
	}
}
