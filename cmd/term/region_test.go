package term_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"xship/cmd/term"
	"xship/cmd/term/termtest"
)

// regionRig is a region on a terminal where a prompt and a command stand above it.
type regionRig struct {
	screen *termtest.Screen
	status *term.Status
	region *term.Region
	lines  atomic.Pointer[[]string]
	gone   atomic.Int32
}

const prompt = "$ xship scan\n"

// onScreen is a stream to a screen.
func onScreen(w io.Writer, screen *termtest.Screen) term.Stream {
	return term.Stream{
		Writer: w, Terminal: true,
		Width:  func() int { columns, _ := screen.Size(); return columns },
		Height: func() int { _, rows := screen.Size(); return rows },
	}
}

func startRegion(t *testing.T, screen *termtest.Screen, lines ...string) *regionRig {
	t.Helper()
	r := &regionRig{screen: screen}
	r.lines.Store(&lines)
	out := onScreen(screen, screen)
	r.status = term.NewStatus(out)
	fmt.Fprint(out, prompt)
	r.region = r.status.StartRegion(t.Context(), out, true, func(columns, _ int) []string {
		var fitting []string
		for _, line := range *r.lines.Load() {
			fitting = append(fitting, term.Snip(line, columns))
		}
		return fitting
	}, func() { r.gone.Add(1) })
	return r
}

// show changes the lines and waits until they are drawn.
func (r *regionRig) show(lines ...string) {
	r.lines.Store(&lines)
	r.region.Changed()
	time.Sleep(60 * time.Millisecond) // in the time of a bubble
	synctest.Wait()
}

func (r *regionRig) want(t *testing.T, want ...string) {
	t.Helper()
	if got := r.screen.String(); got != strings.Join(want, "\n")+"\n" {
		t.Errorf("on the screen\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// TestRegion draws what changed in place, more and fewer lines, and notes above it.
func TestRegion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startRegion(t, termtest.NewScreen(30, 10, true), "HEAD", "one", "two", "foot")
		r.want(t, "$ xship scan", "HEAD", "one", "two", "foot")
		r.show("HEAD", "one works", "two", "foot 1")
		r.want(t, "$ xship scan", "HEAD", "one works", "two", "foot 1")
		r.show("HEAD", "one", "two", "three", "四", "foot")
		r.want(t, "$ xship scan", "HEAD", "one", "two", "three", "四", "foot")
		r.show("HEAD", "foot")
		r.want(t, "$ xship scan", "HEAD", "foot")
		fmt.Fprintln(r.status, "a warning that is longer than one line")
		r.want(t, "$ xship scan", "a warning that is longer than", "one line", "HEAD", "foot")
		r.status.Show("a live line, for which there is no room")
		r.show("HEAD", "one", "foot")
		r.want(t, "$ xship scan", "a warning that is longer than", "one line", "HEAD", "one", "foot")
		if err := r.region.End([]byte("HEAD\nall\n")); err != nil {
			t.Error(err)
		}
		fmt.Fprintln(r.status, "after")
		r.want(t, "$ xship scan", "a warning that is longer than", "one line", "HEAD", "all", "after")
	})
}

// TestRegion_question leaves the terminal to a question.
func TestRegion_question(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startRegion(t, termtest.NewScreen(30, 10, true), "HEAD", "one")
		r.status.Hold()
		r.show("HEAD", "two")
		fmt.Fprintln(r.status, "kept")
		r.want(t, "$ xship scan")
		r.status.Release()
		r.show("HEAD", "three")
		r.want(t, "$ xship scan", "kept", "HEAD", "three")
		if err := r.region.End(nil); err != nil {
			t.Error(err)
		}
		r.want(t, "$ xship scan", "kept")
	})
}

// TestRegion_resized resizes the terminal in the middle. One that breaks lines anew has
// what stood above left as it was.
func TestRegion_resized(t *testing.T) {
	lines := []string{"HEAD of a list that is long", "one of the rows of the list", "two", "foot of the list, as long"}
	for _, reflow := range []bool{true, false} {
		for _, size := range [][2]int{{12, 20}, {5, 20}, {27, 20}, {28, 20}, {60, 40}, {30, 6}, {12, 6}, {7, 3}, {1, 40}} {
			t.Run(fmt.Sprintf("reflow %t to %v", reflow, size), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := startRegion(t, termtest.NewScreen(30, 20, reflow), lines...)
					r.screen.Resize(size[0], size[1])
					r.show(append(lines, "end")...)
					shown := r.screen.String()
					if !strings.Contains(shown, "\n"+term.Snip("end", size[0])+"\n") || strings.Count(shown, "HEA") > 1 {
						t.Errorf("on the screen:\n%s", shown)
					}
					r.screen.Resize(40, 20)
					r.show(lines...)
					if err := r.region.End([]byte(strings.Join(lines, "\n") + "\n")); err != nil {
						t.Error(err)
					}
					all := r.screen.All()
					if !strings.HasSuffix(all, strings.Join(lines, "\n")+"\n") {
						t.Errorf("at the end:\n%s", all)
					}
					if fits := size[0] >= 5 && size[1] >= 20; reflow && fits && all != prompt+strings.Join(lines, "\n")+"\n" {
						t.Errorf("something else was left, or is gone:\n%s", all)
					}
				})
			})
		}
	}
}

// TestRegion_tooHigh draws the last lines where there are more than rows.
func TestRegion_tooHigh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startRegion(t, termtest.NewScreen(30, 4, true), "1", "2", "3", "4", "5")
		r.show("1", "2", "3", "4", "6")
		r.want(t, "$ xship scan", "3", "4", "6")
		if err := r.region.End([]byte("1\n2\n3\n4\n5\n")); err != nil {
			t.Error(err)
		}
		if got, want := r.screen.All(), prompt+"1\n2\n3\n4\n5\n"; got != want {
			t.Errorf("at the end\n%s\nwant\n%s", got, want)
		}
	})
}

// TestRegion_rate draws 20 times a second at most, and nothing while nothing changes.
func TestRegion_rate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startRegion(t, termtest.NewScreen(30, 10, true), "0")
		before := r.screen.Writes()
		for i := range 1000 {
			r.lines.Store(&[]string{fmt.Sprint(i)})
			r.region.Changed()
			time.Sleep(time.Millisecond)
		}
		synctest.Wait()
		if n := r.screen.Writes() - before; n > 20 || n < 15 {
			t.Errorf("%d times in a second", n)
		}
		r.show("999")
		before = r.screen.Writes()
		r.show("999")
		time.Sleep(time.Minute)
		if n := r.screen.Writes() - before; n > 0 {
			t.Errorf("written %d times though nothing changed", n)
		}
		if err := r.region.End(nil); err != nil {
			t.Error(err)
		}
	})
}

// failingWriter is a terminal that is gone after some writes.
type failingWriter struct {
	io.Writer
	left atomic.Int32
}

var errGone = errors.New("input/output error")

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.left.Add(-1) < 0 {
		return 0, errGone
	}
	return w.Writer.Write(p)
}

// TestRegion_gone says once that the terminal is gone, and writes no more.
func TestRegion_gone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		screen := termtest.NewScreen(30, 10, true)
		w := &failingWriter{Writer: screen}
		w.left.Store(2)
		gone, n := 0, 0
		region := term.NewStatus(io.Discard).StartRegion(t.Context(), onScreen(w, screen), false,
			func(int, int) []string { n++; return []string{fmt.Sprint(n)} }, func() { gone++ })
		for range 10 {
			region.Changed()
			time.Sleep(100 * time.Millisecond)
		}
		if err := region.End([]byte("all\n")); !errors.Is(err, errGone) || gone != 1 {
			t.Errorf("%v, told %d times", err, gone)
		}
		if got := w.left.Load(); got != -1 {
			t.Errorf("written %d times more", -got-1)
		}
	})
}

func BenchmarkRegion(b *testing.B) {
	screen := termtest.NewScreen(120, 60, true)
	n := 0
	status := term.NewStatus(io.Discard)
	lines := func(_, rows int) []string {
		all := make([]string, rows-1)
		for i := range all {
			all[i] = fmt.Sprintf("%3d   1080p  hoster%d.example  a film of some name  1920x1080 1:32:10", i, i)
		}
		n++
		all[n%len(all)] += " works"
		return all
	}
	for b.Loop() {
		region := status.StartRegion(b.Context(), onScreen(io.Discard, screen), true, lines, func() {})
		if err := region.End(nil); err != nil {
			b.Fatal(err)
		}
	}
}
