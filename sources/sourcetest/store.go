package sourcetest

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"xship/sources"
)

// StoreBackend gives a fresh, empty store for one check, which takes the time
// from now. What it needs ends with tb.
type StoreBackend func(tb testing.TB, now func() time.Time) sources.Store

// RunStore checks that a store keeps the contract of every port of sources.Store
// but for the provider cooldowns, see RunCooldown. Each port has a suite of its
// own, and each point of a suite is a subtest.
func RunStore(t *testing.T, newStore StoreBackend) {
	t.Helper()
	for name, run := range map[string]func(*testing.T, StoreBackend){
		"hosters": RunHosters, "scans": RunScans, "streams": RunStreams, "accounts": RunAccounts,
		"queue": RunQueue, "watchlist": RunWatchlist, "interfaces": RunInterfaces, "index": RunIndex, "answers": RunAnswers, "standing": RunStanding,
	} {
		t.Run(name, func(t *testing.T) { run(t, newStore) })
	}
	t.Run("inspection", func(t *testing.T) {
		t.Parallel()
		if in, err := newStore(t, time.Now).Inspect(t.Context()); err != nil || len(in.Flaws) > 0 {
			t.Errorf("a fresh store has %+v, %v", in, err)
		}
	})
}

// storeCheck is one point of a contract.
type storeCheck struct {
	name string
	run  func(*storeSubject)
}

func runStoreChecks(t *testing.T, newStore StoreBackend, checks []storeCheck) {
	t.Helper()
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			clock := &testClock{at: time.Unix(1_700_000_000, 0).UTC()}
			c.run(&storeSubject{T: t, Store: newStore(t, clock.now), clock: clock})
		})
	}
}

// storeSubject is what one check examines: a store and its clock.
type storeSubject struct {
	*testing.T
	sources.Store
	clock *testClock
}

// testClock is a clock that stands still until it is moved.
type testClock struct {
	mu sync.Mutex
	at time.Time
}

func (c *testClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (s *storeSubject) now() time.Time { return s.clock.now() }

// advance moves the clock, back where d is negative.
func (s *storeSubject) advance(d time.Duration) {
	s.clock.mu.Lock()
	defer s.clock.mu.Unlock()
	s.clock.at = s.clock.at.Add(d)
}

// must ends the check where a call of the store failed.
func (s *storeSubject) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// want compares what the store gives, by how it is printed.
func (s *storeSubject) want(what string, got, want any) {
	s.Helper()
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		s.Errorf("%s: %s\nwant %s", what, g, w)
	}
}

const (
	storeInterface = "https://vod.example/config.json"
	otherInterface = "https://other.example/config.json"
)

// storeMovie is a film with everything that a title can have.
func storeMovie() sources.Title {
	return sources.Title{
		Kind: sources.KindMovie, Name: "Paper Submarines", OriginalName: "Papierboote", Year: 2016,
		IMDb: "tt1234567", Aliases: []string{"纸潜艇", "The Paper Submarines"},
	}
}

func storeEpisode(n int) sources.Title {
	return sources.Title{Kind: sources.KindEpisode, Name: "Harbour Nine", Season: 1, Episode: n}
}

// link is a source of t on a hoster.
func (s *storeSubject) link(t sources.Title, hoster, name string, q sources.Quality) sources.Source {
	src := sources.Source{
		Site: "one", Hoster: hoster, Name: name, URL: "https://" + hoster + "/" + name,
		Quality: q, Priority: sources.PriorityDefault, State: sources.StateFound,
	}
	src.ID = sources.SourceID(t, src.URL)
	return src
}

// save stores a scan, of now, of sites that all answered.
func (s *storeSubject) save(t sources.Title, answers ...sources.SiteAnswer) {
	s.Helper()
	s.saveAt(storeInterface, t, answers...)
}

func (s *storeSubject) saveAt(interfaceURL string, t sources.Title, answers ...sources.SiteAnswer) {
	s.Helper()
	scan := sources.StoredScan{ScannedAt: s.now(), Answers: answers}
	for _, a := range answers {
		scan.Sites = append(scan.Sites, sources.SiteReport{SiteInfo: sources.SiteInfo{Key: a.Site}, Status: sources.SiteOK, Sources: len(a.Sources)})
	}
	s.must(s.SaveScan(s.Context(), interfaceURL, t, scan))
}

// offer stores all as the answer of site one.
func (s *storeSubject) offer(t sources.Title, all ...sources.Source) {
	s.Helper()
	s.save(t, s.answer("one", all...))
}

func (s *storeSubject) answer(site string, all ...sources.Source) sources.SiteAnswer {
	for i := range all {
		all[i].Site = site
	}
	return sources.SiteAnswer{Site: site, SeenAt: s.now(), Sources: all}
}

func (s *storeSubject) load(t sources.Title) *sources.StoredScan {
	s.Helper()
	scan, err := s.LoadScan(s.Context(), storeInterface, t)
	s.must(err)
	return scan
}

// listed writes a stored list as "site: name state, ...; site: ...".
func (s *storeSubject) listed(t sources.Title) string {
	s.Helper()
	scan := s.load(t)
	if scan == nil {
		return "nothing"
	}
	var sites []string
	for _, a := range scan.Answers {
		var names []string
		for _, src := range a.Sources {
			names = append(names, src.Name+" "+string(src.State))
		}
		sites = append(sites, a.Site+": "+strings.Join(names, ", "))
	}
	return strings.Join(sites, "; ")
}

func (s *storeSubject) watchIt(t sources.Title) sources.WatchEntry {
	s.Helper()
	entry, _, err := s.AddWatch(s.Context(), t, sources.WatchUser)
	s.must(err)
	return entry
}

func (s *storeSubject) stream(id string) *sources.StoredStream {
	s.Helper()
	stream, err := s.CachedStream(s.Context(), id)
	s.must(err)
	return stream
}

// begin begins an attempt, which must be allowed, at https://hoster/x.
func (s *storeSubject) begin(hoster string) sources.Attempt {
	s.Helper()
	a, ok := s.tryBegin(hoster, false)
	if !ok {
		s.Fatalf("no attempt at %s was allowed", hoster)
	}
	return a
}

func (s *storeSubject) tryBegin(hoster string, force bool) (sources.Attempt, bool) {
	s.Helper()
	a, ok, err := s.BeginAttempt(s.Context(), hoster, "https://"+hoster+"/x", force)
	s.must(err)
	return a, ok
}

func (s *storeSubject) end(a sources.Attempt, class sources.Class) *sources.Canary {
	s.Helper()
	canary, err := s.EndAttempt(s.Context(), a, class, string(class))
	s.must(err)
	return canary
}

// attempt makes one attempt with the given outcome.
func (s *storeSubject) attempt(hoster string, class sources.Class) *sources.Canary {
	s.Helper()
	return s.end(s.begin(hoster), class)
}

// hoster is what the table knows of a hoster.
func (s *storeSubject) hoster(name string) sources.HosterHealth {
	s.Helper()
	all, err := s.Hosters(s.Context())
	s.must(err)
	for _, h := range all {
		if h.Name == name {
			return h
		}
	}
	return sources.HosterHealth{Name: name}
}
