package precacher_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/precacher"
	"xship/sources"
)

// diary notes when each source was begun.
type diary struct {
	start time.Time
	mu    sync.Mutex
	begun []string // hosters, in order
	at    []time.Duration
}

// keep has the hoster answer after a while, with what err gives.
func (d *diary) keep(w *world, name string, after time.Duration, err func() error) {
	w.resolve[name] = func(ctx context.Context) error {
		d.mu.Lock()
		d.begun = append(d.begun, name)
		d.at = append(d.at, time.Since(d.start))
		d.mu.Unlock()
		var fails error
		if err != nil {
			fails = err()
		}
		return takes(after, fails)(ctx)
	}
}

func (d *diary) of(name string) (at []time.Duration) {
	for i, n := range d.begun {
		if n == name {
			at = append(at, d.at[i])
		}
	}
	return at
}

func paced(c *precacher.Config) { c.Pace = true }

// runFor runs p by schedule for a while.
func runFor(t *testing.T, p *precacher.Precacher, schedule string, d time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	if err := p.Run(ctx, schedule); err != nil {
		t.Fatal(err)
	}
}

// A cycle by schedule is spread over 80 % of the time to the next one, or of its budget
// where that is less, and only where it is on eight hosters or more and may be.
func TestPrecacher_Run_pace(t *testing.T) {
	tests := []struct {
		name     string
		schedule string
		hosters  int
		change   func(*precacher.Config)
		want     time.Duration // between two beginnings
	}{
		{"15 minutes", "@every 15m", 10, paced, 12 * time.Minute / 30},
		{"an hour is more than the budget", "@hourly", 10, paced, 24 * time.Minute / 30},
		{"once a day", "30 2 * * *", 10, paced, 24 * time.Minute / 30},
		{"a shorter budget", "@every 15m", 10, func(c *precacher.Config) { c.Pace, c.Budget = true, 5*time.Minute }, 4 * time.Minute / 30},
		{"few hosters", "@every 15m", 7, paced, 0},
		{"no pace", "@every 15m", 10, func(*precacher.Config) {}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, d := newWorld(), diary{start: time.Now()}
				for i := range tt.hosters {
					name := fmt.Sprintf("h%d.example", i)
					w.add(name, 3)
					d.keep(w, name, 0, nil)
				}
				p := w.precacher(t, tt.change)
				runFor(t, p, tt.schedule, 29*time.Minute)
				var want []time.Duration
				for i := range 3 * tt.hosters {
					want = append(want, time.Duration(i)*tt.want)
				}
				got := slices.Clone(d.at)
				for i := range got {
					got[i] = got[i].Round(time.Millisecond)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("sources were begun after (-want +got):\n%s", diff)
				}
				for turn := range slices.Chunk(d.begun, tt.hosters) {
					if each := slices.Compact(slices.Sorted(slices.Values(turn))); tt.want > 0 && len(each) != tt.hosters {
						t.Errorf("hosters in the order %q, want them in turn", d.begun)
					}
				}
				if got := w.lines("precache cycle done"); tt.schedule == "@every 15m" && len(got) != 2 {
					t.Errorf("cycles %q, want the second by schedule", got)
				}
			})
		})
	}
}

// A cycle that is run once is not spread.
func TestPrecacher_Cycle_noPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		for i := range 10 {
			w.add(fmt.Sprintf("h%d.example", i), 3)
		}
		if got := w.cycleOf(t, w.precacher(t, paced)); got.Probed != 30 || got.Duration != 0 {
			t.Errorf("%+v, want all at once", got)
		}
	})
}

// The time that the scans took is not there for the work.
func TestPrecacher_Run_paceAfterScans(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, d := newWorld(), diary{start: time.Now()}
		w.due = make([]sources.Title, 1)
		w.scan = func(ctx context.Context, _ sources.Title) error { return takes(5*time.Minute, nil)(ctx) }
		for i := range 8 {
			name := fmt.Sprintf("h%d.example", i)
			w.add(name, 1)
			d.keep(w, name, 0, nil)
		}
		runFor(t, w.precacher(t, paced), "@every 15m", 14*time.Minute)
		const m = time.Minute
		if diff := cmp.Diff([]time.Duration{5 * m, 6 * m, 7 * m, 8 * m, 9 * m, 10 * m, 11 * m, 12 * m}, d.at); diff != "" {
			t.Errorf("sources were begun after (-want +got):\n%s", diff)
		}
	})
}

// What becomes due while a cycle runs is taken in, spread over what is left, and what
// was resolved before and has yet to be probed has its place too.
func TestPrecacher_Run_paceLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, d := newWorld(), diary{start: time.Now()}
		var probed sync.Map
		for i := range 7 {
			name := fmt.Sprintf("h%d.example", i)
			w.add(name, 2)
			d.keep(w, name, 0, nil)
		}
		leave(w, "left.example") // makes them eight
		w.probe["left.example"] = func(context.Context) error { probed.Store("left", time.Since(d.start)); return nil }
		d.keep(w, "new.example", 0, nil)
		time.AfterFunc(6*time.Minute-time.Second, func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.add("new.example", 6)
		})
		runFor(t, w.precacher(t, paced), "@every 15m", 14*time.Minute)
		const m = time.Minute
		got := d.of("new.example")
		if len(got) != 6 || got[0] < 6*m-2*time.Second || got[0] > 6*m+5*time.Second || got[5] > 12*m {
			t.Fatalf("later sources were begun after %v, want them over the second half", got)
		}
		for i, at := range got[1:] {
			if gap := at - got[i]; gap < 59*time.Second || gap > 61*time.Second {
				t.Errorf("%s between the later sources %v, want a minute", gap, got)
			}
		}
		if at, ok := probed.Load("left"); !ok || at != 7*12*m/15 {
			t.Errorf("probed what was resolved before after %v, want it last of the first turn", at)
		}
	})
}

// What the workers cannot do in the time is begun as they are free, and the queues are
// asked now and then only.
func TestPrecacher_Run_paceBacklog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		for i := range 10 {
			name := fmt.Sprintf("h%d.example", i)
			w.add(name, 280)
			w.resolve[name] = takes(4*time.Second, nil)
		}
		p := w.precacher(t, paced, func(c *precacher.Config) { c.Workers = 8 })
		runFor(t, p, "@every 15m", 29*time.Minute)
		if got := w.lines("precache cycle done"); len(got) != 1 || !strings.Contains(got[0], "resolved=2800 ") || !strings.Contains(got[0], "duration=23m2") {
			t.Errorf("cycles %q, want 2800 sources in the 1400s that eight workers need", got)
		}
		if w.pulls > 24*60/5 {
			t.Errorf("%d pulls", w.pulls)
		}
	})
}

// Streams are renewed that end before the next cycle has had time to do so, and each
// only once.
func TestPrecacher_Run_paceRenews(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const m = time.Minute
		w, now := newWorld(), time.Now()
		for i, ends := range []time.Duration{26 * m, 28 * m, 35 * m} { // the next cycle ends after 27
			name := fmt.Sprintf("old%d.example", i)
			w.add(name, 1)
			w.row(name + "/0").stream = &sources.StoredStream{
				Stream: sources.Stream{URL: "http://" + name + "/0", ExpiresAt: now.Add(ends)}, ResolvedAt: now.Add(-m), MediaInfo: &sources.MediaInfo{},
			}
		}
		for i := range 10 {
			w.add(fmt.Sprintf("h%d.example", i), 3)
		}
		runFor(t, w.precacher(t, paced), "@every 15m", 14*m)
		for i, want := range []int{1, 0, 0} {
			if got := w.resolves[fmt.Sprintf("old%d.example/0", i)]; got != want {
				t.Errorf("stream %d was renewed %d times, want %d", i, got, want)
			}
		}
	})
}

// A cycle that waits for the next place ends with its context.
func TestPrecacher_Run_paceShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		for i := range 10 {
			w.add(fmt.Sprintf("h%d.example", i), 1)
		}
		start := time.Now()
		runFor(t, w.precacher(t, paced), "@every 15m", 100*time.Second)
		if took := time.Since(start) - 100*time.Second; took != 0 {
			t.Errorf("Run ended %s after its context", took)
		}
		if got := w.lines("precache cycle interrupted"); len(got) != 1 || len(w.resolves) != 2 {
			t.Errorf("resolved %v, log:\n%s", w.resolves, w.log.String())
		}
	})
}
