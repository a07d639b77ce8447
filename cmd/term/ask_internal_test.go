package term

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// escapes are what colours a view.
var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// words are those of a test.
var words = Words{
	Up: "hoch", Down: "ab", Confirm: "wählen", Filter: "filtern", SetFilter: "übernehmen", ClearFilter: "löschen", Number: "Zahl von %d bis %d: ",
}

// longChoice is the question about an interface with n candidates.
func longChoice(n int) Choice {
	why := "living room (https://interface.example/some/long/path/vod.json): " +
		"got a web page (HTML) instead of a config, titled \"The page that you are looking for is no longer here\" (redirected to https://interface.example/login)"
	cancel := Option{Text: "Cancel", Value: "cancel"}
	second := Choice{Title: "Which interface?", Why: why, Default: "cancel"}
	for i := range n {
		second.Options = append(second.Options, Option{
			Text: fmt.Sprintf("candidate %d (https://interface.example/another/long/path/%d/vod.json)", i+1, i+1), Value: fmt.Sprint(i + 1),
		})
	}
	second.Options = append(second.Options, cancel)
	return Choice{
		Title: "The interface could not be loaded", Why: why, Default: "cancel", Words: words,
		Options: []Option{
			{Text: "Switch to the next one: candidate 1 (https://interface.example/another/long/path/1/vod.json)", Value: "1"},
			{Text: "Choose another one …", Value: "another", More: &second},
			cancel,
		},
	}
}

// run gives the model what a program does, until nothing follows.
func run(m *asker, cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			run(m, c)
		}
	case nil, tea.QuitMsg:
	default:
		_, next := m.Update(msg)
		run(m, next)
	}
}

func press(m *asker, keys ...tea.KeyPressMsg) {
	for _, key := range keys {
		_, cmd := m.Update(key)
		run(m, cmd)
	}
}

// TestAsker_fits wants question, the answer that it stands on, and the help on the
// terminal, however small that is.
func TestAsker_fits(t *testing.T) {
	enter, down := tea.KeyPressMsg{Code: tea.KeyEnter}, tea.KeyPressMsg{Code: tea.KeyDown}
	for _, size := range []tea.WindowSizeMsg{
		{Width: 44, Height: 14},
		{Width: 80, Height: 24},
		{Width: 200, Height: 60},
		{Width: 44, Height: 8},
		{Width: 38, Height: 10},
		{Width: 120, Height: 6},
	} {
		m := newAsker(longChoice(11))
		run(m, m.Init())
		_, cmd := m.Update(size)
		run(m, cmd)
		check := func(title, option string) {
			t.Helper()
			view := escapes.ReplaceAllString(m.View().Content, "")
			lines := strings.Split(view, "\n")
			for _, want := range []string{title, "> " + option, "enter wählen"} {
				if !strings.Contains(view, want) && (want != "enter wählen" || size.Width >= 40) {
					t.Errorf("%v: no %q in\n%s", size, want, view)
				}
			}
			if len(lines) > size.Height {
				t.Errorf("%v: %d lines:\n%s", size, len(lines), view)
			}
			for _, line := range lines {
				if CellWidth(line) > size.Width {
					t.Errorf("%v: a line of %d columns: %q", size, CellWidth(line), line)
				}
			}
		}
		check("The interface could not be loaded", "Switch to")
		press(m, down, enter)
		check("Which interface?", "candidate 1 ")
		for range 10 {
			press(m, down)
		}
		check("Which interface?", "candidate 11 ")
		press(m, down)
		check("Which interface?", "Cancel")
		press(m, tea.KeyPressMsg{Code: tea.KeyTab, Mod: tea.ModShift})
		check("The interface could not be loaded", "Choose another one")
		press(m, enter, down, down, enter) // from where it was, over the end, to the second
		if got := m.answer(); got != "2" {
			t.Errorf("%v: answer %q, want the second", size, got)
		}
	}
}

// TestAsker_resized keeps the answer that the cursor stands on.
func TestAsker_resized(t *testing.T) {
	m := newAsker(longChoice(11))
	run(m, m.Init())
	press(m, tea.KeyPressMsg{Code: tea.KeyDown}, tea.KeyPressMsg{Code: tea.KeyEnter}, tea.KeyPressMsg{Code: tea.KeyDown}, tea.KeyPressMsg{Code: tea.KeyDown})
	for _, size := range []tea.WindowSizeMsg{{Width: 100, Height: 40}, {Width: 44, Height: 14}, {Width: 60, Height: 20}} {
		_, cmd := m.Update(size)
		run(m, cmd)
		if view := escapes.ReplaceAllString(m.View().Content, ""); !strings.Contains(view, "> candidate 3 ") {
			t.Errorf("%v:\n%s", size, view)
		}
	}
}

// TestAskByNumber asks for a number again until one is given, in the user's words.
func TestAskByNumber(t *testing.T) {
	for _, c := range []struct{ typed, want string }{
		{"1\n", "1"},
		{"2\n3\n", "3"},
		{"7\nx\n 3 \n", "cancel"},
		{"\n", "cancel"},
		{"", "cancel"},
		{"2\n12\n", "cancel"},
		{"2\n0\n11\n", "11"},
	} {
		var out strings.Builder
		d := Dialog{Stdin: strings.NewReader(c.typed), Stderr: Stream{Writer: &out}, Status: NewStatus(Stream{Writer: &out}), ByNumber: true}
		got, err := d.Ask(t.Context(), longChoice(11))
		if err != nil || got != c.want {
			t.Errorf("%q: %q, %v; want %q", c.typed, got, err, c.want)
		}
		if !strings.Contains(out.String(), "The interface could not be loaded\n1. ") || !strings.Contains(out.String(), "Zahl von 1 bis 3: ") {
			t.Errorf("%q: %s", c.typed, &out)
		}
	}
}
