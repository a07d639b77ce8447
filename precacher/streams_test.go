package precacher_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"xship/precacher"
	"xship/sources"
)

// brokenStreams is a store of streams that fails in the method named.
type brokenStreams struct {
	sources.StreamStore
	method string
}

func (b brokenStreams) fail(method string) error {
	if method == b.method {
		return errFull
	}
	return nil
}

func (b brokenStreams) CachedStream(ctx context.Context, id string) (*sources.StoredStream, error) {
	s, err := b.StreamStore.CachedStream(ctx, id)
	return s, errors.Join(err, b.fail("CachedStream"))
}

func (b brokenStreams) DropStream(context.Context, string) error { return b.fail("DropStream") }

func (b brokenStreams) MarkDead(context.Context, string) error { return b.fail("MarkDead") }

func (b brokenStreams) MarkNeeds(context.Context, string, string) error { return b.fail("MarkNeeds") }

// A store of streams that fails ends the cycle, and is told once.
func TestPrecacher_Cycle_streamsFail(t *testing.T) {
	gone := sources.Errorf(sources.ClassDeadLink, "404")
	tests := []struct {
		name   string
		method string
		setup  func(*world)
	}{
		{"reading", "CachedStream", func(*world) {}},
		{"forgetting", "DropStream", func(w *world) {
			leave(w, "a.example")
			w.row("a.example/0").stream.URL = "http://a.example/behind"
			w.probe["a.example"] = takes(time.Second, gone)
		}},
		{"marking a dead link", "MarkDead", func(w *world) { w.resolve["a.example"] = takes(time.Second, gone) }},
		{"noting what it needs", "MarkNeeds", func(w *world) {
			w.resolve["a.example"] = takes(time.Second, &sources.NeedsError{Needs: sources.NeedsAccount, Err: gone})
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				tt.setup(w)
				w.add("a.example", 1)
				p := w.precacher(t, func(c *precacher.Config) { c.Streams.Streams = brokenStreams{c.Streams.Streams, tt.method} })
				if _, err := p.Cycle(t.Context()); !errors.Is(err, errFull) {
					t.Errorf("Cycle() = %v, want the error of the store", err)
				}
				if got := w.lines("the disk is full"); len(got) != 1 {
					t.Errorf("log %q, want the reason once", got)
				}
			})
		})
	}
}
