package sourcetest

import (
	"errors"
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
		{"of three canaries one has to work", checkCanaries},
		{"a late fail asks a canary", checkStaleGuard},
		{"a late fail alone is dropped", checkStaleGuardAlone},
		{"late fails of several hosters", checkStaleGuardOutage},
		{"a success in the place of a canary", checkSuccessForCanary},
		{"many links that are gone", checkGoneLinks},
		{"dead marks of an outage", checkDeadMarks},
		{"one link that always fails", checkSuspectLink},
		{"tests of an outage", checkOutageTests},
		{"the hosters that are tested in an outage", checkOutageOrder},
		{"an outage that nobody can test", checkUntestable},
		{"hosters to be tested", checkRetests},
		{"the links by which they are tested", checkRetestLinks},
		{"what is said of a hoster", checkFacts},
		{"events", checkEvents},
		{"events of an outage", checkOutageEvents},
		{"many events", checkManyEvents},
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

// endCanary tells what became of a canary and gives the next one.
func (s *storeSubject) endCanary(c *sources.Canary, class sources.Class) *sources.Canary {
	s.Helper()
	next, err := s.EndCanary(s.Context(), *c, class)
	s.must(err)
	return next
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
		Name: "bad.example", OKCount: 1, FailCount: 1, LastSuccessAt: s.now(), LastFailAt: at, LastError: "hoster_fault", GoodLink: "https://bad.example/x",
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
			want.OKCount, want.LastSuccessAt, want.GoodLink = 1, s.now(), "https://"+name+"/x"
		case sources.ClassHosterFault:
			want.FailCount, want.ConsecutiveFails, want.BackoffUntil = 1, 1, s.now().Add(5*time.Second)
			want.LastFailAt, want.LastError, want.Provisional = s.now(), "hoster_fault", true
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
		Name: "bad.example", ConsecutiveFails: 1, BackoffUntil: s.now().Add(5 * time.Second), FailCount: 8, LastFailAt: s.now(), LastError: "hoster_fault", Provisional: true,
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
	s.attempt("older.example", sources.ClassOK)
	s.advance(time.Second)
	next := s.endCanary(s.suspect(), sources.ClassDeadLink)
	if next == nil || next.Hoster != "older.example" {
		s.Fatalf("the next canary is %+v, want that of older.example", next)
	}
	s.want("undecided", s.network(), sources.NetworkSuspect)
	s.want("undecided", s.fails(), "a.example 1, b.example 1")
	s.want("the one after it", s.endCanary(next, sources.ClassOK), (*sources.Canary)(nil))
	s.want("fails", s.fails(), "a.example 1, b.example 1")
	s.want("network", s.network(), sources.NetworkOK)
	s.want("fails of the canary's hoster", s.hoster("old.example").FailCount, 0)
}

// checkCanaries has four links that could be asked.
func checkCanaries(s *storeSubject) {
	for _, name := range []string{"4.example", "3.example", "2.example"} {
		s.attempt(name, sources.ClassOK)
		s.advance(time.Second)
	}
	canary := s.suspect()
	var asked []string
	for _, class := range []sources.Class{sources.ClassDeadLink, sources.ClassHosterFault, sources.ClassDeadLink} {
		if canary == nil {
			s.Fatalf("after %q no other canary is asked", asked)
		}
		asked = append(asked, canary.Hoster)
		canary = s.endCanary(canary, class)
	}
	s.want("asked", asked, []string{"old.example", "2.example", "3.example"})
	s.want("the fourth", canary, (*sources.Canary)(nil))
	s.want("network", s.network(), sources.NetworkOutage)
	s.want("fails", s.fails(), "")
}

// late has a fail of a.example 31 s after the last success, and gives the canary.
func (s *storeSubject) late() *sources.Canary {
	s.Helper()
	s.attempt("old.example", sources.ClassOK)
	s.advance(31 * time.Second)
	canary := s.attempt("a.example", sources.ClassHosterFault)
	if canary == nil {
		s.Fatal("nothing vouches for the network, and no canary is asked")
	}
	s.want("undecided", s.fails(), "")
	return canary
}

func checkStaleGuard(s *storeSubject) {
	canary := s.late()
	s.advance(2 * time.Second)
	if again := s.attempt("b.example", sources.ClassHosterFault); again != nil {
		s.Errorf("a second canary at once: %+v", again)
	}
	s.want("awaiting", []bool{s.hoster("a.example").Awaiting, s.hoster("b.example").Awaiting}, []bool{true, true})
	s.endCanary(canary, sources.ClassOK)
	s.want("fails", s.fails(), "a.example 1, b.example 1")
	s.want("block", s.hoster("a.example").BackoffUntil, s.now().Add(5*time.Second))
	s.want("awaiting", s.hoster("a.example").Awaiting, false)
	s.attempt("old.example", sources.ClassHosterFault)
	s.attempt("c.example", sources.ClassHosterFault)
	s.want("they stand in a later outage", s.fails(), "a.example 1, b.example 1, c.example 1, old.example 1")
}

func checkStaleGuardAlone(s *storeSubject) {
	s.attempt("old.example", sources.ClassOK)
	s.attempt("a.example", sources.ClassOK)
	s.advance(31 * time.Second)
	canary := s.attempt("a.example", sources.ClassHosterFault)
	if canary == nil || canary.Hoster != "old.example" {
		s.Fatalf("canary %+v, want that of old.example", canary)
	}
	s.endCanary(canary, sources.ClassCancelled)
	s.want("a canary that shows nothing", s.fails(), "")
	s.want("awaiting", s.hoster("a.example").Awaiting, false)
	s.want("on record", s.hoster("a.example").FailCount, 1)
}

func checkStaleGuardOutage(s *storeSubject) {
	s.endCanary(s.late(), sources.ClassHosterFault)
	s.want("fails", s.fails(), "")
	s.want("network", s.network(), sources.NetworkOutage)
}

func checkSuccessForCanary(s *storeSubject) {
	canary := s.late()
	s.attempt("b.example", sources.ClassOK)
	s.want("fails", s.fails(), "a.example 1")
	s.want("network", s.network(), sources.NetworkOK)
	s.want("events", s.events("a.example"), []string{"hoster_fault counted 1 5s", "hoster_fault awaits_canary 0 0s"})
	s.want("events", s.events("b.example"), []string{"ok recovered 0 0s"})
	s.want("the canary is too late", s.endCanary(canary, sources.ClassHosterFault), (*sources.Canary)(nil))
	s.want("fails", s.fails(), "a.example 1")
	s.want("network", s.network(), sources.NetworkOK)
}

// checkGoneLinks is a middlebox that answers for all: nothing is wrong with any link.
func checkGoneLinks(s *storeSubject) {
	title := storeMovie()
	a, b := s.link(title, "a.example", "x", sources.Quality1080p), s.link(title, "b.example", "x", sources.Quality1080p)
	early := s.link(title, "early.example", "x", sources.Quality1080p)
	s.offer(title, a, b, early)
	s.attempt("early.example", sources.ClassDeadLink)
	s.must(s.MarkDead(s.Context(), early.ID))
	s.attempt("old.example", sources.ClassOK)
	s.want("one is gone", s.attempt("a.example", sources.ClassDeadLink), (*sources.Canary)(nil))
	s.must(s.MarkDead(s.Context(), a.ID))
	canary := s.attempt("b.example", sources.ClassDeadLink)
	if canary == nil {
		s.Fatal("two links are gone at once, and no canary is asked")
	}
	s.want("before", s.listed(title), "one: x dead, x found, x dead")
	s.endCanary(canary, sources.ClassDeadLink)
	s.want("network", s.network(), sources.NetworkOutage)
	s.must(s.MarkDead(s.Context(), b.ID))
	s.want("those of the run are believed no more", s.listed(title), "one: x found, x found, x dead")
}

// checkDeadMarks has marks of attempts before, in and after an outage.
func checkDeadMarks(s *storeSubject) {
	title := storeMovie()
	src := s.link(title, "c.example", "x", sources.Quality1080p)
	s.offer(title, src)
	s.endCanary(s.suspect(), sources.ClassHosterFault)
	during := s.begin("c.example")
	s.end(s.begin("c.example"), sources.ClassDeadLink)
	for range 2 {
		s.must(s.MarkDead(s.Context(), src.ID))
		s.want("in the outage", s.listed(title), "one: x found")
	}
	s.advance(time.Minute)
	s.attempt("old.example", sources.ClassOK)
	s.end(during, sources.ClassDeadLink)
	s.must(s.MarkDead(s.Context(), src.ID))
	s.want("of an attempt that began in it", s.listed(title), "one: x found")
	s.must(s.MarkDead(s.Context(), src.ID))
	s.want("of nobody knows whom, after it", s.listed(title), "one: x dead")
	s.end(during, sources.ClassDeadLink)
	s.attempt("c.example", sources.ClassDeadLink)
	s.must(s.MarkDead(s.Context(), src.ID))
	s.want("of an attempt after it", s.listed(title), "one: x dead")
}

// tryLink makes one attempt at a link.
func (s *storeSubject) tryLink(url string, class sources.Class) *sources.Canary {
	s.Helper()
	a, ok, err := s.BeginAttempt(s.Context(), link.Hoster(url), url, false)
	s.must(err)
	if !ok {
		s.Fatalf("no attempt at %s was allowed", url)
	}
	return s.end(a, class)
}

func checkSuspectLink(s *storeSubject) {
	const good, bad, other = "https://a.example/good", "https://a.example/bad", "https://a.example/other"
	s.tryLink(bad, sources.ClassHosterFault)
	s.attempt("good.example", sources.ClassOK)
	s.tryLink(bad, sources.ClassHosterFault)
	s.want("it may be the hoster", s.fails(), "a.example 1")
	s.advance(10 * time.Second)
	s.tryLink(good, sources.ClassOK)
	for range 5 {
		s.advance(time.Minute)
		s.tryLink(good, sources.ClassOK)
		s.tryLink(bad, sources.ClassHosterFault)
		s.want("the hoster worked since", s.fails(), "")
	}
	h := s.hoster("a.example")
	s.want("suspect links", h.SuspectLinks, 1)
	s.want("fails on record", h.FailCount, 7)
	s.want("the first fail of another link counts", s.tryLink(other, sources.ClassHosterFault), (*sources.Canary)(nil))
	s.want("the first fail of another link counts", s.fails(), "a.example 1")
	s.advance(5 * time.Second)
	s.tryLink(bad, sources.ClassHosterFault)
	s.want("the link is not counted while the hoster fails", s.fails(), "a.example 1")
	s.tryLink(bad, sources.ClassOK)
	s.want("suspect links", s.hoster("a.example").SuspectLinks, 0)
	s.tryLink(bad, sources.ClassHosterFault)
	s.want("it worked since", s.fails(), "a.example 1")
}

func (s *storeSubject) testOutage(asked bool) *sources.Canary {
	s.Helper()
	c, err := s.TestOutage(s.Context(), asked)
	s.must(err)
	return c
}

func checkOutageTests(s *storeSubject) {
	none := (*sources.Canary)(nil)
	s.want("before anything", s.testOutage(true), none)
	canary := s.suspect()
	s.want("while it is suspect", s.testOutage(true), none)
	s.endCanary(canary, sources.ClassHosterFault)
	for _, seconds := range []int{5, 7, 10, 15, 22, 30, 30} {
		s.advance(time.Duration(seconds-1) * time.Second)
		s.want(fmt.Sprintf("a second before %d s", seconds), s.testOutage(false), none)
		s.advance(time.Second)
		test := s.testOutage(false)
		if test == nil {
			s.Fatalf("no test after %d s", seconds)
		}
		s.want("again at once", s.testOutage(false), none)
		s.want("after a test that failed", s.endCanary(test, sources.ClassHosterFault), none)
		s.want("network", s.network(), sources.NetworkOutage)
	}
	s.want("fails", s.hoster("old.example").FailCount, 0)
	test := s.testOutage(true)
	if test == nil || test.Hoster != "old.example" || test.Link != "https://old.example/x" {
		s.Fatalf("asked for, %+v", test)
	}
	s.endCanary(test, sources.ClassOK)
	s.want("network", s.network(), sources.NetworkOK)
	s.want("after it", s.testOutage(true), none)
	s.want("successes of its hoster", s.hoster("old.example").OKCount, 2)
}

// checkOutageOrder has those first that worked lately, each once a minute, and all
// between them.
func checkOutageOrder(s *storeSubject) {
	s.attempt("ancient.example", sources.ClassOK)
	s.advance(3 * time.Hour)
	s.attempt("early.example", sources.ClassOK)
	s.advance(time.Second)
	for canary := s.suspect(); canary != nil; {
		canary = s.endCanary(canary, sources.ClassHosterFault)
	}
	s.want("network", s.network(), sources.NetworkOutage)
	tested := func(n int, pause time.Duration) (names []string) {
		for range n {
			s.advance(pause)
			if c := s.testOutage(true); c != nil {
				names = append(names, c.Hoster)
			}
		}
		return names
	}
	s.want("tested", tested(4, 30*time.Second), []string{"early.example", "old.example", "early.example", "old.example"})
	s.want("tested more often", tested(3, time.Second), []string{"ancient.example", "early.example", "old.example"})
	s.advance(2 * time.Hour)
	s.want("when none worked lately", tested(4, time.Second), []string{"ancient.example", "early.example", "old.example", "ancient.example"})
}

func checkUntestable(s *storeSubject) {
	for _, name := range []string{"a.example", "b.example"} {
		s.attempt(name, sources.ClassHosterFault)
	}
	s.want("network", s.network(), sources.NetworkOutage)
	s.want("test", s.testOutage(true), (*sources.Canary)(nil))
	if network := s.network(); network == sources.NetworkOutage {
		s.Error("the outage goes on, though nobody could tell its end")
	}
	s.want("fails", s.fails(), "")
}

func (s *storeSubject) retests(names []string, limit int) []sources.Retest {
	s.Helper()
	var among []sources.Retest
	if names != nil {
		among = []sources.Retest{}
	}
	for _, name := range names {
		among = append(among, sources.Retest{Hoster: name})
	}
	due, err := s.DueRetests(s.Context(), among, nil, limit)
	s.must(err)
	return due
}

// checkRetests has a.example and b.example, which worked before, fail, and
// never.example, of which no link is known.
func checkRetests(s *storeSubject) {
	for _, name := range []string{"b.example", "a.example", "good.example"} {
		s.attempt(name, sources.ClassOK)
	}
	for _, name := range []string{"b.example", "never.example"} {
		s.attempt(name, sources.ClassHosterFault)
		s.advance(time.Second)
		s.attempt("good.example", sources.ClassOK)
	}
	s.attempt("a.example", sources.ClassHosterFault)
	s.want("blocked", s.retests(nil, 9), []sources.Retest(nil))
	s.advance(5 * time.Second)
	both := []sources.Retest{{Hoster: "b.example", Link: "https://b.example/x"}, {Hoster: "a.example", Link: "https://a.example/x"}}
	s.want("of no names", s.retests([]string{}, 9), []sources.Retest(nil))
	s.want("none", s.retests(nil, 0), []sources.Retest(nil))
	s.want("of others", s.retests([]string{"good.example", "never.example", "nobody.example"}, 9), []sources.Retest(nil))
	s.want("one", s.retests(nil, 1), both[:1])
	s.want("of some", s.retests([]string{"a.example", "good.example"}, 9), both[1:])
	s.want("all", s.retests(nil, 9), both)
	others, err := s.DueRetests(s.Context(), nil, []string{"b.example", "nobody.example"}, 1)
	s.must(err)
	s.want("all but one", others, both[1:])
	others, err = s.DueRetests(s.Context(), both, []string{"a.example", "b.example"}, 9)
	s.must(err)
	s.want("none of these", others, []sources.Retest(nil))
	tested := s.begin("b.example")
	s.want("beside an attempt", s.retests(nil, 9), both[1:])
	s.end(tested, sources.ClassCancelled)
	s.advance(time.Second)
	s.begin("a.example")
	s.advance(30 * time.Second)
	s.want("tried longest ago first", s.retests(nil, 9), both)
	s.attempt("b.example", sources.ClassOK)
	s.want("after one recovered", s.retests(nil, 9), both[1:])
}

// checkRetestLinks has the good link and the others take turns, also those that were
// tried in this cycle.
func checkRetestLinks(s *storeSubject) {
	title := storeMovie()
	worse, better := s.link(title, "a.example", "worse", sources.Quality720p), s.link(title, "a.example", "better", sources.Quality1080p)
	withHeaders, piped := s.link(title, "a.example", "headers", sources.Quality1080p), s.link(title, "a.example", "y|User-Agent=z", sources.Quality1080p)
	withHeaders.Headers = map[string]string{"Referer": "https://a.example/"}
	s.watchIt(title)
	s.offer(title, withHeaders, piped, worse, better)
	_, err := s.BeginCycle(s.Context())
	s.must(err)
	links := func() (all []string) {
		for range 5 {
			for _, due := range s.retests(nil, 9) {
				all = append(all, due.Link)
			}
		}
		return all
	}
	s.attempt("good.example", sources.ClassOK)
	s.tryLink(better.URL, sources.ClassHosterFault)
	s.advance(5 * time.Second)
	s.want("none worked", links(), []string{worse.URL, better.URL, better.URL, worse.URL, worse.URL})
	s.attempt("a.example", sources.ClassOK)
	s.tryLink("https://a.example/z", sources.ClassHosterFault)
	s.advance(5 * time.Second)
	const good = "https://a.example/x"
	s.want("one worked", links(), []string{better.URL, good, worse.URL, good, better.URL})
	s.attempt("good.example", sources.ClassOK)
	s.attempt("unlinked.example", sources.ClassHosterFault)
	s.advance(5 * time.Second)
	listed := []sources.Retest{{Hoster: "a.example", Link: "https://a.example/listed"}, {Hoster: "unlinked.example", Link: "https://unlinked.example/listed"}, {Hoster: "good.example", Link: good}}
	var asked []string
	for range 2 {
		due, err := s.DueRetests(s.Context(), listed, nil, 9)
		s.must(err)
		for _, r := range due {
			asked = append(asked, r.Link)
		}
	}
	s.want("by links that the caller knows", asked, []string{good, listed[1].Link, listed[0].Link, listed[1].Link})
}

func checkFacts(s *storeSubject) {
	s.attempt("good.example", sources.ClassOK)
	s.attempt("a.example", sources.ClassOK)
	s.attempt("a.example", sources.ClassHosterFault)
	h := s.hoster("a.example")
	s.want("it failed", []any{h.GoodLink, h.Provisional, h.RetestDue, h.LeasedUntil}, []any{"https://a.example/x", true, false, time.Time{}})
	s.advance(5 * time.Second)
	h = s.hoster("a.example")
	s.want("its block is over", []any{h.Provisional, h.RetestDue}, []any{true, true})
	s.attempt("good.example", sources.ClassOK)
	s.begin("a.example")
	h = s.hoster("a.example")
	s.want("somebody tries it", []any{h.Provisional, h.RetestDue, h.LeasedUntil}, []any{false, false, s.now().Add(30 * time.Second)})
	s.advance(-time.Hour)
	s.want("after the clock was set back", s.hoster("a.example").LeasedUntil, time.Time{})
	s.advance(2 * time.Hour)
	s.want("after the lease", s.hoster("a.example").LeasedUntil, time.Time{})
}

// events writes the events of a hoster, newest first, as "class effect fails backoff".
func (s *storeSubject) events(hoster string) []string {
	s.Helper()
	all, err := s.HosterEvents(s.Context(), hoster)
	s.must(err)
	var written []string
	for _, e := range all {
		written = append(written, fmt.Sprint(e.Class, " ", e.Effect, " ", e.Fails, " ", e.Backoff))
	}
	return written
}

func checkEvents(s *storeSubject) {
	if _, err := s.HosterEvents(s.Context(), "nobody.example"); !errors.Is(err, sources.ErrUnknownHoster) {
		s.Errorf("of an unknown hoster: %v", err)
	}
	s.attempt("new.example", sources.ClassUnsupported)
	s.want("of one that was never touched", s.events("new.example"), []string{"unsupported none 0 0s"})
	s.attempt("good.example", sources.ClassOK)
	at := s.now()
	s.tryLink("https://a.example/dl/0123456789abcdef0123456789abcdef/f.mkv?token=secret", sources.ClassHosterFault)
	s.advance(time.Second)
	forced, _ := s.tryBegin("a.example", true)
	s.end(forced, sources.ClassUnsupported)
	forced, _ = s.tryBegin("a.example", true)
	s.end(forced, sources.ClassCancelled)
	s.advance(4 * time.Second)
	s.attempt("a.example", sources.ClassDeadLink)
	s.attempt("a.example", sources.ClassOK)
	s.want("events", s.events("a.example"), []string{"ok recovered 0 0s", "dead_link link_gone 1 0s", "unsupported none 1 0s", "hoster_fault counted 1 5s"})
	all, err := s.HosterEvents(s.Context(), "a.example")
	s.must(err)
	if first := all[len(all)-1]; !first.At.Equal(at) || first.Link == "" || strings.Contains(first.Link, "secret") {
		s.Errorf("the first event is %+v, want its time, and its link without secrets", first)
	}
	_, err = s.ResetHosters(s.Context(), []string{"a.example"})
	s.must(err)
	s.want("after a reset", len(s.events("a.example")), 4)
}

func checkOutageEvents(s *storeSubject) {
	s.endCanary(s.suspect(), sources.ClassHosterFault)
	s.want("of the first", s.events("a.example"), []string{"hoster_fault taken_back 0 0s", "hoster_fault counted 1 5s"})
	s.attempt("a.example", sources.ClassHosterFault)
	s.want("in it", s.events("a.example")[0], "hoster_fault in_outage 0 0s")
	s.want("of the canary", s.events("old.example"), []string{"hoster_fault none 0 0s", "ok recovered 0 0s"})
	s.endCanary(s.testOutage(true), sources.ClassHosterFault)
	s.want("of a test that failed", len(s.events("old.example")), 2)
	s.endCanary(s.testOutage(true), sources.ClassOK)
	s.want("of the test", s.events("old.example")[0], "ok recovered 0 0s")
	s.advance(31 * time.Second)
	canary := s.attempt("a.example", sources.ClassHosterFault)
	s.endCanary(canary, sources.ClassOK)
	s.want("that waited", s.events("a.example")[:2], []string{"hoster_fault counted 1 5s", "hoster_fault awaits_canary 0 0s"})
}

func checkManyEvents(s *storeSubject) {
	for range 60 {
		s.attempt("a.example", sources.ClassOK)
		s.advance(time.Second)
	}
	s.attempt("b.example", sources.ClassOK)
	all, err := s.HosterEvents(s.Context(), "a.example")
	s.must(err)
	if len(all) != 50 || !all[0].At.Equal(s.now().Add(-time.Second)) || !all[49].At.Equal(s.now().Add(-50*time.Second)) {
		s.Errorf("%d events, want the last 50: %+v", len(all), all)
	}
	s.want("of another", len(s.events("b.example")), 1)
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
	s.advance(29 * time.Second)
	s.want("asked while it may still answer", s.attempt("c.example", sources.ClassHosterFault), (*sources.Canary)(nil))
	s.advance(time.Second)
	if again := s.attempt("d.example", sources.ClassHosterFault); again == nil || again.Hoster != "old.example" {
		s.Errorf("after it %+v is asked, want the same one again", again)
	} else {
		s.endCanary(again, sources.ClassOK)
	}
	s.want("what waited for the one that was lost does not count", s.fails(), "a.example 1, b.example 1, d.example 1")
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
	s.want("a success in the future vouches for nothing", s.hoster("other.example").ConsecutiveFails, 0)
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
	failing := s.hoster("b.example")
	failing.Provisional = false // not in a snapshot
	s.want("those that fail", snapshot, sources.HosterSnapshot{"b.example": failing})
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
