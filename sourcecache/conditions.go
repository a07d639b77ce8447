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
	return fmt.Sprintf("(%[1]s.backoff_until <= %[2]s OR %[1]s.backoff_until > %[2]s + %[3]s + %[4]d)"+
		" AND NOT (%[5]s AND %[1]s.lease_until > %[2]s AND %[1]s.lease_until <= %[2]s + %[6]d)",
		h, now, backoffSQL(p, h), health.Slack, unhealthySQL(h), health.LeaseTime)
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

// mayBeCanarySQL is health.Hoster.MayBeCanary.
func mayBeCanarySQL(h, now string) string {
	return fmt.Sprintf("NOT %[1]s AND %[2]s.good_link <> '' AND %[2]s.last_success_at BETWEEN %[3]s - %[4]d AND %[3]s",
		unhealthySQL(h), h, now, health.CanaryMaxAge)
}

// setbackSQL is health.Hoster.Setback.
func setbackSQL(h string) string {
	return fmt.Sprintf("CASE WHEN %[1]s.ok_count + %[1]s.fail_count > 0"+
		" THEN min(%[2]d, %[3]d * %[1]s.fail_count / (%[1]s.ok_count + %[1]s.fail_count)) ELSE 0 END + min(%[4]d, %[1]s.consecutive_fails)",
		h, health.MaxRecordSetback, health.RecordSetbacks, health.MaxFailsSetback)
}
