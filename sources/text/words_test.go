package text_test

import (
	"testing"
	"time"

	"xship/sources/text"
)

func TestShortDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0 s", 1500 * time.Millisecond: "2 s", 90 * time.Second: "1 min", 3 * time.Hour: "3 h", 72 * time.Hour: "3 d",
	} {
		if got := text.ShortDuration(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}
