package world

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
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

// InterfaceConfig describes an interface.
type InterfaceConfig struct {
	Entries  []Entry
	BOM      bool // the config starts with a byte order mark
	Comments bool // it has comments of all three kinds
}

// Interface serves a TVBox config.
type Interface struct {
	*Server
	listing *listing
}

const interfacePath = "/vod.json"

// AddInterface starts an interface.
func (w *World) AddInterface(name string, c InterfaceConfig) (*Interface, error) {
	return add(w, w.interfaces, interfaceNet, name, func(s *Server) *Interface {
		l := &listing{config: c, entries: slices.Clone(c.Entries)}
		s.content = l
		return &Interface{Server: s, listing: l}
	})
}

// URL is the address of the config.
func (i *Interface) URL() string { return "http://" + i.addr + interfacePath }

// SetEntries replaces the list of sites.
func (i *Interface) SetEntries(entries ...Entry) { i.listing.replace(entries) }

type listing struct {
	config InterfaceConfig

	mu      sync.Mutex
	entries []Entry
}

func (l *listing) all() []Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.entries)
}

func (l *listing) replace(entries []Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = slices.Clone(entries)
}

func (l *listing) serve(w http.ResponseWriter, r *http.Request, m Mode) {
	if r.URL.Path != interfacePath {
		http.NotFound(w, r)
		return
	}
	var entries []Entry
	if m != ModeEmpty {
		entries = l.all()
	}
	body, err := l.document(entries)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	serveBody(w, "application/json; charset=utf-8", body)
}

func (l *listing) document(entries []Entry) ([]byte, error) {
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
	b.WriteString("{\n  \"spider\": \"\",\n  \"sites\": [")
	for i, e := range entries {
		site, err := json.Marshal(e)
		if err != nil {
			return nil, fmt.Errorf("write site %q of the config: %w", e.Key, err)
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n    ")
		comment("/* next */ ")
		b.Write(site)
	}
	comment("\n    # no more")
	b.WriteString("\n  ],\n  \"flags\": []\n}\n")
	return b.Bytes(), nil
}
