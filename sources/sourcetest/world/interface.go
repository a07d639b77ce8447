package world

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Entry is a site as a TVBox config lists it.
type Entry struct {
	Key        string            `json:"key"`
	Name       string            `json:"name"`
	Type       int               `json:"type"`
	API        string            `json:"api"`
	Searchable int               `json:"searchable"`
	Ext        any               `json:"ext,omitempty"`     // text or an object
	Timeout    int               `json:"timeout,omitempty"` // seconds
	Categories []string          `json:"categories,omitempty"`
	PlayURL    string            `json:"playUrl,omitempty"`
	Header     map[string]string `json:"header,omitempty"`
}

// Child is a config that a depot lists.
type Child struct{ Name, URL string }

// InterfaceConfig describes an interface.
type InterfaceConfig struct {
	Entries      []Entry
	Children     []Child  // a depot lists these; one without Entries has no sites
	StoreHouse   bool     // the children are depots themselves, and listed in that form
	Msg          string   // what the config says in place of being one
	BOM          bool     // the config starts with a byte order mark
	Comments     bool     // it has comments of all three kinds
	Encoding     Encoding // how it is hidden
	ETag         bool     // it has an ETag, and is answered 304 where the client has it
	LastModified bool     // likewise by time, which moves on by a second with each change
}

// Interface serves a TVBox config.
type Interface struct {
	*Server
	listing *listing
}

const (
	interfacePath = "/vod.json"
	shortPath     = "/short"
)

// AddInterface starts an interface.
func (w *World) AddInterface(name string, c InterfaceConfig) (*Interface, error) {
	return add(w, w.interfaces, interfaceNet, name, func(s *Server) *Interface {
		l := &listing{config: c, entries: slices.Clone(c.Entries), children: slices.Clone(c.Children)}
		s.content = l
		return &Interface{Server: s, listing: l}
	})
}

// URL is the address of the config.
func (i *Interface) URL() string { return "http://" + i.addr + interfacePath }

// ShortURL is an address that redirects to URL.
func (i *Interface) ShortURL() string { return "http://" + i.addr + shortPath }

// SetEntries replaces the list of sites.
func (i *Interface) SetEntries(entries ...Entry) {
	i.listing.change(func(l *listing) { l.entries = slices.Clone(entries) })
}

// SetChildren replaces the list of a depot.
func (i *Interface) SetChildren(children ...Child) {
	i.listing.change(func(l *listing) { l.children = slices.Clone(children) })
}

type listing struct {
	config InterfaceConfig

	mu       sync.Mutex
	entries  []Entry
	children []Child
	changes  int
}

func (l *listing) change(f func(*listing)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f(l)
	l.changes++
}

func (l *listing) serve(w http.ResponseWriter, r *http.Request, m Mode) {
	switch r.URL.Path {
	case interfacePath:
	case shortPath:
		http.Redirect(w, r, interfacePath, http.StatusFound)
		return
	default:
		http.NotFound(w, r)
		return
	}
	body, at, err := l.document(m == ModeEmpty)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	contentType := "application/json; charset=utf-8"
	if l.config.Encoding == EncodingImage {
		contentType = "image/gif"
	}
	l.serveChanging(w, r, contentType, body, at)
}

// serveChanging answers 304 where the client has body already.
func (l *listing) serveChanging(w http.ResponseWriter, r *http.Request, contentType string, body []byte, at time.Time) {
	if !l.config.ETag && !l.config.LastModified {
		serveBody(w, contentType, body)
		return
	}
	if l.config.ETag {
		sum := fnv.New64a()
		_, _ = sum.Write(body) // a hash never fails
		w.Header().Set("ETag", fmt.Sprintf(`"%x"`, sum.Sum64()))
	}
	if !l.config.LastModified {
		at = time.Time{}
	}
	w.Header().Set("Content-Type", contentType)
	http.ServeContent(w, r, "", at, bytes.NewReader(body))
}

// document is the config as it is served, and the time of its last change.
func (l *listing) document(empty bool) (body []byte, at time.Time, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	entries, children := l.entries, l.children
	if empty {
		entries, children = nil, nil
	}
	var b bytes.Buffer
	comment := func(text string) {
		if l.config.Comments {
			b.WriteString(text)
		}
	}
	if l.config.BOM {
		b.WriteString("\uFEFF")
	}
	comment("// sites of the loopback world\n")
	b.WriteString("{\n  \"spider\": \"\"")
	if l.config.Msg != "" {
		err = writeField(&b, "msg", l.config.Msg)
	}
	if len(l.config.Children) > 0 || len(children) > 0 {
		err = errors.Join(err, writeList(&b, l.listName(), depotRows(children, l.config.StoreHouse), comment))
	}
	if len(l.config.Children) == 0 && len(children) == 0 || len(entries) > 0 {
		err = errors.Join(err, writeList(&b, "sites", entries, comment))
	}
	b.WriteString(",\n  \"flags\": []\n}\n")
	return l.config.Encoding.Encode(b.Bytes()), modified().Add(time.Duration(l.changes) * time.Second), err
}

func (l *listing) listName() string {
	if l.config.StoreHouse {
		return "storeHouse"
	}
	return "urls"
}

// depotRows are the children as a depot, or a list of depots, names them.
func depotRows(children []Child, storeHouse bool) []object {
	rows := make([]object, len(children))
	for i, c := range children {
		rows[i] = object{"name": c.Name, "url": c.URL}
		if storeHouse {
			rows[i] = object{"sourceName": c.Name, "sourceUrl": c.URL}
		}
	}
	return rows
}

func writeField(b *bytes.Buffer, name string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("write %s of the config: %w", name, err)
	}
	fmt.Fprintf(b, ",\n  %q: %s", name, text)
	return nil
}

func writeList[E any](b *bytes.Buffer, name string, rows []E, comment func(string)) error {
	fmt.Fprintf(b, ",\n  %q: [", name)
	for i, row := range rows {
		text, err := json.Marshal(row)
		if err != nil {
			return fmt.Errorf("write number %d in %s of the config: %w", i+1, name, err)
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n    ")
		comment("/* next */ ")
		b.Write(text)
	}
	comment("\n    # no more")
	b.WriteString("\n  ]")
	return nil
}
