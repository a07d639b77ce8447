package cmd

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"xship/cmd/api"
	"xship/cmd/term"
	"xship/sources"
)

func TestPlayer_arguments(t *testing.T) {
	s := sources.Stream{URL: "http://a/b", Headers: map[string]string{"Cookie": "a=b"}}
	for _, c := range []struct {
		player  player
		headers string
		want    []string
	}{
		{player{args: []string{"-f"}}, "", []string{"-f", "http://a/b"}},
		{player{args: []string{"-f"}, mpv: true}, "", []string{"-f", "--", "http://a/b"}},
		{player{args: []string{"-f"}, mpv: true}, "/t/h", []string{"-f", "--include=/t/h", "--", "http://a/b"}},
	} {
		if got := c.player.arguments(s, c.headers); !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestPlayer_dropsHeaders(t *testing.T) {
	for _, c := range []struct {
		mpv     bool
		headers map[string]string
		want    bool
	}{
		{false, nil, false},
		{true, nil, false},
		{false, map[string]string{"Referer": "http://c/"}, true},
		{true, map[string]string{"Referer": "http://c/"}, false},
	} {
		if got := (&player{mpv: c.mpv}).dropsHeaders(sources.Stream{Headers: c.headers}); got != c.want {
			t.Errorf("mpv %t, headers %v: %t", c.mpv, c.headers, got)
		}
	}
}

func TestMPVHeaders(t *testing.T) {
	for _, c := range []struct {
		name    string
		headers map[string]string
		want    string
	}{
		{"none", nil, ""},
		{
			"sorted",
			map[string]string{"Referer": "http://c/", "Cookie": "a=b"},
			"http-header-fields-append=%11%Cookie: a=b\nhttp-header-fields-append=%18%Referer: http://c/\n",
		},
		{"commas, quotes and what begins comments", map[string]string{"X": `a, "b" 'c' # %3%d `}, "http-header-fields-append=%21%X: a, \"b\" 'c' # %3%d \n"},
		{"counted in bytes", map[string]string{"X": "é"}, "http-header-fields-append=%5%X: é\n"},
	} {
		if got, err := mpvHeaders(c.headers); got != c.want || err != nil {
			t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.want)
		}
	}
	for _, headers := range []map[string]string{{"X": "a\nscript=b"}, {"X\r": "a"}, {"X": "\x00"}} {
		if got, err := mpvHeaders(headers); err == nil {
			t.Errorf("%q gives %q", headers, got)
		}
	}
}

// mpv is handed headers in a file that only this user can read, and that is gone
// when it has ended, however that was.
func TestPlayer_play_headers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the player is a shell script")
	}
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	path := filepath.Join(t.TempDir(), "mpv")
	const script = `#!/bin/sh
echo "$@" | sed 's/include=.*conf/include=FILE/'
ls -l "${1#--include=}" | cut -c1-10
cat "${1#--include=}"
exit 4
`
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	mpv, err := findPlayer(path)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	sys := System{Stdin: strings.NewReader(""), Stdout: term.Stream{Writer: &out}, Stderr: term.Stream{Writer: &out}}
	err = mpv.play(t.Context(), sys, sources.Stream{URL: "http://a/b", Headers: map[string]string{"Cookie": "a=b, c"}})
	if failed, ok := errors.AsType[*playerError](err); !ok || failed.code != 4 {
		t.Errorf("error %v", err)
	}
	if f := api.FailureOf(err); f.Exit != api.ExitFailure || !strings.Contains(f.Message, "exit code 4") {
		t.Errorf("failure %+v", f)
	}
	const want = "--include=FILE -- http://a/b\n-rw-------\nhttp-header-fields-append=%14%Cookie: a=b, c\n"
	if out.String() != want {
		t.Errorf("the player saw %q, want %q", out.String(), want)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
