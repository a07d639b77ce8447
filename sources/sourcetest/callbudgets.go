package sourcetest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"xship/sources"
)

// CallBudgetsBackend gives a fresh, empty backend for one check, and what moves its
// clock. What it needs ends with tb.
type CallBudgetsBackend func(tb testing.TB) (backend sources.CallBudgets, advance func(time.Duration))

// RunCallBudgets checks that a backend keeps the contract of sources.CallBudgets, each
// point in a subtest of its own. Run it with -race.
func RunCallBudgets(t *testing.T, newBackend CallBudgetsBackend) {
	t.Helper()
	for _, c := range []struct {
		name string
		run  func(*budgetSubject)
	}{
		{"half at once, then one after the other", checkBudgetFlow},
		{"no span has more than it allows", checkBudgetSpan},
		{"what is refused takes nothing", checkBudgetRefused},
		{"budgets are independent", checkBudgetNames},
		{"those who spend at once share", checkBudgetConcurrent},
	} {
		t.Run(c.name, func(t *testing.T) {
			backend, advance := newBackend(t)
			c.run(&budgetSubject{T: t, backend: backend, advance: advance})
		})
	}
}

type budgetSubject struct {
	*testing.T
	backend sources.CallBudgets
	advance func(time.Duration)
}

var testLimit = sources.CallLimit{Calls: 10, Per: time.Minute} // five at once, then one in 12 s

func (s *budgetSubject) spend(name string, most time.Duration) (time.Duration, bool) {
	s.Helper()
	wait, ok, err := s.backend.Spend(s.Context(), name, testLimit, most)
	if err != nil {
		s.Fatal(err)
	}
	return wait, ok
}

// wants compares a wait, which is rounded by a millisecond at most and may have become
// shorter by what passed meanwhile at a server.
func (s *budgetSubject) wants(wait time.Duration, ok bool, want time.Duration, wantOK bool) {
	s.Helper()
	if ok != wantOK || wait > want+time.Millisecond || want > 0 && wait < want-5*time.Second || want == 0 && wait != 0 {
		s.Errorf("a call waits %s, %t, want %s, %t", wait, ok, want, wantOK)
	}
}

func checkBudgetFlow(s *budgetSubject) {
	for i := range 8 {
		wait, ok := s.spend("a", time.Hour)
		s.wants(wait, ok, time.Duration(max(i-4, 0))*12*time.Second, true)
	}
	s.advance(2 * time.Minute)
	wait, ok := s.spend("a", 0)
	s.wants(wait, ok, 0, true)
}

func checkBudgetSpan(s *budgetSubject) {
	var times []time.Duration
	now := time.Duration(0)
	for range 40 {
		wait, ok := s.spend("a", time.Hour)
		if !ok {
			s.Fatal("a call that can wait is refused")
		}
		times = append(times, now+wait)
		s.advance(wait)
		now += wait
	}
	first := 0
	for i, at := range times {
		for at-times[first] >= testLimit.Per {
			first++
		}
		if n := i - first + 1; n > testLimit.Calls {
			s.Fatalf("%d calls in one span", n)
		}
	}
}

func checkBudgetRefused(s *budgetSubject) {
	for range 5 {
		s.spend("a", 0)
	}
	for range 3 {
		wait, ok := s.spend("a", time.Second)
		s.wants(wait, ok, 12*time.Second, false)
	}
	s.advance(12 * time.Second)
	wait, ok := s.spend("a", 0)
	s.wants(wait, ok, 0, true)
}

func checkBudgetNames(s *budgetSubject) {
	for range 5 {
		s.spend("torbox/a/300 in 1m", 0)
	}
	for _, name := range []string{"torbox/b/300 in 1m", "torbox/a/60 in 1h", "torbox/a/300 in 1m/background", "torbox:a", "torbox/a:300 in 1m", ""} {
		wait, ok := s.spend(name, 0)
		s.wants(wait, ok, 0, true)
	}
	wait, ok := s.spend("torbox/a/300 in 1m", 0)
	s.wants(wait, ok, 12*time.Second, false)
}

func checkBudgetConcurrent(s *budgetSubject) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	waits := make(map[string]int)
	for range 9 {
		wg.Go(func() {
			wait, ok, err := s.backend.Spend(s.Context(), "a", testLimit, time.Hour)
			mu.Lock()
			defer mu.Unlock()
			waits[fmt.Sprint(wait.Round(12*time.Second), ok, err)]++
		})
	}
	wg.Wait()
	if waits["0strue<nil>"]+waits["0s true <nil>"] != 5 || len(waits) != 5 {
		s.Errorf("nine calls at once wait %v, want five at once and four one after the other", waits)
	}
}
