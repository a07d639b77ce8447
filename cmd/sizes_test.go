package cmd_test

import (
	"strings"
	"testing"

	"xship/cmd"
	"xship/cmd/term"
)

// TestSizes shows lists on terminals of several widths: no line is wider than the terminal, or
// than the least width that a list needs to be read.
func TestSizes(t *testing.T) {
	t.Parallel()
	s := startStory(t)
	m := newMachine(t).terminal(80)
	m.env["XSHIP_RESOLVE_YTDLP"] = "off"
	m.run(t, 0, "interfaces", "add", s.Good.URL(), "--name", "an interface with a name that is long")
	m.run(t, 0, "interfaces", "add", s.Broken.URL())
	m.run(t, 0, "watch", "add", "Harbour Nine", "--season", "1", "--episode", "5")
	m.run(t, 0, "watch", "add", "A film whose name is as long as they are where they want to be noticed: the second part", "--year", "2016")
	m.run(t, 0, scanArgs(s, "--no-probe")...)
	m.run(t, 0, "play", s.Film.Name, "--interface", s.Good.URL())
	m.Stdin = strings.NewReader("fakekey-pm\n")
	m.run(t, 0, "accounts", "add", "premiumize", "--no-check", "--base-url", "http://127.0.0.1:1")
	for name, c := range map[string]struct {
		args  []string
		code  int
		least int // columns that it takes at least
	}{
		"scan":             {scanArgs(s, "--no-probe"), 0, 20},
		"scan --all":       {scanArgs(s, "--no-probe", "--all"), 0, 20},
		"scan --explain":   {scanArgs(s, "--no-probe", "--explain"), 0, 20},
		"hosters stats":    {[]string{"hosters", "stats"}, 0, 40},
		"hosters log":      {[]string{"hosters", "log", s.Hosters[1].IP()}, 0, 20},
		"watch list":       {[]string{"watch", "list"}, 0, 20},
		"interfaces list":  {[]string{"interfaces", "list"}, 0, 20},
		"interfaces check": {[]string{"interfaces", "check"}, 1, 40},
		"accounts list":    {[]string{"accounts", "list"}, 0, 20},
		"config show":      {[]string{"config", "show"}, 0, 20},
		"status":           {[]string{"status"}, 1, 20},
		"search":           {[]string{"search", "Harbour Nine", "--interface", s.Good.URL()}, 0, 20},
		"doctor":           {[]string{"doctor"}, 0, 20},
	} {
		t.Run(name, func(t *testing.T) {
			for _, width := range []int{20, 50, 80, 500} {
				m.terminal(width)
				m.out.Reset()
				m.err.Reset()
				if code := cmd.Main(c.args, m.System); code != c.code && name != "doctor" { // which has something to say of the account
					t.Errorf("exit code %d: %s", code, m.err)
				}
				for line := range strings.Lines(sgr.ReplaceAllString(m.out.String(), "")) {
					if n := term.CellWidth(strings.TrimSuffix(line, "\n")); n > max(width, c.least) {
						t.Errorf("%d columns in %d: %s", n, width, line)
					}
				}
				if m.out.String() == "" {
					t.Errorf("nothing is shown in %d columns", width)
				}
			}
		})
	}
}
