package sourcetest

import (
	"context"
	"slices"
	"sync"

	"xship/sources"
)

// FakeProvider is a sources.Provider that serves Hosters as Answer says. It is
// safe for concurrent use.
type FakeProvider struct {
	ID      string   // its Name
	Hosters []string // nil: they are not known, and Supports fails with ListErr
	ListErr error
	Unasked bool // the hosters are known only once Supports was called
	Answer  func(ctx context.Context, a sources.Account, link string) (sources.Stream, error)

	mu    sync.Mutex
	asked bool
	calls []string
}

var _ sources.Provider = (*FakeProvider)(nil)

// Name implements sources.Provider.
func (p *FakeProvider) Name() string { return p.ID }

// Title implements sources.Provider.
func (p *FakeProvider) Title() string { return sources.ProviderTitle(p.ID) }

// Serves implements sources.Provider.
func (p *FakeProvider) Serves(_ context.Context, _ sources.Account, hoster string) (serves, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Unasked && !p.asked {
		return false, false
	}
	return slices.Contains(p.Hosters, hoster), p.Hosters != nil
}

// Supports implements sources.Provider.
func (p *FakeProvider) Supports(_ context.Context, _ sources.Account, hoster string) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = true
	return slices.Contains(p.Hosters, hoster), p.ListErr
}

// Unlock implements sources.Provider.
func (p *FakeProvider) Unlock(ctx context.Context, a sources.Account, link string, _ bool) (sources.Stream, error) {
	p.mu.Lock()
	p.calls = append(p.calls, link)
	p.mu.Unlock()
	return p.Answer(ctx, a, link)
}

// Calls gives the links that were to be unlocked, in order.
func (p *FakeProvider) Calls() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.calls)
}
