package api

import (
	"xship/cmd/engine"
	"xship/sources"
	"xship/sources/text"
)

// Series is a series that was asked for without an episode, or with one that it lacks.
type Series struct {
	Name    string   `json:"name"`
	Year    *int     `json:"year"` // null = not known
	Seasons []Season `json:"seasons"`
	Sites   []string `json:"sites"` // their keys
}

// Season is a season of a series with its episodes. Season 0 are specials.
type Season struct {
	Season   int   `json:"season"`
	Episodes []int `json:"episodes"`
}

// Near is a title that may have been meant.
type Near struct {
	Name string `json:"name"`
	Year *int   `json:"year"` // null = not known
	Kind string `json:"kind"` // movie or series
}

// Titles is the JSON document of xship search.
type Titles struct {
	Titles []SeenTitle `json:"titles"`
}

// SeenTitle is a title that sites have.
type SeenTitle struct {
	Name     string   `json:"name"`
	Year     *int     `json:"year"`     // null = not known
	Kind     string   `json:"kind"`     // movie or series
	Episodes int      `json:"episodes"` // 0 where it is a film, or nobody tells
	Sites    []string `json:"sites"`    // their keys
}

// NewSeries is the document of the series of a scan.
func NewSeries(all []engine.SeenSeries) []Series {
	docs := make([]Series, 0, len(all))
	for _, s := range all {
		doc := Series{Name: text.Clean(s.Name), Year: yearOf(s.Year), Seasons: make([]Season, 0, len(s.Seasons)), Sites: cleaned(s.Keys)}
		for _, season := range s.Seasons {
			doc.Seasons = append(doc.Seasons, Season{Season: season.Season, Episodes: append([]int{}, season.Episodes...)})
		}
		docs = append(docs, doc)
	}
	return docs
}

// NewNear is the document of what may have been meant.
func NewNear(all []engine.NearTitle) []Near {
	docs := make([]Near, 0, len(all))
	for _, n := range all {
		docs = append(docs, Near{Name: text.Clean(n.Name), Year: yearOf(n.Year), Kind: kindWord(n.Kind)})
	}
	return docs
}

// NewTitles is the document of the titles that sites have.
func NewTitles(all []engine.SeenTitle) Titles {
	doc := Titles{Titles: make([]SeenTitle, 0, len(all))}
	for _, t := range all {
		doc.Titles = append(doc.Titles, SeenTitle{
			Name: text.Clean(t.Name), Year: yearOf(t.Year), Kind: kindWord(t.Kind), Episodes: t.Episodes, Sites: cleaned(t.Keys),
		})
	}
	return doc
}

// kindWord is what a title is that may be a whole series: movie or series.
func kindWord(k sources.Kind) string {
	if k == sources.KindEpisode {
		return "series"
	}
	return string(sources.KindMovie)
}

func yearOf(year int) *int {
	if year == 0 {
		return nil
	}
	return &year
}

func cleaned(names []string) []string {
	clean := make([]string, 0, len(names))
	for _, name := range names {
		clean = append(clean, text.Clean(name))
	}
	return clean
}
