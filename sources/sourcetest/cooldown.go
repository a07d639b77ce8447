package sourcetest

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"xship/sources"
)

// CooldownBackend gives a fresh, empty backend for one check, and what moves its
// clock. What it needs ends with tb.
type CooldownBackend func(tb testing.TB) (backend sources.ProviderCooldown, advance func(time.Duration))

// cooldownSlack is how far a backend may round what remains: all count
// milliseconds.
const cooldownSlack = time.Millisecond

// RunCooldown checks that a backend keeps the contract of
// sources.ProviderCooldown, each point in a subtest of its own. Run it with
// -race.
func RunCooldown(t *testing.T, newBackend CooldownBackend) {
	t.Helper()
	for _, c := range []struct {
		name string
		run  func(*cooldownSubject)
	}{
		{"not cooling down by default", checkNotCooling},
		{"mark and check", checkMark},
		{"different users independent", checkUsers},
		{"different providers independent", checkProviders},
		{"zero and negative marks do nothing", checkNoMark},
		{"ends on the millisecond", checkPrecision},
		{"marks only extend", checkExtend},
		{"concurrent marks keep the longest", checkConcurrentMarks},
		{"grows on repeats", checkGrow},
		{"grows not while it runs", checkGrowRunning},
		{"grows from the last cooldown, never below the mark", checkGrowBetween},
		{"forgets to grow", checkGrowMemory},
		{"one call goes first", checkLease},
		{"answered frees all", checkAnswered},
		{"not answered lets another go first", checkNotAnswered},
		{"a mark ends the lease", checkMarkedLease},
		{"a lease dies with its holder", checkDeadHolder},
		{"an answer after the end of the lease tells as much", checkLateAnswer},
		{"ending a call without lease does nothing", checkZeroLease},
		{"keys have leases of their own", checkLeaseKeys},
		{"lists what runs, in order", checkList},
		{"clears by user and provider", checkClear},
		{"tells odd names apart", checkOddNames},
		{"the next link that meets the same", checkRefused},
		{"what is refused is forgotten", checkRefusedForgotten},
	} {
		t.Run(c.name, func(t *testing.T) {
			backend, advance := newBackend(t)
			c.run(&cooldownSubject{T: t, backend: backend, advance: advance})
		})
	}
}

// cooldownSubject is what one check examines. Its methods are those of the
// backend, with errors as failures.
type cooldownSubject struct {
	*testing.T
	backend sources.ProviderCooldown
	advance func(time.Duration)
}

func realDebrid(user int64) sources.CooldownKey {
	return sources.CooldownKey{User: user, Provider: "real_debrid"}
}

func (s *cooldownSubject) check(k sources.CooldownKey) sources.Cooldown {
	s.Helper()
	c, err := s.backend.IsCoolingDown(s.Context(), k)
	if err != nil {
		s.Errorf("checking %v: %v", k, err)
	}
	return c
}

func (s *cooldownSubject) mark(k sources.CooldownKey, m sources.CooldownMark) sources.Cooldown {
	s.Helper()
	c, err := s.backend.MarkCooldown(s.Context(), k, m)
	if err != nil {
		s.Errorf("marking %v: %v", k, err)
	}
	return c
}

// markFor marks without growth.
func (s *cooldownSubject) markFor(k sources.CooldownKey, d time.Duration) {
	s.Helper()
	s.mark(k, sources.CooldownMark{For: d, Reason: "limited"})
}

// grow marks the default with growth, wants it to last want, and lets it end.
func (s *cooldownSubject) grow(k sources.CooldownKey, want time.Duration) {
	s.Helper()
	got := s.mark(k, sources.CooldownMark{For: sources.DefaultCooldown, Grow: true, Reason: "limited"})
	s.wantRemaining(got, want)
	s.advance(got.Remaining)
}

func (s *cooldownSubject) begin(k sources.CooldownKey) (sources.CooldownLease, sources.Cooldown) {
	s.Helper()
	l, c, err := s.backend.Begin(s.Context(), k)
	if err != nil {
		s.Errorf("beginning a call to %v: %v", k, err)
	}
	return l, c
}

func (s *cooldownSubject) end(l sources.CooldownLease, answered bool) {
	s.Helper()
	if err := s.backend.End(s.Context(), l, answered); err != nil {
		s.Errorf("ending the call of %v: %v", l, err)
	}
}

func (s *cooldownSubject) list() []sources.CooldownEntry {
	s.Helper()
	all, err := s.backend.Cooldowns(s.Context())
	if err != nil {
		s.Errorf("listing: %v", err)
	}
	return all
}

// wantRemaining compares what remains.
func (s *cooldownSubject) wantRemaining(got sources.Cooldown, want time.Duration) {
	s.Helper()
	if diff := got.Remaining - want; diff < -cooldownSlack || diff > cooldownSlack || (got.Remaining > 0) != (want > 0) {
		s.Errorf("%v remains, want %v", got.Remaining, want)
	}
}

// wantFirst begins a call that has to go first.
func (s *cooldownSubject) wantFirst(k sources.CooldownKey) sources.CooldownLease {
	s.Helper()
	l, c := s.begin(k)
	if l.Token == "" || l.Key != k || c.Remaining != 0 {
		s.Fatalf("beginning gives the lease %+v and %v to wait, want a lease of %v at once", l, c.Remaining, k)
	}
	return l
}

// wantFree begins a call that may be made like any other.
func (s *cooldownSubject) wantFree(k sources.CooldownKey) {
	s.Helper()
	if l, c := s.begin(k); l != (sources.CooldownLease{}) || c.Remaining != 0 {
		s.Errorf("beginning gives the lease %+v and %v to wait, want neither", l, c.Remaining)
	}
}

// wantWait begins a call that has to wait for another, not longer than want.
func (s *cooldownSubject) wantWait(k sources.CooldownKey, want time.Duration) {
	s.Helper()
	l, c := s.begin(k)
	if l.Token != "" || c.Remaining <= 0 || c.Remaining > want+cooldownSlack {
		s.Errorf("beginning gives the lease %+v and %v to wait, want %v and no lease", l, c.Remaining, want)
	}
}

// wantCooling checks and begins at once.
func (s *cooldownSubject) wantCooling(k sources.CooldownKey, want time.Duration) {
	s.Helper()
	s.wantRemaining(s.check(k), want)
	l, c := s.begin(k)
	s.wantRemaining(c, want)
	if l.Token != "" {
		s.Errorf("a call gets the lease %+v while the cooldown runs", l)
	}
}

// cooled gives a key whose cooldown has just ended.
func (s *cooldownSubject) cooled() sources.CooldownKey {
	s.Helper()
	k := realDebrid(1)
	s.markFor(k, sources.DefaultCooldown)
	s.advance(sources.DefaultCooldown)
	return k
}

func checkNotCooling(s *cooldownSubject) {
	if c := s.check(realDebrid(1)); c != (sources.Cooldown{}) {
		s.Errorf("cooling down by default: %+v", c)
	}
	s.wantFree(realDebrid(1))
	if all := s.list(); len(all) > 0 {
		s.Errorf("lists %+v", all)
	}
}

func checkMark(s *cooldownSubject) {
	k := realDebrid(1)
	got := s.mark(k, sources.CooldownMark{For: time.Minute, Reason: "429: slow down, 20% \"off\" – später"})
	s.wantRemaining(got, time.Minute)
	s.wantCooling(k, time.Minute)
	s.advance(42 * time.Second)
	s.wantCooling(k, 18*time.Second)
	for name, c := range map[string]sources.Cooldown{"mark": got, "check": s.check(k)} {
		if c.Reason != "429: slow down, 20% \"off\" – später" {
			s.Errorf("%s: the reason became %q", name, c.Reason)
		}
	}
	if _, c := s.begin(k); c.Reason != got.Reason {
		s.Errorf("begin: the reason became %q", c.Reason)
	}
	s.advance(18 * time.Second)
	s.wantRemaining(s.check(k), 0)
	s.wantRemaining(s.mark(realDebrid(2), sources.CooldownMark{For: time.Hour}), sources.MaxCooldown)
}

func checkUsers(s *cooldownSubject) {
	s.markFor(realDebrid(1), time.Minute)
	s.wantCooling(realDebrid(1), time.Minute)
	for _, user := range []int64{2, 11, -1} {
		s.wantFree(realDebrid(user))
	}
}

func checkProviders(s *cooldownSubject) {
	s.markFor(realDebrid(1), time.Minute)
	s.wantCooling(realDebrid(1), time.Minute)
	for _, provider := range []string{"all_debrid", "real_debri", "real_debrid2", "Real_Debrid"} {
		s.wantFree(sources.CooldownKey{User: 1, Provider: provider})
	}
}

func checkNoMark(s *cooldownSubject) {
	k := realDebrid(1)
	for _, d := range []time.Duration{0, -1, -time.Second, -1 << 63} {
		for _, grow := range []bool{false, true} {
			s.wantRemaining(s.mark(k, sources.CooldownMark{For: d, Grow: grow, Reason: "nothing"}), 0)
		}
	}
	s.wantRemaining(s.check(k), 0)
	s.wantFree(k)
	s.markFor(k, time.Minute)
	got := s.mark(k, sources.CooldownMark{Reason: "nothing"})
	s.wantRemaining(got, time.Minute)
	if got.Reason != "limited" {
		s.Errorf("a mark of nothing changed the reason to %q", got.Reason)
	}
}

func checkPrecision(s *cooldownSubject) {
	k := realDebrid(1)
	s.markFor(k, 1500*time.Millisecond)
	s.advance(1498 * time.Millisecond)
	s.wantCooling(k, 2*time.Millisecond)
	s.advance(2 * time.Millisecond)
	s.wantRemaining(s.check(k), 0)
}

func checkExtend(s *cooldownSubject) {
	k := realDebrid(1)
	s.mark(k, sources.CooldownMark{For: 300 * time.Second, Reason: "long"})
	s.advance(10 * time.Second)
	got := s.mark(k, sources.CooldownMark{For: 30 * time.Second, Reason: "short"})
	s.wantRemaining(got, 290*time.Second)
	s.wantCooling(k, 290*time.Second)
	if again := s.check(k); got.Reason != "long" || again.Reason != "long" {
		s.Errorf("a shorter mark changed the reason to %q and %q", got.Reason, again.Reason)
	}
	got = s.mark(k, sources.CooldownMark{For: 295 * time.Second, Reason: "longer"})
	s.wantRemaining(got, 295*time.Second)
	s.wantCooling(k, 295*time.Second)
	if again := s.check(k); got.Reason != "longer" || again.Reason != "longer" {
		s.Errorf("the reason of the mark that extends became %q and %q", got.Reason, again.Reason)
	}
}

func checkConcurrentMarks(s *cooldownSubject) {
	k := realDebrid(1)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() { s.markFor(k, time.Duration(i*7%20+1)*time.Second) })
	}
	wg.Wait()
	s.wantCooling(k, 20*time.Second)
}

func checkGrow(s *cooldownSubject) {
	k := realDebrid(1)
	for _, want := range []time.Duration{
		30 * time.Second, 45 * time.Second, 67500 * time.Millisecond, 101250 * time.Millisecond,
		151875 * time.Millisecond, 227812500 * time.Microsecond, sources.MaxCooldown, sources.MaxCooldown,
	} {
		s.grow(k, want)
	}
	s.grow(realDebrid(2), sources.DefaultCooldown)
	s.grow(sources.CooldownKey{User: 1, Provider: "all_debrid"}, sources.DefaultCooldown)
}

// checkGrowRunning has several calls of one moment refused: that is one failure.
func checkGrowRunning(s *cooldownSubject) {
	k := realDebrid(1)
	m := sources.CooldownMark{For: sources.DefaultCooldown, Grow: true}
	s.grow(k, 30*time.Second)
	for range 5 {
		s.wantRemaining(s.mark(k, m), 45*time.Second)
	}
	s.advance(45 * time.Second)
	s.grow(k, 67500*time.Millisecond)
	s.markFor(k, 100*time.Second)
	s.advance(90 * time.Second)
	s.markFor(k, 20*time.Second) // extends it, and is no longer
	s.advance(20 * time.Second)
	s.grow(k, 150*time.Second)
}

func checkGrowBetween(s *cooldownSubject) {
	k := realDebrid(1)
	s.grow(k, 30*time.Second)
	s.grow(k, 45*time.Second)
	s.markFor(k, 100*time.Second)
	s.advance(100 * time.Second)
	s.grow(k, 150*time.Second)
	s.markFor(k, 7*time.Second)
	s.advance(7 * time.Second)
	s.grow(k, 30*time.Second)
}

func checkGrowMemory(s *cooldownSubject) {
	k := realDebrid(1)
	s.grow(k, 30*time.Second)
	s.advance(sources.CooldownMemory - time.Second)
	s.grow(k, 45*time.Second)
	s.advance(sources.CooldownMemory)
	s.grow(k, 30*time.Second)
}

func checkLease(s *cooldownSubject) {
	k := realDebrid(1)
	s.mark(k, sources.CooldownMark{For: sources.DefaultCooldown, Reason: "limited"})
	s.advance(sources.DefaultCooldown)
	var (
		mu      sync.Mutex
		wg      sync.WaitGroup
		leases  int
		waiting []sources.Cooldown
	)
	for range 50 {
		wg.Go(func() {
			l, c := s.begin(k)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case c.Remaining > 0 && l.Token == "":
				waiting = append(waiting, c)
			case c.Remaining == 0 && l.Token != "" && l.Key == k:
				leases++
			default:
				s.Errorf("a call begins with the lease %+v and %v to wait", l, c.Remaining)
			}
		})
	}
	wg.Wait()
	if leases != 1 || len(waiting) != 49 {
		s.Errorf("%d calls go first and %d wait, want 1 and 49", leases, len(waiting))
	}
	for _, c := range waiting {
		if c.Remaining > sources.CooldownLeaseOf || c.Reason != "limited" {
			s.Errorf("a call waits %v for %q, want at most %v and the reason of the cooldown", c.Remaining, c.Reason, sources.CooldownLeaseOf)
		}
	}
	s.wantRemaining(s.check(k), 0)
}

func checkAnswered(s *cooldownSubject) {
	k := s.cooled()
	s.end(s.wantFirst(k), true)
	s.wantFree(k)
	s.wantFree(k)
	s.grow(k, sources.DefaultCooldown)
}

func checkNotAnswered(s *cooldownSubject) {
	k := s.cooled()
	first := s.wantFirst(k)
	s.end(first, false)
	second := s.wantFirst(k)
	if first.Token == second.Token {
		s.Errorf("two leases are both %+v", first)
	}
	s.wantWait(k, sources.CooldownLeaseOf)
	s.end(second, false)
	s.grow(k, 45*time.Second)
}

// checkMarkedLease has the call that goes first refused again.
func checkMarkedLease(s *cooldownSubject) {
	k := s.cooled()
	first := s.wantFirst(k)
	s.grow(k, 45*time.Second)
	second := s.wantFirst(k)
	s.end(first, true)
	s.wantWait(k, sources.CooldownLeaseOf)
	got := s.mark(k, sources.CooldownMark{For: sources.DefaultCooldown, Grow: true})
	s.wantRemaining(got, 67500*time.Millisecond)
	s.end(second, true)
	s.wantCooling(k, 67500*time.Millisecond)
}

func checkDeadHolder(s *cooldownSubject) {
	k := s.cooled()
	dead := s.wantFirst(k)
	s.advance(sources.CooldownLeaseOf - time.Second)
	s.wantWait(k, time.Second)
	s.advance(time.Second)
	heir := s.wantFirst(k)
	for _, answered := range []bool{false, true} {
		s.end(dead, answered)
		s.wantWait(k, sources.CooldownLeaseOf)
	}
	s.end(heir, true)
	s.wantFree(k)
}

func checkLateAnswer(s *cooldownSubject) {
	k := s.cooled()
	late := s.wantFirst(k)
	s.advance(sources.CooldownLeaseOf + time.Second)
	s.end(late, false)
	late = s.wantFirst(k)
	s.advance(2 * sources.CooldownLeaseOf)
	s.end(late, true)
	s.wantFree(k)
}

func checkZeroLease(s *cooldownSubject) {
	s.end(sources.CooldownLease{}, true)
	s.end(sources.CooldownLease{Key: realDebrid(1)}, true)
	k := s.cooled()
	for _, answered := range []bool{false, true} {
		s.end(sources.CooldownLease{Key: k}, answered)
		s.end(sources.CooldownLease{}, answered)
	}
	s.wantFirst(k)
	s.end(sources.CooldownLease{Key: k}, true)
	s.wantWait(k, sources.CooldownLeaseOf)
}

func checkLeaseKeys(s *cooldownSubject) {
	a, b := realDebrid(1), realDebrid(2)
	s.markFor(a, time.Second)
	s.markFor(b, time.Second)
	s.advance(time.Second)
	first := s.wantFirst(a)
	s.wantFirst(b)
	s.wantFree(realDebrid(3))
	s.end(first, true)
	s.wantFree(a)
	s.wantWait(b, sources.CooldownLeaseOf)
}

func checkList(s *cooldownSubject) {
	want := []sources.CooldownEntry{
		{CooldownKey: sources.CooldownKey{User: 1, Provider: "all_debrid"}, Cooldown: sources.Cooldown{Remaining: 20 * time.Second, Reason: "a"}},
		{CooldownKey: sources.CooldownKey{User: 1, Provider: "real_debrid"}, Cooldown: sources.Cooldown{Remaining: 200 * time.Second, Reason: "b"}},
		{CooldownKey: sources.CooldownKey{User: 2, Provider: "all_debrid"}, Cooldown: sources.Cooldown{Remaining: 50 * time.Second}},
		{CooldownKey: sources.CooldownKey{User: 10, Provider: "torbox"}, Cooldown: sources.Cooldown{Remaining: 30 * time.Second, Reason: "d"}},
	}
	for _, e := range slices.Backward(want) {
		s.mark(e.CooldownKey, sources.CooldownMark{For: e.Remaining, Reason: e.Reason})
	}
	s.markFor(realDebrid(5), 10*time.Second)
	s.advance(10 * time.Second)
	got := s.list()
	if len(got) != len(want) {
		s.Fatalf("lists %+v, want %d entries", got, len(want))
	}
	for i, e := range got {
		s.wantRemaining(e.Cooldown, want[i].Remaining-10*time.Second)
		if e.CooldownKey != want[i].CooldownKey || e.Reason != want[i].Reason {
			s.Errorf("entry %d is %+v, want %+v", i, e, want[i])
		}
	}
}

func checkClear(s *cooldownSubject) {
	keys := []sources.CooldownKey{
		{User: 1, Provider: "all_debrid"},
		{User: 1, Provider: "real_debrid"},
		{User: 2, Provider: "all_debrid"},
		{User: 2, Provider: "real_debrid"},
		{User: 12, Provider: "real_debrid"},
	}
	for _, tt := range []struct {
		clear sources.CooldownKey
		want  []int // the indexes of the keys that are cleared
	}{
		{sources.CooldownKey{}, []int{0, 1, 2, 3, 4}},
		{sources.CooldownKey{User: 2}, []int{2, 3}},
		{sources.CooldownKey{Provider: "real_debrid"}, []int{1, 3, 4}},
		{keys[1], []int{1}},
		{sources.CooldownKey{User: 3}, nil},
		{sources.CooldownKey{User: 1, Provider: "torbox"}, nil},
	} {
		for _, k := range keys {
			s.markFor(k, time.Minute)
		}
		n, err := s.backend.Clear(s.Context(), tt.clear)
		if err != nil || n != len(tt.want) {
			s.Errorf("clearing %+v: %d and %v, want %d", tt.clear, n, err, len(tt.want))
		}
		for i, k := range keys {
			cooling := s.check(k).Remaining > 0
			if cooling == slices.Contains(tt.want, i) {
				s.Errorf("after clearing %+v: %+v cooling down: %t", tt.clear, k, cooling)
			}
		}
		for _, i := range tt.want {
			s.wantFree(keys[i])
		}
	}
}

func checkOddNames(s *cooldownSubject) {
	names := []string{"a", "a:b", "b:c", "a%3Ab", "a%3ab", "a%", "a b", "a\nb", "a\x00b", "*", "?", "a*", "[ab]", `a\b`, "{a}", "ä", "a\xff", "1", "-last", "' --"}
	for i, name := range names {
		s.mark(sources.CooldownKey{User: 1, Provider: name}, sources.CooldownMark{For: time.Duration(i+1) * time.Second, Reason: fmt.Sprint(i)})
	}
	for i, name := range names {
		if c := s.check(sources.CooldownKey{User: 1, Provider: name}); c.Reason != fmt.Sprint(i) {
			s.Errorf("%q has the cooldown %+v, want the reason %d", name, c, i)
		}
	}
	var listed []string
	for _, e := range s.list() {
		listed = append(listed, e.Provider)
	}
	slices.Sort(names)
	if !slices.Equal(listed, names) {
		s.Errorf("lists %q, want %q", listed, names)
	}
	for _, k := range []sources.CooldownKey{{Provider: "*"}, {User: 1, Provider: "a*"}, {Provider: "a:b"}} {
		if n, err := s.backend.Clear(s.Context(), k); n != 1 || err != nil {
			s.Errorf("clearing %+v: %d and %v, want 1", k, n, err)
		}
	}
	if n := len(s.list()); n != len(names)-3 {
		s.Errorf("lists %d after clearing 3 of %d", n, len(names))
	}
}

func (s *cooldownSubject) refused(k sources.CooldownKey, link, answer string, want bool) {
	s.Helper()
	again, err := s.backend.Refused(s.Context(), k, sources.Refusal{Link: link, Answer: answer})
	if err != nil || again != want {
		s.Errorf("%v, %s refused by %s: again %t, %v, want %t", k, link, answer, again, err, want)
	}
}

func checkRefused(s *cooldownSubject) {
	one, two, other := realDebrid(1), realDebrid(2), sources.CooldownKey{User: 1, Provider: "torbox"}
	for range 3 {
		s.refused(one, "a", "451", false)
	}
	s.refused(two, "b", "451", false)
	s.refused(other, "c", "451", false)
	s.refused(one, "b", "410", false)
	s.refused(one, "c", "410", true)
	s.refused(one, "d", "410", true)
	s.refused(one, "d", "410", false)
	s.refused(two, "c", "451", true)
	s.advance(sources.RefusalMemory - time.Minute)
	s.refused(other, "d", "451", true)
	s.wantRemaining(s.check(one), 0)
	if all := s.list(); len(all) > 0 {
		s.Errorf("what is only refused is listed: %v", all)
	}
}

func checkRefusedForgotten(s *cooldownSubject) {
	for i, forget := range []struct {
		what string
		key  sources.CooldownKey // of what is done
		do   func(sources.CooldownKey) error
		want bool // it is remembered
	}{
		{"a while later", realDebrid(1), func(sources.CooldownKey) error { s.advance(sources.RefusalMemory); return nil }, false},
		{"a link was answered", realDebrid(1), func(k sources.CooldownKey) error { return s.backend.Answered(s.Context(), k) }, false},
		{"one of another user was answered", realDebrid(2), func(k sources.CooldownKey) error { return s.backend.Answered(s.Context(), k) }, true},
		{"cleared", realDebrid(1), s.forget, false},
		{"all cleared", sources.CooldownKey{}, s.forget, false},
		{"those of another user cleared", sources.CooldownKey{User: 2}, s.forget, true},
	} {
		s.refused(realDebrid(1), fmt.Sprint("a", i), "451", false)
		if err := forget.do(forget.key); err != nil {
			s.Errorf("%s: %v", forget.what, err)
		}
		s.refused(realDebrid(1), fmt.Sprint("b", i), "451", forget.want)
		if err := s.backend.Answered(s.Context(), realDebrid(1)); err != nil {
			s.Error(err)
		}
	}
}

func (s *cooldownSubject) forget(k sources.CooldownKey) error {
	_, err := s.backend.Clear(s.Context(), k)
	return err
}
