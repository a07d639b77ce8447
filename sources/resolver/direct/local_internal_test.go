package direct

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"xship/sources"
)

// A file that hangs is left behind, and soon no other one is opened.
func TestReadThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		hangs := func() ([]byte, int64, error) { <-release; return nil, 0, nil }
		quick := func() ([]byte, int64, error) { return []byte("x"), 1, nil }
		for range mostHanging - 1 {
			begin := time.Now()
			if _, _, err := patiently(t.Context(), "/a", hangs); !errors.Is(err, errHangs) || sources.ClassOf(err) != sources.ClassHosterFault || time.Since(begin) != filePatience {
				t.Errorf("after %v: %v", time.Since(begin), err)
			}
		}
		if _, size, err := patiently(t.Context(), "/a", quick); size != 1 || err != nil {
			t.Errorf("another file: %v", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, _, err := patiently(ctx, "/a", hangs); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("at the end of its context: %v", err)
		}
		if _, _, err := patiently(t.Context(), "/a", quick); sources.ClassOf(err) != sources.ClassUnsupported {
			t.Errorf("while many hang: %v", err)
		}
		close(release)
		synctest.Wait()
		if _, _, err := patiently(t.Context(), "/a", quick); err != nil {
			t.Errorf("after that: %v", err)
		}
		cancel()
		if _, _, err := patiently(ctx, "/a", quick); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("with an ended context: %v", err)
		}
	})
}
