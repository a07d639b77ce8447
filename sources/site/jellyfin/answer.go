package jellyfin

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// Bounds of what is taken of an answer.
const (
	maxRows     = 5000 // a season of a series without seasons has all its episodes
	maxVersions = 20   // of one film or episode
	maxTracks   = 100
)

// item is a film, a series or an episode. What a server does not tell is zero.
type item struct {
	ID             string                     `json:"Id"`
	Type           string                     `json:"Type"`
	Name           string                     `json:"Name"`
	OriginalTitle  string                     `json:"OriginalTitle"`
	SeriesName     string                     `json:"SeriesName"`
	LocationType   string                     `json:"LocationType"`
	Path           string                     `json:"Path"`
	Container      string                     `json:"Container"`
	ProductionYear int                        `json:"ProductionYear"`
	RunTimeTicks   int64                      `json:"RunTimeTicks"`
	ProviderIDs    map[string]json.RawMessage `json:"ProviderIds"`
	Season         *int                       `json:"ParentIndexNumber"`
	Episode        *int                       `json:"IndexNumber"`
	EpisodeEnd     *int                       `json:"IndexNumberEnd"`
	Sources        []json.RawMessage          `json:"MediaSources"` // nil where the server does not tell
}

// version is a file of an item.
type version struct {
	ID           string            `json:"Id"`
	Name         string            `json:"Name"`
	Path         string            `json:"Path"`
	Type         string            `json:"Type"`
	VideoType    string            `json:"VideoType"`
	Container    string            `json:"Container"`
	Size         int64             `json:"Size"`
	RunTimeTicks int64             `json:"RunTimeTicks"`
	Streams      []json.RawMessage `json:"MediaStreams"`
}

// track is a stream of a version.
type track struct {
	Type       string `json:"Type"`
	Codec      string `json:"Codec"`
	Language   string `json:"Language"`
	Index      int    `json:"Index"`
	Width      int    `json:"Width"`
	Height     int    `json:"Height"`
	Channels   int    `json:"Channels"`
	Range      string `json:"VideoRange"`
	RangeType  string `json:"VideoRangeType"`
	Extended   string `json:"ExtendedVideoType"` // what Emby has for RangeType
	IsExternal bool   `json:"IsExternal"`
	IsText     bool   `json:"IsTextSubtitleStream"`
}

// idForm is what the ids of both servers are made of; one of another form is none that
// may stand in a path.
var idForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,80}$`)

// decodeItems reads a list of items. A row that cannot be read is left out. ok is false
// where body is no such list.
func decodeItems(body []byte) (items []item, ok bool) {
	var list struct {
		Items *json.RawMessage `json:"Items"`
		Total *json.RawMessage `json:"TotalRecordCount"`
	}
	if json.Unmarshal(body, &list) != nil || list.Items == nil && list.Total == nil {
		return nil, false
	}
	var rows []json.RawMessage
	if list.Items != nil && json.Unmarshal(*list.Items, &rows) != nil {
		return nil, false
	}
	return eachOf[item](rows, maxRows), true
}

// versions are the files of an item. An old server, which does not tell them, has one.
func (i item) versions() []version {
	switch {
	case strings.EqualFold(i.LocationType, "Virtual"): // an episode that is missing, or yet to come
		return nil
	case i.Sources == nil:
		return []version{{ID: i.ID, Path: i.Path, Container: i.Container}}
	}
	return slices.DeleteFunc(eachOf[version](i.Sources, maxVersions), func(v version) bool {
		return !idForm.MatchString(v.ID) || strings.EqualFold(v.Type, "Placeholder")
	})
}

// imdb is the IMDb id of an item, "" where it has none.
func (i item) imdb() (id string) {
	for provider, raw := range i.ProviderIDs {
		if strings.EqualFold(provider, "imdb") && json.Unmarshal(raw, &id) == nil && id != "" {
			return strings.TrimSpace(id)
		}
	}
	return ""
}

// eachOf reads each of raws, most of them at most, and leaves out what cannot be read.
func eachOf[T any](raws []json.RawMessage, most int) []T {
	var all []T
	for _, raw := range raws[:min(len(raws), most)] {
		if v, ok := lenient[T](raw); ok {
			all = append(all, v)
		}
	}
	return all
}

// lenient reads an object and leaves out its fields of another type than expected. ok is
// false for what is no object.
func lenient[T any](raw json.RawMessage) (v T, ok bool) {
	if json.Unmarshal(raw, &v) == nil {
		return v, bytes.HasPrefix(bytes.TrimLeft(raw, " \t\r\n"), []byte("{"))
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil || fields == nil {
		return v, false
	}
	var clean T
	for name, field := range fields {
		one, err := json.Marshal(map[string]json.RawMessage{name: field})
		if err != nil {
			continue
		}
		var probe T
		if json.Unmarshal(one, &probe) == nil {
			_ = json.Unmarshal(one, &clean) // it was read once already
		}
	}
	return clean, true
}
