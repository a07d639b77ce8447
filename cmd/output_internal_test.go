package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"xship/sources"
)

func TestFitColumns(t *testing.T) {
	l := list{
		columns: []column{{name: "#"}, {name: "name", shrink: 1, min: 10}, {name: "site", shrink: 2, min: 6}, {name: "quality"}},
		rows:    [][]string{{"1", strings.Repeat("n", 40), strings.Repeat("s", 20), "1080p"}},
	}
	for _, c := range []struct {
		width int
		want  []int
	}{
		{200, []int{1, 40, 20, 7}},
		{74, []int{1, 40, 20, 7}},
		{70, []int{1, 36, 20, 7}},
		{44, []int{1, 10, 20, 7}},
		{40, []int{1, 10, 16, 7}},
		{30, []int{1, 10, 6, 7}},
		{26, []int{1, 6, 6, 7}},
		{22, []int{1, 4, 4, 7}},
		{5, []int{1, 4, 4, 7}},
	} {
		if got := fitColumns(l, c.width); !slices.Equal(got, c.want) {
			t.Errorf("width %d: %v, want %v", c.width, got, c.want)
		}
	}
}

func TestWriteTable_wideCharacters(t *testing.T) {
	l := list{
		columns: []column{{name: "name", shrink: 1, min: 4}, {name: "n", right: true}},
		rows:    [][]string{{"钟表匠的风筝", "7"}, {"Kite", "12"}},
		paint:   func(_, _ int, cell string) string { return paint(colourGood, cell) },
	}
	var b bytes.Buffer
	if err := writeTable(&b, l, 12); err != nil {
		t.Fatal(err)
	}
	got := strings.NewReplacer("\x1b[32m", "", "\x1b[0m", "").Replace(b.String())
	want := "NAME      N\n钟表匠…   7\nKite     12\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestWriteTSV(t *testing.T) {
	var b bytes.Buffer
	l := list{columns: []column{{name: "last error"}, {name: "n"}}, rows: [][]string{{"a\tb\nc\rd", "1"}}}
	if err := writeTSV(&b, l); err != nil {
		t.Fatal(err)
	}
	if want := "last_error\tn\na b c d\t1\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

func TestProgress_line(t *testing.T) {
	start := time.Unix(1000, 0)
	found := []sources.Source{{Quality: sources.Quality720p}, {Quality: sources.Quality4K}, {}, {Quality: sources.Quality4K}}
	for _, c := range []struct {
		name    string
		width   int
		waiting []string
		want    string
	}{
		{"all", 120, []string{"A", "B"}, "4K 2 · 720p 1 · ? 1 · total 4 · 3/5 sites · 1.5 s · waiting for A, B"},
		{"many sites", 120, []string{"A", "B", "C", "D", "E"}, "4K 2 · 720p 1 · ? 1 · total 4 · 3/5 sites · 1.5 s · waiting for A, B, C +2"},
		{"none out", 120, nil, "4K 2 · 720p 1 · ? 1 · total 4 · 3/5 sites · 1.5 s"},
		{"narrow", 30, []string{"A"}, "4K 2 · 720p 1 · ? 1 · total …"},
		{"wide characters", 73, []string{"远航影视远航影视"}, "4K 2 · 720p 1 · ? 1 · total 4 · 3/5 sites · 1.5 s · waiting for 远航影…"},
		{"hostile", 120, []string{"A\x1b[2J\nB"}, "4K 2 · 720p 1 · ? 1 · total 4 · 3/5 sites · 1.5 s · waiting for A B"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &progress{
				width: func() int { return c.width }, now: func() time.Time { return start.Add(1500 * time.Millisecond) },
				started: start, counts: make(map[sources.Quality]int),
			}
			p.update(sources.ScanProgress{Sources: found[:1], Total: 5})
			p.update(sources.ScanProgress{Sources: found, Done: 3, Total: 5, Waiting: c.waiting})
			if got := p.line(); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
			if w := cellWidth(p.line()); w >= c.width {
				t.Errorf("%d columns in a terminal of %d", w, c.width)
			}
		})
	}
}

// TestProgress_rate counts how often the line is drawn anew.
func TestProgress_rate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out countingWriter
		a := newApp(System{Stderr: Stream{Writer: &out, Terminal: true}, Now: time.Now})
		a.flags.logFormat = "text"
		update, stop := a.startProgress(t.Context())
		for i := range 1000 {
			update(sources.ScanProgress{Sources: make([]sources.Source, i), Total: 5})
			time.Sleep(2 * time.Millisecond)
		}
		stop()
		if out.writes < 15 || out.writes > 21 {
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

func TestStatusWriter(t *testing.T) {
	var b bytes.Buffer
	s := &statusWriter{w: &b}
	fmt.Fprintln(s, "before")
	s.show("1/2")
	fmt.Fprintln(s, "between")
	s.show("1/2")
	s.show("2/2")
	s.clear()
	s.clear()
	fmt.Fprintln(s, "after")
	want := "before\n1/2" + eraseLine + "between\n1/2" + eraseLine + "2/2" + eraseLine + "after\n"
	if b.String() != want {
		t.Errorf("got  %q\nwant %q", b.String(), want)
	}
}

func TestTextHandler(t *testing.T) {
	var b bytes.Buffer
	log := slog.New(newTextHandler(&b, slog.LevelInfo))
	log.Debug("not logged")
	log.With("site", "a b").WithGroup("g").Info("[sourcesFilter] 3 Quellen entfernt\x1b[2J\n", "n", 3, slog.Group("in", "k", "v\x07\nw"), "err", errors.New(""))
	line := b.String()
	if want := ` INFO [sourcesFilter] 3 Quellen entfernt site="a b" g.n=3 g.in.k="v w" g.err=""` + "\n"; !strings.HasSuffix(line, want) || len(line) != len(want)+len("15:04:05") {
		t.Errorf("got %q, want a time and %q", line, want)
	}
}

func TestShortDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0 s", 1500 * time.Millisecond: "2 s", 90 * time.Second: "1 min", 3 * time.Hour: "3 h", 72 * time.Hour: "3 d",
	} {
		if got := shortDuration(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}
