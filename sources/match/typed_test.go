package match_test

import (
	"testing"
	"unicode/utf8"

	"xship/sources"
	"xship/sources/match"
	"xship/sources/text"
)

func TestReadTyped(t *testing.T) {
	const no = -1
	for _, tt := range []struct {
		typed           string
		name            string
		year            int
		season, episode int
	}{
		// Names, and nothing else.
		{"Show", "Show", 0, no, no},
		{"  Show ", "Show", 0, no, no},
		{"9-1-1", "9-1-1", 0, no, no},
		{"24", "24", 0, no, no},
		{"1x1", "1x1", 0, no, no},
		{"1x02", "1x02", 0, no, no},
		{"4x4", "4x4", 0, no, no},
		{"S01E01", "S01E01", 0, no, no},
		{"S02", "S02", 0, no, no},
		{"Season 2", "Season 2", 0, no, no},
		{"第2季第3集", "第2季第3集", 0, no, no},
		{"第二季", "第二季", 0, no, no},
		{"Apollo 13", "Apollo 13", 0, no, no},
		{"Ocean's 8", "Ocean's 8", 0, no, no},
		{"Ocean's Eleven", "Ocean's Eleven", 0, no, no},
		{"(500) Days of Summer", "(500) Days of Summer", 0, no, no},
		{"[REC]", "[REC]", 0, no, no},
		{"[REC]²", "[REC]²", 0, no, no},
		{"1917", "1917", 0, no, no},
		{"2012", "2012", 0, no, no},
		{"(2012)", "(2012)", 0, no, no},
		{"Blade Runner 2049", "Blade Runner 2049", 0, no, no},
		{"Death Race 2000", "Death Race 2000", 0, no, no},
		{"Class of 1999", "Class of 1999", 0, no, no},
		{"Film 2020", "Film 2020", 0, no, no},
		{"Star Wars Episode 4", "Star Wars Episode 4", 0, no, no},
		{"Show E05", "Show E05", 0, no, no},
		{"Show Specials", "Show Specials", 0, no, no},
		{"Specials", "Specials", 0, no, no},
		{"The Four Seasons", "The Four Seasons", 0, no, no},
		{"Show II", "Show II", 0, no, no},
		{"Show 2", "Show 2", 0, no, no},
		{"Se7en", "Se7en", 0, no, no},
		{"UFC 300", "UFC 300", 0, no, no},
		{"Show S01E02-E05", "Show S01E02-E05", 0, no, no},
		{"Show S01-S03", "Show S01-S03", 0, no, no},
		{"Show Complete Series", "Show Complete Series", 0, no, no},
		{"Film (2014", "Film (2014", 0, no, no},
		{"Film (Director's Cut)", "Film (Director's Cut)", 0, no, no},
		{"Film (20145)", "Film (20145)", 0, no, no},
		{"Film (1066)", "Film (1066)", 0, no, no},
		{"!!! (2014)", "!!! (2014)", 0, no, no},
		{"独家记忆", "独家记忆", 0, no, no},

		// A year in brackets.
		{"Film (2014)", "Film", 2014, no, no},
		{"Film （2014）", "Film", 2014, no, no},
		{"影片名（2014）", "影片名", 2014, no, no},
		{"影片名【2014】", "影片名", 2014, no, no},
		{"Film [2014]", "Film", 2014, no, no},
		{"Film(2014)", "Film", 2014, no, no},
		{"Film ( 2014 )", "Film", 2014, no, no},
		{"Film (2014) 1080p", "Film", 2014, no, no},
		{"Film (2014) (2015)", "Film (2014)", 2015, no, no},
		{"2001: A Space Odyssey (1968)", "2001: A Space Odyssey", 1968, no, no},
		{"2012 (2009)", "2012", 2009, no, no},
		{"1917 [2019]", "1917", 2019, no, no},
		{"[REC] (2007)", "[REC]", 2007, no, no},
		{"[REC]² (2009)", "[REC]²", 2009, no, no},
		{"Fast & Furious 9 (2021)", "Fast & Furious 9", 2021, no, no},
		{"(500) Days of Summer (2009)", "(500) Days of Summer", 2009, no, no},
		{"M (1931)", "M", 1931, no, no},

		// An episode.
		{"Show S01E02", "Show", 0, 1, 2},
		{"Show s1e2", "Show", 0, 1, 2},
		{"Show S01 E02", "Show", 0, 1, 2},
		{"Show - S01E02", "Show", 0, 1, 2},
		{"Show S00E01", "Show", 0, 0, 1},
		{"Show 1x02", "Show", 0, 1, 2},
		{"Show 2x05 1080p", "Show", 0, 2, 5},
		{"Show.S01E02.1080p.WEB.mkv", "Show", 0, 1, 2},
		{"Show - S01E02 - The Long Way", "Show", 0, 1, 2},
		{"Show Season 2 Episode 3", "Show", 0, 2, 3},
		{"Show Staffel 2 Folge 3", "Show", 0, 2, 3},
		{"S.W.A.T. S01E01", "S.W.A.T.", 0, 1, 1},
		{"S.W.A.T. (2017) S01E01", "S.W.A.T.", 2017, 1, 1},
		{"9-1-1 S01E01", "9-1-1", 0, 1, 1},
		{"24 S01E01", "24", 0, 1, 1},
		{"24 1x01", "24", 0, 1, 1},
		{"The 100 S03E04", "The 100", 0, 3, 4},
		{"Ocean's 11 S01E02", "Ocean's 11", 0, 1, 2},
		{"Space: 1999 1x01", "Space: 1999", 0, 1, 1},
		{"Doctor Who 2005 S03E01", "Doctor Who 2005", 0, 3, 1},
		{"Show (2014) S01E02", "Show", 2014, 1, 2},
		{"Show S01E02 (2014)", "Show", 2014, 1, 2},
		{"Show [2014] 1x02", "Show", 2014, 1, 2},
		{"某剧第2季第3集", "某剧", 0, 2, 3},
		{"某剧 第二季 第03集", "某剧", 0, 2, 3},
		{"某剧（2014）第2季第3集", "某剧", 2014, 2, 3},
		{"某剧第3集", "某剧", 0, no, 3},
		{"쇼 제3화", "쇼", 0, no, 3},

		// A season.
		{"Show S02", "Show", 0, 2, no},
		{"Show (S02)", "Show", 0, 2, no},
		{"Show S00", "Show", 0, 0, no},
		{"Show Season 2", "Show", 0, 2, no},
		{"Show season two", "Show", 0, 2, no},
		{"Show 2nd Season", "Show", 0, 2, no},
		{"Open Season 2", "Open", 0, 2, no},
		{"Show Staffel 2", "Show", 0, 2, no},
		{"某剧 第二季", "某剧", 0, 2, no},
		{"某剧第2季", "某剧", 0, 2, no},
		{"Doctor Who (2005) season 3", "Doctor Who", 2005, 3, no},
		{"Show S02 (2014)", "Show", 2014, 2, no},
	} {
		got := match.ReadTyped(tt.typed)
		if want := (match.Typed{Name: tt.name, Year: tt.year, Season: tt.season, Episode: tt.episode}); got != want {
			t.Errorf("ReadTyped(%q) = %+v, want %+v", tt.typed, got, want)
		}
	}
}

func TestSplitBareYear(t *testing.T) {
	for _, tt := range []struct {
		name, base string
		year       int
	}{
		{"Six Film 2020", "Six Film", 2020},
		{"Six Film, 2020", "Six Film", 2020},
		{"Six Film - 2020", "Six Film", 2020},
		{"Six.Film.2020", "Six.Film", 2020},
		{"影片名 2020", "影片名", 2020},
		{"Blade Runner 2049", "Blade Runner", 2049},
		{"2012 2009", "2012", 2009},
		{"2012", "2012", 0},
		{"Six Film (2020)", "Six Film (2020)", 0},
		{"Six Film2020", "Six Film2020", 0},
		{"Six Film 20201", "Six Film 20201", 0},
		{"Agincourt 1415", "Agincourt 1415", 0},
		{"- 2020", "- 2020", 0},
		{"", "", 0},
	} {
		if base, year := match.SplitBareYear(tt.name); base != tt.base || year != tt.year {
			t.Errorf("SplitBareYear(%q) = %q, %d, want %q, %d", tt.name, base, year, tt.base, tt.year)
		}
	}
}

func FuzzReadTyped(f *testing.F) {
	for _, s := range []string{"Film (2014)", "影片名（2014）", "Show S01E02 - It", "S.W.A.T. 1x02", "Show Season 0", "某剧第2季第3集", "[REC]²", ") (", "(2014] 1080p", "\xff (2014)", "Six 2020"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		got := match.ReadTyped(typed)
		if text.NormalizeName(got.Name) == "" && text.NormalizeName(typed) != "" {
			t.Errorf("ReadTyped(%q) leaves no name: %+v", typed, got)
		}
		if utf8.ValidString(typed) && !utf8.ValidString(got.Name) {
			t.Errorf("ReadTyped(%q) cuts a character: %+v", typed, got)
		}
		if got.Year != 0 && (got.Year < sources.MinYear || got.Year > sources.MaxYear) || got.Season < -1 || got.Episode < -1 || len(got.Name) > len(typed)*8 {
			t.Errorf("ReadTyped(%q) = %+v", typed, got)
		}
		if base, year := match.SplitBareYear(typed); year != 0 && (base == "" || year < 1900 || year > 2099) {
			t.Errorf("SplitBareYear(%q) = %q, %d", typed, base, year)
		}
	})
}
