package precacher_test

import (
	"context"
	"errors"
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

// checks notes which links are tested, and when. All work but some that hang.
type checks struct {
	start time.Time
	takes time.Duration
	hang  string // part of the links that do, "" = none
	gone  string // part of the links that are, "" = none

	mu   sync.Mutex
	made []string
}

func (k *checks) check(ctx context.Context, link string) error {
	k.mu.Lock()
	k.made = append(k.made, fmt.Sprintf("%s %s", time.Since(k.start), strings.TrimPrefix(link, "http://")))
	k.mu.Unlock()
	if k.hang != "" && strings.Contains(link, k.hang) {
		return hangs(ctx)
	}
	if k.gone != "" && strings.Contains(link, k.gone) {
		return sources.Errorf(sources.ClassDeadLink, "404")
	}
	return takes(k.takes, nil)(ctx)
}

// with has a precacher test links by k.
func (k *checks) with(c *precacher.Config) {
	k.start = time.Now()
	c.Streams.Attempts.Check = k.check
}

// failing gives a hoster fails whose block is over, 0 for none, and a link that worked.
func (w *world) failing(name string, fails int) {
	w.trouble(name, fails)
	h := w.table.Hoster(name)
	h.GoodLink, h.LastSuccessAt = "http://"+name+"/good", time.Now().Add(-time.Hour).Unix()
	w.table.SetHoster(name, h)
}

// A cycle begins with the tests of the hosters that are due, beside its scans, and what
// they tell holds for its work: the hoster that came back is one like the others.
func TestPrecacher_Cycle_retests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, k := newWorld(), &checks{takes: time.Second}
		w.due = make([]sources.Title, 1)
		w.scan = func(ctx context.Context, _ sources.Title) error { return takes(3*time.Second, nil)(ctx) }
		w.failing("back.example", 2)
		w.failing("blocked.example", 3)
		w.hosters["blocked.example"].until = time.Now().Add(15 * time.Second)
		w.add("back.example", 4)
		w.resolve["back.example"] = takes(time.Second, nil)
		got := w.cycleOf(t, w.precacher(t, k.with))
		if diff := cmp.Diff([]string{"0s back.example/good"}, k.made); diff != "" {
			t.Errorf("tests (-want +got):\n%s", diff)
		}
		if want := (sources.CycleSummary{Titles: 1, Resolved: 4, Probed: 4, Duration: 5 * time.Second}); got != want {
			t.Errorf("%+v, want %+v: two at a time after the scan", got, want)
		}
		if got := w.lines("[Hoster-Stats] back.example"); len(got) != 1 || !strings.Contains(got[0], "ok 9, fail 0") {
			t.Errorf("stats %q, want the test counted", got)
		}
	})
}

// Tests run as many at a time as there are workers, and later ones come when their
// hosters are due, in a cycle that goes on and between cycles. Where nothing is failing
// nothing is tested.
func TestPrecacher_Run_retests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, k := newWorld(), &checks{}
		w.add("slow.example", 1)
		w.resolve["slow.example"] = takes(21*time.Second, nil)
		for i, s := range []int{0, 4, 13, 29, 64} {
			name := fmt.Sprintf("h%d.example", i)
			w.failing(name, 7)
			w.hosters[name].until = time.Now().Add(time.Duration(s) * time.Second)
		}
		runFor(t, w.precacher(t, k.with), "@every 15m", 10*time.Minute)
		want := []string{"0s h0.example/good", "5s h1.example/good", "15s h2.example/good", "30s h3.example/good", "1m5s h4.example/good"}
		if diff := cmp.Diff(want, k.made); diff != "" {
			t.Errorf("tests (-want +got):\n%s", diff)
		}
		for name, h := range w.hosters {
			if h.fails != 0 {
				t.Errorf("%s has %d fails", name, h.fails)
			}
		}
	})
}

// A hoster that stays down is tested ever more rarely, also where its fails do not
// count: nothing else is there that could tell whether the network is up.
func TestPrecacher_Run_retestsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, k := newWorld(), &checks{hang: "only"}
		w.failing("only.example", 1)
		runFor(t, w.precacher(t, k.with), "@every 15m", 29*time.Minute)
		if got := len(k.made); got < 9 || got > 12 {
			t.Errorf("tests %q, want them as the ladder has it", k.made)
		}
		if h := w.hosters["only.example"]; h.fails != 1 {
			t.Errorf("%+v, want no fail counted", *h)
		}
	})
}

// Hosters that were tested in vain keep no other from being tested, however many they
// are, and it is the turn of a further link only where one was tested.
func TestPrecacher_Run_retestsOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, k := newWorld(), &checks{gone: "down"}
		w.failing("good.example", 0) // it tells that the network is up
		for i := range 4 {           // as many as are asked for at once
			w.failing(fmt.Sprintf("down%d.example", i), 1)
		}
		const late = 8 * time.Minute
		time.AfterFunc(late, func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.failing("late.example", 1)
			h := w.table.Hoster("late.example")
			h.LastFailAt = time.Now().Unix()
			w.table.SetHoster("late.example", h)
		})
		runFor(t, w.precacher(t, k.with), "@every 15m", 14*time.Minute)
		tests := make(map[string]int64)
		var waited time.Duration
		for _, made := range k.made {
			at, link, _ := strings.Cut(made, " ")
			hoster, _, _ := strings.Cut(link, "/")
			if tests[hoster]++; hoster != "late.example" || tests[hoster] > 1 {
				continue
			}
			began, err := time.ParseDuration(at)
			if err != nil {
				t.Fatal(err)
			}
			waited = began - late
		}
		if n := tests["late.example"]; n == 0 || waited > 5*time.Second {
			t.Errorf("%d tests of the hoster that came later, after %s, want one within 5 s", n, waited)
		}
		for name, n := range tests {
			if !strings.HasPrefix(name, "down") { // it stands for the network
				continue
			}
			if turns := w.table.Hoster(name).Retests; turns != n {
				t.Errorf("%s: %d turns taken by %d tests", name, turns, n)
			}
		}
	})
}

// A hoster that is tested is not tried by a job too, and one that a job tries is not
// tested; neither is a fail or skipped.
func TestPrecacher_Cycle_retestAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, k := newWorld(), &checks{takes: 4 * time.Second}
		w.failing("back.example", 1)
		w.add("back.example", 3)
		w.resolve["back.example"] = takes(time.Second, nil)
		got := w.cycleOf(t, w.precacher(t, k.with))
		if want := (sources.CycleSummary{Resolved: 3, Probed: 3, Duration: 6 * time.Second}); got != want {
			t.Errorf("%+v, want %+v: after the test", got, want)
		}
	})
}

// Many hosters that are due hold up no work: tests take half of the workers while there
// is other work, and all where there is none.
func TestPrecacher_Cycle_retestsBeside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, d := newWorld(), diary{start: time.Now()}
		k := &checks{hang: "down"} // until they are given up
		for i := range 20 {
			w.failing(fmt.Sprintf("down%d.example", i), 7)
		}
		w.failing("good.example", 0) // it worked, so that it is known that the network is up
		w.add("good.example", 6)
		d.keep(w, "good.example", 2*time.Second, nil)
		w.cycleOf(t, w.precacher(t, k.with))
		const s = time.Second
		// The first four tests end after 5 s; meanwhile nothing is left for the jobs.
		if diff := cmp.Diff([]time.Duration{5 * s, 5 * s, 7 * s, 7 * s, 9 * s, 9 * s}, d.at); diff != "" {
			t.Errorf("jobs began after (-want +got):\n%s", diff)
		}
		if len(k.made) < 20 {
			t.Errorf("%d tests, want one of each hoster", len(k.made))
		}
	})
}

// However many hosters are due, a cycle tests them once and then ends.
func TestPrecacher_Cycle_retestsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, k := newWorld(), &checks{hang: "down"}
		w.failing("good.example", 0) // it worked, so that it is known that the network is up
		for i := range 200 {
			w.failing(fmt.Sprintf("down%d.example", i), 7)
		}
		got := w.cycleOf(t, w.precacher(t, k.with, func(c *precacher.Config) { c.Workers = 8 }))
		down := slices.DeleteFunc(k.made, func(made string) bool { return strings.Contains(made, "good.example") })
		if len(down) != 64 || got.Duration != 40*time.Second {
			t.Errorf("%d tests in %s, want 64 by eight workers", len(down), got.Duration)
		}
	})
}

// Once something has worked, what waits for a hoster whose block ended comes first, one
// at a time, whatever its place.
func TestPrecacher_Run_troubleFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, d := newWorld(), diary{start: time.Now()}
		for i := range 10 {
			name := fmt.Sprintf("h%d.example", i)
			w.add(name, 3)
			d.keep(w, name, 0, nil)
		}
		w.trouble("back.example", 6)
		w.hosters["back.example"].until = time.Now().Add(100 * time.Second)
		w.add("back.example", 4)
		d.keep(w, "back.example", 3*time.Second, func() error {
			if len(d.of("back.example")) == 1 {
				return errCaptcha
			}
			return nil
		})
		runFor(t, w.precacher(t, paced), "@every 15m", 14*time.Minute)
		got := d.of("back.example")
		if len(got) != 4 || got[0] < 100*time.Second || got[0] > 106*time.Second || got[1] != got[0]+3*time.Second || got[2] < got[1]+time.Minute {
			t.Errorf("begun after %v, want the first ones one after the other when the block ended, and those after a success in their places", got)
		}
	})
}

// outageAt has all links fail from one time on until another.
func outageAt(from, to time.Duration) func(context.Context, string) error {
	begin := time.Now()
	return func(ctx context.Context, _ string) error {
		if err := takes(100*time.Millisecond, nil)(ctx); err != nil {
			return err
		}
		if at := time.Since(begin); at >= from && at < to {
			return errFault
		}
		return nil
	}
}

// proven has the shelf's sources, n of each of so many hosters, of which the first ones
// worked ten minutes ago.
func (s *shelf) proven(hosters, n int) {
	s.Helper()
	var first, all []string
	for i := range hosters {
		first = append(first, fmt.Sprintf("http://h%d.example/0", i))
		for j := range n {
			all = append(all, fmt.Sprintf("http://h%d.example/%d", i, j))
		}
	}
	s.answers = func(context.Context, string) error { return nil }
	s.watch(first...)
	_, err := s.precacher().Cycle(s.Context())
	s.must(err)
	s.watch(all...)
	s.log.Reset()
	time.Sleep(10 * time.Minute)
}

// In an outage nothing is begun but tests of the network, ever more rarely. When it is
// over the work goes on, with what failed in it; nobody is blamed.
func TestPrecacher_Run_outage(t *testing.T) {
	for _, change := range []func(*precacher.Config){paced, func(*precacher.Config) {}} {
		var cfg precacher.Config
		change(&cfg)
		t.Run(fmt.Sprintf("paced %t", cfg.Pace), func(t *testing.T) {
			eachShelf(t, func(s *shelf) {
				s.proven(10, 4)
				answers := outageAt(2*time.Second, 3*time.Minute)
				begin := time.Now()
				var mu sync.Mutex
				asked := 0
				s.answers = func(ctx context.Context, link string) error {
					mu.Lock()
					if at := time.Since(begin); at > 20*time.Second && at < 3*time.Minute {
						asked++
					}
					mu.Unlock()
					return answers(ctx, link)
				}
				want := "resolved=29 " // all but a link by which a hoster was tested before the outage was known
				if !cfg.Pace {         // all would be done by then
					want = "resolved=30 "
					answers = outageAt(0, 3*time.Minute)
				}
				runFor(s.T, s.precacher(change), "@every 15m", 14*time.Minute)
				if asked > 15 {
					s.Errorf("%d links tried in the outage of three minutes", asked)
				}
				if got := s.log.String(); strings.Count(got, "precache cycle done") != 1 || !strings.Contains(got, want) {
					s.Errorf("log:\n%s", got)
				}
				if on := s.listed(); len(on) != 40 {
					s.Errorf("%d of 40 links listed", len(on))
				}
				hosters, err := s.Hosters(s.Context())
				s.must(err)
				for _, h := range hosters {
					if !h.Healthy() {
						s.Errorf("%+v", h)
					}
				}
			})
		})
	}
}

// A network that stays down is waited for by the daemon as long as its cycle may take, and
// by a single one not at all; the next one finds all that is left.
func TestPrecacher_outageLasts(t *testing.T) {
	tests := []struct {
		name string
		run  func(*shelf)
		want time.Duration
	}{
		{"a single cycle", func(s *shelf) {
			_, err := s.precacher().Cycle(s.Context())
			s.must(err)
		}, 0},
		{"the daemon", func(s *shelf) { runFor(s.T, s.precacher(paced), "@every 15m", 14*time.Minute) }, 12 * time.Minute},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			eachShelf(t, func(s *shelf) {
				s.proven(10, 3)
				s.answers = outageAt(0, time.Hour)
				begin := time.Now()
				tt.run(s)
				_, took, _ := strings.Cut(s.log.String(), "duration=")
				took, _, _ = strings.Cut(strings.ReplaceAll(took, "\n", " "), " ")
				if d, err := time.ParseDuration(took); err != nil || d < tt.want || d > tt.want+10*time.Second {
					s.Errorf("the cycle took %s, want %s", took, tt.want)
				}
				if n := strings.Count(s.log.String(), "precache cycle done"); n != 1 {
					s.Errorf("%d cycles", n)
				}
				time.Sleep(time.Until(begin.Add(2 * time.Hour)))
				s.log.Reset()
				_, err := s.precacher().Cycle(s.Context())
				s.must(err)
				if got := s.log.String(); !strings.Contains(got, "resolved=30 ") {
					s.Errorf("afterwards:\n%s", got)
				}
			})
		})
	}
}

// A source that fails in one outage after the other is left to the next cycle.
func TestPrecacher_Cycle_outageAgain(t *testing.T) {
	eachShelf(t, func(s *shelf) {
		s.proven(4, 1)
		s.watch("http://h0.example/0", "http://h1.example/0", "http://h2.example/0", "http://a.example/1", "http://b.example/1", "http://c.example/1", "http://d.example/1", "http://e.example/1")
		var mu sync.Mutex
		tries := make(map[string]int)
		tested := 0
		s.answers = func(_ context.Context, link string) error {
			mu.Lock()
			defer mu.Unlock()
			if strings.HasSuffix(link, "/1") {
				tries[link]++
				return errFault
			}
			if tested++; tested%4 != 0 { // each fourth test works
				return errFault
			}
			return nil
		}
		_, err := s.precacher().Cycle(s.Context())
		s.must(err)
		for link, n := range tries {
			if n > 3 {
				s.Errorf("%s was tried %d times", link, n)
			}
		}
		if len(tries) != 5 {
			s.Errorf("tried %v", tries)
		}
	})
}

// A cycle that waits for the network ends with its context, and so do tests between
// cycles.
func TestPrecacher_Run_shutdownWhileTesting(t *testing.T) {
	t.Run("in an outage", func(t *testing.T) {
		eachShelf(t, func(s *shelf) {
			s.proven(10, 3)
			s.answers = func(ctx context.Context, _ string) error {
				if err := takes(4*time.Second, nil)(ctx); err != nil {
					return err
				}
				return errFault
			}
			begin := time.Now()
			runFor(s.T, s.precacher(), "@every 15m", time.Minute)
			if took := time.Since(begin); took != time.Minute {
				s.Errorf("ended after %s", took)
			}
		})
	})
	t.Run("between cycles", func(t *testing.T) {
		for _, hung := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				w.failing("back.example", 7)
				w.hosters["back.example"].until = time.Now().Add(28 * time.Second)
				p := w.precacher(t, func(c *precacher.Config) {
					c.Streams.Attempts.Check = func(ctx context.Context, _ string) error {
						if hung {
							time.Sleep(time.Minute)
							return nil
						}
						return hangs(ctx)
					}
				})
				begin := time.Now()
				runFor(t, p, "@every 15m", 32*time.Second)
				took := time.Since(begin) - 32*time.Second
				if hung && took != 3*time.Second || !hung && took != 0 {
					t.Errorf("ended %s after its context, hung %t", took, hung)
				}
				if h := w.hosters["back.example"]; !hung && (h.fails != 7 || h.leased) {
					t.Errorf("%+v, want it untouched", *h)
				}
				time.Sleep(time.Hour)
			})
		}
	})
}

// A store that cannot say what is to be tested ends a cycle; between cycles nobody is
// told, as the next cycle will tell it. A panic there ends nothing.
func TestPrecacher_testsFail(t *testing.T) {
	for _, method := range []string{"Guard", "DueRetests"} {
		t.Run(method, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				w.add("a.example", 3)
				p := w.precacher(t)
				w.broken[method] = errFull
				if _, err := p.Cycle(t.Context()); !errors.Is(err, errFull) || len(w.resolves) > 0 {
					t.Errorf("Cycle() = %v, resolved %v", err, w.resolves)
				}
				delete(w.broken, method)
				time.AfterFunc(time.Second, func() {
					w.mu.Lock()
					defer w.mu.Unlock()
					w.broken[method] = errFull
				})
				w.log.Reset()
				runFor(t, p, "@every 15m", time.Minute)
				if got := w.lines("level="); len(got) != 2 { // stats and summary
					t.Errorf("log:\n%s", w.log.String())
				}
			})
		})
	}
	t.Run("TestOutage", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld()
			p := w.precacher(t, func(c *precacher.Config) {
				c.Guard = func(context.Context) (sources.GuardState, error) {
					return sources.GuardState{Network: sources.NetworkOutage, LastSuccessAt: time.Now()}, nil
				}
			})
			w.broken["TestOutage"] = errFull
			if _, err := p.Cycle(t.Context()); !errors.Is(err, errFull) {
				t.Errorf("Cycle() = %v", err)
			}
		})
	})
	t.Run("panic", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w, calls := newWorld(), 0
			p := w.precacher(t, func(c *precacher.Config) {
				c.Guard = func(context.Context) (sources.GuardState, error) {
					if calls++; calls == 2 {
						panic("boom")
					}
					return sources.GuardState{}, nil
				}
			})
			runFor(t, p, "@every 15m", time.Minute)
			if calls < 10 || len(w.lines("a panic while testing hosters")) != 1 {
				t.Errorf("%d looks, log:\n%s", calls, w.log.String())
			}
		})
	})
}
