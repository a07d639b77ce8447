package sourcecache

import (
	"context"
	"fmt"
	"time"
)

// Retention is how long the answer of a site is kept after it was given.
const Retention = 30 * 24 * time.Hour

// hosterRetention is how long a hoster is kept after it was last tried, where no source
// names it and no block or lease holds it. Until then it may be a canary.
const hosterRetention = 24 * time.Hour

// SaveScan looks for expired rows this often, and then removes this many full
// batches at most, so that no scan waits for a large clean-up. Where some are
// left, the next scan goes on.
const (
	expiryInterval = 24 * time.Hour
	expiryBatches  = 10
)

// expireSome is expire for the time of Retention, within the bounds above. A
// failure is logged: it is no failure of the scan.
func (db *DB) expireSome(ctx context.Context) {
	due, err := db.expiryDue(ctx)
	if err == nil && due {
		var done bool
		_, done, err = db.expire(ctx, db.now().Add(-Retention), expiryBatches)
		if err == nil && done {
			err = db.write(ctx, "record the clean-up", func(t tx) error { return t.setState(ctx, keyExpired, t.now) })
		}
	}
	if err != nil && ctx.Err() == nil {
		db.logger.WarnContext(ctx, "old scans could not be removed", "error", err)
	}
}

func (db *DB) expiryDue(ctx context.Context) (bool, error) {
	last, err := db.stateTime(ctx, db.reads, keyExpired)
	now := db.now().Unix()
	return last > now || now-last >= int64(expiryInterval/time.Second), db.fail(ctx, "read the last clean-up", err)
}

// expirySteps are the statements of an expiry, in order: each removes a batch
// (?2) of rows from before a time (?1). ?3 is that of hosters, and ?4 is now.
func (db *DB) expirySteps() []string {
	return []string{
		`DELETE FROM sources WHERE id IN (SELECT s.id FROM site_answer a JOIN sources s ON s.title_id = a.title_id AND s.site = a.site
			WHERE a.seen_at < ?1 LIMIT ?2)`,
		`DELETE FROM site_answer WHERE (title_id, site) IN (SELECT a.title_id, a.site FROM site_answer a WHERE a.seen_at < ?1
			AND NOT EXISTS (SELECT 1 FROM sources s WHERE s.title_id = a.title_id AND s.site = a.site) LIMIT ?2)`,
		`DELETE FROM title WHERE id IN (SELECT t.id FROM title t WHERE t.scanned_at < ?1
			AND NOT EXISTS (SELECT 1 FROM site_answer a WHERE a.title_id = t.id)
			AND NOT EXISTS (SELECT 1 FROM sources s WHERE s.title_id = t.id) LIMIT ?2)`,
		`DELETE FROM site_health WHERE (interface_url, site) IN (SELECT interface_url, site FROM site_health
			WHERE max(last_success_at, last_fail_at) < ?1 LIMIT ?2)`,
		`DELETE FROM config_cache WHERE rowid IN (SELECT c.rowid FROM config_cache c WHERE c.fetched_at < ?1
			AND NOT EXISTS (SELECT 1 FROM config i WHERE i.url = c.url) LIMIT ?2)`,
		`DELETE FROM stream WHERE source_id IN (SELECT m.source_id FROM stream m
			WHERE NOT EXISTS (SELECT 1 FROM sources s WHERE s.source_id = m.source_id) LIMIT ?2)`,
		`DELETE FROM empty_scan WHERE (title_key, interface_url) IN (SELECT title_key, interface_url FROM empty_scan WHERE emptied_at < ?1 LIMIT ?2)`,
		`DELETE FROM unlocked_stream WHERE (source_id, user, provider) IN (SELECT source_id, user, provider FROM unlocked_stream u WHERE u.unlocked_at < ?1
			OR NOT EXISTS (SELECT 1 FROM sources s WHERE s.source_id = u.source_id) LIMIT ?2)`,
		`DELETE FROM provider_hoster WHERE (provider, hoster, user) IN (SELECT provider, hoster, user FROM provider_hoster WHERE until < ?1 LIMIT ?2)`,
		`DELETE FROM provider_hosters WHERE (user, provider) IN (SELECT user, provider FROM provider_hosters WHERE at < ?1 LIMIT ?2)`,
		`DELETE FROM account_state WHERE (user, provider, fingerprint) IN (SELECT user, provider, fingerprint FROM account_state
			WHERE max(since, until) < ?1 LIMIT ?2)`,
		`DELETE FROM cooldown WHERE (user, provider) IN (SELECT user, provider FROM cooldown WHERE until_ms < ?1 * 1000 LIMIT ?2)`,
		`DELETE FROM link WHERE url IN (SELECT url FROM link WHERE at < ?1 LIMIT ?2)`,
		`DELETE FROM hoster WHERE name IN (SELECT h.name FROM hoster h WHERE ` + triedSQL("h", "?4") + ` < ?3
			AND ` + availableSQL(db.policy, "h", "?4") + ` AND NOT EXISTS (SELECT 1 FROM sources s WHERE s.hoster = h.name AND NOT s.own) LIMIT ?2)`,
		`DELETE FROM hoster_event WHERE (hoster, id) IN (SELECT e.hoster, e.id FROM hoster_event e WHERE e.at < ?1
			OR NOT EXISTS (SELECT 1 FROM hoster h WHERE h.name = e.hoster) LIMIT ?2)`,
		fmt.Sprintf(`DELETE FROM hoster_hour WHERE (hoster, hour) IN (SELECT hoster, hour FROM hoster_hour WHERE hour NOT BETWEEN ?4 / %[1]d - %[2]d + 1 AND ?4 / %[1]d LIMIT ?2)`, hourSeconds, keptHours),
		`DELETE FROM account_plan WHERE (user, provider) IN (SELECT user, provider FROM account_plan WHERE checked_at < ?1 LIMIT ?2)`,
		`DELETE FROM refused_link WHERE (user, provider) IN (SELECT user, provider FROM refused_link WHERE until_ms < ?1 * 1000 LIMIT ?2)`,
		`DELETE FROM call_budget WHERE name IN (SELECT name FROM call_budget WHERE full_ms < ?1 * 1000 LIMIT ?2)`,
		`DELETE FROM answer WHERE rowid IN (SELECT rowid FROM answer WHERE at < ?1 OR at > ?4 LIMIT ?2)`,
	}
}

// expire removes answers that sites gave before the given time, the titles that
// have none left, what became of their sources, and what is kept of sites, links,
// hosters, accounts, answers, indexes of files, and interfaces other than the user's own,
// that were not used since. It does so in small transactions, at most the given number
// of full batches, all where it is negative, and tells how many sources went and whether
// nothing is left.
func (db *DB) expire(ctx context.Context, before time.Time, batches int) (removed int64, done bool, err error) {
	for i, step := range db.expirySteps() {
		for n := int64(batch); n == batch; {
			if batches == 0 {
				return removed, false, nil
			}
			err := db.write(ctx, "remove old scans", func(t tx) error {
				result, err := t.ExecContext(ctx, step, toUnix(before), batch, toUnix(before.Add(Retention-hosterRetention)), t.now)
				if err != nil {
					return err
				}
				n, err = result.RowsAffected()
				return err
			})
			if err != nil {
				return removed, false, err
			}
			if n == batch {
				batches--
			}
			if i == 0 {
				removed += n
			}
		}
	}
	done, err = db.expireRoots(ctx, before, batches)
	return removed, done, err
}
