package term

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"
	pretty "github.com/jedib0t/go-pretty/v6/text"
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
	Words   Words  // of the first list; a second one has the same
}

// Words say which keys there are, in the language of the user.
type Words struct {
	Up, Down, Confirm              string
	Filter, SetFilter, ClearFilter string
	Number                         string // asks for a number, from one %d to another
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
// where the user pressed Esc or Ctrl-D, or the terminal ended, that of ctx, or that of
// the terminal.
func (d Dialog) Ask(ctx context.Context, c Choice) (string, error) {
	d.Status.Hold()
	defer d.Status.Release()
	if d.ByNumber {
		return d.askByNumber(ctx, c)
	}
	m := newAsker(c)
	m.Update(bounded(m, tea.WindowSizeMsg{Width: d.Stderr.Columns(), Height: d.Stderr.Lines()})) // which the terminal tells after the first drawing
	err := d.run(ctx, m)
	if m.interrupted {
		d.Interrupt()
	}
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", err
	case m.form.State != huh.StateCompleted:
		return "", ErrNoAnswer
	}
	return m.answer(), nil
}

// asker is a Choice on its way to an answer.
type asker struct {
	form          *huh.Form
	lists         []list // one or two
	more          string // value of the option that leads to the second list, "" = none does
	interrupted   bool
	width, height int // of the terminal, as far as is known
}

// list is one of the lists of a Choice.
type list struct {
	Choice
	field *huh.Select[string]
	at    *string // what it stands on
}

func newAsker(c Choice) *asker {
	m := &asker{lists: []list{newList(c)}}
	for _, o := range c.Options {
		if o.More != nil {
			m.more, m.lists = o.Value, append(m.lists, newList(*o.More))
		}
	}
	m.fit(DefaultWidth, DefaultHeight) // until the terminal tells its size
	groups := []*huh.Group{huh.NewGroup(m.lists[0].field)}
	if len(m.lists) > 1 {
		groups = append(groups, huh.NewGroup(m.lists[1].field).WithHideFunc(func() bool { return !m.leadsOn() }))
	}
	m.form = huh.NewForm(groups...).WithKeyMap(keyMap(c.Words)).WithTheme(huh.ThemeFunc(menuTheme))
	m.form.SubmitCmd = tea.Quit
	return m
}

func newList(c Choice) list {
	at := c.Options[0].Value
	l := list{Choice: c, at: &at}
	l.field = huh.NewSelect[string]().Title(c.Title).Options(options(c.Options, DefaultWidth)...).Value(l.at)
	return l
}

// options are those of a list, a line each.
func options(all []Option, width int) []huh.Option[string] {
	const margin = 4 // of the frame and the cursor
	shown := make([]huh.Option[string], 0, len(all))
	for _, o := range all {
		shown = append(shown, huh.NewOption(Snip(o.Text, max(width-margin, 1)), o.Value))
	}
	return shown
}

// keyMap names the keys in the words of the user.
func keyMap(w Words) *huh.KeyMap {
	m := huh.NewDefaultKeyMap()
	m.Select.Up.SetHelp("↑", w.Up)
	m.Select.Down.SetHelp("↓", w.Down)
	m.Select.Filter.SetHelp("/", w.Filter)
	m.Select.SetFilter.SetHelp("esc", w.SetFilter)
	m.Select.ClearFilter.SetHelp("esc", w.ClearFilter)
	m.Select.Next.SetHelp("enter", w.Confirm)
	m.Select.Submit.SetHelp("enter", w.Confirm)
	m.Select.Prev.SetKeys() // its help takes the room of the others in a narrow terminal: see Update
	return m
}

// fit makes the lists fit a terminal: each option takes one line, and what led to the
// question as many as leave room for them.
func (m *asker) fit(width, height int) {
	const (
		frame  = 2 // columns
		others = 4 // lines: title, blank, help, and one to spare
	)
	if m.width == width && m.height == height {
		return
	}
	m.width, m.height = width, height
	for _, l := range m.lists {
		room := max((height-others)/2, height-others-len(l.Options))
		lines := strings.Split(pretty.WrapSoft(l.Why, max(width-frame, 1)), "\n")
		if len(lines) > room {
			lines = lines[:max(room, 0)]
			if room > 0 {
				lines[room-1] = Snip(strings.TrimRight(lines[room-1], " ")+" …", width-frame)
			}
		}
		for i, line := range lines {
			lines[i] = strings.TrimRight(line, " ")
		}
		l.field.Description(strings.Join(lines, "\n")).Options(options(l.Options, width)...)
	}
}

// Init implements tea.Model.
func (m *asker) Init() tea.Cmd { return m.form.Init() }

// Update implements tea.Model.
func (m *asker) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.fit(msg.Width, msg.Height)
		msg.Height = max(msg.Height-1, 1) // the form takes no account of the line above its help
		_, cmd := m.form.Update(msg)
		return m, cmd
	case tea.KeyPressMsg:
		m.interrupted = msg.String() == "ctrl+c"
		if m.interrupted || msg.String() == "ctrl+d" || msg.String() == "esc" && !m.filtering() {
			m.form.State = huh.StateAborted
			return m, tea.Quit
		}
		if msg.String() == "shift+tab" {
			_, cmd := m.form.Update(huh.PrevField())
			return m, cmd
		}
	}
	_, cmd := m.form.Update(msg)
	return m, cmd
}

// View implements tea.Model.
func (m *asker) View() tea.View {
	if m.form.State != huh.StateNormal { // what is left on the terminal is what follows
		return tea.NewView("")
	}
	lines := strings.Split(m.form.View(), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
		if CellWidth(lines[i]) > m.width { // the help of the form does not always keep to its width
			lines[i] = Snip(lines[i], m.width)
		}
	}
	return tea.NewView(strings.Join(lines, "\n"))
}

func (m *asker) filtering() bool {
	return slices.ContainsFunc(m.lists, func(l list) bool { return l.field.GetFiltering() })
}

func (m *asker) leadsOn() bool { return len(m.lists) > 1 && *m.lists[0].at == m.more }

func (m *asker) answer() string {
	if m.leadsOn() {
		return *m.lists[1].at
	}
	return *m.lists[0].at
}

// askByNumber asks in lines.
func (d Dialog) askByNumber(ctx context.Context, c Choice) (string, error) {
	type outcome struct {
		answer string
		err    error
	}
	ended := make(chan outcome, 1)
	go func() {
		in := bufio.NewReader(d.Stdin)
		var err error
		if c.Why != "" {
			_, err = fmt.Fprintln(d.Stderr, c.Why)
		}
		var chosen Option
		if err == nil {
			chosen, err = d.number(in, c, c.Words)
		}
		if err == nil && chosen.More != nil {
			chosen, err = d.number(in, *chosen.More, c.Words)
		}
		ended <- outcome{chosen.Value, err}
	}()
	select {
	case o := <-ended:
		return o.answer, o.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// number asks for the number of an option until one is given. Nothing, or the end of
// the input, is the default.
func (d Dialog) number(in *bufio.Reader, c Choice, w Words) (Option, error) {
	if _, err := fmt.Fprintln(d.Stderr, c.Title); err != nil {
		return Option{}, err
	}
	for i, o := range c.Options {
		if _, err := fmt.Fprintf(d.Stderr, "%d. %s\n", i+1, o.Text); err != nil {
			return Option{}, err
		}
	}
	for {
		if _, err := fmt.Fprintf(d.Stderr, w.Number, 1, len(c.Options)); err != nil {
			return Option{}, err
		}
		line, err := in.ReadString('\n')
		line = strings.TrimSpace(line)
		if line == "" || err != nil {
			i := slices.IndexFunc(c.Options, func(o Option) bool { return o.Value == c.Default })
			return c.Options[max(i, 0)], nil //nolint:nilerr // the end of the input is an answer
		}
		if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(c.Options) {
			return c.Options[n-1], nil
		}
	}
}

// run has a program take the terminal over until it ends, or the terminal does. Signals
// are the matter of this one.
func (d Dialog) run(ctx context.Context, m tea.Model) error {
	var program *tea.Program
	input, leave, err := openKeyboard(d.Stdin, func() { program.Quit() })
	if err != nil {
		return err
	}
	defer leave()
	program = tea.NewProgram(m, append(d.screen(input), tea.WithContext(ctx))...)
	_, err = program.Run()
	return err
}

// screen says how programs that take the terminal over find it.
func (d Dialog) screen(input io.Reader) []tea.ProgramOption {
	options := []tea.ProgramOption{
		tea.WithInput(input), tea.WithOutput(d.Stderr.Writer), tea.WithEnvironment(d.Env), tea.WithoutSignalHandler(), tea.WithFilter(bounded),
	}
	if width, height := d.Stderr.Columns(), d.Stderr.Lines(); width > maxWidth || height > maxHeight {
		// What is no file is not asked for its size.
		options = append(options, tea.WithOutput(struct{ io.Writer }{d.Stderr.Writer}), tea.WithWindowSize(min(width, maxWidth), min(height, maxHeight)))
	}
	return options
}

// The most of a terminal that is drawn on: each of its cells takes memory. No list that
// people look at needs more.
const maxWidth, maxHeight = 500, 200

// bounded makes a terminal that grows no larger than what is drawn on.
func bounded(_ tea.Model, msg tea.Msg) tea.Msg {
	if size, ok := msg.(tea.WindowSizeMsg); ok {
		return tea.WindowSizeMsg{Width: min(size.Width, maxWidth), Height: min(size.Height, maxHeight)}
	}
	return msg
}
