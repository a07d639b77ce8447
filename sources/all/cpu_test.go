package all_test

import "testing"

// cpu measures the processor time of a benchmark's loop, the world's servers
// included: both sides pay for them alike.
type cpu struct {
	b     *testing.B
	start float64
}

func newCPU(b *testing.B) *cpu {
	b.Helper()
	b.ReportAllocs()
	return &cpu{b: b, start: cpuMillis()}
}

func (c *cpu) report() {
	c.b.Helper()
	if used := cpuMillis() - c.start; used > 0 {
		c.b.ReportMetric(used/float64(c.b.N), "cpu-ms/op")
	}
}
