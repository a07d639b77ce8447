package match_test

import (
	"testing"

	"xship/sources"
	"xship/sources/match"
	"xship/sources/text"
)

func TestBareName(t *testing.T) {
	const movie, series = sources.KindMovie, sources.KindEpisode
	bare := func(name string, kind sources.Kind, season, year int) match.Bare {
		return match.Bare{Name: name, Kind: kind, Season: season, Year: year}
	}
	for _, c := range []struct {
		kind sources.Kind
		name string
		year int
		want match.Bare
	}{
		{movie, "Paper Lanterns", 0, bare("Paper Lanterns", movie, -1, 0)},
		{movie, "Paper Lanterns (2014)", 0, bare("Paper Lanterns", movie, -1, 2014)},
		{movie, "Paper Lanterns（2014）", 0, bare("Paper Lanterns", movie, -1, 2014)},
		{movie, "Paper Lanterns 2014", 2014, bare("Paper Lanterns", movie, -1, 2014)},
		{movie, "Blade Runner 2049", 0, bare("Blade Runner 2049", movie, -1, 0)},
		{movie, "Blade Runner 2049", 2017, bare("Blade Runner 2049", movie, -1, 0)},
		{movie, "1917", 2019, bare("1917", movie, -1, 0)},
		{movie, "2012", 2009, bare("2012", movie, -1, 0)},
		{movie, "Apollo 13", 1995, bare("Apollo 13", movie, -1, 0)},
		{movie, "The English", 0, bare("The English", movie, -1, 0)},
		{movie, "Paper Lanterns HD", 0, bare("Paper Lanterns", movie, -1, 0)},
		{movie, "Paper Lanterns 1080p WEB-DL", 0, bare("Paper Lanterns", movie, -1, 0)},
		{movie, "Paper.Lanterns.2014.1080p.WEB-DL.x264-GRP", 0, bare("Paper Lanterns", movie, -1, 2014)},
		{movie, "Paper.Lanterns.2014.mkv", 0, bare("Paper Lanterns", movie, -1, 2014)},
		{movie, "S.W.A.T.", 0, bare("S.W.A.T.", movie, -1, 0)},
		{movie, "(500) Days of Summer", 0, bare("(500) Days of Summer", movie, -1, 0)},
		{movie, "[REC]", 0, bare("[REC]", movie, -1, 0)},
		{movie, "影片名 (2008) HD国语", 0, bare("影片名", movie, -1, 2008)},
		{movie, "影片名[国语]", 0, bare("影片名", movie, -1, 0)},
		{movie, "三国演义1994", 0, bare("三国演义", movie, -1, 1994)},
		{movie, "电影《某片》", 0, bare("某片", movie, -1, 0)},
		{movie, "某片 第二部", 0, bare("某片 第二部", movie, -1, 0)},
		{movie, "\x1b[31mPaper\x1b[0m Lanterns\a", 0, bare("Paper Lanterns", movie, -1, 0)},

		{series, "某剧 第二部", 0, bare("某剧", series, 2, 0)},
		{movie, "某剧第二季", 0, bare("某剧", series, 2, 0)},
		{movie, "某剧 第二季 国语", 0, bare("某剧", series, 2, 0)},
		{series, "某剧全三季", 0, bare("某剧", series, -1, 0)},
		{movie, "某剧 第1-3季", 0, bare("某剧", series, -1, 0)},
		{movie, "某剧 更新至12集", 0, bare("某剧", series, -1, 0)},
		{movie, "某剧全40集", 0, bare("某剧", series, -1, 0)},
		{movie, "某剧第12集", 0, bare("某剧", series, -1, 0)},
		{series, "庆余年2", 0, bare("庆余年2", series, -1, 0)},
		{movie, "Paper Lanterns Season 2", 0, bare("Paper Lanterns", series, 2, 0)},
		{movie, "Paper Lanterns S02", 0, bare("Paper Lanterns", series, 2, 0)},
		{movie, "Paper Lanterns - Staffel 1 (2014)", 0, bare("Paper Lanterns", series, 1, 2014)},
		{movie, "Paper Lanterns S01-S03", 0, bare("Paper Lanterns", series, -1, 0)},
		{movie, "Paper Lanterns S01E02", 0, bare("Paper Lanterns", series, -1, 0)},
		{movie, "Season 2", 0, bare("Season 2", movie, -1, 0)},
		{movie, "9-1-1", 0, bare("9-1-1", movie, -1, 0)},
		{movie, "", 0, bare("", movie, -1, 0)},
	} {
		if got := match.BareName(c.kind, c.name, c.year); got != c.want {
			t.Errorf("%q of %d: %+v, want %+v", c.name, c.year, got, c.want)
		}
		asked := sources.Title{Kind: c.want.Kind, Name: c.want.Name, Year: c.want.Year}
		if asked.Kind == sources.KindEpisode {
			asked.Season, asked.Episode = max(c.want.Season, 1), 1
		}
		names := []string{c.name}
		if base, _, ok := match.SplitEpisode(c.name); ok { // as sites do
			names = append(names, base)
		}
		if c.name != "" && match.Title(asked, match.Candidate{Names: names, Year: c.year}) == match.None {
			t.Errorf("who asks for %v does not find %q", asked, c.name)
		}
	}
}

func TestLikeness(t *testing.T) {
	for _, c := range []struct {
		asked, seen string
		near        bool
	}{
		{"Paper Lantrens", "Paper Lanterns", true},
		{"Papr Lanterns", "Paper Lanterns", true},
		{"paperlanterns", "Paper Lanterns", true},
		{"Lanterns", "Paper Lanterns", true},
		{"Lanterns Paper", "Paper Lanterns", true},
		{"The Paper Lanterns", "Paper Lanterns", true},
		{"Paper Lanterns The Movie", "Paper Lanterns", true},
		{"Matirx", "The Matrix", true},
		{"Drak", "Dark", true},
		{"Dune", "Dune: Part Two", true},
		{"Rocky 2", "Rocky 3", true},
		{"Amelie", "Amélie", true},
		{"Big Buck Buny", "Big Buck Bunny", true},
		{"纸灯龙", "纸灯笼", true},
		{"纸灯", "纸灯笼", true},
		{"紙燈籠", "纸灯笼", true},
		{"紙燈龍", "纸灯笼", true},
		{"лодка и мре", "Лодка и море", true},

		{"Paper Lantrens", "Paper Submarines", false},
		{"Paper Lanterns", "Paper", false},
		{"The Film Nobody Made", "The Film", false},
		{"24", "25", false},
		{"Up", "Us", false},
		{"It", "It Follows", false},
		{"Her", "Hex", false},
		{"Love", "Live", true},
		{"Harbour Nine", "Paper Lanterns", false},
		{"灯", "纸灯笼", false},
		{"钟表匠的风筝", "风筝", false},
		{"Paper Lanterns", "", false},
		{"???", "Paper Lanterns", false},
	} {
		like := match.LikenessTo(sources.Title{Kind: sources.KindMovie, Name: c.asked})
		if got := like.Of(c.seen); got >= match.NearEnough != c.near || got > 1 || got < 0 {
			t.Errorf("%q and %q: %.2f, want near: %t", c.asked, c.seen, got, c.near)
		}
	}
}

// What is more like the title has more likeness.
func TestLikeness_order(t *testing.T) {
	like := match.LikenessTo(sources.Title{Kind: sources.KindMovie, Name: "Rocky II (1979)"})
	seen := []string{"Rocky 2", "Rocky 3", "Rocky Balboa", "Rocky Mountain High in Winter", "Docks"}
	for i := 1; i < len(seen); i++ {
		if before, after := like.Of(seen[i-1]), like.Of(seen[i]); before < after {
			t.Errorf("%q has %.2f and %q %.2f", seen[i-1], before, seen[i], after)
		}
	}
}

func BenchmarkBareName(b *testing.B) {
	names := []string{"Example Film and Number 7 HD", "Paper Lanterns", "某剧 第二季", "影片名[国语]", "The Lantern Keeper of Port Quillon (2019)", "某片"}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		match.BareName(sources.KindMovie, names[i%len(names)], 0)
	}
}

func BenchmarkLikeness(b *testing.B) {
	names := []string{"Example Film and Number 7", "Paper Lanterns", "某剧", "影片名", "The Lantern Keeper of Port Quillon", "Example Flim"}
	like := match.LikenessTo(sources.Title{Kind: sources.KindMovie, Name: "Example Film"})
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		like.Of(names[i%len(names)])
	}
}

// Whatever a site calls something, its bare name is one that the thing can be asked for
// by, and of the same key where there is nothing around it.
func FuzzBareName(f *testing.F) {
	for _, seed := range []string{
		"Paper Lanterns (2014)", "某剧 第二季 国语", "某剧全40集", "Paper.Lanterns.2014.1080p.WEB-DL.x264-GRP", "[REC]² (2009)", "三国演义1994", "Show S01-S03",
		"Show S01E02", "电影《某片》", "第二季", "HD", "(2014)", "\x1b[31mx\x1b[0m", "a\xff\xfe", "庆余年2 更新至12集",
	} {
		f.Add(seed, 2014)
	}
	f.Fuzz(func(t *testing.T, name string, year int) {
		for _, kind := range []sources.Kind{sources.KindMovie, sources.KindEpisode} {
			bare := match.BareName(kind, name, year)
			if len(name) <= 512 && text.NormalizeName(text.Clean(name)) != "" && bare.Name == "" {
				t.Errorf("nothing is left of %q", name)
			}
			if bare.Name != text.Clean(bare.Name) {
				t.Errorf("%q is %q, which is not clean", name, bare.Name)
			}
			if bare.Season < -1 || bare.Season >= 0 && bare.Kind != sources.KindEpisode {
				t.Errorf("%q is %+v", name, bare)
			}
		}
	})
}

func FuzzLikeness(f *testing.F) {
	for _, seed := range [][2]string{{"Paper Lantrens", "Paper Lanterns"}, {"纸灯", "纸灯笼"}, {"Rocky II", "Rocky 2"}, {"ﬁlm", "film"}, {"", "x"}, {"a\xff", "\u0301"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, asked, seen string) {
		like := match.LikenessTo(sources.Title{Kind: sources.KindMovie, Name: asked})
		got := like.Of(seen)
		if got < 0 || got > 1 {
			t.Errorf("%q and %q: %f", asked, seen, got)
		}
		if again := like.Of(seen, seen); again != got {
			t.Errorf("%q and %q: %f, then %f", asked, seen, got, again)
		}
	})
}
