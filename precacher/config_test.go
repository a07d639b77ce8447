package precacher_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"xship/precacher"
	"xship/sources"
)

// eagerQueue gives sources although their streams live long.
type eagerQueue struct{ sources.Queue }

func (q eagerQueue) ResolveQueue(ctx context.Context, _ time.Duration, limit, perHoster int) ([]sources.Job, error) {
	return q.Queue.ResolveQueue(ctx, 24*time.Hour, limit, perHoster)
}

// New refuses a config that lacks any of what a cycle works with.
func TestNew_missing(t *testing.T) {
	tests := []struct {
		name string
		miss func(*precacher.Config)
	}{
		{"Queue", func(c *precacher.Config) { c.Queue = nil }},
		{"Hosters", func(c *precacher.Config) { c.Hosters = nil }},
		{"Guard", func(c *precacher.Config) { c.Guard = nil }},
		{"Due", func(c *precacher.Config) { c.Due = nil }},
		{"Scan", func(c *precacher.Config) { c.Scan = nil }},
		{"Prober", func(c *precacher.Config) { c.Prober = nil }},
		{"Streams", func(c *precacher.Config) { c.Streams = nil }},
		{"Streams.Attempts", func(c *precacher.Config) { c.Streams.Attempts = nil }},
		{"Streams.Attempts.Store", func(c *precacher.Config) { c.Streams.Attempts.Store = nil }},
		{"Streams.Streams", func(c *precacher.Config) { c.Streams.Streams = nil }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var cfg precacher.Config
			newWorld().precacher(t, func(c *precacher.Config) { cfg = *c })
			if _, err := precacher.New(cfg); err != nil {
				t.Fatalf("complete: %v", err)
			}
			tt.miss(&cfg)
			if _, err := precacher.New(cfg); err == nil {
				t.Error("New took a config without it")
			}
		})
	}
}

// Without a logger and an observer a precacher is silent.
func TestNew_noLogger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.due = make([]sources.Title, 1)
		w.scan = func(context.Context, sources.Title) error { return errFault }
		got := w.cycleOf(t, w.precacher(t, func(c *precacher.Config) { c.Logger, c.Observer = nil, nil }))
		if got.TitlesFailed != 1 || w.log.String() != "" {
			t.Errorf("%+v, logged:\n%s", got, w.log.String())
		}
	})
}

// Bounds that are not set, or make no sense, are the documented ones.
func TestNew_defaults(t *testing.T) {
	for _, unset := range []int{0, -1} {
		bounds := func(c *precacher.Config) {
			c.Workers, c.PerHoster, c.Scans = unset, unset, unset
			c.ProbeTimeout, c.RenewBefore, c.Budget = time.Duration(unset), time.Duration(unset), time.Duration(unset)
		}
		t.Run(fmt.Sprintf("%d", unset), func(t *testing.T) {
			t.Run("8 jobs at once", func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld()
					for i := range 72 {
						name := fmt.Sprintf("h%d.example", i)
						w.add(name, 1)
						w.resolve[name] = takes(time.Second, nil)
					}
					if got := w.cycleOf(t, w.precacher(t, bounds)); got.Resolved != 72 || got.Duration != 9*time.Second {
						t.Errorf("%+v, want 72 in 9s", got)
					}
				})
			})
			t.Run("2 on a hoster", func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld()
					w.add("a.example", 6)
					w.resolve["a.example"] = takes(time.Second, nil)
					if got := w.cycleOf(t, w.precacher(t, bounds)); got.Resolved != 6 || got.Duration != 3*time.Second {
						t.Errorf("%+v, want 6 in 3s", got)
					}
				})
			})
			t.Run("3 scans", func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld()
					w.due = make([]sources.Title, 12)
					w.scan = func(ctx context.Context, _ sources.Title) error { return takes(time.Second, nil)(ctx) }
					if got := w.cycleOf(t, w.precacher(t, bounds)); got.Titles != 12 || got.Duration != 4*time.Second {
						t.Errorf("%+v, want 12 in 4s", got)
					}
				})
			})
			t.Run("20 s for a probe", func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld()
					w.add("a.example", 1)
					w.probe["a.example"] = takes(time.Hour, nil)
					if got := w.cycleOf(t, w.precacher(t, bounds)); got.Failed != 1 || got.Duration != 20*time.Second {
						t.Errorf("%+v, want its end after 20s", got)
					}
				})
			})
			t.Run("30 min of work", func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld()
					w.add("a.example", 300)
					w.resolve["a.example"] = takes(20*time.Second, nil)
					if got := w.cycleOf(t, w.precacher(t, bounds)); got.Resolved != 180 || got.Duration != 30*time.Minute {
						t.Errorf("%+v, want six a minute for 30 minutes", got)
					}
				})
			})
			t.Run("streams that live 15 min more stay", func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld()
					now := time.Now()
					for i, s := range []sources.StoredStream{
						{Stream: sources.Stream{ExpiresAt: now.Add(15 * time.Minute)}, ResolvedAt: now},
						{Stream: sources.Stream{ExpiresAt: now.Add(15*time.Minute + time.Second)}, ResolvedAt: now},
						{ResolvedAt: now.Add(-45 * time.Minute)}, // lives an hour
						{ResolvedAt: now.Add(-45*time.Minute + time.Second)},
					} {
						name := fmt.Sprintf("h%d.example", i)
						w.add(name, 1)
						s.URL = "http://" + name + "/0"
						w.row(name + "/0").stream = &s
					}
					got := w.cycleOf(t, w.precacher(t, bounds, func(c *precacher.Config) { c.Queue = eagerQueue{c.Queue} }))
					if w.resolves["h0.example/0"] != 1 || w.resolves["h1.example/0"] != 0 || w.resolves["h2.example/0"] != 1 || w.resolves["h3.example/0"] != 0 {
						t.Errorf("%+v, resolved anew %v, want those of h0 and h2", got, w.resolves)
					}
				})
			})
		})
	}
}
