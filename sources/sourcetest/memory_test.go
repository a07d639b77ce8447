package sourcetest_test

import (
	"errors"
	"testing"
	"time"

	"xship/sources"
	"xship/sources/sourcetest"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	sourcetest.RunStore(t, func(_ testing.TB, now func() time.Time) sources.Store { return sourcetest.NewMemory(now) })
}

func TestMemory_SetError(t *testing.T) {
	t.Parallel()
	m := sourcetest.NewMemory(time.Now)
	broken := errors.New("disk on fire")
	calls := func() map[string]error {
		_, load := m.LoadScan(t.Context(), "", title())
		_, rests := m.RestingSites(t.Context(), "")
		_, _, begin := m.BeginAttempt(t.Context(), "h.example", "https://h.example/a", false)
		return map[string]error{
			"LoadScan": load, "RestingSites": rests, "BeginAttempt": begin,
			"SaveScan":  m.SaveScan(t.Context(), "", title(), sources.StoredScan{}),
			"PutStream": m.PutStream(t.Context(), "a", sources.Stream{}),
		}
	}
	m.SetError(broken)
	for name, err := range calls() {
		if !errors.Is(err, broken) {
			t.Errorf("%s gives %v, want the error that was set", name, err)
		}
	}
	if m.Emptied() != 0 || m.Open() != 0 || m.State("a") != sources.StateFound {
		t.Error("a method that fails does something")
	}
	m.SetError(nil)
	m.SetError(broken, "PutStream", "RestingSites")
	for name, err := range calls() {
		if want := name == "PutStream" || name == "RestingSites"; errors.Is(err, broken) != want {
			t.Errorf("%s gives %v, want the error that was set: %t", name, err, want)
		}
	}
}

// TestMemory_Block has blocks of every length that the ladder has room for.
func TestMemory_Block(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	m := sourcetest.NewMemory(func() time.Time { return now })
	for _, d := range []time.Duration{-time.Second, 0, time.Second, 5 * time.Second, 7 * time.Second, time.Minute, time.Hour} {
		m.Block("h.example", now.Add(d))
		available, err := m.HosterAvailable(t.Context(), "h.example", 0)
		if err != nil || available != (d <= 0) {
			t.Errorf("blocked for %v: available %t, %v", d, available, err)
		}
	}
}

// TestMemory_SetCanary has the next report, and only that, ask what a test wants.
func TestMemory_SetCanary(t *testing.T) {
	t.Parallel()
	m := sourcetest.NewMemory(time.Now)
	canary := sources.Canary{Hoster: "good.example", Link: "https://good.example/a"}
	m.SetCanary(canary)
	for _, want := range []bool{true, false} {
		a, _, err := m.BeginAttempt(t.Context(), "h.example", "https://h.example/a", false)
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.EndAttempt(t.Context(), a, sources.ClassHosterFault, "timeout")
		if err != nil || (got != nil) != want || want && *got != canary {
			t.Errorf("canary %+v, %v; want one: %t", got, err, want)
		}
	}
}
