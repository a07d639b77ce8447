package sourcecache_test

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/sourcecache"
	"xship/sourcecache/health"
	"xship/sources"
)

// agreeEnv is the number of sequences that TestAgreement plays: make agree.
const agreeEnv = "XSHIP_AGREE"

// TestAgreement plays random sequences of events through a file and through the policy
// alone: both answer the same, and know the same afterwards.
func TestAgreement(t *testing.T) {
	t.Parallel()
	sequences := 200
	if set := os.Getenv(agreeEnv); set != "" {
		var err error
		sequences, err = strconv.Atoi(set)
		must(t, err)
	}
	const workers = 4
	for w := range workers {
		t.Run(fmt.Sprint("part ", w), func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			var seen tally
			for seed := w; seed < sequences; seed += workers {
				a := newAgreement(t, s, uint64(seed), &seen)
				a.play()
				if t.Failed() {
					t.Fatalf("sequence %d", seed)
				}
			}
			for effect, n := range seen.effects {
				if n == 0 {
					t.Errorf("no event was %s, which shows little", health.Effect(effect))
				}
			}
			if seen.outages == 0 || seen.tests == 0 || seen.refused == 0 {
				t.Errorf("%d outages, %d tests in one, %d refused attempts, which shows little", seen.outages, seen.tests, seen.refused)
			}
		})
	}
}

// tally counts what the sequences had.
type tally struct {
	effects                 [health.LinkGone + 1]int
	outages, tests, refused int
}

// agreement is one sequence.
type agreement struct {
	*testing.T
	r      *rand.Rand
	s      *store
	db     *sourcecache.DB // of this sequence
	policy health.Policy
	memory *health.Memory
	seen   *tally

	open     []begun
	canaries []*sources.Canary
	last     string // event
}

// begun is an attempt that has not ended.
type begun struct {
	sources.Attempt
	token string
}

func newAgreement(t *testing.T, s *store, seed uint64, seen *tally) *agreement {
	t.Helper()
	s.exec(t, `DELETE FROM hoster; DELETE FROM link; DELETE FROM guard; DELETE FROM hoster_event`)
	a := &agreement{T: t, r: rand.New(rand.NewPCG(seed, 12)), s: s, policy: health.Hosters(), memory: health.NewMemory(), seen: seen}
	a.policy.ServerFail = seed%5 == 1
	if seed%5 == 2 {
		a.policy.Look = 600
	}
	if seed%5 == 3 {
		a.policy = health.Document()
	}
	db, err := sourcecache.Open(t.Context(), sourcecache.Options{Path: s.path, Now: s.clock.Now, Policy: &a.policy})
	must(t, err)
	a.db = db
	return a
}

func (a *agreement) play() {
	a.Helper()
	for range 120 {
		a.step()
		if a.Failed() {
			break
		}
	}
	a.compare()
	must(a.T, a.db.Close())
}

// pick gives one of few, the first ones more often.
func (a *agreement) pick(n int) int { return min(a.r.IntN(n), a.r.IntN(n)) }

func (a *agreement) now() int64 { return a.s.clock.Now().Unix() }

func (a *agreement) step() {
	a.Helper()
	switch n := a.r.IntN(100); {
	case n < 12:
		a.pass()
	case n < 40:
		a.begin()
	case n < 75 && len(a.open) > 0:
		a.end()
	case n < 85 && len(a.canaries) > 0:
		a.endCanary()
	case n < 92:
		a.testOutage()
	case n < 97:
		a.touch()
	case n < 98:
		a.reset()
	default:
		a.retest()
	}
	if a.r.IntN(30) == 0 {
		a.compare()
	}
}

// pass has time pass, or the clock jump.
func (a *agreement) pass() {
	seconds := []int{1, 1, 2, 5, 10, 15, 30, 31, 60, 300, 3600, 7200, 90_000, -1, -3600, -90_000, 50 * 365 * 86400, -50 * 365 * 86400}[a.pick(18)]
	a.last = fmt.Sprint("pass ", seconds)
	a.s.clock.Advance(time.Duration(seconds) * time.Second)
	if a.s.clock.Now().Unix() < 1000 {
		a.s.clock.Advance(newClock().Now().Sub(a.s.clock.Now()))
	}
}

func (a *agreement) hoster() string { return fmt.Sprintf("h%d.example", a.pick(6)) }

func (a *agreement) begin() {
	a.Helper()
	name := a.hoster()
	url := fmt.Sprintf("https://%s/%d", name, a.pick(4))
	force := a.r.IntN(8) == 0
	a.last = fmt.Sprint("begin ", url, force)
	attempt, ok, err := a.db.BeginAttempt(a.Context(), name, url, force)
	must(a.T, err)
	h := a.memory.Hosters[name]
	token := attempt.Started.String()
	if want := a.policy.Begin(&h, force, token, a.now()); want != ok {
		a.Errorf("%s: begun %t, want %t", a.last, ok, want)
	}
	if !ok {
		a.seen.refused++
		return
	}
	if !h.Healthy() {
		a.memory.Hosters[name] = h
	}
	attempt.Unfit, attempt.FirstOnly = a.r.IntN(10) == 0, a.r.IntN(2) == 0
	a.open = append(a.open, begun{attempt, token})
}

func (a *agreement) end() {
	a.Helper()
	i := a.r.IntN(len(a.open))
	attempt := a.open[i]
	if a.r.IntN(10) > 0 { // some are told twice
		a.open = append(a.open[:i], a.open[i+1:]...)
	}
	classes := []sources.Class{sources.ClassHosterFault, sources.ClassOK, sources.ClassHosterFault, sources.ClassDeadLink, sources.ClassUnsupported, sources.ClassCancelled}
	class := classes[a.pick(len(classes))]
	attempt.ServerFault = class == sources.ClassHosterFault && a.r.IntN(3) == 0
	a.last = fmt.Sprint("end ", attempt.Link, " ", class)
	canary, err := a.db.EndAttempt(a.Context(), attempt.Attempt, class, a.last)
	must(a.T, err)
	out, err := a.policy.End(a.memory, health.Event{
		Hoster: attempt.Hoster, Link: attempt.Link, Unfit: attempt.Unfit, FirstOnly: attempt.FirstOnly, StartedAt: attempt.Started.Unix(),
		Class: healthClass(class, attempt.ServerFault), Error: a.last, Token: attempt.token,
	}, a.now())
	must(a.T, err)
	a.seen.effects[out.Effect]++
	a.outcome(canary, out)
}

func healthClass(class sources.Class, serverFault bool) health.Class {
	switch {
	case class == sources.ClassOK:
		return health.OK
	case class == sources.ClassHosterFault && serverFault:
		return health.ServerFail
	case class == sources.ClassHosterFault:
		return health.Fail
	case class == sources.ClassDeadLink:
		return health.Gone
	default:
		return health.Nothing
	}
}

// outcome compares the canaries that are to be tested.
func (a *agreement) outcome(got *sources.Canary, want health.Outcome) {
	a.Helper()
	if want.Outage == health.OutageBegins {
		a.seen.outages++
	}
	a.sameCanary(got, want.Canary)
	if got != nil {
		a.canaries = append(a.canaries, got)
	}
}

func (a *agreement) sameCanary(got *sources.Canary, want *health.Canary) {
	a.Helper()
	var same *sources.Canary
	if want != nil {
		same = &sources.Canary{Hoster: want.Hoster, Link: want.Link, ID: want.ID}
	}
	if diff := cmp.Diff(same, got); diff != "" {
		a.Errorf("%s: canary (-policy +store):\n%s", a.last, diff)
	}
}

func (a *agreement) endCanary() {
	a.Helper()
	i := a.r.IntN(len(a.canaries))
	canary := a.canaries[i]
	a.canaries = append(a.canaries[:i], a.canaries[i+1:]...)
	classes := []sources.Class{sources.ClassHosterFault, sources.ClassOK, sources.ClassDeadLink, sources.ClassCancelled}
	class := classes[a.pick(len(classes))]
	a.last = fmt.Sprint("end canary ", *canary, " ", class)
	next, err := a.db.EndCanary(a.Context(), *canary, class)
	must(a.T, err)
	out, err := a.policy.EndCanary(a.memory, health.Canary{ID: canary.ID, Hoster: canary.Hoster, Link: canary.Link}, healthClass(class, false), a.now())
	must(a.T, err)
	a.outcome(next, out)
}

func (a *agreement) testOutage() {
	a.Helper()
	asked := a.r.IntN(2) == 0
	a.last = fmt.Sprint("test outage ", asked)
	got, err := a.db.TestOutage(a.Context(), asked)
	must(a.T, err)
	want, err := a.policy.TestOutage(a.memory, asked, a.now())
	must(a.T, err)
	a.sameCanary(got, want)
	if got != nil {
		a.seen.tests++
		a.canaries = append(a.canaries, got)
	}
}

func (a *agreement) touch() {
	a.Helper()
	name, success := a.hoster(), a.r.IntN(3) > 0
	a.last = fmt.Sprint("touch ", name, success)
	must(a.T, a.db.HosterTouch(a.Context(), name, success))
	p, class := a.policy, health.Fail
	p.Canary, p.Early = false, false
	if success {
		class = health.OK
	}
	_, err := p.End(a.memory, health.Event{Hoster: name, Class: class}, a.now())
	must(a.T, err)
}

func (a *agreement) reset() {
	a.Helper()
	name := a.hoster()
	a.last = "reset " + name
	_, err := a.db.ResetHosters(a.Context(), []string{name})
	must(a.T, err)
	if h, ok := a.memory.Hosters[name]; ok {
		h.Reset()
		a.memory.Hosters[name] = h
	}
}

// retest takes the tests that are due. No source waits, so all are of good links.
func (a *agreement) retest() {
	a.Helper()
	a.last = "retests"
	got, err := a.db.DueRetests(a.Context(), nil, nil, 9)
	must(a.T, err)
	due := make(map[string]sources.Retest)
	for name, h := range a.memory.Hosters {
		if a.policy.DueRetest(h, a.now()) && h.GoodLink != "" {
			due[name] = sources.Retest{Hoster: name, Link: h.GoodLink, Blocked: !a.policy.Available(h, 0, a.now())}
			h.NextRetest()
			a.memory.Hosters[name] = h
		}
	}
	if len(got) != len(due) {
		a.Errorf("retests %+v, want %+v", got, due)
	}
	for i, retest := range got {
		if due[retest.Hoster] != retest {
			a.Errorf("retest %+v, want %+v", retest, due[retest.Hoster])
		}
		if h, before := a.memory.Hosters[retest.Hoster], a.memory.Hosters[got[max(0, i-1)].Hoster]; h.Tried(a.now()) < before.Tried(a.now()) {
			a.Errorf("retests %+v are not in the order of their last tries", got)
		}
	}
}

// compare holds the rows of the file to those of the policy. The tokens of leases have
// other names there.
func (a *agreement) compare() {
	a.Helper()
	hosters, links, guard := a.rows()
	for name, h := range hosters {
		want := a.memory.Hosters[name]
		if (h.LeaseToken == "") != (want.LeaseToken == "") {
			a.Errorf("%s: the lease of %s is %q, want %q", a.last, name, h.LeaseToken, want.LeaseToken)
		}
		h.LeaseToken = want.LeaseToken
		hosters[name] = h
	}
	if diff := cmp.Diff(a.memory.Hosters, hosters); diff != "" {
		a.Errorf("%s: hosters (-policy +store):\n%s", a.last, diff)
	}
	if diff := cmp.Diff(a.memory.Links, links); diff != "" {
		a.Errorf("%s: links (-policy +store):\n%s", a.last, diff)
	}
	if diff := cmp.Diff(a.memory.Network, guard); diff != "" {
		a.Errorf("%s: guard (-policy +store):\n%s", a.last, diff)
	}
}

// rows reads the file as sqlite3 would.
func (a *agreement) rows() (map[string]health.Hoster, map[string]health.Link, health.Guard) {
	a.Helper()
	hosters, links := make(map[string]health.Hoster), make(map[string]health.Link)
	var guard health.Guard
	eachRow(a.T, a.s.path, `SELECT name, consecutive_fails, backoff_until, ok_count, fail_count, last_success_at, last_fail_at, last_error,
		lease_until, lease_token, last_try_at, good_link, retests, doubt_run, fail_run, undo_fails, undo_until, awaits, awaits_since FROM hoster`, func(rows *sql.Rows) error {
		var name string
		var h health.Hoster
		err := rows.Scan(&name, &h.ConsecutiveFails, &h.BackoffUntil, &h.OKCount, &h.FailCount, &h.LastSuccessAt, &h.LastFailAt, &h.LastError,
			&h.LeaseUntil, &h.LeaseToken, &h.LastTryAt, &h.GoodLink, &h.Retests, &h.DoubtRun, &h.FailRun, &h.UndoFails, &h.UndoUntil, &h.Awaits, &h.AwaitsSince)
		hosters[name] = h
		return err
	})
	eachRow(a.T, a.s.path, `SELECT url, fails, first_fail_at, fail_run, undo_fails, gone_run, deep FROM link`, func(rows *sql.Rows) error {
		var url string
		var l health.Link
		err := rows.Scan(&url, &l.Fails, &l.FirstFailAt, &l.FailRun, &l.UndoFails, &l.GoneRun, &l.Deep)
		links[url] = l
		return err
	})
	eachRow(a.T, a.s.path, `SELECT last_success_at, run, run_hosters, run_ok, canary, canary_tries, canary_until, canary_bad_at, outage, outage_end, test_at, test_step FROM guard`,
		func(rows *sql.Rows) error {
			return rows.Scan(&guard.LastSuccessAt, &guard.Run, &guard.RunHosters, &guard.RunOK, &guard.Canary, &guard.CanaryTries, &guard.CanaryUntil, &guard.CanaryBadAt,
				&guard.Outage, &guard.OutageEnd, &guard.TestAt, &guard.TestStep)
		})
	return hosters, links, guard
}
