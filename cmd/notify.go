package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"xship/cmd/api"
	"xship/config"
	"xship/sources"
	"xship/sources/link"
	"xship/sources/text"
)

const (
	// notifyTimeout is how long the program of notify.command may run.
	notifyTimeout = 10 * time.Second
	// notifyWaiting is how many notifications wait for it at most.
	notifyWaiting = 32
	// notifyFlush is how long the end of a run waits for it, notifyGrace the same after
	// the run was asked to end.
	notifyFlush = 30 * time.Second
	notifyGrace = 2 * time.Second
	// notifySaid is how much of what it writes to stderr is looked at, in bytes.
	notifySaid = 4096
)

// notifier is the Observer that tells a program of the user's what the precacher does:
// one notification at a time, and never so that the precacher waits. The methods may be
// called on nil, and from any goroutine.
type notifier struct {
	logger *slog.Logger
	now    func() time.Time
	run    func(ctx context.Context, doc []byte) error // once, until it ends or ctx does
	kill   context.CancelFunc                          // ends the run, and what waits for none
	ended  chan struct{}

	mu      sync.Mutex
	waiting chan []byte
	closed  bool
	dropped int  // that were too many
	failing bool // the last cycle could not run, which was told
}

// newNotifier makes the notifier of the settings, nil where they name no program. That
// the program is not to be found is a warning: it may be installed later.
func (a *app) newNotifier(s config.Notify) *notifier {
	if len(s.Command) == 0 {
		return nil
	}
	if _, err := findNotifyCommand(s); err != nil {
		a.caution(err.Error())
	}
	env := slices.DeleteFunc(a.environ(), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains(config.SecretVariables(), name)
	})
	return startNotifier(a.logger, a.Now, func(ctx context.Context, doc []byte) error { return runNotifyCommand(ctx, s.Command, env, doc) })
}

// environ is the environment of programs that are started.
func (a *app) environ() []string {
	if a.Environ == nil {
		return []string{}
	}
	return a.Environ()
}

// findNotifyCommand finds the program of notify.command.
func findNotifyCommand(s config.Notify) (path string, err error) {
	name := s.Command[0]
	path, err = exec.LookPath(name)
	if err == nil {
		return path, nil
	}
	why := fmt.Sprintf("the program %q of notify.command cannot be run: %v", text.Clean(name), bareExec(err))
	switch {
	case strings.HasPrefix(name, "~"):
		return "", errors.New(why + "; write the whole path, ~ means something to a shell only")
	case strings.Contains(name, " "):
		return "", errors.New(why + "; arguments are items of their own in the list")
	default:
		return "", errors.New(why + "; install it, or correct the setting")
	}
}

func startNotifier(logger *slog.Logger, now func() time.Time, run func(context.Context, []byte) error) *notifier {
	n := &notifier{logger: logger, now: now, run: run, waiting: make(chan []byte, notifyWaiting), ended: make(chan struct{})}
	ctx, kill := context.WithCancel(context.Background())
	n.kill = kill
	go n.work(ctx)
	return n
}

// Observe implements sources.Observer. That a cycle could not run is told once, until one
// runs again.
func (n *notifier) Observe(_ context.Context, e sources.Event) {
	if n == nil {
		return
	}
	at := n.now()
	switch e := e.(type) {
	case sources.TitleReady:
		n.tell(api.NewTitleReady(e, at))
	case sources.AccountEnding:
		n.tell(api.NewAccountEnding(e, at))
	case sources.InterfaceLoaded:
		if e.Switched {
			n.tell(api.NewInterfaceSwitched(e, at))
		}
	case sources.CycleEnded:
		switch {
		case e.Interrupted:
		case e.Err != nil:
			n.failed(e.Err)
		default:
			n.mu.Lock()
			n.failing = false
			n.mu.Unlock()
		}
	}
}

// failed tells that no cycle can run, unless that was told.
func (n *notifier) failed(err error) {
	if n == nil {
		return
	}
	n.mu.Lock()
	told := n.failing
	n.failing = true
	n.mu.Unlock()
	if !told {
		n.tell(api.NewCycleFailed(err, n.now()))
	}
}

// tell has a notification wait for its turn, or drops it where too many do.
func (n *notifier) tell(doc api.Notification) {
	line, err := jsonLine(doc)
	if err != nil {
		n.logger.Error("a notification could not be written, which is a bug of xship", "event", doc.Event, "error", err)
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return // of what was left behind at the end
	}
	select {
	case n.waiting <- []byte(line + "\n"):
	default:
		n.dropped++
	}
}

// work runs the program for one notification after the other. When ctx has ended, it drops
// them.
func (n *notifier) work(ctx context.Context) {
	defer close(n.ended)
	said := "" // why the last run failed
	for doc := range n.waiting {
		if ctx.Err() != nil {
			n.drop()
			continue
		}
		running, cancel := context.WithTimeout(ctx, notifyTimeout)
		err := n.run(running, doc)
		cancel()
		said = n.report(err, said)
		if len(n.waiting) == 0 {
			n.reportDropped()
		}
	}
	n.reportDropped()
}

func (n *notifier) drop() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.dropped++
}

// report logs that a run failed, but at debug where the one before failed alike, and gives
// why.
func (n *notifier) report(err error, before string) string {
	if err == nil {
		return ""
	}
	level := slog.LevelWarn
	if err.Error() == before {
		level = slog.LevelDebug
	}
	n.logger.Log(context.Background(), level, "the program of notify.command failed", "error", err)
	return err.Error()
}

// reportDropped logs how many notifications nobody got since it was last said.
func (n *notifier) reportDropped() {
	n.mu.Lock()
	dropped := n.dropped
	n.dropped = 0
	n.mu.Unlock()
	if dropped > 0 {
		n.logger.Warn("notifications were dropped: the program of notify.command is too slow for them", "dropped", dropped)
	}
}

// close waits until what was told is done: notifyFlush at most, and notifyGrace once ctx
// has ended. What runs then is killed.
func (n *notifier) close(ctx context.Context) {
	if n == nil {
		return
	}
	defer n.kill()
	n.mu.Lock()
	if !n.closed {
		n.closed = true
		close(n.waiting)
	}
	n.mu.Unlock()
	flush := time.NewTimer(notifyFlush)
	defer flush.Stop()
	select {
	case <-n.ended:
		return
	case <-flush.C:
	case <-ctx.Done():
		grace := time.NewTimer(notifyGrace)
		defer grace.Stop()
		select {
		case <-n.ended:
			return
		case <-grace.C:
		}
	}
	n.kill()
	<-n.ended
}

// runNotifyCommand runs the program with a document on its standard input. What it prints
// is of no interest, but for the first line of its complaint where it fails.
func runNotifyCommand(ctx context.Context, command, env []string, doc []byte) error {
	said := &headWriter{most: notifySaid}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env, cmd.Stdin, cmd.Stderr = env, bytes.NewReader(doc), said
	cmd.WaitDelay = time.Second // for what it left behind to close stderr
	killWithChildren(cmd)
	err := cmd.Run()
	name := text.Clean(filepath.Base(command[0]))
	exit, ended := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("%s did not end within %s and was killed", name, elapsed(notifyTimeout))
	case ctx.Err() != nil:
		return fmt.Errorf("%s was killed at the end of xship", name)
	case errors.Is(err, exec.ErrWaitDelay):
		return nil // it did its work, and something that it started goes on
	case !ended:
		return fmt.Errorf("%s cannot be run: %w", name, startError(command[0], err))
	}
	how := exit.String() // by a signal
	if exit.ExitCode() > 0 {
		how = fmt.Sprintf("exit code %d", exit.ExitCode())
	}
	if line := said.firstLine(); line != "" {
		how += ": " + line
	}
	return fmt.Errorf("%s ended with %s", name, how)
}

// headWriter keeps the beginning of what is written to it.
type headWriter struct {
	most int
	head []byte
}

// Write implements io.Writer.
func (w *headWriter) Write(p []byte) (int, error) {
	w.head = append(w.head, p[:min(len(p), w.most-len(w.head))]...)
	return len(p), nil
}

// firstLine is the first line that is not empty, as it may be shown.
func (w *headWriter) firstLine() string {
	const longest = 200
	for line := range strings.Lines(string(w.head)) {
		if line = text.Clean(line); line != "" {
			return text.Shorten(link.RedactText(line), longest)
		}
	}
	return ""
}
