package engine_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"xship/cmd/engine"
	"xship/config"
	"xship/sources"
	"xship/sources/sourcetest"
)

// reopen gives a rig another engine on its store, as the next process has it.
func (r *rig) reopen(observer sources.Observer, now func() time.Time, accounts ...config.DebridAccount) {
	r.Helper()
	settings, err := config.Load(config.LoadOptions{Overrides: map[string]any{"resolve.ytdlp": "off", "ids.enabled": false, "archive.enabled": false}})
	if err != nil {
		r.Fatal(err)
	}
	settings.Debrid.Accounts = accounts
	r.Close()
	r.Engine, err = engine.Open(engine.Config{Settings: settings, Store: r.store, DataDir: r.dataDir, Observer: observer, Now: now})
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(r.Close)
}

// once runs a cycle in a process of its own, and gives what it told.
func (r *rig) once(now func() time.Time, accounts ...config.DebridAccount) *sourcetest.Observed {
	r.Helper()
	told := new(sourcetest.Observed)
	r.reopen(told, now, accounts...)
	if err := r.PrecacheOnce(r.Context(), engine.PrecacheRequest{}); err != nil {
		r.Fatal(err)
	}
	r.Close()
	return told
}

// TestEngine_titleReady has a title become ready: it is told of once, across processes,
// until it is lost and comes back. What the cycles did is kept.
func TestEngine_titleReady(t *testing.T) {
	r := newRig(t, nil)
	r.add(r.story.Good)
	if _, _, err := r.Watch(t.Context(), r.story.Film); err != nil {
		t.Fatal(err)
	}
	ready := func(told *sourcetest.Observed) []sources.TitleReady {
		return sourcetest.EventsOf[sources.TitleReady](told)
	}
	first := ready(r.once(nil))
	if len(first) != 1 || first[0].Title.Key() != r.story.Film.Key() || first[0].Quality == sources.QualityUnknown {
		t.Fatalf("told of %+v, want the film", first)
	}
	if again := ready(r.once(nil)); len(again) > 0 {
		t.Errorf("told again of %+v", again)
	}
	scan, err := r.store.LoadScan(t.Context(), r.story.Good.URL(), r.story.Film)
	if err != nil {
		t.Fatal(err)
	}
	for _, answer := range scan.Answers {
		for _, src := range answer.Sources {
			if src.State == sources.StateProbed {
				if err := r.store.DropStream(t.Context(), src.ID); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if _, err := r.store.NoteReady(t.Context(), r.story.Good.URL(), ""); err != nil { // as a daemon does at the end of a cycle
		t.Fatal(err)
	}
	if back := ready(r.once(nil)); len(back) != 1 {
		t.Errorf("told of %+v, want the film that came back", back)
	}
	cycles, err := r.store.Cycles(t.Context(), 10)
	if err != nil || len(cycles) != 3 {
		t.Fatalf("%d cycles, %v", len(cycles), err)
	}
	if c := cycles[2]; c.Titles != 1 || c.Probed == 0 || c.EndedAt.IsZero() || c.Error != "" {
		t.Errorf("the first cycle is kept as %+v", c)
	}
}

// A cycle that could not run is kept with its reason.
func TestEngine_cycleBroken(t *testing.T) {
	r := newRig(t, nil)
	r.store.SetError(errors.New("the disk is full"), "BeginCycle")
	if err := r.PrecacheOnce(t.Context(), engine.PrecacheRequest{}); err == nil {
		t.Fatal("the cycle ran")
	}
	cycles, err := r.store.Cycles(t.Context(), 10)
	if err != nil || len(cycles) != 1 || cycles[0].Error != "begin a cycle: the disk is full" {
		t.Errorf("cycles %+v, %v", cycles, err)
	}
}

// TestEngine_accountEnding has accounts end sooner and later: what their provider told is
// kept for a day, and who ends within two weeks is told of once a day.
func TestEngine_accountEnding(t *testing.T) {
	now := time.Now().Truncate(24 * time.Hour).Add(8 * time.Hour)
	clock := func() time.Time { return now }
	ends := now.Add(3 * 24 * time.Hour).UTC()
	var asked atomic.Int32
	var refuses atomic.Bool
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		if refuses.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte(`{"success":true,"data":{"id":1,"email":"a@b.example","plan":2,"is_subscribed":false,"premium_expires_at":"` + ends.Format(time.RFC3339) + `"}}`))
	}))
	defer provider.Close()
	account := config.DebridAccount{User: 2, Provider: "torbox", APIKey: "s3cret", BaseURL: provider.URL}
	r := newRig(t, nil)
	r.store = sourcetest.NewMemory(clock)
	look := func(what string, requests int, want ...sources.AccountEnding) {
		t.Helper()
		asked.Store(0)
		got := sourcetest.EventsOf[sources.AccountEnding](r.once(clock, account))
		if len(got) != len(want) || len(got) > 0 && got[0] != want[0] {
			t.Errorf("%s: told of %+v, want %+v", what, got, want)
		}
		if n := int(asked.Load()); n != requests {
			t.Errorf("%s: the provider was asked %d times, want %d", what, n, requests)
		}
	}
	ending := sources.AccountEnding{User: 2, Provider: "torbox", EndsAt: ends}
	look("at first", 1, ending)
	look("the same day", 0)
	now = now.Add(23 * time.Hour)
	look("the next day", 1, ending)
	now = now.Add(24 * time.Hour)
	refuses.Store(true)
	look("its provider is away", 1, ending)
	now = now.Add(24 * time.Hour)
	refuses.Store(false)
	ends = now.Add(14*24*time.Hour + time.Minute)
	look("renewed", 1)
	ends = now.Add(-time.Hour).UTC()
	now = now.Add(24 * time.Hour)
	ending.EndsAt = ends
	look("over", 1, ending)
}
