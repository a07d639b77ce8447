package cmd_test

import (
	"strings"
	"testing"
	"testing/iotest"

	"xship/cmd/term"
)

// TestMeant_byNumber asks in lines what was meant, where somebody is there who wants to
// know more than the result, and goes on with that.
func TestMeant_byNumber(t *testing.T) {
	t.Parallel()
	s := startStory(t)
	for _, c := range []struct {
		name  string
		args  []string
		typed string
		quiet bool // nobody is asked
		code  int
		err   string // what stderr tells
		out   string // "" = no source
	}{
		{name: "all the way", args: []string{"play", "Paper Lantrens"}, typed: "1\n2\n3\n", err: `next time: xship play "Paper Lanterns" -s 2 -e 3 -y 2014`, out: "paper-lanterns-s02e03"},
		{name: "a film", args: []string{"scan", "Cogwheel Sumer"}, typed: "1\n", err: `next time: xship scan "Cogwheel Summer" -y 2022`, out: "Cogwheel.Summer"},
		{name: "a series", args: []string{"scan", "Paper Lanterns"}, typed: "1\n4\n", err: `next time: xship scan "Paper Lanterns" -s 1 -e 4`, out: "paper-lanterns-s01e04"},
		{name: "a season", args: []string{"play", "Paper Lanterns S02"}, typed: "1\n", err: `next time: xship play "Paper Lanterns" -s 2 -e 1`, out: "paper-lanterns-s02e01"},
		{name: "the season of another name", args: []string{"play", "Paper Lantrens", "-s", "2"}, typed: "1\n1\n", err: `next time: xship play "Paper Lanterns" -s 2 -e 1 -y 2014`, out: "paper-lanterns-s02e01"},
		{name: "the episode of another name", args: []string{"play", "Paper Lantrens 1x03"}, typed: "1\n", err: `next time: xship play "Paper Lanterns" -s 1 -e 3 -y 2014`, out: "paper-lanterns-s01e03"},
		{name: "an episode that it lacks", args: []string{"scan", "Paper Lanterns S01E09"}, typed: "1\n1\n", err: `next time: xship scan "Paper Lanterns" -s 1 -e 1`, out: "paper-lanterns-s01e01"},
		{name: "the only episode", args: []string{"play", "Harbour Nine", "-s", "0"}, quiet: true, err: `next time: xship play "Harbour Nine" -s 0 -e 1`, out: "s00e01"},
		{name: "none in a scan", args: []string{"scan", "Paper Lantrens"}, err: `did you mean Paper Lanterns (2014)? xship scan "Paper Lanterns" -y 2014`},
		{name: "none in a play", args: []string{"play", "Paper Lantrens"}, typed: "\n", code: 3, err: `did you mean Paper Lanterns (2014)? xship play "Paper Lanterns" -y 2014`},
		{name: "no episode", args: []string{"play", "Paper Lanterns"}, typed: "1\n\n", code: 3, err: "Paper Lanterns is a series: name an episode to play"},
		{name: "nothing near", args: []string{"scan", s.Unknown.Name}, quiet: true, err: "nothing found for The Film Nobody Made"},
		{name: "what is found", args: []string{"scan", "Cogwheel Summer"}, quiet: true, err: "2 sources from", out: "Cogwheel.Summer"},
		{name: "quiet", args: []string{"play", "Paper Lantrens", "-q"}, quiet: true, code: 3, err: "did you mean Paper Lanterns (2014)?"},
		{name: "JSON", args: []string{"play", "Paper Lantrens", "-o", "json"}, quiet: true, code: 3, err: `"hint":"did you mean Paper Lanterns (2014)? xship play \"Paper Lanterns\" -y 2014"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMachine(t)
			m.Stdin, m.Interactive = iotest.OneByteReader(strings.NewReader(c.typed)), true // as a terminal, which has a line for each question
			m.Stderr = term.Stream{Writer: m.err}
			m.env["ACCESSIBLE"], m.env["XSHIP_RESOLVE_YTDLP"] = "1", "off"
			m.run(t, c.code, append(c.args, "--interface", s.Good.URL())...)
			if !strings.Contains(m.err.String(), c.err) {
				t.Errorf("stderr, want %s:\n%s", c.err, m.err)
			}
			if asked := strings.Contains(m.err.String(), "Enter a number"); asked == c.quiet {
				t.Errorf("somebody is asked: %t\n%s", asked, m.err)
			}
			if out := m.out.String(); !strings.Contains(out, c.out) || c.out == "" && strings.Contains(out, "http") {
				t.Errorf("stdout, want %s:\n%s", c.out, out)
			}
		})
	}
}
