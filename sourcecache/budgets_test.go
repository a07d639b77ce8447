package sourcecache_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"xship/sources"
	"xship/sources/sourcetest"
)

func TestCallBudgets_conformance(t *testing.T) {
	t.Parallel()
	sourcetest.RunCallBudgets(t, func(tb testing.TB) (sources.CallBudgets, func(time.Duration)) {
		s := newStore(tb)
		return s.CallBudgets(), s.clock.Advance
	})
}

// TestCallBudgets_conformanceOfSeveral has three processes on one file make the calls
// in turns: a limit is the account's, not a process's.
func TestCallBudgets_conformanceOfSeveral(t *testing.T) {
	t.Parallel()
	sourcetest.RunCallBudgets(t, func(tb testing.TB) (sources.CallBudgets, func(time.Duration)) {
		s := newStore(tb)
		return &budgetsInTurns{all: []sources.CallBudgets{s.CallBudgets(), s.open(tb).CallBudgets(), s.open(tb).CallBudgets()}}, s.clock.Advance
	})
}

// budgetsInTurns makes each call through another one of several backends.
type budgetsInTurns struct {
	all   []sources.CallBudgets
	calls atomic.Int64
}

func (b *budgetsInTurns) Spend(ctx context.Context, name string, l sources.CallLimit, most time.Duration) (time.Duration, bool, error) {
	return b.all[int(b.calls.Add(1))%len(b.all)].Spend(ctx, name, l, most)
}

// A database that is locked holds nobody up for long, and says that it was not asked.
func TestCallBudgets_locked(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	defer s.lock(t)()
	if _, _, err := s.CallBudgets().Spend(t.Context(), "a", sources.CallLimit{Calls: 2, Per: time.Minute}, 0); err == nil {
		t.Error("a budget is told that nobody could ask for")
	}
}

func BenchmarkCallBudgets_Spend(b *testing.B) {
	s := newStore(b)
	budgets, limit := s.CallBudgets(), sources.CallLimit{Calls: 1_000_000, Per: time.Second}
	for b.Loop() {
		if _, _, err := budgets.Spend(b.Context(), "real_debrid/0123456789abcdef/250 in 1m0s", limit, time.Minute); err != nil {
			b.Fatal(err)
		}
	}
}
