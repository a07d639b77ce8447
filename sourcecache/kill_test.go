package sourcecache_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"xship/sourcecache"
	"xship/sources"
)

const killedSources = 200

// work runs one cycle on whatever waits, and calls step before each source.
// Where faulty, every fifth attempt is the fault of its hoster.
func work(ctx context.Context, db *sourcecache.DB, faulty bool, step func()) error {
	if _, err := db.BeginCycle(ctx); err != nil {
		return err
	}
	for n := 0; ; {
		jobs, err := db.ResolveQueue(ctx, time.Minute, 20, 5)
		if err == nil && len(jobs) == 0 {
			jobs, err = db.ProbeQueue(ctx, 20, 5)
		}
		if err != nil || len(jobs) == 0 {
			return err
		}
		for _, job := range jobs {
			n++
			step()
			if err := workOn(ctx, db, job.Source, faulty && n%5 == 0); err != nil {
				return err
			}
		}
	}
}

func workOn(ctx context.Context, db *sourcecache.DB, src sources.Source, fails bool) error {
	a, ok, err := db.BeginAttempt(ctx, src.Hoster, src.URL, false)
	if err != nil || !ok {
		return err
	}
	if fails {
		_, err := db.EndAttempt(ctx, a, sources.ClassHosterFault, "503")
		return err
	}
	if _, err := db.EndAttempt(ctx, a, sources.ClassOK, ""); err != nil {
		return err
	}
	if err := db.PutStream(ctx, src.ID, sources.Stream{URL: src.URL}); err != nil {
		return err
	}
	return db.PutMediaInfo(ctx, src.ID, sources.MediaInfo{Container: "mp4"})
}

// TestDB_killedInACycle kills processes at random moments of their cycles. The
// file stays sound, nothing is lost, and the next cycle finishes the work.
func TestDB_killedInACycle(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it runs dozens of processes")
	}
	path := filepath.Join(t.TempDir(), "xship.db")
	clock := newClock()
	clock.Advance(time.Since(clock.Now()))
	s := &store{path: path, clock: clock, log: &logged{}}
	s.DB = s.open(t)
	title := movie()
	s.watch(t, title)
	var all []sources.Source
	for i := range killedSources {
		all = append(all, offer(title, hosterNumber(i), fmt.Sprint(i), sources.Quality1080p))
	}
	s.offers(t, title, all...)
	for range 50 {
		killAtWork(t, path)
	}
	if got := s.query(t, `PRAGMA integrity_check`); got[0] != "ok" {
		t.Errorf("integrity: %q", got)
	}
	if got := s.count(t, "sources"); got != fmt.Sprint(killedSources) {
		t.Errorf("%s sources, want %d", got, killedSources)
	}

	clock.Advance(2 * time.Hour) // blocks and leases of the dead are over
	must(t, work(t.Context(), s.DB, false, func() {}))
	if got := s.query(t, `SELECT count(*) FROM sources WHERE queue = 0 AND state = 2`); got[0] != fmt.Sprint(killedSources) {
		t.Errorf("%s sources are done after the next cycle, want %d", got[0], killedSources)
	}
}

// hold takes the lease of a failing hoster and a canary, and keeps both.
func hold(ctx context.Context, db *sourcecache.DB, held func()) error {
	if _, ok, err := db.BeginAttempt(ctx, "held.example", "https://held.example/x", false); err != nil || !ok {
		return fmt.Errorf("the attempt began: %t, %w", ok, err)
	}
	a, _, err := db.BeginAttempt(ctx, "waits.example", "https://waits.example/x", false)
	if err != nil {
		return err
	}
	canary, err := db.EndAttempt(ctx, a, sources.ClassHosterFault, "no")
	if err != nil || canary == nil {
		return fmt.Errorf("canary %v, %w", canary, err)
	}
	held()
	time.Sleep(time.Hour) // until it is killed
	return nil
}

// TestDB_killedWhileTesting kills a process that has the lease of a failing hoster and
// a canary: after 30 s both are free, and what waited for the canary does not count.
func TestDB_killedWhileTesting(t *testing.T) {
	t.Parallel()
	s := &store{path: newFile(t), clock: newClock(), log: &logged{}}
	s.DB = s.open(t)
	set := func(at time.Time) { s.clock.Advance(at.Sub(s.clock.Now())) }
	set(time.Now().Add(-time.Minute))
	s.attempt(t, "up.example", sources.ClassOK)
	s.attempt(t, "held.example", sources.ClassHosterFault)
	cmd := childCommand(t, "hold", s.path)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	_, err = io.ReadFull(out, make([]byte, 1))
	must(t, err)
	must(t, cmd.Process.Kill())
	_ = cmd.Wait() // that it was killed

	end := func(query string) time.Time {
		at, err := strconv.ParseInt(s.query(t, query)[0], 10, 64)
		must(t, err)
		if left := time.Until(time.Unix(at, 0)); left > 30*time.Second {
			t.Errorf("%s: held for %s", query, left)
		}
		return time.Unix(at, 0)
	}
	lease, canary := end(`SELECT lease_until FROM hoster WHERE name = 'held.example'`), end(`SELECT canary_until FROM guard`)
	free := func() bool {
		ok, err := s.HosterAvailable(t.Context(), "held.example", 0)
		must(t, err)
		return ok
	}
	if set(lease.Add(-time.Second)); free() {
		t.Error("the lease ended with its holder")
	}
	if set(lease); !free() {
		t.Error("the lease outlives its holder")
	}
	set(canary)
	again := s.attempt(t, "late.example", sources.ClassHosterFault)
	if again == nil || again.Hoster != "up.example" {
		t.Fatalf("canary %+v, want another one in the place of that which was lost", again)
	}
	s.endCanary(t, again, sources.ClassOK)
	if got := s.fails(t); got != "held.example 1, late.example 1" {
		t.Errorf("fails %s", got)
	}
}

func killAtWork(t *testing.T, path string) {
	t.Helper()
	cmd := childCommand(t, "work", path)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	_, _ = io.CopyN(io.Discard, out, rand.Int64N(40)) // a byte a step; EOF where less was left to do
	must(t, cmd.Process.Kill())
	_ = cmd.Wait() // that it was killed
}
