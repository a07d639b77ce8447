package archive

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"xship/sources"
)

// TestTurns has two requests at once, which start one after the other.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		turns := NewClient(Options{}).turnsOf("archive.example")
		var mu sync.Mutex
		var starts []time.Duration
		running, most := 0, 0
		var wg sync.WaitGroup
		for range 6 {
			wg.Go(func() {
				leave, err := turns.enter(t.Context(), time.Now, defaultInterval)
				if err != nil {
					t.Error(err)
					return
				}
				defer leave()
				mu.Lock()
				starts = append(starts, time.Since(begin))
				running++
				most = max(most, running)
				mu.Unlock()
				time.Sleep(time.Second)
				mu.Lock()
				running--
				mu.Unlock()
			})
		}
		wg.Wait()
		if most != 2 {
			t.Errorf("%d at once, want 2", most)
		}
		for i := 1; i < len(starts); i++ {
			if starts[i]-starts[i-1] < defaultInterval {
				t.Errorf("started at %v", starts)
			}
		}
		if starts[1] != defaultInterval || time.Since(begin) > 4*time.Second {
			t.Errorf("started at %v, done after %s", starts, time.Since(begin))
		}
	})
}

// TestTurns_cancelled gives the place of those that do not wait to others.
func TestTurns_cancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := NewClient(Options{}).turnsOf("archive.example")
		var leaves []func()
		for range atOnce {
			leave, err := turns.enter(t.Context(), time.Now, defaultInterval)
			if err != nil {
				t.Fatal(err)
			}
			leaves = append(leaves, leave)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := turns.enter(ctx, time.Now, defaultInterval); !errors.Is(err, context.DeadlineExceeded) || sources.ClassOf(err) != sources.ClassCancelled {
			t.Errorf("got %s %v", sources.ClassOf(err), err)
		}
		leaves[0]()
		short, stop := context.WithTimeout(t.Context(), time.Nanosecond)
		defer stop()
		if _, err := turns.enter(short, func() time.Time { return time.Now().Add(-time.Hour) }, defaultInterval); !errors.Is(err, context.DeadlineExceeded) || sources.ClassOf(err) != sources.ClassCancelled {
			t.Errorf("got %s %v", sources.ClassOf(err), err)
		}
		if leave, err := turns.enter(t.Context(), time.Now, defaultInterval); err != nil {
			t.Error(err)
		} else {
			leave()
		}
	})
}

// TestTurns_clockSetBack waits no longer than for the turns of two.
func TestTurns_clockSetBack(t *testing.T) {
	turns := new(turns)
	now := time.Unix(1000, 0)
	if wait := turns.book(now, time.Second); wait != 0 {
		t.Errorf("waits %s", wait)
	}
	if wait := turns.book(now.Add(-time.Hour), time.Second); wait != 2*time.Second {
		t.Errorf("waits %s", wait)
	}
}
