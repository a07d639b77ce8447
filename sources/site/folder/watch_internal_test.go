package folder

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"xship/sources"
)

func TestAccessThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &watch{dir: "/mnt/nas"}
		quick := func(func() bool) (int, error) { return 7, nil }
		release := make(chan struct{})
		hangs := func(func() bool) (int, error) { <-release; return 1, nil }
		begin := time.Now()
		var hang *hangError
		if _, err := access(t.Context(), w, hangs); !errors.As(err, &hang) || time.Since(begin) != patience {
			t.Errorf("after %v: %v", time.Since(begin), err)
		}
		if sources.ClassOf(hang) != sources.ClassHosterFault || !hang.Timeout() {
			t.Errorf("it has class %s", sources.ClassOf(hang))
		}
		begin = time.Now()
		if _, err := access(t.Context(), w, quick); !errors.As(err, &hang) || time.Since(begin) != 0 {
			t.Errorf("while one hangs, another one gives %v after %v", err, time.Since(begin))
		}
		close(release)
		synctest.Wait()
		if n, err := access(t.Context(), w, quick); n != 7 || err != nil {
			t.Errorf("after that: %d, %v", n, err)
		}
	})
}

func TestAccessThatGetsOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(on func() bool) (int, error) {
			for range 20 {
				time.Sleep(patience / 2)
				on()
			}
			return 7, nil
		}
		if n, err := access(t.Context(), &watch{}, slow); n != 7 || err != nil {
			t.Errorf("got %d, %v", n, err)
		}
	})
}

// An access of somebody who left is no hang yet, and stops where it can.
func TestAccessThatIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &watch{}
		ctx, cancel := context.WithTimeout(t.Context(), patience/2)
		defer cancel()
		release := make(chan struct{})
		hangs := func(func() bool) (int, error) { <-release; return 1, nil }
		if _, err := access(ctx, w, hangs); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("left with %v", err)
		}
		quick := func(func() bool) (int, error) { return 7, nil }
		if n, err := access(t.Context(), w, quick); n != 7 || err != nil {
			t.Errorf("soon after that: %d, %v", n, err)
		}
		time.Sleep(patience)
		synctest.Wait()
		var hang *hangError
		if _, err := access(t.Context(), w, quick); !errors.As(err, &hang) {
			t.Errorf("later: %v", err)
		}
		close(release)

		ctx, cancel = context.WithCancel(t.Context())
		stopped := make(chan bool, 1)
		_, err := access(ctx, &watch{}, func(on func() bool) (int, error) {
			for on() {
				cancel()
				time.Sleep(time.Millisecond)
			}
			stopped <- true
			return 0, context.Canceled
		})
		if !errors.Is(err, context.Canceled) || !<-stopped {
			t.Errorf("cancelled with %v", err)
		}
		if _, err := access(ctx, &watch{}, quick); !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled access gives %v", err)
		}
	})
}
