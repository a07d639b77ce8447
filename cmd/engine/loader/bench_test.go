package loader_test

import (
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
}
