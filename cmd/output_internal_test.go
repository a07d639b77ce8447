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
		{"all", 120, []string{"A", "B"}, "4K 2 720p 1 ? 1 · total 4 · 3/5 sites · 1.5 s · waiting for A, B"},
		{"many sites", 120, []string{"A", "B", "C", "D", "E"}, "4K 2 720p 1 ? 1 · total 4 · 3/5 sites · 1.5 s · waiting for A, B, C +2"},
		{"none out", 120, nil, "4K 2 720p 1 ? 1 · total 4 · 3/5 sites · 1.5 s"},
		{"80 columns", 80, []string{"Nordlicht", "Quicksand", "Meridian"}, "4K 2 720p 1 ? 1 · total 4 · 3/5 sites · 1.5 s · waiting for Nordlicht +2"},
		{"60 columns", 60, []string{"Nordlicht", "Quicksand", "Meridian"}, "total 4 · 3/5 sites · 1.5 s · waiting for Nordlicht +2"},
		{"narrow", 30, []string{"A"}, "total 4 · 3/5 sites · 1.5 s …"},
		{"wide characters", 50, []string{"远航影视远航影视"}, "total 4 · 3/5 sites · 1.5 s · waiting for 远航影…"},
		{"hostile", 120, []string{"A\x1b[2J\nB"}, "4K 2 720p 1 ? 1 · total 4 · 3/5 sites · 1.5 s · waiting for A B"},
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

// TestProgress_line_manyQualities wants to see how far a scan is, and a site
// still out, whatever was found.
func TestProgress_line_manyQualities(t *testing.T) {
	var found []sources.Source
	for _, q := range append(sources.Qualities(), sources.QualityUnknown) {
		for range 25 {
			found = append(found, sources.Source{Quality: q})
		}
	}
	for width, want := range map[int][]string{60: {"23/40 sites"}, 80: {"23/40 sites", "waiting for Nordlicht"}} {
		p := &progress{width: func() int { return width }, now: time.Now, started: time.Now(), counts: make(map[sources.Quality]int)}
		p.update(sources.ScanProgress{Sources: found, Done: 23, Total: 40, Waiting: []string{"Nordlicht", "Quicksand"}})
		line := p.line()
		for _, part := range want {
			if !strings.Contains(line, part) {
				t.Errorf("%d columns: no %q in %q", width, part, line)
			}
		}
	}
}

func TestProgress_line_start(t *testing.T) {
	start := time.Unix(1000, 0)
	p := &progress{
		width: func() int { return 80 }, now: func() time.Time { return start.Add(1500 * time.Millisecond) },
		loading: new(announcer).doing, started: start, counts: make(map[sources.Quality]int),
	}
	if got, want := p.line(), "loading the interface · 1.5 s"; got != want {
		t.Errorf("before the interface is loaded: %q, want %q", got, want)
	}
	p.update(sources.ScanProgress{})
	if got, want := p.line(), "asking the sites · 1.5 s"; got != want {
		t.Errorf("before a site answers: %q, want %q", got, want)
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
