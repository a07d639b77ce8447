package precacher_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"xship/precacher"
	"xship/sources"
)

// panicQueue panics when a source is held back.
type panicQueue struct{ sources.Queue }

func (panicQueue) HoldBack(context.Context, string) error { panic("boom") }

// A panic in a job is told once, with what was done, counts as a fail, and frees
// the worker.
func TestPrecacher_Cycle_panics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.due = []sources.Title{{Kind: sources.KindMovie, Name: "Film"}, {Kind: sources.KindMovie, Name: "Mad"}}
		w.scan = func(_ context.Context, title sources.Title) error {
			if title.Name == "Mad" {
				panic("boom")
			}
			return nil
		}
		w.add("page.example", 3)
		got := w.cycleOf(t, w.precacher(t, func(c *precacher.Config) {
			c.Workers, c.Queue = 1, panicQueue{c.Queue}
			c.Streams.Accounts = accountFor("page.example")
		}))
		if want := (sources.CycleSummary{Titles: 1, TitlesFailed: 1, Failed: 3}); got != want {
			t.Errorf("summary %+v, want %+v", got, want)
		}
		lines := w.lines("a panic while")
		if len(lines) != 4 || !strings.Contains(lines[0], `level=ERROR msg="a panic while scanning Mad" panic=boom`) ||
			!strings.Contains(lines[1], `msg="a panic while precaching source page.example/0" panic=boom`) {
			t.Errorf("log %q, want one line for each of the four panics", lines)
		}
	})
}

// A cycle whose context ends waits for the jobs that end in time, each of them.
func TestPrecacher_Cycle_shutdownWaits(t *testing.T) {
	tests := []struct {
		name  string
		takes []time.Duration // of a job after the end of the context
		want  time.Duration
		left  int // tasks told to be left
	}{
		{"one after the other", []time.Duration{500 * time.Millisecond, time.Second, 1500 * time.Millisecond}, 1500 * time.Millisecond, 0},
		{"the limit is for all together", []time.Duration{time.Second, 3 * time.Second, 3 * time.Second}, 2 * time.Second, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				for i, d := range tt.takes {
					name := fmt.Sprintf("h%d.example", i)
					w.add(name, 1)
					w.probe[name] = func(context.Context) error { time.Sleep(10*time.Second + d); return errFault }
				}
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				start := time.Now()
				if _, err := w.precacher(t).Cycle(ctx); err == nil {
					t.Error("no error of a cycle that was cut off")
				}
				if took := time.Since(start) - 10*time.Second; took != tt.want {
					t.Errorf("ended %s after its context, want %s", took, tt.want)
				}
				lines := w.lines("some work did not end in time and was left")
				want := fmt.Sprintf("tasks=%d limit=2s", tt.left)
				if tt.left == 0 && len(lines) > 0 || tt.left > 0 && (len(lines) != 1 || !strings.Contains(lines[0], want)) {
					t.Errorf("log %q, want %d tasks left", lines, tt.left)
				}
				time.Sleep(time.Minute) // what was left behind can still end
			})
		})
	}
}

// slowQueue takes its time for each pull but the first one.
type slowQueue struct {
	sources.Queue
	mu    sync.Mutex
	pulls int
	takes time.Duration
}

func (q *slowQueue) ResolveQueue(ctx context.Context, renewBefore time.Duration, limit, perHoster int) ([]sources.Job, error) {
	q.mu.Lock()
	q.pulls++
	first := q.pulls == 1
	q.mu.Unlock()
	if !first {
		time.Sleep(q.takes)
	}
	return q.Queue.ResolveQueue(ctx, renewBefore, limit, perHoster)
}

// The first success starts what waited for it at once, also where it comes while
// the queue is read.
func TestPrecacher_Cycle_firstSuccessWakes(t *testing.T) {
	for _, read := range []time.Duration{0, 3 * time.Second} {
		t.Run(fmt.Sprintf("a pull takes %s", read), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				w.trouble("back.example", 1)
				w.add("back.example", 1)
				w.add("good.example", 1)
				w.add("other.example", 1)
				w.resolve["other.example"] = takes(time.Second, sources.Errorf(sources.ClassUnsupported, "captcha")) // its end makes the cycle pull
				w.resolve["good.example"] = takes(2*time.Second, nil)
				w.probe["good.example"] = takes(15*time.Second, nil)
				start := time.Now()
				var begun time.Duration
				w.resolve["back.example"] = func(context.Context) error { begun = time.Since(start); return nil }
				w.cycleOf(t, w.precacher(t, func(c *precacher.Config) { c.Queue = &slowQueue{Queue: c.Queue, takes: read} }))
				if want := max(2*time.Second, time.Second+read); begun != want {
					t.Errorf("the hoster in trouble was tried after %s, want %s", begun, want)
				}
			})
		})
	}
}

// A first success after the end of the budget ends no wait for the jobs that run.
func TestPrecacher_Cycle_firstSuccessWhileDraining(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.add("other.example", 1)
		w.resolve["other.example"] = takes(2*time.Second, sources.Errorf(sources.ClassUnsupported, "captcha"))
		w.add("good.example", 1)
		w.resolve["good.example"] = takes(3*time.Second, nil)
		w.probe["good.example"] = takes(time.Second, nil)
		w.add("slow.example", 1)
		w.resolve["slow.example"] = takes(5*time.Second, nil)
		got := w.cycleOf(t, w.precacher(t, func(c *precacher.Config) { c.Budget = time.Second }))
		if want := (sources.CycleSummary{Resolved: 2, Probed: 2, Failed: 1, Duration: 5 * time.Second}); got != want {
			t.Errorf("summary %+v, want %+v", got, want)
		}
	})
}
