package world

import "net/http"

// Handler is what a server serves that speaks a protocol of its own. In ModeEmpty it
// answers that it has nothing, in ModeNoRange as if there was no Range; every other mode
// is none of its concern. It takes requests of any method.
type Handler func(w http.ResponseWriter, r *http.Request, m Mode)

func (h Handler) serve(w http.ResponseWriter, r *http.Request, m Mode) { h(w, r, m) }

// AddServer starts a server with content of the caller's.
func (w *World) AddServer(name string, h Handler) (*Server, error) {
	return add(w, w.others, otherNet, name, func(s *Server) *Server {
		s.content, s.methods = h, true
		return s
	})
}
