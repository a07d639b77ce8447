package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"

	"xship/cmd/engine/loader"
	"xship/config/failover"
	"xship/sources"
)

// interfacesModeDoc is the JSON document of xship interfaces mode.
type interfacesModeDoc struct {
	Mode string `json:"mode"`
}

func newInterfacesModeCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "mode [off|auto|manual]",
		Short: "What happens when an interface cannot be loaded",
		Long: `Set what happens when the interface in use cannot be loaded, or show it:

  off     the error is reported, and nothing else is tried
  auto    the interfaces after it in the order are tried, three in all (the default)
  manual  you are asked, once, on a terminal`,
		Args:      optionalMode,
		ValidArgs: []string{"off", "auto", "manual"},
		RunE: func(_ *cobra.Command, args []string) error {
			order, err := a.openOrder()
			if err != nil {
				return err
			}
			if len(args) == 1 {
				mode, _ := failover.ModeNamed(args[0])
				if err := order.SetMode(mode); err != nil {
					return err
				}
			}
			mode, err := order.Mode()
			if err != nil {
				return err
			}
			if a.asJSON() {
				return a.writeJSON(interfacesModeDoc{Mode: mode.String()})
			}
			return a.writeLine(mode.String())
		},
	}
}

func optionalMode(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if err := oneArg("a mode")(cmd, args); err != nil {
		return err
	}
	if _, ok := failover.ModeNamed(args[0]); !ok {
		return &usageError{msg: "there is no mode " + args[0], hint: "one of off, auto, manual"}
	}
	return nil
}

func newInterfacesOrderCmd(a *app) *cobra.Command {
	var interactive bool
	cmd := &cobra.Command{
		Use:   "order URL|PATH|NAME...",
		Short: "Set the order in which interfaces are listed and tried",
		Long: `Set the order of the interfaces. Those named come first, the others stay behind
them as they are. The one in use takes part like any other.`,
		Example: `  xship interfaces order home backup
  xship interfaces order --interactive`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case interactive && len(args) > 0:
				return usagef("interfaces order takes interfaces or --interactive, not both")
			case interactive && !a.prompts():
				return &usageError{msg: "--interactive needs a terminal", hint: "name the interfaces in their order instead"}
			case !interactive && len(args) == 0:
				return &usageError{msg: "interfaces order needs the interfaces in their order", hint: "see xship interfaces list, or use --interactive"}
			}
			return runInterfacesOrder(cmd.Context(), a, args)
		},
	}
	cmd.Flags().BoolVar(&interactive, "interactive", false, "move the interfaces up and down on the terminal")
	return cmd
}

// runInterfacesOrder stores the order that refs begin, or that the user makes
// where there are none, and lists the interfaces.
func runInterfacesOrder(ctx context.Context, a *app, refs []string) error {
	interfaces, err := a.openLoader(ctx)
	if err != nil {
		return err
	}
	rows, current, err := interfaces.Interfaces(ctx)
	if err != nil {
		return err
	}
	var urls []string
	for _, ref := range refs {
		row, err := knownInterface(ctx, interfaces.Store, ref)
		if err != nil {
			return err
		}
		if slices.Contains(urls, row.URL) {
			return usagef("%s is named twice", interfaceTitle(row.Name, row.URL))
		}
		urls = append(urls, row.URL)
	}
	if len(refs) == 0 {
		if len(rows) == 1 && rows[0].URL == loader.Builtin().URL {
			return &hintError{err: errors.New("there are no interfaces to order"), hint: "see xship interfaces add"}
		}
		ordered, err := a.orderByHand(ctx, rows, current.URL)
		if err != nil {
			return err
		}
		rows = ordered
	}
	for _, row := range rows {
		if !slices.Contains(urls, row.URL) && row.URL != loader.Builtin().URL {
			urls = append(urls, row.URL)
		}
	}
	if err := interfaces.Order.SetOrder(urls); err != nil {
		return err
	}
	return runInterfacesList(ctx, a, false)
}

var errOrderUnchanged = errors.New("the order stays as it was")

// orderByHand lets the user move interfaces up and down on the terminal.
func (a *app) orderByHand(ctx context.Context, rows []sources.Interface, current string) ([]sources.Interface, error) {
	m := &orderer{rows: slices.Clone(rows), current: current, width: defaultWidth, height: defaultHeight}
	a.status.hold()
	defer a.status.release()
	screen, leave, err := a.screen()
	if err != nil {
		return nil, err
	}
	defer leave()
	_, err = tea.NewProgram(m, append(screen, tea.WithContext(ctx))...).Run()
	if m.interrupted {
		a.interrupt()
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("order the interfaces on the terminal: %w", err)
	case !m.saved:
		return nil, &hintError{err: errOrderUnchanged, hint: "Enter saves it"}
	}
	return m.rows, nil
}

// orderer is a list whose rows the user moves.
type orderer struct {
	rows          []sources.Interface
	current       string // URL of the one in use
	width, height int    // of the terminal
	at            int
	held          bool // the row goes with the cursor
	ended         bool
	saved         bool
	interrupted   bool
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
	case "enter", "esc", "q", "ctrl+c":
		m.ended, m.saved, m.interrupted = true, key == "enter", key == "ctrl+c"
		return tea.Quit
	}
	return nil
}

// move moves the cursor, and with it the row where that is taken along.
func (m *orderer) move(by int, row bool) {
	to := m.at + by
	if to < 0 || to >= len(m.rows) {
		return
	}
	if row {
		m.rows[m.at], m.rows[to] = m.rows[to], m.rows[m.at]
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
	if m.ended { // what is left on the terminal is the list that follows
		return tea.NewView("")
	}
	lines := []string{"Order of the interfaces", ""}
	help := strings.Split("\n"+orderHelp, "\n")
	shown := min(len(m.rows), max(m.height-len(lines)-len(help), 1))
	first := min(max(m.at-shown/2, 0), len(m.rows)-shown)
	for i, row := range m.rows[first : first+shown] {
		cursor, inUse := " ", ""
		if first+i == m.at {
			cursor = ">"
			if m.held {
				cursor = "*"
			}
		}
		if row.URL == m.current {
			inUse = "(in use) "
		}
		lines = append(lines, fmt.Sprintf("%s %*d. %s%s", cursor, len(strconv.Itoa(len(m.rows))), first+i+1, inUse, interfaceTitle(row.Name, row.URL)))
	}
	lines = append(lines, help...)
	for i, line := range lines {
		lines[i] = snip(line, m.width)
	}
	return tea.NewView(strings.Join(lines, "\n"))
}
