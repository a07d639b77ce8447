package term_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"xship/cmd/term"
)

const eraseLine = "\r\x1b[K"

func TestStatus(t *testing.T) {
	var b bytes.Buffer
	s := term.NewStatus(&b)
	fmt.Fprintln(s, "before")
	s.Show("1/2")
	fmt.Fprintln(s, "between")
	s.Show("1/2")
	s.Show("2/2")
	s.Clear()
	s.Clear()
	fmt.Fprintln(s, "after")
	want := "before\n1/2" + eraseLine + "between\n1/2" + eraseLine + "2/2" + eraseLine + "after\n"
	if b.String() != want {
		t.Errorf("got  %q\nwant %q", b.String(), want)
	}
}

func TestStatus_hold(t *testing.T) {
	var out bytes.Buffer
	s := term.NewStatus(&out)
	s.Show("live")
	s.Hold()
	s.Show("not seen")
	fmt.Fprintln(s, "first")
	fmt.Fprintln(s, "second")
	if got, want := out.String(), "live"+eraseLine; got != want {
		t.Errorf("while a question is on screen: %q, want %q", got, want)
	}
	s.Release()
	s.Show("again")
	if got, want := out.String(), "live"+eraseLine+"first\nsecond\nagain"; got != want {
		t.Errorf("after it: %q, want %q", got, want)
	}
}

// TestStatus_Live counts how often the line is drawn anew.
func TestStatus_Live(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out countingWriter
		n := 0
		stop := term.NewStatus(term.Stream{Writer: &out}).Live(t.Context(), func() string { n++; return fmt.Sprint(n) })
		time.Sleep(2*time.Second + time.Millisecond)
		stop()
		if out.writes != 21 { // 20, and the one that erases the line
			t.Errorf("the line was drawn %d times in 2 s", out.writes)
		}
		if !strings.HasSuffix(out.String(), eraseLine) {
			t.Errorf("it is not erased: %q", out.String())
		}
	})
}

type countingWriter struct {
	bytes.Buffer
	writes int
}

func (w *countingWriter) Write(p []byte) (int, error) {
	w.writes++
	return w.Buffer.Write(p)
}

func TestLine(t *testing.T) {
	for _, c := range []struct {
		width int
		parts []string
		want  string
	}{
		{20, []string{"one", "two"}, "one · two"},
		{10, []string{"one", "two"}, "one · two"},
		{9, []string{"one", "two"}, "one · t…"},
		{8, []string{"远航影视"}, "远航影…"},
		{1, []string{"one"}, ""},
		{0, nil, ""},
	} {
		if got := term.Line(c.width, c.parts...); got != c.want {
			t.Errorf("%q in %d columns: %q, want %q", c.parts, c.width, got, c.want)
		}
	}
}

func TestFullest(t *testing.T) {
	versions := [][]string{{"one", "two", "three"}, {"one", "two"}, {"three"}}
	for width, want := range map[int]string{80: "one · two · three", 18: "one · two · three", 17: "one · two", 10: "one · two", 9: "three", 6: "three", 5: "thr…", 0: ""} {
		if got := term.Fullest(width, versions); got != want {
			t.Errorf("%d columns: %q, want %q", width, got, want)
		}
	}
}
