package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"

	"xship/cmd/engine/loader"
	"xship/config/vod"
	"xship/sources"
	"xship/sources/text"
)

// prompts tells whether the user can be asked: stdin and stderr are a terminal
// both, and nothing is written for machines.
func (a *app) prompts() bool { return a.Interactive && a.flags.logFormat == "text" }

// The answers to a switchForm that are no URL.
const (
	answerAnother = "another"
	answerCancel  = "cancel"
)

// switchForm asks the user which interface to use in place of one that cannot be
// loaded: the next one, another one, which a second list offers, or none.
type switchForm struct {
	why             string // the interface, and why it could not be loaded
	first, second   *huh.Select[string]
	answer, another string // what the lists stand on
}

func newSwitchForm(m failoverMessages, q loader.Question) *switchForm {
	next := q.Candidates[0].URL
	options := []huh.Option[string]{huh.NewOption(nextText(m, q.Candidates), next)}
	if len(q.Candidates) > 1 {
		options = append(options, huh.NewOption(m.choose, answerAnother))
	}
	var all []huh.Option[string]
	for _, c := range q.Candidates {
		all = append(all, huh.NewOption(interfaceTitle(c.Name, c.URL), c.URL))
	}
	cancel := huh.NewOption(m.cancel, answerCancel)
	why := interfaceTitle(q.Failed.Name, q.Failed.URL) + ": " + text.Clean(causeOf(q.Cause))
	return &switchForm{
		why:    why,
		first:  huh.NewSelect[string]().Title(m.failed).Description(why).Options(append(options, cancel)...),
		second: huh.NewSelect[string]().Title(m.which).Description(why).Options(append(all, cancel)...),
		answer: next, another: next,
	}
}

// choice is the answer as a whole.
func (f *switchForm) choice() loader.Answer {
	url := f.answer
	if url == answerAnother {
		url = f.another
	}
	return loader.Answer{URL: url, Cancel: url == answerCancel}
}

// askSwitch asks the user which interface to use in place of one that cannot be
// loaded (document "interface failover", section 6). Esc cancels the switch, and
// so does who makes no choice; Ctrl-C interrupts the program. The error is that of
// ctx, or of the terminal.
func (a *app) askSwitch(ctx context.Context, q loader.Question) (loader.Answer, error) {
	a.status.hold()
	defer a.status.release()
	f := newSwitchForm(a.messages(), q)
	if a.getenv("ACCESSIBLE") != "" || a.getenv("TERM") == "dumb" {
		return a.askByNumber(ctx, f)
	}
	interrupted := false
	keys := func(_ tea.Model, msg tea.Msg) tea.Msg {
		switch key, ok := msg.(tea.KeyPressMsg); {
		case ok && key.String() == "ctrl+c":
			interrupted = true
		case ok && key.String() == "esc" && !f.first.GetFiltering() && !f.second.GetFiltering():
			return tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl} // what ends a form
		}
		return msg
	}
	screen, leave, err := a.screen()
	if err != nil {
		return loader.Answer{}, err
	}
	defer leave()
	form := huh.NewForm(
		huh.NewGroup(f.first.Value(&f.answer)),
		huh.NewGroup(f.second.Value(&f.another)).WithHideFunc(func() bool { return f.answer != answerAnother }),
	).WithProgramOptions(append(screen, tea.WithFilter(keys))...)
	err = form.RunWithContext(ctx)
	if interrupted {
		a.interrupt()
	}
	switch {
	case ctx.Err() != nil:
		return loader.Answer{}, ctx.Err()
	case errors.Is(err, huh.ErrUserAborted):
		return loader.Answer{Cancel: true}, nil
	}
	return f.choice(), err
}

// askByNumber asks on terminals, and for readers, that take a line at a time.
func (a *app) askByNumber(ctx context.Context, f *switchForm) (loader.Answer, error) {
	f.answer, f.another = answerCancel, answerCancel // where nothing is entered
	plain := huh.ThemeFunc(func(bool) *huh.Styles { return new(huh.Styles) })
	ask := func(list *huh.Select[string], answer *string) error {
		return list.Value(answer).WithTheme(plain).RunAccessible(a.Stderr, a.Stdin)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := fmt.Fprintln(a.Stderr, f.why)
		if err == nil {
			err = ask(f.first, &f.answer)
		}
		if err == nil && f.answer == answerAnother {
			err = ask(f.second, &f.another)
		}
		ended <- err
	}()
	select {
	case err := <-ended:
		return f.choice(), err
	case <-ctx.Done():
		return loader.Answer{}, ctx.Err()
	}
}

func nextText(m failoverMessages, candidates []sources.Interface) string {
	text := m.next
	if len(candidates) == 1 {
		text = m.to
	}
	return strings.ReplaceAll(text, "%s", interfaceTitle(candidates[0].Name, candidates[0].URL))
}

// causeOf is why a load failed, without the interface and the advice.
func causeOf(err error) string {
	if failed, ok := errors.AsType[*vod.Error](err); ok {
		return failed.Detail
	}
	return err.Error()
}

// screen says how programs that take the terminal over find it. Signals are the
// matter of this one. leave is called when they have ended.
func (a *app) screen() (options []tea.ProgramOption, leave func(), err error) {
	input, leave, err := openKeyboard(a.Stdin)
	if err != nil {
		return nil, nil, err
	}
	var env []string
	for _, name := range []string{"TERM", "COLORTERM", "TERM_PROGRAM", "SSH_TTY", "WT_SESSION"} {
		if value := a.getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	if !a.colour(a.Stderr) {
		env = append(env, "NO_COLOR=1")
	}
	return []tea.ProgramOption{
		tea.WithInput(input), tea.WithOutput(a.Stderr.Writer), tea.WithEnvironment(env), tea.WithoutSignalHandler(),
	}, leave, nil
}
