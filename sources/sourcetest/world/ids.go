package world

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// IDTitle is a film or a series that an id service knows.
type IDTitle struct {
	ID           string // "tt" and digits
	Series       bool
	Name         string
	OriginalName string
	Aliases      []string
	ReleaseInfo  string // "2008", "2011-2019" or "2022-"
	Runtime      string // such as "94 min"
	Status       string // of a series: "Continuing" or "Ended"
	Episodes     []IDEpisode
}

// IDEpisode is an episode that an id service knows. Season 0 are specials.
type IDEpisode struct {
	Season   int
	Episode  int
	Name     string
	Released time.Time // zero: to be announced
}

// IDs is a service that tells the ids of titles, in the protocol of Cinemeta: a search by
// catalog, and what it knows of an id by meta. An id that it does not know is an empty
// object, with status 200.
type IDs struct {
	*Server
	register *register
}

// AddIDs starts an id service.
func (w *World) AddIDs(name string, titles ...IDTitle) (*IDs, error) {
	return add(w, w.ids, idsNet, name, func(s *Server) *IDs {
		r := &register{titles: titles}
		s.content = r
		return &IDs{Server: s, register: r}
	})
}

// IDs returns the id service of that name, or nil.
func (w *World) IDs(name string) *IDs { return lookup(w, w.ids, name) }

// URL is the address of the service.
func (i *IDs) URL() string { return "http://" + i.addr }

// SetTitles replaces what the service knows.
func (i *IDs) SetTitles(titles ...IDTitle) {
	i.register.mu.Lock()
	defer i.register.mu.Unlock()
	i.register.titles = titles
}

// register is the content of an id service.
type register struct {
	mu     sync.Mutex
	titles []IDTitle
}

func (g *register) serve(w http.ResponseWriter, r *http.Request, m Mode) {
	g.mu.Lock()
	titles := g.titles
	g.mu.Unlock()
	if m == ModeEmpty {
		titles = nil
	}
	// Escaped, as a name may hold a slash.
	parts := strings.Split(strings.TrimSuffix(strings.TrimPrefix(r.URL.EscapedPath(), "/"), ".json"), "/")
	for i := range parts {
		parts[i], _ = url.PathUnescape(parts[i]) // what cannot be read is no path of ours
	}
	var doc any
	switch {
	case len(parts) == 4 && parts[0] == "catalog" && parts[2] == "top" && strings.HasPrefix(parts[3], "search="):
		metas := []object{}
		for _, t := range titles {
			if t.typeName() == parts[1] && t.isCalled(strings.TrimPrefix(parts[3], "search=")) {
				metas = append(metas, t.row())
			}
		}
		doc = object{"metas": metas}
	case len(parts) == 3 && parts[0] == "meta":
		answer := object{}
		for _, t := range titles {
			if t.typeName() == parts[1] && t.ID == parts[2] {
				answer["meta"] = t.meta()
			}
		}
		doc = answer
	default:
		http.NotFound(w, r)
		return
	}
	body, err := json.Marshal(doc)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	serveBody(w, "application/json; charset=utf-8", body)
}

func (t IDTitle) typeName() string {
	if t.Series {
		return "series"
	}
	return "movie"
}

// isCalled tells whether a search finds the title: all words stand in its names.
func (t IDTitle) isCalled(query string) bool {
	names := strings.ToLower(strings.Join(append([]string{t.Name, t.OriginalName}, t.Aliases...), "\n"))
	for word := range strings.FieldsSeq(strings.ToLower(query)) {
		if !strings.Contains(names, word) {
			return false
		}
	}
	return true
}

// row is the title in the answer to a search.
func (t IDTitle) row() object {
	return object{
		"id": t.ID, "imdb_id": t.ID, "type": t.typeName(), "name": t.Name, "releaseInfo": t.ReleaseInfo,
		"poster": "https://images.example/poster/small/" + t.ID + "/img",
	}
}

// meta is the title in the answer to its id.
func (t IDTitle) meta() object {
	m := t.row()
	m["year"], m["runtime"], m["genres"], m["imdbRating"] = t.ReleaseInfo, t.Runtime, []string{"Drama"}, "7.4"
	m["moviedb_id"], m["background"] = 4711, "https://images.example/background/medium/"+t.ID+"/img"
	if t.OriginalName != "" {
		m["originalName"] = t.OriginalName
	}
	if len(t.Aliases) > 0 {
		m["aliases"] = t.Aliases
	}
	videos := []object{}
	for i := range t.Episodes {
		e := t.Episodes[len(t.Episodes)-1-i] // in no order that means anything
		video := object{"id": t.ID + ":" + strconv.Itoa(e.Season) + ":" + strconv.Itoa(e.Episode), "season": e.Season, "number": e.Episode, "name": e.Name, "tvdb_id": 100 + i, "released": nil}
		if !e.Released.IsZero() {
			video["released"] = e.Released.UTC().Format("2006-01-02T15:04:05.000Z")
		}
		videos = append(videos, video)
	}
	if t.Series {
		m["status"], m["videos"] = t.Status, videos
	}
	return m
}
