package sourcecache

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"xship/sourcecache/health"
)

// oddHoster is a hoster whose times lie where decisions turn, and where no clock
// that was right could have put them.
func oddHoster(r *rand.Rand, now int64) health.Hoster {
	pick := func(of ...int64) int64 { return of[r.IntN(len(of))] }
	ladder := health.Hosters().Ladder()
	near := func(turns ...int64) int64 { return now + pick(turns...) + r.Int64N(5) - 2 }
	step := pick(append(ladder, 0)...)
	h := health.Hoster{
		ConsecutiveFails: pick(0, 0, r.Int64N(int64(len(ladder))+3), -1, 1<<40),
		BackoffUntil:     pick(0, near(0, step, step+health.Slack), near(-1<<33, 1<<33), -1<<62, 1<<62),
		LeaseUntil:       pick(0, near(0, health.LeaseTime), near(-1<<33, 1<<33), -1<<62, 1<<62),
		LastSuccessAt:    pick(0, near(0, -health.CanaryMaxAge), near(-1<<33, 1<<33), -1<<63, 1<<62),
		OKCount:          pick(0, 1, r.Int64N(20), 1<<40),
		FailCount:        pick(0, 1, r.Int64N(20), 1<<40),
		FailRun:          pick(0, 1, 2, 3),
	}
	h.LastFailAt = pick(0, h.LastSuccessAt)
	if h.LeaseUntil != 0 && r.IntN(4) > 0 {
		h.LeaseToken = "one"
	}
	if r.IntN(3) > 0 {
		h.GoodLink = "https://hoster.example/a"
	}
	return h
}

// TestConditions holds what queries select to what the policy decides.
func TestConditions(t *testing.T) {
	t.Parallel()
	const run, many = 2, 2000
	p := health.Hosters()
	conditions := map[string]struct {
		sql  string
		want func(h health.Hoster, now int64) bool
	}{
		"available":        {availableSQL(p, "h", "?1"), func(h health.Hoster, now int64) bool { return p.Available(h, 0, now) }},
		"available, sites": {availableSQL(health.Sites(), "h", "?1"), func(h health.Hoster, now int64) bool { return health.Sites().Available(h, 0, now) }},
		"may be a canary":  {mayBeCanarySQL("h", "?1"), health.Hoster.MayBeCanary},
		"unhealthy":        {unhealthySQL("h"), func(h health.Hoster, _ int64) bool { return !h.Healthy() }},
		"in trouble":       {inTroubleSQL("h"), func(h health.Hoster, _ int64) bool { return h.InTrouble() }},
		"failed in a run":  {failedInSQL("h", "?2"), func(h health.Hoster, _ int64) bool { return h.FailedIn(run) }},
		"failed in none":   {failedInSQL("h", "0"), func(h health.Hoster, _ int64) bool { return h.FailedIn(0) }},
	}
	db := openLatest(t)
	r := rand.New(rand.NewPCG(1, 2))
	for _, now := range []int64{1_700_000_000, 40_000} { // and a machine whose clock starts in 1970
		hosters := make(map[string]health.Hoster)
		if err := db.write(t.Context(), "fill the table", func(tx tx) error {
			if _, err := tx.ExecContext(t.Context(), `DELETE FROM hoster`); err != nil {
				return err
			}
			for i := range many {
				name := fmt.Sprintf("h%d.example", i)
				hosters[name] = oddHoster(r, now)
				if err := tx.putHoster(t.Context(), name, hosters[name]); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		for what, c := range conditions {
			selected := 0
			rows, err := db.reads.QueryContext(t.Context(), `SELECT h.name, `+c.sql+`, ?1, ?2 FROM hoster h`, now, run)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			defer rows.Close()
			for rows.Next() {
				var name string
				var got bool
				if err := rows.Scan(&name, &got, new(int64), new(int64)); err != nil {
					t.Fatal(err)
				}
				if got {
					selected++
				}
				if want := c.want(hosters[name], now); got != want {
					t.Errorf("at %d: %s: the query says %t, the policy %t of %+v", now, what, got, want, hosters[name])
				}
			}
			if err := rows.Err(); err != nil {
				t.Fatal(err)
			}
			if what != "failed in none" && (selected < 50 || selected > 3950) {
				t.Errorf("at %d: %s holds of %d of %d rows, which shows little", now, what, selected, many)
			}
		}
	}
}

// TestValues holds what queries compute to what the policy computes.
func TestValues(t *testing.T) {
	t.Parallel()
	db := openLatest(t)
	for _, p := range []health.Policy{health.Hosters(), health.Sites(), {Max: 7}, {}} {
		for fails := int64(-2); fails < 12; fails++ {
			var got int64
			err := db.reads.QueryRowContext(t.Context(), `SELECT `+backoffSQL(p, "h")+` FROM (SELECT ? AS consecutive_fails) h`, fails).Scan(&got)
			if want := p.Backoff(fails); err != nil || got != want {
				t.Errorf("%+v, %d fails: %d, %v; want %d", p, fails, got, err, want)
			}
		}
	}
	for fails := range int64(9) {
		for ok := range int64(9) {
			for row := range int64(9) {
				h := health.Hoster{ConsecutiveFails: row, OKCount: ok, FailCount: fails}
				var got int64
				err := db.reads.QueryRowContext(t.Context(), `SELECT `+setbackSQL("h")+` FROM (SELECT ? AS consecutive_fails, ? AS ok_count, ? AS fail_count) h`,
					row, ok, fails).Scan(&got)
				if want := h.Setback(); err != nil || got != want {
					t.Errorf("%+v: set back by %d, %v; want %d", h, got, err, want)
				}
			}
		}
	}
}
