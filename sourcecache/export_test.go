package sourcecache

import "time"

// SetPatience sets how long the database may take for an answer: machines that
// test are busy.
func (c *Cooldowns) SetPatience(d time.Duration) { c.patience, c.writePatience = d, d }
