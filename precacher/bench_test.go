package precacher_test

import (
	"fmt"
	"testing"
	"time"

	"xship/precacher"
)

// BenchmarkCycle runs a cycle over 1,000 sources on 50 hosters that take 20 ms
// for a resolve and 20 ms for a probe. x-bound is its time by the least that
// eight workers can need, x-work by the least for what the hosters really took:
// on a busy machine 20 ms come late.
func BenchmarkCycle(b *testing.B) {
	const (
		hosters, perHoster = 50, 20
		workers            = 8
		latency            = 20 * time.Millisecond
		bound              = 2 * hosters * perHoster * latency / workers
	)
	var total, worked time.Duration
	pulls := 0
	for b.Loop() {
		w := newWorld()
		for i := range hosters {
			name := fmt.Sprintf("h%d.example", i)
			w.add(name, perHoster)
			w.resolve[name], w.probe[name] = takes(latency, nil), takes(latency, nil)
		}
		sum := w.cycleOf(b, w.precacher(b, func(c *precacher.Config) { c.Workers = workers }))
		if sum.Probed != hosters*perHoster {
			b.Fatalf("%+v", sum)
		}
		total += sum.Duration
		worked += w.worked
		pulls += w.pulls
	}
	b.ReportMetric(float64(total)/float64(b.N)/float64(bound), "x-bound")
	b.ReportMetric(float64(total*workers)/float64(worked), "x-work")
	b.ReportMetric(float64(pulls)/float64(b.N), "pulls/op")
}
