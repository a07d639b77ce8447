package term

import (
	"io"
	"os"

	xterm "golang.org/x/term"
)

// Stream is an output of the program.
type Stream struct {
	io.Writer
	Terminal bool       // a person is looking at it
	Width    func() int // columns of the terminal; nil or 0 = unknown
	Height   func() int // its lines; nil or 0 = unknown
}

// The size of a terminal that does not tell.
const (
	DefaultWidth  = 80
	DefaultHeight = 24
)

// Columns is the width of the terminal.
func (s Stream) Columns() int {
	if s.Width != nil {
		if w := s.Width(); w > 0 {
			return w
		}
	}
	return DefaultWidth
}

// Lines is the height of the terminal.
func (s Stream) Lines() int {
	if s.Height != nil {
		if h := s.Height(); h > 0 {
			return h
		}
	}
	return DefaultHeight
}

// FileStream is the stream of a file.
func FileStream(f *os.File) Stream {
	fd := int(f.Fd())
	size := func() (width, height int) {
		width, height, err := xterm.GetSize(fd)
		if err != nil {
			return 0, 0
		}
		return width, height
	}
	return Stream{
		Writer:   f,
		Terminal: xterm.IsTerminal(fd),
		Width:    func() int { width, _ := size(); return width },
		Height:   func() int { _, height := size(); return height },
	}
}

// IsTerminal tells whether a stream is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && xterm.IsTerminal(int(f.Fd()))
}
