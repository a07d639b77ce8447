package world

import (
	"encoding/json"
	"maps"
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
	IMDb    string // by which add-ons have it; "" leaves it out of theirs
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
	// Season and Episode are told where a server goes by numbers; Episode 0 = a film.
	Season, Episode int
}

// SiteConfig describes a site.
type SiteConfig struct {
	Name          string // for people, "" = the key
	Films         []Film
	PageSize      int  // rows in a page unless the client says otherwise, 0 = 20
	FullText      bool // searches give what shares any word with the question, as those of many servers do
	StringNumbers bool // numbers are answered as strings in JSON
	XML           XMLQuirks
}

const (
	sitePath        = "/api.php/provide/vod/"
	defaultPageSize = 20
	maxPageSize     = 100
	maxPage         = 1 << 20
)

// Site is a MacCMS server that speaks its API over a catalogue: ac=list, detail
// and videolist with wd, ids, t, year, from, pg and pagesize, as JSON or, by
// at=xml, as XML. Parameters may stand in the path as well: /at/xml/.
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
		cat := &catalogue{config: c, shelf: newShelf(c.Films)}
		s.content, s.posts = cat, true
		return &Site{Server: s, catalogue: cat}
	})
}

// URL is the address of the API.
func (s *Site) URL() string { return "http://" + s.addr + sitePath }

// XMLURL is the address of the API that answers in XML.
func (s *Site) XMLURL() string { return s.URL() + "at/xml/" }

// Films is the catalogue, in the order in which it is answered.
func (s *Site) Films() []Film { return s.catalogue.all() }

// SetFilms replaces the catalogue.
func (s *Site) SetFilms(films ...Film) { s.catalogue.replace(films) }

// Entry is the site as an interface lists it, with its JSON API.
func (s *Site) Entry() Entry {
	return Entry{Key: s.name, Name: s.catalogue.config.Name, Type: 1, API: s.URL(), Searchable: 1}
}

// XMLEntry is the site as an interface lists it, with its XML API.
func (s *Site) XMLEntry() Entry {
	e := s.Entry()
	e.Type, e.API = 0, s.XMLURL()
	return e
}

// shelf is the films of a site, which change while it runs.
type shelf struct {
	mu    sync.Mutex
	films []Film
}

func newShelf(films []Film) *shelf { return &shelf{films: slices.Clone(films)} }

func (s *shelf) all() []Film {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.films)
}

func (s *shelf) replace(films []Film) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.films = slices.Clone(films)
}

// row is a film with the id that it has in the catalogue.
type row struct {
	Film
	id     int
	typeID int
}

// rows numbers the films, and their types in order of appearance, from 1.
func (s *shelf) rows() (rows []row, types []string) {
	for i, f := range s.all() {
		t := slices.Index(types, f.Type)
		if t < 0 {
			t = len(types)
			types = append(types, f.Type)
		}
		rows = append(rows, row{Film: f, id: i + 1, typeID: t + 1})
	}
	return rows, types
}

type catalogue struct {
	*shelf
	config SiteConfig
}

func (c *catalogue) serve(w http.ResponseWriter, r *http.Request, m Mode) {
	q, ok := siteQuery(r)
	if !ok {
		http.NotFound(w, r)
		return
	}
	var rows []row
	var types []string
	if m != ModeEmpty {
		rows, types = c.rows()
	}
	a := c.answer(rows, types, q)
	if q.Get("at") == "xml" {
		serveBody(w, "text/xml; charset=utf-8", c.xml(a))
		return
	}
	body, err := json.Marshal(c.json(a))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	serveBody(w, "application/json; charset=utf-8", body)
}

// siteQuery is the form of r with the parameters in its path, which have no say
// where the form has them too.
func siteQuery(r *http.Request) (q url.Values, ok bool) {
	rest, ok := strings.CutPrefix(r.URL.Path+"/", sitePath)
	if !ok {
		return nil, false
	}
	q = maps.Clone(r.Form)
	words := strings.FieldsFunc(rest, func(c rune) bool { return c == '/' })
	if len(words)%2 != 0 {
		return nil, false
	}
	for pair := range slices.Chunk(words, 2) {
		if !q.Has(pair[0]) {
			q.Set(pair[0], pair[1])
		}
	}
	return q, true
}

// answer is what a query is answered, in whatever format.
type answer struct {
	rows                     []row // of the page
	types                    []string
	detail                   bool
	separator                string // of the players in a detail
	page, pages, size, total int
}

func (c *catalogue) answer(rows []row, types []string, q url.Values) answer {
	a := answer{types: types, separator: groupSeparator}
	if from := q.Get("from"); from != "" {
		rows, a.separator = ofPlayers(rows, strings.Split(from, ",")), ","
	}
	rows = slices.DeleteFunc(rows, func(r row) bool { return !r.matches(q) || !c.isFound(r, q.Get("wd")) })
	a.size = min(number(q.Get("pagesize"), c.config.PageSize), maxPageSize)
	a.page = number(q.Get("pg"), 1)
	a.total = len(rows)
	a.pages = (a.total + a.size - 1) / a.size
	a.detail = q.Get("ac") == "detail" || q.Get("ac") == "videolist"
	a.rows = pageOf(rows, a.page, a.size)
	return a
}

// pageOf is a page of rows, the first is number 1.
func pageOf(rows []row, n, size int) []row {
	first := min((min(n, maxPage)-1)*size, len(rows))
	return rows[first:min(first+size, len(rows))]
}

// ofPlayers keeps the links for the players named, and the films that have any.
func ofPlayers(rows []row, players []string) []row {
	var kept []row
	for _, r := range rows {
		r.Groups = slices.DeleteFunc(slices.Clone(r.Groups), func(g Group) bool { return !slices.Contains(players, g.From) })
		if len(r.Groups) > 0 {
			kept = append(kept, r)
		}
	}
	return kept
}

// object is a JSON object of the protocol.
type object map[string]any

func (c *catalogue) json(a answer) object {
	list := make([]object, len(a.rows))
	for i, r := range a.rows {
		list[i] = c.listRow(r)
		if a.detail {
			c.addDetail(list[i], r, a.separator)
		}
	}
	out := object{
		"code":      c.num(1),
		"msg":       "数据列表",
		"page":      c.num(a.page),
		"pagecount": c.num(a.pages),
		"limit":     c.num(a.size),
		"total":     c.num(a.total),
		"list":      list,
	}
	if !a.detail {
		out["class"] = c.classes(a.types)
	}
	return out
}

// matches tells whether a row is what the query asks for, but for the words of a search.
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
	return true
}

// isFound tells whether a search for wd finds a row. As in MacCMS, wd is looked for
// anywhere in the name, whatever its case, unless the site searches the full text.
func (c *catalogue) isFound(r row, wd string) bool {
	name, wd := strings.ToLower(r.Name), strings.ToLower(wd)
	if strings.Contains(name, wd) {
		return true
	}
	words := strings.Fields(name)
	return c.config.FullText && slices.ContainsFunc(strings.Fields(wd), func(word string) bool { return slices.Contains(words, word) })
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

func (c *catalogue) addDetail(o object, r row, separator string) {
	o["vod_year"] = r.year()
	o["vod_lang"] = r.Lang
	o["vod_area"] = ""
	o["vod_pic"] = ""
	o["vod_content"] = "<p>" + r.Name + "</p>"
	o["vod_play_from"] = r.froms(separator)
	o["vod_play_url"] = r.links()
}

func (f Film) year() string {
	if f.Year == 0 {
		return ""
	}
	return strconv.Itoa(f.Year)
}

const groupSeparator = "$$$"

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
		groups[i] = g.links("#")
	}
	return strings.Join(groups, groupSeparator)
}

func (g Group) links(separator string) string {
	items := make([]string, len(g.Items))
	for i, it := range g.Items {
		items[i] = it.URL
		if it.Label != "" {
			items[i] = it.Label + "$" + it.URL
		}
	}
	return strings.Join(items, separator)
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
