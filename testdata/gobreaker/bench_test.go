// Package gobreaker compares our check of a cooldown with the circuit breaker that
// most people would take. It is a module of its own, so that xship does without
// that dependency.
package gobreaker

import (
	"errors"
	"testing"
	"time"

	"github.com/sony/gobreaker/v2"

	"xship/sources"
	"xship/sources/cooldown"
)

// BenchmarkCheck asks whether a provider may be called, by ours and by a circuit
// breaker that is as busy: closed (free) and open (cooling).
func BenchmarkCheck(b *testing.B) {
	key := func(user int64) sources.CooldownKey { return sources.CooldownKey{User: user, Provider: "real_debrid"} }
	free, cooling := key(1), key(2)
	m := cooldown.NewMemory(nil)
	for user := range int64(1000) {
		if _, err := m.MarkCooldown(b.Context(), key(user+2), sources.CooldownMark{For: time.Hour, Reason: "limited"}); err != nil {
			b.Fatal(err)
		}
	}
	closed := gobreaker.NewCircuitBreaker[struct{}](gobreaker.Settings{})
	open := gobreaker.NewCircuitBreaker[struct{}](gobreaker.Settings{
		Timeout: time.Hour, ReadyToTrip: func(gobreaker.Counts) bool { return true },
	})
	_, _ = open.Execute(func() (struct{}, error) { return struct{}{}, errors.New("limited") })
	nothing := func() (struct{}, error) { return struct{}{}, nil }
	for _, bb := range []struct {
		name string
		op   func()
	}{
		{"memory/free", func() { _, _ = m.IsCoolingDown(b.Context(), free) }},
		{"memory/cooling", func() { _, _ = m.IsCoolingDown(b.Context(), cooling) }},
		{"gobreaker/free", func() { _, _ = closed.Execute(nothing) }},
		{"gobreaker/cooling", func() { _, _ = open.Execute(nothing) }},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bb.op()
			}
		})
	}
}
