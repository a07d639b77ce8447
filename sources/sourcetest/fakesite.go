package sourcetest

import (
	"context"
	"slices"
	"sync"
	"time"

	"xship/sources"
)

// SearchFunc is the Search method of a site.
type SearchFunc func(ctx context.Context, t sources.Title, yield func(sources.Source)) error

// FakeSite is a site that does what it is told. Its methods are safe for
// concurrent use as long as its fields stay as they are.
type FakeSite struct {
	SiteInfo   sources.SiteInfo
	SearchFunc SearchFunc // nil: answers and has nothing

	mu    sync.Mutex
	calls []sources.Title
}

// NewFakeSite is a site with the given key, which is its name too.
func NewFakeSite(key string, search SearchFunc) *FakeSite {
	return &FakeSite{SiteInfo: sources.SiteInfo{Key: key, Name: key, Type: "fake"}, SearchFunc: search}
}

// Info implements sources.Site.
func (s *FakeSite) Info() sources.SiteInfo { return s.SiteInfo }

// Search implements sources.Site.
func (s *FakeSite) Search(ctx context.Context, t sources.Title, yield func(sources.Source)) error {
	s.mu.Lock()
	s.calls = append(s.calls, t)
	s.mu.Unlock()
	if s.SearchFunc == nil {
		return nil
	}
	return s.SearchFunc(ctx, t, yield)
}

// Calls lists the titles that were searched for, in order.
func (s *FakeSite) Calls() []sources.Title {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Answer yields found, whatever is searched for.
func Answer(found ...sources.Source) SearchFunc {
	return func(_ context.Context, _ sources.Title, yield func(sources.Source)) error {
		for _, s := range found {
			yield(s)
		}
		return nil
	}
}

// Fail yields found and then fails with err.
func Fail(err error, found ...sources.Source) SearchFunc {
	return func(ctx context.Context, t sources.Title, yield func(sources.Source)) error {
		_ = Answer(found...)(ctx, t, yield) // Answer never fails
		return err
	}
}

// Hang waits until the context ends and gives its error.
func Hang() SearchFunc {
	return func(ctx context.Context, _ sources.Title, _ func(sources.Source)) error {
		<-ctx.Done()
		return ctx.Err()
	}
}

// Panic panics with v.
func Panic(v any) SearchFunc {
	return func(context.Context, sources.Title, func(sources.Source)) error { panic(v) }
}

// After does what next does, d later, or gives the error of the context where
// that ends before.
func After(d time.Duration, next SearchFunc) SearchFunc {
	return func(ctx context.Context, t sources.Title, yield func(sources.Source)) error {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			return next(ctx, t, yield)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Sequence does what the first step does at the first search, the second at
// the second, and so on; the last is repeated.
func Sequence(first SearchFunc, more ...SearchFunc) SearchFunc {
	var mu sync.Mutex
	step, rest := first, more
	next := func() SearchFunc {
		mu.Lock()
		defer mu.Unlock()
		now := step
		if len(rest) > 0 {
			step, rest = rest[0], rest[1:]
		}
		return now
	}
	return func(ctx context.Context, t sources.Title, yield func(sources.Source)) error {
		return next()(ctx, t, yield)
	}
}
