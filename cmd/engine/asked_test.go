package engine_test

import (
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"xship/cmd/engine"
	"xship/sources"
	"xship/sources/sourcetest/world"
)

func movie(name string, year int) sources.Title {
	return sources.Title{Kind: sources.KindMovie, Name: name, Year: year}
}

// TestEngine_Scan_otherwise asks for another reading where the first finds nothing, and
// tells of the one that found something.
func TestEngine_Scan_otherwise(t *testing.T) {
	r := newRig(t, nil)
	r.add(r.story.Good)
	season := func(n int) *int { return &n }
	for _, c := range []struct {
		name      string
		first     engine.Reading
		otherwise engine.Reading
		again     bool
		want      string // that is asked for in the scan that is told
		found     bool
	}{
		{"found as typed", engine.Reading{Title: movie("Paper Submarines", 0)}, engine.Reading{Title: movie("Paper", 2016)}, false, "Paper Submarines", true},
		{"a series, as typed", engine.Reading{Title: movie("Harbour Nine", 0)}, engine.Reading{Title: movie("Paper Submarines", 2016)}, false, "Harbour Nine", false},
		{"found otherwise", engine.Reading{Title: movie("Paper Submarines 2016", 0)}, engine.Reading{Title: movie("Paper Submarines", 2016)}, true, "Paper Submarines (2016)", true},
		{"a series, otherwise", engine.Reading{Title: movie("Harbour Nine 2018", 0)}, engine.Reading{Title: movie("Harbour Nine", 2018)}, true, "Harbour Nine (2018)", false},
		{"found by none", engine.Reading{Title: movie("Xyzzy 2016", 0)}, engine.Reading{Title: movie("Xyzzy", 2016)}, true, "Xyzzy 2016", false},
		{"a season", engine.Reading{Title: movie("Harbour Nine", 0), OfSeason: season(2)}, engine.Reading{Title: movie("Harbour Nine Season 2", 0)}, false, "Harbour Nine, season 2", false},
		{"of the name", engine.Reading{Title: movie("Paper", 0), OfSeason: season(2)}, engine.Reading{Title: movie("Paper Submarines 2", 0)}, true, "Paper Submarines 2", true},
		{"a season that nobody has", engine.Reading{Title: movie("Harbour Nine", 0), OfSeason: season(7)}, engine.Reading{Title: movie("Harbour Nine S07", 0)}, true, "Harbour Nine, season 7", false},
		{"a series that nobody has", engine.Reading{Title: movie("Xyzzy", 0), OfSeason: season(2)}, engine.Reading{Title: movie("Xyzzy Season 2", 0)}, true, "Xyzzy Season 2", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			again := 0
			scan := r.scan(engine.ScanRequest{
				Title: c.first.Title, OfSeason: c.first.OfSeason, Otherwise: &c.otherwise, Again: func() { again++ },
			})
			if got := scan.Asked(); got != c.want || scan.Found() != c.found || (again == 1) != c.again || again > 1 {
				t.Errorf("%d more scans, and %q is told of, found %t; want %q, %t", again, got, scan.Found(), c.want, c.found)
			}
		})
	}
}

// TestEngine_Scan_otherwiseInTime asks for no other reading where scan.timeout leaves no
// time for it: the list comes by then at the latest.
func TestEngine_Scan_otherwiseInTime(t *testing.T) {
	r := newRig(t, map[string]any{"scan.timeout": "900ms"})
	r.add(r.story.Good)
	scan, err := r.Scan(r.Context(), engine.ScanRequest{
		Title: movie("Paper Submarines 2016", 0), Otherwise: &engine.Reading{Title: movie("Paper Submarines", 2016)},
		Again: func() { t.Error("the other reading is asked for") },
	})
	if _, late := errors.AsType[*sources.NoAnswerError](err); err != nil && !late {
		t.Fatal(err)
	}
	if hint := scan.YearHint(); err == nil && hint != `where 2016 is the year, give it as "Paper Submarines (2016)"` {
		t.Errorf("hint %q", hint)
	}
}

// TestEngine_Scan_otherwiseFails has the sites fail when they are asked for the other
// reading: that they answered for the first one stands.
func TestEngine_Scan_otherwiseFails(t *testing.T) {
	r := newRig(t, nil)
	r.add(r.story.Good)
	scan := r.scan(engine.ScanRequest{
		Title: movie("Paper Submarines 2016", 0), Otherwise: &engine.Reading{Title: movie("Paper Submarines", 2016)},
		Again: func() {
			for _, site := range r.story.Sites {
				site.SetMode(world.Mode503)
			}
		},
	})
	if got := scan.Asked(); got != "Paper Submarines 2016" || scan.Found() || scan.AskedAlso == nil || scan.YearHint() != "" {
		t.Errorf("%q is told of, found %t, hint %q", got, scan.Found(), scan.YearHint())
	}
}

// TestEngine_Scan_after loads the interface once for all readings, and for a scan that goes
// on from another one: nobody is told, or asked, of its failover twice.
func TestEngine_Scan_after(t *testing.T) {
	r := newRig(t, map[string]any{"interfaces.max_age": "0s"})
	r.add(r.story.Broken, r.story.Good)
	r.story.Broken.ResetCounters()
	r.story.Good.ResetCounters()
	scan := r.scan(engine.ScanRequest{
		Title: movie("Paper Submarines 2016", 0), Otherwise: &engine.Reading{Title: movie("Paper Submarines", 2016)}, Interface: r.story.Broken.URL(),
	})
	next := r.scan(engine.ScanRequest{Title: movie("Paper Submarines", 1974), After: &scan, Refresh: true})
	if broken, good := r.story.Broken.Requests(), r.story.Good.Requests(); broken != 1 || good != 1 {
		t.Errorf("the broken interface was asked %d times, the good one %d, want 1 each", broken, good)
	}
	for _, s := range []engine.Scan{scan, next} {
		if !s.Found() || s.Interface.URL != r.story.Good.URL() || len(s.FailedOverFrom) != 1 {
			t.Errorf("%s: found %t at %s, from %q", s.Asked(), s.Found(), s.Interface.URL, s.FailedOverFrom)
		}
	}
}

// TestEngine_Scan_season asks for a season: a film of the name is no answer.
func TestEngine_Scan_season(t *testing.T) {
	r := newRig(t, nil)
	r.add(r.story.Good)
	for _, c := range []struct {
		name   string
		season int
		series []int // the seasons that are told of it
		first  string
	}{
		{"Harbour Nine", 2, []int{2}, "Harbour Nine S02E01"},
		{"Harbour Nine", 0, []int{0}, "Harbour Nine S00E01"},
		{"Harbour Nine", 7, []int{1, 2, 0}, "Harbour Nine S01E01"},
		{"Paper Submarines", 1, nil, ""},
	} {
		scan := r.scan(engine.ScanRequest{Title: movie(c.name, 0), OfSeason: &c.season})
		var seasons []int
		first := ""
		for _, s := range scan.Series() {
			for _, seen := range s.Seasons {
				seasons = append(seasons, seen.Season)
			}
			first = s.FirstEpisode().String()
		}
		if scan.Found() || !slices.Equal(seasons, c.series) || first != c.first {
			t.Errorf("%s, season %d: seasons %d, first %s; want %d, %s; a film: %t", c.name, c.season, seasons, first, c.series, c.first, scan.Found())
		}
	}
}

// TestEngine_Play_meant says with the error of a series without an episode what to type.
func TestEngine_Play_meant(t *testing.T) {
	r := newRig(t, nil)
	r.add(r.story.Good)
	season := 2
	for _, c := range []struct {
		req        engine.ScanRequest
		text, hint string
	}{
		{engine.ScanRequest{Title: movie("Harbour Nine", 0)}, "Harbour Nine is a series", `xship play "Harbour Nine" -s 1 -e 1`},
		{engine.ScanRequest{Title: movie("Harbour Nine", 0), OfSeason: &season}, "Harbour Nine is a series", `xship play "Harbour Nine" -s 2 -e 1`},
		{engine.ScanRequest{Title: sources.Title{Kind: sources.KindEpisode, Name: "Harbour Nine", Season: 9, Episode: 1}}, "nothing found for Harbour Nine S09E01", `xship play "Harbour Nine" -s 1 -e 1`},
		{engine.ScanRequest{Title: sources.Title{Kind: sources.KindEpisode, Name: "Harbour Nine", Season: 2, Episode: 99}}, "nothing found for Harbour Nine S02E99", `xship play "Harbour Nine" -s 2 -e 1`},
		{engine.ScanRequest{Title: movie("Harbour", 0)}, "nothing found for Harbour", `did you mean Harbour Nine (2018)? xship play "Harbour Nine" -y 2018`},
		{engine.ScanRequest{Title: movie("Harbour", 0), OfSeason: &season}, "nothing found for Harbour, season 2", `xship play "Harbour Nine" -s 2 -y 2018`},
		{engine.ScanRequest{Title: movie("Paper Lanterns", 2015)}, "Paper Lanterns is a series", `xship play "Paper Lanterns" -s 1 -e 1 -y 2014`},
		{engine.ScanRequest{Title: movie("Xyzzy", 0)}, "nothing found for Xyzzy", "try another spelling"},
	} {
		_, err := r.Play(r.Context(), engine.PlayRequest{ScanRequest: c.req})
		nothing, ok := errors.AsType[*engine.NothingPlayableError](err)
		if !ok || nothing.Meant == nil || !strings.HasPrefix(nothing.Text, c.text) || !strings.Contains(nothing.Hint, c.hint) {
			t.Errorf("%s: %v, %+v; want %q, %q", c.req.Title, err, nothing, c.text, c.hint)
		}
	}
}

// TestTitleLine makes lines that ask for a title, whatever its name: a shell reads the name
// from them as it is, and runs nothing.
func TestTitleLine(t *testing.T) {
	season := 2
	for _, c := range []struct {
		title    sources.Title
		ofSeason *int
		want     string
	}{
		{movie("Ocean's 8", 0), nil, `xship play "Ocean's 8"`},
		{movie("Film", 2014), nil, `xship play "Film" -y 2014`},
		{sources.Title{Kind: sources.KindEpisode, Name: "某剧", Season: 0, Episode: 12}, nil, `xship play "某剧" -s 0 -e 12`},
		{sources.Title{Kind: sources.KindMovie, Name: "Show", Year: 2014, IMDb: "tt0083658"}, &season, `xship play "Show" -s 2 -y 2014 --imdb tt0083658`},
		{movie("-rf", 0), nil, `xship play -- "-rf"`},
		{movie("--help", 2014), nil, `xship play -y 2014 -- "--help"`},
		{movie(`$(id) "x"`, 0), nil, `xship play '$(id) "x"'`},
		{movie("`id`'$x", 0), nil, `xship play '` + "`id`" + `'\''$x'`},
		{movie("Wow!", 0), nil, `xship play 'Wow!'`},
		{movie("a\nb\x1b[2Jc", 0), nil, `xship play "a bc"`},
	} {
		got := engine.TitleLine("play", c.title, c.ofSeason)
		if got != c.want {
			t.Errorf("%q: %s, want %s", c.title.Name, got, c.want)
		}
		sh, err := exec.LookPath("sh")
		if err != nil {
			continue
		}
		out, err := exec.CommandContext(t.Context(), sh, "-c", `xship() { printf '%s\n' "$@"; }; `+got).Output()
		words := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
		if name := strings.Join(strings.Fields(strings.ReplaceAll(c.title.Name, "\x1b[2J", "")), " "); err != nil || !slices.Contains(words, name) {
			t.Errorf("a shell reads %s as %q, %v", got, words, err)
		}
	}
}
