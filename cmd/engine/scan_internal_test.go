package engine

import (
	"testing"
	"time"
)

func TestTimeLeft(t *testing.T) {
	for _, c := range []struct{ limit, elapsed, waited, want time.Duration }{
		{30 * time.Second, 2 * time.Second, 0, 28 * time.Second},
		{30 * time.Second, 62 * time.Second, 60 * time.Second, 28 * time.Second}, // the user thought about it for a minute
		{30 * time.Second, 40 * time.Second, 0, time.Nanosecond},
		{30 * time.Second, -time.Hour, 0, 30 * time.Second}, // a clock that was set back
	} {
		if got := timeLeft(c.limit, c.elapsed, c.waited); got != c.want {
			t.Errorf("%v of %v, %v of it waited: %v left, want %v", c.elapsed, c.limit, c.waited, got, c.want)
		}
	}
}
