package world

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// ArchiveItem is an item of an Archive. Values are written as they are given: the real
// one writes text, numbers or lists for one and the same field.
type ArchiveItem struct {
	Fields map[string]any   // of its metadata, which searches know too; it needs an identifier
	Files  []map[string]any // each needs a name
	Beside map[string]any   // what stands beside metadata and files, such as is_dark
	Gone   bool             // searches find it, and its metadata is {}
}

func (i ArchiveItem) id() string { return fmt.Sprint(i.Fields["identifier"]) }

// ArchiveConfig describes an Archive.
type ArchiveConfig struct {
	Items []ArchiveItem
	// Node is where downloads are sent on to, as the real one does; nil: to a path of its
	// own.
	Node *Hoster
}

const (
	archiveSearch   = "/advancedsearch.php"
	archiveMetadata = "/metadata/"
	archiveDownload = "/download/"
	archiveNode     = "/14/items/"
)

// Archive is a server that answers as the Internet Archive does: searches in the query
// language of Lucene, as far as clients use that, metadata of items, and downloads, which
// it sends on to a node.
type Archive struct {
	*Server
	items *archiveItems
}

// AddArchive starts an Archive.
func (w *World) AddArchive(name string, c ArchiveConfig) (*Archive, error) {
	return add(w, w.archives, archiveNet, name, func(s *Server) *Archive {
		items := &archiveItems{items: c.Items, node: c.Node}
		s.content = items
		return &Archive{Server: s, items: items}
	})
}

// URL is the address of the Archive.
func (a *Archive) URL() string { return "http://" + a.addr }

// SetItems replaces the items.
func (a *Archive) SetItems(items ...ArchiveItem) {
	a.items.mu.Lock()
	defer a.items.mu.Unlock()
	a.items.items = items
}

// Download is the address of a file of an item.
func (a *Archive) Download(id, name string) string {
	segments := strings.Split(name, "/")
	for i, segment := range segments {
		segments[i] = strings.ReplaceAll(url.QueryEscape(segment), "+", "%20")
	}
	return a.URL() + archiveDownload + id + "/" + strings.Join(segments, "/")
}

// Link is the address of the file that ArchiveItems makes of a link of a film, "" where
// that is none.
func (a *Archive) Link(link string) string {
	for _, item := range a.items.all() {
		for _, f := range item.Files {
			if f["link"] == link {
				return a.Download(item.id(), fmt.Sprint(f["name"]))
			}
		}
	}
	return ""
}

// ArchiveItems are films as items, which anybody may use: each link is an original file
// of video, with what the Archive puts beside it.
func ArchiveItems(films []Film) []ArchiveItem {
	items := make([]ArchiveItem, len(films))
	for i, f := range films {
		id := fmt.Sprintf("item-%d_%s", i+1, slug(f.Name))
		item := ArchiveItem{Fields: map[string]any{
			"identifier": id, "title": f.Name, "mediatype": "movies", "collection": []string{"opensource_movies", "movies"},
			"licenseurl": "http://creativecommons.org/publicdomain/mark/1.0/", "subject": f.Type, "description": f.Remarks, "downloads": 1000 - i,
		}}
		if f.Year != 0 {
			item.Fields["year"] = []any{f.Year, strconv.Itoa(f.Year), []int{f.Year}}[i%3]
		}
		for _, g := range f.Groups {
			for _, it := range g.Items {
				item.Files = append(item.Files, archiveFile(f, g, it))
			}
		}
		item.Files = append(item.Files,
			map[string]any{"name": id + "_meta.xml", "source": "original", "format": "Metadata"},
			map[string]any{"name": id + "_archive.torrent", "source": "metadata", "format": "Archive BitTorrent", "size": "2100"},
			map[string]any{"name": "__ia_thumb.jpg", "source": "original", "format": "Item Tile", "size": "6021"})
		items[i] = item
	}
	return items
}

// archiveFile is a link as a file. Episodes are called by their labels.
func archiveFile(f Film, g Group, it Item) map[string]any {
	name := it.URL
	if u, err := url.Parse(it.URL); err == nil {
		name = strings.TrimPrefix(u.Path, "/")
	}
	if f.Type == "Series" {
		name = it.Label
	}
	file := map[string]any{
		"name": strings.TrimSuffix(name, path.Ext(name)) + ".mp4", "source": "original", "format": "h.264", "size": "734003200", "length": "5752.84", "link": it.URL,
	}
	if strings.ContainsFunc(g.From, unicode.IsControl) {
		file["format"] = g.From
	}
	if height := strings.TrimSuffix(it.Label, "P"); height != it.Label {
		file["height"] = height
	}
	return file
}

// slug is a name as identifiers are made of it.
func slug(name string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return unicode.ToLower(r)
		}
		return '-'
	}, name), "-")
}

// archiveItems are the content of an Archive.
type archiveItems struct {
	node *Hoster

	mu    sync.Mutex
	items []ArchiveItem
}

func (a *archiveItems) all() []ArchiveItem {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.items)
}

func (a *archiveItems) serve(w http.ResponseWriter, r *http.Request, m Mode) {
	items := a.all()
	if m == ModeEmpty {
		items = nil
	}
	switch {
	case r.URL.Path == archiveSearch:
		serveJSON(w, searchArchive(items, r.URL.Query()))
	case strings.HasPrefix(r.URL.Path, archiveMetadata):
		serveJSON(w, metadataOf(items, strings.TrimPrefix(r.URL.Path, archiveMetadata)))
	case strings.HasPrefix(r.URL.Path, archiveDownload):
		a.download(w, r, items)
	case strings.HasPrefix(r.URL.Path, archiveNode):
		media{removed: new(sync.Map)}.serve(w, r, m)
	default:
		http.NotFound(w, r)
	}
}

func serveJSON(w http.ResponseWriter, answer any) {
	body, err := json.Marshal(answer)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	serveBody(w, "application/json; charset=utf-8", body)
}

// metadataOf is the metadata of an item, or {} where there is none.
func metadataOf(items []ArchiveItem, id string) object {
	i := slices.IndexFunc(items, func(item ArchiveItem) bool { return item.id() == id })
	if i < 0 || items[i].Gone {
		return object{}
	}
	out := object{
		"created": 1764576000, "d1": "ia800706.us.archive.org", "dir": archiveNode + "items/" + id, "server": "ia800706.us.archive.org", "uniq": 1,
		"workable_servers": []string{"ia800706.us.archive.org"}, "metadata": items[i].Fields, "files": items[i].Files, "files_count": len(items[i].Files),
	}
	maps.Copy(out, items[i].Beside)
	return out
}

// download sends a request for a file on to where that lies.
func (a *archiveItems) download(w http.ResponseWriter, r *http.Request, items []ArchiveItem) {
	id, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, archiveDownload), "/")
	for _, item := range items {
		if item.id() != id {
			continue
		}
		for _, f := range item.Files {
			if f["name"] != name {
				continue
			}
			if fmt.Sprint(f["private"]) == "true" || fmt.Sprint(item.Fields["access-restricted-item"]) == "true" {
				http.Error(w, "item not available", http.StatusForbidden)
				return
			}
			node := archiveNode + strings.TrimPrefix(r.URL.EscapedPath(), archiveDownload)
			if a.node != nil {
				node = "http://" + a.node.Addr() + node
			}
			http.Redirect(w, r, node, http.StatusFound)
			return
		}
	}
	http.NotFound(w, r)
}

var (
	archiveID    = regexp.MustCompile(`external-identifier:"([^"]*)"`)
	archiveTitle = regexp.MustCompile(`(?:^| AND )title:\((.*?)\) AND `)
	archiveYears = regexp.MustCompile(` AND year:\[(\d+) TO (\d+)\]`)
)

// searchArchive answers a search. A query with a sign that is not escaped is an error, as
// the real one has it.
func searchArchive(items []ArchiveItem, q url.Values) object {
	query := q.Get("q")
	matches, err := archiveQuery(query)
	if err != nil {
		return object{"error": err.Error()}
	}
	docs := []object{}
	rows := number(q.Get("rows"), defaultPageSize)
	found := 0
	for _, item := range items {
		if !matches(item.Fields) {
			continue
		}
		if found++; len(docs) == rows {
			continue
		}
		doc := object{}
		for _, field := range q["fl[]"] {
			if value, ok := item.Fields[field]; ok {
				doc[field] = value
			}
		}
		docs = append(docs, doc)
	}
	return object{
		"responseHeader": object{"status": 0, "QTime": 12, "params": object{"query": query, "fields": strings.Join(q["fl[]"], ","), "start": 0}},
		"response":       object{"numFound": found, "start": 0, "docs": docs},
	}
}

// archiveQuery reads a query.
func archiveQuery(q string) (matches func(fields map[string]any) bool, err error) {
	var names [][]string
	if m := archiveTitle.FindStringSubmatch(q); m != nil {
		inner := m[1]
		if strings.HasPrefix(inner, "(") {
			inner = strings.TrimSuffix(strings.TrimPrefix(inner, "("), ")")
		}
		for name := range strings.SplitSeq(inner, ") OR (") {
			words, err := archiveWords(name)
			if err != nil {
				return nil, err
			}
			names = append(names, words)
		}
	}
	id, years := archiveID.FindStringSubmatch(q), archiveYears.FindStringSubmatch(q)
	if id == nil && names == nil {
		return nil, fmt.Errorf("the query %q is not understood", q)
	}
	return func(fields map[string]any) bool {
		title := strings.Fields(plainWords(fieldText(fields["title"])))
		switch {
		case strings.Contains(q, "mediatype:(movies)") && fieldText(fields["mediatype"]) != "movies",
			strings.Contains(q, "-title:trailer") && slices.Contains(title, "trailer"),
			id != nil && !slices.Contains(strings.Fields(fieldText(fields["external-identifier"])), id[1]):
			return false
		}
		if years != nil {
			first, _, _ := strings.Cut(fieldText(fields["year"]), " ")
			year := number(first, 0)
			if year < number(years[1], 0) || year > number(years[2], 0) {
				return false
			}
		}
		return names == nil || slices.ContainsFunc(names, func(words []string) bool {
			return !slices.ContainsFunc(words, func(word string) bool { return !slices.Contains(title, word) })
		})
	}, nil
}

// archiveWords are the words of a term, whose signs have to be escaped and whose words
// must be no operators.
func archiveWords(term string) ([]string, error) {
	escaped := false
	for _, r := range term {
		switch {
		case escaped:
			escaped = false
		case r == '\\':
			escaped = true
		case strings.ContainsRune(`+-&|!(){}[]^"~*?:/<>=`, r):
			return nil, fmt.Errorf("syntax error at %q in %q", r, term)
		}
	}
	for word := range strings.FieldsSeq(term) {
		if word == "AND" || word == "OR" || word == "NOT" || word == "TO" {
			return nil, fmt.Errorf("operator %s in %q", word, term)
		}
	}
	return strings.Fields(plainWords(term)), nil
}

// plainWords are letters and digits in lower case, with spaces between the words.
func plainWords(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '\'' {
			return unicode.ToLower(r)
		}
		return ' '
	}, s)
}

// fieldText is a field as text, the values of a list with spaces between them.
func fieldText(value any) string {
	if value == nil {
		return ""
	}
	return strings.Trim(fmt.Sprint(value), "[]")
}
