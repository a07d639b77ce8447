package cmd

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"xship/cmd/engine/loader"
	"xship/cmd/term"
	"xship/sources"
)

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
			p.update(sources.ScanProgress{Sources: found, Done: 5, Total: 5})
			p.update(sources.ScanProgress{}) // another reading of the title
			p.update(sources.ScanProgress{Sources: found[:1], Total: 5})
			p.update(sources.ScanProgress{Sources: found, Done: 3, Total: 5, Waiting: c.waiting})
			if got := p.line(); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
			if w := term.CellWidth(p.line()); w >= c.width {
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

// TestAnnouncer wants quick switches in one line where there is a live line, and in
// a line each where there is none.
func TestAnnouncer(t *testing.T) {
	for name, c := range map[string]struct {
		terminal, quiet bool
		want            string
	}{
		"terminal":    {terminal: true, want: "trying the next interface: b (http://b.example)" + "\r\x1b[K" + "trying the next interface: c (http://c.example)"},
		"no terminal": {want: "trying the next interface: b (http://b.example)\ntrying the next interface: c (http://c.example)\n"},
		"quiet":       {terminal: true, quiet: true},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			a := newApp(System{
				Stderr: term.Stream{Writer: &out, Terminal: c.terminal}, Now: time.Now,
				LookupEnv: func(string) (string, bool) { return "", false },
			})
			a.flags.logFormat, a.flags.quiet = "text", c.quiet
			for _, name := range []string{"b", "c"} {
				a.switching.announce(loader.Switch{To: sources.Interface{URL: "http://" + name + ".example", Name: name}})
			}
			if got := out.String(); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			if c.terminal && !c.quiet && a.switching.doing() != "trying the next interface: c (http://c.example)" {
				t.Errorf("the live line goes on with %q", a.switching.doing())
			}
			a.switching.done()
			if got := a.switching.doing(); got != "loading the interface" {
				t.Errorf("at the end: %q", got)
			}
		})
	}
}
