package cmd

import (
	"math"
	"testing"
	"time"
)

func TestElapsed(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                                "0 ms",
		412 * time.Millisecond:           "412 ms",
		time.Second:                      "1.0 s",
		1449 * time.Millisecond:          "1.4 s",
		59949 * time.Millisecond:         "59.9 s",
		59950 * time.Millisecond:         "1m 0s",
		83 * time.Second:                 "1m 23s",
		time.Hour - time.Second:          "59m 59s",
		time.Hour - time.Millisecond:     "1h 0m",
		125 * time.Minute:                "2h 5m",
		24*time.Hour - time.Second:       "1d 0h",
		76 * time.Hour:                   "3d 4h",
		-1500 * time.Millisecond:         "-1.5 s",
		time.Duration(math.MaxInt64):     "106751d 23h",
		time.Duration(math.MinInt64):     "-106751d 23h",
		time.Duration(math.MinInt64) + 1: "-106751d 23h",
	} {
		if got := elapsed(d); got != want {
			t.Errorf("%d: %q, want %q", d, got, want)
		}
	}
}
