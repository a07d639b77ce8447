package sources_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"xship/sources"
	"xship/sources/sourcetest"
)

// slow resolves in a second, unless its context ends before.
func slow(ctx context.Context, src sources.Source) (sources.Stream, error) {
	select {
	case <-time.After(time.Second):
		return sources.Stream{URL: src.URL}, nil
	case <-ctx.Done():
		return sources.Stream{}, ctx.Err()
	}
}

func newResolve(hosters *sourcetest.Memory, resolvers ...sources.Resolver) *sources.StreamResolve {
	return &sources.StreamResolve{Resolvers: resolvers, Attempts: &sources.Attempts{Store: hosters}, Streams: sourcetest.NewMemory(time.Now)}
}

func TestResolveIsOneFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hosters := sourcetest.NewMemory(time.Now)
		resolver := &sourcetest.FakeResolver{ResolveFunc: slow}
		r := newResolve(hosters, resolver)
		src := at("h.example", "a")
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				if s, err := r.Resolve(t.Context(), src, forced); err != nil || s.URL != src.URL {
					t.Errorf("got %+v, %v", s, err)
				}
			})
		}
		wg.Go(func() { _, _ = r.Resolve(t.Context(), at("h.example", "b"), forced) })
		ctx, cancel := context.WithCancel(t.Context())
		wg.Go(func() { // it leaves and takes nobody along
			if _, err := r.Resolve(ctx, src, forced); !errors.Is(err, context.Canceled) {
				t.Errorf("the one that left got %v", err)
			}
		})
		time.AfterFunc(500*time.Millisecond, cancel)
		wg.Wait()
		if n := len(resolver.Calls()); n != 2 {
			t.Errorf("%d upstream calls for 2 sources", n)
		}
		if n := len(hosters.Reports()); n != 2 {
			t.Errorf("%d reports for 2 sources", n)
		}
	})
}

func TestLastWaiterEndsTheFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hosters := sourcetest.NewMemory(time.Now)
		resolver := &sourcetest.FakeResolver{ResolveFunc: slow}
		r := newResolve(hosters, resolver)
		src := at("h.example", "a")
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		start := time.Now()
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				if _, err := r.Resolve(ctx, src, forced); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v", err)
				}
			})
		}
		wg.Wait()
		if took := time.Since(start); took != 500*time.Millisecond {
			t.Errorf("took %s", took)
		}
		if got := hosters.Reports(); len(got) != 1 || got[0].Class != sources.ClassCancelled {
			t.Errorf("reported %+v", got)
		}
		if _, err := r.Resolve(t.Context(), src, forced); err != nil { // no failure is remembered
			t.Errorf("then: %v", err)
		}
	})
}

// TestStubbornFlight checks that an attempt which does not heed its end holds
// nobody up for long, and no new one either.
func TestStubbornFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var called atomic.Bool
		resolver := &sourcetest.FakeResolver{ResolveFunc: func(_ context.Context, src sources.Source) (sources.Stream, error) {
			if !called.Swap(true) {
				time.Sleep(time.Minute)
			}
			return sources.Stream{URL: src.URL}, nil
		}}
		r := newResolve(sourcetest.NewMemory(time.Now), resolver)
		src := at("h.example", "a")
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		start := time.Now()
		if _, err := r.Resolve(ctx, src, forced); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if took := time.Since(start); took != 2*time.Second {
			t.Errorf("leaving took until %s, want a second after the end", took)
		}
		if _, err := r.Resolve(t.Context(), src, forced); err != nil || len(resolver.Calls()) != 2 {
			t.Errorf("the next one: %v, %d calls", err, len(resolver.Calls()))
		}
		time.Sleep(time.Minute)
	})
}

func TestFailuresAreRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hosters := sourcetest.NewMemory(time.Now)
		fault := sources.Errorf(sources.ClassHosterFault, "503")
		resolver := &sourcetest.FakeResolver{ResolveFunc: func(context.Context, sources.Source) (sources.Stream, error) { return sources.Stream{}, fault }}
		r := newResolve(hosters, resolver)
		src := at("h.example", "a")
		for range 5 { // one click in Kodi
			if _, err := r.Resolve(t.Context(), src, forced); !errors.Is(err, fault) {
				t.Errorf("got %v", err)
			}
			time.Sleep(time.Second)
		}
		if calls, reports := len(resolver.Calls()), len(hosters.Reports()); calls != 1 || reports != 1 {
			t.Errorf("%d calls and %d reports within 5 s, want 1", calls, reports)
		}
		_, _ = r.Resolve(t.Context(), src, forced)
		if calls := len(resolver.Calls()); calls != 2 {
			t.Errorf("%d calls after 5 s, want 2", calls)
		}
	})
}

// TestForcedCallJoinsUnforced checks that a click does not get the answer of a
// background call that may not try the hoster.
func TestForcedCallJoinsUnforced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hosters := sourcetest.NewMemory(time.Now)
		hosters.Block("h.example", time.Now().Add(time.Hour))
		streams := &slowStreams{Memory: sourcetest.NewMemory(time.Now)}
		r := &sources.StreamResolve{Resolvers: []sources.Resolver{&sourcetest.FakeResolver{}}, Attempts: &sources.Attempts{Store: hosters}, Streams: streams}
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := r.Resolve(t.Context(), at("h.example", "a"), sources.ResolveOptions{}); !errors.Is(err, sources.ErrHosterResting) {
				t.Errorf("not forced: got %v", err)
			}
		})
		synctest.Wait()
		if _, err := r.Resolve(t.Context(), at("h.example", "a"), forced); err != nil {
			t.Errorf("forced: got %v", err)
		}
		wg.Wait()
	})
}

// slowStreams takes a second to look something up.
type slowStreams struct{ *sourcetest.Memory }

func (s *slowStreams) CachedStream(ctx context.Context, id string) (*sources.StoredStream, error) {
	time.Sleep(time.Second)
	return s.Memory.CachedStream(ctx, id)
}
