package files_test

import (
	"slices"
	"strings"
	"testing"

	"xship/sources"
	"xship/sources/link"
	"xship/sources/site/files"
	"xship/sources/sourcetest"
)

func film(name string, year int) sources.Title {
	return sources.Title{Kind: sources.KindMovie, Name: name, Year: year}
}

func episode(name string, season, number int) sources.Title {
	return sources.Title{Kind: sources.KindEpisode, Name: name, Season: season, Episode: number}
}

func withID(t sources.Title, id string) sources.Title {
	t.IMDb = id
	return t
}

func called(t sources.Title, aliases ...string) sources.Title {
	t.Aliases = aliases
	return t
}

// search walks tree and looks for t.
func search(tb testing.TB, tree files.Tree, t sources.Title) []sources.Source {
	tb.Helper()
	index := sourcetest.NewMemory(nil)
	if _, err := (files.Walker{Index: index}).Update(tb.Context(), tree, nil); err != nil {
		tb.Fatal(err)
	}
	found, err := files.Search(tb.Context(), index, tree, t, true)
	if err != nil {
		tb.Fatal(err)
	}
	return found
}

// What a path tells, by which titles find it and which do not.
func TestFinds(t *testing.T) {
	for _, tt := range []struct {
		path  string
		title sources.Title
		found bool
	}{
		// Films.
		{"Some Film (2008)/Some Film (2008) - 1080p.mkv", film("Some Film", 2008), true},
		{"Some Film (2008)/Some Film (2008) - 1080p.mkv", film("Some Film", 0), true},
		{"Some Film (2008)/Some Film (2008) - 1080p.mkv", film("Some Film", 1995), false},
		{"Some Film (2008)/Some Film (2008) - 1080p.mkv", film("Some Film 2", 2008), false},
		{"Some Film (2008)/Some Film (2008) - 1080p.mkv", film("Some", 2008), false},
		{"Some Film (2008)/Some Film (2008) - 1080p.mkv", episode("Some Film", 1, 1), false},
		{"Some.Film.2008.German.DL.1080p.BluRay.x264-GRP.mkv", film("Some Film", 2008), true},
		{"SOME FILM.avi", film("Some Film", 2008), true},
		{"Matrix Example, The (1999).mkv", film("The Matrix Example", 1999), true},
		{"The Matrix Example (1999).mkv", film("Matrix Example", 1999), false},
		{"Fast & Curious (2009).mkv", film("Fast and Curious", 2009), true},
		{"Crème Brûlée (2001).mkv", film("Creme Brulee", 2001), true},
		{"[REC] (2007).mkv", film("[REC]", 2007), true},
		{"2012 (2009).mkv", film("2012", 2009), true},
		{"1917.mkv", film("1917", 2019), true},
		{"300.mkv", film("300", 2006), true},
		{"Apollo 13 (1995) [1080p].mkv", film("Apollo 13", 1995), true},
		{"Apollo 13 [1080p].mkv", film("Apollo 13", 1995), true},
		{"Apollo 13.mkv", film("Apollo 13", 0), true},
		{"Rocky Example II (1979).mkv", film("Rocky Example 2", 1979), true},
		{"Blade Walker 2049 (2017).mkv", film("Blade Walker 2049", 2017), true},
		{"片名 Original Name (2008).mkv", film("片名", 2008), true},
		{"片名 Original Name (2008).mkv", film("Original Name", 2008), true},
		{"片名.Original.Name.2008.1080p.mkv", called(film("Original Name", 2008), "片名"), true},
		{"Das Beispiel - The Example (1981).mkv", called(film("Das Beispiel", 1981), "The Example"), true},
		{"影片名 (2008) HD国语.mp4", film("影片名", 2008), true},
		{"-rf.mkv", film("rf", 0), true},
		{"Some Film (2008)/movie.mkv", film("Some Film", 2008), true},
		{"Some Film (2008)/sf-1080p.mkv", film("Some Film", 2008), true},
		{"Some Film (2008)/Other Film (1990).mkv", film("Some Film", 2008), false},
		{"Collection (1977)/Some Film (2008).mkv", film("Collection", 1977), false},
		{"Kids/Some Film (2008).mkv", film("Kids", 0), false},
		{"Some Film (2008) {edition-Director's Cut}.mkv", film("Some Film", 2008), true},
		{"Some Film {edition-Director's Cut}/Some Film {edition-Director's Cut}.mkv", film("Some Film", 0), true},
		{"Some Film (2008) - Director's Cut.mkv", film("Some Film", 2008), true},
		{"Star Example Episode IV - A Hope (1977).mkv", film("Star Example Episode IV - A Hope", 1977), true},
		{"Face\\Off (1997).mkv", film("Face Off", 1997), true},
		{"a\xffb (1999).mkv", film("a\ufffdb", 1999), true},

		// Ids.
		{"Any Name [imdbid-tt1234567].mkv", withID(film("Another", 2008), "tt1234567"), true},
		{"Any Name {imdb-tt1234567}.mkv", withID(film("Another", 2008), "tt1234567"), true},
		{"Any Name (imdb=tt1234567).mkv", withID(film("Another", 2008), "tt1234567"), true},
		{"Any Name [IMDBID=TT1234567].mkv", withID(film("Another", 2008), "tt1234567"), true},
		{"Any Name [tt1234567].mkv", withID(film("Another", 2008), "tt1234567"), true},
		{"Any Name (2008) [imdb-tt1234567]/any.name.mkv", withID(film("Another", 2008), "tt01234567"), true},
		{"Any Name [tmdbid-1234567].mkv", film("Any Name", 0), true},
		{"Any Name [imdbid-tt1234567].mkv", withID(film("Any Name", 0), "tt7654321"), false},
		{"Any Name [imdbid-tt1234567].mkv", film("Any Name", 0), true},
		{"Show [imdbid-tt1234567]/Season 1/e01.mkv", withID(episode("Another", 1, 1), "tt1234567"), true},
		{"Show [imdbid-tt1234567]/Season 1/e01.mkv", withID(episode("Another", 1, 2), "tt1234567"), false},
		{"Show {tvdb-1234}/Season 1/e01.mkv", episode("Show", 1, 1), true},

		// Episodes.
		{"Show (2010)/Season 01/Show S01E02.mkv", episode("Show", 1, 2), true},
		{"Show (2010)/Season 01/Show S01E02.mkv", episode("Show", 1, 3), false},
		{"Show (2010)/Season 01/Show S01E02.mkv", episode("Show", 2, 2), false},
		{"Show (2010)/Season 01/Show S01E02.mkv", film("Show", 2010), false},
		{"Show.S01E02.1080p.WEB-DL.mkv", episode("Show", 1, 2), true},
		{"Show S01E02-E03.mkv", episode("Show", 1, 2), true},
		{"Show S01E02-E03.mkv", episode("Show", 1, 3), true},
		{"Show S01E01-E12.mkv", episode("Show", 1, 1), false},
		{"Show 1x02.mkv", episode("Show", 1, 2), true},
		{"Show/Season 1/1x02 - Its Title.mkv", episode("Show", 1, 2), true},
		{"Show/Season 1/02.mkv", episode("Show", 1, 2), true},
		{"Show/Season 1/02 - Its Title.mkv", episode("Show", 1, 2), true},
		{"Show/Season 1/Episode 2.mkv", episode("Show", 1, 2), true},
		{"Show/Staffel 2/Folge 2.mkv", episode("Show", 2, 2), true},
		{"Show/S02/E03.mkv", episode("Show", 2, 3), true},
		{"Show/Season 1/Making Of.mkv", film("Making Of", 0), false},
		{"Show/02.mkv", episode("Show", 1, 2), true},
		{"Show/02.mkv", episode("Show", 2, 2), false},
		{"Show/Show - 105.mkv", episode("Show", 1, 105), true},
		{"Anime/[Grp] Show - 05 [1080p].mkv", episode("Show", 1, 5), true},
		{"Show Season 2/E01.mp4", episode("Show", 2, 1), true},
		{"九号海港 第三季/第02集.mp4", episode("九号海港", 3, 2), true},
		{"某剧2/第03集.mp4", episode("某剧", 2, 3), true},
		{"某剧2/第03集.mp4", episode("某剧2", 1, 3), true},
		{"庆余年/庆余年12.mp4", episode("庆余年", 1, 12), true},
		{"Show/Specials/S00E01.mkv", episode("Show", 0, 1), true},
		{"Show/Specials/01 - Christmas.mkv", episode("Show", 0, 1), true},
		{"Show/Season 00/Show - 01.mkv", episode("Show", 0, 1), true},
		{"Show - 2024.05.31.mkv", film("Show", 0), false},
		{"Show - 31-05-2024 - Guest.mkv", film("Show", 2024), false},
		{"Show Name/Season 1/sn.s01e02.mkv", episode("Show Name", 1, 2), true},
		{"Downloads/Show S01E02.mkv", episode("Downloads", 1, 2), false},
		{"Show (2010)/S01E02.mkv", episode("Show", 1, 2), true},

		// As tools for libraries name them.
		{"Some Film (2008) {imdb-tt1234567}/Some Film (2008) {imdb-tt1234567} - [Bluray-1080p][DTS 5.1][x264]-GRP.mkv", film("Some Film", 2008), true},
		{"Some Film (2008) [tmdbid-12345]/Some Film (2008) [tmdbid-12345] [1080p].mkv", film("Some Film", 2008), true},
		{"S/Some Film (2008)/Some Film (2008) Bluray-1080p Proper.mkv", film("Some Film", 2008), true},
		{"Show (2010) [tvdbid-1234]/Season 01/Show (2010) - S01E02 - Its Title [WEBDL-1080p][AAC 2.0][h264]-GRP.mkv", episode("Show", 1, 2), true},
		{"Show (2010)/Season 1/Show - S01E02 - 014 - Its Title [HDTV-720p].mkv", episode("Show", 1, 2), true},
		{"Show (2010)/Season 1/Show - S01E02 - 014 - Its Title [HDTV-720p].mkv", episode("Show", 1, 14), false},
		{"Show/Season 1/Show - s01e02.mkv", episode("Show", 1, 2), true},
		{"Show/Season 1 (2010)/02 Its Title.mkv", episode("Show", 1, 2), true},
		{"Show/Show Season 1/02 - Its Title.mkv", episode("Show", 1, 2), true},
		{"Show/Show - Season 1/Show 02.avi", episode("Show", 1, 2), true},
		{"Serien/Show/Staffel 01/Show - 01x02 - Titel.mkv", episode("Show", 1, 2), true},
		{"Serien/Show/Folge 12 - Titel.mkv", episode("Show", 1, 12), true},
		{"Serien/Show/Show - Folge 12.mkv", episode("Show", 1, 12), true},
		{"Show/Season 1/Show.S1E2.avi", episode("Show", 1, 2), true},
		{"Show.S01.1080p.WEB-DL-GRP/Show.S01E02.1080p.WEB-DL-GRP.mkv", episode("Show", 1, 2), true},
		{"Show.S01.COMPLETE/grp-show.102.mkv", film("Show", 0), false},
		{"Series/Show/Season 1/Show.102.mkv", episode("Other", 1, 2), false},
		{"Das Beispiel - S01E02 - Titel (German).mkv", episode("Das Beispiel", 1, 2), true},
		{"The Example (US) S01E02.mkv", episode("The Example", 1, 2), true},
		{"The Example (UK) (2001)/Season 1/The.Example.UK.S01E02.mkv", episode("The Example", 1, 2), true},
		{"24/Season 1/24 - S01E02.mkv", episode("24", 1, 2), true},
		{"9-1-1 (2018)/Season 1/9-1-1 - S01E02.mkv", episode("9-1-1", 1, 2), true},
		{"Some Film (2008) 3D HSBS.mkv", film("Some Film", 2008), true},
		{"Some.Film.A.Sequel.2008.1080p.mkv", film("Some Film", 2008), false},
		{"Some Film - A Subtitle (2008).mkv", film("Some Film - A Subtitle", 2008), true},
		{"Some Film_ A Subtitle (2008).mkv", film("Some Film: A Subtitle", 2008), true},
		{"Some Film (2008)/VIDEO_TS/VTS_01_1.VOB", film("Some Film", 2008), false},
		{"Mr. Example (2008).mkv", film("Mr. Example", 2008), true},
		{"(500) Days of Example (2009).mkv", film("(500) Days of Example", 2009), true},
		{"Example² (2008).mkv", film("Example 2", 2008), true},

		// The root is a folder as well.
		{"S01E02.mkv", episode("media", 1, 2), true},

		// What is beside films.
		{"Some Film (2008)/sample.mkv", film("Some Film", 2008), false},
		{"Some Film (2008)/Some Film (2008)-sample.mkv", film("Some Film", 2008), false},
		{"Some Film (2008)/Some Film (2008)-featurette.mkv", film("Some Film", 2008), false},
		{"Some Film (2008)/.Some Film (2008).mkv", film("Some Film", 2008), false},
		{"Some Film (2008)/BDMV/STREAM/00001.m2ts", film("Some Film", 2008), false},
		{"Some Film (2008)/Some Film (2008).nfo", film("Some Film", 2008), false},
		{"Some Film (2008)/Some Film (2008).mp3", film("Some Film", 2008), false},
	} {
		tree := newTree(tt.path)
		found := search(t, tree, tt.title)
		if (len(found) > 0) != tt.found {
			t.Errorf("%q, looked for as %+v: found %v, want %v", tt.path, tt.title, len(found) > 0, tt.found)
		}
		if len(found) > 0 && (found[0].URL != "/media/"+tt.path || !found[0].Own || found[0].Name == "") {
			t.Errorf("%q: found as %+v", tt.path, found[0])
		}
	}
}

// What a folder tells: several files, in the order of their names.
func TestFolders(t *testing.T) {
	some := film("Some Film", 2008)
	for _, tt := range []struct {
		name  string
		files string // one a line, "name = content"
		title sources.Title
		want  string // what is found, one a line: the path and what is told of it
	}{
		{"versions", `
			Some Film (2008)/Some Film (2008) - 1080p.mkv
			Some Film (2008)/Some Film (2008) - 2160p HDR.mkv
			Some Film (2008)/Some Film (2008).German.720p.avi`, some, `
			Some Film (2008)/Some Film (2008) - 1080p.mkv 1080p
			Some Film (2008)/Some Film (2008) - 2160p HDR.mkv 4K HDR
			Some Film (2008)/Some Film (2008).German.720p.avi 720p de`},
		{"the folder tells the quality", `
			Some.Film.2008.2160p.WEB-DL.German-GRP/some.film.mkv`, some, `
			Some.Film.2008.2160p.WEB-DL.German-GRP/some.film.mkv 4K de WEB-DL`},
		{"parts", `
			Some Film (2008)/Some Film (2008) cd1.avi
			Some Film (2008)/Some Film (2008) cd2.avi
			Some Film (2008)/Some Film (2008) cd3.avi`, some, `
			Some Film (2008)/Some Film (2008) cd1.avi part 1 of 3
			Some Film (2008)/Some Film (2008) cd2.avi part 2 of 3
			Some Film (2008)/Some Film (2008) cd3.avi part 3 of 3`},
		{"parts behind tags", `
			Some.Film.2008.XviD.CD1.avi
			Some.Film.2008.XviD.CD2.avi`, some, `
			Some.Film.2008.XviD.CD1.avi part 1 of 2 XviD
			Some.Film.2008.XviD.CD2.avi part 2 of 2 XviD`},
		{"parts in words in a folder of the name", `
			Some Film (2008)/Some Film Part 1.mkv
			Some Film (2008)/Some Film Part 2.mkv`, some, `
			Some Film (2008)/Some Film Part 1.mkv part 1 of 2
			Some Film (2008)/Some Film Part 2.mkv part 2 of 2`},
		{"parts in folders", `
			Some Film (2008)/CD1/film.avi
			Some Film (2008)/CD2/film.avi`, some, `
			Some Film (2008)/CD1/film.avi part 1
			Some Film (2008)/CD2/film.avi part 2`},
		{"parts of a numbered episode", `
			Show/05 - Pilot CD1.avi
			Show/05 - Pilot CD2.avi`, episode("Show", 1, 5), `
			Show/05 - Pilot CD1.avi part 1 of 2
			Show/05 - Pilot CD2.avi part 2 of 2`},
		{"parts are titles", `
			Some Film Part 1 (2008).mkv
			Some Film Part 2 (2009).mkv`, film("Some Film Part 2", 2009), `
			Some Film Part 2 (2009).mkv`},
		{"parts of episodes", `
			Show/Season 1/Show S01E01 part1.mkv
			Show/Season 1/Show S01E01 part2.mkv`, episode("Show", 1, 1), `
			Show/Season 1/Show S01E01 part1.mkv part 1 of 2
			Show/Season 1/Show S01E01 part2.mkv part 2 of 2`},
		{"a disc's size is no part", `
			Some Film (2008) DVD9.mkv`, some, `
			Some Film (2008) DVD9.mkv SD DVD`},
		{"trailer", `
			Some Film (2008)/Some Film (2008).mkv
			Some Film (2008)/Some Film (2008)-trailer.mkv
			Some Film (2008)/trailer.mp4`, some, `
			Some Film (2008)/Some Film (2008)-trailer.mkv trailer
			Some Film (2008)/Some Film (2008).mkv
			Some Film (2008)/trailer.mp4 trailer`},
		{"extras", `
			Some Film (2008)/Some Film (2008).mkv
			Some Film (2008)/Extras/Some Film (2008).mkv
			Some Film (2008)/behind the scenes/Some Film (2008).mkv
			Some Film (2008)/Trailers/Some Film (2008).mkv`, some, `
			Some Film (2008)/Some Film (2008).mkv`},
		{"a series called so", `
			TV/Extras/Season 1/S01E01.mkv`, episode("Extras", 1, 1), `
			TV/Extras/Season 1/S01E01.mkv`},
		{"a folder that is to be left alone", `
			a/.nomedia
			a/Some Film (2008).mkv
			a/b/Some Film (2008).mkv
			c/.ignore
			c/Some Film (2008).mkv
			d/Some Film (2008).mkv`, some, `
			d/Some Film (2008).mkv`},
		{"subtitles", `
			Some Film (2008).mkv
			Some Film (2008).srt
			Some Film (2008).en.srt
			Some Film (2008).de.forced.ass
			Some Film (2008).pt-BR.vtt
			Some Film (2008).ger.sdh.srt
			Some Film (2008) Extra.txt
			Some Filmx (2008).fr.srt`, some, `
			Some Film (2008).mkv subtitles .de.forced.ass=de .en.srt=en .ger.sdh.srt=de .pt-BR.vtt=pt .srt=`},
		{"subtitles of the nearest", `
			Show S01E01.mkv
			Show S01E01.part.mkv
			Show S01E01.part.en.srt`, episode("Show", 1, 1), `
			Show S01E01.mkv
			Show S01E01.part.mkv subtitles .en.srt=en`},

		{"nfo", `
			x.mkv
			x.nfo = <movie><title>Some Film</title><year>2008</year></movie>`, some, `
			x.mkv`},
		{"nfo, by id", `
			x.mkv
			x.nfo = <movie><uniqueid type="imdb" default="true">tt1234567</uniqueid></movie>`, withID(film("Other", 2001), "tt1234567"), `
			x.mkv`},
		{"nfo, original title", `
			x.mkv
			x.nfo = <movie><title>某片</title><originaltitle>Some Film</originaltitle><premiered>2008-02-03</premiered></movie>`, some, `
			x.mkv`},
		{"nfo, a link alone", `
			x.mkv
			x.nfo = https://www.imdb.com/title/tt1234567/`, withID(film("Other", 2001), "tt1234567"), `
			x.mkv`},
		{"nfo of the film in its own folder", `
			own/x.mkv
			own/movie.nfo = <movie><title>Some Film</title><year>2008</year></movie>`, some, `
			own/x.mkv`},
		{"nfo of one of several films", `
			all/x.mkv
			all/y.mkv
			all/movie.nfo = <movie><title>Some Film</title><year>2008</year></movie>`, some, ``},
		{"nfo of a series", `
			abc/tvshow.nfo = <tvshow><title>Show</title><imdbid>tt1234567</imdbid></tvshow>
			abc/Season 1/x.s01e02.mkv`, episode("Show", 1, 2), `
			abc/Season 1/x.s01e02.mkv`},
		{"nfo of a series, by id", `
			abc/tvshow.nfo = <tvshow><title>Show</title><imdbid>tt1234567</imdbid></tvshow>
			abc/Season 1/x.s01e02.mkv`, withID(episode("Other", 1, 2), "tt1234567"), `
			abc/Season 1/x.s01e02.mkv`},
		{"nfo of an episode", `
			abc/tvshow.nfo = <tvshow><title>Show</title></tvshow>
			abc/pilot.mkv
			abc/pilot.nfo = <episodedetails><title>Pilot</title><season>1</season><episode>2</episode><uniqueid type="imdb">tt7654321</uniqueid></episodedetails>`, episode("Show", 1, 2), `
			abc/pilot.mkv`},
		{"nfo of two episodes", `
			abc/Show 2024.05.31.mkv
			abc/Show 2024.05.31.nfo = <episodedetails><showtitle>Show</showtitle><season>1</season><episode>2</episode></episodedetails><episodedetails><season>1</season><episode>3</episode></episodedetails>`, episode("Show", 1, 3), `
			abc/Show 2024.05.31.mkv`},
		{"nfo that is broken", `
			Some Film (2008).mkv
			Some Film (2008).nfo = <movie><title>Some`, some, `
			Some Film (2008).mkv`},

		{"strm", `
			Some Film (2008).strm = https://h.example/1080p.mp4|User-Agent=x`, some, `
			Some Film (2008).strm https://h.example/1080p.mp4|User-Agent=x`},
		{"strm of others", `
			a/Some Film (2008).strm = plugin://x/y
			b/Some Film (2008).strm = /etc/passwd
			c/Some Film (2008).strm = file:///etc/passwd
			d/Some Film (2008).strm = 
			e/Some Film (2008).strm = ftp://h.example/a.mkv`, some, ``},

		{"episodes with their own titles", `
			Show/01 - Pilot.mkv
			Show/02 - Second.mkv`, episode("Show", 1, 2), `
			Show/02 - Second.mkv`},
		{"episodes with their own titles are of no series of these", `
			Show/01 - Pilot.mkv
			Show/02 - Second.mkv`, episode("Second", 1, 2), ``},
		{"one episode with a number before a title", `
			Show/01 - Pilot.mkv`, episode("Show", 1, 1), `
			Show/01 - Pilot.mkv`},
		{"numbers before the name of the series", `
			Downloads/01 - Show.mkv
			Downloads/02 - Show.mkv`, episode("Show", 1, 2), `
			Downloads/02 - Show.mkv`},
		{"numbers before the name of the series, not the folder's", `
			Downloads/01 - Show.mkv
			Downloads/02 - Show.mkv`, episode("Downloads", 1, 2), ``},
		{"the best fit", `
			Some Film (2008).mkv
			Some Film.mkv
			Some Film (2009).mkv`, some, `
			Some Film (2008).mkv`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tree := newTree()
			for line := range strings.Lines(tt.files) {
				if name, content, _ := strings.Cut(strings.TrimSpace(line), " = "); name != "" {
					tree.files[name] = content
				}
			}
			var got []string
			for _, src := range search(t, tree, tt.title) {
				got = append(got, describe(src))
			}
			var want []string
			for line := range strings.Lines(tt.want) {
				if line = strings.TrimSpace(line); line != "" {
					want = append(want, line)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// describe is what a source tells that its path does not.
func describe(src sources.Source) string {
	words := []string{strings.TrimPrefix(src.URL, "/media/")}
	if strings.HasPrefix(src.URL, "http") {
		words = []string{strings.TrimSuffix(src.Name, ".strm") + ".strm", src.URL}
	}
	if src.Own != (link.Hoster(src.URL) == link.HosterLocal) {
		words = append(words, "own is wrong")
	}
	if src.Quality != "" {
		words = append(words, string(src.Quality))
	}
	if src.Language != "" {
		words = append(words, src.Language)
	}
	words = append(words, src.Info...)
	if src.Trailer {
		words = append(words, "trailer")
	}
	if len(src.Subtitles) > 0 {
		words = append(words, "subtitles")
	}
	stem := src.URL[:strings.LastIndexByte(src.URL, '.')]
	for _, s := range src.Subtitles {
		if rest, ok := strings.CutPrefix(s.URL, stem); ok {
			words = append(words, rest+"="+s.Language)
			continue
		}
		words = append(words, strings.TrimPrefix(s.URL, "/media/")+"="+s.Language)
	}
	return strings.Join(words, " ")
}

func TestGroup(t *testing.T) {
	tree := newTree("Show/Season 1/Show S01E01 720p.mkv", "Show/Season 1/Show S01E02 720p.mkv", "Show/Season 1/Show S01E02 1080p.mkv")
	first, second := search(t, tree, episode("Show", 1, 1)), search(t, tree, episode("Show", 1, 2))
	if len(first) != 1 || len(second) != 2 || first[0].Group == "" || first[0].Group != second[1].Group || second[0].Group == second[1].Group {
		t.Errorf("groups %+v and %+v", first, second)
	}
	if found := search(t, newTree("Some Film (2008).mkv"), film("Some Film", 2008)); len(found) != 1 || found[0].Group != "" {
		t.Errorf("a film has a group: %+v", found)
	}
}
