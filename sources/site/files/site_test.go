package files_test

import (
	"testing"
	"time"

	"xship/sources"
	"xship/sources/site/files"
	"xship/sources/sourcetest"
)

func TestSiteSearch(t *testing.T) {
	tree := newTree("Some Film (2008)/Some Film (2008) - 1080p.mkv", "Show/Season 1/Show S01E02.mkv", "readme.txt")
	site := files.NewSite(sources.SiteInfo{Key: "k", Name: "n", Type: "fake"}, tree, files.Options{Index: sourcetest.NewMemory(nil), MaxAge: time.Minute, Own: true})
	for _, tt := range []struct {
		title sources.Title
		want  string
	}{
		{sources.Title{Kind: sources.KindMovie, Name: "Some Film", Year: 2008}, "/media/Some Film (2008)/Some Film (2008) - 1080p.mkv"},
		{sources.Title{Kind: sources.KindEpisode, Name: "Show", Season: 1, Episode: 2}, "/media/Show/Season 1/Show S01E02.mkv"},
		{sources.Title{Kind: sources.KindEpisode, Name: "Show", Season: 1, Episode: 3}, ""},
	} {
		got := ""
		if err := site.Search(t.Context(), tt.title, func(src sources.Source) { got += src.URL }); err != nil {
			t.Errorf("%v: %v", tt.title, err)
		}
		if got != tt.want {
			t.Errorf("%v: got %q, want %q", tt.title, got, tt.want)
		}
	}
}
