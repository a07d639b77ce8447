package cmd

import (
	"context"
	"errors"
	"strings"
	"sync"

	"xship/cmd/engine"
	"xship/cmd/engine/loader"
	"xship/cmd/term"
	"xship/config/vod"
	"xship/sources/text"
)

// caller is the user, who is told of switches between interfaces and, where somebody
// is there, asked.
func (a *app) caller() loader.Caller {
	c := loader.Caller{Announce: a.switching.announce, Loaded: a.loaded}
	if a.prompts() {
		c.Ask = a.askSwitch
	}
	return c
}

// loaded tells the user where a load ended up, where that is not where it began.
func (a *app) loaded(e loader.Event) {
	a.switching.done()
	switch r := e.Result; {
	case r.Stale != nil:
		age := text.ShortDuration(a.Now().Sub(r.StaleFrom))
		a.warn("warning: %s\nusing what %s answered %s ago", strings.TrimSpace(r.Stale.Error()), engine.InterfaceTitle(r.Interface), age)
	case e.Err == nil && len(r.FailedOverFrom) > 0:
		a.note("%s", a.messages().switchedTo(engine.InterfaceTitle(r.Interface)))
	}
}

// announcer tells the user that another interface is tried: in the live line
// where there is one, so that quick switches do not scroll, else in a line each.
type announcer struct {
	app *app

	mu     sync.Mutex
	trying string // what is told now, "" = nothing
}

func (n *announcer) announce(s loader.Switch) {
	told := n.app.messages().tryingNext(engine.InterfaceTitle(s.To))
	if !n.app.showsProgress() {
		n.app.note("%s", told)
		return
	}
	n.mu.Lock()
	n.trying = told
	n.mu.Unlock()
	n.app.status.Show(term.Line(n.app.Stderr.Columns(), told))
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

// prompts tells whether the user can be asked: stdin and stderr are a terminal
// both, and nothing is written for machines.
func (a *app) prompts() bool { return a.Interactive && !a.logsForMachines() }

// dialog is where the user is asked.
func (a *app) dialog() term.Dialog {
	var env []string
	for _, name := range []string{"TERM", "COLORTERM", "TERM_PROGRAM", "SSH_TTY", "WT_SESSION"} {
		if value := a.getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	env = append(env, a.colourEnv(a.Stderr))
	return term.Dialog{
		Stdin: a.Stdin, Stderr: a.Stderr, Status: a.status, Env: env, Interrupt: a.interrupt,
		ByNumber: a.getenv("ACCESSIBLE") != "" || a.getenv("TERM") == "dumb",
	}
}

// The answers to a question about a switch that are no URL.
const (
	answerAnother = "another"
	answerCancel  = "cancel"
)

// switchChoice asks which interface to use in place of one that cannot be loaded: the
// next one, another one, which a second list offers, or none.
func switchChoice(m messages, q loader.Question) term.Choice {
	why := engine.InterfaceTitle(q.Failed) + ": " + text.Clean(causeOf(q.Cause))
	cancel := term.Option{Text: m.cancel, Value: answerCancel}
	next := m.next
	if len(q.Candidates) == 1 {
		next = m.to
	}
	next = strings.ReplaceAll(next, "%s", engine.InterfaceTitle(q.Candidates[0]))
	first := term.Choice{
		Title: m.failed, Why: why, Options: []term.Option{{Text: next, Value: q.Candidates[0].URL}}, Default: answerCancel, Words: m.words(),
	}
	if len(q.Candidates) > 1 {
		second := term.Choice{Title: m.which, Why: why, Default: answerCancel}
		for _, c := range q.Candidates {
			second.Options = append(second.Options, term.Option{Text: engine.InterfaceTitle(c), Value: c.URL})
		}
		second.Options = append(second.Options, cancel)
		first.Options = append(first.Options, term.Option{Text: m.choose, Value: answerAnother, More: &second})
	}
	first.Options = append(first.Options, cancel)
	return first
}

// askSwitch asks the user which interface to use in place of one that cannot be
// loaded (document "interface failover", section 6). Esc cancels the switch, and
// so does who makes no choice; Ctrl-C interrupts the program. The error is that of
// ctx, or of the terminal.
func (a *app) askSwitch(ctx context.Context, q loader.Question) (loader.Answer, error) {
	answer, err := a.dialog().Ask(ctx, switchChoice(a.messages(), q))
	switch {
	case errors.Is(err, term.ErrNoAnswer):
		return loader.Answer{Cancel: true}, nil
	case ctx.Err() != nil:
		return loader.Answer{}, ctx.Err()
	}
	return loader.Answer{URL: answer, Cancel: answer == answerCancel}, err
}

// causeOf is why a load failed, without the interface and the advice.
func causeOf(err error) string {
	if failed, ok := errors.AsType[*vod.Error](err); ok {
		return failed.Detail
	}
	return err.Error()
}
