package sourcetest_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/sources"
	"xship/sources/sourcetest"
)

const iface = "http://127.0.3.1/vod.json"

// clock is a clock that stands still until it is moved.
type clock struct{ at time.Time }

func newClock() *clock { return &clock{at: time.Unix(1_700_000_000, 0).UTC()} }

func (c *clock) now() time.Time          { return c.at }
func (c *clock) advance(d time.Duration) { c.at = c.at.Add(d) }

// reports and answer build a scan of sites and what they gave.
func reports(sites ...string) []sources.SiteReport {
	var all []sources.SiteReport
	for _, s := range sites {
		all = append(all, sources.SiteReport{SiteInfo: sources.SiteInfo{Key: s}, Status: sources.SiteOK})
	}
	return all
}

func answer(site string, urls ...string) sources.SiteAnswer {
	a := sources.SiteAnswer{Site: site}
	for _, u := range urls {
		a.Sources = append(a.Sources, source(u))
	}
	return a
}

func save(t *testing.T, m *sourcetest.MemStore, scan sources.StoredScan) {
	t.Helper()
	if err := m.SaveScan(t.Context(), iface, title(), scan); err != nil {
		t.Fatal(err)
	}
}

func load(t *testing.T, m *sourcetest.MemStore, of sources.Title) *sources.StoredScan {
	t.Helper()
	scan, err := m.LoadScan(t.Context(), iface, of)
	if err != nil {
		t.Fatal(err)
	}
	return scan
}

func TestMemStore_Scans(t *testing.T) {
	c := newClock()
	m := sourcetest.NewMemStore(c.now)
	if load(t, m, title()) != nil {
		t.Error("an empty store has a scan")
	}
	first := sources.StoredScan{ScannedAt: c.now(), Sites: reports("a", "b"), Answers: []sources.SiteAnswer{answer("a", "a1"), answer("b", "b1")}}
	save(t, m, first)
	if diff := cmp.Diff(&first, load(t, m, title())); diff != "" {
		t.Errorf("stored scan (-want +got):\n%s", diff)
	}
	other := title()
	other.Year++
	if load(t, m, other) != nil {
		t.Error("another title has the scan")
	}

	c.advance(time.Hour)
	second := sources.StoredScan{ScannedAt: c.now(), Sites: reports("a", "b"), Answers: []sources.SiteAnswer{answer("a"), answer("b", "b2")}}
	save(t, m, second)
	want := sources.StoredScan{ScannedAt: c.now(), Sites: reports("a", "b"), Answers: []sources.SiteAnswer{answer("a", "a1"), answer("b", "b2")}}
	if diff := cmp.Diff(&want, load(t, m, title())); diff != "" {
		t.Errorf("an answer replaces more or less than its own rows (-want +got):\n%s", diff)
	}

	c.advance(time.Hour)
	save(t, m, sources.StoredScan{ScannedAt: c.now(), Sites: reports("a", "b"), Answers: []sources.SiteAnswer{answer("b")}})
	if diff := cmp.Diff(&want, load(t, m, title())); diff != "" {
		t.Errorf("a scan that found nothing changes the store (-want +got):\n%s", diff)
	}
}

func TestMemStore_KeepsCopies(t *testing.T) {
	m := sourcetest.NewMemStore(newClock().now)
	scan := sources.StoredScan{Sites: reports("a"), Answers: []sources.SiteAnswer{answer("a", "a1")}}
	save(t, m, scan)
	scan.Answers[0].Sources[0].URL = "changed"
	load(t, m, title()).Answers[0].Sources[0].URL = "changed"
	if got := load(t, m, title()).Answers[0].Sources[0].URL; got != "a1" {
		t.Errorf("stored URL %q changes with what callers hold", got)
	}
}

func touch(t *testing.T, m *sourcetest.MemStore, outcomes ...sources.SiteOutcome) {
	t.Helper()
	if err := m.SiteTouch(t.Context(), iface, outcomes); err != nil {
		t.Fatal(err)
	}
}

func resting(t *testing.T, m *sourcetest.MemStore) map[string]sources.SiteRest {
	t.Helper()
	rests, err := m.RestingSites(t.Context(), iface)
	if err != nil {
		t.Fatal(err)
	}
	return rests
}

func TestMemStore_RestLadder(t *testing.T) {
	c := newClock()
	m := sourcetest.NewMemStore(c.now)
	for _, seconds := range []int{5, 10, 20, 30, 60, 300, 300} {
		touch(t, m, sources.SiteOutcome{Site: "bad", Started: c.now(), Error: "status 500"}, sources.SiteOutcome{Site: "good", Started: c.now(), OK: true})
		want := map[string]sources.SiteRest{"bad": {Until: c.now().Add(time.Duration(seconds) * time.Second), Reason: "status 500"}}
		if diff := cmp.Diff(want, resting(t, m)); diff != "" {
			t.Errorf("rest of %d s (-want +got):\n%s", seconds, diff)
		}
		c.advance(time.Duration(seconds) * time.Second)
		if rests := resting(t, m); len(rests) > 0 {
			t.Errorf("after %d s still at rest: %v", seconds, rests)
		}
	}
	touch(t, m, sources.SiteOutcome{Site: "bad", Started: c.now(), OK: true})
	touch(t, m, sources.SiteOutcome{Site: "bad", Started: c.now(), Error: "status 500"})
	if got := resting(t, m)["bad"].Until; !got.Equal(c.now().Add(5 * time.Second)) {
		t.Errorf("a success does not start the ladder anew: rest until %v", got)
	}
}

func TestMemStore_OneIncidentCountsOnce(t *testing.T) {
	c := newClock()
	m := sourcetest.NewMemStore(c.now)
	m.HosterSucceeded(c.now())
	fail := sources.SiteOutcome{Site: "bad", Started: c.now()}
	touch(t, m, fail)
	touch(t, m, fail)
	if got := resting(t, m)["bad"].Until; !got.Equal(c.now().Add(5 * time.Second)) {
		t.Errorf("two fails of one incident give a rest until %v", got)
	}
}

func TestMemStore_Guard(t *testing.T) {
	tests := []struct {
		name    string
		success time.Duration // this long before the fail, 0 = never
		counts  bool
	}{
		{"no success ever", 0, false},
		{"30 s ago", 30 * time.Second, true},
		{"31 s ago", 31 * time.Second, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newClock()
			m := sourcetest.NewMemStore(c.now)
			if tt.success > 0 {
				m.HosterSucceeded(c.now().Add(-tt.success))
			}
			touch(t, m, sources.SiteOutcome{Site: "bad", Started: c.now()})
			if got := len(resting(t, m)) == 1; got != tt.counts {
				t.Errorf("fail counted: %v, want %v", got, tt.counts)
			}
		})
	}
}

func TestMemStore_SetError(t *testing.T) {
	m := sourcetest.NewMemStore(newClock().now)
	broken := errors.New("disk on fire")
	m.SetError(broken)
	_, loadErr := m.LoadScan(t.Context(), iface, title())
	_, restErr := m.RestingSites(t.Context(), iface)
	for name, err := range map[string]error{
		"LoadScan":     loadErr,
		"SaveScan":     m.SaveScan(t.Context(), iface, title(), sources.StoredScan{}),
		"RestingSites": restErr,
		"SiteTouch":    m.SiteTouch(t.Context(), iface, nil),
	} {
		if !errors.Is(err, broken) {
			t.Errorf("%s gives %v, want the error that was set", name, err)
		}
	}
	m.SetError(nil)
	if load(t, m, title()) != nil {
		t.Error("a working store has a scan that nobody saved")
	}
}

var (
	_ sources.ScanStore = (*sourcetest.MemStore)(nil)
	_ sources.Site      = (*sourcetest.FakeSite)(nil)
)
