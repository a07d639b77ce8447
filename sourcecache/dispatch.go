package sourcecache

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"xship/sourcecache/health"
	"xship/sources"
)

// ResolveQueue gives sources of watched titles that have no stream, or one that
// ends within renewBefore, most useful first: of the titles watched soonest, the
// best quality, the hosters with the best record. Only hosters that may be
// tried now are in it, with at most perHoster sources each. Sources that failed
// in this cycle are not, nor are streams that were resolved in it.
func (db *DB) ResolveQueue(ctx context.Context, renewBefore time.Duration, limit, perHoster int) ([]sources.Job, error) {
	if err := db.renew(ctx, renewBefore); err != nil {
		return nil, err
	}
	return db.dispatch(ctx, queueResolve, limit, perHoster)
}

// ProbeQueue gives sources of watched titles whose fresh stream was never
// probed, in the order and within the bounds of ResolveQueue.
func (db *DB) ProbeQueue(ctx context.Context, limit, perHoster int) ([]sources.Job, error) {
	if err := db.renew(ctx, 0); err != nil {
		return nil, err
	}
	return db.dispatch(ctx, queueProbe, limit, perHoster)
}

// dispatchSQL is a merge of the queues of all hosters that may be tried at ?1:
// the recursion's ORDER BY makes it a priority queue, in which each source that
// comes out lets in the next one of its hoster, up to ?3, until ?2 are out. It
// costs a few index seeks a hoster and a result, however many sources wait.
func dispatchSQL(queue int) string {
	return fmt.Sprintf(`WITH RECURSIVE
	heads AS MATERIALIZED (
		SELECT (SELECT min(x.rank) FROM sources x WHERE x.queue = %[1]d AND x.hoster = h.name) AS rank, h.name AS hoster, (%[2]s) << 32 AS penalty
		FROM hoster h
		WHERE (h.backoff_until <= ?1 OR h.backoff_until > ?1 + %[3]s + %[4]d)
			AND NOT (h.consecutive_fails > 0 AND h.lease_until > ?1 AND h.lease_until <= ?1 + %[5]d)),
	merged (place, rank, hoster, penalty, n) AS (
		SELECT rank + penalty, rank, hoster, penalty, 1 FROM heads WHERE rank IS NOT NULL
		UNION ALL
		SELECT x.rank + m.penalty, x.rank, m.hoster, m.penalty, m.n + 1 FROM merged m CROSS JOIN sources x
			ON x.queue = %[1]d AND x.hoster = m.hoster
			AND x.rank = (SELECT min(y.rank) FROM sources y WHERE y.queue = %[1]d AND y.hoster = m.hoster AND y.rank > m.rank)
		WHERE m.n < ?3
		ORDER BY 1 LIMIT ?2)
	SELECT m.place, %[6]s, %[7]s, %[8]s
	FROM merged m CROSS JOIN sources s ON s.queue = %[1]d AND s.hoster = m.hoster AND s.rank = m.rank
	CROSS JOIN title t ON t.id = s.title_id
	LEFT JOIN stream c ON c.source_id = s.source_id`,
		queue, penaltySQL, backoffSQL(), health.Slack, health.LeaseTime,
		prefixed("s", sourceColumns), prefixed("t", titleColumns), streamColumnsOrEmpty)
}

// penaltySQL is how many steps of quality a hoster's sources are set back for
// its record: up to two for its lifetime, up to six for failing now.
const penaltySQL = `CASE WHEN h.ok_count + h.fail_count > 0 THEN min(2, 4 * h.fail_count / (h.ok_count + h.fail_count)) ELSE 0 END + min(6, h.consecutive_fails)`

// streamColumnsOrEmpty are streamColumns of a row that may be missing.
const streamColumnsOrEmpty = `coalesce(c.url, ''), coalesce(c.headers, ''), coalesce(c.mime, ''), coalesce(c.expires_at, 0),
	coalesce(c.resolved_at, 0), coalesce(c.probed_at, 0), coalesce(c.media_info, '')`

// backoffSQL is the ladder of hosters.
func backoffSQL() string {
	var b strings.Builder
	b.WriteString("CASE h.consecutive_fails")
	n, p := int64(0), health.Hosters()
	for ; p.Backoff(n) < p.Max; n++ {
		fmt.Fprintf(&b, " WHEN %d THEN %d", n, p.Backoff(n))
	}
	fmt.Fprintf(&b, " ELSE %d END", p.Backoff(n))
	return b.String()
}

// prefixed names the table of each column of a list.
func prefixed(table, columns string) string {
	return table + "." + strings.ReplaceAll(columns, ", ", ", "+table+".")
}

type placed struct {
	place int64
	job   sources.Job
}

func (db *DB) dispatch(ctx context.Context, queue, limit, perHoster int) ([]sources.Job, error) {
	if limit <= 0 || perHoster <= 0 {
		return nil, nil
	}
	var found []placed
	seen := make(map[string]bool) // a source may have several rows
	err := queryRows(ctx, db.reads, func(rows *sql.Rows) error {
		var row dispatchRow
		if err := rows.Scan(row.fields()...); err != nil || seen[row.source.sourceID] {
			return err
		}
		seen[row.source.sourceID] = true
		job, err := row.job(queue)
		if err != nil {
			db.logger.WarnContext(ctx, "a source was left out of the queue", "error", err)
			return nil
		}
		found = append(found, placed{place: row.place, job: job})
		return nil
	}, dispatchSQL(queue), db.now().Unix(), limit, perHoster)
	if err != nil {
		return nil, db.fail(ctx, "find work", err)
	}
	slices.SortStableFunc(found, func(a, b placed) int { return cmp.Compare(a.place, b.place) })
	jobs := make([]sources.Job, len(found))
	for i, p := range found {
		jobs[i] = p.job
	}
	return jobs, nil
}

// dispatchRow is a row of dispatchSQL.
type dispatchRow struct {
	place  int64
	source storedSource
	title  storedTitle
	stream storedStream
}

func (r *dispatchRow) fields() []any {
	return slices.Concat([]any{&r.place}, r.source.fields(), r.title.fields(), r.stream.fields())
}

func (r *dispatchRow) job(queue int) (job sources.Job, err error) {
	if job.Source, err = r.source.source(); err != nil {
		return job, err
	}
	if job.Title, err = r.title.title(); err != nil || queue != queueProbe {
		return job, err
	}
	job.Stream, err = r.stream.stream()
	return job, err
}
