package engine_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"xship/cmd/engine"
	"xship/sources"
)

// written writes the titles of a list, with all that is known of each.
func written(l engine.TitleList) string {
	var all []string
	for _, e := range l.Entries {
		t := e.Title
		s := t.Name
		if t.Year != 0 {
			s += fmt.Sprintf(" (%d)", t.Year)
		}
		if t.Kind == sources.KindEpisode {
			s += fmt.Sprintf(" %dx%d", t.Season, t.Episode)
		}
		if t.IMDb != "" {
			s += " " + t.IMDb
		}
		if e.Origin != sources.WatchUser {
			s += " " + string(e.Origin)
		}
		all = append(all, s)
	}
	return strings.Join(all, " | ")
}

func TestReadTitleList_lines(t *testing.T) {
	for line, want := range map[string]string{
		"Big Buck Bunny":                                              "Big Buck Bunny",
		"  Big Buck Bunny (2008)  ":                                   "Big Buck Bunny (2008)",
		"Big Buck Bunny [2008]":                                       "Big Buck Bunny (2008)",
		"- Big Buck Bunny":                                            "Big Buck Bunny",
		"* Big Buck Bunny (2008)":                                     "Big Buck Bunny (2008)",
		"• Big Buck Bunny":                                            "Big Buck Bunny",
		"1. Big Buck Bunny":                                           "Big Buck Bunny",
		"12) Big Buck Bunny":                                          "Big Buck Bunny",
		"- [ ] Big Buck Bunny":                                        "Big Buck Bunny",
		"- [x] Big Buck Bunny (2008)":                                 "Big Buck Bunny (2008)",
		"\"Big Buck Bunny\" (2008)":                                   "Big Buck Bunny (2008)",
		"„Big Buck Bunny“":                                            "Big Buck Bunny",
		"Big Buck Bunny (2008) tt1254207":                             "Big Buck Bunny (2008) tt1254207",
		"Big Buck Bunny (2008) [tt1254207]":                           "Big Buck Bunny (2008) tt1254207",
		"Big Buck Bunny, TT1254207":                                   "Big Buck Bunny tt1254207",
		"tt1254207 Big Buck Bunny":                                    "Big Buck Bunny tt1254207",
		"Big Buck Bunny - IMDb: tt1254207":                            "Big Buck Bunny tt1254207",
		"Big Buck Bunny https://www.imdb.com/title/tt1254207/?ref_=x": "Big Buck Bunny tt1254207",
		"Big Buck Bunny (2008) # with the children":                   "Big Buck Bunny (2008)",
		"Some Series S01E02":                                          "Some Series 1x2",
		"Some Series s01e02 (2014)":                                   "Some Series (2014) 1x2",
		"Some Series 1x02":                                            "Some Series 1x2",
		"Some Series (2014) S00E01":                                   "Some Series (2014) 0x1",
		"Some Series S02":                                             "Some Series 2x1",
		"Open Season 2 (2008)":                                        "Open Season 2 (2008)",
		"某剧 第2季第3集":                                                   "某剧 2x3",
		"12 Monkeys":                                                  "12 Monkeys",
		"1917 (2019)":                                                 "1917 (2019)",
		"10.000 BC":                                                   "10.000 BC",
		"[REC] (2007)":                                                "[REC] (2007)",
		"Blade Runner 2049":                                           "Blade Runner 2049",
		"Film #2":                                                     "Film #2",
		"None (2019)":                                                 "None (2019)",
		"☐ Big Buck Bunny":                                            "Big Buck Bunny",
		"✓ Big Buck Bunny (2008)":                                     "Big Buck Bunny (2008)",
		"Big Buck Bunny,2008":                                         "Big Buck Bunny (2008)",
		"\"The Good, the Bad\",1966":                                  "The Good, the Bad (1966)",
		"I, Robot\t2004":                                              "I, Robot (2004)",
		"I, Robot;\"2004\"":                                           "I, Robot (2004)",
		"Summer, 1993":                                                "Summer, 1993",
		"Show S01E02 - 7 Days":                                        "Show 1x2",
		"1. 2012":                                                     "2012",
		"1.5":                                                         "1.5",
		"\x1b[31mRed\x1b[0m (2010)":                                   "Red (2010)",
		"Amélie":                                                      "Amélie",
		"":                                                            "",
		"   ":                                                         "",
		"# a comment":                                                 "",
		"#Another":                                                    "",
	} {
		l, err := engine.ReadTitleList([]byte(line))
		if got := written(l); err != nil || got != want || len(l.LeftOut) > 0 {
			t.Errorf("%q: %q %+v %v, want %q", line, got, l.LeftOut, err, want)
		}
	}
}

func TestReadTitleList_leftOut(t *testing.T) {
	for line, want := range map[string]string{
		"tt1254207":                      "it is an IMDb id alone",
		"- tt1254207":                    "it is an IMDb id alone",
		"???":                            "at least one letter or digit",
		"-----":                          "at least one letter or digit",
		"https://host.example/film.mkv":  "it is a link or a path",
		"magnet:?xt=urn:btih:0123456789": "it is a link or a path",
		"/home/me/film.mkv":              "it is a link or a path",
		"1.":                             "it has no name",
		"- [ ]":                          "it has no name",
		"S01E02":                         "it is an episode, and names no series",
		"- 1x02":                         "it is an episode, and names no series",
		"Show S01E02-E05":                "it names more than one episode",
		"Show S01E02E03":                 "it names more than one episode",
		"Show s01e02 & 3":                "it names more than one episode",
		"null":                           "it is what a script writes",
		"Fi\ufffdm":                      "letters that cannot be read",
		strings.Repeat("x", 10<<20):      "it is too long for a title: 10485760 bytes",
	} {
		l, err := engine.ReadTitleList([]byte("Film\n" + line + "\nAnother"))
		if err != nil || written(l) != "Film | Another" || len(l.LeftOut) != 1 || l.LeftOut[0].Line != 2 || !strings.Contains(l.LeftOut[0].Why, want) {
			t.Errorf("%.50q: %q %+v %v, want %q", line, written(l), l.LeftOut, err, want)
		}
		for _, left := range l.LeftOut {
			if len(left.Text) > 300 {
				t.Errorf("%.50q: it is shown as %d bytes", line, len(left.Text))
			}
		}
	}
}

func TestReadTitleList_files(t *testing.T) {
	wide := func(s string) []byte {
		b := []byte{0xff, 0xfe}
		for _, u := range utf16.Encode([]rune(s)) {
			b = append(b, byte(u), byte(u>>8))
		}
		return b
	}
	const watchlist = `{"watchlist": [
		{"id": 3, "title": {"kind": "episode", "name": "Harbour Nine", "year": null, "imdb": "tt0000001", "season": 0, "episode": 2}, "origin": "next", "added_at": 5, "wanted_at": 6},
		{"id": 1, "title": {"kind": "movie", "name": "Paper Submarines", "year": 2016, "imdb": null, "season": null, "episode": null}, "origin": "user"}]}`
	const came = "Harbour Nine 0x2 tt0000001 next | Paper Submarines (2016)"
	for name, c := range map[string]struct {
		file []byte
		want string
		left string // lines that are left out
	}{
		"nothing":               {nil, "", "[]"},
		"lines of Windows":      {[]byte("One\r\nTwo\r\n\r\n# x\r\nThree"), "One | Two | Three", "[]"},
		"lines of an old Mac":   {[]byte("One\rTwo\r???"), "One | Two", "[3]"},
		"a byte order mark":     {[]byte("\ufeffOne\nTwo\n"), "One | Two", "[]"},
		"UTF-16":                {wide("Eins\r\nÜber (2014)\r\n"), "Eins | Über (2014)", "[]"},
		"Windows-1252":          {[]byte("Eins\n\xdcber die Br\xfccke (2014)\nGr\xf6\xdfe\n"), "Eins | Über die Brücke (2014) | Größe", "[]"},
		"numbers of lines":      {[]byte("\n# a\nOne\n???\n\n!!\n"), "One", "[4 6]"},
		"the document":          {[]byte(watchlist), came, "[]"},
		"its entries":           {[]byte(strings.TrimSuffix(strings.TrimPrefix(watchlist, `{"watchlist": `), "}")), came, "[]"},
		"titles":                {[]byte(`[{"name": "One", "year": 2001}, {"name": "Two", "season": 1, "episode": 2}, {"name": "Three", "season": 1}, 5, {"name": "???"}]`), "One (2001) | Two 1x2", "[3 4 5]"},
		"names in JSON":         {[]byte(`["One", "Two (2002)", "???", ""]`), "One | Two (2002)", "[3 4]"},
		"JSON of others":        {[]byte(`[{"type": "movie", "movie": {"title": "One", "year": 2001}}]`), "", "[1]"},
		"an empty document":     {[]byte(`{"watchlist": []}`), "", "[]"},
		"an empty list":         {[]byte(`[]`), "", "[]"},
		"the table":             {[]byte("id\tkind\tname\tyear\timdb\tseason\tepisode\torigin\tadded_at\n3\tepisode\tHarbour Nine\t\ttt0000001\t0\t2\tnext\t5\n1\tmovie\t'-Paper\t2016\t\t\t\tuser\t6\n4\tepisode\tHalf\t\t\t1\t\tuser\t1\n"), "Harbour Nine 0x2 tt0000001 next | -Paper (2016)", "[4]"},
		"a table of Letterboxd": {[]byte("Date,Name,Year,Letterboxd URI\n2024-01-02,\"Good, the Bad\",1966,https://boxd.it/x\n2024-01-03,Two,,https://boxd.it/y\n"), "Good, the Bad (1966) | Two", "[]"},
		"a list of Letterboxd":  {[]byte("Letterboxd list export v7\r\nDate,Name,Tags,URL,Description\r\n2024-01-02,Mine,,https://boxd.it/x,\r\n\r\nPosition,Name,Year,URL,Description\r\n1,One,2001,https://boxd.it/y,\r\n2,???,2002,https://boxd.it/z,\r\n"), "One (2001)", "[7]"},
		"a table of IMDb":       {[]byte("Position,Const,Created,Title,Title Type,Year\n1,tt0000001,x,One,Movie,2001\n2,tt0000002,x,Two,TV Series,2002\n3,tt0000003,x,Three,tvMovie,20x3\n"), "One (2001) tt0000001", "[3 4]"},
		"quotes of a title":     {[]byte("id\tkind\tname\tyear\n1\tmovie\t\"Crocodile\" Dundee\t1986\n2\tmovie\tThe 5\" Film\t2001\n3\tmovie\tThree\t2003\n"), "\"Crocodile\" Dundee (1986) | The 5\" Film (2001) | Three (2003)", "[]"},
		"a quote left open":     {[]byte("Name,Year\nOne,2001\n\"Two,2002\n\"Three, the Last\",2003\n!?,2004\nFive,2005\n"), "One (2001) | Two (2002) | Three, the Last (2003) | Five (2005)", "[5]"},
		"one left open at last": {[]byte("Name,Year\n\"One,2001\nTwo,2002\n\nThree,2003\n"), "One (2001) | Two (2002) | Three (2003)", "[]"},
		"a note of two lines":   {[]byte("Name,Note,Year\nOne,\"good,\nand short\",2001\nTwo,,2002\n"), "One (2001) | Two (2002)", "[]"},
		"commas of titles":      {[]byte("The Good, the Bad\nName, the Unknown\n"), "The Good, the Bad | Name, the Unknown", "[]"},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := engine.ReadTitleList(c.file)
			lines := []int{}
			for _, left := range l.LeftOut {
				lines = append(lines, left.Line)
			}
			if got := written(l); err != nil || got != c.want || fmt.Sprint(lines) != c.left {
				t.Errorf("%q %+v %v, want %q, without %s", got, l.LeftOut, err, c.want, c.left)
			}
		})
	}
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"a picture":        {append([]byte("\x89PNG\r\n\x1a\n"), bytes.Repeat([]byte{0, 1, 2, 3, 200}, 100)...), "it is no text"},
		"a program":        {append([]byte("\x7fELF"), bytes.Repeat([]byte{0, 1, 0, 7, 0, 0, 0, 9}, 100)...), "it is no text"},
		"a backup":         {[]byte(`{"xship_backup": 1, "watchlist": []}`), "it is a backup"},
		"another document": {[]byte(`{"titles": []}`), "it is JSON, and no watchlist"},
		"half a document":  {[]byte(watchlist[:100]), "it begins as JSON and is none"},
		"half a list":      {[]byte(`[{"name": "One"},`), "it begins as JSON and is none"},
		"far too many":     {bytes.Repeat([]byte("A\n"), 100_001), "it has more than 100000 titles"},
	} {
		if _, err := engine.ReadTitleList(c.file); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func FuzzReadTitleList(f *testing.F) {
	for _, seed := range []string{"- Film (2008) tt1254207", "name,year\nx,1", `[{"name": "One"}]`, "\"a\" # b"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		l, err := engine.ReadTitleList(raw)
		if err != nil {
			return
		}
		for _, e := range l.Entries {
			if err := e.Title.Validate(); err != nil {
				t.Errorf("%+v: %v", e.Title, err)
			}
		}
	})
}

// BenchmarkReadTitleList reads 10,000 lines, half of them no titles.
func BenchmarkReadTitleList(b *testing.B) {
	var list bytes.Buffer
	for i := range 5000 {
		fmt.Fprintf(&list, "%d. Some Film of a Name %d (2008) tt%07d\n???\n", i, i, i)
	}
	for b.Loop() {
		if l, err := engine.ReadTitleList(list.Bytes()); err != nil || len(l.Entries) != 5000 || len(l.LeftOut) != 5000 {
			b.Fatal(len(l.Entries), len(l.LeftOut), err)
		}
	}
}
