package precacher_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/precacher"
	"xship/sources"
)

// The stats name what was touched in the cycle and what is blocked at its end.
func TestPrecacher_Cycle_stats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.add("good.example", 1)
		w.resolve["good.example"] = takes(10*time.Second, nil)
		w.add("odd.example", 1)
		w.resolve["odd.example"] = takes(time.Second, errCaptcha)
		end := time.Now().Add(10 * time.Second)
		w.cycleOf(t, w.precacher(t, func(c *precacher.Config) {
			c.Hosters = func(context.Context) ([]sources.HosterHealth, error) {
				return []sources.HosterHealth{
					{Name: "blocked.example", ConsecutiveFails: 3, BackoffUntil: end.Add(time.Second)},
					{Name: "free.example", ConsecutiveFails: 3, BackoffUntil: end},
					{Name: "good.example"},
					{Name: "local", ConsecutiveFails: 1, BackoffUntil: end.Add(time.Second)},
				}, nil
			}
		}))
		want := []string{
			`level=INFO msg="[Hoster-Stats] blocked.example: ok 0, fail 0, backoff 3 fails"`,
			`level=INFO msg="[Hoster-Stats] good.example: ok 2, fail 0"`,
		}
		if diff := cmp.Diff(want, w.lines("[Hoster-Stats]")); diff != "" {
			t.Errorf("stats (-want +got):\n%s", diff)
		}
	})
}

// A cycle that ran to its end, or was cancelled, says where its stats are
// incomplete; one that the store broke off has told its reason. The last look at
// the table delays nobody for long.
func TestPrecacher_Cycle_noTable(t *testing.T) {
	const warning = `level=WARN msg="the hoster table could not be read for the stats"`
	tests := []struct {
		name   string
		ends   error // of the cycle
		within time.Duration
		hangs  bool
		warns  int
	}{
		{"done", nil, 0, false, 1},
		{"cancelled", context.Canceled, 0, false, 1},
		{"cancelled, and the table does not answer", context.Canceled, 500 * time.Millisecond, true, 1},
		{"broken off", errFull, 0, false, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				reads := 0
				p := w.precacher(t, func(c *precacher.Config) {
					c.Due = func(context.Context) ([]sources.Title, error) {
						if errors.Is(tt.ends, context.Canceled) {
							cancel()
							return nil, nil
						}
						return nil, tt.ends
					}
					c.Hosters = func(ctx context.Context) ([]sources.HosterHealth, error) {
						switch reads++; {
						case reads == 1:
							return nil, nil
						case tt.hangs:
							<-ctx.Done()
							return nil, ctx.Err()
						default:
							return nil, errors.New("locked")
						}
					}
				})
				start := time.Now()
				_, err := p.Cycle(ctx)
				if took := time.Since(start); !errors.Is(err, tt.ends) || took != tt.within {
					t.Errorf("Cycle() = %v after %s, want %v after %s", err, took, tt.ends, tt.within)
				}
				if got := w.lines("hoster table"); len(got) != tt.warns || tt.warns > 0 && !strings.HasPrefix(got[0], warning) {
					t.Errorf("log %q, want %d warnings", got, tt.warns)
				}
			})
		})
	}
}

// A hoster table that cannot be read at the start ends the cycle.
func TestPrecacher_Cycle_noTableAtStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.add("a.example", 1)
		p := w.precacher(t, func(c *precacher.Config) {
			c.Hosters = func(context.Context) ([]sources.HosterHealth, error) { return nil, errFull }
		})
		_, err := p.Cycle(t.Context())
		if !errors.Is(err, errFull) || !strings.HasPrefix(err.Error(), "read the hosters: ") || len(w.resolves) > 0 {
			t.Errorf("Cycle() = %v, resolved %v", err, w.resolves)
		}
		if got := w.lines("precache cycle broken off"); len(got) != 1 || !strings.Contains(got[0], `reason="read the hosters: xship.db: the disk is full"`) {
			t.Errorf("log:\n%s", w.log.String())
		}
	})
}

// Without the table the stats are what the cycle itself counted.
func TestPrecacher_Cycle_countsWithoutTable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, reads := newWorld(), 0
		w.add("good.example", 1)
		w.cycleOf(t, w.precacher(t, func(c *precacher.Config) {
			c.Hosters = func(context.Context) ([]sources.HosterHealth, error) {
				if reads++; reads == 1 {
					return nil, nil
				}
				return nil, errFull
			}
		}))
		want := []string{`level=INFO msg="[Hoster-Stats] good.example: ok 2, fail 0"`}
		if diff := cmp.Diff(want, w.lines("[Hoster-Stats]")); diff != "" {
			t.Errorf("stats (-want +got):\n%s", diff)
		}
	})
}
