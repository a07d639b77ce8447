//go:build linux

package cmd_test

import (
	"fmt"
	"strings"
	"testing"

	"xship/sources/sourcetest/world"
)

// The questions on the way from a name that no site has to an episode.
const (
	askNear    = "Did you mean one of these?"
	askSeason  = "Which season?"
	askEpisode = "Which episode?"
)

// TestMeant goes by arrows from a misspelt series to an episode of the one that was meant:
// the near title, its season, the episode.
func TestMeant(t *testing.T) {
	t.Parallel()
	story := startStory(t)
	for name, c := range map[string]struct {
		args   []string
		keys   [][]string // for the questions, in their order
		code   int
		screen string // what is told in the end
		stdout string // "" = no source
	}{
		"scan": {
			args: []string{"scan", "Paper Lantrens", "--no-probe"}, keys: [][]string{{keyEnter}, {keyDown, keyEnter}, {keyDown, keyEnter}},
			screen: `next time: xship scan "Paper Lanterns" -s 2 -e 2 -y 2014`, stdout: "paper-lanterns-s02e02",
		},
		"play": {
			args: []string{"play", "Paper Lantrens"}, keys: [][]string{{keyEnter}, {keyDown, keyEnter}, {keyDown, keyEnter}},
			screen: `next time: xship play "Paper Lanterns" -s 2 -e 2 -y 2014`, stdout: "paper-lanterns-s02e02",
		},
		"Esc":    {args: []string{"play", "Paper Lantrens"}, keys: [][]string{{keyEnter}, {keyEsc}}, code: 3, screen: `hint: ask for an episode: xship play "Paper Lanterns" -s 1 -e 1 -y 2014`},
		"Ctrl-C": {args: []string{"scan", "Paper Lantrens"}, keys: [][]string{{keyCtrlC}}, code: 130, screen: "interrupted"},
	} {
		t.Run(name, func(t *testing.T) {
			s := startSession(t, usedData(t), nil, append(c.args, "--interface", story.Good.URL())...)
			for i, keys := range c.keys {
				s.await([]string{askNear, askSeason, askEpisode}[i])
				s.press(keys...)
			}
			if code := s.end(); code != c.code {
				t.Errorf("exit code %d, want %d: %q", code, c.code, s.screen)
			}
			s.await(c.screen)
			if out := s.stdout.String(); !strings.Contains(out, c.stdout) || c.stdout == "" && strings.Contains(out, "http") {
				t.Errorf("stdout: %q", out)
			}
		})
	}
}

// TestMeant_longList chooses one of many episodes by the filter, on a small terminal.
func TestMeant_longList(t *testing.T) {
	t.Parallel()
	story := startStory(t)
	items := make([]world.Item, 120)
	for i := range items {
		items[i] = world.Item{Label: fmt.Sprintf("S01E%03d", i+1), URL: story.Hosters[0].URL(fmt.Sprintf("long-%03d.mp4", i+1))}
	}
	story.Sites[0].SetFilms(world.Film{Name: "Long Road", Year: 2010, Type: "Series", Groups: []world.Group{{From: "mp4", Items: items}}})
	s := startSized(t, 15, 50, usedData(t), nil, "play", "Long Road", "--interface", story.Good.URL())
	s.await("Episode 9")
	if strings.Contains(s.screen.String(), "Episode 120") {
		t.Error("it begins with the end of the list")
	}
	s.press("/", "1", "1", "7", keyEnter, keyEnter)
	if code := s.end(); code != 0 || !strings.Contains(s.stdout.String(), "long-117.mp4") {
		t.Errorf("exit code %d, %q", code, &s.stdout)
	}
}

// TestMeant_manual is asked once which interface to use, and goes on with that.
func TestMeant_manual(t *testing.T) {
	t.Parallel()
	story := startStory(t)
	dir := usedData(t)
	addInterfaces(t, story, dir, "first", "second")
	s := startSession(t, dir, nil, "play", "Harbour", "--interface", "first")
	for _, question := range []string{"The interface could not be loaded", askNear, askSeason, askEpisode} {
		s.await(question)
		s.press(keyEnter)
	}
	if code := s.end(); code != 0 || !strings.Contains(s.stdout.String(), "s01e01") {
		t.Errorf("exit code %d, %q: %q", code, &s.stdout, s.screen)
	}
	if n := strings.Count(s.screen.String(), "switched to second"); n != 1 {
		t.Errorf("told %d times of the switch: %q", n, s.screen)
	}
}
