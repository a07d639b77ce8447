package cmd

import (
	"io"
	"os"
	"time"

	"xship/cmd/term"
)

// System is what a run of the program sees of the machine.
type System struct {
	Stdin       io.Reader
	Stdout      term.Stream
	Stderr      term.Stream
	Interactive bool // somebody can answer questions: stdin and stderr are a terminal both
	Now         func() time.Time
	LookupEnv   func(name string) (string, bool) // nil: no variable is set
	Environ     func() []string                  // all variables as NAME=value; nil: none but those that are looked up

	// Undated tells that who reads stderr knows the day: log lines bear the time alone.
	Undated bool

	// RedisTimeout is how long an operation waits for Redis, 0 = as sources/cooldown
	// says. Tests on a busy machine need more than people would wait.
	RedisTimeout time.Duration

	// CompletionTime is how long words for a completion are looked for, 0 = a second. It is
	// there for what RedisTimeout is there for.
	CompletionTime time.Duration
}

// OS is the System of this process.
func OS() System {
	return System{
		Stdin:       os.Stdin,
		Stdout:      term.FileStream(os.Stdout),
		Stderr:      term.FileStream(os.Stderr),
		Interactive: term.IsTerminal(os.Stdin) && term.IsTerminal(os.Stderr),
		Now:         time.Now,
		LookupEnv:   os.LookupEnv,
		Environ:     os.Environ,
	}
}
