package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"xship/sources"
	"xship/sources/text"
)

// player is a program that plays a stream.
type player struct {
	path string
	args []string // of the user, before those that name the stream
	mpv  bool
}

// playerGrace is how long a player has to end after it was asked to.
const playerGrace = 2 * time.Second

// findPlayer finds the program of a command line.
func findPlayer(command string) (*player, error) {
	words, err := text.SplitCommand(command)
	if err != nil {
		return nil, usagef("--exec %q: %v", command, err)
	}
	if len(words) == 0 {
		return nil, usagef("--exec needs the command of a player")
	}
	path, err := exec.LookPath(words[0])
	if err != nil {
		return nil, text.WithHint(fmt.Errorf("the player %q was not found: %w", words[0], bareExec(err)), "install it, or give its path: --exec /path/to/mpv")
	}
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(path)), ".exe")
	return &player{path: path, args: words[1:], mpv: name == "mpv"}, nil
}

// bareExec drops the name that an error of package exec repeats.
func bareExec(err error) error {
	if e, ok := errors.AsType[*exec.Error](err); ok {
		return e.Err
	}
	return err
}

// startError is why the program at path could not be started, with what is the matter
// where the file is there: a script that cannot be run as it is.
func startError(path string, err error) error {
	bare := bareFile(bareExec(err))
	if _, lookErr := exec.LookPath(path); lookErr != nil {
		return bare
	}
	switch {
	case errors.Is(err, syscall.ENOEXEC):
		return fmt.Errorf("%w; a script begins with a line such as #!/bin/sh", bare)
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("the program that its first line names is not there; that line may end as on Windows")
	default:
		return bare
	}
}

// name is what the player is called.
func (p *player) name() string { return filepath.Base(p.path) }

// arguments are those of the player for a stream. Only mpv is known to take
// headers, from the configuration file at headers, "" where there is none.
func (p *player) arguments(s sources.Stream, headers string) []string {
	args := slices.Clone(p.args)
	if !p.mpv {
		return append(args, s.URL)
	}
	if headers != "" {
		args = append(args, "--include="+headers)
	}
	return append(args, "--", s.URL)
}

// dropsHeaders tells whether the stream wants headers that the player cannot be
// given.
func (p *player) dropsHeaders(s sources.Stream) bool { return !p.mpv && len(s.Headers) > 0 }

// mpvHeaders is a configuration of mpv that sends headers. They are appended
// one by one, since a list would be split at the commas of a value, and quoted
// by their length in bytes, which no character of a value can end.
func mpvHeaders(headers map[string]string) (string, error) {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		field := name + ": " + headers[name]
		if strings.ContainsAny(field, "\r\n\x00") {
			return "", fmt.Errorf("the header %q of the stream holds a line break", name)
		}
		fmt.Fprintf(&b, "http-header-fields-append=%%%d%%%s\n", len(field), field)
	}
	return b.String(), nil
}

// headersFile hands the headers of a stream to mpv in a file, since they may hold
// a login and all users of the machine can read arguments. Without headers the
// path is "". The caller calls remove when the player has ended.
func (p *player) headersFile(s sources.Stream) (path string, remove func() error, err error) {
	if !p.mpv || len(s.Headers) == 0 {
		return "", func() error { return nil }, nil
	}
	text, err := mpvHeaders(s.Headers)
	if err != nil {
		return "", nil, err
	}
	f, err := os.CreateTemp("", "xship-mpv-*.conf") // with mode 0600
	if err != nil {
		return "", nil, fmt.Errorf("hand the headers to %s: %w", p.name(), err)
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", nil, errors.Join(fmt.Errorf("hand the headers to %s: %w", p.name(), err), os.Remove(f.Name()))
	}
	return f.Name(), func() error { return os.Remove(f.Name()) }, nil
}

// playerError is a player that ended with an exit code other than 0.
type playerError struct {
	name string
	code int
}

func (e *playerError) Error() string {
	return fmt.Sprintf("%s ended with exit code %d", e.name, e.code)
}

// ErrorCode implements text.Coded.
func (*playerError) ErrorCode() string { return "player" }

// play runs the player until it ends. What it says is its own affair.
func (p *player) play(ctx context.Context, sys System, s sources.Stream) (err error) {
	headers, remove, err := p.headersFile(s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	cmd := exec.CommandContext(ctx, p.path, p.arguments(s, headers)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = sys.Stdin, sys.Stdout.Writer, sys.Stderr.Writer
	cmd.WaitDelay = playerGrace
	if runtime.GOOS != "windows" {
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	}
	err = cmd.Run()
	exit, ended := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil || ctx.Err() != nil:
		return ctx.Err()
	case ended && exit.ExitCode() > 0:
		return &playerError{name: p.name(), code: exit.ExitCode()}
	case ended:
		return fmt.Errorf("run %s: %w", p.name(), err)
	default:
		return fmt.Errorf("run %s: %w", p.name(), startError(p.path, err))
	}
}
