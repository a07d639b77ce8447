package sources_test

import (
	"log/slog"
	"testing"
	"time"

	"xship/sources"
)

func TestDefaults(t *testing.T) {
	for v, want := range map[int]int{-1: 3, 0: 3, 1: 1, 4: 4} {
		if got := sources.OrDefault(v, 3); got != want {
			t.Errorf("OrDefault(%d, 3) = %d, want %d", v, got, want)
		}
	}
	if got := sources.OrDefault("", "a"); got != "a" {
		t.Errorf("OrDefault of no text: %q", got)
	}
	if logger := slog.Default(); sources.OrSilent(logger) != logger {
		t.Error("a logger is replaced")
	}
	if sources.OrSilent(nil).Enabled(t.Context(), slog.LevelError) {
		t.Error("the silent logger is not silent")
	}
	at := time.Unix(1, 0)
	if got := sources.OrNow(func() time.Time { return at })(); !got.Equal(at) {
		t.Errorf("a clock is replaced: %s", got)
	}
	if got := sources.OrNow(nil)(); time.Since(got) > time.Hour {
		t.Errorf("the real clock says %s", got)
	}
}
