package match_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"xship/sources"
	"xship/sources/match"
	"xship/sources/text"
)

func TestParseEpisode(t *testing.T) {
	const none = -2
	tests := []struct {
		label               string
		season, first, last int
	}{
		{"第01集", -1, 1, 1},
		{"第1话", -1, 1, 1},
		{"第1話", -1, 1, 1},
		{"第12回", -1, 12, 12},
		{"第12期", -1, 12, 12},
		{"第 3 集", -1, 3, 3},
		{"第二集", -1, 2, 2},
		{"第十集", -1, 10, 10},
		{"第二十一集", -1, 21, 21},
		{"第一百零二集", -1, 102, 102},
		{"第1080集", -1, 1080, 1080},
		{"第01-02集", -1, 1, 2},
		{"第1集-第2集", -1, 1, 2},
		{"第３集", -1, 3, 3},
		{"第12集完", -1, 12, 12},
		{"01集", -1, 1, 1},
		{"第二季第3集", 2, 3, 3},
		{"第2季 第03集", 2, 3, 3},
		{"E01", -1, 1, 1},
		{"EP01", -1, 1, 1},
		{"ep.01", -1, 1, 1},
		{"Ep. 3", -1, 3, 3},
		{"E00", -1, 0, 0},
		{"S01E01", 1, 1, 1},
		{"S00E05", 0, 5, 5},
		{"s1.e2", 1, 2, 2},
		{"S01 E02", 1, 2, 2},
		{"S2014E05", 2014, 5, 5},
		{"Season 2 Episode 3", 2, 3, 3},
		{"Staffel 2, Folge 3", 2, 3, 3},
		{"1x02", 1, 2, 2},
		{"10x12", 10, 12, 12},
		{"0x01", 0, 1, 1},
		{"1x02-1x03", 1, 2, 3},
		{"1x02-03", 1, 2, 3},
		{"Folge 3", -1, 3, 3},
		{"Episode 3", -1, 3, 3},
		{"Show.S01E01.1080p.WEB.mkv", 1, 1, 1},
		{"Show S02E03 - Some Name 7", 2, 3, 3},
		{"S01E01-E03", 1, 1, 3},
		{"S01E01-03", 1, 1, 3},
		{"S01E01E02", 1, 1, 2},
		{"S01E01 - E02", 1, 1, 2},
		{"S01E01-S01E02", 1, 1, 2},
		{"S01E01-1080p", 1, 1, 1},
		{"S01E01-720", 1, 1, 1},
		{"E01-E46", -1, 1, 46},
		{"01", -1, 1, 1},
		{"1", -1, 1, 1},
		{"00", -1, 0, 0},
		{"1001", -1, 1001, 1001},
		{"01-02", -1, 1, 2},
		{"[01]", -1, 1, 1},
		{"#7", -1, 7, 7},
		{"01.mp4", -1, 1, 1},
		{"01v2", -1, 1, 1},
		{"E01v2", -1, 1, 1},
		{"12完", -1, 12, 12},
		{"12 END", -1, 12, 12},
		{"01 1080p", -1, 1, 1},
		{"01国语", -1, 1, 1},
		{"01 BDRip H.264 DTS-HD MA", -1, 1, 1},
		{"01中文版", -1, 1, 1},
		{"01 HD英语", -1, 1, 1},

		{"", none, 0, 0},
		{"正片", none, 0, 0},
		{"HD", none, 0, 0},
		{"HD国语", none, 0, 0},
		{"1080P", none, 0, 0},
		{"1080", none, 0, 0},
		{"720", none, 0, 0},
		{"2160", none, 0, 0},
		{"4K", none, 0, 0},
		{"x264", none, 0, 0},
		{"H.264", none, 0, 0},
		{"1920x804", none, 0, 0},
		{"2024", none, 0, 0},
		{"1999", none, 0, 0},
		{"20240531", none, 0, 0},
		{"2024-05-31", none, 0, 0},
		{"2024.05.31", none, 0, 0},
		{"5.1", none, 0, 0},
		{"7.5", none, 0, 0},
		{"02-01", none, 0, 0},
		{"全12集", none, 0, 0},
		{"12集全", none, 0, 0},
		{"共24集", none, 0, 0},
		{"更新至12集", none, 0, 0},
		{"更新至第12集", none, 0, 0},
		{"第二季", none, 0, 0},
		{"一集", none, 0, 0},
		{"Season 2", none, 0, 0},
		{"E3 2019", -1, 3, 3},
		{"Wall-E", none, 0, 0},
		{"Apollo 13", none, 0, 0},
		{"Blade Runner 2049", none, 0, 0},
		{"S01E01b", none, 0, 0},
		{"E123456", none, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.label, func(t *testing.T) {
			got, ok := match.ParseEpisode(tt.label)
			if ok != (tt.season != none) {
				t.Fatalf("ParseEpisode(%q) = %+v, %v", tt.label, got, ok)
			}
			if want := (match.EpisodeRange{Season: tt.season, First: tt.first, Last: tt.last}); ok && got != want {
				t.Errorf("ParseEpisode(%q) = %+v, want %+v", tt.label, got, want)
			}
		})
	}
}

func TestFindEpisode(t *testing.T) {
	for _, tt := range []struct{ name, mark string }{
		{"Show.Name.S01E02.720p", "S01E02"},
		{"某剧第02集", "第02集"},
		{"某剧S01E02", "S01E02"},
		{"Show 1x02-1x03 HDTV", "1x02-1x03"},
		{"Show Season 1, Episode 2", "Season 1, Episode 2"},
		{"House1x02", ""},
		{"Movie 2008 1080p", ""},
	} {
		_, start, end, ok := match.FindEpisode(tt.name)
		if got := tt.name[start:end]; got != tt.mark || ok != (tt.mark != "") {
			t.Errorf("FindEpisode(%q) found %q, %v, want %q", tt.name, got, ok, tt.mark)
		}
	}
}

func TestMatchEpisode(t *testing.T) {
	show := func(season, episode int) sources.Title {
		return sources.Title{Kind: sources.KindEpisode, Name: "Show", Season: season, Episode: episode}
	}
	movie := func(name string) sources.Title { return sources.Title{Kind: sources.KindMovie, Name: name} }
	tests := []struct {
		name   string
		title  sources.Title
		label  string
		season int
		want   bool
	}{
		{"first season needs no mark", show(1, 1), "第01集", -1, true},
		{"another episode", show(1, 1), "第11集", -1, false},
		{"season of the item", show(2, 1), "01", 2, true},
		{"other season of the item", show(2, 1), "01", 1, false},
		{"second season without a mark", show(2, 1), "01", -1, false},
		{"season on the label", show(2, 1), "S02E01", -1, true},
		{"other season on the label", show(1, 1), "S02E01", -1, false},
		{"both agree", show(2, 1), "2x01", 2, true},
		{"label against item", show(2, 1), "2x01", 1, false},
		{"item against label", show(2, 1), "1x01", 2, false},
		{"of a sequel", show(2, 1), "Show 2 E01", -1, true},
		{"of a sequel, first season", show(1, 1), "Show 2 E01", -1, false},
		{"of a series named with a number", sources.Title{Kind: sources.KindEpisode, Name: "Show", Season: 1, Episode: 1, Aliases: []string{"Show 2"}}, "Show 2 E01", -1, true},
		{"special", show(0, 1), "S00E01", -1, true},
		{"special without a mark", show(0, 1), "01", -1, false},
		{"special of the item", show(0, 1), "01", 0, true},
		{"episode zero", show(1, 0), "00", -1, true},
		{"picture height", show(1, 1080), "1080", -1, false},
		{"picture height with a letter", show(1, 1080), "1080P", -1, false},
		{"thousand and one", show(1, 1001), "1001", -1, true},
		{"no episode", show(1, 1), "HD", -1, false},
		{"two in one file, first", show(1, 1), "S01E01E02", -1, true},
		{"two in one file, second", show(1, 2), "S01E01-E02", -1, true},
		{"two in one file, third", show(1, 3), "S01E01-E02", -1, false},
		{"three in one file", show(1, 3), "01-03", -1, true},
		{"pack", show(1, 1), "E01-E46", -1, false},
		{"small pack", show(1, 2), "01-04", -1, false},
		{"movie", movie("Film"), "HD国语", -1, true},
		{"movie, main part", movie("Film"), "正片", -1, true},
		{"movie, height", movie("Film"), "1080P", -1, true},
		{"movie, empty label", movie("Film"), "", -1, true},
		{"movie against an episode", movie("Film"), "第02集", -1, false},
		{"movie against a number", movie("Film"), "02", -1, false},
		{"movie named by a number", movie("300"), "300", -1, true},
		{"movie named by a year", movie("1917"), "1917", -1, true},
		{"movie named by a number, with tags", movie("300"), "300 HEVC AAC", -1, true},
		{"movie against a number with tags", movie("Film"), "02 HEVC AAC", -1, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := match.Episode(tt.title, tt.label, match.Item{Season: tt.season}); got != tt.want {
				t.Errorf("Episode(%v, %q, %d) = %v, want %v", tt.title, tt.label, tt.season, got, tt.want)
			}
		})
	}
}

// FuzzReadLabel: a number is read whole or not at all.
func FuzzReadLabel(f *testing.F) {
	for _, s := range []string{"S01E01-E03", "第二季第3集", "1x02-1x03", "[01v2].mp4", "第九千九百九十九集", "E1-E1-E1e", "更新至第12集", "E0Ep0", "S01E01 - \xff"} {
		f.Add(s, "Show")
	}
	for _, l := range readLabels(f) {
		f.Add(l.text, "某剧")
	}
	f.Fuzz(func(t *testing.T, s, name string) {
		for _, names := range [][]string{nil, {name}} {
			r, kind := match.ReadLabel(s, names...)
			if kind == match.LabelEpisode {
				checkWhole(t, s, r)
			}
		}
		r, start, end, ok := match.FindEpisode(s)
		if !ok {
			return
		}
		if start < 0 || end <= start || end > len(s) {
			t.Fatalf("FindEpisode(%q) = [%d:%d]", s, start, end)
		}
		checkWhole(t, s, r)
	})
}

// checkWhole checks that what was read of s are numbers of it, none a piece of one.
func checkWhole(t *testing.T, s string, r match.EpisodeRange) {
	t.Helper()
	if r.Season < -1 || r.First < 0 || r.Last < r.First {
		t.Fatalf("%q is %+v", s, r)
	}
	plain := norm.NFKC.String(strings.ToValidUTF8(s, "\uFFFD"))
	if strings.ContainsAny(plain, "零〇一二两兩三四五六七八九十百千壹贰貳叁參肆伍陆陸柒捌玖拾佰仟廿卅") || strings.Contains(strings.ToLower(plain), "cap.") {
		return
	}
	// What cannot be seen parts no number.
	plain = strings.Map(func(r rune) rune {
		for _, zero := range "٠۰๐" {
			if r >= zero && r <= zero+9 {
				return r - zero + '0'
			}
		}
		return r
	}, text.Clean(plain))
	whole := make(map[int]bool)
	for _, digits := range regexp.MustCompile("[0-9]+").FindAllString(plain, -1) {
		if n, err := strconv.Atoi(digits); err == nil {
			whole[n] = true
		}
	}
	for _, digits := range regexp.MustCompile("[0-9]+").FindAllString(s, -1) {
		if n, err := strconv.Atoi(digits); err == nil {
			whole[n] = true
		}
	}
	if !whole[r.First] || !whole[r.Last] || r.Season > 10 && !whole[r.Season] {
		t.Fatalf("%q is %+v, of which it holds no such number", s, r)
	}
}

func BenchmarkFindEpisode(b *testing.B) {
	for _, bm := range []struct{ name, in string }{
		{"short", "Some.Show.S01E02.1080p.WEB.mkv"},
		{"hostile-1000", strings.Repeat("E1-", 333) + "E1e"},
		{"hostile-10000", strings.Repeat("E1-", 3333) + "E1e"},
		{"counts-1000", strings.Repeat("全12集", 100)},
		{"counts-10000", strings.Repeat("全12集", 1000)},
		{"words-10000", strings.Repeat("季第1季 ", 700)},
	} {
		b.Run(bm.name, func(b *testing.B) {
			for b.Loop() {
				_, _, _, _ = match.FindEpisode(bm.in)
			}
		})
	}
}

// BenchmarkReadLabel reads what sites call their links.
func BenchmarkReadLabel(b *testing.B) {
	for _, bm := range []struct{ name, in string }{
		{"common", "第12集"},
		{"number", "07"},
		{"other", "第07集完结"},
		{"western", "S01E02"},
		{"feature", "HD国语"},
		{"named", "庆余年12"},
		{"release", "[Group] Some Show - 05 [1080p].mkv"},
	} {
		b.Run(bm.name, func(b *testing.B) {
			for b.Loop() {
				match.ReadLabel(bm.in, "庆余年")
			}
		})
	}
}
