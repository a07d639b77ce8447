package engine

import (
	"testing"
	"time"
)

// The times at which the daemon looks are those of its schedule, in whatever order titles
// ask for them.
func TestLooks(t *testing.T) {
	t.Parallel()
	first := time.Date(2026, 3, 1, 10, 5, 0, 0, time.UTC)
	for schedule, first := range map[string]time.Time{"@every 15m": first, "*/15 * * * *": first.Add(10 * time.Minute)} {
		looks := DaemonState{Schedule: schedule, Next: first}.looks()
		for _, c := range []struct{ due, want time.Duration }{
			{24 * time.Hour, 24 * time.Hour},
			{0, 0},
			{-time.Hour, 0},
			{time.Second, 15 * time.Minute},
			{24*time.Hour + time.Minute, 24*time.Hour + 15*time.Minute},
			{15 * time.Minute, 15 * time.Minute},
		} {
			if got := looks.next(first.Add(c.due)); !got.Equal(first.Add(c.want)) {
				t.Errorf("%s: what is due in %s is looked for at %s, want %s", schedule, c.due, got, first.Add(c.want))
			}
		}
		if got := looks.next(time.Time{}); !got.Equal(first) {
			t.Errorf("%s: what was never looked for is at %s, want %s", schedule, got, first)
		}
		far := first.Add(100 * 24 * time.Hour)
		if got := looks.next(far); got.Before(far) || got.Sub(far) > 15*time.Minute || len(looks.times) > mostLooks {
			t.Errorf("%s: what is due on %s is looked for at %s; %d times are kept", schedule, far, got, len(looks.times))
		}
	}
	for _, s := range []DaemonState{{Schedule: "@every 15m"}, {Schedule: "nonsense", Next: first}} {
		if got := s.looks().next(first); !got.IsZero() {
			t.Errorf("%+v looks at %s, want never", s, got)
		}
	}
}

func BenchmarkLooks(b *testing.B) {
	first := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	looks := DaemonState{Schedule: "*/15 * * * *", Next: first}.looks()
	for i := 0; b.Loop(); i++ {
		looks.next(first.Add(time.Duration(i%1440) * time.Minute))
	}
}
