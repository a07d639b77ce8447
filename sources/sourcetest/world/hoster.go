package world

import (
	"fmt"
	"path"
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

// SetFileMode is SetMode for the files whose path matches pattern, as path.Match has it:
// "*.ts" are the segments at the top, "a/*.ts" those beside a playlist in a. It counts
// while the hoster itself is in ModeOK; of several patterns the last one set does. ModeOK
// makes such files good again, whatever patterns were set before. It panics where m is
// unknown or pattern is none.
func (h *Hoster) SetFileMode(pattern string, m Mode) {
	m.mustBeKnown()
	if _, err := path.Match(pattern, ""); err != nil {
		panic(fmt.Sprintf("world: the pattern %q: %v", pattern, err))
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.files = append(h.files, fileMode{filePath(pattern), m})
}

// fileMode is the mode of some files.
type fileMode struct {
	pattern string
	mode    Mode
}

func filePath(name string) string { return "/" + strings.TrimPrefix(name, "/") }
