package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"xship/cmd/term"
	"xship/sources/text"
)

// pipePatience is how long a line waits for room in a pipe that is slowly read.
const pipePatience = time.Second

// logFile is the file of --log-file. What cannot be written is lost, and said once: a
// log that fails, on a full disk for one, keeps nobody from working. It is safe for
// concurrent use.
type logFile struct {
	path     string
	warn     func(format string, args ...any) // on stderr
	patience time.Duration                    // pipePatience

	mu     sync.Mutex
	file   *os.File
	pipe   bool
	failed bool // the last line could not be written
	torn   bool // it could be in part
}

// openLogFile opens the file that --log-file names.
func (a *app) openLogFile() error {
	const hint = "name a file, or leave --log-file out: log lines go to standard error then"
	switch a.flags.logFile {
	case "":
		return &usageError{msg: "--log-file names no file", hint: hint}
	case "-":
		return &usageError{msg: "--log-file - is no file", hint: hint}
	}
	path, err := filepath.Abs(a.flags.logFile) // it is opened again later
	if err != nil {
		return fmt.Errorf("the log file %s: %w", a.flags.logFile, err)
	}
	l := &logFile{path: path, warn: a.warn, patience: pipePatience}
	if l.file, l.pipe, err = openForLog(path); err != nil {
		return err
	}
	l.torn = endsTorn(l.file, path)
	a.logFile = l
	return nil
}

// openForLog opens a file to append lines to it, and makes it, for its owner alone, where
// it is missing. It does not wait for whom a pipe needs.
func openForLog(path string) (f *os.File, pipe bool, err error) {
	flags := os.O_WRONLY | os.O_APPEND | os.O_CREATE
	if info, err := os.Stat(path); err == nil && info.Mode()&fs.ModeNamedPipe != 0 {
		pipe, flags = true, os.O_WRONLY|syscall.O_NONBLOCK
	}
	f, err = os.OpenFile(path, flags, 0o600)
	if err == nil {
		return f, pipe, nil
	}
	failed := fmt.Errorf("the log file %s cannot be opened: %w", path, bareFile(err))
	hint := "name another file with --log-file"
	switch info, dirErr := os.Stat(filepath.Dir(path)); {
	case isDirectory(path):
		failed, hint = fmt.Errorf("the log file %s is a folder", path), "name a file in it"
	case errors.Is(dirErr, fs.ErrNotExist), dirErr == nil && !info.IsDir():
		failed, hint = fmt.Errorf("the log file %s cannot be made: there is no folder %s", path, filepath.Dir(path)), "make it first, or name another file with --log-file"
	case pipe:
		failed, hint = fmt.Errorf("the log file %s is a pipe that nobody reads", path), "start its reader first, or name a file with --log-file"
	case errors.Is(err, fs.ErrPermission):
		hint = "make it writable for this user, or name another file with --log-file"
	}
	return nil, pipe, text.WithHint(failed, hint)
}

// endsTorn tells whether the last line of a file is not a whole one, as a run that found no
// room on the disk, or was killed, leaves it.
func endsTorn(opened *os.File, path string) bool {
	info, err := opened.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	last := make([]byte, 1)
	_, err = f.ReadAt(last, info.Size()-1)
	return err == nil && last[0] != '\n'
}

// bareFile drops the path that an error of package os repeats.
func bareFile(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// Write implements io.Writer: a whole line, or several. It gives no error.
func (l *logFile) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.write(p)
	if err != nil && !l.failed {
		l.warn("warning: the log file %s cannot be written: %v; what is logged until that works again is lost", l.path, bareFile(err))
	}
	l.failed = err != nil
	return len(p), nil
}

func (l *logFile) write(p []byte) error {
	if l.pipe {
		patience := l.patience
		if l.failed {
			patience = 0 // who does not read holds up nobody twice
		}
		_ = l.file.SetWriteDeadline(time.Now().Add(patience)) // files that have none do not wait
	}
	if l.torn {
		p = append([]byte("\n"), p...)
	}
	n, err := l.file.Write(p)
	if n > 0 {
		l.torn = n < len(p)
	}
	return err
}

// reopen opens the file anew, which a program that rotates logs has moved away. Where that
// fails, the log goes on in the old one.
func (l *logFile) reopen() {
	f, pipe, err := openForLog(l.path)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.warn("warning: %v; the log goes on in the file that was open", err)
		return
	}
	_ = l.file.Close() // each line was written, or its loss was told
	l.file, l.pipe, l.torn, l.failed = f, pipe, endsTorn(f, l.path), false
}

// close ends the log. What is left behind may write on: that is lost.
func (l *logFile) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failed = true // and nobody need know
	return l.file.Close()
}

// closeLogFile ends the log.
func (a *app) closeLogFile() {
	if a.logFile != nil {
		_ = a.logFile.close() // each line was written, or its loss was told
	}
}

// hangups are the SIGHUPs of a run.
type hangups struct {
	mu     sync.Mutex
	handle func() bool // nil: nobody wants them
}

// on has handle called for each further one; it tells whether the run is to go on.
func (h *hangups) on(handle func() bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.handle = handle
}

// handled tells whether one is dealt with, so that the run goes on.
func (h *hangups) handled() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.handle != nil && h.handle()
}

// reopenOnHangup has SIGHUP open the log file anew until stop is called, as programs that
// rotate logs expect, where it would end the run. That the terminal is gone still ends it.
// Who started it to ignore the signal, as nohup does, wants it to live on: the file is
// opened anew all the same.
func (a *app) reopenOnHangup() (stop func()) {
	if a.logFile == nil {
		return func() {}
	}
	if !signal.Ignored(syscall.SIGHUP) {
		noTerminal := func(stream any) bool { return !term.IsTerminal(stream) }
		terminals := slices.DeleteFunc([]any{a.Stdin, a.Stdout.Writer, a.Stderr.Writer}, noTerminal)
		a.hangups.on(func() bool {
			if slices.ContainsFunc(terminals, noTerminal) { // it was one when the run began
				return false
			}
			a.logFile.reopen()
			return true
		})
		return func() { a.hangups.on(nil) }
	}
	signals, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(signals, syscall.SIGHUP)
	go func() {
		for {
			select {
			case <-signals:
				a.logFile.reopen()
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Ignore(syscall.SIGHUP)
		close(done)
	}
}
