package cmd_test

import (
	"strings"
	"testing"
)

// TestMistyped names what was probably meant, for each kind of name that commands take.
func TestMistyped(t *testing.T) {
	m := newMachine(t)
	m.run(t, 0, "interfaces", "add", t.TempDir(), "--name", "living room", "-q")
	for _, tt := range []struct{ args, hint string }{
		{"scan x --qualty 720", "did you mean --quality?"},
		{"scan x --qual 720", "did you mean --quality?"},
		{"scan x -quality 720", "did you mean --quality?"},
		{"scan x -quality=720", "did you mean --quality?"},
		{"scan x -z", "see xship scan --help"},
		{"scan x --nonsense", "see xship scan --help"},
		{"play x --pik 1", "did you mean --pick?"},
		{"hosters stats --fail", "did you mean --failing?"},
		{"--refresh scan x", "give --refresh behind its command"},
		{"version --colour never", "did you mean --color?"},
		{"version --color alway", "did you mean always?"},
		{"version --log-level inf", "did you mean info?"},
		{"version --log-format jsno", "did you mean json?"},
		{"version -o jsn", "did you mean json?"},
		{"version --log-level loud", ""},
		{"scan x --quality 1081", ""},
		{"interfaces mode atuo", "did you mean auto? It is one of off, auto, manual"},
		{"interfaces mode sometimes", "one of off, auto, manual"},
		{"accounts check reel-debrid", "did you mean real_debrid? It is one of real_debrid, all_debrid, premiumize, torbox, debrid_link"},
		{"accounts remove nobody", "one of real_debrid, all_debrid, premiumize, torbox, debrid_link"},
		{"interfaces use livingroom", "did you mean living room?"},
		{"interfaces remove livin", "did you mean living room?"},
		{"interfaces order livingrom", "did you mean living room?"},
		{"interfaces group home livingroom x", "did you mean living room?"},
		{"scan x --interface livingroom", "did you mean living room?"},
		{"interfaces check livingroom", "did you mean living room?"},
		{"interfaces use kitchen", "see xship interfaces list"},
		{"sacn", "did you mean xship scan?"},
		{"paly x", "did you mean xship play?"},
		{"wacht list", "did you mean xship watch?"},
		{"watch lsit", "did you mean xship watch list?"},
		{"help scn", "did you mean scan?"},
		{"help interfaces rmove", "did you mean remove?"},
		{"help nonsense", "see xship --help"},
		{"config set scan.limit -5", "a value that begins with - comes behind --: xship config set KEY -- VALUE"},
		{"watch remove -30-", "what begins with - comes behind --: xship watch remove -- -30-"},
		{"scan -30-", "what begins with - comes behind --: xship scan -- -30-"},
		{"config show --json", "give it as -o json"},
		{"config unset scan.limit", "xship config set KEY --unset"},
		{"watch clear", "did you mean xship watch remove?"},
		{"watch show", "did you mean xship watch list?"},
		{"watch export", "xship watch list -o json > FILE writes the watchlist, and xship watch import FILE reads it"},
		{"status -5", "see xship status --help"},
		{"config set scan.limit = 5", "leave the = out"},
		{"watch remove 1,2", "several stand apart: xship watch remove 1 2"},
		{"watch remove 3-5", "each stands for itself: xship watch remove 3 4 5"},
		{"watch remove #3", "a number stands alone: xship watch remove 3"},
		{"config set scan.limit --unst", "did you mean --unset?"},
		{"config set scan.limt 5", "did you mean scan.limit?"},
		{"watch remove nothing", "xship watch list shows what is"},
	} {
		code := 2
		switch {
		case strings.HasPrefix(tt.args, "scan x --interface"):
			code = 4
		case strings.HasPrefix(tt.args, "watch remove") && !strings.HasPrefix(tt.args, "watch remove -"):
			code = 1
		case strings.HasPrefix(tt.args, "interfaces ") && !strings.Contains(tt.args, " mode "):
			code = 1
			if strings.Contains(tt.args, "group") {
				code = 4
			}
		}
		m.run(t, code, strings.Fields(tt.args)...)
		want := "\nhint: " + tt.hint + "\n"
		if got := m.err.String(); tt.hint != "" && !strings.HasSuffix(got, want) || tt.hint == "" && strings.Contains(got, "hint: ") {
			t.Errorf("xship %s: %q, want the hint %q", tt.args, got, tt.hint)
		}
	}
}

// TestMistyped_title says how a title is given that looks like flags, and a number that is
// none.
func TestMistyped_title(t *testing.T) {
	m := newMachine(t)
	for _, tt := range []struct {
		args []string
		hint string
	}{
		{[]string{"scan", "-Dash Away"}, `what begins with - comes behind --: xship scan -- "-Dash Away"`},
		{[]string{"play", "--Dash Away"}, `what begins with - comes behind --: xship play -- "--Dash Away"`},
		{[]string{"search", "- Dash Away"}, `what begins with - comes behind --: xship search -- "- Dash Away"`},
		{[]string{"watch", "add", "-1 Film"}, `what begins with - comes behind --: xship watch add -- "-1 Film"`},
		{[]string{"scan", "-some film"}, `--season takes a whole number; what begins with - comes behind --: xship scan -- "-some film"`},
		{[]string{"scan", "x", "-s", "two"}, "--season takes a whole number"},
		{[]string{"play", "x", "--pick", "first"}, "--pick takes a whole number"},
		{[]string{"scan", "Some", "Film"}, `put it in quotes: xship scan "Some Film"`},
		{[]string{"scan", "Some", "$(id)!", "\"x\""}, `put it in quotes: xship scan 'Some $(id)! "x"'`},
		{[]string{"frobnicate", "It's", "$HOME"}, `xship scan 'frobnicate It'\''s $HOME' looks for a title; xship --help lists the commands`},
		{[]string{"hosters", "log", "-a b"}, "see xship hosters log --help"},
	} {
		m.run(t, 2, tt.args...)
		if got := m.err.String(); !strings.HasSuffix(got, "\nhint: "+tt.hint+"\n") {
			t.Errorf("xship %q: %q, want the hint %q", tt.args, got, tt.hint)
		}
	}
}
