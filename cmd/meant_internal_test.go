package cmd

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xship/cmd/engine"
	"xship/cmd/term"
	"xship/sources"
	"xship/sources/sourcetest"
)

// TestWords reads the same words for scan, for the watchlist, which asks nobody which
// reading of them is right, and for search.
func TestWords(t *testing.T) {
	const no = -1
	for _, c := range []struct {
		args      []string
		title     string // what a scan asks for first
		season    int    // all of which is asked for
		otherwise string // what it asks for where that is not found
		watched   string
		searched  string
	}{
		{[]string{"Film"}, "Film", no, "", "Film", "Film"},
		{[]string{"Film (2014)"}, "Film (2014)", no, "", "Film (2014)", "Film (2014)"},
		{[]string{"Film", "-y2014"}, "Film (2014)", no, "", "Film (2014)", "Film (2014)"},
		{[]string{"Film [2014]", "--year", "2014"}, "Film (2014)", no, "", "Film (2014)", "Film (2014)"},
		{[]string{"Film 2014"}, "Film 2014", no, "Film (2014)", "Film 2014", "Film 2014"},
		{[]string{"Film 2014", "-y", "2015"}, "Film 2014 (2015)", no, "", "Film 2014 (2015)", "Film 2014 (2015)"},
		{[]string{"Film 2014 (2015)"}, "Film 2014 (2015)", no, "", "Film 2014 (2015)", "Film 2014 (2015)"},
		{[]string{"1917"}, "1917", no, "", "1917", "1917"},
		{[]string{"2012 2009"}, "2012 2009", no, "2012 (2009)", "2012 2009", "2012 2009"},
		{[]string{"Show S01E02"}, "Show S01E02", no, "", "Show S01E02", "Show"},
		{[]string{"Show 1x02"}, "Show S01E02", no, "", "Show S01E02", "Show"},
		{[]string{"Show 2014 1x02"}, "Show 2014 S01E02", no, "Show S01E02", "Show 2014 S01E02", "Show 2014"},
		{[]string{"某剧第2季第3集"}, "某剧 S02E03", no, "", "某剧 S02E03", "某剧"},
		{[]string{"某剧第3集"}, "某剧 S01E03", no, "", "某剧 S01E03", "某剧"},
		{[]string{"Show S02"}, "Show", 2, "Show S02", "Show S02", "Show S02"},
		{[]string{"Show S02 (2014)"}, "Show (2014)", 2, "Show S02 (2014)", "Show S02 (2014)", "Show S02 (2014)"},
		{[]string{"Show 2014 S02"}, "Show 2014", 2, "Show (2014)", "Show 2014 S02E01", "Show 2014 S02"},
		{[]string{"Open Season 2"}, "Open", 2, "Open Season 2", "Open Season 2", "Open Season 2"},
	} {
		for _, parse := range []struct {
			name string
			want string
			got  func() string
		}{
			{"scan", c.title, func() string {
				o, _ := parsed(t, nil, newScanCmd, c.args...)
				return checkReadings(t, o.request, c.season, c.otherwise)
			}},
			{"play", c.title, func() string {
				o, _ := parsed(t, nil, newPlayCmd, c.args...)
				return checkReadings(t, o.request.ScanRequest, c.season, c.otherwise)
			}},
			{"watch add", c.watched, func() string { title, _ := parsed(t, nil, newWatchAddCmd, c.args...); return title.String() }},
			{"search", c.searched, func() string { o, _ := parsed(t, nil, newSearchCmd, c.args...); return o.request.Title.String() }},
		} {
			if got := parse.got(); got != parse.want {
				t.Errorf("%s %q: %s, want %s", parse.name, c.args, got, parse.want)
			}
		}
	}
}

func checkReadings(t *testing.T, req engine.ScanRequest, season int, otherwise string) string {
	t.Helper()
	got := -1
	if req.OfSeason != nil {
		got = *req.OfSeason
	}
	other := ""
	if req.Otherwise != nil {
		other = req.Otherwise.Title.String()
	}
	if got != season || other != otherwise {
		t.Errorf("%s: season %d, otherwise %q; want %d, %q", req.Title, got, other, season, otherwise)
	}
	return req.Title.String()
}

// TestWatchedNotes says how words are read that may mean something else.
func TestWatchedNotes(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"Film (2014)"}, `"Film (2014)" is read as "Film" of 2014` + "\n"},
		{[]string{"Film", "-y", "2014"}, ""},
		{[]string{"Show", "-s", "1", "-e", "2"}, ""},
		{[]string{"Film"}, `"Film" is taken for a film; where it is a series: xship add "Film" -s 1 -e 1` + "\n"},
		{[]string{"Film 2014"}, `"Film 2014" is taken for the name; where 2014 is the year: xship add "Film" -y 2014` + "\n"},
		{[]string{"Open Season 2"}, `"Open Season 2" is taken for a film; where season 2 of "Open" is meant: xship add "Open" -s 2 -e 1` + "\n"},
		{[]string{"Show", "-s", "2"}, "a season is watched from its first episode on\n"},
	} {
		var out sourcetest.Buffer
		a := newApp(System{Stderr: term.Stream{Writer: &out}})
		cmd := newWatchAddCmd(a, func(context.Context, *app, sources.Title) error { return nil })
		cmd.SetArgs(c.args)
		if err := cmd.ExecuteContext(t.Context()); err != nil || out.String() != c.want {
			t.Errorf("watch add %q: %v, told %q, want %q", c.args, err, out.String(), c.want)
		}
	}
}

func TestRanges(t *testing.T) {
	odd := make([]int, 500)
	for i := range odd {
		odd[i] = 2*i + 1
	}
	for _, c := range []struct {
		numbers []int
		want    string
	}{
		{nil, ""},
		{[]int{0}, "0"},
		{[]int{1, 2}, "1-2"},
		{[]int{1, 2, 3, 5, 7, 8}, "1-3, 5, 7-8"},
		{odd, "1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, …"},
	} {
		if got := ranges(c.numbers); got != c.want {
			t.Errorf("ranges(%d) = %q, want %q", c.numbers, got, c.want)
		}
	}
}

// lanterns is a series with seasons.
func lanterns() engine.SeenSeries {
	return engine.SeenSeries{
		Name: "Paper\x1b[2J Lanterns", Year: 2014, Sites: []string{"one", "two"},
		Seasons: []engine.SeenSeason{
			{Season: 1, Episodes: []int{1, 2, 3, 5}, Sites: []string{"one", "t\nwo", "three", "four", "five"}},
			{Season: 2, Episodes: []int{4}},
			{Season: 0, Episodes: []int{1, 2}, Sites: []string{"two"}},
		},
		Title: sources.Title{Kind: sources.KindEpisode, Name: "Paper Lanterns"},
	}
}

// TestSeriesNotes tells what there is of a series, in lines that fit a screen.
func TestSeriesNotes(t *testing.T) {
	seven := 7
	long := lanterns()
	for n := 3; n < 40; n++ {
		long.Seasons = append(long.Seasons, engine.SeenSeason{Season: n, Episodes: []int{1}})
	}
	episode := sources.Title{Kind: sources.KindEpisode, Name: "Paper Lanterns", Season: 9, Episode: 1}
	seasons := []string{"  season 1: episodes 1-3, 5 (one, t wo, three +2)", "  season 2: episode 4", "  specials: episodes 1-2 (two)"}
	for _, c := range []struct {
		name   string
		series engine.SeenSeries
		scan   engine.Scan
		want   []string
	}{
		{"a series", lanterns(), engine.Scan{ScanResult: sources.ScanResult{Title: sources.Title{Kind: sources.KindMovie}}}, append([]string{"Paper Lanterns (2014) is a series:"}, seasons...)},
		{"no such season", lanterns(), engine.Scan{OfSeason: &seven}, append([]string{"nobody has season 7 of Paper Lanterns (2014), but:"}, seasons...)},
		{"no such episode", lanterns(), engine.Scan{ScanResult: sources.ScanResult{Title: episode}}, append([]string{"Paper Lanterns (2014):"}, seasons...)},
		{
			"nobody tells",
			engine.SeenSeries{Name: "Show", Sites: []string{"one"}},
			engine.Scan{ScanResult: sources.ScanResult{Title: sources.Title{Kind: sources.KindMovie}}},
			[]string{"Show is a series:", "  no site tells its episodes (one)"},
		},
	} {
		if diff := cmp.Diff(c.want, seriesNotes([]engine.SeenSeries{c.series}, &c.scan)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	if got := seriesNotes([]engine.SeenSeries{long}, &engine.Scan{}); len(got) != 14 || got[13] != "  and 28 seasons more; -o json has them all" {
		t.Errorf("many seasons:\n%s", strings.Join(got, "\n"))
	}
	if got := seriesNotes(slices.Repeat([]engine.SeenSeries{lanterns()}, 5), &engine.Scan{}); len(got) != 13 || got[12] != "and 2 more series of this name; xship search lists them" {
		t.Errorf("many series:\n%s", strings.Join(got, "\n"))
	}
	if diff := cmp.Diff([]string{`Paper Lanterns (2014) is a series, too; for an episode of it: xship scan "Paper Lanterns" -s 1 -e 1`}, otherSeriesNotes("scan", []engine.SeenSeries{lanterns()})); diff != "" {
		t.Errorf("beside a film (-want +got):\n%s", diff)
	}
}

// TestChooseEpisode asks by number for the season and the episode of a series. Nothing is
// no choice, and what there is one of is not asked for.
func TestChooseEpisode(t *testing.T) {
	one := lanterns()
	one.Seasons = one.Seasons[1:2]
	other := lanterns()
	other.Year = 1988
	for _, c := range []struct {
		all   []engine.SeenSeries
		typed string
		want  string // "" = none
	}{
		{[]engine.SeenSeries{lanterns()}, "1\n4\n", "Paper Lanterns S01E05"},
		{[]engine.SeenSeries{lanterns()}, "3\n2\n", "Paper Lanterns S00E02"},
		{[]engine.SeenSeries{lanterns()}, "2\n", "Paper Lanterns S02E04"},
		{[]engine.SeenSeries{lanterns()}, "\n", ""},
		{[]engine.SeenSeries{lanterns()}, "1\n", ""},
		{[]engine.SeenSeries{lanterns()}, "4\n", ""},
		{[]engine.SeenSeries{lanterns()}, "", ""},
		{[]engine.SeenSeries{one}, "", "Paper Lanterns S02E04"},
		{[]engine.SeenSeries{lanterns(), other}, "2\n2\n", "Paper Lanterns S02E04"},
		{[]engine.SeenSeries{lanterns(), other}, "", ""},
	} {
		var out sourcetest.Buffer
		a := newApp(System{
			Stdin: byteAtATime{strings.NewReader(c.typed)}, Stderr: term.Stream{Writer: &out},
			LookupEnv: func(name string) (string, bool) { return "1", name == "ACCESSIBLE" },
		})
		got, err := a.chooseEpisode(t.Context(), c.all)
		switch {
		case c.want == "" && !errors.Is(err, term.ErrNoAnswer):
			t.Errorf("%q: %s, %v, want no answer", c.typed, got, err)
		case c.want != "" && (err != nil || got.String() != c.want):
			t.Errorf("%q: %s, %v, want %s\n%s", c.typed, got, err, c.want, &out)
		}
		if strings.Contains(out.String(), "\x1b") {
			t.Errorf("an escape sequence in %q", out.String())
		}
	}
}

// byteAtATime is input that a terminal gives a line at a time: what one question leaves is
// there for the next.
type byteAtATime struct{ r *strings.Reader }

func (b byteAtATime) Read(p []byte) (int, error) { return b.r.Read(p[:min(len(p), 1)]) }

// TestChoices has the questions in the words of the user.
func TestChoices(t *testing.T) {
	near := []engine.NearTitle{{Name: "Paper Lanterns", Year: 2014, Kind: sources.KindEpisode}, {Name: "Paper\x1b[2J Planes", Kind: sources.KindMovie}}
	for locale, want := range map[string][]string{
		"C": {
			"Did you mean one of these?|Nothing found for Paper Lantrens|Paper Lanterns (2014), series|Paper Planes, film|None of them",
			"Which season?|Paper Lanterns (2014)|Season 1: episodes 1-3, 5 (one, t wo, three +2)|Season 2: episode 4|Specials: episodes 1-2 (two)|Cancel",
			"Which episode?|Paper Lanterns (2014), Specials|Episode 1|Episode 2|Cancel",
		},
		"de_DE": {
			"Was ist gemeint?|Nichts gefunden für Paper Lantrens|Paper Lanterns (2014), Serie|Paper Planes, Film|Nichts davon",
			"Welche Staffel?|Paper Lanterns (2014)|Staffel 1: Folgen 1-3, 5 (one, t wo, three +2)|Staffel 2: Folge 4|Specials: Folgen 1-2 (two)|Abbrechen",
			"Welche Folge?|Paper Lanterns (2014), Specials|Folge 1|Folge 2|Abbrechen",
		},
		"zh_CN": {
			"要找的是下面的哪一部？|未找到 Paper Lantrens|Paper Lanterns (2014), 剧集|Paper Planes, 电影|都不是",
			"选择季|Paper Lanterns (2014)|第 1 季:第 1-3, 5 集 (one, t wo, three +2)|第 2 季:第 4 集|特别篇:第 1-2 集 (two)|取消",
			"选择集|Paper Lanterns (2014), 特别篇|第 1 集|第 2 集|取消",
		},
	} {
		a := newApp(System{LookupEnv: func(name string) (string, bool) { return locale, name == "LC_ALL" }})
		m, s := a.messages(), lanterns()
		for i, c := range []term.Choice{nearChoice(m, "Paper Lantrens", near), seasonChoice(m, s), episodeChoice(m, s, s.Seasons[2])} {
			parts := []string{c.Title, c.Why}
			for _, o := range c.Options {
				parts = append(parts, o.Text)
			}
			if got := strings.Join(parts, "|"); got != want[i] {
				t.Errorf("%s: %s\nwant %s", locale, got, want[i])
			}
			if last := c.Options[len(c.Options)-1]; c.Default != last.Value {
				t.Errorf("%s: %q is chosen where nothing is entered", locale, c.Default)
			}
		}
	}
}

// TestAsks asks nobody who is not there, or wants the result alone.
func TestAsks(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(*app)
		want bool
	}{
		{"a terminal", func(*app) {}, true},
		{"no terminal", func(a *app) { a.Interactive = false }, false},
		{"quiet", func(a *app) { a.flags.quiet = true }, false},
		{"JSON", func(a *app) { a.flags.output = outputJSON }, false},
		{"logs for machines", func(a *app) { a.flags.logFormat = "json" }, false},
	} {
		a := newApp(System{Interactive: true})
		a.flags.logFormat = "text"
		c.set(a)
		if got := a.asks(); got != c.want {
			t.Errorf("%s: asks %t", c.name, got)
		}
	}
}
