package loader_test

import (
	"sync"
	"testing"

	"xship/cmd/engine/loader"
	"xship/sources/fetch"
	"xship/sources/sourcetest/world"
)

// BenchmarkLoad compares loads with the bare requests that they are made of: what
// failover, the store and the record of each load cost.
func BenchmarkLoad(b *testing.B) {
	r := newRig(b, world.Mode503, world.ModeOK)
	client := fetch.New(fetch.Options{})
	defer client.CloseIdleConnections()
	get := func(name string) { _, _ = client.Get(b.Context(), fetch.Request{URL: r.servers[name].URL()}) }
	load := func(ref string, refresh bool) {
		if _, err := r.Load(b.Context(), loader.Request{Ref: ref, Refresh: refresh}); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("requests/one", func(b *testing.B) {
		for b.Loop() {
			get("b")
		}
	})
	b.Run("requests/two", func(b *testing.B) {
		for b.Loop() {
			get("a")
			get("b")
		}
	})
	b.Run("load/asked", func(b *testing.B) {
		for b.Loop() {
			load("b", true)
		}
	})
	b.Run("load/failover", func(b *testing.B) {
		for b.Loop() {
			load("a", true)
		}
	})
	b.Run("load/fresh", func(b *testing.B) {
		for b.Loop() {
			load("b", false)
		}
	})
	together := func(b *testing.B, callers int, ref string) {
		before := r.servers["b"].Requests()
		for b.Loop() {
			var wg sync.WaitGroup
			for range callers {
				wg.Go(func() {
					if _, err := r.Loader.Load(b.Context(), loader.Request{Ref: ref}); err != nil {
						b.Error(err)
					}
				})
			}
			wg.Wait()
		}
		if asked := r.servers["b"].Requests() - before; asked > 0 {
			b.Errorf("%d requests for what is fresh", asked)
		}
	}
	if err := r.Store.SetCurrentInterface(b.Context(), r.servers["b"].URL()); err != nil {
		b.Fatal(err)
	}
	b.Run("load/fresh/in-use", func(b *testing.B) { together(b, 1, "") })
	b.Run("load/fresh/64", func(b *testing.B) { together(b, 64, "") })
	b.Run("load/fresh/64-by-name", func(b *testing.B) { together(b, 64, "b") })
}
