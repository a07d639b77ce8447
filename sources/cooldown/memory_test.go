package cooldown_test

import (
	"strconv"
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

func TestMemoryBudgets(t *testing.T) {
	sourcetest.RunCallBudgets(t, func(testing.TB) (sources.CallBudgets, func(time.Duration)) {
		c := newClock()
		return cooldown.NewMemoryBudgets(c.Now), c.Advance
	})
}

// What nobody spends of is not kept.
func TestMemoryBudgets_bounded(t *testing.T) {
	c := newClock()
	b := cooldown.NewMemoryBudgets(c.Now)
	for i := range 10_000 {
		c.Advance(time.Minute)
		if _, ok, err := b.Spend(t.Context(), strconv.Itoa(i), sources.CallLimit{Calls: 2, Per: time.Minute}, 0); !ok || err != nil {
			t.Fatalf("%t, %v", ok, err)
		}
	}
	if n := b.Len(); n > 200 {
		t.Errorf("%d budgets are kept", n)
	}
}

func TestMemory(t *testing.T) {
	sourcetest.RunCooldown(t, func(testing.TB) (sources.ProviderCooldown, func(time.Duration)) {
		c := newClock()
		return cooldown.NewMemory(c.Now), c.Advance
	})
}
