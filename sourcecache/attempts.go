package sourcecache

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"xship/sourcecache/health"
	"xship/sources"
)

// BeginAttempt implements sources.HosterStore. Of a healthy hoster nothing is
// written.
func (db *DB) BeginAttempt(ctx context.Context, name, link string, force bool) (sources.Attempt, bool, error) {
	a := sources.Attempt{Hoster: name, Link: link, Started: db.attemptStart(db.now())}
	if !tracked(name) {
		return a, true, nil
	}
	what := fmt.Sprintf("begin an attempt at hoster %q", name)
	h, err := db.hoster(ctx, db.reads, name)
	if err != nil {
		return a, false, db.fail(ctx, what, err)
	}
	if h.Healthy() { // needs no lease, so nothing is written
		return a, db.policy.Begin(&h, force, db.leaseToken(a), a.Started.Unix()), nil
	}
	begun := false
	err = db.write(ctx, what, func(t tx) error {
		h, err := db.hoster(ctx, t, name)
		if err != nil {
			return err
		}
		a.Started = db.attemptStart(t.at)
		if begun = db.policy.Begin(&h, force, db.leaseToken(a), t.now); !begun {
			return nil
		}
		return t.putHoster(ctx, name, h)
	})
	return a, begun && err == nil, err
}

// attemptStart is the start of an attempt at the given time. The nanoseconds
// tell apart those that this handle begins within one microsecond, so that the
// start is what an attempt is known by.
func (db *DB) attemptStart(at time.Time) time.Time {
	return at.UTC().Truncate(time.Microsecond).Add(time.Duration(db.attempts.Add(1) % 1000))
}

// leaseToken is the name under which a takes a lease.
func (db *DB) leaseToken(a sources.Attempt) string {
	return fmt.Sprintf("%s-%d", db.handle, a.Started.UnixNano())
}

// EndAttempt implements sources.HosterStore.
func (db *DB) EndAttempt(ctx context.Context, a sources.Attempt, class sources.Class, detail string) (*sources.Canary, error) {
	if !tracked(a.Hoster) {
		return nil, nil
	}
	var out health.Outcome
	err := db.write(ctx, fmt.Sprintf("end an attempt at hoster %q", a.Hoster), func(t tx) (err error) {
		out, err = t.report(ctx, db.policy, health.Event{
			Hoster: a.Hoster, Link: a.Link, Unfit: a.Unfit, FirstOnly: a.FirstOnly, StartedAt: toUnix(a.Started),
			Class: attemptClass(class, a.ServerFault), Error: detail, Token: db.leaseToken(a),
		}, class)
		switch {
		case err != nil || class == sources.ClassOK || class == sources.ClassCancelled:
			return err
		case class == sources.ClassUnsupported:
			return t.restLink(ctx, a.Link)
		default:
			return t.holdBack(ctx, a.Link)
		}
	})
	if err != nil {
		return nil, err
	}
	db.logReport(ctx, a.Hoster, out)
	return canary(out.Canary), nil
}

// attemptClass is what a class says of a hoster.
func attemptClass(class sources.Class, serverFault bool) health.Class {
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

// canary gives c as attempts see it, nil for nil.
func canary(c *health.Canary) *sources.Canary {
	if c == nil {
		return nil
	}
	return &sources.Canary{Hoster: c.Hoster, Link: c.Link, ID: c.ID}
}

// report applies the end of an attempt, and keeps it as an event of its hoster.
func (t tx) report(ctx context.Context, p health.Policy, e health.Event, class sources.Class) (health.Outcome, error) {
	out, err := p.End(table{ctx, t}, e, t.now)
	if err != nil {
		return out, err
	}
	if err := t.countHour(ctx, e.Hoster, class); err != nil {
		return out, err
	}
	return out, t.logEvents(ctx, e, class, out)
}

// EndCanary implements sources.HosterStore.
func (db *DB) EndCanary(ctx context.Context, c sources.Canary, class sources.Class) (*sources.Canary, error) {
	var out health.Outcome
	err := db.write(ctx, "end the test of the network", func(t tx) (err error) {
		tested := health.Canary{ID: c.ID, Hoster: c.Hoster, Link: c.Link}
		out, err = db.policy.EndCanary(table{ctx, t}, tested, attemptClass(class, false), t.now)
		if err != nil {
			return err
		}
		if c.ID == 0 && class != sources.ClassOK { // tests of one outage would fill the log
			return nil
		}
		if class == sources.ClassOK { // no other one counts against its hoster
			if err := t.countHour(ctx, c.Hoster, class); err != nil {
				return err
			}
		}
		return t.logEvents(ctx, health.Event{Hoster: c.Hoster, Link: c.Link}, class, out)
	})
	if err != nil {
		return nil, err
	}
	db.logReport(ctx, c.Hoster, out)
	return canary(out.Canary), nil
}

// TestOutage implements sources.HosterStore.
func (db *DB) TestOutage(ctx context.Context, asked bool) (*sources.Canary, error) {
	guard, err := db.readGuard(ctx, db.reads)
	if err != nil || !guard.Outage || !asked && !guard.OutageTestDue(db.now().Unix()) {
		return nil, db.fail(ctx, "read the guard", err)
	}
	var c *health.Canary
	err = db.write(ctx, "test the network", func(t tx) (err error) {
		if c, err = db.policy.TestOutage(table{ctx, t}, asked, t.now); err == nil {
			guard, err = db.readGuard(ctx, t)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if c == nil && !guard.Outage {
		db.logger.InfoContext(ctx, "no link is known that could show whether the network is down, fails count again")
	}
	return canary(c), nil
}

// DueRetests implements sources.HosterStore. Most of the time none is due, which a
// read tells; who takes it is decided where nobody else writes.
func (db *DB) DueRetests(ctx context.Context, among []sources.Retest, except []string, limit int) (due []sources.Retest, err error) {
	if limit <= 0 {
		return nil, nil
	}
	const what = "look for hosters to test"
	known := make(map[string]string, len(among)) // links by hoster
	for _, r := range among {
		known[r.Hoster] = r.Link
	}
	candidates, err := db.retestCandidates(ctx, among, except, limit)
	if err != nil || len(candidates) == 0 {
		return nil, db.fail(ctx, what, err)
	}
	err = db.write(ctx, what, func(t tx) error {
		for _, name := range candidates {
			retest, err := t.beginRetest(ctx, name, known[name])
			if err != nil {
				return err
			}
			if retest != nil {
				due = append(due, *retest)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return due, nil
}

// retestCandidates names the hosters that are to be tested and can be, those first that
// were tried longest ago.
func (db *DB) retestCandidates(ctx context.Context, among []sources.Retest, except []string, limit int) ([]string, error) {
	var only sql.NullString // any
	linked := []string{}    // those of which the caller knows a link
	if among != nil {
		names := make([]string, len(among))
		for i, r := range among {
			if names[i] = r.Hoster; r.Link != "" {
				linked = append(linked, r.Hoster)
			}
		}
		list, err := json.Marshal(names)
		if err != nil {
			return nil, err
		}
		only = sql.NullString{String: string(list), Valid: true}
	}
	withLink, err := json.Marshal(linked)
	if err != nil {
		return nil, err
	}
	without, err := json.Marshal(append([]string{}, except...)) // null is no list
	if err != nil {
		return nil, err
	}
	due, err := db.namedHosters(ctx, db.reads, `WHERE `+dueRetestSQL(db.policy, "h", "?1")+`
		AND (?2 IS NULL OR h.name IN (SELECT value FROM json_each(?2))) AND h.name NOT IN (SELECT value FROM json_each(?5))
		AND (h.good_link <> '' OR h.name IN (SELECT value FROM json_each(?3)) OR EXISTS (`+retestLinksSQL("h.name")+`))
		ORDER BY `+triedSQL("h", "?1")+`, h.name LIMIT ?4`, db.now().Unix(), only, string(withLink), limit, string(without))
	found := make([]string, len(due))
	for i, h := range due {
		found[i] = h.Name
	}
	return found, err
}

// beginRetest gives the test of a hoster, nil where another process was faster. Known
// is a link of it that the caller knows, "" for none.
func (t tx) beginRetest(ctx context.Context, name, known string) (*sources.Retest, error) {
	h, err := t.db.hoster(ctx, t, name)
	if err != nil || !t.db.policy.DueRetest(h, t.now) {
		return nil, err
	}
	blocked := !t.db.policy.Available(h, 0, t.now)
	good, turn := h.NextRetest()
	url := known
	switch {
	case good:
		url = h.GoodLink
	case known == "":
		if url, err = t.waitingLink(ctx, name, turn); err != nil {
			return nil, err
		}
		url = cmp.Or(url, h.GoodLink)
	}
	if url == "" {
		return nil, nil
	}
	if err := t.putHoster(ctx, name, h); err != nil {
		return nil, err
	}
	return &sources.Retest{Hoster: name, Link: url, Blocked: blocked}, nil
}

// waitingLink gives one of the links of a hoster that wait in a queue, in turn, "" where
// there is none.
func (t tx) waitingLink(ctx context.Context, name string, turn int64) (string, error) {
	var links []string
	err := queryRows(ctx, t, func(rows *sql.Rows) error {
		var url string
		err := rows.Scan(&url)
		links = append(links, url)
		return err
	}, retestLinksSQL("?1")+` LIMIT ?2`, name, retestLinks)
	if err != nil || len(links) == 0 {
		return "", err
	}
	return links[turn%int64(len(links))], nil
}

// retestLinks is among how many of the links of a hoster the tests take turns.
const retestLinks = 8

// retestLinksSQL selects the links by which a hoster can be tested: those that wait,
// and then those that were tried in this cycle. Some work only with headers of their
// own, which a test would lack; and none is the user's own.
func retestLinksSQL(hoster string) string {
	var parts []string
	for _, queue := range []int{queueResolve, queueProbe, queueHeld} {
		parts = append(parts, fmt.Sprintf(`SELECT url FROM sources WHERE queue = %d AND own = 0 AND hoster = %s AND headers = '' AND instr(url, '|') = 0`, queue, hoster))
	}
	return strings.Join(parts, " UNION ALL ")
}
