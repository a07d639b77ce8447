package sourcetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"xship/sources"
	"xship/sources/link"
)

// RunHosters checks that a store keeps the contract of sources.HosterStore and
// sources.HosterTable, and with them the rules of health.
func RunHosters(t *testing.T, newStore StoreBackend) {
	t.Helper()
	runStoreChecks(t, newStore, []storeCheck{
		{"unknown hosters are healthy", checkUnknownHoster},
		{"fails climb the ladder", checkLadder},
		{"a success ends the block", checkHosterRecovery},
		{"classes", checkClasses},
		{"untracked hosters", checkUntracked},
		{"fails count within 30 s of a success", checkGuard},
		{"one incident counts once", checkOneIncident},
		{"a failing hoster gets one attempt at a time", checkHosterLease},
		{"the lease belongs to its attempt", checkLeaseHolder},
		{"a lease dies with its holder", checkHosterLeaseEnd},
		{"of many attempts one goes first", checkConcurrentLease},
		{"forced attempts begin", checkForced},
		{"a healthy hoster gets all attempts", checkNoLease},
		{"cooldown after the last fail", checkFailAge},
		{"two hosters that fail ask a canary", checkCanary},
		{"a canary that works", checkCanaryWorks},
		{"a canary whose link is gone", checkCanaryDead},
		{"a canary that fails takes fails back", checkCanaryFails},
		{"a canary that shows nothing", checkCanaryCancelled},
		{"a canary of a run that is over", checkCanaryLate},
		{"a canary that nobody ended", checkCanaryLost},
		{"without a link to test it is an outage", checkNoCanary},
		{"a canary that failed stands for 15 s", checkCanaryMemory},
		{"links that are no canary", checkCanaryChoice},
		{"fails of an outage do not count", checkInOutage},
		{"a later fail takes back no older block", checkUndoKeepsOlder},
		{"a clock that was set back", checkClockSetBack},
		{"the table", checkHosterTable},
		{"reset", checkReset},
		{"reset all", checkResetAll},
		{"hostile names", checkHosterNames},
	})
}

func (s *storeSubject) network() sources.NetworkState {
	s.Helper()
	g, err := s.Guard(s.Context())
	s.must(err)
	return g.Network
}

// fails writes the consecutive fails of hosters as "a 1, b 2".
func (s *storeSubject) fails() string {
	s.Helper()
	snapshot, err := s.HosterSnapshot(s.Context())
	s.must(err)
	var all []string
	for _, name := range slices.Sorted(maps.Keys(snapshot)) {
		all = append(all, fmt.Sprint(name, " ", snapshot[name].ConsecutiveFails))
	}
	return strings.Join(all, ", ")
}

func (s *storeSubject) available(name string, cooldown time.Duration) bool {
	s.Helper()
	ok, err := s.HosterAvailable(s.Context(), name, cooldown)
	s.must(err)
	return ok
}

func (s *storeSubject) endCanary(c *sources.Canary, class sources.Class) {
	s.Helper()
	s.must(s.EndCanary(s.Context(), *c, class))
}

func checkUnknownHoster(s *storeSubject) {
	if h := s.hoster("nobody.example"); !h.Healthy() {
		s.Errorf("unknown, but %+v", h)
	}
	if !s.available("nobody.example", time.Hour) {
		s.Error("an unknown hoster is not available")
	}
	g, err := s.Guard(s.Context())
	s.must(err)
	s.want("guard", g, sources.GuardState{Network: sources.NetworkUnknown})
}

func checkLadder(s *storeSubject) {
	for i, seconds := range []int{5, 10, 20, 30, 60, 300, 3600, 3600} {
		block := time.Duration(seconds) * time.Second
		s.attempt("good.example", sources.ClassOK)
		if canary := s.attempt("bad.example", sources.ClassHosterFault); canary != nil {
			s.Fatalf("fail %d: a canary is asked because of one hoster: %+v", i+1, canary)
		}
		h := s.hoster("bad.example")
		if got := h.BackoffUntil.Sub(s.now()); h.ConsecutiveFails != i+1 || got != block {
			s.Errorf("fail %d: %d in a row, blocked for %v, want %v", i+1, h.ConsecutiveFails, got, block)
		}
		s.advance(block - time.Second)
		if _, ok := s.tryBegin("bad.example", false); ok || s.available("bad.example", 0) {
			s.Errorf("fail %d: it may be tried a second before its block ends", i+1)
		}
		s.advance(time.Second)
		if !s.available("bad.example", 0) {
			s.Errorf("fail %d: it may not be tried when its block ends", i+1)
		}
	}
}

func checkHosterRecovery(s *storeSubject) {
	s.attempt("good.example", sources.ClassOK)
	s.attempt("bad.example", sources.ClassHosterFault)
	at := s.now()
	s.advance(5 * time.Second)
	s.attempt("bad.example", sources.ClassOK)
	s.want("recovered", s.hoster("bad.example"), sources.HosterHealth{
		Name: "bad.example", OKCount: 1, FailCount: 1, LastSuccessAt: s.now(), LastFailAt: at, LastError: "hoster_fault",
	})
	s.attempt("bad.example", sources.ClassHosterFault)
	if got := s.hoster("bad.example").BackoffUntil.Sub(s.now()); got != 5*time.Second {
		s.Errorf("the next fail blocks for %v, want the first step again", got)
	}
}

func checkClasses(s *storeSubject) {
	for _, class := range []sources.Class{
		sources.ClassOK, sources.ClassHosterFault, sources.ClassDeadLink, sources.ClassUnsupported, sources.ClassCancelled,
		sources.ClassBug, sources.ClassProviderCooling,
	} {
		name := string(class) + ".example"
		s.attempt("good.example", sources.ClassOK)
		s.attempt(name, class)
		want := sources.HosterHealth{Name: name}
		switch class {
		case sources.ClassOK:
			want.OKCount, want.LastSuccessAt = 1, s.now()
		case sources.ClassHosterFault:
			want.FailCount, want.ConsecutiveFails, want.BackoffUntil = 1, 1, s.now().Add(5*time.Second)
			want.LastFailAt, want.LastError = s.now(), "hoster_fault"
		default:
		}
		s.want(name, s.hoster(name), want)
	}
}

func checkUntracked(s *storeSubject) {
	s.attempt("good.example", sources.ClassOK)
	for _, name := range []string{"", link.HosterLocal} {
		for range 3 {
			s.attempt(name, sources.ClassHosterFault)
			if h := s.hoster(name); h != (sources.HosterHealth{Name: name}) {
				s.Errorf("hoster %q was touched: %+v", name, h)
			}
		}
	}
}

func checkGuard(s *storeSubject) {
	s.attempt("bad.example", sources.ClassHosterFault)
	s.want("before any success", s.fails(), "")
	s.attempt("good.example", sources.ClassOK)
	s.want("after a success", s.network(), sources.NetworkOK)
	s.advance(30 * time.Second)
	s.attempt("bad.example", sources.ClassHosterFault)
	s.want("30 s after a success", s.fails(), "bad.example 1")
	s.advance(time.Second)
	s.attempt("other.example", sources.ClassHosterFault)
	s.want("31 s after a success", s.fails(), "bad.example 1")
	s.want("31 s after a success", s.network(), sources.NetworkUnknown)
	if h := s.hoster("other.example"); h.FailCount != 1 || !h.LastFailAt.Equal(s.now()) || h.LastError == "" {
		s.Errorf("a fail that does not count leaves %+v, want it on record", h)
	}
}

func checkOneIncident(s *storeSubject) {
	s.attempt("good.example", sources.ClassOK)
	var all []sources.Attempt
	for range 8 {
		all = append(all, s.begin("bad.example"))
	}
	s.advance(3 * time.Second)
	for _, a := range all {
		s.end(a, sources.ClassHosterFault)
	}
	s.want("eight fails of one moment", s.hoster("bad.example"), sources.HosterHealth{
		Name: "bad.example", ConsecutiveFails: 1, BackoffUntil: s.now().Add(5 * time.Second), FailCount: 8, LastFailAt: s.now(), LastError: "hoster_fault",
	})
}

// blocked is a hoster that failed once and whose block is over.
func (s *storeSubject) failedOnce() string {
	s.Helper()
	s.attempt("good.example", sources.ClassOK)
	s.attempt("bad.example", sources.ClassHosterFault)
	s.advance(5 * time.Second)
	return "bad.example"
}

func checkHosterLease(s *storeSubject) {
	bad := s.failedOnce()
	first := s.begin(bad)
	if _, ok := s.tryBegin(bad, false); ok || s.available(bad, 0) {
		s.Error("a second attempt goes to a failing hoster")
	}
	s.end(first, sources.ClassCancelled)
	second := s.begin(bad)
	if first.Started.Equal(second.Started) {
		s.Error("two attempts have the same start, by which they are known")
	}
	s.end(second, sources.ClassOK)
	s.begin(bad)
	s.begin(bad)
}

func checkLeaseHolder(s *storeSubject) {
	s.attempt("good.example", sources.ClassOK)
	early, late := s.begin("bad.example"), s.begin("bad.example")
	s.end(early, sources.ClassHosterFault)
	s.advance(5 * time.Second)
	holder := s.begin("bad.example")
	s.end(late, sources.ClassCancelled)
	s.end(early, sources.ClassHosterFault)
	if s.available("bad.example", 0) {
		s.Error("attempts from before ended the lease")
	}
	s.end(holder, sources.ClassDeadLink)
	if !s.available("bad.example", 0) {
		s.Error("its holder could not end the lease")
	}
}

func checkHosterLeaseEnd(s *storeSubject) {
	bad := s.failedOnce()
	dead := s.begin(bad)
	s.advance(29 * time.Second)
	if s.available(bad, 0) {
		s.Error("free again within 30 s")
	}
	s.advance(time.Second)
	heir := s.begin(bad)
	s.end(dead, sources.ClassCancelled)
	if s.available(bad, 0) {
		s.Error("who lost the lease ended that of another")
	}
	s.end(heir, sources.ClassCancelled)
	s.begin(bad)
}

func checkConcurrentLease(s *storeSubject) {
	bad := s.failedOnce()
	var (
		mu    sync.Mutex
		wg    sync.WaitGroup
		begun int
	)
	for range 8 {
		wg.Go(func() {
			_, ok, err := s.BeginAttempt(s.Context(), bad, "https://bad.example/x", false)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				s.Error(err)
			}
			if ok {
				begun++
			}
		})
	}
	wg.Wait()
	s.want("attempts that began", begun, 1)
}

func checkForced(s *storeSubject) {
	s.attempt("good.example", sources.ClassOK)
	s.attempt("bad.example", sources.ClassHosterFault)
	if _, ok := s.tryBegin("bad.example", true); !ok {
		s.Error("refused within the block")
	}
	s.advance(30 * time.Second)
	holder := s.begin("bad.example")
	forced, ok := s.tryBegin("bad.example", true)
	if !ok {
		s.Error("refused beside an attempt")
	}
	s.end(forced, sources.ClassCancelled)
	if s.available("bad.example", 0) {
		s.Error("a forced attempt ended the lease of another")
	}
	s.end(holder, sources.ClassCancelled)
}

func checkNoLease(s *storeSubject) {
	a, b := s.begin("new.example"), s.begin("new.example")
	s.end(a, sources.ClassOK)
	s.end(b, sources.ClassOK)
	s.want("successes", s.hoster("new.example").OKCount, 2)
}

func checkFailAge(s *storeSubject) {
	bad := s.failedOnce() // 5 s ago
	for _, tt := range []struct {
		cooldown time.Duration
		want     bool
	}{{0, true}, {-time.Hour, true}, {5 * time.Second, true}, {5*time.Second + 1, false}, {time.Minute, false}} {
		if got := s.available(bad, tt.cooldown); got != tt.want {
			s.Errorf("available with a cooldown of %v: %t", tt.cooldown, got)
		}
	}
}

// suspect has a and b failing after old.example worked, and gives the canary.
func (s *storeSubject) suspect() *sources.Canary {
	s.Helper()
	s.attempt("old.example", sources.ClassOK)
	s.advance(10 * time.Second)
	if canary := s.attempt("a.example", sources.ClassHosterFault); canary != nil {
		s.Fatalf("one hoster fails, and %+v is asked", canary)
	}
	canary := s.attempt("b.example", sources.ClassHosterFault)
	if canary == nil {
		s.Fatal("two hosters fail, and no canary is asked")
	}
	return canary
}

func checkCanary(s *storeSubject) {
	canary := s.suspect()
	if canary.Hoster != "old.example" || canary.Link != "https://old.example/x" {
		s.Errorf("canary %+v, want the link that worked", canary)
	}
	s.want("network", s.network(), sources.NetworkSuspect)
	s.want("provisional fails", s.fails(), "a.example 1, b.example 1")
	if again := s.attempt("c.example", sources.ClassHosterFault); again != nil {
		s.Errorf("a second canary at once: %+v", again)
	}
	s.want("with the third", s.fails(), "a.example 1, b.example 1, c.example 1")
}

func checkCanaryWorks(s *storeSubject) {
	s.endCanary(s.suspect(), sources.ClassOK)
	s.want("fails", s.fails(), "a.example 1, b.example 1")
	s.want("network", s.network(), sources.NetworkOK)
	s.want("successes of the canary's hoster", s.hoster("old.example").OKCount, 2)
	s.attempt("c.example", sources.ClassHosterFault)
	if again := s.attempt("d.example", sources.ClassHosterFault); again != nil {
		s.Errorf("asked again, of the same run: %+v", again)
	}
}

func checkCanaryDead(s *storeSubject) {
	s.endCanary(s.suspect(), sources.ClassDeadLink)
	s.want("fails", s.fails(), "a.example 1, b.example 1")
	s.want("network", s.network(), sources.NetworkOK)
	s.want("fails of the canary's hoster", s.hoster("old.example").FailCount, 0)
}

func checkCanaryFails(s *storeSubject) {
	s.endCanary(s.suspect(), sources.ClassHosterFault)
	s.want("fails", s.fails(), "")
	s.want("network", s.network(), sources.NetworkOutage)
	if h := s.hoster("a.example"); h.FailCount != 1 || !h.BackoffUntil.IsZero() {
		s.Errorf("taken back, a.example is %+v, want the fail on record and no block", h)
	}
	if h := s.hoster("old.example"); h.FailCount != 0 {
		s.Errorf("the canary counts against its own hoster: %+v", h)
	}
}

func checkCanaryCancelled(s *storeSubject) {
	s.endCanary(s.suspect(), sources.ClassCancelled)
	s.want("fails", s.fails(), "a.example 1, b.example 1")
	s.want("network", s.network(), sources.NetworkSuspect)
	if again := s.attempt("c.example", sources.ClassHosterFault); again == nil {
		s.Error("nobody is asked any more")
	}
}

func checkCanaryLate(s *storeSubject) {
	canary := s.suspect()
	s.attempt("old.example", sources.ClassOK)
	s.endCanary(canary, sources.ClassHosterFault)
	s.want("fails", s.fails(), "a.example 1, b.example 1")
	s.want("network", s.network(), sources.NetworkOK)
}

func checkCanaryLost(s *storeSubject) {
	s.suspect()
	s.advance(20 * time.Second) // 30 s after the success
	s.want("asked while it may still answer", s.attempt("c.example", sources.ClassHosterFault), (*sources.Canary)(nil))
	s.advance(10 * time.Second)
	s.want("not counted, nobody vouches for the network", s.attempt("d.example", sources.ClassHosterFault), (*sources.Canary)(nil))
	s.want("fails", s.fails(), "a.example 1, b.example 1, c.example 1")
}

func checkNoCanary(s *storeSubject) {
	s.attempt("a.example", sources.ClassOK)
	s.attempt("a.example", sources.ClassHosterFault)
	s.want("asked", s.attempt("b.example", sources.ClassHosterFault), (*sources.Canary)(nil))
	s.want("fails", s.fails(), "")
	s.want("network", s.network(), sources.NetworkOutage)
}

func checkCanaryMemory(s *storeSubject) {
	s.endCanary(s.suspect(), sources.ClassHosterFault)
	for _, tt := range []struct {
		after time.Duration
		asked bool
	}{{14 * time.Second, false}, {time.Second, true}} {
		s.advance(tt.after)
		s.attempt("old.example", sources.ClassOK)
		s.attempt("a.example", sources.ClassHosterFault)
		if canary := s.attempt("b.example", sources.ClassHosterFault); (canary != nil) != tt.asked {
			s.Errorf("%v later the canary %+v is asked, want one: %t", tt.after, canary, tt.asked)
		}
		if outage := s.network() == sources.NetworkOutage; outage == tt.asked {
			s.Errorf("%v later it is an outage: %t", tt.after, outage)
		}
	}
}

// checkCanaryChoice has links that work only with headers, hosters that failed
// since, and the latest of the others.
func checkCanaryChoice(s *storeSubject) {
	s.attempt("older.example", sources.ClassOK)
	s.advance(time.Second)
	s.attempt("right.example", sources.ClassOK)
	s.advance(time.Second)
	unfit := s.begin("unfit.example")
	unfit.Unfit = true
	s.end(unfit, sources.ClassOK)
	s.attempt("a.example", sources.ClassOK)
	s.attempt("a.example", sources.ClassHosterFault)
	canary := s.attempt("b.example", sources.ClassHosterFault)
	if canary == nil || canary.Hoster != "right.example" {
		s.Errorf("canary %+v, want that of right.example", canary)
	}
}

func checkInOutage(s *storeSubject) {
	canary := s.suspect()
	during := s.begin("late.example")
	s.endCanary(canary, sources.ClassHosterFault)
	for _, name := range []string{"a.example", "c.example"} {
		s.attempt(name, sources.ClassHosterFault)
	}
	s.want("fails in the outage", s.fails(), "")
	s.advance(time.Minute)
	s.attempt("c.example", sources.ClassOK)
	s.want("a success ends it", s.network(), sources.NetworkOK)
	s.end(during, sources.ClassHosterFault)
	s.want("a fail of an attempt from then", s.fails(), "")
	s.advance(time.Second)
	s.attempt("c.example", sources.ClassHosterFault)
	s.want("a fail afterwards", s.fails(), "c.example 1")
}

func checkUndoKeepsOlder(s *storeSubject) {
	s.attempt("old.example", sources.ClassOK)
	s.attempt("a.example", sources.ClassHosterFault)
	s.advance(5 * time.Second)
	s.attempt("old.example", sources.ClassOK) // the first fail stands
	s.attempt("a.example", sources.ClassHosterFault)
	s.want("before", s.fails(), "a.example 2")
	canary := s.attempt("b.example", sources.ClassHosterFault)
	if canary == nil {
		s.Fatal("no canary is asked")
	}
	s.endCanary(canary, sources.ClassHosterFault)
	s.want("taken back", s.fails(), "a.example 1")
}

// checkClockSetBack has times that the clock makes impossible: they are none.
func checkClockSetBack(s *storeSubject) {
	bad := s.failedOnce()
	s.begin(bad)
	s.advance(-time.Hour)
	if h := s.hoster(bad); !h.BackoffUntil.IsZero() || h.ConsecutiveFails != 1 {
		s.Errorf("%+v, want its block gone", h)
	}
	if !s.available(bad, time.Minute) {
		s.Error("a block, a lease or a fail in the future keeps the hoster away")
	}
	s.attempt("other.example", sources.ClassHosterFault)
	s.want("a success in the future vouches for nothing", s.fails(), "bad.example 1")
}

func checkHosterTable(s *storeSubject) {
	for _, name := range []string{"b.example", "a.example", "c.example"} {
		s.attempt(name, sources.ClassOK)
	}
	s.attempt("b.example", sources.ClassHosterFault)
	all, err := s.Hosters(s.Context())
	s.must(err)
	var names []string
	for _, h := range all {
		names = append(names, h.Name)
	}
	s.want("hosters", names, []string{"a.example", "b.example", "c.example"})
	snapshot, err := s.HosterSnapshot(s.Context())
	s.must(err)
	s.want("those that fail", snapshot, sources.HosterSnapshot{"b.example": s.hoster("b.example")})
	g, err := s.Guard(s.Context())
	s.must(err)
	s.want("guard", g, sources.GuardState{LastSuccessAt: s.now(), Network: sources.NetworkOK})
}

func checkReset(s *storeSubject) {
	s.failedOnce()
	s.begin("bad.example") // leased
	unknown, err := s.ResetHosters(s.Context(), []string{"bad.example", "nobody.example", "good.example"})
	s.must(err)
	s.want("unknown", unknown, []string{"nobody.example"})
	h := s.hoster("bad.example")
	if h.ConsecutiveFails != 0 || !h.BackoffUntil.IsZero() || h.FailCount != 1 || h.LastError == "" {
		s.Errorf("%+v, want the fails gone and the record kept", h)
	}
	if !s.available("bad.example", 0) {
		s.Error("it may not be tried")
	}
	if h := s.hoster("nobody.example"); h != (sources.HosterHealth{Name: "nobody.example"}) {
		s.Errorf("a reset made %+v", h)
	}
}

func checkResetAll(s *storeSubject) {
	s.attempt("good.example", sources.ClassOK)
	s.attempt("a.example", sources.ClassHosterFault)
	s.end(s.begin("b.example"), sources.ClassHosterFault)
	s.attempt("good.example", sources.ClassOK)
	n, err := s.ResetAllHosters(s.Context())
	s.must(err)
	s.want("reset", n, 2)
	s.want("fails", s.fails(), "")
	n, err = s.ResetAllHosters(s.Context())
	s.must(err)
	s.want("reset again", n, 0)
}

func checkHosterNames(s *storeSubject) {
	for _, name := range []string{"x'; DROP TABLE hoster; --", "ä.example", "*", "%", "a\x00b", "192.0.2.1", "A.EXAMPLE", "a.example"} {
		s.attempt("good.example", sources.ClassOK)
		s.attempt(name, sources.ClassHosterFault)
		s.want(name, s.hoster(name).ConsecutiveFails, 1)
		unknown, err := s.ResetHosters(s.Context(), []string{name})
		s.must(err)
		s.want(name+" unknown", len(unknown), 0)
	}
}
