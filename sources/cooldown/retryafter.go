package cooldown

import (
	"time"

	"xship/sources"
	"xship/sources/fetch"
)

// RetryAfter reads the value of a Retry-After header as the length of a
// cooldown: within sources.MinCooldown and sources.MaxCooldown, and not ok where
// the value is missing or nonsense.
func RetryAfter(value string, now time.Time) (d time.Duration, ok bool) {
	d, ok = fetch.RetryAfter(value, now)
	if !ok {
		return 0, false
	}
	return min(max(d, sources.MinCooldown), sources.MaxCooldown), true
}
