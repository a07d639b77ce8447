package sourcecache_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"xship/sourcecache"
	"xship/sources"
)

// stored is a place in which a time is stored, as TABLE.COLUMN or state.KEY, and what
// shows that one which the clock makes impossible counts for nothing. Where nothing in
// this package decides by it, why says so.
type storedTime struct {
	why   string
	check func(t *testing.T, s *store, set func(t *testing.T))
}

const (
	clockTitle = "Another Clock"
	clockSite  = "https://vod.example/config.json"
)

func clockFilm() sources.Title {
	return sources.Title{Kind: sources.KindMovie, Name: clockTitle, Year: 2001}
}

// saveFilm stores a list of one source for the film.
func saveFilm(t *testing.T, s *store) (sourceID string) {
	t.Helper()
	src := sources.Source{ID: "aaaa00000000", Name: "a", URL: "https://a.example/a.mp4", Hoster: "a.example", Quality: "1080p"}
	must(t, s.SaveScan(t.Context(), clockSite, clockFilm(), sources.StoredScan{
		ScannedAt: s.clock.Now(), Answers: []sources.SiteAnswer{{Site: "one", SeenAt: s.clock.Now(), Sources: []sources.Source{src}}},
	}))
	return src.ID
}

func watchFilm(t *testing.T, s *store) {
	t.Helper()
	_, _, err := s.AddWatch(t.Context(), clockFilm(), sources.WatchUser)
	must(t, err)
}

// queued tells whether the source of the film is to be resolved.
func queued(t *testing.T, s *store) bool {
	t.Helper()
	_, err := s.BeginCycle(t.Context())
	must(t, err)
	jobs, err := s.ResolveQueue(t.Context(), 0, 10, 10)
	must(t, err)
	return len(jobs) > 0
}

func available(t *testing.T, s *store, cooldown time.Duration) {
	t.Helper()
	if ok, err := s.HosterAvailable(t.Context(), "a.example", cooldown); !ok || err != nil {
		t.Errorf("the hoster may not be tried: %v", err)
	}
}

// fails has a hoster fail, and gives how many fails in a row count then.
func fails(t *testing.T, s *store, name string) int {
	t.Helper()
	must(t, s.HosterTouch(t.Context(), name, false))
	all, err := s.Hosters(t.Context())
	must(t, err)
	for _, h := range all {
		if h.Name == name {
			return h.ConsecutiveFails
		}
	}
	return 0
}

func storedTimes() map[string]storedTime {
	account := sources.Account{User: 1, Provider: "real_debrid", Key: "key"}
	key := sources.CooldownKey{User: 1, Provider: "real_debrid"}
	fail := func(t *testing.T, s *store) {
		t.Helper()
		must(t, s.HosterTouch(t.Context(), "up.example", true))
		if fails(t, s, "a.example") != 1 {
			t.Fatal("the fail did not count")
		}
		s.clock.Advance(6 * time.Second)
	}
	watched := func(t *testing.T, s *store) {
		saveFilm(t, s)
		watchFilm(t, s)
	}
	due := func(t *testing.T, s *store) {
		t.Helper()
		list, err := s.WatchDue(t.Context(), clockSite, time.Hour)
		must(t, err)
		if len(list) != 1 {
			t.Errorf("%d titles are due, want the film", len(list))
		}
	}
	return map[string]storedTime{
		"hoster.backoff_until": {check: func(t *testing.T, s *store, set func(*testing.T)) { fail(t, s); set(t); available(t, s, 0) }},
		"hoster.lease_until":   {check: func(t *testing.T, s *store, set func(*testing.T)) { fail(t, s); set(t); available(t, s, 0) }},
		"hoster.last_fail_at":  {check: func(t *testing.T, s *store, set func(*testing.T)) { fail(t, s); set(t); available(t, s, time.Hour) }},
		"hoster.last_success_at": {check: func(t *testing.T, s *store, set func(*testing.T)) {
			a, _, err := s.BeginAttempt(t.Context(), "up.example", "https://up.example/a", false)
			must(t, err)
			_, err = s.EndAttempt(t.Context(), a, sources.ClassOK, "")
			must(t, err)
			set(t)
			for _, name := range []string{"a.example", "b.example"} {
				a, _, err := s.BeginAttempt(t.Context(), name, "https://"+name, false)
				must(t, err)
				canary, err := s.EndAttempt(t.Context(), a, sources.ClassHosterFault, "")
				must(t, err)
				if canary != nil {
					t.Errorf("%+v is to be tested, as if it had worked lately", canary)
				}
			}
		}},
		"hoster.last_try_at": {check: func(t *testing.T, s *store, set func(*testing.T)) {
			outage(t, s)
			if test := testOutage(t, s, true); test.Hoster != "up2.example" {
				t.Fatalf("tested is %+v", test)
			}
			set(t)
			if test := testOutage(t, s, true); test.Hoster != "up2.example" {
				t.Errorf("tested is %s, as if the other one had been tried longer ago", test.Hoster)
			}
		}},
		"link.first_fail_at": {check: func(t *testing.T, s *store, set func(*testing.T)) {
			attempt := func(link string, class sources.Class) {
				s.clock.Advance(6 * time.Second)
				must(t, s.HosterTouch(t.Context(), "up.example", true))
				a, _, err := s.BeginAttempt(t.Context(), "a.example", link, false)
				must(t, err)
				_, err = s.EndAttempt(t.Context(), a, class, "")
				must(t, err)
			}
			attempt("https://a.example/bad", sources.ClassHosterFault)
			set(t)
			for range 2 {
				attempt("https://a.example/good", sources.ClassOK)
				attempt("https://a.example/bad", sources.ClassHosterFault)
			}
			if got := s.hoster(t, "a.example").ConsecutiveFails; got != 0 {
				t.Errorf("%d fails of a link count, though its hoster worked since", got)
			}
		}},
		"link.at":         {why: "only what is old is removed by it"},
		"hoster_event.at": {why: "only shown, and what is old is removed by it"},
		"guard.test_at": {check: func(t *testing.T, s *store, set func(*testing.T)) {
			outage(t, s)
			set(t)
			testOutage(t, s, false)
		}},
		"hoster.undo_until":           {why: "becomes backoff_until, and is judged as that"},
		"site_health.last_success_at": {why: "only what was not used for long is removed by it"},
		"site_health.last_fail_at":    {why: "only what was not used for long is removed by it"},
		"site_health.backoff_until": {check: func(t *testing.T, s *store, set func(*testing.T)) {
			must(t, s.SiteTouch(t.Context(), clockSite, []sources.SiteOutcome{{Site: "up", OK: true}, {Site: "one"}}))
			set(t)
			resting, err := s.RestingSites(t.Context(), clockSite)
			must(t, err)
			if len(resting) > 0 {
				t.Errorf("resting: %+v", resting)
			}
		}},
		"config.last_loaded_at":   {why: "only shown"},
		"config_cache.fetched_at": {why: "judged by the loader, which takes no age below zero"},
		"config.time": {check: func(t *testing.T, s *store, set func(*testing.T)) {
			_, err := s.AddInterface(t.Context(), clockSite, "")
			must(t, err)
			must(t, s.RecordInterfaceUse(t.Context(), clockSite, s.clock.Now()))
			set(t)
			_, err = s.AddInterface(t.Context(), "https://b.example/", "")
			must(t, err)
			must(t, s.RecordInterfaceUse(t.Context(), "https://b.example/", s.clock.Now()))
			all, err := s.Interfaces(t.Context())
			must(t, err)
			if all[0].URL != "https://b.example/" {
				t.Errorf("the first one is %s, and was used under another clock", all[0].URL)
			}
		}},
		"title.scanned_at": {check: func(t *testing.T, s *store, set func(*testing.T)) { watched(t, s); set(t); due(t, s) }},
		"title.ranked_at":  {why: "what wanted_at was when the sources were ranked"},
		"title.wanted_at": {check: func(t *testing.T, s *store, set func(*testing.T)) {
			watched(t, s)
			set(t)
			s.clock.Advance(time.Second)
			other := sources.Title{Kind: sources.KindMovie, Name: "Other", Year: 2002}
			src := sources.Source{ID: "bbbb00000000", Name: "b", URL: "https://b.example/b.mp4", Hoster: "b.example", Quality: "1080p"}
			must(t, s.SaveScan(t.Context(), clockSite, other, sources.StoredScan{
				ScannedAt: s.clock.Now(), Answers: []sources.SiteAnswer{{Site: "one", SeenAt: s.clock.Now(), Sources: []sources.Source{src}}},
			}))
			_, _, err := s.AddWatch(t.Context(), other, sources.WatchUser)
			must(t, err)
			_, err = s.BeginCycle(t.Context())
			must(t, err)
			jobs, err := s.ResolveQueue(t.Context(), 0, 10, 10)
			must(t, err)
			if len(jobs) != 2 || jobs[0].Source.ID != src.ID {
				t.Errorf("the first of %d jobs is of a title that was wanted under another clock", len(jobs))
			}
		}},
		"site_answer.seen_at": {why: "judged by the scan, which takes no age below zero"},
		"sources.state_at": {check: func(t *testing.T, s *store, set func(*testing.T)) {
			must(t, s.MarkDead(t.Context(), saveFilm(t, s)))
			set(t)
			saveFilm(t, s)
			scan, err := s.LoadScan(t.Context(), clockSite, clockFilm())
			must(t, err)
			if got := scan.Answers[0].Sources[0].State; got != sources.StateFound {
				t.Errorf("the source is %s", got)
			}
		}},
		"sources.rest_until": {check: func(t *testing.T, s *store, set func(*testing.T)) {
			watched(t, s)
			a, _, err := s.BeginAttempt(t.Context(), "a.example", "https://a.example/a.mp4", false)
			must(t, err)
			_, err = s.EndAttempt(t.Context(), a, sources.ClassUnsupported, "")
			must(t, err)
			if set(t); !queued(t, s) {
				t.Error("the source still rests")
			}
		}},
		"guard.last_success_at": {check: func(t *testing.T, s *store, set func(*testing.T)) {
			must(t, s.HosterTouch(t.Context(), "up.example", true))
			set(t)
			if n := fails(t, s, "a.example"); n != 0 {
				t.Errorf("%d fails count, for a success under another clock", n)
			}
		}},
		"guard.outage_end": {check: func(t *testing.T, s *store, set func(*testing.T)) {
			must(t, s.HosterTouch(t.Context(), "up.example", true))
			set(t)
			if n := fails(t, s, "a.example"); n != 1 {
				t.Errorf("%d fails count", n)
			}
		}},
		"guard.canary_until":  {check: canaryIsTested},
		"guard.canary_bad_at": {check: canaryIsTested},
		"watch.added_at":      {why: "only shown"},
		"watch.waits_since": {check: func(t *testing.T, s *store, set func(*testing.T)) {
			_, _, err := s.AddWatch(t.Context(), movie(), sources.WatchUser)
			must(t, err)
			set(t)
			states, err := s.WatchStates(t.Context(), iface)
			must(t, err)
			if len(states) != 1 || !states[0].WaitsSince.IsZero() {
				t.Errorf("states %+v", states)
			}
		}},
		"watch.looked_at": {check: func(t *testing.T, s *store, set func(*testing.T)) {
			_, _, err := s.AddWatch(t.Context(), movie(), sources.WatchUser)
			must(t, err)
			must(t, s.NoteLooked(t.Context(), movie()))
			set(t)
			states, err := s.WatchStates(t.Context(), iface)
			must(t, err)
			if len(states) != 1 || !states[0].CheckedAt().IsZero() {
				t.Errorf("states %+v", states)
			}
		}},
		"cycle.begun_at": {check: cycleIsKept},
		"cycle.next_at":  {why: "when the next one was to begin"},
		"cycle.ended_at": {check: func(t *testing.T, s *store, set func(*testing.T)) {
			must(t, s.PutCycle(t.Context(), sources.CycleRecord{BegunAt: s.clock.Now(), EndedAt: s.clock.Now()}))
			set(t)
			if all, err := s.Cycles(t.Context(), 5); err != nil || len(all) > 0 {
				t.Errorf("cycles %+v, %v", all, err)
			}
		}},
		"account_plan.ends_at": {why: "may lie years ahead"},
		"account_plan.checked_at": {check: func(t *testing.T, s *store, set func(*testing.T)) {
			must(t, s.SetAccountPlan(t.Context(), oldAccount, sources.AccountPlan{Plan: "premium"}))
			set(t)
			if p, err := s.AccountPlan(t.Context(), oldAccount); err != nil || p != (sources.AccountPlan{}) {
				t.Errorf("plan %+v, %v", p, err)
			}
		}},
		"watch.wanted_at": {check: func(t *testing.T, s *store, set func(*testing.T)) {
			watchFilm(t, s)
			set(t)
			_, _, err := s.AddWatch(t.Context(), sources.Title{Kind: sources.KindMovie, Name: "Other"}, sources.WatchUser)
			must(t, err)
			list, err := s.Watchlist(t.Context())
			must(t, err)
			if list[0].Title.Name != "Other" {
				t.Errorf("the first one is %s, and was wanted under another clock", list[0].Title)
			}
		}},
		"stream.expires_at": {why: "the stream's own word, which may lie years ahead"},
		"stream.probed_at":  {why: "tells that it was, not when"},
		"stream.resolved_at": {check: func(t *testing.T, s *store, set func(*testing.T)) {
			watched(t, s)
			must(t, s.PutStream(t.Context(), "aaaa00000000", sources.Stream{URL: "https://cdn.example/a"}))
			set(t)
			stream, err := s.CachedStream(t.Context(), "aaaa00000000")
			must(t, err)
			if stream.Fresh(s.clock.Now(), time.Hour) || !queued(t, s) {
				t.Error("it counts as fresh, or is not renewed")
			}
		}},
		"empty_scan.emptied_at": {check: func(t *testing.T, s *store, set func(*testing.T)) {
			watchFilm(t, s)
			must(t, s.SaveScan(t.Context(), clockSite, clockFilm(), sources.StoredScan{ScannedAt: s.clock.Now()}))
			set(t)
			due(t, s)
		}},
		"cooldown.until_ms": {check: func(t *testing.T, s *store, set func(*testing.T)) {
			mark(t, s, key)
			set(t)
			c, err := s.open(t).Cooldowns().IsCoolingDown(t.Context(), key)
			must(t, err)
			if c.Remaining > 0 {
				t.Errorf("it cools for %s", c.Remaining)
			}
		}},
		"cooldown.lease_until_ms": {check: func(t *testing.T, s *store, set func(*testing.T)) {
			mark(t, s, key)
			s.clock.Advance(31 * time.Second)
			_, _, err := s.Cooldowns().Begin(t.Context(), key)
			must(t, err)
			set(t)
			lease, c, err := s.open(t).Cooldowns().Begin(t.Context(), key)
			must(t, err)
			if lease.Token == "" || c.Remaining > 0 {
				t.Errorf("a call waits for %s", c.Remaining)
			}
		}},
		"refused_link.until_ms": {check: func(t *testing.T, s *store, set func(*testing.T)) {
			refuse := func(link string) bool {
				again, err := s.Cooldowns().Refused(t.Context(), key, sources.Refusal{Link: link, Answer: "451"})
				must(t, err)
				return again
			}
			refuse("a")
			set(t)
			if refuse("b") {
				t.Error("a link that was refused under another clock counts")
			}
			if !refuse("c") {
				t.Error("one that was refused just before does not count")
			}
		}},
		"account_state.until": {why: "judged by since"},
		"account_state.since": {check: func(t *testing.T, s *store, set func(*testing.T)) {
			must(t, s.SetAccountState(t.Context(), account, sources.AccountState{Class: sources.ClassProviderQuota, Until: s.clock.Now().Add(time.Hour)}))
			set(t)
			state, err := s.AccountState(t.Context(), account)
			must(t, err)
			if state.Class != sources.ClassOK {
				t.Errorf("the account is %+v", state)
			}
		}},
		"provider_hoster.until": {why: "judged by since"},
		"provider_hoster.since": {check: func(t *testing.T, s *store, set func(*testing.T)) {
			must(t, s.RestProviderHoster(t.Context(), key, "a.example", sources.Cooldown{Remaining: time.Hour}))
			set(t)
			rest, err := s.ProviderHosterRest(t.Context(), key, "a.example")
			must(t, err)
			all, err := s.ProviderHosterRests(t.Context())
			must(t, err)
			if rest.Remaining > 0 || len(all) > 0 {
				t.Errorf("it rests for %s, %+v", rest.Remaining, all)
			}
		}},
		"unlocked_stream.expires_at": {why: "the stream's own word, which may lie years ahead"},
		"unlocked_stream.unlocked_at": {check: func(t *testing.T, s *store, set func(*testing.T)) {
			must(t, s.PutUnlockedStream(t.Context(), key, "aaaa00000000", sources.Stream{URL: "https://cdn.example/a"}))
			set(t)
			stream, err := s.UnlockedStream(t.Context(), key, "aaaa00000000")
			must(t, err)
			if stream.Fresh(s.clock.Now(), time.Hour) {
				t.Error("it counts as fresh")
			}
		}},
		"answer.at": {check: func(t *testing.T, s *store, set func(*testing.T)) {
			must(t, s.PutAnswer(t.Context(), "k", []byte("a")))
			set(t)
			body, at, err := s.Answer(t.Context(), "k")
			must(t, err)
			if body != nil || !at.IsZero() {
				t.Errorf("an answer of %s: %s", at, body)
			}
			_, err = s.DeleteExpired(t.Context(), s.clock.Now().Add(-sourcecache.Retention))
			must(t, err)
			if left := s.count(t, "answer"); left != "0" {
				t.Error("it stays until its time has come")
			}
		}},
		"told.at": {why: "only written"},
		"index_root.walked_at": {check: func(t *testing.T, s *store, set func(*testing.T)) {
			must(t, s.EndWalk(t.Context(), "/films", sources.IndexedRoot{WalkedAt: s.clock.Now(), Files: 7}))
			set(t)
			r, err := s.IndexedRoot(t.Context(), "/films")
			must(t, err)
			if !r.WalkedAt.IsZero() || r.Files != 7 {
				t.Errorf("walked %+v", r)
			}
		}},
		"index_root.written_at": {check: func(t *testing.T, s *store, set func(*testing.T)) {
			must(t, s.EndWalk(t.Context(), "/films", sources.IndexedRoot{Files: 7}))
			set(t)
			for range 2 {
				_, err := s.DeleteExpired(t.Context(), s.clock.Now().Add(-sourcecache.Retention))
				must(t, err)
				s.clock.Advance(sourcecache.Retention + time.Second)
			}
			if left := s.count(t, "index_root"); left != "0" {
				t.Error("nobody writes to it for a month, and it stays")
			}
		}},
		"provider_hosters.at": {why: "judged by the providers, which take no age below zero"},
		"state.site_success_at": {check: func(t *testing.T, s *store, set func(*testing.T)) {
			must(t, s.SiteTouch(t.Context(), clockSite, []sources.SiteOutcome{{Site: "up", OK: true}}))
			set(t)
			must(t, s.SiteTouch(t.Context(), clockSite, []sources.SiteOutcome{{Site: "one"}}))
			resting, err := s.RestingSites(t.Context(), clockSite)
			must(t, err)
			if len(resting) > 0 {
				t.Errorf("resting, for a success under another clock: %+v", resting)
			}
		}},
		"state.expired_at": {check: func(t *testing.T, s *store, set func(*testing.T)) {
			saveFilm(t, s)
			set(t)
			s.exec(t, `UPDATE site_answer SET seen_at = 1`)
			must(t, s.SaveScan(t.Context(), "b", clockFilm(), sources.StoredScan{
				ScannedAt: s.clock.Now(), Answers: []sources.SiteAnswer{{Site: "two", SeenAt: s.clock.Now(), Sources: []sources.Source{{ID: "b", URL: "https://b.example/"}}}},
			}))
			if left := s.query(t, `SELECT site FROM site_answer`); len(left) != 1 {
				t.Errorf("answers of %q are left", left)
			}
		}},
		"state.cycle_at": {check: func(t *testing.T, s *store, set func(*testing.T)) {
			watched(t, s)
			_, err := s.BeginCycle(t.Context())
			must(t, err)
			s.clock.Advance(time.Second)
			must(t, s.PutStream(t.Context(), "aaaa00000000", sources.Stream{URL: "https://cdn.example/a"}))
			set(t)
			jobs, err := s.ResolveQueue(t.Context(), 0, 10, 10)
			must(t, err)
			if len(jobs) > 0 {
				t.Error("what was just resolved is renewed, as if it was from before the cycle")
			}
		}},
		"state.inspected_at": {why: "only written"},
	}
}

// outage has two hosters work, and then the network go down.
func outage(t *testing.T, s *store) {
	t.Helper()
	for _, name := range []string{"up2.example", "up1.example"} {
		s.attempt(t, name, sources.ClassOK)
		s.clock.Advance(time.Second)
	}
	s.attempt(t, "a.example", sources.ClassHosterFault)
	for canary := s.attempt(t, "b.example", sources.ClassHosterFault); canary != nil; {
		canary = s.endCanary(t, canary, sources.ClassHosterFault)
	}
}

// testOutage gives the link by which an outage is tested, which must be there.
func testOutage(t *testing.T, s *store, asked bool) *sources.Canary {
	t.Helper()
	test, err := s.TestOutage(t.Context(), asked)
	must(t, err)
	if test == nil {
		t.Fatal("no link is to be tested")
	}
	return test
}

// canaryIsTested checks that a suspect network is tested.
func canaryIsTested(t *testing.T, s *store, set func(*testing.T)) {
	a, _, err := s.BeginAttempt(t.Context(), "up.example", "https://up.example/a", false)
	must(t, err)
	_, err = s.EndAttempt(t.Context(), a, sources.ClassOK, "")
	must(t, err)
	set(t)
	var canary *sources.Canary
	for _, name := range []string{"a.example", "b.example"} {
		a, _, err := s.BeginAttempt(t.Context(), name, "https://"+name, false)
		must(t, err)
		canary, err = s.EndAttempt(t.Context(), a, sources.ClassHosterFault, "")
		must(t, err)
	}
	if canary == nil {
		t.Error("no link is to be tested")
	}
}

// cycleIsKept checks that a cycle whose beginning lies ahead took no time.
func cycleIsKept(t *testing.T, s *store, set func(*testing.T)) {
	must(t, s.PutCycle(t.Context(), sources.CycleRecord{BegunAt: s.clock.Now(), EndedAt: s.clock.Now()}))
	set(t)
	if all, err := s.Cycles(t.Context(), 5); err != nil || len(all) != 1 || all[0].Duration != 0 {
		t.Errorf("cycles %+v, %v", all, err)
	}
}

func mark(t *testing.T, s *store, key sources.CooldownKey) {
	t.Helper()
	_, err := s.Cooldowns().MarkCooldown(t.Context(), key, sources.CooldownMark{For: 30 * time.Second})
	must(t, err)
}

// isTime tells whether the name of a column is that of a time.
func isTime(name string) bool {
	for _, n := range []string{"time", "at", "until", "since", "outage_end"} {
		if name == n {
			return true
		}
	}
	return strings.HasSuffix(name, "_at") || strings.Contains(name, "until")
}

// TestAnotherClock sets each time that is stored to one that lies ahead, as a clock
// that was wrong leaves it, by a day and by ten years: it counts for nothing. A new
// column fails the test until it has a row here.
func TestAnotherClock(t *testing.T) {
	t.Parallel()
	times := storedTimes()
	path := newFile(t)
	for _, c := range allColumns(t, path) {
		if name := c.table + "." + c.name; isTime(c.name) && times[name].why == "" && times[name].check == nil {
			t.Errorf("%s is a time that nobody checks", name)
		}
	}
	eachRow(t, oldDatabase(t), `SELECT key FROM state WHERE key LIKE '%\_at' ESCAPE '\'`, func(rows *sql.Rows) error {
		var key string
		err := rows.Scan(&key)
		if times["state."+key].why == "" && times["state."+key].check == nil {
			t.Errorf("state.%s is a time that nobody checks", key)
		}
		return err
	})
	for name, stored := range times {
		if stored.check == nil {
			continue
		}
		for _, ahead := range []time.Duration{25 * time.Hour, 10 * 365 * 24 * time.Hour} {
			t.Run(fmt.Sprintf("%s by %s", name, ahead), func(t *testing.T) {
				t.Parallel()
				s := newStore(t)
				stored.check(t, s, func(t *testing.T) {
					t.Helper()
					table, column, _ := strings.Cut(name, ".")
					at := s.clock.Now().Add(ahead).Unix()
					if strings.HasSuffix(column, "_ms") {
						at *= 1000
					}
					if table == "state" {
						s.exec(t, `INSERT OR REPLACE INTO state (key, value) VALUES (?, ?)`, column, at)
						return
					}
					s.exec(t, fmt.Sprintf(`UPDATE %s SET %s = ?`, table, column), at)
				})
			})
		}
	}
}
