package cmd

import (
	"cmp"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"xship/cmd/term"
)

// When colours are used.
const (
	colorAuto   = "auto" // as the environment says, else on a terminal that has them
	colorAlways = "always"
	colorNever  = "never"
)

var colorWhens = []string{colorAuto, colorAlways, colorNever}

// checkColor refuses a value of --color that is none, and one that --no-color contradicts.
func (a *app) checkColor(flags *pflag.FlagSet) error {
	switch {
	case !slices.Contains(colorWhens, a.flags.color):
		return notOneOf("color", a.flags.color, "", colorWhens)
	case a.flags.noColor && flags.Changed("color") && a.flags.color != colorNever:
		return usagef("--no-color and --color %s contradict each other", a.flags.color)
	}
	return nil
}

// colour tells whether s may be coloured: a flag goes before NO_COLOR (no-color.org), that
// before CLICOLOR_FORCE (bixense.com/clicolors), and that before what s is.
func (a *app) colour(s term.Stream) bool {
	force := a.getenv("CLICOLOR_FORCE")
	switch {
	case a.flags.noColor || a.flags.color == colorNever:
		return false
	case a.flags.color == colorAlways:
		return true
	case a.getenv("NO_COLOR") != "":
		return false
	case force != "" && force != "0":
		return true
	default:
		return s.Terminal && a.getenv("TERM") != "dumb"
	}
}

// colourEnv is what a program that draws on s by itself is told of colours.
func (a *app) colourEnv(s term.Stream) string {
	if a.colour(s) {
		return "CLICOLOR_FORCE=1"
	}
	return "NO_COLOR=1"
}

// showsUnicode tells whether terminals show more than ASCII, as far as the locale says:
// those of today do where it says nothing.
func (a *app) showsUnicode() bool {
	locale := cmp.Or(a.getenv("LC_ALL"), a.getenv("LC_CTYPE"), a.getenv("LANG"))
	charset := strings.ToLower(strings.ReplaceAll(locale, "-", ""))
	return locale == "" || strings.Contains(charset, "utf8") || runtime.GOOS == "windows"
}
