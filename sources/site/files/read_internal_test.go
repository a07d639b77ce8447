package files

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"xship/sources"
	"xship/sources/link"
	"xship/sources/match"
	"xship/sources/text"
)

func TestParseNFO(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     nfo
	}{
		{
			"film", `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><movie><title>A &amp; B</title><originaltitle>C</originaltitle><year>2008</year><uniqueid type="tmdb">12</uniqueid><uniqueid type="imdb" default="true">tt1234567</uniqueid></movie>`,
			nfo{Kind: kindMovie, Names: []string{"A & B", "C"}, Year: 2008, IMDb: "tt1234567"},
		},
		{"old ids", `<movie><id>tt1234567</id></movie>`, nfo{Kind: kindMovie, IMDb: "tt1234567"}},
		{"id of another", `<movie><id>12</id><uniqueid type="tmdb">tt1234567</uniqueid></movie>`, nfo{Kind: kindMovie}},
		{"series", `<tvshow><title>A</title><premiered>2008-01-02</premiered><imdb_id>tt1234567</imdb_id></tvshow>`, nfo{Kind: kindShow, Names: []string{"A"}, Year: 2008, IMDb: "tt1234567"}},
		{
			"episode", `<episodedetails><title>Pilot</title><showtitle>A</showtitle><season>0</season><episode>2</episode><year>2008</year><uniqueid type="imdb">tt1234567</uniqueid></episodedetails>`,
			nfo{Kind: kindEpisode, Names: []string{"A"}, Episodes: []nfoEpisode{{0, 2}}},
		},
		{
			"several episodes", `<episodedetails><season>1</season><episode>2</episode></episodedetails> <episodedetails><season>1</season><episode>3</episode></episodedetails>`,
			nfo{Kind: kindEpisode, Episodes: []nfoEpisode{{1, 2}, {1, 3}}},
		},
		{"episode without a number", `<episodedetails><title>Pilot</title></episodedetails>`, nfo{Kind: kindEpisode}},
		{"nested", `<movie><set><name>x</name><title>Set</title></set><actor><name>y</name><title>z</title></actor><title>A</title></movie>`, nfo{Kind: kindMovie, Names: []string{"A"}}},
		{"a link behind it", "<movie><title>A</title></movie>\nhttps://www.imdb.com/title/tt1234567/", nfo{Kind: kindMovie, Names: []string{"A"}, IMDb: "tt1234567"}},
		{"a link alone", "https://www.imdb.com/title/tt1234567\n", nfo{IMDb: "tt1234567"}},
		{"a link in a language", "http://www.imdb.com/de/title/tt1234567/", nfo{IMDb: "tt1234567"}},
		{"an id alone", "tt1234567", nfo{IMDb: "tt1234567"}},
		{"a link elsewhere", "https://www.themoviedb.org/movie/12-a", nfo{}},
		{"release notes", "ripped by tt12 of GRP\nIMDB: tt1234567", nfo{IMDb: "tt1234567"}},
		{"no end", `<movie><title>A</title><year>2008</year><title`, nfo{Kind: kindMovie, Names: []string{"A"}, Year: 2008}},
		{"a stray sign", `<movie><title>A & B</title><year>2008</year></movie>`, nfo{Kind: kindMovie, Names: []string{"A & B"}, Year: 2008}},
		{"a stray tag", `<movie><plot>1 < 2</plot><title>A</title></movie>`, nfo{Kind: kindMovie, Names: []string{"A"}}},
		{"capitals", `<MOVIE><Title>A</Title></MOVIE>`, nfo{Kind: kindMovie, Names: []string{"A"}}},
		{"UTF-16", "\xff\xfe<\x00m\x00o\x00v\x00i\x00e\x00>\x00<\x00t\x00i\x00t\x00l\x00e\x00>\x00\xc4\x00b\x00<\x00/\x00t\x00i\x00t\x00l\x00e\x00>\x00", nfo{Kind: kindMovie, Names: []string{"Äb"}}},
		{"Latin-1", "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><movie><title>Die \xc4rztin in K\xf6ln</title></movie>", nfo{Kind: kindMovie, Names: []string{"Die Ärztin in Köln"}}},
		{"escape sequences", "<movie><title>A\x1b[31m\u202eB</title></movie>", nfo{Kind: kindMovie, Names: []string{"AB"}}},
		{"impossible year", `<movie><year>20080</year><year>1</year></movie>`, nfo{Kind: kindMovie, Year: 2008}},
		{"entities", `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><movie><title>&b;</title></movie>`, nfo{Kind: kindMovie, Names: []string{"&b;"}}},
		{"a page", `<html><body><p>not found`, nfo{}},
		{"empty", ``, nfo{}},
	} {
		if diff := cmp.Diff(tt.want, parseNFO([]byte(tt.in))); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

func TestParseSTRM(t *testing.T) {
	for in, want := range map[string]string{
		"http://h.example/a.mp4": "http://h.example/a.mp4",
		"\ufeff\r\n#KODIPROP:inputstream=x\r\n\r\n HTTPS://h/a.mp4 \r\nmore": "HTTPS://h/a.mp4",
		"https://h/a.mp4|User-Agent=x&Referer=http%3A%2F%2Fr":                "https://h/a.mp4|User-Agent=x&Referer=http%3A%2F%2Fr",
		"plugin://plugin.video.x/?a=http://h":                                "",
		"/etc/passwd":                                                        "",
		"file:///etc/passwd":                                                 "",
		"smb://nas/a.mkv":                                                    "",
		"http:///a":                                                          "",
		"//h/a":                                                              "",
		"http://h/\x1b[31m":                                                  "",
		"a.mkv\nhttp://h/a.mp4":                                              "",
		"":                                                                   "",
		"http://h/" + strings.Repeat("a", maxLink):                           "",
		"#EXTM3U":                                                            "",
	} {
		if got := parseSTRM([]byte(in)); got != want {
			t.Errorf("%q holds %q, want %q", in, got, want)
		}
	}
}

func FuzzParseNFO(f *testing.F) {
	for _, s := range []string{
		"", "<movie><title>A &amp; B</title><year>2008</year></movie>", "<episodedetails><season>1</season><episode>2</episode></episodedetails><episodedetails>",
		"https://www.imdb.com/title/tt1234567/", "<movie><uniqueid type='imdb'>tt1234567", "\xff\xfe<\x00", "<a><![CDATA[", "<movie>&#x1b;", "<!DOCTYPE [", "<movie><title>\xc4",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		n := parseNFO(data)
		if n.IMDb != "" && !sources.IsIMDbID(n.IMDb) || n.Year != 0 && (n.Year < sources.MinYear || n.Year > sources.MaxYear) || len(n.Episodes) > maxStacked {
			t.Errorf("%q tells %+v", data, n)
		}
		for _, name := range n.Names {
			if name == "" || name != text.Clean(name) || utf8.RuneCountInString(name) > maxNFOName {
				t.Errorf("%q has the name %q", data, name)
			}
		}
		if _, first, last, ok := n.run(); ok && (first < 0 || last < first) {
			t.Errorf("%q has the episodes %d to %d", data, first, last)
		}
	})
}

func FuzzParseSTRM(f *testing.F) {
	for _, s := range []string{"http://h/a|X=1", "#x\n\nhttps://h", "plugin://x", "\xff\xfeh\x00", "http://[::1]:80/", "http://h/%zz\x00"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got := parseSTRM(data)
		if got == "" {
			return
		}
		if h := link.Hoster(got); h == "" || h == link.HosterLocal || text.Printable(got) != got || !strings.EqualFold(got[:4], "http") {
			t.Errorf("%q leads to %q, on %q", data, got, h)
		}
	})
}

// Whatever a file is called, it can be read, and what fits a title is found by its keys.
func FuzzFacts(f *testing.F) {
	for _, s := range []string{
		"Films/Some Film (2008)/Some Film (2008) - cd1.mkv", "Show/Season 01/Show S01E02.mkv", "Show/Specials/02.mkv", "-rf.mkv", "\xff\xfe/\xff.mkv", "x/[imdbid-tt1234567].mkv",
		"某剧2/第03集.mp4", "a\\b/c|d.strm", "CD2/trailer.mkv", "{edition-}.mkv", "Show/Show - 105.mkv", "[Grp] Show - 05 [1080p].mkv", "part1.mkv", "1.mkv", " .mkv", "Show 2024.05.31.mkv",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, file string) {
		folder, name := split(file)
		if !isName(name) || strings.HasPrefix(name, ".") {
			return
		}
		r := reader{walk: &walk{}, v: &visit{place: place{path: folder}}, in: readFolder("root", folder, show{})}
		l := sortListing([]Entry{{Name: name, Size: -1}})
		for _, it := range r.items(l) {
			if strings.EqualFold(extensionOf(name), ".strm") {
				continue
			}
			fact, ok := r.facts(l, it, true, "")
			if !ok {
				continue
			}
			again, ok := parseFacts(fact.encode())
			if diff := cmp.Diff(fact, again); !ok || diff != "" {
				t.Errorf("%q is not kept as it is: %s", file, diff)
			}
			keys := fact.keys(file)
			titles := []sources.Title{{Kind: sources.KindMovie, Name: it.stem}}
			for _, name := range fact.Names {
				titles = append(titles,
					sources.Title{Kind: sources.KindMovie, Name: name, Year: fact.Year}, sources.Title{Kind: sources.KindMovie, IMDb: fact.IMDb},
					sources.Title{Kind: sources.KindEpisode, Name: name, Season: 1, Episode: fact.First}, sources.Title{Kind: sources.KindEpisode, Name: name, Season: 2, Episode: fact.Last},
					sources.Title{Kind: sources.KindEpisode, Name: name, Season: max(fact.Season, 0), Episode: fact.Last})
			}
			for _, title := range titles {
				m := match.For(title)
				if fact.fit(file, title, m) != match.None && !slices.ContainsFunc(keysFor(title, m), func(key string) bool { return slices.Contains(keys, key) }) {
					t.Errorf("%q fits %+v, and is not found by it: keys %q, looked for %q", file, title, keys, keysFor(title, m))
				}
			}
		}
	})
}
