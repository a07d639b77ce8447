package world

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// URLForm is how a T4 server writes the url of an answer to play.
type URLForm string

// The forms. In pairs and values the first link is the one to play.
const (
	URLString URLForm = ""       // the link
	URLPairs  URLForm = "pairs"  // [name, link, name, link]
	URLValues URLForm = "values" // {"values": [{"n": name, "v": link}], "position": 0}
)

// T4Config describes a T4 server.
type T4Config struct {
	Name           string // for people, "" = the key
	Films          []Film
	Query          string            // of the API itself, such as "site=one"; without it the server answers 404
	Ext            string            // what must come as extend, or every answer is an error; "" = nothing
	ExtURL         bool              // the interface lists a URL for Ext, which is its text
	DirectIDs      bool              // episodes have their links for ids
	DetailArray    bool              // a detail is an array in place of an object with a list
	NeedsParser    bool              // play answers parse 1: the link is a page to be sniffed
	NeedsJX        bool              // play answers jx 1: the link is for a parser of the interface
	URLForm        URLForm           // of the link in answers to play
	PlayURL        string            // told as playUrl
	Header         map[string]string // told with each link
	HeaderAsString bool              // as JSON in a string
}

const (
	t4Path  = "/api/t4"
	extPath = "/ext.json"
)

// T4 is a server of the T4 protocol, which interfaces list as type 4. Searches
// give rows without links, a detail gives ids of episodes, and play their links.
// Parameters come by GET or in a posted form; of several that name an operation
// the order is play, t, ids, wd, home.
type T4 struct {
	*Server
	guide *guide
}

// AddT4 starts a T4 server.
func (w *World) AddT4(key string, c T4Config) (*T4, error) {
	if c.Name == "" {
		c.Name = key
	}
	return add(w, w.t4s, t4Net, key, func(s *Server) *T4 {
		g := &guide{config: c, shelf: newShelf(c.Films)}
		s.content, s.posts = g, true
		return &T4{Server: s, guide: g}
	})
}

// T4 returns the T4 server of that key, or nil.
func (w *World) T4(key string) *T4 { return lookup(w, w.t4s, key) }

// URL is the address of the API, with its own query.
func (t *T4) URL() string {
	address := "http://" + t.addr + t4Path
	if t.guide.config.Query != "" {
		address += "?" + t.guide.config.Query
	}
	return address
}

// ExtURL is the address of the text that must come as extend.
func (t *T4) ExtURL() string { return "http://" + t.addr + extPath }

// Films is the catalogue, in the order in which it is answered.
func (t *T4) Films() []Film { return t.guide.all() }

// SetFilms replaces the catalogue.
func (t *T4) SetFilms(films ...Film) { t.guide.replace(films) }

// Entry is the site as an interface lists it.
func (t *T4) Entry() Entry {
	e := Entry{Key: t.name, Name: t.guide.config.Name, Type: 4, API: t.URL(), Searchable: 1}
	switch c := t.guide.config; {
	case c.ExtURL:
		e.Ext = t.ExtURL()
	case c.Ext != "":
		e.Ext = c.Ext
	}
	return e
}

// guide is the content of a T4 server.
type guide struct {
	*shelf
	config T4Config
}

func (g *guide) serve(w http.ResponseWriter, r *http.Request, m Mode) {
	switch {
	case r.URL.Path == extPath && g.config.ExtURL:
		serveBody(w, "text/plain; charset=utf-8", []byte(g.config.Ext))
		return
	case r.URL.Path != t4Path || !g.knows(r.URL.Query()):
		http.NotFound(w, r)
		return
	}
	var rows []row
	var types []string
	if m != ModeEmpty {
		rows, types = g.rows()
	}
	body, err := json.Marshal(g.answer(rows, types, r.Form))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	serveBody(w, "application/json; charset=utf-8", body)
}

// knows tells whether q has all of the query that the API has of its own.
func (g *guide) knows(q url.Values) bool {
	own, err := url.ParseQuery(g.config.Query)
	for name := range own {
		if q.Get(name) != own.Get(name) {
			return false
		}
	}
	return err == nil
}

func (g *guide) answer(rows []row, types []string, q url.Values) any {
	if g.config.Ext != "" && q.Get("extend") != g.config.Ext {
		return object{"error": "extend is missing or wrong"}
	}
	detail := q.Get("ac") != ""
	switch {
	case q.Get("play") != "":
		return g.play(rows, q.Get("play"))
	case detail && q.Get("t") != "":
		return t4List(keep(rows, func(r row) bool { return strconv.Itoa(r.typeID) == q.Get("t") }), q)
	case detail && q.Get("ids") != "":
		return g.detail(rows, strings.Split(q.Get("ids"), ","))
	case q.Get("wd") != "":
		return t4List(keep(rows, func(r row) bool {
			return strings.Contains(strings.ToLower(r.Name), strings.ToLower(q.Get("wd")))
		}), q)
	default:
		return t4Home(types)
	}
}

func keep(rows []row, ok func(row) bool) []row {
	return slices.DeleteFunc(rows, func(r row) bool { return !ok(r) })
}

func t4Home(types []string) object {
	classes := make([]object, len(types))
	for i, t := range types {
		classes[i] = object{"type_id": strconv.Itoa(i + 1), "type_name": t}
	}
	return object{"class": classes, "list": []object{}}
}

// t4List is a page of rows. As many servers do, it says nothing of pages.
func t4List(rows []row, q url.Values) object {
	rows = pageOf(rows, number(q.Get("pg"), 1), defaultPageSize)
	list := make([]object, len(rows))
	for i, r := range rows {
		list[i] = object{"vod_id": r.t4ID(), "vod_name": r.Name, "vod_pic": "", "vod_remarks": r.Remarks}
	}
	return object{"list": list}
}

// t4ID is the id of a film, which looks like a path, as those of scrapers do.
func (r row) t4ID() string { return fmt.Sprintf("/film/%d.html?a=1&b=2", r.id) }

func (g *guide) detail(rows []row, ids []string) any {
	list := []object{}
	for _, r := range rows {
		if !slices.Contains(ids, r.t4ID()) {
			continue
		}
		if !g.config.DirectIDs {
			r.Groups = r.episodeIDs()
		}
		list = append(list, object{
			"vod_id": r.t4ID(), "vod_name": r.Name, "vod_pic": "", "vod_remarks": r.Remarks, "type_name": r.Type,
			"vod_year": r.year(), "vod_lang": r.Lang, "vod_content": "<p>" + r.Name + "</p>",
			"vod_play_from": r.froms(groupSeparator), "vod_play_url": r.links(),
		})
	}
	if g.config.DetailArray {
		return list
	}
	return object{"list": list}
}

// episodeIDs are the groups of r with ids in place of links.
func (r row) episodeIDs() []Group {
	groups := make([]Group, len(r.Groups))
	for i, g := range r.Groups {
		groups[i] = Group{From: g.From, Items: slices.Clone(g.Items)}
		for j := range g.Items {
			groups[i].Items[j].URL = r.episodeID(i, j)
		}
	}
	return groups
}

func (r row) episodeID(group, item int) string {
	return fmt.Sprintf("/play/%d-%d-%d?x=1&y=2", r.id, group, item)
}

func (g *guide) play(rows []row, id string) object {
	link, err := g.link(rows, id)
	if err != nil {
		return object{"error": err.Error()}
	}
	out := object{"parse": flag(g.config.NeedsParser), "jx": flag(g.config.NeedsJX), "url": g.config.URLForm.write(link)}
	if g.config.PlayURL != "" {
		out["playUrl"] = g.config.PlayURL
	}
	if len(g.config.Header) > 0 {
		out["header"] = g.config.Header
		if g.config.HeaderAsString {
			text, err := json.Marshal(g.config.Header)
			if err != nil {
				return object{"error": err.Error()}
			}
			out["header"] = string(text)
		}
	}
	return out
}

var errNoEpisode = errors.New("no such episode")

// link is what the episode id stands for.
func (g *guide) link(rows []row, id string) (string, error) {
	for _, r := range rows {
		for i, group := range r.Groups {
			for j, it := range group.Items {
				if id == r.episodeID(i, j) || g.config.DirectIDs && id == it.URL {
					return it.URL, nil
				}
			}
		}
	}
	return "", errNoEpisode
}

func (f URLForm) write(link string) any {
	switch f {
	case URLPairs:
		return []string{"HD", link, "again", link}
	case URLValues:
		return object{"values": []object{{"n": "HD", "v": link}, {"n": "again", "v": link}}, "position": 0}
	default:
		return link
	}
}

func flag(on bool) int {
	if on {
		return 1
	}
	return 0
}
