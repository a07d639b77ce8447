package engine

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/sources"
	"xship/sources/sourcetest"
)

// heldWorld is a hoster table whose last success was too long ago to vouch for the
// network, and attempts at hosters that begin and end when a test says so.
type heldWorld struct {
	*Engine
	store    *sourcetest.Memory
	attempts *sources.Attempts
	log      sourcetest.Buffer
}

func newHeldWorld(t *testing.T) *heldWorld {
	t.Helper()
	w := &heldWorld{store: sourcetest.NewMemory(time.Now)}
	w.Engine = &Engine{cfg: Config{Now: time.Now, Logger: slog.New(slog.NewTextHandler(&w.log, nil))}}
	w.attempts = &sources.Attempts{
		Store: &holding{HosterStore: w.store, now: time.Now}, Logger: w.cfg.Logger,
		Check: func(context.Context, string) error { return nil },
	}
	w.try(t.Context(), "old.example", time.Second, nil)
	time.Sleep(time.Minute)
	return w
}

// try makes an attempt that takes a while.
func (w *heldWorld) try(ctx context.Context, hoster string, takes time.Duration, err error) {
	src := sources.Source{ID: hoster, Hoster: hoster, URL: "https://" + hoster + "/"}
	_ = w.attempts.Do(ctx, src, false, func(ctx context.Context) error {
		select {
		case <-time.After(takes):
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	})
}

// reports lists what was reported in the run, "hoster class".
func (w *heldWorld) reports() []string {
	var all []string
	for _, r := range w.store.Reports()[1:] {
		all = append(all, r.Hoster+" "+string(r.Class))
	}
	return all
}

var errHeld = sources.Errorf(sources.ClassHosterFault, "503 from the hoster")

func TestEngine_holdFails(t *testing.T) {
	type attempt struct {
		hoster      string
		from, lasts time.Duration
		err         error
	}
	bad := attempt{"bad.example", 0, 10 * time.Second, errHeld}
	tests := []struct {
		name     string
		atOnce   int           // 0: no run
		cut      time.Duration // when the run is cancelled, 0: never
		attempts []attempt
		reported []string // before the end of the run
		late     []string // at its end
		counted  []string // hosters
		canaries []sources.Class
	}{
		{
			"a success that overlaps lets the fail count", 3, 0,
			[]attempt{bad, {"good.example", 5 * time.Second, 15 * time.Second, nil}},
			[]string{"good.example ok", "bad.example hoster_fault"},
			nil,
			[]string{"bad.example"},
			nil,
		},
		{
			"without a run a canary has to be tested", 0, 0,
			[]attempt{bad, {"good.example", 5 * time.Second, 15 * time.Second, nil}},
			[]string{"bad.example hoster_fault", "good.example ok"},
			nil,
			[]string{"bad.example"},
			[]sources.Class{sources.ClassOK},
		},
		{
			"one that began later stands for the canary", 3, 0,
			[]attempt{bad, {"good.example", 11 * time.Second, time.Second, nil}},
			[]string{"bad.example hoster_fault", "good.example ok"},
			nil,
			[]string{"bad.example"},
			nil,
		},
		{
			"no success: a canary is tested at the end", 3, 0,
			[]attempt{bad},
			nil,
			[]string{"bad.example hoster_fault"},
			[]string{"bad.example"},
			[]sources.Class{sources.ClassOK},
		},
		{
			"one attempt at a time, as in a play", 1, 0,
			[]attempt{bad, {"good.example", 10 * time.Second, time.Second, nil}},
			[]string{"bad.example hoster_fault", "good.example ok"},
			nil,
			[]string{"bad.example"},
			[]sources.Class{sources.ClassOK},
		},
		{
			"as many hosters as attempts at once", 2, 0,
			[]attempt{bad, {"worse.example", 0, 12 * time.Second, errHeld}, {"good.example", 0, 20 * time.Second, nil}},
			[]string{"bad.example hoster_fault", "worse.example hoster_fault", "good.example ok"},
			nil,
			[]string{"bad.example", "worse.example"},
			[]sources.Class{sources.ClassOK},
		},
		{
			"what tells nothing of a hoster does not wait", 3, 0,
			[]attempt{{"odd.example", 0, time.Second, sources.Errorf(sources.ClassUnsupported, "captcha")}, {"gone.example", 0, 2 * time.Second, sources.Errorf(sources.ClassDeadLink, "404")}},
			[]string{"odd.example unsupported", "gone.example dead_link"},
			nil, nil, nil,
		},
		{
			"a run that is cancelled loses no fail", 3, 12 * time.Second,
			[]attempt{bad, {"hang.example", 0, time.Hour, nil}},
			[]string{"hang.example cancelled"},
			[]string{"bad.example hoster_fault"},
			nil,
			[]sources.Class{sources.ClassCancelled},
		},
		{
			"two hosters at once: a canary is tested", 3, 0,
			[]attempt{bad, {"worse.example", 0, 12 * time.Second, errHeld}, {"good.example", 0, 20 * time.Second, nil}},
			[]string{"good.example ok", "bad.example hoster_fault", "worse.example hoster_fault"},
			nil,
			[]string{"bad.example", "worse.example"},
			[]sources.Class{sources.ClassOK},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newHeldWorld(t)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if tt.cut > 0 {
					time.AfterFunc(tt.cut, cancel)
				}
				end := func() {}
				if tt.atOnce > 0 {
					ctx, end = w.holdFails(ctx, w.attempts, tt.atOnce)
				}
				for _, a := range tt.attempts {
					go func() {
						time.Sleep(a.from)
						w.try(ctx, a.hoster, a.lasts, a.err)
					}()
				}
				time.Sleep(2 * time.Hour)
				if diff := cmp.Diff(tt.reported, w.reports()); diff != "" {
					t.Errorf("reported during the run (-want +got):\n%s", diff)
				}
				end()
				if diff := cmp.Diff(slices.Concat(tt.reported, tt.late), w.reports()); diff != "" {
					t.Errorf("reported at its end (-want +got):\n%s", diff)
				}
				var counted []string
				for _, name := range []string{"bad.example", "good.example", "hang.example", "odd.example", "worse.example"} {
					if w.store.Hoster(name).ConsecutiveFails > 0 {
						counted = append(counted, name)
					}
				}
				if diff := cmp.Diff(tt.counted, counted); diff != "" {
					t.Errorf("hosters whose fail counted (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(tt.canaries, w.store.Canaries()); diff != "" {
					t.Errorf("canaries (-want +got):\n%s", diff)
				}
				if w.store.Open() != 0 || w.log.String() != "" {
					t.Errorf("%d attempts did not end, logged:\n%s", w.store.Open(), w.log.String())
				}
			})
		})
	}
}

// A canary of the end of a run is tested, unless nobody waits any more.
func TestEngine_holdFails_lateCanary(t *testing.T) {
	for _, tt := range []struct {
		name string
		cut  bool
		want sources.Class
	}{{"in time", false, sources.ClassOK}, {"cancelled", true, sources.ClassCancelled}} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newHeldWorld(t)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				runCtx, end := w.holdFails(ctx, w.attempts, 3)
				w.try(runCtx, "bad.example", time.Second, errHeld)
				w.store.SetCanary(sources.Canary{Hoster: "old.example", Link: "https://old.example/"})
				if tt.cut {
					cancel()
				}
				end()
				if diff := cmp.Diff([]sources.Class{tt.want}, w.store.Canaries()); diff != "" {
					t.Errorf("canaries (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// An attempt that goes on after the end of its run, as somebody else waits for it,
// is reported as others are.
func TestEngine_holdFails_afterEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newHeldWorld(t)
		ctx, end := w.holdFails(t.Context(), w.attempts, 3)
		end()
		w.try(ctx, "bad.example", time.Second, errHeld)
		if diff := cmp.Diff([]string{"bad.example hoster_fault"}, w.reports()); diff != "" {
			t.Errorf("reports (-want +got):\n%s", diff)
		}
	})
}

// countingStore counts ends of attempts, which all fail.
type countingStore struct {
	sources.HosterStore
	ends int
}

var errBusyStore = errors.New("xship.db: the database is locked")

func (c *countingStore) EndAttempt(context.Context, sources.Attempt, sources.Class, string) (*sources.Canary, error) {
	c.ends++
	return nil, errBusyStore
}

// A store that cannot be written is waited for once at the end of a run, and told.
func TestEngine_holdFails_storeFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newHeldWorld(t)
		broken := &countingStore{HosterStore: w.store}
		w.attempts = w.attempts.With(&holding{HosterStore: broken, now: time.Now})
		ctx, end := w.holdFails(t.Context(), w.attempts, 9)
		for _, hoster := range []string{"a.example", "b.example", "c.example"} {
			w.try(ctx, hoster, time.Second, errHeld)
		}
		if broken.ends != 0 {
			t.Fatalf("%d reports before the end of the run", broken.ends)
		}
		if end(); broken.ends != 1 {
			t.Errorf("%d reports to a store that fails, want 1", broken.ends)
		}
		if got := w.log.String(); !strings.Contains(got, errBusyStore.Error()) {
			t.Errorf("logged:\n%s", got)
		}
	})
}
