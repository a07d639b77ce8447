package ids

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/text"
)

// Bounds of what is taken from an answer.
const (
	maxFound    = 100
	maxAliases  = 20
	maxEpisodes = 20_000
	maxName     = 200
	maxNumber   = 100_000 // of a season or an episode
)

// answer is what the service answered, as it is kept. Of pictures nothing is kept.
type answer struct {
	Found []sources.TitleFacts `json:"found,omitempty"` // of a search, in the order of the service
	Facts *sources.TitleFacts  `json:"facts,omitempty"` // of an id, nil where it is not known
}

// tellsOf tells whether the answer is about the title that f is.
func (a answer) tellsOf(f sources.TitleFacts) bool {
	return a.Facts != nil && a.Facts.IMDb == f.IMDb && (a.Facts.Kind == "" || a.Facts.Kind == f.Kind)
}

// parse reads an answer to a search or for an id. A title that the service does not know
// is an empty answer, in whatever form it says so.
func parse(body []byte) (answer, error) {
	body = bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(body), []byte("\ufeff")))
	var doc struct {
		Metas rows    `json:"metas"`
		Meta  lenient `json:"meta"`
	}
	switch {
	case len(body) == 0:
		return answer{}, errors.New("it answered with nothing")
	case fetch.IsHTML(body):
		return answer{}, errors.New("it answered with a web page")
	case body[0] == '[' && json.Valid(body): // an empty object, as some write it
		return answer{}, nil
	}
	if err := json.Unmarshal(body, &doc); err != nil {
		return answer{}, fmt.Errorf("it answered with what is no JSON object: %w", err)
	}
	var a answer
	seen := make(map[string]bool)
	for _, row := range doc.Metas {
		f, ok := readMeta(row)
		if ok && !seen[f.IMDb] && len(a.Found) < maxFound {
			seen[f.IMDb] = true
			f.Episodes = nil
			a.Found = append(a.Found, f)
		}
	}
	if f, ok := readMeta(json.RawMessage(doc.Meta)); ok {
		a.Facts = &f
	}
	return a, nil
}

// lenient takes any JSON value, also where another one was due.
type lenient json.RawMessage

func (l *lenient) UnmarshalJSON(b []byte) error {
	*l = append((*l)[:0], b...)
	return nil
}

// rows are the elements of a list.
type rows = text.LooseList[json.RawMessage]

// words is text.Loose, cut to what is kept of it.
type words string

func (w *words) UnmarshalJSON(b []byte) error {
	var said text.Loose
	_ = said.UnmarshalJSON(b) // never fails
	*w = words(text.Shorten(string(said), maxName))
	return nil
}

// many is a list of texts, also where it is one text.
type many []string

func (m *many) UnmarshalJSON(b []byte) error {
	var all text.LooseList[words]
	_ = all.UnmarshalJSON(b) // never fails
	for _, w := range all {
		if w != "" && len(*m) < maxAliases {
			*m = append(*m, string(w))
		}
	}
	return nil
}

// metaRow is a title as the service writes it.
type metaRow struct {
	ID            words `json:"id"`
	IMDb          words `json:"imdb_id"`
	Type          words `json:"type"`
	Name          words `json:"name"`
	OriginalName  words `json:"originalName"`
	OriginalTitle words `json:"original_title"`
	Aliases       many  `json:"aliases"`
	Year          words `json:"year"`
	ReleaseInfo   words `json:"releaseInfo"`
	Released      words `json:"released"`
	Runtime       words `json:"runtime"`
	Status        words `json:"status"`
	Videos        rows  `json:"videos"`
}

// readMeta reads a title. One without an IMDb id and a name is none.
func readMeta(raw json.RawMessage) (sources.TitleFacts, bool) {
	var m metaRow
	if len(raw) == 0 || json.Unmarshal(raw, &m) != nil {
		return sources.TitleFacts{}, false
	}
	id := string(m.ID)
	if !sources.IsIMDbID(id) {
		id = string(m.IMDb)
	}
	f := sources.TitleFacts{
		IMDb: id, Name: string(m.Name), OriginalName: string(cmp.Or(m.OriginalName, m.OriginalTitle)), Aliases: m.Aliases,
		Runtime: parseRuntime(string(m.Runtime)), Ended: hasEnded(string(m.Status)),
	}
	switch m.Type {
	case "movie":
		f.Kind = sources.KindMovie
	case "series":
		f.Kind = sources.KindEpisode
	case "": // it is what was asked for
	default:
		return sources.TitleFacts{}, false
	}
	if f.OriginalName == f.Name {
		f.OriginalName = ""
	}
	for _, said := range []words{m.ReleaseInfo, m.Year, m.Released} {
		if f.Year == 0 {
			f.Year = leadingYear(string(said))
		}
	}
	f.Episodes = readEpisodes(m.Videos)
	return f, sources.IsIMDbID(id) && text.NormalizeName(f.Name) != ""
}

// leadingYear is the year that "2008", "2011-2019" or "2022-05-01T…" starts with, 0 for
// none.
func leadingYear(s string) int {
	end := 0
	for end < len(s) && text.IsDigit(s[end]) {
		end++
	}
	year, err := strconv.Atoi(s[:end])
	if err != nil || year < sources.MinYear || year > sources.MaxYear {
		return 0
	}
	return year
}

func hasEnded(status string) bool {
	return slices.ContainsFunc([]string{"ended", "canceled", "cancelled"}, func(word string) bool { return strings.EqualFold(status, word) })
}

// maxRuntime is how long a film may take.
const maxRuntime = 24 * time.Hour

// parseRuntime reads "10 min", "1h 30min", "1 h" or "95", which are minutes. It is 0
// where s says something else.
func parseRuntime(s string) time.Duration {
	var sum time.Duration
	rest := strings.ToLower(strings.TrimSpace(s))
	last := 25 * time.Hour // units come longest first
	for rest != "" {
		digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
		n, err := strconv.Atoi(digits)
		if err != nil || n > 24*60 {
			return 0
		}
		rest = strings.TrimSpace(rest[len(digits):])
		word := rest[:len(rest)-len(strings.TrimLeft(rest, "abcdefghijklmnopqrstuvwxyz."))]
		unit := time.Minute
		switch strings.TrimSuffix(word, ".") {
		case "h", "hr", "hrs", "hour", "hours":
			unit = time.Hour
		case "m", "min", "mins", "minute", "minutes":
		case "":
			if rest != "" { // no number of minutes follows one without a unit
				return 0
			}
		default:
			return 0
		}
		if unit >= last {
			return 0
		}
		last = unit
		sum += time.Duration(n) * unit
		rest = strings.TrimLeft(rest[len(word):], " ,")
	}
	if sum > maxRuntime {
		return 0
	}
	return sum
}

// videoRow is an episode as the service writes it.
type videoRow struct {
	ID         words `json:"id"`
	Season     words `json:"season"`
	Episode    words `json:"episode"`
	Number     words `json:"number"`
	Name       words `json:"name"`
	Title      words `json:"title"`
	Released   words `json:"released"`
	FirstAired words `json:"firstAired"`
}

// readEpisodes reads the episodes of a series, each once, by season and episode. One of
// which the numbers are not told, nor stand in its id, is left out.
func readEpisodes(all rows) []sources.EpisodeFacts {
	known := make(map[[2]int]sources.EpisodeFacts)
	for _, raw := range all {
		var v videoRow
		if json.Unmarshal(raw, &v) != nil {
			v = videoRow{}
			if json.Unmarshal(raw, &v.ID) != nil {
				continue
			}
		}
		season, episode, ok := numbers(v)
		if !ok || len(known) >= maxEpisodes {
			continue
		}
		e := sources.EpisodeFacts{Season: season, Episode: episode, Name: string(cmp.Or(v.Name, v.Title)), AiredAt: parseTime(string(cmp.Or(v.Released, v.FirstAired)))}
		at := [2]int{season, episode}
		if before, twice := known[at]; twice {
			e.Name = cmp.Or(before.Name, e.Name)
			if !before.AiredAt.IsZero() {
				e.AiredAt = before.AiredAt
			}
		}
		known[at] = e
	}
	if len(known) == 0 {
		return nil
	}
	episodes := make([]sources.EpisodeFacts, 0, len(known))
	for _, e := range known {
		episodes = append(episodes, e)
	}
	slices.SortFunc(episodes, func(a, b sources.EpisodeFacts) int {
		return cmp.Or(cmp.Compare(a.Season, b.Season), cmp.Compare(a.Episode, b.Episode))
	})
	return episodes
}

// numbers are season and episode of a video: what it says, else what its id ends in.
func numbers(v videoRow) (season, episode int, ok bool) {
	parts := strings.Split(string(v.ID), ":")
	var ofID [2]words
	if len(parts) == 3 {
		ofID = [2]words{words(parts[1]), words(parts[2])}
	}
	season, seasonOK := number(cmp.Or(v.Season, ofID[0]))
	episode, episodeOK := number(cmp.Or(v.Episode, v.Number, ofID[1]))
	return season, episode, seasonOK && episodeOK
}

// number is a whole number that is written "9" or "9.0".
func number(w words) (int, bool) {
	f, err := strconv.ParseFloat(strings.TrimSpace(string(w)), 64)
	if err != nil || f != math.Trunc(f) || f < 0 || f > maxNumber {
		return 0, false
	}
	return int(f), true
}

// parseTime reads a time in one of the forms of ISO 8601, the zero time where s is none.
func parseTime(s string) time.Time {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05", time.DateTime, time.DateOnly} {
		if at, err := time.Parse(layout, s); err == nil && at.Year() >= sources.MinYear && at.Year() <= sources.MaxYear {
			return at.UTC()
		}
	}
	return time.Time{}
}
