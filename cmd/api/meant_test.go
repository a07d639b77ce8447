package api_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xship/cmd/api"
	"xship/cmd/engine"
	"xship/sources"
)

// Documents of what was meant: what is not known is null, what is empty a list, and names
// are fit for a terminal.
func TestMeant(t *testing.T) {
	for name, c := range map[string]struct {
		doc  any
		want string
	}{
		"series": {
			api.NewSeries([]engine.SeenSeries{
				{Name: "Paper \x1b[31mLanterns", Year: 2014, Keys: []string{"a"}, Sites: []string{"Site A"}, Seasons: []engine.SeenSeason{{Season: 0, Episodes: []int{1}}, {Season: 1}}},
				{Name: "Show"},
			}),
			`[{"name":"Paper Lanterns","year":2014,"seasons":[{"season":0,"episodes":[1]},{"season":1,"episodes":[]}],"sites":["a"]},{"name":"Show","year":null,"seasons":[],"sites":[]}]`,
		},
		"near": {
			api.NewNear([]engine.NearTitle{{Name: "Paper Lanterns", Year: 2014, Kind: sources.KindMovie}, {Name: "Show\a", Kind: sources.KindEpisode}}),
			`[{"name":"Paper Lanterns","year":2014,"kind":"movie"},{"name":"Show","year":null,"kind":"series"}]`,
		},
		"titles": {
			api.NewTitles([]engine.SeenTitle{{Name: "Show", Kind: sources.KindEpisode, Episodes: 12, Keys: []string{"a", "b\a"}}, {Name: "Film", Year: 2001, Kind: sources.KindMovie}}),
			`{"titles":[{"name":"Show","year":null,"kind":"series","episodes":12,"sites":["a","b"]},{"name":"Film","year":2001,"kind":"movie","episodes":0,"sites":[]}]}`,
		},
		"no titles": {api.NewTitles(nil), `{"titles":[]}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := json.Marshal(c.doc)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
