package precacher_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/precacher"
	"xship/sources"
)

var errFull = errors.New("xship.db: the disk is full")

// ledger is a hoster table that notes what is reported, in order and with the
// time, and gives a canary for the first fail where it has one.
type ledger struct {
	sources.HosterStore
	start     time.Time
	canary    *sources.Canary
	canaryErr error // of EndCanary

	mu       sync.Mutex
	reports  []string
	canaries []string
}

func (l *ledger) note(to *[]string, what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	*to = append(*to, fmt.Sprintf("%s %s", time.Since(l.start), what))
}

func (l *ledger) EndAttempt(ctx context.Context, a sources.Attempt, class sources.Class, detail string) (*sources.Canary, error) {
	l.note(&l.reports, fmt.Sprintf("%s %s", a.Hoster, class))
	if _, err := l.HosterStore.EndAttempt(ctx, a, class, detail); err != nil {
		return nil, err
	}
	if c := l.canary; class == sources.ClassHosterFault && c != nil {
		l.canary = nil
		return c, nil
	}
	return nil, nil
}

func (l *ledger) EndCanary(_ context.Context, c sources.Canary, class sources.Class) (*sources.Canary, error) {
	l.note(&l.canaries, fmt.Sprintf("%s %s", c.Hoster, class))
	return nil, l.canaryErr
}

// withLedger puts a ledger before the hoster table.
func withLedger(l *ledger) func(*precacher.Config) {
	return func(c *precacher.Config) {
		l.start, l.HosterStore = time.Now(), c.Streams.Attempts.Store
		c.Streams.Attempts.Store = l
	}
}

// leave gives a hoster one source that has a stream already.
func leave(w *world, name string) {
	w.add(name, 1)
	w.row(name + "/0").stream = &sources.StoredStream{Stream: sources.Stream{URL: "http://" + name + "/0"}, ResolvedAt: time.Now()}
}

// A fail is reported after the first success that vouches for it, before one that
// does not, at the end where there is none, and at once where as many hosters
// failed as jobs run at once.
func TestPrecacher_Cycle_reports(t *testing.T) {
	tests := []struct {
		name    string
		workers int
		setup   func(*world)
		want    []string
	}{
		{"a success under way when the fail ended", 2, func(w *world) {
			w.add("bad.example", 1)
			w.resolve["bad.example"] = takes(time.Second, errFault)
			w.add("good.example", 1)
			w.resolve["good.example"] = takes(2*time.Second, nil)
			w.probe["good.example"] = takes(10*time.Second, nil)
		}, []string{"2s good.example ok", "2s bad.example hoster_fault", "12s good.example ok"}},
		{"a success begun after the fail ended", 2, func(w *world) {
			w.add("bad.example", 1)
			w.resolve["bad.example"] = takes(time.Second, errFault)
			w.add("odd.example", 1)
			w.resolve["odd.example"] = takes(3*time.Second, errCaptcha)
			w.add("more.example", 1)
			w.resolve["more.example"] = takes(time.Second, errCaptcha)
			w.add("good.example", 1)
			w.resolve["good.example"] = takes(2*time.Second, nil)
		}, []string{"2s more.example unsupported", "3s odd.example unsupported", "4s bad.example hoster_fault", "4s good.example ok", "4s good.example ok"}},
		{"a success of the same hoster", 2, func(w *world) {
			w.add("flaky.example", 2)
			first := true
			w.resolve["flaky.example"] = func(ctx context.Context) error {
				w.mu.Lock()
				fails := first
				first = false
				w.mu.Unlock()
				if fails {
					return takes(time.Second, errFault)(ctx)
				}
				return takes(2*time.Second, nil)(ctx)
			}
		}, []string{"2s flaky.example hoster_fault", "2s flaky.example ok", "2s flaky.example ok"}},
		{"no success", 3, func(w *world) {
			w.add("bad.example", 1)
			w.resolve["bad.example"] = takes(time.Second, errFault)
			w.add("worse.example", 1)
			w.resolve["worse.example"] = takes(2*time.Second, errFault)
			w.add("odd.example", 1)
			w.resolve["odd.example"] = takes(10*time.Second, errCaptcha)
		}, []string{"10s odd.example unsupported", "10s bad.example hoster_fault", "10s worse.example hoster_fault"}},
		{"as many hosters as jobs", 2, func(w *world) {
			for i, name := range []string{"a.example", "b.example", "c.example"} {
				w.add(name, 1)
				w.resolve[name] = takes(time.Second+time.Duration(i%2)*500*time.Millisecond, errFault)
			}
			w.add("odd.example", 1)
			w.resolve["odd.example"] = takes(10*time.Second, errCaptcha)
		}, []string{"1.5s a.example hoster_fault", "1.5s b.example hoster_fault", "2s c.example hoster_fault", "11.5s odd.example unsupported"}},
		{"two fails of one hoster are one hoster", 2, func(w *world) {
			w.add("bad.example", 2)
			w.resolve["bad.example"] = takes(time.Second, errFault)
			w.trouble("odd.example", 1) // begins when both have failed
			w.add("odd.example", 1)
			w.resolve["odd.example"] = takes(10*time.Second, errCaptcha)
		}, []string{"11s odd.example unsupported", "11s bad.example hoster_fault", "11s bad.example hoster_fault"}},
		{"fails of probes, as many hosters as jobs", 2, func(w *world) {
			leave(w, "a.example")
			leave(w, "b.example")
			w.probe["a.example"], w.probe["b.example"] = takes(time.Second, errFault), takes(2*time.Second, errFault)
			leave(w, "odd.example")
			w.probe["odd.example"] = takes(10*time.Second, errCaptcha)
		}, []string{"2s a.example hoster_fault", "2s b.example hoster_fault", "11s odd.example unsupported"}},
		{"a probe that works is a success, one that fails is held back", 3, func(w *world) {
			leave(w, "bad.example")
			w.probe["bad.example"] = takes(time.Second, errFault)
			leave(w, "good.example")
			w.probe["good.example"] = takes(5*time.Second, nil)
			leave(w, "odd.example")
			w.probe["odd.example"] = takes(10*time.Second, errCaptcha)
		}, []string{"5s good.example ok", "5s bad.example hoster_fault", "10s odd.example unsupported"}},
		{"after a success nothing is held back", 2, func(w *world) {
			w.add("good.example", 1)
			w.probe["good.example"] = takes(10*time.Second, nil)
			w.add("bad.example", 1)
			w.resolve["bad.example"] = takes(time.Second, errFault)
		}, []string{"0s good.example ok", "1s bad.example hoster_fault", "10s good.example ok"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, l := newWorld(), &ledger{}
				tt.setup(w)
				w.cycleOf(t, w.precacher(t, func(c *precacher.Config) { c.Workers = tt.workers }, withLedger(l)))
				if diff := cmp.Diff(tt.want, l.reports); diff != "" {
					t.Errorf("reports (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// A hoster that failed rests for five seconds, and the cycle comes back to it where
// the store lets it: the fail was not counted, and its report took that long.
func TestPrecacher_Cycle_restsAfterFail(t *testing.T) {
	tests := []struct {
		name string
		test time.Duration // of the canary
		want int           // tries
	}{
		{"still resting", 5*time.Second - time.Millisecond, 1},
		{"rested", 5 * time.Second, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, l := newWorld(), &ledger{canary: &sources.Canary{Hoster: "old.example", Link: "http://old.example/"}}
				w.add("bad.example", 2)
				tries := 0
				w.resolve["bad.example"] = func(context.Context) error { tries++; return errFault }
				w.cycleOf(t, w.precacher(t, withLedger(l), func(c *precacher.Config) {
					c.PerHoster = 1
					c.Streams.Attempts.Check = func(context.Context, string) error { time.Sleep(tt.test); return nil }
				}))
				if tries != tt.want {
					t.Errorf("tried %d times, want %d", tries, tt.want)
				}
				if diff := cmp.Diff([]string{tt.test.String() + " old.example ok"}, l.canaries); diff != "" {
					t.Errorf("canaries (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// A canary whose outcome cannot be stored ends the cycle.
func TestPrecacher_Cycle_canaryFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, l := newWorld(), &ledger{canary: &sources.Canary{Hoster: "old.example", Link: "http://old.example/"}, canaryErr: errFull}
		w.add("bad.example", 1)
		w.resolve["bad.example"] = takes(time.Second, errFault)
		if _, err := w.precacher(t, withLedger(l)).Cycle(t.Context()); !errors.Is(err, errFull) {
			t.Errorf("Cycle() = %v, want the error of the store", err)
		}
	})
}

// brokenTable lets attempts begin and says that it failed.
type brokenTable struct{ sources.HosterStore }

func (b brokenTable) BeginAttempt(ctx context.Context, hoster, link string, force bool) (sources.Attempt, bool, error) {
	a, ok, err := b.HosterStore.BeginAttempt(ctx, hoster, link, force)
	return a, ok, errors.Join(err, errFull)
}

// Where the hoster table fails nothing is tried.
func TestPrecacher_Cycle_nothingBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.add("a.example", 3)
		p := w.precacher(t, func(c *precacher.Config) { c.Streams.Attempts.Store = brokenTable{c.Streams.Attempts.Store} })
		if _, err := p.Cycle(t.Context()); !errors.Is(err, errFull) || len(w.resolves) > 0 {
			t.Errorf("Cycle() = %v, resolved %v, want the error of the store and no source tried", err, w.resolves)
		}
	})
}

// A hoster that failed in this cycle gets one job at a time when its block is over,
// so that none of its sources is turned away, and as many as others once it works.
func TestPrecacher_Cycle_backFromBlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.add("bad.example", 6)
		start, running, most := time.Now(), 0, 0
		w.resolve["bad.example"] = func(ctx context.Context) error {
			if time.Since(start) < 2*time.Second {
				return errFault
			}
			w.mu.Lock()
			running++
			most = max(most, running)
			w.mu.Unlock()
			err := takes(time.Second, nil)(ctx)
			w.mu.Lock()
			defer w.mu.Unlock()
			running--
			return err
		}
		w.add("good.example", 40)
		w.resolve["good.example"] = takes(time.Second, nil)
		got := w.cycleOf(t, w.precacher(t))
		if got.Skipped != 0 || got.Failed == 0 || got.Failed > 2 || got.Resolved+got.Failed != 46 {
			t.Errorf("%+v, want all resolved but those that were begun first, and none skipped", got)
		}
		if most != 2 {
			t.Errorf("%d at once after its recovery, want the two that may", most)
		}
	})
}

// A success ends the trouble and the rest of a hoster at once.
func TestPrecacher_Cycle_successEndsRest(t *testing.T) {
	tests := []struct {
		name  string
		setup func(*world)
		want  []time.Duration // when each attempt began
	}{
		{"trouble from before", func(w *world) {
			w.trouble("back.example", 1)
		}, []time.Duration{0, 2 * time.Second, 2 * time.Second, 4 * time.Second, 4 * time.Second}},
		{"a fail of this cycle", func(w *world) {
			first := true
			succeed := w.resolve["back.example"]
			w.resolve["back.example"] = func(ctx context.Context) error {
				w.mu.Lock()
				fails := first
				first = false
				w.mu.Unlock()
				err := succeed(ctx)
				if fails {
					return errFault
				}
				return takes(time.Second, err)(ctx)
			}
		}, []time.Duration{0, 0, 3 * time.Second, 3 * time.Second, 6 * time.Second}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				w.add("back.example", 5)
				start := time.Now()
				var begun []time.Duration
				w.resolve["back.example"] = func(ctx context.Context) error {
					w.mu.Lock()
					begun = append(begun, time.Since(start))
					w.mu.Unlock()
					return takes(2*time.Second, nil)(ctx)
				}
				tt.setup(w)
				w.cycleOf(t, w.precacher(t))
				if diff := cmp.Diff(tt.want, begun); diff != "" {
					t.Errorf("attempts began after (-want +got):\n%s", diff)
				}
			})
		})
	}
}
