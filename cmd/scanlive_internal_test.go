package cmd

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"xship/cmd/api"
	"xship/cmd/engine"
	"xship/cmd/term"
	"xship/sources"
)

// liveList is a list of n sources of which some were probed: the first works and has
// another quality than its site says, the second failed, the third is being tried.
func liveList(n int) *engine.LiveList {
	all := make([]sources.Source, n)
	for i := range all {
		all[i] = sources.Source{
			ID: fmt.Sprintf("%012x", i), Site: "m", Hoster: fmt.Sprintf("video-archive%d.example", i), Name: "钟表匠的风筝 The Clockmaker's Kite · 1080P",
			URL: fmt.Sprintf("https://video-archive%d.example/a/long/way/down/to/the/film/%d.mp4?token=none", i, i), Quality: sources.Quality4K,
			Language: "en", Info: []string{"WEB-DL", "HEVC", "5.1"}, State: sources.StateFound,
		}
		if i == 4 { // a page, which a provider serves
			all[i].URL = "https://video-archive4.example/f/0123"
		}
	}
	options := sources.ListOptions{Served: map[string]string{"video-archive4.example": "real_debrid"}}
	l := &engine.List{
		Scan: engine.Scan{ScanResult: sources.ScanResult{
			Sources: all, Sites: []sources.SiteReport{{SiteInfo: sources.SiteInfo{Key: "m", Name: "Meridian 远航影视"}, Status: sources.SiteOK, Sources: n}},
		}},
		Listing: sources.Filter(nil, all, nil, options), Options: options,
	}
	live := l.Live()
	live.Expect(all)
	live.Outcome(sources.ProbeOutcome{ID: all[0].ID, Step: sources.ProbeWorks, Media: sources.MediaInfo{
		Container: "mp4", DurationSeconds: 5530, SizeBytes: 1_400_000_000,
		Video: &sources.VideoTrack{Codec: "hevc", Width: 1280, Height: 720}, Audio: []sources.AudioTrack{{Codec: "aac", Channels: 6, Language: "de"}, {Codec: "aac", Channels: 2, Language: "en"}},
	}})
	if n > 2 {
		live.Outcome(sources.ProbeOutcome{ID: all[1].ID, Step: sources.ProbeFailed, Err: sources.Errorf(sources.ClassDeadLink, "404")})
		live.Outcome(sources.ProbeOutcome{ID: all[2].ID, Step: sources.ProbeBegan})
	}
	return live
}

// TestScanTable_sizes wants every list to fit every terminal, however it is shown, and
// hoster and name to be read from 40 columns on.
func TestScanTable_sizes(t *testing.T) {
	live := liveList(120)
	rows := slices.Concat(live.Rows()[:5], live.Rows()[98:101])
	for name, shown := range map[string]shownList{
		"plain":   {},
		"live":    {live: &liveMarks{"…", "✓", "✗"}},
		"ids":     {ids: true, live: &liveMarks{"…", "✓", "✗"}},
		"urls":    {urls: api.ShownURLs{Secrets: true}},
		"explain": {explain: true, live: &liveMarks{"…", "✓", "✗"}},
	} {
		list := scanList(live.List(), rows, shown)
		for width := 1; width <= 500; width++ {
			table := list.Table(width, true)
			lines := slices.Concat(table.Head, table.Rows[0], slices.Concat(table.Rows...))
			for _, line := range lines {
				if got := term.CellWidth(line); got > width {
					t.Fatalf("%s: %d columns in %d: %q", name, got, width, line)
				}
			}
			if width < 40 {
				continue
			}
			for _, column := range []string{"HOSTER", "NAME"} {
				if !strings.Contains(table.Head[0], column) {
					t.Errorf("%s: no %s in %d columns: %q", name, column, width, table.Head)
				}
			}
			if first := strings.Join(table.Rows[0], "\n"); !strings.Contains(first, "video-archi") || !strings.Contains(first, "钟表匠的") {
				t.Errorf("%s: in %d columns: %q", name, width, first)
			}
		}
	}
}

// TestScanTable_columns leaves out site, info, language and provider in this order, and
// gives a source two lines below 40 columns.
func TestScanTable_columns(t *testing.T) {
	live := liveList(9)
	list := scanList(live.List(), live.Rows(), shownList{live: &liveMarks{"…", "✓", "✗"}})
	before := []string{"QUALITY", "LANG", "HOSTER", "VIA", "SITE", "NAME", "INFO"}
	if head := strings.Fields(list.Table(200, false).Head[0]); !slices.Equal(head[1:], before) {
		t.Errorf("columns %q", head)
	}
	order := []string{"SITE", "INFO", "LANG", "VIA"}
	for width := 200; width >= 40; width-- {
		head := list.Table(width, false).Head
		for len(order) > 0 && !strings.Contains(head[0], order[0]) {
			before = slices.DeleteFunc(before, func(name string) bool { return name == order[0] })
			order = order[1:]
		}
		for _, name := range before[1:] {
			if !strings.Contains(head[0], name) {
				t.Fatalf("in %d columns %q is gone before %q", width, name, order)
			}
		}
	}
	if len(order) > 0 {
		t.Errorf("%q stay in 40 columns", order)
	}
	for width := 20; width < 40; width++ {
		table := list.Table(width, false)
		if len(table.Head) != 2 || len(table.Rows[0]) != 2 || !strings.Contains(table.Head[0], "HOS") || strings.TrimSpace(table.Head[1]) != "NAME" {
			t.Errorf("in %d columns: %q %q", width, table.Head, table.Rows[0])
		}
	}
}

// TestScanTable_facts has what streams hold in the table, and in columns of their own in
// tsv.
func TestScanTable_facts(t *testing.T) {
	live := liveList(4)
	list := scanList(live.List(), live.Rows(), shownList{live: &liveMarks{"…", "✓", "✗"}})
	var b strings.Builder
	if err := list.WriteTable(&b, 200, false); err != nil {
		t.Fatal(err)
	}
	for n, want := range []string{
		`^1 ✓ 720p! .* not 4K 1280x720 1:32:10 1\.4 GB de,en 5\.1 HEVC WEB-DL$`, `^2 ✗ 4K .* gone$`, `^3 … 4K .* WEB-DL HEVC 5\.1$`, `^4   4K .* WEB-DL HEVC 5\.1$`,
	} {
		if line := strings.Split(b.String(), "\n")[n+1]; !regexp.MustCompile(want).MatchString(line) {
			t.Errorf("row %d is %q, want %s", n+1, line, want)
		}
	}
	b.Reset()
	if err := list.WriteTSV(&b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	if want := "\tprovider\tclaimed_quality\twidth\theight\tduration_seconds\tsize_bytes\tvideo_codec\taudio"; !strings.HasSuffix(lines[0], want) {
		t.Errorf("tsv: %q", lines[0])
	}
	if want := "\t\t4K\t1280\t720\t5530\t1400000000\thevc\tde,en 5.1"; !strings.HasSuffix(lines[1], want) || !strings.Contains(lines[1], "\t720p\t") {
		t.Errorf("tsv: %q", lines[1])
	}
}

// TestSourceInfo_notListed tells also what the stream of a source holds that works and is
// not listed any more.
func TestSourceInfo_notListed(t *testing.T) {
	row := liveList(4).Rows()[0]
	row.Why = "beyond the limit"
	if got, want := sourceInfo(row, api.NewSource(0, row.Listed, api.ShownURLs{})), "beyond the limit not 4K 1280x720 1:32:10 1.4 GB"; !strings.HasPrefix(got, want) {
		t.Errorf("it works: %q, want %q", got, want)
	}
	row.Step = sources.ProbeFailed
	if got := sourceInfo(row, api.NewSource(0, row.Listed, api.ShownURLs{})); got != row.Why {
		t.Errorf("it fails: %q", got)
	}
}

// TestLiveScan_fold breaks notes at their spaces on a terminal, but for what is to be
// typed: a shell would run the first line of it.
func TestLiveScan_fold(t *testing.T) {
	const note, command = "not listed: 3 sources beyond the limit", `Show is a series, too; for an episode of it: xship scan "Show" -s 1 -e 1`
	for _, terminal := range []bool{true, false} {
		s := &liveScan{app: &app{System: System{Stderr: term.Stream{Terminal: terminal, Width: func() int { return 30 }}}}}
		if got := s.fold(note); strings.Contains(got, "\n") != terminal {
			t.Errorf("on a terminal: %t: %q", terminal, got)
		}
		if got := s.fold(command); got != command {
			t.Errorf("on a terminal: %t: %q, want it as it is", terminal, got)
		}
	}
}

// TestScanTable_painted has what works and what does not stand out also without colour,
// and what says why it does not work readable.
func TestScanTable_painted(t *testing.T) {
	live := liveList(4)
	shown := shownList{live: &liveMarks{"…", "✓", "✗"}}
	rows := live.Rows()
	for _, c := range []struct {
		row          int
		column, want string
	}{
		{0, markColumn, term.Paint(term.ColourGood, "x")},
		{0, qualityColumn, term.Paint(term.ColourWarn, "x")},
		{0, "name", "x"},
		{1, markColumn, term.Paint(term.ColourBad, "x")},
		{1, "name", term.Paint(term.ColourDim, "x")},
		{1, infoColumn, "x"},
		{2, markColumn, "x"},
		{2, qualityColumn, term.Paint(term.ColourStrong, "x")},
	} {
		if got := paintSource(rows[c.row], shown, c.column, "x"); got != c.want {
			t.Errorf("row %d, %s: %q, want %q", c.row+1, c.column, got, c.want)
		}
	}
}

// TestFitRows shows as many rows as there is room for, and the number of the others.
func TestFitRows(t *testing.T) {
	table := term.Table{Head: []string{"HEAD"}, Rows: [][]string{{"1", "  one"}, {"2", "  two"}, {"3", "  three"}}}
	foot := []string{"foot"}
	for room, want := range map[int]string{
		20: "HEAD|1|  one|2|  two|3|  three|foot",
		7:  "HEAD|1|  one|2|  two|3|  three|foot",
		6:  "HEAD|1|  one|2|  two|… and 1 more row, shown at the end|foot",
		5:  "HEAD|1|  one|… and 2 more rows, shown at the end|foot",
		4:  "HEAD|1|  one|… and 2 more rows, shown at the end|foot",
		3:  "1|  one|… and 2 more rows, shown at the end|foot",
		2:  "… and 3 more rows, shown at the end|foot",
		0:  "… and 3 more rows, shown at the end|foot",
		-1: "… and 3 more rows, shown at the end|foot",
	} {
		if got := strings.Join(fitRows(table, 3, 80, room, foot), "|"); got != want {
			t.Errorf("room for %d: %q, want %q", room, got, want)
		}
	}
	if got, want := strings.Join(fitRows(table, 50, 80, 9, foot), "|"), "HEAD|1|  one|2|  two|3|  three|… and 47 more rows, shown at the end|foot"; got != want {
		t.Errorf("of 50: %q, want %q", got, want)
	}
	if got := fitRows(term.Table{}, 0, 80, 10, foot); !slices.Equal(got, foot) {
		t.Errorf("of nothing: %q", got)
	}
}

// TestMarks are ASCII where the locale is.
func TestMarks(t *testing.T) {
	for locale, want := range map[string]string{"de_DE.UTF-8": "✓", "C.utf8": "✓", "C": "+", "": "✓", "de_DE.ISO-8859-1": "+"} {
		a := &app{System: System{LookupEnv: func(name string) (string, bool) { return locale, name == "LANG" }}}
		if got := a.marks().works; got != want {
			t.Errorf("%q: %q, want %q", locale, got, want)
		}
	}
}

// TestPlayingTime shows durations as players do.
func TestPlayingTime(t *testing.T) {
	for seconds, want := range map[float64]string{0.6: "0:01", 42: "0:42", 75.4: "1:15", 3599.6: "1:00:00", 5530: "1:32:10", 1e300: "2777:46:40"} {
		if got := playingTime(seconds); got != want {
			t.Errorf("%v: %q, want %q", seconds, got, want)
		}
	}
}

// BenchmarkRedraw makes the lines of a screen of a list of 10,000 sources.
func BenchmarkRedraw(b *testing.B) {
	sys := System{Stdout: term.Stream{Terminal: true}, Stderr: term.Stream{Terminal: true}, LookupEnv: func(string) (string, bool) { return "", false }}
	a := newApp(sys)
	s := &liveScan{app: a, rows: liveList(10_000), shown: shownList{live: a.marks()}}
	for b.Loop() {
		if len(s.lines(120, 50)) < 40 {
			b.Fatal("no list")
		}
	}
}
