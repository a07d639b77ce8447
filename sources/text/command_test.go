package text_test

import (
	"os/exec"
	"slices"
	"testing"

	"xship/sources/text"
)

func TestSplitCommand(t *testing.T) {
	for _, c := range []struct {
		line string
		want []string
	}{
		{"mpv", []string{"mpv"}},
		{"  mpv  --fs\t--x ", []string{"mpv", "--fs", "--x"}},
		{`mpv --title="a b" ''`, []string{"mpv", "--title=a b", ""}},
		{`mpv 'it''s' "a'b" 'a"b'`, []string{"mpv", "its", "a'b", `a"b`}},
		{`/my\ programs/mpv a\\b \"`, []string{"/my programs/mpv", `a\b`, `"`}},
		{`C:\mpv\mpv.exe 'a\b'`, []string{`C:\mpv\mpv.exe`, `a\b`}},
		{`mpv $HOME; rm *`, []string{"mpv", "$HOME;", "rm", "*"}},
		{`mpv 'a\'`, []string{"mpv", `a\`}},
		{"", nil},
	} {
		got, err := text.SplitCommand(c.line)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, %v; want %q", c.line, got, err, c.want)
		}
	}
	for _, line := range []string{`mpv "a`, `mpv 'a`, `mpv "a\"`} {
		if words, err := text.SplitCommand(line); err == nil {
			t.Errorf("%q: %q", line, words)
		}
	}
}

// A word that is quoted is that word for a shell, and no shell finds more in it.
func TestShellWord(t *testing.T) {
	for s, want := range map[string]string{
		"mpv": "mpv", "1x02": "1x02", "某剧": "某剧", "a/b-c_d.e": "a/b-c_d.e", "KEY=value": "KEY=value",
		"": `""`, "=ls": `"=ls"`, "~": `"~"`, "Big Buck Bunny": `"Big Buck Bunny"`, "Ocean's": `"Ocean's"`, "a&b": `"a&b"`, "[REC]": `"[REC]"`,
		"Wow!": `'Wow!'`, "a$b": `'a$b'`, "`id`": "'`id`'", `a\b`: `'a\b'`, `"`: `'"'`, "it's $x": `'it'\''s $x'`,
	} {
		got := text.ShellWord(s)
		if got != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
		if sh, err := exec.LookPath("sh"); err == nil {
			read, err := exec.CommandContext(t.Context(), sh, "-c", "printf %s "+got).Output()
			if err != nil || string(read) != s {
				t.Errorf("%q: a shell reads %q of %s, %v", s, read, got, err)
			}
		}
	}
}

func FuzzSplitCommand(f *testing.F) {
	for _, seed := range []string{"mpv", `a "b c" 'd'`, `\`, `"`, "a\\ b", "\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		words, err := text.SplitCommand(line)
		if err != nil && words != nil {
			t.Errorf("%q with an error", words)
		}
	})
}
