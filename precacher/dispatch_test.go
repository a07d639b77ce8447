package precacher_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/precacher"
	"xship/sources"
	"xship/sources/sourcetest"
)

var errCaptcha = sources.Errorf(sources.ClassUnsupported, "captcha")

// accountFor gives an account whose provider serves the named hosters.
func accountFor(hosters ...string) *sources.Accounts {
	return &sources.Accounts{
		List: []sources.Account{{User: sources.DefaultUser, Provider: "real_debrid", Key: "key"}},
		Providers: []sources.Provider{&sourcetest.FakeProvider{
			ID: "real_debrid", Hosters: hosters,
			Answer: func(_ context.Context, _ sources.Account, link string) (sources.Stream, error) {
				return sources.Stream{URL: link + "/unlocked", ExpiresAt: time.Now().Add(time.Hour)}, nil
			},
		}},
		Ahead: true,
	}
}

// order notes what was begun, in order.
type order struct {
	mu    sync.Mutex
	names []string
}

func (o *order) add(name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.names = append(o.names, name)
}

// spyQueue notes what a cycle asks a queue for.
type spyQueue struct {
	sources.Queue
	asked order
}

func (q *spyQueue) ResolveQueue(ctx context.Context, renewBefore time.Duration, limit, perHoster int) ([]sources.Job, error) {
	q.asked.add(fmt.Sprintf("resolve %d, %d a hoster", limit, perHoster))
	return q.Queue.ResolveQueue(ctx, renewBefore, limit, perHoster)
}

func (q *spyQueue) ProbeQueue(ctx context.Context, limit, perHoster int) ([]sources.Job, error) {
	q.asked.add(fmt.Sprintf("probe %d, %d a hoster", limit, perHoster))
	return q.Queue.ProbeQueue(ctx, limit, perHoster)
}

// A pull asks for a batch beyond what waits already, and only after something has
// changed.
func TestPrecacher_Cycle_pulls(t *testing.T) {
	tests := []struct {
		name    string
		sources int
		want    []string // the first pulls
	}{
		{"nothing to do", 0, []string{"resolve 32, 8 a hoster", "probe 32, 8 a hoster"}},
		{"one source", 1, []string{
			"resolve 32, 8 a hoster",
			"resolve 32, 8 a hoster", "probe 32, 8 a hoster", // after it
		}},
		{"many sources", 12, []string{
			"resolve 32, 8 a hoster",
			"resolve 39, 8 a hoster", // after the first of them: five wait, two run
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				w.add("a.example", tt.sources)
				n := 0
				w.resolve["a.example"] = func(ctx context.Context) error {
					w.mu.Lock()
					n++
					d := time.Duration(n) * time.Second
					w.mu.Unlock()
					return takes(d, nil)(ctx)
				}
				var q *spyQueue
				w.cycleOf(t, w.precacher(t, func(c *precacher.Config) { q = &spyQueue{Queue: c.Queue}; c.Queue = q }))
				got := q.asked.names
				if tt.sources > 1 {
					got = got[:len(tt.want)]
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("asked for (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// What was resolved before is probed, after what is to be resolved and also where
// that is nothing.
func TestPrecacher_Cycle_probesLeftovers(t *testing.T) {
	for _, fresh := range []int{0, 1} {
		t.Run(fmt.Sprintf("%d to resolve", fresh), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				w.add("left.example", 1)
				w.row("left.example/0").stream = &sources.StoredStream{Stream: sources.Stream{URL: "http://left.example/0"}, ResolvedAt: time.Now()}
				w.add("new.example", fresh)
				var probed order
				want := []string{"new.example", "left.example"}[1-fresh:]
				for _, name := range want {
					w.probe[name] = func(context.Context) error { probed.add(name); return nil }
				}
				got := w.cycleOf(t, w.precacher(t, func(c *precacher.Config) { c.Workers = 1 }))
				if diff := cmp.Diff(want, probed.names); diff != "" || got.Probed != len(want) {
					t.Errorf("%+v, probed (-want +got):\n%s", got, diff)
				}
			})
		})
	}
}

// Hosters in trouble are tried after the others as long as nothing worked, in the
// same cycle all the same.
func TestPrecacher_Cycle_troubleComesLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		start := time.Now()
		begun := make(map[string]time.Duration)
		try := func(name string, d time.Duration, err error) {
			w.add(name, 1)
			w.resolve[name] = func(ctx context.Context) error {
				w.mu.Lock()
				begun[name] = time.Since(start)
				w.mu.Unlock()
				return takes(d, err)(ctx)
			}
		}
		w.trouble("back.example", 1)
		w.trouble("again.example", 1)
		try("back.example", time.Second, errCaptcha)
		try("again.example", time.Second, errCaptcha)
		try("quick.example", time.Second, errCaptcha)
		try("slow.example", 5*time.Second, errCaptcha)
		got := w.cycleOf(t, w.precacher(t))
		want := map[string]time.Duration{"quick.example": 0, "slow.example": 0, "back.example": 5 * time.Second, "again.example": 5 * time.Second}
		if diff := cmp.Diff(want, begun); diff != "" || got.Failed != 4 {
			t.Errorf("%+v, begun after (-want +got):\n%s", got, diff)
		}
	})
}

// All scans are done before the first source is tried, no more of them run at once
// than may, and none begins after the budget.
func TestPrecacher_Cycle_scans(t *testing.T) {
	tests := []struct {
		name       string
		budget     time.Duration
		wantTitles int
	}{
		{"time for all", time.Hour, 7},
		{"time for some", 15 * time.Second, 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				for i := range 7 {
					w.due = append(w.due, sources.Title{Kind: sources.KindMovie, Name: fmt.Sprintf("Film %d", i)})
				}
				scanning, most, early := 0, 0, false
				w.scan = func(ctx context.Context, _ sources.Title) error {
					w.mu.Lock()
					scanning++
					most = max(most, scanning)
					w.mu.Unlock()
					err := takes(10*time.Second, nil)(ctx)
					w.mu.Lock()
					defer w.mu.Unlock()
					scanning--
					return err
				}
				w.add("a.example", 1)
				w.resolve["a.example"] = func(context.Context) error {
					w.mu.Lock()
					defer w.mu.Unlock()
					early = scanning > 0
					return nil
				}
				got := w.cycleOf(t, w.precacher(t, func(c *precacher.Config) { c.Scans, c.Budget = 2, tt.budget }))
				if got.Titles != tt.wantTitles || most != 2 || early {
					t.Errorf("%+v, %d scans at once, a source tried meanwhile: %t; want %d titles, two at once", got, most, early, tt.wantTitles)
				}
			})
		})
	}
}

// brokenQueue cannot hold a source back.
type brokenQueue struct {
	sources.Queue
	err error
}

func (q brokenQueue) HoldBack(context.Context, string) error { return q.err }

func TestPrecacher_Cycle_holdBackFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.add("page.example", 10)
		p := w.precacher(t, func(c *precacher.Config) {
			c.Workers, c.Queue = 1, brokenQueue{c.Queue, errFull}
			c.Streams.Accounts = accountFor("page.example")
		})
		if sum, err := p.Cycle(t.Context()); !errors.Is(err, errFull) || sum.Resolved != 1 || !strings.Contains(err.Error(), "hold back a source: ") {
			t.Errorf("Cycle() = %+v, %v, want the end after the first source", sum, err)
		}
	})
}

// What fails is told to who wants to know, with its reason.
func TestPrecacher_Cycle_tellsFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.add("bad.example", 1)
		w.resolve["bad.example"] = takes(0, errFault)
		w.add("odd.example", 1)
		w.probe["odd.example"] = takes(time.Second, errCaptcha)
		w.cycleOf(t, w.precacher(t, func(c *precacher.Config) {
			c.Logger = slog.New(slog.NewTextHandler(&w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		}))
		for _, want := range []string{
			`level=DEBUG msg="could not resolve a source" source=bad.example/0 hoster=bad.example class=hoster_fault error="503 from the hoster"`,
			`level=DEBUG msg="could not probe a source" source=odd.example/0 hoster=odd.example class=unsupported error=captcha`,
		} {
			if !slices.ContainsFunc(w.lines("could not"), func(line string) bool { return strings.Contains(line, want) }) {
				t.Errorf("log lacks %s:\n%s", want, w.log.String())
			}
		}
	})
}
