package files

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path"
	"slices"
	"strconv"

	"xship/sources"
	"xship/sources/match"
)

// facts is what an index keeps of a file.
type facts struct {
	Names   []string `json:"n,omitempty"` // of the film or the series
	Year    int      `json:"y,omitempty"`
	IMDb    string   `json:"i,omitempty"` // of the film or the series
	Episode bool     `json:"e,omitempty"` // it is an episode, or a run of them
	Weak    bool     `json:"w,omitempty"` // that may be a film, whose name has a number
	Season  int      `json:"s,omitempty"` // -1 where nothing tells
	First   int      `json:"f,omitempty"`
	Last    int      `json:"l,omitempty"`
	Trailer bool     `json:"t,omitempty"`
	Part    int      `json:"p,omitempty"` // of the film, 0 for the whole
	Parts   int      `json:"q,omitempty"` // that there are, 0 where that is not known
	Size    int64    `json:"z,omitempty"` // in bytes, 0 where it is not known
	Edition string   `json:"d,omitempty"`

	Link      string     `json:"u,omitempty"` // that a .strm file holds, with its headers
	Address   string     `json:"a,omitempty"` // Entry.Link of any other file
	Subtitles []subtitle `json:"b,omitempty"`

	// What was read of other files, and by what it is known that they are still the same.
	NFO     *nfo   `json:"m,omitempty"`
	NFOSig  string `json:"ms,omitempty"`
	LinkSig string `json:"us,omitempty"`
}

func parseFacts(data []byte) (f facts, ok bool) {
	return f, json.Unmarshal(data, &f) == nil
}

func (f facts) encode() []byte {
	data, _ := json.Marshal(f) // texts and numbers only
	return data
}

// mostEpisodes is the longest run of episodes that a file is taken for; anything longer
// plays from its start.
const mostEpisodes = 3

// Keys of an index are names and ids, with the kind of what has them, and the season and
// the episode.
func filmKey(name string) string { return "film:" + name }

func filmIDKey(id string) string { return "film-id:" + id }

func episodeKey(name string, season, episode int) string {
	return "episode:" + name + ":" + strconv.Itoa(season) + ":" + strconv.Itoa(episode)
}

func episodeIDKey(id string, season, episode int) string {
	return "episode-id:" + id + ":" + strconv.Itoa(season) + ":" + strconv.Itoa(episode)
}

// readKey is that of the files in a folder for which others were read. It is short and in
// UTF-8, whatever the folder is called.
func readKey(folder string) string {
	sum := sha256.Sum256([]byte(folder))
	return "read:" + hex.EncodeToString(sum[:12])
}

// keys are those under which a file is found, those first that are surest: an index has
// its bounds.
func (f facts) keys(file string) []string {
	var keys []string
	add := func(key string) {
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	if f.NFO != nil || f.Link != "" {
		folder, _ := split(file)
		add(readKey(folder))
	}
	id := match.IMDbKey(f.IMDb)
	if id != "" && !f.Episode {
		add(filmIDKey(id))
	}
	if f.Episode {
		last := f.Last
		if last-f.First >= mostEpisodes {
			last = f.First - 1
		}
		for n := f.First; n <= last && id != ""; n++ {
			add(episodeIDKey(id, seasonOf(f.Season), n))
		}
		if id != "" {
			add(seriesIDKey(id))
		}
		for _, key := range f.candidate().Keys(sources.KindEpisode) {
			for n := f.First; n <= last; n++ {
				if f.Season < 0 || key.Season < 0 || key.Season == f.Season {
					add(episodeKey(key.Name, seasonOf(f.Season, key.Season), n))
				}
			}
			add(seriesKey(key.Name))
		}
	}
	if !f.Episode || f.Weak {
		for _, key := range f.film(file).Keys(sources.KindMovie) {
			add(filmKey(key.Name))
		}
	}
	return keys
}

// seasonOf is the season of an episode, which is the first where nothing says another.
func seasonOf(said ...int) int {
	for _, season := range said {
		if season >= 0 {
			return season
		}
	}
	return 1
}

func (f facts) candidate() match.Candidate {
	return match.Candidate{Names: slices.Clone(f.Names), Year: f.Year, IMDb: f.IMDb}
}

// film is the candidate that a file is for films.
func (f facts) film(file string) match.Candidate {
	if f.Episode {
		return match.Candidate{Names: []string{readComponent(stemOf(path.Base(file))).name}}
	}
	return f.candidate()
}

// keysFor are the keys by which t is looked for.
func keysFor(t sources.Title, m *match.Matcher) []string {
	id := match.IMDbKey(t.IMDb)
	names := m.Keys()
	keys := make([]string, 0, len(names)+1)
	for _, name := range names {
		if t.Kind == sources.KindEpisode {
			keys = append(keys, episodeKey(name, t.Season, t.Episode))
		} else {
			keys = append(keys, filmKey(name))
		}
	}
	switch {
	case id == "":
	case t.Kind == sources.KindEpisode:
		keys = append(keys, episodeIDKey(id, t.Season, t.Episode))
	default:
		keys = append(keys, filmIDKey(id))
	}
	return keys
}

// fit tells how well a file fits t, whose matcher is m.
func (f facts) fit(file string, t sources.Title, m *match.Matcher) match.Fit {
	if t.Kind != sources.KindEpisode {
		if f.Episode && !f.Weak {
			return match.None
		}
		return m.Title(f.film(file))
	}
	if !f.Episode || f.Last-f.First >= mostEpisodes {
		return match.None
	}
	r := match.EpisodeRange{First: f.First, Last: f.Last}
	if !r.Contains(t.Episode) || seasonOf(f.Season, m.ItemSeason(f.Names...)) != t.Season {
		return match.None
	}
	return m.Title(f.candidate())
}
