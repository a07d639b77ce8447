package cmd

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestUntilLeft has a run end by itself where it does, and be left where nothing ends
// it.
func TestUntilLeft(t *testing.T) {
	const grace, left = 10 * time.Second, -1
	tests := map[string]struct {
		do   func(ctx context.Context) int
		want int
		took time.Duration
	}{
		"ends before it is asked":      {func(context.Context) int { return 3 }, 3, 0},
		"ends when it is asked":        {func(ctx context.Context) int { <-ctx.Done(); return 130 }, 130, time.Minute},
		"takes a while":                {func(ctx context.Context) int { <-ctx.Done(); time.Sleep(9 * time.Second); return 0 }, 0, time.Minute + 9*time.Second},
		"reads what nobody ever sends": {func(context.Context) int { time.Sleep(time.Hour); return 0 }, left, time.Minute + grace},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				began := time.Now()
				got := untilLeft(ctx, grace, func() int { return tt.do(ctx) }, func() int { return left })
				if took := time.Since(began); got != tt.want || took != tt.took {
					t.Errorf("got %d after %s, want %d after %s", got, took, tt.want, tt.took)
				}
				time.Sleep(2 * time.Hour) // what was left behind can still end
			})
		})
	}
}
