//go:build linux

package cmd_test

import (
	"strings"
	"testing"
)

// TestPlay_choose chooses on a real terminal what plays.
func TestPlay_choose(t *testing.T) {
	t.Parallel()
	story := startStory(t)
	dir := usedData(t)
	m := newMachine(t)
	m.env["XSHIP_DATA_DIR"] = dir
	m.run(t, 0, "interfaces", "add", story.Good.URL())
	const question, best, second = "What is to be played?", "1 4K    en 127.0.1.2 Paper Submarines", "2 4K    en 127.0.1.3 Paper Submarines"
	for _, c := range []struct {
		name          string
		rows, columns uint16
		env           []string
		keys          []string
		code          int
		plays         string
		told          string
	}{
		{name: "the first", keys: []string{keyEnter}, plays: "http://127.0.1.2:"},
		{name: "the second", keys: []string{keyDown, keyEnter}, plays: "http://127.0.1.3:"},
		{name: "on a small terminal", rows: 15, columns: 50, keys: []string{keyDown, keyEnter}, plays: "http://127.0.1.3:"},
		{name: "by number", env: []string{"ACCESSIBLE=1"}, keys: []string{"2\n"}, plays: "http://127.0.1.3:"},
		{name: "by number, none", env: []string{"ACCESSIBLE=1"}, keys: []string{"\n"}, code: 3, told: "no source of Paper Submarines (2016) was chosen"},
		{name: "Esc", keys: []string{keyEsc}, code: 3, told: "no source of Paper Submarines (2016) was chosen"},
		{name: "Ctrl-D", keys: []string{keyCtrlD}, code: 3, told: "no source of Paper Submarines (2016) was chosen"},
		{name: "Ctrl-C", keys: []string{keyCtrlC}, code: 130, told: "interrupted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.rows == 0 {
				c.rows, c.columns = 24, 80
			}
			s := startSized(t, c.rows, c.columns, dir, c.env, "play", story.Film.Name, "--year", "2016", "--choose")
			s.await(question)
			s.await(best)
			s.await(second)
			s.press(c.keys...)
			if code := s.end(); code != c.code || !strings.HasPrefix(s.stdout.String(), c.plays) || c.plays == "" && s.stdout.Len() > 0 {
				t.Errorf("exit code %d, want %d, and %q plays, want %q: %q", code, c.code, &s.stdout, c.plays, s.screen)
			}
			s.await(c.told)
		})
	}
}

// TestPlay_linksInterrupted breaks a run of links off in the middle: what was written
// stands.
func TestPlay_linksInterrupted(t *testing.T) {
	t.Parallel()
	story := startStory(t)
	story.Hosters[1].Hold()
	defer story.Hosters[1].Release()
	first := story.Hosters[0].URL("a.mp4")
	s := startSession(t, usedData(t), nil, "play", first, story.Hosters[1].URL("b.mp4"), story.Hosters[2].URL("c.mp4"))
	s.await("resolving 1/3")
	s.press(keyCtrlC)
	if code := s.end(); code != 130 || s.stdout.String() != first+"\n" {
		t.Errorf("exit code %d, written %q: %q", code, &s.stdout, s.screen)
	}
	s.await("interrupted")
}

// TestPlay_linksTyped types links at a terminal, and leaves it without one.
func TestPlay_linksTyped(t *testing.T) {
	t.Parallel()
	link := startStory(t).Hosters[0].URL("a.mp4")
	for _, c := range []struct {
		keys []string
		code int
		told string
	}{
		{[]string{link + keyEnter + keyCtrlD}, 0, ""},
		{[]string{keyCtrlD}, 2, "standard input has no link"},
		{[]string{keyCtrlC}, 130, "interrupted"},
	} {
		s := startSession(t, usedData(t), nil, "play", "-")
		s.await("one link a line; Ctrl-D ends them")
		s.press(c.keys...)
		if code := s.end(); code != c.code || (s.stdout.String() == link+"\n") != (c.code == 0) {
			t.Errorf("%q: exit code %d, want %d, written %q: %q", c.keys, code, c.code, &s.stdout, s.screen)
		}
		s.await(c.told)
	}
}
