package term

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// ErrUnchanged says that the user left an order as it was.
var ErrUnchanged = errors.New("the order stays as it was")

// Order lets the user move rows up and down, and gives the indexes of the rows in
// their new order. The error is ErrUnchanged, that of ctx, or that of the terminal.
func (d Dialog) Order(ctx context.Context, title string, rows []string) ([]int, error) {
	m := newOrderer(title, rows)
	d.Status.Hold()
	defer d.Status.Release()
	err := d.run(ctx, m)
	if m.interrupted {
		d.Interrupt()
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, err
	case !m.saved:
		return nil, ErrUnchanged
	}
	return m.order, nil
}

// orderer is a list whose rows the user moves.
type orderer struct {
	title         string
	rows          []string
	order         []int // indexes of rows
	width, height int   // of the terminal
	at            int
	held          bool // the row goes with the cursor
	ended         bool
	saved         bool
	interrupted   bool
}

func newOrderer(title string, rows []string) *orderer {
	m := &orderer{title: title, rows: slices.Clone(rows), width: DefaultWidth, height: DefaultHeight}
	for i := range rows {
		m.order = append(m.order, i)
	}
	return m
}

// Init implements tea.Model.
func (*orderer) Init() tea.Cmd { return nil }

// Update implements tea.Model.
func (m *orderer) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		return m, m.press(msg.String())
	}
	return m, nil
}

func (m *orderer) press(key string) tea.Cmd {
	switch key {
	case "up", "k":
		m.move(-1, m.held)
	case "down", "j":
		m.move(1, m.held)
	case "shift+up", "K":
		m.move(-1, true)
	case "shift+down", "J":
		m.move(1, true)
	case "space":
		m.held = !m.held
	case "enter", "esc", "q", "ctrl+c", "ctrl+d":
		m.ended, m.saved, m.interrupted = true, key == "enter", key == "ctrl+c"
		return tea.Quit
	}
	return nil
}

// move moves the cursor, and with it the row where that is taken along.
func (m *orderer) move(by int, row bool) {
	to := m.at + by
	if to < 0 || to >= len(m.order) {
		return
	}
	if row {
		m.order[m.at], m.order[to] = m.order[to], m.order[m.at]
	}
	m.at = to
}

// orderHelp are the keys of an orderer.
const orderHelp = `up/down: choose
space: take or put down
shift+up/down: move
enter: save   esc: leave as it was`

// View implements tea.Model. Where the terminal is too low for all rows, those
// around the cursor are shown.
func (m *orderer) View() tea.View {
	if m.ended { // what is left on the terminal is what follows
		return tea.NewView("")
	}
	lines := []string{m.title, ""}
	help := strings.Split("\n"+orderHelp, "\n")
	shown := min(len(m.order), max(m.height-len(lines)-len(help), 1))
	first := min(max(m.at-shown/2, 0), len(m.order)-shown)
	for i, row := range m.order[first : first+shown] {
		cursor := " "
		if first+i == m.at {
			cursor = ">"
			if m.held {
				cursor = "*"
			}
		}
		lines = append(lines, fmt.Sprintf("%s %*d. %s", cursor, len(strconv.Itoa(len(m.order))), first+i+1, m.rows[row]))
	}
	lines = append(lines, help...)
	for i, line := range lines {
		lines[i] = Snip(line, m.width)
	}
	return tea.NewView(strings.Join(lines, "\n"))
}
