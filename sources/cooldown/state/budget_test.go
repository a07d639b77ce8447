package state_test

import (
	"testing"

	"xship/sources/cooldown/state"
)

// No span has more calls than the rate allows, and those who wait get all that it
// allows.
func TestBudget(t *testing.T) {
	for _, r := range []state.Rate{{1, 1000}, {2, 1000}, {12, 1000}, {60, 3_600_000}, {250, 60_000}, {300, 60_000}, {600, 60_000}, {7, 13}, {5, 3}} {
		var b state.Budget
		var times []int64
		now := int64(1_700_000_000_000)
		for range 5 * r.Calls {
			wait, ok := b.Spend(r, now, r.Per*2)
			if !ok {
				t.Fatalf("%+v: a call has to wait for %d", r, wait)
			}
			now += wait
			times = append(times, now)
		}
		first := 0
		for i, at := range times {
			for at-times[first] >= r.Per {
				first++
			}
			if n := int64(i - first + 1); n > r.Calls {
				t.Fatalf("%+v: %d calls in one span", r, n)
			}
		}
		if least := r.Calls / 3; (times[len(times)-1]-times[0])*least > r.Per*int64(len(times)) {
			t.Errorf("%+v: %d calls take %d", r, len(times), times[len(times)-1]-times[0])
		}
	}
}

func TestBudget_refused(t *testing.T) {
	r := state.Rate{Calls: 2, Per: 1000}
	var b state.Budget
	if wait, ok := b.Spend(r, 5000, 0); !ok || wait != 0 {
		t.Fatalf("the first call: %d, %t", wait, ok)
	}
	before := b
	for range 3 {
		if wait, ok := b.Spend(r, 5000, 999); ok || wait != 1000 || b != before {
			t.Errorf("one that cannot wait: %d, %t, takes %+v", wait, ok, b)
		}
	}
	if wait, ok := b.Spend(r, 5000, 1000); !ok || wait != 1000 {
		t.Errorf("one that can wait: %d, %t", wait, ok)
	}
}

// A clock that was set back by more than calls can wait holds nobody up.
func TestBudget_otherClock(t *testing.T) {
	r := state.Rate{Calls: 60, Per: 3600}
	for _, ahead := range []int64{8000, 1 << 40} {
		b := state.Budget{Full: 10_000 + ahead}
		if wait, ok := b.Spend(r, 10_000, 0); !ok || wait != 0 {
			t.Errorf("%d ahead: %d, %t", ahead, wait, ok)
		}
	}
	b := state.Budget{Full: 10_000}
	if wait, ok := b.Spend(r, 1<<40, 0); !ok || wait != 0 {
		t.Errorf("long ago: %d, %t", wait, ok)
	}
}
