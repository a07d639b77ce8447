package term

import (
	"bytes"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// A job in the background has no live line: what is typed at the shell stays together.
func TestStatus_Live_background(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		s := NewStatus(&out)
		away := false
		s.away = func() bool { return away }
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
		away = true
		step("live")
		fmt.Fprintln(s, "log")
		step("livelog\n")
		away = false
		step("livelog\nlive")
		stop()
		step("livelog\nlive" + eraseLine)
	})
}
