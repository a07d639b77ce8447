package sourcetest

import (
	"fmt"
	"slices"
	"strings"

	"xship/sources"
	"xship/sources/sourcetest/world"
)

// Films is the catalogue of the suite: invented films and series, beside each
// of them what is easily taken for it. Nothing is served at its links.
func Films() []world.Film {
	films := []world.Film{
		{
			Name: "Paper Submarines", Year: 2016, Type: "Film", Remarks: "HD", Lang: "English", IMDb: "tt9000001",
			Groups: []world.Group{
				{From: "mp4", Items: []world.Item{
					{Label: "1080P", URL: mediaLink("paper-submarines-1080p.mp4")},
					{Label: "720P", URL: mediaLink("paper-submarines-720p.mp4")},
				}},
				{From: "m3u8", Items: []world.Item{{Label: "HD", URL: mediaLink("paper-submarines/index.m3u8")}}},
			},
		},
		film("Paper Submarines", 1974, "tt9000002", "paper-submarines-1974.mp4"),
		film("Paper Submarines 2", 2016, "tt9000003", "paper-submarines-two.mp4"),
		film("Paper Submarines Forever", 2016, "tt9000004", "paper-submarines-forever.mp4"),
		film("The Making of Paper Submarines", 2016, "tt9000005", "paper-submarines-making.mp4"),
		film("钟表匠的风筝", 2021, "tt9000006", "kite.m3u8"),
		series("Harbour Nine", "tt9000010", append(items(1, "S01E%02d", "harbour-nine-s01e%02d.mp4", 12),
			world.Item{Label: "S00E01", URL: mediaLink("harbour-nine-s00e01.mp4"), Episode: 1})),
		series("Harbour Nine Season 2", "tt9000010", items(2, "E%02d", "harbour-nine-s02e%02d.mp4", 3)),
		series("九号海港 第三季", "tt9000010", items(3, "第%02d集", "harbour-nine-s03e%02d.m3u8", 3)),
		series("Tin Parade", "tt9000011", items(1, "%02d", "tin-parade-%02d.mp4", 12)),
		series("Kettle Street", "tt9000012", items(1, "1x%02d", "kettle-street-%02d.mp4", 3)),
		{
			Name: "Glass Lighthouse", Year: 2012, IMDb: "tt9000007", Type: "Film\x1b[7m", Remarks: "\x1b[31mHD\x1b[0m", Lang: "English\u202e",
			Groups: []world.Group{{From: "m3u8\x1b[2J", Items: []world.Item{
				{Label: "HD\x1b]0;owned\x07\u202e", URL: mediaLink("glass-lighthouse.m3u8")},
			}}},
		},
	}
	for n := range 60 {
		films = append(films, film(fmt.Sprintf("Echo Over Valley %c%c", 'A'+n/26, 'A'+n%26), 2000, fmt.Sprintf("tt90001%02d", n), fmt.Sprintf("echo-%02d.mp4", n)))
	}
	return films
}

// mediaLink is a direct link to a file that only looks as if it existed.
func mediaLink(file string) string { return "https://media.example.com/" + file }

func film(name string, year int, imdb, file string) world.Film {
	return world.Film{
		Name: name, Year: year, Type: "Film", Remarks: "HD", IMDb: imdb,
		Groups: []world.Group{{From: file[strings.LastIndexByte(file, '.')+1:], Items: []world.Item{{Label: "HD", URL: mediaLink(file)}}}},
	}
}

func series(name, imdb string, all []world.Item) world.Film {
	return world.Film{Name: name, Type: "Series", IMDb: imdb, Groups: []world.Group{{From: "mp4", Items: all}}}
}

// items are the episodes 1 to count of a season.
func items(season int, label, file string, count int) []world.Item {
	all := make([]world.Item, count)
	for i := range all {
		all[i] = world.Item{Label: fmt.Sprintf(label, i+1), URL: mediaLink(fmt.Sprintf(file, i+1)), Season: season, Episode: i + 1}
	}
	return all
}

// Case is a title and what a site must yield for it.
type Case struct {
	Name  string
	Title sources.Title
	// URLs are the links to come, in any order. None means that the site must
	// answer that it has nothing.
	URLs []string
	// Some asks for one source at least, of whatever URL, in place of URLs.
	Some bool
}

// cases is what a site must yield of Films.
func cases() []Case {
	movie := func(name string, year int) sources.Title {
		return sources.Title{Kind: sources.KindMovie, Name: name, Year: year}
	}
	episode := func(name string, season, number int) sources.Title {
		return sources.Title{Kind: sources.KindEpisode, Name: name, Season: season, Episode: number}
	}
	original := movie("The Clockmaker's Kite", 2021)
	original.OriginalName = "钟表匠的风筝"
	alias := movie("The Clockmaker's Kite", 2021)
	alias.Aliases = []string{"钟表匠的风筝"}
	return []Case{
		{Name: "film", Title: movie("Paper Submarines", 2016), URLs: []string{
			mediaLink("paper-submarines-1080p.mp4"), mediaLink("paper-submarines-720p.mp4"), mediaLink("paper-submarines/index.m3u8"),
		}},
		{Name: "namesake", Title: movie("Paper Submarines", 1974), URLs: []string{mediaLink("paper-submarines-1974.mp4")}},
		{Name: "sequel", Title: movie("Paper Submarines II", 2016), URLs: []string{mediaLink("paper-submarines-two.mp4")}},
		{Name: "original name", Title: original, URLs: []string{mediaLink("kite.m3u8")}},
		{Name: "alias", Title: alias, URLs: []string{mediaLink("kite.m3u8")}},
		{Name: "escape sequences", Title: movie("Glass Lighthouse", 2012), URLs: []string{mediaLink("glass-lighthouse.m3u8")}},
		{Name: "episode", Title: episode("Harbour Nine", 1, 1), URLs: []string{mediaLink("harbour-nine-s01e01.mp4")}},
		{Name: "two-digit episode", Title: episode("Harbour Nine", 1, 11), URLs: []string{mediaLink("harbour-nine-s01e11.mp4")}},
		{Name: "special", Title: episode("Harbour Nine", 0, 1), URLs: []string{mediaLink("harbour-nine-s00e01.mp4")}},
		{Name: "second season", Title: episode("Harbour Nine", 2, 1), URLs: []string{mediaLink("harbour-nine-s02e01.mp4")}},
		{Name: "Chinese labels", Title: episode("九号海港", 3, 2), URLs: []string{mediaLink("harbour-nine-s03e02.m3u8")}},
		{Name: "bare numbers", Title: episode("Tin Parade", 1, 2), URLs: []string{mediaLink("tin-parade-02.mp4")}},
		{Name: "season x episode", Title: episode("Kettle Street", 1, 3), URLs: []string{mediaLink("kettle-street-03.mp4")}},

		{Name: "unknown film", Title: movie("The Film Nobody Made", 2001)},
		{Name: "unknown year", Title: movie("Paper Submarines", 1995)},
		{Name: "unknown sequel", Title: movie("Paper Submarines 3", 2016)},
		{Name: "part of a name", Title: movie("Submarines", 2016)},
		{Name: "part of many names", Title: movie("Echo", 2000)},
		{Name: "unknown episode", Title: episode("Harbour Nine", 1, 13)},
		{Name: "unknown season", Title: episode("Harbour Nine", 4, 1)},
		{Name: "unknown special", Title: episode("Tin Parade", 0, 1)},
		{Name: "film of a series", Title: movie("Harbour Nine", 0)},
		{Name: "episode of a film", Title: episode("Paper Submarines", 1, 1)},
	}
}

// withIDs are cases whose titles have the IMDb ids that they have in Films; what is not
// there has one that nothing has.
func withIDs(all []Case) []Case {
	ids := make(map[string]string)
	for _, f := range Films() {
		for _, g := range f.Groups {
			for _, it := range g.Items {
				ids[it.URL] = f.IMDb
			}
		}
	}
	known := map[string]string{"Harbour Nine": "tt9000010", "Tin Parade": "tt9000011", "Paper Submarines": "tt9000001"}
	for i := range all {
		c := &all[i]
		switch {
		case len(c.URLs) > 0:
			c.Title.IMDb = ids[c.URLs[0]]
		case c.Title.Year != 0 || known[c.Title.Name] == "":
			c.Title.IMDb = "tt9999999"
		default:
			c.Title.IMDb = known[c.Title.Name]
		}
	}
	return all
}

// neighbours adds to cases of films what no site may take for them: the
// film of another year, a sequel, an episode.
func neighbours(of []Case) []Case {
	all := slices.Clone(of)
	for _, c := range of {
		if c.Title.Kind != sources.KindMovie || (!c.Some && len(c.URLs) == 0) {
			continue
		}
		if c.Title.Year != 0 {
			other := sources.Title{Kind: sources.KindMovie, Name: c.Title.Name, Year: c.Title.Year - 7}
			all = append(all, Case{Name: c.Name + ", another year", Title: other})
		}
		sequel := sources.Title{Kind: sources.KindMovie, Name: c.Title.Name + " 17", Year: c.Title.Year}
		episode := sources.Title{Kind: sources.KindEpisode, Name: c.Title.Name, Season: 1, Episode: 1}
		all = append(all, Case{Name: c.Name + ", a sequel", Title: sequel}, Case{Name: c.Name + ", an episode", Title: episode})
	}
	return all
}
