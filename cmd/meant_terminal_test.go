//go:build linux

package cmd_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"xship/sources/sourcetest/world"
)

// TestMeant goes by arrows from a name that no site has to an episode of the series that
// was meant: the near title, its season, the episode.
func TestMeant(t *testing.T) {
	const near, season, episode = "Did you mean one of these?", "Which season?", "Which episode?"
	type step struct {
		question string
		keys     []string
	}
	toEpisode := []step{{near, []string{keyEnter}}, {season, []string{keyDown, keyEnter}}, {episode, []string{keyDown, keyEnter}}}
	story := startStory(t)
	for name, c := range map[string]struct {
		args   []string
		env    []string
		steps  []step
		code   int
		screen string // what is told in the end
		stdout string // "" = nothing
	}{
		"scan":    {args: []string{"scan", "Harbour", "--no-probe"}, steps: toEpisode, screen: `next time: xship scan "Harbour Nine" -s 2 -e 2 -y 2018`, stdout: "s02e02"},
		"play":    {args: []string{"play", "Harbour"}, steps: toEpisode, screen: `next time: xship play "Harbour Nine" -s 2 -e 2 -y 2018`, stdout: "s02e02"},
		"numbers": {args: []string{"play", "Harbour"}, env: []string{"ACCESSIBLE=1"}, steps: []step{{near, []string{"1\n"}}, {season, []string{"2\n"}}, {episode, []string{"2\n"}}}, screen: `next time: xship play "Harbour Nine" -s 2 -e 2 -y 2018`, stdout: "s02e02"},
		"a filter": {
			args:  []string{"play", "Harbour Nine"},
			steps: []step{{season, []string{keyEnter}}, {episode, []string{"/", "5", keyEnter, keyEnter}}}, screen: `next time: xship play "Harbour Nine" -s 1 -e 5`, stdout: "s01e05",
		},
		"a season":             {args: []string{"scan", "Harbour Nine S02", "--no-probe"}, steps: []step{{episode, []string{keyEnter}}}, screen: `next time: xship scan "Harbour Nine" -s 2 -e 1`, stdout: "s02e01"},
		"the only episode":     {args: []string{"play", "Harbour Nine", "-s", "0"}, screen: `next time: xship play "Harbour Nine" -s 0 -e 1`, stdout: "s00e01"},
		"the episode of it":    {args: []string{"play", "Harbour S01E03"}, steps: []step{{near, []string{keyEnter}}}, screen: `next time: xship play "Harbour Nine" -s 1 -e 3`, stdout: "s01e03"},
		"Esc in a scan":        {args: []string{"scan", "Harbour"}, steps: []step{{near, []string{keyEsc}}}, screen: `did you mean Harbour Nine (2018)? xship scan "Harbour Nine" -y 2018`},
		"Esc in a play":        {args: []string{"play", "Harbour"}, steps: []step{{near, []string{keyEsc}}}, code: 3, screen: `did you mean Harbour Nine (2018)? xship play "Harbour Nine" -y 2018`},
		"none of them":         {args: []string{"play", "Harbour"}, steps: []step{{near, []string{keyDown, keyEnter}}}, code: 3, screen: "nothing found for Harbour"},
		"Esc later":            {args: []string{"play", "Harbour"}, steps: []step{{near, []string{keyEnter}}, {season, []string{keyEsc}}}, code: 3, screen: `hint: ask for an episode: xship play "Harbour Nine" -s 1 -e 1 -y 2018`},
		"Ctrl-C":               {args: []string{"scan", "Harbour Nine"}, steps: []step{{season, []string{keyCtrlC}}}, code: 130, screen: "interrupted"},
		"the end of the input": {args: []string{"play", "Harbour Nine"}, steps: []step{{season, []string{keyCtrlD}}}, code: 3, screen: "Harbour Nine is a series"},
		"quiet":                {args: []string{"play", "Harbour", "-q"}, code: 3, screen: "did you mean Harbour Nine (2018)?"},
		"JSON":                 {args: []string{"play", "Harbour", "-o", "json"}, code: 3, screen: "did you mean Harbour Nine (2018)?"},
	} {
		t.Run(name, func(t *testing.T) {
			s := startSession(t, t.TempDir(), c.env, append(c.args, "--interface", story.Good.URL())...)
			for _, step := range c.steps {
				s.await(step.question)
				s.press(step.keys...)
			}
			if code := s.end(); code != c.code {
				t.Errorf("exit code %d, want %d: %q", code, c.code, s.screen)
			}
			s.await(c.screen)
			if out := s.stdout.String(); !strings.Contains(strings.ToLower(out), c.stdout) || c.stdout == "" && strings.Contains(out, "http") {
				t.Errorf("stdout: %q", out)
			}
			if asked := s.screen.String(); len(c.steps) == 0 && strings.Contains(asked, "┃") {
				t.Errorf("it is asked: %q", asked)
			}
		})
	}
}

// TestMeant_longList chooses one of many episodes on a small terminal: by moving down to
// what does not fit, and by the filter.
func TestMeant_longList(t *testing.T) {
	story := startStory(t)
	items := make([]world.Item, 120)
	for i := range items {
		items[i] = world.Item{Label: fmt.Sprintf("S01E%03d", i+1), URL: story.Hosters[0].URL(fmt.Sprintf("long-%03d.mp4", i+1))}
	}
	story.Sites[0].SetFilms(world.Film{Name: "Long Road", Year: 2010, Type: "Series", Groups: []world.Group{{From: "mp4", Items: items}}})
	for name, c := range map[string]struct {
		keys []string
		want string
	}{
		"moved":    {append(slices.Repeat([]string{keyDown}, 19), keyEnter), "long-020.mp4"},
		"filtered": {[]string{"/", "1", "1", "7", keyEnter, keyEnter}, "long-117.mp4"},
	} {
		t.Run(name, func(t *testing.T) {
			s := startSized(t, 15, 50, t.TempDir(), nil, "play", "Long Road", "--interface", story.Good.URL())
			s.await("Episode 9")
			if strings.Contains(s.screen.String(), "Episode 120") {
				t.Error("it begins with the end of the list")
			}
			s.press(c.keys...)
			if code := s.end(); code != 0 || !strings.Contains(s.stdout.String(), c.want) {
				t.Errorf("exit code %d, %q, want %s", code, &s.stdout, c.want)
			}
		})
	}
}

// TestMeant_manual is asked once which interface to use, and goes on with that.
func TestMeant_manual(t *testing.T) {
	story := startStory(t)
	dir := t.TempDir()
	addInterfaces(t, story, dir, "first", "second")
	s := startSession(t, dir, nil, "play", "Harbour", "--interface", "first")
	for _, question := range []string{"The interface could not be loaded", "Did you mean one of these?", "Which season?", "Which episode?"} {
		s.await(question)
		s.press(keyEnter)
	}
	if code := s.end(); code != 0 || !strings.Contains(strings.ToLower(s.stdout.String()), "s01e01") {
		t.Errorf("exit code %d, %q: %q", code, &s.stdout, s.screen)
	}
	if n := strings.Count(s.screen.String(), "switched to second"); n != 1 {
		t.Errorf("told %d times of the switch: %q", n, s.screen)
	}
}
