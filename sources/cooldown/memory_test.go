package cooldown_test

import (
	"sync"
	"testing"
	"time"

	"xship/sources"
	"xship/sources/cooldown"
	"xship/sources/sourcetest"
)

// clock is a time that only the test moves.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Unix(1_800_000_000, 0)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

func TestMemory(t *testing.T) {
	sourcetest.RunCooldown(t, func(testing.TB) (sources.ProviderCooldown, func(time.Duration)) {
		c := newClock()
		return cooldown.NewMemory(c.Now), c.Advance
	})
}
