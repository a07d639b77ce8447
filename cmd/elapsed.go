package cmd

import (
	"fmt"
	"math"
	"time"
)

// elapsed is how long something took, for people: "39 ms", "1.5 s", "1m 23s", "2h 5m",
// "3d 4h".
func elapsed(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < 0:
		return "-" + elapsed(-max(d, -math.MaxInt64))
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d.Round(100*time.Millisecond) < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d.Round(time.Second) < time.Hour:
		d = d.Round(time.Second)
		return fmt.Sprintf("%dm %ds", d/time.Minute, d%time.Minute/time.Second)
	case d.Round(time.Minute) < day:
		d = d.Round(time.Minute)
		return fmt.Sprintf("%dh %dm", d/time.Hour, d%time.Hour/time.Minute)
	default:
		d = d.Round(time.Hour)
		return fmt.Sprintf("%dd %dh", d/day, d%day/time.Hour)
	}
}

// running is how long something takes already, for a live line: "83.4 s".
func running(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
