package engine

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"xship/config"
	"xship/config/failover"
	"xship/sources"
	"xship/sources/sourcetest"
	"xship/sources/sourcetest/world"
)

// TestWatcher_lastGood wants the config that was loaded last to stay in use where
// nothing can be loaded, one load a cycle, and the choice unchanged.
func TestWatcher_lastGood(t *testing.T) {
	story, err := world.StartStory(t.Context(), world.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer story.Close()
	for _, mode := range []string{"0", "1", "2"} {
		t.Run("mode "+mode, func(t *testing.T) {
			store := sourcetest.NewMemory(time.Now)
			settings, err := config.Load(config.LoadOptions{Overrides: map[string]any{"interfaces.max_age": "0s", "ids.enabled": false, "archive.enabled": false}})
			if err != nil {
				t.Fatal(err)
			}
			e, err := Open(Config{Settings: settings, Store: store, DataDir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			if err := e.importPreferences(map[string]json.RawMessage{failover.ModeKey: json.RawMessage(mode)}); err != nil {
				t.Fatal(err)
			}
			for _, i := range []*world.Interface{story.Good, story.Broken} {
				if _, err := store.AddInterface(t.Context(), i.URL(), i.Name()); err != nil {
					t.Fatal(err)
				}
			}
			if err := store.SetCurrentInterface(t.Context(), story.Good.URL()); err != nil {
				t.Fatal(err)
			}
			if _, _, err := store.AddWatch(t.Context(), story.Film, sources.WatchUser); err != nil {
				t.Fatal(err)
			}
			// Nothing was ever loaded: the titles are due, and fail.
			story.Good.SetMode(world.Mode500)
			w := e.newWatcher()
			if titles, err := w.due(t.Context()); err != nil || len(titles) != 1 {
				t.Errorf("due: %v, %v", titles, err)
			}
			if err := w.scanWatched(t.Context(), story.Film); !errors.Is(err, errNotLoaded) {
				t.Errorf("scan: %v", err)
			}

			story.Good.SetMode(world.ModeOK)
			due := func() {
				t.Helper()
				story.Good.ResetCounters()
				titles, err := w.due(t.Context())
				if err != nil || len(titles) != 1 {
					t.Fatalf("due: %v, %v", titles, err)
				}
				if got := w.loaded.Interface.URL; got != story.Good.URL() || len(w.loaded.Sites) == 0 {
					t.Errorf("in use: %s with %d sites", got, len(w.loaded.Sites))
				}
				if n := story.Good.Requests(); n != 1 {
					t.Errorf("the interface was asked %d times", n)
				}
				if chosen, err := store.CurrentInterface(t.Context()); err != nil || chosen != story.Good.URL() {
					t.Errorf("the choice is %s, %v", chosen, err)
				}
			}
			due()
			story.Good.SetMode(world.Mode500)
			due()
		})
	}
}

// TestBeside waits for what was begun as long as is granted, and no longer.
func TestBeside(t *testing.T) {
	for _, c := range []struct{ takes, grace, want time.Duration }{
		{time.Second, 5 * time.Second, time.Second},
		{time.Hour, 5 * time.Second, 5 * time.Second},
		{0, 5 * time.Second, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			started := time.Now()
			beside(t.Context(), func(ctx context.Context) { wait(ctx, c.takes) })(c.grace)
			if took := time.Since(started); took != c.want {
				t.Errorf("%+v: it took %s", c, took)
			}
		})
	}
}
