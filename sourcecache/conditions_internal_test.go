package sourcecache

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"xship/sourcecache/health"
	"xship/sources"
)

// look is how often a long block is looked into, in these tests.
const look = 600

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
		DoubtRun:         pick(0, 1, 2, 3),
		Awaits:           pick(0, 1, 2, 3),
		LastTryAt:        pick(0, near(0, -health.OutageRecent), near(-1<<33, 1<<33), -1<<63, 1<<62),
	}
	h.LastFailAt = pick(0, h.LastSuccessAt, near(0, -look, look))
	if r.IntN(3) == 0 {
		h.LastSuccessAt = near(0, -health.CanaryMaxAge, -health.OutageRecent)
	}
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
	looking := p
	looking.Look = look
	onlyLooking := looking
	onlyLooking.Retest = false
	conditions := map[string]struct {
		sql  string
		want func(h health.Hoster, now int64) bool
	}{
		"available":                      {availableSQL(p, "h", "?1"), func(h health.Hoster, now int64) bool { return p.Available(h, 0, now) }},
		"available, sites":               {availableSQL(health.Sites(), "h", "?1"), func(h health.Hoster, now int64) bool { return health.Sites().Available(h, 0, now) }},
		"available, no rules":            {availableSQL(health.Document(), "h", "?1"), func(h health.Hoster, now int64) bool { return health.Document().Available(h, 0, now) }},
		"may be a canary":                {mayBeCanarySQL("h", "?2", "?1"), func(h health.Hoster, now int64) bool { return h.MayBeCanary(run, now) }},
		"may test an outage, lately":     {mayTestOutageSQL("h", "TRUE", "?1"), func(h health.Hoster, now int64) bool { return h.MayTestOutage(true, now) }},
		"may test an outage":             {mayTestOutageSQL("h", "FALSE", "?1"), func(h health.Hoster, now int64) bool { return h.MayTestOutage(false, now) }},
		"leased":                         {unhealthySQL("h") + " AND " + leasedSQL("h", "?1"), func(h health.Hoster, now int64) bool { return p.LeasedUntil(h, now) != 0 }},
		"to be tested":                   {dueRetestSQL(p, "h", "?1"), p.DueRetest},
		"to be tested, of another table": {`EXISTS (SELECT 1 FROM hoster x WHERE x.name = h.name AND ` + dueRetestSQL(p, "x", "(0 + ?1)") + `)`, p.DueRetest},
		"to be looked into":              {dueRetestSQL(looking, "h", "?1"), looking.DueRetest},
		"only looked into":               {dueRetestSQL(onlyLooking, "h", "?1"), onlyLooking.DueRetest},
		"never tested":                   {dueRetestSQL(health.Document(), "h", "?1"), health.Document().DueRetest},
		"unhealthy":                      {unhealthySQL("h"), func(h health.Hoster, _ int64) bool { return !h.Healthy() }},
		"in trouble":                     {inTroubleSQL("h"), func(h health.Hoster, _ int64) bool { return h.InTrouble() }},
		"failed in a run":                {failedInSQL("h", "?2"), func(h health.Hoster, _ int64) bool { return h.FailedIn(run) }},
		"failed in none":                 {failedInSQL("h", "0"), func(h health.Hoster, _ int64) bool { return h.FailedIn(0) }},
		"doubted in a run":               {doubtedInSQL("h", "?2"), func(h health.Hoster, _ int64) bool { return h.DoubtedIn(run) }},
		"doubted in none":                {doubtedInSQL("h", "0"), func(h health.Hoster, _ int64) bool { return h.DoubtedIn(0) }},
		"awaits a canary":                {awaitsSQL("h", "?2"), func(h health.Hoster, _ int64) bool { return h.AwaitsCanary(run) }},
		"awaits none":                    {awaitsSQL("h", "0"), func(h health.Hoster, _ int64) bool { return h.AwaitsCanary(0) }},
	}
	never := map[string]bool{"failed in none": true, "doubted in none": true, "awaits none": true, "never tested": true}
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
			if never[what] != (selected == 0) || selected > many-50 || !never[what] && selected < 50 {
				t.Errorf("at %d: %s holds of %d of %d rows, which shows little", now, what, selected, many)
			}
		}
	}
}

// TestDeadState holds the index of dead sources to the number that their state has.
func TestDeadState(t *testing.T) {
	t.Parallel()
	if want := stateNumber(sources.StateDead); stateDead != want {
		t.Errorf("the state of dead sources is %d, want %d", stateDead, want)
	}
	db := openLatest(t)
	for query, index := range map[string]string{
		fmt.Sprintf(`SELECT id FROM sources WHERE url = '' AND state = %d`, stateNumber(sources.StateDead)): "sources_dead",
		`SELECT id FROM sources WHERE queue = 3 LIMIT 1`:                                                    "sources_held",
		`SELECT url FROM sources WHERE queue = 3 AND own = 0 AND hoster = ''`:                               "sources_held",
		`SELECT 1 FROM sources s WHERE s.hoster = '' AND NOT s.own`:                                         "sources_hoster",
		`SELECT url FROM link WHERE at < 1 LIMIT 1`:                                                         "link_at",
		`SELECT url, fails FROM link WHERE fails > 1`:                                                       "link_again",
		`SELECT url, fails FROM link WHERE ` + strings.ReplaceAll(linksOfRunSQL, "?1", "7"):                 "OR",
	} {
		var id, parent, unused int
		var plan string
		err := db.reads.QueryRowContext(t.Context(), `EXPLAIN QUERY PLAN `+query).Scan(&id, &parent, &unused, &plan)
		if err != nil || !strings.Contains(plan, "INDEX "+index) {
			t.Errorf("%s: %s, %v; want the index %s", query, plan, err, index)
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
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		const now = 1_700_000_000
		h := oddHoster(r, now)
		var got int64
		err := db.reads.QueryRowContext(t.Context(), `SELECT `+triedSQL("h", "?1")+` FROM (SELECT ?2 AS last_try_at, ?3 AS last_success_at, ?4 AS last_fail_at) h`,
			now, h.LastTryAt, h.LastSuccessAt, h.LastFailAt).Scan(&got)
		if want := h.Tried(now); err != nil || got != want {
			t.Errorf("%+v: tried at %d, %v; want %d", h, got, err, want)
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
