package cmd

import (
	"sync"

	"xship/cmd/engine/loader"
)

// announcer tells the user that another interface is tried: in the live line
// where there is one, so that quick switches do not scroll, else in a line each.
type announcer struct {
	app *app

	mu     sync.Mutex
	trying string // what is told now, "" = nothing
}

func (n *announcer) announce(s loader.Switch) {
	text := n.app.messages().tryingNext(interfaceTitle(s.To.Name, s.To.URL))
	if !n.app.showsProgress() {
		n.app.note("%s", text)
		return
	}
	n.mu.Lock()
	n.trying = text
	n.mu.Unlock()
	n.app.status.show(liveLine(n.app.Stderr.width(), []string{text}))
}

// doing is what the live line says while an interface is loaded.
func (n *announcer) doing() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.trying != "" {
		return n.trying
	}
	return "loading the interface"
}

// done ends what is told.
func (n *announcer) done() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.trying = ""
}
