package archive_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"xship/sources"
	"xship/sources/site/archive"
	"xship/sources/sourcetest"
	"xship/sources/sourcetest/world"
)

// clock is a clock that a test sets.
type clock struct{ seconds atomic.Int64 }

func newClock() *clock {
	c := new(clock)
	c.seconds.Store(time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC).Unix())
	return c
}

func (c *clock) now() time.Time { return time.Unix(c.seconds.Load(), 0).UTC() }

func (c *clock) advance(d time.Duration) { c.seconds.Add(int64(d / time.Second)) }

// TestClient_keeps asks again when an answer is too old, and keeps none that is broken,
// in memory and in a store, which others share.
func TestClient_keeps(t *testing.T) {
	for name, store := range map[string]func(*clock) sources.Answers{
		"memory": func(*clock) sources.Answers { return nil },
		"store":  func(c *clock) sources.Answers { return sourcetest.NewMemory(c.now) },
	} {
		t.Run(name, func(t *testing.T) {
			clock, film := newClock(), movie("Paper Submarines", 1990)
			a := startArchive(t, item("a", "Paper Submarines", 1990, nil, video("a.mp4", nil)))
			answers := store(clock)
			site := newSite(t, a.URL(), func(o *archive.Options) { o.Answers, o.Now = answers, clock.now })
			asked := func(what string, want int) {
				t.Helper()
				a.ResetCounters()
				if found := search(t, site, film); len(found) != 1 || a.Requests() != want {
					t.Errorf("%s: %d sources and %d requests, want %d", what, len(found), a.Requests(), want)
				}
			}
			asked("at first", 2)
			asked("again", 0)
			clock.advance(3*time.Hour - time.Second)
			asked("before three hours", 0)
			clock.advance(time.Second)
			asked("after three hours", 1)
			clock.advance(21 * time.Hour)
			asked("after a day", 2)
			clock.advance(-48 * time.Hour) // what was put in the future was so under another clock
			asked("with the clock set back", 2)
			if answers != nil {
				site = newSite(t, a.URL(), func(o *archive.Options) { o.Answers, o.Now = answers, clock.now })
				asked("by another process", 0)
			}
			for _, mode := range []world.Mode{world.ModeHTML, world.Mode500, world.ModeTruncated} {
				clock.advance(25 * time.Hour)
				a.SetMode(mode)
				if err := site.Search(t.Context(), film, func(sources.Source) {}); sources.ClassOf(err) != sources.ClassHosterFault {
					t.Errorf("%s: %v", mode, err)
				}
				a.SetMode(world.ModeOK)
				asked("after "+string(mode), 2)
			}
		})
	}
}

// TestClient_unavailable keeps no answer that will be another one in a moment.
func TestClient_unavailable(t *testing.T) {
	i := item("a", "Paper Submarines", 1990, nil, video("a.mp4", nil))
	down := i
	down.Beside = fields{"servers_unavailable": true}
	a := startArchive(t, down)
	site := newSite(t, a.URL(), nil)
	if found := search(t, site, movie("Paper Submarines", 1990)); len(found) > 0 {
		t.Error(found)
	}
	a.SetItems(i)
	if found := search(t, site, movie("Paper Submarines", 1990)); len(found) != 1 {
		t.Error(found)
	}
}

// TestClient_rests leaves a host alone that refuses connections or asks to be, also by
// another process on the same store.
func TestClient_rests(t *testing.T) {
	for name, c := range map[string]struct {
		fail func(tb testing.TB) (url string, good func())
		rest time.Duration
		why  string
	}{
		"refused": {func(tb testing.TB) (string, func()) {
			w := sourcetest.StartWorld(tb, world.Config{})
			a, err := w.AddArchive("archive", world.ArchiveConfig{})
			if err != nil {
				tb.Fatal(err)
			}
			w.Close()
			return a.URL(), nil
		}, 30 * time.Minute, "refused"},
		"Retry-After": {func(tb testing.TB) (string, func()) {
			a := startArchive(tb)
			a.SetMode(world.Mode429)
			return a.URL(), func() { a.SetMode(world.ModeOK) }
		}, 5 * time.Second, "429"},
	} {
		t.Run(name, func(t *testing.T) {
			clock, film := newClock(), movie("Paper Submarines", 1990)
			store := sourcetest.NewMemory(clock.now)
			url, good := c.fail(t)
			open := func() sources.Site {
				return newSite(t, url, func(o *archive.Options) { o.Answers, o.Now = store, clock.now })
			}
			ask := func(s sources.Site) error { return s.Search(t.Context(), film, func(sources.Source) {}) }
			if err := ask(open()); sources.ClassOf(err) != sources.ClassHosterFault || !strings.Contains(err.Error(), "GET "+url+"/advancedsearch.php: ") {
				t.Fatalf("got %v", err)
			}
			for range 2 {
				if err := ask(open()); sources.ClassOf(err) != sources.ClassCancelled || !strings.Contains(err.Error(), "not asked for another ") || !strings.Contains(err.Error(), c.why) {
					t.Errorf("while it rests: %v", err)
				}
				clock.advance(c.rest - time.Second)
			}
			clock.advance(time.Second)
			if good != nil {
				good()
			}
			if err := ask(open()); sources.ClassOf(err) == sources.ClassCancelled || good != nil && err != nil {
				t.Errorf("after its rest: %v", err)
			}
		})
	}
}

// TestClient_agent names xship, and announces what nobody asked for alone.
func TestClient_agent(t *testing.T) {
	a := startArchive(t)
	announced := 0
	o := func(o *archive.Options) {
		o.Agent, o.Announce = "xship/1.2 (+https://xship.example)", func(context.Context) { announced++ }
	}
	search(t, newSite(t, a.URL(), o), movie("Paper Submarines", 0))
	if agent := a.Log()[0].Header.Get("User-Agent"); agent != "xship/1.2 (+https://xship.example)" || announced != 1 {
		t.Errorf("agent %q, announced %d times", agent, announced)
	}
	spec := archive.Spec(a.URL())
	spec.Beside, spec.Headers = false, map[string]string{"user-agent": "own"}
	options := archive.Options{Fetch: newFetch(t)}
	o(&options)
	site, err := archive.New(spec, archive.NewClient(options))
	if err != nil {
		t.Fatal(err)
	}
	search(t, site, movie("Paper Submarines", 0))
	if agent := a.Log()[1].Header.Get("User-Agent"); agent != "own" || announced != 1 {
		t.Errorf("agent %q, announced %d times", agent, announced)
	}
}

// TestClient_noStore works on where the store does not.
func TestClient_noStore(t *testing.T) {
	store := sourcetest.NewMemory(time.Now)
	store.SetError(errors.New("disk full"), "Answer", "PutAnswer")
	a := startArchive(t, item("a", "Paper Submarines", 1990, nil, video("a.mp4", nil)))
	if found := search(t, newSite(t, a.URL(), func(o *archive.Options) { o.Answers = store }), movie("Paper Submarines", 1990)); len(found) != 1 {
		t.Error(found)
	}
}
