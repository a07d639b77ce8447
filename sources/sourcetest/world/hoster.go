package world

import (
	"strings"
	"sync"
)

// Hoster serves media at every path, see Media.
type Hoster struct {
	*Server
	removed *sync.Map // paths of files that are gone
}

// AddHoster starts a hoster.
func (w *World) AddHoster(name string) (*Hoster, error) {
	return add(w, w.hosters, hosterNet, name, func(s *Server) *Hoster {
		removed := new(sync.Map)
		s.content = media{removed: removed}
		return &Hoster{Server: s, removed: removed}
	})
}

// URL is the address of the file at the path name, with or without a slash at
// its front.
func (h *Hoster) URL(name string) string { return "http://" + h.addr + filePath(name) }

// Remove makes the file at the path name a dead link, which answers 404.
func (h *Hoster) Remove(name string) { h.removed.Store(filePath(name), nil) }

func filePath(name string) string { return "/" + strings.TrimPrefix(name, "/") }
