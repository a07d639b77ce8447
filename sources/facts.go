package sources

import "time"

// TitleFacts is what an id service knows of a title. It stands beside the title: keys,
// source ids and the watchlist keep what was typed.
type TitleFacts struct {
	IMDb         string        `json:"imdb"` // "" where nothing is known
	Kind         Kind          `json:"kind"`
	Name         string        `json:"name"`
	OriginalName string        `json:"original_name,omitempty"`
	Year         int           `json:"year,omitempty"` // of the first release, 0 where unknown
	Aliases      []string      `json:"aliases,omitempty"`
	Runtime      time.Duration `json:"runtime,omitempty"` // of the film, or an episode; 0 where unknown
	// Exact says that the id is that of the title for certain: it was typed, or the user
	// chose it. Otherwise it is the best match of a name.
	Exact bool `json:"exact,omitempty"`
	// Ended says that no further episode is to come.
	Ended    bool           `json:"ended,omitempty"`
	Episodes []EpisodeFacts `json:"episodes,omitempty"` // of a series, by season and episode
	// Others are other titles that the name may mean, best first, without episodes.
	Others []TitleFacts `json:"others,omitempty"`
}

// EpisodeFacts is what an id service knows of an episode. Season 0 are specials.
type EpisodeFacts struct {
	Season  int       `json:"season"`
	Episode int       `json:"episode"`
	Name    string    `json:"name,omitempty"`
	AiredAt time.Time `json:"aired_at,omitzero"` // zero where that is not known
}

// With is t with what f knows and t does not say, for sites that want it.
func (t Title) With(f TitleFacts) Title {
	if t.IMDb == "" {
		t.IMDb = f.IMDb
	}
	if t.Year == 0 {
		t.Year = f.Year
	}
	if t.OriginalName == "" {
		t.OriginalName = f.OriginalName
	}
	t.Aliases = append(append([]string{}, t.Aliases...), f.Aliases...)
	if f.Name != "" {
		t.Aliases = append(t.Aliases, f.Name)
	}
	return t
}
