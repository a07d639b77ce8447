package term

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// TestMenuTheme wants no colour in a menu that a light or a dark ground swallows: neither
// black, white and their bright forms, nor one of the terminal's 256 or of all. The same
// whatever the terminal says of its ground.
func TestMenuTheme(t *testing.T) {
	readable := []string{"", "0", "1", "2", "22", "35", "39", "1;35"} // plain, bold, faint, magenta
	m := newAsker(longChoice(3))
	run(m, m.Init())
	_, cmd := m.Update(tea.WindowSizeMsg{Width: 60, Height: 16})
	run(m, cmd)
	first := m.View().Content
	_, cmd = m.Update(tea.BackgroundColorMsg{})
	run(m, cmd)
	if again := m.View().Content; again != first {
		t.Errorf("it depends on the ground: %q, before %q", again, first)
	}
	m.Update(tea.KeyPressMsg{Code: '/', Text: "/"}) // whose cursor blinks on and on, were it run
	m.Update(tea.KeyPressMsg{Code: 'c', Text: "c"})
	for name, view := range map[string]string{"list": first, "filter": m.View().Content} {
		for _, found := range regexp.MustCompile("\x1b\\[([0-9;]*)m").FindAllStringSubmatch(view, -1) {
			if style := found[1]; !slices.Contains(readable, style) && !strings.HasPrefix(style, "7") {
				t.Errorf("%s: style %q in %q", name, style, view)
			}
		}
	}
	if !strings.Contains(first, "\x1b[1;35m") {
		t.Errorf("what is chosen does not stand out: %q", first)
	}
}
