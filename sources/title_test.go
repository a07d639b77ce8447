package sources_test

import (
	"strings"
	"testing"

	"xship/sources"
)

func TestTitle_Validate(t *testing.T) {
	film := sources.Title{Kind: sources.KindMovie, Name: "Big Buck Bunny", Year: 2008, IMDb: "tt1254207"}
	tests := []struct {
		name   string
		change func(*sources.Title)
		want   []string // parts of the error, none = valid
	}{
		{"film", func(*sources.Title) {}, nil},
		{"special", func(t *sources.Title) { t.Kind = sources.KindEpisode; t.Season, t.Episode = 0, 0 }, nil},
		{"no name", func(t *sources.Title) { t.Name = " " }, []string{"needs a name"}},
		{"punctuation only", func(t *sources.Title) { t.Name = "?!…" }, []string{"needs a name"}},
		{"Chinese name", func(t *sources.Title) { t.Name = "流浪地球" }, nil},
		{"year too early", func(t *sources.Title) { t.Year = 1600 }, []string{"year 1600"}},
		{"year too late", func(t *sources.Title) { t.Year = 20080 }, []string{"year 20080"}},
		{"bad id and kind", func(t *sources.Title) { t.IMDb = "1254207"; t.Kind = "song" }, []string{`"1254207"`, `"song"`}},
		{"negative episode", func(t *sources.Title) { t.Kind = sources.KindEpisode; t.Episode = -1 }, []string{"negative"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			title := film
			tt.change(&title)
			err := title.Validate()
			if (err != nil) != (len(tt.want) > 0) {
				t.Fatalf("Validate() = %v, want error: %v", err, len(tt.want) > 0)
			}
			for _, part := range tt.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("Validate() = %q, want %q in it", err, part)
				}
			}
		})
	}
}

// Whatever differs in a title must differ in its key: what is stored for one
// episode may never be served for another.
func TestTitle_Key_tellsTitlesApart(t *testing.T) {
	episode := func(s, e int) sources.Title {
		return sources.Title{Kind: sources.KindEpisode, Name: "Show", Season: s, Episode: e}
	}
	titles := []sources.Title{
		{Kind: sources.KindMovie, Name: "Show"},
		{Kind: sources.KindMovie, Name: "庆余年"},
		{Kind: sources.KindMovie, Name: "慶餘年"},
		{Kind: sources.KindMovie, Name: "Show", Year: 2001},
		{Kind: sources.KindMovie, Name: "Show 2"},
		{Kind: sources.KindMovie, Name: "Show", IMDb: "tt0000001"},
		{Kind: sources.KindMovie, Name: "Show", OriginalName: "Serie"},
		{Kind: sources.KindMovie, Name: "Show", Aliases: []string{"Serie"}},
		{Kind: sources.KindMovie, Name: "Show", Aliases: []string{"Se", "rie"}},
		episode(0, 0), episode(0, 1), episode(1, 0), episode(1, 1), episode(11, 1), episode(1, 11),
	}
	seen := make(map[string]sources.Title)
	for _, title := range titles {
		if other, ok := seen[title.Key()]; ok {
			t.Errorf("%+v and %+v share the key %q", title, other, title.Key())
		}
		seen[title.Key()] = title
	}
}

func TestTitle_Key_sameTitle(t *testing.T) {
	a := sources.Title{Kind: sources.KindMovie, Name: "Big Buck Bunny", Aliases: []string{"BBB", "Bunny"}}
	b := sources.Title{Kind: sources.KindMovie, Name: "big  buck bunny!", Aliases: []string{"bunny", "BBB", "BBB"}, Season: 3}
	if a.Key() != b.Key() {
		t.Errorf("keys differ: %q and %q", a.Key(), b.Key())
	}
}

func TestTitle_Names(t *testing.T) {
	title := sources.Title{Name: "Nosferatu", OriginalName: "nosferatu", Aliases: []string{"", "Eine Symphonie", "NOSFERATU!"}}
	if got := strings.Join(title.Names(), "|"); got != "Nosferatu|Eine Symphonie" {
		t.Errorf("Names() = %q", got)
	}
}

func TestTitle_String(t *testing.T) {
	for want, title := range map[string]sources.Title{
		"Sintel":        {Kind: sources.KindMovie, Name: "Sintel"},
		"Sintel (2010)": {Kind: sources.KindMovie, Name: "Sintel", Year: 2010},
		"Show S00E01":   {Kind: sources.KindEpisode, Name: "Show", Episode: 1, Year: 2010},
	} {
		if got := title.String(); got != want {
			t.Errorf("String() = %q, want %q", got, want)
		}
	}
}
