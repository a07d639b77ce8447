package sourcecache_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"xship/sourcecache"
	"xship/sources"
	"xship/sources/link"
)

// offer is a source of a hoster.
func offer(t sources.Title, hoster, path string, q sources.Quality) sources.Source {
	src := sourceAt(t, "one", path)
	src.URL = "https://" + hoster + "/" + path
	src.ID, src.Hoster, src.Name, src.Quality = sources.SourceID(t, src.URL), hoster, path, q
	return src
}

func (s *store) offers(tb testing.TB, t sources.Title, all ...sources.Source) {
	tb.Helper()
	s.save(tb, t, sources.SiteAnswer{Site: "one", SeenAt: s.clock.Now(), Sources: all})
}

func names(jobs []sources.Job) string {
	all := make([]string, len(jobs))
	for i, j := range jobs {
		all[i] = j.Source.Name
	}
	return strings.Join(all, " ")
}

func (s *store) toResolve(tb testing.TB) []sources.Job {
	tb.Helper()
	jobs, err := s.ResolveQueue(tb.Context(), 15*time.Minute, 50, 5)
	must(tb, err)
	return jobs
}

func (s *store) toProbe(tb testing.TB) []sources.Job {
	tb.Helper()
	jobs, err := s.ProbeQueue(tb.Context(), 50, 5)
	must(tb, err)
	return jobs
}

// queues checks the names in both queues, in order.
func (s *store) queues(tb testing.TB, resolve, probe string) {
	tb.Helper()
	if got := names(s.toResolve(tb)); got != resolve {
		tb.Errorf("to resolve: %q, want %q", got, resolve)
	}
	if got := names(s.toProbe(tb)); got != probe {
		tb.Errorf("to probe: %q, want %q", got, probe)
	}
}

func (s *store) cycle(tb testing.TB) int64 {
	tb.Helper()
	n, err := s.BeginCycle(tb.Context())
	must(tb, err)
	return n
}

func TestDB_queues_lifeOfASource(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	title := episode(3)
	src := offer(title, "h.example", "a", sources.Quality1080p)
	s.offers(t, title, src)
	s.queues(t, "", "") // nobody watches it
	entry := s.watch(t, title)
	s.queues(t, "a", "")
	want := sources.Job{Source: src}
	if diff := gocmp.Diff([]sources.Job{want}, s.toResolve(t)); diff != "" {
		t.Errorf("job (-want +got):\n%s", diff)
	}

	s.cycle(t)
	s.clock.Advance(time.Second)
	stream := sources.Stream{URL: "https://cdn.example/a", ExpiresAt: s.clock.Now().Add(time.Hour)}
	must(t, s.PutStream(t.Context(), src.ID, stream))
	s.queues(t, "", "a")
	want.Source.State = sources.StateResolved
	if diff := gocmp.Diff([]sources.Job{want}, s.toProbe(t)); diff != "" {
		t.Errorf("job (-want +got):\n%s", diff)
	}
	must(t, s.PutMediaInfo(t.Context(), src.ID, mediaInfo()))
	s.queues(t, "", "")

	// It is renewed before it ends, 15 minutes here, but by the next cycle.
	s.clock.Advance(45*time.Minute - time.Second)
	s.cycle(t)
	s.queues(t, "", "")
	s.clock.Advance(time.Second)
	s.queues(t, "a", "")
	must(t, s.PutStream(t.Context(), src.ID, sources.Stream{URL: "https://cdn.example/b", ExpiresAt: s.clock.Now().Add(time.Minute)}))
	s.queues(t, "", "a")
	must(t, s.PutMediaInfo(t.Context(), src.ID, mediaInfo()))
	s.queues(t, "", "") // as short-lived as it is, once a cycle is enough
	s.clock.Advance(time.Second)
	s.cycle(t)
	s.queues(t, "a", "")

	must(t, s.MarkDead(t.Context(), src.ID))
	s.queues(t, "", "")
	must(t, s.DropStream(t.Context(), src.ID))
	s.queues(t, "a", "")
	if removed, err := s.RemoveWatch(t.Context(), entry.ID); err != nil || !removed {
		t.Errorf("removed %t, %v", removed, err)
	}
	s.queues(t, "", "")
}

func TestDB_queues_streamsWithoutTheirOwnEnd(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	title := movie()
	s.watch(t, title)
	src := offer(title, "h.example", "a", sources.Quality1080p)
	s.offers(t, title, src)
	must(t, s.PutStream(t.Context(), src.ID, sources.Stream{URL: "https://cdn.example/a"}))
	must(t, s.PutMediaInfo(t.Context(), src.ID, mediaInfo()))
	s.clock.Advance(45*time.Minute - time.Second) // of an hour
	s.cycle(t)
	s.queues(t, "", "")
	s.clock.Advance(time.Second)
	s.queues(t, "a", "")
}

func TestOpen_streamTTL(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	must(t, s.Close())
	db, err := sourcecache.Open(t.Context(), sourcecache.Options{Path: s.path, Now: s.clock.Now, StreamTTL: 20 * time.Minute})
	must(t, err)
	defer db.Close()
	s = &store{DB: db, path: s.path, clock: s.clock, log: s.log}
	title := movie()
	s.watch(t, title)
	src := offer(title, "h.example", "a", sources.Quality1080p)
	s.offers(t, title, src)
	must(t, s.PutStream(t.Context(), src.ID, sources.Stream{URL: "https://cdn.example/a"}))
	s.clock.Advance(5*time.Minute - time.Second)
	s.cycle(t)
	s.queues(t, "", "a")
	s.clock.Advance(time.Second)
	s.queues(t, "a", "")
}

func TestDB_queues_failedOnesWaitForTheNextCycle(t *testing.T) {
	t.Parallel()
	for class, want := range map[sources.Class]string{
		sources.ClassHosterFault: "b", sources.ClassProviderCooling: "b", sources.ClassBug: "b",
		sources.ClassCancelled: "a b",
	} {
		t.Run(string(class), func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			title := movie()
			s.watch(t, title)
			a, b := offer(title, "h.example", "a", sources.Quality4K), offer(title, "h.example", "b", sources.Quality1080p)
			s.offers(t, title, a, b)
			if n := s.cycle(t); n != 1 {
				t.Errorf("cycle %d, want the first", n)
			}
			attempt, ok, err := s.BeginAttempt(t.Context(), a.Hoster, a.URL, false)
			if err != nil || !ok {
				t.Fatal(ok, err)
			}
			s.end(t, attempt, class)
			s.queues(t, want, "")
			must(t, s.DropStream(t.Context(), a.ID))
			s.offers(t, title, a, b)
			s.queues(t, want, "")
			s.cycle(t)
			s.queues(t, "a b", "")

			// One that works after all is not held back.
			s.end(t, s.begin(t, a.Hoster), sources.ClassOK)
			s.end(t, sources.Attempt{Hoster: a.Hoster, Link: a.URL, Started: s.clock.Now()}, sources.ClassBug)
			must(t, s.PutStream(t.Context(), a.ID, sources.Stream{URL: a.URL}))
			s.queues(t, "b", "a")
		})
	}
}

func TestDB_queues_cycleReleasesMany(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	title := movie()
	s.watch(t, title)
	var all []sources.Source
	for i := range 250 {
		all = append(all, offer(title, fmt.Sprintf("h%d.example", i), fmt.Sprint(i), sources.QualitySD))
	}
	s.offers(t, title, all...)
	for _, src := range all {
		s.end(t, sources.Attempt{Hoster: src.Hoster, Link: src.URL, Started: s.clock.Now()}, sources.ClassBug)
	}
	s.queues(t, "", "")
	s.cycle(t)
	if jobs, err := s.ResolveQueue(t.Context(), 0, 1000, 1); err != nil || len(jobs) != 250 {
		t.Errorf("%d jobs, %v; want 250", len(jobs), err)
	}
}

func TestDB_ResolveQueue_order(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	early, late := episode(1), episode(2)
	s.offers(t, early,
		offer(early, "a.example", "early-4k", sources.Quality4K),
		offer(early, "a.example", "early-sd", sources.QualitySD))
	trailer, parser, last := offer(late, "b.example", "trailer", sources.Quality4K), offer(late, "b.example", "parser", sources.Quality4K), offer(late, "b.example", "last", sources.Quality4K)
	trailer.Trailer, parser.Unplayable, last.Priority = true, "needs a parser", sources.PriorityLast
	file := offer(late, link.HosterLocal, "file", sources.Quality4K)
	nobody := offer(late, "", "nobody", sources.Quality4K)
	s.offers(t, late,
		offer(late, "b.example", "late-sd", sources.QualitySD), trailer, parser, last, file, nobody,
		offer(late, "b.example", "late-720p", sources.Quality720p),
		offer(late, "c.example", "late-1080p", sources.Quality1080p),
		offer(late, "bad.example", "bad-1080p", sources.Quality1080p))
	s.watch(t, early)
	s.clock.Advance(24 * time.Hour)
	s.watch(t, late)
	s.queues(t, "late-1080p bad-1080p late-720p late-sd last early-4k early-sd", "")

	// A bad record sets a hoster back, and a block takes it out.
	s.touch(t, "good.example", true)
	s.touch(t, "bad.example", false)
	s.queues(t, "late-1080p late-720p late-sd last early-4k early-sd", "")
	s.clock.Advance(5 * time.Second)
	s.queues(t, "late-1080p late-720p late-sd bad-1080p last early-4k early-sd", "")
	s.begin(t, "bad.example")
	s.queues(t, "late-1080p late-720p late-sd last early-4k early-sd", "")
	s.clock.Advance(30 * time.Second)
	s.queues(t, "late-1080p late-720p late-sd bad-1080p last early-4k early-sd", "")

	for _, tt := range []struct {
		limit, perHoster int
		want             string
	}{
		{3, 5, "late-1080p late-720p late-sd"},
		{50, 1, "late-1080p late-720p bad-1080p early-4k"},
		{0, 5, ""},
		{5, 0, ""},
	} {
		jobs, err := s.ResolveQueue(t.Context(), 0, tt.limit, tt.perHoster)
		if err != nil || names(jobs) != tt.want {
			t.Errorf("limit %d, %d a hoster: %q, %v; want %q", tt.limit, tt.perHoster, names(jobs), err, tt.want)
		}
	}
}

func TestDB_ResolveQueue_sourceOfSeveralSites(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	title := movie()
	s.watch(t, title)
	s.save(t, title, answer(title, s.clock.Now(), "one", "a"), answer(title, s.clock.Now(), "two", "a", "b"))
	s.queues(t, "a b", "")
}

// TestDB_ResolveQueue_damagedRows has damaged rows in all places of a hoster.
// They are set aside, so that those behind have their turn at once, until their
// site names them anew.
func TestDB_ResolveQueue_damagedRows(t *testing.T) {
	t.Parallel()
	for column, value := range map[string]string{"headers": "{", "info": `["`, "size_bytes": "many", "state": "odd"} {
		t.Run(column, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			title := movie()
			s.watch(t, title)
			var all []sources.Source
			for i := range 12 {
				all = append(all, offer(title, "h.example", fmt.Sprint(i), sources.Quality4K))
			}
			all = append(all, offer(title, "h.example", "good", sources.Quality720p))
			s.offers(t, title, all...)
			s.exec(t, `UPDATE sources SET `+column+` = ? WHERE name <> 'good'`, value)
			s.queues(t, "good", "")
			if n := strings.Count(s.log.String(), "set aside"); n != 12 {
				t.Errorf("%d lines of 12 damaged rows:\n%s", n, s.log)
			}
			s.cycle(t)
			s.queues(t, "good", "")
			if n := strings.Count(s.log.String(), "set aside"); n != 12 {
				t.Errorf("set aside again:\n%s", s.log)
			}
		})
	}
}

func TestDB_damagedRows_namedAnew(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	title := movie()
	s.watch(t, title)
	a, b := offer(title, "h.example", "a", sources.Quality4K), offer(title, "h.example", "b", sources.Quality720p)
	s.offers(t, title, a, b)
	s.exec(t, `UPDATE sources SET headers = '{' WHERE name = 'a'`)
	if got := s.load(t, title).Answers[0].Sources; len(got) != 1 || got[0].Name != "b" {
		t.Errorf("the list has %+v, want b alone", got)
	}
	s.queues(t, "b", "")
	s.offers(t, title, a, b)
	s.queues(t, "a b", "")
	if got := s.load(t, title).Answers[0].Sources; len(got) != 2 {
		t.Errorf("the list has %+v, want both", got)
	}
}

// TestDB_damagedStream has a stream that cannot be read: it is none, so that what
// takes its source from the queue resolves it anew.
func TestDB_damagedStream(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	title := movie()
	s.watch(t, title)
	src := offer(title, "h.example", "a", sources.Quality4K)
	s.offers(t, title, src)
	stream := sources.Stream{URL: "https://cdn.example/a"}
	must(t, s.PutStream(t.Context(), src.ID, stream))
	s.exec(t, `UPDATE stream SET headers = '{'`)
	if got := s.stream(t, src.ID); got != nil {
		t.Errorf("a damaged stream is %+v", got)
	}
	s.queues(t, "", "a")
	must(t, s.PutStream(t.Context(), src.ID, stream))
	if got := s.stream(t, src.ID); got == nil || got.URL != stream.URL {
		t.Errorf("resolved anew, the stream is %+v", got)
	}
}

// TestDB_EndAttempt_unsupported has a source that xship cannot resolve.
func TestDB_EndAttempt_unsupported(t *testing.T) {
	t.Parallel()
	setup := func(t *testing.T) (*store, sources.Title, sources.Source, sources.Source) {
		s := newStore(t)
		title := movie()
		s.watch(t, title)
		a, b := offer(title, "h.example", "a", sources.Quality4K), offer(title, "h.example", "b", sources.Quality1080p)
		s.offers(t, title, a, b)
		s.cycle(t)
		attempt, _, err := s.BeginAttempt(t.Context(), a.Hoster, a.URL, false)
		must(t, err)
		s.end(t, attempt, sources.ClassUnsupported)
		s.queues(t, "b", "")
		return s, title, a, b
	}
	t.Run("rests", func(t *testing.T) {
		t.Parallel()
		s, title, a, b := setup(t)
		s.clock.Advance(sourcecache.UnsupportedRest - time.Second)
		s.cycle(t)
		s.offers(t, title, a, b)
		must(t, s.DropStream(t.Context(), a.ID))
		s.queues(t, "b", "")
		s.clock.Advance(time.Second)
		s.cycle(t)
		s.queues(t, "a b", "")
	})
	t.Run("another link", func(t *testing.T) {
		t.Parallel()
		s, title, a, b := setup(t)
		a.URL += "#anew"
		s.offers(t, title, a, b)
		s.queues(t, "a b", "")
	})
	t.Run("resolved after all", func(t *testing.T) {
		t.Parallel()
		s, _, a, _ := setup(t)
		must(t, s.PutStream(t.Context(), a.ID, sources.Stream{URL: a.URL}))
		s.queues(t, "b", "a")
		must(t, s.DropStream(t.Context(), a.ID))
		s.queues(t, "a b", "")
	})
	t.Run("clock set back", func(t *testing.T) {
		t.Parallel()
		s, _, _, _ := setup(t)
		s.clock.Advance(-time.Hour)
		s.cycle(t)
		s.queues(t, "a b", "")
	})
	t.Run("nobody watches it any more", func(t *testing.T) {
		t.Parallel()
		s, title, _, _ := setup(t)
		entry := s.watch(t, title)
		_, err := s.RemoveWatch(t.Context(), entry.ID)
		must(t, err)
		if got := s.query(t, `SELECT count(*) FROM sources WHERE queue > 0`)[0]; got != "0" {
			t.Errorf("%s sources of no watched title wait", got)
		}
	})
}

func TestDB_HoldBack(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	title := movie()
	s.watch(t, title)
	a, b := offer(title, "h.example", "a", sources.Quality4K), offer(title, "h.example", "b", sources.Quality1080p)
	s.offers(t, title, a, b)
	must(t, s.HoldBack(t.Context(), a.ID))
	must(t, s.HoldBack(t.Context(), "nobody"))
	s.queues(t, "b", "")
	s.cycle(t)
	s.queues(t, "a b", "")
}

// TestDB_rankingThatWasInterrupted is what a process leaves that died between
// the change of the watchlist and the ranking.
func TestDB_rankingThatWasInterrupted(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	title := movie()
	s.offers(t, title, offer(title, "h.example", "a", sources.Quality4K))
	s.exec(t, `INSERT INTO watch (title_key, kind, name, added_at, wanted_at) VALUES (?1, 'movie', 'x', 5, 5)`, title.Key())
	s.exec(t, `UPDATE title SET wanted_at = 5`)
	s.queues(t, "", "")
	s.cycle(t)
	s.queues(t, "a", "")
}

// TestDB_ResolveQueue_likeASort compares the query with a plain sort, with
// random blocks, leases and records.
func TestDB_ResolveQueue_likeASort(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	r := rand.New(rand.NewPCG(3, 4))
	now := s.clock.Now().Unix()
	for i := range 4 {
		title := episode(i)
		var all []sources.Source
		for j := range 60 {
			q := append(sources.Qualities(), sources.QualityUnknown)[r.IntN(6)]
			src := offer(title, fmt.Sprintf("h%d", r.IntN(12)), fmt.Sprintf("%d-%d", i, j), q)
			src.Own = r.IntN(6) == 0
			all = append(all, src)
		}
		s.offers(t, title, all...)
		s.watch(t, title)
		s.clock.Advance(24 * time.Hour)
	}
	s.clock.Advance(time.Duration(now-s.clock.Now().Unix()) * time.Second)
	steps := []int64{0, 5, 10, 20, 30, 60, 300, 3600, 3600}
	for round := range 100 {
		free, penalty := make(map[string]bool), make(map[string]int64)
		var records strings.Builder
		for i := range 12 {
			name := fmt.Sprint("h", i)
			fails, block, lease := r.Int64N(9), r.Int64N(8)-4, r.Int64N(80)-40
			if r.IntN(4) == 0 {
				block = r.Int64N(8000)
			}
			ok, bad := r.Int64N(10), r.Int64N(10)
			fmt.Fprintf(&records, "UPDATE hoster SET consecutive_fails = %d, backoff_until = %d, lease_until = %d, ok_count = %d, fail_count = %d WHERE name = '%s';",
				fails, now+block, now+lease, ok, bad, name)
			free[name] = (block <= 0 || block > steps[fails]+1) && (fails == 0 || lease <= 0 || lease > 30)
			penalty[name] = min(6, fails)
			if ok+bad > 0 {
				penalty[name] += min(2, 4*bad/(ok+bad))
			}
		}
		s.exec(t, records.String())
		for name, want := range free {
			if available, err := s.HosterAvailable(t.Context(), name, 0); err != nil || available != want {
				t.Fatalf("round %d: hoster %s available %t, %v; want %t", round, name, available, err, want)
			}
		}
		limit, perHoster := 1+r.IntN(60), 1+r.IntN(8)
		var want []string
		taken := make(map[string]int)
		for _, row := range s.ranked(t, penalty) {
			lane := fmt.Sprint(row.hoster, row.own)
			if (row.own || free[row.hoster]) && taken[lane] < perHoster && len(want) < limit {
				taken[lane]++
				want = append(want, row.name)
			}
		}
		jobs, err := s.ResolveQueue(t.Context(), 0, limit, perHoster)
		must(t, err)
		if got := names(jobs); got != strings.Join(want, " ") {
			t.Fatalf("round %d, limit %d, %d a hoster:\n%s\nwant\n%s", round, limit, perHoster, got, strings.Join(want, " "))
		}
	}
}

type rankedRow struct {
	name, hoster string
	own          bool
	place        int64
}

// ranked gives all rows that wait, in the order in which they should come.
func (s *store) ranked(tb testing.TB, penalty map[string]int64) []rankedRow {
	tb.Helper()
	var all []rankedRow
	for _, line := range s.query(tb, `SELECT name || ' ' || hoster || ' ' || own || ' ' || rank FROM sources WHERE queue = 1`) {
		var row rankedRow
		own := 0
		if _, err := fmt.Sscan(line, &row.name, &row.hoster, &own, &row.place); err != nil {
			tb.Fatal(err)
		}
		if row.own = own == 1; !row.own {
			row.place += penalty[row.hoster] << 32
		}
		all = append(all, row)
	}
	slices.SortFunc(all, func(a, b rankedRow) int { return cmp.Compare(a.place, b.place) })
	return all
}
