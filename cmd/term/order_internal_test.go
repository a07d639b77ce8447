package term

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// keys are what a terminal sends for the keys of an orderer.
var keys = map[string]tea.KeyPressMsg{
	"up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "space": {Code: tea.KeySpace, Text: " "},
	"shift+up": {Code: tea.KeyUp, Mod: tea.ModShift}, "shift+down": {Code: tea.KeyDown, Mod: tea.ModShift},
	"K": {Code: 'k', Text: "K", Mod: tea.ModShift}, "j": {Code: 'j', Text: "j"}, "x": {Code: 'x', Text: "x"},
	"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "ctrl+c": {Code: 'c', Mod: tea.ModCtrl},
}

// letters is an orderer of n rows, the second of them marked.
func letters(n int) *orderer {
	var rows []string
	for i := range n {
		rows = append(rows, fmt.Sprintf("%c (http://%[1]c.example)", 'a'+i))
	}
	rows[1] = "(in use) " + rows[1]
	return newOrderer("Order of the interfaces", rows)
}

func TestOrderer(t *testing.T) {
	for _, c := range []struct {
		keys        string // in their order
		want        string // the names
		saved       bool
		interrupted bool
	}{
		{"enter", "abc", true, false},
		{"down down down enter", "abc", true, false},
		{"shift+down enter", "bac", true, false},
		{"shift+down shift+down shift+down enter", "bca", true, false},
		{"down down K enter", "acb", true, false},
		{"space down down space up enter", "bca", true, false},
		{"j space up space up x enter", "bac", true, false},
		{"space down esc", "bac", false, false},
		{"ctrl+c", "abc", false, true},
	} {
		t.Run(c.keys, func(t *testing.T) {
			m := letters(3)
			var quit tea.Cmd
			for key := range strings.FieldsSeq(c.keys) {
				if quit != nil {
					t.Fatalf("it ended before %s", key)
				}
				_, quit = m.Update(keys[key])
			}
			var names []string
			for _, row := range m.order {
				names = append(names, string(rune('a'+row)))
			}
			if got := strings.Join(names, ""); quit == nil || got != c.want || m.saved != c.saved || m.interrupted != c.interrupted {
				t.Errorf("ended %t, order %s, saved %t, interrupted %t", quit != nil, got, m.saved, m.interrupted)
			}
			if m.View().Content != "" {
				t.Errorf("it leaves %q", m.View().Content)
			}
		})
	}
}

func TestOrderer_View(t *testing.T) {
	m := letters(20)
	_, _ = m.Update(tea.WindowSizeMsg{Width: 30, Height: 12})
	for range 15 {
		_, _ = m.Update(keys["down"])
	}
	_, _ = m.Update(keys["space"])
	lines := strings.Split(m.View().Content, "\n")
	if len(lines) > 12 || !slices.Contains(lines, "* 16. p (http://p.example)") {
		t.Errorf("%d lines:\n%s", len(lines), strings.Join(lines, "\n"))
	}
	for _, line := range lines {
		if CellWidth(line) > 30 {
			t.Errorf("too wide: %s", line)
		}
	}
	m = letters(3)
	if view := m.View().Content; !strings.Contains(view, "> 1. a (") || !strings.Contains(view, "2. (in use) b (") || !strings.HasSuffix(view, orderHelp) {
		t.Error(view)
	}
}
