package openfilms

import (
	"bytes"
	"context"
	_ "embed" // the catalogue
	"encoding/json"
	"fmt"
	"sync"

	"xship/sources"
	"xship/sources/match"
)

// The built-in interface, and the type of its one site.
const (
	InterfaceURL  = "builtin:open"
	InterfaceName = "Open films"
	Type          = "openfilms"
)

// Spec describes the site of the built-in interface.
func Spec() sources.SiteSpec {
	return sources.SiteSpec{
		SiteInfo:   sources.SiteInfo{Key: Type, Name: InterfaceName, Type: Type, Offline: true},
		API:        Type,
		Searchable: true,
	}
}

//go:embed catalogue.json
var catalogue []byte

// film is an entry of the catalogue.
type film struct {
	Name       string     `json:"name"`
	Original   string     `json:"original"` // in the original language
	Aliases    []string   `json:"aliases"`
	Year       int        `json:"year"`
	IMDb       string     `json:"imdb"` // "" unless confirmed
	Licence    string     `json:"licence"`
	LicenceURL string     `json:"licence_url"`
	Credit     string     `json:"credit"`          // to whom the licence wants it given
	Runtime    int        `json:"runtime_seconds"` // 0 unless measured
	Language   string     `json:"language"`        // ISO 639-1, "" without dialogue
	Links      []filmLink `json:"links"`
}

// filmLink is a file or stream of a film.
type filmLink struct {
	Kind      string          `json:"kind"` // kindMain or kindTrailer
	URL       string          `json:"url"`
	Quality   sources.Quality `json:"quality"`
	Container string          `json:"container"`
	Info      []string        `json:"info"`
	Seen      string          `json:"seen"` // where the URL is known from
}

const (
	kindMain    = "main"
	kindTrailer = "trailer"
)

// films decodes the catalogue, once in a process.
var films = sync.OnceValues(func() ([]film, error) { return decode(catalogue) })

func decode(data []byte) ([]film, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	var all []film
	if err := dec.Decode(&all); err != nil {
		return nil, sources.Errorf(sources.ClassBug, "the embedded catalogue of open films cannot be read: %w", err)
	}
	return all, nil
}

// New makes the site that spec describes.
func New(spec sources.SiteSpec) (sources.Site, error) {
	if spec.Type != Type {
		return nil, sources.Errorf(sources.ClassUnsupported, "site type %q is not the catalogue of open films", spec.Type)
	}
	all, err := films()
	if err != nil {
		return nil, err
	}
	return &site{info: spec.SiteInfo, films: all}, nil
}

type site struct {
	info  sources.SiteInfo
	films []film
}

// Info implements sources.Site.
func (s *site) Info() sources.SiteInfo { return s.info }

// Search implements sources.Site. It has no episodes. Films that match only
// nearly are yielded if none matches exactly.
func (s *site) Search(ctx context.Context, t sources.Title, yield func(sources.Source)) error {
	lookout := match.NewLookout(ctx, t)
	for _, f := range s.films {
		lookout.See(f.candidate(), sources.KindMovie, nil)
	}
	lookout.Tell()
	if t.Kind != sources.KindMovie {
		return nil
	}
	best, found := match.Near, []film(nil)
	for _, f := range s.films {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch m := match.Title(t, f.candidate()); {
		case m > best:
			best, found = m, []film{f}
		case m == best:
			found = append(found, f)
		}
	}
	for _, f := range found {
		for _, l := range f.Links {
			src := f.source(l)
			if best == match.Near {
				src.Priority = sources.PriorityNear
			}
			yield(src)
		}
	}
	return nil
}

func (f film) candidate() match.Candidate {
	return match.Candidate{Names: append([]string{f.Name, f.Original}, f.Aliases...), Year: f.Year, IMDb: f.IMDb}
}

func (f film) source(l filmLink) sources.Source {
	name := fmt.Sprintf("%s (%d) %s %s", f.Name, f.Year, l.Quality, l.Container)
	if l.Kind == kindTrailer {
		name += " trailer"
	}
	return sources.Source{
		Name:     name,
		URL:      l.URL,
		Quality:  l.Quality,
		Language: f.Language,
		Info:     append([]string{f.Licence}, l.Info...),
		Trailer:  l.Kind == kindTrailer,
	}
}
