package sourcecache

import (
	"context"
	"time"
)

// DeleteExpired removes all that is from before the given time, and tells how many
// sources went.
func (db *DB) DeleteExpired(ctx context.Context, before time.Time) (int64, error) {
	removed, _, err := db.expire(ctx, before, -1)
	return removed, err
}

// SetPatience sets how long the database may take for an answer: machines that
// test are busy.
func (c *Cooldowns) SetPatience(d time.Duration) { c.patience, c.writePatience = d, d }
