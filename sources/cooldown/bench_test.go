package cooldown_test

import (
	"testing"
	"time"

	"xship/sources"
	"xship/sources/cooldown"
)

// BenchmarkCheck asks whether a provider may be called. testdata/gobreaker asks a
// circuit breaker too.
func BenchmarkCheck(b *testing.B) {
	free, cooling := realDebrid(1), realDebrid(2)
	m := cooldown.NewMemory(nil)
	for user := range int64(1000) {
		if _, err := m.MarkCooldown(b.Context(), realDebrid(user+2), sources.CooldownMark{For: time.Hour, Reason: "limited"}); err != nil {
			b.Fatal(err)
		}
	}
	for _, bb := range []struct {
		name string
		op   func()
	}{
		{"memory/free", func() { _, _ = m.IsCoolingDown(b.Context(), free) }},
		{"memory/cooling", func() { _, _ = m.IsCoolingDown(b.Context(), cooling) }},
		{"memory/begin", func() { _, _, _ = m.Begin(b.Context(), free) }},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bb.op()
			}
		})
		b.Run(bb.name+"/parallel", func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					bb.op()
				}
			})
		})
	}
}
