package precacher_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"xship/precacher"
	"xship/sources"
)

// What keeps a cycle from running as planned is told, and nothing else but to who
// wants to know it all.
func TestPrecacher_Run_tells(t *testing.T) {
	const skipped = `level=INFO msg="the cycle before is still running, this one is skipped"`
	tests := []struct {
		name string
		due  func(context.Context) error // in the first cycle
		want []string
	}{
		{"nothing", func(context.Context) error { return nil }, nil},
		{"a cycle is skipped", takes(20*time.Minute, nil), []string{skipped}},
		{"a panic", func(context.Context) error { panic("boom") }, []string{`level=ERROR msg="a panic in a cycle, the next one comes by schedule" error=boom`}},
		{"a cycle does not end", func(context.Context) error { time.Sleep(time.Hour); return nil }, []string{
			skipped, `level=WARN msg="the running cycle did not end in time and was left" limit=3s`,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, cycles := newWorld(), 0
				ctx, cancel := context.WithTimeout(t.Context(), 29*time.Minute)
				defer cancel()
				p := w.precacher(t, func(c *precacher.Config) {
					c.Logger = slog.New(slog.NewTextHandler(&w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
					c.Due = func(ctx context.Context) ([]sources.Title, error) {
						if cycles++; cycles == 1 {
							return nil, tt.due(ctx)
						}
						return nil, nil
					}
				})
				if err := p.Run(ctx, "@every 15m"); err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, line := range w.lines("level=") {
					if !strings.Contains(line, "level=DEBUG") && !strings.Contains(line, `msg="precache cycle done"`) {
						got = append(got, line)
					}
				}
				if !slices.EqualFunc(got, tt.want, strings.Contains) {
					t.Errorf("log %q, want %q", got, tt.want)
				}
				if len(w.lines(`level=DEBUG msg="cron: `)) == 0 {
					t.Error("what cron does is not in the log of who wants to know")
				}
				time.Sleep(time.Hour) // what was left behind can still end
			})
		})
	}
}

// An interval of a second is the shortest.
func TestParseSchedule_shortest(t *testing.T) {
	for spec, valid := range map[string]bool{
		"@every 1s": true, "@every 1000ms": true, "@every 999ms": false, "@every 0s": false, "CRON_TZ=UTC": false, "CRON_TZ=UTC @daily": true,
	} {
		if err := precacher.ParseSchedule(spec); (err == nil) != valid {
			t.Errorf("ParseSchedule(%q) = %v, want it valid: %t", spec, err, valid)
		}
	}
}
