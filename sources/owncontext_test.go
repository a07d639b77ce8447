package sources_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"xship/sources"
	"xship/sources/sourcetest"
)

// ownKey marks contexts as sources.StreamResolve.OwnContext does here.
type ownKey struct{}

func markOwn(ctx context.Context, src sources.Source) context.Context {
	return context.WithValue(ctx, ownKey{}, src.URL)
}

// TestOwnContext resolves, checks and probes: what is the user's own with his context,
// all else without.
func TestOwnContext(t *testing.T) {
	for _, own := range []bool{true, false} {
		var asked []string
		ask := func(ctx context.Context, what string) {
			if of, ok := ctx.Value(ownKey{}).(string); ok != own || own && of != "https://nas.example/a.m3u8" {
				t.Errorf("own %v: %s has the other context", own, what)
			}
			asked = append(asked, what)
		}
		resolver := &sourcetest.FakeResolver{ResolveFunc: func(ctx context.Context, src sources.Source) (sources.Stream, error) {
			ask(ctx, "resolver")
			return sources.Stream{URL: src.URL, MIME: "application/vnd.apple.mpegurl"}, nil
		}}
		store := sourcetest.NewMemory(time.Now)
		r := &sources.StreamResolve{
			Resolvers: []sources.Resolver{resolver}, Streams: store, Attempts: &sources.Attempts{Store: store}, OwnContext: markOwn,
			Check:    func(ctx context.Context, _ sources.Stream) error { ask(ctx, "check"); return nil },
			Manifest: func(ctx context.Context, _ sources.Stream) error { ask(ctx, "manifest"); return nil },
		}
		src := at("nas.example", "a.m3u8")
		src.Own = own
		for range 2 { // resolved, and from the store
			if _, err := r.With(store, store).Resolve(t.Context(), src, sources.ResolveOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		prober := &sourcetest.FakeProber{ProbeFunc: func(ctx context.Context, _ sources.Stream) (sources.MediaInfo, error) {
			ask(ctx, "probe")
			return sources.MediaInfo{Container: "hls"}, nil
		}}
		if _, err := r.Probe(t.Context(), prober, src, sources.Stream{URL: src.URL}, time.Second); err != nil {
			t.Fatal(err)
		}
		if want := []string{"resolver", "manifest", "check", "probe"}; !slices.Equal(asked, want) {
			t.Errorf("own %v: asked %q, want %q", own, asked, want)
		}
	}
}

// No provider is told of what is the user's own, whatever it serves.
func TestAccounts_ownPages(t *testing.T) {
	a := newAccountsTest(t)
	page := sources.Errorf(sources.ClassHosterFault, "html: %w", sources.ErrPage)
	a.Resolvers = []sources.Resolver{&sourcetest.FakeResolver{ResolveFunc: func(context.Context, sources.Source) (sources.Stream, error) {
		return sources.Stream{}, page
	}}}
	for _, address := range []string{"https://page.example/a/film", "https://page.example/a/film.mkv"} {
		src := sources.Source{ID: address, URL: address, Hoster: "page.example", Own: true}
		if _, err := a.Resolve(t.Context(), src, sources.ResolveOptions{Force: true, User: 1}); err == nil {
			t.Errorf("%s: it was resolved", address)
		}
		if calls := a.rd.Calls(); len(calls) > 0 {
			t.Errorf("%s: the provider was called: %v", address, calls)
		}
	}
}
