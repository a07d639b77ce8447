package sourcecache

import (
	"context"
	"time"
)

// Bounds of the answers that are kept.
const (
	mostAnswers = 20_000
	answerBytes = 256 << 20 // of all together
	answerCheck = 50        // after so many the bounds are looked to
)

// Answer implements sources.Answers.
func (db *DB) Answer(ctx context.Context, key string) (body []byte, at time.Time, err error) {
	var unix int64
	found, err := db.oneRow(ctx, db.reads, "answer", shownValue(key), []any{&body, &unix}, `SELECT body, at FROM answer WHERE key = ?`, key)
	if !found || unix > db.now().Unix() {
		return nil, time.Time{}, db.fail(ctx, "read a stored answer", err)
	}
	return append([]byte{}, body...), fromUnix(unix), nil
}

// PutAnswer implements sources.Answers.
func (db *DB) PutAnswer(ctx context.Context, key string, body []byte) error {
	return db.write(ctx, "store an answer", func(t tx) error {
		_, err := t.ExecContext(ctx, `INSERT INTO answer (key, body, size, at) VALUES (?1, ?2, length(?2), ?3)
			ON CONFLICT (key) DO UPDATE SET body = excluded.body, size = excluded.size, at = excluded.at`, key, append([]byte{}, body...), t.now)
		if err != nil || t.db.answers.Add(1)%answerCheck != 1 {
			return err
		}
		return t.trimAnswers(ctx)
	})
}

// trimAnswers keeps to the bounds of all answers together: the oldest go. There is room
// for those that come until it is called again, also by another process.
func (t tx) trimAnswers(ctx context.Context) error {
	var over bool
	err := t.QueryRowContext(ctx, `SELECT count(*) > ? OR total(size) > ? FROM answer`, mostAnswers-2*answerCheck, answerBytes).Scan(&over)
	if err != nil || !over {
		return err
	}
	// Some more go, as this takes longer than to look.
	_, err = t.ExecContext(ctx, `DELETE FROM answer WHERE rowid IN (SELECT id FROM (
			SELECT rowid AS id, row_number() OVER newest AS n, sum(size) OVER newest AS bytes FROM answer WINDOW newest AS (ORDER BY at DESC, rowid DESC))
		WHERE n > ? OR bytes > ?)`, mostAnswers-10*answerCheck, answerBytes/10*9)
	return err
}

// FirstTime implements sources.Answers. Most of the time it is not, which a read tells.
func (db *DB) FirstTime(ctx context.Context, what string) (first bool, err error) {
	const doing = "look what the user was told"
	var told bool
	if err := db.reads.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM told WHERE what = ?)`, what).Scan(&told); err != nil || told {
		return false, db.fail(ctx, doing, err)
	}
	err = db.write(ctx, doing, func(t tx) error {
		result, err := t.ExecContext(ctx, `INSERT OR IGNORE INTO told (what, at) VALUES (?, ?)`, what, t.now)
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		first = n > 0
		return err
	})
	return first && err == nil, err
}
