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

// Follows tells what comes after an episode.
type Follows string

// What may come after an episode.
const (
	FollowsUnknown Follows = ""        // the service does not know the episode, nor whether the series goes on
	FollowsAired   Follows = "aired"   // an episode that was broadcast
	FollowsUnaired Follows = "unaired" // one that is announced
	FollowsNothing Follows = "nothing" // the series has ended
)

// After gives the episode that comes after t: the next one of its season, else the first
// one of the next season. Specials are followed by specials. now tells what has aired.
func (f TitleFacts) After(t Title, now time.Time) (next Title, e EpisodeFacts, follows Follows) {
	if _, listed := f.Episode(t.Season, t.Episode); !listed {
		return Title{}, EpisodeFacts{}, FollowsUnknown
	}
	for _, e := range f.Episodes {
		if !e.after(t.Season, t.Episode) || (e.Season == 0) != (t.Season == 0) {
			continue
		}
		next = t.NextEpisode()
		next.Season, next.Episode = e.Season, e.Episode
		if f.Aired(e, now) {
			return next, e, FollowsAired
		}
		return next, e, FollowsUnaired
	}
	if f.Ended || t.Season == 0 {
		return Title{}, EpisodeFacts{}, FollowsNothing
	}
	return Title{}, EpisodeFacts{}, FollowsUnknown
}

// Episode gives what is known of an episode.
func (f TitleFacts) Episode(season, episode int) (e EpisodeFacts, known bool) {
	for _, e := range f.Episodes {
		if e.Season == season && e.Episode == episode {
			return e, true
		}
	}
	return EpisodeFacts{}, false
}

// Aired tells whether an episode was broadcast. One without a date was where a later one
// was, where the series has ended, and where no dates are known at all.
func (f TitleFacts) Aired(e EpisodeFacts, now time.Time) bool {
	if !e.AiredAt.IsZero() {
		return !e.AiredAt.After(now)
	}
	dated := false
	for _, other := range f.Episodes {
		if other.AiredAt.IsZero() {
			continue
		}
		dated = true
		if (other.Season == 0) == (e.Season == 0) && other.after(e.Season, e.Episode) && !other.AiredAt.After(now) {
			return true
		}
	}
	return f.Ended || !dated
}

// after tells whether e comes after an episode.
func (e EpisodeFacts) after(season, episode int) bool {
	return e.Season > season || e.Season == season && e.Episode > episode
}

// AirDate is the day on which the episode is broadcast where it is made, "" where that is
// not known. A time tells when that is in UTC, mostly in the night after; midnight is no
// time.
func (e EpisodeFacts) AirDate() string {
	at := e.AiredAt.UTC()
	switch {
	case e.AiredAt.IsZero():
		return ""
	case at.Equal(at.Truncate(24 * time.Hour)):
		return at.Format(time.DateOnly)
	default:
		return at.Add(-12 * time.Hour).Format(time.DateOnly)
	}
}
