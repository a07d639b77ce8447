//go:build linux

package cmd_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The completion of bash lies here, as distributions install it.
const bashCompletion = "/usr/share/bash-completion/bash_completion"

// completionScene makes a data directory with names that shells have to quote.
func completionScene(t *testing.T) (dir string) {
	t.Helper()
	m := newMachine(t)
	dir = m.env["XSHIP_DATA_DIR"]
	for _, title := range []string{"Paper Submarines", "Paper Lanterns", `It's "Quoted" $HOME & co`, "Ärger: Teil 2", "Solo", "back`tick\\slash"} {
		m.run(t, 0, "watch", "add", title)
	}
	films := filepath.Join(t.TempDir(), "films")
	if err := os.Mkdir(films, 0o700); err != nil {
		t.Fatal(err)
	}
	m.run(t, 0, "interfaces", "add", films, "--name", "home films")
	return dir
}

// typedCases are lines as they are typed, and the words that the program gets of them.
var typedCases = []struct {
	typed string
	words []string
}{
	{"xship ver\t", []string{"xship", "version"}},
	{"xship help exit\t", []string{"xship", "help", "exit-codes"}},
	{"xship interfaces use ho\t", []string{"xship", "interfaces", "use", "home films"}},
	{"xship interfaces mode ma\t", []string{"xship", "interfaces", "mode", "manual"}},
	{"xship play So\t", []string{"xship", "play", "Solo"}},
	{"xship play Pap\tS\t", []string{"xship", "play", "Paper Submarines"}},
	{"xship play \"Paper S\t", []string{"xship", "play", "Paper Submarines"}},
	{"xship play 'Paper S\t", []string{"xship", "play", "Paper Submarines"}},
	{"xship play \"Pap\tL\t", []string{"xship", "play", "Paper Lanterns"}},
	{"xship play Paper\\ S\t--user 2 -o k\t", []string{"xship", "play", "Paper Submarines", "--user", "2", "-o", "kodi"}},
	{"xship play It\t", []string{"xship", "play", `It's "Quoted" $HOME & co`}},
	{"xship play \"It\t", []string{"xship", "play", `It's "Quoted" $HOME & co`}},
	{"xship play 'It\t", []string{"xship", "play", `It's "Quoted" $HOME & co`}},
	{"xship play Ä\t", []string{"xship", "play", "Ärger: Teil 2"}},
	{"xship play \"Ärger: T\t", []string{"xship", "play", "Ärger: Teil 2"}},
	{"xship play bac\t", []string{"xship", "play", "back`tick\\slash"}},
	{"xship play \"bac\t", []string{"xship", "play", "back`tick\\slash"}},
	{"xship scan Film --quality 72\t--interface ho\t", []string{"xship", "scan", "Film", "--quality", "720p", "--interface", "home films"}},
	{"xship scan only\t", []string{"xship", "scan", "only"}}, // no file, though there is one
	{"xship hosters log only\t", []string{"xship", "hosters", "log", "only"}},
	{"xship backup export onlyf\t", []string{"xship", "backup", "export", "onlyfile"}},
	{"xship --config only.\t", []string{"xship", "--config", "only.yaml"}},
	{"xship --data-dir onlyd\t", []string{"xship", "--data-dir", "onlydir"}},
}

// TestCompletion_shells types lines into real shells and has them completed.
func TestCompletion_shells(t *testing.T) {
	for name, shell := range map[string]struct {
		args  []string
		setUp string
	}{
		"bash": {
			[]string{"--norc", "--noprofile", "-i"},
			`. ` + bashCompletion + `; . <(xship completion bash); bind 'set enable-bracketed-paste off'`,
		},
		"zsh": {[]string{"-f", "-i"}, `autoload -Uz compinit; compinit -u -D; . <(xship completion zsh); unset zle_bracketed_paste`},
	} {
		t.Run(name, func(t *testing.T) {
			command := append([]string{"/bin/sh", "-c", `exec "$@" >&2`, "sh", realCommand(t, name)}, shell.args...)
			if _, err := os.Stat(bashCompletion); name == "bash" && err != nil {
				notInstalled(t, "bash-completion")
			}
			dir := completionScene(t)
			t.Chdir(folderOfNames(t))
			s := startOn(t, 50, 200, dir, []string{"LC_ALL=C.UTF-8", "HOME=" + t.TempDir(), "PS1=$ ", "HISTFILE=", "INPUTRC=/dev/null"}, command...)
			enter := func(line string) {
				if _, err := s.keys.WriteString(line); err != nil {
					t.Fatal(err)
				}
			}
			enter(shell.setUp + `; words() { printf '<%s>' "$@"; printf '<end %d>\n' "$1"; }; echo rea''dy` + keyEnter)
			s.await("ready")
			for i, c := range typedCases {
				enter(c.typed + "\x01words " + fmt.Sprint(i) + " " + keyEnter)
				begin, end := fmt.Sprintf("<%d>", i), fmt.Sprintf("<end %d>", i)
				s.await(end)
				_, got, _ := strings.Cut(s.screen.String(), begin)
				got, _, _ = strings.Cut(got, end)
				got = strings.ReplaceAll(got, "/>", ">") // which zsh takes off again
				if want := "<" + strings.Join(c.words, "><") + ">"; got != want {
					t.Errorf("%q: got %s, want %s", c.typed, got, want)
				}
			}
			enter("xship help \t\t")
			s.await("What the exit codes mean")
			enter("\x15exit" + keyEnter)
			s.end()
		})
	}
}

// folderOfNames is a folder whose files and folder shells may complete to.
func folderOfNames(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"onlyfile", "only.yaml"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "onlydir"), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestCompletion_fish asks fish, which tells what it would complete to.
func TestCompletion_fish(t *testing.T) {
	fish := realCommand(t, "fish")
	dir := completionScene(t)
	t.Chdir(folderOfNames(t))
	home := t.TempDir()
	for line, want := range map[string]string{
		"xship vers":                    "version\tShow the version",
		"xship help exit":               "exit-codes\tWhat the exit codes mean",
		"xship scan --qualit":           "--quality\tbest QUALITY listed: 4K, 1440p, 1080p, 720p, SD (setting scan.quality)",
		"xship scan Film --quality 72":  "720p",
		"xship interfaces use ho":       "home films\tin use, ",
		"xship play Paper":              "Paper Lanterns\tnumber 2 of the watchlist\nPaper Submarines\tnumber 1 of the watchlist",
		"xship play 'Paper S":           "Paper Submarines\tnumber 1 of the watchlist",
		`xship play \"Paper S`:          "Paper Submarines\tnumber 1 of the watchlist",
		`xship play Paper\\ S`:          "Paper Submarines\tnumber 1 of the watchlist",
		"xship watch next 1":            "1\tPaper Submarines",
		"xship scan only":               "",
		"xship backup export onlyf":     "onlyfile",
		"xship --data-dir onlyd":        "onlydir/",
		"xship config show --log-level": "--log-level\tleast LEVEL that is logged: debug, info, warn, error",
	} {
		cmd := exec.CommandContext(t.Context(), fish, "--no-config", "-c", `xship completion fish | source; complete -C "`+line+`"`)
		cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "HOME="+home, "XDG_DATA_HOME="+home, "XSHIP_DATA_DIR="+dir, "XDG_CONFIG_HOME="+home)
		got, err := cmd.Output()
		if plain := strings.TrimSpace(string(got)); err != nil || plain != want && (want == "" || !strings.HasPrefix(plain, want)) {
			t.Errorf("%s: got %q (%v), want %q", line, plain, err, want)
		}
	}
}
