package world

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// StremioConfig describes a Stremio add-on.
type StremioConfig struct {
	Name  string // for people, "" = the key
	Films []Film // those without an IMDb id are not to be had
	Base  string // what its paths begin with, escaped, such as "/%7B%22k%22%3A1%7D"
	Query string // that each address must have
	Meta  bool   // it describes its films, which have no trailers
}

// Stremio is a Stremio add-on. It takes an address in the very bytes in which it gives
// its own, and ids with ":" escaped, as clients of Stremio do.
type Stremio struct {
	*Server
	streams *streams
}

// AddStremio starts an add-on.
func (w *World) AddStremio(key string, c StremioConfig) (*Stremio, error) {
	if c.Name == "" {
		c.Name = key
	}
	return add(w, w.addons, stremioNet, key, func(s *Server) *Stremio {
		a := &streams{config: c, shelf: newShelf(c.Films)}
		s.content = a
		return &Stremio{Server: s, streams: a}
	})
}

// URL is the address of the manifest.
func (s *Stremio) URL() string {
	address := "http://" + s.addr + s.streams.config.Base + "/manifest.json"
	if s.streams.config.Query != "" {
		address += "?" + s.streams.config.Query
	}
	return address
}

// streams is the content of an add-on.
type streams struct {
	*shelf
	config StremioConfig
}

func (a *streams) serve(w http.ResponseWriter, r *http.Request, m Mode) {
	path, ok := strings.CutPrefix(r.URL.EscapedPath(), a.config.Base+"/")
	if !ok || r.URL.RawQuery != a.config.Query {
		http.NotFound(w, r)
		return
	}
	var films []Film
	if m != ModeEmpty {
		films = a.all()
	}
	var out object
	switch parts := strings.Split(strings.TrimSuffix(path, ".json"), "/"); {
	case path == "manifest.json":
		out = a.manifest()
	case len(parts) == 3 && strings.HasSuffix(path, ".json") && parts[0] == "stream":
		out = object{"streams": a.rows(films, parts[1], parts[2]), "cacheMaxAge": 60}
	case len(parts) == 3 && strings.HasSuffix(path, ".json") && parts[0] == "meta" && a.config.Meta:
		out = object{"meta": description(films, parts[1], parts[2])}
	default:
		http.NotFound(w, r)
		return
	}
	body, err := json.Marshal(out)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	serveBody(w, "application/json; charset=utf-8", body)
}

func (a *streams) manifest() object {
	resources := []any{"stream"}
	if a.config.Meta {
		resources = append(resources, object{"name": "meta", "types": []string{"movie", "series"}, "idPrefixes": []string{"tt"}})
	}
	return object{
		"id": "org.example." + a.config.Name, "version": "1.0.0", "name": a.config.Name, "description": "Films of the loopback world",
		"resources": resources, "types": []string{"movie", "series"}, "idPrefixes": []string{"tt"}, "catalogs": []any{},
	}
}

// rows are the streams of an id, which is escaped.
func (a *streams) rows(films []Film, kind, id string) []object {
	rows := []object{}
	for _, f := range films {
		for _, g := range f.Groups {
			for _, it := range g.Items {
				if f.IMDb == "" || id != it.streamID(f.IMDb) || kind != it.streamType() {
					continue
				}
				rows = append(rows, object{
					"name": a.config.Name + "\n" + it.Label, "description": fmt.Sprintf("%s\n%s %s", f.Name, f.Remarks, f.Lang), "url": it.URL,
					"behaviorHints": object{"notWebReady": true, "bingeGroup": a.config.Name + "|" + g.From},
				})
			}
		}
	}
	return rows
}

// streamID is the id of the film or the episode, escaped.
func (i Item) streamID(imdb string) string {
	if i.Episode == 0 {
		return imdb
	}
	return url.QueryEscape(fmt.Sprintf("%s:%d:%d", imdb, i.Season, i.Episode))
}

func (i Item) streamType() string {
	if i.Episode == 0 {
		return "movie"
	}
	return "series"
}

// description is that of a title; of one that nobody has it is empty.
func description(films []Film, kind, id string) object {
	n := slices.IndexFunc(films, func(f Film) bool { return f.IMDb == id })
	if n < 0 {
		return object{}
	}
	return object{"id": id, "type": kind, "name": films[n].Name, "trailers": []object{}}
}
