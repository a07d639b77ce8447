package openfilms_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"xship/sources"
	"xship/sources/link"
	"xship/sources/site/openfilms"
	"xship/sources/sourcetest"
	"xship/sources/sourcetest/world"
)

func newSite(tb testing.TB) sources.Site {
	tb.Helper()
	site, err := openfilms.New(openfilms.Spec())
	if err != nil {
		tb.Fatal(err)
	}
	return site
}

func movie(name string, year int) sources.Title {
	return sources.Title{Kind: sources.KindMovie, Name: name, Year: year}
}

func TestConformance(t *testing.T) {
	sourcetest.RunSite(t, sourcetest.Harness{
		Start: func(tb testing.TB, _ []world.Film) sourcetest.Instance {
			return sourcetest.Instance{Site: newSite(tb)}
		},
		Cases: []sourcetest.Case{
			{Name: "film", Title: movie("Big Buck Bunny", 2008), Some: true},
			{Name: "no film", Title: movie("The Film Nobody Made", 2001)},
		},
	})
}

func TestNewRefuses(t *testing.T) {
	if _, err := openfilms.New(sources.SiteSpec{}); sources.ClassOf(err) != sources.ClassUnsupported {
		t.Errorf("got %v", err)
	}
}

func search(t *testing.T, title sources.Title) []sources.Source {
	t.Helper()
	var found []sources.Source
	if err := newSite(t).Search(t.Context(), title, func(s sources.Source) { found = append(found, s) }); err != nil {
		t.Fatal(err)
	}
	return found
}

func TestSearch(t *testing.T) {
	original := movie("Die Reise zum Mond", 1902)
	original.OriginalName = "Le Voyage dans la Lune"
	byID := movie("Something Else", 0)
	byID.IMDb = "tt1727587"
	tests := []struct {
		name  string
		title sources.Title
		want  string // start of the names, "" = nothing found
	}{
		{"name", movie("big buck bunny", 0), "Big Buck Bunny (2008) "},
		{"name and year", movie("Sintel", 2010), "Sintel (2010) "},
		{"year off by one", movie("Sintel", 2011), "Sintel (2010) "},
		{"another year", movie("Sintel", 2015), ""},
		{"original name", original, "A Trip to the Moon (1902) "},
		{"alias", movie("Cosmos Laundromat", 2015), "Cosmos Laundromat: First Cycle (2015) "},
		{"punctuation", movie("Wing It", 2023), "Wing It! (2023) "},
		{"IMDb id", byID, "Sintel (2010) "},
		{"another film", movie("Steel", 2012), ""},
		{"episode", sources.Title{Kind: sources.KindEpisode, Name: "Spring", Season: 1, Episode: 1}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found := search(t, tt.title)
			if (len(found) > 0) != (tt.want != "") {
				t.Fatalf("found %d sources, want names that start with %q", len(found), tt.want)
			}
			for _, s := range found {
				if !strings.HasPrefix(s.Name, tt.want) {
					t.Errorf("found %q, want %q...", s.Name, tt.want)
				}
			}
		})
	}
}

func TestSearchSources(t *testing.T) {
	hosters := map[string]bool{}
	trailers := 0
	for _, s := range search(t, movie("Big Buck Bunny", 0)) {
		if !slices.Contains(sources.Qualities(), s.Quality) || len(s.Info) == 0 || s.Info[0] != "CC BY 3.0" {
			t.Errorf("%s: quality %q, info %q", s.Name, s.Quality, s.Info)
		}
		if s.Trailer {
			trailers++
			continue
		}
		hosters[link.Hoster(s.URL)] = true
	}
	if len(hosters) < 3 || trailers == 0 {
		t.Errorf("%d hosters and %d trailers, want at least 3 and 1", len(hosters), trailers)
	}
}

func BenchmarkSearch(b *testing.B) {
	site, title := newSite(b), movie("Wing It!", 2023)
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		if err := site.Search(context.Background(), title, func(sources.Source) { n++ }); err != nil || n == 0 {
			b.Fatal(n, err)
		}
	}
}
