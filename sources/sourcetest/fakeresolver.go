package sourcetest

import (
	"context"
	"slices"
	"sync"

	"xship/sources"
)

// FakeResolver is a resolver that does what it is told. Its methods are safe
// for concurrent use as long as its fields stay as they are.
type FakeResolver struct {
	ResolveFunc func(ctx context.Context, src sources.Source) (sources.Stream, error) // nil: gives the source's own link

	mu    sync.Mutex
	calls []sources.Source
}

var _ sources.Resolver = (*FakeResolver)(nil)

// Name implements sources.Resolver.
func (r *FakeResolver) Name() string { return "fake" }

// Resolve implements sources.Resolver.
func (r *FakeResolver) Resolve(ctx context.Context, src sources.Source) (sources.Stream, error) {
	r.mu.Lock()
	r.calls = append(r.calls, src)
	r.mu.Unlock()
	if r.ResolveFunc == nil {
		return sources.Stream{URL: src.URL}, nil
	}
	return r.ResolveFunc(ctx, src)
}

// Calls lists the sources that were resolved, in order.
func (r *FakeResolver) Calls() []sources.Source {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.calls)
}

// FakeProber is a prober that does what it is told. Its methods are safe for
// concurrent use as long as its fields stay as they are.
type FakeProber struct {
	ProbeFunc func(ctx context.Context, s sources.Stream) (sources.MediaInfo, error) // nil: every stream is an mp4

	mu    sync.Mutex
	calls []sources.Stream
}

var _ sources.Prober = (*FakeProber)(nil)

// Probe implements sources.Prober.
func (p *FakeProber) Probe(ctx context.Context, s sources.Stream) (sources.MediaInfo, error) {
	p.mu.Lock()
	p.calls = append(p.calls, s)
	p.mu.Unlock()
	if p.ProbeFunc == nil {
		return sources.MediaInfo{Container: "mp4"}, nil
	}
	return p.ProbeFunc(ctx, s)
}

// Calls lists the streams that were probed, in order.
func (p *FakeProber) Calls() []sources.Stream {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.calls)
}
