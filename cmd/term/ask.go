package term

import (
	"context"
	"errors"
	"fmt"
	"io"

	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"
)

// Dialog is where a user is asked: on stderr, by keys from stdin.
type Dialog struct {
	Stdin     io.Reader
	Stderr    Stream
	Status    *Status
	Env       []string // of the terminal: TERM, NO_COLOR ...
	ByNumber  bool     // for terminals, and readers, that take a line at a time
	Interrupt func()   // called where the user presses Ctrl-C
}

// Choice is a question with a list of answers.
type Choice struct {
	Title   string
	Why     string // what led to it
	Options []Option
	Default string // value of the option that stands where nothing is entered, of those asked by number
}

// Option is an answer, or leads to a second list.
type Option struct {
	Text  string
	Value string
	More  *Choice // a second list; one option of a Choice may have it
}

// ErrNoAnswer says that the user did not choose.
var ErrNoAnswer = errors.New("nothing was chosen")

// Ask lets the user choose and gives the value of the answer. The error is ErrNoAnswer
// where the user pressed Esc, that of ctx, or that of the terminal.
func (d Dialog) Ask(ctx context.Context, c Choice) (string, error) {
	d.Status.Hold()
	defer d.Status.Release()
	f := newForm(c)
	if d.ByNumber {
		return d.askByNumber(ctx, f)
	}
	interrupted := false
	keys := func(_ tea.Model, msg tea.Msg) tea.Msg {
		switch key, ok := msg.(tea.KeyPressMsg); {
		case ok && key.String() == "ctrl+c":
			interrupted = true
		case ok && key.String() == "esc" && !f.filtering():
			return tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl} // what ends a form
		}
		return msg
	}
	screen, leave, err := d.screen()
	if err != nil {
		return "", err
	}
	defer leave()
	err = huh.NewForm(f.groups()...).WithProgramOptions(append(screen, tea.WithFilter(keys))...).RunWithContext(ctx)
	if interrupted {
		d.Interrupt()
	}
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.Is(err, huh.ErrUserAborted):
		return "", ErrNoAnswer
	}
	return f.answer(), err
}

// form is a Choice on its way to an answer.
type form struct {
	choice        Choice
	more          string // value of the option that leads to the second list, "" = none does
	first, second *huh.Select[string]
	at, then      string // what the lists stand on
}

func newForm(c Choice) *form {
	f := &form{choice: c, first: newSelect(c), at: c.Options[0].Value}
	for _, o := range c.Options {
		if o.More != nil {
			f.more, f.second, f.then = o.Value, newSelect(*o.More), o.More.Options[0].Value
		}
	}
	return f
}

func newSelect(c Choice) *huh.Select[string] {
	options := make([]huh.Option[string], 0, len(c.Options))
	for _, o := range c.Options {
		options = append(options, huh.NewOption(o.Text, o.Value))
	}
	return huh.NewSelect[string]().Title(c.Title).Description(c.Why).Options(options...)
}

func (f *form) filtering() bool {
	return f.first.GetFiltering() || f.second != nil && f.second.GetFiltering()
}

func (f *form) groups() []*huh.Group {
	groups := []*huh.Group{huh.NewGroup(f.first.Value(&f.at))}
	if f.second != nil {
		groups = append(groups, huh.NewGroup(f.second.Value(&f.then)).WithHideFunc(func() bool { return !f.leadsOn() }))
	}
	return groups
}

func (f *form) leadsOn() bool { return f.second != nil && f.at == f.more }

func (f *form) answer() string {
	if f.leadsOn() {
		return f.then
	}
	return f.at
}

// askByNumber asks in lines.
func (d Dialog) askByNumber(ctx context.Context, f *form) (string, error) {
	f.at, f.then = f.choice.Default, f.choice.Default
	plain := huh.ThemeFunc(func(bool) *huh.Styles { return new(huh.Styles) })
	ask := func(list *huh.Select[string], answer *string) error {
		return list.Value(answer).WithTheme(plain).RunAccessible(d.Stderr, d.Stdin)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := fmt.Fprintln(d.Stderr, f.choice.Why)
		if err == nil {
			err = ask(f.first, &f.at)
		}
		if err == nil && f.leadsOn() {
			err = ask(f.second, &f.then)
		}
		ended <- err
	}()
	select {
	case err := <-ended:
		return f.answer(), err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// screen says how programs that take the terminal over find it. Signals are the
// matter of this one. leave is called when they have ended.
func (d Dialog) screen() (options []tea.ProgramOption, leave func(), err error) {
	input, leave, err := openKeyboard(d.Stdin)
	if err != nil {
		return nil, nil, err
	}
	return []tea.ProgramOption{
		tea.WithInput(input), tea.WithOutput(d.Stderr.Writer), tea.WithEnvironment(d.Env), tea.WithoutSignalHandler(),
	}, leave, nil
}
