package precacher_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/precacher"
	"xship/sources"
)

func TestPrecacher_Cycle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.due = []sources.Title{{Kind: sources.KindMovie, Name: "Film"}, {Kind: sources.KindMovie, Name: "Broken"}, {Kind: sources.KindMovie, Name: "Mad"}}
		w.scan = func(_ context.Context, title sources.Title) error {
			switch title.Name {
			case "Broken":
				return errors.New("no interface could be loaded")
			case "Mad":
				panic("boom")
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			w.add("found.example", 1)
			return nil
		}
		w.add("bad.example", 3)
		w.add("dead.example", 1)
		w.add("good.example", 3)
		w.add("odd.example", 1)
		w.hosters["blocked.example"] = &hoster{fails: 6, until: time.Now().Add(time.Minute)}
		w.add("blocked.example", 2)
		w.resolve["bad.example"] = takes(time.Second, errFault)
		w.resolve["dead.example"] = takes(0, sources.Errorf(sources.ClassDeadLink, "404"))
		w.resolve["good.example"] = takes(2*time.Second, nil)
		w.probe["odd.example"] = takes(3*time.Second, errFault)
		var progress sources.CycleSummary
		got := w.cycleOf(t, w.precacher(t, func(c *precacher.Config) { c.Progress = func(p precacher.Progress) { progress = p.CycleSummary } }))

		want := sources.CycleSummary{Titles: 1, TitlesFailed: 2, Resolved: 5, Probed: 4, Failed: 4, Duration: 4 * time.Second}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("summary (-want +got):\n%s", diff)
		}
		progress.Duration = got.Duration
		if diff := cmp.Diff(got, progress); diff != "" {
			t.Errorf("last progress (-want +got):\n%s", diff)
		}
		wantLines := []string{
			`level=INFO msg="[Hoster-Stats] bad.example: ok 0, fail 2, backoff 1 fails"`,
			`level=INFO msg="[Hoster-Stats] blocked.example: ok 0, fail 0, backoff 6 fails"`,
			`level=INFO msg="[Hoster-Stats] found.example: ok 2, fail 0"`,
			`level=INFO msg="[Hoster-Stats] good.example: ok 6, fail 0"`,
			`level=INFO msg="[Hoster-Stats] odd.example: ok 1, fail 1, backoff 1 fails"`,
			`level=INFO msg="precache cycle done" titles=1 titles_failed=2 resolved=5 probed=4 failed=4 skipped=0 duration=4s`,
		}
		if diff := cmp.Diff(wantLines, append(w.lines("[Hoster-Stats]"), w.lines("precache cycle")...)); diff != "" {
			t.Errorf("log (-want +got):\n%s", diff)
		}
		if got := w.lines("level=WARN"); len(got) != 1 || !strings.Contains(got[0], `title=Broken error="no interface could be loaded"`) {
			t.Errorf("warnings %q, want one that names the title", got)
		}
		if !w.row("dead.example/0").dead || w.row("odd.example/0").stream == nil {
			t.Error("the dead link has to be marked, and one fault costs no stream")
		}
	})
}

func TestPrecacher_Cycle_bounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		for i := range 5 {
			name := fmt.Sprintf("h%d.example", i)
			w.add(name, 20)
			w.resolve[name], w.probe[name] = takes(time.Second, nil), takes(time.Second, nil)
		}
		got := w.cycleOf(t, w.precacher(t, func(c *precacher.Config) { c.Workers = 7 }))
		if w.mostBusy != 7 {
			t.Errorf("%d at once, want the 7 workers", w.mostBusy)
		}
		for name, n := range w.mostOn {
			if n > 2 {
				t.Errorf("%d at once on %s, want at most 2", n, name)
			}
		}
		// 200 seconds of work on 7 workers, and one job's length of unevenness.
		if got.Probed != 100 || got.Duration > 200*time.Second/7+2*time.Second {
			t.Errorf("probed %d in %s", got.Probed, got.Duration)
		}
	})
}

// A slow hoster holds as many workers as it may, and nobody else up.
func TestPrecacher_Cycle_slowHoster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.add("slow.example", 50)
		w.resolve["slow.example"] = takes(10*time.Second, nil)
		var quickDone time.Duration
		start, left := time.Now(), 100
		for i := range 5 {
			name := fmt.Sprintf("quick%d.example", i)
			w.add(name, 20)
			w.probe[name] = func(ctx context.Context) error {
				err := takes(100*time.Millisecond, nil)(ctx)
				w.mu.Lock()
				defer w.mu.Unlock()
				if left--; left == 0 {
					quickDone = time.Since(start)
				}
				return err
			}
		}
		got := w.cycleOf(t, w.precacher(t))
		if got.Probed != 150 || got.Duration > 252*time.Second {
			t.Errorf("probed %d in %s, want 150 in the 250s that the slow hoster needs", got.Probed, got.Duration)
		}
		if quickDone > 5*time.Second {
			t.Errorf("the quick hosters took %s, want at most the 5s of the two workers left for them", quickDone)
		}
		if w.pulls > 150 {
			t.Errorf("%d pulls for 150 sources", w.pulls)
		}
	})
}

// What a killed cycle left resolved is probed, without resolving it again.
func TestPrecacher_Cycle_leftovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.add("a.example", 2)
		w.row("a.example/0").stream = &sources.StoredStream{Stream: sources.Stream{URL: "http://a.example/0"}, ResolvedAt: time.Now()}
		got := w.cycleOf(t, w.precacher(t))
		if got.Probed != 2 || w.resolves["a.example/0"] != 0 || w.resolves["a.example/1"] != 1 {
			t.Errorf("probed %d, resolved %v", got.Probed, w.resolves)
		}
	})
}

func TestPrecacher_Cycle_renewal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.add("a.example", 4)
		now, info := time.Now(), &sources.MediaInfo{}
		for i, s := range []sources.StoredStream{
			{Stream: sources.Stream{ExpiresAt: now.Add(10 * time.Minute)}, ResolvedAt: now},
			{Stream: sources.Stream{ExpiresAt: now.Add(20 * time.Minute)}, ResolvedAt: now},
			{ResolvedAt: now.Add(-50 * time.Minute)}, // lives an hour
			{ResolvedAt: now.Add(-40 * time.Minute)},
		} {
			s.MediaInfo = info
			w.rows[i].stream = &s
		}
		p := w.precacher(t, func(c *precacher.Config) { c.RenewBefore = 15 * time.Minute })
		w.resolve["a.example"] = takes(time.Second, errFault) // so that both are under way
		w.cycleOf(t, p)
		if w.rows[0].stream == nil {
			t.Error("a stream that still plays is lost where its renewal fails")
		}
		w.resolve["a.example"] = nil
		time.Sleep(time.Minute)
		w.cycleOf(t, p)
		want := map[string]int{"a.example/0": 2, "a.example/2": 2}
		if diff := cmp.Diff(want, w.resolves); diff != "" {
			t.Errorf("resolved (-want +got):\n%s", diff)
		}
	})
}

// A source that failed is tried again in the next cycle and not in this one,
// although the block of its hoster ends while the cycle runs.
func TestPrecacher_Cycle_noRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.add("good.example", 30)
		w.resolve["good.example"] = takes(2*time.Second, nil)
		w.add("flaky.example", 2)
		w.resolve["flaky.example"] = takes(time.Second, errFault)
		p := w.precacher(t, func(c *precacher.Config) { c.PerHoster = 1 })
		if got := w.cycleOf(t, p); got.Failed != 2 || got.Skipped != 0 || got.Resolved != 30 {
			t.Errorf("first cycle %+v", got)
		}
		want := map[string]int{"flaky.example/0": 1, "flaky.example/1": 1}
		for i := range 30 {
			want[fmt.Sprintf("good.example/%d", i)] = 1
		}
		if diff := cmp.Diff(want, w.resolves); diff != "" {
			t.Errorf("resolved (-want +got):\n%s", diff)
		}
		w.resolve["flaky.example"] = nil
		if got := w.cycleOf(t, p); got.Resolved != 2 {
			t.Errorf("second cycle %+v", got)
		}
	})
}

// Repeated cycles lead a failing hoster down the ladder, and a success back.
func TestPrecacher_Cycle_ladder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.add("bad.example", 10)
		w.resolve["bad.example"] = takes(0, errFault)
		w.resolve["good.example"] = takes(time.Second, nil)
		p := w.precacher(t)
		for fails := 1; fails <= 8; fails++ {
			w.rows = slices.DeleteFunc(w.rows, func(r *row) bool { return r.src.Hoster == "good.example" })
			w.add("good.example", 1)
			w.log.Reset()
			w.cycleOf(t, p)
			want := fmt.Sprintf(`[Hoster-Stats] bad.example: ok 0, fail 1, backoff %d fails"`, fails)
			got := w.lines("bad.example:")
			if fails == 1 && len(got) == 1 { // the second may have begun before the first failed: one incident
				got[0] = strings.Replace(got[0], "fail 2", "fail 1", 1)
			}
			if len(got) != 1 || !strings.HasSuffix(got[0], want) {
				t.Errorf("stats %q, want %q", got, want)
			}
			left := time.Until(w.hosters["bad.example"].until)
			if want := block(fails); left > want || left < want-2*time.Second {
				t.Errorf("blocked for %s after %d fails, want %s", left, fails, want)
			}
			time.Sleep(left)
		}
		w.resolve["bad.example"] = nil
		w.rows = slices.DeleteFunc(w.rows, func(r *row) bool { return r.src.Hoster == "good.example" })
		w.log.Reset()
		if got := w.cycleOf(t, p); got.Resolved != 10 {
			t.Errorf("last cycle %+v", got)
		}
		if got := w.lines("bad.example: ok 20, fail 0\""); len(got) != 1 {
			t.Errorf("stats:\n%s", w.log.String())
		}
	})
}

// Whether the fail of a hoster counts does not hang on who answers first.
func TestPrecacher_Cycle_guard(t *testing.T) {
	tests := []struct {
		name  string
		setup func(*world)
		want  map[string]int // consecutive fails
		tests []sources.Class
	}{
		{"fail before the first success", func(w *world) {
			w.add("bad.example", 1)
			w.add("good.example", 1)
			w.resolve["bad.example"] = takes(0, errFault)
			w.resolve["good.example"] = takes(5*time.Second, nil)
		}, map[string]int{"bad.example": 1, "good.example": 0}, nil},
		{"two fails of one hoster before the first success", func(w *world) {
			w.add("bad.example", 8)
			w.add("good.example", 1)
			w.resolve["bad.example"] = takes(0, errFault)
			w.resolve["good.example"] = takes(5*time.Second, nil)
		}, map[string]int{"bad.example": 1, "good.example": 0}, nil},
		{"success before the fail", func(w *world) {
			w.add("bad.example", 1)
			w.add("good.example", 1)
			w.resolve["bad.example"] = takes(5*time.Second, errFault)
		}, map[string]int{"bad.example": 1, "good.example": 0}, nil},
		{"nothing works", func(w *world) {
			for i := range 10 {
				name := fmt.Sprintf("h%d.example", i)
				w.add(name, 3)
				w.resolve[name] = takes(0, errFault)
			}
		}, map[string]int{}, nil},
		{"nothing works, the store asks a canary", func(w *world) {
			w.canary = &sources.Canary{Hoster: "old.example", Link: "http://old.example/"}
			w.add("bad.example", 1)
			w.resolve["bad.example"] = takes(0, errFault)
		}, map[string]int{}, []sources.Class{sources.ClassOK}},
		{"a hoster in trouble waits for the first success", func(w *world) {
			w.trouble("bad.example", 3)
			w.add("bad.example", 2)
			w.add("good.example", 1)
			w.resolve["bad.example"] = takes(0, errFault)
			w.resolve["good.example"] = takes(5*time.Second, nil)
		}, map[string]int{"bad.example": 4, "good.example": 0}, nil},
		{"only hosters in trouble are left", func(w *world) {
			w.trouble("a.example", 3)
			w.trouble("b.example", 3)
			w.add("a.example", 2)
			w.add("b.example", 2)
			w.resolve["b.example"] = takes(time.Second, nil)
			w.resolve["a.example"] = takes(0, errFault)
		}, map[string]int{"a.example": 4, "b.example": 0}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				tt.setup(w)
				w.cycleOf(t, w.precacher(t, func(c *precacher.Config) { c.Workers = 2 }))
				for name, h := range w.hosters {
					if h.fails != tt.want[name] {
						t.Errorf("%s has %d consecutive fails, want %d", name, h.fails, tt.want[name])
					}
				}
				if diff := cmp.Diff(tt.tests, w.canaries); diff != "" {
					t.Errorf("canaries (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// A dead network is found out with one try at a hoster.
func TestPrecacher_Cycle_outage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		for i := range 20 {
			name := fmt.Sprintf("h%d.example", i)
			w.add(name, 50)
			w.resolve[name] = takes(0, errFault)
		}
		got := w.cycleOf(t, w.precacher(t))
		if got.Failed > 40 || got.Skipped != 0 {
			t.Errorf("%+v, want at most the two per hoster that ran at once", got)
		}
	})
}

// A hoster that comes out of a block gets one attempt at a time, and none of
// its sources is lost by that.
func TestPrecacher_Cycle_oneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.trouble("back.example", 5)
		w.add("back.example", 6)
		w.add("good.example", 6)
		atOnce := 0
		w.resolve["back.example"] = func(ctx context.Context) error {
			w.mu.Lock()
			if w.hosters["back.example"].fails > 0 {
				atOnce = max(atOnce, w.busyOn["back.example"])
			}
			w.mu.Unlock()
			return takes(time.Second, nil)(ctx)
		}
		if got := w.cycleOf(t, w.precacher(t)); got.Resolved != 12 || got.Skipped != 0 || atOnce != 1 {
			t.Errorf("%+v and %d at once, want all 12 and one", got, atOnce)
		}
		if !strings.HasPrefix(w.begun[0], "http://good.example/") {
			t.Errorf("the first attempt was %s, want a hoster with a good record", w.begun[0])
		}
	})
}

// A hoster that another process tries is left alone, which is no fail.
func TestPrecacher_Cycle_leasedElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.add("leased.example", 5)
		w.add("good.example", 1)
		w.hosters["leased.example"] = &hoster{fails: 1, leased: true}
		got := w.cycleOf(t, w.precacher(t))
		if want := (sources.CycleSummary{Resolved: 1, Probed: 1, Skipped: 1}); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	})
}

// Sources that nobody can resolve, and streams that never live long, do not
// keep the rest of their hoster from a turn.
func TestPrecacher_Cycle_headOfQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.add("a.example", 60)
		n := 0
		w.resolve["a.example"] = func(context.Context) error {
			w.mu.Lock()
			defer w.mu.Unlock()
			if n++; n <= 30 {
				return sources.Errorf(sources.ClassUnsupported, "needs a parser")
			}
			return nil
		}
		p := w.precacher(t, func(c *precacher.Config) { c.RenewBefore = 24 * time.Hour })
		if got := w.cycleOf(t, p); got.Failed != 30 || got.Probed != 30 {
			t.Errorf("%+v, want a turn for each", got)
		}
	})
}

func TestPrecacher_Cycle_budget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.add("a.example", 100)
		w.resolve["a.example"] = takes(20*time.Second, nil)
		p := w.precacher(t, func(c *precacher.Config) { c.Budget = 10 * time.Minute })
		c := w.cycleOf(t, p)
		if c.Resolved != 60 || c.Duration != 10*time.Minute {
			t.Errorf("%+v, want what two workers do in the ten minutes", c)
		}
	})
}

func TestPrecacher_Cycle_shutdown(t *testing.T) {
	tests := []struct {
		name   string
		stub   bool // jobs do not look at their context
		within time.Duration
	}{
		{"jobs that end with their context", false, 0},
		{"jobs that do not", true, 2 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				w.add("bad.example", 1)
				w.resolve["bad.example"] = takes(time.Second, errFault)
				w.trouble("back.example", 2)
				w.add("back.example", 1)
				w.add("a.example", 30)
				w.probe["a.example"] = takes(time.Hour, nil)
				if tt.stub {
					w.probe["a.example"] = func(context.Context) error { time.Sleep(time.Hour); return errFault }
				}
				w.resolve["a.example"] = takes(2*time.Second, nil)
				p := w.precacher(t, func(c *precacher.Config) {
					c.Workers, c.PerHoster, c.ProbeTimeout = 25, 20, time.Hour
				})
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(10*time.Second, cancel)
				start := time.Now()
				sum, err := p.Cycle(ctx)
				if took := time.Since(start) - 10*time.Second; took != tt.within {
					t.Errorf("ended %s after its context, want %s", took, tt.within)
				}
				if !errors.Is(err, context.Canceled) || sum.Failed != 1 || sum.Probed != 1 {
					t.Errorf("Cycle() = %+v, %v", sum, err)
				}
				if h := w.hosters["a.example"]; h.fail != 0 || h.fails != 0 {
					t.Errorf("counted %d fails against a hoster of running jobs", h.fail)
				}
				if got := w.lines("[Hoster-Stats]"); len(got) != 3 {
					t.Errorf("stats %q, want those of the three hosters", got)
				}
				if got := w.lines("precache cycle interrupted"); len(got) != 1 {
					t.Errorf("no summary:\n%s", w.log.String())
				}
				if tt.stub {
					time.Sleep(time.Hour) // what was left behind can still end
				}
			})
		})
	}
}

// Reports held back by a cycle that is cancelled count for nothing.
func TestPrecacher_Cycle_shutdownHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.trouble("back.example", 1)
		w.add("back.example", 1)
		w.resolve["back.example"] = takes(0, errFault)
		w.add("hang.example", 1)
		w.trouble("hang.example", 1)
		w.resolve["hang.example"] = takes(time.Hour, nil)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := w.precacher(t).Cycle(ctx); err == nil {
			t.Error("no error of a cycle that was cut off")
		}
		for name, h := range w.hosters {
			if h.fail != 0 || h.fails != 1 || h.leased {
				t.Errorf("%s: %+v, want it untouched and free", name, *h)
			}
		}
	})
}

func TestPrecacher_Cycle_storeFails(t *testing.T) {
	full := errors.New("xship.db: the disk is full")
	for _, method := range []string{"BeginCycle", "Due", "ResolveQueue", "BeginAttempt", "EndAttempt", "PutStream", "PutMediaInfo"} {
		t.Run(method, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				w.add("a.example", 30)
				w.add("b.example", 30)
				w.resolve["a.example"], w.resolve["b.example"] = takes(time.Second, nil), takes(time.Second, nil)
				p := w.precacher(t)
				w.broken[method] = full
				sum, err := p.Cycle(t.Context())
				if !errors.Is(err, full) || sum.Resolved > 8 {
					t.Errorf("Cycle() = %+v, %v", sum, err)
				}
				if got := w.lines("the disk is full"); len(got) != 1 || !strings.Contains(got[0], "level=ERROR") {
					t.Errorf("log %q, want the reason once", got)
				}
				delete(w.broken, method)
				if got := w.cycleOf(t, p); got.Resolved < 50 {
					t.Errorf("the next cycle: %+v", got)
				}
			})
		})
	}
}

func TestNew_incomplete(t *testing.T) {
	if _, err := precacher.New(precacher.Config{}); err == nil {
		t.Error("New took a config without a store")
	}
}

// A success that began after the fails ended does not vouch for them: the line
// was down then.
func TestPrecacher_Cycle_lineDownAtFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		bad := []string{"a.example", "b.example", "c.example"}
		for _, name := range bad {
			w.add(name, 1)
			w.resolve[name] = takes(time.Second, errFault)
		}
		for _, name := range []string{"slow.example", "d.example", "e.example", "f.example"} {
			w.add(name, 1)
			w.resolve[name] = takes(2*time.Second, sources.Errorf(sources.ClassUnsupported, "captcha"))
		}
		w.add("good.example", 1) // its turn comes when some of these are done
		got := w.cycleOf(t, w.precacher(t, func(c *precacher.Config) { c.Workers = 4 }))
		if got.Resolved != 1 {
			t.Fatalf("summary %+v, want good.example resolved", got)
		}
		for _, name := range bad {
			if h := w.hosters[name]; h != nil && h.fails != 0 {
				t.Errorf("%s has %d fails, want none", name, h.fails)
			}
		}
	})
}

// A fail is not counted after a later success of the same hoster.
func TestPrecacher_Cycle_failBeforeSuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.add("x.example", 2)
		var calls atomic.Int32
		w.resolve["x.example"] = func(ctx context.Context) error {
			if calls.Add(1) == 1 {
				return takes(time.Second, errFault)(ctx)
			}
			return takes(2*time.Second, nil)(ctx)
		}
		w.cycleOf(t, w.precacher(t))
		if h := w.hosters["x.example"]; h.fails != 0 {
			t.Errorf("%d fails after a success, want none", h.fails)
		}
	})
}
