package tvbox_test

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"xship/sources"
	"xship/sources/site/tvbox"
)

func TestEach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int64
		var got []int
		tvbox.Each(10, 3, func(i int) int {
			if n := running.Add(1); n > most.Load() {
				most.Store(n)
			}
			defer running.Add(-1)
			time.Sleep(time.Duration(10-i) * time.Second) // the later, the quicker
			return i * i
		}, func(_, square int) { got = append(got, square) })
		if want := []int{0, 1, 4, 9, 16, 25, 36, 49, 64, 81}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		if most.Load() > 3 {
			t.Errorf("%d at once, want 3 at most", most.Load())
		}
	})
	tvbox.Each(0, 3, func(int) int { return 1 }, func(int, int) { t.Error("there is nothing to take") })
}

func TestEachPanics(t *testing.T) {
	taken := 0
	defer func() {
		p, ok := recover().(*sources.MovedPanic)
		if !ok || p.Value != "oops" || taken != 1 {
			t.Fatalf("got %v after %d, want the panic after 1", p, taken)
		}
		if !strings.Contains(string(p.Stack), "TestEachPanics") {
			t.Errorf("its stack is another goroutine's: %s", p.Stack)
		}
	}()
	tvbox.Each(3, 1, func(i int) int {
		if i == 1 {
			panic("oops")
		}
		return i
	}, func(int, int) { taken++ })
}
