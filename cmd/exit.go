package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"xship/cmd/engine/loader"
	"xship/config"
	"xship/config/vod"
	"xship/sourcecache"
	"xship/sources"
	"xship/sources/cooldown"
	"xship/sources/site/maccms"
	"xship/sources/site/t4"
	"xship/sources/text"
)

// The exit codes.
const (
	exitOK              = 0
	exitFailure         = 1
	exitUsage           = 2
	exitNothingPlayable = 3
	exitNoInterface     = 4
	exitInterrupted     = 130
)

const exitCodesHelp = `Exit codes of xship:

  0    fine, also when a scan found nothing because nothing exists
  1    failure; also a scan to which no site gave a usable answer
  2    wrong usage: an unknown flag, a missing argument, a setting that is not valid
  3    nothing playable: sources exist, but all are hidden, dead or unplayable;
       also a play without a stream, whatever the reason
  4    no interface could be loaded
  130  interrupted

A player of xship play --exec that fails is a failure, code 1; the message tells
the exit code of the player.`

// newExitCodesTopic is the help topic of the exit codes.
func newExitCodesTopic() *cobra.Command {
	return &cobra.Command{Use: "exit-codes", Short: "What the exit codes mean", Long: exitCodesHelp}
}

// usageError is a command line that makes no sense.
type usageError struct{ msg, hint string }

func (e *usageError) Error() string { return e.msg }

func usagef(format string, args ...any) *usageError {
	return &usageError{msg: fmt.Sprintf(format, args...)}
}

// nothingPlayableError says that nothing can be played, though sources may
// exist.
type nothingPlayableError struct{ msg, hint string }

func (e *nothingPlayableError) Error() string { return e.msg }

// hintError is an error with advice.
type hintError struct {
	err  error
	hint string
}

func (e *hintError) Error() string { return e.err.Error() }

func (e *hintError) Unwrap() error { return e.err }

// failure is an error as the user meets it.
type failure struct {
	exit    int
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

// failureOf says what err means for the user: the only place that maps errors
// to exit codes.
func failureOf(err error) failure {
	var (
		usage    *usageError
		nothing  *nothingPlayableError
		hinted   *hintError
		settings *config.InvalidError
		file     *config.FileError
		round    *loader.FailedError
		iface    *vod.Error
		database *sourcecache.OpenError
		noAnswer *sources.NoAnswerError
		player   *playerError
		locked   *config.LockedError
		redis    *cooldown.RedisError
		provider *sources.ProviderStreamUnavailableError
	)
	f := failure{exit: exitFailure, Code: "failure", Message: err.Error()}
	switch {
	case errors.As(err, &usage):
		f.exit, f.Code, f.Hint = exitUsage, "usage", usage.hint
	case errors.As(err, &settings):
		f.exit, f.Code = exitUsage, "settings"
	case errors.As(err, &file):
		f.exit, f.Code, f.Hint = exitUsage, "settings", file.Hint
	case errors.As(err, &nothing):
		f.exit, f.Code, f.Hint = exitNothingPlayable, "nothing_playable", nothing.hint
	case errors.As(err, &round):
		f.exit, f.Code, f.Hint = exitNoInterface, "no_interface", round.ErrorHint()
	case errors.As(err, &iface):
		f.exit, f.Code, f.Hint = exitNoInterface, "no_interface", iface.Hint
	case errors.As(err, &player):
		f.Code = "player"
	case errors.As(err, &database):
		f.Code, f.Hint = "database", database.Hint
	case errors.Is(err, context.Canceled):
		f.exit, f.Code, f.Message = exitInterrupted, "interrupted", "interrupted"
	case errors.As(err, &noAnswer):
		f.Code, f.Message, f.Hint = "no_answer", noAnswerMessage(noAnswer), noAnswerHint(noAnswer)
	case errors.As(err, &locked):
		f.Code = "locked"
	case errors.As(err, &redis):
		f.Code, f.Hint = "redis", adviceOf(redis)
	case errors.As(err, &provider):
		f.Code = "provider"
	}
	if f.Hint == "" && errors.As(err, &hinted) {
		f.Hint = hinted.hint
	}
	f.Message = strings.TrimSuffix(f.Message, "; "+f.Hint)
	return f
}

// adviceOf is the advice that the text of an error ends with, behind a semicolon.
func adviceOf(err error) string {
	text := err.Error()
	at := strings.LastIndex(text, "; ")
	if at < 0 {
		return ""
	}
	return text[at+len("; "):]
}

// noAnswerHint says what to do about e. Where xship cannot ask the sites, waiting
// does not help.
func noAnswerHint(e *sources.NoAnswerError) string {
	askedTypes := []string{maccms.TypeXML, maccms.Type, t4.Type}
	all := func(is func(sources.SiteReport) bool) bool {
		return !slices.ContainsFunc(e.Sites, func(s sources.SiteReport) bool { return !is(s) })
	}
	switch {
	case len(e.Sites) == 0 || !all(func(s sources.SiteReport) bool { return s.Status == sources.SiteUnsupported }):
		return "try again later, or use another interface: xship interfaces list"
	case all(func(s sources.SiteReport) bool { return !slices.Contains(askedTypes, s.Type) }):
		return "xship can ask sites of types 0, 1 and 4: another interface is needed, see xship interfaces add"
	default:
		return "waiting does not help, each site says why: use another interface, see xship interfaces list"
	}
}

// sitesShown is how many sites an error names; the document of the scan has all.
const sitesShown = 20

// noAnswerMessage gives each site a line of its own, to a bound.
func noAnswerMessage(e *sources.NoAnswerError) string {
	if len(e.Sites) == 0 {
		return e.Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "none of %s gave a usable answer for %s", plural(len(e.Sites), "site"), e.Title)
	for _, s := range e.Sites[:min(len(e.Sites), sitesShown)] {
		fmt.Fprintf(&b, "\n  %s: %s: %s", s.Name, s.Status, s.Error)
	}
	if more := len(e.Sites) - sitesShown; more > 0 {
		fmt.Fprintf(&b, "\n  and %d more, see -o json", more)
	}
	return b.String()
}

// report tells the user about err, as the last of all that is written, and
// gives the exit code.
func (a *app) report(err error, asJSON bool) int {
	if err == nil {
		return exitOK
	}
	f := failureOf(err)
	if asJSON {
		f.Message, f.Hint = cleanLines(f.Message), cleanLines(f.Hint)
		line, err := json.Marshal(map[string]failure{"error": f})
		if err == nil {
			_, _ = a.status.Write(append(line, '\n'))
		}
		return f.exit
	}
	a.warn("xship: %s", f.Message)
	if f.Hint != "" {
		a.warn("hint: %s", f.Hint)
	}
	return f.exit
}

// cleanLines is s for a terminal, with its line breaks.
func cleanLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		str := strings.TrimLeft(line, " ")
		lines[i] = line[:len(line)-len(str)] + text.Clean(str)
	}
	return strings.Join(lines, "\n")
}

// plural is n and the noun, in the plural where n is not 1.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
