package precacher_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/precacher"
	"xship/sources"
)

// starts runs p by schedule for a while, and gives when it asked for titles.
func starts(t *testing.T, schedule string, d time.Duration, due func(context.Context, int) error) []time.Duration {
	t.Helper()
	var (
		mu sync.Mutex
		at []time.Duration
	)
	begin := time.Now()
	p := newWorld().precacher(t, func(c *precacher.Config) {
		c.Due = func(ctx context.Context) ([]sources.Title, error) {
			mu.Lock()
			at = append(at, time.Since(begin))
			n := len(at)
			mu.Unlock()
			return nil, due(ctx, n)
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	if err := p.Run(ctx, schedule); err != nil {
		t.Fatalf("Run() = %v", err)
	}
	mu.Lock()
	defer mu.Unlock()
	return at
}

func TestPrecacher_Run(t *testing.T) {
	const m = time.Minute
	tests := []struct {
		name     string
		schedule string
		due      func(context.Context, int) error
		want     []time.Duration
	}{
		{"interval", "@every 15m", func(context.Context, int) error { return nil }, []time.Duration{0, 15 * m, 30 * m, 45 * m}},
		{"five fields", "*/20 * * * *", func(context.Context, int) error { return nil }, []time.Duration{0, 20 * m, 40 * m}},
		{"a failing cycle does not stop the next", "@every 15m", func(context.Context, int) error { return errors.New("no") }, []time.Duration{0, 15 * m, 30 * m, 45 * m}},
		{"a panic does not either", "@every 15m", func(context.Context, int) error { panic("boom") }, []time.Duration{0, 15 * m, 30 * m, 45 * m}},
		{"a long cycle is not overlapped", "@every 15m", func(ctx context.Context, n int) error {
			if n == 1 {
				return takes(20*m, nil)(ctx)
			}
			return nil
		}, []time.Duration{0, 30 * m, 45 * m}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if diff := cmp.Diff(tt.want, starts(t, tt.schedule, 50*m, tt.due)); diff != "" {
					t.Errorf("cycles began at (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// Run ends within three seconds of its context, whatever hangs.
func TestPrecacher_Run_hung(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		starts(t, "@hourly", time.Minute, func(context.Context, int) error { time.Sleep(time.Hour); return nil })
		if took := time.Since(begin); took != time.Minute+3*time.Second {
			t.Errorf("Run took %s, want its minute and three seconds", took)
		}
		time.Sleep(time.Hour)
	})
}

// A daemon that runs once a day renews what ends before the next day.
func TestPrecacher_Run_renewsAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.add("a.example", 1)
		now := time.Now()
		w.rows[0].stream = &sources.StoredStream{Stream: sources.Stream{ExpiresAt: now.Add(20 * time.Hour)}, ResolvedAt: now, MediaInfo: &sources.MediaInfo{}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if err := w.precacher(t).Run(ctx, "@every 24h"); err != nil || w.resolves["a.example/0"] != 1 {
			t.Errorf("Run() = %v, resolved %d times, want once", err, w.resolves["a.example/0"])
		}
	})
}

func TestParseSchedule(t *testing.T) {
	tests := []struct {
		spec string
		want string // part of the error, "" = none
	}{
		{"@every 15m", ""},
		{" @hourly ", ""},
		{"*/15 * * * *", ""},
		{"0 4 29 2 *", ""},
		{"TZ=UTC 0 4 * * *", ""},
		{"", "empty spec"},
		{"hourly", "expected exactly 5 fields"},
		{"* * * * * *", "expected exactly 5 fields"},
		{"61 * * * *", "above maximum"},
		{"*/0 * * * *", "step of range"},
		{"0 0 30 2 *", "no such day"},
		{"@every -15m", "shorter than a second"},
		{"@every 15", "missing unit"},
		{"TZ=UTC", "a time zone and no times"},
		{"TZ=Nowhere/City * * * * *", "bad location"},
	}
	for _, tt := range tests {
		t.Run(tt.spec, func(t *testing.T) {
			err := precacher.ParseSchedule(tt.spec)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("ParseSchedule(%q) = %v, want %q", tt.spec, err, tt.want)
			}
		})
	}
	if err := newWorld().precacher(t).Run(t.Context(), "nonsense"); err == nil {
		t.Error("Run took an invalid schedule")
	}
}

func FuzzParseSchedule(f *testing.F) {
	for _, spec := range []string{"@every 15m", "*/15 * * * *", "TZ=UTC 0 4 * * *", "TZ=", "CRON_TZ=UTC @daily", "0 0 30 2 *", "@every -1ns", "1-5/2,7 * ? JAN-MAR mon"} {
		f.Add(spec)
	}
	f.Fuzz(func(_ *testing.T, spec string) {
		_ = precacher.ParseSchedule(spec) // must not panic or hang
	})
}
