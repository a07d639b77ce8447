package precacher_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/precacher"
	"xship/sources"
)

// A cycle tells what it does while it does that, and when the next one comes.
func TestPrecacher_Progress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.due = []sources.Title{{Name: "One"}, {Name: "Two"}}
		w.scan = func(ctx context.Context, title sources.Title) error {
			if title.Name == "One" {
				return takes(time.Second, nil)(ctx)
			}
			return takes(2*time.Second, nil)(ctx)
		}
		w.add("a.example", 3)
		w.add("b.example", 1)
		w.resolve["a.example"], w.resolve["b.example"] = takes(time.Second, nil), takes(time.Second, nil)
		var told atomic.Pointer[precacher.Progress]
		p := w.precacher(t, func(c *precacher.Config) {
			due := c.Due
			c.Due = func(ctx context.Context) ([]sources.Title, error) {
				time.Sleep(time.Second)
				return due(ctx)
			}
			c.Progress = func(p precacher.Progress) { told.Store(&p) }
		})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- p.Run(ctx, "@every 15m") }()
		start := time.Now()
		titles := sources.CycleSummary{Titles: 2}
		done := sources.CycleSummary{Titles: 2, Resolved: 4, Probed: 4, Duration: 5 * time.Second}
		for _, step := range []struct {
			after time.Duration
			want  precacher.Progress
		}{
			{500 * time.Millisecond, precacher.Progress{Doing: precacher.DoingLoad}},
			{1500 * time.Millisecond, precacher.Progress{Doing: precacher.DoingScans, Due: 2, Busy: []string{"One", "Two"}}},
			{2500 * time.Millisecond, precacher.Progress{Doing: precacher.DoingScans, Due: 2, Busy: []string{"Two"}, CycleSummary: sources.CycleSummary{Titles: 1}}},
			{3500 * time.Millisecond, precacher.Progress{Doing: precacher.DoingWork, Due: 2, Sources: 4, Busy: []string{"a.example", "b.example"}, CycleSummary: titles}},
			{4500 * time.Millisecond, precacher.Progress{Doing: precacher.DoingWork, Due: 2, Sources: 4, Done: 3, Busy: []string{"a.example"}, CycleSummary: sources.CycleSummary{Titles: 2, Resolved: 3, Probed: 3}}},
			{5500 * time.Millisecond, precacher.Progress{Doing: precacher.DoingWait, CycleSummary: done, Next: start.Add(15 * time.Minute)}},
		} {
			time.Sleep(time.Until(start.Add(step.after)))
			synctest.Wait()
			got := *told.Load()
			if got.Doing != precacher.DoingWait {
				got.Duration = 0
			}
			if diff := cmp.Diff(step.want, got); diff != "" {
				t.Errorf("after %s (-want +got):\n%s", step.after, diff)
			}
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if last := told.Load(); last.Doing != precacher.DoingWait {
			t.Errorf("at its end: %+v", last)
		}
	})
}

// In an outage a cycle tells that it waits for the network.
func TestPrecacher_Progress_outage(t *testing.T) {
	eachShelf(t, func(s *shelf) {
		s.proven(10, 3)
		s.answers = outageAt(0, time.Hour)
		seen := make(map[precacher.Doing]bool)
		p := s.precacher(func(c *precacher.Config) { c.Progress = func(p precacher.Progress) { seen[p.Doing] = true } })
		runFor(s.T, p, "@every 15m", time.Minute)
		if !seen[precacher.DoingOutage] {
			s.Errorf("it told %v", seen)
		}
	})
}

// The end of a cycle says when the next one begins: what comes while it runs is skipped.
// After a single cycle, and at the end of the daemon, there is none.
func TestCycleEnded_Next(t *testing.T) {
	for _, tt := range []struct {
		name, schedule string
		takes          time.Duration
		want           []time.Duration // from the start on, 0 = none
	}{
		{"interval", "@every 15m", time.Second, []time.Duration{15 * time.Minute, 30 * time.Minute, 45 * time.Minute}},
		{"longer than the interval", "@every 15m", 16 * time.Minute, []time.Duration{30 * time.Minute, 0}},
		{"five fields", "20 * * * *", time.Second, []time.Duration{20 * time.Minute, 80 * time.Minute}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				var got []time.Duration
				start := time.Now()
				p := w.precacher(t, func(c *precacher.Config) {
					c.Budget = time.Hour
					c.Due = func(ctx context.Context) ([]sources.Title, error) { return nil, takes(tt.takes, nil)(ctx) }
					c.Observer = observerFunc(func(e sources.Event) {
						next := time.Duration(0)
						if at := e.(sources.CycleEnded).Next; !at.IsZero() {
							next = at.Sub(start)
						}
						got = append(got, next)
					})
				})
				ctx, cancel := context.WithTimeout(t.Context(), 40*time.Minute)
				defer cancel()
				if err := p.Run(ctx, tt.schedule); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("next cycles (-want +got):\n%s", diff)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		var ended sources.CycleEnded
		w.cycleOf(t, w.precacher(t, func(c *precacher.Config) {
			c.Observer = observerFunc(func(e sources.Event) { ended = e.(sources.CycleEnded) })
			c.Progress = func(p precacher.Progress) {
				if p.Doing == precacher.DoingWait {
					t.Error("a single cycle waits for another one")
				}
			}
		}))
		if !ended.Next.IsZero() {
			t.Errorf("after a single cycle one comes at %s", ended.Next)
		}
	})
}

type observerFunc func(sources.Event)

func (f observerFunc) Observe(_ context.Context, e sources.Event) { f(e) }

// Titles that could not be scanned for one reason share a line, whatever else their
// errors name.
func TestPrecacher_unscanned(t *testing.T) {
	unreachable := func(t sources.Title) error {
		return &sources.NoAnswerError{Title: t, Sites: []sources.SiteReport{{
			SiteInfo: sources.SiteInfo{Name: "Addon"}, Status: sources.SiteError,
			Error: fmt.Sprintf("GET https://addon.example/k3y/stream/%s.json: no answer within %ds", t.IMDb, t.Year),
		}}}
	}
	for _, tt := range []struct {
		name   string
		titles int
		scan   func(sources.Title) error
		want   []string
	}{
		{"one", 1, unreachable, []string{
			`msg="a title could not be scanned" title="Film 0 (2000)" error="none of 1 site gave a usable answer for Film 0 (2000): Addon: error: GET https://addon.example/k3y/stream/tt0.json: no answer within 2000s"`,
		}},
		{"two", 2, unreachable, []string{
			`msg="2 titles could not be scanned" titles="Film 0 (2000), Film 1 (2001)" error="none of 1 site gave a usable answer for any of them: Addon: error: GET https://addon.example/REDACTED no answer within 2000s"`,
		}},
		{"many", 400, unreachable, []string{`msg="400 titles could not be scanned" titles="Film 0 (2000), Film 1 (2001), Film 2 (2002) and 397 more"`}},
		{
			"two reasons", 5,
			func(t sources.Title) error {
				if t.Year%2 == 0 {
					return errors.New("no interface could be loaded")
				}
				return errors.New("it is odd")
			},
			[]string{
				`msg="3 titles could not be scanned" titles="Film 0 (2000), Film 2 (2002), Film 4 (2004)" error="no interface could be loaded"`,
				`msg="2 titles could not be scanned" titles="Film 1 (2001), Film 3 (2003)" error="it is odd"`,
			},
		},
		{"none", 3, func(sources.Title) error { return nil }, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				for i := range tt.titles {
					w.due = append(w.due, sources.Title{Kind: sources.KindMovie, Name: fmt.Sprintf("Film %d", i), Year: 2000 + i%100, IMDb: fmt.Sprintf("tt%d", i)})
				}
				w.scan = func(_ context.Context, title sources.Title) error {
					time.Sleep(time.Duration(title.Year) * time.Millisecond) // in their order
					return tt.scan(title)
				}
				w.cycleOf(t, w.precacher(t, func(c *precacher.Config) { c.Scans = 1 }))
				got := w.lines("could not be scanned")
				if len(got) != len(tt.want) {
					t.Fatalf("%d lines: %q", len(got), got)
				}
				for i, want := range tt.want {
					if wantLine := "level=WARN " + want; len(got[i]) < len(wantLine) || got[i][:len(wantLine)] != wantLine {
						t.Errorf("line %q\nwant %q", got[i], wantLine)
					}
				}
			})
		})
	}
}
