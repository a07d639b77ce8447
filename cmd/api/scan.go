package api

import (
	"time"

	"xship/cmd/engine"
	"xship/sources"
	"xship/sources/link"
	"xship/sources/text"
)

// ShownURLs says how the URLs of a document are written: without what they hold of
// secrets, unless the user asked for it.
type ShownURLs struct{ Secrets bool }

// Link is the URL of a source.
func (s ShownURLs) Link(url string) string {
	if s.Secrets {
		return text.Clean(url)
	}
	return link.Redact(url)
}

// Interface is the URL of an interface.
func (s ShownURLs) Interface(url string) string {
	if s.Secrets {
		return text.Clean(url)
	}
	return link.RedactInterface(url)
}

// Unix is t in Unix seconds, 0 where it is not set.
func Unix(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

// Scan is the JSON document of xship scan.
type Scan struct {
	Title     Title         `json:"title"`
	Interface ScanInterface `json:"interface"`
	FromCache bool          `json:"from_cache"`
	ElapsedMS int64         `json:"elapsed_ms"`
	Sources   []Source      `json:"sources"`
	Hidden    []Hidden      `json:"hidden"`
	Sites     []Site        `json:"sites"`
	LeftOut   *[]Source     `json:"left_out,omitempty"` // where the list is explained
	Known     *Known        `json:"known,omitempty"`    // of the title, where an id service was asked
	Series    []Series      `json:"series,omitempty"`   // that the name is of, where an episode has to be asked for
	Near      []Near        `json:"near,omitempty"`     // what else may have been meant, where nothing fits
}

// Known is what an id service knows of a title, beside what was typed.
type Known struct {
	IMDb           string `json:"imdb"`
	Name           string `json:"name"`
	Year           int    `json:"year"`            // 0 = not known
	RuntimeSeconds int64  `json:"runtime_seconds"` // of the film, or an episode; 0 = not known
	Exact          bool   `json:"exact"`           // the id was typed or chosen; else it is the best match of the name
}

// Title is a title; what it does not have is null.
type Title struct {
	Kind    string  `json:"kind"`
	Name    string  `json:"name"`
	Year    *int    `json:"year"`
	IMDb    *string `json:"imdb"`
	Season  *int    `json:"season"`
	Episode *int    `json:"episode"`
}

// ScanInterface is the interface that a scan used.
type ScanInterface struct {
	URL            string   `json:"url"`
	Name           string   `json:"name"`
	FailedOverFrom []string `json:"failed_over_from"`
}

// Source is a source as listed.
type Source struct {
	N          int                `json:"n"`
	ID         string             `json:"id"`
	Site       string             `json:"site"`
	Hoster     string             `json:"hoster"`
	Name       string             `json:"name"`
	Quality    string             `json:"quality"`
	Language   string             `json:"language"`
	URL        string             `json:"url"`
	Info       []string           `json:"info"`
	State      string             `json:"state"`
	MediaInfo  *sources.MediaInfo `json:"mediainfo"`
	Healthy    bool               `json:"healthy"`
	Unplayable string             `json:"unplayable"`      // why no player can take it, else ""
	Needs      string             `json:"needs,omitempty"` // what else it needs to be played, as a try told
	Provider   string             `json:"provider"`        // that serves it, "" = nobody
	Why        []string           `json:"why,omitempty"`   // where the list is explained

	ClaimedQuality  string             `json:"claimed_quality,omitempty"` // of its site, where its stream has another one
	SetBack         string             `json:"set_back,omitempty"`        // why it cannot be the whole title
	SizeBytes       int64              `json:"size_bytes,omitempty"`
	DurationSeconds int                `json:"duration_seconds,omitempty"` // as its site tells it
	Own             bool               `json:"own,omitempty"`              // of the user's own folders and servers
	Subtitles       []sources.Subtitle `json:"subtitles,omitempty"`
}

// Hidden is what a list hides of one hoster.
type Hidden struct {
	Hoster             string `json:"hoster"`
	Sources            int    `json:"sources"`
	ConsecutiveFails   int    `json:"consecutive_fails"`
	AvailableInSeconds int64  `json:"available_in_seconds"`
}

// Site tells how a site fared.
type Site struct {
	Key       string `json:"key"`
	Name      string `json:"name"`
	Type      string `json:"type"`
	Status    string `json:"status"`
	Sources   int    `json:"sources"`
	ElapsedMS int64  `json:"elapsed_ms"`
	Error     string `json:"error"`
	Note      string `json:"note,omitempty"` // what its answer leaves out
}

// NewScan is the document of a list.
func NewScan(l *engine.List, shown ShownURLs) Scan {
	doc := Scan{
		Title: NewTitle(l.Title),
		Interface: ScanInterface{
			URL: shown.Interface(l.Interface.URL), Name: l.Interface.ShownName(), FailedOverFrom: make([]string, 0, len(l.FailedOverFrom)),
		},
		FromCache: l.FromCache,
		ElapsedMS: l.Elapsed.Milliseconds(),
		Sources:   make([]Source, 0, len(l.Listing.Sources)),
		Hidden:    make([]Hidden, 0, len(l.Listing.Hidden)),
		Sites:     make([]Site, 0, len(l.Sites)),
		Series:    NewSeries(l.Series()),
		Near:      NewNear(l.Near()),
	}
	for _, url := range l.FailedOverFrom {
		doc.Interface.FailedOverFrom = append(doc.Interface.FailedOverFrom, shown.Interface(url))
	}
	if f := l.Facts; f != nil {
		doc.Known = &Known{IMDb: f.IMDb, Name: text.Clean(f.Name), Year: f.Year, RuntimeSeconds: int64(f.Runtime.Seconds()), Exact: f.Exact}
	}
	for i, src := range l.Listing.Sources {
		row := NewSource(i+1, src, shown)
		if media, ok := l.Options.Media[src.ID]; ok {
			row.setMedia(&media)
		}
		doc.Sources = append(doc.Sources, row)
	}
	for _, h := range l.Listing.Hidden {
		doc.Hidden = append(doc.Hidden, Hidden{
			Hoster: text.Clean(h.Hoster), Sources: h.Sources, ConsecutiveFails: h.ConsecutiveFails, AvailableInSeconds: text.WholeSeconds(h.AvailableIn),
		})
	}
	for _, s := range l.Sites {
		doc.Sites = append(doc.Sites, Site{
			Key: text.Clean(s.Key), Name: text.Clean(s.Name), Type: text.Clean(s.Type), Status: string(s.Status),
			Sources: s.Sources, ElapsedMS: s.Elapsed.Milliseconds(), Error: text.Clean(s.Error), Note: text.Clean(s.Note),
		})
	}
	return doc
}

// Explain adds to the document of a list why each source stands where it stands, or is
// not listed.
func (s *Scan) Explain(l *engine.List, shown ShownURLs) {
	for i := range s.Sources {
		s.Sources[i].Why = l.Why(i)
	}
	left := []Source{}
	for _, e := range l.NotListed() {
		doc := NewSource(0, e.Listed, shown)
		doc.Why = e.Why
		left = append(left, doc)
	}
	s.LeftOut = &left
}

// setMedia adds what the stream of the source holds. What a user should know before it
// plays stands with the labels.
func (s *Source) setMedia(media *sources.MediaInfo) {
	if media == nil {
		return
	}
	s.MediaInfo = media
	for _, note := range media.Notes {
		s.Info = append(s.Info, text.Clean(note))
	}
}

// NewTitle is the document of a title.
func NewTitle(t sources.Title) Title {
	doc := Title{Kind: string(t.Kind), Name: text.Clean(t.Name)}
	if t.Year != 0 {
		doc.Year = &t.Year
	}
	if t.IMDb != "" {
		doc.IMDb = &t.IMDb
	}
	if t.Kind == sources.KindEpisode {
		doc.Season, doc.Episode = &t.Season, &t.Episode
	}
	return doc
}

// NewSource is the document of a source in row n, 0 where it is in none.
func NewSource(n int, src sources.Listed, shown ShownURLs) Source {
	doc := Source{
		N: n, ID: src.ID, Site: text.Clean(src.Site), Hoster: text.Clean(src.Hoster), Name: text.Clean(src.Name),
		Quality: string(src.Quality), Language: text.Clean(src.Language), URL: shown.Link(src.URL),
		Info: make([]string, 0, len(src.Info)), State: string(src.State), Healthy: src.Healthy,
		Needs: text.Clean(src.Needs), Provider: src.Provider, ClaimedQuality: string(src.Claimed), SetBack: text.Clean(src.SetBack),
		SizeBytes: src.SizeBytes, DurationSeconds: src.Duration, Own: src.Own,
	}
	for _, s := range src.Subtitles {
		doc.Subtitles = append(doc.Subtitles, sources.Subtitle{URL: shown.Link(s.URL), Language: text.Clean(s.Language)})
	}
	if src.Provider == "" { // else it plays through that
		doc.Unplayable = text.Clean(src.Unplayable)
	}
	for _, label := range src.Info {
		doc.Info = append(doc.Info, text.Clean(label))
	}
	return doc
}
