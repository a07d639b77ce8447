package sourcecache

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"xship/sources"
	"xship/sources/link"
)

// The queues that a source may stand in. Only sources of watched titles do, and of
// those that lie on this machine or on no hoster only the user's own.
const (
	queueNone    = 0
	queueResolve = 1 // it has no stream, or one that ends soon
	queueProbe   = 2 // its stream was not read yet
	queueHeld    = 3 // it failed in this cycle
	queueRest    = 4 // xship cannot resolve it, see UnsupportedRest
)

// UnsupportedRest is how long a source that xship cannot resolve is left alone
// in the background, unless it is resolved after all, or its site names it with
// another link.
const UnsupportedRest = 24 * time.Hour

// A rank is the place of a source in its queue, lower is sooner: the upper half
// says how useful it is, and the lower half, the id, makes it unique. In the
// upper half the day on which the title was last wanted comes first, the later
// the sooner, then the quality. So a rank stays what it is as time passes.
const (
	rankDays      = 1 << 16 // days since 1970, more than there will be
	rankQualities = 16      // steps of a day
	rankLast      = 8       // added for sources that need more than a player
)

// rankSQL computes the rank of a source s of a title t at ?2.
func rankSQL() string {
	var quality strings.Builder
	for _, q := range sources.Qualities() {
		fmt.Fprintf(&quality, " WHEN '%s' THEN %d", q, q.Rank())
	}
	return fmt.Sprintf(`(max(0, %d - iif(t.wanted_at / 86400 > ?2 / 86400, 0, t.wanted_at) / 86400) * %d + (CASE s.quality%s ELSE %d END) + (s.priority > %d) * %d << 32) | (s.id & 0xffffffff)`,
		rankDays, rankQualities, quality.String(), sources.QualityUnknown.Rank(), sources.PriorityDefault, rankLast)
}

// queueSQL finds the queue of a source s of a title t with a stream m at ?2. ?1
// lets go what is held back. A rest longer than there is was begun under another
// clock.
func queueSQL() string {
	return fmt.Sprintf(`CASE
		WHEN t.wanted_at = 0 OR s.state = %d OR s.trailer OR s.unplayable <> '' OR NOT s.own AND s.hoster IN ('', '%s') THEN %d
		WHEN s.rest_until > ?2 AND s.rest_until <= ?2 + %d THEN %d
		WHEN s.queue = %d AND NOT ?1 THEN %[6]d
		WHEN m.source_id IS NULL OR m.overdue THEN %d
		WHEN m.probed_at = 0 THEN %d
		ELSE %[3]d END`,
		stateNumber(sources.StateDead), link.HosterLocal, queueNone, unsupportedSeconds, queueRest, queueHeld, queueResolve, queueProbe)
}

// enqueue puts the sources s of titles t that which selects into the queues
// where they belong, and tells how many of them changed. Release lets go those
// that are held back. In which, arguments are numbered from ?3, and ?2 is the
// time.
func (t tx) enqueue(ctx context.Context, release bool, which string, args ...any) (int64, error) {
	result, err := t.ExecContext(ctx, `UPDATE sources SET rank = q.rank, queue = q.queue FROM (
			SELECT s.id, `+rankSQL()+` AS rank, `+queueSQL()+` AS queue
			FROM sources s CROSS JOIN title t ON t.id = s.title_id LEFT JOIN stream m ON m.source_id = s.source_id
			WHERE `+which+`) AS q
		WHERE sources.id = q.id AND (sources.queue <> q.queue OR q.queue > 0 AND sources.rank <> q.rank)`, append([]any{release, t.now}, args...)...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// rankTitles ranks the sources of titles that joined, left or moved on the
// watchlist, in small transactions. What a process that died has left undone is
// done by the next call.
func (db *DB) rankTitles(ctx context.Context) error {
	for {
		var id, wantedAt int64
		err := db.reads.QueryRowContext(ctx, `SELECT id, wanted_at FROM title WHERE ranked_at <> wanted_at LIMIT 1`).Scan(&id, &wantedAt)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return nil
		case isDamage(err):
			err = db.write(ctx, "mend a title", func(t tx) error { return t.mendWanted(ctx, id) })
		case err == nil:
			err = db.rankTitle(ctx, id, wantedAt)
		}
		if err != nil {
			return db.fail(ctx, "rank sources", err)
		}
	}
}

// mendWanted has a damaged title say what the watchlist says of it.
func (t tx) mendWanted(ctx context.Context, id int64) error {
	_, err := t.ExecContext(ctx, `UPDATE title SET wanted_at = `+wantedSQL("title.key")+`, ranked_at = -1 WHERE id = ?`, id)
	return err
}

func (db *DB) rankTitle(ctx context.Context, titleID, wantedAt int64) error {
	for after, last := int64(0), false; !last; {
		err := db.write(ctx, "rank sources", func(t tx) error {
			var upTo sql.NullInt64
			err := t.QueryRowContext(ctx, `SELECT max(id) FROM (SELECT id FROM sources WHERE title_id = ? AND id > ? ORDER BY id LIMIT ?)`, titleID, after, batch).Scan(&upTo)
			if err != nil {
				return err
			}
			if last = !upTo.Valid; last {
				_, err := t.ExecContext(ctx, `UPDATE title SET ranked_at = ? WHERE id = ?`, wantedAt, titleID)
				return err
			}
			if _, err := t.enqueue(ctx, false, `s.title_id = ?3 AND s.id > ?4 AND s.id <= ?5`, titleID, after, upTo.Int64); err != nil {
				return err
			}
			// The dispatch starts at the hosters, of which the user's own sources have none.
			_, err = t.ExecContext(ctx, `INSERT OR IGNORE INTO hoster (name) SELECT hoster FROM sources
				WHERE title_id = ? AND id > ? AND id <= ? AND queue > 0 AND NOT own`, titleID, after, upTo.Int64)
			after = upTo.Int64
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// BeginCycle implements sources.Queue.
func (db *DB) BeginCycle(ctx context.Context) (int64, error) {
	var cycle int64
	err := db.write(ctx, "begin a cycle", func(t tx) (err error) {
		if cycle, err = db.stateTime(ctx, t, keyCycle); err != nil {
			return err
		}
		cycle++
		return errors.Join(t.setState(ctx, keyCycle, cycle), t.setState(ctx, keyCycleAt, t.now))
	})
	for _, which := range releaseSQL() {
		for n := int64(batch); err == nil && n == batch; {
			err = db.write(ctx, "begin a cycle", func(t tx) (err error) {
				n, err = t.enqueue(ctx, true, which, batch)
				return err
			})
		}
	}
	if err == nil {
		err = db.renewFuture(ctx)
	}
	if err != nil {
		return 0, err
	}
	return cycle, db.rankTitles(ctx)
}

// renewFuture puts sources whose stream was resolved in the future, under another
// clock, into the queue of those to be resolved: nobody takes such a stream for fresh.
func (db *DB) renewFuture(ctx context.Context) error {
	for n := batch; n == batch; {
		err := db.write(ctx, "renew streams", func(t tx) (err error) {
			n, err = t.renewSome(ctx, `SELECT source_id FROM stream WHERE overdue = 0 AND resolved_at > ? LIMIT ?`, t.now, batch)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// releaseSQL finds what a new cycle lets go, ?3 of each kind.
func releaseSQL() []string {
	const resting = `s.id IN (SELECT id FROM sources WHERE queue = 4 AND rest_until `
	return []string{
		`s.id IN (SELECT id FROM sources WHERE queue = 3 LIMIT ?3)`,
		resting + `<= ?2 LIMIT ?3)`,
		resting + fmt.Sprintf(`> ?2 + %d LIMIT ?3)`, unsupportedSeconds),
	}
}

const unsupportedSeconds = int64(UnsupportedRest / time.Second)

// holdBack keeps the sources with a link out of the queues until the next
// cycle.
func (t tx) holdBack(ctx context.Context, link string) error {
	_, err := t.ExecContext(ctx, `UPDATE sources SET queue = ? WHERE url = ? AND queue > 0`, queueHeld, link)
	return err
}

// HoldBack implements sources.Queue.
func (db *DB) HoldBack(ctx context.Context, sourceID string) error {
	return db.write(ctx, "hold back source "+sourceID, func(t tx) error {
		_, err := t.ExecContext(ctx, `UPDATE sources SET queue = ? WHERE source_id = ? AND queue IN (?, ?)`, queueHeld, sourceID, queueResolve, queueProbe)
		return err
	})
}

// restLink lets the sources with a link rest.
func (t tx) restLink(ctx context.Context, link string) error {
	_, err := t.ExecContext(ctx, `UPDATE sources SET queue = ?, rest_until = ? WHERE url = ? AND queue > 0`, queueRest, t.now+unsupportedSeconds, link)
	return err
}

// renew puts sources whose stream ends within before into the queue of those to
// be resolved, except those that were resolved since the cycle began: streams
// may live shorter than a cycle is long.
func (db *DB) renew(ctx context.Context, before time.Duration) error {
	begun, err := db.stateTime(ctx, db.reads, keyCycleAt)
	if err != nil {
		return db.fail(ctx, "read the cycle", err)
	}
	due := db.now().Add(before)
	args := []any{toUnix(due), min(toUnix(due.Add(-db.streamTTL)), begun-1), begun, batch}
	var some bool
	if err := db.reads.QueryRowContext(ctx, `SELECT EXISTS (`+overdueSQL+`)`, args...).Scan(&some); err != nil || !some {
		return db.fail(ctx, "look for streams that end", err)
	}
	for n := batch; n == batch; {
		err := db.write(ctx, "renew streams", func(t tx) (err error) {
			n, err = t.renewSome(ctx, overdueSQL, args...)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// renewSome renews the batch that which selects and tells how many streams it had.
func (t tx) renewSome(ctx context.Context, which string, args ...any) (int, error) {
	var ids []string
	err := queryRows(ctx, t, func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	}, which, args...)
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		if _, err := t.ExecContext(ctx, `UPDATE stream SET overdue = 1 WHERE source_id = ?`, id); err != nil {
			return 0, err
		}
		if _, err := t.enqueue(ctx, false, `s.source_id = ?3`, id); err != nil {
			return 0, err
		}
	}
	return len(ids), nil
}

// overdueSQL finds streams that end by ?1 by their own word, or else were
// resolved by ?2, of those resolved before ?3.
const overdueSQL = `SELECT source_id FROM (
	SELECT source_id FROM stream WHERE overdue = 0 AND expires_at > 0 AND expires_at <= ?1 AND resolved_at < ?3
	UNION ALL SELECT source_id FROM stream WHERE overdue = 0 AND expires_at = 0 AND resolved_at <= ?2) LIMIT ?4`
