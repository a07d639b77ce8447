package jellyfin_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/site/jellyfin"
	"xship/sources/sourcetest"
	"xship/sources/sourcetest/jellyfinfake"
	"xship/sources/sourcetest/world"
)

// A server tells films and series of one answer, whichever was asked for, and of the
// series that was the episodes of the season.
func TestSearch_seen(t *testing.T) {
	address, asked := answering(t, map[string]string{
		"/Items": `{"Items":[{"Id":"s1","Type":"Series","Name":"Harbour Nine","ProductionYear":2018,"ProviderIds":{"Imdb":"tt9000010"}},
			{"Id":"m1","Type":"Movie","Name":"Harbour Nine","ProductionYear":2001},{"Id":"b1","Type":"BoxSet","Name":"Harbour Nine"},{"Id":"m2","Type":"Movie","Name":"Elsewhere"}]}`,
		"/Shows/s1/Episodes": `{"Items":[{"Id":"e1","Type":"Episode","ParentIndexNumber":1,"IndexNumber":1},{"Id":"e2","Type":"Episode","ParentIndexNumber":1,"IndexNumber":2,"IndexNumberEnd":3},
			{"Id":"e4","Type":"Episode","ParentIndexNumber":1,"IndexNumber":4,"LocationType":"Virtual"},{"Id":"x","Type":"Episode"}]}`,
	})
	site := newSite(t, spec(jellyfin.Type, address), fetch.New(fetch.Options{}))
	for name, tt := range map[string]struct {
		title sources.Title
		want  []string
	}{
		"a series":         {harbour, []string{"Harbour Nine (2001) movie", "Harbour Nine (2018) episode tt9000010", "Harbour Nine (2018) episode tt9000010: 1x1 1x2 1x3"}},
		"a film":           {sources.Title{Kind: sources.KindMovie, Name: "Harbour Nine", Year: 2001}, []string{"Harbour Nine (2001) movie", "Harbour Nine (2018) episode tt9000010"}},
		"a film of a year": {sources.Title{Kind: sources.KindMovie, Name: "Harbour Nine", Year: 1970}, []string{"Harbour Nine (2001) movie", "Harbour Nine (2018) episode tt9000010"}},
	} {
		t.Run(name, func(t *testing.T) {
			*asked = nil
			got, err := sourcetest.Seen(t.Context(), site, tt.title)
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("%q, %v, want %q", got, err, tt.want)
			}
			if len(*asked) == 0 || !strings.Contains((*asked)[0], "includeItemTypes=Movie%2CSeries") {
				t.Errorf("it was asked %q", *asked)
			}
		})
	}
}

// Series whose names hold that of a film do not keep it from being found, however many
// there are.
func TestSearch_crowded(t *testing.T) {
	var films []world.Film
	for i := range 60 {
		films = append(films, world.Film{Name: fmt.Sprintf("It %d", i), Year: 2000, Type: "Series"})
	}
	films = append(films, world.Film{Name: "It", Year: 2017, Groups: []world.Group{{Items: []world.Item{{URL: "https://h.example/it.mp4"}}}}})
	server := newFake(t, jellyfinfake.Config{Films: films})
	site := newSite(t, spec(jellyfin.Type, server.URL()), newClient(t, jellyfin.Type, server.URL(), key))
	title := sources.Title{Kind: sources.KindMovie, Name: "It", Year: 2017}
	seen, err := sourcetest.Seen(t.Context(), site, title)
	if err != nil || !slices.Contains(seen, "It (2017) movie") {
		t.Errorf("it saw %q, %v", seen, err)
	}
	var found []sources.Source
	wanted := sources.WithSightings(t.Context(), func(sources.Sighting) {})
	if err := site.Search(wanted, title, func(src sources.Source) { found = append(found, src) }); err != nil || len(found) != 1 {
		t.Errorf("found %+v, %v", found, err)
	}
}
