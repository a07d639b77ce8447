package world

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Film is one row of a site's catalogue: a film, or a season of a series with
// all its episodes.
type Film struct {
	Name    string
	Year    int    // 0 where the site does not know it
	Type    string // the site's category, such as "Film" or "Series"
	Remarks string // such as "HD" or "12 episodes"
	Lang    string
	Groups  []Group
}

// Group is the links of a film that one player takes.
type Group struct {
	From  string // code of the player, such as "m3u8"
	Items []Item
}

// Item is one link of a group.
type Item struct {
	Label string // of the episode or version; "" leaves it out
	URL   string
}

// SiteConfig describes a site.
type SiteConfig struct {
	Name          string // for people, "" = the key
	Films         []Film
	PageSize      int  // rows in a page unless the client says otherwise, 0 = 20
	StringNumbers bool // numbers are answered as strings
}

const (
	sitePath        = "/api.php/provide/vod/"
	defaultPageSize = 20
	maxPageSize     = 100
)

// Site is a MacCMS server that speaks its JSON API over a catalogue: ac=list,
// detail and videolist with wd, ids, t, year, pg and pagesize.
type Site struct {
	*Server
	catalogue *catalogue
}

// AddSite starts a site.
func (w *World) AddSite(key string, c SiteConfig) (*Site, error) {
	if c.Name == "" {
		c.Name = key
	}
	if c.PageSize <= 0 {
		c.PageSize = defaultPageSize
	}
	return add(w, w.sites, siteNet, key, func(s *Server) *Site {
		cat := &catalogue{config: c, films: slices.Clone(c.Films)}
		s.content = cat
		return &Site{Server: s, catalogue: cat}
	})
}

// URL is the address of the API.
func (s *Site) URL() string { return "http://" + s.addr + sitePath }

// Films is the catalogue, in the order in which it is answered.
func (s *Site) Films() []Film { return s.catalogue.all() }

// SetFilms replaces the catalogue.
func (s *Site) SetFilms(films ...Film) { s.catalogue.replace(films) }

// Entry is the site as an interface lists it.
func (s *Site) Entry() Entry {
	return Entry{Key: s.name, Name: s.catalogue.config.Name, Type: 1, API: s.URL(), Searchable: 1}
}

type catalogue struct {
	config SiteConfig

	mu    sync.Mutex
	films []Film
}

func (c *catalogue) all() []Film {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.films)
}

func (c *catalogue) replace(films []Film) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.films = slices.Clone(films)
}

// row is a film with the id that it has in the catalogue.
type row struct {
	Film
	id     int
	typeID int
}

// rows numbers the films, and their types in order of appearance, from 1.
func (c *catalogue) rows() (rows []row, types []string) {
	for i, f := range c.all() {
		t := slices.Index(types, f.Type)
		if t < 0 {
			t = len(types)
			types = append(types, f.Type)
		}
		rows = append(rows, row{Film: f, id: i + 1, typeID: t + 1})
	}
	return rows, types
}

func (c *catalogue) serve(w http.ResponseWriter, r *http.Request, m Mode) {
	if strings.TrimSuffix(r.URL.Path, "/") != strings.TrimSuffix(sitePath, "/") {
		http.NotFound(w, r)
		return
	}
	var rows []row
	var types []string
	if m != ModeEmpty {
		rows, types = c.rows()
	}
	body, err := json.Marshal(c.answer(rows, types, r.URL.Query()))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	serveBody(w, "application/json; charset=utf-8", body)
}

// object is a JSON object of the protocol.
type object map[string]any

func (c *catalogue) answer(rows []row, types []string, q url.Values) object {
	rows = slices.DeleteFunc(rows, func(r row) bool { return !r.matches(q) })
	size := min(number(q.Get("pagesize"), c.config.PageSize), maxPageSize)
	page := number(q.Get("pg"), 1)
	first := min((page-1)*size, len(rows))
	last := min(first+size, len(rows))

	detail := q.Get("ac") == "detail" || q.Get("ac") == "videolist"
	list := make([]object, 0, last-first)
	for _, r := range rows[first:last] {
		o := c.listRow(r)
		if detail {
			c.addDetail(o, r)
		}
		list = append(list, o)
	}
	out := object{
		"code":      c.num(1),
		"msg":       "数据列表",
		"page":      c.num(page),
		"pagecount": c.num((len(rows) + size - 1) / size),
		"limit":     c.num(size),
		"total":     c.num(len(rows)),
		"list":      list,
	}
	if !detail {
		out["class"] = c.classes(types)
	}
	return out
}

// matches tells whether a row is what the query asks for. As in MacCMS, wd is
// looked for anywhere in the name, whatever its case.
func (r row) matches(q url.Values) bool {
	if ids := q.Get("ids"); ids != "" && !slices.Contains(strings.Split(ids, ","), strconv.Itoa(r.id)) {
		return false
	}
	if t := q.Get("t"); t != "" && t != strconv.Itoa(r.typeID) {
		return false
	}
	if y := q.Get("year"); y != "" && y != strconv.Itoa(r.Year) {
		return false
	}
	return strings.Contains(strings.ToLower(r.Name), strings.ToLower(q.Get("wd")))
}

func (c *catalogue) listRow(r row) object {
	return object{
		"vod_id":        c.num(r.id),
		"vod_name":      r.Name,
		"type_id":       c.num(r.typeID),
		"type_name":     r.Type,
		"vod_en":        "",
		"vod_time":      modified().Format("2006-01-02 15:04:05"),
		"vod_remarks":   r.Remarks,
		"vod_play_from": r.froms(","),
	}
}

func (c *catalogue) addDetail(o object, r row) {
	year := ""
	if r.Year != 0 {
		year = strconv.Itoa(r.Year)
	}
	o["vod_year"] = year
	o["vod_lang"] = r.Lang
	o["vod_area"] = ""
	o["vod_pic"] = ""
	o["vod_content"] = "<p>" + r.Name + "</p>"
	o["vod_play_from"] = r.froms("$$$")
	o["vod_play_url"] = r.links()
}

func (f Film) froms(sep string) string {
	names := make([]string, len(f.Groups))
	for i, g := range f.Groups {
		names[i] = g.From
	}
	return strings.Join(names, sep)
}

func (f Film) links() string {
	groups := make([]string, len(f.Groups))
	for i, g := range f.Groups {
		items := make([]string, len(g.Items))
		for j, it := range g.Items {
			items[j] = it.URL
			if it.Label != "" {
				items[j] = it.Label + "$" + it.URL
			}
		}
		groups[i] = strings.Join(items, "#")
	}
	return strings.Join(groups, "$$$")
}

func (c *catalogue) classes(types []string) []object {
	classes := make([]object, len(types))
	for i, t := range types {
		classes[i] = object{"type_id": c.num(i + 1), "type_pid": c.num(0), "type_name": t}
	}
	return classes
}

// num is n as the site writes numbers.
func (c *catalogue) num(n int) any {
	if c.config.StringNumbers {
		return strconv.Itoa(n)
	}
	return n
}

// number reads a positive parameter; anything else is the default.
func number(s string, def int) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return def
	}
	return n
}
