package jellyfin_test

import (
	"slices"
	"strings"
	"testing"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/site/jellyfin"
	"xship/sources/sourcetest"
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
