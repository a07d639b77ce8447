package cmd

import (
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// System is what a run of the program sees of the machine.
type System struct {
	Stdin       io.Reader
	Stdout      Stream
	Stderr      Stream
	Interactive bool // somebody can answer questions: stdin and stderr are a terminal both
	Now         func() time.Time
	LookupEnv   func(name string) (string, bool)
}

// Stream is an output of the program.
type Stream struct {
	io.Writer
	Terminal bool       // a person is looking at it
	Width    func() int // columns of the terminal; nil or 0 = unknown
	Height   func() int // its lines; nil or 0 = unknown
}

// The size of a terminal that does not tell.
const (
	defaultWidth  = 80
	defaultHeight = 24
)

func (s Stream) width() int {
	if s.Width != nil {
		if w := s.Width(); w > 0 {
			return w
		}
	}
	return defaultWidth
}

func (s Stream) height() int {
	if s.Height != nil {
		if h := s.Height(); h > 0 {
			return h
		}
	}
	return defaultHeight
}

// OS is the System of this process.
func OS() System {
	return System{
		Stdin:       os.Stdin,
		Stdout:      fileStream(os.Stdout),
		Stderr:      fileStream(os.Stderr),
		Interactive: term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stderr.Fd())),
		Now:         time.Now,
		LookupEnv:   os.LookupEnv,
	}
}

func fileStream(f *os.File) Stream {
	fd := int(f.Fd())
	size := func() (width, height int) {
		width, height, err := term.GetSize(fd)
		if err != nil {
			return 0, 0
		}
		return width, height
	}
	return Stream{
		Writer:   f,
		Terminal: term.IsTerminal(fd),
		Width:    func() int { width, _ := size(); return width },
		Height:   func() int { _, height := size(); return height },
	}
}
