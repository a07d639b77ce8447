package sourcecache

import (
	"fmt"
	"strings"

	"xship/sourcecache/health"
)

// What package health decides in Go a query has to select by. The conditions and
// values here are made of its facts; h is the name of the hoster table in the query,
// and now and run are its parameters. Each says what it stands for: the two agree on
// every row.

// pastSQL is a stored time that lies behind now, and 0 for one in the future: that was
// recorded under another clock, and is none.
func pastSQL(column, now string) string {
	return fmt.Sprintf("iif(%[1]s > %[2]s, 0, %[1]s)", column, now)
}

// backoffSQL is health.Policy.Backoff.
func backoffSQL(p health.Policy, h string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "CASE WHEN %s.consecutive_fails <= 0 THEN 0", h)
	ladder := p.Ladder()
	last := len(ladder) - 1
	for i, seconds := range ladder[:last] {
		fmt.Fprintf(&b, " WHEN %s.consecutive_fails = %d THEN %d", h, i+1, seconds)
	}
	fmt.Fprintf(&b, " ELSE %d END", ladder[last])
	return b.String()
}

// availableSQL is health.Policy.Available without a cooldown.
func availableSQL(p health.Policy, h, now string) string {
	free := fmt.Sprintf("%[1]s.backoff_until <= %[2]s", h, now)
	if p.Clock {
		free = fmt.Sprintf("(%[1]s OR %[2]s.backoff_until > %[3]s + %[4]s + %[5]d)", free, h, now, backoffSQL(p, h), health.Slack)
	}
	if p.Lease {
		free += fmt.Sprintf(" AND NOT (%s AND %s)", unhealthySQL(h), leasedSQL(h, now))
	}
	return free
}

// unhealthySQL is that health.Hoster.Healthy does not hold.
func unhealthySQL(h string) string { return h + ".consecutive_fails <> 0" }

// inTroubleSQL is health.Hoster.InTrouble.
func inTroubleSQL(h string) string {
	return fmt.Sprintf("(%s OR %s.backoff_until <> 0)", unhealthySQL(h), h)
}

// failedInSQL is health.Hoster.FailedIn.
func failedInSQL(h, run string) string {
	return fmt.Sprintf("%[1]s.fail_run = %[2]s AND %[1]s.fail_run <> 0", h, run)
}

// doubtedInSQL is health.Hoster.DoubtedIn.
func doubtedInSQL(h, run string) string {
	return fmt.Sprintf("(%[1]s.doubt_run = %[2]s AND %[1]s.doubt_run <> 0)", h, run)
}

// awaitsSQL is health.Hoster.AwaitsCanary.
func awaitsSQL(h, canary string) string {
	return fmt.Sprintf("%[1]s.awaits = %[2]s AND %[1]s.awaits <> 0", h, canary)
}

// mayBeCanarySQL is health.Hoster.MayBeCanary.
func mayBeCanarySQL(h, run, now string) string {
	return fmt.Sprintf("NOT %[1]s AND NOT %[2]s AND %[3]s.good_link <> '' AND %[4]s",
		unhealthySQL(h), doubtedInSQL(h, run), h, workedSQL(h, health.CanaryMaxAge, now))
}

// mayTestOutageSQL is health.Hoster.MayTestOutage.
func mayTestOutageSQL(h, recent, now string) string {
	return fmt.Sprintf("%[1]s.good_link <> '' AND (NOT %[3]s OR NOT %[2]s AND %[4]s)",
		h, leasedSQL(h, now), recent, workedSQL(h, health.OutageRecent, now))
}

// workedSQL is that the last success is at most so many seconds ago.
func workedSQL(h string, seconds int, now string) string {
	return fmt.Sprintf("%[1]s.last_success_at BETWEEN %[2]s - %[3]d AND %[2]s", h, now, seconds)
}

// triedSQL is health.Hoster.Tried.
func triedSQL(h, now string) string {
	return fmt.Sprintf("max(0, %s, %s, %s)", pastSQL(h+".last_try_at", now), pastSQL(h+".last_success_at", now), pastSQL(h+".last_fail_at", now))
}

// dueRetestSQL is health.Policy.DueRetest.
func dueRetestSQL(p health.Policy, h, now string) string {
	var due []string
	if p.Retest {
		due = append(due, availableSQL(p, h, now))
	}
	if p.Look > 0 {
		due = append(due, fmt.Sprintf("%s.consecutive_fails >= %d AND NOT %s AND %s - %s >= %d",
			h, health.LookFails, leasedSQL(h, now), now, triedSQL(h, now), p.Look))
	}
	if len(due) == 0 {
		return "FALSE"
	}
	return fmt.Sprintf("%s AND (%s)", unhealthySQL(h), strings.Join(due, " OR "))
}

// leasedSQL is that an attempt has a lease.
func leasedSQL(h, now string) string {
	return fmt.Sprintf("(%[1]s.lease_until > %[2]s AND %[1]s.lease_until <= %[2]s + %[3]d)", h, now, health.LeaseTime)
}

// setbackSQL is health.Hoster.Setback.
func setbackSQL(h string) string {
	return fmt.Sprintf("CASE WHEN %[1]s.ok_count + %[1]s.fail_count > 0"+
		" THEN min(%[2]d, %[3]d * %[1]s.fail_count / (%[1]s.ok_count + %[1]s.fail_count)) ELSE 0 END + min(%[4]d, %[1]s.consecutive_fails)",
		h, health.MaxRecordSetback, health.RecordSetbacks, health.MaxFailsSetback)
}
