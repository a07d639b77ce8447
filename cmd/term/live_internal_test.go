package term

import (
	"bytes"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A job in the background has no live line: what is typed at the shell stays together.
func TestStatus_Live_background(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		s := NewStatus(&out)
		var away atomic.Bool
		s.away = away.Load
		step := func(want string) {
			t.Helper()
			time.Sleep(liveEvery)
			synctest.Wait()
			if got := out.String(); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
		stop := s.Live(t.Context(), func() string { return "live" })
		time.Sleep(time.Millisecond)
		step("live")
		away.Store(true)
		step("live")
		fmt.Fprintln(s, "log")
		step("livelog\n")
		away.Store(false)
		step("livelog\nlive")
		stop()
		step("livelog\nlive" + eraseLine)
	})
}
