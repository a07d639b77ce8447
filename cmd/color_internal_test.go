package cmd

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"xship/cmd/term"
)

// TestColour has the flag go before NO_COLOR, that before CLICOLOR_FORCE, and that
// before the terminal.
func TestColour(t *testing.T) {
	t.Parallel()
	type variables map[string]string
	for _, tt := range []struct {
		flag     string
		noColor  bool
		env      variables
		terminal bool
		want     bool
	}{
		{terminal: true, want: true},
		{terminal: false, want: false},
		{terminal: true, env: variables{"TERM": "dumb"}, want: false},
		{terminal: true, env: variables{"NO_COLOR": "1"}, want: false},
		{terminal: true, env: variables{"NO_COLOR": "0"}, want: false},
		{terminal: true, env: variables{"NO_COLOR": ""}, want: true},
		{env: variables{"CLICOLOR_FORCE": "1"}, want: true},
		{env: variables{"CLICOLOR_FORCE": "0"}, want: false},
		{env: variables{"CLICOLOR_FORCE": ""}, want: false},
		{terminal: true, env: variables{"CLICOLOR_FORCE": "1", "TERM": "dumb"}, want: true},
		{terminal: true, env: variables{"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, want: false},
		{flag: colorAlways, env: variables{"NO_COLOR": "1", "TERM": "dumb"}, want: true},
		{flag: colorNever, terminal: true, env: variables{"CLICOLOR_FORCE": "1"}, want: false},
		{noColor: true, terminal: true, env: variables{"CLICOLOR_FORCE": "1"}, want: false},
		{flag: colorNever, noColor: true, terminal: true, want: false},
	} {
		a := newApp(System{LookupEnv: func(name string) (string, bool) { value, ok := tt.env[name]; return value, ok }})
		a.flags.color, a.flags.noColor = colorAuto, tt.noColor
		if tt.flag != "" {
			a.flags.color = tt.flag
		}
		if got := a.colour(term.Stream{Terminal: tt.terminal}); got != tt.want {
			t.Errorf("%+v: %t", tt, got)
		}
	}
}

func TestCheckColor(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ args, want, hint string }{
		{"--color always", "", ""},
		{"--color never --no-color", "", ""},
		{"--no-color", "", ""},
		{"--no-color=false --color always", "", ""},
		{"--no-color --color always", "--no-color and --color always contradict each other", ""},
		{"--no-color --color auto", "--no-color and --color auto contradict each other", ""},
		{"--color yes", `--color "yes" is none of auto, always, never`, ""},
		{"--color alway", `--color "alway" is none of auto, always, never`, "did you mean always?"},
	} {
		a := newApp(System{})
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		flags.StringVar(&a.flags.color, "color", colorAuto, "")
		flags.BoolVar(&a.flags.noColor, "no-color", false, "")
		if err := flags.Parse(strings.Fields(tt.args)); err != nil {
			t.Fatal(err)
		}
		got, hint := "", ""
		if err := a.checkColor(flags); err != nil {
			got, hint = err.Error(), err.(*usageError).hint //nolint:errorlint // it is no other
		}
		if got != tt.want || hint != tt.hint {
			t.Errorf("%s: %q, %q", tt.args, got, hint)
		}
	}
}
