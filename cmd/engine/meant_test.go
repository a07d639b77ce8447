package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xship/cmd/engine"
	"xship/config"
	"xship/sources"
	"xship/sources/all"
	"xship/sources/fetch"
	"xship/sources/match"
	"xship/sources/sourcetest"
	"xship/sources/sourcetest/world"
)

func movieOf(name string, year int) sources.Title {
	return sources.Title{Kind: sources.KindMovie, Name: name, Year: year}
}

func episodeOf(name string, season, episode int) sources.Title {
	return sources.Title{Kind: sources.KindEpisode, Name: name, Season: season, Episode: episode}
}

// episodes are those of a season.
func episodes(season int, numbers ...int) (all []sources.EpisodeNumber) {
	for _, n := range numbers {
		all = append(all, sources.EpisodeNumber{Season: season, Episode: n})
	}
	return all
}

func seenFilm(name string, year int) sources.Sighting {
	return sources.Sighting{Name: name, Year: year, Kind: sources.KindMovie}
}

func seenSeries(name string, year int, has ...[]sources.EpisodeNumber) sources.Sighting {
	s := sources.Sighting{Name: name, Year: year, Kind: sources.KindEpisode}
	for _, some := range has {
		s.Episodes = append(s.Episodes, some...)
	}
	return s
}

// scanThat is a scan in which each site came across what is given for it.
func scanThat(t sources.Title, sites ...[]sources.Sighting) *engine.Scan {
	s := &engine.Scan{ScanResult: sources.ScanResult{Title: t}}
	for i, seen := range sites {
		key := string(rune('a' + i))
		s.Sites = append(s.Sites, sources.SiteReport{SiteInfo: sources.SiteInfo{Key: key, Name: "Site " + key}, Status: sources.SiteEmpty, Seen: seen})
	}
	return s
}

// shownSeries is one line for each series and each season of it.
func shownSeries(all []engine.SeenSeries) string {
	var lines []string
	for _, s := range all {
		lines = append(lines, fmt.Sprintf("%s (%d) at %s", s.Name, s.Year, strings.Join(s.Keys, ",")))
		for _, season := range s.Seasons {
			lines = append(lines, fmt.Sprintf("  %d: %v", season.Season, season.Episodes))
		}
	}
	return strings.Join(lines, "\n")
}

func shownNear(all []engine.NearTitle) string {
	var lines []string
	for _, n := range all {
		lines = append(lines, fmt.Sprintf("%s (%d) %s at %s", n.Name, n.Year, n.Kind, strings.Join(n.Keys, ",")))
	}
	return strings.Join(lines, "\n")
}

func TestScan_Series(t *testing.T) {
	type site = []sources.Sighting
	lanterns := seenSeries("Paper Lanterns", 2014, episodes(2, 2, 1), episodes(1, 1, 2))
	for name, c := range map[string]struct {
		title sources.Title
		sites []site
		want  string
	}{
		"nothing was seen":         {title: movieOf("Paper Lanterns", 0)},
		"one site":                 {movieOf("paper lanterns", 0), []site{{lanterns}}, "Paper Lanterns (2014) at a\n  1: [1 2]\n  2: [1 2]"},
		"specials last":            {movieOf("Show", 0), []site{{seenSeries("Show", 0, episodes(0, 1), episodes(1, 1))}}, "Show (0) at a\n  1: [1]\n  0: [1]"},
		"no episodes told":         {movieOf("Show", 0), []site{{seenSeries("Show", 0)}}, "Show (0) at a"},
		"a film of the name":       {movieOf("Paper Lanterns", 0), []site{{seenFilm("Paper Lanterns", 2014)}}, ""},
		"another series":           {movieOf("Paper Lanterns", 0), []site{{seenSeries("Paper Boats", 0, episodes(1, 1))}}, ""},
		"a sequel":                 {movieOf("庆余年", 0), []site{{seenSeries("庆余年2", 0, episodes(1, 1))}}, ""},
		"sites are joined":         {movieOf("Show", 0), []site{{seenSeries("Show", 2014, episodes(1, 1))}, {seenSeries("SHOW", 2014, episodes(1, 1, 2), episodes(2, 1))}}, "Show (2014) at b,a\n  1: [1 2]\n  2: [1]"},
		"without a year":           {movieOf("Show", 0), []site{{seenSeries("Show", 0, episodes(1, 3))}, {seenSeries("Show", 2014, episodes(1, 1, 2))}}, "Show (2014) at b,a\n  1: [1 2 3]"},
		"a year off by one":        {movieOf("Show", 0), []site{{seenSeries("Show", 2014, episodes(1, 1))}, {seenSeries("Show", 2015, episodes(1, 2))}}, "Show (2014) at a,b\n  1: [1 2]"},
		"two of a name":            {movieOf("Show", 0), []site{{seenSeries("Show", 1998, episodes(1, 1))}, {seenSeries("Show", 2020, episodes(1, 1))}}, "Show (1998) at a\n  1: [1]\nShow (2020) at b\n  1: [1]"},
		"the year that was asked":  {movieOf("Show", 2020), []site{{seenSeries("Show", 1998, episodes(1, 1)), seenSeries("Show", 2020, episodes(1, 2))}}, "Show (2020) at a\n  1: [2]"},
		"another year":             {movieOf("Show", 2020), []site{{seenSeries("Show", 1998, episodes(1, 1))}}, ""},
		"in the other Chinese":     {movieOf("紙燈籠", 0), []site{{seenSeries("纸灯笼", 0, episodes(1, 1))}}, "纸灯笼 (0) at a\n  1: [1]"},
		"by its other name":        {movieOf("Paper Lanterns", 0), []site{{{Name: "纸灯笼", OriginalName: "Paper Lanterns", Kind: sources.KindEpisode, Episodes: episodes(1, 1)}}}, "纸灯笼 (0) at a\n  1: [1]"},
		"two names of one":         {movieOf("Paper Lanterns", 0), []site{{{Name: "纸灯笼", OriginalName: "Paper Lanterns", Year: 2014, Kind: sources.KindEpisode, Episodes: episodes(1, 1)}}, {lanterns}}, "纸灯笼 (2014) at b,a\n  1: [1 2]\n  2: [1 2]"},
		"a season as typed":        {movieOf("Show Season 2", 0), []site{{seenSeries("Show", 0, episodes(1, 1), episodes(2, 1))}}, "Show (0) at a\n  1: [1]\n  2: [1]"},
		"an episode that it lacks": {episodeOf("Paper Lanterns", 3, 1), []site{{lanterns}}, "Paper Lanterns (2014) at a\n  1: [1 2]\n  2: [1 2]"},
		"control characters":       {movieOf("Show", 0), []site{{seenSeries("\x1b[31mShow\a", 0, episodes(1, 1))}}, "Show (0) at a\n  1: [1]"},
	} {
		t.Run(name, func(t *testing.T) {
			scan := scanThat(c.title, c.sites...)
			if diff := cmp.Diff(c.want, shownSeries(scan.Series())); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for _, s := range scan.Series() {
				if s.Title.Kind != sources.KindEpisode {
					t.Errorf("it is asked for as %+v", s.Title)
				}
			}
			if near := scan.Near(); c.want != "" && len(near) > 0 {
				t.Errorf("near beside it: %s", shownNear(near))
			}
		})
	}
}

// The title of a series asks for its episodes: by its year too, where it is not the only
// one of the name.
func TestScan_Series_title(t *testing.T) {
	one := seenSeries("Show", 2014, episodes(1, 1))
	other := seenSeries("Show", 1998, episodes(1, 1))
	asked := movieOf("show", 0)
	asked.Aliases = []string{"Serie"}
	for name, c := range map[string]struct {
		seen  []sources.Sighting
		years []int
	}{
		"the only one": {[]sources.Sighting{one}, []int{0}},
		"one of two":   {[]sources.Sighting{one, other}, []int{2014, 1998}},
	} {
		t.Run(name, func(t *testing.T) {
			for i, s := range scanThat(asked, c.seen).Series() {
				want := sources.Title{Kind: sources.KindEpisode, Name: "show", Year: c.years[i], Aliases: []string{"Serie"}}
				if diff := cmp.Diff(want, s.Title); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}
}

// An episode that was found needs no list of the others, and a film that was found stands
// beside the series of its name.
func TestScan_Series_found(t *testing.T) {
	seen := []sources.Sighting{seenSeries("Show", 2014, episodes(1, 1))}
	found := []sources.Source{{ID: "1"}}
	episode := scanThat(episodeOf("Show", 1, 1), seen)
	episode.Sources = found
	if all := episode.Series(); len(all) > 0 {
		t.Errorf("beside an episode that was found: %s", shownSeries(all))
	}
	film := scanThat(movieOf("Show", 0), seen)
	film.Sources = found
	if all := film.Series(); len(all) != 1 {
		t.Errorf("beside a film that was found: %s", shownSeries(all))
	}
	trailer := scanThat(episodeOf("Show", 2, 1), seen)
	trailer.Sources = []sources.Source{{ID: "1", Trailer: true}}
	if all := trailer.Series(); len(all) != 1 {
		t.Errorf("where only a trailer was found: %s", shownSeries(all))
	}
}

func TestScan_Near(t *testing.T) {
	type site = []sources.Sighting
	for name, c := range map[string]struct {
		title sources.Title
		sites []site
		want  string
	}{
		"nothing was seen":     {title: movieOf("Paper Lantrens", 0)},
		"a film":               {movieOf("Paper Lantrens", 0), []site{{seenFilm("Paper Lanterns", 2014)}}, "Paper Lanterns (2014) movie at a"},
		"a series":             {movieOf("Paper Lantrens", 0), []site{{seenSeries("Paper Lanterns", 2014, episodes(1, 1))}}, "Paper Lanterns (2014) episode at a"},
		"of another year":      {movieOf("Paper Lanterns", 1999), []site{{seenFilm("Paper Lanterns", 2014)}}, "Paper Lanterns (2014) movie at a"},
		"a film for a series":  {episodeOf("Paper Lanterns", 1, 1), []site{{seenFilm("Paper Lanterns", 2014)}}, "Paper Lanterns (2014) movie at a"},
		"the very one":         {movieOf("Paper Lanterns", 2014), []site{{seenFilm("Paper Lanterns", 2014), seenFilm("Paper Lanterns 2", 2016)}}, ""},
		"a year off by one":    {movieOf("Paper Lanterns", 2015), []site{{seenFilm("Paper Lanterns", 2014)}}, ""},
		"nothing like it":      {movieOf("Paper Lantrens", 0), []site{{seenFilm("Paper Submarines", 2016), seenFilm("Harbour Nine", 0)}}, ""},
		"traditional":          {movieOf("紙燈龍", 0), []site{{seenFilm("纸灯笼", 2014)}}, "纸灯笼 (2014) movie at a"},
		"part of the name":     {movieOf("Lanterns", 0), []site{{seenFilm("Paper Lanterns", 2014)}}, "Paper Lanterns (2014) movie at a"},
		"each once":            {movieOf("Paper Lantrens", 0), []site{{seenFilm("Paper Lanterns", 2014)}, {seenFilm("paper lanterns", 2014), seenFilm("Paper Lanterns", 0)}}, "Paper Lanterns (2014) movie at a,b"},
		"the nearest first":    {movieOf("Paper Lantrens", 0), []site{{seenFilm("Paper Lanterns Forever", 2016), seenFilm("Paper Lanterns", 2014)}}, "Paper Lanterns (2014) movie at a\nPaper Lanterns Forever (2016) movie at a"},
		"the kind as asked":    {episodeOf("Paper Lantrens", 1, 2), []site{{seenFilm("Paper Lanterns", 2014), seenSeries("Paper Lanterns", 2014)}}, "Paper Lanterns (2014) episode at a\nPaper Lanterns (2014) movie at a"},
		"the year as asked":    {movieOf("Paper Lantrens", 2014), []site{{seenFilm("Paper Lanterns", 1990), seenFilm("Paper Lanterns", 2014)}}, "Paper Lanterns (2014) movie at a\nPaper Lanterns (1990) movie at a"},
		"a series is the name": {movieOf("Show", 0), []site{{seenSeries("Show", 0, episodes(1, 1)), seenFilm("Shows", 0)}}, ""},
		"five at most": {movieOf("Rocky 9", 0), []site{{
			seenFilm("Rocky 2", 0), seenFilm("Rocky 3", 0), seenFilm("Rocky 4", 0), seenFilm("Rocky 5", 0), seenFilm("Rocky 6", 0), seenFilm("Rocky 7", 0),
		}}, "Rocky 2 (0) movie at a\nRocky 3 (0) movie at a\nRocky 4 (0) movie at a\nRocky 5 (0) movie at a\nRocky 6 (0) movie at a"},
	} {
		t.Run(name, func(t *testing.T) {
			scan := scanThat(c.title, c.sites...)
			if diff := cmp.Diff(c.want, shownNear(scan.Near())); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for _, n := range scan.Near() {
				if n.Title.Name != n.Name || n.Title.Year != n.Year || n.Title.Kind == sources.KindEpisode && (n.Title.Season != c.title.Season || n.Title.Episode != c.title.Episode) {
					t.Errorf("%s is asked for as %+v", n.Name, n.Title)
				}
			}
			scan.Sources = []sources.Source{{ID: "1"}}
			if near := scan.Near(); len(near) > 0 {
				t.Errorf("beside what was found: %s", shownNear(near))
			}
		})
	}
}

// What the id service knows of a series counts where it was asked for that, as far as it
// was broadcast.
func TestScan_Series_facts(t *testing.T) {
	scan := scanThat(episodeOf("Show", 9, 9), []sources.Sighting{seenSeries("Show", 2014, episodes(1, 1))})
	scan.Facts = &sources.TitleFacts{
		IMDb: "tt0000001", Kind: sources.KindEpisode, Name: "Show", Year: 2014, Exact: true, Ended: true,
		Episodes: []sources.EpisodeFacts{{Season: 1, Episode: 1}, {Season: 1, Episode: 2}, {Season: 2, Episode: 1}},
	}
	all := scan.Series()
	if want := "Show (2014) at a\n  1: [1 2]\n  2: [1]"; shownSeries(all) != want {
		t.Fatalf("%s\nwant\n%s", shownSeries(all), want)
	}
	if got := fmt.Sprint(all[0].Seasons[0].Sites, all[0].Seasons[1].Sites); got != "[Site a] []" {
		t.Errorf("its seasons are at %s", got)
	}
	scan.Facts.Exact, scan.Facts.Others = false, []sources.TitleFacts{{IMDb: "tt0000002", Name: "Show"}}
	if want := "Show (2014) at a\n  1: [1]"; shownSeries(scan.Series()) != want {
		t.Errorf("where it is a guess: %s", shownSeries(scan.Series()))
	}
}

func TestScan_Titles(t *testing.T) {
	scan := scanThat(movieOf("Paper", 0),
		[]sources.Sighting{seenFilm("Paper Lanterns", 2014), seenFilm("Harbour Nine", 2018), seenSeries("Paper", 2001, episodes(1, 1, 2))},
		[]sources.Sighting{seenFilm("Paper Lanterns", 2014), seenSeries("Paper", 0, episodes(1, 2, 3))})
	show := func(all []engine.SeenTitle) string {
		var lines []string
		for _, s := range all {
			lines = append(lines, fmt.Sprintf("%s (%d) %s, %d at %s", s.Name, s.Year, s.Kind, s.Episodes, strings.Join(s.Keys, ",")))
		}
		return strings.Join(lines, "\n")
	}
	want := "Paper (2001) episode, 3 at a,b\nPaper Lanterns (2014) movie, 0 at a,b"
	if diff := cmp.Diff(want, show(scan.Titles())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	scan.Title.Year = 2014
	if diff := cmp.Diff("Paper Lanterns (2014) movie, 0 at a,b", show(scan.Titles())); diff != "" {
		t.Errorf("of one year (-want +got):\n%s", diff)
	}
}

// scanSite scans a server of TVBox rows for a title.
func scanSite(t *testing.T, title sources.Title, rows ...world.Film) *engine.Scan {
	t.Helper()
	w := sourcetest.StartWorld(t, world.Config{})
	site, err := w.AddSite("site", world.SiteConfig{Films: rows, FullText: true, PageSize: 100})
	if err != nil {
		t.Fatal(err)
	}
	client := fetch.New(fetch.Options{})
	t.Cleanup(client.CloseIdleConnections)
	spec := sources.SiteSpec{SiteInfo: sources.SiteInfo{Key: "site", Name: "Site", Type: "1"}, API: site.URL(), Searchable: true}
	scanner := &sources.Scanner{Likeness: func(t sources.Title) func(sources.Sighting) float64 {
		like := match.LikenessTo(t)
		return func(s sources.Sighting) float64 { return like.Of(s.Name, s.OriginalName) }
	}}
	result, err := scanner.Scan(t.Context(), title, sources.Interface{URL: "test"}, all.Sites([]sources.SiteSpec{spec}, all.Deps{Fetch: client}), sources.ScanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return &engine.Scan{ScanResult: result}
}

// row is a row of a TVBox site whose links have labels.
func row(category, name string, year int, labels ...string) world.Film {
	f := world.Film{Name: name, Year: year, Type: category, Groups: []world.Group{{From: "m3u8"}}}
	for i, label := range labels {
		f.Groups[0].Items = append(f.Groups[0].Items, world.Item{Label: label, URL: fmt.Sprintf("https://h.example/%x/%d.m3u8", name, i)})
	}
	return f
}

// Rows as servers have them.
func TestScan_rows(t *testing.T) {
	for name, c := range map[string]struct {
		title        sources.Title
		rows         []world.Film
		series, near string
	}{
		"a row for each season": {movieOf("某剧", 0), []world.Film{
			row("电视剧", "某剧第一季", 2014, "第01集", "第02集"), row("电视剧", "某剧 第二季", 2016, "第01集", "第02集", "第03集"),
		}, "某剧 (2014) at site\n  1: [1 2]\n  2: [1 2 3]", ""},
		"ranges in labels":   {movieOf("某剧", 0), []world.Film{row("电视剧", "某剧", 2014, "第1-2集", "第3集", "第4-40集")}, "某剧 (2014) at site\n  1: [1 2 3]", ""},
		"extras are out":     {movieOf("某剧", 0), []world.Film{row("电视剧", "某剧", 2014, "第01集", "预告", "第1集彩蛋", "第0.5集", "花絮", "第02集")}, "某剧 (2014) at site\n  1: [1 2]", ""},
		"decorated":          {movieOf("某剧", 0), []world.Film{row("国产剧", "某剧[国语][高清]更新至02集", 2014, "01", "02")}, "某剧 (2014) at site\n  1: [1 2]", ""},
		"without a category": {movieOf("Show", 0), []world.Film{row("", "Show", 2014, "S01E01", "S01E02", "S02E01")}, "Show (2014) at site\n  1: [1 2]\n  2: [1]", ""},
		"seasons in the name": {movieOf("Show", 0), []world.Film{
			row("Series", "Show Season 1", 0, "E01"), row("Series", "Show S02", 0, "E01", "E02"),
		}, "Show (0) at site\n  1: [1]\n  2: [1 2]", ""},
		"one row an episode":     {movieOf("Show", 0), []world.Film{row("Series", "Show S01E01", 0, "HD"), row("Series", "Show S01E02", 0, "HD")}, "Show (0) at site\n  1: [1 2]", ""},
		"a film of the name too": {movieOf("Show", 0), []world.Film{row("Film", "Show", 1999, "HD"), row("Series", "Show", 2014, "E01", "E02")}, "Show (2014) at site\n  1: [1 2]", ""},
		"a film alone":           {movieOf("Show", 0), []world.Film{row("Film", "Show", 1999, "1080P", "720P", "HD中字")}, "", ""},
		"typed wrong": {movieOf("Paper Lantrens", 0), []world.Film{
			row("Film", "Paper Submarines", 2016, "HD"), row("Series", "Paper Lanterns Season 2", 2016, "E01", "E02"), row("Film", "Paper Lanterns 1080p", 2014, "HD"),
		}, "", "Paper Lanterns (2014) movie at site\nPaper Lanterns (0) episode at site"},
		"trailers are none":   {movieOf("Paper Lantrens", 0), []world.Film{row("预告片", "Paper Lanterns", 2016, "HD"), row("Film", "Paper Lanterns 预告片", 2016, "HD")}, "", ""},
		"control characters":  {movieOf("Paper Lantrens", 0), []world.Film{row("Film", "Paper \x1b[31mLanterns\x1b[0m\a\u202e", 2014, "HD")}, "", "Paper Lanterns (2014) movie at site"},
		"the wrong year":      {movieOf("Paper Lanterns", 1999), []world.Film{row("Film", "Paper Lanterns", 2014, "HD")}, "", "Paper Lanterns (2014) movie at site"},
		"an episode it lacks": {episodeOf("某剧", 1, 9), []world.Film{row("电视剧", "某剧", 2014, "第01集", "第02集")}, "某剧 (2014) at site\n  1: [1 2]", ""},
	} {
		t.Run(name, func(t *testing.T) {
			scan := scanSite(t, c.title, c.rows...)
			if diff := cmp.Diff(c.series, shownSeries(scan.Series())); diff != "" {
				t.Errorf("series (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.near, shownNear(scan.Near())); diff != "" {
				t.Errorf("near (-want +got):\n%s", diff)
			}
		})
	}
}

// A site that answers with whatever it has is kept within bounds, and what is near stays.
func TestScan_manyRows(t *testing.T) {
	var rows []world.Film
	for i := range 10_000 {
		rows = append(rows, row("Film", fmt.Sprintf("Paper Thing Number %d", i), 2000, "HD"))
	}
	rows[90] = row("Film", "Paper Lanterns", 2014, "HD")
	scan := scanSite(t, movieOf("Paper Lantrens", 0), rows...)
	if n := len(scan.Sites[0].Seen); n == 0 || n > 30 {
		t.Errorf("%d titles are kept", n)
	}
	if got := shownNear(scan.Near()); got != "Paper Lanterns (2014) movie at site" {
		t.Errorf("near are\n%s", got)
	}
}

// A search lists what sites have by a name: those that go by ids are asked for the series
// as well, and where one of them answers only then, it has answered.
func TestEngine_Search(t *testing.T) {
	r := newRig(t, nil)
	service, err := r.story.AddIDs("ids",
		world.IDTitle{ID: "tt9900001", Name: "Paper Lanterns", ReleaseInfo: "1988"},
		world.IDTitle{ID: "tt9900010", Series: true, Name: "Tin Parade", ReleaseInfo: "2011-", Episodes: []world.IDEpisode{{Season: 1, Episode: 1}, {Season: 1, Episode: 2}}},
	)
	if err != nil {
		t.Fatal(err)
	}
	addon, err := r.story.AddStremio("addon", world.StremioConfig{Meta: true, Films: []world.Film{
		{Name: "Paper Lanterns", Year: 1988, IMDb: "tt9900001", Groups: []world.Group{{From: "addon", Items: []world.Item{{Label: "1080p", URL: "https://h.example/a.mp4"}}}}},
		{Name: "Tin Parade", IMDb: "tt9900010", Groups: []world.Group{{From: "addon", Items: []world.Item{{Label: "1080p", URL: "https://h.example/e.mp4", Season: 1, Episode: 1}}}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := config.Load(config.LoadOptions{Overrides: map[string]any{"resolve.ytdlp": "off", "archive.enabled": false, "ids.url": service.URL()}})
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.Open(engine.Config{Settings: loaded, Store: r.store, DataDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	for _, address := range []string{r.story.Good.URL(), addon.URL()} {
		if _, err := e.AddInterface(t.Context(), address, ""); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		title    sources.Title
		use      string
		want     string
		noAnswer bool
	}{
		"rows":                                  {movieOf("Paper Lantrens", 0), r.story.Good.URL(), "Paper Lanterns (2014) episode, 7", false},
		"films of a name":                       {movieOf("Harbour Nine", 0), r.story.Good.URL(), "Harbour Nine (2018) episode, 11", false},
		"an episode is asked for as its series": {episodeOf("Harbour Nine", 2, 1), r.story.Good.URL(), "Harbour Nine (2018) episode, 11", false},
		"a film of an add-on":                   {movieOf("Paper Lanterns", 0), addon.URL(), "Paper Lanterns (1988) movie, 0", false},
		"a series of an add-on":                 {movieOf("Tin Parade", 0), addon.URL(), "Tin Parade (2011) episode, 2", false},
		"what nobody knows":                     {movieOf("Zanzibar Express", 0), r.story.Good.URL(), "", false},
		"what no id is known of":                {movieOf("Zanzibar Express", 0), addon.URL(), "", true},
	} {
		t.Run(name, func(t *testing.T) {
			scan, err := e.Search(t.Context(), engine.ScanRequest{Title: c.title, Interface: c.use})
			if noAnswer := new(sources.NoAnswerError); errors.As(err, &noAnswer) != c.noAnswer || err != nil && !c.noAnswer {
				t.Fatal(err)
			}
			var lines []string
			for _, s := range scan.Titles() {
				lines = append(lines, fmt.Sprintf("%s (%d) %s, %d", s.Name, s.Year, s.Kind, s.Episodes))
			}
			if diff := cmp.Diff(c.want, strings.Join(lines, "\n")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Where sites answer only with what has the very words, the user's own titles may be what
// was meant; not the one that was asked for itself.
func TestEngine_Scan_watchlist(t *testing.T) {
	r := newRig(t, nil)
	r.add(r.story.Good)
	for _, title := range []sources.Title{movieOf("Zanzibar Express", 1988), episodeOf("Sea of Tin", 1, 4), episodeOf("Sea of Tin", 1, 5), movieOf("Elsewhere", 0)} {
		if _, _, err := r.store.AddWatch(t.Context(), title, sources.WatchUser); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		title sources.Title
		want  string
	}{
		"a film":               {movieOf("Zanzibar Expres", 0), "Zanzibar Express (1988) movie at "},
		"a series":             {movieOf("Sea of Tim", 0), "Sea of Tin (0) episode at "},
		"the title itself":     {movieOf("Zanzibar Express", 0), ""},
		"of another year":      {movieOf("Zanzibar Express", 1999), "Zanzibar Express (1988) movie at "},
		"what is like nothing": {movieOf("The Film Nobody Made", 0), ""},
		"what the sites tell":  {movieOf("Paper Lantrens", 0), "Paper Lanterns (2014) episode at nordlicht"},
	} {
		t.Run(name, func(t *testing.T) {
			scan := r.scan(engine.ScanRequest{Title: c.title})
			if got := shownNear(scan.Near()); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
