package cooldown

import (
	"errors"
	"net"
	"syscall"
)

// maxReplyDigits is how many digits the length of a reply may have.
const maxReplyDigits = 6

var errReplyTooLong = errors.New("the server announces a reply that is too long: is it a Redis server?")

// guard makes conn fail at a reply that announces more than any reply of ours
// has: the client allocates what it is told, and nonsense must not cost the
// process its memory.
func guard(conn net.Conn) net.Conn {
	g := &guarded{Conn: conn, start: true}
	if s, ok := conn.(syscall.Conn); ok { // by which the pool notices a closed connection
		return guardedSocket{g, s}
	}
	return g
}

type guarded struct {
	net.Conn
	start  bool // the next byte starts a line
	length bool // of a reply is being read
	digits int
}

type guardedSocket struct {
	*guarded
	syscall.Conn
}

// Read implements net.Conn.
func (g *guarded) Read(p []byte) (int, error) {
	n, err := g.Conn.Read(p)
	for _, c := range p[:n] {
		if !g.pass(c) {
			return 0, errReplyTooLong
		}
	}
	return n, err
}

// pass looks at one byte after the other. In the text of a reply it may take a
// line for the start of one; no text of ours has several lines.
func (g *guarded) pass(c byte) bool {
	switch {
	case g.start:
		g.start, g.length, g.digits = c == '\n', hasLength(c), 0
	case c == '\n':
		g.start = true
	case g.length && '0' <= c && c <= '9':
		g.digits++
	default:
		g.length = false
	}
	return g.digits <= maxReplyDigits
}

// hasLength tells whether a reply of this type starts with its length.
func hasLength(kind byte) bool {
	switch kind {
	case '$', '*', '=', '!', '%', '~', '>', '|':
		return true
	default:
		return false
	}
}
